//! The one table of transitions. What is not in it is refused by name.

use std::sync::Arc;

use crate::approval::command::{Actor, ClaimOrder, Command, Delivery, Facts, Report};
use crate::approval::evolve::refusal_key;
use crate::approval::state::{
    Approved, ApprovedBy, Claim, Decision, Executed, Executing, ExpiredHow, Outcome, OutcomeKind, RejectedBy,
    RevokedWhy, State, Waiting,
};
use crate::approval::{Alarm, Approval, Proposal, Refusal, Tally};
use crate::call::ContentHash;
use crate::id::{RequestId, ShortCode, TenantId};
use crate::person::{Identity, Member, NoStanding, Standing};
use crate::policy::{Level, Terms, Tier, Verdict};
use crate::record::{Event, EventKind};
use crate::time::{Timestamp, Ttl};

/// How long a call that may run unasked can wait to be claimed: its executor asks at once or not at all.
pub const UNASKED_VALID_FOR: Ttl = Ttl::from_mins(10);

/// How long the same refusal to the same account is recorded once only.
pub const REFUSAL_COALESCE: Ttl = Ttl::from_secs(60);

/// How many different refusals a request records: a whole channel clicking, but not a flood.
pub const REFUSALS_MAX: usize = 256;

/// What a command leads to. Only [`Approval`] makes one, so that a state can be had in no other way.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    next: Approval,
    events: Vec<Event>,
}

impl Transition {
    /// The request afterwards.
    #[must_use]
    pub const fn next(&self) -> &Approval {
        &self.next
    }

    /// What happened; empty for a no-op.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Both.
    #[must_use]
    pub fn into_parts(self) -> (Approval, Vec<Event>) {
        (self.next, self.events)
    }
}

/// A transition being made: each event is applied as it is added.
pub(super) struct Draft {
    next: Approval,
    events: Vec<Event>,
    now: Timestamp,
}

impl Draft {
    pub(super) fn of(approval: &Approval, now: Timestamp) -> Self {
        Self { next: approval.clone(), events: Vec::new(), now }
    }

    pub(super) const fn approval(&self) -> &Approval {
        &self.next
    }

    pub(super) fn add(&mut self, kind: EventKind) -> Result<&mut Self, Refusal> {
        self.next.evolve(self.now, &kind).map_err(|misfit| Refusal::OutOfOrder {
            status: self.next.status(),
            command: misfit.event.to_owned(),
        })?;
        let (tenant, request) = (self.next.tenant.clone(), Some(self.next.id));
        self.events.push(Event { tenant, request, at: self.now, kind });
        Ok(self)
    }

    pub(super) fn done(self) -> Transition {
        Transition { next: self.next, events: self.events }
    }
}

impl Approval {
    /// A new request, in the state Proposed.
    #[must_use]
    pub fn propose(
        id: RequestId,
        tenant: &TenantId,
        code: ShortCode,
        proposal: Arc<Proposal>,
        now: Timestamp,
    ) -> Transition {
        let (digest, args_hash) = (proposal.call.digest(tenant), proposal.call.args_hash());
        let opened = (code.clone(), Arc::clone(&proposal));
        let next = Self::begin(id, tenant.clone(), opened, (digest, args_hash), now);
        let kind = EventKind::Proposed { code, proposal, digest, args_hash };
        Transition { next, events: vec![Event { tenant: tenant.clone(), request: Some(id), at: now, kind }] }
    }

    /// What `command` leads to, or why it is refused. Pure: the same arguments give the same answer.
    ///
    /// # Errors
    /// A named [`Refusal`]; [`Refusal::FactsStale`] alone means "read the facts again and come back".
    pub fn decide(&self, command: &Command, facts: &Facts, now: Timestamp) -> Result<Transition, Refusal> {
        let now = now.max(self.last_event_at);
        let mut draft = Draft::of(self, now);
        match (&self.state, command) {
            (_, Command::Show(rendering)) => {
                if !self.renderings.contains(rendering) {
                    draft.add(EventKind::Shown { rendering: rendering.clone() })?;
                }
            }
            (_, Command::Deliver(delivery)) => self.delivered(&mut draft, delivery)?,
            (State::Proposed, Command::Check) => {
                draft.add(EventKind::Checking)?;
            }
            (
                State::PolicyChecking,
                Command::Allow { verdict }
                | Command::Require { verdict }
                | Command::Forbid { verdict }
                | Command::CannotAsk { verdict, .. },
            ) => self.judged(&mut draft, command, verdict, now)?,
            (State::WaitingApproval(waiting), Command::Vote(ballot)) => {
                self.vote(&mut draft, waiting, ballot, facts)?
            }
            (State::WaitingApproval(_), Command::TakeBack { identity }) => {
                self.take_back(&mut draft, identity, facts)?
            }
            (State::WaitingApproval(waiting), Command::Escalate { step }) => {
                if *step > waiting.escalations {
                    draft.add(EventKind::Escalated { step: *step })?;
                }
            }
            (State::WaitingApproval(_), Command::Ask { identity, text }) => {
                self.member(identity, facts, now)?;
                draft.add(EventKind::Asked { by: identity.clone(), text: text.clone() })?;
            }
            (State::WaitingApproval(_), Command::Answer { by, text }) => {
                draft.add(EventKind::Answered { by: by.clone(), text: text.clone() })?;
            }
            (State::WaitingApproval(waiting), Command::BreakGlass { identity, reason }) => {
                self.break_glass(&mut draft, waiting, (identity, reason), facts)?;
            }
            (State::WaitingApproval(_), Command::Supersede { by, identity }) => {
                let member = self.member(identity, facts, now)?;
                let why = RevokedWhy::Superseded { by: *by };
                let by = Actor::Account(identity.clone());
                draft.add(EventKind::Revoked { why, by, name: Some(member.name.clone()), reason: None })?;
            }
            (
                State::Proposed | State::PolicyChecking | State::WaitingApproval(_),
                Command::Withdraw { by },
            ) => {
                let by = by.clone();
                draft.add(EventKind::Revoked { why: RevokedWhy::Withdrawn, by, name: None, reason: None })?;
            }
            (
                State::Proposed | State::PolicyChecking | State::WaitingApproval(_) | State::Approved(_),
                Command::Revoke { by, reason },
            ) => {
                let name = self.steward(by, facts, now)?;
                let (by, reason) = (by.clone(), reason.clone());
                draft.add(EventKind::Revoked { why: RevokedWhy::Revoked, by, name, reason })?;
            }
            (State::WaitingApproval(_) | State::Approved(_), Command::Rejudge { verdict }) => {
                self.rejudged(&mut draft, verdict)?;
            }
            (State::Approved(approved), Command::Claim(order)) => {
                self.claim(&mut draft, approved, order, facts)?
            }
            (State::Executing(executing), Command::Claim(order)) => {
                self.claim_again(executing, order, now)?
            }
            (State::Executing(executing), Command::Heartbeat { claim, key }) => {
                holds(&executing.claim, *claim, key)?;
                let lease_until = now + executing.claim.lease;
                // A beat that lengthens the lease by less than a third of it is not worth a write.
                if lease_until.since(executing.claim.lease_until).as_millis() * 3
                    >= executing.claim.lease.as_millis()
                {
                    draft.add(EventKind::Heartbeat { claim: *claim, lease_until })?;
                }
            }
            (State::Executing(executing), Command::Revoke { by, reason }) => {
                self.steward(by, facts, now)?;
                if executing.stop.is_none() {
                    draft.add(EventKind::StopRequested { by: by.clone(), reason: reason.clone() })?;
                }
            }
            (State::Executing(executing), Command::Finish(report)) => {
                holds(&executing.claim, report.claim, &report.key)?;
                finish(&mut draft, report, false)?;
            }
            (State::Executed(executed), Command::Finish(report)) => {
                finish_again(&mut draft, executed, report)?
            }
            (State::Executed(executed), Command::Settle { by, outcome, reason }) => {
                self.settle(&mut draft, executed, (by, outcome, reason), facts)?;
            }
            (State::Approved(_) | State::Executed(_), Command::Review { identity }) => {
                self.review(&mut draft, identity, facts)?;
            }
            (_, Command::Tick) => self.tick(&mut draft, now)?,
            (_, _) => return Err(self.out_of_order(command)),
        }
        Ok(draft.done())
    }

    /// The refusal as it goes into the trace; none where it was recorded a moment ago, or is nobody's doing.
    #[must_use]
    pub fn refuse(&self, command: &Command, refusal: &Refusal, now: Timestamp) -> Option<Transition> {
        let now = now.max(self.last_event_at);
        let by = command.actor();
        if matches!(refusal, Refusal::FactsStale | Refusal::AlreadyVoted { .. }) {
            return None;
        }
        match self.refusals.get(&refusal_key(&by, refusal)) {
            Some(last) if now.since(*last) < REFUSAL_COALESCE => return None,
            None if self.refusals.len() >= REFUSALS_MAX => return None,
            Some(_) | None => {}
        }
        let mut draft = Draft::of(self, now);
        let (name, refusal) = (command.name().to_owned(), refusal.clone());
        let presented = match command {
            Command::Claim(order) if order.digest != self.digest => Some(order.digest.to_string()),
            _ => None,
        };
        draft
            .add(if refusal.is_bypass() {
                EventKind::BypassBlocked { by, command: name, refusal: Some(refusal), presented }
            } else {
                EventKind::Refused { by, command: name, refusal }
            })
            .ok()?;
        Some(draft.done())
    }

    fn judged(
        &self,
        draft: &mut Draft,
        command: &Command,
        verdict: &Arc<Verdict>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let checked = |claim_until| EventKind::Checked { verdict: Arc::clone(verdict), claim_until };
        let no = |by| EventKind::Decided {
            decision: Decision::Deny,
            approved_by: None,
            rejected_by: Some(by),
            people: Vec::new(),
            reason: None,
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
                draft.add(checked(None))?.add(EventKind::Requested { until, alarm_at })?;
            }
            (Command::CannotAsk { why, .. }, Tier::Approve, Some(_)) => {
                draft.add(checked(None))?.add(no(RejectedBy::NoApprover { why: why.clone() }))?;
            }
            (Command::Forbid { .. }, Tier::Forbid, None) => {
                let because = verdict.because().to_owned();
                draft.add(checked(None))?.add(no(RejectedBy::Policy { because }))?;
            }
            // A verdict whose parts contradict each other lets nothing run.
            _ => return Err(self.out_of_order(command)),
        }
        Ok(())
    }

    fn tick(&self, draft: &mut Draft, now: Timestamp) -> Result<(), Refusal> {
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

    fn rejudged(&self, draft: &mut Draft, verdict: &Verdict) -> Result<(), Refusal> {
        let Some(before) = &self.verdict else { return Ok(()) };
        if !is_stricter(before, verdict) {
            return Ok(());
        }
        let rule = verdict
            .rules
            .first()
            .cloned()
            .unwrap_or_else(|| crate::policy::RuleHit { rule: String::new(), because: String::new() });
        let why = RevokedWhy::Rejudged { rule };
        draft.add(EventKind::Revoked { why, by: Actor::Placet, name: None, reason: None })?;
        Ok(())
    }

    fn claim(
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
            ApprovedBy::Votes => {
                self.covered(facts, now)?;
                let tally = self.tally(&facts.electorate).ok_or(Refusal::FactsStale)?;
                if !tally.is_complete() {
                    return Err(Refusal::ApproverLapsed { names: self.names_of(&tally.lapsed) });
                }
            }
            ApprovedBy::BreakGlass { by, .. } => {
                self.steward(&Actor::Account(by.clone()), facts, now)
                    .map_err(|_| Refusal::ApproverLapsed { names: vec![by.to_string()] })?;
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

    /// The same attempt asks again for its answer; anybody else is too late. So is who asks after the lease, or after
    /// somebody wanted it to stop: whoever has not started by then must not start.
    fn claim_again(&self, executing: &Executing, order: &ClaimOrder, now: Timestamp) -> Result<(), Refusal> {
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

    fn settle(
        &self,
        draft: &mut Draft,
        executed: &Executed,
        (by, outcome, reason): (&Actor, &Outcome, &str),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        self.steward(by, facts, draft.now)?;
        if executed.outcome.kind != OutcomeKind::Unknown {
            return Err(Refusal::AlreadyFinished { outcome: executed.outcome.kind });
        }
        if outcome.kind == OutcomeKind::Unknown {
            return Err(Refusal::StillUnknown);
        }
        let (by, outcome, reason) = (by.clone(), outcome.clone(), reason.to_owned());
        draft.add(EventKind::Settled { by, outcome, reason })?;
        Ok(())
    }

    fn review(&self, draft: &mut Draft, identity: &Identity, facts: &Facts) -> Result<(), Refusal> {
        let reviewer = self.member(identity, facts, draft.now)?;
        let (State::Approved(Approved { by, .. }) | State::Executed(Executed { by, .. })) = &self.state
        else {
            return Err(self.out_of_order(&Command::Review { identity: identity.clone() }));
        };
        let ApprovedBy::BreakGlass { by: breaker, .. } = by else {
            return Err(self.out_of_order(&Command::Review { identity: identity.clone() }));
        };
        let own = *breaker == *identity
            || facts.electorate.member(breaker).is_some_and(|member| member.person == reviewer.person);
        if own {
            return Err(Refusal::OwnRequest);
        }
        draft.add(EventKind::Reviewed { by: identity.clone() })?;
        Ok(())
    }

    fn delivered(&self, draft: &mut Draft, delivery: &Delivery) -> Result<(), Refusal> {
        let surface = delivery.surface.clone();
        match &delivery.failure {
            None if self.card_delivered => {}
            None => {
                draft.add(EventKind::CardDelivered { surface })?;
            }
            Some(why) if !self.alarms.contains(&Alarm::CardUndeliverable) => {
                draft
                    .add(EventKind::CardUndeliverable { surface, why: why.clone() })?
                    .add(EventKind::AlarmRaised { alarm: Alarm::CardUndeliverable })?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn break_glass(
        &self,
        draft: &mut Draft,
        waiting: &Waiting,
        (identity, reason): (&Identity, &str),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let now = draft.now;
        if now >= waiting.until {
            return Err(Refusal::TooLate);
        }
        let name = self.steward(&Actor::Account(identity.clone()), facts, now)?;
        let terms = self.terms()?;
        let member = self.member(identity, facts, now)?;
        if super::quorum::barred(terms, member, &self.proposal.requester, &facts.electorate) {
            return Err(Refusal::OwnRequest);
        }
        let by =
            ApprovedBy::BreakGlass { by: identity.clone(), reason: reason.to_owned(), reviewed_by: None };
        draft.add(EventKind::Decided {
            decision: Decision::Approve,
            approved_by: Some(by),
            rejected_by: None,
            people: name.into_iter().collect(),
            reason: Some(reason.to_owned()),
            claim_until: Some(now + terms.valid_for),
        })?;
        Ok(())
    }

    /// The terms that people decide under.
    pub(super) fn terms(&self) -> Result<&Terms, Refusal> {
        self.verdict.as_ref().and_then(|verdict| verdict.terms.as_ref()).ok_or(Refusal::FactsStale)
    }

    /// Facts that are fresh and cover everybody on whom a decision rests.
    pub(super) fn covered(&self, facts: &Facts, now: Timestamp) -> Result<(), Refusal> {
        if !facts.electorate.is_fresh(now) {
            return Err(Refusal::FactsStale);
        }
        for account in self.accounts() {
            match facts.electorate.standing(account) {
                None => return Err(Refusal::FactsStale),
                // A surface that cannot tell must not cost anybody their vote: nothing is decided until it can.
                Some(Standing::None(NoStanding::Unreadable(why))) => {
                    return Err(Refusal::NoStanding(NoStanding::Unreadable(why.clone())));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The person behind an account, by fresh facts.
    pub(super) fn member<'a>(
        &self,
        identity: &Identity,
        facts: &'a Facts,
        now: Timestamp,
    ) -> Result<&'a Member, Refusal> {
        if !facts.electorate.is_fresh(now) {
            return Err(Refusal::FactsStale);
        }
        match facts.electorate.standing(identity) {
            None => Err(Refusal::FactsStale),
            Some(Standing::None(why)) => Err(Refusal::NoStanding(why.clone())),
            Some(Standing::Member(member)) => Ok(member),
        }
    }

    /// Whoever may revoke, settle and break glass: a managing credential, Placet, or a person with such a role.
    fn steward(&self, by: &Actor, facts: &Facts, now: Timestamp) -> Result<Option<String>, Refusal> {
        match by {
            Actor::Manager(_) | Actor::Placet => Ok(None),
            Actor::Account(identity) => {
                let member = self.member(identity, facts, now)?;
                if member.roles.iter().any(|role| facts.stewards.contains(role)) {
                    Ok(Some(member.name.clone()))
                } else {
                    Err(Refusal::NotAllowed { needs: facts.stewards.clone() })
                }
            }
            Actor::Agent(_) | Actor::Executor(_) => {
                Err(Refusal::NotAllowed { needs: facts.stewards.clone() })
            }
        }
    }

    /// The names of those whose votes these accounts gave.
    fn names_of(&self, accounts: &[Identity]) -> Vec<String> {
        self.votes
            .iter()
            .filter(|vote| accounts.contains(&vote.identity))
            .map(|vote| vote.name.clone())
            .collect()
    }

    /// What a command that does not fit is answered with.
    fn out_of_order(&self, command: &Command) -> Refusal {
        match (command, &self.state) {
            (Command::Claim(order), _) if order.digest != self.digest => Refusal::WrongCall,
            (Command::Claim(_), State::Expired(expired)) if expired.how == ExpiredHow::Unused => {
                Refusal::ApprovalExpired
            }
            (Command::Claim(_), State::Executed(_)) => Refusal::AlreadyClaimed,
            (Command::Claim(_), _) => Refusal::NotApproved { status: self.status() },
            (Command::Heartbeat { .. } | Command::Finish(_), _) => Refusal::NotTheClaimant,
            (
                Command::Vote(_) | Command::TakeBack { .. } | Command::BreakGlass { .. },
                State::Approved(_)
                | State::Rejected(_)
                | State::Executing(_)
                | State::Executed(_)
                | State::Expired(_)
                | State::Revoked(_),
            ) => Refusal::AlreadyDecided { status: self.status(), by: self.decided_by() },
            (Command::Withdraw { .. }, State::Approved(_) | State::Executing(_))
            | (
                Command::Withdraw { .. } | Command::Revoke { .. },
                State::Rejected(_) | State::Executed(_) | State::Expired(_) | State::Revoked(_),
            ) => Refusal::AlreadyDecided { status: self.status(), by: self.decided_by() },
            (_, _) => Refusal::OutOfOrder { status: self.status(), command: command.name().to_owned() },
        }
    }

    /// Who decided, by name; empty where no person did.
    #[must_use]
    pub fn decided_by(&self) -> Vec<String> {
        let names = |decision| {
            self.votes
                .iter()
                .filter(move |vote| vote.decision == decision)
                .map(|vote| vote.name.clone())
                .collect()
        };
        match &self.state {
            State::Rejected(rejected) if matches!(rejected.by, RejectedBy::Votes { .. }) => {
                names(Decision::Deny)
            }
            State::Approved(Approved { by, .. })
            | State::Executing(Executing { by, .. })
            | State::Executed(Executed { by, .. }) => match by {
                ApprovedBy::Votes => names(Decision::Approve),
                ApprovedBy::BreakGlass { by, .. } => vec![by.to_string()],
                ApprovedBy::Policy | ApprovedBy::Timeout => Vec::new(),
            },
            State::Revoked(revoked) => revoked.name.iter().cloned().collect(),
            State::Proposed
            | State::PolicyChecking
            | State::WaitingApproval(_)
            | State::Rejected(_)
            | State::Expired(_) => Vec::new(),
        }
    }
}

/// Whether these terms ask at least one person in each stage: a stage that nobody need fill would be a yes of nobody.
fn asks_somebody(terms: &Terms) -> bool {
    !terms.stages.is_empty()
        && terms.stages.iter().all(|stage| {
            !stage.groups.is_empty() && stage.groups.iter().all(|group| (1..=64).contains(&group.count))
        })
}

/// Whether the second verdict asks for more than the first, in any respect.
fn is_stricter(before: &Verdict, after: &Verdict) -> bool {
    if after.tier != before.tier {
        return after.tier > before.tier;
    }
    let (Some(had), Some(asks)) = (&before.terms, &after.terms) else { return after.level > before.level };
    // A stage that asks for more people of a role, or for people of another, and one that must wait for another.
    let people = |terms: &Terms| {
        let mut people = std::collections::BTreeMap::new();
        for group in terms.stages.iter().flat_map(|stage| &stage.groups) {
            *people.entry(group.role.clone()).or_insert(0_u32) += group.count;
        }
        people
    };
    let had_people = people(had);
    after.level > before.level
        || asks.stages.len() > had.stages.len()
        || people(asks).iter().any(|(role, count)| had_people.get(role).unwrap_or(&0) < count)
        || (had.requester_may_approve && !asks.requester_may_approve)
        || (had.partial_view_may_approve && !asks.partial_view_may_approve)
        || (had.approve_on_timeout && !asks.approve_on_timeout)
        || (asks.reason_for_yes && !had.reason_for_yes)
        || asks.denials_to_reject < had.denials_to_reject
}

/// The holder of a claim proves it by its key.
fn holds(claim: &Claim, id: crate::id::ClaimId, key: &str) -> Result<(), Refusal> {
    let presented = ContentHash::of(key.as_bytes());
    let same = crate::id::same_secret(claim.key_hash.as_bytes(), presented.as_bytes());
    if claim.id == id && same { Ok(()) } else { Err(Refusal::NotTheClaimant) }
}

fn finish(draft: &mut Draft, report: &Report, late: bool) -> Result<(), Refusal> {
    let unknown = report.outcome.kind == OutcomeKind::Unknown;
    draft.add(EventKind::Executed { claim: report.claim, outcome: report.outcome.clone(), late })?;
    if unknown && !draft.approval().alarms.contains(&Alarm::OutcomeUnknown) {
        draft.add(EventKind::AlarmRaised { alarm: Alarm::OutcomeUnknown })?;
    }
    Ok(())
}

/// The same report again is a no-op; the claimant may still say how an unknown outcome ended.
fn finish_again(draft: &mut Draft, executed: &Executed, report: &Report) -> Result<(), Refusal> {
    holds(&executed.claim, report.claim, &report.key)?;
    if executed.outcome.kind == report.outcome.kind {
        return Ok(());
    }
    if executed.outcome.kind != OutcomeKind::Unknown {
        return Err(Refusal::AlreadyFinished { outcome: executed.outcome.kind });
    }
    finish(draft, report, true)
}

/// The tally after a vote, with the votes that lapsed removed first.
pub(super) fn drop_lapsed(draft: &mut Draft, tally: &Tally) -> Result<(), Refusal> {
    for identity in &tally.lapsed {
        draft.add(EventKind::Lapsed { identity: identity.clone() })?;
    }
    Ok(())
}

impl Draft {
    pub(super) const fn now(&self) -> Timestamp {
        self.now
    }
}
