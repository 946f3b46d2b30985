//! Yeses that later calls run on, by the request whose card offered it.

use placet::id::{RequestId, TenantId};
use placet::ports::{RememberedQuery, StoreError};
use placet::remembered::Remembered;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row};

use crate::sqlite::fault::Meaning;
use crate::sqlite::table::search::Search;
use crate::sqlite::table::{
    Cell, bind, body_of, check, column_id, column_text, exactly_one, from_body, optional, text,
};

const TABLE: &str = "remembered";
const INSERT: &str = "INSERT INTO remembered (body, forgotten_at, approval_id, tenant_id, agent_id, session_id, since, \
                      until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const UPDATE: &str =
    "UPDATE remembered SET body = ?1, forgotten_at = ?2 WHERE approval_id = ?3 AND forgotten_at IS NULL";
const SELECT: &str =
    "SELECT body, forgotten_at, approval_id, tenant_id, agent_id, session_id, since, until FROM remembered";
const BY_ID: &str = "SELECT body, forgotten_at, approval_id, tenant_id, agent_id, session_id, since, until \
                     FROM remembered WHERE approval_id = ?1";

fn cells(remembered: &Remembered) -> [Cell<'_>; 7] {
    let forgotten = remembered.forgotten.as_ref();
    [
        ("forgotten_at", optional(forgotten, |forgotten| ValueRef::Integer(forgotten.at.as_millis()))),
        ("approval_id", ValueRef::Blob(remembered.id.as_bytes())),
        ("tenant_id", text(remembered.tenant.as_str())),
        ("agent_id", text(remembered.agent.as_str())),
        ("session_id", text(remembered.session.as_str())),
        ("since", ValueRef::Integer(remembered.since.as_millis())),
        ("until", ValueRef::Integer(remembered.until.as_millis())),
    ]
}

/// Keeps a new one.
pub(crate) fn insert(connection: &Connection, remembered: &Remembered) -> Result<(), StoreError> {
    let body = body_of(TABLE, remembered)?;
    let mut insert = connection.prepare_cached(INSERT).on(TABLE)?;
    bind(&mut insert, 1, &[("body", text(&body))]).on(TABLE)?;
    bind(&mut insert, 2, &cells(remembered)).on(TABLE)?;
    insert.raw_execute().map(|_| ()).on(TABLE)
}

/// Keeps that one was taken back.
pub(crate) fn update(connection: &Connection, remembered: &Remembered) -> Result<(), StoreError> {
    let body = body_of(TABLE, remembered)?;
    let mut update = connection.prepare_cached(UPDATE).on(TABLE)?;
    let [forgotten_at, id, ..] = cells(remembered);
    bind(&mut update, 1, &[("body", text(&body)), forgotten_at, id]).on(TABLE)?;
    exactly_one(update.raw_execute().on(TABLE)?, TABLE, remembered.id)
}

/// The one of this tenant by this id; another's is none.
pub(crate) fn find(
    connection: &Connection,
    tenant: &TenantId,
    id: RequestId,
) -> Result<Option<Remembered>, StoreError> {
    let mut statement = connection.prepare_cached(BY_ID).on(TABLE)?;
    let mut rows = statement.query([id.as_bytes().as_slice()]).on(TABLE)?;
    let found = rows.next().on(TABLE)?.map(read).transpose()?;
    Ok(found.filter(|remembered| remembered.tenant == *tenant))
}

/// Remembered yeses, newest first.
pub(crate) fn list(connection: &Connection, query: &RememberedQuery) -> Result<Vec<Remembered>, StoreError> {
    let (sql, values) = search(query);
    let mut statement = connection.prepare_cached(&sql).on(TABLE)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values)).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The statement that finds them.
pub(super) fn search(query: &RememberedQuery) -> (String, Vec<Value>) {
    let mut search = Search::of(SELECT);
    search.compare("tenant_id =", query.tenant.as_str().to_owned());
    if let Some((agent, session)) = &query.session {
        search.compare("agent_id =", agent.as_str().to_owned());
        search.compare("session_id =", session.as_str().to_owned());
    }
    if let Some(now) = query.standing_at {
        search.term("forgotten_at IS NULL");
        search.compare("until >", now.as_millis());
    }
    if let Some(before) = &query.before {
        search.compare("approval_id <", before.as_bytes().to_vec());
    }
    search.order("approval_id DESC", query.limit)
}

fn read(row: &Row<'_>) -> Result<Remembered, StoreError> {
    let key = RequestId::from_bytes(column_id(row, 2, TABLE)?).to_string();
    let remembered: Remembered = from_body(TABLE, &key, column_text(row, 0, TABLE)?)?;
    check(row, 1, &cells(&remembered), (TABLE, &key))?;
    Ok(remembered)
}
