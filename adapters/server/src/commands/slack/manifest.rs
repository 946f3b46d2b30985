//! The manifest of the Slack app. `config/slack-manifest.yaml` is what this makes for an example's address.
//!
//! Source: <https://docs.slack.dev/reference/app-manifest>.

use std::fmt::Write as _;

use anyhow::{Context as _, ensure};
use url::Url;

/// The app's name; at most 35 characters.
const NAME: &str = "Placet";
/// What it is for; at most 140 characters.
const DESCRIPTION: &str = "Stands between AI agents and their tools; people approve what is risky.";
/// The bot's name in channels; at most 80 characters.
const DISPLAY_NAME: &str = "placet";
/// The colour behind the app's name.
const BACKGROUND: &str = "#1f3a5f";
/// The slash command, and what is shown beside it.
const COMMAND: (&str, &str, &str) = (
    "/placet",
    "What waits, who decided what, and why",
    "pending | show ID | audit who:@ana since:7d | help",
);

/// Where Slack sends clicks and dialogs, commands, and events.
const INTERACTIVITY_PATH: &str = "/slack/interactivity";
const COMMANDS_PATH: &str = "/slack/commands";
pub(crate) const EVENTS_PATH: &str = "/slack/events";

/// Something that the bot's token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Slack's name for it.
    pub(crate) name: &'static str,
    /// What it is for.
    pub(crate) purpose: &'static str,
    /// What does not work without it.
    pub(crate) without: &'static str,
    /// Whether Placet does its main job without it.
    pub(crate) is_optional: bool,
}

const fn needed(name: &'static str, purpose: &'static str, without: &'static str) -> Scope {
    Scope { name, purpose, without, is_optional: false }
}

const fn optional(name: &'static str, purpose: &'static str, without: &'static str) -> Scope {
    Scope { name, purpose, without, is_optional: true }
}

/// All scopes, each with its reason.
pub(crate) const SCOPES: [Scope; 10] = [
    needed(
        "chat:write",
        "Cards, their updates, and whispers to one person.",
        "no card can be posted: nobody is asked",
    ),
    needed("commands", "The command /placet.", "/placet is not there"),
    needed(
        "users:read",
        "Whether who clicked is a full member in good order, and in which language they read; asked at every click.",
        "no click counts: every account is unreadable",
    ),
    needed(
        "usergroups:read",
        "Who is in a user group, where the policy gives roles to one ([[groups]]).",
        "nobody has a role by a user group",
    ),
    needed(
        "app_mentions:read",
        "A task for the agent, by mentioning it.",
        "mentions of the agent are not heard",
    ),
    needed(
        "im:write",
        "Messages to one person, such as what became of their request.",
        "nobody is told directly",
    ),
    needed("im:history", "A task for the agent, in a direct message to it.", "direct messages are not heard"),
    optional("files:write", "Exports of the audit as a file.", "exports of the audit come as text only"),
    optional(
        "channels:history",
        "A post whose answer was lost is looked up before it is posted again, in public channels. Without it a crash can \
         leave a second copy of a card, which follows the first as soon as somebody clicks it.",
        "a crash can leave a second copy of a card in a public channel",
    ),
    optional(
        "groups:history",
        "The same in private channels.",
        "a crash can leave a second copy of a card in a private channel",
    ),
];

/// An event that Slack sends.
struct Event {
    name: &'static str,
    /// The scope it needs; none needs none.
    scope: Option<&'static str>,
    purpose: &'static str,
}

/// All events, each with its reason.
const EVENTS: [Event; 9] = [
    Event {
        name: "app_mention",
        scope: Some("app_mentions:read"),
        purpose: "A task for the agent, in a channel.",
    },
    Event {
        name: "message.im",
        scope: Some("im:history"),
        purpose: "A task for the agent, in a direct message.",
    },
    Event { name: "app_home_opened", scope: None, purpose: "The Home tab is drawn when somebody opens it." },
    Event {
        name: "user_change",
        scope: Some("users:read"),
        purpose: "An account was closed, or has another language: it is asked about again.",
    },
    Event {
        name: "team_join",
        scope: Some("users:read"),
        purpose: "Somebody joined, perhaps anew: they are asked about again.",
    },
    Event {
        name: "subteam_updated",
        scope: Some("usergroups:read"),
        purpose: "A user group changed: it is asked about again.",
    },
    Event {
        name: "subteam_members_changed",
        scope: Some("usergroups:read"),
        purpose: "Somebody joined or left a user group.",
    },
    Event { name: "tokens_revoked", scope: None, purpose: "The app lost its token: the operators are told." },
    Event { name: "app_uninstalled", scope: None, purpose: "The app was removed: the operators are told." },
];

/// How Slack's calls come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ways {
    /// To an address.
    Http {
        /// What stands before the paths, without a slash at its end.
        base: String,
    },
    /// On sockets that Placet opens.
    Socket,
}

/// The address that Slack is told, without a slash at its end: https, a host, perhaps a port; the prefix apart.
pub(crate) fn base_url(text: &str, prefix: Option<&str>) -> anyhow::Result<String> {
    let example = "such as --url https://placet.example.org";
    let url = Url::parse(text).ok().filter(|url| url.has_host());
    let url = url.with_context(|| format!("--url {text} is no address: {example}"))?;
    ensure!(
        url.username().is_empty() && url.password().is_none(),
        "an account does not belong into --url: everybody who may see the app's settings would read it"
    );
    ensure!(url.scheme() == "https", "--url {text} is not https, and Slack calls nothing else: {example}");
    ensure!(
        url.path() == "/" && url.query().is_none() && url.fragment().is_none(),
        "--url {text} has more than a host: {example}; what stands before every path, as `path_prefix` in the settings, is \
         --path-prefix"
    );
    ensure!(
        !text.ends_with('/'),
        "--url {text} ends in a slash, which would stand twice in every path: {example}"
    );
    let prefix = prefix.unwrap_or_default();
    let plain = prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte));
    ensure!(
        prefix.is_empty()
            || (prefix.starts_with('/') && !prefix.ends_with('/') && !prefix.contains("//") && plain),
        "--path-prefix {prefix} is not the beginning of a path: such as --path-prefix /placet, as in the settings"
    );
    Ok(format!("{text}{prefix}"))
}

/// The manifest, with a comment wherever somebody may ask why.
pub(super) fn text(ways: &Ways) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _written = write(&mut out, ways);
    out
}

fn write(out: &mut String, ways: &Ways) -> std::fmt::Result {
    head(out, ways)?;
    let (command, about, hint) = COMMAND;
    writeln!(
        out,
        "_metadata:
  major_version: 2
  minor_version: 1
display_information:
  name: {NAME}
  description: {DESCRIPTION}
  background_color: \"{BACKGROUND}\"
features:
  app_home:
    home_tab_enabled: true
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: {DISPLAY_NAME}
    always_online: true
  slash_commands:
    - command: {command}"
    )?;
    if let Ways::Http { base } = ways {
        writeln!(out, "      url: {base}{COMMANDS_PATH}")?;
    }
    writeln!(
        out,
        "      description: {about}
      usage_hint: \"{hint}\"
      # So that @ana comes as an id: names are not unique.
      should_escape: true
oauth_config:
  scopes:
    bot:"
    )?;
    for scope in SCOPES {
        let kind = if scope.is_optional { "Optional. " } else { "" };
        comment(out, "      ", &format!("{kind}{}", scope.purpose))?;
        writeln!(out, "      - {}", scope.name)?;
    }
    writeln!(out, "settings:\n  event_subscriptions:")?;
    if let Ways::Http { base } = ways {
        writeln!(out, "    request_url: {base}{EVENTS_PATH}")?;
    }
    writeln!(out, "    bot_events:")?;
    for event in EVENTS {
        let needs = event.scope.map(|scope| format!(" Needs {scope}.")).unwrap_or_default();
        comment(out, "      ", &format!("{}{needs}", event.purpose))?;
        writeln!(out, "      - {}", event.name)?;
    }
    writeln!(out, "  interactivity:\n    is_enabled: true")?;
    if let Ways::Http { base } = ways {
        writeln!(out, "    request_url: {base}{INTERACTIVITY_PATH}")?;
    }
    writeln!(
        out,
        "  org_deploy_enabled: false
  socket_mode_enabled: {}
  token_rotation_enabled: false",
        *ways == Ways::Socket
    )
}

/// What whoever reads it does with it.
fn head(out: &mut String, ways: &Ways) -> std::fmt::Result {
    let (made_by, before) = match ways {
        Ways::Http { .. } => (
            "`placet slack manifest --url https://…` makes it for your own address, --socket one for Socket Mode, which needs \
             no address.",
            "Slack checks the address of events at once: let the server run before you save the manifest, or confirm \
             the address later (\"Event Subscriptions\", \"Retry\").",
        ),
        Ways::Socket => (
            "`placet slack manifest --socket` makes it: Placet connects to Slack, and no address of its own is public.",
            "Then make an app-level token with the scope connections:write (\"Basic Information\", \"App-Level Tokens\") \
             and set it as `slack.app_token` in Placet's settings.",
        ),
    };
    comment(
        out,
        "",
        &format!(
            "The Slack app: api.slack.com/apps, \"Create New App\", \"From a manifest\"; install the app into the workspace, \
             and invite it to the channels where cards go. {made_by}"
        ),
    )?;
    writeln!(out, "#")?;
    comment(out, "", before)?;
    writeln!(out, "#")?;
    let signing = match ways {
        Ways::Http { .. } => "`slack.signing_secret` (\"Basic Information\", \"Signing Secret\"), ",
        Ways::Socket => "",
    };
    comment(
        out,
        "",
        &format!(
            "Set in Placet's settings: {signing}`slack.bot_token` (\"OAuth & Permissions\", \"Bot User OAuth Token\"), \
             `slack.team` and `slack.channel`. `placet doctor` says what is still missing."
        ),
    )
}

/// The columns of a line.
const COLUMNS: usize = 118;

/// A comment, broken between words.
fn comment(out: &mut String, indent: &str, text: &str) -> std::fmt::Result {
    let mut line = format!("{indent}#");
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > COLUMNS {
            writeln!(out, "{line}")?;
            line = format!("{indent}#");
        }
        line.push(' ');
        line.push_str(word);
    }
    writeln!(out, "{line}")
}

#[cfg(test)]
mod needed;
#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Ways {
        Ways::Http { base: base_url("https://placet.example.org", None).unwrap() }
    }

    /// R30: the file that ships is what the command makes.
    #[test]
    fn the_example_is_what_the_command_makes() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/slack-manifest.yaml");
        let made = text(&example());
        if std::env::var_os("PLACET_WRITE_EXAMPLES").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), made);
    }

    /// Slack refuses a manifest beyond these.
    #[test]
    fn the_manifest_keeps_slacks_limits() {
        let length = |text: &str| text.encode_utf16().count();
        assert!(length(NAME) <= 35 && length(DESCRIPTION) <= 140 && length(DISPLAY_NAME) <= 80);
        let (command, about, hint) = COMMAND;
        assert!(length(command) <= 32 && length(about) <= 2_000 && length(hint) <= 1_000);
        // Each stands in YAML without quotes, or within double ones.
        for plain in [NAME, DESCRIPTION, DISPLAY_NAME, about] {
            assert!(
                !plain.contains([':', '#', '"', '\'', '{', '[', '&', '*', '!', '|', '>', '%', '@']),
                "{plain}"
            );
        }
        assert!(!hint.contains(['"', '\\']));
    }

    /// Every event comes only with its scope, and each thing stands there once.
    #[test]
    fn every_event_has_its_scope() {
        for event in EVENTS {
            let scope = event.scope.is_none_or(|name| SCOPES.iter().any(|scope| scope.name == name));
            assert!(scope, "{}", event.name);
        }
        for (number, scope) in SCOPES.iter().enumerate() {
            assert!(SCOPES[..number].iter().all(|other| other.name != scope.name), "{}", scope.name);
        }
    }

    /// R30: over sockets Slack needs no address, and is told none.
    #[test]
    fn socket_mode_names_no_address() {
        let made = text(&Ways::Socket);
        let settings: Vec<&str> = made.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let settings = settings.join("\n");
        assert!(settings.contains("socket_mode_enabled: true"));
        assert!(!settings.contains("url:") && !settings.contains("https://"), "{settings}");
        assert!(text(&example()).contains("socket_mode_enabled: false"));
    }

    #[test]
    fn an_address_that_slack_could_not_call_is_named() {
        let told = [
            ("placet.example.org", None),
            ("http://placet.example.org", None),
            ("https://placet.example.org/", None),
            ("https://placet.example.org/placet", None),
            ("https://placet.example.org?x=1", None),
            ("https://ana:secret@placet.example.org", None),
            ("https://", None),
            ("https://placet.example.org", Some("placet")),
            ("https://placet.example.org", Some("/placet/")),
        ]
        .map(|(url, prefix)| format!("{url} {prefix:?}\n  {}", base_url(url, prefix).unwrap_err()));
        insta::assert_snapshot!(told.join("\n"));
        assert_eq!(
            base_url("https://placet.example.org:8443", None).unwrap(),
            "https://placet.example.org:8443"
        );
        let prefixed = base_url("https://placet.example.org", Some("/placet")).unwrap();
        assert!(
            text(&Ways::Http { base: prefixed }).contains("https://placet.example.org/placet/slack/events\n")
        );
    }
}
