//! What the README tells a newcomer to do is done here, as it stands there.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::server::{PLACET, Server, told};

const README: &str = include_str!("../../../../README.md");

/// The block of commands after a heading.
fn block(heading: &str) -> &'static str {
    let (_, after) = README.split_once(heading).unwrap();
    after.split("```\n").nth(1).unwrap()
}

/// What stands in quotes after `-d` in the call that begins so.
fn body(call: &str) -> &'static str {
    let (_, after) = block("## Gate an agent").split_once(call).unwrap();
    let (_, after) = after.split_once("-d '").unwrap();
    after.split_once("}'").unwrap().0
}

/// The commands of a block up to the server's start, done in a shell; what `names` stand for afterwards.
fn done(folder: &Path, commands: &str, names: &[&str]) -> Vec<String> {
    let (before, _) = commands.split_once("placet serve").unwrap();
    let show: Vec<String> = names.iter().map(|name| format!("echo \"${name}\"")).collect();
    let script = format!("set -e\n{before}\n{}", show.join("\n"));
    let path =
        format!("{}:{}", Path::new(PLACET).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder).env("PATH", path).stdin(Stdio::null());
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(ToOwned::to_owned).collect()
}

/// R5, R47: without Slack, somebody alone gets from the README to a call that was asked about, approved and claimed.
#[test]
fn a_newcomer_without_slack_approves_the_first_call() {
    let folder = tempfile::tempdir().unwrap();
    let made = done(folder.path(), block("### Without Slack"), &["OWNER", "PLACET_TOKEN"]);
    let [owner, agent] = made.as_slice() else { panic!("{made:?}") };
    let server = Server::start(folder.path(), &[]);
    let proposal = format!("{}}}", body("# Propose"));
    let request = server.json(("POST", "/v1/requests"), agent, (201, &proposal));
    assert_eq!(request["status"], "waiting_approval", "{request}");
    let id = request["id"].as_str().unwrap();
    server.json(("GET", &format!("/v1/requests/{id}?view=card")), owner, (200, ""));
    let yes = format!("{}}}", body("says yes")).replace("'$ID'", id);
    server.json(("POST", "/approvals"), owner, (200, &yes));
    let claim = format!("{}}}", body("# Claim")).replace("'$KEY'", &"7".repeat(32));
    server.json(("POST", &format!("/v1/requests/{id}/claim")), agent, (200, &claim));
}

/// Somebody alone with the example policy and the credential that it names for an operator can approve the README's call.
#[test]
fn the_example_policy_asks_about_the_first_call() {
    let folder = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
    let policy = config.join("policy.example.toml");
    let text = std::fs::read_to_string(&policy).unwrap();
    // What the comment at `places` says to take out, and nothing else.
    let places = |line: &&str| !line.starts_with("places = ") && !line.starts_with("channel = ");
    let without: Vec<&str> = text.lines().filter(places).collect();
    assert_eq!(text.lines().count() - without.len(), 3);
    std::fs::write(folder.path().join("policy.toml"), without.join("\n")).unwrap();
    std::fs::write(folder.path().join("placet.toml"), "data = \"p.db\"\npolicy = \"policy.toml\"\n").unwrap();
    let proposal: serde_json::Value = serde_json::from_str(&format!("{}}}", body("# Propose"))).unwrap();
    let call = serde_json::json!({"tool": proposal["tool"], "args": proposal["args"]});
    std::fs::write(folder.path().join("call.json"), call.to_string()).unwrap();
    told(folder.path(), &["check", "--config", "placet.toml"]);
    let said = told(folder.path(), &["policy", "explain", "call.json", "--config", "placet.toml"]);
    assert!(said.starts_with("approve, level high") && said.contains("1 operator: Dana, Eli"), "{said}");
}
