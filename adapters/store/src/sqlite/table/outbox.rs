//! One-off messages until they are sent or given up. A lease is a due time in the future.

use placet::notice::Message;
use placet::ports::{OutboxRow, OutboxStep, StoreError};
use placet::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::prune::PRUNE_ROWS_MAX;
use crate::sqlite::table::{body_of, column_text, exactly_one, from_body};

const TABLE: &str = "outbox";
const INSERT: &str = "INSERT INTO outbox (tenant_id, since, tries, due_at, body) VALUES (?1, ?2, 0, ?2, ?3)";
const ANY_DUE: &str = "SELECT EXISTS (SELECT 1 FROM outbox WHERE due_at <= ?1)";
const DUE: &str = "SELECT body, tenant_id, message_number, tries, since FROM outbox WHERE due_at <= ?1 \
                   ORDER BY due_at, message_number LIMIT ?2";
const LEASE: &str =
    "UPDATE outbox SET due_at = ?2, tries = tries + 1 WHERE message_number = ?1 AND tries = ?3";
const END_LEASES: &str = "UPDATE outbox SET due_at = ?1 WHERE due_at > ?1 AND tries > 0";
const SENT: &str = "DELETE FROM outbox WHERE message_number = ?1 AND dropped_at IS NULL";
const RETRY: &str = "UPDATE outbox SET due_at = ?2 WHERE message_number = ?1 AND dropped_at IS NULL";
const DROPPED: &str = "UPDATE outbox SET due_at = NULL, dropped_at = ?2, dropped_why = ?3 \
                       WHERE message_number = ?1 AND dropped_at IS NULL";
const PRUNE: &str = "DELETE FROM outbox WHERE message_number IN \
                     (SELECT message_number FROM outbox WHERE dropped_at < ?1 LIMIT ?2)";

/// Keeps a message to be sent.
pub(crate) fn insert(connection: &Connection, message: &Message, now: Timestamp) -> Result<(), StoreError> {
    let body = body_of(TABLE, message)?;
    let row = params![message.tenant.as_str(), now.as_millis(), body];
    connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).map(|_| ()).on(TABLE)
}

/// Whether any message is due.
pub(crate) fn any_due(connection: &Connection, now: Timestamp) -> Result<bool, StoreError> {
    let mut any = connection.prepare_cached(ANY_DUE).on(TABLE)?;
    any.query_row([now.as_millis()], |row| row.get(0)).on(TABLE)
}

/// Takes messages that are due; nobody else gets them until the lease is over. One that cannot be read is given up, so
/// that it holds up no other, and named with what is wrong with it.
pub(crate) fn take(
    connection: &Connection,
    now: Timestamp,
    (lease_until, limit): (Timestamp, u32),
) -> Result<(Vec<OutboxRow>, Vec<StoreError>), StoreError> {
    let mut statement = connection.prepare_cached(DUE).on(TABLE)?;
    let mut rows = statement.query(params![now.as_millis(), limit]).on(TABLE)?;
    let (mut taken, mut unreadable) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next().on(TABLE)? {
        let id: i64 = row.get(2).on(TABLE)?;
        match read(row, id) {
            Ok(message) => taken.push(message),
            Err(why) => unreadable.push((id, why)),
        }
    }
    drop(rows);
    let mut lease = connection.prepare_cached(LEASE).on(TABLE)?;
    for row in &taken {
        let changed = lease.execute(params![row.id, lease_until.as_millis(), row.tries]).on(TABLE)?;
        exactly_one(changed, TABLE, row.id)?;
    }
    for (id, why) in &unreadable {
        done(connection, *id, &OutboxStep::Dropped(why.to_string()), now)?;
    }
    Ok((taken, unreadable.into_iter().map(|(_, why)| why).collect()))
}

fn read(row: &Row<'_>, id: i64) -> Result<OutboxRow, StoreError> {
    let key = id.to_string();
    let message: Message = from_body(TABLE, &key, column_text(row, 0, TABLE)?)?;
    if column_text(row, 1, TABLE)? != message.tenant.as_str() {
        return Err(inconsistent(TABLE, key, "column tenant_id and the body tell different things"));
    }
    let since = Timestamp::from_millis(row.get(4).on(TABLE)?);
    Ok(OutboxRow { id, tries: row.get(3).on(TABLE)?, since, message })
}

/// Makes what was taken or put off due now.
pub(crate) fn end_leases(connection: &Connection, now: Timestamp) -> Result<usize, StoreError> {
    let mut end = connection.prepare_cached(END_LEASES).on(TABLE)?;
    end.execute([now.as_millis()]).on(TABLE)
}

/// Keeps what became of a message. False if it was sent or given up before.
pub(crate) fn done(
    connection: &Connection,
    id: i64,
    step: &OutboxStep,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = match step {
        OutboxStep::Sent => connection.prepare_cached(SENT).and_then(|mut sent| sent.execute([id])),
        OutboxStep::Retry(at) => {
            connection.prepare_cached(RETRY).and_then(|mut retry| retry.execute([id, at.as_millis()]))
        }
        OutboxStep::Dropped(why) => connection
            .prepare_cached(DROPPED)
            .and_then(|mut dropped| dropped.execute(params![id, now.as_millis(), why])),
        OutboxStep::Split(_) => connection.prepare_cached(SENT).and_then(|mut sent| sent.execute([id])),
    };
    let is_done = changed.on(TABLE)? == 1;
    if let (OutboxStep::Split(messages), true) = (step, is_done) {
        for message in messages {
            insert(connection, message, now)?;
        }
    }
    Ok(is_done)
}

/// Drops messages that were given up before then.
pub(crate) fn prune(connection: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    let oldest: Option<i64> = connection
        .query_row("SELECT min(dropped_at) FROM outbox", [], |row| row.get(0))
        .optional()
        .on(TABLE)?
        .flatten();
    if oldest.is_none_or(|oldest| oldest >= before.as_millis()) {
        return Ok(0);
    }
    connection.execute(PRUNE, params![before.as_millis(), PRUNE_ROWS_MAX]).on(TABLE)
}
