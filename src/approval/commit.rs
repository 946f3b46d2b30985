//! What a store runs inside its transaction: an order against the request as it stands gives everything to write.
//!
//! Stores hold no decisions. They load, call [`weigh`] or [`open`] with the time read inside the transaction, and
//! write what comes back, whole or not at all.

use std::sync::Arc;

use crate::approval::announce::Announced;
use crate::approval::command::{ClaimOrder, Command, Facts, Inside};
use crate::approval::{Approval, ApprovedBy, Proposal, Refusal, State, Status, Transition};
use crate::call::CallDigest;
use crate::card::row::CardMove;
use crate::id::{CommandId, CredentialId, IdempotencyKey, RequestId, ShortCode, TenantId};
use crate::inbound::{Inbound, ReplyTo};
use crate::notice::{Message, Notice, Recipient};
use crate::person::Identity;
use crate::policy::Place;
use crate::record::{Event, EventKind};
use crate::remembered::Remembered;
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
    /// Where the card is wanted from now on, at the revision of `next`: all places of a new card, and those that an
    /// escalation step adds. Where there is a row already, that one stays.
    pub places: Vec<Place>,
    /// What other requests are to do on account of it, as rows of the inbox: those that share a card.
    pub inbound: Vec<Inbound>,
    /// A yes that is remembered from now on.
    pub remembered: Option<Arc<Remembered>>,
    /// What is answered.
    pub result: Result<Change, Refusal>,
}

/// Which of the facts inside the transaction a command rests on; the store reads no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// Every hold that stands and covers the call.
    pub holds: bool,
    /// This remembered yes.
    pub remembered: Option<RequestId>,
}

impl Wants {
    /// What a command on this request rests on.
    #[must_use]
    pub fn of(current: Option<&Approval>, command: &Command) -> Self {
        let remembered = match (command, current.map(|approval| &approval.state)) {
            (Command::Recall { scope, .. }, _) => Some(*scope),
            (Command::Claim(_), Some(State::Approved(approved))) => match &approved.by {
                ApprovedBy::Remembered { scope, .. } => Some(*scope),
                _ => None,
            },
            _ => None,
        };
        Self { holds: matches!(command, Command::Claim(_)), remembered }
    }

    /// What a proposal rests on, with the claim that may go with it.
    #[must_use]
    pub const fn of_opening(opening: &Opening) -> Self {
        let remembered = match &opening.judgement {
            Command::Recall { scope, .. } => Some(*scope),
            _ => None,
        };
        Self { holds: opening.claim.is_some(), remembered }
    }

    /// Whether there is anything to read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        !self.holds && self.remembered.is_none()
    }
}

/// What an order leads to, given the request as it stands in this transaction, and what else was read in it.
#[must_use]
pub fn weigh(current: &Approval, order: &Order, inside: Inside, now: Timestamp) -> Effects {
    let facts = Facts { inside, ..order.facts.clone() };
    match current.decide(&order.command, &facts, now) {
        Ok(transition) => {
            let (next, events) = transition.into_parts();
            if events.is_empty() {
                return Effects::nothing(Ok(Change::Unchanged));
            }
            Effects::of(Some(current), next, events)
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
            Effects { next, events, messages, ..Effects::nothing(Err(refusal)) }
        }
    }
}

impl Effects {
    const fn nothing(result: Result<Change, Refusal>) -> Self {
        Self {
            next: None,
            events: Vec::new(),
            messages: Vec::new(),
            places: Vec::new(),
            inbound: Vec::new(),
            remembered: None,
            result,
        }
    }

    /// Everything that follows from these events.
    fn of(before: Option<&Approval>, next: Approval, events: Vec<Event>) -> Self {
        let announced = Announced { before, next: &next, events: &events };
        let (messages, places) = (announced.messages(), announced.places());
        let ended = before.is_some_and(|before| before.status() == Status::WaitingApproval)
            && next.status() != Status::WaitingApproval;
        let inbound = if ended { next.told_to_followers() } else { Vec::new() };
        let remembered = events.iter().find_map(|event| match &event.kind {
            EventKind::Remembered { remembered } => Some(Arc::clone(remembered)),
            _ => None,
        });
        let version = before.map_or(0, |before| before.version);
        Self {
            next: Some(counted(next, version)),
            events,
            messages,
            places,
            inbound,
            remembered,
            result: Ok(Change::Changed),
        }
    }
}

fn counted(mut next: Approval, version: u64) -> Approval {
    next.version = version + 1;
    next
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
    /// What the policy made of it: one of allow, require, forbid, cannot_ask, recall, deny_again.
    pub judgement: Command,
    /// Placet's own claim, for what runs in process at once. Where it is refused, that is on record, and the request
    /// stands without it.
    pub claim: Option<ClaimOrder>,
    /// For the claim.
    pub facts: Facts,
    /// Another request that is changed in the same commit.
    pub beside: Option<Beside>,
}

/// The other request that a proposal changes in the same commit.
#[derive(Debug, Clone)]
pub enum Beside {
    /// It differs in nothing and still waits: the new one stands on its card. Where it no longer waits, the new one gets a
    /// card of its own.
    Join(RequestId),
    /// The new one is an edit of it, and takes its place; where that is refused, nothing is opened.
    Replace {
        /// Which.
        request: RequestId,
        /// Who edited.
        identity: Identity,
        /// What the answer rests on.
        facts: Box<Facts>,
    },
}

impl Beside {
    /// Which request it is.
    #[must_use]
    pub const fn request(&self) -> RequestId {
        match self {
            Self::Join(request) | Self::Replace { request, .. } => *request,
        }
    }
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
    /// What it was to replace could not be replaced; nothing was opened.
    Refused {
        /// The request as it stands.
        approval: Box<Approval>,
        /// Why.
        refusal: Refusal,
    },
}

/// Everything that a proposal writes.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// For the new request; none where replacing was refused.
    pub new: Option<Effects>,
    /// For the other request.
    pub beside: Option<Effects>,
}

/// What a new proposal writes, given the other request as it stands in this transaction. The guard version starts at 1.
///
/// # Errors
/// A [`Refusal`] where verdict and command contradict each other; nothing is written then.
pub fn open(
    opening: &Opening,
    code: ShortCode,
    (beside, inside): (Option<&Approval>, &Inside),
    now: Timestamp,
) -> Result<Beginning, Refusal> {
    let mut changed = None;
    if let Some(Beside::Replace { identity, facts, .. }) = &opening.beside {
        let Some(replaced) = beside else { return Ok(Beginning { new: None, beside: None }) };
        let command = Command::Supersede { by: opening.id, identity: identity.clone() };
        let order = Order::new(opening.tenant.clone(), replaced.id, command, (**facts).clone());
        let effects = weigh(replaced, &order, Inside::default(), now);
        if effects.result.is_err() {
            return Ok(Beginning { new: None, beside: Some(effects) });
        }
        changed = Some(effects);
    }
    let (mut next, mut events) = begun(opening, code, inside, now)?;
    if let (Some(Beside::Join(_)), Some(leader)) = (&opening.beside, beside)
        && leader.could_share(&next)
    {
        let command = Command::Join { follower: opening.id };
        let order = Order::new(opening.tenant.clone(), leader.id, command, Facts::none(now));
        let effects = weigh(leader, &order, Inside::default(), now);
        // Where it can take no more, the new one has a card of its own; that is nobody's doing, and not recorded.
        if effects.result.is_ok() {
            let (after, more) = next.share(leader.id, now)?.into_parts();
            next = after;
            events.extend(more);
            changed = Some(effects);
        }
    }
    Ok(Beginning { new: Some(Effects::of(None, next, events)), beside: changed })
}

/// The new request with what the policy made of it, and the claim that goes with that.
fn begun(
    opening: &Opening,
    code: ShortCode,
    inside: &Inside,
    now: Timestamp,
) -> Result<(Approval, Vec<Event>), Refusal> {
    let proposed = Approval::propose(opening.id, &opening.tenant, code, Arc::clone(&opening.proposal), now);
    let (mut next, mut events) = proposed.into_parts();
    let facts = Facts { inside: inside.clone(), ..opening.facts.clone() };
    for command in [&Command::Check, &opening.judgement] {
        let (after, more) = next.decide(command, &facts, now)?.into_parts();
        next = after;
        events.extend(more);
    }
    if let Some(claim) = opening.claim.clone().map(Command::Claim) {
        // One that is refused, because such calls are stopped, say, costs nobody the request: it waits to be claimed.
        let after = next.decide(&claim, &facts, now);
        let after = after.map_or_else(|refusal| next.refuse(&claim, &refusal, now), Some);
        if let Some((after, more)) = after.map(Transition::into_parts) {
            next = after;
            events.extend(more);
        }
    }
    Ok((next, events))
}
