//! The proof that a call may run. Only a claim yields one, after its commit, and a tool cannot run without one.

use crate::approval::{Approval, ClaimOrder, State};
use crate::call::{CanonicalArgs, ContentHash, ToolCall};
use crate::id::{ClaimId, RequestId, TenantId};
use crate::time::Timestamp;

/// The right to run one call once. Neither `Clone` nor `Serialize`; it owns the call.
///
/// ```compile_fail
/// fn twice(permit: placet::gate::Permit) -> (placet::gate::Permit, placet::gate::Permit) {
///     (permit.clone(), permit)
/// }
/// ```
///
/// ```compile_fail
/// fn kept(permit: placet::gate::Permit) -> String {
///     serde_json::to_string(&permit).unwrap()
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    receipt: Receipt,
    call: ToolCall,
    lease_until: Timestamp,
}

/// What an executor reports with: which claim, and the key that proves it is its own.
#[derive(Clone)]
pub struct Receipt {
    /// Whose.
    pub tenant: TenantId,
    /// Which request.
    pub request: RequestId,
    /// Which claim.
    pub claim: ClaimId,
    /// Its key.
    #[cfg_attr(
        not(feature = "policy"),
        expect(dead_code, reason = "read by the gate, which comes with the policy")
    )]
    pub(crate) key: String,
}

/// Without the key: whoever has it can report in the executor's name.
impl std::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Receipt")
            .field("tenant", &self.tenant)
            .field("request", &self.request)
            .field("claim", &self.claim)
            .finish_non_exhaustive()
    }
}

/// The lease ran out between the claim and the start: the call must not run any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the claim's lease is over; whether the call ran is now unknown to others, so it must not start")]
pub struct LeaseOver;

impl Permit {
    /// The permit of a claim that was committed: only if the stored request says that this very attempt holds it.
    #[cfg_attr(
        not(feature = "policy"),
        expect(dead_code, reason = "made by the gate, which comes with the policy")
    )]
    pub(super) fn of(committed: &Approval, order: &ClaimOrder) -> Option<Self> {
        let State::Executing(executing) = &committed.state else { return None };
        let won = executing.claim.key_hash == ContentHash::of(order.key.as_bytes());
        (won && committed.digest == order.digest).then(|| Self {
            receipt: Receipt {
                tenant: committed.tenant.clone(),
                request: committed.id,
                claim: executing.claim.id,
                key: order.key.clone(),
            },
            call: committed.proposal.call.clone(),
            lease_until: executing.claim.lease_until,
        })
    }

    /// What to report with.
    #[must_use]
    pub fn receipt(&self) -> Receipt {
        self.receipt.clone()
    }

    /// Starts the run.
    ///
    /// # Errors
    /// [`LeaseOver`] past the lease.
    pub fn start(self, now: Timestamp) -> Result<Running, LeaseOver> {
        if now >= self.lease_until { Err(LeaseOver) } else { Ok(Running { call: self.call }) }
    }
}

/// A call that is running now. It can be had from [`Permit::start`] only.
#[derive(Debug)]
pub struct Running {
    call: ToolCall,
}

impl Running {
    /// The arguments that people saw.
    #[must_use]
    pub const fn args(&self) -> &CanonicalArgs {
        &self.call.args
    }

    /// The whole call.
    #[must_use]
    pub const fn call(&self) -> &ToolCall {
        &self.call
    }
}
