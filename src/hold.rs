//! Holds (the emergency stop): nothing that one covers is claimed until it is lifted, whatever was approved.
//!
//! A claim looks at them inside the transaction that commits it, so that once a hold is placed no claim comes after it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::approval::{Actor, Proposal};
use crate::id::{AgentId, HoldId, IdError, RunId, ServerName, TenantId, ToolName};
use crate::notice::{Message, Notice, Recipient};
use crate::time::Timestamp;

/// A hold, standing or lifted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Its id.
    pub id: HoldId,
    /// Whose calls; none means everybody's.
    pub tenant: Option<TenantId>,
    /// Which of them.
    pub scope: HoldScope,
    /// Who placed it.
    pub by: Actor,
    /// Their name, where it is a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why.
    pub reason: String,
    /// When.
    pub since: Timestamp,
    /// Who lifted it; none while it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifted: Option<Lifted>,
}

/// Which calls a hold covers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "of", content = "name")]
pub enum HoldScope {
    /// All calls: of the tenant, or of everybody where no tenant is named.
    All,
    /// Calls of an agent.
    Agent(AgentId),
    /// Calls of a tool, by its full name (`mail/send_message`; without a server, the tool's name).
    Tool(String),
    /// Calls of one run of an agent.
    Run {
        /// Whose.
        agent: AgentId,
        /// Which.
        run: RunId,
    },
}

impl HoldScope {
    /// Calls of a tool, by its full name as people write it.
    ///
    /// # Errors
    /// It is no tool's name.
    pub fn tool(name: &str) -> Result<Self, IdError> {
        let (server, tool) = match name.split_once('/') {
            // The full name of a tool that comes from no server and has a slash in its own name.
            Some(("", tool)) if tool.contains('/') => (None, tool),
            Some((server, tool)) => (Some(server), tool),
            None => (None, name),
        };
        if let Some(server) = server {
            ServerName::new(server)?;
        }
        ToolName::new(tool)?;
        Ok(Self::Tool(name.to_owned()))
    }
}

/// Which calls, in words for operators.
impl fmt::Display for HoldScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all calls"),
            Self::Agent(agent) => write!(f, "calls of the agent {agent}"),
            Self::Tool(name) => write!(f, "calls of the tool {name}"),
            Self::Run { agent, run } => write!(f, "calls of the run {run} of the agent {agent}"),
        }
    }
}

/// The end of a hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifted {
    /// Who.
    pub by: Actor,
    /// Their name, where it is a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl Hold {
    /// Whether it still stands.
    #[must_use]
    pub const fn stands(&self) -> bool {
        self.lifted.is_none()
    }

    /// Whether it keeps this call from being claimed.
    #[must_use]
    pub fn covers(&self, tenant: &TenantId, proposal: &Proposal) -> bool {
        self.stands()
            && self.tenant.as_ref().is_none_or(|own| own == tenant)
            && match &self.scope {
                HoldScope::All => true,
                HoldScope::Agent(agent) => proposal.call.agent == *agent,
                HoldScope::Tool(name) => proposal.call.full_name() == *name,
                HoldScope::Run { agent, run } => {
                    proposal.call.agent == *agent
                        && proposal.run.as_ref().is_some_and(|step| step.run == *run)
                }
            }
    }

    /// What the operators are told of it, as far as this tenant is concerned.
    #[must_use]
    pub fn announcement(&self, tenant: TenantId) -> Message {
        let notice = Notice::Held { what: self.scope.to_string(), reason: self.reason.clone() };
        Message::new(tenant, Recipient::Operators, notice)
    }
}
