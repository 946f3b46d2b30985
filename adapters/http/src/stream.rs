//! Server-sent events: a stream reads on from where it is, whatever hints are lost, and says every 15 s that it lives.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::future::{BoxFuture, select_all};
use futures::{FutureExt as _, stream};
use placet::gate::wake::REREAD_EVERY;
use placet::id::CredentialId;
use placet::ports::StoreError;
use placet::time::Timestamp;
use tokio::sync::watch;

use crate::credential::Principal;
use crate::limits::{STREAM_COMMENT_EVERY, STREAM_RETRY, STREAMS_PER_CREDENTIAL_MAX};
use crate::parts::App;
use crate::problem::{Code, Problem};

/// Where a stream's events come from.
#[async_trait]
pub(crate) trait Feed: Send + 'static {
    /// Registers for a hint that there may be more; called before each read.
    fn changed(&self) -> BoxFuture<'static, ()>;

    /// The events after those that were read before, in order; empty if there are none yet.
    async fn read(&mut self) -> Result<Vec<Item>, StoreError>;
}

/// One event of a stream.
#[derive(Debug)]
pub(crate) struct Item {
    /// As it goes out.
    pub(crate) event: Event,
    /// Whether the stream ends with it.
    pub(crate) last: bool,
}

struct Following<F> {
    app: App,
    principal: Principal,
    feed: F,
    closing: Closing,
    ready: std::collections::VecDeque<Item>,
    comment_at: Timestamp,
    over: bool,
    _seat: Seat,
}

/// Answers with everything that a feed has and will have.
pub(crate) fn follow(
    app: App,
    (principal, seat): (Principal, Seat),
    closing: Closing,
    feed: impl Feed,
) -> Response {
    let comment_at = app.now() + STREAM_COMMENT_EVERY;
    let following = Following {
        app,
        principal,
        feed,
        closing,
        ready: std::collections::VecDeque::new(),
        comment_at,
        over: false,
        _seat: seat,
    };
    let opening = stream::once(async { Ok(Event::default().retry(STREAM_RETRY.as_duration())) });
    let events = stream::unfold(following, |mut following| async move {
        let event = following.next().await?;
        Some((Ok::<_, Infallible>(event), following))
    });
    let mut response = Sse::new(futures::StreamExt::chain(opening, events)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Some proxies hold answers back until they are whole, unless they are told.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

impl<F: Feed> Following<F> {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                self.over |= item.last;
                self.comment_at = self.app.now() + STREAM_COMMENT_EVERY;
                return Some(item.event);
            }
            if self.over || self.closing.is_closed() {
                return None;
            }
            let changed = self.feed.changed();
            if let Err(problem) = self.principal.recheck(&self.app).await {
                tracing::info!(credential.id = %self.principal.row().id, code = problem.code().name(), "a stream ends");
                return None;
            }
            match self.feed.read().await {
                Ok(items) if items.is_empty() => {}
                Ok(items) => {
                    self.ready.extend(items);
                    continue;
                }
                Err(fault) => {
                    // The client comes back with the last id it saw.
                    tracing::error!(error = %fault, "a stream cannot be read");
                    return None;
                }
            }
            let now = self.app.now();
            if now >= self.comment_at {
                self.comment_at = now + STREAM_COMMENT_EVERY;
                return Some(Event::default().comment("still here"));
            }
            let until = self.comment_at.min(now + REREAD_EVERY);
            let clock = Arc::clone(self.app.gate.clock());
            let pause = async move { clock.sleep_until(until).await }.boxed();
            let closed = self.closing.clone();
            select_all([changed, pause, async move { closed.closed().await }.boxed()]).await;
        }
    }
}

/// The last event that a client saw, if it says so; it may hold any character, as event ids do.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    std::str::from_utf8(value.as_bytes()).map(|id| Some(id).filter(|id| !id.is_empty())).map_err(|_| {
        Problem::new(Code::CursorInvalid, "Last-Event-ID is not one that was given out here")
            .at("Last-Event-ID")
    })
}

/// Says to long answers that the server stops. A router that is not served by [`crate::serve`] never closes.
#[derive(Debug, Clone)]
pub(crate) struct Closing(Option<watch::Receiver<bool>>);

impl Closing {
    pub(crate) const fn of(closed: watch::Receiver<bool>) -> Self {
        Self(Some(closed))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.as_ref().is_some_and(|closed| *closed.borrow())
    }

    /// Returns when the server stops.
    pub(crate) async fn closed(self) {
        match self.0 {
            // A sender that is gone is a server that is gone.
            Some(mut closed) => drop(closed.wait_for(|closed| *closed).await),
            None => futures::future::pending().await,
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Closing {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or(Self(None)))
    }
}

/// How many long answers each credential has open.
#[derive(Debug, Default)]
pub(crate) struct Seats(Mutex<HashMap<(CredentialId, &'static str), usize>>);

/// One of a credential's long answers; it ends with this.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    of: (CredentialId, &'static str),
}

impl Seat {
    /// For a stream; to be taken before anything is done for it.
    ///
    /// # Errors
    /// Too many streams of one credential.
    pub(crate) fn of_stream(app: &App, principal: &Principal) -> Result<Self, Problem> {
        Self::take(&app.seats, &principal.row().id, ("stream", STREAMS_PER_CREDENTIAL_MAX))
    }

    pub(crate) fn take(
        seats: &Arc<Seats>,
        credential: &CredentialId,
        (what, most): (&'static str, usize),
    ) -> Result<Self, Problem> {
        let of = (credential.clone(), what);
        let mut taken = seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(of.clone()).or_insert(0);
        if *count >= most {
            let detail =
                format!("this credential has {most} of them open, which is the limit; close one ({what})");
            return Err(Problem::new(Code::TooManyStreams, detail).retry_after(STREAM_COMMENT_EVERY));
        }
        *count += 1;
        drop(taken);
        Ok(Self { seats: Arc::clone(seats), of })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.of) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.of);
            }
        }
    }
}
