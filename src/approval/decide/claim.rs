//! The one use of an approval: claimed, kept alive, reported, settled.

use std::collections::{BTreeMap, BTreeSet};

use crate::approval::command::{Actor, ClaimOrder, Facts, Report};
use crate::approval::decide::Draft;
use crate::approval::state::{Approved, ApprovedBy, Claim, Executed, Executing, Outcome, OutcomeKind};
use crate::approval::{Alarm, Approval, Refusal, seats};
use crate::call::ContentHash;
use crate::id::{ClaimId, RequestId, Role, same_secret};
use crate::person::{Identity, NoStanding};
use crate::policy::{Tier, Verdict, is_stricter};
use crate::record::EventKind;
use crate::remembered::Remembered;
use crate::time::Timestamp;

impl Approval {
    pub(super) fn claim(
        &self,
        draft: &mut Draft,
        approved: &Approved,
        order: &ClaimOrder,
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let now = draft.now;
        if order.digest != self.digest {
            return Err(Refusal::WrongCall);
        }
        if now >= approved.until {
            return Err(Refusal::ApprovalExpired);
        }
        let holds = &facts.inside.holds;
        if let Some(hold) = holds.iter().find(|hold| hold.covers(&self.tenant, &self.proposal)) {
            return Err(Refusal::Held { reason: hold.reason.clone() });
        }
        if let Some(freeze) = &facts.frozen {
            return Err(Refusal::Frozen {
                name: freeze.name.clone(),
                because: freeze.because.clone(),
                until: freeze.until,
            });
        }
        if let Some(rule) = &facts.forbidden {
            return Err(Refusal::ForbiddenNow { because: rule.because.clone() });
        }
        if let (Some(before), Some(today)) = (&self.verdict, &facts.today)
            && is_stricter(before, today)
        {
            return Err(Refusal::ForbiddenNow { because: today.because().to_owned() });
        }
        match &approved.by {
            ApprovedBy::Policy | ApprovedBy::Timeout => {}
            ApprovedBy::Remembered { scope, by, .. } => self.still_remembered(*scope, by, facts, now)?,
            ApprovedBy::Votes => {
                self.covered(facts, now)?;
                let tally = self.tally(&facts.electorate).ok_or(Refusal::FactsStale)?;
                if !tally.is_complete() {
                    return Err(Refusal::ApproverLapsed { names: self.names_of(&tally.lapsed) });
                }
            }
            ApprovedBy::BreakGlass { by, name, .. } => {
                let names = || vec![name.clone()];
                self.still_has(by, (&facts.glass_breakers, names), facts, now)?;
            }
        }
        draft.add(EventKind::Claimed {
            claim: Claim {
                id: order.id,
                key_hash: ContentHash::of(order.key.as_bytes()),
                executor: order.executor.clone(),
                at: now,
                lease: order.lease,
                lease_until: now + order.lease,
            },
        })?;
        Ok(())
    }

    /// Whether the remembered yes that it rests on stands, covers it, and was given by people who still count.
    fn still_remembered(
        &self,
        scope: RequestId,
        by: &[Identity],
        facts: &Facts,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let remembered = facts.inside.remembered.as_ref().filter(|remembered| remembered.id == scope);
        let (Some(remembered), Some(verdict)) = (remembered, &self.verdict) else {
            return Err(Refusal::NoLongerRemembered);
        };
        // By what the policy said then, and by what it says today: unless that lets the call run unasked.
        let today = facts.today.as_ref().filter(|today| today.tier == Tier::Approve);
        let covers = |verdict: &Verdict| remembered.covers(&self.tenant, &self.proposal, verdict, now);
        if !covers(verdict) || !today.is_none_or(|today| covers(today)) {
            return Err(Refusal::NoLongerRemembered);
        }
        let names = || remembered.names.clone();
        by.iter()
            .try_for_each(|identity| self.still_has(identity, (&remembered.roles, names), facts, now))?;
        if fill_all(remembered, by, facts) { Ok(()) } else { Err(Refusal::ApproverLapsed { names: names() }) }
    }

    /// Whether the account on whose word it rests still has one of these roles.
    fn still_has(
        &self,
        identity: &Identity,
        (roles, names): (&[Role], impl Fn() -> Vec<String>),
        facts: &Facts,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        match self.member(identity, facts, now) {
            Ok(member) if member.roles.iter().any(|role| roles.contains(role)) => Ok(()),
            // What is not known now may be known later, and costs nobody their word.
            Err(later @ (Refusal::FactsStale | Refusal::NoStanding(NoStanding::Unreadable(_)))) => Err(later),
            Ok(_) | Err(_) => Err(Refusal::ApproverLapsed { names: names() }),
        }
    }

    /// The same attempt asks again for its answer; anybody else is too late. So is who asks after the lease, or after
    /// somebody wanted it to stop: whoever has not started by then must not start.
    pub(super) fn claim_again(
        &self,
        executing: &Executing,
        order: &ClaimOrder,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        if order.digest != self.digest {
            return Err(Refusal::WrongCall);
        }
        let same = executing.claim.key_hash == ContentHash::of(order.key.as_bytes());
        let startable = executing.stop.is_none() && now < executing.claim.lease_until;
        if same && startable && executing.claim.executor == order.executor {
            Ok(())
        } else {
            Err(Refusal::AlreadyClaimed)
        }
    }

    pub(super) fn settle(
        &self,
        draft: &mut Draft,
        executed: &Executed,
        (by, outcome, reason): (&Actor, &Outcome, &str),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let name = self.steward(by, facts, draft.now)?;
        if executed.outcome.kind != OutcomeKind::Unknown {
            return Err(Refusal::AlreadyFinished { outcome: executed.outcome.kind });
        }
        if outcome.kind == OutcomeKind::Unknown {
            return Err(Refusal::StillUnknown);
        }
        let (by, outcome, reason) = (by.clone(), outcome.clone(), reason.to_owned());
        draft.add(EventKind::Settled { by, outcome, reason, name })?;
        Ok(())
    }
}

/// A beat that lengthens the lease by less than a third of it is not worth a write.
pub(super) fn heartbeat(
    draft: &mut Draft,
    executing: &Executing,
    (claim, key): (ClaimId, &str),
) -> Result<(), Refusal> {
    holds(&executing.claim, claim, key)?;
    let lease = executing.claim.lease;
    let lease_until = draft.now + lease;
    if lease_until.since(executing.claim.lease_until).as_millis() * 3 >= lease.as_millis() {
        draft.add(EventKind::Heartbeat { claim, lease_until })?;
    }
    Ok(())
}

/// The claimant says how it ended.
pub(super) fn finish(draft: &mut Draft, executing: &Executing, report: &Report) -> Result<(), Refusal> {
    holds(&executing.claim, report.claim, &report.key)?;
    ended(draft, report, false)
}

/// The same report again is a no-op; the claimant may still say how an unknown outcome ended.
pub(super) fn finish_again(draft: &mut Draft, executed: &Executed, report: &Report) -> Result<(), Refusal> {
    holds(&executed.claim, report.claim, &report.key)?;
    if executed.outcome.kind == report.outcome.kind {
        return Ok(());
    }
    if executed.outcome.kind != OutcomeKind::Unknown {
        return Err(Refusal::AlreadyFinished { outcome: executed.outcome.kind });
    }
    ended(draft, report, true)
}

/// The holder of a claim proves it by its key.
fn holds(claim: &Claim, id: ClaimId, key: &str) -> Result<(), Refusal> {
    let presented = ContentHash::of(key.as_bytes());
    let same = same_secret(claim.key_hash.as_bytes(), presented.as_bytes());
    if claim.id == id && same { Ok(()) } else { Err(Refusal::NotTheClaimant) }
}

fn ended(draft: &mut Draft, report: &Report, late: bool) -> Result<(), Refusal> {
    let unknown = report.outcome.kind == OutcomeKind::Unknown;
    draft.add(EventKind::Executed { claim: report.claim, outcome: report.outcome.clone(), late })?;
    if unknown && !draft.approval().alarms.contains(&Alarm::OutcomeUnknown) {
        draft.add(EventKind::AlarmRaised { alarm: Alarm::OutcomeUnknown })?;
    }
    Ok(())
}

/// Whether those who chose it, by what they are now, fill every place that was asked for then; each person once.
fn fill_all(remembered: &Remembered, by: &[Identity], facts: &Facts) -> bool {
    let Some(terms) = &remembered.verdict.terms else { return false };
    let groups = seats::groups(&terms.stages);
    let of_stages: BTreeSet<Role> = groups.iter().map(|group| group.role.clone()).collect();
    let people: BTreeMap<_, BTreeSet<Role>> = by
        .iter()
        .filter_map(|identity| facts.electorate.member(identity))
        .map(|member| {
            let mut roles = member.roles.clone();
            // Whoever was asked by an escalation step could fill any place.
            let asked_as_well = |role: &&Role| !of_stages.contains(*role) && remembered.roles.contains(*role);
            if member.roles.iter().find(asked_as_well).is_some() {
                roles.extend(of_stages.iter().cloned());
            }
            (member.person.clone(), roles)
        })
        .collect();
    let filled = seats::fill(&groups, &people.values().collect::<Vec<_>>());
    groups.iter().zip(filled).all(|(group, seated)| seated.len() >= group.count as usize)
}
