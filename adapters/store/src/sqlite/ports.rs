//! The ports: each call is one job of the writer, or one read.

use async_trait::async_trait;
use placet::approval::{Alarm, Approval, Committed, Opened, Opening, Order, Status};
use placet::call::ContentHash;
use placet::card::row::CardRow;
use placet::hold::{Hold, Lifted};
use placet::id::{CredentialId, DeliveryKey, HoldId, RequestId, RunId, SessionId, TenantId};
use placet::inbound::{Inbound, MessageRef};
use placet::notice::Message;
use placet::ports::audit::AUDIT_PAGE_MAX;
use placet::ports::{
    AgentStore, AuditPage, AuditQuery, AuditStore, CardStore, CredentialRow, CredentialStore, DigestRow,
    DigestStore, EventQuery, HoldQuery, HoldStore, InboxStore, Lately, OutboxRow, OutboxStep, OutboxStore,
    RecentQuery, RecentStore, RememberedQuery, RememberedStore, RequestQuery, RequestStore, RunRow,
    SessionEvent, StoreError, UnaskedCount, UnaskedQuery,
};
use placet::record::{Event, EventKind, Seq};
use placet::remembered::{Forgotten, Remembered};
use placet::time::Timestamp;
use rusqlite::Connection;

use crate::probe::of_outbox;
use crate::sqlite::batch::Batch;
use crate::sqlite::table::{
    audit, card, credential, digest, event, hold, inbox, outbox, recent, remembered, request, run,
};
use crate::sqlite::{SqliteStore, opening, order, standing, take_over};

/// Rows that one call returns at most, whatever was asked for.
const LIMIT_MAX: u32 = 10_000;

/// Appends an event that belongs to no request, with what the operators are told of it.
fn note(batch: &mut Batch<'_>, tenant: TenantId, kind: EventKind) -> Result<(), StoreError> {
    let now = batch.now();
    let messages: Vec<Message> = Message::about(&tenant, &kind).into_iter().collect();
    batch.append(&[Event { tenant, request: None, at: now, kind }])?;
    batch.send(&messages, now)?;
    batch.wrote("note");
    Ok(())
}

#[async_trait]
impl RequestStore for SqliteStore {
    async fn open(&self, opening: Opening) -> Result<Opened, StoreError> {
        self.write(move |batch| opening::run(batch, &opening)).await
    }

    async fn execute(&self, order: Order) -> Result<Committed, StoreError> {
        self.write(move |batch| order::run(batch, &order)).await
    }

    async fn note(&self, tenant: TenantId, kind: EventKind) -> Result<(), StoreError> {
        self.write(move |batch| note(batch, tenant, kind)).await
    }

    async fn note_next(
        &self,
        tenant: TenantId,
        kind: EventKind,
        (types, after): (Vec<&'static str>, Seq),
    ) -> Result<bool, StoreError> {
        self.write(move |batch| {
            let since = EventQuery { tenant: Some(tenant.clone()), request: None, after, types, limit: 1 };
            let is_next = event::list(batch.connection, &since)?.is_empty();
            if is_next {
                note(batch, tenant, kind)?;
            }
            Ok(is_next)
        })
        .await
    }

    async fn load(&self, tenant: &TenantId, id: RequestId) -> Result<Approval, StoreError> {
        let tenant = tenant.clone();
        self.read(move |connection| request::load(connection, &tenant, id)).await
    }

    async fn list(&self, mut query: RequestQuery) -> Result<Vec<Approval>, StoreError> {
        query.limit = query.limit.min(LIMIT_MAX);
        self.read(move |connection| request::list(connection, &query)).await
    }

    async fn events(&self, mut query: EventQuery) -> Result<Vec<(Seq, Event)>, StoreError> {
        query.limit = query.limit.min(LIMIT_MAX);
        self.read(move |connection| event::list(connection, &query)).await
    }

    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<(TenantId, RequestId)>, StoreError> {
        self.read(move |connection| request::due(connection, now, limit.min(LIMIT_MAX))).await
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(request::next_due).await
    }

    async fn counts(&self) -> Result<Vec<(Status, u64)>, StoreError> {
        self.read(request::counts).await
    }

    async fn alarms(&self, since: Timestamp) -> Result<Vec<(Alarm, u64)>, StoreError> {
        self.read(move |connection| request::alarms(connection, since)).await
    }
}

#[async_trait]
impl InboxStore for SqliteStore {
    async fn deliver(&self, inbound: Inbound) -> Result<bool, StoreError> {
        self.write(move |batch| {
            let new = inbox::insert(batch.connection, &inbound)?;
            if new {
                batch.wrote("inbox.deliver");
                batch.work();
            }
            Ok(new)
        })
        .await
    }

    async fn undone(&self, limit: u32) -> Result<Vec<Inbound>, StoreError> {
        let limit = limit.min(LIMIT_MAX);
        let read = move |connection: &Connection| inbox::undone(connection, limit);
        self.readable(read, |batch, unreadable| {
            let now = batch.now();
            inbox::set_aside(batch.connection, unreadable, now)?;
            batch.wrote("inbox.set_aside");
            Ok(())
        })
        .await
    }

    async fn discard(&self, delivery: &DeliveryKey) -> Result<(), StoreError> {
        let delivery = delivery.clone();
        self.write(move |batch| {
            let now = batch.now();
            if inbox::done(batch.connection, &delivery, now)? {
                batch.wrote("inbox.discard");
            }
            Ok(())
        })
        .await
    }
}

#[async_trait]
impl CardStore for SqliteStore {
    async fn cards_due(&self, now: Timestamp, limit: u32) -> Result<Vec<CardRow>, StoreError> {
        let limit = limit.min(LIMIT_MAX);
        let read = move |connection: &Connection| card::due(connection, now, limit);
        self.readable(read, |batch, unreadable| {
            card::set_aside(batch.connection, unreadable)?;
            batch.wrote("card.set_aside");
            Ok(())
        })
        .await
    }

    async fn redraw_held(&self, limit: u32) -> Result<usize, StoreError> {
        // Mostly there is nothing: that needs no turn of the writer.
        if !self.read(hold::any_redraws).await? {
            return Ok(0);
        }
        self.write(move |batch| standing::redraw(batch, limit.clamp(1, LIMIT_MAX))).await
    }

    async fn cards_of(&self, tenant: &TenantId, request: RequestId) -> Result<Vec<CardRow>, StoreError> {
        let tenant = tenant.clone();
        let rows = self.read(move |connection| card::of_request(connection, request)).await?;
        Ok(rows.into_iter().filter(|row| row.tenant == tenant).collect())
    }

    async fn take_over(&self) -> Result<(), StoreError> {
        self.write(take_over::run).await
    }

    async fn card_at(
        &self,
        tenant: &TenantId,
        message: &MessageRef,
    ) -> Result<Option<RequestId>, StoreError> {
        let (tenant, message) = (tenant.clone(), message.clone());
        self.read(move |connection| card::at(connection, &tenant, &message)).await
    }
}

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn take_messages(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<OutboxRow>, StoreError> {
        // Mostly there is nothing: that needs no turn of the writer.
        if !self.read(move |connection| outbox::any_due(connection, now)).await? {
            return Ok(Vec::new());
        }
        self.write(move |batch| {
            let limit = limit.min(LIMIT_MAX);
            let (taken, unreadable) = outbox::take(batch.connection, now, (lease_until, limit))?;
            if !taken.is_empty() {
                batch.wrote("outbox.take");
            }
            for why in unreadable {
                tracing::error!(error = %why, "a message cannot be read, and was given up");
                batch.wrote("outbox.dropped");
            }
            Ok(taken)
        })
        .await
    }

    async fn message_done(&self, id: i64, step: OutboxStep) -> Result<(), StoreError> {
        self.write(move |batch| {
            let now = batch.now();
            if outbox::done(batch.connection, id, &step, now)? {
                batch.wrote(of_outbox(&step));
            }
            Ok(())
        })
        .await
    }
}

#[async_trait]
impl CredentialStore for SqliteStore {
    async fn add_credential(&self, row: CredentialRow) -> Result<(), StoreError> {
        self.write(move |batch| {
            credential::insert(batch.connection, &row)?;
            let scopes = row.scopes.iter().map(|scope| scope.name().to_owned()).collect();
            let kind = EventKind::CredentialCreated { credential: row.id.clone(), scopes };
            let event = Event { tenant: row.tenant, request: None, at: batch.now(), kind };
            batch.append(&[event])?;
            batch.wrote("credential.add");
            Ok(())
        })
        .await
    }

    async fn credential(&self, secret_hash: ContentHash) -> Result<Option<CredentialRow>, StoreError> {
        self.credential_row(secret_hash).await
    }

    async fn credentials(&self, tenant: Option<&TenantId>) -> Result<Vec<CredentialRow>, StoreError> {
        let tenant = tenant.cloned();
        self.read(move |connection| credential::list(connection, tenant.as_ref())).await
    }

    async fn revoke_credential(&self, tenant: &TenantId, id: &CredentialId) -> Result<bool, StoreError> {
        let (tenant, id) = (tenant.clone(), id.clone());
        self.write(move |batch| {
            let Some(mut row) = credential::by_id(batch.connection, &tenant, &id)? else { return Ok(false) };
            if row.revoked_at.is_some() {
                return Ok(true);
            }
            let now = batch.now();
            row.revoked_at = Some(now);
            credential::update(batch.connection, &row)?;
            let kind = EventKind::CredentialRevoked { credential: row.id };
            batch.append(&[Event { tenant: row.tenant, request: None, at: now, kind }])?;
            batch.wrote("credential.revoke");
            Ok(true)
        })
        .await
    }
}

#[async_trait]
impl AgentStore for SqliteStore {
    async fn save_run(&self, row: RunRow, events: Vec<String>) -> Result<(), StoreError> {
        self.write(move |batch| {
            run::save(batch.connection, &row)?;
            if !events.is_empty() {
                run::append(batch.connection, &row, &events)?;
                batch.told(&row.tenant, &row.session);
            }
            batch.wrote("run.save");
            Ok(())
        })
        .await
    }

    async fn load_run(&self, tenant: &TenantId, run: &RunId) -> Result<RunRow, StoreError> {
        let (tenant, id) = (tenant.clone(), run.clone());
        self.read(move |connection| run::load(connection, &tenant, &id)).await?.ok_or(StoreError::NotFound)
    }

    async fn last_run(&self, tenant: &TenantId, session: &SessionId) -> Result<Option<RunRow>, StoreError> {
        let (tenant, session) = (tenant.clone(), session.clone());
        self.read(move |connection| run::last(connection, &tenant, &session)).await
    }

    async fn unfinished_runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.read(run::unfinished).await
    }

    async fn session_events(
        &self,
        tenant: &TenantId,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let (tenant, session) = (tenant.clone(), session.clone());
        self.read(move |connection| run::events(connection, (&tenant, &session), after, limit.min(LIMIT_MAX)))
            .await
    }
}

#[async_trait]
impl HoldStore for SqliteStore {
    async fn hold(&self, hold: Hold) -> Result<Hold, StoreError> {
        self.write(move |batch| standing::place(batch, hold)).await
    }

    async fn lift(&self, tenant: Option<&TenantId>, id: HoldId, lifted: Lifted) -> Result<bool, StoreError> {
        let tenant = tenant.cloned();
        self.write(move |batch| standing::lift(batch, tenant.as_ref(), (id, lifted))).await
    }

    async fn holds(&self, mut query: HoldQuery) -> Result<Vec<Hold>, StoreError> {
        query.limit = query.limit.min(LIMIT_MAX);
        self.read(move |connection| hold::list(connection, &query)).await
    }
}

#[async_trait]
impl RememberedStore for SqliteStore {
    async fn remembered(&self, mut query: RememberedQuery) -> Result<Vec<Remembered>, StoreError> {
        query.limit = query.limit.min(LIMIT_MAX);
        self.read(move |connection| remembered::list(connection, &query)).await
    }

    async fn forget(
        &self,
        tenant: &TenantId,
        id: RequestId,
        forgotten: Forgotten,
    ) -> Result<bool, StoreError> {
        let tenant = tenant.clone();
        self.write(move |batch| standing::forget(batch, &tenant, (id, forgotten))).await
    }
}

#[async_trait]
impl AuditStore for SqliteStore {
    async fn audit(&self, mut query: AuditQuery) -> Result<AuditPage, StoreError> {
        query.limit = query.limit.min(AUDIT_PAGE_MAX);
        self.read(move |connection| audit::page(connection, &query)).await
    }

    async fn ran_unasked(&self, mut query: UnaskedQuery) -> Result<Vec<UnaskedCount>, StoreError> {
        query.limit = query.limit.min(LIMIT_MAX);
        self.read(move |connection| audit::unasked(connection, &query)).await
    }
}

#[async_trait]
impl DigestStore for SqliteStore {
    async fn digests(&self) -> Result<Vec<(TenantId, Option<DigestRow>)>, StoreError> {
        self.read(digest::last).await
    }

    async fn keep_digest(&self, row: DigestRow, messages: Vec<Message>) -> Result<bool, StoreError> {
        self.write(move |batch| {
            let is_new = digest::keep(batch.connection, &row)?;
            if is_new {
                let now = batch.now();
                batch.send(&messages, now)?;
                batch.wrote("digest.keep");
            }
            Ok(is_new)
        })
        .await
    }
}

#[async_trait]
impl RecentStore for SqliteStore {
    async fn recent(&self, query: RecentQuery) -> Result<Lately, StoreError> {
        self.read(move |connection| recent::count(connection, &query)).await
    }
}
