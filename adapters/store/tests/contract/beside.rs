//! A proposal that changes another request in its own commit: it stands on that one's card, or takes its place.

use std::collections::BTreeSet;
use std::sync::Arc;

use placet::approval::{
    Actor, Approval, Before, Change, Command, Decision, Follows, Opened, Opening, Order, Proposal,
    RejectedBy, Rendering, Replaces, RevokedWhy, RunStep, State, Status,
};
use placet::hold::{HoldScope, Lifted};
use placet::id::RequestId;
use placet::inbound::{Act, Inbound};
use placet::ports::{HoldQuery, RecentQuery, StoreError};
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

/// The same call of the same run, to stand on that one's card.
fn joining(desk: &Desk, leader: &Approval) -> Opening {
    let judgement = Command::Require { verdict: Arc::clone(leader.verdict.as_ref().unwrap()) };
    desk.guarded(desk.opening("v42", judgement), 60)
}

/// The same call for another reason.
fn joining_other(desk: &Desk, leader: &Approval) -> Opening {
    let mut opening = joining(desk, leader);
    opening.proposal = Arc::new(Proposal { reason: "another".to_owned(), ..(*opening.proposal).clone() });
    opening
}

/// An edit of this request by somebody.
fn edit(desk: &Desk, of: &Approval, by: &str) -> Opening {
    let mut opening = desk.risky("edited", 1);
    let facts = facts(desk, &["alice", "bob"]);
    opening.replaces = Some(Replaces { request: of.id, identity: account(by), facts });
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
        let differs = desk.guarded(desk.risky("v43", 1), 60);
        for opening in [joining_other(&desk, &over), foreign, differs] {
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
        let (mut shared, mut alone, mut left) = (Vec::new(), 0, 0);
        for join in joins {
            let Opened::New(approval) = join.await.unwrap() else { panic!("each is its own") };
            match approval.shares {
                Some(on) if on == leader.id => shared.push(approval.id),
                Some(_) => left += 1,
                None => alone += desk.store.cards_of(&acme(), approval.id).await.unwrap().len(),
            }
        }
        let stored = desk.store.load(&acme(), leader.id).await.unwrap();
        let told = desk.store.undone(100).await.unwrap();
        let set = |ids: Vec<RequestId>| ids.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(set(stored.followers), set(shared.clone()));
        assert_eq!(set(told.iter().map(|inbound| inbound.request).collect()), set(shared.clone()));
        assert_eq!(shared.len() + alone + left, 16);
        assert!(alone <= 1, "whoever comes after the vote has one card together: {alone}");
        desk.must_rebuild(&leader).await;
    }

    /// Fatigue: of fifty proposals at once none passes the guards; two cards are posted, the run is stopped, and all others
    /// are told that nobody was asked.
    fifty_at_once_do_not_pass_the_cap(desk) {
        let mut opened = Vec::new();
        for number in 0..50 {
            let opening = desk.guarded(desk.risky(&format!("v{number}"), 1), 2);
            let store = Arc::clone(&desk.store);
            opened.push(tokio::spawn(async move { store.open(opening).await.unwrap() }));
        }
        let (mut asked, mut not_asked) = (0, 0);
        for opened in opened {
            let Opened::New(approval) = opened.await.unwrap() else { panic!("each is its own") };
            match &approval.state {
                State::WaitingApproval(_) => asked += 1,
                State::Rejected(_) => not_asked += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((asked, not_asked), (2, 48));
        let holds = desk.store.holds(HoldQuery { tenant: Some(acme()), only_standing: true, ..every_hold(9) }).await.unwrap();
        let [hold] = &holds[..] else { panic!("one stop: {holds:?}") };
        assert!(matches!(hold.scope, HoldScope::Run { .. }), "{hold:?}");
        // Whoever lifts it lets the agent ask as often again.
        let lifted = Lifted { by: Actor::Placet, name: None, at: desk.now() };
        desk.setting.clock.passes(Ttl::from_secs(1));
        assert!(desk.store.lift(Some(&acme()), hold.id, lifted).await.unwrap());
        desk.setting.clock.passes(Ttl::from_secs(1));
        for (number, status) in [Status::WaitingApproval, Status::WaitingApproval, Status::Rejected].into_iter().enumerate() {
            let approval = desk.opens(desk.guarded(desk.risky(&format!("w{number}"), 1), 2)).await;
            assert_eq!(approval.status(), status, "{number}");
        }
    }

    /// Fatigue: fifty of the same call at once have one card, also where it is a no that they repeat.
    fifty_of_the_same_at_once_ask_once(desk) {
        let mut opened = Vec::new();
        for _ in 0..50 {
            let (store, opening) = (Arc::clone(&desk.store), desk.guarded(desk.risky("v42", 1), 60));
            opened.push(tokio::spawn(async move { store.open(opening).await.unwrap() }));
        }
        let mut cards = 0;
        let mut leader = None;
        for opened in opened {
            let Opened::New(approval) = opened.await.unwrap() else { panic!("each is its own") };
            cards += desk.store.cards_of(&acme(), approval.id).await.unwrap().len();
            leader = leader.or(approval.has_card().then_some(approval));
        }
        assert_eq!(cards, 1);
        let leader = leader.unwrap();
        desk.does(&leader, Command::Vote(ballot("alice", Decision::Deny)), facts(&desk, &["alice"])).await;
        let again = desk.opens(desk.guarded(desk.risky("v42", 1), 60)).await;
        assert!(matches!(&again.state, State::Rejected(r) if matches!(r.by, RejectedBy::Earlier { request, .. } if request == leader.id)));
        let third = desk.opens(desk.guarded(desk.risky("v42", 1), 60)).await;
        assert!(matches!(&third.state, State::Rejected(r) if matches!(r.by, RejectedBy::Earlier { request, .. } if request == leader.id)), "the first no");
    }

    /// Fatigue: those whom a decision leaves over share one card anew, whichever of them is told first.
    those_left_over_share_one_card(desk) {
        let leader = desk.posts("v42").await;
        let mut all = Vec::new();
        for _ in 0..4 {
            all.push(desk.opens(joining(&desk, &leader)).await.id);
        }
        desk.does(&leader, Command::Withdraw { by: Actor::Placet }, facts(&desk, &[])).await;
        for inbound in desk.store.undone(10).await.unwrap() {
            desk.store.execute(Order::of(inbound, facts(&desk, &[]))).await.unwrap();
        }
        let mut with_card = Vec::new();
        for id in all {
            let approval = desk.store.load(&acme(), id).await.unwrap();
            assert_eq!(approval.status(), Status::WaitingApproval);
            desk.must_rebuild(&approval).await;
            if approval.has_card() {
                assert_eq!((approval.followers.len(), desk.store.cards_of(&acme(), id).await.unwrap().len()), (3, 1));
                with_card.push(approval);
            }
        }
        assert_eq!(with_card.len(), 1);
    }

    /// R29: who shares a card and is withdrawn is named there no longer.
    who_is_withdrawn_is_not_named_any_more(desk) {
        let leader = desk.posts("v42").await;
        let follower = desk.opens(joining(&desk, &leader)).await;
        desk.does(&follower, Command::Withdraw { by: Actor::Placet }, facts(&desk, &[])).await;
        for inbound in desk.store.undone(10).await.unwrap() {
            desk.store.execute(Order::of(inbound, facts(&desk, &[]))).await.unwrap();
        }
        let stored = desk.store.load(&acme(), leader.id).await.unwrap();
        assert_eq!((stored.followers.len(), stored.gone.len()), (1, 1));
        let card = &desk.store.cards_of(&acme(), leader.id).await.unwrap()[0];
        assert!(card.is_behind() && card.wanted == stored.revision);
        desk.must_rebuild(&stored).await;
    }

    /// Fatigue: calls that can wait a little are gathered on one card, which is not posted before their time; whatever
    /// happens to one of them is shown there.
    what_can_wait_is_gathered_on_one_card(desk) {
        let first = desk.opens(desk.gathering("v1")).await;
        let row = &desk.store.cards_of(&acme(), first.id).await.unwrap()[0];
        assert_eq!(row.due(), Some(desk.now() + Ttl::from_mins(5)));
        let second = desk.opens(desk.gathering("v2")).await;
        assert_eq!((second.gathered_on, second.shares), (Some(first.id), None));
        assert!(desk.store.cards_of(&acme(), second.id).await.unwrap().is_empty());
        let stored = desk.store.load(&acme(), first.id).await.unwrap();
        assert_eq!(stored.gathered, [second.id]);
        let row = &desk.store.cards_of(&acme(), first.id).await.unwrap()[0];
        assert_eq!((row.wanted, row.due()), (stored.revision, Some(first.opened_at + Ttl::from_mins(5))), "still kept back");
        let mut foreign = desk.gathering("v3");
        foreign.tenant = tenant("globex");
        assert_eq!(desk.opens(foreign).await.gathered_on, None, "another tenant's card");
        desk.does(&second, Command::Vote(ballot("alice", Decision::Deny)), facts(&desk, &["alice"])).await;
        for inbound in desk.store.undone(10).await.unwrap() {
            desk.store.execute(Order::of(inbound, facts(&desk, &[]))).await.unwrap();
        }
        let after = desk.store.load(&acme(), first.id).await.unwrap();
        assert!(after.revision > stored.revision && after.status() == Status::WaitingApproval);
        for id in [first.id, second.id] {
            desk.must_rebuild(&desk.store.load(&acme(), id).await.unwrap()).await;
        }
        desk.setting.clock.passes(Ttl::from_mins(5));
        assert_eq!(desk.opens(desk.gathering("v4")).await.gathered_on, None, "its time is over");
    }

    /// Fatigue: those whom a decision leaves over share one card also where the same call waits in many other runs.
    other_runs_do_not_stand_between(desk) {
        let leader = desk.posts("v42").await;
        for _ in 0..3 {
            desk.opens(joining(&desk, &leader)).await;
        }
        for number in 0..20 {
            let mut opening = joining(&desk, &leader);
            let step = RunStep { run: format!("other-{number}").parse().unwrap(), step: "s".parse().unwrap() };
            opening.proposal = Arc::new(Proposal { run: Some(step), ..(*opening.proposal).clone() });
            assert!(desk.opens(opening).await.has_card());
        }
        desk.does(&leader, Command::Withdraw { by: Actor::Placet }, facts(&desk, &[])).await;
        let mut with_card = 0;
        for inbound in desk.store.undone(10).await.unwrap() {
            let id = inbound.request;
            desk.store.execute(Order::of(inbound, facts(&desk, &[]))).await.unwrap();
            with_card += usize::from(desk.store.load(&acme(), id).await.unwrap().has_card());
        }
        assert_eq!(with_card, 1);
    }

    /// R10, fatigue: a no is not forgotten because the agent asked again and nobody looked, nor because it was stopped.
    a_no_stands_whatever_came_to_nothing_since(desk) {
        let first = desk.opens(desk.guarded(desk.risky("v42", 1), 60)).await;
        desk.does(&first, Command::Vote(ballot("alice", Decision::Deny)), facts(&desk, &["alice"])).await;
        let mut again = desk.guarded(desk.risky("v42", 1), 60);
        let short = Some(Ttl::from_secs(1));
        again.proposal = Arc::new(Proposal { ask_again: true, timeout: short, ..(*again.proposal).clone() });
        let second = desk.opens(again).await;
        assert_eq!(second.status(), Status::WaitingApproval);
        assert!(matches!(&second.proposal.follows, Some(Follows { how: Before::Denied { .. }, .. })));
        desk.setting.clock.passes(Ttl::from_secs(2));
        desk.does(&second, Command::Tick, facts(&desk, &[])).await;
        let stopped = desk.opens(desk.guarded(desk.risky("v42", 1), 0)).await;
        assert!(matches!(&stopped.state, State::Rejected(_)));
        let third = desk.opens(desk.guarded(desk.risky("v42", 1), 60)).await;
        assert!(
            matches!(&third.state, State::Rejected(r) if matches!(r.by, RejectedBy::Earlier { request, .. } if request == first.id)),
            "{:?}", third.state
        );
    }

    /// Fatigue: an agent that begins a run after the other is stopped once an hour, and its operators are told once.
    operators_are_told_once_of_an_agent_that_asks_too_much(desk) {
        for number in 0..5 {
            let mut opening = desk.guarded(desk.risky(&format!("v{number}"), 1), 1);
            let step = RunStep { run: format!("run-{number}").parse().unwrap(), step: "s".parse().unwrap() };
            opening.proposal = Arc::new(Proposal { run: Some(step), ..(*opening.proposal).clone() });
            let approval = desk.opens(opening).await;
            assert_eq!(approval.status() == Status::WaitingApproval, number == 0);
        }
        let holds = desk.store.holds(HoldQuery { tenant: Some(acme()), only_standing: true, ..every_hold(9) }).await.unwrap();
        assert_eq!(holds.len(), 1, "{holds:?}");
    }

    /// R29: a press on a part of an unknown copy makes that a copy of the card, which is put right with the others.
    a_press_on_a_part_adopts_the_card(desk) {
        let first = desk.opens(desk.gathering("v1")).await;
        let part = desk.opens(desk.gathering("v2")).await;
        desk.setting.clock.passes(Ttl::from_mins(5));
        let act = Act::Vote(ballot("alice", Decision::Deny));
        let inbound = Inbound { message: Some(desk.located("copy")), ..desk.inbound(&part, "slack:1", act) };
        desk.store.execute(Order::of(inbound, facts(&desk, &["alice"]))).await.unwrap();
        let row = &desk.store.cards_of(&acme(), first.id).await.unwrap()[0];
        assert_eq!(row.messages.iter().map(|shown| &shown.message).collect::<Vec<_>>(), [&desk.located("copy").message]);
        assert!(row.is_behind());
        assert!(desk.store.cards_of(&acme(), part.id).await.unwrap().is_empty());
    }
}
