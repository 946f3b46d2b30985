//! What the policy's answer leads to: the first time, and when it is asked again.

use std::sync::Arc;

use crate::approval::command::{Actor, Command, Facts};
use crate::approval::decide::{Draft, UNASKED_VALID_FOR};
use crate::approval::state::{ApprovedBy, Decision, RejectedBy, RevokedWhy, State};
use crate::approval::{Approval, Refusal};
use crate::id::RequestId;
use crate::policy::{Terms, Tier, Verdict, is_stricter};
use crate::record::EventKind;

impl Approval {
    pub(super) fn judged(
        &self,
        draft: &mut Draft,
        command: &Command,
        verdict: &Arc<Verdict>,
    ) -> Result<(), Refusal> {
        let now = draft.now;
        let checked = |claim_until| EventKind::Checked { verdict: Arc::clone(verdict), claim_until };
        let no = |by, reason| EventKind::Decided {
            decision: Decision::Deny,
            approved_by: None,
            rejected_by: Some(by),
            people: Vec::new(),
            reason,
            claim_until: None,
        };
        match (command, verdict.tier, &verdict.terms) {
            (Command::Allow { .. }, Tier::Auto | Tier::Suggest, None) => {
                draft.add(checked(Some(now + UNASKED_VALID_FOR)))?;
            }
            (Command::Require { .. }, Tier::Approve, Some(terms)) if asks_somebody(terms) => {
                let asked =
                    self.proposal.timeout.map_or(terms.decide_within, |own| own.min(terms.decide_within));
                let (until, alarm_at) = (now + asked, now + terms.alarm_after);
                let gathers_until = self.kept_back(terms, (now, until));
                draft.add(checked(None))?.add(EventKind::Requested { until, alarm_at, gathers_until })?;
            }
            // A no stands for a while; who asks again on purpose does not come here.
            (Command::DenyAgain { earlier, reason, .. }, Tier::Approve, Some(_)) => {
                let by = RejectedBy::Earlier { request: *earlier, reason: reason.clone() };
                draft.add(checked(None))?.add(no(by, reason.clone()))?;
            }
            (Command::CannotAsk { why, .. }, Tier::Approve, Some(_)) => {
                draft.add(checked(None))?.add(no(RejectedBy::NoApprover { why: why.clone() }, None))?;
            }
            (Command::Forbid { .. }, Tier::Forbid, None) => {
                let because = verdict.because().to_owned();
                draft.add(checked(None))?.add(no(RejectedBy::Policy { because }, None))?;
            }
            // A verdict whose parts contradict each other lets nothing run.
            _ => return Err(self.out_of_order(command)),
        }
        Ok(())
    }

    /// People chose earlier that calls which look alike run. Where that does not stand any more, or does not cover this
    /// call, people are asked.
    pub(super) fn recall(
        &self,
        draft: &mut Draft,
        verdict: &Arc<Verdict>,
        (scope, facts): (RequestId, &Facts),
    ) -> Result<(), Refusal> {
        let now = draft.now;
        let remembered = facts.inside.remembered.as_ref().filter(|remembered| {
            remembered.id == scope && remembered.covers(&self.tenant, &self.proposal, verdict, now)
        });
        let (Some(remembered), Some(terms)) = (remembered, &verdict.terms) else {
            let require = Command::Require { verdict: Arc::clone(verdict) };
            return self.judged(draft, &require, verdict);
        };
        let by = ApprovedBy::Remembered {
            scope,
            by: remembered.by.clone(),
            names: remembered.names.clone(),
            until: remembered.until,
        };
        draft.add(EventKind::Checked { verdict: Arc::clone(verdict), claim_until: None })?.add(
            EventKind::Decided {
                decision: Decision::Approve,
                approved_by: Some(by),
                rejected_by: None,
                people: remembered.names.clone(),
                reason: None,
                claim_until: Some((now + terms.valid_for).min(remembered.until)),
            },
        )?;
        Ok(())
    }

    /// The remembered yes that it rests on was taken back.
    pub(super) fn forgotten(&self, draft: &mut Draft, command: &Command) -> Result<(), Refusal> {
        let Command::Forget { scope, by, name, reason } = command else {
            return Err(self.out_of_order(command));
        };
        let why = RevokedWhy::Forgotten { scope: *scope };
        let (by, name, reason) = (by.clone(), name.clone(), reason.clone());
        draft.add(EventKind::Revoked { why, by, name, reason })?;
        Ok(())
    }

    pub(super) fn rejudged(&self, draft: &mut Draft, verdict: &Verdict) -> Result<(), Refusal> {
        let Some(before) = &self.verdict else { return Ok(()) };
        let rests_on_remembered =
            matches!(&self.state, State::Approved(a) if matches!(a.by, ApprovedBy::Remembered { .. }));
        // What people chose to remember, they are asked about all the same where the policy now says so.
        let asks_anew = rests_on_remembered
            && verdict.tier == Tier::Approve
            && (verdict.always_ask || verdict.remember.is_none());
        if !is_stricter(before, verdict) && !asks_anew {
            return Ok(());
        }
        let rule = verdict.rules.first().cloned().unwrap_or_default();
        let why = RevokedWhy::Rejudged { rule };
        draft.add(EventKind::Revoked { why, by: Actor::Placet, name: None, reason: None })?;
        Ok(())
    }

    /// The terms that people decide under.
    pub(in crate::approval) fn terms(&self) -> Result<&Terms, Refusal> {
        self.verdict.as_ref().and_then(|verdict| verdict.terms.as_ref()).ok_or(Refusal::FactsStale)
    }
}

/// Whether these terms ask at least one person in each stage: a stage that nobody need fill would be a yes of nobody.
fn asks_somebody(terms: &Terms) -> bool {
    !terms.stages.is_empty()
        && terms.stages.iter().all(|stage| {
            !stage.groups.is_empty() && stage.groups.iter().all(|group| (1..=64).contains(&group.count))
        })
}
