//! Whose turn it is by a rota: people in turn, handing over at a time of day.

use chrono::{DateTime, Days, NaiveDateTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;

use super::Handover;
use crate::id::PersonId;
use crate::time::Timestamp;

impl Handover {
    /// Whose turn it is; nobody's before the first handover, in an empty rota, or in a zone that does not exist.
    #[must_use]
    pub fn turn<'a>(&self, people: &'a [PersonId], now: Timestamp) -> Option<&'a PersonId> {
        let passed = usize::try_from(self.passed(now)?).ok()?;
        people.get(passed.checked_rem(people.len())?)
    }

    /// How many handovers there were after the first; none before the first.
    fn passed(&self, now: Timestamp) -> Option<u64> {
        let zone: Tz = self.zone.parse().ok()?;
        let now = DateTime::<Utc>::from_timestamp_millis(now.as_millis())?;
        let every = u64::from(self.every_days.max(1));
        let days = (now.with_timezone(&zone).date_naive() - self.first).num_days();
        // The handover of the day may be still to come, or (by a clock set back over midnight) seem to be.
        let latest = u64::try_from(days.max(0)).ok()? / every + 1;
        let has_passed = |number: &u64| self.instant(zone, *number).is_some_and(|at| at <= now);
        (latest.saturating_sub(2)..=latest).rev().find(has_passed)
    }

    /// The moment of a handover.
    fn instant(&self, zone: Tz, number: u64) -> Option<DateTime<Utc>> {
        let days = number.checked_mul(u64::from(self.every_days.max(1)))?;
        let local = self.first.checked_add_days(Days::new(days))?.and_time(self.at);
        instant(zone, local)
    }
}

/// The moment at which the clocks of a zone show this: the first of two; and where they leave it out, what it would
/// have been by the offset before the change (RFC 5545, section 3.3.5).
pub(crate) fn instant(zone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    if let Some(at) = zone.from_local_datetime(&local).earliest() {
        return Some(at.with_timezone(&Utc));
    }
    let day_before = zone.from_local_datetime(&local.checked_sub_days(Days::new(1))?).earliest()?;
    Some(day_before.with_timezone(&Utc) + TimeDelta::days(1))
}
