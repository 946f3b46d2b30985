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
}

impl ManualClock {
    /// A clock that stands at [`START`].
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self { now: Mutex::new(START), moved: Notify::new() })
    }

    /// Lets time pass.
    pub fn passes(&self, span: Ttl) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = *now + span;
        drop(now);
        self.moved.notify_waiters();
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
        loop {
            let moved = self.moved.notified();
            if self.now() >= at {
                return;
            }
            moved.await;
        }
    }
}
