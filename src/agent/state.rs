//! A run as it is kept: everything that another process needs to go on from where this one stopped.

use serde::{Deserialize, Serialize};

use crate::agent::answer::Answer;
use crate::agent::event::Usage;
use crate::agent::transcript::Entry;
use crate::approval::{Proposal, Requester};
use crate::id::{AgentId, DeliveryKey, RequestId, RunId, SessionId, StepId, TenantId};
use crate::inbound::Located;
use crate::ports::{RunRow, StoreError};
use crate::time::Timestamp;

/// One task worked on in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// Whose.
    pub tenant: TenantId,
    /// In which session.
    pub session: SessionId,
    /// Which run.
    pub run: RunId,
    /// Which of its session's runs, from 1.
    pub ordinal: u32,
    /// Who works on it.
    pub agent: AgentId,
    /// Who asked for it.
    pub requester: Requester,
    /// The task in a chat that it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<DeliveryKey>,
    /// The thread that this was given in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_in: Option<Located>,
    /// What was asked, in the user's words.
    pub task: String,
    /// The conversation: that of the session's earlier runs, then this one's.
    pub transcript: Vec<Entry>,
    /// The model's turns so far in this run.
    pub turns: u32,
    /// What the model said in the turn that is not over yet, as far as it was sent.
    pub said: String,
    /// The calls of the last turn; empty once all have their answers in the transcript.
    pub calls: Vec<PendingCall>,
    /// What the run took so far.
    pub usage: Usage,
    /// How many events the session had before this run.
    pub events_before: u64,
    /// How many it has now.
    pub events: u64,
    /// Where the run stands.
    pub phase: Phase,
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Phase {
    /// The model thinks, or a tool runs.
    Working,
    /// People are asked.
    WaitingApproval {
        /// What they are asked, in the order of the calls.
        of: Vec<Wait>,
    },
    /// It came to its end.
    Done,
    /// It could not go on.
    Failed {
        /// Why.
        why: String,
    },
    /// It was ended: by somebody, or by a limit.
    Stopped {
        /// Why.
        why: String,
    },
}

/// One thing that a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Which request.
    pub request: RequestId,
    /// Which tool it is about.
    pub tool: String,
    /// Since when.
    pub since: Timestamp,
}

/// One call that the model wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingCall {
    /// Its id.
    pub step: StepId,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// Where it stands.
    pub stage: Stage,
}

/// Where a call stands, as far as the session's events tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "stage")]
pub enum Stage {
    /// To be proposed, or proposed and not announced: the same proposal finds the same request.
    Ready {
        /// What is proposed; kept, so that it is the same after a restart.
        proposal: Box<Proposal>,
    },
    /// `approval_request` was sent.
    Announced {
        /// What is proposed.
        proposal: Box<Proposal>,
        /// As which request.
        request: RequestId,
        /// When.
        since: Timestamp,
        /// Whether it waits for people; else it was only announced.
        waits: bool,
    },
    /// `approval_result` was sent, with a yes.
    Allowed {
        /// What is proposed.
        proposal: Box<Proposal>,
        /// As which request.
        request: RequestId,
    },
    /// `tool_result` was sent.
    Answered {
        /// What it came to.
        answer: Answer,
    },
}

impl RunState {
    /// The run that a row holds.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] if it holds none, or another one.
    pub fn of(row: &RunRow) -> Result<Self, StoreError> {
        let wrong =
            |what: String| StoreError::Inconsistent { table: "agent_run", key: row.run.to_string(), what };
        let state: Self = serde_json::from_str(&row.body).map_err(|error| wrong(error.to_string()))?;
        if state.run != row.run || state.session != row.session || state.tenant != row.tenant {
            return Err(wrong("the row's names are not those of the run in it".to_owned()));
        }
        Ok(state)
    }

    /// Whether it is over.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Done | Phase::Failed { .. } | Phase::Stopped { .. })
    }

    /// The calls that have no answer yet.
    pub fn open_calls(&self) -> impl Iterator<Item = &PendingCall> {
        self.calls.iter().filter(|call| !matches!(call.stage, Stage::Answered { .. }))
    }

    /// Whether this id was given to a call before.
    pub(super) fn has_step(&self, step: &StepId) -> bool {
        self.transcript.iter().any(|entry| match entry {
            Entry::Assistant { calls, .. } => calls.iter().any(|call| call.id == *step),
            Entry::User { .. } | Entry::ToolResult { .. } => false,
        })
    }

    pub(super) fn put(&mut self, step: &StepId, stage: Stage) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.step == *step) {
            call.stage = stage;
        }
    }

    /// Once every call has its answer, the model may read them: in the order in which it wanted the calls.
    pub(super) fn close_turn(&mut self) {
        if self.calls.is_empty() || self.open_calls().next().is_some() {
            return;
        }
        for call in std::mem::take(&mut self.calls) {
            if let Stage::Answered { answer } = call.stage {
                self.transcript.push(Entry::ToolResult { call: call.step, ok: answer.ok, text: answer.text });
            }
        }
    }

    /// Makes the phase say what the calls say, unless the run is over.
    pub(super) fn settle_phase(&mut self) {
        if self.is_over() {
            return;
        }
        let of: Vec<Wait> = self
            .calls
            .iter()
            .filter_map(|call| match &call.stage {
                Stage::Announced { request, since, waits: true, .. } => {
                    Some(Wait { request: *request, tool: call.name.clone(), since: *since })
                }
                _ => None,
            })
            .collect();
        self.phase = if of.is_empty() { Phase::Working } else { Phase::WaitingApproval { of } };
    }
}
