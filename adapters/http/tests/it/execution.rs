//! Claims, heartbeats, outcomes, revokes, settlements.

use placet::call::CallDigest;
use placet::card::Redactor;
use placet::gate::{Grant, GrantCheck};
use placet::time::Ttl;
use serde_json::{Value, json};

use crate::fixture::{Desk, NOWHERE, Setting};

fn args() -> Value {
    json!({"path": "a.txt"})
}

async fn approved(desk: &Desk) -> String {
    let id = desk.delete_file().await;
    desk.approves("bo", &id).await;
    id
}

async fn running(desk: &Desk) -> (String, Value) {
    let id = approved(desk).await;
    let claim = desk.claims(&id, args(), 'k').await.expect(200).json();
    let holder = json!({"claim": claim["claim"], "key": "k".repeat(40)});
    (id, holder)
}

async fn posts(desk: &Desk, id: &str, what: &str, holder: &Value, more: Value) -> crate::fixture::Answer {
    let mut body = holder.clone();
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    desk.post("agent", &format!("/v1/requests/{id}/{what}"), &body).send().await
}

/// R24: claimed once, reported once, and the grant verifies offline with the published key.
#[tokio::test]
async fn an_executor_claims_beats_and_reports() {
    let desk = Desk::new().await;
    let id = approved(&desk).await;
    let claim = desk.claims(&id, args(), 'k').await.expect(200).json();
    assert_eq!(claim["call"]["args"], args());
    assert_eq!(claim["call"]["args_canonical"], r#"{"path":"a.txt"}"#);
    assert_eq!(
        desk.claims(&id, args(), 'k').await.expect(200).json(),
        claim,
        "the same attempt, the same claim"
    );
    desk.claims(&id, args(), 'l').await.problem(409, "already_claimed");
    let key = desk.get("runner", "/v1/grant-key").send().await.expect(200).json();
    use base64::Engine as _;
    let public = base64::engine::general_purpose::STANDARD.decode(key["key"].as_str().unwrap()).unwrap();
    let (agent, digest) =
        ("agent".parse().unwrap(), claim["digest"].as_str().unwrap().parse::<CallDigest>().unwrap());
    use placet::time::Clock as _;
    let check = GrantCheck {
        key: &public.try_into().unwrap(),
        epoch: key["epoch"].as_str().unwrap(),
        audience: &agent,
        digest,
        now: desk.clock.now(),
    };
    let grant = Grant::verify(claim["grant"].as_str().unwrap(), &check).unwrap();
    assert_eq!(grant.request.to_string(), id);

    let holder = json!({"claim": claim["claim"], "key": "k".repeat(40)});
    desk.clock.passes(Ttl::from_secs(30));
    let beat = posts(&desk, &id, "heartbeat", &holder, json!({})).await.expect(200).json();
    assert_eq!(beat["stop"], false);
    assert!(beat["lease_until"].as_str().unwrap() > claim["lease_until"].as_str().unwrap());
    let report = json!({"status": "succeeded", "result": {"deleted": 1}, "duration_ms": 200});
    let done = posts(&desk, &id, "outcome", &holder, report.clone()).await.expect(200).json();
    assert_eq!(done["status"], "executed");
    assert_eq!(done["outcome"], json!({"status": "succeeded", "result": {"deleted": 1}, "duration_ms": 200}));
    assert_eq!(
        posts(&desk, &id, "outcome", &holder, report).await.expect(200).json(),
        done,
        "said twice is said once"
    );
    posts(&desk, &id, "outcome", &holder, json!({"status": "failed"})).await.problem(409, "already_finished");
    desk.claims(&id, args(), 'm').await.problem(409, "already_claimed");
    posts(&desk, &id, "heartbeat", &holder, json!({})).await.problem(409, "not_the_claimant");
}

/// R7, R23: nothing runs that was not approved, and each attempt is on record.
#[tokio::test]
async fn a_claim_is_refused_by_name() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    desk.claims(&id, args(), 'k').await.problem(409, "not_approved");
    desk.approves("bo", &id).await;
    desk.claims(&id, json!({"path": "b.txt"}), 'k').await.problem(409, "wrong_call");
    let wrong = json!({"tool": "delete_file", "server": "files", "args": args(), "key": "k".repeat(40)});
    desk.post("agent", &format!("/v1/requests/{id}/claim"), &wrong).send().await.problem(409, "wrong_call");
    desk.clock.passes(Ttl::from_mins(10));
    desk.claims(&id, args(), 'k').await.problem(409, "approval_expired");
    assert_eq!(desk.blocked("acme").await, 3, "the same refusal within a minute is noted once");
    let denied = desk.delete_file().await;
    desk.votes("bo", &denied, false).await.expect(200);
    desk.claims(&denied, args(), 'k').await.problem(409, "not_approved");
    let forbidden = desk.proposes("drop_table", json!({})).await;
    let body = json!({"tool": "drop_table", "args": {}, "key": "k".repeat(40)});
    desk.post("agent", &format!("/v1/requests/{forbidden}/claim"), &body)
        .send()
        .await
        .problem(409, "not_approved");
}

/// R17: who approved must still hold their role when it is claimed.
#[tokio::test]
async fn an_approver_who_left_takes_their_yes_along() {
    let desk = Desk::new().await;
    let id = approved(&desk).await;
    use placet::ports::CredentialStore as _;
    desk.store.revoke_credential(&"acme".parse().unwrap(), &"bo".parse().unwrap()).await.unwrap();
    let problem = desk.claims(&id, args(), 'k').await.problem(409, "approver_lapsed");
    assert!(!problem.to_string().contains("Bo"), "names are not for executors");
}

#[tokio::test]
async fn each_wrong_field_of_a_claim_is_named() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    let good = json!({"tool": "delete_file", "args": args(), "key": "k".repeat(40)});
    for (change, code, field) in [
        (json!({"key": null}), "missing_field", "key"),
        (json!({"key": "short"}), "invalid_field", "key"),
        (json!({"key": "k".repeat(201)}), "field_too_long", "key"),
        (json!({"tool": null}), "missing_field", "tool"),
        (json!({"args": 7}), "args_not_an_object", "args"),
        (json!({"digest": "x"}), "unknown_field", "digest"),
    ] {
        let mut body = good.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let problem =
            desk.post("agent", &format!("/v1/requests/{id}/claim"), &body).send().await.problem(422, code);
        assert_eq!(problem["field"], field);
    }
    for (change, code, field) in [
        (json!({}), "missing_field", "status"),
        (json!({"status": "done"}), "invalid_field", "status"),
        (json!({"status": "failed", "claim": "x"}), "invalid_field", "claim"),
        (json!({"status": "failed", "duration_ms": -1}), "invalid_field", "duration_ms"),
        (json!({"status": "failed", "error": "x".repeat(16 * 1024 + 1)}), "field_too_long", "error"),
        (json!({"status": "succeeded", "result": "x".repeat(256 * 1024)}), "field_too_long", "result"),
    ] {
        let holder = json!({"claim": NOWHERE, "key": "k".repeat(40)});
        let problem = posts(&desk, &id, "outcome", &holder, change).await.problem(422, code);
        assert_eq!(problem["field"], field);
    }
}

/// R24: whoever does not hold the claim can neither keep it alive nor end it.
#[tokio::test]
async fn only_the_claimant_beats_and_reports() {
    let desk = Desk::new().await;
    let (id, holder) = running(&desk).await;
    for other in [
        json!({"claim": holder["claim"], "key": "x".repeat(40)}),
        json!({"claim": NOWHERE, "key": holder["key"]}),
    ] {
        posts(&desk, &id, "heartbeat", &other, json!({})).await.problem(409, "not_the_claimant");
        posts(&desk, &id, "outcome", &other, json!({"status": "failed"}))
            .await
            .problem(409, "not_the_claimant");
    }
    let nowhere = posts(&desk, NOWHERE, "heartbeat", &holder, json!({})).await;
    nowhere.problem(404, "not_found");
    posts(&desk, "x", "outcome", &holder, json!({"status": "failed"})).await.problem(404, "not_found");
}

/// R25: a revoke takes back what is not spent, and asks what runs to stop.
#[tokio::test]
async fn a_manager_revokes() {
    let desk = Desk::new().await;
    let revoke = async |id: &str, body: Value| {
        desk.post("manager", &format!("/v1/requests/{id}/revoke"), &body).send().await
    };
    let pending = desk.delete_file().await;
    assert_eq!(
        revoke(&pending, json!({"reason": "wrong host"})).await.expect(200).json()["status"],
        "revoked"
    );
    let read = desk.reads("agent", &pending).await;
    assert_eq!(read["decision"], "denied: approval was revoked: wrong host");
    let unspent = approved(&desk).await;
    let bare = desk.ask(axum::http::Method::POST, &format!("/v1/requests/{unspent}/revoke"));
    bare.token(&desk.token("manager")).send().await.expect(200);
    desk.claims(&unspent, args(), 'k').await.problem(409, "not_approved");
    let (running, holder) = running(&desk).await;
    assert_eq!(revoke(&running, json!({})).await.expect(200).json()["status"], "executing");
    assert_eq!(
        posts(&desk, &running, "heartbeat", &holder, json!({})).await.expect(200).json()["stop"],
        true
    );
    revoke(&pending, json!({})).await.problem(409, "out_of_order");
    revoke(&pending, json!({"why": 1})).await.problem(422, "unknown_field");
    assert_eq!(desk.blocked("acme").await, 1, "only the claim");
    revoke(NOWHERE, json!({})).await.problem(404, "not_found");
    revoke("x", json!({})).await.problem(404, "not_found");
    assert_eq!(desk.blocked("acme").await, 2, "noted once a minute");
}

/// R21: an outcome that nobody knows is settled by somebody who looked.
#[tokio::test]
async fn a_manager_settles_what_nobody_knows() {
    let desk = Desk::new().await;
    let (id, holder) = running(&desk).await;
    let settle =
        async |body: Value| desk.post("manager", &format!("/v1/requests/{id}/settle"), &body).send().await;
    settle(json!({"status": "failed", "reason": "r"})).await.problem(409, "out_of_order");
    desk.clock.passes(Ttl::from_secs(61));
    desk.tick(&id).await;
    assert_eq!(desk.reads("agent", &id).await["outcome"]["status"], "unknown");
    assert_eq!(
        settle(json!({"status": "unknown", "reason": "r"})).await.problem(422, "invalid_field")["field"],
        "status"
    );
    assert_eq!(settle(json!({"status": "failed"})).await.problem(422, "missing_field")["field"], "reason");
    let settled = settle(json!({"status": "succeeded", "reason": "the file is gone", "result": 1}))
        .await
        .expect(200)
        .json();
    assert_eq!(settled["outcome"], json!({"status": "succeeded", "result": 1}));
    settle(json!({"status": "failed", "reason": "r"})).await.problem(409, "already_finished");
    posts(&desk, &id, "outcome", &holder, json!({"status": "failed"})).await.problem(409, "already_finished");
    desk.post(
        "manager",
        &format!("/v1/requests/{NOWHERE}/settle"),
        &json!({"status": "failed", "reason": "r"}),
    )
    .send()
    .await
    .problem(404, "not_found");
}

/// R21: who was given up for dead may still say how it ended.
#[tokio::test]
async fn a_late_report_is_taken() {
    let desk = Desk::new().await;
    let (id, holder) = running(&desk).await;
    desk.clock.passes(Ttl::from_secs(61));
    desk.tick(&id).await;
    let late = posts(&desk, &id, "outcome", &holder, json!({"status": "failed", "error": "disk full"}))
        .await
        .expect(200);
    assert_eq!(late.json()["outcome"], json!({"status": "failed", "error": "disk full"}));
}

#[tokio::test]
async fn without_a_key_there_are_claims_and_no_grants() {
    let desk = Desk::with(Setting { signs: false, ..Setting::default() }).await;
    desk.get("runner", "/v1/grant-key").send().await.problem(404, "no_grant_key");
    let id = approved(&desk).await;
    assert!(desk.claims(&id, args(), 'k').await.expect(200).json().get("grant").is_none());
}

/// R28: secrets in what a tool returned are hidden from everybody who asks for the request, also from who ran it.
#[tokio::test]
async fn what_a_tool_returned_is_redacted_for_every_reader() {
    const SECRET: &str = "correct-horse-battery";
    let mut redactor = Redactor::new();
    assert!(redactor.add_secret(SECRET));
    let desk = Desk::with(Setting { redactor, ..Setting::default() }).await;
    for report in [
        json!({"status": "succeeded", "result": {"url": format!("https://db/{SECRET}"), "rows": 3}}),
        json!({"status": "succeeded", "result": format!("key is {SECRET}")}),
        json!({"status": "failed", "error": format!("refused with {SECRET}")}),
    ] {
        let (id, holder) = running(&desk).await;
        let mut read = vec![posts(&desk, &id, "outcome", &holder, report.clone()).await.expect(200).json()];
        for who in ["agent", "bo", "auditor", "manager"] {
            read.push(desk.reads(who, &id).await);
        }
        for answer in read {
            assert!(!answer.to_string().contains(SECRET), "{answer}");
            let outcome = &answer["outcome"];
            assert!(outcome.to_string().contains("•••"), "hidden, not left out: {answer}");
            assert_eq!(outcome["status"], report["status"]);
        }
        let kept = desk.load(&id).await;
        assert!(format!("{:?}", kept.state).contains(SECRET), "the record keeps it as it was");
    }
}
