//! Whether settings and policy make sense together: what keeps a server from starting, and what it is warned of.
//!
//! "A mapped tool without a gate" is understood so: a tool is mapped where the settings say that Placet's own executor
//! runs it (`[agent]` with `[tools]`), or where the policy describes it (`[tools.…]`), so that executors outside claim
//! it. It has a gate where a rule of the policy grades it, or where the policy's default asks people or forbids. A
//! mapped tool that no rule knows, under a default that lets everything through, would run without anybody ever having
//! thought of it: such an installation does not start.

use std::collections::BTreeSet;

use placet::approval::{Proposal, Requester};
use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{AgentId, CredentialId, ServerName, TenantId, ToolName};
use placet::policy::{Policy, Tier, Verdict};
use toml::de::{DeTable, DeValue};

use crate::settings::Settings;

/// The name under which a verdict says that no rule matched.
const DEFAULT_RULE: &str = "default";

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Each keeps the server from starting.
    pub errors: Vec<String>,
    /// What whoever starts it should know.
    pub warnings: Vec<String>,
}

impl Soundness {
    /// Looks at settings and policy together. `asks_here` says that there is a surface besides those of the settings.
    ///
    /// # Errors
    /// None in practice: constant names are names.
    pub fn of(settings: &Settings, policy: &Policy, asks_here: bool) -> anyhow::Result<Self> {
        let mut found = Self::default();
        let asks = asks_here || settings.slack.is_some() || decides_over_api(policy);
        found.tools(settings, policy, asks)?;
        found.approvers(settings, policy);
        for warning in policy.warnings() {
            found.warnings.push(warning.to_string());
        }
        Ok(found)
    }

    fn tools(&mut self, settings: &Settings, policy: &Policy, asks: bool) -> anyhow::Result<()> {
        let run_here = settings.agent.iter().flat_map(|_| settings.tools.names());
        let mut mapped: BTreeSet<(Option<ServerName>, ToolName)> =
            run_here.map(|tool| (None, tool)).collect();
        mapped.extend(described(policy));
        let mut asked = false;
        for (server, tool) in mapped {
            let shown = match &server {
                Some(server) => format!("{server}/{tool}"),
                None => tool.to_string(),
            };
            let verdict = judged(policy, server, tool)?;
            let graded = verdict.rules.iter().any(|hit| hit.rule != DEFAULT_RULE);
            if !graded && verdict.tier < Tier::Approve {
                self.errors.push(format!(
                    "tool {shown} is mapped but has no gate: no rule of the policy grades it, and its default lets \
                     everything through (tier {}); add a [[rule]] for it, or set [default] level to one that asks",
                    verdict.tier
                ));
            }
            asked |= verdict.tier == Tier::Approve;
        }
        if asked && !asks {
            self.warnings.push(
                "no approver configured (fail closed): there is no [slack], and nobody in the policy has \
                 `credentials` to decide over the API with; whatever needs approval is refused"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn approvers(&mut self, settings: &Settings, policy: &Policy) {
        let Some(slack) = &settings.slack else { return };
        let vouching: Vec<String> =
            std::iter::once(&slack.team).chain(&slack.enterprise).map(|id| format!("slack:{id}")).collect();
        let reachable = policy.people().all().iter().any(|known| {
            known.identities.iter().any(|identity| vouching.iter().any(|realm| realm == identity.realm()))
        });
        if !reachable && !decides_over_api(policy) {
            self.warnings.push(format!(
                "nobody in the policy has an account in the Slack workspace {}: no card can ever be approved",
                slack.team
            ));
        }
    }
}

/// Whether somebody can decide with a credential, so that people can be asked without a card.
#[must_use]
pub fn decides_over_api(policy: &Policy) -> bool {
    let mut identities = policy.people().all().iter().flat_map(|known| &known.identities);
    identities.any(|identity| identity.realm() == "credential")
}

/// The tools that the policy describes: by name, or with their server before it.
fn described(policy: &Policy) -> Vec<(Option<ServerName>, ToolName)> {
    let Ok(document) = DeTable::parse(policy.text()) else { return Vec::new() };
    let Some(DeValue::Table(tools)) = document.get_ref().get("tools").map(|tools| tools.get_ref()) else {
        return Vec::new();
    };
    let names = tools.keys().map(|name| name.get_ref().as_ref());
    names
        .filter_map(|name| match name.split_once('/') {
            Some((server, tool)) => Some((Some(ServerName::new(server).ok()?), ToolName::new(tool).ok()?)),
            None => Some((None, ToolName::new(name).ok()?)),
        })
        .collect()
}

/// What the policy says of a tool, whatever its arguments.
fn judged(policy: &Policy, server: Option<ServerName>, tool: ToolName) -> anyhow::Result<Verdict> {
    let proposal = Proposal {
        call: ToolCall {
            agent: AgentId::new("start-up")?,
            server,
            tool,
            tool_schema_hash: None,
            args: CanonicalArgs::from_value(&serde_json::json!({}))?,
            preconditions: std::collections::BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("start-up")?,
            identities: Vec::new(),
            shown_as: String::new(),
        },
        run: None,
        session: None,
        task: String::new(),
        reason: String::new(),
        evidence: Vec::new(),
        preview: None,
        if_denied: None,
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
    };
    Ok(policy.judge(&proposal, &TenantId::new("start-up")?))
}
