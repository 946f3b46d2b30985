use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use super::*;

/// A server that answers everything in the same way and remembers what it was asked.
struct Canned {
    api: SlackApi,
    base_url: Url,
    asked: Asked,
}

/// Path and body of each call.
type Asked = Arc<Mutex<Vec<(String, String)>>>;
type Make = fn() -> Response<Body>;

async fn canned(make: Make) -> Canned {
    let asked = Asked::default();
    let handler = move |State(asked): State<Asked>, request: Request| async move {
        let path = request.uri().path().to_owned();
        assert_eq!(request.headers().get("authorization").is_some(), path.starts_with("/api/"));
        let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
        asked.lock().await.push((path, String::from_utf8(body.to_vec()).unwrap()));
        make()
    };
    let router = Router::new().fallback(handler).with_state(asked.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = Url::parse(&format!("http://{}/api/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    Canned { api: api(&base_url), base_url, asked }
}

fn api(base_url: &Url) -> SlackApi {
    let mut settings = ApiSettings::new(base_url.clone(), SecretString::from("xoxb-test"));
    settings.call_limit = Duration::from_millis(200);
    SlackApi::new(settings).unwrap()
}

fn answer(status: u16, headers: &[(&str, &str)], body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(body.into()).unwrap()
}

fn ok(body: Value) -> Response<Body> {
    answer(200, &[], body.to_string())
}

async fn post(make: Make) -> Result<Posted, ApiError> {
    canned(make).await.api.post_message(&NewMessage::new("C1", "hello")).await
}

async fn update(make: Make) -> Result<Posted, ApiError> {
    canned(make).await.api.update(&Update::new("C1", "1.1", "hello", &[])).await
}

#[tokio::test]
async fn a_post_is_json_that_interprets_nothing() {
    let slack = canned(|| ok(json!({ "ok": true, "channel": "C9", "ts": "1.000001", "message": {} }))).await;
    let metadata = Metadata { event_type: "placet_card".into(), event_payload: json!({ "attempt": "a1" }) };
    let blocks = [crate::mrkdwn::divider()];
    let mut message = NewMessage::new("#ops", "hello");
    message.blocks = &blocks;
    message.metadata = Some(&metadata);
    message.thread_ts = Some("1.000000");
    let posted = slack.api.post_message(&message).await.unwrap();
    assert_eq!(posted, Posted { channel: "C9".into(), ts: "1.000001".into(), thread_ts: None });
    let asked = slack.asked.lock().await;
    assert_eq!(asked[0].0, "/api/chat.postMessage");
    let body: Value = serde_json::from_str(&asked[0].1).unwrap();
    assert_eq!(
        body,
        json!({ "channel": "#ops", "text": "hello", "blocks": [{ "type": "divider" }], "thread_ts": "1.000000",
            "metadata": { "event_type": "placet_card", "event_payload": { "attempt": "a1" } },
            "parse": "none", "link_names": false, "unfurl_links": false, "unfurl_media": false })
    );
}

#[tokio::test]
async fn an_update_always_sends_its_blocks() {
    let slack = canned(|| ok(json!({ "ok": true, "channel": "C1", "ts": "1.1" }))).await;
    slack.api.update(&Update::new("C1", "1.1", "done", &[])).await.unwrap();
    let body: Value = serde_json::from_str(&slack.asked.lock().await[0].1).unwrap();
    assert_eq!(
        body,
        json!({ "channel": "C1", "ts": "1.1", "text": "done", "blocks": [], "parse": "none", "link_names": false })
    );
}

#[tokio::test]
async fn faults_are_told_apart_by_what_may_have_been_done() {
    assert_eq!(post(|| answer(500, &[], "")).await, Err(ApiError::Unknown));
    assert_eq!(post(|| answer(503, &[], r#"{"ok":false,"error":"x"}"#)).await, Err(ApiError::Unknown));
    assert_eq!(update(|| answer(500, &[], "")).await, Err(ApiError::Unavailable));
    for garbled in [
        (|| answer(200, &[], "<html>")) as Make,
        || answer(200, &[], ""),
        || ok(json!({ "ok": "yes" })),
        || ok(json!({ "ok": true })),
        || ok(json!({ "ok": true, "channel": "C1", "ts": 1.1 })),
        || ok(json!({ "ok": false })),
        || answer(200, &[], vec![b' '; ANSWER_BYTES_MAX + 1]),
    ] {
        assert_eq!(post(garbled).await, Err(ApiError::Unknown));
    }
    let other = |code: &str| Err(ApiError::Other { code: code.into() });
    assert_eq!(post(|| answer(302, &[("location", "/elsewhere")], "")).await, other("http_302"));
    assert_eq!(post(|| answer(404, &[], "not here")).await, other("http_404"));
    assert_eq!(
        post(|| answer(413, &[], "")).await,
        Err(ApiError::TooLarge { code: "http_413".into(), details: vec![] })
    );
}

#[tokio::test]
async fn a_refused_connection_and_a_late_answer_differ() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = Url::parse(&format!("http://{}/api/", listener.local_addr().unwrap())).unwrap();
    let message = NewMessage::new("C1", "hello");
    // The system accepts the connection, nobody answers.
    assert_eq!(api(&base_url).post_message(&message).await, Err(ApiError::Unknown));
    drop(listener);
    let at = format!("127.0.0.1:{}", base_url.port().unwrap());
    assert_eq!(unreached(&base_url, None).await, (Barrier::Refused, format!("{at} refuses the connection")));
}

/// Why no connection to this address comes about, in a word and in words.
async fn unreached(base_url: &Url, proxy: Option<&str>) -> (Barrier, String) {
    let mut settings = ApiSettings::new(base_url.clone(), SecretString::from("xoxb-test"));
    settings.proxy = proxy.map(|proxy| Url::parse(proxy).unwrap());
    let api = SlackApi::new(settings).unwrap();
    match api.auth_test().await {
        Err(ApiError::Unreached(unreached)) => (unreached.barrier, unreached.to_string()),
        other => panic!("{other:?}"),
    }
}

/// R38: a name that is not known, a port that refuses and a certificate that is none are told apart, and none of them is
/// taken for Slack's word about a token; of a proxy it is said that it is the proxy.
#[tokio::test]
async fn what_keeps_slack_from_being_reached_is_told_apart() {
    // Longer than any name can be: no server of names needs to be asked.
    let nowhere = format!("{}.example.org", "a".repeat(64));
    let base_url = Url::parse(&format!("http://{nowhere}/api/")).unwrap();
    let (barrier, told) = unreached(&base_url, None).await;
    assert_eq!(barrier, Barrier::Name, "{told}");
    assert!(told.starts_with(&format!("the name {nowhere} is not known here (")), "{told}");

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    // What answers speaks no TLS.
    tokio::spawn(async move { axum::serve(listener, Router::new()).await });
    let base_url = Url::parse(&format!("https://{address}/api/")).unwrap();
    let (barrier, told) = unreached(&base_url, None).await;
    assert_eq!(barrier, Barrier::Certificate, "{told}");
    assert!(told.starts_with(&format!("what answers at {address} has no certificate")), "{told}");

    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let proxy = format!("http://placet:hunter2hunter2@{closed}");
    let (barrier, told) = unreached(&base_url, Some(&proxy)).await;
    assert_eq!((barrier, told), (Barrier::Refused, format!("the proxy {closed} refuses the connection")));
}

/// Who takes a connection and then says nothing, not even who they are, is silent; that is not an answer that came late.
#[tokio::test]
async fn a_connection_that_does_not_come_about_in_time_is_silence() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let base_url = Url::parse(&format!("https://{at}/api/")).unwrap();
    let mut settings = ApiSettings::new(base_url, SecretString::from("xoxb-test"));
    settings.connect_limit = Duration::from_millis(50);
    let told = SlackApi::new(settings).unwrap().auth_test().await;
    let Err(ApiError::Unreached(unreached)) = told else { panic!("{told:?}") };
    assert_eq!(unreached.barrier, Barrier::Silence, "{unreached}");
    assert_eq!(unreached.to_string(), format!("{at} does not answer: the connection timed out"));
}

#[tokio::test]
async fn too_many_calls_are_told_with_and_without_a_time() {
    let limited = |retry_after| Err(ApiError::RateLimited { retry_after });
    assert_eq!(post(|| answer(429, &[("retry-after", "30")], "")).await, limited(Some(30)));
    assert_eq!(post(|| answer(429, &[], "")).await, limited(None));
    assert_eq!(post(|| answer(429, &[("retry-after", "soon")], "")).await, limited(None));
    assert_eq!(post(|| ok(json!({ "ok": false, "error": "ratelimited" }))).await, limited(None));
}

#[test]
fn codes_are_told_apart_by_kind() {
    let kind = |method: &str, code: &str, repeatable| {
        let error = error::classify_code(method, &json!({ "ok": false, "error": code }), repeatable);
        format!("{error:?}").split([' ', '{']).next().unwrap().to_owned()
    };
    for (code, expected) in [
        ("message_not_found", "Gone"),
        ("cant_update_message", "Gone"),
        ("edit_window_closed", "Gone"),
        ("channel_not_found", "NoPlace"),
        ("is_archived", "NoPlace"),
        ("not_in_channel", "NoPlace"),
        ("invalid_blocks", "TooLarge"),
        ("msg_blocks_too_long", "TooLarge"),
        ("msg_too_long", "TooLarge"),
        ("expired_trigger_id", "TriggerExpired"),
        ("exchanged_trigger_id", "TriggerExpired"),
        ("invalid_auth", "Auth"),
        ("token_revoked", "Auth"),
        ("missing_scope", "Auth"),
        ("service_unavailable", "Unavailable"),
        ("internal_error", "Unknown"),
        ("fatal_error", "Unknown"),
        ("a_code_of_the_future", "Other"),
        ("invalid_arguments", "Other"),
    ] {
        assert_eq!(kind("chat.postMessage", code, Repeatable::No), expected, "{code}");
    }
    assert_eq!(kind("views.open", "invalid_arguments", Repeatable::No), "TooLarge");
    assert_eq!(kind("chat.update", "internal_error", Repeatable::Yes), "Unavailable");
}

#[tokio::test]
async fn what_slack_says_of_blocks_and_scopes_is_kept() {
    let blocks = post(|| {
        ok(json!({ "ok": false, "error": "invalid_blocks", "errors": ["too long [json-pointer:/blocks/0]"],
            "response_metadata": { "messages": ["[ERROR] too long [json-pointer:/blocks/0]"] } }))
    });
    let details = vec!["too long [json-pointer:/blocks/0]".to_owned()];
    assert_eq!(blocks.await, Err(ApiError::TooLarge { code: "invalid_blocks".into(), details }));
    let scope = post(|| {
        ok(json!({ "ok": false, "error": "missing_scope", "needed": "chat:write", "provided": "users:read" }))
    });
    let needed = Some("chat:write".to_owned());
    assert_eq!(scope.await, Err(ApiError::Auth { code: "missing_scope".into(), needed }));
}

#[tokio::test]
async fn auth_test_tells_the_scopes() {
    let slack = canned(|| {
        let body =
            json!({ "ok": true, "team_id": "T1", "user_id": "UBOT", "bot_id": "B1", "enterprise_id": null });
        answer(200, &[("x-oauth-scopes", "chat:write, commands,users:read")], body.to_string())
    })
    .await;
    let auth = slack.api.auth_test().await.unwrap();
    assert_eq!((auth.team_id.as_str(), auth.user_id.as_str()), ("T1", "UBOT"));
    assert_eq!(auth.enterprise_id, None);
    assert_eq!(auth.scopes, ["chat:write", "commands", "users:read"]);
}

#[tokio::test]
async fn reads_are_forms() {
    let slack = canned(|| ok(json!({ "ok": true, "user": { "id": "U1" } }))).await;
    assert_eq!(slack.api.users_info("U1").await.unwrap()["id"], "U1");
    assert_eq!(slack.asked.lock().await[0], ("/api/users.info".into(), "user=U1&include_locale=true".into()));
    let empty = canned(|| ok(json!({ "ok": true }))).await;
    assert_eq!(empty.api.users_info("U1").await, Err(ApiError::Unknown));
}

#[tokio::test]
async fn responses_go_to_slack_only_and_without_the_token() {
    let slack = canned(|| answer(200, &[], "ok")).await;
    let url = slack.base_url.join("/response/1").unwrap();
    slack.api.respond(url.as_str(), &json!({ "text": "hi" })).await.unwrap();
    assert_eq!(slack.asked.lock().await[0].0, "/response/1");
    for foreign in [
        "https://evil.example/x",
        "http://hooks.slack.com/actions/1",
        "https://hooks.slack.com.evil.example/x",
        "https://hooks.slack.com:444/x",
        "https://hooks.slack.com@evil.example/x",
        "file:///etc/passwd",
        "nothing",
    ] {
        let refused = slack.api.respond(foreign, &json!({})).await;
        assert_eq!(refused, Err(ApiError::Other { code: "response_url_not_slack".into() }), "{foreign}");
    }
    let used = canned(|| answer(404, &[], r#"{"ok":false,"error":"used_url"}"#)).await;
    let url = used.base_url.join("/response/1").unwrap();
    let refused = used.api.respond(url.as_str(), &json!({})).await;
    assert_eq!(refused, Err(ApiError::Other { code: "used_url".into() }));
}

#[tokio::test]
async fn a_lookup_reads_all_pages_and_knows_its_own() {
    let slack = canned(|| {
        let hit = |user: &str, attempt: &str, ts: &str| {
            json!({ "user": user, "ts": ts,
                "metadata": { "event_type": "placet_card", "event_payload": { "attempt": attempt } } })
        };
        ok(json!({ "ok": true, "messages": [hit("UBOT", "a1", "1.1"), hit("UBOT", "a2", "1.2"),
            hit("U2", "a1", "1.3"), { "user": "UBOT", "ts": "1.4" }], "response_metadata": { "next_cursor": "" } }))
    })
    .await;
    let query = MetadataQuery {
        channel: "C1",
        thread_ts: None,
        oldest_secs: 1,
        event_type: "placet_card",
        key: "attempt",
        value: "a1",
    };
    let found = slack.api.find_by_metadata(&query, "UBOT").await.unwrap();
    assert_eq!(found, [Posted { channel: "C1".into(), ts: "1.1".into(), thread_ts: None }]);
    let endless =
        canned(|| ok(json!({ "ok": true, "messages": [], "response_metadata": { "next_cursor": "more" } })))
            .await;
    assert_eq!(endless.api.find_by_metadata(&query, "UBOT").await, Err(ApiError::Unknown));
    assert_eq!(endless.asked.lock().await.len(), lookup::PAGES_MAX);
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let make = |base: &str, token: &str| {
        SlackApi::new(ApiSettings::new(Url::parse(base).unwrap(), SecretString::from(token.to_owned())))
    };
    assert!(make(BASE_URL, "xoxb-1").is_ok());
    assert!(matches!(make(BASE_URL, ""), Err(BadSettings::Token)));
    assert!(matches!(make(BASE_URL, "xoxb\n1"), Err(BadSettings::Token)));
    assert!(matches!(make("https://slack.com/api", "xoxb-1"), Err(BadSettings::BaseUrl)));
    assert!(matches!(make("ftp://slack.com/api/", "xoxb-1"), Err(BadSettings::BaseUrl)));
    assert!(!format!("{:?}", make(BASE_URL, "xoxb-1").unwrap()).contains("xoxb"));
}
