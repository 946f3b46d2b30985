//! Frames as they are read, and servers that are none of Slack's.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::envelope::Frame;
use super::*;
use crate::fixtures::at;
use crate::payload::{Command, Enveloped, Event, Interaction};

fn read(frame: &Value) -> Option<Frame> {
    Frame::read(&frame.to_string())
}

/// R30: members that are new, missing or of another type are no error; what cannot be acknowledged is no envelope.
#[test]
fn frames_are_read_tolerantly() {
    let hello = json!({ "type": "hello", "num_connections": 2, "debug_info": {}, "new": [1] });
    assert!(matches!(read(&hello), Some(Frame::Hello { connections: Some(2) })));
    assert!(matches!(
        read(&json!({ "type": "hello", "num_connections": "many" })),
        Some(Frame::Hello { connections: None })
    ));
    for (reason, expected) in [
        (json!("warning"), Reason::Warning),
        (json!("refresh_requested"), Reason::RefreshRequested),
        (json!("link_disabled"), Reason::LinkDisabled),
        (json!("too_many_websockets"), Reason::TooMany),
        (json!("another"), Reason::Other),
        (Value::Null, Reason::Other),
    ] {
        let Some(Frame::Disconnect(read)) = read(&json!({ "type": "disconnect", "reason": reason })) else {
            panic!("{reason}")
        };
        assert_eq!(read, expected);
    }
    let envelope =
        json!({ "type": "interactive", "envelope_id": "e1", "payload": null, "retry_attempt": "x" });
    assert!(matches!(read(&envelope), Some(Frame::Envelope(envelope)) if envelope.id == "e1"));
    for unreadable in
        [json!([]), json!("x"), json!({ "envelope_id": "" }), json!({ "envelope_id": "e".repeat(256) })]
    {
        assert!(read(&unreadable).is_none(), "{unreadable}");
    }
    assert!(matches!(read(&json!({ "type": "news" })), Some(Frame::Other(kind)) if kind == "news"));
    assert!(Frame::read("{").is_none());
}

/// R30: the payload of an envelope is what would be the body over HTTP, decoded.
#[test]
fn payloads_in_envelopes_are_those_of_http() {
    let click =
        Enveloped::new(json!({ "type": "block_actions", "team": null, "actions": [{ "action_id": "a" }] }));
    assert!(matches!(Interaction::enveloped(&click), Ok(Interaction::BlockActions(_))));
    assert!(Interaction::enveloped(&Enveloped::new(json!([]))).is_err());
    let typed =
        json!({ "command": "/placet", "text": "audit", "is_enterprise_install": true, "new": { "x": 1 } });
    let Ok(Command::Slash(typed)) = Command::enveloped(&Enveloped::new(typed)) else { panic!() };
    assert_eq!((typed.text.as_deref(), typed.is_enterprise_install), (Some("audit"), true));
    for other in [json!({}), json!({ "command": 7 }), json!("x")] {
        assert!(Command::enveloped(&Enveloped::new(other.clone())).is_err(), "{other}");
    }
    let event = Enveloped::new(json!({ "type": "event_callback", "event_id": "Ev1", "event": {} }));
    assert!(
        matches!(Event::enveloped(&event), Ok(Event::Callback(callback)) if callback.event_id.as_deref() == Some("Ev1"))
    );
}

/// A clock by which nothing is ever late.
struct Patient;

#[async_trait::async_trait]
impl Clock for Patient {
    fn now(&self) -> placet::time::Timestamp {
        at(0)
    }

    async fn sleep_until(&self, _at: placet::time::Timestamp) {
        std::future::pending().await
    }
}

/// A server that gives this address, and this answer to who comes there.
async fn server(scheme: &'static str, handshake: &'static str) -> ApiSettings {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = [0; 4096];
            let read = stream.read(&mut asked).await.unwrap();
            let answer = if asked[..read].starts_with(b"POST") {
                let body = json!({ "ok": true, "url": format!("{scheme}://{address}/link/?ticket=secret") })
                    .to_string();
                let length = body.len();
                format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
            } else {
                handshake.to_owned()
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let base = url::Url::parse(&format!("http://{address}/api/")).unwrap();
    ApiSettings::new(base, "xapp-1".to_owned().into())
}

async fn refusal(scheme: &'static str, handshake: &'static str) -> ApiError {
    let dialer = Dialer::new(server(scheme, handshake).await).unwrap();
    dialer.dial(&Patient).await.err().unwrap()
}

/// R30: who does not answer the handshake as RFC 6455 says is no socket; and none is opened to where there is no TLS. What
/// is told of it holds nothing of the address, whose ticket is a secret.
#[tokio::test]
async fn whoever_is_no_websocket_is_refused() {
    let accepted = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n";
    assert_eq!(refusal("ws", accepted).await, ApiError::Unknown);
    assert_eq!(refusal("ws", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await, ApiError::Unavailable);
    let moved = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(refusal("ws", moved).await, ApiError::Unavailable);
    let busy = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(refusal("ws", busy).await, ApiError::RateLimited { retry_after: None });
    for scheme in ["http", "https", "ftp"] {
        assert!(
            matches!(refusal(scheme, accepted).await, ApiError::Other { code } if code == "socket_without_tls")
        );
    }
    let tls = refusal("wss", accepted).await;
    assert!(matches!(tls, ApiError::Unreached(_)), "TLS is spoken to it: {tls:?}");
    assert!(!format!("{tls:?} {tls}").contains("secret"));
}
