//! Crash points: stops the store before or after a commit that a conversation names, and keeps count of all that it
//! passed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use placet_store::{CommitPoint, CommitProbe, Moment, ProbeVerdict};

/// Where to crash, counted from when the probe is armed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashPoint {
    /// Which commits are counted: all, or those that hold something of this kind.
    pub boundary: Option<&'static str>,
    /// Which of those, from 0.
    pub nth: usize,
    /// On which side of it.
    pub moment: Moment,
}

impl CrashPoint {
    /// At the n-th commit (from 0). How many there are depends on what is committed together, which differs from run to run.
    #[must_use]
    pub const fn nth(nth: usize, moment: Moment) -> Self {
        Self { boundary: None, nth, moment }
    }

    /// At the n-th commit (from 0) that holds something of this kind: the same in each run.
    #[must_use]
    pub const fn at(boundary: &'static str, nth: usize, moment: Moment) -> Self {
        Self { boundary: Some(boundary), nth, moment }
    }

    fn counts(&self, point: &CommitPoint<'_>) -> bool {
        self.boundary.is_none_or(|boundary| point.boundaries.contains(&boundary))
    }
}

#[derive(Debug, Default)]
struct Seen {
    commits: usize,
    /// Those among them that the crash counts.
    counted: usize,
    crash: Option<CrashPoint>,
    crashed: bool,
    visited: BTreeMap<(&'static str, Moment), usize>,
    passed: BTreeMap<&'static str, usize>,
}

/// Looks on at every commit.
#[derive(Debug, Default)]
pub struct CrashProbe(Mutex<Seen>);

impl CrashProbe {
    /// One that lets everything pass until told otherwise.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Crashes at this point, counted from now.
    pub fn arm(&self, crash: CrashPoint) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.commits = 0;
        seen.counted = 0;
        seen.passed.clear();
        seen.crash = Some(crash);
        seen.crashed = false;
    }

    /// Lets everything pass again; says whether it had crashed.
    pub fn disarm(&self) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.crash = None;
        std::mem::take(&mut seen.crashed)
    }

    /// Whether the store was stopped.
    #[must_use]
    pub fn crashed(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).crashed
    }

    /// How many commits there were since it was last armed, or since the beginning.
    #[must_use]
    pub fn commits(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).commits
    }

    /// Which boundaries it passed since it was last armed, and in how many commits each.
    #[must_use]
    pub fn passed(&self) -> BTreeMap<&'static str, usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).passed.clone()
    }

    /// Which boundaries crashed how often, on which side.
    #[must_use]
    pub fn visited(&self) -> BTreeMap<(&'static str, Moment), usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).visited.clone()
    }
}

impl CommitProbe for CrashProbe {
    fn at(&self, point: CommitPoint<'_>) -> ProbeVerdict {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = seen.crash.is_some_and(|crash| crash.counts(&point));
        let crash = counts
            && seen.crash.is_some_and(|crash| crash.nth == seen.counted && crash.moment == point.moment);
        if point.moment == Moment::After {
            for boundary in point.boundaries.iter().copied().collect::<BTreeSet<_>>() {
                *seen.passed.entry(boundary).or_default() += 1;
            }
            seen.commits += 1;
            seen.counted += usize::from(counts);
        }
        if crash {
            seen.crashed = true;
            for boundary in point.boundaries {
                *seen.visited.entry((boundary, point.moment)).or_default() += 1;
            }
            return ProbeVerdict::Crash;
        }
        ProbeVerdict::Go
    }
}
