//! Runs of Placet's own agent in the background: begun over HTTP, resumed at the start, broken off when the
//! application is dropped. A run that is broken off stands on disk and goes on with the next start.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use placet::agent::{Agent, RunError, StartError};
use placet::id::{CredentialId, SessionId, TenantId};
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
}

impl Runs {
    /// None yet; the agent works for this tenant alone, because its workspace is that tenant's.
    pub(crate) fn new(agent: Agent, tenant: TenantId, numbers: Numbers) -> Arc<Self> {
        Arc::new(Self { agent, tenant, numbers, tasks: Mutex::default() })
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

    /// Works on a run in the background, to its end.
    fn work_on(&self, row: RunRow) {
        let work = to_its_end(self.agent.clone(), row);
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
        StartError::Empty | StartError::TooLong { .. } => ChatError::Text(error.to_string()),
        StartError::Id(_) => ChatError::Store(StoreError::Contradiction(error.to_string())),
    }
}
