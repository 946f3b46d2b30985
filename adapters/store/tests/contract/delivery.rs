//! The inbox: kept first, worked off once.

use placet::approval::{Change, Command, Decision, Order, Refusal, Rendering};
use placet::id::DeliveryKey;
use placet::inbound::Act;
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

contract! {
    /// R29: the same delivery is kept once, and waits until it is worked off.
    a_delivery_is_kept_once(desk) {
        let approval = desk.asks("v42", 1).await;
        let first = desk.inbound(&approval, "slack:1", Act::TakeBack { identity: account("alice"), sign: None });
        desk.setting.clock.passes(Ttl::from_secs(1));
        let second = desk.inbound(&approval, "slack:2", Act::Vote(ballot("bob", Decision::Deny)));
        assert!(desk.store.deliver(second.clone()).await.unwrap());
        assert!(desk.store.deliver(first.clone()).await.unwrap());
        assert!(!desk.store.deliver(first.clone()).await.unwrap());
        assert_eq!(desk.store.undone(10).await.unwrap(), [first.clone(), second.clone()], "oldest first");
        assert_eq!(desk.store.undone(1).await.unwrap().len(), 1);
        assert_eq!(desk.store.next_due().await.unwrap(), Some(first.at));
        desk.store.discard(&first.delivery).await.unwrap();
        desk.store.discard(&first.delivery).await.unwrap();
        desk.store.discard(&DeliveryKey::new("never was").unwrap()).await.unwrap();
        assert_eq!(desk.store.undone(10).await.unwrap(), [second]);
        assert!(!desk.store.deliver(first).await.unwrap(), "done is known too");
    }

    /// A click is decided in the commit that keeps it; the same click again changes nothing.
    a_click_is_worked_off_in_its_own_commit(desk) {
        let approval = desk.asks("v42", 2).await;
        let inbound = desk.inbound(&approval, "slack:1", Act::Vote(ballot("alice", Decision::Approve)));
        let order = Order::of(inbound.clone(), facts(&desk, &["alice"]));
        assert!(changed(&desk.store.execute(order.clone()).await.unwrap()));
        assert!(desk.store.undone(10).await.unwrap().is_empty());
        assert!(!desk.store.deliver(inbound).await.unwrap());
        let again = desk.store.execute(order).await.unwrap();
        assert_eq!(again.result, Ok(Change::Unchanged));
        assert_eq!(again.approval.votes.len(), 1);
        let record = names(&desk.record_of(&approval).await);
        assert_eq!(record.iter().filter(|name| **name == "vote.cast").count(), 1);
    }

    /// One that was delivered before it was worked off is done afterwards, whatever the answer.
    a_refused_click_is_done_and_whispered_once(desk) {
        let approval = desk.asks("v42", 1).await;
        let mut inbound = desk.inbound(&approval, "slack:1", Act::Vote(ballot("mallory", Decision::Approve)));
        inbound.reply = Some(desk.reply("mallory"));
        desk.store.deliver(inbound.clone()).await.unwrap();
        let order = Order::of(inbound, facts(&desk, &["alice"]));
        let refused = desk.store.execute(order.clone()).await.unwrap();
        assert!(matches!(refusal(&refused), Refusal::NoStanding(_)));
        desk.store.execute(order).await.unwrap();
        assert!(desk.store.undone(10).await.unwrap().is_empty());
        let until = desk.now() + Ttl::from_secs(60);
        assert_eq!(desk.store.take_messages(desk.now(), until, 10).await.unwrap().len(), 1);
        let record = names(&desk.record_of(&approval).await);
        assert_eq!(record.iter().filter(|name| **name == "approval.bypassed_blocked").count(), 1);
    }

    /// Facts that are too old leave the click waiting, and nothing else.
    a_click_on_stale_facts_waits(desk) {
        let approval = desk.asks("v42", 1).await;
        let stale = facts(&desk, &["alice"]);
        desk.setting.clock.passes(Ttl::from_secs(90));
        let before = desk.record().await.len();
        let mut inbound = desk.inbound(&approval, "slack:1", Act::Vote(ballot("alice", Decision::Approve)));
        inbound.message = Some(desk.located("unknown copy"));
        inbound.reply = Some(desk.reply("alice"));
        let refused = desk.store.execute(Order::of(inbound.clone(), stale)).await.unwrap();
        assert_eq!(refusal(&refused), &Refusal::FactsStale);
        assert_eq!(desk.store.undone(10).await.unwrap(), [inbound.clone()]);
        assert_eq!(desk.record().await.len(), before);
        assert!(!desk.store.cards_of(&acme(), approval.id).await.unwrap()[0].messages.iter().any(|m| m.message == message("unknown copy")));
        assert!(changed(&desk.store.execute(Order::of(inbound, facts(&desk, &["alice"]))).await.unwrap()));
        assert!(desk.store.undone(10).await.unwrap().is_empty());
    }

    /// Fifty times the same click at once is one vote.
    the_same_click_fifty_times_is_one_vote(desk) {
        let approval = desk.asks("v42", 2).await;
        let inbound = desk.inbound(&approval, "slack:1", Act::Vote(ballot("alice", Decision::Approve)));
        let mut tasks = Vec::new();
        for _ in 0..50 {
            let (store, order) = (std::sync::Arc::clone(&desk.store), Order::of(inbound.clone(), facts(&desk, &["alice"])));
            tasks.push(tokio::spawn(async move { store.execute(order).await.unwrap() }));
        }
        let mut counted = 0;
        for task in tasks {
            counted += usize::from(changed(&task.await.unwrap()));
        }
        assert_eq!(counted, 1);
    }

    /// What a viewer was shown in full is on record under their name.
    a_private_rendering_is_recorded(desk) {
        let approval = desk.opens(desk.risky("v42", 1)).await;
        let rendering = Rendering { shown: shown(), surface: slack(), full: true, viewer: Some(account("alice")), covers: 0 };
        let inbound = desk.inbound(&approval, "slack:view:1", Act::Saw(rendering));
        assert!(changed(&desk.store.execute(Order::of(inbound, facts(&desk, &[]))).await.unwrap()));
        let vote = |name: &str| Command::Vote(ballot(name, Decision::Approve));
        let bob = desk.does(&approval, vote("bob"), facts(&desk, &["alice", "bob"])).await;
        assert_eq!(refusal(&bob), &Refusal::NotShownInFull);
        assert!(changed(&desk.does(&approval, vote("alice"), facts(&desk, &["alice", "bob"])).await));
    }
}
