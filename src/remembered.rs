//! What people chose to remember with a yes: later calls that look alike run without another card, until it ends.
//!
//! It covers one agent, one session, one tool and one pattern of arguments, up to one level; never what a rule forbids,
//! never what is always asked. Whoever chose it must still have their role when it is used.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::approval::{Actor, Proposal};
use crate::id::{AgentId, RequestId, Role, ServerName, SessionId, TenantId, ToolName};
use crate::person::Identity;
use crate::policy::{ArgPattern, RememberOffer, Tier, Verdict, is_stricter};
use crate::time::Timestamp;

/// A remembered yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The request whose card offered it; its own name, too.
    pub id: RequestId,
    /// Whose calls.
    pub tenant: TenantId,
    /// Of which agent.
    pub agent: AgentId,
    /// In which session.
    pub session: SessionId,
    /// On which server.
    pub server: Option<ServerName>,
    /// Of which tool.
    pub tool: ToolName,
    /// With which arguments.
    pub pattern: ArgPattern,
    /// For whom the agent asked then, by all accounts behind it: a yes to one person's calls is none to another's.
    pub requester: BTreeSet<Identity>,
    /// What the policy said of the call that people saw: what it asks more for is asked about, whatever was remembered.
    pub verdict: Arc<Verdict>,
    /// The accounts of those who chose it.
    pub by: Vec<Identity>,
    /// Their names.
    pub names: Vec<String>,
    /// The roles whose people were asked then; whoever chose it must still have one of them when it is used.
    pub roles: Vec<Role>,
    /// Since when.
    pub since: Timestamp,
    /// Until when (exclusive).
    pub until: Timestamp,
    /// Who took it back; none while nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<Forgotten>,
}

/// The end of a remembered yes before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Who.
    pub by: Actor,
    /// Their name, where it is a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl Remembered {
    /// Whether it stands at `now`.
    #[must_use]
    pub fn stands(&self, now: Timestamp) -> bool {
        self.forgotten.is_none() && now < self.until
    }

    /// Whether this call, as the policy judges it now, runs on it.
    #[must_use]
    pub fn covers(&self, tenant: &TenantId, proposal: &Proposal, verdict: &Verdict, now: Timestamp) -> bool {
        let call = &proposal.call;
        self.stands(now)
            && self.tenant == *tenant
            && self.agent == call.agent
            && proposal.session.as_ref() == Some(&self.session)
            && self.server == call.server
            && self.tool == call.tool
            && verdict.tier == Tier::Approve
            && !verdict.always_ask
            && verdict.remember.as_ref().is_some_and(|offer| self.is_offered(offer, now))
            && verdict.level <= self.verdict.level
            && !is_stricter(&self.verdict, verdict)
            && proposal.requester.identities.iter().cloned().collect::<BTreeSet<_>>() == self.requester
            && self.pattern.matches(&call.args)
    }

    /// Whether what is offered with this call reaches as far as what was chosen: not for less time, nor for arguments that
    /// must be more alike.
    fn is_offered(&self, offer: &RememberOffer, now: Timestamp) -> bool {
        let RememberOffer { pattern, within } = offer;
        now < self.since + *within && self.pattern.is_within(pattern)
    }
}
