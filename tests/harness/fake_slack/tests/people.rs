//! What people do, and who they are.

use super::*;

#[tokio::test]
async fn a_click_opens_one_dialog_within_three_seconds() {
    let caller = caller().await;
    let ana = caller.slack.person("ana");
    let message = caller.post("t").await;
    let click = || payload_of(&caller.slack.click_payload(&ana, &message, &buttons(&message)[0]));
    let open = |payload: &Value, view| {
        caller.call("views.open", json!({ "trigger_id": payload["trigger_id"], "view": view }))
    };
    let first = click();
    assert_eq!(first["message"]["ts"], message.ts.as_str());
    assert_eq!(first["actions"][0]["action_id"], "approve");
    let mut bad = modal();
    bad["title"]["text"] = "x".repeat(25).into();
    assert_eq!(code(open(&first, bad)).await, "invalid_arguments");
    caller.passes(3_000);
    assert_eq!(open(&first, modal()).await["ok"], true);
    assert_eq!(code(open(&first, modal())).await, "exchanged_trigger_id");
    let late = click();
    caller.passes(3_001);
    assert_eq!(code(open(&late, modal())).await, "expired_trigger_id");
    assert_eq!(code(open(&json!({ "trigger_id": "1.2.3" }), modal())).await, "invalid_trigger_id");
    let view = caller.slack.next_view(&ana).await.unwrap();
    assert_eq!(view.text(), "Deny\nReason: [____]");
}

#[tokio::test]
async fn a_dialog_is_submitted_as_slacks_client_lets_it() {
    let caller = caller().await;
    let ana = caller.slack.person("ana");
    let message = caller.post("t").await;
    let click = payload_of(&caller.slack.click_payload(&ana, &message, &buttons(&message)[0]));
    caller.call("views.open", json!({ "trigger_id": click["trigger_id"], "view": modal() })).await;
    let view = caller.slack.next_view(&ana).await.unwrap();
    let submit = |values: &[(&str, &str, &str)]| caller.slack.submit_payload(&ana, &view, values);
    assert!(submit(&[]).is_err());
    assert!(submit(&[("reason", "text", "much too long")]).is_err());
    assert!(submit(&[("reason", "text", "ok"), ("other", "text", "x")]).is_err());
    let body = submit(&[("reason", "text", "no & <no>")]).unwrap();
    let payload = payload_of(&body);
    assert_eq!(payload["view"]["state"]["values"]["reason"]["text"]["value"], "no & <no>");
    assert_eq!(payload["view"]["private_metadata"], "d1");
    let answer = |body: &str| caller.slack.answer_submission(&view, 200, body);
    assert!(answer(r#"{"response_action":"errors","errors":{"nothing":"x"}}"#).is_err());
    assert!(answer(r#"{"response_action":"shout"}"#).is_err());
    let errors = answer(r#"{"response_action":"errors","errors":{"reason":"Say more."}}"#).unwrap();
    assert!(matches!(errors, SubmissionOutcome::Errors(errors) if errors["reason"] == "Say more."));
    assert_eq!(caller.slack.answer_submission(&view, 500, "").unwrap(), SubmissionOutcome::Trouble);
    let update = json!({ "view_id": view.id, "hash": "old", "view": modal() });
    assert_eq!(code(caller.call("views.update", update)).await, "hash_conflict");
    assert_eq!(answer("").unwrap(), SubmissionOutcome::Closed);
    assert!(submit(&[("reason", "text", "ok")]).is_err(), "closed");
    let update = json!({ "view_id": view.id, "view": modal() });
    assert_eq!(code(caller.call("views.update", update)).await, "not_found");
}

#[tokio::test]
async fn whispers_reach_one_person_and_change_by_response_url_only() {
    let caller = caller().await;
    let ana = caller.slack.person("ana");
    let body = json!({ "channel": "#ops", "user": ana, "text": "psst", "blocks": card() });
    caller.call("chat.postEphemeral", body).await;
    assert_eq!(caller.slack.unread(), ["whispered to U000000ANA: Delete 1 file"]);
    let whisper = caller.slack.next_ephemeral(&ana).await.unwrap();
    let click = payload_of(&caller.slack.click_payload(&ana, &whisper, &buttons(&whisper)[0]));
    assert_eq!((&click["container"]["is_ephemeral"], &click["message"]), (&json!(true), &Value::Null));
    let url = click["response_url"].as_str().unwrap().to_owned();
    let respond = |body: Value| {
        let request = caller.http.post(&url).json(&body);
        async move { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!(respond(json!({ "replace_original": true, "text": "changed" })).await, 200);
    assert_eq!(text_of(&caller.slack.ephemerals(&ana)[0]), "changed");
    for _ in 0..4 {
        assert_eq!(respond(json!({ "text": "again" })).await, 200);
    }
    assert_eq!(respond(json!({ "text": "sixth" })).await, 404);
    assert_eq!(caller.slack.ephemerals(&ana).len(), 5);
    caller.slack.leave("#ops", &ana);
    let body = json!({ "channel": "#ops", "user": ana, "text": "psst" });
    assert_eq!(code(caller.call("chat.postEphemeral", body)).await, "user_not_in_channel");
}

#[tokio::test]
async fn accounts_of_every_kind_are_told() {
    let caller = caller().await;
    for (kind, member, expected) in [
        (Kind::Member, "is_restricted", json!(false)),
        (Kind::Deactivated, "deleted", json!(true)),
        (Kind::Bot, "is_bot", json!(true)),
        (Kind::AppUser, "is_app_user", json!(true)),
        (Kind::WorkflowBot, "is_workflow_bot", json!(true)),
        (Kind::Guest, "is_restricted", json!(true)),
        (Kind::SingleChannelGuest, "is_ultra_restricted", json!(true)),
        (Kind::Stranger, "is_stranger", json!(true)),
        (Kind::Foreign("T2".into()), "team_id", json!("T2")),
    ] {
        let bo = caller.slack.person("bo");
        caller.slack.set_kind(&bo, kind);
        assert_eq!(caller.read("users.info", &[("user", &bo)]).await["user"][member], expected);
    }
    assert_eq!(caller.read("users.info", &[("user", "U1")]).await["error"], "user_not_found");
    let json = caller.call("users.info", json!({ "user": "U000000ANA" }));
    assert_eq!(code(json).await, "user_not_found", "JSON is not read by this method");
}

#[tokio::test]
async fn org_wide_payloads_have_no_team() {
    let caller = caller().await;
    let ana = caller.slack.person("ana");
    let message = caller.post("t").await;
    caller.slack.set_org_wide(true);
    let click = payload_of(&caller.slack.click_payload(&ana, &message, &buttons(&message)[0]));
    assert_eq!((&click["team"], &click["user"]["team_id"]), (&Value::Null, &json!(ENTERPRISE_ID)));
}

#[tokio::test]
async fn deliveries_are_signed_and_can_come_again() {
    let caller = caller().await;
    caller.slack.set_signing_secret("8f742231b10e8888abcd99yyyzzz85a5");
    assert_eq!(caller.slack.signed_again(), None);
    let first = caller.slack.signed("payload=%7B%7D");
    caller.passes(60_000);
    let again = caller.slack.signed_again().unwrap();
    assert_eq!(first.body, again.body);
    assert_ne!(first.headers[2], again.headers[2]);
    assert_eq!(again.headers[3], ("x-slack-retry-num", "1".to_owned()));
    assert_eq!(
        first.headers[2].1,
        sign("8f742231b10e8888abcd99yyyzzz85a5", 1_793_520_000, b"payload=%7B%7D")
    );
}
