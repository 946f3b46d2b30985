//! Whose doing an event is, so that the record can be searched by people.

use crate::approval::{Actor, ApprovedBy};
use crate::person::Identity;
use crate::record::EventKind;

impl EventKind {
    /// The accounts of people who did what it tells of, or had it done: who asked, who changed, voted, decided, revoked or
    /// settled; and who tried something that was refused. What time or Placet did is nobody's.
    #[must_use]
    pub fn accounts(&self) -> Vec<&Identity> {
        match self {
            Self::Proposed { proposal, .. } => proposal.behind().collect(),
            Self::Voted { vote } => vec![&vote.identity],
            Self::TakenBack { identity } => vec![identity],
            Self::Looks { looking } => vec![&looking.by],
            Self::Refused { by, .. }
            | Self::BypassBlocked { by, .. }
            | Self::Revoked { by, .. }
            | Self::Answered { by, .. }
            | Self::StopRequested { by, .. }
            | Self::Settled { by, .. } => account(by).into_iter().collect(),
            Self::Decided { approved_by: Some(ApprovedBy::BreakGlass { by, .. }), .. }
            | Self::Asked { by, .. }
            | Self::AskedAnew { by, .. }
            | Self::Reviewed { by, .. } => vec![by],
            Self::Remembered { remembered } => remembered.by.iter().collect(),
            Self::Forgotten { forgotten, .. } => account(&forgotten.by).into_iter().collect(),
            Self::HoldPlaced { hold } => account(&hold.by).into_iter().collect(),
            Self::HoldLifted { lifted, .. } => account(&lifted.by).into_iter().collect(),
            Self::Decided { .. }
            | Self::Checking
            | Self::Checked { .. }
            | Self::Requested { .. }
            | Self::Lapsed { .. }
            | Self::LooksAway { .. }
            | Self::Expired { .. }
            | Self::Escalated { .. }
            | Self::Reminded { .. }
            | Self::Joined { .. }
            | Self::SharesCard { .. }
            | Self::Gathers { .. }
            | Self::GatheredOn { .. }
            | Self::PartChanged { .. }
            | Self::Rejudged { .. }
            | Self::Claimed { .. }
            | Self::Heartbeat { .. }
            | Self::Executed { .. }
            | Self::Shown { .. }
            | Self::CardDelivered { .. }
            | Self::CardUndeliverable { .. }
            | Self::MessageUndelivered { .. }
            | Self::AlarmRaised { .. }
            | Self::PolicyLoaded { .. }
            | Self::PolicyRefused { .. }
            | Self::CredentialCreated { .. }
            | Self::CredentialRevoked { .. } => Vec::new(),
        }
    }
}

const fn account(actor: &Actor) -> Option<&Identity> {
    match actor {
        Actor::Account(identity) => Some(identity),
        Actor::Agent(_) | Actor::Executor(_) | Actor::Manager(_) | Actor::Placet => None,
    }
}
