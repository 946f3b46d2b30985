//! When a channel may be written to again: its turn, and the time that Slack has named.
//!
//! A post waits for its turn up to [`WAIT_MAX`], which is far less than the lease of whoever posts; beyond that it comes
//! back with when to try again. An edit takes no turn: cards are reconciled, so only the newest state is ever sent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use placet::ports::{Clock, SurfaceError};
use placet::time::{Timestamp, Ttl};

use crate::api::ApiError;

/// How long a post waits for its turn.
const WAIT_MAX: Ttl = Ttl::from_secs(15);

/// Channels that are remembered; those whose turn is past are forgotten when there are more.
const CHANNELS_MAX: usize = 10_000;

/// How long to leave a channel alone where Slack asks to slow down without naming a time.
/// (Seen in slackapi/node-slack-sdk#1421.)
const UNNAMED_PAUSE: Ttl = Ttl::from_secs(10);

/// Turns, by method and channel.
pub(super) struct Pace {
    clock: Arc<dyn Clock>,
    interval: Ttl,
    /// When the next post to a channel may leave.
    posts: Mutex<HashMap<String, Timestamp>>,
    /// Until when messages of a channel are not edited.
    edits: Mutex<HashMap<String, Timestamp>>,
}

impl Pace {
    pub(super) fn new(clock: Arc<dyn Clock>, interval: Ttl) -> Self {
        Self { clock, interval, posts: Mutex::default(), edits: Mutex::default() }
    }

    /// Takes the next turn of the channel and waits for it.
    pub(super) async fn turn(&self, channel: &str) -> Result<(), SurfaceError> {
        let now = self.clock.now();
        let turn = {
            let mut turns = bounded(&self.posts, now);
            let turn = turns.get(channel).copied().unwrap_or(now).max(now);
            let wait = turn.since(now);
            if wait > WAIT_MAX {
                return Err(not_yet(wait));
            }
            turns.insert(channel.to_owned(), turn + self.interval);
            turn
        };
        if turn > now {
            self.clock.sleep_until(turn).await;
        }
        Ok(())
    }

    /// Whether messages of the channel may be edited now.
    pub(super) fn edits(&self, channel: &str) -> Result<(), SurfaceError> {
        let now = self.clock.now();
        match bounded(&self.edits, now).get(channel) {
            Some(until) if *until > now => Err(not_yet(until.since(now))),
            Some(_) | None => Ok(()),
        }
    }

    /// After a post that Slack did not take because there were too many.
    pub(super) fn heed(&self, channel: &str, fault: &ApiError) {
        self.leave_alone(&self.posts, channel, fault);
    }

    /// As [`Pace::heed`], after an edit.
    pub(super) fn heed_edit(&self, channel: &str, fault: &ApiError) {
        self.leave_alone(&self.edits, channel, fault);
    }

    fn leave_alone(&self, turns: &Mutex<HashMap<String, Timestamp>>, channel: &str, fault: &ApiError) {
        let ApiError::RateLimited { retry_after } = fault else { return };
        let pause = retry_after.map_or(UNNAMED_PAUSE, |secs| Ttl::from_secs(secs.into()));
        let now = self.clock.now();
        let mut turns = bounded(turns, now);
        let next = turns.entry(channel.to_owned()).or_insert(now);
        *next = (*next).max(now + pause);
    }
}

fn not_yet(wait: Ttl) -> SurfaceError {
    SurfaceError::Later { why: "the channel's turn has not come".to_owned(), after: Some(wait) }
}

fn bounded(
    turns: &Mutex<HashMap<String, Timestamp>>,
    now: Timestamp,
) -> MutexGuard<'_, HashMap<String, Timestamp>> {
    let mut turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
    if turns.len() >= CHANNELS_MAX {
        turns.retain(|_, next| *next > now);
    }
    turns
}
