//! How a store is opened, and what it tells of itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use placet::id::{RequestId, SessionId, TenantId};
use placet::ports::{Clock, Entropy};
use placet::record::Seq;

use crate::probe::{AlwaysGo, CommitProbe};

/// Where the database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In this file, with its write-ahead log and lock file beside it.
    File(PathBuf),
    /// In memory: gone with the store.
    Memory,
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

/// Who may write the same file at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A server, alone.
    Server,
    /// A server among several of this kind on one machine, for the moment of a rolling restart.
    SharedServer,
    /// A command that writes by itself: only while no server runs; else it must go through the server.
    Command,
}

/// What a store is given.
#[derive(Clone)]
pub struct Options {
    /// Gives the time inside each transaction.
    pub clock: Arc<dyn Clock>,
    /// Gives the salts of the record and the installation's epoch.
    pub entropy: Arc<dyn Entropy>,
    /// Looks on at each commit, and may stop the store there.
    pub probe: Arc<dyn CommitProbe>,
    /// Who may write beside it.
    pub access: Access,
    /// Which key signs grants from now on; none where nobody signs any, or it is not known.
    pub grant_key: Option<String>,
}

impl Options {
    /// For a server that has the file to itself.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy, probe: Arc::new(AlwaysGo), access: Access::Server, grant_key: None }
    }

    /// With another kind of access.
    #[must_use]
    pub const fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// With the key that signs grants from now on, as text that tells it from every other and is no secret: its public half.
    #[must_use]
    pub fn with_grant_key(mut self, public: String) -> Self {
        self.grant_key = Some(public);
        self
    }

    /// With somebody who looks on at each commit.
    #[must_use]
    pub fn with_probe(mut self, probe: Arc<dyn CommitProbe>) -> Self {
        self.probe = probe;
        self
    }
}

/// What a commit changed. A hint only: who misses it finds the same by reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// Requests that were opened or changed, in order; one may be named more than once.
    pub requests: Vec<(TenantId, RequestId)>,
    /// Sessions that have new events.
    pub sessions: Vec<(TenantId, SessionId)>,
    /// The number of the last event, if there are new ones.
    pub head: Option<Seq>,
    /// Whether the worker has something to do: a card, a message or a delivery.
    pub work: bool,
}

/// Called after each commit, on the writer's thread, before the answers: it must not block.
pub type OnCommit = Arc<dyn Fn(&Hint) + Send + Sync>;

/// How well commits are shared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Transactions committed.
    pub commits: u64,
    /// Jobs in them.
    pub jobs: u64,
    /// The most jobs in one of them.
    pub batch_max: u64,
}

impl Stats {
    /// Jobs per commit.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub fn mean_batch(&self) -> f64 {
        if self.commits == 0 { 0.0 } else { self.jobs as f64 / self.commits as f64 }
    }

    /// What was added since an earlier reading; the largest batch is that of the whole time.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            commits: self.commits - earlier.commits,
            jobs: self.jobs - earlier.jobs,
            batch_max: self.batch_max,
        }
    }
}
