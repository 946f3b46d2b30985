//! R41: one person decides alone in an emergency, and another reviews it.

use super::fixtures::*;
use crate::approval::*;
use crate::id::SurfaceName;
use crate::notice::{Notice, Recipient};

fn two_admins() -> Life {
    Life::waiting(terms(vec![vec![group("admin", 2)]]))
}

fn reviews(user: &str) -> Command {
    Command::Review { identity: account(user), note: None }
}

/// R41: only a named role, with a reason, and never who asked for it.
#[test]
fn only_who_may_decide_alone_does() {
    let life = two_admins();
    assert_eq!(
        life.refuses(&life.breaks_glass("UBO", "fire"), 10),
        Refusal::NotAllowed { needs: vec![role("operator")] }
    );
    assert_eq!(
        life.refuses(&life.breaks_glass("USAM", " \n"), 10),
        Refusal::ReasonRequired { decision: Decision::Approve }
    );
    assert_eq!(life.refuses(&life.breaks_glass("USAM", "fire"), 1800), Refusal::TooLate);
    // Stewards may revoke, and for that alone decide nothing.
    let mut now = facts(at(10));
    now.glass_breakers = vec![role("admin")];
    let refused = life.now.decide(&life.breaks_glass("USAM", "fire"), &now, at(10)).unwrap_err();
    assert_eq!(refused, Refusal::NotAllowed { needs: vec![role("admin")] });
    // Who asked cannot, not even where they may vote.
    let mut own = terms(vec![vec![group("admin", 1)]]);
    own.requester_may_approve = true;
    let own = Life::waiting(own);
    let refused = own.now.decide(&own.breaks_glass("UANA", "fire"), &now, at(10)).unwrap_err();
    assert_eq!(refused, Refusal::OwnRequest);
}

/// R41, R16, R28: whoever decides alone has read the whole call, from where the rule wants a yes to come; what they had
/// been shown, and how sure it is that it was they, stays on record.
#[test]
fn it_counts_as_any_yes_does() {
    let with = |change: fn(&mut crate::policy::Terms)| {
        let mut terms = terms(vec![vec![group("admin", 2)]]);
        change(&mut terms);
        Life::waiting(terms)
    };
    let unread = |life: &Life| match life.breaks_glass("USAM", "fire") {
        Command::BreakGlass(alone) => Command::BreakGlass(Alone { shown: None, ..alone }),
        other => other,
    };
    let life = two_admins();
    assert_eq!(life.refuses(&unread(&life), 10), Refusal::NotShownInFull);
    let elsewhere = match life.breaks_glass("USAM", "fire") {
        Command::BreakGlass(alone) => {
            Command::BreakGlass(Alone { surface: SurfaceName::new("api").unwrap(), ..alone })
        }
        other => other,
    };
    assert_eq!(life.refuses(&elsewhere, 10), Refusal::NotShownInFull, "there it was not read");
    let relaxed = with(|terms| terms.partial_view_may_approve = true);
    assert_eq!(relaxed.clone().then(&unread(&relaxed), 10).now.status(), Status::Approved, "as for any yes");
    let sure = with(|terms| terms.assurance = Assurance::E2eePinned);
    let refused = sure.refuses(&sure.breaks_glass("USAM", "fire"), 10);
    assert_eq!(refused, Refusal::LowAssurance { needs: Assurance::E2eePinned });

    let glass = Life::alone().now.glass.unwrap();
    assert_eq!(glass.shown, Some(life.rendering().shown));
    assert_eq!((glass.surface, glass.assurance), (Some(slack()), Assurance::Signed));
}

/// R41: everyone concerned is told at once.
#[test]
fn everyone_is_told() {
    let life = two_admins();
    let order = Order::new(tenant(), life.now.id, life.breaks_glass("USAM", "fire"), facts(at(10)));
    let effects = commit::weigh(&life.now, &order, &Around::default(), at(10));
    let told_of = |message: &crate::notice::Message| {
        assert!(
            matches!(&message.notice, Notice::GlassBroken { by, reason, .. } if by == "sam" && reason == "fire")
        );
        message.to.clone()
    };
    let (directly, told): (Vec<_>, Vec<_>) =
        effects.messages.iter().partition(|message| matches!(message.to, Recipient::Directly(_)));
    let told: Vec<_> = told.into_iter().map(told_of).collect();
    let place = life.now.places().remove(0);
    assert_eq!(told, [Recipient::Place(place), Recipient::Operators]);
    assert!(
        directly.iter().all(|message| matches!(&message.notice, Notice::Told { .. })) && directly.len() == 1,
        "who asked is told that it was approved: {directly:?}"
    );
}

/// R41: the alarm stands until somebody else has reviewed it, whatever became of the request.
#[test]
fn it_stays_open_until_another_has_reviewed_it() {
    let revoke = Command::Revoke { by: Actor::Account(account("USAM")), reason: None };
    let (claim, done) = (Life::alone().claim("key"), Life::alone().report("key", OutcomeKind::Succeeded));
    let lives = [
        Life::alone(),
        Life::alone().then(&claim, 61),
        Life::alone().then(&claim, 61).then(&done, 62),
        Life::alone().then(&Command::Tick, 60 + 600),
        Life::alone().then(&revoke, 61),
    ];
    for life in lives {
        let status = life.now.status();
        assert_eq!(life.now.standing_alarms().collect::<Vec<_>>(), [Alarm::GlassBroken], "{status}");
        assert_eq!(life.now.over_at(), None, "{status}");
        assert_eq!(life.refuses(&reviews("USAM"), 700), Refusal::OwnRequest, "{status}: not who did it");
        assert_eq!(life.refuses(&reviews("UANA"), 700), Refusal::OwnRequest, "{status}: not who asked");
        let needs = vec![role("admin"), role("operator")];
        assert_eq!(life.refuses(&reviews("UVIC"), 700), Refusal::NotAllowed { needs }, "{status}");
        let reviewed = life.then(&reviews("UBO"), 700);
        assert_eq!(reviewed.now.status(), status, "a review changes nothing else");
        assert_eq!(reviewed.now.standing_alarms().count(), 0, "{status}");
        let again = reviewed.clone().then(&reviews("UCHEN"), 701);
        assert_eq!(again.now, reviewed.now, "once is enough");
    }
    assert!(matches!(Life::approved().refuses(&reviews("UCHEN"), 90), Refusal::OutOfOrder { .. }));
}

/// R41, R44: it stands in for the people who would be asked, and for nothing else.
#[test]
fn it_overrides_nothing_else() {
    let life = Life::alone();
    let claim = life.claim("key");
    let refused = |change: &dyn Fn(&mut Facts)| {
        let mut now = facts(at(61));
        change(&mut now);
        life.now.decide(&claim, &now, at(61)).unwrap_err()
    };
    let rule = crate::policy::RuleHit::new("never", "Never.");
    let forbidden = refused(&|now| now.forbidden = Some(rule.clone()));
    assert_eq!(forbidden, Refusal::ForbiddenNow { because: "Never.".into() });
    let hold = crate::hold::Hold {
        id: crate::id::HoldId::from_bytes([1; 16]),
        tenant: None,
        scope: crate::hold::HoldScope::All,
        by: Actor::Placet,
        name: None,
        reason: "stop".into(),
        since: at(0),
        lifted: None,
    };
    let held = refused(&|now| now.inside.holds = vec![hold.clone()]);
    assert_eq!(held, Refusal::Held { reason: "stop".into() });
    let freeze = command::Freeze { name: "year end".into(), because: "Books.".into(), until: at(900) };
    assert!(matches!(refused(&|now| now.frozen = Some(freeze.clone())), Refusal::Frozen { .. }));
    let lapsed = refused(&|now| now.glass_breakers = vec![role("admin")]);
    assert_eq!(lapsed, Refusal::ApproverLapsed { names: vec!["sam".into()] });
    assert_eq!(life.then(&claim, 61).now.status(), Status::Executing);
}
