//! Credentials, their secrets as hashes.

use placet::call::ContentHash;
use placet::id::{CredentialId, TenantId};
use placet::ports::{CredentialRow, StoreError};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Rows};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::table::{Cell, bind, body_of, check, column_text, exactly_one, from_body, optional, text};

const TABLE: &str = "credential";
const INSERT: &str = "INSERT INTO credential (body, tenant_id, credential_id, secret_hash, created_at, revoked_at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
const UPDATE: &str = "UPDATE credential SET body = ?1, revoked_at = ?2 \
                      WHERE tenant_id = ?3 AND credential_id = ?4 AND revoked_at IS NULL";
const BY_SECRET: &str = "SELECT body, tenant_id, credential_id, secret_hash, created_at, revoked_at FROM credential \
                         WHERE secret_hash = ?1";
const BY_ID: &str = "SELECT body, tenant_id, credential_id, secret_hash, created_at, revoked_at FROM credential \
                     WHERE tenant_id = ?1 AND credential_id = ?2";
const ALL: &str = "SELECT body, tenant_id, credential_id, secret_hash, created_at, revoked_at FROM credential \
                   ORDER BY tenant_id, created_at, credential_id";
const OF_TENANT: &str = "SELECT body, tenant_id, credential_id, secret_hash, created_at, revoked_at FROM credential \
                         WHERE tenant_id = ?1 ORDER BY created_at, credential_id";

fn cells(row: &CredentialRow) -> [Cell<'_>; 5] {
    [
        ("tenant_id", text(row.tenant.as_str())),
        ("credential_id", text(row.id.as_str())),
        ("secret_hash", ValueRef::Blob(row.secret_hash.as_bytes())),
        ("created_at", ValueRef::Integer(row.created_at.as_millis())),
        ("revoked_at", optional(row.revoked_at, |at| ValueRef::Integer(at.as_millis()))),
    ]
}

/// Keeps a new one.
pub(crate) fn insert(connection: &Connection, row: &CredentialRow) -> Result<(), StoreError> {
    let body = body_of(TABLE, row)?;
    let mut insert = connection.prepare_cached(INSERT).on(TABLE)?;
    bind(&mut insert, 1, &[("body", text(&body))]).on(TABLE)?;
    bind(&mut insert, 2, &cells(row)).on(TABLE)?;
    match insert.raw_execute().on(TABLE)? {
        1 => Ok(()),
        _ => Err(inconsistent(
            TABLE,
            &row.id,
            "there is one with this id or this secret already; choose another",
        )),
    }
}

/// Keeps that one was revoked.
pub(crate) fn update(connection: &Connection, row: &CredentialRow) -> Result<(), StoreError> {
    let body = body_of(TABLE, row)?;
    let mut update = connection.prepare_cached(UPDATE).on(TABLE)?;
    let [tenant, id, _, _, revoked_at] = cells(row);
    bind(&mut update, 1, &[("body", text(&body)), revoked_at, tenant, id]).on(TABLE)?;
    exactly_one(update.raw_execute().on(TABLE)?, TABLE, &row.id)
}

/// The one with this secret's hash.
pub(crate) fn by_secret(
    connection: &Connection,
    hash: ContentHash,
) -> Result<Option<CredentialRow>, StoreError> {
    let mut statement = connection.prepare_cached(BY_SECRET).on(TABLE)?;
    read_one(statement.query([hash.as_bytes().as_slice()]).on(TABLE)?)
}

/// The one of this name.
pub(crate) fn by_id(
    connection: &Connection,
    tenant: &TenantId,
    id: &CredentialId,
) -> Result<Option<CredentialRow>, StoreError> {
    let mut statement = connection.prepare_cached(BY_ID).on(TABLE)?;
    read_one(statement.query([tenant.as_str(), id.as_str()]).on(TABLE)?)
}

/// All of a tenant's, or all.
pub(crate) fn list(
    connection: &Connection,
    tenant: Option<&TenantId>,
) -> Result<Vec<CredentialRow>, StoreError> {
    let mut statement =
        connection.prepare_cached(if tenant.is_some() { OF_TENANT } else { ALL }).on(TABLE)?;
    let values = rusqlite::params_from_iter(tenant.map(TenantId::as_str));
    let mut rows = statement.query(values).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn read_one(mut rows: Rows<'_>) -> Result<Option<CredentialRow>, StoreError> {
    rows.next().on(TABLE)?.map(read).transpose()
}

fn read(row: &Row<'_>) -> Result<CredentialRow, StoreError> {
    let key = column_text(row, 2, TABLE)?;
    let credential: CredentialRow = from_body(TABLE, key, column_text(row, 0, TABLE)?)?;
    check(row, 1, &cells(&credential), (TABLE, key))?;
    Ok(credential)
}
