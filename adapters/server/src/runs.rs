//! Runs of Placet's own agent in the background: begun over HTTP, resumed at the start, broken off when the
//! application is dropped. A run that is broken off stands on disk and goes on with the next start.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use placet::agent::{Agent, RunError, RunState, StartError};
use placet::id::{CredentialId, RunId, SessionId, TenantId};
use placet::ports::{RunRow, StoreError};
use placet::time::Ttl;
use placet_http::{Begun, ChatAgent, ChatError, Said};
use tokio::task::JoinSet;

use crate::telemetry::Numbers;

/// How long a run rests after the store failed it.
const REST_AFTER_FAULT: Ttl = Ttl::from_secs(5);

/// The runs that this process works on.
pub struct Runs {
    agent: Agent,
    tenant: TenantId,
    numbers: Numbers,
    tasks: Mutex<JoinSet<()>>,
    /// Those that are worked on here.
    here: Arc<Mutex<HashSet<RunId>>>,
    /// Those that nobody here works on, as they stood when it was looked last.
    elsewhere: Mutex<HashMap<RunId, u64>>,
}

/// A run that is worked on here, until this is dropped.
struct Here(Arc<Mutex<HashSet<RunId>>>, RunId);

impl Drop for Here {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

impl Runs {
    /// None yet; the agent works for this tenant alone, because its workspace is that tenant's.
    pub(crate) fn new(agent: Agent, tenant: TenantId, numbers: Numbers) -> Arc<Self> {
        Arc::new(Self {
            agent,
            tenant,
            numbers,
            tasks: Mutex::default(),
            here: Arc::default(),
            elsewhere: Mutex::default(),
        })
    }

    /// Goes on with every run that is not over. Gives how many.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn resume_all(&self) -> Result<usize, StoreError> {
        let rows = self.agent.unfinished().await?;
        let count = rows.len();
        for row in rows {
            self.work_on(row);
        }
        Ok(count)
    }

    /// The same where several servers have one file, for all runs but those of tasks that were given in a chat: such a run
    /// is worked on by the server that holds its task.
    ///
    /// # Errors
    /// The store did not answer.
    pub(crate) async fn resume_those_of_no_task(&self) -> Result<usize, StoreError> {
        let rows = self.of_no_task().await?;
        let count = rows.len();
        for row in rows {
            self.work_on(row);
        }
        Ok(count)
    }

    async fn of_no_task(&self) -> Result<Vec<RunRow>, StoreError> {
        let mut rows = self.agent.unfinished().await?;
        // One that cannot be read says so to whoever works on it.
        rows.retain(|row| RunState::of(row).map_or(true, |state| state.origin.is_none()));
        Ok(rows)
    }

    /// Goes on with runs that stood still since it was looked last, where several servers have one file: whoever worked on
    /// them may be gone. Where somebody still does, whichever of the two saves first goes on, and the other leaves it. Those
    /// of tasks that were given in a chat come with their tasks.
    ///
    /// # Errors
    /// The store did not answer.
    pub(crate) async fn adopt_orphans(&self) -> Result<(), StoreError> {
        let mut rows = self.of_no_task().await?;
        {
            let here = self.here.lock().unwrap_or_else(PoisonError::into_inner);
            rows.retain(|row| !here.contains(&row.run));
        }
        let now = rows.iter().map(|row| (row.run.clone(), row.version)).collect();
        let before = {
            let mut elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *elsewhere, now)
        };
        for row in rows.into_iter().filter(|row| before.get(&row.run) == Some(&row.version)) {
            self.work_on(row);
        }
        Ok(())
    }

    /// Works on a run in the background, to its end, unless it is worked on here already.
    pub(crate) fn work_on(&self, row: RunRow) {
        if !self.here.lock().unwrap_or_else(PoisonError::into_inner).insert(row.run.clone()) {
            return;
        }
        let here = Here(Arc::clone(&self.here), row.run.clone());
        let agent = self.agent.clone();
        let work = async move {
            to_its_end(agent, row).await;
            drop(here);
        };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(self.numbers.counting(work));
    }
}

/// Works on a run until it is over, or somebody else does.
async fn to_its_end(agent: Agent, mut row: RunRow) {
    let gate = agent.executor().gate().clone();
    let (tenant, run) = (row.tenant.clone(), row.run.clone());
    loop {
        match agent.resume(row).await {
            Ok(_) | Err(RunError::Moved) => return,
            Err(RunError::Store(fault)) => {
                tracing::error!(run.id = %run, error = %fault, "a run was left; it is resumed");
            }
        }
        row = loop {
            gate.clock().sleep_until(gate.clock().now() + REST_AFTER_FAULT).await;
            match gate.store().load_run(&tenant, &run).await {
                Ok(row) => break row,
                Err(StoreError::Unavailable(_) | StoreError::Unknown(_)) => {}
                Err(fault) => {
                    tracing::error!(run.id = %run, error = %fault, "a run cannot be resumed");
                    return;
                }
            }
        };
        if row.finished {
            return;
        }
    }
}

#[async_trait]
impl ChatAgent for Runs {
    async fn say(&self, said: Said) -> Result<Begun, ChatError> {
        // Another tenant's sessions are none here.
        if said.tenant != self.tenant {
            return Err(ChatError::NoSuchSession);
        }
        let begun = self
            .agent
            .begin(&said.tenant, said.session, said.requester, &said.text)
            .await
            .map_err(refusal)?;
        let session = begun.row.session.clone();
        self.work_on(begun.row);
        Ok(Begun { session, events_before: begun.events_before })
    }

    async fn owns(
        &self,
        tenant: &TenantId,
        session: &SessionId,
        by: &CredentialId,
    ) -> Result<bool, StoreError> {
        self.agent.owns(tenant, session, by).await
    }

    fn changed(&self, tenant: &TenantId, session: &SessionId) -> BoxFuture<'static, ()> {
        self.agent.changed(tenant, session).boxed()
    }
}

fn refusal(error: StartError) -> ChatError {
    match error {
        StartError::NoSuchSession => ChatError::NoSuchSession,
        StartError::Busy { .. } => ChatError::Busy,
        StartError::Store(fault) => ChatError::Store(fault),
        StartError::Empty | StartError::TooLong { .. } | StartError::TooManySpeakers => {
            ChatError::Text(error.to_string())
        }
        StartError::Id(_) => ChatError::Store(StoreError::Contradiction(error.to_string())),
    }
}
