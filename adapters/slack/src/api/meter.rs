//! How often each method may be called: Slack's rates, kept before Slack has to say so.
//!
//! What always holds: a call beyond the rate is not made, and ends as [`ApiError::RateLimited`] with the time to wait; and
//! once Slack itself has said to wait, nothing of that method is called before. Posts take turns by channel elsewhere
//! ([`crate::surface`]): their rate is the channel's, not the method's.
//!
//! Source: <https://docs.slack.dev/apis/web-api/rate-limits>, tiers 2 to 4, and the methods' own pages.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use placet::ports::Clock;
use placet::time::{Timestamp, Ttl};

use super::{ApiError, UNNAMED_PAUSE};

/// What rates are counted over.
const WINDOW: Ttl = Ttl::from_secs(60);

/// Calls in a minute, by method; those not named are called once in a while only.
const RATES: [(&str, usize); 10] = [
    ("chat.update", 50),
    ("chat.postEphemeral", 100),
    ("views.open", 100),
    ("views.update", 100),
    ("views.push", 100),
    ("views.publish", 100),
    ("users.info", 100),
    ("usergroups.users.list", 20),
    ("conversations.history", 50),
    ("conversations.replies", 50),
];

/// The calls of the last minute, for one token. Clones count together.
#[derive(Clone)]
pub(super) struct Meter {
    clock: Arc<dyn Clock>,
    methods: Arc<Mutex<HashMap<&'static str, Calls>>>,
}

/// Of one method.
#[derive(Default)]
struct Calls {
    at: VecDeque<Timestamp>,
    /// Not before then, as Slack says.
    not_before: Option<Timestamp>,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meter")
    }
}

impl Meter {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, methods: Arc::default() }
    }

    /// Counts a call that is about to be made.
    pub(super) fn take(&self, method: &str) -> Result<(), ApiError> {
        let Some((name, rate)) = RATES.iter().find(|(name, _)| *name == method) else { return Ok(()) };
        let now = self.clock.now();
        let mut methods = self.methods.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = methods.entry(name).or_default();
        while calls.at.front().is_some_and(|at| now.since(*at) >= WINDOW) {
            calls.at.pop_front();
        }
        let full = (calls.at.len() >= *rate).then(|| calls.at.front().map(|at| *at + WINDOW)).flatten();
        let free_at = [full, calls.not_before].into_iter().flatten().max().filter(|at| *at > now);
        match free_at {
            Some(at) => Err(ApiError::RateLimited { retry_after: Some(seconds(at.since(now))) }),
            None => {
                calls.at.push_back(now);
                Ok(())
            }
        }
    }

    /// Slack asked to slow down.
    pub(super) fn heed(&self, method: &str, retry_after: Option<u32>) {
        let Some((name, _)) = RATES.iter().find(|(name, _)| *name == method) else { return };
        let pause = retry_after.map_or(UNNAMED_PAUSE, |secs| Ttl::from_secs(secs.into()));
        let at = self.clock.now() + pause;
        let mut methods = self.methods.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = methods.entry(name).or_default();
        calls.not_before = Some(calls.not_before.map_or(at, |before| before.max(at)));
    }
}

/// Whole seconds, rounded up: a second too late is right, one too early is not.
fn seconds(span: Ttl) -> u32 {
    u32::try_from(span.as_millis().div_ceil(1_000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::StandingClock;

    fn limited(result: Result<(), ApiError>) -> Option<u32> {
        match result {
            Err(ApiError::RateLimited { retry_after }) => retry_after,
            other => panic!("{other:?}"),
        }
    }

    /// R30: each method has Slack's rate, counted over the last minute, by itself.
    #[test]
    fn no_method_is_called_more_often_than_slack_takes() {
        for (method, rate) in RATES {
            let clock = StandingClock::new();
            let meter = Meter::new(clock.clone());
            for _ in 0..rate {
                meter.take(method).unwrap();
            }
            assert_eq!(limited(meter.take(method)), Some(60), "{method}");
            meter.take("auth.test").unwrap();
            clock.passes(Ttl::from_millis(59_500));
            assert_eq!(limited(meter.take(method)), Some(1), "{method}");
            clock.passes(Ttl::from_millis(500));
            meter.take(method).unwrap();
        }
    }

    /// R30: with a time and without.
    #[test]
    fn what_slack_says_is_heeded() {
        let clock = StandingClock::new();
        let meter = Meter::new(clock.clone());
        meter.heed("users.info", Some(30));
        meter.heed("users.info", None);
        assert_eq!(limited(meter.take("users.info")), Some(30));
        meter.take("views.open").unwrap();
        clock.passes(Ttl::from_secs(30));
        meter.take("users.info").unwrap();
        meter.heed("users.info", None);
        assert_eq!(limited(meter.take("users.info")), Some(10));
    }
}
