//! Whether settings and policy make sense together: what keeps a server from starting, and what it is warned of.
//!
//! "A mapped tool without a gate" is understood so: a tool is mapped where the settings say that Placet's own executor
//! runs it (`[agent]` with `[tools]`), or where the policy describes it (`[tools.…]`), so that executors outside claim
//! it. It has a gate where a rule of the policy grades it, or where the policy's default asks people or forbids. A
//! mapped tool that no rule knows, under a default that lets everything through, would run without anybody ever having
//! thought of it: such an installation does not start.

use std::collections::BTreeSet;
use std::path::Path;

use placet::approval::{Proposal, Requester};
use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{AgentId, CredentialId, ServerName, ToolName};
use placet::person::{Identity, OnCallSchedule, OnCallSource};
use placet::policy::{Circumstances, Policy, Tier, Verdict};
use placet::time::Timestamp;
use toml::de::{DeTable, DeValue};

use crate::settings::{Settings, is_slack_id};
use crate::wire::SLACK;

/// The name under which a verdict says that no rule matched.
const DEFAULT_RULE: &str = "default";

/// What the ids of Slack's channels begin with.
const CHANNELS: [char; 3] = ['C', 'G', 'D'];

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
        found.schedules(settings, policy);
        for warning in policy.warnings() {
            found.warnings.push(warning.to_string());
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

    /// Looks whether there is what the policy's places name: a surface of the settings or one of `local`, and in Slack
    /// a channel by its id. A place that is none would be left out in silence.
    #[must_use]
    pub fn with_places(mut self, settings: &Settings, policy: &Policy, local: &[&str]) -> Self {
        let text = policy.text();
        let Ok(document) = DeTable::parse(text) else { return self };
        let root = document.get_ref();
        let mut listed = vec![("places".to_owned(), root.get("places"))];
        if let Some(DeValue::Table(levels)) = root.get("levels").map(|levels| levels.get_ref()) {
            for (level, terms) in levels {
                if let DeValue::Table(terms) = terms.get_ref() {
                    listed.push((format!("levels.{}.places", level.get_ref()), terms.get("places")));
                }
            }
        }
        let file = settings.policy.shown();
        for (key, places) in listed {
            let Some(DeValue::Array(places)) = places.map(|places| places.get_ref()) else { continue };
            for place in places {
                let DeValue::Table(place) = place.get_ref() else { continue };
                let word =
                    |key: &str| place.get(key).and_then(|word| Some((word.get_ref().as_str()?, word.span())));
                let Some((surface, span)) = word("surface") else { continue };
                let wrong = if surface == SLACK && settings.slack.is_some() {
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
                        SLACK => {
                            "there is no [slack] in the settings; add it, or take the place out".to_owned()
                        }
                        _ => format!(
                            "there is no surface `{surface}` in the settings; there is only \"{SLACK}\""
                        ),
                    };
                    (told, span)
                };
                let (told, span) = wrong;
                let line = text.get(..span.start).map_or(1, |before| before.matches('\n').count() + 1);
                self.errors.push(format!("{file}:{line}: {key}: {told}"));
            }
        }
        self
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

    fn schedules(&mut self, settings: &Settings, policy: &Policy) {
        let at_pagerduty =
            |schedule: &&OnCallSchedule| matches!(schedule.source, OnCallSource::PagerDuty { .. });
        if settings.on_call.is_none()
            && let Some(schedule) = policy.schedules().iter().find(at_pagerduty)
        {
            self.warnings.push(format!(
                "the schedule {} of the policy is kept at PagerDuty, and there is no [on_call] in the settings: \
                 nobody has the role {} by it",
                schedule.name, schedule.role
            ));
        }
    }

    fn approvers(&mut self, settings: &Settings, policy: &Policy) {
        let Some(slack) = &settings.slack else { return };
        let vouching: Vec<String> =
            std::iter::once(&slack.team).chain(&slack.enterprise).map(|id| format!("slack:{id}")).collect();
        let vouched = |account: &Identity| vouching.iter().any(|realm| realm == account.realm());
        let reachable = policy.people().all().iter().any(|known| known.identities.iter().any(vouched))
            || policy.groups().iter().any(|group| vouched(&group.group));
        if !reachable && !decides_over_api(policy) {
            self.warnings.push(format!(
                "nobody in the policy has an account in the Slack workspace {}: no card can ever be approved",
                slack.team
            ));
        }
    }
}

fn missing(key: &str, folder: &Path) -> String {
    let shown = folder.display();
    format!("{key}: there is no folder {shown}; make it (mkdir -p {shown}), or name another in the settings")
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
        ask_again: false,
        edited: None,
    };
    Ok(policy.judge(&proposal, &Circumstances::at(Timestamp::from_secs(0))))
}
