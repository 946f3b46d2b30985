//! Who is asked next where nobody decides, and who is reminded.

use super::fixtures::*;
use crate::approval::*;
use crate::notice::{Notice, Recipient};
use crate::policy::{EscalationStep, Place, Terms};
use crate::time::Ttl;

fn step(minutes: u64, to: &str, channels: &[&str]) -> EscalationStep {
    let place = |channel: &&str| Place { surface: slack(), channel: (*channel).to_owned(), thread: None };
    EscalationStep {
        after: Ttl::from_mins(minutes),
        to: vec![role(to)],
        places: channels.iter().map(place).collect(),
    }
}

/// Two finance people within thirty minutes; after ten the admins too, after twenty the operators.
fn ladder() -> Terms {
    Terms {
        escalation: vec![step(10, "admin", &[]), step(20, "operator", &["C2"])],
        remind_after: vec![Ttl::from_mins(5), Ttl::from_mins(6)],
        alarm_after: Ttl::from_mins(25),
        ..terms(vec![vec![group("finance", 2)]])
    }
}

fn names(life: &Life) -> Vec<&'static str> {
    life.events.iter().map(|event| event.kind.name()).collect()
}

/// What a tick at this time writes.
fn tick(life: &Life, secs: i64) -> Effects {
    let order = Order::new(tenant(), life.now.id, Command::Tick, facts(at(secs)));
    commit::weigh(&life.now, &order, &Around::default(), at(secs))
}

fn told(effects: &Effects) -> Vec<String> {
    let told = effects.messages.iter().map(|message| {
        let to = match &message.to {
            Recipient::Place(place) => place.channel.clone(),
            Recipient::Operators => "operators".to_owned(),
            Recipient::Account(reply) => reply.identity.to_string(),
            Recipient::Roles(roles) => format!("{roles:?}"),
            Recipient::Directly(identity) => identity.to_string(),
            Recipient::Askers(askers) => format!("{askers:?}"),
        };
        let what = match &message.notice {
            Notice::Escalated { to, .. } => format!("escalated to {to:?}"),
            Notice::Reminder { .. } => "reminder".to_owned(),
            Notice::StageAsked { stage, to, .. } => format!("stage {stage:?} {to:?}"),
            other => format!("{other:?}"),
        };
        format!("{to}: {what}")
    });
    told.collect()
}

/// R10, R16: each step and each reminder comes at its time, once, and is told where its people look.
#[test]
fn steps_and_reminders_come_in_order() {
    let life = Life::waiting(ladder());
    assert_eq!(life.now.due(), Some(at(300)));
    assert!(tick(&life, 299).events.is_empty());
    assert_eq!(told(&tick(&life, 300)), ["C1: reminder"]);
    let life = life.then(&Command::Tick, 300);
    assert_eq!(life.now.due(), Some(at(360)));
    let life = life.then(&Command::Tick, 360);
    assert_eq!(life.now.due(), Some(at(600)));
    let first = tick(&life, 600);
    assert_eq!(told(&first), [r#"C1: escalated to [Role("admin")]"#]);
    assert_eq!(first.places.iter().map(|place| place.channel.as_str()).collect::<Vec<_>>(), ["C1"]);
    let life = life.then(&Command::Tick, 600);
    let second = tick(&life, 1200);
    assert_eq!(told(&second), [r#"C2: escalated to [Role("operator")]"#]);
    assert_eq!(second.places.iter().map(|place| place.channel.as_str()).collect::<Vec<_>>(), ["C1", "C2"]);
    let life = life.then(&Command::Tick, 1200);
    assert_eq!(life.now.due(), Some(at(1500)), "then the alarm");
    assert_eq!(life.then(&Command::Tick, 1500).now.due(), Some(at(1800)), "then the end");
}

/// R10, R11: whoever swept late does everything once, in order; of several reminders people read one.
#[test]
fn several_that_are_overdue_come_each_once() {
    let life = Life::waiting(ladder());
    let late = tick(&life, 1300);
    let done: Vec<_> = late.events.iter().map(|event| event.kind.name()).collect();
    let (reminded, escalated) = ("approval.reminded", "approval.escalated");
    assert_eq!(done, [reminded, reminded, escalated, escalated]);
    assert_eq!(told(&late).iter().filter(|told| told.contains("reminder")).count(), 2, "one in each place");
    let life = life.then(&Command::Tick, 1300);
    assert!(tick(&life, 1301).events.is_empty());
}

/// R10: with no worker at all, a vote finds the steps taken whose time has come, and the deadline kept.
#[test]
fn a_vote_does_not_wait_for_a_worker() {
    let life = Life::waiting(ladder());
    assert_eq!(life.refuses(&life.yes("UBO"), 599), Refusal::WrongRole { needs: vec![role("finance")] });
    let bo = life.yes("UBO");
    let life = life.then(&bo, 600);
    assert_eq!(life.now.escalations, 1);
    let needs = vec![role("finance"), role("admin")];
    assert_eq!(life.refuses(&life.yes("USAM"), 601), Refusal::WrongRole { needs });
    assert_eq!(life.refuses(&life.yes("USAM"), 1800), Refusal::TooLate);
    let back = life.clone().then(&Command::TakeBack { identity: account("UBO"), sign: None }, 1300);
    assert_eq!(back.now.escalations, 2, "a vote that is taken back finds them too");
    assert_eq!(
        life.refuses(&Command::TakeBack { identity: account("UBO"), sign: None }, 1800),
        Refusal::TooLate
    );
}

/// R10, R18: who is asked by a step may take any place, and their vote counts at the claim as it did when it was given.
#[test]
fn a_vote_through_a_step_counts_at_the_claim() {
    let life = Life::waiting(ladder());
    let bo = life.yes("UBO");
    let life = life.then(&bo, 700);
    let sam = life.yes("USAM");
    let life = life.then(&sam, 1300);
    assert_eq!(life.now.status(), Status::Approved, "nobody of finance was there");
    let claim = life.claim("key");
    let claimed = life.clone().then(&claim, 1301);
    assert_eq!(claimed.now.status(), Status::Executing);
    let mut later = facts(at(1301));
    let gone = crate::person::Standing::None(crate::person::NoStanding::Deactivated);
    later.electorate.standings.insert(account("USAM"), gone);
    let refusal = life.now.decide(&claim, &later, at(1301)).unwrap_err();
    assert_eq!(refusal, Refusal::ApproverLapsed { names: vec!["sam".into()] });
}

/// R18: one person is one person, whichever way they are asked.
#[test]
fn a_step_makes_nobody_two() {
    let life = Life::waiting(ladder());
    let fay = life.yes("UFAY");
    let life = life.then(&fay, 700);
    assert!(matches!(life.refuses(&life.yes("UFAY"), 701), Refusal::AlreadyVoted { .. }));
    assert_eq!(life.refuses(&life.yes("UANA"), 702), Refusal::OwnRequest, "nor who asked");
    let no = life.no("UCHEN");
    assert_eq!(life.then(&no, 703).now.status(), Status::Rejected, "and a no of theirs is one");
}

/// R18: the people of the second stage are told when it is their turn.
#[test]
fn the_next_stage_is_told() {
    let life = Life::waiting(terms(vec![vec![group("admin", 1)], vec![group("finance", 1)]]));
    let order = Order::new(tenant(), life.now.id, life.yes("UBO"), facts(at(10)));
    let effects = commit::weigh(&life.now, &order, &Around::default(), at(10));
    assert_eq!(told(&effects), [r#"C1: stage (2, 2) [Role("finance")]"#]);
}

/// The next people can be asked before their time, as far as there are any.
#[test]
fn a_step_can_be_taken_early() {
    let life = Life::waiting(ladder()).then(&Command::Escalate { step: 2 }, 10);
    assert_eq!(names(&life).iter().filter(|name| **name == "approval.escalated").count(), 2);
    let again = life.clone().then(&Command::Escalate { step: 9 }, 11).then(&Command::Tick, 1300);
    assert_eq!(again.now.escalations, 2, "and not again at their time");
}
