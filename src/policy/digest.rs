//! `[digest]`: when and where people are told what ran without anybody having been asked.
//!
//! The time is one of the clock on the wall in the calendar's zone: over daylight saving it is still nine in the morning.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use super::diagnostic::Report;
use super::moment::time_of_day;
use super::reader::{Keys, Table};
use super::rule::Policy;
use super::settings::somewhere;
use super::verdict::Place;
use crate::person::instant;
use crate::time::{Timestamp, Ttl};

/// The keys of `[digest]`.
pub(super) const KEYS: &Keys = &[
    ("at", "at what time of day people are told what ran unasked, in the zone of the calendar"),
    ("places", "where they are told"),
    ("channel", "the short form of one place: surface/channel"),
];

/// The longest time that one digest tells of: Placet may have been down, or not have told for long.
const SPAN_MAX: Ttl = Ttl::from_mins(7 * 24 * 60);

/// When and where a digest is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestPlan {
    at: NaiveTime,
    places: Vec<Place>,
}

/// The last digest that was to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestDue {
    /// The day of it, in the policy's zone.
    pub day: NaiveDate,
    /// Until when it tells (exclusive): when it was to be told.
    pub until: Timestamp,
}

impl DigestDue {
    /// From when it tells: from where the last one ended, and of a week at most.
    #[must_use]
    pub fn since(&self, told_until: Timestamp) -> Timestamp {
        told_until.max(self.until - SPAN_MAX)
    }
}

impl DigestPlan {
    /// `[digest]` of a file; where a tenant's own says nothing, that of the installation.
    pub(super) fn read(
        table: Option<Table<'_>>,
        ground: Option<&Self>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let Some(mut table) = table else { return ground.cloned() };
        let span = table.span();
        let at = time_of_day(&mut table, "at", report);
        let is_somewhere = table.key_span("places").or_else(|| table.key_span("channel")).is_some();
        let places = somewhere(&mut table, report);
        if table.key_span("at").is_none() {
            report.error(span.clone(), "[digest] needs `at`: at what time of day", "such as at = \"09:00\"");
        }
        if !is_somewhere {
            let help = "such as channel = \"slack/C024BE91L\"";
            report.error(span, "[digest] needs `places`, or a `channel`: where people are told", help);
        }
        table.finish(&[KEYS], "[digest]", report);
        let places = places?;
        if places.value.is_empty() {
            let help = "name one, or take [digest] out";
            report.error(places.span, "`places` is empty: nobody would be told", help);
            return None;
        }
        Some(Self { at: at?.value, places: places.value })
    }

    /// Where it is told.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// At what time of day, as it is written.
    #[must_use]
    pub fn at(&self) -> String {
        self.at.format("%H:%M").to_string()
    }

    /// The last that was to be told at `now`.
    fn due(&self, zone: Tz, now: Timestamp) -> Option<DigestDue> {
        let utc: DateTime<Utc> = DateTime::from_timestamp_millis(now.as_millis())?;
        let today = utc.with_timezone(&zone).date_naive();
        let on = |day: NaiveDate| {
            let at = instant(zone, day.and_time(self.at))?;
            Some(DigestDue { day, until: Timestamp::from_millis(at.timestamp_millis()) })
        };
        // The day before yesterday: some zones have left out a whole day.
        let days = [Some(today), today.checked_sub_days(Days::new(1)), today.checked_sub_days(Days::new(2))];
        days.into_iter().flatten().filter_map(on).find(|due| due.until <= now)
    }
}

impl Policy {
    /// When and where people are told what ran unasked; none where they are not.
    #[must_use]
    pub const fn digest_plan(&self) -> Option<&DigestPlan> {
        self.digest.as_ref()
    }

    /// The last digest that was to be told at `now`; none where none is.
    #[must_use]
    pub fn digest_due(&self, now: Timestamp) -> Option<DigestDue> {
        self.digest.as_ref()?.due(self.calendar.zone(), now)
    }
}
