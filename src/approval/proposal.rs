//! What an agent proposes, and on whose behalf.

use serde::{Deserialize, Serialize};

use crate::call::{CanonicalArgs, ToolCall};
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
    /// The same call's earlier request that came to nothing lately, so that the card can say so.
    pub follows: Option<Follows>,
    /// Whether the agent asks again on purpose, knowing that people said no to the same call a moment ago: then a new
    /// card is posted, which says so.
    #[serde(default)]
    pub ask_again: bool,
    /// The request that somebody edited to make this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Edited>,
}

/// Whose edit of which request a proposal is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// The request that it replaces.
    pub request: RequestId,
    /// The account of who edited it.
    pub by: Identity,
    /// What they are called.
    pub name: String,
    /// The arguments before.
    pub before: CanonicalArgs,
}

impl Proposal {
    /// Whether people would read the same of both: the same call, asked in the same run with the same words.
    #[must_use]
    pub fn differs_in_nothing(&self, other: &Self) -> bool {
        let run = |proposal: &Self| proposal.run.as_ref().map(|step| step.run.clone());
        let plain = self.edited.is_none() && other.edited.is_none();
        plain
            && run(self) == run(other)
            && self.call == other.call
            && self.requester == other.requester
            && self.session == other.session
            && (&self.task, &self.reason, &self.evidence) == (&other.task, &other.reason, &other.evidence)
            && (&self.preview, &self.if_denied) == (&other.preview, &other.if_denied)
    }
}

/// An earlier request for the same call, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follows {
    /// Which.
    pub request: RequestId,
    /// How it ended.
    pub how: Before,
}

/// How an earlier request for the same call came to nothing. Whether people said no, were asked and silent, or were not
/// reached is not the same to those who are asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Before {
    /// People were asked, and nobody answered.
    Unanswered,
    /// Nobody could be reached.
    Unasked,
    /// People said no.
    Denied {
        /// Their reason.
        reason: Option<String>,
    },
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
