//! Whose doing a request is, by account: made from the record, with each event.

use placet::ports::StoreError;
use placet::record::Event;
use rusqlite::{Connection, params};

use crate::sqlite::fault::Meaning;

const TABLE: &str = "request_account";
const INSERT: &str = "INSERT INTO request_account (tenant_id, account, approval_id) VALUES (?1, ?2, ?3) \
                      ON CONFLICT DO NOTHING";

/// Keeps whose doing an event is, where it is one of a request.
pub(crate) fn insert(connection: &Connection, event: &Event) -> Result<(), StoreError> {
    let Some(request) = &event.request else { return Ok(()) };
    let accounts = event.kind.accounts();
    if accounts.is_empty() {
        return Ok(());
    }
    let mut insert = connection.prepare_cached(INSERT).on(TABLE)?;
    for account in accounts {
        let row = params![event.tenant.as_str(), account.to_string(), request.as_bytes().as_slice()];
        insert.execute(row).on(TABLE)?;
    }
    Ok(())
}
