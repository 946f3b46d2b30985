//! R21: one table of transitions; every other pair is refused by name.

use super::fixtures::*;
use crate::approval::*;
use crate::policy::{EscalationStep, Terms, Tier};
use crate::time::Ttl;

/// One request in each state; Executed twice, since what follows differs.
fn states() -> Vec<(&'static str, Life)> {
    let step = EscalationStep { after: Ttl::from_mins(20), to: vec![role("operator")], places: Vec::new() };
    let terms = Terms { escalation: vec![step], may_edit: true, ..terms(vec![vec![group("admin", 1)]]) };
    let waiting = || Life::waiting(terms.clone());
    let no = waiting().no("UBO");
    let revoke = Command::Revoke { by: Actor::Account(account("USAM")), reason: None };
    vec![
        ("Proposed", Life::proposed()),
        ("PolicyChecking", Life::checking()),
        ("WaitingApproval", waiting()),
        ("Approved", Life::approved()),
        ("Approved(remembered)", super::remember::recalled()),
        ("Approved(alone)", Life::alone()),
        ("Rejected", waiting().then(&no, 60)),
        ("Executing", Life::executing()),
        ("Executed", Life::executed(OutcomeKind::Succeeded)),
        ("Executed(unknown)", Life::executed(OutcomeKind::Unknown)),
        ("Expired", waiting().then(&Command::Tick, 1800)),
        ("Revoked", waiting().then(&revoke, 60)),
        ("Revoked(alone)", Life::alone().then(&revoke, 61)),
    ]
}

fn commands(life: &Life) -> Vec<Command> {
    let outcome = Outcome { kind: OutcomeKind::Failed, result: None, error: None, duration_ms: None };
    let sam = Actor::Account(account("USAM"));
    let other = crate::id::RequestId::from_bytes([9; 16]);
    let strict = terms(vec![vec![group("admin", 2)]]);
    let claim = match &life.claim("key") {
        Command::Claim(order) => order.id,
        _ => unreachable!(),
    };
    vec![
        Command::Check,
        Command::judged(verdict(Tier::Auto, None)),
        Command::judged(verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 1)]])))),
        Command::judged(verdict(Tier::Forbid, None)),
        Command::CannotAsk {
            verdict: verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 1)]]))),
            why: "no approver configured (fail closed)".into(),
        },
        Command::Recall {
            verdict: verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 1)]]))),
            scope: other,
        },
        Command::DenyAgain {
            verdict: verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 1)]]))),
            earlier: other,
            reason: Some("still needed".into()),
        },
        Command::Join { follower: other },
        Command::AskAnew { identity: account("UCHEN") },
        Command::Gather { request: other },
        Command::PartChanged { part: other, over: true },
        Command::Follow { leader: other, digest: life.now.digest, ballots: Vec::new(), escalations: 0 },
        life.yes("UCHEN"),
        life.no("UCHEN"),
        Command::TakeBack { identity: account("UBO"), sign: None },
        Command::Escalate { step: 1 },
        Command::Ask { identity: account("UBO"), to: Addressee::Agent, text: "why?".into(), surface: None },
        Command::Answer {
            by: Actor::Agent(life.now.proposal.requester.credential.clone()),
            question: None,
            text: "so".into(),
        },
        Command::Look { identity: account("UBO") },
        life.breaks_glass("USAM", "fire"),
        Command::Supersede { by: other, identity: account("UBO") },
        Command::Withdraw { by: Actor::Agent(life.now.proposal.requester.credential.clone()) },
        Command::Revoke { by: sam.clone(), reason: None },
        Command::Rejudge { verdict: verdict(Tier::Approve, Some(strict)) },
        Command::Review { identity: account("UBO"), note: None },
        Command::Forget { scope: super::remember::scope(), by: sam.clone(), name: None, reason: None },
        life.claim("key"),
        life.claim("another key"),
        Command::Heartbeat { claim, key: "key".into() },
        life.report("key", OutcomeKind::Succeeded),
        Command::Settle { by: sam, outcome, reason: "looked".into() },
        Command::Tick,
        Command::Show(life.rendering()),
        Command::GiveUp(crate::notice::Lost {
            notice: "ran".into(),
            to: crate::notice::Unreached::Account(account("UANA")),
            name: None,
            why: "the channel cannot be used".into(),
            question: None,
        }),
    ]
}

#[test]
fn every_state_and_command() {
    let mut table = String::new();
    for (name, life) in states() {
        table.push_str(&format!("{name}\n"));
        for command in commands(&life) {
            let now = at(90);
            let entry = match life.now.decide(&command, &facts(now), now) {
                Err(refusal) => format!("✗ {}", refusal.code()),
                Ok(transition) if transition.events().is_empty() => "· nothing".to_owned(),
                Ok(transition) => {
                    let events: Vec<_> = transition.events().iter().map(|event| event.kind.name()).collect();
                    format!("→ {} ({})", transition.next().status(), events.join(", "))
                }
            };
            table.push_str(&format!("  {:<12} {entry}\n", command.name()));
        }
    }
    insta::assert_snapshot!(table);
}

/// R10, R21: what time does to each state.
#[test]
fn time_ends_what_nobody_ends() {
    let waiting = || Life::waiting(terms(vec![vec![group("admin", 1)]]));
    let delivered = Command::Deliver(Delivery { surface: slack(), failure: None });
    let seen = waiting().then(&delivered, 1).then(&Command::Tick, 1800);
    assert!(matches!(&seen.now.state, State::Expired(e) if e.how == ExpiredHow::Unanswered));
    let unseen = waiting().then(&Command::Tick, 1800);
    assert!(matches!(&unseen.now.state, State::Expired(e) if e.how == ExpiredHow::Unasked));
    let unused = Life::approved().then(&Command::Tick, 60 + 600);
    assert!(matches!(&unused.now.state, State::Expired(e) if e.how == ExpiredHow::Unused));
    let lost = Life::executing().then(&Command::Tick, 70 + 60);
    assert!(matches!(&lost.now.state, State::Executed(e) if e.outcome.kind == OutcomeKind::Unknown));
    assert_eq!(lost.now.alarms, vec![Alarm::OutcomeUnknown]);
    let alarmed = waiting().then(&Command::Tick, 600);
    assert_eq!(alarmed.now.alarms, vec![Alarm::WaitsLong]);
    assert_eq!(alarmed.now.status(), Status::WaitingApproval);
}

/// Nobody sweeps: `until` is looked at inside the vote and inside the claim.
#[test]
fn a_late_sweeper_lengthens_nothing() {
    let waiting = Life::waiting(terms(vec![vec![group("admin", 1)]]));
    assert_eq!(waiting.refuses(&waiting.yes("UBO"), 1800), Refusal::TooLate);
    let approved = Life::approved();
    assert_eq!(approved.refuses(&approved.claim("k"), 60 + 600), Refusal::ApprovalExpired);
}

/// R24: the key of the attempt that won may ask again; nobody else's claim is taken for one's own.
#[test]
fn a_claim_is_won_once() {
    let life = Life::executing();
    let again = life.clone().then(&life.claim("key"), 71);
    assert_eq!(again.now, life.now);
    assert_eq!(life.refuses(&life.claim("other"), 71), Refusal::AlreadyClaimed);
    assert_eq!(life.refuses(&life.report("other", OutcomeKind::Succeeded), 71), Refusal::NotTheClaimant);
    let late = life.clone().then(&Command::Tick, 200).then(&life.report("key", OutcomeKind::Succeeded), 201);
    assert!(
        matches!(&late.now.state, State::Executed(e) if e.late && e.outcome.kind == OutcomeKind::Succeeded)
    );
    let known = Life::executed(OutcomeKind::Succeeded);
    assert!(matches!(
        known.refuses(&known.report("key", OutcomeKind::Failed), 90),
        Refusal::AlreadyFinished { .. }
    ));
}

/// A verdict whose parts contradict each other lets nothing run.
#[test]
fn a_contradicting_verdict_is_refused() {
    let checking = Life::checking();
    let contradictions = [
        Command::Allow { verdict: verdict(Tier::Approve, None) },
        Command::Allow { verdict: verdict(Tier::Forbid, None) },
        Command::Require { verdict: verdict(Tier::Approve, None) },
        Command::Require { verdict: verdict(Tier::Approve, Some(terms(vec![]))) },
        Command::Require { verdict: verdict(Tier::Approve, Some(terms(vec![vec![]]))) },
        Command::Require { verdict: verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 0)]]))) },
        Command::Require { verdict: verdict(Tier::Auto, Some(terms(vec![vec![group("admin", 1)]]))) },
    ];
    for command in contradictions {
        assert!(matches!(checking.refuses(&command, 1), Refusal::OutOfOrder { .. }), "{command:?}");
    }
}

/// R25: who asks again for a claim after somebody wanted it to stop, or after its lease, must not start.
#[test]
fn a_lost_claim_is_not_given_again_too_late() {
    let life = Life::executing();
    let stop = Command::Revoke { by: Actor::Account(account("USAM")), reason: None };
    let stopped = life.clone().then(&stop, 71);
    assert_eq!(stopped.refuses(&stopped.claim("key"), 72), Refusal::AlreadyClaimed);
    assert_eq!(life.refuses(&life.claim("key"), 70 + 60), Refusal::AlreadyClaimed, "nobody has swept yet");
}

/// R14: a policy that became stricter is looked at inside the claim, whatever was approved before.
#[test]
fn a_claim_obeys_todays_policy() {
    let life = Life::approved();
    let one = || terms(vec![vec![group("admin", 1)]]);
    let stricter = [
        verdict(Tier::Forbid, None),
        verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 2)]]))),
        verdict(Tier::Approve, Some(terms(vec![vec![group("finance", 1)]]))),
        verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 1)], vec![group("finance", 1)]]))),
        verdict(Tier::Approve, Some(crate::policy::Terms { reason_for_yes: true, ..one() })),
    ];
    for today in stricter {
        let now = Facts { today: Some(today.clone()), ..facts(at(65)) };
        let refusal = life.now.decide(&life.claim("key"), &now, at(65)).unwrap_err();
        assert!(matches!(refusal, Refusal::ForbiddenNow { .. }), "{today:?}");
    }
    for today in [verdict(Tier::Approve, Some(one())), verdict(Tier::Auto, None)] {
        let now = Facts { today: Some(today), ..facts(at(65)) };
        assert!(life.now.decide(&life.claim("key"), &now, at(65)).is_ok(), "a laxer policy changes nothing");
    }
}

/// R10: silence counts as a yes only where people were asked and nobody said no.
#[test]
fn silence_is_no_yes_where_somebody_said_no() {
    let silent = || crate::policy::Terms {
        approve_on_timeout: true,
        denials_to_reject: 2,
        ..terms(vec![vec![group("admin", 1)]])
    };
    let low = |life: Life| {
        let mut life = life;
        let mut verdict = (**life.now.verdict.as_ref().unwrap()).clone();
        verdict.level = crate::policy::Level::Low;
        life.now.verdict = Some(verdict.into());
        life.now
    };
    let delivered = Command::Deliver(Delivery { surface: slack(), failure: None });
    let expired =
        |now: &Approval| now.decide(&Command::Tick, &facts(at(1800)), at(1800)).unwrap().next().status();
    let asked = Life::waiting(silent()).then(&delivered, 1);
    assert_eq!(expired(&low(asked.clone())), Status::Approved);
    let no = asked.no("UBO");
    assert_eq!(expired(&low(asked.then(&no, 2))), Status::Expired);
    assert_eq!(expired(&low(Life::waiting(silent()))), Status::Expired, "nobody was shown anything");
}

/// R47: what proves a claim is in no log, whoever prints a command.
#[test]
fn keys_are_not_printed() {
    let life = Life::executing();
    for command in [life.claim("secret-key"), life.report("secret-key", OutcomeKind::Succeeded)] {
        let printed = format!("{command:?}");
        assert!(!printed.contains("secret-key"), "{printed}");
    }
}
