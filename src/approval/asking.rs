//! Guards against asking people too often, looked at inside the transaction that opens a request, so that of many
//! proposals at once none passes them. Who is asked about everything approves everything.
//!
//! In this order: what people said no to a moment ago is not asked again, unless one of them wants it asked, or the agent
//! says that it asks again; what they chose to remember is not asked; what differs in nothing from a call that waits
//! stands on its card; an agent that has had its share of cards is stopped; and what can wait a little is gathered on one
//! card with others.

use std::sync::Arc;

use crate::approval::state::Rejected;
use crate::approval::{
    Actor, Approval, Before, Command, Decision, ExpiredHow, Follows, Proposal, RejectedBy, State,
};
use crate::hold::{Hold, HoldScope};
use crate::id::{HoldId, TenantId};
use crate::policy::{Fatigue, RECENT, Verdict};
use crate::remembered::Remembered;
use crate::time::{Timestamp, Ttl};

/// How long a time-out is remembered for the next card of the same call.
const ASKED_BEFORE: Ttl = Ttl::from_secs(24 * 3600);

/// What a proposal that people would be asked about is measured against.
#[derive(Debug, Clone, Copy)]
pub struct Guards {
    /// When asking stops.
    pub fatigue: Fatigue,
}

/// What is read inside the transaction before people are asked.
#[derive(Debug, Clone, Default)]
pub struct Lookback {
    /// Requests of the very same call in the same run that wait, each with buttons of its own; newest first.
    pub waiting: Vec<Approval>,
    /// The newest of the very same call to which people said no, where none was let run since.
    pub denied: Option<Approval>,
    /// The newest of the very same call that people or time are done with, where time ran out on it.
    pub timed_out: Option<Approval>,
    /// Remembered yeses of the agent's session that stand.
    pub remembered: Vec<Remembered>,
    /// Cards that were posted for the run, at any time.
    pub run_cards: u32,
    /// Cards that were posted for the agent within the last hour.
    pub cards: u32,
    /// When a run of the agent was last stopped, where that still is.
    pub stopped: Option<Timestamp>,
    /// Requests of the agent that wait whose card is not posted yet, because others may be gathered on it; newest first.
    pub gathering: Vec<Approval>,
}

/// What is done with a call that people would be asked about.
#[derive(Debug)]
pub(super) struct Course {
    /// The command that the request begins with.
    pub(super) judgement: Command,
    /// What became of the same call before, for the card.
    pub(super) follows: Option<Follows>,
}

impl Guards {
    /// What is done with a call that the policy wants people asked about.
    pub(super) fn course(
        &self,
        (tenant, proposal, verdict): (&TenantId, &Proposal, &Arc<Verdict>),
        before: &Lookback,
        now: Timestamp,
    ) -> Course {
        let verdict = || Arc::clone(verdict);
        let mut follows = before.timed_out.as_ref().and_then(|last| timed_out(last, now));
        if let Some((earlier, reason)) = before.denied_lately(&self.fatigue, now) {
            if !proposal.ask_again && earlier.ask_anew.is_none() {
                let (earlier, reason) = (earlier.id, reason.cloned());
                let judgement = Command::DenyAgain { verdict: verdict(), earlier, reason };
                return Course { judgement, follows: None };
            }
            // Whatever was remembered: they said no to this very call.
            let how = denied(earlier, reason.cloned());
            follows = Some(Follows { request: earlier.id, how });
        } else if let Some(yes) =
            before.remembered.iter().find(|yes| yes.covers(tenant, proposal, &verdict(), now))
        {
            let judgement = Command::Recall { verdict: verdict(), scope: yes.id };
            return Course { judgement, follows: None };
        }
        Course { judgement: Command::Require { verdict: verdict() }, follows }
    }

    /// Where the agent has had its share of cards: that nobody is asked, and why.
    pub(super) fn too_many(
        &self,
        (_, proposal, verdict): (&TenantId, &Proposal, &Arc<Verdict>),
        before: &Lookback,
    ) -> Option<(Command, &'static str)> {
        let why = self.exceeded(proposal, before)?;
        Some((Command::CannotAsk { verdict: Arc::clone(verdict), why: why.to_owned() }, why))
    }

    /// The hold on the run from now on, or, without one, on the agent: there is nothing smaller then. Operators are told so;
    /// where one run after the other asks too much within the hour, once.
    pub(super) fn stop(
        &self,
        (tenant, proposal, _): (&TenantId, &Proposal, &Arc<Verdict>),
        (before, id): (&Lookback, HoldId),
        (why, now): (&str, Timestamp),
    ) -> Option<Hold> {
        let by_run = proposal.run.is_some() && before.run_cards >= self.fatigue.cards_per_run;
        if !by_run && before.stopped.is_some_and(|since| now.since(since) < RECENT) {
            return None;
        }
        let agent = proposal.call.agent.clone();
        Some(Hold {
            id,
            tenant: Some(tenant.clone()),
            scope: match &proposal.run {
                Some(step) => HoldScope::Run { agent, run: step.run.clone() },
                None => HoldScope::Agent(agent),
            },
            by: Actor::Placet,
            name: None,
            reason: why.to_owned(),
            since: now,
            lifted: None,
        })
    }

    /// Why no more cards are posted for this agent. The agent reads this too, so that it tells no limit (R2).
    fn exceeded(&self, proposal: &Proposal, before: &Lookback) -> Option<&'static str> {
        if proposal.run.is_some() && before.run_cards >= self.fatigue.cards_per_run {
            Some("people were asked about this run as often as the policy lets them be")
        } else if before.cards >= self.fatigue.cards_per_hour {
            Some("people were asked by this agent as often within an hour as the policy lets them be")
        } else {
            None
        }
    }
}

impl Lookback {
    /// The no that answers this call as well: counted from when people said it, however often it was repeated since, and
    /// whatever became of cards on which nobody said anything.
    fn denied_lately(&self, fatigue: &Fatigue, now: Timestamp) -> Option<(&Approval, Option<&String>)> {
        let denied = self.denied.as_ref()?;
        let State::Rejected(Rejected { by: RejectedBy::Votes { reason }, at }) = &denied.state else {
            return None;
        };
        (now.since(*at) < fatigue.denied_again_within).then_some((denied, reason.as_ref()))
    }
}

/// How people said no to it.
fn denied(earlier: &Approval, reason: Option<String>) -> Before {
    let said = earlier.votes.iter().filter(|vote| vote.decision == Decision::Deny);
    let at = match &earlier.state {
        State::Rejected(rejected) => Some(rejected.at),
        _ => None,
    };
    Before::Denied { reason, by: said.map(|vote| vote.name.clone()).collect(), at }
}

/// Whether two cards would tell of the same no, or of none.
pub(super) fn same_denial(one: Option<&Follows>, other: Option<&Follows>) -> bool {
    let denial = |follows: Option<&Follows>| match follows {
        Some(Follows { request, how: Before::Denied { .. } }) => Some(*request),
        _ => None,
    };
    denial(one) == denial(other)
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
