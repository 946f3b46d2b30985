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
use placet::approval::Requester;
use placet::id::{CredentialId, SessionId, TenantId};
use placet::ports::{SessionEvent, Store, StoreError};
use serde_json::Value;

use crate::body::{Fields, JsonBody};
use crate::credential::{Caller, Principal, Proposing};
use crate::limits::{CHAT_CHARS_MAX, STREAM_READ_AT_ONCE};
use crate::parts::App;
use crate::problem::{Code, Problem};
use crate::query::Query;
use crate::stream::{Closing, Feed, Item, Seat, follow, last_event_id};

/// Placet's own agent, as a front end talks to it.
#[async_trait]
pub trait ChatAgent: Send + Sync + 'static {
    /// Begins a run in the session, or in a new one, and returns once that is committed: the run goes on in the
    /// background, and its events are read from the store.
    ///
    /// # Errors
    /// [`ChatError`]; no run was begun then.
    async fn say(&self, said: Said) -> Result<Begun, ChatError>;

    /// Whether this credential may read a session, and speak in it.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn owns(
        &self,
        tenant: &TenantId,
        session: &SessionId,
        by: &CredentialId,
    ) -> Result<bool, StoreError>;

    /// Registers for the next event of a session, when it is called. A hint only: it may be lost, and the stream goes
    /// on all the same.
    fn changed(&self, tenant: &TenantId, session: &SessionId) -> BoxFuture<'static, ()>;
}

/// What somebody says to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// In whose name.
    pub tenant: TenantId,
    /// Who says it: from the credential, and nothing else.
    pub requester: Requester,
    /// In which session; none opens one.
    pub session: Option<SessionId>,
    /// The words.
    pub text: String,
}

/// A run that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// In which session.
    pub session: SessionId,
    /// The number of the session's last event before it: its own come after that.
    pub events_before: u64,
}

/// Why no run was begun.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The tenant has no such session, or it is another credential's.
    #[error("there is no such session")]
    NoSuchSession,
    /// An earlier run of the session is not over.
    #[error("the session is at work on what it was told before")]
    Busy,
    /// The text cannot be taken, and why.
    #[error("{0}")]
    Text(String),
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
            ChatError::Text(why) => Self::new(Code::InvalidField, format!("`text` cannot be taken: {why}")).at("text"),
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
    // Before anything is said: who is refused a stream must not have begun a run.
    let seat = Seat::of_stream(&app, &caller)?;
    let feed = if let Some(id) = last_event_id(&headers)? {
        let (session, after) = resumed(id, session.as_ref())?;
        check_owner(agent.as_ref(), &caller, &session).await?;
        let before = store.session_events(tenant, &session, after.saturating_sub(1), 1).await?;
        let seen = before.first().filter(|seen| seen.number == after).ok_or_else(not_given_out)?;
        let until = if is_last(&seen.json) { Until::Now } else { Until::RunIsOver };
        Session::of(&app, agent, tenant, (session, after, until))
    } else {
        if let Some(session) = &session {
            check_owner(agent.as_ref(), &caller, session).await?;
        }
        let said = Said { tenant: tenant.clone(), requester: caller.requester(&app)?, session, text };
        let begun = agent.say(said).await?;
        Session::of(&app, agent, tenant, (begun.session, begun.events_before, Until::RunIsOver))
    };
    Ok(follow(app, (caller.into_principal(), seat), closing, feed))
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
    let agent = agent(&app)?;
    let session: SessionId = session.parse().map_err(|_| no_such_session())?;
    check_owner(agent.as_ref(), &caller, &session).await?;
    let after = match last_event_id(&headers)?.or_else(|| query.text("after")) {
        Some(id) => resumed(id, Some(&session))?.1,
        None => 0,
    };
    let seat = Seat::of_stream(&app, &caller)?;
    let feed = Session::of(&app, agent, caller.tenant(), (session, after, Until::Closed));
    Ok(follow(app, (caller.into_principal(), seat), closing, feed))
}

fn agent(app: &App) -> Result<&Arc<dyn ChatAgent>, Problem> {
    app.agent.as_ref().ok_or_else(|| {
        Problem::new(
            Code::NoAgent,
            "this installation runs no agent of its own; configure a model, or bring an agent",
        )
    })
}

fn no_such_session() -> Problem {
    Problem::new(
        Code::SessionNotFound,
        "there is no session of this id here; leave sessionId out to open one",
    )
}

async fn check_owner(agent: &dyn ChatAgent, caller: &Principal, session: &SessionId) -> Result<(), Problem> {
    if agent.owns(caller.tenant(), session, &caller.row().id).await? {
        Ok(())
    } else {
        Err(no_such_session())
    }
}

fn not_given_out() -> Problem {
    let detail = "Last-Event-ID is not one that this session gave out; leave it out to start over";
    Problem::new(Code::CursorInvalid, detail).at("Last-Event-ID")
}

/// `12.SESSION`, as it was given out.
fn resumed(id: &str, session: Option<&SessionId>) -> Result<(SessionId, u64), Problem> {
    let parsed = id.split_once('.').and_then(|(number, session)| {
        Some((session.parse::<SessionId>().ok()?, number.parse::<u64>().ok().filter(|number| *number > 0)?))
    });
    match (parsed, session) {
        (Some((named, number)), session) if session.is_none_or(|session| *session == named) => {
            Ok((named, number))
        }
        _ => Err(not_given_out()),
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
        agent: &Arc<dyn ChatAgent>,
        tenant: &TenantId,
        (session, after, until): (SessionId, u64, Until),
    ) -> Self {
        let (store, agent) = (Arc::clone(app.gate.store()), Arc::clone(agent));
        Self { store, agent, tenant: tenant.clone(), session, after, until }
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
