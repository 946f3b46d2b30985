//! R2: no answer to who may only propose or execute carries a tier, a level, a rule, a threshold or a name.

use placet::ports::store::Scope;
use placet::time::Ttl;
use serde_json::{Value, json};

use crate::fixture::{Desk, call};

/// Names that a field in such an answer must not have.
const NEVER: [&str; 24] = [
    "tier",
    "risk",
    "level",
    "risk_level",
    "rule",
    "rules",
    "policy",
    "policy_version",
    "verdict",
    "terms",
    "stage",
    "stages",
    "needs",
    "votes",
    "people",
    "who",
    "by",
    "approver",
    "approvers",
    "role",
    "roles",
    "places",
    "card",
    "requested_by",
];

/// Words that must not be in the text of one either: people, roles and the name of a rule.
const UNSAID: [&str; 6] = ["Bo", "Chen", "Vic", "admin", "viewer", "deletes"];

fn check(answer: &Value) {
    match answer {
        Value::Object(map) => {
            for (name, value) in map {
                assert!(!NEVER.contains(&name.as_str()), "a field {name}: {answer}");
                check(value);
            }
        }
        Value::Array(items) => items.iter().for_each(check),
        Value::String(text) => {
            let said = UNSAID
                .iter()
                .find(|word| text.split(|c: char| !c.is_alphanumeric()).any(|part| part == **word));
            assert!(said.is_none(), "it says {said:?}: {answer}");
        }
        _ => {}
    }
}

#[tokio::test]
async fn an_agent_is_told_nothing_of_the_risk() {
    let desk = Desk::new().await;
    desk.has("proposer", "acme", &[Scope::Propose]).await;
    let mut told: Vec<(String, Value)> = Vec::new();
    let mut ids = Vec::new();
    for (tool, args) in [
        ("get_time", json!({})),
        ("write_note", json!({})),
        ("drop_table", json!({})),
        ("deploy", json!({"app": "api"})),
        ("delete_file", json!({"path": "denied"})),
        ("delete_file", json!({"path": "late"})),
        ("delete_file", json!({"path": "run"})),
        ("delete_file", json!({"path": "revoked"})),
        ("delete_file", json!({"path": "lapsed"})),
    ] {
        let answer =
            desk.post("agent", "/v1/requests", &call(tool, args.clone())).send().await.expect(201).json();
        ids.push((tool, args, answer["id"].as_str().unwrap().to_owned()));
        told.push((format!("proposed {tool}"), answer));
    }
    let id = |path: &str| ids.iter().find(|(_, args, _)| args["path"] == path).unwrap().2.clone();
    desk.approves("bo", &ids[3].2).await;
    desk.votes("bo", &id("denied"), false).await.expect(200);
    for path in ["run", "lapsed"] {
        desk.approves("chen", &id(path)).await;
    }
    let revoke = json!({"reason": "not now"});
    desk.post("manager", &format!("/v1/requests/{}/revoke", id("revoked")), &revoke).send().await.expect(200);
    for (tool, args, id) in &ids {
        let body = json!({"tool": tool, "args": args, "key": "k".repeat(40)});
        if args["path"] == "lapsed" {
            use placet::ports::CredentialStore as _;
            desk.store.revoke_credential(&"acme".parse().unwrap(), &"chen".parse().unwrap()).await.unwrap();
        }
        let claim = desk.post("agent", &format!("/v1/requests/{id}/claim"), &body).send().await.json();
        told.push((format!("claim {tool}"), claim.clone()));
        let other = desk.post("runner", &format!("/v1/requests/{id}/claim"), &body).send().await.json();
        told.push((format!("claimed twice {tool}"), other));
        told.push((
            format!("withdrawn {tool}"),
            desk.delete("proposer", &format!("/v1/requests/{id}")).send().await.json(),
        ));
        if args["path"] == "run" {
            let holder = json!({"claim": claim["claim"], "key": "k".repeat(40)});
            let beat =
                desk.post("agent", &format!("/v1/requests/{id}/heartbeat"), &holder).send().await.expect(200);
            told.push(("beat".into(), beat.json()));
            let report = json!({"claim": claim["claim"], "key": "k".repeat(40), "status": "succeeded"});
            let done =
                desk.post("agent", &format!("/v1/requests/{id}/outcome"), &report).send().await.expect(200);
            told.push(("reported".into(), done.json()));
        }
    }
    for (_, _, id) in &ids {
        desk.reads("bo", id).await;
    }
    desk.clock.passes(Ttl::from_mins(31));
    for (tool, _, id) in &ids {
        let approval = desk.load(id).await;
        if approval.is_open() {
            desk.tick(id).await;
        }
        for who in ["agent", "runner"] {
            told.push((format!("read {tool} {}", approval.status()), desk.reads(who, id).await));
        }
    }
    for query in ["view=card", "wait=x"] {
        let ask = desk.get("agent", &format!("/v1/requests/{}?{query}", ids[0].2));
        told.push((query.to_owned(), ask.send().await.json()));
    }
    told.push(("refused".into(), desk.post("agent", "/approvals", &json!({})).send().await.json()));
    told.iter().for_each(|(_, answer)| check(answer));
    let reads: Vec<_> = told.into_iter().filter(|(what, _)| what.starts_with("read")).step_by(2).collect();
    insta::assert_json_snapshot!("what_an_agent_reads", reads);
}

/// R2: nor do the answers about what was edited, stopped, denied again or asked about too often, nor any address that is
/// for people.
#[tokio::test]
async fn an_agent_is_told_nothing_by_what_spares_people() {
    let policy = crate::fixture::POLICY
        .replace("[levels.high]\n", "[levels.high]\nmay_edit = true\n")
        .replace("[roles]\n", "[fatigue]\ncards_per_run = 3\n\n[roles]\n");
    let desk = Desk::with(crate::fixture::Setting { policy, ..Default::default() }).await;
    let mut told: Vec<Value> = Vec::new();
    let edited = desk.proposes("delete_file", json!({"path": "edited"})).await;
    let edit = json!({"args": {"path": "by people"}});
    let new = desk.post("bo", &format!("/v1/requests/{edited}/edit"), &edit).send().await.expect(201).json();
    let new = new["id"].as_str().unwrap().to_owned();
    desk.approves("chen", &new).await;
    let denied = desk.proposes("delete_file", json!({"path": "denied"})).await;
    desk.votes("bo", &denied, false).await.expect(200);
    let again = desk.proposes("delete_file", json!({"path": "denied"})).await;
    assert_eq!(desk.load(&again).await.status().name(), "rejected");
    let mut calls = Vec::new();
    for path in ["1", "2", "3"] {
        calls.push(desk.proposes("delete_file", json!({"path": path})).await);
    }
    let last = desk.reads("agent", &calls[2]).await;
    let why = last["decision"].as_str().unwrap();
    assert!(why.starts_with("not asked: ") && !why.contains(|c: char| c.is_ascii_digit()), "{why}");
    // The run is stopped now.
    let claim = json!({"tool": "delete_file", "args": {"path": "by people"}, "key": "k".repeat(40)});
    let held = desk.post("runner", &format!("/v1/requests/{new}/claim"), &claim).send().await;
    let held = held.problem(409, "held");
    assert!(!held["detail"].as_str().unwrap().contains(|c: char| c.is_ascii_digit()), "{held}");
    told.push(held);
    for id in [&edited, &new, &denied, &again].into_iter().chain(&calls) {
        for who in ["agent", "runner"] {
            let read = desk.reads(who, id).await;
            assert!(read.get("edited_from").is_none() && read.get("asked_before").is_none(), "{read}");
            told.push(read);
        }
    }
    for path in ["/v1/stops", "/v1/remembered", "/v1/policy", &format!("/v1/policy/{}", "0".repeat(64))] {
        told.push(desk.get("agent", path).send().await.problem(403, "scope_missing"));
    }
    for path in ["edit", "break-glass", "review", "take-back"] {
        let ask = desk.post("agent", &format!("/v1/requests/{new}/{path}"), &json!({}));
        told.push(ask.send().await.problem(403, "scope_missing"));
    }
    told.iter().for_each(check);
}
