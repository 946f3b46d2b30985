//! `placet policy …` as it is shipped: what it says, and its exit codes, fit for CI.

#![expect(clippy::unwrap_used, reason = "tests, and what they share")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

const PLACET: &str = env!("CARGO_BIN_EXE_placet");

const POLICY: &str = r#"version = "1"

[[rule]]
name = "reads"
tools = ["read_*"]
level = "low"

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
slack = ["T024BE7LD/U2CERLKJA"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin"]
slack = ["T024BE7LD/U2CHEN001"]

[roles]
stewards = ["admin"]
"#;

const TABLE: &str = r#"policy = "policy.toml"

[[case]]
name = "reads run"
tool = "read_file"
expect = { tier = "auto" }

[[case]]
name = "merging is asked about"
tool = "merge"
expect = { tier = "approve", stages = "1 admin" }
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    std::fs::write(folder.path().join("table.toml"), TABLE).unwrap();
    folder
}

fn placet(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output: Output =
        Command::new(PLACET).args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn json(told: &str) -> serde_json::Value {
    serde_json::from_str(told).unwrap()
}

/// R20: 0 taken, 1 not taken, 2 used wrongly; the mistake is shown with its line and a caret.
#[test]
fn check_says_what_is_wrong_with_a_policy() {
    let folder = folder();
    let check = |arguments: &[&str]| placet(folder.path(), &[&["policy", "check"], arguments].concat());
    let (code, told, _) = check(&["--policy", "policy.toml"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.starts_with("policy 1 is taken ("), "{told}");
    std::fs::write(folder.path().join("wrong.toml"), POLICY.replace("level = \"low\"", "level = \"lwo\""))
        .unwrap();
    let (code, told, _) = check(&["--policy", "wrong.toml"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("--> wrong.toml:6:9") && told.contains("did you mean `low`?"), "{told}");
    let (code, told, _) = check(&["--policy", "wrong.toml", "--json"]);
    assert_eq!(
        (code, &json(&told)["taken"], &json(&told)["diagnostics"][0]["line"]),
        (Some(1), &false.into(), &6.into())
    );
    for wrong in
        [vec!["--policy", "nowhere.toml"], vec![], vec!["--policy", "policy.toml", "--tenant", "acme"]]
    {
        let (code, _, noted) = check(&wrong);
        assert_eq!(code, Some(2), "{wrong:?}: {noted}");
    }
}

/// Settings with Slack, whose secrets are not here, and with what else is given.
fn settings(folder: &Path, more: &str) {
    let slack = "[slack]\nsigning_secret = { env = \"NOT_SET\" }\nbot_token = { file = \"nowhere\" }\nteam = \"T024BE7LD\"\n\
                 tenant = \"acme\"\nchannel = \"C024BE91L\"\n";
    let settings = format!("data = \"p.db\"\npolicy = \"policy.toml\"\n{more}");
    let settings =
        if more.contains("[tenants.") || more.is_empty() { settings } else { format!("{settings}{slack}") };
    std::fs::write(folder.join("placet.toml"), settings).unwrap();
}

/// R20: with --config it is checked as the server does it: what does not go together with the settings is not taken, also
/// where the server's secrets are not.
#[test]
fn check_looks_at_the_settings_too() {
    let folder = folder();
    let check = |arguments: &[&str]| {
        placet(folder.path(), &[&["policy", "check", "--config", "placet.toml"], arguments].concat())
    };
    let level = |line: &str| format!("{POLICY}[levels.critical]\n{line}\n");
    let change = format!("{POLICY}[change]\nrole = \"admin\"\n");
    let slack = "policy_tenant = \"globex\"\n";
    let own = "[tenants.acme]\npolicy = \"acme.toml\"\n";
    std::fs::write(folder.path().join("acme.toml"), "version = \"own\"\n").unwrap();
    for (more, policy, told) in [
        ("", level("channel = \"slack/C024BE91M\""), "this place is in Slack, and there is no [slack]"),
        (
            slack,
            level("channel = \"slack/#crm\""),
            "error: `#crm` is not a channel's id in Slack\n  --> policy.toml:23:11",
        ),
        (slack, level("channel = \"slak/C024BE91M\""), "there is no surface `slak` in the settings"),
        ("", change.clone(), "the settings name no tenant in which they are asked\n  --> policy.toml:23:8"),
        (own, change.clone(), "in the tenant acme, which has a policy of its own"),
    ] {
        settings(folder.path(), more);
        std::fs::write(folder.path().join("policy.toml"), policy).unwrap();
        let (code, shown, noted) = check(&[]);
        assert_eq!(code, Some(1), "{shown}{noted}");
        assert!(
            shown.contains(told) && shown.contains("not taken with these settings: 1 error\n"),
            "{shown}"
        );
        let (code, shown, _) = check(&["--json"]);
        let shown = json(&shown);
        assert_eq!(
            (code, &shown["taken"], &shown["diagnostics"][0]["line"]),
            (Some(1), &false.into(), &23.into())
        );
    }
    settings(folder.path(), slack);
    std::fs::write(folder.path().join("policy.toml"), &change).unwrap();
    let (code, shown, noted) = check(&[]);
    assert_eq!(code, Some(0), "{shown}{noted}");
    // The tenants' files are those that the settings name.
    let (code, _, noted) = check(&["--tenant", "acme=doesnotexist.toml"]);
    assert!(code == Some(2) && noted.contains("--tenant"), "{noted}");
}

/// R19, R20: what is said of a call is said by the policy of the tenant whose it is, however that is told; and whose it is
/// taken for is said where it is not told, or is unknown.
#[test]
fn explain_goes_by_the_policy_of_the_tenant_that_is_named() {
    let folder = folder();
    std::fs::write(
        folder.path().join("acme.toml"),
        "version = \"own\"\n[[rule]]\nname = \"merging\"\ntools = [\"merge\"]\nlevel = \"low\"\n",
    )
    .unwrap();
    settings(folder.path(), "[tenants.acme]\npolicy = \"acme.toml\"\n");
    std::fs::write(folder.path().join("call.json"), r#"{"tool": "merge"}"#).unwrap();
    std::fs::write(folder.path().join("acme.json"), r#"{"tool": "merge", "tenant": "acme"}"#).unwrap();
    let explain = |call: &str, arguments: &[&str]| {
        placet(folder.path(), &[&["policy", "explain", call], arguments].concat())
    };
    let config = ["--config", "placet.toml"];
    let files = ["--policy", "policy.toml", "--tenant", "acme=acme.toml"];
    for arguments in [&[config.as_slice(), &["--tenant", "acme"]].concat(), &files.to_vec()] {
        let (code, told, noted) = explain("call.json", arguments);
        assert_eq!(code, Some(0), "{noted}");
        assert!(told.starts_with("auto, level low"), "{arguments:?}: {told}");
        assert_eq!(explain("acme.json", arguments), explain("call.json", arguments));
    }
    let (_, told, _) = explain("call.json", &config);
    assert!(
        told.starts_with("approve, level high") && told.contains("by the installation's policy alone"),
        "{told}"
    );
    let (_, told, _) = explain("call.json", &[config.as_slice(), &["--tenant", "zed"]].concat());
    assert!(told.contains("the tenant zed has no policy of its own here"), "{told}");
    for (call, arguments) in [
        ("call.json", [config.as_slice(), &["--tenant", "acme=acme.toml"]].concat()),
        ("acme.json", [config.as_slice(), &["--tenant", "zed"]].concat()),
        ("call.json", [config.as_slice(), &["--tenant", "a", "--tenant", "b"]].concat()),
    ] {
        assert_eq!(explain(call, &arguments).0, Some(2), "{arguments:?}");
    }
    let table = format!("{TABLE}[tenants]\nacme = \"acme.toml\"\n")
        .replace("tool = \"merge\"", "tool = \"merge\"\ntenant = \"zed\"");
    std::fs::write(folder.path().join("table.toml"), table).unwrap();
    let (code, told, noted) = placet(folder.path(), &["policy", "test", "table.toml"]);
    assert_eq!(code, Some(0), "{told}{noted}");
    assert!(told.starts_with("note: the tenant zed has no policy of its own here"), "{told}");
}

/// R20: a table of expected verdicts, with a diff for each that differs.
#[test]
fn test_compares_verdicts_with_a_table() {
    let folder = folder();
    let (code, told, _) = placet(folder.path(), &["policy", "test", "table.toml"]);
    assert_eq!((code, told.as_str()), (Some(0), "2 cases, all as expected\n"));
    std::fs::write(folder.path().join("other.toml"), POLICY.replace("\"low\"", "\"medium\"")).unwrap();
    let (code, told, _) = placet(folder.path(), &["policy", "test", "table.toml", "--policy", "other.toml"]);
    assert_eq!(code, Some(1));
    assert!(
        told.starts_with(
            "not as expected: reads run\n --> table.toml:4\n  - tier: auto\n  + tier: suggest\n"
        ),
        "{told}"
    );
    let (code, told, _) =
        placet(folder.path(), &["policy", "test", "table.toml", "--policy", "other.toml", "--json"]);
    assert_eq!((code, &json(&told)["differ"]), (Some(1), &1.into()));
}

/// R20: one call, explained: by whom it must be approved, and why.
#[test]
fn explain_says_who_must_approve_and_why() {
    let folder = folder();
    std::fs::write(folder.path().join("call.json"), r#"{"tool": "merge", "args": {"into": 7}}"#).unwrap();
    let explain = |more: &[&str]| {
        placet(
            folder.path(),
            &[&["policy", "explain", "call.json", "--policy", "policy.toml"], more].concat(),
        )
    };
    let (code, told, noted) = explain(&["--as", "bo", "--at", "2026-11-30T10:00:00+01:00"]);
    assert_eq!(code, Some(0), "{noted}");
    assert!(
        told.starts_with("approve, level high\n  default: No rule of the policy knows this tool.\n"),
        "{told}"
    );
    assert!(told.contains("  stage 1: 1 admin: Chen\n"), "{told}");
    let (_, told, _) = explain(&["--json"]);
    assert_eq!(json(&told)["verdict"]["tier"], "approve");
    let (code, _, noted) = explain(&["--as", "bob"]);
    assert_eq!(code, Some(2));
    assert!(noted.contains("did you mean `bo`?"), "{noted}");
}

/// R20: what the exit codes mean is said where people look for it.
#[test]
fn the_help_says_what_the_exit_codes_mean() {
    let folder = folder();
    for command in ["check", "explain", "test", "replay", "shadow"] {
        let (code, told, _) = placet(folder.path(), &["policy", command, "--help"]);
        assert_eq!(code, Some(0), "{told}");
        assert!(told.contains("Exit codes: 0 all is well; 1 something was found"), "{told}");
    }
}

/// R20: the past, judged again; a database that is not there is a wrong use, and nothing is made.
#[test]
fn replay_needs_a_database() {
    let folder = folder();
    let settings = "data = \"placet.db\"\npolicy = \"policy.toml\"\n[http]\nlisten = \"127.0.0.1:0\"\n";
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    for command in ["replay", "shadow"] {
        let (code, _, noted) = placet(folder.path(), &["policy", command, "--config", "placet.toml"]);
        assert_eq!(code, Some(2), "{noted}");
        assert!(noted.contains("there is no database"), "{noted}");
    }
    assert!(!folder.path().join("placet.db").exists());
}
