//! One card for several requests that can wait a little, each with buttons of its own.
//!
//! The first of them has the card, which is posted once the policy's `gather` is over; those that come until then have a
//! *part* of it. Each is decided by itself. Whatever happens to a part, or to one that shares a card, is told to the
//! request that has the card, in the commit in which it happened, so that the card shows it.

use crate::approval::decide::Draft;
use crate::approval::state::State;
use crate::approval::{Approval, Refusal};
use crate::id::{DeliveryKey, RequestId};
use crate::inbound::{Act, Inbound};
use crate::policy::Terms;
use crate::record::EventKind;
use crate::time::Timestamp;

/// The most parts that a card has beside its own request's: one message must show each call whole.
const PARTS_MAX: usize = 4;

impl Approval {
    /// How long the card of a request that people are asked about from now until then is kept back. What would leave people
    /// less time than it waited is not, nor what was edited or is asked again.
    pub(super) fn kept_back(&self, terms: &Terms, (now, until): (Timestamp, Timestamp)) -> Option<Timestamp> {
        let gather = terms.gather.filter(|_| !terms.places.is_empty())?;
        let at = now + gather;
        let plain = self.proposal.edited.is_none() && self.proposal.follows.is_none();
        (plain && until.since(at) >= gather).then_some(at)
    }

    /// Until when others may be gathered on its card; none where it is posted at once, or has none.
    #[must_use]
    pub fn gathers_until(&self) -> Option<Timestamp> {
        let State::WaitingApproval(waiting) = &self.state else { return None };
        waiting.gathers_until.filter(|_| self.has_card() && self.escalations == 0)
    }

    /// Whether `other`, which has just been asked about, can have a part of this one's card.
    pub(in crate::approval) fn could_gather(&self, other: &Self, now: Timestamp) -> bool {
        let gathers = |approval: &Self| approval.gathers_until().is_some_and(|until| now < until);
        let places = |approval: &Self| {
            let terms = approval.verdict.as_ref().and_then(|verdict| verdict.terms.clone());
            terms.map(|terms| terms.places)
        };
        gathers(self)
            && gathers(other)
            && self.id != other.id
            && self.tenant == other.tenant
            // What one agent asks is measured by its own cards.
            && self.proposal.call.agent == other.proposal.call.agent
            && places(self) == places(other)
            && self.gathered.len() < PARTS_MAX
    }

    /// A later request is to have a part of this one's card.
    pub(super) fn gather(&self, draft: &mut Draft, request: RequestId) -> Result<(), Refusal> {
        if self.gathered.contains(&request) {
            return Ok(());
        }
        let is_open = self.gathers_until().is_some_and(|until| draft.now() < until);
        if !is_open || request == self.id || self.gathered.len() >= PARTS_MAX {
            return Err(Refusal::OutOfOrder { status: self.status(), command: "gather".to_owned() });
        }
        draft.add(EventKind::Gathers { part: request })?;
        Ok(())
    }

    /// This request has a part of another's card.
    pub(in crate::approval) fn be_gathered(
        &self,
        leader: RequestId,
        now: Timestamp,
    ) -> Result<super::Transition, Refusal> {
        let mut draft = Draft::of(self, now.max(self.last_event_at));
        draft.add(EventKind::GatheredOn { leader })?;
        Ok(draft.done())
    }

    /// Something happened to a request that stands on this one's card. Whether that shares it, and is over by itself, only
    /// matters as long as this one is asked about; a part is shown whatever became of this one.
    pub(super) fn part_changed(&self, draft: &mut Draft, part: RequestId, over: bool) -> Result<(), Refusal> {
        let left = over
            && self.followers.contains(&part)
            && !self.gone.contains(&part)
            && matches!(self.state, State::WaitingApproval(_));
        if left || self.gathered.contains(&part) {
            draft.add(EventKind::PartChanged { part, over })?;
        }
        Ok(())
    }

    /// What the request is told on whose card this one stands, now that this one is no longer as it was.
    pub(in crate::approval) fn told_to_leader(&self, before: &Self) -> Option<Inbound> {
        let over = !matches!(self.state, State::WaitingApproval(_));
        let ended = over && matches!(before.state, State::WaitingApproval(_));
        let leader = match (self.gathered_on, self.shares) {
            (Some(leader), _) if self.revision > before.revision => leader,
            // What was decided on the card itself needs no telling there.
            (None, Some(leader)) if ended && self.votes.iter().all(|vote| vote.given_on != Some(leader)) => {
                leader
            }
            _ => return None,
        };
        Some(Inbound {
            delivery: DeliveryKey::new(format!("part:{}:{}", self.id, self.revision)).ok()?,
            at: self.last_event_at,
            tenant: self.tenant.clone(),
            request: leader,
            message: None,
            reply: None,
            act: Act::PartChanged { part: self.id, over },
        })
    }
}
