//! Card rows: leased, guarded, raised, adopted.

use placet::approval::{Approval, Command, Decision, Delivery, Facts, Order, Rendering};
use placet::card::row::{Attempt, CardMove, CardStep};
use placet::id::AttemptId;
use placet::inbound::Act;
use placet::policy::Tier;
use placet::ports::StoreError;
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

const LEASE: Ttl = Ttl::from_secs(30);

impl Desk {
    pub(crate) fn attempt(&self, revision: u64) -> Attempt {
        let id = AttemptId::mint(self.now(), &*self.setting.entropy);
        Attempt { id, edits: None, revision, redraws: 0, since: self.now(), lease_until: self.now() + LEASE }
    }

    pub(crate) fn moving(&self, approval: &Approval, command: Command, step: CardStep) -> Order {
        let mut order = Order::new(acme(), approval.id, command, Facts::none(self.now()));
        order.card = Some(CardMove { place: ops(), step });
        order
    }

    pub(crate) fn showing(&self) -> Command {
        Command::Show(Rendering { shown: shown(), surface: slack(), full: true, viewer: None, covers: 0 })
    }

    pub(crate) fn delivered(&self) -> Command {
        Command::Deliver(Delivery { surface: slack(), failure: None })
    }

    /// A request with a card that is there.
    pub(crate) async fn posts(&self, tag: &str) -> Approval {
        let approval = self.opens(self.risky(tag, 2)).await;
        let attempt = self.attempt(approval.revision);
        let begin = self.moving(&approval, self.showing(), CardStep::Begin(attempt.clone()));
        self.store.execute(begin).await.unwrap();
        let step = CardStep::Done { attempt: attempt.id, message: message(tag) };
        self.store.execute(self.moving(&approval, self.delivered(), step)).await.unwrap().approval
    }
}

contract! {
    /// R27, R28: what is shown is on record before it is sent, and one attempt runs at a time.
    one_attempt_at_a_time(desk) {
        let approval = desk.opens(desk.risky("v42", 1)).await;
        let first = desk.attempt(approval.revision);
        desk.store.execute(desk.moving(&approval, desk.showing(), CardStep::Begin(first.clone()))).await.unwrap();
        assert!(desk.store.cards_due(desk.now(), 10).await.unwrap().is_empty(), "leased");
        assert_eq!(desk.store.next_due().await.unwrap(), Some(first.lease_until));
        let before = desk.record().await.len();
        let second = desk.attempt(approval.revision);
        let other = Rendering { shown: shown(), surface: slack(), full: false, viewer: None, covers: 0 };
        let begin = desk.moving(&approval, Command::Show(other), CardStep::Begin(second.clone()));
        assert_eq!(desk.store.execute(begin.clone()).await.unwrap_err(), StoreError::CardMoved);
        assert_eq!(desk.record().await.len(), before, "the command went back with the card");
        desk.setting.clock.passes(LEASE);
        assert_eq!(desk.store.cards_due(desk.now(), 10).await.unwrap().len(), 1);
        desk.store.execute(begin).await.unwrap();
        let retry = CardStep::Retry { attempt: first.id, at: desk.now(), sure: true };
        let late = desk.store.execute(desk.moving(&approval, Command::Tick, retry)).await;
        assert_eq!(late.unwrap_err(), StoreError::CardMoved, "the first has lost its lease");
        desk.must_rebuild(&approval).await;
    }

    /// A place that the request has no card in.
    a_step_in_another_place_does_not_fit(desk) {
        let approval = desk.opens(desk.risky("v42", 1)).await;
        let mut order = desk.moving(&approval, Command::Tick, CardStep::GiveUp { why: "gone".to_owned() });
        order.card.as_mut().unwrap().place = elsewhere();
        assert_eq!(desk.store.execute(order).await.unwrap_err(), StoreError::CardMoved);
    }

    /// R29: a message that was posted is found by its name, in its own tenant only.
    a_posted_message_is_found(desk) {
        let approval = desk.posts("v42").await;
        assert!(approval.card_delivered);
        assert_eq!(desk.store.card_at(&acme(), &message("v42")).await.unwrap(), Some(approval.id));
        assert_eq!(desk.store.card_at(&tenant("globex"), &message("v42")).await.unwrap(), None);
        assert_eq!(desk.store.card_at(&acme(), &message("other")).await.unwrap(), None);
        assert!(desk.store.cards_due(desk.now(), 10).await.unwrap().is_empty(), "it shows what it should");
    }

    /// R29: after a change that people should see, every card of the request wants it, now.
    a_change_raises_what_the_cards_want(desk) {
        let approval = desk.posts("v42").await;
        let other = desk.posts("v43").await;
        let facts = facts(&desk, &["alice"]);
        let voted = desk.does(&approval, Command::Vote(ballot("alice", Decision::Approve)), facts).await.approval;
        assert!(voted.revision > approval.revision);
        let due = desk.store.cards_due(desk.now(), 10).await.unwrap();
        assert_eq!(due.len(), 1);
        assert_eq!((due[0].request, due[0].wanted), (approval.id, voted.revision));
        assert!(!desk.store.cards_of(&acme(), other.id).await.unwrap()[0].is_behind());
    }

    /// What people should see does not wait for the next try of what they no longer should.
    a_change_is_due_at_once_also_after_a_failure(desk) {
        let approval = desk.opens(desk.risky("v42", 2)).await;
        let attempt = desk.attempt(approval.revision);
        desk.store.execute(desk.moving(&approval, desk.showing(), CardStep::Begin(attempt.clone()))).await.unwrap();
        let at = desk.now() + Ttl::from_mins(5);
        let retry = CardStep::Retry { attempt: attempt.id, at, sure: true };
        desk.store.execute(desk.moving(&approval, Command::Tick, retry)).await.unwrap();
        assert!(desk.store.cards_due(desk.now(), 10).await.unwrap().is_empty());
        desk.does(&approval, Command::Vote(ballot("alice", Decision::Approve)), facts(&desk, &["alice"])).await;
        assert_eq!(desk.store.cards_due(desk.now(), 10).await.unwrap().len(), 1);
    }

    /// R29: a click on a copy that nobody knows makes it a card: it is edited with the others.
    an_unknown_copy_is_adopted(desk) {
        let approval = desk.posts("v42").await;
        let other = desk.posts("v43").await;
        let mut inbound = desk.inbound(&approval, "slack:1", Act::Vote(ballot("alice", Decision::Approve)));
        inbound.message = Some(desk.located("copy"));
        desk.store.execute(Order::of(inbound, facts(&desk, &["alice"]))).await.unwrap();
        assert_eq!(desk.store.card_at(&acme(), &message("copy")).await.unwrap(), Some(approval.id));
        let card = desk.store.cards_of(&acme(), approval.id).await.unwrap().remove(0);
        let copy = card.messages.iter().find(|shown| shown.message == message("copy")).unwrap();
        assert_eq!((card.messages.len(), copy.revision), (2, 0));
        // A known message is nobody else's copy.
        let mut inbound = desk.inbound(&other, "slack:2", Act::Vote(ballot("alice", Decision::Approve)));
        inbound.message = Some(desk.located("copy"));
        desk.store.execute(Order::of(inbound, facts(&desk, &["alice"]))).await.unwrap();
        assert_eq!(desk.store.card_at(&acme(), &message("copy")).await.unwrap(), Some(approval.id));
        assert_eq!(desk.store.cards_of(&acme(), other.id).await.unwrap()[0].messages.len(), 1);
    }

    /// Adoption prefers the row of the message's own channel, else the surface's first.
    a_copy_goes_to_the_row_of_its_channel(desk) {
        let judgement = Command::Require { verdict: verdict(Tier::Approve, Some(terms(1, vec![elsewhere(), ops()]))) };
        let approval = desk.opens(desk.opening("v42", judgement)).await;
        let mut inbound = desk.inbound(&approval, "slack:1", Act::TakeBack { identity: account("alice"), sign: None });
        inbound.message = Some(desk.located("copy"));
        desk.store.execute(Order::of(inbound.clone(), facts(&desk, &["alice"]))).await.unwrap();
        inbound.delivery = placet::id::DeliveryKey::new("slack:2").unwrap();
        inbound.message.as_mut().unwrap().message.channel = "C-third".to_owned();
        desk.store.execute(Order::of(inbound, facts(&desk, &["alice"]))).await.unwrap();
        let cards = desk.store.cards_of(&acme(), approval.id).await.unwrap();
        let count = |place| cards.iter().find(|card| card.place == place).unwrap().messages.len();
        assert_eq!((count(elsewhere()), count(ops())), (1, 1));
    }

    /// A message that is gone is forgotten, and the card is posted again.
    a_message_that_is_gone_is_forgotten(desk) {
        let approval = desk.posts("v42").await;
        let facts = facts(&desk, &["alice"]);
        let voted = desk.does(&approval, Command::Vote(ballot("alice", Decision::Approve)), facts).await.approval;
        let mut attempt = desk.attempt(voted.revision);
        attempt.edits = Some(message("v42"));
        let begin = CardStep::Begin(attempt.clone());
        desk.store.execute(desk.moving(&approval, desk.showing(), begin)).await.unwrap();
        let gone = CardStep::Gone { attempt: attempt.id, message: message("v42") };
        desk.store.execute(desk.moving(&approval, Command::Tick, gone)).await.unwrap();
        assert_eq!(desk.store.card_at(&acme(), &message("v42")).await.unwrap(), None);
        assert_eq!(desk.store.cards_due(desk.now(), 10).await.unwrap().len(), 1);
    }

    /// A card that is given up is never due again.
    a_card_that_is_given_up_is_not_due(desk) {
        let approval = desk.opens(desk.risky("v42", 1)).await;
        let failure = Some("channel_not_found".to_owned());
        let command = Command::Deliver(Delivery { surface: slack(), failure });
        let step = CardStep::GiveUp { why: "channel_not_found".to_owned() };
        desk.store.execute(desk.moving(&approval, command, step)).await.unwrap();
        desk.setting.clock.passes(Ttl::from_mins(1));
        assert!(desk.store.cards_due(desk.now(), 10).await.unwrap().is_empty());
        let until = desk.now() + LEASE;
        assert_eq!(desk.store.take_messages(desk.now(), until, 10).await.unwrap().len(), 1, "operators are told");
    }
}
