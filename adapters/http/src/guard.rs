//! What stands around every handler: limits on heads and on time, counted answers, headers that all answers carry, and
//! a problem instead of a broken connection where a handler breaks off.

use std::any::Any;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::future::{Either, select};
use futures::{FutureExt as _, StreamExt as _, stream};

use crate::limits::{BODY_TIME_MAX, HEADER_BYTES_MAX, HEADERS_MAX, REQUEST_TIME_MAX};
use crate::parts::App;
use crate::problem::{Code, Problem};

/// Ends what waits for nobody and takes too long all the same.
pub(crate) async fn deadline(State(app): State<App>, request: Request, next: Next) -> Response {
    let pause = app.gate.clock().sleep_until(app.now() + REQUEST_TIME_MAX);
    match select(Box::pin(next.run(request)), pause).await {
        Either::Left((response, _)) => response,
        Either::Right(((), _)) => Problem::new(
            Code::TooSlow,
            format!(
                "there was no answer after {REQUEST_TIME_MAX}, and it may have been done all the same; ask again in \
                 the same way, or read the request"
            ),
        )
        .into_response(),
    }
}

/// Breaks a body off that is not complete in time, for handlers that read it themselves.
pub(crate) async fn prompt_body(State(app): State<App>, request: Request, next: Next) -> Response {
    let (clock, until) = (Arc::clone(app.gate.clock()), app.now() + BODY_TIME_MAX);
    let over = async move { clock.sleep_until(until).await }.boxed();
    let request = request.map(|body| {
        let pieces = body.into_data_stream().take_until(over);
        // A body that was cut off would pass for a whole one: its end is a fault instead.
        Body::from_stream(stream::unfold(Some(pieces), async |pieces| {
            let mut pieces = pieces?;
            match pieces.next().await {
                Some(piece) => Some((piece, Some(pieces))),
                None if pieces.take_result().is_some() => {
                    let late = axum::Error::new(std::io::Error::from(std::io::ErrorKind::TimedOut));
                    Some((Err(late), None))
                }
                None => None,
            }
        }))
    });
    next.run(request).await
}

/// Refuses heads that are larger than any client of ours sends.
pub(crate) async fn head(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers.len() > HEADERS_MAX || bytes > HEADER_BYTES_MAX {
        let detail = format!(
            "a request may have {HEADERS_MAX} headers and {HEADER_BYTES_MAX} bytes of them; send fewer"
        );
        return Problem::new(Code::HeadersTooLarge, detail).into_response();
    }
    next.run(request).await
}

/// Counts answers and how long they took, by route and not by address: ids are no labels.
#[expect(clippy::cast_precision_loss, reason = "durations stay far below 2^52 milliseconds")]
pub(crate) async fn measured(State(app): State<App>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let method = name(request.method());
    let begun = app.now();
    let response = next.run(request).await;
    let seconds = app.now().since(begun).as_millis() as f64 / 1000.0;
    let status = response.status().as_u16().to_string();
    metrics::counter!("placet_http_requests_total", "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!("placet_http_request_seconds", "route" => route, "method" => method).record(seconds);
    response
}

/// Methods are chosen by callers, and labels must not be.
fn name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

/// What all answers say: nothing of this belongs in a cache, and nothing is to be guessed about its type.
pub(crate) async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    response
}

/// A handler broke off: a fault of ours, told without its text, which may hold anything.
pub(crate) fn broken_off(_panic: Box<dyn Any + Send>) -> Response {
    tracing::error!("a handler broke off with an internal error");
    Problem::new(
        Code::Internal,
        "something broke off here; whether it was done can be seen by reading the request",
    )
    .into_response()
}

/// There is nothing at this address.
pub(crate) async fn no_route() -> Problem {
    Problem::new(
        Code::RouteNotFound,
        "check the path, and what stands before it (`path_prefix` in the settings); the addresses stand in docs/api.md",
    )
}

/// There is, but not for this method.
pub(crate) async fn no_method() -> Problem {
    Problem::new(
        Code::MethodNotAllowed,
        "this address does not take the method; the header Allow says which it takes",
    )
}
