//! Guards against asking people too often. Who is asked about everything approves everything.
//!
//! In this order: what people chose to remember is not asked; what they said no to a moment ago is not asked again, unless
//! the agent says that it asks again; what differs in nothing from a call that waits stands on its card; and an agent that
//! has had its share of cards is stopped.

use std::sync::Arc;

use crate::approval::{
    Actor, Approval, Before, Beside, Command, ExpiredHow, Follows, Proposal, RejectedBy, State, Status,
};
use crate::call::CallDigest;
use crate::gate::Gate;
use crate::hold::{Hold, HoldScope};
use crate::id::{HoldId, RequestId, TenantId};
use crate::policy::{Fatigue, Policy, Verdict};
use crate::ports::{Lately, RecentQuery, RememberedQuery, RequestQuery, StoreError};
use crate::time::{Timestamp, Ttl};

/// How long a time-out is remembered for the next card of the same call.
const ASKED_BEFORE: Ttl = Ttl::from_secs(24 * 3600);

/// How many requests of one call are looked through for one that waits: more than one card can stand for.
const SAME_CALLS_MAX: u32 = 64;

/// How many remembered yeses of one session are looked through: people remember a handful.
const REMEMBERED_MAX: u32 = 100;

/// What is done with a call that people would be asked about.
pub(super) struct Course {
    /// The command that the request begins with.
    pub(super) judgement: Command,
    /// Another request that it changes.
    pub(super) beside: Option<Beside>,
}

/// A call that people would be asked about, and what it is judged by.
pub(super) struct Case<'a> {
    pub(super) tenant: &'a TenantId,
    pub(super) policy: &'a Policy,
    pub(super) verdict: &'a Arc<Verdict>,
    pub(super) digest: CallDigest,
    pub(super) now: Timestamp,
}

impl Gate {
    /// What is done with a call that people would be asked about. What became of the same call before goes into the
    /// proposal, for the card.
    pub(super) async fn course(
        &self,
        case: &Case<'_>,
        proposal: &mut Proposal,
    ) -> Result<Course, StoreError> {
        let verdict = || Arc::clone(case.verdict);
        let alone = |judgement| Course { judgement, beside: None };
        let same = self.same_calls(case).await?;
        let fatigue = case.policy.fatigue();
        if let Some(denied) = self.denied_lately(&same, fatigue, case).await? {
            if !proposal.ask_again {
                let Denied { earlier, reason } = denied;
                return Ok(alone(Command::DenyAgain { verdict: verdict(), earlier, reason }));
            }
            // Whatever was remembered: they said no to this very call.
            let how = Before::Denied { reason: denied.reason };
            proposal.follows = Some(Follows { request: denied.earlier, how });
        } else if let Some(scope) = self.remembered_for(case, proposal).await? {
            return Ok(alone(Command::Recall { verdict: verdict(), scope }));
        } else {
            proposal.follows =
                same.iter().find(|last| !was_dropped(last)).and_then(|last| timed_out(last, case.now));
        }
        let judgement = Command::Require { verdict: verdict() };
        if fatigue.share_identical
            && let Some(leader) = same.iter().find(|other| is_alike(other, proposal))
        {
            return Ok(Course { judgement, beside: Some(Beside::Join(leader.id)) });
        }
        match self.too_many(case, proposal, fatigue).await? {
            Some(why) => Ok(alone(Command::CannotAsk { verdict: verdict(), why })),
            None => Ok(alone(judgement)),
        }
    }

    /// The remembered yes that covers the call; whether it still stands is read again inside the transaction.
    async fn remembered_for(
        &self,
        case: &Case<'_>,
        proposal: &Proposal,
    ) -> Result<Option<RequestId>, StoreError> {
        let (Some(session), Some(_), false) =
            (&proposal.session, &case.verdict.remember, case.verdict.always_ask)
        else {
            return Ok(None);
        };
        let query = RememberedQuery {
            tenant: case.tenant.clone(),
            session: Some((proposal.call.agent.clone(), session.clone())),
            standing_at: Some(case.now),
            limit: REMEMBERED_MAX,
        };
        let found = self.parts.store.remembered(query).await?;
        let fits = found.iter().find(|yes| yes.covers(case.tenant, proposal, case.verdict, case.now));
        Ok(fits.map(|remembered| remembered.id))
    }

    /// Requests of the very same call, newest first.
    async fn same_calls(&self, case: &Case<'_>) -> Result<Vec<Approval>, StoreError> {
        let query = RequestQuery {
            tenant: Some(case.tenant.clone()),
            digest: Some(case.digest),
            limit: SAME_CALLS_MAX,
            ..RequestQuery::default()
        };
        self.parts.store.list(query).await
    }

    /// The no that answers this call as well: counted from when people said it, however often it was repeated since.
    async fn denied_lately(
        &self,
        same: &[Approval],
        fatigue: &Fatigue,
        case: &Case<'_>,
    ) -> Result<Option<Denied>, StoreError> {
        // What was taken back, or still waits, says nothing of what people think.
        let decided =
            same.iter().find(|other| !was_dropped(other) && other.status() != Status::WaitingApproval);
        let Some(Approval { id, state: State::Rejected(last), .. }) = decided else { return Ok(None) };
        let (earlier, reason, at) = match &last.by {
            RejectedBy::Votes { reason } => (*id, reason.clone(), last.at),
            RejectedBy::Earlier { request, reason } => {
                match self.parts.store.load(case.tenant, *request).await {
                    Ok(Approval { state: State::Rejected(first), .. }) => {
                        (*request, reason.clone(), first.at)
                    }
                    Ok(_) | Err(StoreError::NotFound) => return Ok(None),
                    Err(fault) => return Err(fault),
                }
            }
            RejectedBy::Policy { .. } | RejectedBy::NoApprover { .. } => return Ok(None),
        };
        let is_late = case.now.since(at) >= fatigue.denied_again_within;
        Ok((!is_late).then_some(Denied { earlier, reason }))
    }

    /// Why no more cards are posted for this agent; its run is stopped then, and operators are told.
    async fn too_many(
        &self,
        case: &Case<'_>,
        proposal: &Proposal,
        fatigue: &Fatigue,
    ) -> Result<Option<String>, StoreError> {
        let lately = self.lately(case.tenant, proposal, case.digest, case.now).await?;
        // The agent reads this too, so that it tells no limit (R2).
        let why = if proposal.run.is_some() && lately.run_cards >= fatigue.cards_per_run {
            "people were asked about this run as often as the policy lets them be"
        } else if lately.recent.cards >= fatigue.cards_per_hour {
            "people were asked by this agent as often within an hour as the policy lets them be"
        } else {
            return Ok(None);
        };
        let why = why.to_owned();
        let scope = match &proposal.run {
            Some(step) => HoldScope::Run { agent: proposal.call.agent.clone(), run: step.run.clone() },
            // Without a run there is nothing smaller to stop than the agent.
            None => HoldScope::Agent(proposal.call.agent.clone()),
        };
        let hold = Hold {
            id: HoldId::mint(case.now, &*self.parts.entropy),
            tenant: Some(case.tenant.clone()),
            scope,
            by: Actor::Placet,
            name: None,
            reason: why.clone(),
            since: case.now,
            lifted: None,
        };
        self.parts.store.hold(hold).await?;
        self.parts.wakes.work();
        Ok(Some(why))
    }

    /// What the agent did lately.
    pub(super) async fn lately(
        &self,
        tenant: &TenantId,
        proposal: &Proposal,
        digest: CallDigest,
        now: Timestamp,
    ) -> Result<Lately, StoreError> {
        let query = RecentQuery {
            tenant: tenant.clone(),
            agent: proposal.call.agent.clone(),
            tool: proposal.call.full_name(),
            digest,
            run: proposal.run.as_ref().map(|step| step.run.clone()),
            now,
        };
        self.parts.store.recent(query).await
    }
}

/// A no that answers the same call again.
struct Denied {
    earlier: RequestId,
    reason: Option<String>,
}

/// Whether it was taken back before people had said anything that stands.
const fn was_dropped(other: &Approval) -> bool {
    matches!(other.status(), Status::Revoked)
}

/// The same call's last request, if time ran out on it lately before anybody decided.
fn timed_out(last: &Approval, now: Timestamp) -> Option<Follows> {
    let State::Expired(expired) = &last.state else { return None };
    let how = match expired.how {
        ExpiredHow::Unanswered => Before::Unanswered,
        ExpiredHow::Unasked => Before::Unasked,
        ExpiredHow::Unused => return None,
    };
    (now.since(expired.at) <= ASKED_BEFORE).then_some(Follows { request: last.id, how })
}

/// Whether a request that waits has a card of its own on which this one can stand: it differs in nothing but the step.
fn is_alike(other: &Approval, proposal: &Proposal) -> bool {
    other.status() == Status::WaitingApproval
        && other.shares.is_none()
        && proposal.run.is_some()
        && other.proposal.differs_in_nothing(proposal)
}
