//! What one person wants to know of Placet: what waits for them, what they decided, and what they are here.

use crate::approval::{Approval, Assurance, Ballot, Command, Decision, Status, Vote};
use crate::card::StoppedView;
use crate::gate::Gate;
use crate::gate::hold::first_on;
use crate::hold::Hold;
use crate::id::{HoldId, RequestId, SurfaceName, TenantId};
use crate::inbound::MessageRef;
use crate::person::{Identity, Member, Standing};
use crate::ports::{RequestQuery, StoreError};

/// Requests that are looked at: of those that wait the most urgent, and of those that were decided the newest. More than wait
/// anywhere, and as many decisions as anybody looks back on.
const LOOKED_AT_MAX: u32 = 500;

/// Decisions that are given.
const DECIDED_MAX: usize = 10;

/// What one person wants to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Home {
    /// What the account is worth, with all its roles.
    pub standing: Standing,
    /// What they may decide now, the most urgent first.
    pub waiting: Vec<Approval>,
    /// What they said lately, the last first.
    pub decided: Vec<(Approval, Vote)>,
}

/// What all homes of a tenant are made of, read once for as many of them as there are to make.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeGround {
    tenant: TenantId,
    /// What waits.
    asked: Vec<Approval>,
    /// What no longer does.
    decided: Vec<Approval>,
    /// The stops that stand.
    stops: Vec<Hold>,
}

impl HomeGround {
    /// Which requests there are, in which version each, and which stops stand: where these are the same, nothing that a home
    /// shows has happened.
    #[must_use]
    pub fn versions(&self) -> (Vec<(RequestId, u64)>, Vec<HoldId>) {
        let all = self.asked.iter().chain(&self.decided);
        let requests = all.map(|approval| (approval.id, approval.version)).collect();
        (requests, self.stops.iter().map(|hold| hold.id).collect())
    }

    /// What is told of the stop that keeps a request's call from being started, where there is one and it could still be.
    #[must_use]
    pub fn stopped(&self, approval: &Approval, gate: &Gate) -> Option<StoppedView> {
        first_on(&self.stops, approval).map(|hold| StoppedView::of(hold, gate.redactor()))
    }
}

impl Gate {
    /// What this account wants to know. Nothing waits for one without standing.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn home(&self, tenant: &TenantId, identity: &Identity) -> Result<Home, StoreError> {
        Ok(self.home_on(&self.home_ground(tenant).await?, identity).await)
    }

    /// What all homes of a tenant are made of.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn home_ground(&self, tenant: &TenantId) -> Result<HomeGround, StoreError> {
        let all = |statuses: Vec<Status>| RequestQuery {
            tenant: Some(tenant.clone()),
            statuses,
            limit: LOOKED_AT_MAX,
            ..RequestQuery::default()
        };
        // The most urgent, for those are what a home must show.
        let asked = RequestQuery { soonest: true, ..all(vec![Status::WaitingApproval]) };
        let asked = self.store().list(asked).await?;
        let decided_in =
            Status::ALL.into_iter().filter(|status| *status != Status::WaitingApproval).collect();
        let decided = self.store().list(all(decided_in)).await?;
        let stops = self.stops_of(tenant).await?;
        Ok(HomeGround { tenant: tenant.clone(), asked, decided, stops })
    }

    /// As [`Gate::home`], of what was read before.
    pub async fn home_on(&self, ground: &HomeGround, identity: &Identity) -> Home {
        let standing = self.who_is(&ground.tenant, identity).await;
        let Standing::Member(member) = &standing else {
            return Home { standing, waiting: Vec::new(), decided: Vec::new() };
        };
        let mut waiting = Vec::new();
        // What stands on another's card is decided there.
        for approval in ground.asked.iter().filter(|approval| approval.shares.is_none()) {
            if self.waits_for(approval, identity).await {
                waiting.push(approval.clone());
            }
        }
        waiting.sort_by_key(|approval| (approval.due(), approval.id));
        let all = ground.asked.iter().chain(&ground.decided);
        let said = all.filter_map(|approval| Some((own_vote(approval, identity, member)?, approval)));
        let mut decided: Vec<(Approval, Vote)> =
            said.map(|(vote, approval)| (approval.clone(), vote)).collect();
        decided.sort_by_key(|(_, vote)| std::cmp::Reverse(vote.at));
        decided.truncate(DECIDED_MAX);
        Home { standing, waiting, decided }
    }

    /// The message of this surface that shows the card of a request, with the thread that it was to stand in; none where
    /// there is none yet.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn card_message(
        &self,
        approval: &Approval,
        surface: &SurfaceName,
    ) -> Result<Option<(MessageRef, Option<String>)>, StoreError> {
        let rows = self.store().cards_of(&approval.tenant, approval.card_owner()).await?;
        let mut here = rows.into_iter().filter(|row| row.place.surface == *surface);
        Ok(here.find_map(|row| Some((row.messages.into_iter().next()?.message, row.place.thread))))
    }

    async fn waits_for(&self, approval: &Approval, identity: &Identity) -> bool {
        let Some(surface) = approval.places().into_iter().next().map(|place| place.surface) else {
            return false;
        };
        let command = Command::Vote(supposed(identity.clone(), surface));
        let facts = self.facts(approval, &command).await;
        approval.awaits(identity, &facts, self.clock().now())
    }
}

/// A yes that nobody gave: only so that what it would rest on is read.
const fn supposed(identity: Identity, surface: SurfaceName) -> Ballot {
    Ballot {
        identity,
        decision: Decision::Approve,
        note: None,
        surface,
        assurance: Assurance::Signed,
        shown: None,
        remember: false,
        given_on: None,
        sign: None,
    }
}

/// The last that this person said about it.
fn own_vote(approval: &Approval, identity: &Identity, member: &Member) -> Option<Vote> {
    let is_own = |vote: &&Vote| vote.identity == *identity || vote.person == member.person;
    approval.votes.iter().rev().find(is_own).cloned()
}
