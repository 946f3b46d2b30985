//! What a store runs inside its transaction: an order against the request as it stands gives everything to write.
//!
//! Stores hold no decisions. They load, call [`weigh`] or [`open`] with the time read inside the transaction, and
//! write what comes back, whole or not at all.

use std::sync::Arc;

use crate::approval::announce::Announced;
use crate::approval::asking::{Guards, Lookback};
use crate::approval::command::{ClaimOrder, Command, Facts, Inside};
use crate::approval::{Approval, ApprovedBy, Proposal, Refusal, State, Status, Transition};
use crate::call::CallDigest;
use crate::card::row::CardMove;
use crate::hold::Hold;
use crate::id::{CommandId, CredentialId, HoldId, IdempotencyKey, RequestId, ShortCode, TenantId};
use crate::inbound::{Inbound, ReplyTo};
use crate::notice::{Message, Notice, Recipient};
use crate::person::Identity;
use crate::policy::{Place, Verdict};
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
    /// A hold that stands from now on: the agent has had its share of cards.
    pub hold: Option<Hold>,
    /// Another request that is changed in the same commit.
    pub also: Option<Box<Also>>,
    /// What is answered.
    pub result: Result<Change, Refusal>,
}

/// What is read inside the transaction before anything is decided, so that nothing can come in between.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// What an answer to a command rests on.
    pub inside: Inside,
    /// The request that an edit replaces.
    pub replaced: Option<Approval>,
    /// What was asked before.
    pub before: Lookback,
}

/// Another request that is changed in the same commit.
#[derive(Debug, Clone)]
pub struct Also {
    /// As it stands.
    pub before: Approval,
    /// Everything that is written to it.
    pub effects: Effects,
}

/// Which of it a command rests on; the store reads nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wants {
    /// Every hold that stands and covers the call.
    pub holds: bool,
    /// This remembered yes.
    pub remembered: Option<RequestId>,
    /// This request, which an edit replaces.
    pub replaced: Option<RequestId>,
    /// Requests of the very same call in the same run that wait.
    pub waiting: bool,
    /// What became of the same call before, and how often people were asked.
    pub lately: bool,
    /// What people chose to remember in the session.
    pub session: bool,
    /// Cards that are kept back, because others may be gathered on them.
    pub gathering: bool,
}

impl Wants {
    /// What a command on this request rests on.
    #[must_use]
    pub fn of(current: &Approval, command: &Command) -> Self {
        let remembered = match (command, &current.state) {
            (Command::Claim(_), State::Approved(approved)) => match &approved.by {
                ApprovedBy::Remembered { scope, .. } => Some(*scope),
                _ => None,
            },
            _ => None,
        };
        let waiting = matches!(command, Command::Follow { .. }) && current.proposal.run.is_some();
        Self { holds: matches!(command, Command::Claim(_)), remembered, waiting, ..Self::default() }
    }

    /// What a proposal rests on, with the claim that may go with it.
    #[must_use]
    pub fn of_opening(opening: &Opening) -> Self {
        let remembered = match &opening.judgement {
            Command::Recall { scope, .. } => Some(*scope),
            _ => None,
        };
        let guarded = opening.guarded();
        let terms = guarded.and_then(|(_, verdict)| verdict.terms.as_ref());
        Self {
            holds: opening.claim.is_some(),
            remembered,
            replaced: opening.replaces.as_ref().map(|replaces| replaces.request),
            waiting: opening.proposal.run.is_some()
                && guarded.is_some_and(|(guards, _)| guards.fatigue.share_identical),
            lately: guarded.is_some(),
            session: opening.proposal.session.is_some()
                && guarded.is_some_and(|(_, verdict)| verdict.remember.is_some() && !verdict.always_ask),
            gathering: terms.is_some_and(|terms| terms.gather.is_some()),
        }
    }
}

/// What an order leads to, given the request as it stands in this transaction, and what else was read in it.
#[must_use]
pub fn weigh(current: &Approval, order: &Order, around: &Around, now: Timestamp) -> Effects {
    let facts = Facts { inside: around.inside.clone(), ..order.facts.clone() };
    match current.decide(&order.command, &facts, now) {
        Ok(transition) => {
            let (mut next, mut events) = transition.into_parts();
            if events.is_empty() {
                return Effects::nothing(Ok(Change::Unchanged));
            }
            let mut also = None;
            // The card it stood on is over: it stands on that of another one like it, where there is one.
            if matches!(order.command, Command::Follow { .. })
                && current.shares.is_some()
                && next.shares.is_none()
                && let Some((shared, leader)) = beside_another(&next, &around.before.waiting, now)
            {
                let (after, more) = shared.into_parts();
                next = after;
                events.extend(more);
                also = Some(leader);
            }
            Effects { also, ..Effects::of(Some(current), next, events) }
        }
        Err(refusal) => {
            let mut messages = Vec::new();
            if let (Some(reply), false) = (&order.reply, matches!(refusal, Refusal::FactsStale)) {
                let notice = Notice::Refused {
                    request: current.id,
                    code: current.code.clone(),
                    command: order.command.name().to_owned(),
                    refusal: refusal.clone(),
                };
                let to = Recipient::Account(reply.clone());
                messages.push(Message::new(current.tenant.clone(), to, notice));
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

/// The request on another's card, and what becomes of that one: the first that takes it. Where it can take no more, that is
/// nobody's doing, and not recorded.
fn beside_another(new: &Approval, others: &[Approval], now: Timestamp) -> Option<(Transition, Box<Also>)> {
    others.iter().filter(|leader| leader.could_share(new)).find_map(|leader| {
        let also = Also::of(leader, Command::Join { follower: new.id }, now)?;
        Some((new.share(leader.id, now).ok()?, also))
    })
}

/// The request with a part of a card that is not posted yet, and what becomes of the one whose card that is.
fn gathered(new: &Approval, others: &[Approval], now: Timestamp) -> Option<(Transition, Box<Also>)> {
    others.iter().filter(|leader| leader.could_gather(new, now)).find_map(|leader| {
        let also = Also::of(leader, Command::Gather { request: new.id }, now)?;
        Some((new.be_gathered(leader.id, now).ok()?, also))
    })
}

impl Also {
    /// What a command makes of another request; none where it is refused.
    fn of(before: &Approval, command: Command, now: Timestamp) -> Option<Box<Self>> {
        let order = Order::new(before.tenant.clone(), before.id, command, Facts::none(now));
        let effects = weigh(before, &order, &Around::default(), now);
        effects.result.is_ok().then(|| Box::new(Self { before: before.clone(), effects }))
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
            hold: None,
            also: None,
            result,
        }
    }

    /// Everything that follows from these events.
    fn of(before: Option<&Approval>, next: Approval, events: Vec<Event>) -> Self {
        let announced = Announced { before, next: &next, events: &events };
        let (messages, places) = (announced.messages(), announced.places());
        let ended = before.is_some_and(|before| before.status() == Status::WaitingApproval)
            && next.status() != Status::WaitingApproval;
        let mut inbound = if ended { next.told_to_followers() } else { Vec::new() };
        inbound.extend(before.and_then(|before| next.told_to_leader(before)));
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
            hold: None,
            also: None,
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
    /// What keeps people from being asked too often, where they would be asked.
    pub guards: Option<Guards>,
    /// Placet's own claim, for what runs in process at once. Where it is refused, that is on record, and the request
    /// stands without it.
    pub claim: Option<ClaimOrder>,
    /// For the claim.
    pub facts: Facts,
    /// The request that it is an edit of.
    pub replaces: Option<Replaces>,
}

impl Opening {
    /// The guards, where people would be asked.
    const fn guarded(&self) -> Option<(&Guards, &Arc<Verdict>)> {
        match (&self.guards, &self.judgement) {
            (Some(guards), Command::Require { verdict }) => Some((guards, verdict)),
            _ => None,
        }
    }
}

/// The request that an edit takes the place of; where that is refused, nothing is opened.
#[derive(Debug, Clone)]
pub struct Replaces {
    /// Which.
    pub request: RequestId,
    /// Who edited.
    pub identity: Identity,
    /// What the answer rests on.
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
pub enum Beginning {
    /// There is a new request.
    New(Box<Effects>),
    /// What it was to replace could not be replaced: that is on the other's record, and there is no new one.
    Refused(Box<Also>),
}

/// What a new proposal writes, given what was read in this transaction. The guard version starts at 1.
///
/// # Errors
/// A [`Refusal`] where verdict and command contradict each other; nothing is written then.
pub fn open(
    opening: &Opening,
    code: ShortCode,
    around: &Around,
    now: Timestamp,
) -> Result<Beginning, Refusal> {
    let mut also = None;
    if let Some(replaces) = &opening.replaces {
        // Without the one whose place it takes, both could run.
        let replaced = around.replaced.as_ref().filter(|replaced| replaced.id == replaces.request);
        let Some(replaced) = replaced else { return Err(Refusal::FactsStale) };
        let command = Command::Supersede { by: opening.id, identity: replaces.identity.clone() };
        let order = Order::new(opening.tenant.clone(), replaced.id, command, replaces.facts.clone());
        let effects = weigh(replaced, &order, &Around::default(), now);
        let refused = effects.result.is_err();
        let changed = Box::new(Also { before: replaced.clone(), effects });
        if refused {
            return Ok(Beginning::Refused(changed));
        }
        also = Some(changed);
    }
    let begin = |proposal: &Arc<Proposal>, judgement: &Command| {
        begun((opening, Arc::clone(proposal)), code.clone(), judgement, (around, now))
    };
    let Some((guards, verdict)) = opening.guarded() else {
        let (next, events) = begin(&opening.proposal, &opening.judgement)?;
        return Ok(Beginning::New(Box::new(Effects { also, ..Effects::of(None, next, events) })));
    };
    let case = (&opening.tenant, &*opening.proposal, verdict);
    let course = guards.course(case, &around.before, now);
    let proposal = match course.follows {
        Some(follows) => Arc::new(Proposal { follows: Some(follows), ..(*opening.proposal).clone() }),
        None => Arc::clone(&opening.proposal),
    };
    let (mut next, mut events) = begin(&proposal, &course.judgement)?;
    // A stop on account of a request has its id: nothing else is minted inside a transaction.
    let (hold_id, mut hold) = (HoldId::from_bytes(*opening.id.as_bytes()), None);
    if next.status() == Status::WaitingApproval {
        let shared = (guards.fatigue.share_identical && next.proposal.run.is_some())
            .then(|| beside_another(&next, &around.before.waiting, now));
        let shared = shared.flatten();
        // Who stands on another's card asks nobody anew; a part of one is asked about all the same.
        let too_many = if shared.is_some() { None } else { guards.too_many(case, &around.before) };
        if let Some((judgement, why)) = too_many {
            (next, events) = begin(&opening.proposal, &judgement)?;
            hold = guards.stop(case, (&around.before, hold_id), (why, now));
        } else if let Some((transition, leader)) =
            shared.or_else(|| gathered(&next, &around.before.gathering, now))
        {
            let (after, more) = transition.into_parts();
            next = after;
            events.extend(more);
            also = Some(leader);
        }
    }
    Ok(Beginning::New(Box::new(Effects { also, hold, ..Effects::of(None, next, events) })))
}

/// The new request with what the policy made of it, and the claim that goes with that.
fn begun(
    (opening, proposal): (&Opening, Arc<Proposal>),
    code: ShortCode,
    judgement: &Command,
    (around, now): (&Around, Timestamp),
) -> Result<(Approval, Vec<Event>), Refusal> {
    let mut inside = around.inside.clone();
    if let Command::Recall { scope, .. } = judgement {
        let found = around.before.remembered.iter().find(|remembered| remembered.id == *scope);
        inside.remembered = inside.remembered.or_else(|| found.cloned());
    }
    let proposed = Approval::propose(opening.id, &opening.tenant, code, proposal, now);
    let (mut next, mut events) = proposed.into_parts();
    let facts = Facts { inside, ..opening.facts.clone() };
    for command in [&Command::Check, judgement] {
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
