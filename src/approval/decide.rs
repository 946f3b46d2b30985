//! The one table of transitions. What is not in it is refused by name.

mod claim;
mod edit;
pub(super) mod gather;
mod glass;
mod people;
mod share;
mod talk;
mod time;
mod verdict;

use std::sync::Arc;

use crate::approval::command::{Command, Delivery, Facts};
use crate::approval::evolve::refusal_key;
use crate::approval::state::{ExpiredHow, RejectedBy, RevokedWhy, State};
use crate::approval::{Alarm, Approval, Proposal, Refusal, Tally};
use crate::id::{RequestId, ShortCode, TenantId};
use crate::notice::Lost;
use crate::record::{Event, EventKind};
use crate::time::{Timestamp, Ttl};

use self::claim::{finish, finish_again, heartbeat};
use self::share::Said;

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

    pub(super) const fn now(&self) -> Timestamp {
        self.now
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
            (_, Command::GiveUp(lost)) => self.gave_up(&mut draft, lost)?,
            (State::Proposed, Command::Check) => {
                draft.add(EventKind::Checking)?;
            }
            (
                State::PolicyChecking,
                Command::Allow { verdict }
                | Command::Require { verdict }
                | Command::Forbid { verdict }
                | Command::CannotAsk { verdict, .. }
                | Command::DenyAgain { verdict, .. },
            ) => self.judged(&mut draft, command, verdict)?,
            (State::PolicyChecking, Command::Recall { verdict, scope }) => {
                self.recall(&mut draft, verdict, (*scope, facts))?;
            }
            (
                State::WaitingApproval(waiting),
                Command::Vote(_)
                | Command::TakeBack { .. }
                | Command::BreakGlass(_)
                | Command::Supersede { .. }
                | Command::Ask { .. }
                | Command::Answer { .. }
                | Command::Look { .. },
            ) => {
                // Nobody may have swept: what time has brought by now holds for what is decided now.
                if now >= waiting.until {
                    return Err(Refusal::TooLate);
                }
                self.overdue(&mut draft)?;
                draft.approval().clone().said(&mut draft, command, facts)?;
            }
            (State::WaitingApproval(_), Command::Escalate { step }) => self.escalate(&mut draft, *step)?,
            (State::WaitingApproval(waiting), Command::Join { follower }) => {
                self.join(&mut draft, waiting, *follower)?;
            }
            (State::WaitingApproval(_), Command::Gather { request }) => self.gather(&mut draft, *request)?,
            (_, Command::PartChanged { part, over }) => self.part_changed(&mut draft, *part, *over)?,
            (State::WaitingApproval(waiting), Command::Follow { leader, digest, ballots, escalations }) => {
                let said = Said { leader: *leader, digest: *digest, ballots, escalations: *escalations };
                self.follow(&mut draft, waiting, &said, facts)?;
            }
            // Whatever was said on the card that it shared, it is over.
            (
                State::Approved(_)
                | State::Rejected(_)
                | State::Executing(_)
                | State::Executed(_)
                | State::Expired(_)
                | State::Revoked(_),
                Command::Follow { .. },
            ) => {}
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
            ) => self.revoke(&mut draft, (by, reason.as_deref()), facts)?,
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
                heartbeat(&mut draft, executing, (*claim, key))?
            }
            (State::Executing(executing), Command::Revoke { by, reason }) => {
                self.request_stop(&mut draft, executing, (by, reason.as_deref()), facts)?
            }
            (State::Executing(executing), Command::Finish(report)) => finish(&mut draft, executing, report)?,
            (State::Executed(executed), Command::Finish(report)) => {
                finish_again(&mut draft, executed, report)?
            }
            (State::Executed(executed), Command::Settle { by, outcome, reason }) => {
                self.settle(&mut draft, executed, (by, outcome, reason), facts)?;
            }
            (State::Approved(approved), Command::Forget { scope, .. }) if approved.by.rests_on(*scope) => {
                self.forgotten(&mut draft, command)?;
            }
            (State::Rejected(rejected), Command::AskAnew { identity })
                if matches!(rejected.by, RejectedBy::Votes { .. }) =>
            {
                self.ask_anew(&mut draft, identity, facts)?;
            }
            // Whatever became of it since: that somebody decided alone stays open until somebody else has looked.
            (_, Command::Review { identity, note }) if self.glass.is_some() => {
                self.review(&mut draft, (identity, note.as_deref()), facts)?;
            }
            (_, Command::Tick) => self.tick(&mut draft)?,
            (_, _) => return Err(self.out_of_order(command)),
        }
        Ok(draft.done())
    }

    /// What people say while they are asked.
    fn said(&self, draft: &mut Draft, command: &Command, facts: &Facts) -> Result<(), Refusal> {
        match command {
            Command::Vote(ballot) if ballot.given_on.is_some() => Err(Refusal::NotShownInFull),
            Command::Vote(ballot) => self.cast(draft, ballot, facts),
            Command::TakeBack { identity, sign } => self.take_back(draft, (identity, sign.as_ref()), facts),
            Command::BreakGlass(alone) => self.break_glass(draft, alone, facts),
            Command::Supersede { by, identity } => self.supersede(draft, (*by, identity), facts),
            Command::Ask { identity, to, text, surface } => {
                self.ask(draft, (identity, *to), (text, surface.as_ref()), facts)
            }
            Command::Answer { by, question, text } => self.answer(draft, (by, *question), text, facts),
            Command::Look { identity } => self.look(draft, identity, facts),
            other => Err(self.out_of_order(other)),
        }
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

    /// Somebody was not told; the alarm is raised once.
    fn gave_up(&self, draft: &mut Draft, lost: &Lost) -> Result<(), Refusal> {
        draft.add(EventKind::MessageUndelivered { lost: lost.clone() })?;
        if !self.alarms.contains(&Alarm::MessageUndelivered) {
            draft.add(EventKind::AlarmRaised { alarm: Alarm::MessageUndelivered })?;
        }
        Ok(())
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
                Command::Vote(_)
                | Command::TakeBack { .. }
                | Command::BreakGlass(_)
                | Command::Supersede { .. }
                | Command::Ask { .. }
                | Command::Answer { .. }
                | Command::Look { .. },
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
}

/// The tally after a vote, with the votes that lapsed removed first.
pub(super) fn drop_lapsed(draft: &mut Draft, tally: &Tally) -> Result<(), Refusal> {
    for identity in &tally.lapsed {
        draft.add(EventKind::Lapsed { identity: identity.clone() })?;
    }
    Ok(())
}
