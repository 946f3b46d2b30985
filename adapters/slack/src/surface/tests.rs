use std::sync::Mutex;

use axum::Json;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use placet::approval::{Alarm, Decision, Refusal};
use placet::notice::{Mention, Notice};
use placet::person::Identity;

use super::*;
use crate::fixtures::{
    StandingClock, at, attempt, in_every_state, settings, stand_in, tenant, view, waiting,
};
use crate::render::{APPROVE_ACTION, DENY_ACTION};

type Calls = Arc<Mutex<Vec<(String, Value)>>>;

struct Office {
    slack: Slack,
    clock: Arc<StandingClock>,
    calls: Calls,
}

/// A workspace whose Slack answers each call, by method and how many came before, with this.
async fn office(
    change: impl FnOnce(&mut SlackSettings),
    mut answer: impl FnMut(&str, usize) -> Response + Send + 'static,
) -> Office {
    let calls = Calls::default();
    let seen = Arc::clone(&calls);
    let api = stand_in(move |method: &str, body: Bytes| {
        let mut seen = seen.lock().unwrap();
        let before = seen.iter().filter(|(called, _)| called == method).count();
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into());
        seen.push((method.to_owned(), body));
        answer(method, before)
    })
    .await;
    let clock = StandingClock::new();
    let mut settings = settings();
    change(&mut settings);
    Office { slack: Slack::new(settings, api, clock.clone()), clock, calls }
}

impl Office {
    fn calls(&self) -> Vec<(String, Value)> {
        self.calls.lock().unwrap().clone()
    }

    fn methods(&self) -> Vec<String> {
        self.calls().into_iter().map(|(method, _)| method).collect()
    }
}

fn ok() -> Response {
    Json(json!({ "ok": true, "channel": "C9", "ts": "1.000100" })).into_response()
}

fn refusal(code: &str) -> Response {
    Json(json!({ "ok": false, "error": code })).into_response()
}

fn place(channel: &str, thread: Option<&str>) -> Place {
    Place {
        surface: crate::fixtures::slack(),
        channel: channel.to_owned(),
        thread: thread.map(str::to_owned),
    }
}

fn message() -> MessageRef {
    MessageRef { channel: "C1".into(), id: "1.000100".into() }
}

#[tokio::test]
async fn a_card_is_posted_as_it_is_rendered() {
    let office = office(|_| {}, |_, _| ok()).await;
    let view = view(&waiting());
    let posted = office.slack.post(&place("C1", Some("1700000000.000100")), &view, attempt(1)).await.unwrap();
    assert_eq!(posted, MessageRef { channel: "C9".into(), id: "1.000100".into() });
    let rendering = office.slack.render(&view);
    assert!(rendering.full && office.slack.shows_all(&view));
    let body = &office.calls()[0].1;
    assert_eq!(body["blocks"], Value::from(rendering.blocks));
    assert_eq!(body["text"], rendering.text);
    assert_eq!((&body["channel"], &body["thread_ts"]), (&json!("C1"), &json!("1700000000.000100")));
    let payload = json!({ "attempt": attempt(1).to_string(), "request": view.request.to_string() });
    assert_eq!(body["metadata"], json!({ "event_type": "placet_card", "event_payload": payload }));
    office.slack.post(&place("", None), &view, attempt(2)).await.unwrap();
    assert_eq!(office.calls()[1].1["channel"], "CDEFAULT");
}

/// R29: what Slack does not take is posted in short, once, and never counts as shown or as an answer.
#[tokio::test]
async fn a_card_that_slack_refuses_is_posted_in_short_without_a_yes() {
    for code in ["invalid_blocks", "msg_blocks_too_long"] {
        let office = office(|_| {}, move |_, before| if before == 0 { refusal(code) } else { ok() }).await;
        let view = view(&waiting());
        office.slack.post(&place("C1", None), &view, attempt(1)).await.unwrap();
        let calls = office.calls();
        assert_eq!(calls.len(), 2);
        assert!(calls[0].1["blocks"].to_string().contains(APPROVE_ACTION));
        let short = calls[1].1["blocks"].to_string();
        assert!(!short.contains(APPROVE_ACTION) && short.contains(DENY_ACTION));
        assert_eq!(calls[1].1["metadata"], calls[0].1["metadata"], "it is the same attempt");
        office.slack.edit(&message(), &view).await.unwrap();
    }
    let office = office(|_| {}, |_, _| refusal("invalid_blocks")).await;
    let fault = office.slack.post(&place("C1", None), &view(&waiting()), attempt(1)).await.unwrap_err();
    assert!(matches!(fault, SurfaceError::Never { .. }), "{fault:?}");
    assert_eq!(office.calls().len(), 2);
}

#[tokio::test]
async fn an_edit_sends_blocks_and_text_in_every_state() {
    let office = office(|_| {}, |_, _| ok()).await;
    for (_, approval) in in_every_state() {
        office.slack.edit(&message(), &view(&approval)).await.unwrap();
    }
    for (method, body) in office.calls() {
        assert_eq!(method, "chat.update");
        assert!(body["blocks"].as_array().is_some_and(|blocks| !blocks.is_empty()));
        assert!(body["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
}

#[tokio::test]
async fn faults_say_what_may_have_happened() {
    for (status, code, expected) in [
        (500, "", "Unknown"),
        (200, "message_not_found", "Gone"),
        (200, "channel_not_found", "Never"),
        (200, "invalid_auth", "Never"),
        (200, "service_unavailable", "Later"),
    ] {
        let answer = move |_: &str, _: usize| {
            if status == 200 { refusal(code) } else { StatusCode::from_u16(status).unwrap().into_response() }
        };
        let office = office(|_| {}, answer).await;
        let fault = office.slack.post(&place("C1", None), &view(&waiting()), attempt(1)).await.unwrap_err();
        assert!(format!("{fault:?}").starts_with(expected), "{code}: {fault:?}");
        let edit = office.slack.edit(&message(), &view(&waiting())).await.unwrap_err();
        // An edit can be done again: a fault is no riddle.
        let expected = if status == 500 { "Later" } else { expected };
        assert!(format!("{edit:?}").starts_with(expected), "{code}: {edit:?}");
    }
}

#[tokio::test]
async fn posts_to_a_channel_take_turns() {
    let office = office(|settings| settings.post_interval = POST_INTERVAL, |_, _| ok()).await;
    let view = view(&waiting());
    let start = office.clock.now();
    for number in 0..3 {
        office.slack.post(&place("C1", None), &view, attempt(number)).await.unwrap();
    }
    // The first waits as well: nobody knows what was posted right before.
    assert_eq!(office.clock.now().since(start), Ttl::from_secs(3));
    office.slack.post(&place("C2", None), &view, attempt(9)).await.unwrap();
    assert_eq!(office.clock.now().since(start), Ttl::from_secs(3), "another channel waits for nobody");
}

/// R30: what is said to somebody by their account's id and in their direct messages goes to one channel, and takes turns there.
#[tokio::test]
async fn both_names_of_direct_messages_are_one_channel() {
    let direct =
        |_: &str, _: usize| Json(json!({ "ok": true, "channel": "D1", "ts": "1.000100" })).into_response();
    let office = office(|settings| settings.post_interval = POST_INTERVAL, direct).await;
    let view = view(&waiting());
    let start = office.clock.now();
    for (number, channel) in ["U1", "D1", "U1", "D1"].into_iter().enumerate() {
        office.slack.post(&place(channel, None), &view, attempt(number as u8)).await.unwrap();
        assert_eq!(office.clock.now().since(start), Ttl::from_secs(number as u64 + 1), "{channel}");
    }
}

/// R30: a post leaves an interval after the one before was answered, however long that took: Slack counts what arrives.
#[tokio::test]
async fn a_turn_counts_from_the_answer() {
    let clock = Arc::new(Mutex::new(None::<Arc<StandingClock>>));
    let slow = Arc::clone(&clock);
    let slow = move |_: &str, _: usize| {
        if let Some(clock) = &*slow.lock().unwrap() {
            clock.passes(Ttl::from_millis(700));
        }
        ok()
    };
    let office = office(|settings| settings.post_interval = POST_INTERVAL, slow).await;
    *clock.lock().unwrap() = Some(office.clock.clone());
    let view = view(&waiting());
    let start = office.clock.now();
    for number in 0..2 {
        office.slack.post(&place("C1", None), &view, attempt(number)).await.unwrap();
    }
    assert_eq!(office.clock.now().since(start), Ttl::from_millis(1_000 + 700 + 1_000 + 700));
}

/// R30: a direct message has one turn, whether it is named by the person or by its own id; also while it is not known yet whose it
/// is.
#[tokio::test]
async fn a_direct_message_has_one_turn() {
    let direct = || Json(json!({ "ok": true, "channel": "D1", "ts": "1.000100" })).into_response();
    let office = office(|settings| settings.post_interval = POST_INTERVAL, move |_, _| direct()).await;
    let (view, start) = (view(&waiting()), office.clock.now());
    let passed = || office.clock.now().since(start);
    office.slack.post_directly("U1", ("one", &[])).await.unwrap();
    assert_eq!(passed(), Ttl::from_secs(1), "who begins waits for the turn of whoever was there before");
    office.slack.post(&place("D1", None), &view, attempt(1)).await.unwrap();
    assert_eq!(passed(), Ttl::from_secs(2));
    office.slack.post_directly("U1", ("two", &[])).await.unwrap();
    assert_eq!(passed(), Ttl::from_secs(3));
    office.slack.post(&place("C2", None), &view, attempt(2)).await.unwrap();
    assert_eq!(passed(), Ttl::from_secs(3), "another channel waits for nobody");
}

/// R30: 429 with and without a time.
#[tokio::test]
async fn slack_is_left_alone_for_as_long_as_it_says() {
    let limited = |_: &str, before: usize| match before {
        0 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "30")]).into_response(),
        1 => StatusCode::TOO_MANY_REQUESTS.into_response(),
        _ => ok(),
    };
    let office = office(|_| {}, limited).await;
    let view = view(&waiting());
    let post = || async { office.slack.post(&place("C1", None), &view, attempt(1)).await };
    let after = |result: Result<MessageRef, SurfaceError>| match result {
        Err(SurfaceError::Later { after, .. }) => after,
        other => panic!("{other:?}"),
    };
    assert_eq!(after(post().await), Some(Ttl::from_secs(30)));
    assert_eq!(after(post().await), Some(Ttl::from_secs(30)), "not asked again before");
    assert_eq!(office.calls().len(), 1);
    office.clock.passes(Ttl::from_secs(30));
    assert_eq!(after(post().await), None);
    post().await.unwrap();
    assert_eq!(office.clock.now(), at(140), "the pause that Slack did not name");
    office.slack.edit(&message(), &view).await.unwrap_err();
    let edit = office.slack.edit(&message(), &view).await.unwrap_err();
    assert!(matches!(edit, SurfaceError::Later { after: Some(_), .. }), "{edit:?}");
    assert_eq!(office.methods().iter().filter(|method| *method == "chat.update").count(), 1);
}

#[tokio::test]
async fn a_lost_post_is_looked_up_where_the_app_may() {
    let answer = |scopes: &'static str| {
        move |method: &str, _: usize| {
            if method == "auth.test" {
                let body = json!({ "ok": true, "team_id": "T1", "user_id": "UBOT" });
                return ([("x-oauth-scopes", scopes)], Json(body)).into_response();
            }
            let metadata = json!({ "event_type": "placet_card",
                "event_payload": { "attempt": attempt(1).to_string() } });
            Json(json!({ "ok": true, "messages":
                [{ "user": "UBOT", "ts": "1.000200", "metadata": metadata }] }))
            .into_response()
        }
    };
    let can = office(|_| {}, answer("chat:write,channels:history")).await;
    let found = can.slack.find(&place("C1", None), attempt(1), at(0)).await.unwrap().unwrap();
    assert_eq!(found, Some(MessageRef { channel: "C1".into(), id: "1.000200".into() }));
    assert_eq!(can.slack.find(&place("C1", None), attempt(2), at(0)).await.unwrap().unwrap(), None);
    assert_eq!(can.methods(), ["auth.test", "conversations.history", "conversations.history"]);
    assert!(can.slack.find(&place("G1", None), attempt(1), at(0)).await.is_none(), "another scope");
    assert!(can.slack.find(&place("#ops", None), attempt(1), at(0)).await.is_none(), "no id");
    let cannot = office(|_| {}, answer("chat:write")).await;
    assert!(cannot.slack.find(&place("C1", None), attempt(1), at(0)).await.is_none());
    let down = office(|_| {}, |_, _| StatusCode::BAD_GATEWAY.into_response()).await;
    let fault = down.slack.find(&place("C1", None), attempt(1), at(0)).await.unwrap().unwrap_err();
    assert!(matches!(fault, SurfaceError::Later { .. }), "{fault:?}");
}

fn telling() -> Telling {
    Telling { id: 7, since: at(0), again: false }
}

fn refused(channel: &str) -> Message {
    let view = view(&waiting());
    Message {
        tenant: tenant(),
        to: Recipient::Account(ReplyTo {
            surface: crate::fixtures::slack(),
            channel: channel.to_owned(),
            thread: None,
            identity: Identity::slack("T1", "UBO").unwrap(),
        }),
        mentions: Vec::new(),
        notice: Notice::Refused {
            request: view.request,
            code: view.code,
            command: "approve".into(),
            refusal: Refusal::AlreadyVoted { decision: Decision::Approve },
        },
    }
}

#[tokio::test]
async fn a_refusal_is_whispered_where_it_was_clicked() {
    let office = office(|_| {}, |_, _| ok()).await;
    office.slack.tell(&refused("C1"), &telling()).await.unwrap();
    let (method, body) = &office.calls()[0];
    assert_eq!(method, "chat.postEphemeral");
    assert_eq!((&body["channel"], &body["user"]), (&json!("C1"), &json!("UBO")));
    assert!(body["text"].as_str().unwrap().contains("You have said yes already"));
}

#[tokio::test]
async fn who_is_not_in_the_channel_is_told_directly() {
    let answer = |method: &str, _: usize| {
        if method.ends_with("Ephemeral") { refusal("user_not_in_channel") } else { ok() }
    };
    let office = office(|_| {}, answer).await;
    office.slack.tell(&refused("C1"), &telling()).await.unwrap();
    office.slack.tell(&refused(""), &telling()).await.unwrap();
    assert_eq!(office.methods(), ["chat.postEphemeral", "chat.postMessage", "chat.postMessage"]);
    assert!(office.calls().iter().skip(1).all(|(_, body)| body["channel"] == "UBO"));
}

#[tokio::test]
async fn operators_are_told_in_their_channel_and_a_tools_name_is_no_markup() {
    let view = view(&waiting());
    let alarm = Message {
        tenant: tenant(),
        to: Recipient::Operators,
        mentions: Vec::new(),
        notice: Notice::Alarm {
            request: view.request,
            code: view.code,
            tool: "<!channel> *x*".into(),
            alarm: Alarm::OutcomeUnknown,
        },
    };
    let office_with = office(|settings| settings.ops_channel = Some("COPS".into()), |_, _| ok()).await;
    office_with.slack.tell(&alarm, &telling()).await.unwrap();
    let (method, body) = &office_with.calls()[0];
    assert_eq!((method.as_str(), &body["channel"]), ("chat.postMessage", &json!("COPS")));
    assert!(body["text"].as_str().unwrap().contains("&lt;!channel&gt;"));
    assert_eq!(body["blocks"][0]["text"]["type"], "plain_text");
    let without = office(|_| {}, |_, _| ok()).await;
    assert!(matches!(without.slack.tell(&alarm, &telling()).await, Err(SurfaceError::Never { .. })));
}

fn reminder(place: Place) -> Message {
    let view = view(&waiting());
    let notice = Notice::Reminder {
        request: view.request,
        code: view.code,
        tool: "<!here> deploy".into(),
        until: at(3_600),
    };
    Message {
        mentions: vec![
            Mention::Group(Identity::slack("T1", "S0GROUP").unwrap()),
            Mention::Account(Identity::slack("T1", "UBO").unwrap()),
            Mention::Account(Identity::slack("T1", "u!<bo>").unwrap()),
        ],
        ..Message::new(tenant(), Recipient::Place(place), notice)
    }
}

/// R10, R28: whom Placet mentions are elements of their own; what has not the form of an id is none, nor is a tool's name.
#[tokio::test]
async fn a_reminder_mentions_whom_placet_says_and_nobody_else() {
    let office = office(|_| {}, |_, _| ok()).await;
    office.slack.tell(&reminder(place("", Some("1700000000.000100"))), &telling()).await.unwrap();
    let (method, body) = &office.calls()[0];
    assert_eq!((method.as_str(), &body["thread_ts"]), ("chat.postMessage", &json!("1700000000.000100")));
    assert_ne!(body["channel"], "", "no channel is the workspace's own");
    let text = body["text"].as_str().unwrap();
    assert!(text.starts_with("<!subteam^S0GROUP> <@UBO> "), "{text}");
    assert!(text.contains("&lt;!here&gt; deploy") && text.matches('<').count() == 2, "{text}");
    let elements = body["blocks"][0]["elements"][0]["elements"].as_array().unwrap();
    let kinds: Vec<_> = elements.iter().map(|element| element["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["usergroup", "text", "user", "text", "text", "date", "text"]);
}

/// R29, R30: a thread that takes no reply is no reason to say nothing: the channel has it. What is no id is no thread.
#[tokio::test]
async fn a_thread_that_takes_no_reply_is_the_channel() {
    let answer = |_: &str, before: usize| {
        if before == 0 { refusal("cannot_reply_to_message") } else { ok() }
    };
    let office = office(|_| {}, answer).await;
    office.slack.tell(&reminder(place("C1", Some("1700000000.000100"))), &telling()).await.unwrap();
    office.slack.tell(&reminder(place("C1", Some("<!channel>"))), &telling()).await.unwrap();
    let threads: Vec<_> = office.calls().iter().map(|(_, body)| body["thread_ts"].clone()).collect();
    assert_eq!(threads, [json!("1700000000.000100"), Value::Null, Value::Null]);
}

/// R29: what may stand there already is looked for, in its thread and in the channel, and not said again.
#[tokio::test]
async fn what_was_said_is_not_said_again() {
    let answer = |found: bool| {
        move |method: &str, _: usize| {
            if method == "auth.test" {
                let body = json!({ "ok": true, "team_id": "T1", "user_id": "UBOT" });
                return ([("x-oauth-scopes", "channels:history")], Json(body)).into_response();
            }
            let metadata = json!({ "event_type": "placet_notice", "event_payload": { "message": format!("{}-7", at(0).as_millis()) } });
            let messages = json!([{ "user": "UBOT", "ts": "1.000200", "metadata": metadata }]);
            let messages = if found && method.ends_with("history") { messages } else { json!([]) };
            let body = json!({ "ok": true, "messages": messages, "channel": "C1", "ts": "1.000300" });
            Json(body).into_response()
        }
    };
    for found in [true, false] {
        let office = office(|_| {}, answer(found)).await;
        let again = Telling { again: true, ..telling() };
        office.slack.tell(&reminder(place("C1", Some("1700000000.000100"))), &again).await.unwrap();
        let mut expected = vec!["auth.test", "conversations.replies", "conversations.history"];
        expected.extend((!found).then_some("chat.postMessage"));
        assert_eq!(office.methods(), expected);
    }
}
