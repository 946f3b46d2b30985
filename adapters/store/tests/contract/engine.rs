//! What makes stores.

use std::path::PathBuf;
use std::sync::Arc;

use placet::ports::{Clock, Entropy, Store};
use placet_store::{CommitProbe, Options, SqliteStore};

use crate::fixture::{Chance, HandClock};

/// A database that stores are opened on, one after the other.
pub(crate) trait Engine: Send + Sync {
    /// Opens it.
    fn open(&self, setting: &Setting) -> Arc<dyn Store>;
    /// Closes what was opened; what is there can be opened again.
    fn close(&self);
}

/// What a store is opened with.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) clock: Arc<HandClock>,
    pub(crate) entropy: Arc<Chance>,
    pub(crate) probe: Arc<dyn CommitProbe>,
}

impl Setting {
    pub(crate) fn new() -> Self {
        Self {
            clock: Arc::new(HandClock::new()),
            entropy: Arc::new(Chance::new(7)),
            probe: Arc::new(placet_store::AlwaysGo),
        }
    }
}

/// SQLite in a file.
pub(crate) struct Sqlite {
    directory: tempfile::TempDir,
    opened: std::sync::Mutex<Option<SqliteStore>>,
}

impl Sqlite {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), opened: std::sync::Mutex::new(None) }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("placet.db")
    }

    pub(crate) fn options(setting: &Setting) -> Options {
        let clock: Arc<dyn Clock> = Arc::clone(&setting.clock) as _;
        let entropy: Arc<dyn Entropy> = Arc::clone(&setting.entropy) as _;
        Options::new(clock, entropy).with_probe(Arc::clone(&setting.probe))
    }
}

impl Engine for Sqlite {
    fn open(&self, setting: &Setting) -> Arc<dyn Store> {
        let store = SqliteStore::open(self.path(), Self::options(setting)).unwrap();
        *self.opened.lock().unwrap() = Some(store.clone());
        Arc::new(store)
    }

    fn close(&self) {
        if let Some(store) = self.opened.lock().unwrap().take() {
            store.close();
        }
    }
}

/// SQLite in memory.
pub(crate) struct InMemory;

impl Engine for InMemory {
    fn open(&self, setting: &Setting) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(placet_store::Location::Memory, Sqlite::options(setting)).unwrap())
    }

    fn close(&self) {}
}

/// Every engine, fresh.
pub(crate) fn engines() -> Vec<Box<dyn Engine>> {
    vec![Box::new(Sqlite::new()), Box::new(InMemory)]
}

/// Makes a test of a conversation with a store, for each engine there is.
#[macro_export]
macro_rules! contract {
    ($($(#[$doc:meta])* $name:ident($desk:ident) $body:block)*) => {$(
        $(#[$doc])*
        #[tokio::test]
        async fn $name() {
            for engine in $crate::engine::engines() {
                let setting = $crate::engine::Setting::new();
                let store = engine.open(&setting);
                let $desk = $crate::fixture::Desk { store, setting };
                $body
                engine.close();
            }
        }
    )*};
}
