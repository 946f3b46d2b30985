//! What works beside whoever began it: tasks that were given in a chat. Broken off when the application is dropped; what
//! is broken off stands on disk and goes on with the next start.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures::future::BoxFuture;
use placet::agent::task::Background;
use placet::ports::RunRow;
use tokio::task::JoinSet;

use crate::runs::Runs;
use crate::telemetry::Numbers;

/// The work of this process.
pub(crate) struct Beside {
    numbers: Numbers,
    runs: Option<Arc<Runs>>,
    work: Mutex<JoinSet<()>>,
}

/// What work is given to. It does not keep the application alive: the work itself holds this.
pub(crate) struct BesideHandle(Weak<Beside>);

impl Beside {
    /// None yet; runs of the agent go where the others are.
    pub(crate) fn new(numbers: Numbers, runs: Option<Arc<Runs>>) -> Arc<Self> {
        Arc::new(Self { numbers, runs, work: Mutex::default() })
    }

    /// For whoever has work.
    pub(crate) fn handle(self: &Arc<Self>) -> Arc<BesideHandle> {
        Arc::new(BesideHandle(Arc::downgrade(self)))
    }
}

impl Background for BesideHandle {
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        let Some(beside) = self.0.upgrade() else { return };
        let mut all = beside.work.lock().unwrap_or_else(PoisonError::into_inner);
        while all.try_join_next().is_some() {}
        all.spawn(beside.numbers.clone().counting(work));
    }

    fn work_on(&self, run: RunRow) {
        if let Some(runs) = self.0.upgrade().and_then(|beside| beside.runs.clone()) {
            runs.work_on(run);
        }
    }
}
