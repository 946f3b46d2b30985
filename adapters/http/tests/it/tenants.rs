//! R19: what is another tenant's and what never was are the same answer, byte for byte.

use axum::http::Method;
use placet::ports::store::Scope;
use serde_json::{Value, json};

use crate::fixture::{Answer, Desk, NOWHERE};

#[tokio::test]
async fn another_tenants_request_is_none_byte_for_byte() {
    let desk = Desk::new().await;
    desk.has(
        "globex",
        "globex",
        &Scope::ALL.into_iter().filter(|scope| *scope != Scope::Decide).collect::<Vec<_>>(),
    )
    .await;
    desk.has("globex-bo", "globex", &[Scope::Decide]).await;
    let theirs = desk.delete_file().await;
    desk.approves("bo", &theirs).await;
    let before = desk.load(&theirs).await;
    let key = "k".repeat(40);
    let holder = json!({"claim": NOWHERE, "key": key});
    let claim = json!({"tool": "delete_file", "args": {"path": "a.txt"}, "key": key});
    let with = |more: Value| {
        let mut body = holder.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let asks: Vec<(&str, Method, &str, Value)> = vec![
        ("globex", Method::GET, "", Value::Null),
        ("globex", Method::GET, "?wait=25s", Value::Null),
        ("globex", Method::GET, "?view=card", Value::Null),
        ("globex-bo", Method::GET, "", Value::Null),
        ("globex", Method::DELETE, "", Value::Null),
        ("globex", Method::POST, "/claim", claim),
        ("globex", Method::POST, "/heartbeat", holder.clone()),
        ("globex", Method::POST, "/outcome", with(json!({"status": "failed"}))),
        ("globex", Method::POST, "/revoke", json!({})),
        ("globex", Method::POST, "/settle", json!({"status": "failed", "reason": "r"})),
        ("globex-bo", Method::POST, "/edit", json!({"args": {}})),
        ("globex-bo", Method::POST, "/break-glass", json!({"reason": "r"})),
        ("globex-bo", Method::POST, "/review", json!({})),
        ("globex-bo", Method::POST, "/take-back", json!({})),
    ];
    for (who, method, path, body) in asks {
        let ask = async |id: &str| -> Answer {
            let ask = desk.ask(method.clone(), &format!("/v1/requests/{id}{path}")).token(&desk.token(who));
            if body.is_null() { ask.send().await } else { ask.json(&body).send().await }
        };
        let (other, none, odd) = (ask(&theirs).await, ask(NOWHERE).await, ask("no-id").await);
        assert_eq!(other, none, "{method} {path}");
        assert_eq!(none, odd, "{method} {path}");
        other.problem(404, "not_found");
    }
    let vote = async |id: &str| desk.votes("globex-bo", id, true).await;
    assert_eq!(vote(&theirs).await, vote(NOWHERE).await);
    assert_eq!(desk.load(&theirs).await, before, "nothing reached the request");
    assert_eq!(desk.blocked("acme").await, 0, "nor the record of its tenant");
    // claim, withdraw, revoke, settle, edit, break glass, review, take back, approve: each once a minute.
    assert_eq!(desk.blocked("globex").await, 9, "but their own");
    let named = desk.events("globex").await.iter().all(|event| event.request.is_none());
    assert!(named, "without a request that is none of theirs");
}

#[tokio::test]
async fn lists_hold_the_callers_own_only() {
    let desk = Desk::new().await;
    desk.has("globex-auditor", "globex", &[Scope::Audit]).await;
    let id = desk.delete_file().await;
    desk.votes("bo", &id, false).await.expect(200);
    let empty = desk.get("globex-auditor", "/v1/requests").send().await.expect(200).json();
    assert_eq!(empty, json!({"requests": []}));
    assert_eq!(
        desk.get("globex-auditor", "/approvals").send().await.expect(200).json(),
        json!({"approvals": []})
    );
    let page = desk.get("auditor", "/approvals?limit=1").send().await.expect(200).json();
    let next = page["next"].as_str().unwrap();
    let stolen = desk.get("globex-auditor", &format!("/approvals?after={next}")).send().await;
    stolen.problem(400, "cursor_invalid");
}
