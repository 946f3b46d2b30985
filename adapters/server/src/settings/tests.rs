//! Wrong settings, each with its message; and secrets, which are in none of them.

use std::fmt::Write as _;
use std::path::Path;

use super::*;

const SIGNING: &str = "8f742231b10e8888abcd99yyyzzz85a5";
const TOKEN: &str = "xoxb-1234567890-abcdefghij";
const PAGERDUTY: &str = "u+AbCdEfGhIjKlMnOpQr";
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

const GOOD: &str = r#"
data = "placet.db"
policy = "policy.toml"
[slack]
signing_secret = { env = "SLACK_SIGNING_SECRET" }
bot_token = { env = "SLACK_BOT_TOKEN" }
team = "T024BE7LD"
tenant = "acme"
channel = "C024BE91L"
[grants]
key = { env = "GRANT_KEY" }
"#;

const OUTBOUND: &str = r#"
[outbound]
proxy = "http://proxy.example.org:3128"
user = "placet"
password = { env = "PROXY_PASSWORD" }
"#;

fn environment(name: &str) -> Option<String> {
    match name {
        "SLACK_SIGNING_SECRET" => Some(SIGNING.to_owned()),
        "SLACK_BOT_TOKEN" => Some(format!("{TOKEN}\n")),
        "GRANT_KEY" => Some(KEY.to_owned()),
        "SHORT_KEY" => Some(KEY[..62].to_owned()),
        "PROXY_PASSWORD" => Some("hunter2hunter2".to_owned()),
        "PAGERDUTY_TOKEN" => Some(PAGERDUTY.to_owned()),
        "EMPTY" => Some(" \n".to_owned()),
        _ => None,
    }
}

fn read_in(folder: &Path, text: &str) -> Result<Settings, SettingsErrors> {
    Settings::parse(text, "placet.toml", Secrets { folder, environment: &environment })
}

fn read(text: &str) -> Result<Settings, SettingsErrors> {
    read_in(Path::new("/etc/placet"), text)
}

/// The good settings, with one line replaced by another.
fn with(line: &str, other: &str) -> String {
    assert!(GOOD.contains(line), "{line}");
    GOOD.replace(line, other)
}

#[test]
fn good_settings_are_taken() {
    let settings = read(GOOD).unwrap();
    assert_eq!(settings.data, Path::new("/etc/placet/placet.db"));
    assert_eq!(settings.policy.installation, PolicySource::File("/etc/placet/policy.toml".into()));
    assert_eq!(settings.lease, Ttl::from_secs(60));
    let slack = settings.slack.as_ref().unwrap();
    assert_eq!(slack.bot_token.expose_secret(), TOKEN, "the line break after it is no part of it");
    assert_eq!(slack.api_url.as_str(), "https://slack.com/api/");
    assert_eq!(settings.grants.as_ref().unwrap().bytes().unwrap()[31], 0x1f);
    assert_eq!(settings.hosts(), ["slack.com:443"]);
    assert!(settings.agent.is_none());
}

#[test]
fn an_api_url_without_a_slash_gets_one_and_an_agent_can_be_switched_off() {
    let text = with("[slack]", "[slack]\napi_url = \"http://127.0.0.1:4000/api\"");
    let text = format!("{text}\n[agent]\nenabled = false\ntenant = \"acme\"\nworkspace = \"w\"\n");
    let settings = read(&text).unwrap();
    assert_eq!(settings.slack.unwrap().api_url.as_str(), "http://127.0.0.1:4000/api/");
    assert!(settings.agent.is_none());
}

/// R40, R53: PagerDuty's token is a secret like the others, and its host one that the server talks to.
#[test]
fn who_is_on_call_is_asked_of_pagerduty() {
    let on_call = "[on_call]\npagerduty_token = { env = \"PAGERDUTY_TOKEN\" }\n";
    let settings = read(&format!("{GOOD}{on_call}")).unwrap();
    assert_eq!(settings.hosts(), ["api.pagerduty.com:443", "slack.com:443"]);
    assert!(!format!("{settings:?}").contains(PAGERDUTY));
    let shown = settings.redactor().redact_text(&format!("it is {PAGERDUTY} they say"));
    assert!(!shown.text.contains(PAGERDUTY), "{}", shown.text);
    let elsewhere = format!("{GOOD}{on_call}pagerduty_url = \"https://api.eu.pagerduty.com\"\n");
    let elsewhere = read(&elsewhere).unwrap().on_call.unwrap();
    assert_eq!(elsewhere.pagerduty_url.as_str(), "https://api.eu.pagerduty.com/");
    let without = read(&format!("{GOOD}[on_call]\n")).unwrap_err().to_string();
    assert!(without.contains("on_call.pagerduty_token"), "{without}");
}

/// A wrong setting is a clear error that names file, line, key and remedy.
#[test]
fn each_wrong_setting_is_named_with_its_remedy() {
    let signing = "signing_secret = { env = \"SLACK_SIGNING_SECRET\" }";
    let wrong: [(&str, String); 37] = [
        ("nothing at all", String::new()),
        ("not TOML", "data = \n".to_owned()),
        ("an unknown table", format!("{GOOD}[slak]\nx = 1\n")),
        ("an unknown key", with("channel =", "chanel =")),
        ("an unknown key like no other", with("[grants]", "[grants]\nfrobnicate = true")),
        ("a number for text", with("\"placet.db\"", "7")),
        ("empty text", with("\"policy.toml\"", "\"\"")),
        ("a table for text", with("\"policy.toml\"", "{ file = \"policy.toml\" }")),
        ("text for a table", "data = \"a\"\npolicy = \"b\"\nslack = \"yes\"\n".to_owned()),
        ("a secret in the file", with(signing, &format!("signing_secret = \"{SIGNING}\""))),
        ("a secret without a source", with(signing, "signing_secret = {}")),
        ("a secret with two sources", with(signing, "signing_secret = { env = \"A\", file = \"b\" }")),
        ("a secret with an unknown source", with(signing, "signing_secret = { vault = \"A\" }")),
        ("a secret as a name", with(signing, &format!("signing_secret = {{ env = \"{TOKEN}\" }}"))),
        ("a variable that is not set", with("\"SLACK_BOT_TOKEN\"", "\"SLACK_BOT_TOKN\"")),
        ("an empty signing secret", with("\"SLACK_SIGNING_SECRET\"", "\"EMPTY\"")),
        ("a missing signing secret", with(signing, "")),
        ("a secret as a path", with(signing, &format!("signing_secret = {{ file = \"{TOKEN}\" }}"))),
        ("a grant key that is too short", with("\"GRANT_KEY\"", "\"SHORT_KEY\"")),
        ("a channel by its name", with("\"C024BE91L\"", "\"#ops\"")),
        ("a team by its name", with("\"T024BE7LD\"", "\"acme\"")),
        ("a missing tenant", with("tenant = \"acme\"", "")),
        ("a tenant with a line break", with("\"acme\"", "\"a\\nb\"")),
        ("no address", with("[slack]", "[slack]\napi_url = \"slack.com\"")),
        ("nowhere to listen", format!("{GOOD}[http]\nlisten = \"localhost\"\n")),
        ("a prefix with a slash at its end", format!("{GOOD}[http]\npath_prefix = \"/placet/\"\n")),
        ("connections without bounds", format!("{GOOD}[http]\nconnections_max = 999999999999\n")),
        ("a lease without a unit", with("[slack]", "lease = \"60\"\n[slack]")),
        ("a lease that is too long", with("[slack]", "lease = \"2h\"\n[slack]")),
        ("an unknown log format", format!("{GOOD}[log]\nformat = \"jsno\"\n")),
        ("an unknown log level", format!("{GOOD}[log]\nlevel = \"placet=loud\"\n")),
        ("a word that is no level", format!("{GOOD}[log]\nlevel = \"verbose\"\n")),
        (
            "an unknown model",
            format!("{GOOD}[agent]\nmodel = \"oracle\"\ntenant = \"a\"\nworkspace = \"w\"\n"),
        ),
        ("an unknown tool", format!("{GOOD}[tools]\nenabled = [\"get_time\", \"rm\"]\n")),
        ("a host with a path", format!("{GOOD}[tools]\nhttp_hosts = [\"api.example.org/v1\"]\n")),
        (
            "a password in an address",
            format!("{GOOD}[outbound]\nproxy = \"http://placet:{TOKEN}@proxy.example.org\"\n"),
        ),
        ("a proxy that is none", format!("{GOOD}[outbound]\nproxy = \"proxy\"\n")),
    ];
    let mut told = String::new();
    for (what, text) in wrong {
        let errors = read(&text).expect_err(what);
        writeln!(told, "# {what}\n{errors}\n").unwrap();
    }
    for secret in [SIGNING, TOKEN, KEY] {
        assert!(!told.contains(secret), "a secret is never repeated");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn secrets_are_in_no_debug_text() {
    let text = with("[slack]", "[slack]\nsigning_secret_previous = { env = \"SLACK_SIGNING_SECRET\" }");
    let settings = read(&format!("{text}{OUTBOUND}")).unwrap();
    assert_eq!(
        settings.outbound.as_ref().unwrap().address().as_str(),
        "http://placet:hunter2hunter2@proxy.example.org:3128/"
    );
    let shown = format!("{settings:?} {settings:#?}");
    for secret in [SIGNING, TOKEN, KEY, "hunter2hunter2"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn the_redactor_knows_every_secret_of_the_settings() {
    let text = format!("{GOOD}{OUTBOUND}");
    let redactor = read(&text).unwrap().redactor();
    for secret in [SIGNING, TOKEN, KEY, "hunter2hunter2"] {
        let shown = redactor.redact_text(&format!("look: {secret} here")).text;
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn a_secrets_file_is_for_the_server_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signing");
    std::fs::write(&path, format!("{SIGNING}\n")).unwrap();
    let text = with("{ env = \"SLACK_SIGNING_SECRET\" }", "{ file = \"signing\" }");
    let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    let refusal = || {
        let told = read_in(folder.path(), &text).unwrap_err().to_string();
        assert!(!told.contains(SIGNING));
        told.replace(&folder.path().display().to_string(), "/etc/placet")
    };

    mode(0o600);
    let settings = read_in(folder.path(), &text).unwrap();
    assert_eq!(settings.slack.unwrap().signing_secret.expose_secret(), SIGNING);
    mode(0o644);
    let mut told = refusal();
    mode(0o600);
    std::fs::write(&path, "\n").unwrap();
    writeln!(told, "\n{}", refusal()).unwrap();
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    writeln!(told, "{}", refusal()).unwrap();
    insta::assert_snapshot!(told);
}

#[test]
fn a_policy_that_cannot_be_read_is_named() {
    let source = PolicySource::File("/nowhere/policy.toml".into());
    insta::assert_snapshot!(source.read().unwrap_err());
    let source = PolicySource::Text { name: "p.toml".to_owned(), text: "version = 7".to_owned() };
    insta::assert_snapshot!(source.read().unwrap_err());
    assert!(PolicySource::Builtin.read().unwrap().is_solo());
}

/// R19: each tenant can have a policy of its own.
#[test]
fn tenants_have_policies_of_their_own() {
    let tables =
        "[tenants.globex]\npolicy = \"tenants/globex.toml\"\n[tenants.initech]\npolicy = \"i.toml\"\n";
    let settings = read(&format!("policy_poll = \"2s\"\n{GOOD}{tables}")).unwrap();
    let globex = &settings.policy.tenants[&TenantId::new("globex").unwrap()];
    assert_eq!(*globex, PolicySource::File("/etc/placet/tenants/globex.toml".into()));
    assert_eq!(settings.policy.poll, Ttl::from_secs(2));
    assert_eq!(settings.tenants().len(), 3);
    assert_eq!(settings.policy_tenant().unwrap().as_str(), "acme", "people are asked where they are reached");
    let named = read(&format!("policy_tenant = \"initech\"\n{GOOD}{tables}")).unwrap();
    assert_eq!(named.policy_tenant().unwrap().as_str(), "initech");
    let errors =
        read(&format!("{GOOD}[tenants.globex]\npolcy = \"g.toml\"\n[tenants.\"\"]\npolicy = \"b.toml\"\n"))
            .unwrap_err()
            .to_string();
    assert!(errors.contains("tenants.globex.policy: it is missing"), "{errors}");
    assert!(
        errors.contains("did you mean `policy`?") && errors.contains("this is no tenant's name"),
        "{errors}"
    );
    assert!(
        read(&format!("policy_poll = \"0s\"\n{GOOD}"))
            .unwrap_err()
            .to_string()
            .contains("policy_poll: 0s is out of bounds")
    );
}
