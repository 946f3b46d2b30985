//! An executor claims an approval, keeps its lease, and reports.

use crate::approval::{Actor, Approval, Change, ClaimOrder, Command, Outcome, Refusal, Report, State};
use crate::call::{CanonicalArgs, ToolCall};
use crate::gate::{Gate, Grant, Permit, Receipt};
use crate::id::{ClaimId, CredentialId, RequestId, ServerName, TenantId, ToolName};
use crate::ports::StoreError;
use crate::time::Timestamp;

/// What an executor is about to run.
#[derive(Debug, Clone)]
pub struct PresentedCall {
    /// The server, if any.
    pub server: Option<ServerName>,
    /// The tool.
    pub tool: ToolName,
    /// The arguments.
    pub args: CanonicalArgs,
}

/// An executor outside.
#[derive(Debug, Clone)]
pub struct Claimant {
    /// Its credential.
    pub credential: CredentialId,
    /// The random key of this attempt: the same again is the same claim.
    pub key: String,
}

/// A claim of an executor outside.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The claim.
    pub claim: ClaimId,
    /// The end of the lease, unless a heartbeat lengthens it.
    pub lease_until: Timestamp,
    /// The call to run.
    pub call: ToolCall,
    /// The claim, signed, to be checked offline.
    pub grant: Option<String>,
}

/// Why there is no claim.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Refused, and recorded.
    #[error("the claim was refused: {}", .0.code())]
    Refused(Refusal),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a heartbeat is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// The end of the lease now.
    pub lease_until: Timestamp,
    /// Whether somebody wants it to stop.
    pub stop: bool,
}

impl Gate {
    /// Placet's own executor claims. The permit is the only thing that a tool runs on.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub async fn claim_here(
        &self,
        tenant: &TenantId,
        id: RequestId,
        presented: PresentedCall,
    ) -> Result<Permit, ClaimError> {
        let (approval, order) = self.claim(tenant, id, presented, (Actor::Placet, self.new_key())).await?;
        Permit::of(&approval, &order).ok_or(ClaimError::Refused(Refusal::AlreadyClaimed))
    }

    /// An executor outside claims.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub async fn claim_outside(
        &self,
        tenant: &TenantId,
        id: RequestId,
        presented: PresentedCall,
        claimant: Claimant,
    ) -> Result<Claimed, ClaimError> {
        let executor = Actor::Executor(claimant.credential.clone());
        let (approval, order) = self.claim(tenant, id, presented, (executor, claimant.key)).await?;
        let State::Executing(executing) = &approval.state else {
            return Err(ClaimError::Refused(Refusal::AlreadyClaimed));
        };
        let claim = &executing.claim;
        let grant = self.parts.signer.as_ref().map(|signer| {
            signer.sign(&Grant {
                claim: claim.id,
                request: approval.id,
                tenant: tenant.clone(),
                audience: claimant.credential,
                digest: order.digest,
                not_after: claim.lease_until,
                epoch: signer.epoch().to_owned(),
            })
        });
        let call = approval.proposal.call.clone();
        Ok(Claimed { claim: claim.id, lease_until: claim.lease_until, call, grant })
    }

    async fn claim(
        &self,
        tenant: &TenantId,
        id: RequestId,
        presented: PresentedCall,
        (executor, key): (Actor, String),
    ) -> Result<(Approval, ClaimOrder), ClaimError> {
        let approval = match self.parts.store.load(tenant, id).await {
            Ok(approval) => approval,
            Err(StoreError::NotFound) => {
                self.note_stranger(tenant, executor, "claim", &id.to_string()).await;
                return Err(StoreError::NotFound.into());
            }
            Err(fault) => return Err(fault.into()),
        };
        // Tool and arguments are what the executor holds; the rest of the envelope is Placet's own.
        let own = &approval.proposal.call;
        let call = ToolCall {
            server: presented.server,
            tool: presented.tool,
            args: presented.args,
            agent: own.agent.clone(),
            tool_schema_hash: own.tool_schema_hash,
            preconditions: own.preconditions.clone(),
        };
        let order = self.claim_order(executor, call.digest(tenant), key);
        match self.command(tenant, id, Command::Claim(order.clone())).await? {
            (approval, Ok(Change::Changed | Change::Unchanged)) => Ok((approval, order)),
            (_, Err(refusal)) => Err(ClaimError::Refused(refusal)),
        }
    }

    /// The executor is alive.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub async fn heartbeat(&self, receipt: &Receipt) -> Result<Beat, ClaimError> {
        let command = Command::Heartbeat { claim: receipt.claim, key: receipt.key.clone() };
        match self.command(&receipt.tenant, receipt.request, command).await? {
            (_, Err(refusal)) => Err(ClaimError::Refused(refusal)),
            (Approval { state: State::Executing(executing), .. }, Ok(_)) => {
                Ok(Beat { lease_until: executing.claim.lease_until, stop: executing.stop.is_some() })
            }
            (_, Ok(_)) => Err(ClaimError::Refused(Refusal::NotTheClaimant)),
        }
    }

    /// The executor reports how it ended. The same report again is answered the same.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub async fn finish(&self, receipt: &Receipt, outcome: Outcome) -> Result<Approval, ClaimError> {
        let report = Report { claim: receipt.claim, key: receipt.key.clone(), outcome };
        match self.command(&receipt.tenant, receipt.request, Command::Finish(report)).await? {
            (approval, Ok(_)) => Ok(approval),
            (_, Err(refusal)) => Err(ClaimError::Refused(refusal)),
        }
    }

    /// What an executor outside reports with, from what it sends.
    #[must_use]
    pub fn receipt(tenant: &TenantId, request: RequestId, claim: ClaimId, key: String) -> Receipt {
        Receipt { tenant: tenant.clone(), request, claim, key }
    }
}
