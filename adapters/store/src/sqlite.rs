//! The store on SQLite: one thread that writes, a few that read.

mod around;
mod batch;
mod connection;
mod effects;
mod fault;
mod lock;
mod look;
mod migration;
mod opening;
mod order;
mod ports;
mod prune;
mod reader;
mod record;
mod remembered;
mod standing;
mod table;
mod take_over;
mod tasks;
mod writer;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use placet::call::ContentHash;
use placet::ports::{CredentialRow, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::options::{Access, Hint, Location, OnCommit, Options, Stats};
pub use look::look_at;
pub use record::RecordReader;

use batch::Batch;
use fault::{Meaning as _, unavailable};
use reader::Readers;
use remembered::Remembered;
use table::Unreadable;
use writer::{Pending, Queued, Writer};

/// Under which name the database keeps which key signs grants.
const GRANT_KEY: &str = "grant_key";

/// How every boundary begins at which a credential is changed.
const CREDENTIAL_BOUNDARIES: &str = "credential.";

/// The store on SQLite. Cheap to clone; the file is closed and its lock released when the last clone is gone, or by
/// [`SqliteStore::close`].
#[derive(Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    writer: Writer,
    /// None for a database in memory, which only the writer's connection sees.
    readers: Option<Readers>,
    epoch: String,
    /// Whether grants were signed with another key before.
    is_other_key: bool,
}

/// What the threads share with the callers.
pub(crate) struct Shared {
    options: Options,
    stopped: AtomicBool,
    commits: AtomicU64,
    jobs: AtomicU64,
    batch_max: AtomicU64,
    on_commit: RwLock<Option<OnCommit>>,
    /// None where somebody else may write the file too.
    remembered: Option<Remembered>,
}

impl Shared {
    /// Called after a commit, before its answers.
    fn forget(&self, boundaries: &[&str]) {
        if let Some(remembered) = &self.remembered
            && boundaries.iter().any(|boundary| boundary.starts_with(CREDENTIAL_BOUNDARIES))
        {
            remembered.forget();
        }
    }

    fn committed(&self, jobs: u64) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.jobs.fetch_add(jobs, Ordering::Relaxed);
        self.batch_max.fetch_max(jobs, Ordering::Relaxed);
    }

    fn tell(&self, hint: &Hint) {
        let told = self.on_commit.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(told) = told {
            told(hint);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }
}

impl SqliteStore {
    /// Opens the database, making or migrating it where needed. Blocks while it does.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] with what to do: another server has the file, a newer version of Placet wrote it,
    /// it cannot be read or written. [`StoreError::Inconsistent`] if its record has a hole at its end.
    pub fn open(location: impl Into<Location>, options: Options) -> Result<Self, StoreError> {
        let location = location.into();
        let lock = lock::take(&location, options.access)?;
        let mut connection = connection::writing(&location)?;
        match &lock {
            // Another server that knows an older schema would go on writing as if nothing had happened.
            Some(lock) if options.access == Access::SharedServer && migration::is_behind(&connection)? => {
                if !lock.take_alone()? {
                    return Err(migration::beside_another());
                }
                migration::run(&mut connection, options.clock.now())?;
                lock.share()?;
            }
            _ => migration::run(&mut connection, options.clock.now())?,
        }
        let epoch = table::meta::epoch(&connection, &*options.entropy)?;
        table::event::check_head(&connection)?;
        let key = options.grant_key.as_deref();
        let other_key = key.map(|key| table::meta::noted(&connection, GRANT_KEY, key)).transpose()?.flatten();
        let remembered = (options.access == Access::Server).then(Remembered::default);
        let shared = Arc::new(Shared {
            options,
            stopped: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            jobs: AtomicU64::new(0),
            batch_max: AtomicU64::new(0),
            on_commit: RwLock::new(None),
            remembered,
        });
        let readers = match &location {
            Location::File(path) => Some(Readers::start(path)?),
            Location::Memory => None,
        };
        let writer = Writer::start(connection, Arc::clone(&shared), lock)?;
        Ok(Self {
            inner: Arc::new(Inner { shared, writer, readers, epoch, is_other_key: other_key.is_some() }),
        })
    }

    /// Random at the database's creation: grants name it, so that they are worth nothing on another installation.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.inner.epoch
    }

    /// Whether whoever opened the database last signed grants with another key than [`Options::with_grant_key`] names.
    #[must_use]
    pub fn had_another_grant_key(&self) -> bool {
        self.inner.is_other_key
    }

    /// Who is told of each commit; replaces who was told before.
    pub fn set_hint(&self, told: OnCommit) {
        *self.inner.shared.on_commit.write().unwrap_or_else(PoisonError::into_inner) = Some(told);
    }

    /// How well commits were shared so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let shared = &self.inner.shared;
        Stats {
            commits: shared.commits.load(Ordering::Relaxed),
            jobs: shared.jobs.load(Ordering::Relaxed),
            batch_max: shared.batch_max.load(Ordering::Relaxed),
        }
    }

    /// Whether it still takes writes: not after [`SqliteStore::close`] or a crash.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.inner.shared.is_stopped()
    }

    /// Whether another process may write the file too.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.inner.shared.options.access == Access::SharedServer
    }

    /// A number that is another one whenever some other process has committed since, and for whoever only compares.
    /// Commits of this store do not change it.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if it cannot be read.
    pub async fn committed_by_others(&self) -> Result<i64, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(move |connection: &Connection| {
            // <https://www.sqlite.org/pragma.html#pragma_data_version>: what this connection itself commits leaves it as it
            // is; so it is asked on the connection that writes.
            let read = connection.query_row("PRAGMA data_version", [], |row| row.get(0)).on("database");
            let _ = reply.send(read);
        });
        self.inner.writer.queue(Queued::Read(job))?;
        answer.await.unwrap_or_else(|_| Err(unavailable("it stopped before it answered")))
    }

    /// Finishes what is queued, closes the file and releases its lock. Whoever still holds a clone finds the store
    /// unavailable. Blocks until it is done.
    pub fn close(&self) {
        self.inner.writer.stop();
    }

    /// Runs `work` in the next transaction and answers after its commit.
    async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.inner.writer.queue(Queued::Write(Box::new(Pending::new(work, reply))))?;
        answer
            .await
            .unwrap_or_else(|_| Err(StoreError::Unknown("the store stopped before it answered".to_owned())))
    }

    /// Runs `work` on a connection that sees everything committed so far.
    async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        if self.inner.shared.is_stopped() {
            return Err(unavailable("it has stopped"));
        }
        let (reply, answer) = oneshot::channel();
        let job = Box::new(move |connection: &Connection| {
            // Nobody waits any more: then nothing needs to be read.
            if !reply.is_closed() {
                let _ = reply.send(work(connection));
            }
        });
        match &self.inner.readers {
            Some(readers) => readers.queue(job)?,
            None => self.inner.writer.queue(Queued::Read(job))?,
        }
        answer.await.unwrap_or_else(|_| Err(unavailable("it stopped before it answered")))
    }

    /// Reads rows of a queue. Those that cannot be read must not hold up all that come after them: they are set aside,
    /// and whoever looks after the installation finds them in the log.
    async fn readable<T: Send + 'static>(
        &self,
        read: impl Fn(&Connection) -> Result<(Vec<T>, Vec<Unreadable>), StoreError> + Clone + Send + 'static,
        set_aside: fn(&mut Batch<'_>, &Unreadable) -> Result<(), StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        loop {
            let (found, unreadable) = self.read(read.clone()).await?;
            if unreadable.is_empty() {
                return Ok(found);
            }
            for unreadable in &unreadable {
                tracing::error!(error = %unreadable.why, "a row cannot be read, and is set aside");
            }
            let done = self
                .write(move |batch| unreadable.iter().try_for_each(|unreadable| set_aside(batch, unreadable)))
                .await;
            if !found.is_empty() {
                return Ok(found);
            }
            done?;
        }
    }

    /// The credential with this secret's hash, remembered or read.
    async fn credential_row(&self, secret_hash: ContentHash) -> Result<Option<CredentialRow>, StoreError> {
        let shared = &self.inner.shared;
        let remembered = shared.remembered.as_ref().filter(|_| !shared.is_stopped());
        let known = remembered.map(|remembered| (remembered, remembered.find(secret_hash)));
        let age = match known {
            Some((_, Ok(row))) => return Ok(Some(row)),
            Some((remembered, Err(age))) => Some((remembered, age)),
            None => None,
        };
        let row = self.read(move |connection| table::credential::by_secret(connection, secret_hash)).await?;
        if let (Some((remembered, age)), Some(row)) = (age, &row) {
            remembered.keep(age, row);
        }
        Ok(row)
    }
}
