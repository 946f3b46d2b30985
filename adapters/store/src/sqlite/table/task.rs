//! Tasks that were given in a chat, once each, until they are answered and for a while after.

use placet::agent::task::{Task, TaskLease, TaskRow, TaskState};
use placet::id::{DeliveryKey, SurfaceName, WorkerId};
use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, Rows, params};

use crate::sqlite::fault::Meaning;
use crate::sqlite::prune::PRUNE_ROWS_MAX;
use crate::sqlite::table::{Cell, body_of, check, column_text, exactly_one, from_body, signed, text};

const TABLE: &str = "chat_task";
const INSERT: &str = "INSERT INTO chat_task (delivery_key, tenant_id, surface, received_at, done_at, version, body, \
                      worker_id, lease_until) VALUES (?1, ?2, ?3, ?4, NULL, 1, ?5, ?6, ?7) \
                      ON CONFLICT (delivery_key) DO NOTHING";
const UPDATE: &str = "UPDATE chat_task SET done_at = ?2, version = ?3, body = ?4 \
                      WHERE delivery_key = ?1 AND version = ?5 AND done_at IS NULL";
// A row's own number grows with each that is kept, whichever server keeps it.
const OPEN: &str = "SELECT body, delivery_key, tenant_id, surface, received_at, version FROM chat_task \
                    WHERE surface = ?1 AND done_at IS NULL ORDER BY rowid LIMIT ?2";
const LEFT: &str = "SELECT body, delivery_key, tenant_id, surface, received_at, version FROM chat_task \
                    WHERE surface = ?1 AND done_at IS NULL AND (lease_until IS NULL OR lease_until <= ?3) \
                    ORDER BY rowid LIMIT ?2";
const ANY_LEFT: &str = "SELECT EXISTS (SELECT 1 FROM chat_task WHERE surface = ?1 AND done_at IS NULL \
                        AND (lease_until IS NULL OR lease_until <= ?2))";
const ADOPT: &str = "UPDATE chat_task SET worker_id = ?2, lease_until = ?3, version = version + 1 \
                     WHERE delivery_key = ?1 AND version = ?4 AND done_at IS NULL";
const RENEW: &str =
    "UPDATE chat_task SET lease_until = ?3 WHERE delivery_key = ?1 AND worker_id = ?2 AND done_at IS NULL";
const LET_GO: &str = "UPDATE chat_task SET worker_id = NULL, lease_until = NULL \
                      WHERE done_at IS NULL AND worker_id = coalesce(?1, worker_id)";
const ONE: &str = "SELECT body, delivery_key, tenant_id, surface, received_at, version FROM chat_task \
                   WHERE delivery_key = ?1";
const PRUNE: &str = "DELETE FROM chat_task WHERE delivery_key IN (SELECT delivery_key FROM chat_task \
                     WHERE done_at IS NOT NULL AND done_at < ?1 ORDER BY done_at LIMIT ?2)";

/// Keeps a task. None if it was there before.
pub(crate) fn insert(
    connection: &Connection,
    task: Task,
    lease: TaskLease,
) -> Result<Option<TaskRow>, StoreError> {
    let row = TaskRow { state: TaskState::of(task), version: 1 };
    let (task, body) = (&row.state.task, body_of(TABLE, &row.state)?);
    let values = params![
        task.delivery.as_str(),
        task.tenant.as_str(),
        task.thread.surface.as_str(),
        task.at.as_millis(),
        body,
        lease.by.to_string(),
        lease.until.as_millis()
    ];
    let kept = connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(values)).on(TABLE)?;
    Ok((kept == 1).then_some(row))
}

/// Keeps how far one is, guarded by the version it was loaded with.
pub(crate) fn save(connection: &Connection, row: &TaskRow, now: Timestamp) -> Result<(), StoreError> {
    let body = body_of(TABLE, &row.state)?;
    let done = row.state.done.then(|| now.as_millis());
    let key = row.state.task.delivery.as_str();
    let values = params![key, done, signed(row.version.saturating_add(1)), body, signed(row.version)];
    let changed =
        connection.prepare_cached(UPDATE).and_then(|mut update| update.execute(values)).on(TABLE)?;
    if changed == 1 { Ok(()) } else { Err(StoreError::RunMoved) }
}

/// Those of a surface that are not answered, in the order in which they were kept.
pub(crate) fn open(
    connection: &Connection,
    surface: &SurfaceName,
    limit: u32,
) -> Result<Vec<TaskRow>, StoreError> {
    let mut statement = connection.prepare_cached(OPEN).on(TABLE)?;
    readable(statement.query(params![surface.as_str(), limit]).on(TABLE)?)
}

/// Whether any of a surface is not answered and held by nobody.
pub(crate) fn any_left(
    connection: &Connection,
    surface: &SurfaceName,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let mut any = connection.prepare_cached(ANY_LEFT).on(TABLE)?;
    any.query_row(params![surface.as_str(), now.as_millis()], |row| row.get(0)).on(TABLE)
}

/// Takes those up, in the order in which they were kept.
pub(crate) fn adopt(
    connection: &Connection,
    surface: &SurfaceName,
    (lease, now): (TaskLease, Timestamp),
    limit: u32,
) -> Result<Vec<TaskRow>, StoreError> {
    let mut statement = connection.prepare_cached(LEFT).on(TABLE)?;
    let mut left = readable(statement.query(params![surface.as_str(), limit, now.as_millis()]).on(TABLE)?)?;
    let mut adopt = connection.prepare_cached(ADOPT).on(TABLE)?;
    for row in &mut left {
        let key = row.state.task.delivery.as_str();
        let values = params![key, lease.by.to_string(), lease.until.as_millis(), signed(row.version)];
        exactly_one(adopt.execute(values).on(TABLE)?, TABLE, key)?;
        row.version += 1;
    }
    Ok(left)
}

/// Renews the lease on those that are still held by the same. Gives how many.
pub(crate) fn renew(
    connection: &Connection,
    tasks: &[DeliveryKey],
    lease: TaskLease,
) -> Result<usize, StoreError> {
    let mut statement = connection.prepare_cached(RENEW).on(TABLE)?;
    let mut renewed = 0;
    for task in tasks {
        let values = params![task.as_str(), lease.by.to_string(), lease.until.as_millis()];
        renewed += statement.execute(values).on(TABLE)?;
    }
    Ok(renewed)
}

/// Lets go of what this process holds, or whoever does. Gives how many.
pub(crate) fn let_go(connection: &Connection, by: Option<WorkerId>) -> Result<usize, StoreError> {
    connection.execute(LET_GO, [by.map(|by| by.to_string())]).on(TABLE)
}

/// One, answered or not.
pub(crate) fn load(connection: &Connection, key: &DeliveryKey) -> Result<Option<TaskRow>, StoreError> {
    let mut statement = connection.prepare_cached(ONE).on(TABLE)?;
    let found = statement.query_row([key.as_str()], |row| Ok(read(row))).optional().on(TABLE)?;
    found.transpose()
}

/// Rows as tasks. One that cannot be read holds up none of the others.
fn readable(mut rows: Rows<'_>) -> Result<Vec<TaskRow>, StoreError> {
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        match read(row) {
            Ok(row) => found.push(row),
            Err(fault) => {
                tracing::error!(error = %fault, "a task given in a chat cannot be read, and is left")
            }
        }
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<TaskRow, StoreError> {
    let key = column_text(row, 1, TABLE)?;
    let state: TaskState = from_body(TABLE, key, column_text(row, 0, TABLE)?)?;
    let task = &state.task;
    let cells: [Cell<'_>; 4] = [
        ("delivery_key", text(task.delivery.as_str())),
        ("tenant_id", text(task.tenant.as_str())),
        ("surface", text(task.thread.surface.as_str())),
        ("received_at", ValueRef::Integer(task.at.as_millis())),
    ];
    check(row, 1, &cells, (TABLE, key))?;
    Ok(TaskRow { state, version: row.get(5).on(TABLE)? })
}

/// Drops those that were answered before then.
pub(crate) fn prune(connection: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    connection.execute(PRUNE, params![before.as_millis(), PRUNE_ROWS_MAX]).on(TABLE)
}
