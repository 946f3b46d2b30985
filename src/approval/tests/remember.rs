//! R9: what people chose to remember with a yes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fixtures::*;
use crate::approval::*;
use crate::call::CanonicalArgs;
use crate::id::{RequestId, SessionId, ShortCode};
use crate::policy::{ArgPattern, Level, RememberOffer, Tier, Verdict, Widening};
use crate::record::EventKind;
use crate::remembered::{Forgotten, Remembered};
use crate::time::Ttl;

pub(super) fn scope() -> RequestId {
    RequestId::from_bytes([7; 16])
}

/// A verdict whose yes may be remembered for an hour, for the folder.
fn offers(change: impl FnOnce(&mut Verdict)) -> Arc<Verdict> {
    let mut verdict = (*verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 2)]])))).clone();
    let widened = BTreeMap::from([("path".to_owned(), Widening::Folder)]);
    let pattern = ArgPattern::of(&proposal().call.args, &widened).unwrap();
    verdict.remember = Some(RememberOffer { pattern, within: Ttl::from_mins(60) });
    change(&mut verdict);
    Arc::new(verdict)
}

/// A proposal in a session, being looked at.
fn checking(path: &str) -> Life {
    let mut proposal = (*proposal()).clone();
    proposal.session = Some(SessionId::new("s1").unwrap());
    proposal.call.args = CanonicalArgs::parse(format!(r#"{{"path":"{path}"}}"#).as_bytes()).unwrap();
    let id = RequestId::from_bytes([3; 16]);
    let proposed = Approval::propose(id, &tenant(), ShortCode::of(id, 0), Arc::new(proposal), at(0));
    let (now, events) = proposed.into_parts();
    Life { now, events }.then(&Command::Check, 0)
}

fn waiting(verdict: Arc<Verdict>) -> Life {
    let life = checking("demo-notes/scratch.txt").then(&Command::judged(verdict), 0);
    let rendering = life.rendering();
    life.then(&Command::Show(rendering), 0)
}

fn yes(life: &Life, user: &str, remember: bool) -> Command {
    Command::Vote(Ballot { remember, ..life.ballot(user, Decision::Approve) })
}

/// What Bo and Chen chose, as it is kept.
fn remembered() -> Remembered {
    let life = waiting(offers(|_| {}));
    let (bo, chen) = (yes(&life, "UBO", true), yes(&life, "UCHEN", true));
    let life = life.then(&bo, 10).then(&chen, 20);
    let kept = life.events.iter().find_map(|event| match &event.kind {
        EventKind::Remembered { remembered } => Some((**remembered).clone()),
        _ => None,
    });
    Remembered { id: scope(), ..kept.unwrap() }
}

fn inside(remembered: &Remembered, secs: i64) -> Facts {
    let inside = Inside { holds: Vec::new(), remembered: Some(remembered.clone()) };
    Facts { inside, ..facts(at(secs)) }
}

/// What recalling it leads to, under these circumstances.
fn recall(path: &str, remembered: &Remembered, verdict: Arc<Verdict>, secs: i64) -> Approval {
    let command = Command::Recall { verdict, scope: scope() };
    let life = checking(path);
    let transition = life.now.decide(&command, &inside(remembered, secs), at(secs)).unwrap();
    let (next, events) = transition.into_parts();
    let all = life.events.into_iter().chain(events);
    assert_eq!(Approval::rebuild(&all.collect::<Vec<_>>()).unwrap().unwrap(), next);
    next
}

/// Approved on what was remembered.
pub(super) fn recalled() -> Life {
    let life = checking("demo-notes/other.txt");
    let command = Command::Recall { verdict: offers(|_| {}), scope: scope() };
    let (now, events) = life.now.decide(&command, &inside(&remembered(), 30), at(30)).unwrap().into_parts();
    Life { now, events: life.events.into_iter().chain(events).collect() }
}

/// R9: remembered only where everybody whose yes counts chose it, and the policy offers it.
#[test]
fn everybody_must_choose_it() {
    let kept = |verdict, chosen: [bool; 2]| {
        let life = waiting(verdict);
        let (bo, chen) = (yes(&life, "UBO", chosen[0]), yes(&life, "UCHEN", chosen[1]));
        let life = life.then(&bo, 10).then(&chen, 20);
        assert_eq!(life.now.status(), Status::Approved);
        life.events.iter().any(|event| event.kind.name() == "approval.remembered")
    };
    assert!(kept(offers(|_| {}), [true, true]));
    assert!(!kept(offers(|_| {}), [true, false]));
    assert!(!kept(offers(|_| {}), [false, true]));
    assert!(!kept(offers(|verdict| verdict.always_ask = true), [true, true]));
    assert!(!kept(offers(|verdict| verdict.remember = None), [true, true]));
    let kept = remembered();
    assert_eq!(
        (kept.until, kept.names),
        (at(20) + Ttl::from_mins(60), vec!["bo".to_owned(), "chen".to_owned()])
    );
    // Without a session there is nothing to remember it for.
    let life = Life::waiting(terms(vec![vec![group("admin", 1)]]));
    let bo = yes(&life, "UBO", true);
    assert!(life.then(&bo, 10).events.iter().all(|event| event.kind.name() != "approval.remembered"));
}

/// R9: it covers what was printed, while it stands, up to its level; anything else is asked about.
#[test]
fn anything_else_is_asked_about() {
    let kept = remembered();
    let fits = recall("demo-notes/other.txt", &kept, offers(|_| {}), 30);
    assert!(matches!(
        &fits.state,
        State::Approved(a) if a.by.rests_on(scope()) && a.until == at(30) + Ttl::from_mins(10)
    ));
    assert_eq!(fits.verdict.as_ref().unwrap().tier, Tier::Approve);
    let soon = recall("demo-notes/other.txt", &kept, offers(|_| {}), 20 + 3600 - 60);
    assert!(matches!(&soon.state, State::Approved(a) if a.until == kept.until), "never beyond its end");
    let asked = |path, kept: &Remembered, verdict, secs| {
        let next = recall(path, kept, verdict, secs);
        assert_eq!(next.status(), Status::WaitingApproval);
    };
    asked("demo-notes2/other.txt", &kept, offers(|_| {}), 30);
    asked("demo-notes/sub/other.txt", &kept, offers(|_| {}), 30);
    asked("demo-notes/other.txt", &kept, offers(|_| {}), 20 + 3600);
    asked("demo-notes/other.txt", &kept, offers(|verdict| verdict.level = Level::Critical), 30);
    asked("demo-notes/other.txt", &kept, offers(|verdict| verdict.always_ask = true), 30);
    // The same level, and still what people chose was less than what is asked for now.
    let with =
        |change: fn(&mut crate::policy::Terms)| offers(|verdict| change(verdict.terms.as_mut().unwrap()));
    asked("demo-notes/other.txt", &kept, with(|terms| terms.stages[0].groups[0].count += 1), 30);
    asked("demo-notes/other.txt", &kept, with(|terms| terms.stages[0].groups[0].role = role("finance")), 30);
    asked("demo-notes/other.txt", &kept, with(|terms| terms.reason_for_yes = true), 30);
    // By what the policy offers now: for less time, and for this argument alone.
    let offer = |change: fn(&mut RememberOffer)| offers(|verdict| change(verdict.remember.as_mut().unwrap()));
    asked("demo-notes/other.txt", &kept, offer(|offer| offer.within = Ttl::from_secs(10)), 30);
    let fits = recall("demo-notes/other.txt", &kept, offer(|offer| offer.within = Ttl::from_secs(11)), 30);
    assert_eq!(fits.status(), Status::Approved);
    let alone = |offer: &mut RememberOffer| {
        offer.pattern = ArgPattern::of(&proposal().call.args, &BTreeMap::new()).unwrap();
    };
    asked("demo-notes/scratch.txt", &kept, offer(alone), 30);
    // A yes to one person's calls is none to another's, whatever session the agent names.
    let for_another =
        Remembered { requester: std::collections::BTreeSet::from([account("UDANA")]), ..kept.clone() };
    asked("demo-notes/other.txt", &for_another, offers(|_| {}), 30);
    let forgotten = Forgotten { by: Actor::Placet, name: None, reason: None, at: at(25) };
    asked(
        "demo-notes/other.txt",
        &Remembered { forgotten: Some(forgotten), ..kept.clone() },
        offers(|_| {}),
        30,
    );
    let other_session = Remembered { session: SessionId::new("s2").unwrap(), ..kept.clone() };
    asked("demo-notes/other.txt", &other_session, offers(|_| {}), 30);
    asked(
        "demo-notes/other.txt",
        &Remembered { id: RequestId::from_bytes([8; 16]), ..kept },
        offers(|_| {}),
        30,
    );
}

/// R9: the claim looks again, inside the transaction: whether it stands, at today's policy, and at who chose it.
#[test]
fn the_claim_looks_again() {
    let kept = remembered();
    let life = recalled();
    let claim = life.claim("key");
    let decided = |now: Facts| life.now.decide(&claim, &now, at(40)).map(|next| next.next().status());
    assert_eq!(decided(inside(&kept, 40)), Ok(Status::Executing));
    assert_eq!(decided(facts(at(40))), Err(Refusal::NoLongerRemembered));
    let forgotten = Forgotten { by: Actor::Placet, name: None, reason: None, at: at(35) };
    let taken_back = Remembered { forgotten: Some(forgotten), ..kept.clone() };
    assert_eq!(decided(inside(&taken_back, 40)), Err(Refusal::NoLongerRemembered));
    let mut today = inside(&kept, 40);
    today.today = Some(offers(|verdict| verdict.always_ask = true));
    assert_eq!(decided(today), Err(Refusal::NoLongerRemembered));
    let mut lost = inside(&kept, 40);
    let gone = crate::person::Standing::None(crate::person::NoStanding::Deactivated);
    lost.electorate.standings.insert(account("UCHEN"), gone);
    assert!(matches!(decided(lost), Err(Refusal::ApproverLapsed { .. })));
    assert!(life.now.voices(&claim).contains(&account("UCHEN")), "whose standing is fetched for it");
}

/// R9, R25: taking it back revokes what rests on it and is not spent.
#[test]
fn taking_it_back_revokes_what_is_not_spent() {
    let forget = |scope| Command::Forget {
        scope,
        by: Actor::Account(account("UBO")),
        name: Some("bo".into()),
        reason: Some("enough".into()),
    };
    let life = recalled();
    assert!(matches!(life.refuses(&forget(RequestId::from_bytes([8; 16])), 40), Refusal::OutOfOrder { .. }));
    let revoked = life.then(&forget(scope()), 40);
    assert!(matches!(
        &revoked.now.state,
        State::Revoked(r) if r.why == RevokedWhy::Forgotten { scope: scope() } && r.name.as_deref() == Some("bo")
    ));
    assert!(matches!(Life::approved().refuses(&forget(scope()), 90), Refusal::OutOfOrder { .. }));
    let anew =
        recalled().then(&Command::Rejudge { verdict: offers(|verdict| verdict.always_ask = true) }, 40);
    assert_eq!(anew.now.status(), Status::Revoked, "a policy that always asks from now on");
    let same = recalled().then(&Command::Rejudge { verdict: offers(|_| {}) }, 40);
    assert_eq!(same.now.status(), Status::Approved);
}

/// A no of a moment ago stands for the same call, with its reason; that is people's no.
#[test]
fn a_no_stands_for_a_while() {
    let verdict = verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 1)]])));
    let (earlier, reason) = (scope(), Some("still needed".to_owned()));
    let life = Life::checking().then(&Command::DenyAgain { verdict, earlier, reason: reason.clone() }, 10);
    assert!(matches!(
        &life.now.state,
        State::Rejected(r) if r.by == RejectedBy::Earlier { request: earlier, reason }
    ));
}
