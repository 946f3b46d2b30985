//! What the server says in its log: the one place that everybody who looks after an installation has.

use std::process::Command;

use placet::time::Clock as _;
use placet_server::SystemClock;

use crate::server::{Server, placet, token};

/// A team that decides over the API.
const TEAM: &str = r#"version = "one"

[levels.high]
alarm_after = "1s"

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
credentials = ["bo"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin", "lead"]
credentials = ["chen"]

[roles]
stewards = ["admin"]
break_glass = ["lead"]

[fatigue]
cards_per_run = 1
"#;

fn folder(policy: &str, settings: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let settings = format!("data = \"p.db\"\npolicy = \"policy.toml\"\npolicy_poll = \"10m\"\n{settings}");
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    folder
}

fn hangs_up(server: &Server) {
    let told = Command::new("kill").args(["-HUP", &server.id().to_string()]).status();
    assert!(told.unwrap().success());
}

fn proposal(path: &str) -> String {
    format!(
        "{{\"tool\": \"wipe\", \"args\": {{\"path\": \"{path}\"}}, \"run\": {{\"id\": \"r\", \"step\": \"{path}\"}}, \
         \"task\": \"t\", \"reason\": \"r\"}}"
    )
}

/// Sends a proposal under a key of its own.
fn proposes(server: &Server, agent: &str, path: &str) -> serde_json::Value {
    let headers = format!(
        "authorization: Bearer {agent}\r\ncontent-type: application/json\r\nidempotency-key: {path}\r\n"
    );
    let (status, told) = server.sends(("POST", "/v1/requests"), &headers, &proposal(path)).unwrap();
    assert_eq!(status, 201, "{told}");
    serde_json::from_str(&told).unwrap()
}

/// R10, R41: where there is no channel for operators, what they are told stands in the log with its request, and nothing is
/// said of messages that go nowhere by choice.
#[test]
fn what_operators_are_told_is_logged_where_there_is_no_channel() {
    let folder = folder(TEAM, "");
    let (agent, chen) = (token(folder.path(), "agent", "propose"), token(folder.path(), "chen", "decide"));
    let server = Server::start(folder.path(), &[]);
    let id = proposes(&server, &agent, "a")["id"].as_str().unwrap().to_owned();
    let line = server.says("alarm=\"waits_long\"");
    // There is time left, and it is said what it is and what to do.
    assert!(line.contains("(wipe) waits, and nobody has decided yet. Look for somebody who can"), "{line}");
    assert!(line.contains(" WARN ") && line.contains(&format!("approval.id={id}")), "{line}");
    server.json(("GET", &format!("/v1/requests/{id}?view=card")), &chen, (200, ""));
    server.json(
        ("POST", &format!("/v1/requests/{id}/break-glass")),
        &chen,
        (200, "{\"reason\": \"it burns\"}"),
    );
    let line = server.says("alarm=\"glass_broken\"");
    assert!(line.contains(" ERROR ") && line.contains(&format!("approval.id={id}")), "{line}");
    assert!(line.contains("by=\"Chen\"") && line.contains("tool=\"wipe\""), "{line}");
    // One card is all that a run may have: the next proposal stops it.
    assert_eq!(proposes(&server, &agent, "b")["status"], "rejected");
    let line = server.says("stopped, until somebody lifts it: calls of the run r of the agent agent");
    assert!(line.contains(" WARN ") && line.contains("tenant=acme"), "{line}");
    std::fs::write(folder.path().join("policy.toml"), "versoin = 3\n").unwrap();
    hangs_up(&server);
    server.says("a policy is not taken");
    assert!(!server.log().contains("a message was dropped"), "{}", server.log());
}

/// R44, R45: whoever starts a server learns what is stopped, and that nobody is asked.
#[test]
fn the_start_says_what_is_stopped_and_what_is_only_looked_on_at() {
    let folder = folder(&TEAM.replace("version = \"one\"", "version = \"one\"\nshadow = true"), "");
    token(folder.path(), "agent", "propose");
    let stop = ["stop", "--config", "placet.toml", "--agent", "agent", "--tenant", "acme", "--reason", "x"];
    assert!(placet(folder.path(), &stop).status.success());
    let server = Server::start(folder.path(), &[]);
    let line = server.says("stopped: calls of the agent agent");
    assert!(line.contains(" WARN ") && line.contains("tenant=acme") && line.contains("since="), "{line}");
    server.says("calls are graded, and nobody is asked");
}

/// R14: each look at the files that somebody may wait for says how it ended, and whose policy it was.
#[test]
fn every_change_of_a_policy_is_told_from_its_beginning_to_its_end() {
    let folder = folder(TEAM, "[tenants.acme]\npolicy = \"acme.toml\"\n");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("acme.toml", "version = \"own-1\"\n");
    let server = Server::start(folder.path(), &[]);
    hangs_up(&server);
    server.says("the policy's files say what is in force: nothing changed");
    write("acme.toml", "version = \"own-2\"\n");
    hangs_up(&server);
    let line = server.says("a new policy of a tenant's own is in force");
    assert!(line.contains("tenant=acme") && line.contains("policy.label=one + own-2"), "{line}");
    assert!(!server.log().contains("a new policy is in force"), "{}", server.log());
    write("acme.toml", "versoin = \"own-3\"\n");
    hangs_up(&server);
    server.says("a policy is not taken");
    write("acme.toml", "version = \"own-2\"\n");
    hangs_up(&server);
    server.says("nothing is refused any more");
    write("policy.toml", &TEAM.replace("\"one\"", "\"two\""));
    hangs_up(&server);
    let line = server.says("a new policy is in force");
    assert!(line.contains("policy.label=two"), "{line}");
}

/// R54: a policy that takes force without the yes that the one before wants is told of, and the question is taken back.
#[test]
fn a_taken_policy_is_told_of_and_leaves_no_question() {
    let change = "[change]\nrole = \"admin\"\n";
    let folder = folder(&format!("{TEAM}{change}"), "policy_tenant = \"acme\"\n");
    let bo = token(folder.path(), "bo", "decide");
    let pending = |server: &Server| {
        let listed = server.json(("GET", "/v1/requests?status=pending"), &bo, (200, ""));
        listed["requests"].as_array().unwrap().len()
    };
    let server = Server::start(folder.path(), &[]);
    std::fs::write(folder.path().join("policy.toml"), TEAM.replace("\"one\"", "\"two\"")).unwrap();
    hangs_up(&server);
    server.says("a change of the policy waits for a yes");
    assert_eq!(pending(&server), 1);
    hangs_up(&server);
    server.says("nothing of the policy takes force now: a change waits for a yes");
    drop(server);
    let server = Server::start(folder.path(), &["--take-policy"]);
    let line = server.says("--take-policy: the policy's files are in force without anybody's yes");
    assert!(line.contains(" WARN ") && line.contains("policy.label=two"), "{line}");
    server.waits("an answer", || pending(&server) == 0);
}

const SLACK: &str = "[slack]\napi_url = \"http://127.0.0.1:9/\"\nsigning_secret = { env = \"SIGNING\" }\n\
                     bot_token = { env = \"BOT\" }\nteam = \"T024BE7LD\"\ntenant = \"acme\"\nchannel = \"C024BE91L\"\n";

/// R30, R38: a signing secret that is not the app's, and a Slack that cannot be reached, are told of, also where
/// nobody looks at the log; a flood of calls is told of once.
#[test]
fn a_slack_that_is_set_up_wrongly_is_told_of() {
    let folder = folder(TEAM, SLACK);
    let server = Server::start(folder.path(), &[]);
    // Nothing is there: that is not Slack's word about the token, and it is said what it is and what to do.
    let line = server.says("no card gets through to [slack], and it is tried again");
    assert!(line.contains("127.0.0.1:9 refuses the connection") && line.contains("see that"), "{line}");
    assert!(!line.contains("token"), "{line}");
    server.waits("the surface", || {
        server.json(("GET", "/readyz"), "", (200, ""))["surfaces"]["slack"] == "unreachable"
    });
    server.waits("the gauge", || {
        let (_, metrics) = server.ask(("GET", "/metrics"), "", "").unwrap();
        metrics.contains("placet_surface_refused{surface=\"slack\"} 0")
            && metrics.contains("placet_surface_unreachable{surface=\"slack\"} 1")
    });
    let now = SystemClock.now().as_secs();
    let clicks = |at: i64| {
        let headers = format!(
            "x-slack-request-timestamp: {at}\r\nx-slack-signature: v0={}\r\ncontent-type: application/x-www-form-urlencoded\r\n",
            "0".repeat(64)
        );
        let (status, body) = server.sends(("POST", "/slack/interactivity"), &headers, "payload={}").unwrap();
        assert_eq!((status, body.as_str()), (401, ""));
    };
    (0..20).for_each(|_| clicks(now));
    let line = server.says("a call in Slack's form was not taken");
    assert!(
        line.contains(" WARN ") && line.contains("signing_secret in [slack] is not that of the app"),
        "{line}"
    );
    assert_eq!(server.log().matches("a call in Slack's form was not taken").count(), 1);
    // Who sends anything at all is nothing to be told of.
    let (status, _) = server.sends(("POST", "/slack/interactivity"), "", "payload={}").unwrap();
    assert_eq!(status, 401);
}
