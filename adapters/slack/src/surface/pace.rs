//! When a channel may be written to again: its turn, and the time that Slack has named.
//!
//! A post waits for its turn up to [`WAIT_MAX`], which is far less than the lease of whoever posts; beyond that it comes
//! back with when to try again. One is on its way at a time, and the next leaves an interval after that was answered:
//! Slack counts what arrives, not what leaves. An edit takes no turn: cards are reconciled, so only the newest state is
//! ever sent.
//!
//! What is said to somebody directly is posted under their account's id and lands in a channel of its own: as soon as that
//! is known, both names are one channel here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use placet::ports::{Clock, SurfaceError};
use placet::time::{Timestamp, Ttl};
use tokio::sync::OwnedMutexGuard;

use crate::api::{ApiError, UNNAMED_PAUSE};

/// How long a post waits for its turn.
const WAIT_MAX: Ttl = Ttl::from_secs(15);

/// Channels that are remembered; those whose turn is past are forgotten when there are more.
const CHANNELS_MAX: usize = 10_000;

/// Turns, by method and channel.
pub(super) struct Pace {
    clock: Arc<dyn Clock>,
    interval: Ttl,
    /// Since when turns are kept: whoever kept them before may have posted right then.
    since: Timestamp,
    /// The posts to a channel.
    lines: Mutex<HashMap<String, Line>>,
    /// The channels that posts to accounts land in.
    landings: Mutex<HashMap<String, String>>,
    /// Until when messages of a channel are not edited.
    edits: Mutex<HashMap<String, Timestamp>>,
}

/// What waits to be posted to a channel.
struct Line {
    /// When the next that comes would leave, as far as can be told.
    next: Timestamp,
    /// What they pass through one by one.
    gate: Arc<Gate>,
}

/// Nobody passes before then.
type Gate = tokio::sync::Mutex<Timestamp>;

/// A post's turn: over when it is dropped, which is once Slack has answered.
pub(super) struct Turn {
    clock: Arc<dyn Clock>,
    interval: Ttl,
    gate: OwnedMutexGuard<Timestamp>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.gate = (*self.gate).max(self.clock.now() + self.interval);
    }
}

impl Pace {
    pub(super) fn new(clock: Arc<dyn Clock>, interval: Ttl) -> Self {
        let since = clock.now();
        let (lines, landings, edits) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { clock, interval, since, lines, landings, edits }
    }

    /// Takes the next turn of the channel and waits for it. Where posts need not be apart, none holds up another.
    pub(super) async fn turn(&self, channel: &str) -> Result<Option<Turn>, SurfaceError> {
        let asked_at = self.clock.now();
        let (next, gate) = {
            let (channel, mut lines) = (self.landing(channel), self.lines(asked_at));
            let line = lines.entry(channel).or_insert_with(|| Line::new(self.since + self.interval));
            let next = line.next.max(asked_at);
            if next.since(asked_at) > WAIT_MAX {
                return Err(not_yet(next.since(asked_at)));
            }
            line.next = next + self.interval;
            (next, Arc::clone(&line.gate))
        };
        if self.interval == Ttl::ZERO {
            if next > asked_at {
                self.clock.sleep_until(next).await;
            }
            return Ok(None);
        }
        let gate = gate.lock_owned().await;
        let (now, leaves_at) = (self.clock.now(), *gate);
        // Those before took their time, or Slack has named one to them.
        if leaves_at.max(now).since(asked_at) > WAIT_MAX {
            return Err(not_yet(leaves_at.max(now + self.interval).since(now)));
        }
        if leaves_at > now {
            self.clock.sleep_until(leaves_at).await;
        }
        Ok(Some(Turn { clock: Arc::clone(&self.clock), interval: self.interval, gate }))
    }

    /// A post to `asked` has landed in `channel`: from now on its turns are taken there.
    pub(super) fn lands(&self, asked: &str, channel: &str) {
        if asked == channel || self.landing(asked) == channel {
            return;
        }
        let next = self.clock.now() + self.interval;
        let mut lines = self.lines(next);
        // Those who wait by the other name go on in the same line: two lines to one channel would post at once.
        let same = lines.get(asked).map(|line| Line { next: line.next, gate: Arc::clone(&line.gate) });
        let line = lines.entry(channel.to_owned()).or_insert_with(|| same.unwrap_or_else(|| Line::new(next)));
        line.next = line.next.max(next);
        // Where one is on its way there, it moves the time on itself.
        if let Ok(mut at) = line.gate.try_lock() {
            *at = (*at).max(next);
        }
        drop(lines);
        let mut landings = self.landings.lock().unwrap_or_else(PoisonError::into_inner);
        if landings.len() >= CHANNELS_MAX {
            // They are learnt again.
            landings.clear();
        }
        landings.insert(asked.to_owned(), channel.to_owned());
    }

    /// The channel that a post to this one lands in, as far as that is known.
    fn landing(&self, channel: &str) -> String {
        let landings = self.landings.lock().unwrap_or_else(PoisonError::into_inner);
        landings.get(channel).map_or_else(|| channel.to_owned(), String::clone)
    }

    fn lines(&self, now: Timestamp) -> MutexGuard<'_, HashMap<String, Line>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= CHANNELS_MAX {
            lines.retain(|_, line| line.next > now || Arc::strong_count(&line.gate) > 1);
        }
        lines
    }

    /// Whether messages of the channel may be edited now.
    pub(super) fn edits(&self, channel: &str) -> Result<(), SurfaceError> {
        let now = self.clock.now();
        match self.edits.lock().unwrap_or_else(PoisonError::into_inner).get(channel) {
            Some(until) if *until > now => Err(not_yet(until.since(now))),
            Some(_) | None => Ok(()),
        }
    }

    /// After a post that Slack did not take because there were too many.
    pub(super) fn heed(&self, channel: &str, turn: Option<&mut Turn>, fault: &ApiError) {
        let Some(pause) = pause(fault) else { return };
        let now = self.clock.now();
        let (channel, mut lines) = (self.landing(channel), self.lines(now));
        let line = lines.entry(channel).or_insert_with(|| Line::new(self.since + self.interval));
        line.next = line.next.max(now + pause);
        if let Some(turn) = turn {
            *turn.gate = now + pause;
        }
    }

    /// As [`Pace::heed`], after an edit.
    pub(super) fn heed_edit(&self, channel: &str, fault: &ApiError) {
        let Some(pause) = pause(fault) else { return };
        let now = self.clock.now();
        let mut edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        if edits.len() >= CHANNELS_MAX {
            edits.retain(|_, until| *until > now);
        }
        let until = edits.entry(channel.to_owned()).or_insert(now);
        *until = (*until).max(now + pause);
    }
}

impl Line {
    fn new(next: Timestamp) -> Self {
        Self { next, gate: Arc::new(Gate::new(next)) }
    }
}

/// How long Slack wants to be left alone.
fn pause(fault: &ApiError) -> Option<Ttl> {
    let ApiError::RateLimited { retry_after } = fault else { return None };
    Some(retry_after.map_or(UNNAMED_PAUSE, |secs| Ttl::from_secs(secs.into())))
}

fn not_yet(wait: Ttl) -> SurfaceError {
    SurfaceError::Later { why: "the channel's turn has not come".to_owned(), after: Some(wait) }
}
