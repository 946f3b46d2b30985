//! The server over a real socket: limits on connections, slow heads, and an end that lets answers finish.

use std::sync::Arc;

use placet::ports::Clock;
use placet::time::Ttl;
use placet_http::{ServeLimits, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::fixture::Desk;

struct Served {
    address: std::net::SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

async fn served(desk: &Desk, limits: ServeLimits) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let clock: Arc<dyn Clock> = Arc::clone(&desk.clock) as _;
    let router = desk.router.clone();
    let task = tokio::spawn(async move {
        serve(listener, router, (limits, clock), async move { drop(stopped.await) }).await;
    });
    Served { address, stop, task }
}

async fn reads_to_the_end(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

async fn reads_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut bytes = [0; 1024];
    while !text.contains(end) {
        let read = stream.read(&mut bytes).await.unwrap();
        assert!(read > 0, "the connection ended: {text}");
        text.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
    }
    text
}

#[tokio::test]
async fn it_serves_and_stops_with_its_streams() {
    let desk = Desk::new().await;
    let served = served(&desk, ServeLimits::default()).await;
    let mut health = TcpStream::connect(served.address).await.unwrap();
    health.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    let answer = reads_to_the_end(&mut health).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"status":"ok"}"#), "{answer}");

    let id = desk.delete_file().await;
    let open = async |path: String, who: &str| {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n", desk.token(who));
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    };
    let mut events = open("/v1/events".to_owned(), "auditor").await;
    reads_until(&mut events, "approval.requested").await;
    let mut poll = open(format!("/v1/requests/{id}?wait=60s"), "agent").await;
    // A poll that waits has been read by the server once its neighbour, sent later, is answered.
    let mut other = open("/v1/grant-key".to_owned(), "agent").await;
    reads_until(&mut other, "epoch").await;
    served.stop.send(()).unwrap();
    reads_to_the_end(&mut events).await;
    let polled = reads_to_the_end(&mut poll).await;
    assert!(polled.contains("waiting_approval"), "a right answer, early: {polled}");
    served.task.await.unwrap();
    assert!(TcpStream::connect(served.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn connections_beyond_the_limit_are_told_so() {
    let desk = Desk::new().await;
    let served = served(&desk, ServeLimits { connections_max: 1, ..ServeLimits::default() }).await;
    let mut first = TcpStream::connect(served.address).await.unwrap();
    first.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    reads_until(&mut first, "ok").await;
    let mut second = TcpStream::connect(served.address).await.unwrap();
    let answer = reads_to_the_end(&mut second).await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("too_many_connections"), "{answer}");
    first.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    reads_to_the_end(&mut first).await;
    drop(first);
    loop {
        let mut third = TcpStream::connect(served.address).await.unwrap();
        if third.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.is_ok() {
            let mut text = Vec::new();
            if third.read_to_end(&mut text).await.is_ok() && text.starts_with(b"HTTP/1.1 200") {
                break;
            }
        }
    }
}

/// A head that comes byte by byte holds no connection for long.
#[tokio::test]
async fn a_slow_head_is_cut_off() {
    let desk = Desk::new().await;
    let limits = ServeLimits { head_time_max: Ttl::from_millis(50), ..ServeLimits::default() };
    let served = served(&desk, limits).await;
    let mut slow = TcpStream::connect(served.address).await.unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nhost").await.unwrap();
    let answer = reads_to_the_end(&mut slow).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
}

/// What does not finish within the grace is cut off.
#[tokio::test]
async fn the_end_does_not_wait_for_ever() {
    let desk = Desk::new().await;
    let served = served(&desk, ServeLimits::default()).await;
    let mut half = TcpStream::connect(served.address).await.unwrap();
    let head = format!(
        "POST /v1/requests HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: 10\r\n\r\n{{",
        desk.token("agent")
    );
    half.write_all(head.as_bytes()).await.unwrap();
    let mut other = TcpStream::connect(served.address).await.unwrap();
    other.write_all(b"GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    reads_to_the_end(&mut other).await;
    served.stop.send(()).unwrap();
    assert!(desk.until_done(&served.task, 1).await >= Ttl::from_secs(10));
    served.task.await.unwrap();
}
