//! The manifest asks for what the adapter's own calls and events need, and for nothing else: what it calls is read from its
//! source, what each needs is written down here from Slack's pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{EVENTS, SCOPES, Ways, base_url, text};

/// The scopes of the bot that each method needs. <https://docs.slack.dev/reference/methods>
const METHODS: [(&str, &[&str]); 16] = [
    // The app's own token, whose scope is no bot's.
    ("apps.connections.open", &[]),
    ("auth.test", &[]),
    ("blocks.validate", &[]),
    ("chat.postEphemeral", &["chat:write"]),
    ("chat.postMessage", &["chat:write"]),
    ("chat.update", &["chat:write"]),
    ("conversations.history", &["channels:history", "groups:history", "im:history"]),
    // The doctor asks, and says that it is not told: channels:read is not asked for only for that.
    ("conversations.info", &[]),
    ("conversations.open", &["im:write"]),
    ("conversations.replies", &["channels:history", "groups:history", "im:history"]),
    ("files.completeUploadExternal", &["files:write"]),
    ("files.getUploadURLExternal", &["files:write"]),
    ("usergroups.users.list", &["usergroups:read"]),
    ("users.info", &["users:read"]),
    ("views.open", &[]),
    ("views.update", &[]),
];

/// As [`METHODS`]: the home, which needs none either, only its tab.
const HOME: &str = "views.publish";

/// The scope that each event needs. <https://docs.slack.dev/reference/events>
const HEARD: [(&str, &str, Option<&str>); 9] = [
    ("app_mention", "app_mention", Some("app_mentions:read")),
    ("message.im", "message", Some("im:history")),
    ("app_home_opened", "app_home_opened", None),
    ("user_change", "user_change", Some("users:read")),
    ("team_join", "team_join", Some("users:read")),
    ("subteam_updated", "subteam_updated", Some("usergroups:read")),
    ("subteam_members_changed", "subteam_members_changed", Some("usergroups:read")),
    ("tokens_revoked", "tokens_revoked", None),
    ("app_uninstalled", "app_uninstalled", None),
];

/// Events that are understood should they come, and not asked for: the first comes with `user_change`, and no policy names a
/// group before it is there.
const UNASKED: [&str; 2] = ["user_profile_changed", "subteam_created"];

fn adapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../slack/src")
}

/// What a file says before its tests.
fn source(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

/// Every file of the adapter but its tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            files(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "fixtures.rs" {
            found.push(path);
        }
    }
}

/// What stands between quotes in a text and reads like this.
fn quoted(text: &str, reads: impl Fn(&str) -> bool) -> BTreeSet<String> {
    text.split('"').skip(1).step_by(2).filter(|word| reads(word)).map(str::to_owned).collect()
}

/// The methods that the adapter calls: whatever is named as one where it speaks to Slack, but for the table of how often
/// each may be.
fn called() -> BTreeSet<String> {
    const FAMILIES: [&str; 10] = [
        "apps",
        "auth",
        "blocks",
        "chat",
        "conversations",
        "files",
        "reactions",
        "usergroups",
        "users",
        "views",
    ];
    let is_method = |word: &str| {
        let (family, rest) = word.split_once('.').unwrap_or_default();
        // A host's name is none.
        let is_name = !rest.is_empty() && !rest.ends_with(".com");
        is_name
            && FAMILIES.contains(&family)
            && rest.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.')
    };
    let mut all = Vec::new();
    files(&adapter(), &mut all);
    let speaking = all.iter().filter(|path| !path.ends_with("api/meter.rs"));
    speaking.flat_map(|path| quoted(&source(path), is_method)).collect()
}

/// R30: least privilege. A method that is new needs a line here, with its scope; a scope that nothing needs is not asked for.
#[test]
fn the_manifest_asks_for_what_the_adapter_calls_and_hears() {
    let methods: BTreeMap<&str, &[&str]> = METHODS.into_iter().chain([(HOME, &[][..])]).collect();
    let called = called();
    assert_eq!(called.iter().map(String::as_str).collect::<BTreeSet<_>>(), methods.keys().copied().collect());

    let mut needed: BTreeSet<&str> = methods.values().flat_map(|scopes| scopes.iter().copied()).collect();
    needed.extend(HEARD.iter().filter_map(|(_, _, scope)| *scope));
    // The slash command.
    needed.insert("commands");
    assert_eq!(SCOPES.iter().map(|scope| scope.name).collect::<BTreeSet<_>>(), needed);

    let asked: BTreeMap<&str, Option<&str>> = EVENTS.iter().map(|event| (event.name, event.scope)).collect();
    assert_eq!(asked, HEARD.iter().map(|(name, _, scope)| (*name, *scope)).collect());
    let heard = source(&adapter().join("inbound/event.rs"));
    let (_, arms) = heard.split_once("event[\"type\"]").unwrap();
    let (arms, _) = arms.split_once("_ => Heard::Nothing").unwrap();
    let arms: String = arms.lines().filter_map(|line| line.split_once("=>").map(|(arm, _)| arm)).collect();
    let arms: String = arms.split(" if ").map(|arm| format!("{arm}\n")).collect();
    let known = |word: &str| HEARD.iter().any(|(_, kind, _)| *kind == word) || UNASKED.contains(&word);
    let found = quoted(&arms, known);
    let expected: BTreeSet<String> =
        HEARD.iter().map(|(_, kind, _)| *kind).chain(UNASKED).map(str::to_owned).collect();
    assert_eq!(found, expected, "what is asked for is heard");
}

/// R30: and that is what is printed, for either way in.
#[test]
fn what_is_printed_is_what_is_needed() {
    let http = Ways::Http { base: base_url("https://placet.example.org", None).unwrap() };
    for made in [text(&http), text(&Ways::Socket)] {
        let items = |from: &str, to: &str| -> Vec<String> {
            let (_, rest) = made.split_once(from).unwrap();
            let (list, _) = rest.split_once(to).unwrap();
            list.lines().filter_map(|line| line.trim().strip_prefix("- ")).map(str::to_owned).collect()
        };
        assert_eq!(items("    bot:\n", "\nsettings:"), SCOPES.map(|scope| scope.name.to_owned()));
        assert_eq!(items("bot_events:\n", "interactivity:"), EVENTS.map(|event| event.name.to_owned()));
        assert!(made.contains("home_tab_enabled: true") && made.contains("messages_tab_enabled: true"));
        assert!(
            !made.contains("    user:\n") && !made.contains("org_deploy_enabled: true"),
            "no token of a person's"
        );
    }
}
