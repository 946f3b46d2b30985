//! What a store runs inside its transaction: an order against the request as it stands gives everything to write.
//!
//! Stores hold no decisions. They load, call [`weigh`] or [`open`] with the time read inside the transaction, and
//! write what comes back, whole or not at all.

use std::sync::Arc;

use crate::approval::command::{ClaimOrder, Command, Facts};
use crate::approval::{Approval, Proposal, Refusal};
use crate::call::CallDigest;
use crate::card::row::CardMove;
use crate::id::{CommandId, CredentialId, IdempotencyKey, RequestId, ShortCode, TenantId};
use crate::inbound::{Inbound, ReplyTo};
use crate::notice::{Message, Notice, Recipient};
use crate::record::{Event, EventKind};
use crate::time::Timestamp;

/// One command for one request, with everything that is committed together with it.
#[derive(Debug, Clone)]
pub struct Order {
    /// Whose request.
    pub tenant: TenantId,
    /// Which.
    pub id: RequestId,
    /// Under which it can be asked for again, should the answer be lost: what it changed is not changed twice. None
    /// where asking twice is harmless.
    pub command_id: Option<CommandId>,
    /// What is asked.
    pub command: Command,
    /// What was read outside.
    pub facts: Facts,
    /// The delivery that this works off: its inbox row is there after the commit in any case, and done unless the
    /// facts were stale.
    pub inbound: Option<Inbound>,
    /// A step of the request's card, guarded by its own row.
    pub card: Option<CardMove>,
    /// Where a refusal is whispered.
    pub reply: Option<ReplyTo>,
}

impl Order {
    /// A command with nothing beside it.
    #[must_use]
    pub const fn new(tenant: TenantId, id: RequestId, command: Command, facts: Facts) -> Self {
        Self { tenant, id, command_id: None, command, facts, inbound: None, card: None, reply: None }
    }

    /// The order that works off a delivery.
    #[must_use]
    pub fn of(inbound: Inbound, facts: Facts) -> Self {
        let mut order = Self::new(inbound.tenant.clone(), inbound.request, inbound.act.command(), facts);
        order.reply.clone_from(&inbound.reply);
        order.inbound = Some(inbound);
        order
    }
}

/// Whether a command changed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It did.
    Changed,
    /// It was a no-op: said before, or not due.
    Unchanged,
}

/// What was committed.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The request afterwards.
    pub approval: Approval,
    /// What is answered.
    pub result: Result<Change, Refusal>,
}

/// Everything that one order writes to the request, the record and the outbox.
#[derive(Debug, Clone)]
pub struct Effects {
    /// The request afterwards, its guard version already counted up; none if its row stays as it is.
    pub next: Option<Approval>,
    /// Events for the record, in order.
    pub events: Vec<Event>,
    /// One-off messages for the outbox.
    pub messages: Vec<Message>,
    /// What is answered.
    pub result: Result<Change, Refusal>,
}

/// What an order leads to, given the request as it stands in this transaction.
#[must_use]
pub fn weigh(current: &Approval, order: &Order, now: Timestamp) -> Effects {
    match current.decide(&order.command, &order.facts, now) {
        Ok(transition) => {
            let (next, events) = transition.into_parts();
            if events.is_empty() {
                return Effects { next: None, events, messages: Vec::new(), result: Ok(Change::Unchanged) };
            }
            let messages = announced(&next, &events);
            Effects {
                next: Some(counted(next, current.version)),
                events,
                messages,
                result: Ok(Change::Changed),
            }
        }
        Err(refusal) => {
            let mut messages = Vec::new();
            if let (Some(reply), false) = (&order.reply, matches!(refusal, Refusal::FactsStale)) {
                messages.push(Message {
                    tenant: current.tenant.clone(),
                    to: Recipient::Account(reply.clone()),
                    notice: Notice::Refused {
                        request: current.id,
                        code: current.code.clone(),
                        command: order.command.name().to_owned(),
                        refusal: refusal.clone(),
                    },
                });
            }
            let recorded = current.refuse(&order.command, &refusal, now);
            let (next, events) = recorded.map_or((None, Vec::new()), |transition| {
                let (next, events) = transition.into_parts();
                (Some(counted(next, current.version)), events)
            });
            Effects { next, events, messages, result: Err(refusal) }
        }
    }
}

fn counted(mut next: Approval, version: u64) -> Approval {
    next.version = version + 1;
    next
}

/// What operators are told of these events.
fn announced(next: &Approval, events: &[Event]) -> Vec<Message> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::AlarmRaised { alarm } => Some(Message {
                tenant: next.tenant.clone(),
                to: Recipient::Operators,
                notice: Notice::Alarm {
                    request: next.id,
                    code: next.code.clone(),
                    tool: next.proposal.call.full_name(),
                    alarm: *alarm,
                },
            }),
            _ => None,
        })
        .collect()
}

/// A proposal with its verdict, and the claim that goes with it where it runs at once.
#[derive(Debug, Clone)]
pub struct Opening {
    /// Whose.
    pub tenant: TenantId,
    /// Its id, if it is new.
    pub id: RequestId,
    /// The caller's key: the same key of the same credential is the same request.
    pub key: Option<(CredentialId, IdempotencyKey)>,
    /// What is proposed.
    pub proposal: Arc<Proposal>,
    /// What the policy made of it: one of allow, require, forbid, cannot_ask.
    pub judgement: Command,
    /// Placet's own claim, for what runs in process at once.
    pub claim: Option<ClaimOrder>,
    /// For the claim.
    pub facts: Facts,
}

/// What became of a proposal.
#[derive(Debug, Clone)]
pub enum Opened {
    /// It is new.
    New(Approval),
    /// The key was there with the same proposal, as its caller sent it: this is that request.
    Same(Approval),
    /// The key was there with another proposal: another call, or anything else that its caller says of it.
    Conflict {
        /// The call it was there with.
        digest: CallDigest,
    },
}

/// What a new proposal writes. The guard version starts at 1.
///
/// # Errors
/// A [`Refusal`] where verdict and command contradict each other; nothing is written then.
pub fn open(opening: &Opening, code: ShortCode, now: Timestamp) -> Result<Effects, Refusal> {
    let proposed = Approval::propose(opening.id, &opening.tenant, code, Arc::clone(&opening.proposal), now);
    let (mut next, mut events) = proposed.into_parts();
    let claim = opening.claim.clone().map(Command::Claim);
    for command in [&Command::Check, &opening.judgement].into_iter().chain(claim.as_ref()) {
        let (after, more) = next.decide(command, &opening.facts, now)?.into_parts();
        next = after;
        events.extend(more);
    }
    let messages = announced(&next, &events);
    Ok(Effects { next: Some(counted(next, 0)), events, messages, result: Ok(Change::Changed) })
}
