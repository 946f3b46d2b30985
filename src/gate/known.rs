//! What is known of the names that a stop is given: so that whoever stops calls learns at once that what they wrote is
//! nothing that was ever seen here, and not when it runs.
//!
//! Known is what the policies name, what has a credential, and what the last requests were about. A name that is not
//! known can be right all the same, so that the stop stands; it is only said.

use std::collections::BTreeSet;
use std::fmt;

use crate::gate::Gate;
use crate::hold::{Hold, HoldScope};
use crate::id::{AgentId, RunId, TenantId};
use crate::policy::{is_tool_pattern, nearest_name, tools_matching};
use crate::ports::{RequestQuery, StoreError};

/// Requests that are looked at for names: those of weeks for most, and read in a moment in an emergency.
const REQUESTS_MAX: u32 = 1000;

/// Names that are told of at most.
const TOLD_MAX: usize = 8;

/// What may be wrong with a stop that was placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing of that name is known.
    Unknown {
        /// What it is the name of: `tool`, `agent`, `run`, `tenant`.
        what: &'static str,
        /// As it was written.
        name: String,
        /// The known one that was probably meant.
        near: Option<String>,
    },
    /// Tools of servers have that name, and the stop is of the tool without one.
    Beside {
        /// As it was written.
        name: String,
        /// Whether there is a tool without a server of that name as well.
        is_known: bool,
        /// Those that it does not cover, by their full names.
        others: Vec<String>,
    },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { what, name, near } => {
                write!(f, "no {what} `{name}` is known here, so that this may cover nothing")?;
                match near {
                    Some(near) => write!(f, "; did you mean `{near}`?"),
                    None => Ok(()),
                }
            }
            Self::Beside { name, is_known, others } => {
                let others = several(others);
                if *is_known {
                    write!(f, "this is the tool `{name}` without a server; it does not cover {others}")
                } else {
                    write!(
                        f,
                        "no tool `{name}` without a server is known here, so that this may cover nothing; it does not \
                         cover {others}: a tool of a server is named with it"
                    )
                }
            }
        }
    }
}

/// Names in a row; of many, the first.
pub(crate) fn several(names: &[String]) -> String {
    let told = names.iter().take(TOLD_MAX).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(TOLD_MAX) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}

/// The names that are known.
#[derive(Debug, Default)]
struct Known {
    /// Full names of tools that were called, or that a policy names with their server.
    tools: BTreeSet<String>,
    /// Names that a policy says nothing of the server of.
    bare_tools: BTreeSet<String>,
    agents: BTreeSet<AgentId>,
    runs: BTreeSet<(AgentId, RunId)>,
    tenants: BTreeSet<TenantId>,
}

impl Gate {
    /// Refuses what is a pattern and no tool's name: a stop covers exactly what it names. Gives the known tools that the
    /// pattern means, for whoever has to name them.
    pub(crate) async fn meant_by_pattern(
        &self,
        tenant: Option<&TenantId>,
        scope: &HoldScope,
    ) -> Result<Option<(String, Vec<String>)>, StoreError> {
        let HoldScope::Tool(name) = scope else { return Ok(None) };
        if !is_tool_pattern(name) {
            return Ok(None);
        }
        let known = self.known(tenant).await?;
        if known.tools.contains(name) {
            // Odd, and the tool's name all the same.
            return Ok(None);
        }
        let all = known.tools.iter().chain(&known.bare_tools);
        let mut meant: Vec<String> = tools_matching(name, all.map(String::as_str));
        meant.dedup();
        Ok(Some((name.clone(), meant)))
    }

    /// What may be wrong with a stop; none where what it names is known.
    pub(crate) async fn doubt(&self, hold: &Hold) -> Result<Option<Doubt>, StoreError> {
        if hold.scope == HoldScope::All && hold.tenant.is_none() {
            return Ok(None);
        }
        // A tenant's name is compared with all tenants', which only Placet's own command line gets to see.
        let is_ours = hold.by == crate::approval::Actor::Placet;
        let known = self.known(hold.tenant.as_ref().filter(|_| !is_ours)).await?;
        if let Some(tenant) = hold.tenant.as_ref().filter(|tenant| is_ours && !known.tenants.contains(tenant))
        {
            let near = nearest_name(tenant.as_str(), known.tenants.iter().map(TenantId::as_str));
            return Ok(Some(Doubt::Unknown { what: "tenant", name: tenant.to_string(), near }));
        }
        Ok(match &hold.scope {
            HoldScope::All => None,
            HoldScope::Agent(agent) => known.agent(agent),
            HoldScope::Tool(name) => known.tool(name),
            HoldScope::Run { agent, run } => known.agent(agent).or_else(|| known.run(agent, run)),
        })
    }

    async fn known(&self, tenant: Option<&TenantId>) -> Result<Known, StoreError> {
        let mut known = Known::default();
        let policies = self.policies();
        let all = policies.tenants().filter(|(of, _)| tenant.is_none_or(|tenant| tenant == *of));
        for (of, policy) in all {
            known.tenants.insert(of.clone());
            known.name_tools(policy.named_tools());
        }
        known.name_tools(policies.installation().named_tools());
        for row in self.store().credentials(tenant).await? {
            known.tenants.insert(row.tenant);
            known.agents.insert(row.agent);
        }
        let query = RequestQuery { tenant: tenant.cloned(), limit: REQUESTS_MAX, ..RequestQuery::default() };
        for approval in self.store().list(query).await? {
            known.tenants.insert(approval.tenant);
            let call = &approval.proposal.call;
            known.tools.insert(call.full_name());
            known.agents.insert(call.agent.clone());
            let run = approval.proposal.run.as_ref();
            known.runs.extend(run.map(|step| (call.agent.clone(), step.run.clone())));
        }
        Ok(known)
    }
}

impl Known {
    fn name_tools(&mut self, names: Vec<String>) {
        let (full, bare): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.contains('/'));
        self.tools.extend(full);
        self.bare_tools.extend(bare);
    }

    fn agent(&self, agent: &AgentId) -> Option<Doubt> {
        let near = || nearest_name(agent.as_str(), self.agents.iter().map(AgentId::as_str));
        let unknown = !self.agents.contains(agent);
        unknown.then(|| Doubt::Unknown { what: "agent", name: agent.to_string(), near: near() })
    }

    fn run(&self, agent: &AgentId, run: &RunId) -> Option<Doubt> {
        let own = || self.runs.iter().filter(|(of, _)| of == agent).map(|(_, run)| run);
        let near = || nearest_name(run.as_str(), own().map(RunId::as_str));
        let unknown = !own().any(|known| known == run);
        unknown.then(|| Doubt::Unknown { what: "run", name: run.to_string(), near: near() })
    }

    fn tool(&self, name: &str) -> Option<Doubt> {
        let is_known = self.tools.contains(name);
        let others: Vec<String> = self
            .tools
            .iter()
            .filter(|full| {
                full.split_once('/').is_some_and(|(server, tool)| !server.is_empty() && tool == name)
            })
            .cloned()
            .collect();
        if !others.is_empty() {
            return Some(Doubt::Beside { name: name.to_owned(), is_known, others });
        }
        // A policy that names a tool without a server means it on any.
        let bare = name.split_once('/').map_or(name, |(_, tool)| tool);
        if is_known || self.bare_tools.contains(bare) {
            return None;
        }
        let all = self.tools.iter().chain(&self.bare_tools).map(String::as_str);
        Some(Doubt::Unknown { what: "tool", name: name.to_owned(), near: nearest_name(name, all) })
    }
}
