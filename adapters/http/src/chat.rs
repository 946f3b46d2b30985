//! `/chat` (R4): a front end talks to Placet's own agent, and sees its seven events.
//!
//! The events are read from the store, under the numbers that they were kept with: a client that comes back says which
//! it saw last, and misses none. Each id names its session, so that it suffices.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use futures::future::BoxFuture;
use placet::id::{CredentialId, SessionId, TenantId};
use placet::ports::{SessionEvent, Store, StoreError};
use serde_json::Value;

use crate::body::{Fields, JsonBody};
use crate::credential::{Caller, Principal, Proposing};
use crate::limits::{CHAT_CHARS_MAX, STREAM_READ_AT_ONCE};
use crate::parts::App;
use crate::problem::{Code, Problem};
use crate::query::Query;
use crate::stream::{Closing, Feed, Item, follow, last_event_id};

/// Placet's own agent, as a front end talks to it.
#[async_trait]
pub trait ChatAgent: Send + Sync + 'static {
    /// Starts a run in the session, or in a new one, and returns at once: the run goes on in the background, and its
    /// events are read from the store.
    ///
    /// # Errors
    /// [`ChatError`]; no run was started then.
    async fn say(&self, said: Said) -> Result<SessionId, ChatError>;

    /// Registers for the next event of a session, when it is called. A hint only: it may be lost, and the stream goes
    /// on all the same.
    fn changed(&self, tenant: &TenantId, session: &SessionId) -> BoxFuture<'static, ()>;
}

/// What somebody says to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// In whose name.
    pub tenant: TenantId,
    /// With which credential.
    pub by: CredentialId,
    /// In which session; none opens one.
    pub session: Option<SessionId>,
    /// The words.
    pub text: String,
}

/// Why no run was started.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The tenant has no such session.
    #[error("there is no such session")]
    NoSuchSession,
    /// An earlier run of the session is not over.
    #[error("the session is at work on what it was told before")]
    Busy,
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ChatError> for Problem {
    fn from(fault: ChatError) -> Self {
        match fault {
            ChatError::NoSuchSession => no_such_session(),
            ChatError::Busy => Self::new(
                Code::SessionBusy,
                "an earlier run of this session is not over; follow GET /chat/{session}/events until its `done`, or \
                 leave sessionId out to open another session",
            )
            .at("sessionId"),
            ChatError::Store(fault) => fault.into(),
        }
    }
}

/// `POST /chat` {sessionId?, text}: runs the agent and streams this run's events. With `Last-Event-ID` it is the same
/// client coming back: nothing is said again, and the stream goes on where it broke off.
pub(crate) async fn say(
    State(app): State<App>,
    caller: Caller<Proposing>,
    headers: HeaderMap,
    (query, closing): (Query, Closing),
    JsonBody(body): JsonBody,
) -> Result<Response, Problem> {
    query.only(&[])?;
    let agent = agent(&app)?;
    let mut fields = Fields::of(body, &["sessionId", "text"])?;
    let session = fields.parsed::<SessionId>("sessionId")?;
    let text = fields.said("text", CHAT_CHARS_MAX)?;
    let store = app.gate.store();
    let tenant = caller.tenant();
    let feed = if let Some(id) = last_event_id(&headers)? {
        let (session, after) = resumed(id, session.as_ref())?;
        let before = store.session_events(tenant, &session, after.saturating_sub(1), 1).await?;
        let seen = before.first().filter(|seen| seen.number == after).ok_or_else(no_such_session)?;
        let over = is_last(&seen.json);
        Session::of(&app, tenant, (session, after), if over { Until::Now } else { Until::RunIsOver })?
    } else {
        let after = match &session {
            Some(session) => head(store.as_ref(), tenant, session).await?,
            None => 0,
        };
        let said = Said { tenant: tenant.clone(), by: caller.row().id.clone(), session, text };
        let session = agent.say(said).await?;
        Session::of(&app, tenant, (session, after), Until::RunIsOver)?
    };
    follow(app, caller.into_principal(), closing, feed)
}

/// `GET /chat/{session}/events`: everything that happens in a session, from its beginning or after `Last-Event-ID`.
pub(crate) async fn events(
    State(app): State<App>,
    caller: Caller<Proposing>,
    headers: HeaderMap,
    Path(session): Path<String>,
    (query, closing): (Query, Closing),
) -> Result<Response, Problem> {
    let query = query.only(&["after"])?;
    agent(&app)?;
    let session: SessionId = session.parse().map_err(|_| no_such_session())?;
    let after = match last_event_id(&headers)?.or_else(|| query.text("after")) {
        Some(id) => resumed(id, Some(&session))?.1,
        None => 0,
    };
    if !exists(&app, &caller, &session).await? {
        return Err(no_such_session());
    }
    let feed = Session::of(&app, caller.tenant(), (session, after), Until::Closed)?;
    follow(app, caller.into_principal(), closing, feed)
}

fn agent(app: &App) -> Result<&Arc<dyn ChatAgent>, Problem> {
    app.agent.as_ref().ok_or_else(|| {
        Problem::new(Code::NoAgent, "this installation runs no agent of its own; configure a model, or bring an agent")
    })
}

fn no_such_session() -> Problem {
    Problem::new(Code::SessionNotFound, "there is no session of this id here; leave sessionId out to open one")
}

async fn exists(app: &App, caller: &Principal, session: &SessionId) -> Result<bool, StoreError> {
    let store = app.gate.store();
    if store.last_run(caller.tenant(), session).await?.is_some() {
        return Ok(true);
    }
    Ok(!store.session_events(caller.tenant(), session, 0, 1).await?.is_empty())
}

/// The number of a session's last event.
async fn head(store: &dyn Store, tenant: &TenantId, session: &SessionId) -> Result<u64, StoreError> {
    const AT_ONCE: u32 = 1000;
    let mut after = 0;
    loop {
        let events = store.session_events(tenant, session, after, AT_ONCE).await?;
        after = events.last().map_or(after, |event| event.number);
        if events.len() < AT_ONCE as usize {
            return Ok(after);
        }
    }
}

/// `12.SESSION`, as it was given out.
fn resumed(id: &str, session: Option<&SessionId>) -> Result<(SessionId, u64), Problem> {
    let parsed = id.split_once('.').and_then(|(number, session)| {
        Some((session.parse::<SessionId>().ok()?, number.parse::<u64>().ok().filter(|number| *number > 0)?))
    });
    match (parsed, session) {
        (Some((named, number)), session) if session.is_none_or(|session| *session == named) => Ok((named, number)),
        _ => {
            let detail = "Last-Event-ID is not one that this session gave out; leave it out to start over";
            Err(Problem::new(Code::CursorInvalid, detail).at("Last-Event-ID"))
        }
    }
}

/// When a stream ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At once: the client saw the run's end before.
    Now,
    /// With the run's `done` or `error`.
    RunIsOver,
    /// When the client leaves.
    Closed,
}

struct Session {
    store: Arc<dyn Store>,
    agent: Arc<dyn ChatAgent>,
    tenant: TenantId,
    session: SessionId,
    after: u64,
    until: Until,
}

impl Session {
    fn of(
        app: &App,
        tenant: &TenantId,
        (session, after): (SessionId, u64),
        until: Until,
    ) -> Result<Self, Problem> {
        let agent = Arc::clone(agent(app)?);
        Ok(Self { store: Arc::clone(app.gate.store()), agent, tenant: tenant.clone(), session, after, until })
    }

    fn item(&self, event: &SessionEvent) -> Item {
        let wire = Event::default().id(format!("{}.{}", event.number, self.session)).data(&event.json);
        let wire = match kind(&event.json) {
            Some(kind) => wire.event(kind),
            None => wire,
        };
        Item { event: wire, last: self.until == Until::RunIsOver && is_last(&event.json) }
    }
}

#[async_trait]
impl Feed for Session {
    fn changed(&self) -> BoxFuture<'static, ()> {
        self.agent.changed(&self.tenant, &self.session)
    }

    async fn read(&mut self) -> Result<Vec<Item>, StoreError> {
        if self.until == Until::Now {
            return Ok(vec![Item { event: Event::default().comment("the run is over"), last: true }]);
        }
        let read = self.store.session_events(&self.tenant, &self.session, self.after, STREAM_READ_AT_ONCE);
        let events = read.await?;
        self.after = events.last().map_or(self.after, |event| event.number);
        let mut items: Vec<Item> = events.iter().map(|event| self.item(event)).collect();
        if let Some(last) = items.iter().position(|item| item.last) {
            items.truncate(last + 1);
        }
        Ok(items)
    }
}

/// The event's name, if it is one.
fn kind(json: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    let kind = value.get("type")?.as_str()?;
    kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'_').then(|| kind.to_owned())
}

/// Whether a run ends with it.
fn is_last(json: &str) -> bool {
    matches!(kind(json).as_deref(), Some("done" | "error"))
}
