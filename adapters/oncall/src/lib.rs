//! Who is on call, where that is kept outside the policy: in a calendar at an address, or at PagerDuty.
//!
//! What always holds:
//! - What cannot be read is told as that, with what to do; it is never an empty list, and nothing stands in for it.
//! - An answer is dated by when it was asked for, and serves only until the shift that it tells of ends.
//! - Only https is spoken, but for this machine itself; no redirect is followed; every call has a time limit and a cap
//!   on its answer. Neither the token nor the address of a calendar, which may be as secret, stands in a log or in an
//!   error.

mod calendar;
mod fetch;
mod pagerduty;
mod shift;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use placet::gate::Answers;
use placet::person::{OnCallSchedule, OnCallSource};
use placet::ports::{Clock, Members, OnCall};
use placet::time::{Timestamp, Ttl};
use secrecy::SecretString;
use url::Url;

pub use pagerduty::{PAGERDUTY_URL, PagerDutySettings};

use fetch::{Fault, Fetch};
use pagerduty::PagerDuty;
use shift::Read;

/// How long a connection may take to come about.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// How long a call may take in all.
pub const CALL_LIMIT: Duration = Duration::from_secs(10);

/// Schedules that are remembered: more than any policy names.
const SCHEDULES_MAX: usize = 1_000;

/// How long a server is left alone that asks to slow down without naming a time.
const UNNAMED_PAUSE: Ttl = Ttl::from_secs(10);

/// How schedules are reached.
#[derive(Debug, Clone)]
pub struct OnCallSettings {
    /// PagerDuty; none leaves its schedules unreadable.
    pub pagerduty: Option<PagerDutySettings>,
    /// A proxy for all calls but those to this machine; the environment is not asked.
    pub proxy: Option<Url>,
    /// As [`CONNECT_LIMIT`].
    pub connect_limit: Duration,
    /// As [`CALL_LIMIT`].
    pub call_limit: Duration,
}

impl Default for OnCallSettings {
    fn default() -> Self {
        Self { pagerduty: None, proxy: None, connect_limit: CONNECT_LIMIT, call_limit: CALL_LIMIT }
    }
}

/// The settings do not make a client.
#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// The token is empty or not fit for a header.
    #[error("the PagerDuty token is empty or holds characters that no token has")]
    Token,
    /// The address is not one that may be spoken to.
    #[error("the address of PagerDuty's API must be an https address that ends in a slash")]
    Url,
    /// The proxy or the TLS set-up is refused.
    #[error("the HTTP client cannot be built")]
    Client(#[source] reqwest::Error),
}

/// Schedules kept outside, for the gate. Cheap to clone.
#[derive(Clone)]
pub struct Schedules(Arc<Parts>);

struct Parts {
    fetch: Fetch,
    pagerduty: Option<PagerDuty>,
    clock: Arc<dyn Clock>,
    known: Answers<Read>,
    /// Until when PagerDuty is not asked: its limits are over all schedules.
    quiet_until: Mutex<Timestamp>,
}

impl Schedules {
    /// With these settings.
    ///
    /// # Errors
    /// [`BadSettings`].
    pub fn new(settings: OnCallSettings, clock: Arc<dyn Clock>) -> Result<Self, BadSettings> {
        let fetch = Fetch::new(&settings)?;
        let pagerduty = settings.pagerduty.map(PagerDuty::new).transpose()?;
        Ok(Self(Arc::new(Parts {
            fetch,
            pagerduty,
            clock,
            known: Answers::new(SCHEDULES_MAX),
            quiet_until: Mutex::new(Timestamp::from_millis(i64::MIN)),
        })))
    }
}

impl Parts {
    /// The last answer, if it is young enough and still tells of now.
    fn at_hand(&self, key: &str, age_max: Ttl) -> Option<Read> {
        let now = self.clock.now();
        let read = self.known.fresh(key, age_max, now)?;
        if read.holds(now) {
            return Some(read);
        }
        self.known.forget(key);
        None
    }

    async fn ask(&self, source: &OnCallSource) -> Read {
        let as_of = self.clock.now();
        let shifts = match source {
            OnCallSource::Rota { .. } => Err("a rota is kept in the policy itself".to_owned()),
            OnCallSource::Calendar { url } => calendar::read(&self.fetch, url, as_of).await,
            OnCallSource::PagerDuty { escalation_policy } => {
                self.ask_pagerduty(escalation_policy, as_of).await
            }
        };
        if let Err(why) = &shifts {
            tracing::warn!(why, "who is on call cannot be read");
        }
        Read::new(shifts, as_of)
    }

    async fn ask_pagerduty(&self, policy: &str, as_of: Timestamp) -> Result<Vec<shift::Shift>, String> {
        let Some(pagerduty) = &self.pagerduty else {
            return Err("there is no PagerDuty token: ask whoever set up Placet for [on_call]".to_owned());
        };
        if *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner) > as_of {
            return Err("PagerDuty asks to slow down: try again in a minute".to_owned());
        }
        let asked = pagerduty.on_call(&self.fetch, policy).await;
        asked.map_err(|fault| {
            if let Fault::SlowDown { after } = &fault {
                let pause = after.unwrap_or(UNNAMED_PAUSE);
                let mut until = self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
                *until = (*until).max(self.clock.now() + pause);
            }
            pagerduty::remedy(&fault)
        })
    }
}

#[async_trait]
impl OnCall for Schedules {
    async fn on_call(&self, schedule: &OnCallSchedule, age_max: Ttl) -> Members {
        let parts = &self.0;
        let key = key(&schedule.source);
        let read = match parts.at_hand(&key, age_max) {
            Some(read) => read,
            None => parts.known.get(&key, (age_max, &*parts.clock), parts.ask(&schedule.source)).await,
        };
        read.members(parts.clock.now())
    }

    fn on_call_at_hand(&self, schedule: &OnCallSchedule, age_max: Ttl) -> Option<Members> {
        let parts = &self.0;
        let read = parts.at_hand(&key(&schedule.source), age_max)?;
        Some(read.members(parts.clock.now()))
    }
}

/// What is asked about: two schedules over one source are one question.
fn key(source: &OnCallSource) -> String {
    match source {
        OnCallSource::Rota { .. } => "rota".to_owned(),
        OnCallSource::Calendar { url } => format!("calendar {url}"),
        OnCallSource::PagerDuty { escalation_policy } => format!("pagerduty {escalation_policy}"),
    }
}

/// Whether an address may be spoken to: over https, or on this machine itself.
fn is_safe(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    url.host().is_some() && (url.scheme() == "https" || (url.scheme() == "http" && is_here))
}

/// A token as it stands in a header.
fn is_token(token: &SecretString) -> bool {
    use secrecy::ExposeSecret as _;
    let token = token.expose_secret();
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R53: nothing but https, but for this machine itself.
    #[test]
    fn only_https_is_spoken() {
        for (url, expected) in [
            ("https://calendar.example.org/a.ics", true),
            ("http://calendar.example.org/a.ics", false),
            ("http://127.0.0.1:8080/a.ics", true),
            ("http://[::1]:8080/a.ics", true),
            ("http://localhost/a.ics", true),
            ("http://localhost.example.org/a.ics", false),
            ("http://127.0.0.1.example.org/a.ics", false),
            ("ftp://127.0.0.1/a.ics", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(is_safe(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
