//! R52: each day's digest once, with its messages in the same commit.

use std::sync::Arc;

use placet::approval::{Command, Facts};
use placet::notice::{Message, Notice, Recipient};
use placet::policy::{Level, Tier, Verdict};
use placet::ports::{DigestRow, OutboxStep, UnaskedQuery};
use placet::time::{Timestamp, Ttl};

use crate::contract;
use crate::fixture::*;

/// The digest of this day, which tells until now.
pub(crate) fn row(desk: &Desk, day: &str) -> DigestRow {
    DigestRow { tenant: acme(), day: day.to_owned(), until: desk.now() }
}

pub(crate) fn message(until: Timestamp) -> Message {
    let notice = Notice::Digest { since: until - Ttl::from_mins(9), until, digest: None };
    Message::new(acme(), Recipient::Place(ops()), notice)
}

/// The messages that are due; each is sent.
async fn taken(desk: &Desk) -> Vec<Message> {
    let rows = desk.store.take_messages(desk.now(), desk.now() + Ttl::from_mins(9), 10).await.unwrap();
    for row in &rows {
        desk.store.message_done(row.id, OutboxStep::Sent).await.unwrap();
    }
    rows.into_iter().map(|row| row.message).collect()
}

contract! {
    /// R52: a day's digest is kept once, with its messages; an earlier day's, or one that tells until no later, is not.
    a_days_digest_is_kept_once(desk) {
        assert_eq!(desk.store.digests().await.unwrap(), [], "nobody has a record yet");
        desk.opens(desk.harmless("a")).await;
        assert_eq!(desk.store.digests().await.unwrap(), [(acme(), None)]);
        let first = row(&desk, "2026-11-30");
        assert!(desk.store.keep_digest(first.clone(), vec![message(first.until)]).await.unwrap());
        assert_eq!(desk.store.digests().await.unwrap(), [(acme(), Some(first.clone()))]);
        assert_eq!(taken(&desk).await, [message(first.until)]);
        desk.setting.clock.passes(Ttl::from_mins(60));
        let same_day = row(&desk, "2026-11-30");
        let no_later = DigestRow { until: first.until, ..row(&desk, "2026-12-01") };
        for old in [first.clone(), same_day, row(&desk, "2026-11-29"), no_later] {
            assert!(!desk.store.keep_digest(old.clone(), vec![message(old.until)]).await.unwrap(), "{old:?}");
        }
        assert_eq!(taken(&desk).await, [], "nothing is told of those");
        let next = row(&desk, "2026-12-01");
        assert!(desk.store.keep_digest(next.clone(), vec![message(next.until)]).await.unwrap());
        assert_eq!(desk.store.digests().await.unwrap(), [(acme(), Some(next.clone()))]);
        assert_eq!(taken(&desk).await, [message(next.until)]);
    }

    /// R52: of several who keep the same day's at once, one does.
    one_of_several_keeps_it(desk) {
        let keep = || desk.store.keep_digest(row(&desk, "2026-11-30"), vec![message(desk.now())]);
        let kept = tokio::join!(keep(), keep(), keep());
        let kept = [kept.0, kept.1, kept.2];
        assert_eq!(kept.iter().filter(|kept| *kept.as_ref().unwrap()).count(), 1);
        assert_eq!(taken(&desk).await.len(), 1);
    }

    /// R52: what ran is counted on the day on which it was begun, not on which it was asked for.
    what_ran_is_counted_when_it_was_begun(desk) {
        let suggest = Arc::new(Verdict { level: Level::Medium, ..Verdict::clone(&verdict(Tier::Suggest, None)) });
        let asked_for = desk.now();
        let approval = desk.opens(desk.opening("a", Command::Allow { verdict: suggest })).await;
        desk.setting.clock.passes(Ttl::from_mins(2));
        let begun = desk.now();
        desk.does(&approval, Command::Claim(desk.claim(&approval)), Facts::none(begun)).await;
        let count = async |since, until| {
            let query = UnaskedQuery { tenant: acme(), since, until, limit: 9 };
            desk.store.ran_unasked(query).await.unwrap().len()
        };
        assert_eq!(count(asked_for, begun).await, 0);
        assert_eq!(count(begun, begun + Ttl::from_millis(1)).await, 1);
    }
}
