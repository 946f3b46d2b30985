//! What stops calls that were approved or would run unasked: emergency stops, and taking back what was remembered.

use crate::approval::{Actor, Approval, ApprovedBy, Command, Refusal, State, Status};
use crate::card::{CardView, StoppedView};
use crate::gate::Gate;
use crate::gate::consult::HOLDS_MAX;
use crate::gate::known::{Doubt, several};
use crate::gate::propose::POLICY_TRIES;
use crate::hold::{Hold, HoldScope, Lifted};
use crate::id::{HoldId, PersonId, RequestId, TenantId};
use crate::person::{Identity, Member, Standing};
use crate::ports::{HoldQuery, RememberedQuery, RequestQuery, StoreError};
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
    /// A pattern: a stop covers exactly what it names.
    #[error("{}", pattern(.written, .meant))]
    Pattern {
        /// As it was written.
        written: String,
        /// The known tools that it means, by their full names.
        meant: Vec<String>,
    },
    /// There is none of that id that stands.
    #[error("there is none of that id that stands")]
    NotThere,
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A stop, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// What stands.
    pub hold: Hold,
    /// Whether it stood before: then its reason, and who placed it, are those from then.
    pub stood: bool,
    /// What may be wrong with it: it stands all the same.
    pub doubt: Option<Doubt>,
}

fn pattern(written: &str, meant: &[String]) -> String {
    let known = match meant {
        [] => "no known tool has a name like that".to_owned(),
        meant => format!("known tools that it means: {}", several(meant)),
    };
    format!(
        "a stop covers one tool by its name, and `{written}` is a pattern; name each tool in full ({known})"
    )
}

/// Whether a request's call could still be started.
fn could_start(approval: &Approval) -> bool {
    matches!(approval.status(), Status::WaitingApproval | Status::Approved)
}

/// The first of these stops that keeps a request's call from being started, if it could still be.
pub(super) fn first_on<'a>(stops: &'a [Hold], approval: &Approval) -> Option<&'a Hold> {
    let covers = |hold: &&Hold| hold.covers(&approval.tenant, &approval.proposal);
    stops.iter().find(covers).filter(|_| could_start(approval))
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
    ) -> Result<Placed, HoldError> {
        let name = self.may_stop(tenant, &by).await?;
        if let Some((written, meant)) = self.meant_by_pattern(tenant, &scope).await? {
            return Err(HoldError::Pattern { written, meant });
        }
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
        let wanted = hold.id;
        let hold = self.parts.store.hold(hold).await?;
        let stood = hold.id != wanted;
        self.parts.wakes.work();
        if !stood {
            tracing::warn!(
                hold.id = %hold.id,
                hold.by = %hold.by,
                tenant = hold.tenant.as_ref().map(tracing::field::display),
                "stopped: {}",
                hold.scope
            );
        }
        // It stands, whether or not this can be told.
        let doubt = self.doubt(&hold).await.unwrap_or_else(|fault| {
            tracing::warn!(error = %fault, "it cannot be told whether what was stopped is known");
            None
        });
        Ok(Placed { hold, stood, doubt })
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

    /// The stop that keeps a request's call from being started, where there is one and it could still be.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stop_on(&self, approval: &Approval) -> Result<Option<Hold>, StoreError> {
        if !could_start(approval) {
            return Ok(None);
        }
        let holds = self.stops_of(&approval.tenant).await?;
        Ok(first_on(&holds, approval).cloned())
    }

    /// The stops that stand and concern a tenant's calls.
    pub(super) async fn stops_of(&self, tenant: &TenantId) -> Result<Vec<Hold>, StoreError> {
        let tenant = Some(tenant.clone());
        self.parts
            .store
            .holds(HoldQuery { tenant, only_standing: true, before: None, limit: HOLDS_MAX })
            .await
    }

    /// What a card is told of that stop.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stopped(&self, approval: &Approval) -> Result<Option<StoppedView>, StoreError> {
        let hold = self.stop_on(approval).await?;
        Ok(hold.map(|hold| StoppedView::of(&hold, &self.parts.redactor)))
    }

    /// A request's card as it stands, with the stop that covers it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn view_as_stopped(&self, approval: &Approval) -> Result<CardView, StoreError> {
        Ok(CardView { stopped: self.stopped(approval).await?, ..self.view(approval) })
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
        match (tenant, by) {
            (_, Actor::Placet) | (Some(_), Actor::Manager(_)) => Ok(None),
            (Some(tenant), Actor::Account(identity)) => self.is_steward(tenant, identity).await.map(Some),
            (None, Actor::Manager(_) | Actor::Account(_)) | (_, Actor::Agent(_) | Actor::Executor(_)) => {
                let needs = tenant.map_or_else(Vec::new, |tenant| self.policy_of(tenant).stewards().to_vec());
                Err(HoldError::Refused(Refusal::NotAllowed { needs }))
            }
        }
    }

    /// The name of a person who is a steward, by the policy in force once their account was read.
    async fn is_steward(&self, tenant: &TenantId, identity: &Identity) -> Result<String, HoldError> {
        let mut tries = 0;
        loop {
            let policy = self.policy_of(tenant);
            let needs = policy.stewards().to_vec();
            let standing = self.standing((tenant, &policy), identity, &needs).await;
            tries += 1;
            if !self.is_in_force(tenant, &policy) && tries < POLICY_TRIES {
                continue;
            }
            return match standing {
                Standing::None(why) => Err(HoldError::Refused(Refusal::NoStanding(why))),
                Standing::Member(member) if member.roles.iter().any(|role| needs.contains(role)) => {
                    Ok(member.name)
                }
                Standing::Member(_) => Err(HoldError::Refused(Refusal::NotAllowed { needs })),
            };
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
        let policy = self.policy_of(tenant);
        let Standing::Member(member) = self.standing((tenant, &policy), identity, &[]).await else {
            return Ok(None);
        };
        let query = RememberedQuery {
            tenant: tenant.clone(),
            session: None,
            standing_at: Some(self.parts.clock.now()),
            before: None,
            limit: REMEMBERED_MAX,
        };
        let found = self.parts.store.remembered(query).await?;
        let Some(remembered) = found.into_iter().find(|remembered| remembered.id == id) else {
            return Ok(None);
        };
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
