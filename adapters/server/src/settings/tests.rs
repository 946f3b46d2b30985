//! Wrong settings, each with its message; and secrets, which are in none of them.

use std::fmt::Write as _;
use std::path::Path;

use placet::text::Language;

use super::*;

const SIGNING: &str = "8f742231b10e8888abcd99yyyzzz85a5";
const TOKEN: &str = "xoxb-1234567890-abcdefghij";
const APP_TOKEN: &str = "xapp-1-A1234567890-abcdefghij";
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
        "OTHER_BOT_TOKEN" => Some("xoxb-0987654321-jihgfedcba".to_owned()),
        "SLACK_APP_TOKEN" => Some(APP_TOKEN.to_owned()),
        "GRANT_KEY" => Some(KEY.to_owned()),
        "SHORT_KEY" => Some(KEY[..62].to_owned()),
        "PROXY_PASSWORD" => Some("hunter2hunter2".to_owned()),
        "PAGERDUTY_TOKEN" => Some(PAGERDUTY.to_owned()),
        "EMPTY" => Some(" \n".to_owned()),
        _ => None,
    }
}

fn read_in(folder: &Path, text: &str) -> Result<Settings, SettingsErrors> {
    Settings::parse(text, "placet.toml", Secrets::new(folder, &environment))
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
    let slack = settings.slack.first().unwrap();
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
    assert_eq!(settings.slack[0].api_url.as_str(), "http://127.0.0.1:4000/api/");
    assert!(settings.agent.is_none());
}

/// R30, R53: with an app-level token nothing needs to be signed; it is a secret like the others, and its hosts are named.
#[test]
fn sockets_need_no_signing_secret() {
    let signing = "signing_secret = { env = \"SLACK_SIGNING_SECRET\" }";
    let app = "app_token = { env = \"SLACK_APP_TOKEN\" }";
    let settings = read(&with(signing, app)).unwrap();
    let ways_in = &settings.slack.first().unwrap().ways_in;
    assert!(ways_in.signing_secret.is_none() && ways_in.connections == 2);
    assert_eq!(settings.hosts(), ["slack.com:443", "wss-backup.slack.com:443", "wss-primary.slack.com:443"]);
    assert!(!format!("{settings:?}").contains(APP_TOKEN));
    let shown = settings.redactor().redact_text(&format!("it is {APP_TOKEN} they say"));
    assert!(!shown.text.contains(APP_TOKEN), "{}", shown.text);
    let both = read(&with(signing, &format!("{signing}\n{app}\nsocket_connections = 10"))).unwrap();
    let ways_in = &both.slack.first().unwrap().ways_in;
    assert!(ways_in.signing_secret.is_some() && ways_in.app_token.is_some() && ways_in.connections == 10);
    for (wrong, key) in [
        (with(signing, &format!("{app}\nsocket_connections = 11")), "slack.socket_connections"),
        (with(signing, &format!("{signing}\nsocket_connections = 2")), "slack.socket_connections"),
        (with(signing, "app_token = { env = \"NOT_SET\" }"), "slack.app_token"),
        (with(signing, "app_token = { env = \"SLACK_BOT_TOKEN\" }"), "slack.app_token"),
        (with(signing, &format!("{app}\nsigning_secret = {{ env = \"NOT_SET\" }}")), "slack.signing_secret"),
        (
            with("signing_secret = {", &format!("{app}\nsigning_secret_previous = {{")),
            "slack.signing_secret_previous",
        ),
    ] {
        let told = read(&wrong).unwrap_err().to_string();
        assert!(told.contains(key), "{key}: {told}");
    }
}

/// A secret of Slack's that stands where another belongs is named, and never repeated.
#[test]
fn a_secret_of_another_kind_is_named() {
    let signing_digits = "00112233445566778899aabbccddeeff";
    let secrets = [
        ("BOT", TOKEN),
        ("APP", APP_TOKEN),
        ("SIGNING", signing_digits),
        ("PERSON", "xoxp-1234567890-abcdefghij"),
        ("EXPIRING", "xoxe.xoxb-1234567890-abcdefghij"),
    ];
    let environment =
        |name: &str| secrets.iter().find(|(known, _)| *known == name).map(|(_, secret)| (*secret).to_owned());
    let read = |bot: &str, way_in: &str| {
        let text = format!(
            "data = \"p.db\"\npolicy = \"builtin\"\n[slack]\n{way_in}\nbot_token = {{ env = \"{bot}\" }}\n\
             team = \"T024BE7LD\"\ntenant = \"acme\"\nchannel = \"C024BE91L\"\n"
        );
        Settings::parse(&text, "placet.toml", Secrets::new(Path::new(""), &environment))
    };
    let way_in = |key: &str, name: &str| format!("{key} = {{ env = \"{name}\" }}");
    for bot in ["BOT", "EXPIRING"] {
        assert!(read(bot, &way_in("signing_secret", "SIGNING")).is_ok());
    }
    assert!(read("BOT", &way_in("app_token", "APP")).is_ok());
    for (bot, way_in, key, told) in [
        ("APP", way_in("signing_secret", "SIGNING"), "bot_token", "an app-level token (xapp-…)"),
        ("SIGNING", way_in("signing_secret", "SIGNING"), "bot_token", "the form of a signing secret"),
        ("PERSON", way_in("signing_secret", "SIGNING"), "bot_token", "a token of another kind"),
        ("BOT", way_in("signing_secret", "BOT"), "signing_secret", "a bot's token (xoxb-…)"),
        ("BOT", way_in("signing_secret", "APP"), "signing_secret", "an app-level token (xapp-…)"),
        ("BOT", way_in("app_token", "BOT"), "app_token", "a bot's token (xoxb-…)"),
        ("BOT", way_in("app_token", "SIGNING"), "app_token", "the form of a signing secret"),
    ] {
        let errors = read(bot, &way_in).unwrap_err().to_string();
        assert!(errors.contains(&format!("slack.{key}: this ")) && errors.contains(told), "{key}: {errors}");
        assert!(secrets.iter().all(|(_, secret)| !errors.contains(secret)), "{errors}");
    }
}

/// R49: a bot's token is good in one workspace; a signing secret in all that have the same app.
#[test]
fn two_workspaces_share_no_bot() {
    let two = |bot: &str, signing: &str| {
        let other = format!(
            "[[slack]]\nname = \"emea\"\nsigning_secret = {{ env = \"{signing}\" }}\nbot_token = {{ env = \"{bot}\" }}\n\
             team = \"T0EMEA\"\ntenant = \"acme\"\nchannel = \"C024BE91L\"\n"
        );
        let environment = |name: &str| match name {
            "OTHER_BOT" => Some("xoxb-0987654321-abcdefghij".to_owned()),
            "OTHER_SIGNING" => Some("9f742231b10e8888abcd99yyyzzz85a5".to_owned()),
            name => environment(name),
        };
        let text = format!("{}{other}", GOOD.replace("[slack]", "[[slack]]"));
        Settings::parse(&text, "placet.toml", Secrets::new(Path::new(""), &environment))
    };
    let told = two("SLACK_BOT_TOKEN", "OTHER_SIGNING").unwrap_err().to_string();
    assert!(told.contains("slack[1].bot_token: two workspaces share one bot's token"), "{told}");
    let pairs = |settings: &Settings| {
        let pairs = settings.sharing_a_secret();
        pairs.iter().map(|(one, other)| format!("{one} {other}")).collect::<Vec<_>>()
    };
    assert_eq!(pairs(&two("OTHER_BOT", "SLACK_SIGNING_SECRET").unwrap()), ["slack slack-emea"]);
    assert!(pairs(&two("OTHER_BOT", "OTHER_SIGNING").unwrap()).is_empty());
}

/// A file is shared only where the settings say so.
#[test]
fn a_file_is_shared_only_on_purpose() {
    assert!(!read(GOOD).unwrap().store.shared);
    assert!(read(&format!("{GOOD}[store]\nshared = true\n")).unwrap().store.shared);
    assert!(read(&format!("{GOOD}[store]\nshard = true\n")).is_err());
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
    let wrong: [(&str, String); 44] = [
        ("nothing at all", String::new()),
        ("not TOML", "data = \n".to_owned()),
        ("a key twice", with("channel =", "team = \"T0OTHER\"\nchannel =")),
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
        ("a language that there is not", with("[grants]", "language = \"tlh\"\n[grants]")),
        (
            "the language of a channel by its name",
            with("[grants]", "[slack.channels.ops]\nlanguage = \"en\"\n[grants]"),
        ),
        (
            "something else of a channel",
            with("[grants]", "[slack.channels.C024BE91L]\nlanguages = \"en\"\n[grants]"),
        ),
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
        ("the schema of several tools", format!("{GOOD}[tools.schemas]\n\"mail/*\" = \"mail.json\"\n")),
        ("a schema that is not there", format!("{GOOD}[tools.schemas]\n\"mail/send\" = \"none.json\"\n")),
        ("a schema in the settings", format!("{GOOD}[tools.schemas.send]\ntype = \"object\"\n")),
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

/// R42: the workspace has a language, and each channel can have one of its own.
#[test]
fn channels_have_languages_of_their_own() {
    let slack = |text: &str| read(text).unwrap().slack.remove(0);
    let plain = slack(GOOD);
    assert_eq!((plain.language, plain.languages.len()), (Language::English, 0));
    let lines = "language = \"zh-Hans\"\n[slack.channels.C024BE91L]\nlanguage = \"en\"\n[grants]";
    let other = slack(&with("[grants]", lines));
    assert_eq!(other.language, Language::SimplifiedChinese);
    assert_eq!(other.languages, [("C024BE91L".to_owned(), Language::English)].into());
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
    assert_eq!(settings.slack[0].ways_in.signing_secret.as_ref().unwrap().expose_secret(), SIGNING);
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

/// R49: several workspaces, each by its name, with its own tenant; one table alone is as it was.
#[test]
fn several_workspaces_each_have_a_name() {
    let one = GOOD.replace("[slack]", "[[slack]]");
    let second = "[[slack]]\nname = \"emea\"\nsigning_secret = { env = \"SLACK_SIGNING_SECRET\" }\n\
                  bot_token = { env = \"OTHER_BOT_TOKEN\" }\nteam = \"T0OTHER01\"\ntenant = \"globex\"\n\
                  channel = \"C024BE91M\"\n";
    let settings = read(&format!("{one}{second}")).unwrap();
    let shown: Vec<_> =
        settings.slack.iter().map(|slack| (slack.name.as_str(), slack.tenant.as_str())).collect();
    assert_eq!(shown, [("slack", "acme"), ("slack-emea", "globex")]);
    assert_eq!(settings.policy_tenant(), None, "of two, neither is meant");
    assert_eq!(read(GOOD).unwrap().slack[0].name.as_str(), "slack");
    for (wrong, why) in [
        (second.replace("name = \"emea\"\n", ""), "two workspaces are called `slack`"),
        (second.replace("T0OTHER01", "T024BE7LD"), "T024BE7LD stands here twice"),
        (second.replace("emea", "North America"), "is no name of a workspace"),
        (second.replace("team = \"T0OTHER01\"\n", ""), "slack[1].team"),
        (
            "[[slack]]\nname = \"n\"\nbot_token = { env = \"SLACK_BOT_TOKEN\" }\nteam = \"T0OTHER01\"\ntenant = \"b\"\n\
             channel = \"C024BE91M\"\napp_token = { env = \"PAGERDUTY_TOKEN\" }\n[[slack]]\nname = \"m\"\n\
             bot_token = { env = \"SLACK_BOT_TOKEN\" }\nteam = \"T0OTHER02\"\ntenant = \"c\"\nchannel = \"C024BE91M\"\n\
             app_token = { env = \"PAGERDUTY_TOKEN\" }\n"
                .to_owned(),
            "share one app's sockets",
        ),
    ] {
        let errors = read(&format!("{one}{wrong}")).unwrap_err().to_string();
        assert!(errors.contains(why), "{why}: {errors}");
    }
}

/// R39: the schemas of tools are read with the settings, from where those are; one that cannot be used is named with its line.
#[test]
fn the_schemas_of_tools_are_read_with_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("schemas")).unwrap();
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join("schemas").join(name), text).unwrap();
    write("mail.json", r#"{"type": "object", "required": ["to"]}"#);
    write("broken.json", "{");
    write("none.json", r#"{"type": "strong"}"#);
    write("far.json", r#"{"$ref": "https://schemas.example.org/mail.json"}"#);
    write("large.json", &format!("{{\"title\": \"{}\"}}", "x".repeat(placet_schemas::SCHEMA_BYTES_MAX)));
    let named = |tool: &str, file: &str| {
        read_in(folder.path(), &format!("{GOOD}[tools.schemas]\n\"{tool}\" = \"schemas/{file}\"\n"))
    };
    for tool in ["mail/send", "deploy", "/a/b"] {
        let settings = named(tool, "mail.json").unwrap();
        assert_eq!(settings.tools.schemas.keys().collect::<Vec<_>>(), [tool]);
    }
    for (file, why) in [
        ("broken.json", "it is no JSON"),
        ("none.json", "no JSON Schema"),
        ("far.json", "stands by itself"),
        ("large.json", "a schema may have"),
        ("../schemas", "it is no file"),
        ("gone.json", "no such file"),
    ] {
        let errors = named("mail/send", file).expect_err(file);
        let problem = &errors.problems[0];
        assert_eq!(problem.key, "tools.schemas.\"mail/send\"", "{errors}");
        assert!(problem.message.contains(why) && problem.line.is_some(), "{errors}");
    }
}
