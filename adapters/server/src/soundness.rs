//! Whether settings and policy make sense together: what keeps a server from starting, and what it is warned of.
//!
//! "A mapped tool without a gate" is understood so: a tool is mapped where the settings say that Placet's own executor
//! runs it (`[agent]` with `[tools]`), or where the policy describes it (`[tools.…]`), so that executors outside claim
//! it. It has a gate where a rule of the policy grades it, or where the policy's default asks people or forbids. A
//! mapped tool that no rule knows, under a default that lets everything through, would run without anybody ever having
//! thought of it: such an installation does not start.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use placet::approval::{Proposal, Requester};
use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{AgentId, CredentialId, ServerName, TenantId, ToolName};
use placet::person::{Identity, OnCallSchedule, OnCallSource};
use placet::policy::{Circumstances, Policy, PolicyFile, PolicySet, RuleKind, Tier, Verdict};
use placet::time::Timestamp;
use toml::de::{DeTable, DeValue};

use crate::settings::{PolicyTexts, Settings, SlackSettings, is_slack_id};
use crate::wire::SLACK;

/// What the ids of Slack's channels begin with.
const CHANNELS: [char; 3] = ['C', 'G', 'D'];

/// What makes the name of a tool a pattern for several.
const PATTERN_SIGNS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// One policy that is looked at: whose, and the files it is made of.
struct Looked<'a> {
    tenant: Option<&'a TenantId>,
    texts: Vec<&'a PolicyFile>,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Each keeps the server from starting.
    pub errors: Vec<String>,
    /// What whoever starts it should know.
    pub warnings: Vec<String>,
}

impl Soundness {
    /// Looks at settings and policies together. `local` are surfaces besides those of the settings.
    ///
    /// # Errors
    /// None in practice: constant names are names.
    pub fn of(
        settings: &Settings,
        (texts, policies): (&PolicyTexts, &PolicySet),
        local: &[&str],
    ) -> anyhow::Result<Self> {
        let mut found = Self::default();
        let installation = Looked { tenant: None, texts: vec![&texts.installation] };
        let own = texts
            .tenants
            .iter()
            .map(|(tenant, file)| Looked { tenant: Some(tenant), texts: vec![&texts.installation, file] });
        for looked in std::iter::once(installation).chain(own) {
            let policy = match looked.tenant {
                Some(tenant) => policies.of(tenant),
                None => Arc::clone(policies.installation()),
            };
            let asks = !local.is_empty() || settings.slack.is_some() || policy.decides_over_api();
            found.tools(settings, &looked, (&policy, policies, asks))?;
            found.schedules(settings, &policy);
            for warning in policy.warnings().iter().map(ToString::to_string) {
                if !found.warnings.contains(&warning) {
                    found.warnings.push(warning);
                }
            }
        }
        found.agreement(settings, policies);
        if let Some(slack) = &settings.slack {
            found.approvers(slack, &policies.of(&slack.tenant));
        }
        for file in std::iter::once(&texts.installation).chain(texts.tenants.values()) {
            found.places(settings, file, local);
        }
        Ok(found)
    }

    /// Looks at the folders that the settings name, as they are now.
    #[must_use]
    pub fn with_folders(mut self, settings: &Settings) -> Self {
        let folder = settings.data.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            self.errors.push(missing("data", folder));
        }
        if let Some(agent) = settings.agent.as_ref().filter(|agent| !agent.workspace.is_dir()) {
            self.errors.push(missing("agent.workspace", &agent.workspace));
        }
        self
    }

    /// Looks whether there is what a policy's places name: a surface of the settings or one of `local`, and in Slack a
    /// channel by its id. A place that is none would be left out in silence.
    fn places(&mut self, settings: &Settings, file: &PolicyFile, local: &[&str]) {
        let Ok(document) = DeTable::parse(&file.text) else { return };
        let mut listed = Vec::new();
        places_in(document.get_ref(), "", &mut listed);
        for (key, place) in listed {
            let word =
                |key: &str| place.get(key).and_then(|word| Some((word.get_ref().as_str()?, word.span())));
            let Some((surface, span)) = word("surface") else { continue };
            let (told, span) = if surface == SLACK && settings.slack.is_some() {
                let Some((channel, span)) =
                    word("channel").filter(|(channel, _)| !is_slack_id(channel, &CHANNELS))
                else {
                    continue;
                };
                let told = format!(
                    "`{channel}` is not a channel's id; an id such as C024BE91L stands in the channel's details, at \
                     the bottom"
                );
                (told, span)
            } else if local.contains(&surface) {
                continue;
            } else {
                let told = match surface {
                    SLACK => "there is no [slack] in the settings; add it, or take the place out".to_owned(),
                    _ => {
                        format!("there is no surface `{surface}` in the settings; there is only \"{SLACK}\"")
                    }
                };
                (told, span)
            };
            let line = file.text.get(..span.start).map_or(1, |before| before.matches('\n').count() + 1);
            self.errors.push(format!("{}:{line}: {key}: {told}", file.name));
        }
    }

    fn tools(
        &mut self,
        settings: &Settings,
        looked: &Looked<'_>,
        (policy, policies, asks): (&Policy, &PolicySet, bool),
    ) -> anyhow::Result<()> {
        // Placet's own agent runs under its tenant's policy alone.
        let agent = settings.agent.iter().filter(|agent| {
            let has_own = policies.tenants().any(|(tenant, _)| *tenant == agent.tenant);
            looked.tenant.map_or(!has_own, |tenant| *tenant == agent.tenant)
        });
        let run_here = agent.flat_map(|_| settings.tools.names());
        let mut mapped: BTreeSet<(Option<ServerName>, ToolName)> =
            run_here.map(|tool| (None, tool)).collect();
        mapped.extend(looked.texts.iter().flat_map(|file| described(&file.text)));
        let of = looked.tenant.map_or_else(String::new, |tenant| format!("tenant {tenant}: "));
        let mut asked = false;
        for (server, tool) in mapped {
            let shown = match &server {
                Some(server) => format!("{server}/{tool}"),
                None => tool.to_string(),
            };
            let verdict = judged(policy, server, tool)?;
            let graded = verdict.rules.iter().any(|hit| grades(hit.kind));
            // Where the policy only looks on, its author has thought of the tool: it would be asked about.
            if !graded && verdict.shadow.is_none() && verdict.tier < Tier::Approve {
                self.errors.push(format!(
                    "{of}tool {shown} is mapped but has no gate: no rule of the policy grades it, and its default lets \
                     everything through (tier {}); add a [[rule]] for it, or set [default] level to one that asks",
                    verdict.tier
                ));
            }
            asked |= verdict.tier == Tier::Approve;
        }
        if asked && !asks {
            self.warnings.push(format!(
                "{of}no approver configured (fail closed): there is no [slack], and nobody in the policy has \
                 `credentials` to decide over the API with; whatever needs approval is refused"
            ));
        }
        Ok(())
    }

    fn schedules(&mut self, settings: &Settings, policy: &Policy) {
        let at_pagerduty =
            |schedule: &&OnCallSchedule| matches!(schedule.source, OnCallSource::PagerDuty { .. });
        if settings.on_call.is_none()
            && let Some(schedule) = policy.schedules().iter().find(at_pagerduty)
        {
            let warning = format!(
                "the schedule {} of the policy is kept at PagerDuty, and there is no [on_call] in the settings: \
                 nobody has the role {} by it",
                schedule.name, schedule.role
            );
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Where a change of the installation's policy wants somebody's yes, there must be a tenant in which they are asked,
    /// and its own file must not say who they are: it could name whom it likes.
    fn agreement(&mut self, settings: &Settings, policies: &PolicySet) {
        if policies.installation().change().is_none() {
            return;
        }
        match settings.policy_tenant() {
            None => self.errors.push(
                "[change] in the policy wants somebody's yes to a new one, and the settings name no tenant in which they \
                 are asked; add policy_tenant = \"acme\" to the settings"
                    .to_owned(),
            ),
            Some(tenant) if policies.tenants().any(|(own, _)| own == tenant) => self.errors.push(format!(
                "people are asked in the tenant {tenant} whether a new policy of the installation takes force ([change]), \
                 but that tenant has a policy of its own, which could say who they are; name another as policy_tenant, or \
                 put what stands in tenants.{tenant}.policy into the installation's"
            )),
            Some(_) => {}
        }
    }

    fn approvers(&mut self, slack: &SlackSettings, policy: &Policy) {
        let vouching: Vec<String> =
            std::iter::once(&slack.team).chain(&slack.enterprise).map(|id| format!("slack:{id}")).collect();
        let vouched = |account: &Identity| vouching.iter().any(|realm| realm == account.realm());
        let reachable = policy.people().all().iter().any(|known| known.identities.iter().any(vouched))
            || policy.groups().iter().any(|group| vouched(&group.group));
        if !reachable && !policy.decides_over_api() {
            self.warnings.push(format!(
                "nobody in the policy has an account in the Slack workspace {}: no card can ever be approved",
                slack.team
            ));
        }
    }
}

/// Whether a rule of this kind says of a tool how it is gated: a raise only says when it is worse.
const fn grades(kind: RuleKind) -> bool {
    match kind {
        RuleKind::Rule | RuleKind::Forbid => true,
        RuleKind::Raise | RuleKind::Default => false,
    }
}

/// Every place that a file names, with the key of the list it stands in: at the top, in a level, in a rule, in a step.
fn places_in<'d>(table: &'d DeTable<'d>, path: &str, listed: &mut Vec<(String, &'d DeTable<'d>)>) {
    for (key, value) in table {
        let key = key.get_ref().as_ref();
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match value.get_ref() {
            DeValue::Table(inner) => places_in(inner, &path, listed),
            DeValue::Array(items) => {
                for item in items {
                    let DeValue::Table(inner) = item.get_ref() else { continue };
                    if key == "places" {
                        listed.push((path.clone(), inner));
                    } else {
                        places_in(inner, &path, listed);
                    }
                }
            }
            _ => {}
        }
    }
}

fn missing(key: &str, folder: &Path) -> String {
    let shown = folder.display();
    format!("{key}: there is no folder {shown}; make it (mkdir -p {shown}), or name another in the settings")
}

/// The tools that a policy's text describes: by name, or with their server before it. A pattern is no tool.
fn described(text: &str) -> Vec<(Option<ServerName>, ToolName)> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let Some(DeValue::Table(tools)) = document.get_ref().get("tools").map(|tools| tools.get_ref()) else {
        return Vec::new();
    };
    let names = tools.keys().map(|name| name.get_ref().as_ref()).filter(|name| !name.contains(PATTERN_SIGNS));
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
        ask_again: false,
        edited: None,
    };
    Ok(policy.judge(&proposal, &Circumstances::at(Timestamp::from_secs(0))))
}
