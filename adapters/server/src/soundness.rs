//! Whether settings and policy make sense together: what keeps a server from starting, and what it is warned of.
//!
//! "A mapped tool without a gate" is understood so: a tool is mapped where the settings say that Placet's own executor
//! runs it (`[agent]` with `[tools]`), or where the policy describes it (`[tools.…]`), so that executors outside claim
//! it. It has a gate where a rule of the policy grades it, or where the policy's default asks people or forbids. A
//! mapped tool that no rule knows, under a default that lets everything through, would run without anybody ever having
//! thought of it: such an installation does not start.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use placet::approval::{Assurance, Proposal, Requester};
use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{AgentId, CredentialId, ServerName, TenantId, ToolName};
use placet::person::{Identity, OnCallSchedule, OnCallSource};
use placet::policy::{
    Circumstances, Diagnostic, NamedPlace, Policy, PolicyFile, PolicySet, RuleKind, Tier, Verdict,
};
use placet::time::Timestamp;
use toml::de::{DeTable, DeValue};

use crate::settings::{PolicyTexts, Settings, SlackSettings, is_slack_id};
use crate::wire::SLACK;

/// The most that Slack, the API and a terminal tell of a vote.
const ASSURANCE_MAX: Assurance = Assurance::Signed;

/// What the ids of Slack's channels begin with.
const CHANNELS: [char; 3] = ['C', 'G', 'D'];

/// What makes the name of a tool a pattern for several.
const PATTERN_SIGNS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// One policy that is looked at: whose, and the files it is made of.
struct Looked<'a> {
    tenant: Option<&'a TenantId>,
    texts: Vec<&'a PolicyFile>,
}

/// What keeps a server from starting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// At a place in a policy.
    At(Option<TenantId>, Box<Diagnostic>),
    /// Between the policy and the settings, or on this machine.
    Plain(Option<TenantId>, String),
}

impl Flaw {
    /// In one line.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::At(_, found) => {
                format!("{}:{}:{}: {}", found.file, found.line, found.column, found.message)
            }
            Self::Plain(_, told) => told.clone(),
        }
    }

    /// Whose own policy it is about; none where it is everybody's.
    #[must_use]
    pub const fn of(&self) -> Option<&TenantId> {
        match self {
            Self::At(of, _) | Self::Plain(of, _) => of.as_ref(),
        }
    }

    /// As data, in the form of a diagnostic.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::At(_, found) => serde_json::json!(found),
            Self::Plain(_, told) => serde_json::json!({ "severity": "error", "message": told }),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(_, found) => found.fmt(f),
            Self::Plain(_, told) => write!(f, "error: {told}"),
        }
    }
}

impl Flaw {
    /// At a place in a policy, of a tenant or of everybody.
    fn at(of: Option<&TenantId>, found: Diagnostic) -> Self {
        Self::At(of.cloned(), Box::new(found))
    }

    /// Anywhere else.
    pub(crate) fn plain(of: Option<&TenantId>, told: String) -> Self {
        Self::Plain(of.cloned(), told)
    }
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Each keeps the server from starting.
    pub errors: Vec<Flaw>,
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
            let served = |slack: &SlackSettings| looked.tenant.is_none_or(|tenant| *tenant == slack.tenant);
            let in_slack = settings.slack.iter().any(served);
            let in_matrix = settings
                .matrix
                .iter()
                .any(|matrix| looked.tenant.is_none_or(|tenant| *tenant == matrix.settings.tenant));
            let asks = !local.is_empty() || in_slack || in_matrix || policy.decides_over_api();
            found.tools(settings, &looked, (&policy, policies, asks))?;
            found.schedules(settings, &policy);
            found.assurance(settings, &policy);
            for warning in policy.warnings().iter().map(ToString::to_string) {
                if !found.warnings.contains(&warning) {
                    found.warnings.push(warning);
                }
            }
        }
        found.agreement(settings, policies);
        for slack in &settings.slack {
            found.approvers(slack, &policies.of(&slack.tenant));
        }
        for (one, other) in settings.sharing_a_secret() {
            found.warnings.push(format!(
                "[{one}] and [{other}] have one signing_secret: that is right where both workspaces have the same app, and the \
                 workspace that a signed call names decides whose it is; where each has an app of its own, one secret is the \
                 other's, and no click of it counts"
            ));
        }
        found.places(settings, (None, policies.installation()), local);
        for (tenant, policy) in policies.tenants() {
            found.places(settings, (Some(tenant), policy), local);
        }
        Ok(found)
    }

    /// Looks at the folders that the settings name, as they are now.
    #[must_use]
    pub fn with_folders(mut self, settings: &Settings) -> Self {
        let folder = settings.data.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            self.errors.push(Flaw::plain(None, missing("data", folder)));
        }
        if let Some(agent) = settings.agent.as_ref().filter(|agent| !agent.workspace.is_dir()) {
            self.errors.push(Flaw::plain(None, missing("agent.workspace", &agent.workspace)));
        }
        self
    }

    /// Looks whether there is what a policy's places name: a surface of the settings or one of `local`, and in Slack a
    /// channel by its id. A place that is none would be left out in silence.
    fn places(&mut self, settings: &Settings, (of, policy): (Option<&TenantId>, &Policy), local: &[&str]) {
        for place in policy.named_places() {
            let NamedPlace { surface, channel, surface_at, channel_at } = place;
            let workspace = settings.slack.iter().find(|slack| slack.name.as_str() == surface.as_str());
            let account = settings.matrix.as_ref().map(|matrix| &matrix.settings);
            let account = account.filter(|account| account.name.as_str() == surface.as_str());
            if let Some(account) = account {
                if of.is_some_and(|tenant| *tenant != account.tenant) {
                    let message = format!(
                        "[{surface}] is of the tenant {}, and this policy of another",
                        account.tenant
                    );
                    let help = "take the place out: no card of this tenant would be shown there";
                    self.errors.push(Flaw::at(of, surface_at.error(message, help)));
                } else if !channel.starts_with('!') {
                    let message = format!("`{channel}` is not a room's id in Matrix");
                    let help = "an id such as !ops:example.org stands in the room's settings; an alias can be pointed elsewhere";
                    self.errors.push(Flaw::at(of, channel_at.error(message, help)));
                }
                continue;
            }
            let wrong = match (surface.as_str(), workspace) {
                (name, Some(slack)) if of.is_some_and(|tenant| *tenant != slack.tenant) => {
                    let message =
                        format!("[{name}] is of the tenant {}, and this policy of another", slack.tenant);
                    surface_at
                        .error(message, "take the place out: no card of this tenant would be shown there")
                }
                (_, Some(_)) if is_slack_id(channel, &CHANNELS) => continue,
                (_, Some(_)) => channel_at.error(
                    format!("`{channel}` is not a channel's id in Slack"),
                    "an id such as C024BE91L stands in the channel's details, at the bottom",
                ),
                (name, None) if local.contains(&name) => continue,
                (SLACK, None) if settings.slack.is_empty() => surface_at.error(
                    "this place is in Slack, and there is no [slack] in the settings",
                    "add [slack] to the settings, or take the place out: people then decide over the API",
                ),
                (name, None) => {
                    let known: Vec<String> =
                        settings.slack.iter().map(|slack| format!("\"{}\"", slack.name)).collect();
                    let help = match known.as_slice() {
                        [] => "there is none at all: people decide over the API".to_owned(),
                        [one] => format!("there is only {one}"),
                        several => format!("there are {}", several.join(", ")),
                    };
                    surface_at.error(format!("there is no surface `{name}` in the settings"), help)
                }
            };
            self.errors.push(Flaw::at(of, wrong));
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
                self.errors.push(Flaw::plain(looked.tenant, format!(
                    "{of}tool {shown} is mapped but has no gate: no rule of the policy grades it, and its default lets \
                     everything through (tier {}); add a [[rule]] for it, or set [default] level to one that asks",
                    verdict.tier
                )));
            }
            asked |= verdict.tier == Tier::Approve;
        }
        if asked && !asks {
            self.warnings.push(format!(
                "{of}no approver configured (fail closed): there is no [slack] for it, and nobody in the policy has \
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

    /// Nobody can give a vote that is surer than what the surfaces tell of it.
    fn assurance(&mut self, settings: &Settings, policy: &Policy) {
        let most = match &settings.matrix {
            Some(matrix) if matrix.settings.pins.is_some() => Assurance::E2eePinned,
            Some(_) => Assurance::E2eeTofu,
            None => ASSURANCE_MAX,
        };
        for (what, wanted) in policy.wants_more_than(most) {
            let (wanted, given) = (wanted.name(), most.name());
            let warning = format!(
                "{what} wants votes of assurance {wanted}, and there is no surface that gives more than {given}: nobody can \
                 say yes or no to its calls; set `assurance = \"{given}\"`"
            );
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Where a change of the installation's policy wants somebody's yes, there must be a tenant in which they are asked,
    /// and its own file must not say who they are: it could name whom it likes.
    fn agreement(&mut self, settings: &Settings, policies: &PolicySet) {
        let Some(at) = policies.installation().change_at() else { return };
        let of = settings.policy_tenant().filter(|tenant| policies.tenants().any(|(own, _)| own == *tenant));
        let (message, help) = match settings.policy_tenant() {
            None => (
                "[change] wants somebody's yes to a new policy, and the settings name no tenant in which they are asked"
                    .to_owned(),
                "add policy_tenant = \"acme\" to the settings".to_owned(),
            ),
            Some(tenant) if policies.tenants().any(|(own, _)| own == tenant) => (
                format!(
                    "people are asked about a new policy of the installation in the tenant {tenant}, which has a policy of \
                     its own that could say who they are"
                ),
                format!(
                    "name another tenant as policy_tenant in the settings, or put what stands in \
                     tenants.{tenant}.policy into this file"
                ),
            ),
            Some(_) => return,
        };
        self.errors.push(Flaw::at(of, at.error(message, help)));
    }

    fn approvers(&mut self, slack: &SlackSettings, policy: &Policy) {
        let vouching: Vec<String> =
            std::iter::once(&slack.team).chain(&slack.enterprise).map(|id| format!("slack:{id}")).collect();
        let vouched = |account: &Identity| vouching.iter().any(|realm| realm == account.realm());
        let reachable = policy.people().all().iter().any(|known| known.identities.iter().any(vouched))
            || policy.groups().iter().any(|group| vouched(&group.group));
        if !reachable {
            let instead = if policy.decides_over_api() {
                "no click on a card counts, and only who has `credentials` can decide, over the API; set `team` in [slack] \
                 right, or the accounts of [[people]]"
            } else {
                "no card can ever be approved"
            };
            self.warnings.push(format!(
                "nobody in the policy has an account in the Slack workspace {}: {instead}",
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
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    };
    Ok(policy.judge(&proposal, &Circumstances::at(Timestamp::from_secs(0))))
}
