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
