//! What stops calls that were approved or would run unasked: emergency stops, and taking back what was remembered.

use crate::approval::{Actor, ApprovedBy, Command, Refusal, State, Status};
use crate::gate::Gate;
use crate::hold::{Hold, HoldScope, Lifted};
use crate::id::{HoldId, PersonId, RequestId, TenantId};
use crate::person::{Identity, Member, Standing};
use crate::ports::{RememberedQuery, RequestQuery, StoreError};
use crate::remembered::Forgotten;

/// Requests that are read at once.
const AT_ONCE: u32 = 200;

/// Remembered yeses of a tenant that are looked through for one: far more than people remember.
const REMEMBERED_MAX: u32 = 10_000;

/// Why nothing was stopped, lifted or forgotten.
#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// Who wants it may not.
    #[error("it was refused: {}", .0.code())]
    Refused(Refusal),
    /// There is none of that id that stands.
    #[error("there is none of that id that stands")]
    NotThere,
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Gate {
    /// Stops calls: once this returns, nothing that the hold covers is claimed until it is lifted. Without a tenant it
    /// holds everybody's, which only Placet's own command line may ask for.
    ///
    /// # Errors
    /// [`HoldError`].
    pub async fn hold(
        &self,
        tenant: Option<&TenantId>,
        scope: HoldScope,
        (by, reason): (Actor, String),
    ) -> Result<Hold, HoldError> {
        let name = self.may_stop(tenant, &by).await?;
        let now = self.parts.clock.now();
        let hold = Hold {
            id: HoldId::mint(now, &*self.parts.entropy),
            tenant: tenant.cloned(),
            scope,
            by,
            name,
            reason,
            since: now,
            lifted: None,
        };
        let hold = self.parts.store.hold(hold).await?;
        self.parts.wakes.work();
        tracing::warn!(hold.id = %hold.id, hold.by = %hold.by, "calls are stopped");
        Ok(hold)
    }

    /// Lifts a hold. A tenant lifts only its own.
    ///
    /// # Errors
    /// [`HoldError`].
    pub async fn lift(&self, tenant: Option<&TenantId>, id: HoldId, by: Actor) -> Result<(), HoldError> {
        let name = self.may_stop(tenant, &by).await?;
        let lifted = Lifted { by, name, at: self.parts.clock.now() };
        if !self.parts.store.lift(tenant, id, lifted).await? {
            return Err(HoldError::NotThere);
        }
        tracing::warn!(hold.id = %id, "calls are no longer stopped");
        self.parts.wakes.work();
        Ok(())
    }

    /// Takes back what was remembered: from now on nothing is claimed on it, and what was approved on it and not yet
    /// spent is revoked. Stewards may, and whoever chose it. Gives how many requests that revoked.
    ///
    /// # Errors
    /// [`HoldError`].
    pub async fn forget(
        &self,
        (tenant, id): (&TenantId, RequestId),
        by: Actor,
        reason: Option<String>,
    ) -> Result<usize, HoldError> {
        let name = match self.may_stop(Some(tenant), &by).await {
            Err(HoldError::Refused(refusal)) => match self.chose(tenant, id, &by).await? {
                Some(name) => Some(name),
                None => return Err(HoldError::Refused(refusal)),
            },
            allowed => allowed?,
        };
        let at = self.parts.clock.now();
        let forgotten = Forgotten { by: by.clone(), name: name.clone(), reason: reason.clone(), at };
        if !self.parts.store.forget(tenant, id, forgotten).await? {
            return Err(HoldError::NotThere);
        }
        Ok(self.revoke_resting_on((tenant, id), (by, name, reason)).await?)
    }

    /// Revokes every approved, unspent request that rests on this remembered yes. Should it be broken off, their claims
    /// are refused all the same, and time ends them.
    async fn revoke_resting_on(
        &self,
        (tenant, id): (&TenantId, RequestId),
        by: (Actor, Option<String>, Option<String>),
    ) -> Result<usize, StoreError> {
        let mut revoked = 0;
        let mut before = None;
        loop {
            let query = RequestQuery {
                tenant: Some(tenant.clone()),
                statuses: vec![Status::Approved],
                before,
                limit: AT_ONCE,
                ..RequestQuery::default()
            };
            let page = self.parts.store.list(query).await?;
            before = page.last().map(|approval| approval.id);
            let full = page.len() == AT_ONCE as usize;
            for approval in page {
                let State::Approved(approved) = &approval.state else { continue };
                let ApprovedBy::Remembered { scope, .. } = &approved.by else { continue };
                if id != *scope {
                    continue;
                }
                let command = Command::Forget {
                    scope: *scope,
                    by: by.0.clone(),
                    name: by.1.clone(),
                    reason: by.2.clone(),
                };
                let (after, _) = self.command(&approval.tenant, approval.id, command).await?;
                revoked += usize::from(after.status() == Status::Revoked);
            }
            if !full {
                return Ok(revoked);
            }
        }
    }

    /// The name of somebody who may stop calls: a managing credential, Placet itself, or a steward.
    async fn may_stop(&self, tenant: Option<&TenantId>, by: &Actor) -> Result<Option<String>, HoldError> {
        let needs = || match tenant {
            Some(tenant) => self.policy_of(tenant).stewards().to_vec(),
            None => Vec::new(),
        };
        match (tenant, by) {
            (_, Actor::Placet) | (Some(_), Actor::Manager(_)) => Ok(None),
            (Some(tenant), Actor::Account(identity)) => {
                let needs = needs();
                match self.standing(tenant, identity, &needs).await {
                    Standing::None(why) => Err(HoldError::Refused(Refusal::NoStanding(why))),
                    Standing::Member(member) if member.roles.iter().any(|role| needs.contains(role)) => {
                        Ok(Some(member.name))
                    }
                    Standing::Member(_) => Err(HoldError::Refused(Refusal::NotAllowed { needs })),
                }
            }
            (None, Actor::Manager(_) | Actor::Account(_)) | (_, Actor::Agent(_) | Actor::Executor(_)) => {
                Err(HoldError::Refused(Refusal::NotAllowed { needs: needs() }))
            }
        }
    }

    /// The name of whoever chose a remembered yes, if this is one of them.
    async fn chose(
        &self,
        tenant: &TenantId,
        id: RequestId,
        by: &Actor,
    ) -> Result<Option<String>, StoreError> {
        let Actor::Account(identity) = by else { return Ok(None) };
        let Standing::Member(member) = self.standing(tenant, identity, &[]).await else { return Ok(None) };
        let query = RememberedQuery {
            tenant: tenant.clone(),
            session: None,
            standing_at: Some(self.parts.clock.now()),
            limit: REMEMBERED_MAX,
        };
        let found = self.parts.store.remembered(query).await?;
        let Some(remembered) = found.into_iter().find(|remembered| remembered.id == id) else {
            return Ok(None);
        };
        let policy = self.policy_of(tenant);
        let person = |identity: &Identity| -> Option<PersonId> {
            match policy.people().behind(identity) {
                Standing::Member(Member { person, .. }) => Some(person),
                Standing::None(_) => None,
            }
        };
        let own = remembered.by.iter().any(|chooser| person(chooser).as_ref() == Some(&member.person));
        Ok(own.then_some(member.name))
    }
}
