//! What arrived, once each, until it is worked off and for a while after.

use placet::id::DeliveryKey;
use placet::inbound::Inbound;
use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::fault::Meaning;
use crate::sqlite::prune::PRUNE_ROWS_MAX;
use crate::sqlite::table::{Cell, Unreadable, body_of, check, column_text, from_body, text};

const TABLE: &str = "inbox";
/// What was set aside because it could not be read is kept anew when it comes again.
const INSERT: &str = "INSERT INTO inbox (delivery_key, tenant_id, received_at, done_at, body) \
                      VALUES (?1, ?2, ?3, NULL, ?4) ON CONFLICT (delivery_key) DO UPDATE SET \
                      tenant_id = excluded.tenant_id, received_at = excluded.received_at, done_at = NULL, \
                      body = excluded.body, set_aside_why = NULL WHERE inbox.set_aside_why IS NOT NULL";
const IS_DONE: &str =
    "SELECT done_at IS NOT NULL AND set_aside_why IS NULL FROM inbox WHERE delivery_key = ?1";
const DONE: &str = "UPDATE inbox SET done_at = ?2 WHERE delivery_key = ?1 AND done_at IS NULL";
const UNDONE: &str = "SELECT body, delivery_key, tenant_id, received_at, rowid FROM inbox WHERE done_at IS NULL \
                      ORDER BY received_at, delivery_key LIMIT ?1";
const SET_ASIDE: &str =
    "UPDATE inbox SET done_at = ?2, set_aside_why = ?3 WHERE rowid = ?1 AND done_at IS NULL";
const PRUNE: &str = "DELETE FROM inbox WHERE delivery_key IN (SELECT delivery_key FROM inbox \
                     WHERE done_at IS NOT NULL AND done_at < ?1 AND (set_aside_why IS NULL OR done_at < ?2) \
                     ORDER BY done_at LIMIT ?3)";

/// Keeps a delivery. False if it was there before.
pub(crate) fn insert(connection: &Connection, inbound: &Inbound) -> Result<bool, StoreError> {
    let body = body_of(TABLE, inbound)?;
    let row = params![inbound.delivery.as_str(), inbound.tenant.as_str(), inbound.at.as_millis(), body];
    let inserted = connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).on(TABLE)?;
    Ok(inserted == 1)
}

/// Whether a delivery was worked off; none if it is not there.
pub(crate) fn is_done(connection: &Connection, delivery: &DeliveryKey) -> Result<Option<bool>, StoreError> {
    let mut select = connection.prepare_cached(IS_DONE).on(TABLE)?;
    select.query_row([delivery.as_str()], |row| row.get(0)).optional().on(TABLE)
}

/// Marks a delivery as worked off. False if it was before, or is not there.
pub(crate) fn done(
    connection: &Connection,
    delivery: &DeliveryKey,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let row = params![delivery.as_str(), at.as_millis()];
    let changed = connection.prepare_cached(DONE).and_then(|mut done| done.execute(row)).on(TABLE)?;
    Ok(changed == 1)
}

/// Deliveries that are not worked off, oldest first; and those among them that cannot be read.
pub(crate) fn undone(
    connection: &Connection,
    limit: u32,
) -> Result<(Vec<Inbound>, Vec<Unreadable>), StoreError> {
    let mut statement = connection.prepare_cached(UNDONE).on(TABLE)?;
    let mut rows = statement.query([limit]).on(TABLE)?;
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next().on(TABLE)? {
        match read(row) {
            Ok(inbound) => found.push(inbound),
            Err(why) => unreadable.push(Unreadable { row: row.get(4).on(TABLE)?, why }),
        }
    }
    Ok((found, unreadable))
}

fn read(row: &Row<'_>) -> Result<Inbound, StoreError> {
    let key = column_text(row, 1, TABLE)?;
    let inbound: Inbound = from_body(TABLE, key, column_text(row, 0, TABLE)?)?;
    let cells: [Cell<'_>; 3] = [
        ("delivery_key", text(inbound.delivery.as_str())),
        ("tenant_id", text(inbound.tenant.as_str())),
        ("received_at", ValueRef::Integer(inbound.at.as_millis())),
    ];
    check(row, 1, &cells, (TABLE, key))?;
    Ok(inbound)
}

/// Nobody works this one off any more. False if it was done with before.
pub(crate) fn set_aside(
    connection: &Connection,
    unreadable: &Unreadable,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let row = params![unreadable.row, at.as_millis(), unreadable.why.to_string()];
    let changed = connection.prepare_cached(SET_ASIDE).and_then(|mut set| set.execute(row)).on(TABLE)?;
    Ok(changed == 1)
}

/// Drops deliveries that were worked off before then, and those that were set aside before another time.
pub(crate) fn prune(
    connection: &Connection,
    before: Timestamp,
    set_aside_before: Timestamp,
) -> Result<usize, StoreError> {
    let times = params![before.as_millis(), set_aside_before.as_millis(), PRUNE_ROWS_MAX];
    connection.execute(PRUNE, times).on(TABLE)
}
