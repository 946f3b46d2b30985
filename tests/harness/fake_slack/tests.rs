use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::json;

use super::*;

mod adapter;
mod cards;
mod people;
mod sockets;

/// A caller that says what it got: the status and the body, or that there was no answer.
struct Caller {
    http: reqwest::Client,
    slack: FakeSlack,
    now_ms: Arc<AtomicI64>,
}

/// For tests that are about anything but how much may be called when.
async fn caller() -> Caller {
    let caller = caller_at_slacks_rates().await;
    caller.slack.limit_rates(false);
    caller
}

/// A caller of the fake as every conversation has it.
async fn caller_at_slacks_rates() -> Caller {
    let now_ms = Arc::new(AtomicI64::new(1_793_520_000_000));
    let hand = now_ms.clone();
    let slack = FakeSlack::start(Arc::new(move || hand.load(Ordering::SeqCst))).await.unwrap();
    slack.channel("#ops");
    slack.person("ana");
    let http = reqwest::Client::builder().no_proxy().timeout(Duration::from_millis(500)).build().unwrap();
    Caller { http, slack, now_ms }
}

impl Caller {
    async fn raw(&self, method: &str, body: &Value) -> reqwest::Result<reqwest::Response> {
        let url = format!("{}{method}", self.slack.base_url());
        self.http.post(url).bearer_auth(TOKEN).json(body).send().await
    }

    async fn call(&self, method: &str, body: Value) -> Value {
        self.raw(method, &body).await.unwrap().json().await.unwrap()
    }

    async fn read(&self, method: &str, fields: &[(&str, &str)]) -> Value {
        let url = format!("{}{method}", self.slack.base_url());
        self.http.post(url).bearer_auth(TOKEN).form(fields).send().await.unwrap().json().await.unwrap()
    }

    async fn post(&self, text: &str) -> Message {
        let answer =
            self.call("chat.postMessage", json!({ "channel": "#ops", "text": text, "blocks": card() })).await;
        assert_eq!(answer["ok"], true, "{answer}");
        self.slack.next_message("#ops").await.unwrap()
    }

    fn passes(&self, ms: i64) {
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

fn card() -> Value {
    json!([
        { "type": "header", "text": { "type": "plain_text", "text": "Delete 1 file" } },
        { "type": "actions", "block_id": "decide", "elements": [{ "type": "button", "action_id": "approve",
            "text": { "type": "plain_text", "text": "Approve" }, "value": "7Q4K-2M", "style": "primary" }] },
    ])
}

fn modal() -> Value {
    json!({ "type": "modal", "callback_id": "deny", "private_metadata": "d1",
        "title": { "type": "plain_text", "text": "Deny" }, "submit": { "type": "plain_text", "text": "Deny" },
        "blocks": [{ "type": "input", "block_id": "reason", "label": { "type": "plain_text", "text": "Reason" },
            "element": { "type": "plain_text_input", "action_id": "text", "max_length": 10 } }] })
}

fn payload_of(body: &str) -> Value {
    let (_, json) = url::form_urlencoded::parse(body.as_bytes()).find(|(name, _)| name == "payload").unwrap();
    serde_json::from_str(&json).unwrap()
}

async fn code(answer: impl Future<Output = Value>) -> String {
    let answer = answer.await;
    assert_eq!(answer["ok"], false, "{answer}");
    answer["error"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_message_is_posted_read_and_edited() {
    let caller = caller().await;
    let message = caller.post("fallback").await;
    assert_eq!(text_of(&message), "Delete 1 file\n[ Approve ]");
    assert_eq!(buttons(&message)[0].value, "7Q4K-2M");
    assert_eq!(caller.slack.unread(), [""; 0]);
    let update = json!({ "channel": message.channel, "ts": message.ts, "text": "done", "blocks": [] });
    assert_eq!(caller.call("chat.update", update).await["ok"], true);
    assert_eq!(caller.slack.unread(), [format!("edited in #ops ({}): done", message.ts)]);
    let edited = caller.slack.next_edit(&message).await.unwrap();
    assert_eq!((text_of(&edited).as_str(), edited.edits.len()), ("done", 1));
    assert_eq!(caller.slack.unread(), [""; 0]);
}

#[tokio::test]
async fn timestamps_grow_while_the_clock_stands() {
    let caller = caller().await;
    let (first, second) = (caller.post("1").await, caller.post("2").await);
    assert!(first.ts < second.ts && first.ts.starts_with("1793520000."));
}

#[tokio::test]
async fn text_alone_drops_the_blocks_and_metadata_stays() {
    let caller = caller().await;
    let metadata = json!({ "event_type": "card", "event_payload": { "attempt": "a1" } });
    let body = json!({ "channel": "#ops", "text": "t", "blocks": card(), "metadata": metadata });
    let posted = caller.call("chat.postMessage", body).await;
    let update = json!({ "channel": posted["channel"], "ts": posted["ts"], "text": "only text" });
    caller.call("chat.update", update).await;
    let message = &caller.slack.messages("#ops")[0];
    assert!(message.blocks.is_empty());
    assert_eq!(message.metadata.as_ref().unwrap()["event_payload"]["attempt"], "a1");
}

#[tokio::test]
async fn what_slack_refuses_is_refused() {
    let caller = caller().await;
    caller.slack.archive(&caller.slack.channel("old"));
    caller.slack.set_bot_in_channel(&caller.slack.channel("elsewhere"), false);
    caller.slack.set_bot_in_channel(&caller.slack.private_channel("secret"), false);
    let post = |body| code(caller.call("chat.postMessage", body));
    assert_eq!(post(json!({ "channel": "nowhere", "text": "t" })).await, "channel_not_found");
    assert_eq!(post(json!({ "channel": "old", "text": "t" })).await, "is_archived");
    assert_eq!(post(json!({ "channel": "elsewhere", "text": "t" })).await, "not_in_channel");
    assert_eq!(post(json!({ "channel": "secret", "text": "t" })).await, "channel_not_found");
    assert_eq!(post(json!({ "channel": "ops" })).await, "no_text");
    assert_eq!(post(json!({ "channel": "ops", "blocks": {} })).await, "invalid_blocks_format");
    assert_eq!(
        post(json!({ "channel": "ops", "text": "t", "blocks": [{ "type": "x" }] })).await,
        "invalid_blocks"
    );
    assert_eq!(
        post(json!({ "channel": "ops", "text": "t", "metadata": { "a": 1 } })).await,
        "invalid_metadata_format"
    );
    let code_block = json!({ "type": "rich_text", "elements": [{ "type": "rich_text_preformatted",
        "elements": [{ "type": "text", "text": "x".repeat(13_200) }] }] });
    assert_eq!(
        post(json!({ "channel": "ops", "text": "t", "blocks": [code_block] })).await,
        "msg_blocks_too_long"
    );
    let refused =
        caller.call("chat.postMessage", json!({ "channel": "ops", "blocks": [{ "type": "x" }] })).await;
    assert_eq!(
        refused["response_metadata"]["messages"][0],
        "[ERROR] unsupported type: x [json-pointer:/blocks/0/type]"
    );
    assert_eq!(code(caller.call("chat.postMassage", json!({}))).await, "unknown_method");
    caller.slack.set_scopes(&["users:read"]);
    let unscoped = caller.call("chat.postMessage", json!({ "channel": "ops", "text": "t" })).await;
    assert_eq!((&unscoped["error"], &unscoped["needed"]), (&json!("missing_scope"), &json!("chat:write")));
    assert!(caller.slack.messages("ops").is_empty());
}

#[tokio::test]
async fn updates_are_refused_for_what_is_gone_or_not_ours() {
    let caller = caller().await;
    let update = |channel: &str, ts: &str| {
        code(caller.call("chat.update", json!({ "channel": channel, "ts": ts, "text": "t", "blocks": [] })))
    };
    let message = caller.post("t").await;
    let ops = message.channel.clone();
    let theirs = caller.slack.says("U000000ANA", "#ops", "hello").unwrap();
    assert_eq!(update("#ops", &message.ts).await, "channel_not_found");
    assert_eq!(update(&ops, "1.000000").await, "message_not_found");
    assert_eq!(update(&ops, &theirs).await, "cant_update_message");
    let long = json!({ "channel": ops, "ts": message.ts, "text": "x".repeat(4_001) });
    assert_eq!(code(caller.call("chat.update", long)).await, "msg_too_long");
    let whisper = json!({ "channel": "#ops", "user": "U000000ANA", "text": "psst" });
    let whispered = caller.call("chat.postEphemeral", whisper).await;
    assert_eq!(update(&ops, whispered["message_ts"].as_str().unwrap()).await, "message_not_found");
    caller.slack.set_edit_window(Some(60_000));
    caller.passes(60_001);
    assert_eq!(update(&ops, &message.ts).await, "edit_window_closed");
    caller.slack.set_edit_window(None);
    caller.slack.delete_message(&message);
    assert_eq!(update(&ops, &message.ts).await, "message_not_found");
    caller.slack.archive("#ops");
    assert_eq!(update(&ops, &message.ts).await, "is_archived");
}

#[tokio::test]
async fn the_token_is_checked() {
    let caller = caller().await;
    let url = format!("{}auth.test", caller.slack.base_url());
    let bare = caller.http.post(&url).send().await.unwrap().json::<Value>().await.unwrap();
    assert_eq!(bare["error"], "not_authed");
    let wrong =
        caller.http.post(&url).bearer_auth("xoxb-no").send().await.unwrap().json::<Value>().await.unwrap();
    assert_eq!(wrong["error"], "invalid_auth");
    assert_eq!(caller.read("auth.test", &[]).await["user_id"], BOT_USER_ID);
    caller.slack.revoke_token();
    assert_eq!(caller.read("auth.test", &[]).await["error"], "token_revoked");
}

#[tokio::test]
async fn replies_go_to_their_thread_or_silently_to_the_channel() {
    let caller = caller().await;
    let parent = caller.post("parent").await;
    let reply = |ts: Value| {
        caller.call("chat.postMessage", json!({ "channel": "#ops", "text": "reply", "thread_ts": ts }))
    };
    let first = reply(parent.ts.as_str().into()).await;
    assert_eq!(first["message"]["thread_ts"], parent.ts.as_str());
    assert_eq!(code(reply(first["ts"].clone())).await, "cannot_reply_to_message");
    assert_eq!(code(reply(json!(1_793_520_000.000_1))).await, "invalid_arguments");
    let fields = [("channel", parent.channel.as_str()), ("ts", &parent.ts)];
    assert_eq!(caller.read("conversations.replies", &fields).await["messages"].as_array().unwrap().len(), 2);
    caller.slack.delete_message(&parent);
    let orphan = reply(parent.ts.as_str().into()).await;
    assert_eq!((&orphan["ok"], &orphan["message"]["thread_ts"]), (&json!(true), &Value::Null));
    assert_eq!(caller.read("conversations.replies", &fields).await["error"], "thread_not_found");
}

#[tokio::test]
async fn history_is_paged_newest_first_and_shows_metadata_when_asked() {
    let caller = caller().await;
    for attempt in 0..5 {
        let metadata = json!({ "event_type": "card", "event_payload": { "attempt": attempt } });
        let body = json!({ "channel": "#ops", "text": "t", "metadata": metadata });
        caller.call("chat.postMessage", body).await;
        caller.passes(1_000);
    }
    let channel = caller.slack.channel("#ops");
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let fields = [
            ("channel", channel.as_str()),
            ("limit", "2"),
            ("include_all_metadata", "true"),
            ("oldest", "1793520001.000000"),
            ("cursor", &cursor),
        ];
        let page = caller.read("conversations.history", &fields).await;
        for message in page["messages"].as_array().unwrap() {
            seen.push(message["metadata"]["event_payload"]["attempt"].as_i64().unwrap());
        }
        cursor = page["response_metadata"]["next_cursor"].as_str().unwrap().to_owned();
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, [4, 3, 2, 1]);
    let plain = caller.read("conversations.history", &[("channel", &channel)]).await;
    assert_eq!(plain["messages"][0]["metadata"], Value::Null);
    // JSON is not read by this method.
    assert_eq!(
        code(caller.call("conversations.history", json!({ "channel": channel }))).await,
        "channel_not_found"
    );
}

#[tokio::test]
async fn faults_come_once_each_in_order() {
    let caller = caller().await;
    let body = json!({ "channel": "#ops", "text": "t" });
    let post = async || caller.raw("chat.postMessage", &body).await;
    let faults = [
        Fault::Status(503),
        Fault::RateLimited { retry_after: Some(7) },
        Fault::RateLimited { retry_after: None },
        Fault::Code("invalid_blocks"),
        Fault::NoAnswer,
        Fault::Hang,
    ];
    for fault in faults {
        caller.slack.fail_next("chat.postMessage", fault);
    }
    assert_eq!(post().await.unwrap().status(), 503);
    assert_eq!(post().await.unwrap().headers()["retry-after"], "7");
    let limited = post().await.unwrap();
    assert_eq!((limited.status().as_u16(), limited.headers().get("retry-after")), (429, None));
    assert_eq!(post().await.unwrap().json::<Value>().await.unwrap()["error"], "invalid_blocks");
    let broken = post().await.unwrap_err();
    assert!(!broken.is_connect() && !broken.is_timeout(), "{broken:?}");
    assert!(post().await.unwrap_err().is_timeout());
    assert!(caller.slack.messages("#ops").is_empty());
    caller.slack.fail_next("chat.postMessage", Fault::DoneButNoAnswer);
    caller.slack.fail_next("chat.postMessage", Fault::DoneThen500);
    caller.slack.fail_next("chat.postMessage", Fault::DoneThenHang);
    assert!(post().await.is_err());
    assert_eq!(post().await.unwrap().status(), 500);
    assert!(post().await.is_err());
    assert_eq!(caller.slack.messages("#ops").len(), 3);
    assert!(post().await.unwrap().status().is_success());
    caller.slack.fail_always("chat.postMessage", Fault::Status(500));
    assert_eq!(
        (post().await.unwrap().status(), post().await.unwrap().status()),
        (500.try_into().unwrap(), 500.try_into().unwrap())
    );
    caller.slack.fail_next("chat.update", Fault::NoAnswer);
    assert_eq!(caller.slack.unmet_faults().len(), 1);
    caller.slack.heal();
    assert!(post().await.unwrap().status().is_success());
    assert_eq!(caller.slack.calls_of("chat.postMessage").len(), 13);
}

#[tokio::test]
async fn down_refuses_connections_and_up_takes_them_again() {
    let caller = caller().await;
    let message = caller.post("t").await;
    for _ in 0..3 {
        caller.slack.down();
        let refused = caller.http.post(caller.slack.base_url()).send().await.unwrap_err();
        assert!(refused.is_connect(), "{refused:?}");
        caller.slack.up().unwrap();
        caller.slack.up().unwrap();
        caller.post("t").await;
    }
    assert!(caller.slack.message("#ops", &message.ts).is_some());
}

#[tokio::test]
async fn rates_are_limited_by_the_tests_clock() {
    let caller = caller_at_slacks_rates().await;
    let body = json!({ "channel": "#ops", "text": "t" });
    assert_eq!(caller.raw("chat.postMessage", &body).await.unwrap().status(), 200);
    let limited = caller.raw("chat.postMessage", &body).await.unwrap();
    assert_eq!((limited.status().as_u16(), &limited.headers()["retry-after"]), (429, &"2".parse().unwrap()));
    caller.slack.channel("#elsewhere");
    let elsewhere = json!({ "channel": "#elsewhere", "text": "t" });
    assert_eq!(caller.raw("chat.postMessage", &elsewhere).await.unwrap().status(), 200);
    caller.passes(1_000);
    assert_eq!(caller.raw("chat.postMessage", &body).await.unwrap().status(), 200);
}

/// A channel has one rate, by whatever name it is meant: a name, an id, or the account whose direct messages it holds.
#[tokio::test]
async fn a_channel_has_one_rate_by_all_its_names() {
    let caller = caller_at_slacks_rates().await;
    let bo = caller.slack.person("bo");
    let (ops, direct) = (caller.slack.channel("ops"), bo.replacen('U', "D", 1));
    for (one, other) in [
        ("#ops", ops.as_str()),
        (ops.as_str(), "ops"),
        (bo.as_str(), direct.as_str()),
        (direct.as_str(), bo.as_str()),
    ] {
        let post = async |channel: &str| {
            let body = json!({ "channel": channel, "text": "t" });
            caller.raw("chat.postMessage", &body).await.unwrap().status().as_u16()
        };
        assert_eq!((post(one).await, post(other).await), (200, 429), "{one}, then {other}");
        caller.passes(1_000);
        assert_eq!(post(other).await, 200, "{other}");
        caller.passes(1_000);
    }
}

/// Every rate of Slack's that there is, to the call: by method, and of posts by channel.
#[tokio::test]
async fn every_method_has_its_rate() {
    for (method, rate) in [
        ("chat.update", 50),
        ("chat.postEphemeral", 100),
        ("views.open", 100),
        ("views.update", 100),
        ("users.info", 100),
        ("usergroups.users.list", 20),
        ("conversations.history", 50),
    ] {
        let caller = caller_at_slacks_rates().await;
        // What Slack refuses for other reasons counts as well.
        for _ in 0..rate {
            assert_eq!(caller.raw(method, &json!({})).await.unwrap().status(), 200, "{method}");
        }
        let limited = caller.raw(method, &json!({})).await.unwrap();
        assert_eq!(limited.status().as_u16(), 429, "{method}");
        assert!(limited.headers().contains_key("retry-after"), "{method}");
        caller.passes(60_000);
        assert_eq!(caller.raw(method, &json!({})).await.unwrap().status(), 200, "{method}");
    }
}

/// Each error after which nothing is ever edited or posted there again.
#[tokio::test]
async fn what_is_final_is_told_by_its_code() {
    let caller = caller().await;
    let message = caller.post("t").await;
    let update = || {
        let (channel, ts) = (message.channel.as_str(), message.ts.as_str());
        code(caller.call("chat.update", json!({ "channel": channel, "ts": ts, "text": "u" })))
    };
    caller.slack.set_edit_window(Some(1_000));
    caller.passes(2_000);
    assert_eq!(update().await, "edit_window_closed");
    caller.slack.set_edit_window(None);
    caller.slack.archive("#ops");
    assert_eq!(update().await, "is_archived");
    assert_eq!(
        code(caller.call("chat.postMessage", json!({ "channel": "#ops", "text": "t" }))).await,
        "is_archived"
    );
    caller.slack.unarchive("#ops");
    caller.slack.delete_message(&message);
    assert_eq!(update().await, "message_not_found");
    let foreign = json!({ "channel": "C0NOWHERE1", "ts": message.ts, "text": "u" });
    assert_eq!(code(caller.call("chat.update", foreign)).await, "channel_not_found");
    let ana = caller.slack.person("ana");
    let theirs = caller.slack.says(&ana, "#ops", "mine").unwrap();
    let not_ours = json!({ "channel": message.channel, "ts": theirs, "text": "u" });
    assert_eq!(code(caller.call("chat.update", not_ours)).await, "cant_update_message");
}

#[tokio::test]
async fn direct_messages_have_a_channel_of_their_own() {
    let caller = caller().await;
    let ana = caller.slack.person("ana");
    let posted = caller.call("chat.postMessage", json!({ "channel": ana, "text": "hi" })).await;
    assert_eq!(posted["channel"], "D000000ANA");
    assert_eq!(
        code(caller.call("chat.update", json!({ "channel": ana, "ts": posted["ts"], "text": "t" }))).await,
        "channel_not_found"
    );
    let update = json!({ "channel": posted["channel"], "ts": posted["ts"], "text": "t" });
    assert_eq!(caller.call("chat.update", update).await["ok"], true);
}
