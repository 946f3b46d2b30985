//! What an agent proposes, and on whose behalf.

use serde::{Deserialize, Serialize};

use crate::call::{CanonicalArgs, ToolCall};
use crate::id::{CredentialId, RequestId, Role, RunId, SessionId, StepId};
use crate::inbound::{Located, MessageRef};
use crate::person::Identity;
use crate::policy::Place;
use crate::time::{Timestamp, Ttl};

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
    /// The thread that the task came from, by its first message, as the agent says. It is heeded only within a channel that
    /// the policy picked: it can move a card into a thread there, and nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<MessageRef>,
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
    /// Whether whatever proposed it reads no questions: one could be answered by the person behind it alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_no_questions: bool,
    /// The thread that the task was given in, by its first message: from the signed event, never from what an agent says.
    /// Only what comes of Placet's own agent has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_in: Option<Located>,
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
    /// The arguments as they were asked for, before anybody edited them.
    pub before: CanonicalArgs,
    /// The accounts of who had edited it before that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Identity>,
    /// Where what was asked for before is confidential: the roles whose people may read that. What it was made into stays
    /// so, whatever its arguments are now: what the agent said of it is about the old ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidential: Option<Vec<Role>>,
}

impl Edited {
    /// Everybody who changed what the call does.
    pub fn editors(&self) -> impl Iterator<Item = &Identity> {
        self.earlier.iter().chain([&self.by])
    }
}

impl Proposal {
    /// The accounts of everybody whose doing the call is: who asked for it, and who changed what it does. What they made
    /// somebody else must approve, unless the policy lets them.
    pub fn behind(&self) -> impl Iterator<Item = &Identity> {
        self.requester.identities.iter().chain(self.edited.iter().flat_map(Edited::editors))
    }

    /// Whether a question about it reaches anybody who can answer: what proposed it, or a person behind it in a chat.
    #[must_use]
    pub fn can_be_asked_about(&self) -> bool {
        !self.takes_no_questions || self.requester.identities.iter().any(Identity::is_in_chat)
    }

    /// This place, in the thread that the task came from where that is in its channel.
    #[must_use]
    pub fn placed(&self, place: &Place) -> Place {
        let thread = self.thread.as_ref().filter(|thread| thread.channel == place.channel);
        let thread = place.thread.clone().or_else(|| thread.map(|thread| thread.id.clone()));
        Place { thread, ..place.clone() }
    }

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
            && self.asked_in == other.asked_in
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
        /// Who they are; empty where that was not yet kept.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<String>,
        /// When; none where that was not yet kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
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
