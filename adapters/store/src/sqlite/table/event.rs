//! The record: sealed events in the order of their numbers, without a gap.

use placet::id::{RequestId, TenantId};
use placet::ports::{Entropy, EventQuery, StoreError};
use placet::record::{Event, Sealed, Seq};
use placet::time::Timestamp;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::table::search::Search;
use crate::sqlite::table::{
    Cell, GUARDED_TENANT, body_of, check, column_tenant, column_text, exactly_one, from_body, int, optional,
    signed, text,
};

const TABLE: &str = "event";
const HEAD: &str = "SELECT seq FROM log_head WHERE id = 1";
const SET_HEAD: &str = "UPDATE log_head SET seq = ?2 WHERE id = 1 AND seq = ?1";
const ENDS: &str = "SELECT seq, (SELECT coalesce(max(seq), 0) FROM event) FROM log_head WHERE id = 1";
const INSERT: &str = "INSERT INTO event (seq, tenant_id, approval_id, at, type, leaf, texts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const SELECT: &str = "SELECT leaf, texts, seq, tenant_id, approval_id, at, type FROM event";
/// The first event from this number on.
pub(super) const TIME_OF: &str = "SELECT seq, at FROM event WHERE seq >= ?1 ORDER BY seq LIMIT 1";
/// From one tenant to the next, without walking through what is between.
pub(super) const TENANTS: &str = "WITH RECURSIVE tenant (id) AS (SELECT min(tenant_id) FROM event UNION ALL \
                       SELECT (SELECT min(tenant_id) FROM event WHERE tenant_id > tenant.id) FROM tenant \
                       WHERE tenant.id IS NOT NULL) SELECT id FROM tenant WHERE id IS NOT NULL";

/// The number of the last event.
pub(crate) fn head(connection: &Connection) -> Result<u64, StoreError> {
    let head: i64 = connection
        .prepare_cached(HEAD)
        .and_then(|mut head| head.query_row([], |row| row.get(0)))
        .on("log_head")?;
    u64::try_from(head).map_err(|error| inconsistent("log_head", 1, error))
}

/// Moves the head on, guarded by where it was.
pub(crate) fn set_head(connection: &Connection, before: u64, now: u64) -> Result<(), StoreError> {
    let changed = connection
        .prepare_cached(SET_HEAD)
        .and_then(|mut set| set.execute([signed(before), signed(now)]))
        .on("log_head")?;
    exactly_one(changed, "log_head", before)
}

/// The head is the last event's number: else events were cut off, or came from elsewhere.
pub(crate) fn check_head(connection: &Connection) -> Result<(), StoreError> {
    let ends = connection.query_row(ENDS, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    let (head, last) = ends.on(TABLE)?;
    if head == last {
        Ok(())
    } else {
        let what = format_args!("the log ends at {head}, but the last event is {last}; restore a backup");
        Err(inconsistent("log_head", 1, what))
    }
}

/// Seals an event under its number.
pub(crate) fn insert(
    connection: &Connection,
    seq: u64,
    event: &Event,
    entropy: &dyn Entropy,
) -> Result<(), StoreError> {
    let sealed = Sealed::of(event, entropy).map_err(|error| inconsistent(TABLE, seq, error))?;
    let texts = body_of(TABLE, &sealed.texts)?;
    let row = params![
        signed(seq),
        event.tenant.as_str(),
        event.request.as_ref().map(|id| id.as_bytes().as_slice()),
        event.at.as_millis(),
        event.kind.name(),
        sealed.leaf,
        texts,
    ];
    connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).map(|_| ()).on(TABLE)
}

/// Every tenant that has a record.
pub(crate) fn tenants(connection: &Connection) -> Result<Vec<TenantId>, StoreError> {
    let mut statement = connection.prepare_cached(TENANTS).on(TABLE)?;
    let mut rows = statement.query([]).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push(column_tenant(row, 0, TABLE)?);
    }
    Ok(found)
}

/// The number of the last event that is earlier than this time, as far as times rise with numbers; 0 if there is none.
pub(crate) fn before(connection: &Connection, at: Timestamp) -> Result<Seq, StoreError> {
    let mut first = connection.prepare_cached(TIME_OF).on(TABLE)?;
    // Earlier than the time up to `low`; not from `high` on.
    let (mut low, mut high) = (0, head(connection)? + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let found = first
            .query_row([signed(middle)], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
            .optional()
            .on(TABLE)?;
        match found {
            Some((seq, time)) if time < at.as_millis() => {
                low = u64::try_from(seq).map_err(|error| inconsistent(TABLE, seq, error))?;
            }
            Some(_) | None => high = middle,
        }
    }
    Ok(Seq(low))
}

/// Events in the order of their sealing.
pub(crate) fn list(connection: &Connection, query: &EventQuery) -> Result<Vec<(Seq, Event)>, StoreError> {
    let (sql, values) = search(query);
    let mut statement = connection.prepare_cached(&sql).on(TABLE)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values)).on(TABLE)?;
    let mut events = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        events.push(read(row)?);
    }
    Ok(events)
}

/// The statement that finds them.
pub(super) fn search(query: &EventQuery) -> (String, Vec<Value>) {
    let mut search = Search::of(SELECT);
    if let Some(tenant) = &query.tenant {
        let term = if query.request.is_some() { GUARDED_TENANT } else { "tenant_id =" };
        search.compare(term, tenant.as_str().to_owned());
    }
    if let Some(request) = &query.request {
        search.compare("approval_id =", request.as_bytes().to_vec());
    }
    search.compare("seq >", signed(query.after.0));
    search.one_of("type", query.types.iter().copied());
    search.order("seq", query.limit)
}

fn read(row: &Row<'_>) -> Result<(Seq, Event), StoreError> {
    let seq: i64 = row.get(2).on(TABLE)?;
    let key = seq.to_string();
    let seq = u64::try_from(seq).map_err(|error| inconsistent(TABLE, &key, error))?;
    let texts = from_body(TABLE, &key, column_text(row, 1, TABLE)?)?;
    let sealed = Sealed { leaf: row.get(0).on(TABLE)?, texts };
    let event = sealed.open().map_err(|error| inconsistent(TABLE, &key, error))?;
    let cells: [Cell<'_>; 5] = [
        ("seq", int(seq)),
        ("tenant_id", text(event.tenant.as_str())),
        ("approval_id", optional(event.request.as_ref(), |id: &RequestId| ValueRef::Blob(id.as_bytes()))),
        ("at", ValueRef::Integer(event.at.as_millis())),
        ("type", text(event.kind.name())),
    ];
    check(row, 2, &cells, (TABLE, &key))?;
    Ok((Seq(seq), event))
}
