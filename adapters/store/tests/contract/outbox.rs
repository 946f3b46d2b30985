//! One-off messages: leased, tried again, sent or dropped.

use placet::approval::{Approval, Command, Decision, Order};
use placet::notice::{Message, Notice, Recipient};
use placet::ports::OutboxStep;
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

const LEASE: Ttl = Ttl::from_secs(30);

impl Desk {
    /// Somebody is refused, and will be told.
    pub(crate) async fn refuses(&self, approval: &Approval, name: &str) {
        let command = Command::Vote(ballot(name, Decision::Approve));
        let mut order = Order::new(acme(), approval.id, command, facts(self, &["alice"]));
        order.reply = Some(self.reply(name));
        assert!(self.store.execute(order).await.unwrap().result.is_err());
    }
}

contract! {
    /// A refusal is whispered to who was refused.
    a_refusal_is_whispered(desk) {
        let approval = desk.asks("v42", 1).await;
        desk.refuses(&approval, "viewer").await;
        assert_eq!(desk.store.next_due().await.unwrap(), Some(desk.now()));
        let taken = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        assert_eq!((taken.len(), taken[0].tries, taken[0].since), (1, 0, desk.now()));
        assert_eq!(taken[0].message.to, Recipient::Account(desk.reply("viewer")));
        assert!(matches!(&taken[0].message.notice, Notice::Refused { request, .. } if *request == approval.id));
    }

    /// Nobody gets a message that somebody else has, until the lease is over.
    a_message_is_leased(desk) {
        let approval = desk.asks("v42", 1).await;
        desk.refuses(&approval, "viewer").await;
        let taken = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        assert!(desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap().is_empty());
        desk.setting.clock.passes(LEASE);
        let again = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        assert_eq!((again.len(), again[0].id, again[0].tries), (1, taken[0].id, 1));
    }

    /// A message for several becomes one for each of them, once.
    what_is_split_stands_in_its_place(desk) {
        let approval = desk.asks("v42", 1).await;
        desk.refuses(&approval, "viewer").await;
        let taken = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        let each: Vec<_> = ["mallory", "requester"]
            .map(|name| Message { to: Recipient::Account(desk.reply(name)), ..taken[0].message.clone() })
            .into();
        for _ in 0..2 {
            desk.store.message_done(taken[0].id, OutboxStep::Split(each.clone())).await.unwrap();
        }
        let told = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        assert_eq!(told.iter().map(|row| row.message.clone()).collect::<Vec<_>>(), each);
        assert!(told.iter().all(|row| row.tries == 0));
        desk.setting.clock.passes(Ttl::from_mins(5));
        let left = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        assert_eq!(left.len(), 2, "the first is gone");
    }

    /// Sent is gone, a retry comes back, what is dropped does not.
    each_message_ends_once(desk) {
        let approval = desk.asks("v42", 1).await;
        for name in ["viewer", "mallory", "requester"] {
            desk.refuses(&approval, name).await;
        }
        let taken = desk.store.take_messages(desk.now(), desk.now() + LEASE, 2).await.unwrap();
        assert_eq!(taken.len(), 2, "as many as asked for");
        let later = desk.now() + Ttl::from_mins(5);
        desk.store.message_done(taken[0].id, OutboxStep::Sent).await.unwrap();
        desk.store.message_done(taken[0].id, OutboxStep::Sent).await.unwrap();
        desk.store.message_done(taken[0].id, OutboxStep::Retry(desk.now())).await.unwrap();
        desk.store.message_done(taken[1].id, OutboxStep::Retry(later)).await.unwrap();
        let third = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        assert_eq!(third.len(), 1);
        assert!(taken.iter().all(|row| row.id != third[0].id));
        desk.store.message_done(third[0].id, OutboxStep::Dropped("channel_not_found".to_owned())).await.unwrap();
        desk.setting.clock.passes(Ttl::from_mins(5));
        let last = desk.store.take_messages(desk.now(), desk.now() + LEASE, 10).await.unwrap();
        assert_eq!((last.len(), last[0].id, last[0].tries), (1, taken[1].id, 1));
    }
}
