//! `POST /v1/requests/{id}/edit` (R39): what people change before they decide, and what the agent gets.

use placet::ports::store::Scope;
use placet::time::Ttl;
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

    // Who edited was shown what they made, and may say yes to it at once; the vote for the old one counts no more.
    assert_eq!(desk.votes("chen", &id, true).await.expect(200).json()["needs"][0]["have"], 1);
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
