//! Orders: guard versions, command ids, tenants, time.

use placet::approval::{Change, Command, Decision, Facts, Order, Refusal, State, Status};
use placet::ports::{EventQuery, StoreError};
use placet::record::Seq;
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

contract! {
    /// R18: two people release one deploy; it is claimed and finished once.
    a_request_lives_from_proposal_to_outcome(desk) {
        let approval = desk.asks("v42", 2).await;
        let facts = facts(&desk, &["alice", "bob"]);
        let first = desk.does(&approval, Command::Vote(ballot("alice", Decision::Approve)), facts.clone()).await;
        assert_eq!(first.approval.status(), Status::WaitingApproval);
        let second = desk.does(&approval, Command::Vote(ballot("bob", Decision::Approve)), facts.clone()).await;
        assert_eq!(second.approval.status(), Status::Approved);
        let claim = desk.claim(&approval);
        let claimed = desk.does(&approval, Command::Claim(claim.clone()), facts.clone()).await;
        assert_eq!(claimed.approval.status(), Status::Executing);
        let mut other = desk.claim(&approval);
        other.key = "another key".to_owned();
        let late = desk.does(&approval, Command::Claim(other), facts).await;
        assert_eq!(late.result, Err(Refusal::AlreadyClaimed));
        let done = desk.does(&approval, desk.report(claim.id), Facts::none(desk.now())).await;
        assert_eq!(done.approval.status(), Status::Executed);
        assert_eq!(done.approval.version, 7, "one more with every write");
        assert_eq!(desk.store.load(&acme(), approval.id).await.unwrap(), done.approval);
        desk.must_rebuild(&approval).await;
    }

    /// Fifty people vote at once: every write is guarded, one decides, the others are told.
    fifty_votes_at_once_make_one_decision(desk) {
        let approval = desk.asks("v42", 3).await;
        let people: Vec<String> = (0..50).map(|n| format!("p{n}")).collect();
        let people: Vec<&str> = people.iter().map(String::as_str).collect();
        let facts = facts(&desk, &people);
        let mut tasks = Vec::new();
        for (n, name) in people.iter().enumerate() {
            let decision = if n % 10 == 9 { Decision::Deny } else { Decision::Approve };
            let (store, facts) = (std::sync::Arc::clone(&desk.store), facts.clone());
            let order = Order::new(acme(), approval.id, Command::Vote(ballot(name, decision)), facts);
            tasks.push(tokio::spawn(async move { store.execute(order).await.unwrap() }));
        }
        let (mut counted, mut told) = (0, 0);
        for task in tasks {
            match task.await.unwrap().result {
                Ok(Change::Changed) => counted += 1,
                Err(Refusal::AlreadyDecided { .. }) => told += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(counted + told, 50);
        let record = names(&desk.record_of(&approval).await);
        assert_eq!(record.iter().filter(|name| **name == "approval.decided").count(), 1);
        assert_eq!(record.iter().filter(|name| **name == "vote.cast").count(), counted);
        desk.must_rebuild(&approval).await;
    }

    /// What a command did is told again, and not done again.
    a_command_asked_again_gets_its_first_answer(desk) {
        let approval = desk.asks("v42", 1).await;
        let facts = facts(&desk, &["alice"]);
        let mut order = Order::new(acme(), approval.id, Command::Vote(ballot("alice", Decision::Approve)), facts.clone());
        order.command_id = Some(desk.command_id());
        let first = desk.store.execute(order.clone()).await.unwrap();
        desk.does(&approval, Command::Claim(desk.claim(&approval)), facts.clone()).await;
        let again = desk.store.execute(order.clone()).await.unwrap();
        // With the request as it stands by now: what it was then is the record's to tell.
        let now = desk.store.load(&acme(), approval.id).await.unwrap();
        assert_eq!((again.approval, again.result), (now, first.result));
        assert_eq!(names(&desk.record_of(&approval).await).iter().filter(|name| **name == "vote.cast").count(), 1);
        order.id = desk.opens(desk.risky("other", 1)).await.id;
        assert_eq!(desk.store.execute(order).await.unwrap_err(), StoreError::NotFound, "an id is one command's");
    }

    /// What changed nothing is decided again, and comes to the same: a flood of refused commands fills no disk.
    what_was_refused_is_decided_again(desk) {
        let approval = desk.asks("v42", 1).await;
        let stale = facts(&desk, &["alice"]);
        desk.setting.clock.passes(Ttl::from_secs(90));
        let mut order = Order::new(acme(), approval.id, Command::Vote(ballot("alice", Decision::Approve)), stale);
        order.command_id = Some(desk.command_id());
        assert_eq!(refusal(&desk.store.execute(order.clone()).await.unwrap()), &Refusal::FactsStale);
        order.facts = facts(&desk, &["alice"]);
        assert!(changed(&desk.store.execute(order).await.unwrap()));
        let mut order = Order::new(acme(), approval.id, Command::Vote(ballot("viewer", Decision::Deny)), facts(&desk, &["alice"]));
        order.command_id = Some(desk.command_id());
        let first = desk.store.execute(order.clone()).await.unwrap();
        let again = desk.store.execute(order).await.unwrap();
        assert_eq!(first.result, again.result);
        assert!(first.result.is_err());
    }

    /// Never 4: another tenant's id and one that never was are the same.
    another_tenants_request_is_not_there(desk) {
        let approval = desk.asks("v42", 1).await;
        let globex = tenant("globex");
        assert_eq!(desk.store.load(&globex, approval.id).await, Err(StoreError::NotFound));
        assert_eq!(desk.store.load(&acme(), desk.request_id()).await, Err(StoreError::NotFound));
        let facts = facts(&desk, &["alice"]);
        let order = Order::new(globex.clone(), approval.id, Command::Vote(ballot("alice", Decision::Approve)), facts);
        assert_eq!(desk.store.execute(order).await.unwrap_err(), StoreError::NotFound);
        assert!(desk.store.cards_of(&globex, approval.id).await.unwrap().is_empty());
        let query = EventQuery { tenant: Some(globex), request: Some(approval.id), after: Seq(0), types: vec![], limit: 9 };
        assert!(desk.store.events(query).await.unwrap().is_empty());
        assert_eq!(desk.store.load(&acme(), approval.id).await.unwrap(), approval);
    }

    /// A clock that is set back does not lengthen anything, nor does the record run backwards.
    time_never_runs_backwards_within_a_request(desk) {
        let approval = desk.asks("v42", 1).await;
        desk.setting.clock.passes(Ttl::from_mins(2));
        let facts = facts(&desk, &["alice"]);
        let voted = desk.does(&approval, Command::Vote(ballot("alice", Decision::Approve)), facts.clone()).await;
        desk.setting.clock.is_set_back(Ttl::from_mins(2));
        let claimed = desk.does(&approval, Command::Claim(desk.claim(&approval)), facts).await;
        let State::Executing(executing) = &claimed.approval.state else { panic!("{:?}", claimed.result) };
        assert_eq!(executing.claim.at, voted.approval.last_event_at);
        desk.must_rebuild(&approval).await;
    }

    /// A tick that is not due, and a report that is repeated, change nothing.
    a_no_op_writes_nothing(desk) {
        let approval = desk.asks("v42", 1).await;
        let before = desk.record().await.len();
        let ticked = desk.does(&approval, Command::Tick, Facts::none(desk.now())).await;
        assert_eq!((ticked.result, ticked.approval.version), (Ok(Change::Unchanged), approval.version));
        assert_eq!(desk.record().await.len(), before);
    }
}
