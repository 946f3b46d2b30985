//! An agent proposes a call.

use std::sync::Arc;

use crate::approval::{Actor, Approval, ClaimOrder, Command, Facts, Guards, Opened, Opening, Proposal};
use crate::call::CallDigest;
use crate::gate::{Gate, Permit};
use crate::id::{ClaimId, CredentialId, IdempotencyKey, RequestId, TenantId};
use crate::policy::{Circumstances, Place, Policy, Recent, Tier, Verdict};
use crate::ports::{RecentQuery, StoreError};

/// How often something is judged again because another policy took force meanwhile: nobody changes it that often.
pub(super) const POLICY_TRIES: u32 = 5;

/// What became of a proposal.
#[derive(Debug)]
pub struct Proposed {
    /// The request as it stands.
    pub approval: Approval,
    /// Whether it is new; else the key was there before, with the same call.
    pub fresh: bool,
    /// The permit, where it may run at once and Placet itself runs it.
    pub permit: Option<Permit>,
}

/// Why a proposal was not taken.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// The key was there before with another call, or another proposal of the same.
    #[error("this idempotency key was used before, for another proposal")]
    KeyConflict {
        /// The call it was used for.
        digest: CallDigest,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Gate {
    /// Takes a proposal in, asks the policy, and commits both at once. `here` is set where Placet itself runs the
    /// call: what may run unasked is claimed in the same commit.
    ///
    /// # Errors
    /// [`ProposeError`].
    pub async fn propose(
        &self,
        tenant: &TenantId,
        proposal: Proposal,
        key: Option<(CredentialId, IdempotencyKey)>,
        here: bool,
    ) -> Result<Proposed, ProposeError> {
        let mut tries = 0;
        let (judgement, fatigue) = loop {
            let policy = self.policy_of(tenant);
            let judgement = self.judged(tenant, &policy, &proposal).await?;
            tries += 1;
            // What took force while something was read decides, not what was in force before.
            if self.is_in_force(tenant, &policy) || tries >= POLICY_TRIES {
                break (judgement, *policy.fatigue());
            }
        };
        let now = self.parts.clock.now();
        let guards = matches!(judgement, Command::Require { .. }).then_some(Guards { fatigue });
        let claim = (here && matches!(judgement, Command::Allow { .. }))
            .then(|| self.claim_order(Actor::Placet, proposal.call.digest(tenant), self.new_key()));
        let opening = Opening {
            tenant: tenant.clone(),
            id: RequestId::mint(now, &*self.parts.entropy),
            key,
            proposal: Arc::new(proposal),
            judgement,
            claim: claim.clone(),
            facts: Facts::none(now),
            guards,
            replaces: None,
        };
        match self.open_again(opening).await? {
            Opened::New(approval) => {
                let permit = claim.and_then(|order| Permit::of(&approval, &order));
                Ok(Proposed { approval, fresh: true, permit })
            }
            Opened::Same(approval) => Ok(Proposed { approval, fresh: false, permit: None }),
            Opened::Conflict { digest } => Err(ProposeError::KeyConflict { digest }),
            Opened::Refused { refusal, .. } => {
                Err(StoreError::Contradiction(refusal.code().to_owned()).into())
            }
        }
    }

    /// Whether a policy still is the tenant's.
    pub(super) fn is_in_force(&self, tenant: &TenantId, policy: &Policy) -> bool {
        self.policy_of(tenant).version().digest == policy.version().digest
    }

    /// What this policy makes of a proposal.
    async fn judged(
        &self,
        tenant: &TenantId,
        policy: &Policy,
        proposal: &Proposal,
    ) -> Result<Command, StoreError> {
        let circumstances = self.circumstances(tenant, policy, proposal).await?;
        let mut verdict = policy.judge(proposal, &circumstances);
        Ok(self.judgement(tenant, &mut verdict))
    }

    /// An answer lost at the commit can be asked for again where there is a key: it gives the same request.
    async fn open_again(&self, opening: Opening) -> Result<Opened, StoreError> {
        match self.parts.store.open(opening.clone()).await {
            Err(StoreError::Unknown(_)) if opening.key.is_some() => self.parts.store.open(opening).await,
            answer => answer,
        }
    }

    /// The verdict's command, once it is clear where people can be asked.
    pub(super) fn judgement(&self, tenant: &TenantId, verdict: &mut Verdict) -> Command {
        if verdict.tier != Tier::Approve {
            return Command::judged(Arc::new(verdict.clone()));
        }
        self.settle_places(tenant, verdict);
        let places = verdict.terms.as_ref().is_some_and(|terms| !terms.places.is_empty());
        let by_api = self.parts.settings.decide_over_api && self.policy_of(tenant).decides_over_api();
        let askable = places || by_api;
        let verdict = Arc::new(verdict.clone());
        if askable {
            Command::Require { verdict }
        } else {
            Command::CannotAsk { verdict, why: "no approver configured (fail closed)".to_owned() }
        }
    }

    /// Where the policy names no place, the settings' hold; where a surface does not serve the tenant, nothing is shown.
    pub(super) fn settle_places(&self, tenant: &TenantId, verdict: &mut Verdict) {
        let Some(terms) = &mut verdict.terms else { return };
        if terms.places.is_empty() {
            terms.places.clone_from(&self.parts.settings.default_places);
        }
        let serves = |place: &Place| self.surface(&place.surface).is_some_and(|at| at.serves(tenant));
        terms.places.retain(serves);
        // Where a surface shows each call by itself, nothing is kept back.
        let gathers = |place: &Place| self.surface(&place.surface).is_some_and(|at| at.gathers());
        terms.gather = terms.gather.filter(|_| terms.places.iter().all(gathers));
        for step in &mut terms.escalation {
            step.places.retain(serves);
        }
    }

    /// What the verdict will rest on besides the proposal. What happened lately is only read where the policy looks at it.
    pub(super) async fn circumstances(
        &self,
        tenant: &TenantId,
        policy: &Policy,
        proposal: &Proposal,
    ) -> Result<Circumstances, StoreError> {
        let at = self.parts.clock.now();
        let recent = if policy.needs_recent() {
            let query = RecentQuery {
                tenant: tenant.clone(),
                agent: proposal.call.agent.clone(),
                tool: proposal.call.full_name(),
                digest: proposal.call.digest(tenant),
                run: proposal.run.as_ref().map(|step| step.run.clone()),
                now: at,
            };
            self.parts.store.recent(query).await?.recent
        } else {
            Recent::default()
        };
        let requester = self.asker(tenant, &proposal.requester).await;
        Ok(Circumstances { at, tenant: Some(tenant.clone()), requester, recent })
    }

    /// A claim by this attempt.
    pub(super) fn claim_order(&self, executor: Actor, digest: CallDigest, key: String) -> ClaimOrder {
        let id = ClaimId::mint(self.parts.clock.now(), &*self.parts.entropy);
        ClaimOrder { id, key, executor, digest, lease: self.parts.settings.lease }
    }

    /// A random key for an attempt: 256 bits.
    pub(super) fn new_key(&self) -> String {
        let mut key = [0_u8; 32];
        self.parts.entropy.fill(&mut key);
        hex::encode(key)
    }
}
