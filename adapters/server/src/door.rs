//! The way in for commands on this machine while the server runs: a socket beside the database, for the account that
//! owns the database and for nobody else. Commands that write go through it, because the server has the database to
//! itself.
//!
//! One line of JSON in, one line out, one connection after the other.

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::{Either, select};
use placet::gate::Gate;
use placet::id::TenantId;
use placet::ports::Clock;
use placet::time::Ttl;
use placet_store::SqliteStore;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};

use crate::commands::token::{Answer, Ask, Registrar};
use crate::commands::{Errand, Reply, standing};
use crate::policies::PolicyWatch;

/// The most bytes of a line: a wish is short, and a table of a few thousand credentials fits.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// How long one connection may take.
const TIME_MAX: Ttl = Ttl::from_secs(5);

/// How long accepting rests after it failed.
const ACCEPT_REST: Ttl = Ttl::from_millis(500);

/// Where it is, for a database.
#[must_use]
pub(crate) fn beside(database: &Path) -> PathBuf {
    let mut path = database.to_owned().into_os_string();
    path.push(".sock");
    path.into()
}

/// The server's side.
pub(crate) struct Door {
    listener: UnixListener,
    path: PathBuf,
    /// The file that it made.
    inode: u64,
    owner: u32,
    gate: Gate,
    store: SqliteStore,
    policies: Arc<PolicyWatch>,
    tenant: Option<TenantId>,
}

impl Door {
    /// Opens it. A socket that is there was left by a process that died, or, where servers share the database, belongs to one
    /// that is to be replaced: commands go to the last that was started.
    ///
    /// # Errors
    /// If it cannot be made: the path is too long for a socket, say.
    pub(crate) fn open(
        database: &Path,
        (gate, store, policies): (Gate, SqliteStore, Arc<PolicyWatch>),
        tenant: Option<TenantId>,
    ) -> io::Result<Self> {
        let path = beside(database);
        match std::fs::remove_file(&path) {
            Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        let owner = std::fs::metadata(database)?.uid();
        let inode = std::fs::symlink_metadata(&path)?.ino();
        Ok(Self { listener, path, inode, owner, gate, store, policies, tenant })
    }

    /// Answers for ever, one after the other.
    pub(crate) async fn answer(&self) {
        let clock = Arc::clone(self.gate.clock());
        loop {
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(fault) => {
                    tracing::error!(error = %fault, "no command can be taken");
                    clock.sleep_until(clock.now() + ACCEPT_REST).await;
                    continue;
                }
            };
            let late = clock.sleep_until(clock.now() + TIME_MAX);
            match select(Box::pin(self.serve(stream)), late).await {
                Either::Left((Ok(()), _)) => {}
                Either::Left((Err(fault), _)) => tracing::warn!(error = %fault, "a command was not answered"),
                Either::Right(_) => tracing::warn!("a command took too long"),
            }
        }
    }

    async fn serve(&self, stream: UnixStream) -> io::Result<()> {
        // The socket's mode keeps others out; this holds where a file system does not.
        let peer = stream.peer_cred()?.uid();
        if peer != self.owner && peer != 0 {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let (reading, mut writing) = stream.into_split();
        let reply = match serde_json::from_str::<Errand>(&line(reading).await?) {
            Ok(Errand::Token(ask)) => Reply::Token(self.done(ask).await),
            Ok(Errand::Standing(ask)) => Reply::Standing(standing::answer(&self.gate, ask).await),
            Err(error) => {
                let why = format!("the server does not understand the command: {error}");
                Reply::Token(Answer::Refused(why))
            }
        };
        writing.write_all(format!("{}\n", serde_json::to_string(&reply)?).as_bytes()).await
    }

    async fn done(&self, ask: Ask) -> Answer {
        let policies = self.gate.policies();
        let registrar = Registrar {
            store: &self.store,
            clock: &**self.gate.clock(),
            entropy: &**self.gate.entropy(),
            policies: &policies,
            tenant: self.tenant.as_ref(),
        };
        let answer = registrar.answer(ask).await;
        if let Answer::Made(made) = &answer
            && let Err(fault) = self.policies.note_for(made.tenant.clone()).await
        {
            tracing::error!(error = %fault, "the policy could not be noted for a new tenant; the next start does it");
        }
        answer
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // What cannot be removed is removed by the next server; and what the next one has made already is left to it.
        if std::fs::symlink_metadata(&self.path).is_ok_and(|file| file.ino() == self.inode) {
            let _left = std::fs::remove_file(&self.path);
        }
    }
}

/// Asks the server that has this database; none where none listens.
///
/// # Errors
/// It listens, and gave no answer.
pub(crate) async fn ask(
    database: &Path,
    errand: &Errand,
    clock: &dyn Clock,
) -> anyhow::Result<Option<Reply>> {
    let Ok(stream) = UnixStream::connect(beside(database)).await else { return Ok(None) };
    let (reading, mut writing) = stream.into_split();
    let talk = Box::pin(async {
        writing.write_all(format!("{}\n", serde_json::to_string(errand)?).as_bytes()).await?;
        anyhow::Ok(serde_json::from_str(&line(reading).await?)?)
    });
    match select(talk, clock.sleep_until(clock.now() + TIME_MAX)).await {
        Either::Left((answer, _)) => answer.map(Some),
        Either::Right(_) => {
            anyhow::bail!("the server that has the database did not answer within {TIME_MAX}")
        }
    }
}

async fn line(reading: impl tokio::io::AsyncRead + Unpin) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(reading.take(LINE_BYTES_MAX)).read_line(&mut line).await?;
    Ok(line)
}
