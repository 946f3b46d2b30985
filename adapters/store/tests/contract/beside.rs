//! A proposal that changes another request in its own commit: it stands on that one's card, or takes its place.

use std::collections::BTreeSet;
use std::sync::Arc;

use placet::approval::{
    Actor, Approval, Beside, Change, Command, Decision, Opened, Opening, Order, Rendering, RevokedWhy, State,
    Status,
};
use placet::id::RequestId;
use placet::ports::{RecentQuery, StoreError};

use crate::contract;
use crate::fixture::*;

/// The same call of the same run, to stand on that one's card.
fn joining(desk: &Desk, leader: &Approval) -> Opening {
    let judgement = Command::Require { verdict: Arc::clone(leader.verdict.as_ref().unwrap()) };
    let mut opening = desk.opening("v42", judgement);
    opening.beside = Some(Beside::Join(leader.id));
    opening
}

/// An edit of this request by somebody.
fn edit(desk: &Desk, of: &Approval, by: &str) -> Opening {
    let mut opening = desk.risky("edited", 1);
    let facts = Box::new(facts(desk, &["alice", "bob"]));
    opening.beside = Some(Beside::Replace { request: of.id, identity: account(by), facts });
    opening
}

contract! {
    /// R39: an edit is one commit: the new request is there, the old one is superseded by it, and its card says so.
    an_edit_takes_the_place_of_the_old_request(desk) {
        let old = desk.posts("v42").await;
        desk.does(&old, Command::Vote(ballot("bob", Decision::Approve)), facts(&desk, &["alice", "bob"])).await;
        let mut opening = edit(&desk, &old, "alice");
        opening.key = Some(key("k1"));
        let new = desk.opens(opening.clone()).await;
        assert_eq!((new.status(), new.votes.len()), (Status::WaitingApproval, 0), "votes start again");
        let stored = desk.store.load(&acme(), old.id).await.unwrap();
        let State::Revoked(revoked) = &stored.state else { panic!("{:?}", stored.state) };
        assert_eq!(revoked.why, RevokedWhy::Superseded { by: new.id });
        let card = &desk.store.cards_of(&acme(), old.id).await.unwrap()[0];
        assert!(card.is_behind() && card.wanted == stored.revision);
        for approval in [&old, &new] {
            desk.must_rebuild(approval).await;
        }
        // Asked again, with the key or with the id alone, it is that request.
        for key in [opening.key.clone(), None] {
            let again = desk.store.open(Opening { key, ..opening.clone() }).await.unwrap();
            assert!(matches!(again, Opened::Same(same) if same == new));
        }
    }

    /// R39, R17: where the old one cannot be replaced nothing is opened, and the attempt is on its record.
    a_refused_edit_opens_nothing(desk) {
        let old = desk.asks("v42", 1).await;
        let opening = edit(&desk, &old, "mallory");
        let id = opening.id;
        let opened = desk.store.open(opening).await.unwrap();
        let Opened::Refused { approval, refusal } = opened else { panic!("{opened:?}") };
        assert!(refusal.is_bypass(), "{refusal:?}");
        assert_eq!(*approval, desk.store.load(&acme(), old.id).await.unwrap());
        assert_eq!(approval.status(), Status::WaitingApproval);
        assert_eq!(desk.store.load(&acme(), id).await, Err(StoreError::NotFound));
        assert_eq!(names(&desk.record_of(&old).await).last(), Some(&"approval.bypassed_blocked"));
        desk.must_rebuild(&old).await;
        let yes = Command::Vote(ballot("alice", Decision::Approve));
        desk.does(&old, yes, facts(&desk, &["alice"])).await;
        let opened = desk.store.open(edit(&desk, &old, "alice")).await.unwrap();
        assert!(matches!(opened, Opened::Refused { .. }), "decided in between: {opened:?}");
    }

    /// Never 4: another tenant's request is not there to be replaced.
    an_edit_of_another_tenants_request_finds_nothing(desk) {
        let old = desk.asks("v42", 1).await;
        let mut opening = edit(&desk, &old, "alice");
        opening.tenant = tenant("globex");
        assert_eq!(desk.store.open(opening).await.unwrap_err(), StoreError::NotFound);
        assert_eq!(desk.store.load(&acme(), old.id).await.unwrap(), old);
    }

    /// R26, fatigue: a call that differs in nothing from one that waits stands on its card, in the same commit; no card of
    /// its own is posted, and what people see names it.
    a_call_that_differs_in_nothing_shares_the_card(desk) {
        let leader = desk.posts("v42").await;
        let mut opening = joining(&desk, &leader);
        opening.key = Some(key("k1"));
        let follower = desk.opens(opening.clone()).await;
        assert_eq!((follower.status(), follower.shares), (Status::WaitingApproval, Some(leader.id)));
        assert!(desk.store.cards_of(&acme(), follower.id).await.unwrap().is_empty());
        let stored = desk.store.load(&acme(), leader.id).await.unwrap();
        assert_eq!(stored.followers, [follower.id]);
        let card = &desk.store.cards_of(&acme(), leader.id).await.unwrap()[0];
        assert!(card.is_behind() && card.wanted == stored.revision);
        for key in [opening.key.clone(), None] {
            let again = desk.store.open(Opening { key, ..opening.clone() }).await.unwrap();
            assert!(matches!(again, Opened::Same(same) if same == follower));
        }
        assert_eq!(desk.store.load(&acme(), leader.id).await.unwrap().followers, [follower.id], "once");
        for approval in [&leader, &follower] {
            desk.must_rebuild(approval).await;
        }
        let lately = RecentQuery {
            tenant: acme(),
            agent: follower.proposal.call.agent.clone(),
            tool: "deploy".to_owned(),
            digest: follower.digest,
            run: follower.proposal.run.as_ref().map(|step| step.run.clone()),
            now: desk.now(),
        };
        let lately = desk.store.recent(lately).await.unwrap();
        assert_eq!((lately.recent.same, lately.recent.cards, lately.run_cards), (2, 1, 1), "two calls, one card");
    }

    /// Fatigue: a yes on the card covers those that it named when it was shown, each by a delivery of its own in the same
    /// commit; the others get a card.
    a_decision_is_handed_on_in_its_own_commit(desk) {
        let leader = desk.opens(desk.risky("v42", 1)).await;
        let first = desk.opens(joining(&desk, &leader)).await;
        let shown = Rendering { shown: shown(), surface: slack(), full: true, viewer: None, covers: 1 };
        desk.does(&leader, Command::Show(shown), facts(&desk, &[])).await;
        let second = desk.opens(joining(&desk, &leader)).await;
        let yes = Command::Vote(ballot("alice", Decision::Approve));
        desk.does(&leader, yes.clone(), facts(&desk, &["alice"])).await;
        let told = desk.store.undone(10).await.unwrap();
        let requests: BTreeSet<_> = told.iter().map(|inbound| inbound.request).collect();
        assert_eq!(requests, BTreeSet::from([first.id, second.id]));
        desk.does(&leader, yes, facts(&desk, &["alice"])).await;
        assert_eq!(desk.store.undone(10).await.unwrap(), told, "not told twice");
        for inbound in told {
            desk.store.execute(Order::of(inbound.clone(), facts(&desk, &["alice"]))).await.unwrap();
            let again = desk.store.execute(Order::of(inbound, facts(&desk, &["alice"]))).await.unwrap();
            assert_eq!(again.result, Ok(Change::Unchanged));
        }
        assert!(desk.store.undone(10).await.unwrap().is_empty());
        let first = desk.store.load(&acme(), first.id).await.unwrap();
        assert_eq!((first.status(), first.votes[0].given_on), (Status::Approved, Some(leader.id)));
        let second = desk.store.load(&acme(), second.id).await.unwrap();
        assert_eq!((second.status(), second.shares), (Status::WaitingApproval, None));
        let cards = desk.store.cards_of(&acme(), second.id).await.unwrap();
        assert_eq!(cards.iter().map(|card| (&card.place, card.wanted)).collect::<Vec<_>>(), [(&ops(), second.revision)]);
        for approval in [&leader, &first, &second] {
            desk.must_rebuild(approval).await;
        }
    }

    /// Never 4: what is over, another tenant's, or was never there is not joined; the call gets a card of its own.
    what_cannot_be_joined_is_asked_by_itself(desk) {
        let over = desk.asks("v42", 1).await;
        desk.does(&over, Command::Withdraw { by: Actor::Placet }, facts(&desk, &[])).await;
        let waits = desk.asks("v42", 1).await;
        let mut foreign = joining(&desk, &waits);
        foreign.tenant = tenant("globex");
        let mut unknown = joining(&desk, &waits);
        unknown.beside = Some(Beside::Join(desk.request_id()));
        let mut differs = desk.risky("v43", 1);
        differs.beside = Some(Beside::Join(waits.id));
        for opening in [joining(&desk, &over), foreign, unknown, differs] {
            let approval = desk.opens(opening).await;
            assert_eq!((approval.status(), approval.shares), (Status::WaitingApproval, None));
            assert_eq!(desk.store.cards_of(&approval.tenant, approval.id).await.unwrap().len(), 1);
        }
        assert_eq!(desk.store.load(&acme(), waits.id).await.unwrap(), waits);
    }

    /// Several join while somebody votes: whoever came in time is told of the vote, whoever did not is asked by itself.
    joins_and_a_vote_at_once(desk) {
        let leader = desk.asks("v42", 1).await;
        let (mut joins, mut vote) = (Vec::new(), None);
        for number in 0..16 {
            let (store, opening) = (Arc::clone(&desk.store), joining(&desk, &leader));
            joins.push(tokio::spawn(async move { store.open(opening).await.unwrap() }));
            if number == 7 {
                let yes = Command::Vote(ballot("alice", Decision::Approve));
                let order = Order::new(acme(), leader.id, yes, facts(&desk, &["alice"]));
                let store = Arc::clone(&desk.store);
                vote = Some(tokio::spawn(async move { store.execute(order).await.unwrap() }));
            }
        }
        assert!(changed(&vote.unwrap().await.unwrap()));
        let (mut shared, mut alone) = (Vec::new(), 0);
        for join in joins {
            let Opened::New(approval) = join.await.unwrap() else { panic!("each is its own") };
            match approval.shares {
                Some(_) => shared.push(approval.id),
                None => alone += desk.store.cards_of(&acme(), approval.id).await.unwrap().len(),
            }
        }
        let stored = desk.store.load(&acme(), leader.id).await.unwrap();
        let told = desk.store.undone(100).await.unwrap();
        let set = |ids: Vec<RequestId>| ids.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(set(stored.followers), set(shared.clone()));
        assert_eq!(set(told.iter().map(|inbound| inbound.request).collect()), set(shared.clone()));
        assert_eq!(shared.len() + alone, 16);
        desk.must_rebuild(&leader).await;
    }
}
