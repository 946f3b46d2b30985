//! The machine's clock: the one place that looks at it, and the one place that sleeps.

use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use placet::ports::Clock;
use placet::time::{Timestamp, Ttl};

/// The longest sleep in one piece. The machine's clock can be set while somebody sleeps; then they wake at most this
/// much too late.
const SLEEP_MAX: Ttl = Ttl::from_secs(30);

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
#[expect(clippy::disallowed_methods, reason = "this is the Clock port's adapter: the one place for them")]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A machine whose clock stands before 1970 has no time to go by; nothing is due then, and nothing is fresh.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    async fn sleep_until(&self, at: Timestamp) {
        loop {
            let now = self.now();
            if now >= at {
                return;
            }
            let rest = at.since(now).min(SLEEP_MAX);
            tokio::time::sleep(rest.as_duration()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleeping_ends_not_before_its_time() {
        let clock = SystemClock;
        let until = clock.now() + Ttl::from_millis(20);
        clock.sleep_until(until).await;
        assert!(clock.now() >= until);
        clock.sleep_until(Timestamp::from_secs(0)).await;
    }
}
