//! Commands that changed a request or its card, by their ids, so that they are not run twice where an answer was lost.
//! The request is not kept a second time: the answer tells it as it stands.

use placet::approval::{Approval, Change, Committed, Refusal};
use placet::id::{CommandId, RequestId, TenantId};
use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::{Connection, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::prune::PRUNE_ROWS_MAX;
use crate::sqlite::table::{body_of, column_id, column_text, from_body, request};

const TABLE: &str = "command";
const SELECT: &str = "SELECT tenant_id, approval_id, result, version FROM command WHERE command_id = ?1";
const INSERT: &str = "INSERT INTO command (command_id, tenant_id, approval_id, at, result, version) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const PRUNE: &str = "DELETE FROM command WHERE command_id IN \
                     (SELECT command_id FROM command WHERE at < ?1 ORDER BY at LIMIT ?2)";

/// How this command was answered, if it changed something before.
pub(crate) fn find(
    connection: &Connection,
    id: CommandId,
    (tenant, request): (&TenantId, RequestId),
) -> Result<Option<Committed>, StoreError> {
    let mut select = connection.prepare_cached(SELECT).on(TABLE)?;
    let mut rows = select.query([id.as_bytes().as_slice()]).on(TABLE)?;
    let Some(row) = rows.next().on(TABLE)? else { return Ok(None) };
    let changed = RequestId::from_bytes(column_id(row, 1, TABLE)?);
    if column_text(row, 0, TABLE)? != tenant.as_str() || changed != request {
        // The id of somebody else's command tells nothing of it.
        return Err(StoreError::NotFound);
    }
    let result: Result<Change, Refusal> = from_body(TABLE, &id.to_string(), column_text(row, 2, TABLE)?)?;
    let version: i64 = row.get(3).on(TABLE)?;
    let approval = request::load(connection, tenant, request)?;
    if u64::try_from(version).ok().is_none_or(|version| version > approval.version) {
        return Err(inconsistent(TABLE, id, "the request never came to what the command made of it"));
    }
    Ok(Some(Committed { approval, result }))
}

/// Keeps how a command was answered.
pub(crate) fn insert(
    connection: &Connection,
    id: CommandId,
    approval: &Approval,
    (result, at): (&Result<Change, Refusal>, Timestamp),
) -> Result<(), StoreError> {
    let version = i64::try_from(approval.version).map_err(|error| inconsistent(TABLE, id, error))?;
    let row = params![
        id.as_bytes().as_slice(),
        approval.tenant.as_str(),
        approval.id.as_bytes().as_slice(),
        at.as_millis(),
        body_of(TABLE, result)?,
        version
    ];
    connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).map(|_| ()).on(TABLE)
}

/// Drops those from before then.
pub(crate) fn prune(connection: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    connection.execute(PRUNE, params![before.as_millis(), PRUNE_ROWS_MAX]).on(TABLE)
}
