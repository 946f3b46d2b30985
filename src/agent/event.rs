//! The seven events that a front end sees of a run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{RequestId, SessionId, StepId};
use crate::policy::Tier;

/// One event of a session, as it goes on the wire (camelCase, with the session's id).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEvent {
    /// Which session.
    pub session_id: SessionId,
    /// What happened.
    #[serde(flatten)]
    pub kind: AgentEventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "type")]
pub enum AgentEventKind {
    /// The model says something.
    TextDelta {
        /// The next piece.
        delta: String,
    },
    /// The model wants a tool called.
    ToolCallStart {
        /// Which call.
        call_id: StepId,
        /// Which tool.
        name: String,
        /// With what.
        args: Value,
    },
    /// A call is announced (tier suggest), or people are asked (tier approve).
    ApprovalRequest {
        /// Which request.
        request_id: RequestId,
        /// Which tool.
        tool_name: String,
        /// With what.
        args: Value,
        /// Its tier: for people's front ends, never for the model.
        risk: Tier,
    },
    /// It was decided.
    ApprovalResult {
        /// Which request.
        request_id: RequestId,
        /// Yes or no.
        approved: bool,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// What a call came to; exactly one per `tool_call_start`.
    ToolResult {
        /// Which call.
        call_id: StepId,
        /// Whether it ran and succeeded.
        ok: bool,
        /// What it returned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// What went wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Whether it was not let through.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        denied: Option<bool>,
    },
    /// The run is over.
    Done {
        /// What it took.
        usage: Usage,
    },
    /// Something went wrong that ends the run.
    Error {
        /// What.
        message: String,
    },
}

impl AgentEventKind {
    /// The event's name on the wire.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TextDelta { .. } => "text_delta",
            Self::ToolCallStart { .. } => "tool_call_start",
            Self::ApprovalRequest { .. } => "approval_request",
            Self::ApprovalResult { .. } => "approval_result",
            Self::ToolResult { .. } => "tool_result",
            Self::Done { .. } => "done",
            Self::Error { .. } => "error",
        }
    }
}

/// Tokens that a run took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by it.
    pub output_tokens: u64,
}
