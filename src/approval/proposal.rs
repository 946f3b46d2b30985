//! What an agent proposes, and on whose behalf.

use serde::{Deserialize, Serialize};

use crate::approval::ExpiredHow;
use crate::call::ToolCall;
use crate::id::{CredentialId, RequestId, RunId, SessionId, StepId};
use crate::person::Identity;
use crate::time::Ttl;

/// A proposed call with everything that the agent says about it. All text in it is the agent's claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The call.
    pub call: ToolCall,
    /// Who asks: from the credential or the signed chat event, never from what the agent says.
    pub requester: Requester,
    /// The run and step it belongs to.
    pub run: Option<RunStep>,
    /// The conversation it belongs to.
    pub session: Option<SessionId>,
    /// The task it serves.
    pub task: String,
    /// Why the agent wants it.
    pub reason: String,
    /// What the agent bases it on.
    pub evidence: Vec<Evidence>,
    /// What would change, as the agent or gateway previewed it.
    pub preview: Option<String>,
    /// What the agent says it will do on a no.
    pub if_denied: Option<String>,
    /// Which version of its instructions the agent runs.
    pub prompt_version: Option<String>,
    /// Where the agent would like the card: its wish, kept for the record and otherwise not heeded. Where people are
    /// asked is the policy's alone, or an agent could ask where nobody looks.
    pub place: Option<String>,
    /// The agent's own limit on the wait; it can only shorten what the policy gives.
    pub timeout: Option<Ttl>,
    /// The same call's earlier request on which time ran out, so that the card can say so.
    pub follows: Option<Follows>,
}

/// An earlier request for the same call, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follows {
    /// Which.
    pub request: RequestId,
    /// On whom time ran out: whether people were asked and silent, or were not reached, is not the same to them.
    pub how: ExpiredHow,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requester {
    /// The credential that proposed.
    pub credential: CredentialId,
    /// The accounts behind it: the credential's own, and the one it acts for. Their own vote does not count
    /// unless policy says so.
    pub identities: Vec<Identity>,
    /// What people see of it: a name from the policy or the credential's label.
    pub shown_as: String,
}

/// One step of one run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunStep {
    /// The run.
    pub run: RunId,
    /// The step.
    pub step: StepId,
}

/// Something the agent based its proposal on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The caller's id for it.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Where it is; shown as text, never as a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The part that matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}
