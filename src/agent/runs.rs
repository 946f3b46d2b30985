//! Runs are begun, resumed and stopped here.

use std::sync::Arc;

use event_listener::EventListener;
use sha2::{Digest as _, Sha256};

use crate::agent::answer::{Answer, RUN_STOPPED, Ruling, cut};
use crate::agent::event::{AgentEventKind, Usage};
use crate::agent::hints::Hints;
use crate::agent::journal::Journal;
use crate::agent::state::{PendingCall, Phase, RunState, Stage};
use crate::agent::step::key_of;
use crate::agent::task::Task;
use crate::agent::transcript::Entry;
use crate::agent::turn::result_event;
use crate::approval::{Actor, Approval, Requester};
use crate::gate::{Executor, ProposeError};
use crate::id::{AgentId, CommandId, IdError, RequestId, RunId, SessionId, StepId, TenantId};
use crate::ports::{Model, RunRow, StoreError};
use crate::time::Ttl;

/// The surface under which a session's stream, and a decision over the API by who reads it, are on record.
pub const API_SURFACE: &str = "api";

/// The most characters of what a user asks at once.
pub const USER_CHARS_MAX: usize = 32_000;

/// The most people who can be behind a run: each of them is looked up whenever one of its calls is decided.
pub const SPEAKERS_MAX: usize = 20;

/// The most characters of it that a card shows as the task.
const TASK_CHARS_MAX: usize = 280;

/// How often a run is resumed whose store does not answer: about an hour, then it stands until the next start.
const RESUME_TRIES: u32 = 360;

/// The pause between two such tries.
const RESUME_PAUSE: Ttl = Ttl::from_secs(10);

/// How often a stop is tried while the run goes on at the same time.
const STOP_TRIES: u32 = 5;

/// Placet's own agent. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    pub(super) executor: Executor,
    pub(super) model: Arc<dyn Model>,
    pub(super) id: AgentId,
    pub(super) prompt_version: Option<String>,
    pub(super) hints: Arc<Hints>,
}

/// A run that was begun, and committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The run, to be handed to [`Agent::resume`].
    pub row: RunRow,
    /// The number of the session's last event before it: its own come after that.
    pub events_before: u64,
}

/// Why a run was not begun.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There was nothing in it.
    #[error("there is no text")]
    Empty,
    /// It is too long.
    #[error("the text has {chars} characters, and at most {USER_CHARS_MAX} are read; send less at once")]
    TooLong {
        /// How many there were.
        chars: usize,
    },
    /// The session belongs to somebody else: from here, the same as none.
    #[error("there is no such session")]
    NoSuchSession,
    /// More people have spoken in the session than [`SPEAKERS_MAX`].
    #[error("more than {SPEAKERS_MAX} people have spoken in the session")]
    TooManySpeakers,
    /// The session's last run is not over.
    #[error("the session is still busy with what was asked before")]
    Busy {
        /// Which run.
        run: RunId,
    },
    /// An id could not be made.
    #[error(transparent)]
    Id(#[from] IdError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a run was left before its end. It stands in the store as it was last committed, and can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Somebody else works on it.
    #[error("somebody else works on the run")]
    Moved,
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Agent {
    /// An agent that thinks with this model and has these tools.
    #[must_use]
    pub fn new(executor: Executor, model: Arc<dyn Model>, id: AgentId) -> Self {
        Self { executor, model, id, prompt_version: None, hints: Arc::default() }
    }

    /// Says which version of its instructions it runs, for the record.
    #[must_use]
    pub fn with_prompt_version(mut self, version: impl Into<String>) -> Self {
        self.prompt_version = Some(version.into());
        self
    }

    /// What runs its tools.
    #[must_use]
    pub const fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Registers for the next events of a session, committed in this process. Read after this, then wait; and read
    /// again now and then, for those committed elsewhere.
    #[must_use]
    pub fn changed(&self, tenant: &TenantId, session: &SessionId) -> EventListener {
        self.hints.session(tenant, session)
    }

    /// Passes on a hint that a session has new events: from a commit elsewhere, say.
    pub fn hint(&self, tenant: &TenantId, session: &SessionId) {
        self.hints.changed(tenant, session);
    }

    /// Begins a run: a session's first, or its next. Committed when this returns; [`Agent::resume`] works on it.
    ///
    /// # Errors
    /// [`StartError`]; nothing was begun then.
    pub async fn begin(
        &self,
        tenant: &TenantId,
        session: Option<SessionId>,
        requester: Requester,
        text: &str,
    ) -> Result<Begun, StartError> {
        self.begin_run(tenant, session, requester, (text, None)).await
    }

    /// Begins the run of a task that was given in a chat, in the session of its thread. Whoever spoke there before is
    /// behind it too: what the model reads is theirs as well. For the task that the session's last run is for, that run is
    /// given again, wherever it stands by now.
    ///
    /// # Errors
    /// [`StartError`]; nothing was begun then.
    pub async fn begin_task(
        &self,
        (tenant, session): (&TenantId, SessionId),
        mut requester: Requester,
        task: &Task,
    ) -> Result<Begun, StartError> {
        let origin = &task.delivery;
        if let Some(row) = self.executor.gate().store().last_run(tenant, &session).await? {
            let last = RunState::of(&row)?;
            if last.origin.as_ref() == Some(origin) {
                return Ok(Begun { row, events_before: last.events_before });
            }
            let earlier = last.requester.identities.into_iter();
            let earlier: Vec<_> =
                earlier.filter(|identity| !requester.identities.contains(identity)).collect();
            requester.identities.extend(earlier);
        }
        if requester.identities.len() > SPEAKERS_MAX {
            return Err(StartError::TooManySpeakers);
        }
        self.begin_run(tenant, Some(session), requester, (&task.text, Some(task))).await
    }

    async fn begin_run(
        &self,
        tenant: &TenantId,
        session: Option<SessionId>,
        requester: Requester,
        (text, given): (&str, Option<&Task>),
    ) -> Result<Begun, StartError> {
        let text = text.trim();
        let chars = text.chars().count();
        if chars == 0 {
            return Err(StartError::Empty);
        }
        if chars > USER_CHARS_MAX {
            return Err(StartError::TooLong { chars });
        }
        let gate = self.executor.gate();
        let now = gate.clock().now();
        let (session, last) = match session {
            None => (SessionId::new(CommandId::mint(now, &**gate.entropy()).to_string())?, None),
            Some(session) => {
                let last = gate.store().last_run(tenant, &session).await?;
                (session, last.as_ref().map(RunState::of).transpose()?)
            }
        };
        if let Some(last) = &last {
            if last.requester.credential != requester.credential {
                return Err(StartError::NoSuchSession);
            }
            if !last.is_over() {
                return Err(StartError::Busy { run: last.run.clone() });
            }
        }
        let ordinal = last.as_ref().map_or(0, |last| last.ordinal) + 1;
        let events_before = last.as_ref().map_or(0, |last| last.events);
        let mut transcript = last.map(|last| last.transcript).unwrap_or_default();
        transcript.push(Entry::User { text: text.to_owned() });
        // Two that begin the session's same next run have the same id for it: the store lets one of them.
        let run = run_id(tenant, &session, ordinal)?;
        let state = RunState {
            tenant: tenant.clone(),
            session,
            run: run.clone(),
            ordinal,
            agent: self.id.clone(),
            requester,
            origin: given.map(|task| task.delivery.clone()),
            asked_in: given.map(|task| task.thread.first_message()),
            task: cut(text, TASK_CHARS_MAX).0,
            transcript,
            turns: 0,
            said: String::new(),
            calls: Vec::new(),
            usage: Usage::default(),
            events_before,
            events: events_before,
            phase: Phase::Working,
        };
        let journal = Journal::fresh(self, state, now);
        match journal.commit(|_| Vec::new()).await {
            Ok(()) => {}
            Err(RunError::Moved) => return Err(StartError::Busy { run }),
            Err(RunError::Store(fault)) => return Err(fault.into()),
        }
        match journal.row().await {
            Ok(row) => Ok(Begun { row, events_before }),
            Err(RunError::Moved) => Err(StartError::Busy { run }),
            Err(RunError::Store(fault)) => Err(fault.into()),
        }
    }

    /// Begins a run and works on it to its end.
    ///
    /// # Errors
    /// [`StartError`] if it was not begun, or was left because the store no longer answered.
    pub async fn start(
        &self,
        tenant: &TenantId,
        session: Option<SessionId>,
        requester: Requester,
        text: &str,
    ) -> Result<RunState, StartError> {
        let begun = self.begin(tenant, session, requester, text).await?;
        let run = begun.row.run.clone();
        self.resume(begun.row).await.map_err(|error| match error {
            RunError::Moved => StartError::Busy { run },
            RunError::Store(fault) => StartError::Store(fault),
        })
    }

    /// Works on a run from where it stands to its end, and gives it as it ended.
    ///
    /// # Errors
    /// [`RunError`] if it was left before; it can be resumed again.
    pub async fn resume(&self, row: RunRow) -> Result<RunState, RunError> {
        let journal = Journal::open(self, &row)?;
        loop {
            let (over, calls) = journal.read(|state| (state.is_over(), !state.calls.is_empty())).await;
            if over {
                return Ok(journal.read(RunState::clone).await);
            }
            if calls {
                Box::pin(self.work_on_calls(&journal)).await?;
            } else {
                Box::pin(self.turn(&journal)).await?;
            }
        }
    }

    /// Works on a run to its end, also when the store does not answer for a while; for whoever spawns it and does not
    /// wait for it. Somebody else's run is left to them.
    pub async fn see_through(&self, mut row: RunRow) {
        let clock = self.executor.gate().clock();
        for _ in 0..RESUME_TRIES {
            let fault = match self.resume(row.clone()).await {
                Ok(_) | Err(RunError::Moved) => return,
                Err(RunError::Store(fault)) => fault,
            };
            if matches!(fault, StoreError::Inconsistent { .. }) {
                tracing::error!(run.id = %row.run, error = %fault, "a run cannot be read, and stands still");
                return;
            }
            tracing::warn!(run.id = %row.run, error = %fault, "a run is resumed later");
            clock.sleep_until(clock.now() + RESUME_PAUSE).await;
            if let Ok(stored) = self.executor.gate().store().load_run(&row.tenant, &row.run).await {
                row = stored;
            }
        }
        tracing::error!(run.id = %row.run, "a run stands still until the next start");
    }

    /// Runs that are not over, to be resumed by whoever starts up.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn unfinished(&self) -> Result<Vec<RunRow>, StoreError> {
        self.executor.gate().store().unfinished_runs().await
    }

    /// Whether this credential may read a session, and speak in it: it is the one that began it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn owns(
        &self,
        tenant: &TenantId,
        session: &SessionId,
        credential: &crate::id::CredentialId,
    ) -> Result<bool, StoreError> {
        let last = self.executor.gate().store().last_run(tenant, session).await?;
        Ok(match last {
            Some(row) => RunState::of(&row)?.requester.credential == *credential,
            None => false,
        })
    }

    /// Ends a run. What it asked people about is taken back; what runs already is asked to stop. False if it was over.
    ///
    /// # Errors
    /// [`RunError`]; [`RunError::Moved`] if it went on faster than it could be stopped.
    pub async fn stop(&self, tenant: &TenantId, run: &RunId, why: &str) -> Result<bool, RunError> {
        let store = self.executor.gate().store();
        let mut tries = 0;
        loop {
            let journal = Journal::open(self, &store.load_run(tenant, run).await?)?;
            let state = journal.read(RunState::clone).await;
            if state.is_over() {
                return Ok(false);
            }
            // First the run is taken over, so that nothing new is proposed or told by whoever worked on it; then its
            // requests are ended, so that what is told of them is what became of them.
            match journal.commit(|_| Vec::new()).await {
                Ok(()) => {}
                Err(RunError::Moved) if tries < STOP_TRIES => {
                    tries += 1;
                    continue;
                }
                Err(fault) => return Err(fault),
            }
            let mut endings = Vec::new();
            for call in state.open_calls() {
                endings.push((call.step.clone(), self.ending(&state, call).await?));
            }
            match journal.commit(|state| ended(state, endings, why)).await {
                Ok(()) => return Ok(true),
                Err(RunError::Moved) if tries < STOP_TRIES => tries += 1,
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Ends the request of an open call, so that it cannot be claimed any more, and gives what is to be told of it.
    async fn ending(&self, state: &RunState, call: &PendingCall) -> Result<Ending, RunError> {
        let (request, told) = match &call.stage {
            Stage::Answered { answer } => return Ok(Ending { ruling: None, answer: answer.clone() }),
            Stage::Announced { request, waits, .. } => (*request, !waits),
            Stage::Allowed { request, .. } => (*request, true),
            // Whoever worked on it may be proposing it at this moment: under its key there is one request, theirs or
            // this one, and it is that one which is ended.
            Stage::Ready { proposal } => {
                let key = key_of(&proposal.requester.credential, &state.run, &call.step)?;
                let proposed =
                    self.executor.gate().propose(&state.tenant, (**proposal).clone(), Some(key), false);
                match proposed.await {
                    Ok(proposed) => (proposed.approval.id, true),
                    Err(ProposeError::KeyConflict { .. }) => {
                        let answer = Answer::failed(&format!("not run: {RUN_STOPPED}"));
                        return Ok(Ending { ruling: None, answer });
                    }
                    Err(ProposeError::Store(fault)) => return Err(fault.into()),
                }
            }
        };
        let approval = self.take_back(&state.tenant, request, RUN_STOPPED).await?;
        let ruling = if told { None } else { Ruling::of(&approval).map(|ruling| (request, ruling)) };
        // What is claimed may be done by now, and is not known to be.
        let answer =
            Answer::of(&approval).unwrap_or_else(|| Answer::unknown("the run was stopped meanwhile"));
        Ok(Ending { ruling, answer })
    }

    /// Takes a call back that shall not run any more; what runs already is asked to stop. Gives it as it stands then:
    /// where it is over, that is refused, which is as well.
    pub(super) async fn take_back(
        &self,
        tenant: &TenantId,
        request: RequestId,
        why: &str,
    ) -> Result<Approval, StoreError> {
        let gate = self.executor.gate();
        let (approval, _refused) = gate.revoke(tenant, request, Actor::Placet, Some(why.to_owned())).await?;
        Ok(approval)
    }
}

/// How an open call of a run that is stopped ends.
struct Ending {
    /// What is told of people's decision, where they were asked and it was not told yet.
    ruling: Option<(RequestId, Ruling)>,
    answer: Answer,
}

/// Ends a run: every open call gets its one result, and the run its one last event.
fn ended(state: &mut RunState, endings: Vec<(StepId, Ending)>, why: &str) -> Vec<AgentEventKind> {
    let mut events = Vec::new();
    for (step, Ending { ruling, answer }) in endings {
        if let Some((request_id, Ruling { approved, reason })) = ruling {
            events.push(AgentEventKind::ApprovalResult { request_id, approved, reason });
        }
        events.push(result_event(&step, &answer));
        state.put(&step, Stage::Answered { answer });
    }
    state.phase = Phase::Stopped { why: why.to_owned() };
    events.push(AgentEventKind::Error { message: format!("the run was stopped: {why}") });
    events
}

/// The id of a session's nth run.
fn run_id(tenant: &TenantId, session: &SessionId, ordinal: u32) -> Result<RunId, IdError> {
    let hash = Sha256::new().chain_update(tenant.as_str()).chain_update([0]).chain_update(session.as_str());
    RunId::new(format!("run-{}-{ordinal}", &hex::encode(hash.finalize())[..24]))
}
