//! One card for several requests that differ in nothing.

use std::sync::Arc;

use super::fixtures::*;
use crate::approval::*;
use crate::call::CanonicalArgs;
use crate::card::{CardView, Redactor};
use crate::id::{RequestId, ShortCode};
use crate::inbound::Act;
use crate::policy::{Level, Terms, Tier, Verdict};

fn two_admins() -> Terms {
    terms(vec![vec![group("admin", 2)]])
}

fn id(number: u8) -> RequestId {
    RequestId::from_bytes([number; 16])
}

/// A later request that would stand on the leader's card, and what the leader becomes.
fn open(
    leader: &Life,
    number: u8,
    change: impl FnOnce(&mut Proposal, &mut Verdict),
) -> (Effects, Option<Effects>) {
    let mut proposal = (*leader.now.proposal).clone();
    let mut judged = (**leader.now.verdict.as_ref().unwrap()).clone();
    change(&mut proposal, &mut judged);
    let opening = Opening {
        tenant: tenant(),
        id: id(number),
        key: None,
        proposal: Arc::new(proposal),
        judgement: Command::judged(Arc::new(judged)),
        claim: None,
        facts: Facts::none(at(5)),
        guards: Some(guards()),
        replaces: None,
    };
    let before = Lookback { waiting: vec![leader.now.clone()], ..Lookback::default() };
    let around = Around { before, ..Around::default() };
    let beginning = commit::open(&opening, ShortCode::of(id(number), 0), &around, at(5)).unwrap();
    let Beginning::New(mut new) = beginning else { panic!("it is opened") };
    let also = new.also.take().map(|also| also.effects);
    (*new, also)
}

/// Many cards, and calls that differ in nothing share one.
fn guards() -> Guards {
    Guards { fatigue: crate::policy::Fatigue::default() }
}

/// The same as a step of a run: only such share a card.
fn of_run(mut life: Life) -> Life {
    let step = RunStep { run: "r1".parse().unwrap(), step: "s1".parse().unwrap() };
    let proposal = Arc::new(Proposal { run: Some(step), ..(*life.now.proposal).clone() });
    life.now.proposal = Arc::clone(&proposal);
    for event in &mut life.events {
        if let crate::record::EventKind::Proposed { proposal: told, .. } = &mut event.kind {
            *told = Arc::clone(&proposal);
        }
    }
    life
}

/// A leader with so many followers; its card was shown anew with each.
fn shared(terms: Terms, followers: u8) -> (Life, Vec<Life>) {
    let mut leader = of_run(Life::waiting(terms));
    let mut all = Vec::new();
    for number in 1..=followers {
        let (new, beside) = open(&leader, number, |_, _| {});
        all.push(Life { now: new.next.unwrap(), events: new.events });
        let joined = beside.expect("it joins");
        leader.now = joined.next.unwrap();
        leader.events.extend(joined.events);
        let rendering = leader.rendering();
        leader = leader.then(&Command::Show(rendering), 5);
    }
    (leader, all)
}

/// What the followers are told by the commit of this command.
fn told(leader: &Life, command: &Command, secs: i64) -> (Life, Vec<(RequestId, Command)>) {
    let order = Order::new(tenant(), leader.now.id, command.clone(), facts(at(secs)));
    let effects = commit::weigh(&leader.now, &order, &Around::default(), at(secs));
    let told = effects.inbound.iter().map(|inbound| {
        assert!(matches!(inbound.act, Act::Follow { .. }) && inbound.reply.is_none());
        (inbound.request, inbound.act.command())
    });
    let told = told.collect();
    let mut next = leader.clone();
    if let Some(now) = effects.next {
        next.now = now;
        next.events.extend(effects.events);
    }
    (next, told)
}

/// The card says how many calls a yes allows, and what was shown has another name with another number.
#[test]
fn the_card_says_how_many() {
    let (leader, followers) = shared(two_admins(), 2);
    let view = CardView::of(&leader.now, &Redactor::default());
    assert_eq!((view.call.calls, view.covers, view.shares), (3, 2, false));
    let own = CardView::of(&followers[0].now, &Redactor::default());
    assert_eq!((own.call.calls, own.shares), (1, true));
    assert_ne!(view.shown(&slack(), true), own.shown(&slack(), true));
    let (new, _) = open(&leader, 7, |_, _| {});
    assert!(new.places.is_empty(), "it has no card of its own");
    assert!(new.next.unwrap().due() >= Some(at(1800)), "and reminds and alarms nobody");
}

/// Only what people would read the same stands on one card; anything else has its own.
#[test]
fn what_differs_has_a_card_of_its_own() {
    let leader = of_run(Life::waiting(two_admins()));
    type Change<'a> = &'a dyn Fn(&mut Proposal, &mut Verdict);
    let apart: [Change<'_>; 5] = [
        &|proposal, _| proposal.reason = "another reason".into(),
        &|proposal, _| proposal.call.args = CanonicalArgs::parse(br#"{"path":"x"}"#).unwrap(),
        &|proposal, _| proposal.requester.shown_as = "Bo".into(),
        &|_, verdict| verdict.level = Level::Critical,
        &|_, verdict| verdict.terms = Some(terms(vec![vec![group("admin", 1)]])),
    ];
    for change in apart {
        let (new, beside) = open(&leader, 1, change);
        assert!(beside.is_none());
        assert_eq!((new.next.unwrap().shares, new.places.len()), (None, 1));
    }
    let (over, _) = told(&leader, &leader.no("UBO"), 10);
    assert!(open(&over, 1, |_, _| {}).1.is_none(), "nor on a card that is over");
    let (_, followers) = shared(two_admins(), 1);
    assert!(open(&followers[0], 2, |_, _| {}).1.is_none(), "nor on one that has no card itself");
    let (full, _) = shared(two_admins(), 49);
    assert!(open(&full, 100, |_, _| {}).1.is_none(), "nor without end");
}

/// A yes covers as many as the card named when it was seen; who came later gets a card with the votes that cover it.
#[test]
fn a_yes_covers_what_its_card_named() {
    let (leader, _) = shared(two_admins(), 1);
    let bo = leader.yes("UBO");
    let leader = leader.then(&bo, 6);
    let (second, beside) = open(&leader, 2, |_, _| {});
    let second = Life { now: second.next.unwrap(), events: second.events };
    let mut leader = leader;
    let joined = beside.unwrap();
    leader.now = joined.next.unwrap();
    leader.events.extend(joined.events);
    let rendering = leader.rendering();
    let leader = leader.then(&Command::Show(rendering), 7);
    let chen = leader.yes("UCHEN");
    let (leader, told) = told(&leader, &chen, 8);
    assert_eq!(leader.now.status(), Status::Approved);
    assert_eq!(leader.now.votes.iter().map(|vote| vote.covers).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(told.iter().map(|(follower, _)| *follower).collect::<Vec<_>>(), [id(1), id(2)]);

    let first = shared(two_admins(), 1).1.remove(0).then(&told[0].1, 9);
    assert_eq!(first.now.status(), Status::Approved, "both had seen that there are two");
    assert!(first.now.votes.iter().all(|vote| vote.given_on == Some(leader.now.id)));
    let claim = first.claim("key");
    assert_eq!(first.then(&claim, 10).now.status(), Status::Executing, "its claim is like any");

    let order = Order::new(tenant(), id(2), told[1].1.clone(), facts(at(9)));
    let effects = commit::weigh(&second.now, &order, &Around::default(), at(9));
    let alone = effects.next.unwrap();
    assert_eq!((alone.status(), alone.votes.len()), (Status::WaitingApproval, 1), "Bo had seen one fewer");
    assert_eq!((alone.shares, effects.places.len()), (None, 1), "it has a card of its own now");
}

/// A no needs no reading and is about the call: it ends all of them, each with its reason.
#[test]
fn a_no_covers_all() {
    let (leader, followers) = shared(two_admins(), 2);
    let (_, told) = told(&leader, &leader.no("UBO"), 10);
    for (follower, (_, command)) in followers.into_iter().zip(told) {
        let denied = follower.then(&command, 11);
        assert!(matches!(
            &denied.now.state,
            State::Rejected(r) if r.by == RejectedBy::Votes { reason: Some("seen".into()) }
        ));
    }
}

/// What ends a request, and when.
type End = (fn(&Life) -> Command, i64);

/// Whatever ends the leader, nobody waits on a card that is gone; and each is told once.
#[test]
fn nobody_waits_on_a_card_that_is_gone() {
    let ends: [End; 5] = [
        (|_| Command::Tick, 1800),
        (|_| Command::Withdraw { by: Actor::Placet }, 10),
        (
            |_| Command::Revoke {
                by: Actor::Manager(crate::id::CredentialId::new("ops").unwrap()),
                reason: None,
            },
            10,
        ),
        (|leader| leader.breaks_glass("USAM", "fire"), 10),
        (|_| Command::Rejudge { verdict: verdict(Tier::Forbid, None) }, 10),
    ];
    for (end, secs) in ends {
        let (leader, followers) = shared(two_admins(), 1);
        let end = end(&leader);
        let (over, told) = told(&leader, &end, secs);
        assert_eq!(told.len(), 1, "{}", end.name());
        let follower = followers.into_iter().next().unwrap().then(&told[0].1, secs);
        assert_eq!(follower.now.status(), Status::WaitingApproval, "{}", end.name());
        assert_eq!(follower.now.shares, None, "{}", end.name());
        let again = follower.clone().then(&told[0].1, secs + 1);
        assert_eq!(again.now, follower.now);
        let review = Command::Review { identity: account("UBO"), note: None };
        assert!(super::sharing::told(&over, &review, secs + 1).1.is_empty());
    }
}

/// R10: each has a deadline of its own, and was asked about on the card it stands on.
#[test]
fn each_has_its_own_deadline() {
    let leader = of_run(Life::waiting(two_admins()));
    let (new, beside) =
        open(&leader, 1, |proposal, _| proposal.timeout = Some(crate::time::Ttl::from_mins(5)));
    assert!(beside.is_some());
    let follower = Life { now: new.next.unwrap(), events: new.events };
    assert_eq!(follower.now.due(), Some(at(305)));
    let over = follower.then(&Command::Tick, 305);
    assert!(matches!(&over.now.state, State::Expired(e) if e.how == ExpiredHow::Unanswered));
    let late = Command::Follow {
        leader: leader.now.id,
        digest: leader.now.digest,
        ballots: Vec::new(),
        escalations: 0,
    };
    assert_eq!(over.clone().then(&late, 306).now, over.now);
}

/// A vote from elsewhere says nothing of a card: only what its own leader hands on counts, and only for the same call.
#[test]
fn nobody_outside_hands_votes_on() {
    let (leader, followers) = shared(terms(vec![vec![group("admin", 1)]]), 1);
    let follower = &followers[0];
    let ballot = Ballot { given_on: Some(leader.now.id), ..leader.ballot("UBO", Decision::Approve) };
    assert_eq!(follower.refuses(&Command::Vote(ballot.clone()), 10), Refusal::NotShownInFull);
    let own = Ballot { given_on: None, ..ballot.clone() };
    assert_eq!(follower.refuses(&Command::Vote(own), 10), Refusal::NotShownInFull, "it was never shown");
    let follow = |leader, digest, ballot: &Ballot| Command::Follow {
        leader,
        digest,
        ballots: vec![ballot.clone()],
        escalations: 0,
    };
    let other = follower.clone().then(&follow(id(9), follower.now.digest, &ballot), 10);
    assert_eq!(other.now, follower.now, "another's card");
    let call = crate::call::CallDigest::from_bytes([1; 32]);
    let other = follower.clone().then(&follow(leader.now.id, call, &ballot), 10);
    assert!(other.now.votes.is_empty(), "another call");
    let mut gone = facts(at(10));
    let deactivated = crate::person::Standing::None(crate::person::NoStanding::Deactivated);
    gone.electorate.standings.insert(account("UBO"), deactivated);
    let command = follow(leader.now.id, follower.now.digest, &ballot);
    let left = follower.now.decide(&command, &gone, at(10)).unwrap();
    assert_eq!((left.next().votes.len(), left.next().shares), (0, None), "a vote that no longer counts");
    let mut stale = facts(at(10));
    stale.electorate.standings.remove(&account("UBO"));
    assert_eq!(follower.now.decide(&command, &stale, at(10)).unwrap_err(), Refusal::FactsStale);
}

/// R16: whom the card asked as well, by an escalation step, it asked about everything that stands on it.
#[test]
fn whom_the_card_asked_as_well_counts_for_all() {
    let step = crate::policy::EscalationStep {
        after: crate::time::Ttl::from_secs(300),
        to: vec!["finance".parse().unwrap()],
        places: Vec::new(),
    };
    let one = Terms { escalation: vec![step], ..terms(vec![vec![group("admin", 1)]]) };
    let leader = of_run(Life::waiting(one));
    let (new, beside) = open(&leader, 1, |_, _| {});
    // It came later, so that its own step is not due yet.
    let mut follower = Life { now: new.next.unwrap(), events: new.events };
    if let State::WaitingApproval(waiting) = &mut follower.now.state {
        waiting.since = at(250);
    }
    let mut leader = leader;
    let joined = beside.unwrap();
    leader.now = joined.next.unwrap();
    leader.events.extend(joined.events);
    let rendering = leader.rendering();
    let leader = leader.then(&Command::Show(rendering), 6).then(&Command::Tick, 300);
    let yes = leader.yes("UFAY");
    let (leader, told) = told(&leader, &yes, 310);
    assert_eq!(leader.now.status(), Status::Approved);
    let order = Order::new(tenant(), id(1), told[0].1.clone(), facts(at(311)));
    let effects = commit::weigh(&follower.now, &order, &Around::default(), at(311));
    let next = effects.next.unwrap();
    assert_eq!((next.status(), next.escalations), (Status::Approved, 1));
}

/// R29: a follower that is over by itself is named no longer, keeps its place, and is told nothing more.
#[test]
fn who_is_gone_is_not_counted() {
    let (leader, _) = shared(two_admins(), 2);
    let leader = leader.then(&Command::PartChanged { part: id(1), over: true }, 6);
    let view = CardView::of(&leader.now, &Redactor::default());
    assert_eq!((view.call.calls, view.covers), (2, 2));
    let stranger = leader.clone().then(&Command::PartChanged { part: id(9), over: true }, 7);
    assert_eq!(stranger.now, leader.now, "only what stands on it changes it");
    let rendering = leader.rendering();
    let leader = leader.then(&Command::Show(rendering), 7);
    let bo = leader.yes("UBO");
    let leader = leader.then(&bo, 8);
    let (_, told) = told(&leader, &leader.yes("UCHEN"), 9);
    assert_eq!(told.iter().map(|(follower, _)| *follower).collect::<Vec<_>>(), [id(2)]);
}

/// A button that names as many calls as another, but not the same, is another button.
#[test]
fn which_calls_are_meant_is_part_of_what_was_shown() {
    let (leader, _) = shared(two_admins(), 1);
    let view = CardView::of(&leader.now, &Redactor::default());
    let gone = leader.then(&Command::PartChanged { part: id(1), over: true }, 6);
    let (_, joined) = open(&gone, 2, |_, _| {});
    let after = CardView::of(&joined.unwrap().next.unwrap(), &Redactor::default());
    assert_eq!((view.call.calls, after.call.calls), (2, 2));
    assert_ne!(view.shown(&slack(), true), after.shown(&slack(), true));
}

/// A no on the card is about all that stand there: it waits until its giver's account can be read; a yes is asked for anew.
#[test]
fn a_no_is_not_lost_while_accounts_cannot_be_read() {
    let mut unreadable = facts(at(11));
    let why = crate::person::NoStanding::Unreadable("Slack does not answer".to_owned());
    unreadable.electorate.standings.insert(account("UBO"), crate::person::Standing::None(why));
    let (leader, followers) = shared(terms(vec![vec![group("admin", 1)]]), 1);
    let (_, denied) = told(&leader, &leader.no("UBO"), 10);
    let follower = &followers[0].now;
    assert_eq!(follower.decide(&denied[0].1, &unreadable, at(11)).unwrap_err(), Refusal::FactsStale);
    let (_, approved) = told(&leader, &leader.yes("UBO"), 10);
    let asked = follower.decide(&approved[0].1, &unreadable, at(11)).unwrap();
    assert_eq!((asked.next().status(), asked.next().shares), (Status::WaitingApproval, None));
}
