//! Limits on bodies, heads and time, and what a surface that is mounted here gets of them.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Method;
use axum::routing::{get, post};
use futures::StreamExt as _;
use placet_http::limits::{BODY_BYTES_MAX, BODY_TIME_MAX, HEADER_BYTES_MAX, HEADERS_MAX, REQUEST_TIME_MAX};
use serde_json::json;

use crate::fixture::{Desk, Setting};

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_declared_or_not() {
    let desk = Desk::new().await;
    let large = "x".repeat(BODY_BYTES_MAX + 1);
    let ask = || desk.post("agent", "/v1/requests", &json!({}));
    ask().header("content-length", &large.len().to_string()).send().await.problem(413, "body_too_large");
    let answer = ask().body(large.clone()).send().await;
    assert_eq!(answer.headers["connection"], "close");
    answer.problem(413, "body_too_large");
    let pieces = futures::stream::iter(
        [large.clone(), large].map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece))),
    );
    ask().body(Body::from_stream(pieces)).send().await.problem(413, "body_too_large");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let desk = Desk::new().await;
    let never =
        futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from("{"))]).chain(futures::stream::pending());
    let ask = desk.post("agent", "/v1/requests", &json!({})).body(Body::from_stream(never));
    let waits = tokio::spawn(ask.send());
    // The answer as a whole has its time, too.
    assert_eq!(desk.until_done(&waits, 2).await, BODY_TIME_MAX);
    waits.await.unwrap().problem(408, "body_too_slow");
    let broken = futures::stream::iter([Err::<Bytes, _>(std::io::Error::other("gone"))]);
    let ask = desk.post("agent", "/v1/requests", &json!({})).body(Body::from_stream(broken));
    ask.send().await.problem(400, "json_invalid");
}

#[tokio::test]
async fn only_json_is_taken() {
    let desk = Desk::new().await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"] {
        let ask =
            desk.ask(Method::POST, "/v1/requests").token(&desk.token("agent")).header("content-type", kind);
        assert_eq!(ask.body("{}").send().await.problem(415, "not_json")["field"], "Content-Type");
    }
    let bare = desk.ask(Method::POST, "/approvals").token(&desk.token("bo")).body("{}");
    bare.send().await.problem(415, "not_json");
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let desk = Desk::new().await;
    let long = desk.ask(Method::GET, "/healthz").header("x-long", &"x".repeat(HEADER_BYTES_MAX));
    long.send().await.problem(431, "headers_too_large");
    let many = (0..=HEADERS_MAX)
        .fold(desk.ask(Method::GET, "/healthz"), |ask, n| ask.header("x-many", &n.to_string()));
    many.send().await.problem(431, "headers_too_large");
}

/// A surface brings its own addresses and its own authentication, and shares what stands around every handler.
/// A surface reads its bodies itself: one that does not come is broken off for it, and never taken for whole.
#[tokio::test]
async fn a_surfaces_body_that_does_not_come_is_broken_off() {
    let surface =
        Router::new().route("/surface/x", post(|body: Bytes| async move { body.len().to_string() }));
    let desk = Desk::with(Setting { surfaces: vec![surface], ..Setting::default() }).await;
    let never =
        futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from("{"))]).chain(futures::stream::pending());
    let ask = desk.ask(Method::POST, "/surface/x").body(Body::from_stream(never));
    let waits = tokio::spawn(ask.send());
    assert_eq!(desk.until_done(&waits, 1).await, BODY_TIME_MAX);
    assert!(waits.await.unwrap().status.is_client_error());
    let whole = desk.ask(Method::POST, "/surface/x").body(Body::from("abc")).send().await;
    assert_eq!(whole.expect(200).body, "3");
}

#[tokio::test]
async fn surfaces_are_mounted_behind_the_same_limits() {
    let surface = Router::new()
        .route("/slack/interactivity", post(|body: Bytes| async move { format!("{} bytes", body.len()) }))
        .route("/broken", get(|| async { panic!("secret words") as &'static str }));
    let desk = Desk::with(Setting { surfaces: vec![surface], ..Setting::default() }).await;
    let answer = desk.ask(Method::POST, "/slack/interactivity").body("payload=1").send().await.expect(200);
    assert_eq!(
        (answer.body.as_str(), &answer.headers["x-content-type-options"]),
        ("9 bytes", &"nosniff".parse().unwrap())
    );
    let large =
        desk.ask(Method::POST, "/slack/interactivity").body("x".repeat(BODY_BYTES_MAX + 1)).send().await;
    assert_eq!(large.status, 413);
    let broken = desk.ask(Method::GET, "/broken").send().await;
    assert!(!broken.body.contains("secret"));
    broken.problem(500, "internal");
    desk.ask(Method::GET, "/slack/interactivity").send().await.expect(405);
    desk.ask(Method::GET, "/nothing").send().await.problem(404, "route_not_found");
}

/// What waits for nobody ends in time; the store's thread is held up here.
#[tokio::test]
async fn an_answer_that_takes_too_long_is_given_up() {
    let desk = Desk::new().await;
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    desk.store.set_hint(std::sync::Arc::new(move |_| {
        // It goes on once the other end is gone.
        assert!(gate.lock().unwrap().recv().is_err());
    }));
    let body = crate::fixture::call("delete_file", json!({}));
    let waits = tokio::spawn(desk.post("agent", "/v1/requests", &body).send());
    let reads = tokio::spawn(desk.post("agent", "/v1/requests", &body).send());
    assert!(desk.until_done(&waits, 1).await >= REQUEST_TIME_MAX);
    desk.until_done(&reads, 1).await;
    for answer in [waits, reads] {
        answer.await.unwrap().problem(503, "too_slow");
    }
    drop(go);
}
