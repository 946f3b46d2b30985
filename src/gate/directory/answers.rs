//! Answers from outside that are kept for as long as a decision may rest on them. At most one question about the same
//! is under way; who comes in between waits for the same answer. For adapters that answer as directories.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::person::{AccountState, FACTS_AGE_MAX, NoStanding};
use crate::ports::{Account, Clock, Members};
use crate::time::{Timestamp, Ttl};

/// Something that was said outside.
pub trait Answer: Clone {
    /// When it was asked for.
    fn as_of(&self) -> Timestamp;

    /// Whether it can be rested on. What could not be read is nothing to rest on: the next one asks again.
    fn is_readable(&self) -> bool;
}

impl Answer for Account {
    fn as_of(&self) -> Timestamp {
        self.as_of
    }

    fn is_readable(&self) -> bool {
        !matches!(&self.state, AccountState::Barred(NoStanding::Unreadable(_)))
    }
}

impl Answer for Members {
    fn as_of(&self) -> Timestamp {
        self.as_of
    }

    fn is_readable(&self) -> bool {
        self.members.is_ok()
    }
}

/// The last answers, by the id that was asked about.
pub struct Answers<A> {
    known: Mutex<HashMap<String, Entry<A>>>,
    /// How many ids are remembered; the oldest answers are forgotten when there are more.
    max: usize,
}

/// One id: the last answer, and the lock of whoever asks.
struct Entry<A> {
    /// What was said last, if that could be read.
    last: Option<A>,
    /// How often an answer came, of any kind, and the last one: for those who waited while it was asked for.
    round: u64,
    latest: Option<A>,
    asking: Arc<futures::lock::Mutex<()>>,
}

impl<A: Answer> Answers<A> {
    /// With nothing in it, for at most so many ids; the oldest answers are forgotten when there are more.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self { known: Mutex::default(), max }
    }

    /// The last answer, if it is young enough.
    #[must_use]
    pub fn fresh(&self, id: &str, age_max: Ttl, now: Timestamp) -> Option<A> {
        let last = self.known().get(id)?.last.clone()?;
        (now.since(last.as_of()) <= age_max).then_some(last)
    }

    /// The last answer, if it is young enough; else what asking gives, or what somebody else is told who asks already.
    pub async fn get(
        &self,
        id: &str,
        (age_max, clock): (Ttl, &dyn Clock),
        ask: impl Future<Output = A> + Send,
    ) -> A {
        if let Some(known) = self.fresh(id, age_max, clock.now()) {
            return known;
        }
        let Some((asking, round)) = self.asking(id, clock.now()) else { return ask.await };
        let _turn = asking.lock().await;
        if let Some(told) = self.told_meanwhile(id, round) {
            return told;
        }
        let answer = ask.await;
        self.keep(id, &answer);
        answer
    }

    /// Forgets an answer, because something was heard.
    pub fn forget(&self, id: &str) {
        self.known().remove(id);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Entry<A>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock of whoever asks about this, and the round it is in; old entries make room. None where more is asked
    /// about within a minute than can be remembered: then nothing is shared.
    fn asking(&self, id: &str, now: Timestamp) -> Option<(Arc<futures::lock::Mutex<()>>, u64)> {
        let mut known = self.known();
        if known.len() >= self.max && !known.contains_key(id) {
            let is_young = |entry: &Entry<A>| {
                entry.last.as_ref().is_some_and(|last| now.since(last.as_of()) <= FACTS_AGE_MAX)
            };
            known.retain(|_, entry| is_young(entry) || Arc::strong_count(&entry.asking) > 1);
            (known.len() < self.max).then_some(())?;
        }
        let entry = known.entry(id.to_owned()).or_insert_with(Entry::new);
        Some((Arc::clone(&entry.asking), entry.round))
    }

    /// What somebody else was told while this one waited, good or bad.
    fn told_meanwhile(&self, id: &str, round: u64) -> Option<A> {
        let known = self.known();
        let entry = known.get(id)?;
        (entry.round != round).then(|| entry.latest.clone()).flatten()
    }

    fn keep(&self, id: &str, answer: &A) {
        if let Some(entry) = self.known().get_mut(id) {
            entry.last = answer.is_readable().then(|| answer.clone());
            entry.latest = Some(answer.clone());
            entry.round += 1;
        }
    }
}

impl<A> Entry<A> {
    fn new() -> Self {
        Self { last: None, round: 0, latest: None, asking: Arc::default() }
    }
}
