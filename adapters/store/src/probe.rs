//! The commit boundaries: every kind of write there is, by name, and who may look on when it is committed. Crash
//! tests stop the store before or after each.

use placet::approval::{Approval, ApprovedBy, Command, RejectedBy, State};
use placet::card::row::CardStep;
use placet::ports::OutboxStep;

/// Looks on at each commit.
pub trait CommitProbe: Send + Sync {
    /// Called by the writer immediately before and after each commit.
    fn at(&self, point: CommitPoint<'_>) -> ProbeVerdict;
}

/// A commit that is about to happen, or has happened.
#[derive(Debug, Clone, Copy)]
pub struct CommitPoint<'a> {
    /// Before or after.
    pub moment: Moment,
    /// What it holds: names out of [`BOUNDARIES`], one or two for each job that wrote something.
    pub boundaries: &'a [&'static str],
}

/// On which side of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// Nothing is written yet.
    Before,
    /// Everything is written, nobody was told.
    After,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeVerdict {
    /// Go on.
    Go,
    /// Stop for good, as if the process had died here: before the commit it is rolled back, after it the answers are
    /// lost. Every later call finds the store unavailable.
    Crash,
}

/// The probe of a store at work: always goes on.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlwaysGo;

impl CommitProbe for AlwaysGo {
    fn at(&self, _point: CommitPoint<'_>) -> ProbeVerdict {
        ProbeVerdict::Go
    }
}

/// Every kind of write there is.
pub const BOUNDARIES: &[&str] = &[
    "open.allow",
    "open.require",
    "open.forbid",
    "open.cannot_ask",
    "open.recall",
    "open.deny_again",
    "open.claim",
    "open.join",
    "open.gather",
    "open.replace",
    "execute.approve",
    "execute.deny",
    "execute.take_back",
    "execute.follow",
    "execute.part_changed",
    "execute.escalate",
    "execute.ask",
    "execute.answer",
    "execute.look",
    "execute.break_glass",
    "execute.supersede",
    "execute.withdraw",
    "execute.revoke",
    "execute.rejudge",
    "execute.forget",
    "execute.review",
    "execute.ask_anew",
    "execute.claim",
    "execute.heartbeat",
    "execute.finish",
    "execute.settle",
    "execute.tick",
    "execute.show",
    "execute.deliver",
    "execute.give_up",
    "execute.refused",
    "card.begin",
    "card.done",
    "card.retry",
    "card.wait",
    "card.set_aside",
    "card.gone",
    "card.forget",
    "card.give_up",
    "card.adopt",
    "card.redraw",
    "note",
    "inbox.deliver",
    "inbox.done",
    "inbox.discard",
    "inbox.hand_on",
    "inbox.set_aside",
    "outbox.take",
    "outbox.sent",
    "outbox.retry",
    "outbox.dropped",
    "outbox.split",
    "digest.keep",
    "credential.add",
    "credential.revoke",
    "run.save",
    "task.take",
    "task.save",
    "task.adopt",
    "task.renew",
    "task.let_go",
    "hold.place",
    "hold.lift",
    "remembered.add",
    "remembered.forget",
    "take_over",
    "prune",
];

/// The boundary of a proposal by what became of it.
pub(crate) const fn of_opened(approval: &Approval) -> &'static str {
    match &approval.state {
        State::WaitingApproval(_) => "open.require",
        State::Rejected(rejected) => match rejected.by {
            RejectedBy::Policy { .. } => "open.forbid",
            RejectedBy::Earlier { .. } => "open.deny_again",
            RejectedBy::NoApprover { .. } | RejectedBy::Votes { .. } => "open.cannot_ask",
        },
        State::Approved(approved) if matches!(approved.by, ApprovedBy::Remembered { .. }) => "open.recall",
        _ => "open.allow",
    }
}

/// The boundary of a command that is not refused. Those of the verdict have none: they are taken in by `open` only,
/// and refused ever after.
pub(crate) fn of_command(command: &Command) -> &'static str {
    let name = command.name();
    let same = |boundary: &&&'static str| boundary.strip_prefix("execute.").is_some_and(|rest| rest == name);
    BOUNDARIES.iter().find(same).copied().unwrap_or("execute.refused")
}

/// The boundary of a card's step.
pub(crate) const fn of_step(step: &CardStep) -> &'static str {
    match step {
        CardStep::Begin(_) => "card.begin",
        CardStep::Done { .. } => "card.done",
        CardStep::Retry { .. } => "card.retry",
        CardStep::Wait { .. } => "card.wait",
        CardStep::Gone { .. } => "card.gone",
        CardStep::Forget { .. } => "card.forget",
        CardStep::GiveUp { .. } => "card.give_up",
        CardStep::Adopt(_) => "card.adopt",
    }
}

/// The boundary of a message's step.
pub(crate) const fn of_outbox(step: &OutboxStep) -> &'static str {
    match step {
        OutboxStep::Sent => "outbox.sent",
        OutboxStep::Retry(_) => "outbox.retry",
        OutboxStep::Dropped(_) => "outbox.dropped",
        OutboxStep::Split(_) => "outbox.split",
    }
}
