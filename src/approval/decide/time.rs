//! What time does by itself.

use crate::approval::decide::Draft;
use crate::approval::state::{ApprovedBy, Decision, ExpiredHow, Outcome, OutcomeKind, State, Waiting};
use crate::approval::{Alarm, Approval, Refusal};
use crate::policy::Level;
use crate::record::EventKind;
use crate::time::Timestamp;

/// What time brings while people are asked, besides the end; in the order in which it happens at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::approval) enum Overdue {
    /// The next people are asked too.
    Escalation,
    /// Those who are asked are reminded.
    Reminder,
    /// Operators are told that it waits long.
    Alarm,
    /// Somebody has said long ago that they are looking.
    LooksAway,
}

impl Approval {
    pub(super) fn tick(&self, draft: &mut Draft) -> Result<(), Refusal> {
        let now = draft.now;
        match &self.state {
            State::WaitingApproval(waiting) if now >= waiting.until => self.time_out(draft)?,
            State::WaitingApproval(_) => self.overdue(draft)?,
            State::Approved(approved) if now >= approved.until => {
                draft.add(EventKind::Expired { how: ExpiredHow::Unused })?;
            }
            State::Executing(executing) if now >= executing.claim.lease_until => {
                let outcome =
                    Outcome { kind: OutcomeKind::Unknown, result: None, error: None, duration_ms: None };
                draft
                    .add(EventKind::Executed { claim: executing.claim.id, outcome, late: false })?
                    .add(EventKind::AlarmRaised { alarm: Alarm::OutcomeUnknown })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// What time brings next while people are asked, and when. Who stands on another's card, or has a part of it, is not
    /// reminded of by itself, and who stands there without buttons of its own is not alarmed; who may decide it changes all
    /// the same.
    pub(in crate::approval) fn next_overdue(&self, waiting: &Waiting) -> Option<(Timestamp, Overdue)> {
        let terms = self.verdict.as_ref()?.terms.as_ref()?;
        let (has_card, is_alone) = (self.has_card(), self.shares.is_none());
        let step = terms.escalation.get(self.escalations as usize);
        let reminder = terms.remind_after.get(waiting.reminders as usize).filter(|_| has_card);
        let alarm = is_alone && !self.alarms.contains(&Alarm::WaitsLong);
        let next = [
            step.map(|step| (waiting.since + step.after, Overdue::Escalation)),
            reminder.map(|after| (waiting.since + *after, Overdue::Reminder)),
            alarm.then_some((waiting.alarm_at, Overdue::Alarm)),
            waiting.looking.iter().map(|looking| (looking.until, Overdue::LooksAway)).min(),
        ];
        next.into_iter().flatten().min()
    }

    /// Catches up with what time has brought by now: each thing once, in order.
    pub(in crate::approval) fn overdue(&self, draft: &mut Draft) -> Result<(), Refusal> {
        while let State::WaitingApproval(waiting) = &draft.approval().state {
            let Some((at, what)) = draft.approval().next_overdue(waiting) else { break };
            if at > draft.now || at >= waiting.until {
                break;
            }
            let kind = match what {
                Overdue::Escalation => EventKind::Escalated { step: draft.approval().escalations + 1 },
                Overdue::Reminder => EventKind::Reminded { count: waiting.reminders + 1 },
                Overdue::Alarm => EventKind::AlarmRaised { alarm: Alarm::WaitsLong },
                Overdue::LooksAway => {
                    let Some(first) = waiting.looking.iter().min_by_key(|looking| looking.until) else {
                        break;
                    };
                    EventKind::LooksAway { by: first.by.clone() }
                }
            };
            draft.add(kind)?;
        }
        Ok(())
    }

    /// The next people are asked before their time; as many steps as the terms have.
    pub(super) fn escalate(&self, draft: &mut Draft, step: u32) -> Result<(), Refusal> {
        let steps = self.terms()?.escalation.len();
        for step in (self.escalations + 1)..=step.min(u32::try_from(steps).unwrap_or(u32::MAX)) {
            draft.add(EventKind::Escalated { step })?;
        }
        Ok(())
    }

    fn time_out(&self, draft: &mut Draft) -> Result<(), Refusal> {
        let Some((verdict, terms)) = self.verdict.as_ref().and_then(|v| Some((v, v.terms.as_ref()?))) else {
            draft.add(EventKind::Expired { how: ExpiredHow::Unasked })?;
            return Ok(());
        };
        // Whoever was shown it is on record as a delivery, also over the API. A no of anybody is no silence.
        let asked = self.card_delivered;
        let silent = self.votes.iter().all(|vote| vote.decision == Decision::Approve);
        if asked && silent && terms.approve_on_timeout && verdict.level == Level::Low {
            draft.add(EventKind::Decided {
                decision: Decision::Approve,
                approved_by: Some(ApprovedBy::Timeout),
                rejected_by: None,
                people: Vec::new(),
                reason: None,
                claim_until: Some(draft.now + terms.valid_for),
            })?;
        } else {
            // Who stands on another's card was asked about there.
            let how =
                if asked || self.shares.is_some() { ExpiredHow::Unanswered } else { ExpiredHow::Unasked };
            draft.add(EventKind::Expired { how })?;
        }
        Ok(())
    }
}
