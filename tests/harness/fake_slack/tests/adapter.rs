//! The adapter's wire level against the fake: each was written from Slack's rules without the other, so that a mistake
//! in one shows here.

use std::time::Duration;

use bytes::Bytes;
use placet_slack::api::{
    ApiError, ApiSettings, Ephemeral, Metadata, MetadataQuery, NewMessage, SlackApi, Update,
};
use placet_slack::identity::{Account, Home, SlackIdentity, account};
use placet_slack::limits::{check_message, check_view};
use placet_slack::payload::{Command, Interaction};
use placet_slack::signature::{SigningSecrets, Unsigned, Verified};
use proptest::prelude::*;
use secrecy::SecretString;

use super::*;

fn api(slack: &FakeSlack) -> SlackApi {
    let base_url = slack.base_url().parse().unwrap();
    let mut settings = ApiSettings::new(base_url, SecretString::from(TOKEN));
    settings.call_limit = Duration::from_millis(500);
    SlackApi::new(settings).unwrap()
}

fn verify(delivery: &Delivery, now_secs: i64) -> Result<Verified, Unsigned> {
    let header = |name: &str| {
        let found = delivery.headers.iter().find(|(header, _)| *header == name);
        found.map(|(_, value)| value.as_bytes())
    };
    SigningSecrets::new(SecretString::from("fake-signing-secret")).unwrap().verify(
        now_secs,
        header("x-slack-request-timestamp"),
        header("x-slack-signature"),
        Bytes::copy_from_slice(delivery.body.as_bytes()),
    )
}

/// R30 at the wire: a signed click, its redelivery, the edit and the answer to the one person.
#[tokio::test]
async fn a_card_goes_out_a_click_comes_in_and_the_card_changes() {
    let caller = caller().await;
    let (slack, api) = (&caller.slack, api(&caller.slack));
    let ana = slack.person("ana");
    let blocks = card().as_array().unwrap().clone();
    let metadata = Metadata { event_type: "placet_card".into(), event_payload: json!({ "attempt": "a1" }) };
    let mut message = NewMessage::new("#ops", "Delete 1 file");
    message.blocks = &blocks;
    message.metadata = Some(&metadata);
    let posted = api.post_message(&message).await.unwrap();
    let shown = slack.next_message("#ops").await.unwrap();
    assert_eq!((posted.channel.as_str(), posted.ts.as_str()), (shown.channel.as_str(), shown.ts.as_str()));

    let delivery = slack.signed(&slack.click_payload(&ana, &shown, &buttons(&shown)[0]));
    let verified = verify(&delivery, 1_793_520_000).unwrap();
    let Interaction::BlockActions(click) = Interaction::parse(&verified).unwrap() else { panic!() };
    assert_eq!(click.identity(), Some(SlackIdentity { workspace: TEAM_ID.into(), user: ana.clone() }));
    assert_eq!(click.message_address(), Some((shown.channel.as_str(), shown.ts.as_str())));
    assert_eq!(
        click.message.as_ref().unwrap().metadata.as_ref().unwrap().event_payload,
        Some(metadata.event_payload.clone())
    );

    caller.passes(301_000);
    assert_eq!(verify(&delivery, 1_793_520_301).unwrap_err(), Unsigned::Stale);
    let Interaction::BlockActions(again) =
        Interaction::parse(&verify(&slack.signed_again().unwrap(), 1_793_520_301).unwrap()).unwrap()
    else {
        panic!()
    };
    let surface = placet::id::SurfaceName::new("slack").unwrap();
    let (one, other) = (&click.actions()[0], &again.actions()[0]);
    assert_eq!(again.delivery_id(&surface, other), click.delivery_id(&surface, one));

    api.update(&Update::new(&posted.channel, &posted.ts, "Approved", &[])).await.unwrap();
    assert!(buttons(&slack.next_edit(&shown).await.unwrap()).is_empty());
    api.respond(click.response_url.as_deref().unwrap(), &json!({ "text": "Noted." })).await.unwrap();
    assert_eq!(text_of(&slack.next_ephemeral(&ana).await.unwrap()), "Noted.");
    assert_eq!(slack.unread(), [""; 0]);
}

#[tokio::test]
async fn a_dialog_opens_and_its_submission_is_read() {
    let caller = caller().await;
    let (slack, api) = (&caller.slack, api(&caller.slack));
    let ana = slack.person("ana");
    let shown = caller.post("t").await;
    let click = slack.signed(&slack.click_payload(&ana, &shown, &buttons(&shown)[0]));
    let Interaction::BlockActions(click) =
        Interaction::parse(&verify(&click, 1_793_520_000).unwrap()).unwrap()
    else {
        panic!()
    };
    let trigger_id = click.trigger_id.unwrap();
    let opened = api.views_open(&trigger_id, &modal()).await.unwrap();
    assert!(matches!(api.views_open(&trigger_id, &modal()).await, Err(ApiError::TriggerExpired { .. })));
    let view = slack.next_view(&ana).await.unwrap();
    assert_eq!(opened.id, view.id);
    let updated = api.views_update(&opened.id, opened.hash.as_deref(), &modal()).await.unwrap();
    assert_ne!(updated.hash, opened.hash);
    let submission = slack.signed(&slack.submit_payload(&ana, &view, &[("reason", "text", "no")]).unwrap());
    let Interaction::ViewSubmission(submission) =
        Interaction::parse(&verify(&submission, 1_793_520_000).unwrap()).unwrap()
    else {
        panic!()
    };
    let view = submission.view.as_ref().unwrap();
    assert_eq!((view.value("reason", "text"), view.private_metadata.as_deref()), (Some("no"), Some("d1")));
    let slash = slack.signed(&slack.slash_payload(&ana, "#ops", "/placet", "audit <@U1|bo>").unwrap());
    let Command::Slash(slash) = Command::parse(&verify(&slash, 1_793_520_000).unwrap()).unwrap() else {
        panic!()
    };
    assert_eq!(slash.text.as_deref(), Some("audit <@U1|bo>"));
}

#[tokio::test]
async fn each_fault_is_told_by_kind() {
    let caller = caller().await;
    let (slack, api) = (&caller.slack, api(&caller.slack));
    let message = NewMessage::new("#ops", "t");
    let code = |code: &str| code.to_owned();
    for (fault, expected, posts) in [
        (Fault::Status(500), ApiError::Unknown, 0),
        (Fault::DoneThen500, ApiError::Unknown, 1),
        (Fault::DoneButNoAnswer, ApiError::Unknown, 1),
        (Fault::NoAnswer, ApiError::Unknown, 0),
        (Fault::Hang, ApiError::Unknown, 0),
        (Fault::RateLimited { retry_after: Some(3) }, ApiError::RateLimited { retry_after: Some(3) }, 0),
        (Fault::RateLimited { retry_after: None }, ApiError::RateLimited { retry_after: None }, 0),
        (Fault::Code("is_archived"), ApiError::NoPlace { code: code("is_archived") }, 0),
        (Fault::Code("token_revoked"), ApiError::Auth { code: code("token_revoked"), needed: None }, 0),
    ] {
        let before = slack.messages("#ops").len();
        slack.fail_next("chat.postMessage", fault.clone());
        assert_eq!(api.post_message(&message).await, Err(expected), "{fault:?}");
        assert_eq!(slack.messages("#ops").len() - before, posts, "{fault:?}");
    }
    slack.down();
    assert!(matches!(api.post_message(&message).await, Err(ApiError::Unreached(_))));
    slack.up().unwrap();
    let posted = api.post_message(&message).await.unwrap();
    slack.fail_next("chat.update", Fault::Status(500));
    let update = Update::new(&posted.channel, &posted.ts, "t", &[]);
    assert_eq!(api.update(&update).await, Err(ApiError::Unavailable));
    slack.delete_message(&slack.message("#ops", &posted.ts).unwrap());
    assert_eq!(api.update(&update).await, Err(ApiError::Gone { code: code("message_not_found") }));
    let bad = [json!({ "type": "x" })];
    let mut message = NewMessage::new("#ops", "t");
    message.blocks = &bad;
    assert!(
        matches!(api.post_message(&message).await, Err(ApiError::TooLarge { details, .. }) if details.len() == 1)
    );
    let absent = Ephemeral::new("#ops", "U1", "t");
    assert!(matches!(api.post_ephemeral(&absent).await, Err(ApiError::NoPlace { .. })));
}

#[tokio::test]
async fn a_post_whose_answer_was_lost_is_found_by_its_metadata() {
    let caller = caller().await;
    let (slack, api) = (&caller.slack, api(&caller.slack));
    let parent = api.post_message(&NewMessage::new("#ops", "parent")).await.unwrap();
    for thread_ts in [None, Some(parent.ts.as_str())] {
        let attempt = if thread_ts.is_some() { "in-thread" } else { "in-channel" };
        let metadata =
            Metadata { event_type: "placet_card".into(), event_payload: json!({ "attempt": attempt }) };
        let mut message = NewMessage::new("#ops", "t");
        message.metadata = Some(&metadata);
        message.thread_ts = thread_ts;
        slack.fail_next("chat.postMessage", Fault::DoneButNoAnswer);
        assert_eq!(api.post_message(&message).await, Err(ApiError::Unknown));
        let query = MetadataQuery {
            channel: &parent.channel,
            thread_ts,
            oldest_secs: 1_793_519_990,
            event_type: "placet_card",
            key: "attempt",
            value: attempt,
        };
        let found = api.find_by_metadata(&query, BOT_USER_ID).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].ts, slack.messages("#ops").last().unwrap().ts);
        let none = MetadataQuery { value: "another", ..query };
        assert_eq!(api.find_by_metadata(&none, BOT_USER_ID).await.unwrap(), []);
    }
    slack.set_scopes(&["chat:write"]);
    let query = MetadataQuery {
        channel: &parent.channel,
        thread_ts: None,
        oldest_secs: 0,
        event_type: "placet_card",
        key: "attempt",
        value: "in-channel",
    };
    let refused = api.find_by_metadata(&query, BOT_USER_ID).await;
    let needed = Some("channels:history".to_owned());
    assert_eq!(refused, Err(ApiError::Auth { code: "missing_scope".into(), needed }));
}

#[tokio::test]
async fn only_full_members_are_active() {
    let caller = caller().await;
    let (slack, api) = (&caller.slack, api(&caller.slack));
    let home = Home { team_id: TEAM_ID.into(), enterprise_id: None };
    let bo = slack.person("bo");
    for (kind, expected) in [
        (Kind::Deactivated, Account::Deactivated),
        (Kind::Bot, Account::Bot),
        (Kind::AppUser, Account::AppUser),
        (Kind::WorkflowBot, Account::WorkflowBot),
        (Kind::Guest, Account::Guest { single_channel: false }),
        (Kind::SingleChannelGuest, Account::Guest { single_channel: true }),
        (Kind::Stranger, Account::Stranger),
        (Kind::Foreign("T2".into()), Account::ForeignTeam { team_id: "T2".into() }),
    ] {
        slack.set_kind(&bo, kind);
        assert_eq!(account(&api.users_info(&bo).await.unwrap(), &bo, &home), expected);
    }
    slack.set_kind(&bo, Kind::Member);
    assert!(matches!(account(&api.users_info(&bo).await.unwrap(), &bo, &home), Account::Active(_)));
    slack.set_kind(&bo, Kind::Unknown);
    assert_eq!(api.users_info(&bo).await, Err(ApiError::Other { code: "user_not_found".into() }));
    let auth = api.auth_test().await.unwrap();
    assert_eq!((auth.team_id.as_str(), auth.user_id.as_str()), (TEAM_ID, BOT_USER_ID));
    assert!(auth.scopes.contains(&"chat:write".to_owned()));
}

/// R17: a user group is read as Slack keeps it: closed accounts are in none, and a disabled group, one that Slack fails
/// at, or a missing scope is never an empty group. Twenty times a minute, and not more often.
#[tokio::test]
async fn user_groups_are_read_as_slack_keeps_them() {
    let caller = caller().await;
    let (slack, api) = (&caller.slack, api(&caller.slack));
    let group = slack.user_group("releasers", &["bo", "chen"]);
    let users = || api.usergroup_users(&group, TEAM_ID);
    let (bo, chen) = (slack.person("bo"), slack.person("chen"));
    assert_eq!(users().await, Ok(vec![bo.clone(), chen.clone()]));
    slack.set_kind(&chen, Kind::Deactivated);
    assert_eq!(users().await, Ok(vec![bo.clone()]));
    slack.leave_group(&group, &bo);
    assert_eq!(users().await, Ok(vec![]));
    slack.set_group_readable(&group, false);
    assert_eq!(users().await, Err(ApiError::Unavailable));
    slack.set_group_readable(&group, true);
    slack.set_group_disabled(&group, true);
    assert_eq!(users().await, Err(ApiError::Other { code: "no_such_subteam".into() }));
    slack.set_group_disabled(&group, false);
    let nowhere = api.usergroup_users("S0NOWHERE", TEAM_ID).await;
    assert_eq!(nowhere, Err(ApiError::Other { code: "no_such_subteam".into() }));
    slack.limit_rates(true);
    for _ in 0..20 {
        users().await.unwrap();
    }
    assert!(matches!(users().await, Err(ApiError::RateLimited { retry_after: Some(_) })));
    caller.passes(60_000);
    slack.set_scopes(&["users:read"]);
    let needed = Some("usergroups:read".to_owned());
    assert_eq!(users().await, Err(ApiError::Auth { code: "missing_scope".into(), needed }));
}

/// A text whose length lies at or beside one of Slack's limits.
fn near_a_limit() -> impl Strategy<Value = String> {
    let lengths = vec![0usize, 1, 24, 30, 75, 100, 150, 255, 300, 2_000, 3_000];
    let pieces = vec!["x", "&", "<", "\u{1F600}", "é", "&amp;"];
    (proptest::sample::select(lengths), 0usize..3, proptest::sample::select(pieces)).prop_map(
        |(length, extra, piece)| {
            let units = piece.encode_utf16().count();
            piece.repeat((length + extra).saturating_sub(1) / units)
        },
    )
}

fn any_block() -> impl Strategy<Value = Value> {
    let text = || near_a_limit().prop_map(|text| json!({ "type": "plain_text", "text": text }));
    prop_oneof![
        text().prop_map(|text| json!({ "type": "header", "text": text })),
        text().prop_map(|text| json!({ "type": "section", "text": text })),
        (text(), 0usize..12).prop_map(|(text, n)| json!({ "type": "section", "fields": vec![text; n] })),
        (text(), 0usize..12).prop_map(|(text, n)| json!({ "type": "context", "elements": vec![text; n] })),
        (text(), near_a_limit(), near_a_limit()).prop_map(|(text, id, value)| json!({ "type": "actions",
            "elements": [{ "type": "button", "text": text, "action_id": id, "value": value }] })),
        (text(), text()).prop_map(|(label, hint)| json!({ "type": "input", "label": label, "hint": hint,
            "element": { "type": "plain_text_input", "placeholder": label.clone() } })),
        near_a_limit().prop_map(|text| json!({ "type": "rich_text", "elements": [
            { "type": "rich_text_preformatted", "elements": [{ "type": "text", "text": text }] }] })),
        near_a_limit().prop_map(|id| json!({ "type": "divider", "block_id": id })),
    ]
}

proptest! {
    /// What the adapter takes for sound, Slack takes.
    #[test]
    fn the_adapters_limits_are_at_least_as_strict(blocks in proptest::collection::vec(any_block(), 0..4)) {
        let blocks = Value::from(blocks);
        let title = json!({ "type": "plain_text", "text": "Deny" });
        if check_message(&json!({ "text": "t", "blocks": blocks })).is_empty() {
            prop_assert_eq!(rules::message(&blocks), [""; 0]);
            prop_assert!(!rules::is_too_long(&blocks));
        }
        let view = json!({ "type": "modal", "title": title, "submit": title, "blocks": blocks });
        if check_view(&view).is_empty() {
            prop_assert_eq!(rules::view(&view), [""; 0]);
        }
    }
}
