//! What arrived, once each, until it is worked off and for a while after.

use placet::id::DeliveryKey;
use placet::inbound::Inbound;
use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use crate::sqlite::fault::Meaning;
use crate::sqlite::prune::PRUNE_ROWS_MAX;
use crate::sqlite::table::{Cell, body_of, check, column_text, from_body, text};

const TABLE: &str = "inbox";
const INSERT: &str = "INSERT INTO inbox (delivery_key, tenant_id, received_at, done_at, body) \
                      VALUES (?1, ?2, ?3, NULL, ?4) ON CONFLICT (delivery_key) DO NOTHING";
const IS_DONE: &str = "SELECT done_at IS NOT NULL FROM inbox WHERE delivery_key = ?1";
const DONE: &str = "UPDATE inbox SET done_at = ?2 WHERE delivery_key = ?1 AND done_at IS NULL";
const UNDONE: &str = "SELECT body, delivery_key, tenant_id, received_at FROM inbox WHERE done_at IS NULL \
                      ORDER BY received_at, delivery_key LIMIT ?1";
const PRUNE: &str = "DELETE FROM inbox WHERE delivery_key IN (SELECT delivery_key FROM inbox \
                     WHERE done_at IS NOT NULL AND done_at < ?1 ORDER BY done_at LIMIT ?2)";

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

/// Deliveries that are not worked off, oldest first.
pub(crate) fn undone(connection: &Connection, limit: u32) -> Result<Vec<Inbound>, StoreError> {
    let mut statement = connection.prepare_cached(UNDONE).on(TABLE)?;
    let mut rows = statement.query([limit]).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        let key = column_text(row, 1, TABLE)?;
        let inbound: Inbound = from_body(TABLE, key, column_text(row, 0, TABLE)?)?;
        let cells: [Cell<'_>; 3] = [
            ("delivery_key", text(inbound.delivery.as_str())),
            ("tenant_id", text(inbound.tenant.as_str())),
            ("received_at", ValueRef::Integer(inbound.at.as_millis())),
        ];
        check(row, 1, &cells, (TABLE, key))?;
        found.push(inbound);
    }
    Ok(found)
}

/// Drops deliveries that were worked off before then.
pub(crate) fn prune(connection: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    connection.execute(PRUNE, params![before.as_millis(), PRUNE_ROWS_MAX]).on(TABLE)
}
