//! Serves a router: connections within their limits, heads within their time, and an end that lets answers finish.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::{Extension, Router};
use futures::future::{Either, select};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use placet::ports::Clock;
use placet::time::Ttl;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt as _;

use crate::limits;
use crate::problem::{Code, Problem};
use crate::stream::Closing;

/// Limits of a server. The defaults are those of [`limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// Connections at the same time; the next is told so, and closed.
    pub connections_max: usize,
    /// How long a head may take to arrive, and how long an idle connection is kept.
    pub head_time_max: Ttl,
    /// How long answers under way may take once the server stops.
    pub shutdown_grace: Ttl,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            connections_max: limits::CONNECTIONS_MAX,
            head_time_max: limits::HEAD_TIME_MAX,
            shutdown_grace: limits::SHUTDOWN_GRACE,
        }
    }
}

/// Serves until `shutdown`: then nothing new is accepted, streams and long polls end, other answers finish within the
/// grace, and what is left is cut off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    (limits, clock): (ServeLimits, Arc<dyn Clock>),
    shutdown: impl Future<Output = ()> + Send,
) {
    let (close, closed) = watch::channel(false);
    let router = router.layer(Extension(Closing::of(closed)));
    let seats = Arc::new(Semaphore::new(limits.connections_max));
    let graceful = GracefulShutdown::new();
    let mut shutdown = Box::pin(shutdown);
    loop {
        let accepting = Box::pin(listener.accept());
        let accepted = match select(accepting, shutdown).await {
            Either::Left((accepted, going_on)) => {
                shutdown = going_on;
                accepted
            }
            Either::Right(_) => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(fault) if is_one_connections(&fault) => continue,
            Err(fault) => {
                tracing::error!(error = %fault, "no connection can be accepted");
                clock.sleep_until(clock.now() + limits::ACCEPT_REST).await;
                continue;
            }
        };
        let Ok(seat) = Arc::clone(&seats).try_acquire_owned() else {
            turn_away(&stream);
            continue;
        };
        let connection = graceful.watch(connection(&router, stream, limits));
        tokio::spawn(async move {
            if let Err(fault) = connection.await {
                tracing::debug!(error = %fault, "a connection ended badly");
            }
            drop(seat);
        });
    }
    drop(listener);
    close.send_replace(true);
    let grace = clock.sleep_until(clock.now() + limits.shutdown_grace);
    if let Either::Right(_) = select(Box::pin(graceful.shutdown()), grace).await {
        tracing::warn!(grace = %limits.shutdown_grace, "answers under way were cut off");
    }
}

type Service = TowerToHyperService<
    tower::util::BoxCloneSyncService<hyper::Request<Incoming>, hyper::Response<Body>, Infallible>,
>;

fn connection(
    router: &Router,
    stream: TcpStream,
    limits: ServeLimits,
) -> http1::Connection<TokioIo<TcpStream>, Service> {
    // Answers are small, and events should not wait for more of them.
    if let Err(fault) = stream.set_nodelay(true) {
        tracing::debug!(error = %fault, "a connection delays small packets");
    }
    let service = router.clone().map_request(|request: hyper::Request<Incoming>| request.map(Body::new));
    let service = TowerToHyperService::new(tower::util::BoxCloneSyncService::new(service));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time_max.as_duration())
        .max_buf_size(limits::HEAD_BYTES_MAX)
        .max_headers(limits::HEAD_LINES_MAX)
        .serve_connection(TokioIo::new(stream), service)
}

/// One connection that broke before it was accepted says nothing of the next.
fn is_one_connections(fault: &io::Error) -> bool {
    matches!(
        fault.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}

/// Says that there are too many, as far as that can be said without waiting.
fn turn_away(stream: &TcpStream) {
    let detail =
        "the server has as many connections as it takes; try again, and share connections between requests";
    let body = Problem::new(Code::TooManyConnections, detail).body().to_string();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 1\r\nconnection: \
         close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    if let Err(fault) = stream.try_write(answer.as_bytes()) {
        tracing::debug!(error = %fault, "a connection was turned away without a word");
    }
}
