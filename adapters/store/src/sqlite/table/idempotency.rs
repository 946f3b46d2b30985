//! Callers' own keys for their proposals: the same key of the same credential is the same request, if the whole of what
//! is proposed is the same.

use placet::approval::{Proposal, Requester};
use placet::call::{CallDigest, ContentHash};
use placet::id::{CredentialId, IdempotencyKey, RequestId, TenantId};
use placet::ports::StoreError;
use rusqlite::{Connection, params};

use crate::sqlite::fault::Meaning;
use crate::sqlite::table::{body_of, column_id};

const TABLE: &str = "idempotency";
const SELECT: &str = "SELECT approval_id, digest, proposal_hash FROM idempotency \
                      WHERE tenant_id = ?1 AND credential_id = ?2 AND idempotency_key = ?3";
const INSERT: &str = "INSERT INTO idempotency (tenant_id, credential_id, idempotency_key, approval_id, digest, \
                      proposal_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

/// A key of a credential of a tenant.
pub(crate) type Key<'a> = (&'a TenantId, &'a CredentialId, &'a IdempotencyKey);

/// What a key stands for.
pub(crate) struct Kept {
    /// The request.
    pub(crate) id: RequestId,
    /// Its call.
    pub(crate) digest: CallDigest,
    /// Everything that was proposed.
    pub(crate) proposal: ContentHash,
}

/// What was proposed under this key.
pub(crate) fn find(
    connection: &Connection,
    (tenant, credential, key): Key<'_>,
) -> Result<Option<Kept>, StoreError> {
    let mut select = connection.prepare_cached(SELECT).on(TABLE)?;
    let mut rows = select.query([tenant.as_str(), credential.as_str(), key.as_str()]).on(TABLE)?;
    let Some(row) = rows.next().on(TABLE)? else { return Ok(None) };
    let digest: [u8; 32] = row.get(1).on(TABLE)?;
    let proposal: [u8; 32] = row.get(2).on(TABLE)?;
    Ok(Some(Kept {
        id: RequestId::from_bytes(column_id(row, 0, TABLE)?),
        digest: CallDigest::from_bytes(digest),
        proposal: ContentHash::from_bytes(proposal),
    }))
}

/// Keeps a key that is new.
pub(crate) fn insert(
    connection: &Connection,
    (tenant, credential, key): Key<'_>,
    kept: &Kept,
) -> Result<(), StoreError> {
    let row = params![
        tenant.as_str(),
        credential.as_str(),
        key.as_str(),
        kept.id.as_bytes().as_slice(),
        kept.digest.as_bytes().as_slice(),
        kept.proposal.as_bytes().as_slice()
    ];
    connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).map(|_| ()).on(TABLE)
}

/// The hash of a proposal as its caller sent it: without what Placet found out about it, and without what its people
/// are called, which a new policy changes.
pub(crate) fn hash_of(proposal: &Proposal) -> Result<ContentHash, StoreError> {
    let requester = Requester { shown_as: String::new(), ..proposal.requester.clone() };
    let sent = Proposal { requester, follows: None, ..proposal.clone() };
    Ok(ContentHash::of(body_of(TABLE, &sent)?.as_bytes()))
}
