//! Runs of Placet's own agent, and the events of their sessions as they were sent.

use placet::id::{RunId, SessionId, TenantId};
use placet::ports::{RunRow, SessionEvent, StoreError};
use placet::time::Timestamp;
use rusqlite::{Connection, Row, Rows, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::table::{column_tenant, column_text, signed};

const TABLE: &str = "agent_run";
const EVENTS: &str = "session_event";
const INSERT: &str = "INSERT INTO agent_run (tenant_id, run_id, session_id, started_at, finished, version, body) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (tenant_id, run_id) DO NOTHING";
const UPDATE: &str = "UPDATE agent_run SET finished = ?5, version = ?6, body = ?7 \
                      WHERE tenant_id = ?1 AND run_id = ?2 AND session_id = ?3 AND started_at = ?4 AND version = ?8";
const ONE: &str = "SELECT tenant_id, session_id, run_id, started_at, finished, body, version FROM agent_run \
                   WHERE tenant_id = ?1 AND run_id = ?2";
const LAST: &str = "SELECT tenant_id, session_id, run_id, started_at, finished, body, version FROM agent_run \
                    WHERE tenant_id = ?1 AND session_id = ?2 ORDER BY started_at DESC, run_id DESC LIMIT 1";
const UNFINISHED: &str = "SELECT tenant_id, session_id, run_id, started_at, finished, body, version FROM agent_run \
                          WHERE finished = 0 ORDER BY started_at, tenant_id, run_id";
const LAST_NUMBER: &str = "SELECT coalesce(max(number), 0) FROM session_event \
                           WHERE tenant_id = ?1 AND session_id = ?2";
const INSERT_EVENT: &str =
    "INSERT INTO session_event (tenant_id, session_id, number, json) VALUES (?1, ?2, ?3, ?4)";
const SELECT_EVENTS: &str = "SELECT number, json FROM session_event \
                             WHERE tenant_id = ?1 AND session_id = ?2 AND number > ?3 ORDER BY number LIMIT ?4";

/// Keeps a run, guarded by the version it was loaded with.
pub(crate) fn save(connection: &Connection, row: &RunRow) -> Result<(), StoreError> {
    let (tenant, run, session) = (row.tenant.as_str(), row.run.as_str(), row.session.as_str());
    let (started, next) = (row.started_at.as_millis(), signed(row.version.saturating_add(1)));
    let changed = if row.version == 0 {
        let values = params![tenant, run, session, started, row.finished, next, row.body];
        connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(values))
    } else {
        let values =
            params![tenant, run, session, started, row.finished, next, row.body, signed(row.version)];
        connection.prepare_cached(UPDATE).and_then(|mut update| update.execute(values))
    };
    if changed.on(TABLE)? == 1 { Ok(()) } else { Err(StoreError::RunMoved) }
}

/// Appends a session's events.
pub(crate) fn append(connection: &Connection, row: &RunRow, events: &[String]) -> Result<(), StoreError> {
    let (tenant, session) = (row.tenant.as_str(), row.session.as_str());
    let mut number: i64 = connection
        .prepare_cached(LAST_NUMBER)
        .and_then(|mut last| last.query_row([tenant, session], |row| row.get(0)))
        .on(EVENTS)?;
    let mut insert = connection.prepare_cached(INSERT_EVENT).on(EVENTS)?;
    for json in events {
        number += 1;
        insert.execute(params![tenant, session, number, json]).on(EVENTS)?;
    }
    Ok(())
}

/// A run.
pub(crate) fn load(
    connection: &Connection,
    tenant: &TenantId,
    run: &RunId,
) -> Result<Option<RunRow>, StoreError> {
    let mut statement = connection.prepare_cached(ONE).on(TABLE)?;
    read_one(statement.query([tenant.as_str(), run.as_str()]).on(TABLE)?)
}

/// The newest run of a session.
pub(crate) fn last(
    connection: &Connection,
    tenant: &TenantId,
    session: &SessionId,
) -> Result<Option<RunRow>, StoreError> {
    let mut statement = connection.prepare_cached(LAST).on(TABLE)?;
    read_one(statement.query([tenant.as_str(), session.as_str()]).on(TABLE)?)
}

/// Runs that are not over, the oldest first.
pub(crate) fn unfinished(connection: &Connection) -> Result<Vec<RunRow>, StoreError> {
    let mut statement = connection.prepare_cached(UNFINISHED).on(TABLE)?;
    let mut rows = statement.query([]).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// A session's events after a number.
pub(crate) fn events(
    connection: &Connection,
    (tenant, session): (&TenantId, &SessionId),
    after: u64,
    limit: u32,
) -> Result<Vec<SessionEvent>, StoreError> {
    let mut statement = connection.prepare_cached(SELECT_EVENTS).on(EVENTS)?;
    let mut rows =
        statement.query(params![tenant.as_str(), session.as_str(), signed(after), limit]).on(EVENTS)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(EVENTS)? {
        found.push(SessionEvent { number: row.get(0).on(EVENTS)?, json: row.get(1).on(EVENTS)? });
    }
    Ok(found)
}

fn read_one(mut rows: Rows<'_>) -> Result<Option<RunRow>, StoreError> {
    rows.next().on(TABLE)?.map(read).transpose()
}

fn read(row: &Row<'_>) -> Result<RunRow, StoreError> {
    let run = column_text(row, 2, TABLE)?;
    Ok(RunRow {
        tenant: column_tenant(row, 0, TABLE)?,
        session: SessionId::new(column_text(row, 1, TABLE)?)
            .map_err(|error| inconsistent(TABLE, run, error))?,
        run: RunId::new(run).map_err(|error| inconsistent(TABLE, run, error))?,
        started_at: Timestamp::from_millis(row.get(3).on(TABLE)?),
        finished: row.get(4).on(TABLE)?,
        body: row.get(5).on(TABLE)?,
        version: row.get(6).on(TABLE)?,
    })
}
