//! Where everything is kept. Whatever changes a request goes through [`RequestStore::open`] and
//! [`RequestStore::execute`]; a store decides nothing itself.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::approval::{Alarm, Approval, Committed, Opened, Opening, Order, Status};
use crate::call::{CallDigest, ContentHash};
use crate::card::row::CardRow;
use crate::hold::{Hold, Lifted};
use crate::id::{
    AgentId, CredentialId, DeliveryKey, HoldId, RequestId, RunId, SessionId, ShortCode, TenantId,
};
use crate::inbound::{Inbound, MessageRef};
use crate::notice::Message;
use crate::policy::Recent;
use crate::record::{Event, EventKind, Seq};
use crate::remembered::{Forgotten, Remembered};
use crate::time::Timestamp;

/// Why a store did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No such request in this tenant: it never was, or it is another tenant's, which is the same from here.
    #[error("there is no such request")]
    NotFound,
    /// The card's row moved on; what was to be done with it is no longer to be done.
    #[error("the card has moved on")]
    CardMoved,
    /// Nothing was written, and it may work later: the disk is full, the queue is long, the server shuts down.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The answer was lost at the commit: it may have been written. Ask again by the command's id.
    #[error("the store's answer was lost; it may have been written: {0}")]
    Unknown(String),
    /// A row that cannot exist.
    #[error("the store holds a row that cannot exist ({table} {key}): {what}")]
    Inconsistent {
        /// Which table.
        table: &'static str,
        /// Which row.
        key: String,
        /// What is wrong with it.
        what: String,
    },
    /// A proposal whose verdict contradicts itself.
    #[error("the verdict contradicts itself: {0}")]
    Contradiction(String),
    /// A run was saved by somebody else in between.
    #[error("the run was saved by somebody else in between")]
    RunMoved,
}

/// Everything a store does.
pub trait Store:
    RequestStore
    + InboxStore
    + CardStore
    + OutboxStore
    + CredentialStore
    + AgentStore
    + crate::ports::TaskStore
    + HoldStore
    + RememberedStore
    + RecentStore
    + super::audit::AuditStore
    + super::digest::DigestStore
    + Send
    + Sync
    + 'static
{
}

impl<T> Store for T where
    T: RequestStore
        + InboxStore
        + CardStore
        + OutboxStore
        + CredentialStore
        + AgentStore
        + crate::ports::TaskStore
        + HoldStore
        + RememberedStore
        + RecentStore
        + super::audit::AuditStore
        + super::digest::DigestStore
        + Send
        + Sync
        + 'static
{
}

/// Requests and their record.
#[async_trait]
pub trait RequestStore: Send + Sync {
    /// Takes in a proposal with its verdict, in one commit: the request, its events, one card row per place of the
    /// terms (for tier approve), and the idempotency key. The time is read inside.
    ///
    /// # Errors
    /// [`StoreError`]; a contradiction in the verdict writes nothing.
    async fn open(&self, opening: Opening) -> Result<Opened, StoreError>;

    /// Runs one order (see [`crate::approval::commit`]): request, events, card row, outbox, inbox and command id in
    /// one commit. With the id of a command that changed the request or its card before, it is not run again:
    /// the answer is the same, with the request as it stands now. One that was refused or changed nothing is decided again. After a change of the
    /// revision every card row of the request wants the new one.
    ///
    /// # Errors
    /// [`StoreError`]; a [`crate::approval::Refusal`] is no error but part of the answer, and is committed too.
    async fn execute(&self, order: Order) -> Result<Committed, StoreError>;

    /// Appends an event that belongs to no request, with what the operators are told of it ([`Message::about`]).
    ///
    /// # Errors
    /// [`StoreError`].
    async fn note(&self, tenant: TenantId, kind: EventKind) -> Result<(), StoreError>;

    /// The same, for somebody who has looked at what is there and says so: nothing is appended, and false given, where an
    /// event of these types has come into the tenant's record since. It is read again then, and decided again.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn note_next(
        &self,
        tenant: TenantId,
        kind: EventKind,
        (types, after): (Vec<&'static str>, Seq),
    ) -> Result<bool, StoreError>;

    /// A request.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] also for another tenant's.
    async fn load(&self, tenant: &TenantId, id: RequestId) -> Result<Approval, StoreError>;

    /// Requests, newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn list(&self, query: RequestQuery) -> Result<Vec<Approval>, StoreError>;

    /// Events in the order of their sealing.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn events(&self, query: EventQuery) -> Result<Vec<(Seq, Event)>, StoreError>;

    /// Requests for which time has something to do at `now`, the longest due first.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<(TenantId, RequestId)>, StoreError>;

    /// When time next has something to do for any request or card row, message or inbox row; none if never.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError>;

    /// How many requests are in each state, of all tenants, for gauges: each state once, also those without any.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn counts(&self) -> Result<Vec<(Status, u64)>, StoreError>;

    /// On how many requests each alarm stands (see [`Approval::standing_alarms`]), of all tenants, for gauges: each
    /// kind once, also those without any. Requests over which nothing is open any more count while their last event
    /// is not before `since`, so that an alarm is not gone before anybody could see it.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn alarms(&self, since: Timestamp) -> Result<Vec<(Alarm, u64)>, StoreError>;
}

/// Which requests.
#[derive(Debug, Clone, Default)]
pub struct RequestQuery {
    /// Of this tenant; none only for the installation's own worker.
    pub tenant: Option<TenantId>,
    /// In these states; empty means all.
    pub statuses: Vec<Status>,
    /// With this code among what is open, else the newest with it.
    pub code: Option<ShortCode>,
    /// With this digest.
    pub digest: Option<CallDigest>,
    /// Of this run of any agent.
    pub run: Option<RunId>,
    /// Opened before this one (exclusive), for paging from the newest backwards.
    pub before: Option<RequestId>,
    /// Those first for which time has something to do soonest, in place of the newest; those without a time last.
    pub soonest: bool,
    /// At most so many; newest first.
    pub limit: u32,
}

/// Which events.
#[derive(Debug, Clone)]
pub struct EventQuery {
    /// Of this tenant; none only for the installation's own.
    pub tenant: Option<TenantId>,
    /// Of this request.
    pub request: Option<RequestId>,
    /// After this one (exclusive).
    pub after: Seq,
    /// Of these types only, by their names on the wire; empty means all.
    pub types: Vec<&'static str>,
    /// At most so many.
    pub limit: u32,
}

/// What arrived and is not worked off yet.
#[async_trait]
pub trait InboxStore: Send + Sync {
    /// Keeps a delivery. False if it was there before, done or not.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn deliver(&self, inbound: Inbound) -> Result<bool, StoreError>;

    /// Deliveries that are not done, oldest first. One that cannot be read is set aside, with the reason and an error in
    /// the log, so that it holds up nothing that came after it.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn undone(&self, limit: u32) -> Result<Vec<Inbound>, StoreError>;

    /// Marks one as done that no command came of (its request does not exist).
    ///
    /// # Errors
    /// [`StoreError`].
    async fn discard(&self, delivery: &DeliveryKey) -> Result<(), StoreError>;
}

/// Card rows; their steps go through [`RequestStore::execute`].
#[async_trait]
pub trait CardStore: Send + Sync {
    /// Rows that have something to do at `now`, the longest due first. One that cannot be read is set aside, as a delivery
    /// is.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn cards_due(&self, now: Timestamp, limit: u32) -> Result<Vec<CardRow>, StoreError>;

    /// Goes on with having cards drawn anew after a hold was placed or lifted: of at most so many requests that it covers
    /// and that have not begun, the rows are redrawn (see [`CardRow::redraw`]). Which are left is kept with the hold, in the
    /// commit that places or lifts it. Gives how many requests it looked at; none where nothing is left.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn redraw_held(&self, limit: u32) -> Result<usize, StoreError>;

    /// The rows of one request.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn cards_of(&self, tenant: &TenantId, request: RequestId) -> Result<Vec<CardRow>, StoreError>;

    /// Ends the leases on cards and messages now, instead of waiting them out. Only for a process that surely is the
    /// only one at work, before it begins: a lease protects against another that lives. What an attempt came to is
    /// still looked up before anything is posted again.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn take_over(&self) -> Result<(), StoreError>;

    /// The request whose card a message is.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn card_at(&self, tenant: &TenantId, message: &MessageRef)
    -> Result<Option<RequestId>, StoreError>;
}

/// Emergency stops.
#[async_trait]
pub trait HoldStore: Send + Sync {
    /// Places a hold, with its event: in the tenant's record, or in that of every tenant that has one where it holds
    /// everybody's calls. Where the same scope is held already, that hold stands and is given back. A message to the
    /// operators goes out in the same commit.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn hold(&self, hold: Hold) -> Result<Hold, StoreError>;

    /// Lifts one, with its event. False if there is none of that id that stands; a tenant lifts only its own.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn lift(&self, tenant: Option<&TenantId>, id: HoldId, lifted: Lifted) -> Result<bool, StoreError>;

    /// Holds, newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn holds(&self, query: HoldQuery) -> Result<Vec<Hold>, StoreError>;
}

/// Which holds.
#[derive(Debug, Clone)]
pub struct HoldQuery {
    /// That concern this tenant's calls: its own and the installation's; all, where none is named.
    pub tenant: Option<TenantId>,
    /// That stand; else lifted ones too.
    pub only_standing: bool,
    /// Placed before this one.
    pub before: Option<HoldId>,
    /// At most so many.
    pub limit: u32,
}

/// What people chose to remember.
#[async_trait]
pub trait RememberedStore: Send + Sync {
    /// Remembered yeses, newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn remembered(&self, query: RememberedQuery) -> Result<Vec<Remembered>, StoreError>;

    /// Takes one back, with its event. False if there is none of that id in the tenant that stands.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn forget(
        &self,
        tenant: &TenantId,
        id: RequestId,
        forgotten: Forgotten,
    ) -> Result<bool, StoreError>;
}

/// Which remembered yeses.
#[derive(Debug, Clone)]
pub struct RememberedQuery {
    /// Of this tenant.
    pub tenant: TenantId,
    /// For this agent in this session.
    pub session: Option<(AgentId, SessionId)>,
    /// That stand at this time.
    pub standing_at: Option<Timestamp>,
    /// Older than this one.
    pub before: Option<RequestId>,
    /// At most so many.
    pub limit: u32,
}

/// What an agent did lately, for rules and for guards against too many cards.
#[async_trait]
pub trait RecentStore: Send + Sync {
    /// How often within [`RECENT`](crate::policy::RECENT) before `now`, and in its run at any time.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn recent(&self, query: RecentQuery) -> Result<Lately, StoreError>;
}

/// Whose doings.
#[derive(Debug, Clone)]
pub struct RecentQuery {
    /// Of this tenant.
    pub tenant: TenantId,
    /// By this agent.
    pub agent: AgentId,
    /// Of this tool, by its full name.
    pub tool: String,
    /// The very same call.
    pub digest: CallDigest,
    /// In this run.
    pub run: Option<RunId>,
    /// Now.
    pub now: Timestamp,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lately {
    /// For the circumstances.
    pub recent: Recent,
    /// Cards that were posted for this run, at any time.
    pub run_cards: u32,
}

/// One-off messages.
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Takes messages that are due, under a lease. One that cannot be read is given up.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn take_messages(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<OutboxRow>, StoreError>;

    /// Says what became of one.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn message_done(&self, id: i64, step: OutboxStep) -> Result<(), StoreError>;
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRow {
    /// The row's number.
    pub id: i64,
    /// How often it was tried.
    pub tries: u32,
    /// Since when it waits.
    pub since: Timestamp,
    /// What and to whom.
    pub message: Message,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboxStep {
    /// It was delivered.
    Sent,
    /// Not before then again.
    Retry(Timestamp),
    /// It is given up, and why.
    Dropped(String),
    /// These stand in its place, from the same commit on.
    Split(Vec<Message>),
}

/// Credentials; their secrets are kept as hashes.
#[async_trait]
pub trait CredentialStore: Send + Sync {
    /// Keeps a new one, and notes it in the record. Its name is nobody else's, in whichever tenant: the policy knows an
    /// account by it alone.
    ///
    /// # Errors
    /// [`StoreError`]; also where there is, or was, one of its name or with its secret.
    async fn add_credential(&self, row: CredentialRow) -> Result<(), StoreError>;

    /// The one with this secret's hash.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn credential(&self, secret_hash: ContentHash) -> Result<Option<CredentialRow>, StoreError>;

    /// All of a tenant's, or all.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn credentials(&self, tenant: Option<&TenantId>) -> Result<Vec<CredentialRow>, StoreError>;

    /// Revokes one from now on. False if there is none of that id in the tenant.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn revoke_credential(&self, tenant: &TenantId, id: &CredentialId) -> Result<bool, StoreError>;
}

/// A credential as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialRow {
    /// Its public name.
    pub id: CredentialId,
    /// Whose.
    pub tenant: TenantId,
    /// Which agent proposes with it; part of every digest.
    pub agent: AgentId,
    /// What it may do: propose, execute, decide, audit, manage.
    pub scopes: Vec<Scope>,
    /// Whether it may say on whose behalf it acts.
    pub may_act_for_others: bool,
    /// SHA-256 of the secret, which has 256 bits from the system's generator: no salt or slow hash is needed.
    pub secret_hash: ContentHash,
    /// Since when.
    pub created_at: Timestamp,
    /// Until when.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl CredentialRow {
    /// Whether it may be used at `now`.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none_or(|at| now < at) && self.expires_at.is_none_or(|at| now < at)
    }

    /// Whether it may do this.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// What a credential may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Propose calls, and withdraw its own.
    Propose,
    /// Claim, heartbeat and report.
    Execute,
    /// Vote, as the person the policy says holds it.
    Decide,
    /// Read the record.
    Audit,
    /// Revoke, settle, and look after credentials.
    Manage,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Propose, Self::Execute, Self::Decide, Self::Audit, Self::Manage];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Propose => "propose",
            Self::Execute => "execute",
            Self::Decide => "decide",
            Self::Audit => "audit",
            Self::Manage => "manage",
        }
    }
}

/// Conversations with Placet's own agent.
#[async_trait]
pub trait AgentStore: Send + Sync {
    /// Saves a run and appends the session's new events, in one commit. `row.version` is the version it was loaded
    /// with (0 for a new one) and is counted up.
    ///
    /// # Errors
    /// [`StoreError::RunMoved`] if somebody else saved it in between; nothing is written then.
    async fn save_run(&self, row: RunRow, events: Vec<String>) -> Result<(), StoreError>;

    /// A run.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    async fn load_run(&self, tenant: &TenantId, run: &RunId) -> Result<RunRow, StoreError>;

    /// The newest run of a session, with its conversation so far.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn last_run(&self, tenant: &TenantId, session: &SessionId) -> Result<Option<RunRow>, StoreError>;

    /// Runs that are not over, for whoever starts up.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn unfinished_runs(&self) -> Result<Vec<RunRow>, StoreError>;

    /// A session's events after the given number (exclusive), in order.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn session_events(
        &self,
        tenant: &TenantId,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<SessionEvent>, StoreError>;
}

/// A run of Placet's own agent, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Whose.
    pub tenant: TenantId,
    /// In which session.
    pub session: SessionId,
    /// Which.
    pub run: RunId,
    /// Since when.
    pub started_at: Timestamp,
    /// Whether it is over.
    pub finished: bool,
    /// The serialised run.
    pub body: String,
    /// Counted up with each save.
    pub version: u64,
}

/// One of the seven events, as it was first sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEvent {
    /// Its number within the session, from 1.
    pub number: u64,
    /// The JSON that goes on the wire.
    pub json: String,
}
