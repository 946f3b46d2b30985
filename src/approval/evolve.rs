//! How an event changes a request. Nothing else changes one: `decide` uses this to make the next state, and
//! [`Approval::rebuild`] uses it to check that the trace alone tells it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::approval::state::{
    Approved, BrokenGlass, Executed, Executing, Expired, Rejected, Reviewed, Revoked, Settlement, Stop,
    Waiting,
};
use crate::approval::{Approval, ApprovedBy, Decision, OutcomeKind, State, Status};
use crate::call::{ArgsHash, CallDigest};
use crate::id::{RequestId, ShortCode, TenantId};
use crate::policy::Tier;
use crate::record::{Event, EventKind};
use crate::time::Timestamp;

/// The trace tells something that cannot have happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the trace is inconsistent: {event} cannot follow {status}")]
pub struct Inconsistent {
    /// The event that does not fit.
    pub event: &'static str,
    /// Where the request stood; `nothing` before its first event.
    pub status: &'static str,
}

/// The most renderings that a request remembers; the oldest seen by one viewer goes first. More people than this do
/// not look at one card.
const RENDERINGS_MAX: usize = 512;

impl Approval {
    /// A request's beginning.
    pub(super) fn begin(
        id: RequestId,
        tenant: TenantId,
        (code, proposal): (ShortCode, Arc<crate::approval::Proposal>),
        (digest, args_hash): (CallDigest, ArgsHash),
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            tenant,
            code,
            proposal,
            digest,
            args_hash,
            verdict: None,
            state: State::Proposed,
            votes: Vec::new(),
            renderings: Vec::new(),
            card_delivered: false,
            alarms: Vec::new(),
            opened_at: at,
            last_event_at: at,
            version: 0,
            revision: 0,
            refusals: BTreeMap::new(),
            shares: None,
            followers: Vec::new(),
            gone: Vec::new(),
            gathered_on: None,
            gathered: Vec::new(),
            escalations: 0,
            glass: None,
            ask_anew: None,
            unreached: Vec::new(),
        }
    }

    /// Rebuilds a request from its events alone, in order. The guard version is left at zero: it counts writes,
    /// not events.
    ///
    /// # Errors
    /// [`Inconsistent`] where an event cannot follow what came before.
    pub fn rebuild<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Option<Self>, Inconsistent> {
        let mut request: Option<Self> = None;
        for event in events {
            match (&mut request, &event.kind) {
                (None, EventKind::Proposed { code, proposal, digest, args_hash }) => {
                    let Some(id) = event.request else {
                        return Err(Inconsistent { event: event.kind.name(), status: "nothing" });
                    };
                    let opened = (code.clone(), Arc::clone(proposal));
                    let hashes = (*digest, *args_hash);
                    request = Some(Self::begin(id, event.tenant.clone(), opened, hashes, event.at));
                }
                (None, kind) => return Err(Inconsistent { event: kind.name(), status: "nothing" }),
                (Some(request), kind) => request.evolve(event.at, kind)?,
            }
        }
        Ok(request)
    }

    /// Applies one event.
    pub(super) fn evolve(&mut self, at: Timestamp, kind: &EventKind) -> Result<(), Inconsistent> {
        let misfit = Inconsistent { event: kind.name(), status: self.status().name() };
        match kind {
            EventKind::Checking
            | EventKind::Checked { .. }
            | EventKind::Requested { .. }
            | EventKind::Decided { .. }
            | EventKind::Expired { .. }
            | EventKind::Revoked { .. }
            | EventKind::Claimed { .. }
            | EventKind::Executed { .. }
            | EventKind::Settled { .. } => self.state = self.moved(at, kind).ok_or(misfit)?,
            EventKind::Voted { vote } => {
                self.votes.retain(|other| other.identity != vote.identity && other.person != vote.person);
                self.votes.push(vote.clone());
                if let State::WaitingApproval(waiting) = &mut self.state {
                    waiting.looking.retain(|looking| looking.person != vote.person);
                }
            }
            EventKind::TakenBack { identity } | EventKind::Lapsed { identity } => {
                self.votes.retain(|vote| vote.identity != *identity);
            }
            EventKind::Refused { by, refusal, .. } => {
                self.refusals.insert(refusal_key(by, refusal), at);
            }
            EventKind::BypassBlocked { by, refusal, .. } => {
                if let Some(refusal) = refusal {
                    self.refusals.insert(refusal_key(by, refusal), at);
                }
            }
            EventKind::Escalated { step } => {
                if self.status() != Status::WaitingApproval {
                    return Err(misfit);
                }
                self.escalations = *step;
            }
            EventKind::Asked { .. }
            | EventKind::Answered { .. }
            | EventKind::Looks { .. }
            | EventKind::LooksAway { .. } => {
                let State::WaitingApproval(waiting) = &mut self.state else { return Err(misfit) };
                waiting.talked(at, kind).ok_or(misfit)?;
            }
            EventKind::Reviewed { by, name, note } => {
                let reviewed = Reviewed { by: by.clone(), name: name.clone(), note: note.clone(), at };
                self.glass.as_mut().ok_or(misfit)?.reviewed = Some(reviewed);
            }
            EventKind::Heartbeat { lease_until, .. } => {
                let State::Executing(executing) = &mut self.state else { return Err(misfit) };
                executing.claim.lease_until = *lease_until;
            }
            EventKind::StopRequested { by, reason } => {
                let State::Executing(executing) = &mut self.state else { return Err(misfit) };
                executing.stop = Some(Stop { by: by.clone(), reason: reason.clone(), at });
            }
            EventKind::Shown { rendering } => {
                if self.renderings.len() >= RENDERINGS_MAX {
                    let oldest = self.renderings.iter().position(|r| r.viewer.is_some()).unwrap_or(0);
                    self.renderings.remove(oldest);
                }
                self.renderings.push(rendering.clone());
            }
            EventKind::CardDelivered { .. } => self.card_delivered = true,
            EventKind::AlarmRaised { alarm } => self.alarms.push(*alarm),
            EventKind::CardUndeliverable { .. } | EventKind::Rejudged { .. } => {}
            EventKind::MessageUndelivered { lost } => {
                if let (State::WaitingApproval(waiting), Some(question)) = (&mut self.state, lost.question) {
                    waiting.question_lost(question);
                }
                if !self.unreached.contains(&lost.to) {
                    self.unreached.push(lost.to.clone());
                }
            }
            EventKind::Reminded { count } => {
                let State::WaitingApproval(waiting) = &mut self.state else { return Err(misfit) };
                waiting.reminders = *count;
            }
            EventKind::Joined { follower } => self.followers.push(*follower),
            EventKind::SharesCard { leader } => self.shares = *leader,
            EventKind::AskedAnew { by, .. } => self.ask_anew = Some(by.clone()),
            EventKind::Gathers { part } => self.gathered.push(*part),
            EventKind::GatheredOn { leader } => self.gathered_on = Some(*leader),
            EventKind::PartChanged { part, over } => {
                if *over && self.followers.contains(part) {
                    self.gone.push(*part);
                }
            }
            EventKind::Remembered { .. } => {}
            EventKind::Proposed { .. }
            | EventKind::Forgotten { .. }
            | EventKind::HoldPlaced { .. }
            | EventKind::HoldLifted { .. }
            | EventKind::PolicyRefused { .. }
            | EventKind::PolicyLoaded { .. }
            | EventKind::CredentialCreated { .. }
            | EventKind::CredentialRevoked { .. } => return Err(misfit),
        }
        if let EventKind::Checked { verdict, .. } = kind {
            self.verdict = Some(Arc::clone(verdict));
        }
        if let EventKind::Decided {
            approved_by: Some(ApprovedBy::BreakGlass { by, person, name, reason, surface, assurance, shown }),
            ..
        } = kind
        {
            self.glass = Some(BrokenGlass {
                by: by.clone(),
                person: person.clone(),
                name: name.clone(),
                reason: reason.clone(),
                surface: surface.clone(),
                assurance: *assurance,
                shown: *shown,
                at,
                reviewed: None,
            });
        }
        self.last_event_at = self.last_event_at.max(at);
        if kind.changes_card() {
            self.revision += 1;
        }
        Ok(())
    }

    /// The state that an event leads to; none where it cannot follow.
    fn moved(&self, at: Timestamp, kind: &EventKind) -> Option<State> {
        Some(match (&self.state, kind) {
            (State::Proposed, EventKind::Checking) => State::PolicyChecking,
            (State::PolicyChecking, EventKind::Checked { verdict, claim_until }) => {
                match (verdict.tier, claim_until) {
                    (Tier::Auto | Tier::Suggest, Some(until)) => {
                        State::Approved(Approved { by: ApprovedBy::Policy, at, until: *until })
                    }
                    (Tier::Approve | Tier::Forbid, None) => State::PolicyChecking,
                    _ => return None,
                }
            }
            (State::PolicyChecking, EventKind::Requested { until, alarm_at, gathers_until }) => {
                State::WaitingApproval(Waiting {
                    since: at,
                    until: *until,
                    alarm_at: *alarm_at,
                    gathers_until: *gathers_until,
                    questions: Vec::new(),
                    looking: Vec::new(),
                    reminders: 0,
                })
            }
            (
                State::PolicyChecking | State::WaitingApproval(_),
                EventKind::Decided { decision: Decision::Deny, rejected_by: Some(by), .. },
            ) => State::Rejected(Rejected { by: by.clone(), at }),
            (
                State::WaitingApproval(_),
                EventKind::Decided {
                    decision: Decision::Approve,
                    approved_by: Some(by),
                    claim_until: Some(until),
                    ..
                },
            ) => State::Approved(Approved { by: by.clone(), at, until: *until }),
            (
                State::PolicyChecking,
                EventKind::Decided {
                    decision: Decision::Approve,
                    approved_by: Some(by @ ApprovedBy::Remembered { .. }),
                    claim_until: Some(until),
                    ..
                },
            ) => State::Approved(Approved { by: by.clone(), at, until: *until }),
            (State::WaitingApproval(_) | State::Approved(_), EventKind::Expired { how }) => {
                State::Expired(Expired { how: *how, at })
            }
            (state, EventKind::Revoked { why, by, name, reason })
                if matches!(
                    state.status(),
                    Status::Proposed | Status::PolicyChecking | Status::WaitingApproval | Status::Approved
                ) =>
            {
                let (why, by) = (why.clone(), by.clone());
                State::Revoked(Revoked { why, by, name: name.clone(), reason: reason.clone(), at })
            }
            (State::Approved(approved), EventKind::Claimed { claim }) => {
                State::Executing(Executing { by: approved.by.clone(), claim: claim.clone(), stop: None })
            }
            (State::Executing(executing), EventKind::Executed { claim, outcome, late: false })
                if executing.claim.id == *claim =>
            {
                State::Executed(Executed {
                    by: executing.by.clone(),
                    claim: executing.claim.clone(),
                    outcome: outcome.clone(),
                    at,
                    late: false,
                    settled_by: None,
                    settlement: None,
                })
            }
            (State::Executed(executed), EventKind::Executed { claim, outcome, late: true })
                if executed.claim.id == *claim && executed.outcome.kind == OutcomeKind::Unknown =>
            {
                State::Executed(Executed { outcome: outcome.clone(), at, late: true, ..executed.clone() })
            }
            (State::Executed(executed), EventKind::Settled { by, outcome, reason, name })
                if executed.outcome.kind == OutcomeKind::Unknown =>
            {
                State::Executed(Executed {
                    outcome: outcome.clone(),
                    at,
                    settled_by: Some(by.clone()),
                    settlement: Some(Settlement { name: name.clone(), reason: reason.clone() }),
                    ..executed.clone()
                })
            }
            _ => return None,
        })
    }
}

/// Under which a refusal is remembered: the same account with the same refusal is one.
pub(super) fn refusal_key(by: &crate::approval::Actor, refusal: &crate::approval::Refusal) -> String {
    format!("{by} {}", refusal.code())
}
