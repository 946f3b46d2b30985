//! Matrix: the bot's account, what vouches for people's accounts, and what is heard in rooms.
//!
//! What always holds: one process has the account's store; a homeserver that does not answer keeps nothing from starting
//! once the bot has signed in.

use std::sync::Arc;

use anyhow::Context as _;
use placet::gate::{Directories, Gate, PolicyShelf};
use placet::id::Entropy;
use placet::policy::Place;
use placet::ports::Clock;
use placet::time::Ttl;
use placet_matrix::reader::Reader;
use placet_matrix::session::Session;
use placet_matrix::sync::Sync;
use placet_matrix::{Matrix, MatrixDirectory, MatrixInbound};
use tokio::sync::Mutex;

use crate::settings::Settings;

/// The family of the realms of accounts and rooms.
const MATRIX: &str = "matrix";

/// The bot's account, before there is a gate to hand things to.
pub(super) struct MatrixAccount {
    pub(super) matrix: Matrix,
    pub(super) place: Place,
    pub(super) has_operators: bool,
    directory: MatrixDirectory,
    reader: Reader,
}

impl MatrixAccount {
    /// Signed in by the settings; none where they leave Matrix out.
    pub(super) async fn open(
        settings: &Settings,
        (clock, entropy): (&Arc<dyn Clock>, &dyn Entropy),
        policy: &Arc<PolicyShelf>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(section) = &settings.matrix else { return Ok(None) };
        let mut settings_of = section.settings.clone();
        settings_of.proxy = settings.outbound.as_ref().map(crate::settings::ProxySettings::address);
        let surface = (&settings_of).into();
        let place =
            Place { surface: settings_of.name.clone(), channel: settings_of.room.to_string(), thread: None };
        let has_operators = settings_of.ops_room.is_some();
        let session = Session::open(settings_of, entropy).await.context("[matrix] cannot be used")?;
        let directory = MatrixDirectory::new(session.clone(), Arc::clone(clock));
        let matrix = Matrix::with_people(
            surface,
            session.client().clone(),
            Arc::clone(clock),
            Arc::clone(policy),
            Arc::new(directory.clone()),
        );
        let reader = Reader::new(session);
        Ok(Some(Self { matrix, place, has_operators, directory, reader }))
    }

    /// What is heard in its rooms.
    pub(super) async fn ear(self, gate: Gate) -> anyhow::Result<MatrixEar> {
        let sync = Sync::new(self.reader.clone()).await.context("[matrix] store")?;
        let inbound = MatrixInbound::new(gate, self.matrix, self.reader, self.directory);
        Ok(MatrixEar { inbound, sync: Mutex::new(sync) })
    }
}

/// Has the account vouch for the people in its rooms.
pub(super) fn vouching(directories: Directories, account: Option<&MatrixAccount>) -> Directories {
    match account {
        Some(account) => directories.with(MATRIX, Arc::new(account.directory.clone())),
        None => directories,
    }
}

/// What hears what people do in rooms, and hands it on.
pub struct MatrixEar {
    inbound: MatrixInbound,
    sync: Mutex<Sync>,
}

impl MatrixEar {
    /// One look at what happened, held open for so long while nothing does; what it asks for is done when this returns.
    ///
    /// # Errors
    /// If the homeserver does not answer, or the session is over.
    pub async fn step(&self, hold: Ttl) -> anyhow::Result<usize> {
        let heard = self.sync.lock().await.step(hold).await;
        let heard = match heard {
            Ok(heard) => heard,
            Err(fault) => {
                // What waits may be done all the same, and is if only the look failed.
                self.inbound.catch_up().await;
                return Err(fault.into());
            }
        };
        let count = heard.len();
        self.inbound.hear(heard).await;
        Ok(count)
    }

    /// Listens for ever; over only where the session cannot go on.
    pub(super) async fn listen(&self, clock: &dyn Clock) {
        let inbound = &self.inbound;
        let mut sync = self.sync.lock().await;
        let hear = async |heard| inbound.hear(vec![heard]).await;
        let Err(fault) = sync.run(clock, hear).await;
        tracing::error!(error = %fault, "Matrix is heard no more: no decision comes from there until this is mended and the server started again");
    }
}
