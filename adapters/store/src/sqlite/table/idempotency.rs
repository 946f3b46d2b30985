//! Callers' own keys for their proposals: the same key of the same credential is the same request.

use placet::call::CallDigest;
use placet::id::{CredentialId, IdempotencyKey, RequestId, TenantId};
use placet::ports::StoreError;
use rusqlite::{Connection, params};

use crate::sqlite::fault::Meaning;
use crate::sqlite::table::column_id;

const TABLE: &str = "idempotency";
const SELECT: &str = "SELECT approval_id, digest FROM idempotency \
                      WHERE tenant_id = ?1 AND credential_id = ?2 AND idempotency_key = ?3";
const INSERT: &str = "INSERT INTO idempotency (tenant_id, credential_id, idempotency_key, approval_id, digest) \
                      VALUES (?1, ?2, ?3, ?4, ?5)";

/// A key of a credential of a tenant.
pub(crate) type Key<'a> = (&'a TenantId, &'a CredentialId, &'a IdempotencyKey);

/// What was proposed under this key.
pub(crate) fn find(
    connection: &Connection,
    (tenant, credential, key): Key<'_>,
) -> Result<Option<(RequestId, CallDigest)>, StoreError> {
    let mut select = connection.prepare_cached(SELECT).on(TABLE)?;
    let mut rows = select.query([tenant.as_str(), credential.as_str(), key.as_str()]).on(TABLE)?;
    let Some(row) = rows.next().on(TABLE)? else { return Ok(None) };
    let digest: [u8; 32] = row.get(1).on(TABLE)?;
    Ok(Some((RequestId::from_bytes(column_id(row, 0, TABLE)?), CallDigest::from_bytes(digest))))
}

/// Keeps a key that is new.
pub(crate) fn insert(
    connection: &Connection,
    (tenant, credential, key): Key<'_>,
    (id, digest): (RequestId, CallDigest),
) -> Result<(), StoreError> {
    let row = params![
        tenant.as_str(),
        credential.as_str(),
        key.as_str(),
        id.as_bytes().as_slice(),
        digest.as_bytes().as_slice()
    ];
    connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).map(|_| ()).on(TABLE)
}
