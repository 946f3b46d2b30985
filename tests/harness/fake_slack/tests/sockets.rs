//! Sockets, by Slack's rules.

use futures::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::*;

type Socket = WebSocketStream<TcpStream>;

impl Caller {
    async fn asks_for_socket(&self, token: &str) -> Value {
        let url = format!("{}apps.connections.open", self.slack.base_url());
        self.http.post(url).bearer_auth(token).json(&json!({})).send().await.unwrap().json().await.unwrap()
    }

    async fn address(&self) -> String {
        self.asks_for_socket(APP_TOKEN).await["url"].as_str().unwrap().to_owned()
    }

    async fn socket(&self) -> Socket {
        connect(&self.address().await).await.unwrap()
    }
}

async fn connect(address: &str) -> Option<Socket> {
    let at = url::Url::parse(address).unwrap();
    let stream = TcpStream::connect(("127.0.0.1", at.port().unwrap())).await.unwrap();
    Some(client_async(address, stream).await.ok()?.0)
}

/// The next text on it; none where it ends.
async fn next(socket: &mut Socket) -> Option<Value> {
    loop {
        match socket.next().await?.ok()? {
            Frame::Text(text) => return Some(serde_json::from_str(&text).unwrap()),
            Frame::Close(_) => return None,
            _ => {}
        }
    }
}

async fn says(socket: &mut Socket, what: Value) {
    socket.send(Frame::Text(what.to_string().into())).await.unwrap();
}

#[tokio::test]
async fn a_ticket_opens_one_socket_once_and_soon() {
    let caller = caller().await;
    assert_eq!(caller.asks_for_socket(TOKEN).await["error"], "not_allowed_token_type");
    assert_eq!(caller.asks_for_socket("xapp-other").await["error"], "invalid_auth");
    let address = caller.address().await;
    let mut socket = connect(&address).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["num_connections"], 1);
    assert!(connect(&address).await.is_none(), "spent");
    let late = caller.address().await;
    caller.passes(30_001);
    assert!(connect(&late).await.is_none(), "lapsed");
    let hello = next(&mut caller.socket().await).await.unwrap();
    assert_eq!((&hello["type"], &hello["num_connections"]), (&json!("hello"), &json!(2)));
    let url = format!("{}auth.test", caller.slack.base_url());
    let answer = caller.http.post(url).bearer_auth(APP_TOKEN).send().await.unwrap();
    assert_eq!(answer.json::<Value>().await.unwrap()["error"], "not_allowed_token_type");
}

#[tokio::test]
async fn the_eleventh_socket_is_one_too_many() {
    let caller = caller().await;
    let mut sockets = Vec::new();
    for _ in 0..10 {
        let mut socket = caller.socket().await;
        assert_eq!(next(&mut socket).await.unwrap()["type"], "hello");
        sockets.push(socket);
    }
    let mut one_more = caller.socket().await;
    let told = next(&mut one_more).await.unwrap();
    assert_eq!((&told["type"], &told["reason"]), (&json!("disconnect"), &json!("too_many_websockets")));
    assert_eq!(next(&mut one_more).await, None);
    assert_eq!(caller.slack.sockets(), 10);
}

#[tokio::test]
async fn an_envelope_goes_to_one_socket_until_it_is_acknowledged() {
    let caller = caller().await;
    let (mut one, mut other) = (caller.socket().await, caller.socket().await);
    next(&mut one).await.unwrap();
    next(&mut other).await.unwrap();
    let ids = [0, 1].map(|number| caller.slack.sends_payload("interactive", json!({ "number": number })));
    let (first, second) = (next(&mut other).await.unwrap(), next(&mut one).await.unwrap());
    assert_eq!(
        (first["envelope_id"].as_str(), second["envelope_id"].as_str()),
        (Some(&*ids[0]), Some(&*ids[1]))
    );
    assert_eq!((&first["accepts_response_payload"], &first["retry_attempt"]), (&json!(true), &Value::Null));
    says(&mut one, json!({ "envelope_id": ids[1], "payload": { "text": "yes" } })).await;
    assert_eq!(caller.slack.acknowledged(&ids[1]).await.unwrap()["text"], "yes");
    // The socket ends, and what it left is delivered again.
    drop(other);
    let again = next(&mut one).await.unwrap();
    assert_eq!((&again["envelope_id"], &again["retry_attempt"]), (&first["envelope_id"], &json!(1)));
    assert!(!caller.slack.is_acknowledged(&ids[0]));
    says(&mut one, json!({ "envelope_id": ids[0] })).await;
    assert_eq!(caller.slack.acknowledged(&ids[0]).await.unwrap(), Value::Null);
    assert_eq!(caller.slack.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn acknowledgements_that_slack_does_not_take_are_noted() {
    let caller = caller().await;
    let mut socket = caller.socket().await;
    next(&mut socket).await.unwrap();
    let event = caller.slack.sends_payload("events_api", json!({}));
    next(&mut socket).await.unwrap();
    for wrong in [
        json!("text"),
        json!({}),
        json!({ "envelope_id": "other" }),
        json!({ "envelope_id": event, "payload": { "text": "an event takes no answer" } }),
    ] {
        says(&mut socket, wrong).await;
    }
    says(&mut socket, json!({ "envelope_id": event, "payload": {} })).await;
    caller.slack.acknowledged(&event).await.unwrap();
    says(&mut socket, json!({ "envelope_id": event })).await;
    let click = caller.slack.sends_payload("interactive", json!({}));
    next(&mut socket).await.unwrap();
    says(&mut socket, json!({ "envelope_id": click })).await;
    caller.slack.acknowledged(&click).await.unwrap();
    assert_eq!(caller.slack.refused().len(), 5, "{:#?}", caller.slack.refused());
}

#[tokio::test]
async fn a_socket_works_until_its_time_has_come() {
    let caller = caller().await;
    let mut socket = caller.socket().await;
    next(&mut socket).await.unwrap();
    caller.slack.asks_to_move("warning").unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["reason"], "warning");
    let click = caller.slack.sends_payload("interactive", json!({}));
    assert_eq!(next(&mut socket).await.unwrap()["envelope_id"], click.as_str());
    says(&mut socket, json!({ "envelope_id": click })).await;
    caller.slack.acknowledged(&click).await.unwrap();
    caller.passes(9_999);
    assert_eq!(caller.slack.ends_sockets(), 0);
    caller.passes(1);
    assert_eq!(caller.slack.ends_sockets(), 1);
    assert_eq!(next(&mut socket).await, None);
    drop(socket);
    caller.slack.has_sockets(0).await.unwrap();
    // Nobody is there: it waits for the next socket, and is a first delivery there.
    let click = caller.slack.sends_payload("interactive", json!({}));
    let mut socket = caller.socket().await;
    next(&mut socket).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["envelope_id"], click.as_str());
    caller.slack.turns_sockets(false);
    assert_eq!(next(&mut socket).await.unwrap()["reason"], "link_disabled");
    assert_eq!(caller.asks_for_socket(APP_TOKEN).await["error"], "access_denied");
}
