//! `/approvals` (R5).

use placet::ports::store::Scope;
use placet::time::Ttl;
use serde_json::{Value, json};

use crate::fixture::{Desk, NOWHERE, POLICY, Setting, call};

/// R5, R28: a yes from who was shown the whole call, and only then; the answer says what is still needed.
#[tokio::test]
async fn a_yes_needs_the_whole_call_to_have_been_shown() {
    let desk = Desk::new().await;
    let id = desk.proposes("deploy", json!({"app": "api"})).await;
    let problem = desk.votes("bo", &id, true).await.problem(403, "not_shown_in_full");
    assert!(problem["detail"].as_str().unwrap().contains(&format!("GET /v1/requests/{id}")), "the remedy");
    // A HEAD shows nothing, and neither does what another was shown.
    let head = desk.ask(axum::http::Method::HEAD, &format!("/v1/requests/{id}")).token(&desk.token("bo"));
    head.send().await.expect(200);
    desk.reads("chen", &id).await;
    desk.votes("bo", &id, true).await.problem(403, "not_shown_in_full");
    assert_eq!(
        desk.approves("bo", &id).await,
        json!({"requestId": id, "status": "waiting_approval", "decided": false, "stage": 1, "stages": 1,
               "needs": [{"role": "admin", "count": 2, "have": 1}]})
    );
    desk.votes("bo", &id, true).await.problem(409, "already_voted");
    assert_eq!(
        desk.approves("chen", &id).await,
        json!({"requestId": id, "status": "approved", "decided": true})
    );
    let late = desk.votes("ana", &id, true).await.problem(404, "already_decided");
    assert!(late["detail"].as_str().unwrap().contains("by Bo, Chen"), "people are told by whom: {late}");
    let events = desk.events("acme").await;
    assert_eq!(events.iter().filter(|event| event.kind.name() == "approval.decided").count(), 1);
}

/// R28: where a secret is hidden, the whole call was not shown, and a yes cannot count.
#[tokio::test]
async fn what_is_hidden_was_not_shown() {
    let desk = Desk::new().await;
    let id = desk.proposes("delete_file", json!({"path": "a", "password": "hunter2hunter2"})).await;
    let read = desk.reads("bo", &id).await;
    assert_eq!(read["full"], false);
    assert!(!read.to_string().contains("hunter2"), "{read}");
    desk.votes("bo", &id, true).await.problem(403, "not_shown_in_full");
    desk.votes("bo", &id, false).await.expect(200);
}

/// R5, R17: the voter is whoever the credential belongs to; a wrong role is refused with the reason, and recorded.
#[tokio::test]
async fn who_may_not_decide_is_told_why() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    desk.reads("vic", &id).await;
    let problem = desk.votes("vic", &id, true).await.problem(403, "wrong_role");
    assert!(problem["detail"].as_str().unwrap().contains("admin"));
    assert_eq!(desk.blocked("acme").await, 1);
    desk.has("stranger", "acme", &[Scope::Decide]).await;
    desk.votes("stranger", &id, false).await.problem(403, "no_standing");
    let field =
        desk.post("bo", "/approvals", &json!({"requestId": id, "approved": true, "approver": "chen"}));
    field.send().await.problem(422, "unknown_field");
    assert_eq!(desk.load(&id).await.votes.len(), 0);
}

/// R5: unknown, already decided, or never asked of people: 404.
#[tokio::test]
async fn what_cannot_be_decided_is_not_found() {
    let desk = Desk::new().await;
    desk.votes("bo", NOWHERE, true).await.problem(404, "not_found");
    desk.votes("bo", "x", true).await.problem(404, "not_found");
    for tool in ["get_time", "write_note", "drop_table"] {
        let id = desk.proposes(tool, json!({})).await;
        desk.votes("bo", &id, true).await.problem(404, "not_asked");
    }
    let id = desk.delete_file().await;
    desk.clock.passes(Ttl::from_mins(31));
    desk.votes("bo", &id, false).await.problem(404, "already_decided");
    desk.tick(&id).await;
    desk.votes("bo", &id, false).await.problem(404, "already_decided");
}

#[tokio::test]
async fn each_wrong_field_of_a_vote_is_named() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    for (body, code, field) in [
        (json!({"approved": true}), "missing_field", "requestId"),
        (json!({"requestId": id}), "missing_field", "approved"),
        (json!({"requestId": id, "approved": "yes"}), "invalid_field", "approved"),
        (json!({"requestId": id, "approved": false, "reason": "x".repeat(2001)}), "field_too_long", "reason"),
        (json!({"requestId": id, "approved": false}), "reason_required", "reason"),
        (json!({"requestId": id, "approved": false, "reason": " "}), "reason_required", "reason"),
    ] {
        assert_eq!(desk.post("bo", "/approvals", &body).send().await.problem(422, code)["field"], field);
    }
}

/// R5, R10: the decisions in their order, time-outs included, paged.
#[tokio::test]
async fn decisions_are_listed_in_their_order() {
    let desk = Desk::new().await;
    let yes = desk.proposes("delete_file", json!({"path": "a", "token": "abcdefghijkl"})).await;
    let no = desk.delete_file().await;
    let late = desk.delete_file().await;
    let granted = desk.delete_file().await;
    // Only who was asked can be silent.
    desk.reads("bo", &late).await;
    desk.votes("bo", &no, false).await.expect(200);
    desk.clock.passes(Ttl::from_secs(1));
    desk.approves("chen", &granted).await;
    desk.votes("bo", &yes, false).await.expect(200);
    desk.clock.passes(Ttl::from_mins(31));
    desk.tick(&late).await;
    // A yes that was not used is no second decision.
    desk.tick(&granted).await;
    let forbidden = desk.proposes("drop_table", json!({})).await;
    desk.proposes("get_time", json!({})).await;
    let all = desk.get("auditor", "/approvals").send().await.expect(200).json();
    let ids: Vec<_> =
        all["approvals"].as_array().unwrap().iter().map(|entry| entry["requestId"].clone()).collect();
    assert_eq!(ids, [no, granted, yes, late, forbidden]);
    let mut named = all.clone();
    for (entry, name) in named["approvals"].as_array_mut().unwrap().iter_mut().zip([
        "no",
        "granted",
        "yes",
        "late",
        "forbidden",
    ]) {
        entry["requestId"] = json!(name);
    }
    insta::assert_json_snapshot!("decisions", named);
    let (mut paged, mut after) = (Vec::new(), String::new());
    loop {
        let page = desk.get("bo", &format!("/approvals?limit=2{after}")).send().await.expect(200).json();
        paged.extend(page["approvals"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(Value::from(paged), all["approvals"]);
    desk.get("bo", "/approvals?after=7").send().await.problem(400, "cursor_invalid");
    desk.get("bo", "/approvals?limit=x").send().await.problem(400, "query_invalid");
}

/// R50: one person alone may propose and decide with one credential under the solo profile only.
#[tokio::test]
async fn propose_and_decide_exclude_each_other_but_for_one_person_alone() {
    let both = [Scope::Propose, Scope::Decide, Scope::Execute];
    let desk = Desk::new().await;
    desk.has("solo", "acme", &both).await;
    desk.post("solo", "/v1/requests", &call("delete_file", json!({})))
        .send()
        .await
        .problem(403, "scopes_conflict");
    desk.votes("solo", NOWHERE, true).await.problem(403, "scopes_conflict");
    let id = desk.delete_file().await;
    desk.get("solo", &format!("/v1/requests/{id}")).send().await.expect(200);

    let policy = POLICY
        .replace("version = \"test\"", "version = \"test\"\nprofile = \"solo\"")
        .replace("credentials = [\"bo\"]", "credentials = [\"bo\", \"solo\"]");
    let desk = Desk::with(Setting { policy, ..Setting::default() }).await;
    desk.has("solo", "acme", &both).await;
    let body = call("delete_file", json!({"path": "a"}));
    let id = desk.post("solo", "/v1/requests", &body).send().await.expect(201).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let plain = desk.reads("solo", &id).await;
    assert!(
        plain.get("card").is_none() && plain.get("tier").is_none(),
        "the agent is shown no card unless asked for: {plain}"
    );
    desk.votes("solo", &id, true).await.problem(403, "not_shown_in_full");
    let card = desk.get("solo", &format!("/v1/requests/{id}?view=card")).send().await.expect(200).json();
    assert_eq!((&card["tier"], &card["full"]), (&json!("approve"), &json!(true)));
    assert_eq!(desk.votes("solo", &id, true).await.expect(200).json()["status"], "approved");
}

/// R27, R28: what people read is the card: redacted, escaped, whole.
#[tokio::test]
async fn people_read_the_card() {
    let desk = Desk::new().await;
    let mut body = call("delete_file", json!({"path": "a\u{202e}txt", "n": 3}));
    body["evidence"] = json!([{"id": "e1", "title": "<!channel> listing"}]);
    let id = desk.post("agent", "/v1/requests", &body).send().await.expect(201).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let read = desk.reads("bo", &id).await;
    assert!(!read.to_string().contains('\u{202e}'), "marked, not passed on");
    insta::assert_json_snapshot!("the_card", read);
    assert_eq!(desk.load(&id).await.renderings.len(), 1);
    desk.reads("bo", &id).await;
    assert_eq!(desk.load(&id).await.renderings.len(), 1, "shown again is shown");
    for who in ["auditor", "manager"] {
        assert_eq!(desk.reads(who, &id).await["card"]["code"], read["code"]);
    }
    assert_eq!(desk.load(&id).await.renderings.len(), 1, "who cannot vote leaves no rendering");
    assert!(desk.load(&id).await.card_delivered, "somebody was asked");
}

/// A policy under which Vic, a viewer, may break the glass.
fn with_glass() -> Setting {
    let policy =
        POLICY.replace("stewards = [\"admin\"]", "stewards = [\"admin\"]\nbreak_glass = [\"viewer\"]");
    Setting { policy, ..Setting::default() }
}

/// R41, R28: one person decides alone, with a reason, having read it; it stays open until another person has reviewed it.
#[tokio::test]
async fn the_glass_is_broken_and_reviewed() {
    let desk = Desk::with(with_glass()).await;
    let id = desk.proposes("deploy", json!({"app": "api"})).await;
    let act = async |who: &str, what: &str, body: Value| {
        desk.post(who, &format!("/v1/requests/{id}/{what}"), &body).send().await
    };
    assert_eq!(act("vic", "break-glass", json!({})).await.problem(422, "missing_field")["field"], "reason");
    act("vic", "break-glass", json!({"reason": " "})).await.problem(422, "invalid_field");
    act("vic", "break-glass", json!({"reason": "r", "x": 1})).await.problem(422, "unknown_field");
    act("vic", "review", json!({})).await.problem(409, "out_of_order");
    let problem = act("bo", "break-glass", json!({"reason": "it burns"})).await.problem(403, "not_allowed");
    assert!(problem["detail"].as_str().unwrap().contains("viewer"), "{problem}");
    act("vic", "break-glass", json!({"reason": "it burns"})).await.problem(403, "not_shown_in_full");
    desk.reads("vic", &id).await;
    let broken = act("vic", "break-glass", json!({"reason": "the site is down"})).await.expect(200).json();
    assert_eq!((&broken["status"], &broken["review_open"]), (&json!("approved"), &json!(true)));
    assert_eq!(broken["break_glass"]["reason"], "the site is down");
    assert_eq!(broken["break_glass"]["assurance"], "signed");
    assert_eq!(broken["break_glass"]["shown"], json!(desk.load(&id).await.renderings[0].shown));
    act("vic", "break-glass", json!({"reason": "again"})).await.problem(404, "already_decided");
    act("vic", "review", json!({})).await.problem(403, "own_request");
    let list = desk.get("auditor", "/approvals").send().await.expect(200).json();
    let entry = &list["approvals"][0];
    assert_eq!((&entry["by"], &entry["who"]), (&json!("break_glass"), &json!(["Vic"])));
    assert_eq!((&entry["reason"], &entry["review_open"]), (&json!("the site is down"), &json!(true)));
    let reviewed = act("bo", "review", json!({})).await.expect(200).json();
    assert_eq!(reviewed["review_open"], false);
    act("bo", "review", json!({})).await.expect(200);
    let problem =
        act("bo", "review", json!({"note": "it was not needed"})).await.problem(409, "out_of_order");
    assert!(problem["detail"].as_str().unwrap().contains("somebody has reviewed it before"), "{problem}");
    let list = desk.get("auditor", "/approvals").send().await.expect(200).json();
    assert_eq!(list["approvals"][0]["review_open"], false);
}

/// R18: a vote is taken back until it is decided, and then no more.
#[tokio::test]
async fn a_vote_is_taken_back() {
    let desk = Desk::new().await;
    let id = desk.proposes("deploy", json!({"app": "api"})).await;
    let back = async |who: &str, body: Value| {
        desk.post(who, &format!("/v1/requests/{id}/take-back"), &body).send().await
    };
    back("bo", json!({})).await.problem(409, "no_vote");
    desk.approves("bo", &id).await;
    back("bo", json!({"x": 1})).await.problem(422, "unknown_field");
    back("chen", json!({})).await.problem(409, "no_vote");
    let after = back("bo", json!({})).await.expect(200).json();
    assert_eq!((&after["votes"], &after["needs"][0]["have"]), (&json!([]), &json!(0)));
    desk.approves("chen", &id).await;
    desk.approves("ana", &id).await;
    back("chen", json!({})).await.problem(404, "already_decided");
    let harmless = desk.proposes("get_time", json!({})).await;
    for what in ["take-back", "review"] {
        let path = format!("/v1/requests/{harmless}/{what}");
        desk.post("bo", &path, &json!({})).send().await.problem(404, "not_asked");
    }
}

/// R9: nothing is remembered that the request does not offer.
#[tokio::test]
async fn only_what_is_offered_is_remembered() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    assert!(desk.reads("bo", &id).await.get("remember").is_none());
    for (approved, remember, code) in [
        (true, json!(true), "not_offered"),
        (false, json!(true), "not_offered"),
        (true, json!(1), "invalid_field"),
    ] {
        let body = json!({"requestId": id, "approved": approved, "reason": "r", "remember": remember});
        let problem = desk.post("bo", "/approvals", &body).send().await.problem(422, code);
        assert_eq!(problem["field"], "remember");
    }
    assert!(desk.load(&id).await.votes.is_empty());
    let body = json!({"requestId": id, "approved": true, "remember": false});
    desk.post("bo", "/approvals", &body).send().await.expect(200);
}
