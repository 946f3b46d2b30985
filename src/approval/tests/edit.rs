//! R39: an edit before the decision.

use std::sync::Arc;

use super::fixtures::*;
use crate::approval::*;
use crate::call::CanonicalArgs;
use crate::id::{RequestId, ShortCode};
use crate::policy::{Terms, Tier};

fn may_edit() -> Terms {
    Terms { may_edit: true, ..terms(vec![vec![group("admin", 1)], vec![group("finance", 1)]]) }
}

fn edits(user: &str) -> Command {
    Command::Supersede { by: RequestId::from_bytes([9; 16]), identity: account(user) }
}

/// R39: where the policy lets it, by somebody who could say yes now, and never by who asked.
#[test]
fn who_may_decide_may_edit() {
    let plain = Life::waiting(terms(vec![vec![group("admin", 1)]]));
    assert_eq!(plain.refuses(&edits("UBO"), 10), Refusal::MayNotEdit);
    let life = Life::waiting(may_edit());
    assert_eq!(life.refuses(&edits("UVIC"), 10), Refusal::WrongRole { needs: vec![role("admin")] });
    assert_eq!(life.refuses(&edits("UANA"), 10), Refusal::OwnRequest);
    assert_eq!(life.refuses(&edits("UBO"), 1800), Refusal::TooLate);
    let edited = life.then(&edits("UBO"), 10);
    assert!(matches!(
        &edited.now.state,
        State::Revoked(r) if matches!(r.why, RevokedWhy::Superseded { .. }) && r.name.as_deref() == Some("bo")
    ));
    assert_eq!(
        edited.refuses(&edited.yes("UFAY"), 11),
        Refusal::AlreadyDecided { status: Status::Revoked, by: vec!["bo".into()] }
    );
}

/// An edited request that waits, by Bo.
fn edited_by_bo(terms: Terms) -> Life {
    let mut proposal = (*proposal()).clone();
    let before = proposal.call.args.clone();
    proposal.call.args = CanonicalArgs::parse(br#"{"path":"demo-notes/other.txt"}"#).unwrap();
    let request = RequestId::from_bytes([8; 16]);
    proposal.edited = Some(Edited {
        request,
        by: account("UBO"),
        name: "bo".into(),
        before,
        earlier: Vec::new(),
        confidential: None,
    });
    let id = RequestId::from_bytes([9; 16]);
    let proposed = Approval::propose(id, &tenant(), ShortCode::of(id, 0), Arc::new(proposal), at(0));
    let (now, events) = proposed.into_parts();
    let life = Life { now, events }.then(&Command::Check, 0);
    let life = life.then(&Command::judged(verdict(Tier::Approve, Some(terms))), 0);
    let rendering = life.rendering();
    life.then(&Command::Show(rendering), 0)
}

/// R39, R18: who edited is behind what they made, with every account of theirs: others than they decide it, unless the
/// policy lets who asks approve. They may change it again.
#[test]
fn who_edited_does_not_approve_what_they_made() {
    let one = Terms { may_edit: true, ..terms(vec![vec![group("admin", 1)]]) };
    let life = edited_by_bo(one.clone());
    for account in ["UBO", "UBO2"] {
        assert_eq!(life.refuses(&life.yes(account), 10), Refusal::OwnEdit, "{account}");
        assert_eq!(life.refuses(&life.no(account), 10), Refusal::OwnEdit, "{account}");
    }
    assert_eq!(life.refuses(&life.yes("UANA"), 10), Refusal::OwnRequest, "nor does who asked");
    let again = Command::Supersede { by: RequestId::from_bytes([7; 16]), identity: account("UBO") };
    assert_eq!(life.clone().then(&again, 10).now.status(), Status::Revoked);
    let (yes, alone) = (life.yes("UCHEN"), life.breaks_glass("UBO", "fire"));
    assert_eq!(life.clone().then(&yes, 10).now.status(), Status::Approved);
    let mut now = facts(at(10));
    now.glass_breakers = vec![role("admin")];
    assert_eq!(life.now.decide(&alone, &now, at(10)).unwrap_err(), Refusal::OwnRequest, "R41: nor alone");
    let solo = edited_by_bo(Terms { requester_may_approve: true, ..one });
    let yes = solo.yes("UBO");
    assert_eq!(solo.then(&yes, 10).now.status(), Status::Approved, "R50");
}

/// R39: the facts that a decision rests on cover who edited, or it is not taken.
#[test]
fn who_edited_must_be_known() {
    let life = edited_by_bo(terms(vec![vec![group("admin", 1)]]));
    let mut now = facts(at(10));
    now.electorate.standings.remove(&account("UBO"));
    assert_eq!(life.now.decide(&life.yes("UCHEN"), &now, at(10)).unwrap_err(), Refusal::FactsStale);
}

/// R39: the edit is a request of its own, whose votes begin anew; both are changed in one commit, or neither.
#[test]
fn votes_begin_anew() {
    let life = Life::waiting(may_edit());
    let bo = life.yes("UBO");
    let life = life.then(&bo, 10);
    let mut proposal = (*life.now.proposal).clone();
    let before = proposal.call.args.clone();
    proposal.call.args = CanonicalArgs::parse(br#"{"path":"demo-notes/other.txt"}"#).unwrap();
    proposal.edited = Some(Edited {
        request: life.now.id,
        by: account("UFAY"),
        name: "fay".into(),
        before,
        earlier: Vec::new(),
        confidential: None,
    });
    let id = RequestId::from_bytes([9; 16]);
    let opening = |user: &str| Opening {
        tenant: tenant(),
        id,
        key: None,
        proposal: Arc::new(proposal.clone()),
        judgement: Command::judged(verdict(Tier::Approve, Some(may_edit()))),
        claim: None,
        facts: Facts::none(at(20)),
        guards: None,
        replaces: Some(Replaces { request: life.now.id, identity: account(user), facts: facts(at(20)) }),
    };
    let open = |user: &str| {
        let around = Around { replaced: Some(life.now.clone()), ..Around::default() };
        commit::open(&opening(user), ShortCode::of(id, 0), &around, at(20)).unwrap()
    };
    let none = commit::open(&opening("UFAY"), ShortCode::of(id, 0), &Around::default(), at(20));
    assert_eq!(none.unwrap_err(), Refusal::FactsStale, "nothing stands beside what it was to replace");
    let Beginning::Refused(refused) = open("UVIC") else { panic!("nothing is opened") };
    assert!(matches!(refused.effects.result, Err(Refusal::WrongRole { .. })));
    let Beginning::New(done) = open("UFAY") else { panic!("it is opened") };
    let new = done.next.unwrap();
    assert_eq!((new.status(), new.votes.len()), (Status::WaitingApproval, 0));
    assert_ne!(new.digest, life.now.digest, "a yes to the one is none to the other");
    assert_eq!(done.also.unwrap().effects.next.unwrap().status(), Status::Revoked);
    let view = crate::card::CardView::of(&new, &crate::card::Redactor::default());
    let edited = view.call.edited.unwrap();
    assert_eq!(edited.by.as_str(), "fay");
    insta::assert_snapshot!(edited.changes.as_str(), @r#"
      {
    -   "path": "demo-notes/scratch.txt"
    +   "path": "demo-notes/other.txt"
      }
    "#);
}
