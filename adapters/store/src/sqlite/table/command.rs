//! Answers by the id of their command, so that one that was lost can be given again.

use placet::approval::{Approval, Change, Committed, Refusal};
use placet::id::{CommandId, RequestId, TenantId};
use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::{Connection, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::prune::PRUNE_ROWS_MAX;
use crate::sqlite::table::{body_of, column_id, column_text, from_body, request};

const TABLE: &str = "command";
const SELECT: &str = "SELECT tenant_id, approval_id, result, body FROM command WHERE command_id = ?1";
const INSERT: &str = "INSERT INTO command (command_id, tenant_id, approval_id, at, result, body) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const PRUNE: &str = "DELETE FROM command WHERE command_id IN \
                     (SELECT command_id FROM command WHERE at < ?1 ORDER BY at LIMIT ?2)";

/// The answer that was given to this command before.
pub(crate) fn find(
    connection: &Connection,
    id: CommandId,
    (tenant, request): (&TenantId, RequestId),
) -> Result<Option<Committed>, StoreError> {
    let mut select = connection.prepare_cached(SELECT).on(TABLE)?;
    let mut rows = select.query([id.as_bytes().as_slice()]).on(TABLE)?;
    let Some(row) = rows.next().on(TABLE)? else { return Ok(None) };
    let answered = RequestId::from_bytes(column_id(row, 1, TABLE)?);
    if column_text(row, 0, TABLE)? != tenant.as_str() || answered != request {
        // The id of somebody else's command tells nothing of it.
        return Err(StoreError::NotFound);
    }
    let key = id.to_string();
    let result: Result<Change, Refusal> = from_body(TABLE, &key, column_text(row, 2, TABLE)?)?;
    let approval: Approval = request::of_body(column_text(row, 3, TABLE)?, request)?;
    if approval.id != request || approval.tenant != *tenant {
        return Err(inconsistent(TABLE, key, "the answer is about another request"));
    }
    Ok(Some(Committed { approval, result }))
}

/// Keeps the first answer.
pub(crate) fn insert(
    connection: &Connection,
    id: CommandId,
    approval: &Approval,
    (result, body, at): (&Result<Change, Refusal>, &str, Timestamp),
) -> Result<(), StoreError> {
    let result = body_of(TABLE, result)?;
    let row = params![
        id.as_bytes().as_slice(),
        approval.tenant.as_str(),
        approval.id.as_bytes().as_slice(),
        at.as_millis(),
        result,
        body
    ];
    connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).map(|_| ()).on(TABLE)
}

/// Drops answers from before then.
pub(crate) fn prune(connection: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    connection.execute(PRUNE, params![before.as_millis(), PRUNE_ROWS_MAX]).on(TABLE)
}
