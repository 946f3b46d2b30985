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

/// R39: the edit is a request of its own, whose votes begin anew; both are changed in one commit, or neither.
#[test]
fn votes_begin_anew() {
    let life = Life::waiting(may_edit());
    let bo = life.yes("UBO");
    let life = life.then(&bo, 10);
    let mut proposal = (*life.now.proposal).clone();
    let before = proposal.call.args.clone();
    proposal.call.args = CanonicalArgs::parse(br#"{"path":"demo-notes/other.txt"}"#).unwrap();
    proposal.edited = Some(Edited { request: life.now.id, by: account("UFAY"), name: "fay".into(), before });
    let id = RequestId::from_bytes([9; 16]);
    let opening = |user: &str| Opening {
        tenant: tenant(),
        id,
        key: None,
        proposal: Arc::new(proposal.clone()),
        judgement: Command::judged(verdict(Tier::Approve, Some(may_edit()))),
        claim: None,
        facts: Facts::none(at(20)),
        beside: Some(Beside::Replace {
            request: life.now.id,
            identity: account(user),
            facts: Box::new(facts(at(20))),
        }),
    };
    let open = |user: &str| {
        let beside = (Some(&life.now), &Inside::default());
        commit::open(&opening(user), ShortCode::of(id, 0), beside, at(20)).unwrap()
    };
    let refused = open("UVIC");
    assert!(refused.new.is_none(), "nothing is opened");
    assert!(matches!(refused.beside.unwrap().result, Err(Refusal::WrongRole { .. })));
    let done = open("UFAY");
    let new = done.new.unwrap().next.unwrap();
    assert_eq!((new.status(), new.votes.len()), (Status::WaitingApproval, 0));
    assert_ne!(new.digest, life.now.digest, "a yes to the one is none to the other");
    assert_eq!(done.beside.unwrap().next.unwrap().status(), Status::Revoked);
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
