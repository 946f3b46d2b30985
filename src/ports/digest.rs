//! Where it is kept until when people were told what ran unasked.

use async_trait::async_trait;

use crate::id::TenantId;
use crate::notice::Message;
use crate::ports::StoreError;
use crate::time::Timestamp;

/// Digests: each day's once, whoever tells it and however often it is tried.
#[async_trait]
pub trait DigestStore: Send + Sync {
    /// Every tenant that has a record, with the last digest of each; none where there was none yet.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn digests(&self) -> Result<Vec<(TenantId, Option<DigestRow>)>, StoreError>;

    /// Keeps the digest of a day, and its messages to be sent, in one commit. False where this day's, a later one's, or one
    /// that told until later is kept already; nothing is written then.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn keep_digest(&self, row: DigestRow, messages: Vec<Message>) -> Result<bool, StoreError>;
}

/// The last digest of a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestRow {
    /// Whose.
    pub tenant: TenantId,
    /// Of which day, in the policy's zone: as `2026-11-30`.
    pub day: String,
    /// Until when it tells (exclusive).
    pub until: Timestamp,
}
