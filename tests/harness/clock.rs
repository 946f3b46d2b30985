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
    fell_asleep: Notify,
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
            fell_asleep: Notify::new(),
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
        loop {
            let asleep = self.fell_asleep.notified();
            let first = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).iter().min().copied();
            match first {
                Some(at) if at > self.now() => return self.jump(at),
                Some(_) | None => asleep.await,
            }
        }
    }

    fn falls_asleep(&self, until: Timestamp) -> Sleeper<'_> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).push(until);
        self.fell_asleep.notify_one();
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
