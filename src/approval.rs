//! A request and its life: nine states, one table of transitions, and everything that people said about it.
//!
//! [`Approval::decide`] is pure: a command, facts and the time give a [`Transition`] or a named [`Refusal`]. A
//! transition is a list of trace events and the state they lead to; [`Approval::rebuild`] folds the same events
//! again, so that the trace alone tells every state.

mod announce;
pub mod asking;
mod awaits;
pub mod command;
pub mod commit;
pub mod decide;
mod evolve;
pub mod proposal;
pub mod quorum;
pub mod refusal;
pub(crate) mod seats;
pub mod state;
pub mod talk;
mod unasked;
mod vote;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::{ArgsHash, CallDigest};
use crate::id::{RequestId, Role, ShortCode, TenantId};
use crate::notice::Unreached;
use crate::person::Identity;
use crate::policy::{Place, Verdict};
use crate::time::Timestamp;

pub use asking::{Guards, Lookback};
pub use command::{Actor, Alone, Ballot, ClaimOrder, Command, Delivery, Facts, Freeze, Inside, Report};
pub use commit::{
    Also, Around, Beginning, Change, Committed, Effects, Opened, Opening, Order, Replaces, Wants,
};
pub use decide::Transition;
pub use evolve::Inconsistent;
pub use proposal::{Before, Edited, Evidence, Follows, Proposal, Requester, RunStep};
pub(crate) use quorum::Asked;
pub use quorum::{Need, Tally};
pub use refusal::Refusal;
pub use state::{
    ApprovedBy, Assurance, BrokenGlass, Claim, Decision, ExpiredHow, Outcome, OutcomeKind, RejectedBy,
    Rendering, Reviewed, RevokedWhy, Settlement, State, Status, Vote,
};
pub use talk::{Addressee, GivenAnswer, Looking, Question};
pub use unasked::Unasked;

/// One request as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// Its id (`approval_id`).
    pub id: RequestId,
    /// Whose it is.
    pub tenant: TenantId,
    /// What people call it.
    pub code: ShortCode,
    /// What was proposed; never changes.
    pub proposal: Arc<Proposal>,
    /// What votes, claims and grants compare.
    pub digest: CallDigest,
    /// The arguments' own hash.
    pub args_hash: ArgsHash,
    /// What the policy said of it, once it was asked.
    pub verdict: Option<Arc<Verdict>>,
    /// Where it stands.
    pub state: State,
    /// What people said, in the order they said it; taken back or lapsed votes are gone.
    pub votes: Vec<Vote>,
    /// What was shown of it, to whom; a yes counts only on a full rendering.
    pub renderings: Vec<Rendering>,
    /// Whether any surface acknowledged a card.
    pub card_delivered: bool,
    /// Alarms raised, so that each is raised once.
    pub alarms: Vec<Alarm>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When its last event happened; time never runs backwards within a request.
    pub last_event_at: Timestamp,
    /// The guard version: one more with every write; an UPDATE that does not match it is decided again.
    pub version: u64,
    /// One more with every change that people should see on the card.
    pub revision: u64,
    /// When a refusal was last recorded, per account and kind, so that a flood of clicks does not flood the trace.
    pub refusals: BTreeMap<String, Timestamp>,
    /// The older request on whose card this one stands as well, because the two differ in nothing; none where it has a
    /// card of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<RequestId>,
    /// Later requests that stand on this one's card, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub followers: Vec<RequestId>,
    /// Those of them that were over by themselves; they keep their places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<RequestId>,
    /// The older request on whose card this one has a part with buttons of its own; none where it was not gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gathered_on: Option<RequestId>,
    /// Later requests that have a part of this one's card, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gathered: Vec<RequestId>,
    /// Escalation steps taken so far: the roles of these may decide beside those of the stage.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub escalations: u32,
    /// A decision of one person alone, in an emergency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glass: Option<BrokenGlass>,
    /// Who wants the very same call asked about again, although people said no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_anew: Option<Identity>,
    /// Who could not be told something about it, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<Unreached>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Something that an operator must know of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alarm {
    /// Nobody has decided for longer than the terms' `alarm_after`.
    WaitsLong,
    /// A card could not be delivered, or a copy of it could not be corrected.
    CardUndeliverable,
    /// It was started, and nobody knows how it ended.
    OutcomeUnknown,
    /// Somebody decided alone in an emergency, and nobody else has reviewed it yet.
    GlassBroken,
    /// Somebody could not be told what they were to be told about it.
    MessageUndelivered,
}

impl Alarm {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::WaitsLong,
        Self::CardUndeliverable,
        Self::OutcomeUnknown,
        Self::GlassBroken,
        Self::MessageUndelivered,
    ];

    /// Its name in logs, gauges and the trace.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WaitsLong => "waits_long",
            Self::CardUndeliverable => "card_undeliverable",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::GlassBroken => "glass_broken",
            Self::MessageUndelivered => "message_undelivered",
        }
    }
}

impl Approval {
    /// Where it stands, without the data.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.state.status()
    }

    /// When a tick next has something to do; none when time changes nothing any more.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        match &self.state {
            State::WaitingApproval(waiting) => {
                let next = self.next_overdue(waiting).map_or(waiting.until, |(at, _)| at);
                Some(next.min(waiting.until))
            }
            State::Approved(approved) => Some(approved.until),
            State::Executing(executing) => Some(executing.claim.lease_until),
            State::Proposed
            | State::PolicyChecking
            | State::Rejected(_)
            | State::Executed(_)
            | State::Expired(_)
            | State::Revoked(_) => None,
        }
    }

    /// Whether it can still change without somebody settling or reviewing it.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.status().is_open()
    }

    /// Alarms that were raised and not answered since: an unknown outcome's is answered by whoever settles it, a broken
    /// glass's by whoever reviews it.
    pub fn standing_alarms(&self) -> impl Iterator<Item = Alarm> + '_ {
        let is_answered = |alarm: &Alarm| match alarm {
            Alarm::OutcomeUnknown => !self.is_unknown(),
            Alarm::GlassBroken => !self.awaits_review(),
            Alarm::WaitsLong | Alarm::CardUndeliverable | Alarm::MessageUndelivered => false,
        };
        self.alarms.iter().copied().filter(move |alarm| !is_answered(alarm))
    }

    /// Since when nothing is open about it any more; none while it can still go on, nobody knows how it ended, or what
    /// one person decided alone is not reviewed.
    #[must_use]
    pub fn over_at(&self) -> Option<Timestamp> {
        (!self.is_open() && !self.is_unknown() && !self.awaits_review()).then_some(self.last_event_at)
    }

    /// Whether one person decided alone, and nobody else has reviewed it yet.
    #[must_use]
    pub fn awaits_review(&self) -> bool {
        self.glass.as_ref().is_some_and(|glass| glass.reviewed.is_none())
    }

    /// Whether it ran and nobody knows how it ended.
    fn is_unknown(&self) -> bool {
        matches!(&self.state, State::Executed(executed) if executed.outcome.kind == OutcomeKind::Unknown)
    }

    /// Every account whose standing a decision about this rests on: voters, and who is behind it.
    pub fn accounts(&self) -> impl Iterator<Item = &Identity> {
        self.votes.iter().map(|vote| &vote.identity).chain(self.proposal.behind())
    }

    /// The accounts whose word an answer to this command rests on, each once: those must be in good order. Who asked is not
    /// among them, but barred whatever became of their account.
    #[must_use]
    pub fn voices(&self, command: &Command) -> Vec<Identity> {
        if !command.rests_on_accounts() {
            return Vec::new();
        }
        let voters = self.votes.iter().map(|vote| vote.identity.clone());
        let mut identities: Vec<Identity> = voters.chain(command.accounts()).collect();
        identities.extend(self.glass.iter().map(|glass| glass.by.clone()));
        if let State::Approved(state::Approved { by: ApprovedBy::Remembered { by, .. }, .. }) = &self.state {
            identities.extend(by.iter().cloned());
        }
        identities.sort();
        identities.dedup();
        identities
    }

    /// Which votes count at the moment, and what is still needed; none while nothing is asked of people.
    #[must_use]
    pub fn tally(&self, electorate: &crate::person::Electorate) -> Option<Tally> {
        Some(Tally::of(&self.asked()?, &self.votes, electorate, &self.proposal))
    }

    /// Who is asked; none while nobody is.
    pub(crate) fn asked(&self) -> Option<Asked<'_>> {
        let terms = self.verdict.as_ref()?.terms.as_ref()?;
        Some(Asked { terms, escalations: self.escalations })
    }

    /// Whether cards in shared places show its tool and level alone: as the policy said, whether or not anybody was asked.
    #[must_use]
    pub fn is_confidential(&self) -> bool {
        self.verdict.as_deref().is_some_and(Verdict::is_confidential)
    }

    /// The roles whose people may read it where it is confidential, each once; those who look after the installation, and who
    /// asked, may as well.
    #[must_use]
    pub fn readers(&self) -> Vec<Role> {
        self.verdict.as_deref().map_or_else(Vec::new, Verdict::readers)
    }

    /// Whether it has a card of its own.
    #[must_use]
    pub const fn has_card(&self) -> bool {
        self.shares.is_none() && self.gathered_on.is_none()
    }

    /// Where the escalation steps that were taken ask; those that name no place ask where the terms do.
    fn places_of_steps(&self) -> Vec<Place> {
        let Some(asked) = self.asked() else { return Vec::new() };
        let of_step = |step: &'_ crate::policy::EscalationStep| {
            if step.places.is_empty() { asked.terms.places.clone() } else { step.places.clone() }
        };
        let mut places: Vec<Place> =
            asked.steps().iter().flat_map(of_step).map(|place| self.proposal.placed(&place)).collect();
        places.sort();
        places.dedup();
        places
    }

    /// Where its card stands, or would if it had one of its own: the places of the terms, and of each escalation step
    /// taken.
    #[must_use]
    pub fn places(&self) -> Vec<Place> {
        let Some(asked) = self.asked() else { return Vec::new() };
        let mut places: Vec<Place> = Vec::new();
        for place in asked.terms.places.iter().chain(asked.steps().iter().flat_map(|step| &step.places)) {
            let place = self.proposal.placed(place);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// Whose card shows it: its own, or that of the request that it shares one with or is gathered on.
    #[must_use]
    pub fn card_owner(&self) -> RequestId {
        self.shares.or(self.gathered_on).unwrap_or(self.id)
    }

    /// The tally as the votes stood when they were given, for cards: no fresh facts needed.
    #[must_use]
    pub fn tally_as_voted(&self) -> Option<Tally> {
        Some(Tally::as_voted(self.asked()?.terms, &self.votes))
    }
}

#[cfg(test)]
pub(crate) mod tests;
