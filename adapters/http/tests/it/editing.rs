//! `POST /v1/requests/{id}/edit` (R39): what people change before they decide, and what the agent gets.

use std::collections::BTreeMap;
use std::sync::Arc;

use placet::ports::store::Scope;
use placet::time::Ttl;
use placet_schemas::{KnownSchemas, ToolSchema};
use serde_json::{Value, json};

use crate::fixture::{Answer, Desk, POLICY, Setting, call};

/// A policy that lets calls of level high and critical be changed, and forbids nothing more.
async fn desk() -> Desk {
    let policy = POLICY
        .replace("[levels.high]\n", "[levels.high]\nmay_edit = true\n")
        .replace("[levels.critical]\n", "[levels.critical]\nmay_edit = true\n");
    Desk::with(Setting { policy, ..Setting::default() }).await
}

async fn edits(desk: &Desk, who: &str, id: &str, body: Value) -> Answer {
    desk.post(who, &format!("/v1/requests/{id}/edit"), &body).send().await
}

/// R39: an edit makes a new request with a new digest, on which votes start again; the agent finds it from the old one, and
/// claims the call as it stands there.
#[tokio::test]
async fn an_edit_takes_the_place_of_what_was_proposed() {
    let desk = desk().await;
    let old = desk.proposes("deploy", json!({"app": "api", "tag": "v1"})).await;
    desk.approves("bo", &old).await;
    let answer = edits(&desk, "chen", &old, json!({"args": {"app": "api", "tag": "v2"}})).await.expect(201);
    let new = answer.json();
    let id = new["id"].as_str().unwrap().to_owned();
    assert_eq!(answer.headers["location"], format!("/v1/requests/{id}"));
    assert_eq!((&new["status"], &new["votes"]), (&json!("waiting_approval"), &json!([])));
    assert_eq!((&new["edited_from"]["request"], &new["edited_from"]["by"]), (&json!(old), &json!("Chen")));
    let changes: Vec<_> = new["edited_from"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["kind"] != "same")
        .map(|line| format!("{} {}", line["kind"].as_str().unwrap(), line["text"].as_str().unwrap().trim()))
        .collect();
    assert_eq!(changes, ["removed \"tag\": \"v1\"", "added \"tag\": \"v2\""]);

    let told = desk.reads("agent", &old).await;
    assert_eq!((&told["status"], &told["superseded_by"]), (&json!("revoked"), &json!(id)));
    assert!(!told.to_string().contains("Chen"), "names are not for the agent: {told}");
    let told = desk.reads("agent", &id).await;
    assert_eq!(told["call"], json!({"tool": "deploy", "args": {"app": "api", "tag": "v2"}}));
    assert_eq!(told["replaces"], json!(old));
    assert_ne!(told["digest"], desk.reads("agent", &old).await["digest"]);

    // What they made is for others to approve; the vote for the old one counts no more.
    desk.votes("chen", &id, true).await.problem(403, "own_edit");
    desk.approves("ana", &id).await;
    desk.votes("bo", &old, true).await.problem(404, "already_decided");
    desk.approves("bo", &id).await;
    let claim = async |id: &str, args: Value| {
        let body = json!({"tool": "deploy", "args": args, "key": "k".repeat(40)});
        desk.post("agent", &format!("/v1/requests/{id}/claim"), &body).send().await
    };
    claim(&old, json!({"app": "api", "tag": "v1"})).await.problem(409, "not_approved");
    claim(&id, json!({"app": "api", "tag": "v1"})).await.problem(409, "wrong_call");
    let claimed = claim(&id, told["call"]["args"].clone()).await.expect(200).json();
    assert_eq!(claimed["call"]["args"], json!({"app": "api", "tag": "v2"}));
}

/// R39: where nobody but who edits could approve what they make, they are told so at once, and the request stays as it is.
#[tokio::test]
async fn an_edit_that_nobody_could_approve_is_not_taken() {
    let policy = POLICY
        .replace("[levels.high]\n", "[levels.high]\nmay_edit = true\n")
        .replace(
            "roles = [\"admin\"]\ncredentials = [\"chen\"]",
            "roles = [\"viewer\"]\ncredentials = [\"chen\"]",
        )
        .replace(
            "roles = [\"admin\"]\ncredentials = [\"ana\"]",
            "roles = [\"viewer\"]\ncredentials = [\"ana\"]",
        )
        .replace("count = 2\n", "");
    let desk = Desk::with(Setting { policy: policy.clone(), ..Setting::default() }).await;
    let id = desk.delete_file().await;
    let other = json!({"args": {"path": "b.txt"}});
    edits(&desk, "vic", &id, other.clone()).await.problem(403, "wrong_role");
    let problem = edits(&desk, "bo", &id, other.clone()).await.problem(409, "nobody_else");
    assert!(problem["detail"].as_str().unwrap().contains("nothing was changed"), "{problem}");
    assert_eq!(desk.load(&id).await.status().name(), "waiting_approval");
    desk.approves("bo", &id).await;

    let solo = policy.replace("version = \"test\"", "version = \"test\"\nprofile = \"solo\"");
    let desk = Desk::with(Setting { policy: solo, ..Setting::default() }).await;
    let id = desk.delete_file().await;
    let new = edits(&desk, "bo", &id, other).await.expect(201).json();
    let id = new["id"].as_str().unwrap();
    assert_eq!(desk.votes("bo", id, true).await.expect(200).json()["status"], "approved", "R50");
}

/// R39: whoever waits for the old one is told at once that there is another.
#[tokio::test]
async fn a_poll_ends_with_the_edit() {
    let desk = std::sync::Arc::new(desk().await);
    let old = desk.delete_file().await;
    let (waiting, path) = (std::sync::Arc::clone(&desk), format!("/v1/requests/{old}?wait=25s"));
    let waits = tokio::spawn(async move { waiting.get("agent", &path).send().await.expect(200).json() });
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!waits.is_finished());
    let new = edits(&desk, "bo", &old, json!({"args": {"path": "b.txt"}})).await.expect(201).json();
    let told = waits.await.unwrap();
    assert_eq!((&told["status"], &told["superseded_by"]), (&json!("revoked"), &new["id"]));
}

/// R39: who may not decide may not edit; nor what the policy does not let be changed, what it forbids, what is over, and
/// what changes nothing.
#[tokio::test]
async fn not_every_edit_is_taken() {
    let desk = desk().await;
    let id = desk.delete_file().await;
    let other = json!({"args": {"path": "b.txt"}});
    edits(&desk, "vic", &id, other.clone()).await.problem(403, "wrong_role");
    let same = edits(&desk, "bo", &id, json!({"args": {"path": "a.txt"}})).await;
    assert_eq!(same.problem(422, "nothing_changed")["field"], "args");
    for (body, code, field) in [
        (json!({}), "missing_field", "args"),
        (json!({"args": []}), "args_not_an_object", "args"),
        (json!({"args": {}, "tool": "x"}), "unknown_field", "tool"),
    ] {
        assert_eq!(edits(&desk, "bo", &id, body).await.problem(422, code)["field"], field);
    }
    assert_eq!(desk.load(&id).await.status().name(), "waiting_approval", "and it still waits");
    desk.votes("bo", &id, false).await.expect(200);
    edits(&desk, "bo", &id, other.clone()).await.problem(404, "already_decided");
    let harmless = desk.proposes("get_time", json!({})).await;
    edits(&desk, "bo", &harmless, other.clone()).await.problem(404, "not_asked");
    let late = desk.proposes("delete_file", json!({"path": "late"})).await;
    desk.clock.passes(Ttl::from_mins(31));
    edits(&desk, "bo", &late, other.clone()).await.problem(404, "already_decided");

    let fixed = Desk::new().await;
    let id = fixed.delete_file().await;
    edits(&fixed, "bo", &id, other).await.problem(403, "may_not_edit");
}

/// R28, R39: a secret that is hidden from who edits stays what it is, and is told to nobody but who runs the call.
#[tokio::test]
async fn an_edit_keeps_what_it_does_not_show() {
    let desk = desk().await;
    let args = json!({"path": "a", "password": "hunter2hunter2"});
    let body = call("delete_file", args);
    let old = desk.post("agent", "/v1/requests", &body).send().await.expect(201).json()["id"].clone();
    let old = old.as_str().unwrap();
    let shown: Value =
        serde_json::from_str(desk.reads("bo", old).await["card"]["call"]["args_json"].as_str().unwrap())
            .unwrap();
    assert!(!shown.to_string().contains("hunter2"), "{shown}");
    let mut moved = shown.clone();
    moved["path"] = shown["password"].clone();
    let problem = edits(&desk, "bo", old, json!({"args": moved})).await.problem(422, "invalid_field");
    assert_eq!(problem["field"], "args.path");
    let mut edited = shown.clone();
    edited["path"] = json!("b");
    let answer = edits(&desk, "bo", old, json!({"args": edited})).await.expect(201);
    assert!(!answer.body.contains("hunter2"), "{}", answer.body);
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let wanted = json!({"path": "b", "password": "hunter2hunter2"});
    assert_eq!(desk.reads("agent", &id).await["call"]["args"], wanted);
    for who in ["bo", "auditor", "manager"] {
        for view in ["agent", "card"] {
            let read = desk.get(who, &format!("/v1/requests/{id}?view={view}")).send().await.expect(200);
            assert!(!read.body.contains("hunter2"), "{who} {view}: {}", read.body);
        }
    }
    desk.has("both", "acme", &[Scope::Audit, Scope::Execute]).await;
    assert_eq!(desk.reads("both", &id).await["call"]["args"], wanted, "who runs it reads it");
    let trace = desk.get("auditor", "/v1/events?types=tool.proposed").stream().await.take(2).await;
    assert_eq!(trace[1].data["proposal"]["edited"]["before"]["path"], "a");
    assert!(trace.iter().all(|frame| !frame.data.to_string().contains("hunter2")));
}

/// R39: arguments that the tool does not take are not taken here either: each place is told, none of the values, and the request
/// stays as it is. Who may not edit is told that, and nothing of the schema; a tool of which nothing is known takes any.
#[tokio::test]
async fn an_edit_is_held_to_the_tools_schema() {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}}},
        "required": ["path"], "additionalProperties": false,
    });
    let named = BTreeMap::from([("delete_file".to_owned(), ToolSchema::of(&schema).unwrap())]);
    let policy = POLICY.replace("[levels.high]\n", "[levels.high]\nmay_edit = true\n");
    let schemas = Arc::new(KnownSchemas::new(named));
    let desk = Desk::with(Setting { policy, schemas, ..Setting::default() }).await;
    let id = desk.delete_file().await;
    let wrong = json!({"args": {"path": 7_331, "lines": [1, 0, "hunter2"], "force": true}});
    edits(&desk, "vic", &id, wrong.clone()).await.problem(403, "wrong_role");
    let answer = edits(&desk, "bo", &id, wrong).await;
    assert!(!answer.body.contains("hunter2") && !answer.body.contains("7331"), "{}", answer.body);
    let problem = answer.problem(422, "schema_mismatch");
    let mut told: Vec<String> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{} {}", error["field"].as_str().unwrap(), error["detail"].as_str().unwrap()))
        .collect();
    told.sort();
    let expected = [
        "args.force The tool takes nothing of this name.",
        "args.lines[1] This must be at least 1.",
        "args.lines[2] This must be a whole number.",
        "args.path This must be text.",
    ];
    assert_eq!(told, expected);
    for (field, detail) in expected.iter().map(|line| line.split_once(' ').unwrap()) {
        assert!(problem["detail"].as_str().unwrap().contains(&format!("{field}: {detail}")), "{problem}");
    }
    let missing =
        edits(&desk, "bo", &id, json!({"args": {"lines": []}})).await.problem(422, "schema_mismatch");
    assert_eq!(missing["field"], "args");
    assert_eq!(desk.load(&id).await.status().name(), "waiting_approval");
    edits(&desk, "bo", &id, json!({"args": {"path": "b.txt", "lines": [3]}})).await.expect(201);
    let other = desk.proposes("move_file", json!({"path": "a"})).await;
    edits(&desk, "bo", &other, json!({"args": {"path": 7}})).await.expect(201);
}
