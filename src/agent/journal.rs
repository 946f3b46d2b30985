//! A run being worked on. Each change is committed together with the events that tell of it, so that no event is
//! sent twice and none is lost, wherever the process stops.

use futures::lock::Mutex;
use serde_json::Value;

use crate::agent::event::{AgentEvent, AgentEventKind};
use crate::agent::state::RunState;
use crate::agent::{Agent, RunError};
use crate::ports::{RunRow, StoreError};
use crate::time::{Timestamp, Ttl};

/// How often something is asked of a store that does not answer, before the run is left for whoever resumes it.
const STORE_TRIES: u32 = 8;

/// The first pause between two such tries; it doubles.
const STORE_PAUSE_MIN: Ttl = Ttl::from_millis(100);

/// The longest pause between two such tries.
const STORE_PAUSE_MAX: Ttl = Ttl::from_secs(5);

/// A run being worked on.
pub(super) struct Journal {
    agent: Agent,
    kept: Mutex<Kept>,
}

/// The run as it was last committed.
struct Kept {
    state: RunState,
    started_at: Timestamp,
    version: u64,
}

impl Journal {
    /// Takes up the run that a row holds.
    pub(super) fn open(agent: &Agent, row: &RunRow) -> Result<Self, StoreError> {
        let state = RunState::of(row)?;
        Ok(Self::of(agent, state, (row.started_at, row.version)))
    }

    /// A run that was never committed.
    pub(super) fn fresh(agent: &Agent, state: RunState, started_at: Timestamp) -> Self {
        Self::of(agent, state, (started_at, 0))
    }

    fn of(agent: &Agent, state: RunState, (started_at, version): (Timestamp, u64)) -> Self {
        Self { agent: agent.clone(), kept: Mutex::new(Kept { state, started_at, version }) }
    }

    /// Reads from the run as it was last committed.
    pub(super) async fn read<T>(&self, read: impl FnOnce(&RunState) -> T) -> T {
        read(&self.kept.lock().await.state)
    }

    /// The run as its row.
    pub(super) async fn row(&self) -> Result<RunRow, RunError> {
        let kept = self.kept.lock().await;
        row_of(&kept.state, kept.started_at, kept.version)
    }

    /// Changes the run and tells of it, in one commit.
    pub(super) async fn commit(
        &self,
        change: impl FnOnce(&mut RunState) -> Vec<AgentEventKind>,
    ) -> Result<(), RunError> {
        let mut kept = self.kept.lock().await;
        let mut next = kept.state.clone();
        let kinds = change(&mut next);
        let events = self.told(&next, kinds)?;
        next.events += events.len() as u64;
        next.close_turn();
        next.settle_phase();
        let row = row_of(&next, kept.started_at, kept.version)?;
        self.save(row, &events).await?;
        kept.state = next;
        kept.version += 1;
        drop(kept);
        if !events.is_empty() {
            self.read(|state| self.agent.hints.changed(&state.tenant, &state.session)).await;
        }
        Ok(())
    }

    /// The events as they go on the wire, without secrets.
    fn told(&self, state: &RunState, kinds: Vec<AgentEventKind>) -> Result<Vec<String>, RunError> {
        let redacted = |value: Value| self.agent.executor.gate().redactor().redact_value(&value).0;
        let text = |text: String| self.agent.executor.gate().redactor().redact_text(&text).text;
        kinds
            .into_iter()
            .map(|kind| {
                let kind = match kind {
                    AgentEventKind::TextDelta { delta } => AgentEventKind::TextDelta { delta: text(delta) },
                    AgentEventKind::ToolCallStart { call_id, name, args } => {
                        AgentEventKind::ToolCallStart { call_id, name: text(name), args: redacted(args) }
                    }
                    AgentEventKind::ApprovalRequest { request_id, tool_name, args, risk } => {
                        AgentEventKind::ApprovalRequest { request_id, tool_name, args: redacted(args), risk }
                    }
                    AgentEventKind::ApprovalResult { request_id, approved, reason } => {
                        AgentEventKind::ApprovalResult { request_id, approved, reason: reason.map(text) }
                    }
                    AgentEventKind::ToolResult { call_id, ok, result, error, denied } => {
                        let (result, error) = (result.map(redacted), error.map(text));
                        AgentEventKind::ToolResult { call_id, ok, result, error, denied }
                    }
                    AgentEventKind::Done { usage } => AgentEventKind::Done { usage },
                    AgentEventKind::Error { message } => AgentEventKind::Error { message: text(message) },
                };
                let event = AgentEvent { session_id: state.session.clone(), kind };
                serde_json::to_string(&event).map_err(|error| RunError::Store(unwritable(&error)))
            })
            .collect()
    }

    /// Saves, and finds out what became of it should the answer be lost.
    async fn save(&self, row: RunRow, events: &[String]) -> Result<(), RunError> {
        let store = self.agent.executor.gate().store();
        let mut tries = Tries::new(&self.agent);
        loop {
            match store.save_run(row.clone(), events.to_vec()).await {
                Ok(()) => return Ok(()),
                Err(StoreError::RunMoved) => return Err(RunError::Moved),
                Err(fault @ StoreError::Unknown(_)) => {
                    tries.pause(fault).await?;
                    match self.stored(&row).await? {
                        Some(stored) if stored.version == row.version + 1 && stored.body == row.body => {
                            return Ok(());
                        }
                        Some(stored) if stored.version != row.version => return Err(RunError::Moved),
                        Some(_) | None => {}
                    }
                }
                Err(fault) => tries.pause(fault).await?,
            }
        }
    }

    async fn stored(&self, row: &RunRow) -> Result<Option<RunRow>, RunError> {
        let store = self.agent.executor.gate().store();
        let mut tries = Tries::new(&self.agent);
        loop {
            match store.load_run(&row.tenant, &row.run).await {
                Ok(stored) => return Ok(Some(stored)),
                Err(StoreError::NotFound) => return Ok(None),
                Err(fault) => tries.pause(fault).await?,
            }
        }
    }
}

fn row_of(state: &RunState, started_at: Timestamp, version: u64) -> Result<RunRow, RunError> {
    Ok(RunRow {
        tenant: state.tenant.clone(),
        session: state.session.clone(),
        run: state.run.clone(),
        started_at,
        finished: state.is_over(),
        body: serde_json::to_string(state).map_err(|error| RunError::Store(unwritable(&error)))?,
        version,
    })
}

fn unwritable(error: &serde_json::Error) -> StoreError {
    StoreError::Unavailable(format!("the run cannot be written: {error}"))
}

/// Tries at a store that does not answer.
pub(super) struct Tries {
    agent: Agent,
    left: u32,
    pause: Ttl,
}

impl Tries {
    pub(super) fn new(agent: &Agent) -> Self {
        Self { agent: agent.clone(), left: STORE_TRIES, pause: STORE_PAUSE_MIN }
    }

    /// Waits for the next try; gives the fault where there is none, or where trying again cannot help.
    pub(super) async fn pause(&mut self, fault: StoreError) -> Result<(), RunError> {
        let passing = matches!(fault, StoreError::Unavailable(_) | StoreError::Unknown(_));
        self.left -= 1;
        if !passing || self.left == 0 {
            return Err(RunError::Store(fault));
        }
        let clock = self.agent.executor.gate().clock();
        clock.sleep_until(clock.now() + self.pause).await;
        self.pause = Ttl::from_millis(self.pause.as_millis() * 2).min(STORE_PAUSE_MAX);
        Ok(())
    }
}
