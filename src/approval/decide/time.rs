//! What time does by itself.

use crate::approval::decide::Draft;
use crate::approval::state::{ApprovedBy, Decision, ExpiredHow, Outcome, OutcomeKind, State};
use crate::approval::{Alarm, Approval, Refusal};
use crate::policy::Level;
use crate::record::EventKind;

impl Approval {
    pub(super) fn tick(&self, draft: &mut Draft) -> Result<(), Refusal> {
        let now = draft.now;
        match &self.state {
            State::WaitingApproval(waiting) if now >= waiting.until => self.time_out(draft)?,
            State::WaitingApproval(waiting)
                if now >= waiting.alarm_at && !self.alarms.contains(&Alarm::WaitsLong) =>
            {
                draft.add(EventKind::AlarmRaised { alarm: Alarm::WaitsLong })?;
            }
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
            let how = if asked { ExpiredHow::Unanswered } else { ExpiredHow::Unasked };
            draft.add(EventKind::Expired { how })?;
        }
        Ok(())
    }
}
