//! What people are told on account of what happened to a request, and where its card is wanted from now on.

mod after;
mod directly;
mod talk;
mod undelivered;

use crate::approval::{Alarm, Approval, ApprovedBy, State};
use crate::notice::{Message, Notice, Recipient};
use crate::policy::Place;
use crate::record::{Event, EventKind};

/// A request before and after what happened.
pub(super) struct Announced<'a> {
    /// Before; none where it is new.
    pub(super) before: Option<&'a Approval>,
    /// After.
    pub(super) next: &'a Approval,
    /// What happened.
    pub(super) events: &'a [Event],
}

impl Announced<'_> {
    /// The places where a card is wanted that may not have one yet.
    pub(super) fn places(&self) -> Vec<Place> {
        let next = self.next;
        if next.shares.is_some() || !matches!(next.state, State::WaitingApproval(_)) {
            return Vec::new();
        }
        if next.gathered_on.is_some() {
            // What nobody answered among the others has a card of its own where the step asks.
            let escalated = |event: &Event| matches!(event.kind, EventKind::Escalated { .. });
            return if self.events.iter().any(escalated) { next.places_of_steps() } else { Vec::new() };
        }
        let adds = |event: &Event| {
            matches!(
                event.kind,
                EventKind::Requested { .. }
                    | EventKind::Escalated { .. }
                    | EventKind::SharesCard { leader: None }
            )
        };
        if self.events.iter().any(adds) { next.places() } else { Vec::new() }
    }

    /// What is said, to whom.
    pub(super) fn messages(&self) -> Vec<Message> {
        let mut messages: Vec<Message> = self.events.iter().flat_map(|event| self.of(&event.kind)).collect();
        messages.extend(self.next_stage());
        messages.extend(self.directly());
        messages.extend(self.events.iter().flat_map(|event| self.after(&event.kind)));
        messages
    }

    fn of(&self, kind: &EventKind) -> Vec<Message> {
        match kind {
            // That is told in its own words, to the operators too.
            EventKind::AlarmRaised { alarm: Alarm::GlassBroken | Alarm::MessageUndelivered } => Vec::new(),
            EventKind::MessageUndelivered { lost } => self.undelivered(lost),
            EventKind::AlarmRaised { alarm } => vec![self.to(Recipient::Operators, self.alarm(*alarm))],
            EventKind::Escalated { step } => self.escalated(*step),
            EventKind::Reminded { count } => self.reminded(*count),
            EventKind::Asked { .. } | EventKind::Answered { .. } => self.talked(kind).into_iter().collect(),
            EventKind::Decided { approved_by: Some(ApprovedBy::BreakGlass { name, reason, .. }), .. } => {
                let notice = Notice::GlassBroken {
                    request: self.next.id,
                    code: self.next.code.clone(),
                    tool: self.next.proposal.call.full_name(),
                    by: name.clone(),
                    reason: reason.clone(),
                };
                let everywhere = self.next.places().into_iter().map(Recipient::Place);
                let to = everywhere.chain([Recipient::Operators]);
                to.map(|to| self.to(to, notice.clone())).collect()
            }
            _ => Vec::new(),
        }
    }

    fn alarm(&self, alarm: Alarm) -> Notice {
        Notice::Alarm {
            request: self.next.id,
            code: self.next.code.clone(),
            tool: self.next.proposal.call.full_name(),
            alarm,
        }
    }

    /// Whoever is asked now as well is told so where they look.
    fn escalated(&self, step: u32) -> Vec<Message> {
        let (State::WaitingApproval(waiting), None, Some(asked)) =
            (&self.next.state, self.next.shares, self.next.asked())
        else {
            return Vec::new();
        };
        let taken = (step as usize).checked_sub(1).and_then(|index| asked.terms.escalation.get(index));
        let Some(taken) = taken else { return Vec::new() };
        let notice = Notice::Escalated {
            request: self.next.id,
            code: self.next.code.clone(),
            tool: self.next.proposal.call.full_name(),
            to: taken.to.clone(),
            until: waiting.until,
        };
        let places = if taken.places.is_empty() { &asked.terms.places } else { &taken.places };
        let places = places.iter().map(|place| self.next.proposal.placed(place));
        places.map(|place| self.to(Recipient::Place(place), notice.clone())).collect()
    }

    /// Of several reminders that are due at once, people read one.
    fn reminded(&self, count: u32) -> Vec<Message> {
        let State::WaitingApproval(waiting) = &self.next.state else { return Vec::new() };
        if count < waiting.reminders {
            return Vec::new();
        }
        let notice = Notice::Reminder {
            request: self.next.id,
            code: self.next.code.clone(),
            tool: self.next.proposal.call.full_name(),
            until: waiting.until,
        };
        let places = self.next.places().into_iter();
        places.map(|place| self.to(Recipient::Place(place), notice.clone())).collect()
    }

    /// The next stage is asked now: its people may not have looked before.
    fn next_stage(&self) -> Vec<Message> {
        let State::WaitingApproval(waiting) = &self.next.state else { return Vec::new() };
        let before = self.before.and_then(Approval::tally_as_voted);
        let (Some(before), Some(now), None) = (before, self.next.tally_as_voted(), self.next.shares) else {
            return Vec::new();
        };
        if now.stage <= before.stage {
            return Vec::new();
        }
        let notice = Notice::StageAsked {
            request: self.next.id,
            code: self.next.code.clone(),
            tool: self.next.proposal.call.full_name(),
            stage: (now.stage + 1, now.stages),
            to: now.needs.into_iter().map(|need| need.role).collect(),
            until: waiting.until,
        };
        let places = self.next.places().into_iter();
        places.map(|place| self.to(Recipient::Place(place), notice.clone())).collect()
    }

    fn to(&self, to: Recipient, notice: Notice) -> Message {
        Message::new(self.next.tenant.clone(), to, notice)
    }
}
