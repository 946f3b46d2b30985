//! After a new policy: every request that is open and unspent is judged again. What is now forbidden, or asks for more,
//! is revoked with that reason; what asks for less stays as it is.

use std::sync::Arc;

use crate::approval::{Approval, Command, State, Status};
use crate::gate::Gate;
use crate::policy::Circumstances;
use crate::ports::{RequestQuery, StoreError};

/// Requests that are read at once.
const AT_ONCE: u32 = 200;

/// What judging again came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rejudged {
    /// How many were looked at.
    pub looked_at: usize,
    /// How many were revoked.
    pub revoked: usize,
}

impl Gate {
    /// Judges every open and unspent request again by the policy in force, each under the circumstances that it was
    /// judged under: what counts is what the new policy says of it, not that night has fallen since. For a start and after
    /// a reload.
    ///
    /// # Errors
    /// [`StoreError`]; what was judged before that stays judged.
    pub async fn rejudge_all(&self) -> Result<Rejudged, StoreError> {
        let mut done = Rejudged::default();
        let mut before = None;
        loop {
            let query = RequestQuery {
                statuses: vec![Status::WaitingApproval, Status::Approved],
                before,
                limit: AT_ONCE,
                ..RequestQuery::default()
            };
            let page = self.parts.store.list(query).await?;
            before = page.last().map(|approval| approval.id);
            let full = page.len() == AT_ONCE as usize;
            for approval in page {
                done.looked_at += 1;
                done.revoked += usize::from(self.rejudge(&approval).await?);
            }
            if !full {
                return Ok(done);
            }
        }
    }

    /// Judges one again; true where that revoked it.
    async fn rejudge(&self, approval: &Approval) -> Result<bool, StoreError> {
        let policy = self.policy_of(&approval.tenant);
        let before = approval.verdict.as_deref();
        if before.is_some_and(|verdict| verdict.policy.digest == policy.version().digest) {
            return Ok(false);
        }
        let under = before.and_then(|verdict| verdict.circumstances.clone());
        let under = under.unwrap_or_else(|| Circumstances::at(approval.opened_at));
        let mut verdict = policy.judge(&approval.proposal, &under);
        self.settle_places(&approval.tenant, &mut verdict);
        let command = Command::Rejudge { verdict: Arc::new(verdict) };
        let (after, _) = self.command(&approval.tenant, approval.id, command).await?;
        let revoked = matches!(after.state, State::Revoked(_));
        if revoked {
            tracing::info!(approval.id = %after.id, "a request was revoked: the policy became stricter");
        }
        Ok(revoked)
    }
}
