//! Crash points: stops the store before or after a commit that a conversation names, and keeps count of all that it
//! passed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use placet_store::{CommitPoint, CommitProbe, Moment, ProbeVerdict};

/// Where to crash: the n-th commit (from 0), before or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashPoint {
    /// Which commit.
    pub nth: usize,
    /// On which side of it.
    pub moment: Moment,
}

#[derive(Debug, Default)]
struct Seen {
    commits: usize,
    crash: Option<CrashPoint>,
    crashed: bool,
    visited: BTreeMap<(&'static str, Moment), usize>,
    passed: BTreeSet<&'static str>,
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

    /// Which boundaries it passed since it was last armed.
    #[must_use]
    pub fn passed(&self) -> BTreeSet<&'static str> {
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
        let nth = seen.commits;
        let crash = seen.crash == Some(CrashPoint { nth, moment: point.moment });
        seen.passed.extend(point.boundaries);
        if point.moment == Moment::After {
            seen.commits += 1;
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
