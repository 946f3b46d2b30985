//! One card for several requests that differ in nothing.
//!
//! The oldest has the card, the *leader*; those that come later stand on it, its *followers*. A yes covers as many of
//! them as the card named when it was shown, a no all of them. While the leader is asked its followers wait; when it is
//! over, each is told once what was said of it there, in the commit that ended the leader. Of those that this does not
//! decide the first gets a card of its own, and the others stand on it, so that nobody waits on a card that is gone.

use crate::approval::asking::same_denial;
use crate::approval::command::{Ballot, Facts};
use crate::approval::decide::Draft;
use crate::approval::state::{Decision, State, Vote, Waiting};
use crate::approval::{Approval, Refusal};
use crate::call::CallDigest;
use crate::id::{DeliveryKey, RequestId};
use crate::inbound::{Act, Inbound};
use crate::person::NoStanding;
use crate::record::EventKind;
use crate::time::Timestamp;

/// The most requests that one card stands for beside its own: as many calls as one press can answer for.
pub(super) const FOLLOWERS_MAX: usize = 49;

/// What people said on the card that is over.
pub(super) struct Said<'a> {
    /// Whose card it was.
    pub(super) leader: RequestId,
    /// Its call.
    pub(super) digest: CallDigest,
    /// What they said there that covers this one.
    pub(super) ballots: &'a [Ballot],
    /// How many escalation steps were taken there.
    pub(super) escalations: u32,
}

impl Approval {
    /// Whether `other`, which has just been asked about, could stand on this one's card: people would read the same.
    #[must_use]
    pub fn could_share(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (&self.verdict, &other.verdict) else { return false };
        // Only when it was asked, and what happened lately, may differ.
        let mut own = (**own).clone();
        own.circumstances.clone_from(&others.circumstances);
        matches!((&self.state, &other.state), (State::WaitingApproval(_), State::WaitingApproval(_)))
            && self.id != other.id
            && self.tenant == other.tenant
            && self.digest == other.digest
            && same_denial(self.proposal.follows.as_ref(), other.proposal.follows.as_ref())
            && self.proposal.differs_in_nothing(&other.proposal)
            && own == **others
    }

    /// A later request is to stand on this one's card.
    pub(super) fn join(
        &self,
        draft: &mut Draft,
        waiting: &Waiting,
        follower: RequestId,
    ) -> Result<(), Refusal> {
        if draft.now() >= waiting.until {
            return Err(Refusal::TooLate);
        }
        if self.followers.contains(&follower) {
            return Ok(());
        }
        if self.shares.is_some() || follower == self.id || self.followers.len() >= FOLLOWERS_MAX {
            return Err(Refusal::OutOfOrder { status: self.status(), command: "join".to_owned() });
        }
        draft.add(EventKind::Joined { follower })?;
        Ok(())
    }

    /// This request stands on another's card from now on.
    pub(in crate::approval) fn share(
        &self,
        leader: RequestId,
        now: Timestamp,
    ) -> Result<super::Transition, Refusal> {
        let mut draft = Draft::of(self, now.max(self.last_event_at));
        draft.add(EventKind::SharesCard { leader: Some(leader) })?;
        Ok(draft.done())
    }

    /// The card that it shared is over: what was said there counts, each word as if it were said now; a vote that does not
    /// count here any more is left out.
    pub(super) fn follow(
        &self,
        draft: &mut Draft,
        waiting: &Waiting,
        said: &Said<'_>,
        facts: &Facts,
    ) -> Result<(), Refusal> {
        if self.shares != Some(said.leader) || draft.now() >= waiting.until {
            return Ok(());
        }
        self.overdue(draft)?;
        let same_call = said.digest == self.digest;
        if same_call {
            // Whom the card had asked by then, it had asked about this one too.
            draft.approval().clone().escalate(draft, said.escalations)?;
        }
        let same = said.ballots.iter().filter(|ballot| same_call && ballot.given_on == Some(said.leader));
        for ballot in same {
            if !matches!(draft.approval().state, State::WaitingApproval(_)) {
                break;
            }
            match draft.approval().clone().cast(draft, ballot, facts) {
                Err(Refusal::FactsStale) => return Err(Refusal::FactsStale),
                // A no is about all of them: it is not lost because the account cannot be read just now.
                Err(Refusal::NoStanding(NoStanding::Unreadable { .. }))
                    if ballot.decision == Decision::Deny =>
                {
                    return Err(Refusal::FactsStale);
                }
                Ok(()) | Err(_) => {}
            }
        }
        if matches!(draft.approval().state, State::WaitingApproval(_)) {
            draft.add(EventKind::SharesCard { leader: None })?;
        }
        Ok(())
    }

    /// What each follower is told now that this one is over.
    pub(in crate::approval) fn told_to_followers(&self) -> Vec<Inbound> {
        let told = self.followers.iter().enumerate().filter_map(|(place, follower)| {
            if self.gone.contains(follower) {
                return None;
            }
            let delivery = DeliveryKey::new(format!("shared:{}:{follower}", self.id)).ok()?;
            let ballots = self.votes.iter().filter(|vote| covers(vote, place));
            let ballots = ballots.map(|vote| self.handed_on(vote)).collect();
            Some(Inbound {
                delivery,
                at: self.last_event_at,
                tenant: self.tenant.clone(),
                request: *follower,
                message: None,
                reply: None,
                act: Act::Follow {
                    leader: self.id,
                    digest: self.digest,
                    ballots,
                    escalations: self.escalations,
                },
            })
        });
        told.collect()
    }

    fn handed_on(&self, vote: &Vote) -> Ballot {
        Ballot {
            identity: vote.identity.clone(),
            decision: vote.decision,
            note: vote.note.clone(),
            surface: vote.surface.clone(),
            assurance: vote.assurance,
            shown: vote.shown,
            remember: false,
            given_on: Some(self.id),
            sign: None,
        }
    }
}

/// Whether a vote on the card was about the follower in this place too. A no needs no reading, and is about the call.
fn covers(vote: &Vote, place: usize) -> bool {
    vote.decision == Decision::Deny || place < vote.covers as usize
}
