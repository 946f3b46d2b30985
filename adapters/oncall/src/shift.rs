//! Shifts: who is on call from when until when.

use std::collections::BTreeSet;
use std::sync::Arc;

use placet::gate::Answer;
use placet::person::Identity;
use placet::ports::Members;
use placet::time::{Timestamp, Ttl};

/// How far ahead of the time of asking shifts are told, where the source can tell: longer than any answer is kept.
pub(crate) const AHEAD: Ttl = Ttl::from_mins(2);

/// Somebody's time on call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shift {
    /// From then; none where it has no begin.
    pub(crate) from: Option<Timestamp>,
    /// Until then (exclusive); none where it has no end.
    pub(crate) until: Option<Timestamp>,
    /// By which accounts they are known; empty where the source names nobody.
    pub(crate) who: BTreeSet<Identity>,
}

impl Shift {
    /// Whether it goes on now.
    fn goes_on(&self, now: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= now) && self.until.is_none_or(|until| now < until)
    }
}

/// What a source said, and for how long that serves.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    shifts: Result<Arc<[Shift]>, String>,
    as_of: Timestamp,
}

impl Read {
    pub(crate) fn new(shifts: Result<Vec<Shift>, String>, as_of: Timestamp) -> Self {
        Self { shifts: shifts.map(Into::into), as_of }
    }

    /// Whether no shift of it ended since it was asked for: what comes after, not every source tells in advance.
    pub(crate) fn holds(&self, now: Timestamp) -> bool {
        let ended = |shift: &Shift| shift.until.is_some_and(|until| self.as_of < until && until <= now);
        self.shifts.as_ref().map_or(true, |shifts| !shifts.iter().any(ended))
    }

    /// Who is on call now.
    pub(crate) fn members(&self, now: Timestamp) -> Members {
        let members = self.shifts.as_ref().map_err(Clone::clone).map(|shifts| {
            let now = shifts.iter().filter(|shift| shift.goes_on(now));
            now.flat_map(|shift| shift.who.iter().cloned()).collect()
        });
        Members { members, as_of: self.as_of }
    }
}

impl Answer for Read {
    fn as_of(&self) -> Timestamp {
        self.as_of
    }

    fn is_readable(&self) -> bool {
        self.shifts.is_ok()
    }
}
