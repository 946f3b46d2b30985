//! What Slack says: the token, its workspace and scopes, the clocks, the channels, the sockets, and sample cards.

use std::collections::BTreeMap;
use std::sync::Arc;

use placet::policy::PolicySet;
use placet::ports::Clock;
use placet::text::Language;
use placet::time::Ttl;
use placet_slack::api::{ApiError, ApiSettings, AuthTest, Greeting, Presence, SlackApi};
use secrecy::SecretString;

use super::super::slack::{SCOPES, Scope};
use super::{Finding, people, sample};
use crate::settings::{ProxySettings, Settings, SlackSettings};

/// How far our clock may be from Slack's before somebody should look.
const SKEW_WARNING: Ttl = Ttl::from_secs(60);
/// How far it may be before signed calls are refused: [`placet_slack::signature::SIGNATURE_AGE_SECONDS_MAX`].
const SKEW_WRONG: Ttl = Ttl::from_secs(placet_slack::signature::SIGNATURE_AGE_SECONDS_MAX);

/// What is looked at.
pub(super) struct Ground<'a> {
    pub(super) settings: &'a Settings,
    pub(super) slack: &'a SlackSettings,
    /// None where they cannot be read.
    pub(super) policies: Option<&'a PolicySet>,
    pub(super) clock: &'a Arc<dyn Clock>,
}

/// Looks at all of it; without a token that Slack takes, at nothing more.
pub(super) async fn examine(ground: &Ground<'_>, validate_cards: bool) -> Vec<Finding> {
    let api = match ground.api(ground.slack.bot_token.clone()) {
        Ok(api) => api,
        Err(finding) => return vec![finding],
    };
    let asked_at = ground.clock.now();
    let greeting = match api.greet().await {
        Ok(greeting) => greeting,
        Err(fault) => return vec![refused(&ground.check("token"), "bot_token", &fault)],
    };
    let taken = (ground.clock.now().since(asked_at)).as_millis() / 2;
    let Greeting { auth, at } = greeting;
    let mut findings = vec![
        Finding::ok(ground.check("token"), format!("is that of bot {}", auth.user_id)),
        ground.workspace(&auth),
    ];
    // The answer is from the middle between asking and hearing, as well as can be told.
    findings.push(clocks(at.map(|at| (at, asked_at + Ttl::from_millis(taken)))));
    findings.extend(ground.scopes(&auth));
    findings.extend(ground.channels(&api).await);
    findings.extend(people::examine(ground, &api).await);
    findings.extend(ground.sockets().await);
    if validate_cards {
        findings.extend(cards(&api).await);
    }
    findings
}

impl Ground<'_> {
    /// What is looked at, with the workspace's name in the settings.
    pub(super) fn check(&self, what: &str) -> String {
        format!("{} {what}", self.slack.name)
    }

    fn api(&self, token: SecretString) -> Result<SlackApi, Finding> {
        let proxy = self.settings.outbound.as_ref().map(ProxySettings::address);
        let reach = ApiSettings { proxy, ..ApiSettings::new(self.slack.api_url.clone(), token) };
        SlackApi::new(reach).map_err(|error| {
            Finding::wrong(self.check("set-up"), error.to_string(), "mend it or [outbound] in the settings")
        })
    }

    fn workspace(&self, auth: &AuthTest) -> Finding {
        let told = [Some(&auth.team_id), auth.enterprise_id.as_ref()];
        let is_it = told.into_iter().flatten().any(|id| *id == self.slack.team);
        if is_it {
            return Finding::ok(self.check("workspace"), format!("{}, as slack.team says", self.slack.team));
        }
        Finding::wrong(
            self.check("workspace"),
            format!("the token is of {}, and slack.team is {}", auth.team_id, self.slack.team),
            "set the one or the other: people of another workspace than slack.team cannot approve",
        )
    }

    fn scopes(&self, auth: &AuthTest) -> Vec<Finding> {
        let missing = |scope: &&Scope| !auth.scopes.iter().any(|granted| granted == scope.name);
        let missing: Vec<&Scope> = SCOPES.iter().filter(missing).collect();
        let (optional, needed): (Vec<&Scope>, Vec<&Scope>) =
            missing.into_iter().partition(|scope| scope.is_optional);
        let remedy = |scope: &Scope| {
            format!(
                "add {} (\"OAuth & Permissions\", \"Bot Token Scopes\"), and install the app again",
                scope.name
            )
        };
        let mut findings: Vec<Finding> = needed
            .into_iter()
            .map(|scope| {
                let (check, seen) =
                    (self.check("scope"), format!("{} is missing: {}", scope.name, scope.without));
                if self.is_vital(scope) {
                    Finding::wrong(check, seen, remedy(scope))
                } else {
                    Finding::warning(check, seen, remedy(scope))
                }
            })
            .collect();
        let without: Vec<String> =
            optional.iter().map(|scope| format!("without {}, {}", scope.name, scope.without)).collect();
        if findings.is_empty() {
            let seen = match without.as_slice() {
                [] => "all are granted".to_owned(),
                some => format!("all that are needed are granted\n{}", some.join("\n")),
            };
            findings.push(Finding::ok(self.check("scopes"), seen));
        }
        findings
    }

    /// Whether nobody could approve anything without it.
    fn is_vital(&self, scope: &Scope) -> bool {
        match scope.name {
            "chat:write" | "users:read" => true,
            "usergroups:read" => self
                .policies
                .is_none_or(|policies| !policies.of(&self.slack.tenant).people().groups().is_empty()),
            _ => false,
        }
    }

    /// Every channel that settings and policies name, with what for.
    fn named_channels(&self) -> BTreeMap<String, Vec<&'static str>> {
        let mut channels: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        let mut name = |id: &str, what: &'static str| {
            let named = channels.entry(id.to_owned()).or_default();
            if !named.contains(&what) {
                named.push(what);
            }
        };
        name(&self.slack.channel, "slack.channel");
        if let Some(ops) = &self.slack.ops_channel {
            name(ops, "slack.ops_channel");
        }
        self.slack.languages.keys().for_each(|id| name(id, "slack.channels"));
        if let Some(policies) = self.policies {
            let all = policies.tenants().map(|(_, policy)| policy).chain([policies.installation()]);
            let places = all.flat_map(|policy| policy.named_places());
            places
                .filter(|place| place.surface == self.slack.name)
                .for_each(|place| name(&place.channel, "the policy"));
        }
        channels
    }

    async fn channels(&self, api: &SlackApi) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (id, named_by) in self.named_channels() {
            let check = self.check(&format!("channel {id}"));
            let named_by = named_by.join(", ");
            let invite = "in the channel, type /invite @placet, or the name that the app has there";
            findings.push(match api.presence(&id).await {
                Ok(Presence::Member) => Finding::ok(check, format!("the app is in it ({named_by})")),
                Ok(Presence::Outside) => Finding::wrong(
                    check,
                    format!(
                        "not_in_channel: the app is not in it, so nothing can be posted there ({named_by})"
                    ),
                    invite,
                ),
                Ok(Presence::NotFound) => Finding::wrong(
                    check,
                    format!(
                        "there is none of that id, or it is private and the app is not in it ({named_by})"
                    ),
                    format!("look at the id in the channel's details; {invite}"),
                ),
                Ok(Presence::Archived) => Finding::wrong(
                    check,
                    format!("it is archived: nothing can be posted there ({named_by})"),
                    "name another channel, or bring it back",
                ),
                Ok(Presence::NotTold { needed }) => Finding::warning(
                    check,
                    format!("whether the app is in it is not told without {needed} ({named_by})"),
                    format!("see to it by hand: {invite}"),
                ),
                Err(fault) => refused(&check, "bot_token", &fault),
            });
        }
        findings
    }

    /// Whether sockets can be opened, where they are configured. An address is asked for, and not used.
    async fn sockets(&self) -> Option<Finding> {
        let token = self.slack.ways_in.app_token.clone()?;
        let api = match self.api(token) {
            Ok(api) => api,
            Err(finding) => return Some(finding),
        };
        Some(match api.connections_open().await {
            Ok(_) => Finding::ok(self.check("sockets"), "Slack gives an address for one"),
            Err(ApiError::Auth { needed: Some(scope), .. }) => Finding::wrong(
                self.check("sockets"),
                format!("app_token lacks {scope}"),
                "make an app-level token with the scope connections:write (\"Basic Information\", \"App-Level Tokens\")",
            ),
            Err(fault) => refused(&self.check("sockets"), "app_token", &fault),
        })
    }
}

/// Slack does not answer as it should.
pub(super) fn refused(check: &str, token: &str, fault: &ApiError) -> Finding {
    let remedy = match fault {
        ApiError::Auth { .. } => format!(
            "set {token} to the one that the app has now (\"OAuth & Permissions\" or \"Basic Information\"): it changes when \
             the app is installed anew"
        ),
        ApiError::RateLimited { .. } => "look again in a minute".to_owned(),
        fault => {
            fault.remedy().unwrap_or_else(|| "see what Slack's documentation says of this code".to_owned())
        }
    };
    let seen = match fault {
        ApiError::Auth { code, .. } => format!("Slack refuses {token} ({code})"),
        fault => fault.to_string(),
    };
    Finding::wrong(check, seen, remedy)
}

/// Our clock beside Slack's: signatures are refused where they are minutes apart, and time-outs mean something else.
fn clocks(both: Option<(placet::time::Timestamp, placet::time::Timestamp)>) -> Finding {
    let Some((slack, ours)) = both else {
        let remedy = "compare by hand: date -u";
        return Finding::warning("clock", "Slack's answer has no date", remedy);
    };
    let (apart, way) = match (ours.since(slack), slack.since(ours)) {
        (ahead, Ttl::ZERO) => (ahead, "ahead of"),
        (_, behind) => (behind, "behind"),
    };
    let seen = format!("{} s {way} Slack's", apart.as_millis() / 1000);
    let remedy = "set this machine's clock by NTP; beyond 300 s no click counts";
    if apart > SKEW_WRONG {
        Finding::wrong("clock", seen, remedy)
    } else if apart > SKEW_WARNING {
        Finding::warning("clock", seen, remedy)
    } else {
        // Slack's date is of the second.
        Finding::ok("clock", "as Slack's, to the second or so".to_owned())
    }
}

/// What Slack says of sample cards.
async fn cards(api: &SlackApi) -> Vec<Finding> {
    let mut findings = Vec::new();
    for language in Language::ALL {
        for (name, blocks) in sample::cards(language) {
            let check = format!("card {name}, {}", language.tag());
            findings.push(match api.validate_blocks(&blocks).await {
                Ok(()) => Finding::ok(check, "Slack takes it"),
                Err(ApiError::TooLarge { code, details }) => Finding::wrong(
                    check,
                    format!("Slack does not take it ({code})\n{}", details.join("\n")),
                    "this is a fault of Placet's: report it with this line",
                ),
                Err(fault) => refused(&check, "bot_token", &fault),
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use placet::time::Timestamp;

    use super::super::Health;
    use super::*;

    #[test]
    fn clocks_may_be_a_minute_apart() {
        let slack = Timestamp::from_secs(1_000_000);
        for (apart, health) in [
            (0, Health::Ok),
            (60, Health::Ok),
            (61, Health::Warning),
            (300, Health::Warning),
            (301, Health::Wrong),
        ] {
            let apart = Ttl::from_secs(apart);
            assert_eq!(clocks(Some((slack, slack + apart))).health, health, "{apart:?} ahead");
            assert_eq!(clocks(Some((slack + apart, slack))).health, health, "{apart:?} behind");
        }
        assert!(clocks(Some((slack, slack + SKEW_WRONG))).seen.contains("ahead of"));
        assert_eq!(clocks(None).health, Health::Warning);
    }
}
