//! Reading the record as a sentence: `proposed; checked; asked; voted alice; approved alice; claimed; succeeded`.

use std::collections::BTreeMap;

use placet::approval::{Actor, ApprovedBy, Decision, RevokedWhy};
use placet::person::Identity;
use placet::record::{Event, EventKind};

/// What a person reads of a request's events, without what is bookkeeping of cards and leases. `names` gives accounts
/// the names that the conversation uses.
#[must_use]
pub fn sentence(events: &[Event], names: &BTreeMap<Identity, String>) -> String {
    events.iter().filter_map(|event| clause(&event.kind, names)).collect::<Vec<_>>().join("; ")
}

fn clause(kind: &EventKind, names: &BTreeMap<Identity, String>) -> Option<String> {
    let account = |identity: &Identity| names.get(identity).cloned().unwrap_or_else(|| identity.to_string());
    let actor = |actor: &Actor| match actor {
        Actor::Account(identity) => account(identity),
        Actor::Placet => "placet".to_owned(),
        Actor::Agent(id) | Actor::Executor(id) | Actor::Manager(id) => id.to_string(),
    };
    Some(match kind {
        EventKind::Proposed { .. } => "proposed".to_owned(),
        EventKind::Checked { verdict, .. } => format!("checked {}", verdict.tier),
        EventKind::Requested { .. } => "asked".to_owned(),
        EventKind::Voted { vote } => {
            let word = if vote.decision == Decision::Approve { "yes" } else { "no" };
            format!("{word} {}", account(&vote.identity))
        }
        EventKind::TakenBack { identity } => format!("taken back {}", account(identity)),
        EventKind::Lapsed { identity } => format!("lapsed {}", account(identity)),
        EventKind::Refused { by, refusal, .. } => format!("refused {}: {}", actor(by), refusal.code()),
        EventKind::BypassBlocked { by, refusal, command, .. } => {
            let why = refusal.as_ref().map_or("unknown", |refusal| refusal.code());
            format!("blocked {} {command}: {why}", actor(by))
        }
        EventKind::Decided { decision: Decision::Approve, approved_by, people, .. } => match approved_by {
            Some(ApprovedBy::Votes) => format!("approved {}", people.join(", ")),
            Some(ApprovedBy::Timeout) => "approved by silence".to_owned(),
            Some(ApprovedBy::Remembered { names, .. }) => format!("remembered {}", names.join(", ")),
            Some(ApprovedBy::BreakGlass { by, .. }) => format!("glass broken {}", account(by)),
            Some(ApprovedBy::Policy) | None => "approved".to_owned(),
        },
        EventKind::Decided { decision: Decision::Deny, people, .. } if people.is_empty() => {
            "rejected".to_owned()
        }
        EventKind::Decided { decision: Decision::Deny, people, .. } => {
            format!("denied {}", people.join(", "))
        }
        EventKind::Expired { how } => format!("expired {}", serde_json::to_value(how).ok()?.as_str()?),
        EventKind::Revoked { why, by, .. } => match why {
            RevokedWhy::Forgotten { .. } => "forgotten".to_owned(),
            RevokedWhy::Withdrawn => "withdrawn".to_owned(),
            RevokedWhy::Revoked => format!("revoked {}", actor(by)),
            RevokedWhy::Superseded { .. } => "superseded".to_owned(),
            RevokedWhy::Rejudged { .. } => "rejudged".to_owned(),
        },
        EventKind::Claimed { .. } => "claimed".to_owned(),
        EventKind::StopRequested { by, .. } => format!("asked to stop {}", actor(by)),
        EventKind::Executed { outcome, late, .. } => {
            format!("{}{}", outcome.kind.name(), if *late { " late" } else { "" })
        }
        EventKind::Settled { by, outcome, .. } => format!("settled {} {}", actor(by), outcome.kind.name()),
        EventKind::AlarmRaised { alarm } => format!("alarm {}", alarm.name()),
        EventKind::CardUndeliverable { surface, .. } => format!("no card on {surface}"),
        EventKind::MessageUndelivered { lost } => format!("not told {}", lost.notice),
        EventKind::Escalated { step } => format!("escalated {step}"),
        EventKind::Reminded { count } => format!("reminded {count}"),
        EventKind::Joined { .. } => "joined".to_owned(),
        EventKind::SharesCard { leader } => {
            if leader.is_some() { "shares a card" } else { "has its own card" }.to_owned()
        }
        EventKind::AskedAnew { by, .. } => format!("to be asked again {}", account(by)),
        EventKind::Gathers { .. } => "gathers".to_owned(),
        EventKind::GatheredOn { .. } => "gathered".to_owned(),
        EventKind::PartChanged { .. } => "part changed".to_owned(),
        EventKind::Remembered { remembered } => format!("remembers {}", remembered.pattern),
        EventKind::Forgotten { forgotten, .. } => format!("forgotten by {}", actor(&forgotten.by)),
        EventKind::HoldPlaced { hold } => format!("stopped {}", actor(&hold.by)),
        EventKind::HoldLifted { lifted, .. } => format!("lifted {}", actor(&lifted.by)),
        EventKind::Asked { by, .. } => format!("question {}", account(by)),
        EventKind::Answered { by, .. } => format!("answer {}", actor(by)),
        EventKind::Looks { looking } => format!("looks {}", account(&looking.by)),
        EventKind::LooksAway { by } => format!("looks away {}", account(by)),
        EventKind::Reviewed { by, .. } => format!("reviewed {}", account(by)),
        EventKind::Rejudged { .. } => "looked at again".to_owned(),
        EventKind::Checking
        | EventKind::Heartbeat { .. }
        | EventKind::Shown { .. }
        | EventKind::CardDelivered { .. }
        | EventKind::PolicyLoaded { .. }
        | EventKind::PolicyRefused { .. }
        | EventKind::CredentialCreated { .. }
        | EventKind::CredentialRevoked { .. } => return None,
    })
}
