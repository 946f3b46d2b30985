//! A clock that tests move by hand.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use placet::time::{Clock, Timestamp, Ttl};
use tokio::sync::Notify;

/// Waits up to this long pass by themselves: a surface that paces its messages waits a second, and no conversation
/// is about that second.
const SHORT: Ttl = Ttl::from_millis(1500);

/// A Monday afternoon.
pub const START: Timestamp = Timestamp::from_secs(1_796_047_200);

/// The time, as far as everybody inside a test is concerned.
#[derive(Debug)]
pub struct ManualClock {
    now: Mutex<Timestamp>,
    moved: Notify,
    sleepers: Mutex<Vec<Timestamp>>,
    /// Somebody fell asleep, or waits no more.
    changed: Notify,
}

/// Somebody who waits for a time; gone from the list when they no longer do.
struct Sleeper<'a> {
    clock: &'a ManualClock,
    until: Timestamp,
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        let mut sleepers = self.clock.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = sleepers.iter().position(|until| *until == self.until) {
            sleepers.swap_remove(at);
        }
        drop(sleepers);
        // Whoever waits for the first of them has another first now.
        self.clock.changed.notify_one();
    }
}

impl ManualClock {
    /// A clock that stands at [`START`].
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            now: Mutex::new(START),
            moved: Notify::new(),
            sleepers: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// Lets time pass.
    pub fn passes(&self, span: Ttl) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = *now + span;
        drop(now);
        self.moved.notify_waiters();
    }

    /// Moves on to the first time that somebody waits for, as soon as somebody does.
    pub async fn catches_up(&self) {
        self.catches_up_within(Ttl::from_millis(u64::MAX >> 1)).await;
    }

    /// The same, as soon as somebody waits for a time that is no further away than this: who waits for longer waits for
    /// something else, and would only be told that it did not come.
    pub async fn catches_up_within(&self, span: Ttl) {
        loop {
            let changed = self.changed.notified();
            let now = self.now();
            let first = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).iter().min().copied();
            match first {
                Some(at) if at > now && at.since(now) <= span => return self.jump(at),
                Some(_) | None => changed.await,
            }
        }
    }

    fn falls_asleep(&self, until: Timestamp) -> Sleeper<'_> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).push(until);
        self.changed.notify_one();
        Sleeper { clock: self, until }
    }

    fn jump(&self, at: Timestamp) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = (*now).max(at);
        drop(now);
        self.moved.notify_waiters();
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn sleep_until(&self, at: Timestamp) {
        if at.since(self.now()) <= SHORT {
            self.jump(at);
            tokio::task::yield_now().await;
            return;
        }
        let _asleep = self.falls_asleep(at);
        loop {
            let moved = self.moved.notified();
            if self.now() >= at {
                return;
            }
            moved.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever has woken up, but was not on since, hides the next sleeper only for as long as that.
    #[tokio::test]
    async fn who_wakes_up_and_sleeps_no_more_hides_nobody() {
        let clock = ManualClock::new();
        let (first, second) = (START + Ttl::from_secs(10), START + Ttl::from_secs(20));
        let sleepers: Vec<_> = [first, second]
            .map(|at| {
                let clock = Arc::clone(&clock);
                tokio::spawn(async move { clock.sleep_until(at).await })
            })
            .into();
        tokio::task::yield_now().await;
        clock.catches_up().await;
        assert_eq!(clock.now(), first);
        // It waits: the first has woken up, and was not on since.
        let mut next = std::pin::pin!(clock.catches_up());
        let mut turns = 0;
        while futures::poll!(next.as_mut()).is_pending() {
            turns += 1;
            assert!(turns < 100, "the second sleeper was not seen");
            tokio::task::yield_now().await;
        }
        assert_eq!(clock.now(), second);
        for sleeper in sleepers {
            sleeper.await.expect("a sleeper");
        }
    }
}
