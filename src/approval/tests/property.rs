//! Random commands at random times: the rules that hold whatever happens.

use proptest::prelude::*;

use super::fixtures::*;
use crate::approval::*;
use crate::policy::{EscalationStep, Terms, Tier};
use crate::time::Ttl;

const USERS: [&str; 7] = ["UANA", "UBO", "UBO2", "UCHEN", "UFAY", "UVIC", "USAM"];

fn other() -> crate::id::RequestId {
    crate::id::RequestId::from_bytes([9; 16])
}

fn command(life: &Life, which: u8, user: usize) -> Command {
    let user = USERS[user % USERS.len()];
    let key = if user < "UC" { "key" } else { "other" };
    match which {
        0..=3 => life.yes(user),
        4 => life.no(user),
        5 => Command::TakeBack { identity: account(user), sign: None },
        6 => Command::Revoke { by: Actor::Account(account(user)), reason: None },
        7..=9 => life.claim(key),
        10 => life.report(key, OutcomeKind::Succeeded),
        11 => life.report(key, OutcomeKind::Unknown),
        12 => life.breaks_glass(user, "fire"),
        13 => Command::Rejudge { verdict: verdict(Tier::Forbid, None) },
        15 => Command::Escalate { step: 1 },
        16 => Command::Review { identity: account(user), note: None },
        17 => Command::Supersede { by: other(), identity: account(user) },
        18 => Command::Join { follower: other() },
        19 => Command::Follow {
            leader: other(),
            digest: life.now.digest,
            ballots: vec![Ballot { given_on: Some(other()), ..life.ballot(user, Decision::Approve) }],
            escalations: 1,
        },
        23 => Command::AskAnew { identity: account(user) },
        21 => Command::Gather { request: other() },
        22 => Command::PartChanged { part: other(), over: true },
        24 => {
            Command::Ask { identity: account(user), to: Addressee::Agent, text: "why?".into(), surface: None }
        }
        25 => Command::Answer { by: Actor::Placet, question: None, text: "so".into() },
        26 | 27 => Command::Look { identity: account(user) },
        20 => Command::Vote(Ballot { given_on: Some(other()), ..life.ballot(user, Decision::Approve) }),
        14 => Command::Withdraw { by: Actor::Agent(life.now.proposal.requester.credential.clone()) },
        _ => Command::Tick,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// R21, R24, R35: at most one claim, none without a yes of enough people, and the trace tells the state.
    #[test]
    fn nothing_runs_twice_or_unasked(
        needed in 1_u32..4,
        shares in proptest::bool::ANY,
        may_edit in proptest::bool::ANY,
        steps in proptest::collection::vec((0_u8..30, 0_usize..7, 0_i64..400), 1..40),
    ) {
        let step = |secs, to| EscalationStep { after: Ttl::from_secs(secs), to: vec![role(to)], places: Vec::new() };
        let mut life = Life::waiting(Terms {
            escalation: vec![step(300, "operator"), step(900, "finance")],
            remind_after: vec![Ttl::from_secs(200), Ttl::from_secs(1_000)],
            may_edit,
            ..terms(vec![vec![group("admin", needed)]])
        });
        if shares {
            let (next, events) = life.now.share(other(), at(0)).unwrap().into_parts();
            life = Life { now: next, events: life.events.into_iter().chain(events).collect() };
        }
        let mut secs = 0;
        for (which, user, pause) in steps {
            secs += pause;
            let command = command(&life, which, user);
            match life.now.decide(&command, &facts(at(secs)), at(secs)) {
                Ok(transition) => {
                    let (next, events) = transition.into_parts();
                    life.now = next;
                    life.events.extend(events);
                }
                Err(refusal) => if let Some(recorded) = life.now.refuse(&command, &refusal, at(secs)) {
                    let (next, events) = recorded.into_parts();
                    prop_assert_eq!(next.status(), life.now.status());
                    life.now = next;
                    life.events.extend(events);
                },
            }
            prop_assert_eq!(&Approval::rebuild(&life.events).unwrap().unwrap(), &life.now);
        }
        let names: Vec<_> = life.events.iter().map(|event| event.kind.name()).collect();
        let count = |name: &str| names.iter().filter(|other| **other == name).count();
        prop_assert!(count("approval.claimed") <= 1);
        prop_assert!(count("approval.escalated") <= 2 && count("approval.reminded") <= 2);
        prop_assert!(life.now.votes.iter().all(|vote| vote.given_on.is_none() || shares));
        prop_assert!(count("approval.reviewed") <= usize::from(life.now.glass.is_some()));
        prop_assert!(count("approval.decided") <= 1);
        if count("approval.claimed") == 1 {
            prop_assert_eq!(count("approval.decided"), 1);
            let by_votes = life.events.iter().any(|event| matches!(
                &event.kind,
                crate::record::EventKind::Decided { approved_by: Some(ApprovedBy::Votes), .. }
            ));
            let people: std::collections::BTreeSet<_> = life.now.votes.iter().map(|vote| &vote.person).collect();
            prop_assert!(!by_votes || people.len() >= needed as usize);
            prop_assert!(people.iter().all(|person| person.as_str() != "ana"), "who asks does not decide");
        }
    }
}
