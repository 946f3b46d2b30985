//! The last digest of each tenant.

use placet::id::TenantId;
use placet::ports::{DigestRow, StoreError};
use placet::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::sqlite::fault::Meaning;
use crate::sqlite::table::event;

const TABLE: &str = "digest";
const LAST: &str = "SELECT day, told_until FROM digest WHERE tenant_id = ?1";
/// Days as text are in the order of time.
const KEEP: &str = "INSERT INTO digest (tenant_id, day, told_until) VALUES (?1, ?2, ?3) ON CONFLICT (tenant_id) \
                    DO UPDATE SET day = excluded.day, told_until = excluded.told_until \
                    WHERE day < excluded.day AND told_until < excluded.told_until";

/// Every tenant that has a record, and its last.
pub(crate) fn last(connection: &Connection) -> Result<Vec<(TenantId, Option<DigestRow>)>, StoreError> {
    let mut one = connection.prepare_cached(LAST).on(TABLE)?;
    let mut found = Vec::new();
    for tenant in event::tenants(connection)? {
        let last = one.query_row([tenant.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional();
        let row = last.on(TABLE)?.map(|(day, until)| DigestRow {
            tenant: tenant.clone(),
            day,
            until: Timestamp::from_millis(until),
        });
        found.push((tenant, row));
    }
    Ok(found)
}

/// Keeps one. False if this day's, or one that tells until later, is there.
pub(crate) fn keep(connection: &Connection, row: &DigestRow) -> Result<bool, StoreError> {
    let values = params![row.tenant.as_str(), row.day, row.until.as_millis()];
    let kept = connection.prepare_cached(KEEP).and_then(|mut keep| keep.execute(values)).on(TABLE)?;
    Ok(kept == 1)
}
