//! The server: takes calls, lets faults happen, and checks the token.

use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Path, State as Extract};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::routing::post;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::door::{Cutter, Door, DoorListener};
use super::methods::{self, Refusal};
use super::state::{State, TOKEN};

/// The method that opens sockets.
const OPEN: &str = "apps.connections.open";

/// What goes wrong with one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This status and no JSON; nothing is done.
    Status(u16),
    /// Too many calls, with or without saying for how long.
    RateLimited {
        /// Seconds.
        retry_after: Option<u32>,
    },
    /// Slack's error code; nothing is done.
    Code(&'static str),
    /// The work is done, then the connection breaks before the answer.
    DoneButNoAnswer,
    /// The connection breaks before any work.
    NoAnswer,
    /// The work is done, then the answer is a 500.
    DoneThen500,
    /// No work and no answer, until the caller gives up.
    Hang,
    /// The work is done, then no answer comes until the caller gives up.
    DoneThenHang,
    /// Neither work nor answer until [`FakeSlack::lets_go`](super::FakeSlack::lets_go); then both as ever.
    Held,
}

pub(super) struct Inner {
    pub(super) state: Mutex<State>,
    pub(super) changed: Notify,
    pub(super) door: Door,
    pub(super) socket_door: Door,
}

impl Inner {
    pub(super) fn new(mut state: State) -> io::Result<Self> {
        let door = Door::new()?;
        state.origin = format!("http://{}", door.address());
        Ok(Self { state: Mutex::new(state), changed: Notify::new(), door, socket_door: Door::new()? })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn until_let_go(&self, method: &str) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if !self.state().held.contains(method) {
                return;
            }
            changed.await;
        }
    }
}

pub(super) fn serve(inner: Arc<Inner>) -> AbortHandle {
    let router = Router::new()
        .route("/api/{method}", post(call))
        .route("/response/{id}", post(respond))
        .route("/upload/{id}", post(upload))
        .with_state(inner.clone());
    let service = router.into_make_service_with_connect_info::<Cutter>();
    let serving = tokio::spawn(async move { axum::serve(DoorListener(inner), service).await });
    serving.abort_handle()
}

async fn call(
    Extract(inner): Extract<Arc<Inner>>,
    ConnectInfo(cutter): ConnectInfo<Cutter>,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let arguments = arguments(&method, &headers, &body);
    under_faults(&inner, &cutter, &method, &arguments, |state| match authorise(state, &method, &headers) {
        Ok(()) if method == OPEN => state.open_connection(&inner.socket_address()),
        Ok(()) => methods::call(state, &method, &arguments),
        Err(code) => Err(Refusal::code(code)),
    })
    .await
}

async fn respond(
    Extract(inner): Extract<Arc<Inner>>,
    ConnectInfo(cutter): ConnectInfo<Cutter>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response<Body> {
    let arguments = serde_json::from_slice(&body).unwrap_or_default();
    under_faults(&inner, &cutter, "response_url", &arguments, |state| {
        methods::respond(state, &id, &arguments)
    })
    .await
}

async fn upload(
    Extract(inner): Extract<Arc<Inner>>,
    ConnectInfo(cutter): ConnectInfo<Cutter>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response<Body> {
    under_faults(&inner, &cutter, "upload", &json!({ "id": id, "bytes": body.len() }), |state| {
        methods::upload(state, &id, &body)
    })
    .await
}

/// Records the call and does `work` as the next fault of the method allows.
async fn under_faults(
    inner: &Inner,
    cutter: &Cutter,
    method: &str,
    arguments: &Value,
    work: impl FnOnce(&mut State) -> Result<Value, Refusal>,
) -> Response<Body> {
    let fault = {
        let mut state = inner.state();
        state.calls.push((method.to_owned(), arguments.clone()));
        let queued = state.faults.get_mut(method).and_then(std::collections::VecDeque::pop_front);
        let fault = queued.or_else(|| state.standing_faults.get(method).cloned());
        if fault == Some(Fault::Held) {
            state.held.insert(method.to_owned());
        }
        fault
    };
    if fault == Some(Fault::Held) {
        inner.changed.notify_waiters();
        inner.until_let_go(method).await;
    }
    let work = || {
        let mut state = inner.state();
        let result = work(&mut state).map(|answer| {
            let named = state.leaving(answer.to_string());
            serde_json::from_str(&named).unwrap_or(answer)
        });
        // Where Slack itself fails, it is as a fault that a test ordered.
        if let Err(refusal) = &result
            && !matches!(refusal, Refusal::Code { code, .. } if code == "internal_error")
        {
            state.refused.push(format!("{method}: {refusal:?}"));
        }
        let scopes = Vec::from_iter(state.scopes.iter().cloned()).join(",");
        (result, scopes)
    };
    let mut response = match fault {
        None | Some(Fault::Held) => answer(work()),
        Some(Fault::Status(status)) => plain(status, "something went wrong"),
        Some(Fault::RateLimited { retry_after }) => rate_limited(retry_after),
        Some(Fault::Code(code)) => answer((Err(Refusal::code(code)), String::new())),
        Some(Fault::DoneThen500) => {
            work().0.ok();
            plain(500, "something went wrong")
        }
        Some(Fault::DoneButNoAnswer) => {
            work().0.ok();
            cutter.0.cut();
            plain(500, "")
        }
        Some(Fault::NoAnswer) => {
            cutter.0.cut();
            plain(500, "")
        }
        Some(hanging @ (Fault::Hang | Fault::DoneThenHang)) => {
            if hanging == Fault::DoneThenHang {
                work().0.ok();
            }
            inner.changed.notify_waiters();
            pending().await
        }
    };
    inner.changed.notify_waiters();
    // Slack's clock is the test's, or as far from it as the test wants.
    let date = http_date(inner.state().slack_ms());
    response.headers_mut().extend(date.map(|date| (axum::http::header::DATE, date)));
    // No connection is kept for the next call, so that a closed door always refuses: breaking off is a fault of its own.
    response.headers_mut().insert("connection", HeaderValue::from_static("close"));
    response
}

/// The arguments as an object: JSON where the method takes it, else form fields, whose structured ones hold JSON.
fn arguments(method: &str, headers: &HeaderMap, body: &[u8]) -> Value {
    let content_type = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if content_type.starts_with("application/json") {
        // Methods that read take no JSON: Slack does not see these arguments at all.
        let is_read = matches!(
            method,
            "users.info"
                | "usergroups.users.list"
                | "conversations.history"
                | "conversations.replies"
                | "conversations.info"
                | "files.getUploadURLExternal"
        );
        return if is_read { json!({}) } else { serde_json::from_slice(body).unwrap_or_default() };
    }
    let fields = url::form_urlencoded::parse(body).map(|(name, value)| {
        let structured = matches!(&*name, "blocks" | "view" | "metadata" | "attachments");
        let parsed = structured.then(|| serde_json::from_str(&value).ok()).flatten();
        (name.into_owned(), parsed.unwrap_or_else(|| Value::String(value.into_owned())))
    });
    Value::Object(Map::from_iter(fields))
}

fn authorise(state: &State, method: &str, headers: &HeaderMap) -> Result<(), &'static str> {
    let header = headers.get("authorization").and_then(|value| value.to_str().ok());
    let token = header.and_then(|header| header.strip_prefix("Bearer ")).ok_or("not_authed")?;
    match token {
        // The app's own token opens sockets and does nothing else, and no other opens any.
        app if app == state.app_token && method == OPEN => Ok(()),
        app if app == state.app_token => Err("not_allowed_token_type"),
        TOKEN if method == OPEN => Err("not_allowed_token_type"),
        TOKEN if state.token_is_revoked => Err("token_revoked"),
        TOKEN => Ok(()),
        _ => Err("invalid_auth"),
    }
}

fn answer((result, scopes): (Result<Value, Refusal>, String)) -> Response<Body> {
    let (status, body) = match result {
        Ok(mut body) => {
            body["ok"] = true.into();
            (200, body)
        }
        Err(Refusal::RateLimited { retry_after }) => return rate_limited(Some(retry_after)),
        Err(Refusal::Code { code, mut details, status }) => {
            details["ok"] = false.into();
            details["error"] = code.into();
            (status, details)
        }
    };
    let response =
        Response::builder().status(status).header("content-type", "application/json; charset=utf-8");
    let response = response.header("x-oauth-scopes", scopes).body(Body::from(body.to_string()));
    response.unwrap_or_default()
}

/// As HTTP writes a time.
fn http_date(at_ms: i64) -> Option<HeaderValue> {
    let at = chrono::DateTime::from_timestamp_millis(at_ms)?;
    HeaderValue::from_str(&at.format("%a, %d %b %Y %H:%M:%S GMT").to_string()).ok()
}

fn rate_limited(retry_after: Option<u32>) -> Response<Body> {
    let mut response = plain(429, r#"{"ok":false,"error":"ratelimited"}"#);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert("retry-after", seconds.into());
    }
    response
}

fn plain(status: u16, body: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}
