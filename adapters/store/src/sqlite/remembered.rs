//! Credentials that were read before, so that not every request of an agent asks the database for the same row.
//!
//! What always holds: only a store that has the file to itself remembers anything, because nobody else writes it then;
//! every change of a credential makes it forget all of them, after the commit and before the answer. Whoever was told
//! that a credential is revoked can rely on it.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use placet::call::ContentHash;
use placet::ports::CredentialRow;

/// The most that are remembered; whoever comes later is read each time. Far more than there are agents at work at once.
const ROWS_MAX: usize = 4096;

/// What is remembered.
#[derive(Default)]
pub(crate) struct Remembered(RwLock<Rows>);

#[derive(Default)]
struct Rows {
    /// One more with every time that all was forgotten.
    age: Age,
    by_secret: HashMap<ContentHash, CredentialRow>,
}

/// When something was read, counted in changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Age(u64);

impl Remembered {
    /// The row with this secret's hash, or the age to keep it with once it is read.
    pub(crate) fn find(&self, secret_hash: ContentHash) -> Result<CredentialRow, Age> {
        let rows = self.0.read().unwrap_or_else(PoisonError::into_inner);
        rows.by_secret.get(&secret_hash).cloned().ok_or(rows.age)
    }

    /// Keeps a row that was read after `age` was given, unless something has changed since: it may have been read
    /// before the change was there.
    pub(crate) fn keep(&self, age: Age, row: &CredentialRow) {
        let mut rows = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if rows.age == age && rows.by_secret.len() < ROWS_MAX {
            rows.by_secret.insert(row.secret_hash, row.clone());
        }
    }

    /// Some credential was changed.
    pub(crate) fn forget(&self) {
        let mut rows = self.0.write().unwrap_or_else(PoisonError::into_inner);
        rows.age.0 += 1;
        rows.by_secret.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use placet::id::{AgentId, CredentialId, TenantId};
    use placet::time::Timestamp;

    fn row() -> CredentialRow {
        CredentialRow {
            id: CredentialId::new("agent").unwrap(),
            tenant: TenantId::new("acme").unwrap(),
            agent: AgentId::new("agent").unwrap(),
            scopes: Vec::new(),
            may_act_for_others: false,
            secret_hash: ContentHash::of(b"secret"),
            created_at: Timestamp::from_secs(1),
            expires_at: None,
            revoked_at: None,
        }
    }

    /// R47: a reader that was under way while a credential was revoked does not bring it back.
    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let remembered = Remembered::default();
        let before = remembered.find(row().secret_hash).unwrap_err();
        remembered.forget();
        remembered.keep(before, &row());
        let after = remembered.find(row().secret_hash).unwrap_err();
        assert_ne!(before, after);
        remembered.keep(after, &row());
        assert_eq!(remembered.find(row().secret_hash), Ok(row()));
        remembered.forget();
        assert!(remembered.find(row().secret_hash).is_err());
    }
}
