//! `[calendar]`: the policy's own time zone, its nights, weekends and holidays, and when nothing may be changed.
//!
//! What a clock on the wall in that zone shows counts: a night from 22:00 to 06:00 is that over daylight saving too.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Timelike};
use chrono_tz::Tz;

use super::circumstances::Circumstances;
use super::diagnostic::{Report, nearest};
use super::fields::WEEKDAYS;
use super::moment::{day, moment};
use super::pattern::{Calls, Pattern};
use super::reader::{At, Keys, Table};
use super::rule::Policy;
use crate::approval::{Freeze, Proposal};
use crate::call::ToolCall;
use crate::time::Timestamp;

/// The keys of `[calendar]`.
pub(super) const KEYS: &Keys = &[
    ("zone", "the time zone of all times of the policy, by its IANA name"),
    ("night", "what is night, by the clock on the wall"),
    ("weekend", "which days are weekend"),
    ("holidays", "which days are holidays"),
    ("freeze", "windows in which nothing may be changed"),
];

/// The keys of a holiday.
pub(super) const HOLIDAY_KEYS: &Keys = &[("date", "the day"), ("name", "what is celebrated")];

/// The keys of `[[calendar.freeze]]`.
pub(super) const FREEZE_KEYS: &Keys = &[
    ("name", "its name, in the record"),
    ("because", "why, for whoever is stopped by it"),
    ("tools", "patterns over the tools' names"),
    ("servers", "patterns over the names of the tools' servers; left out: any"),
    ("from", "its first moment"),
    ("until", "the first moment after it"),
];

/// When things are, by the policy.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    zone: Tz,
    /// From and until, by the clock on the wall; until may be in the next morning.
    night: Option<(NaiveTime, NaiveTime)>,
    /// Monday first.
    weekend: [bool; 7],
    holidays: BTreeMap<NaiveDate, String>,
    freezes: Vec<FreezeWindow>,
    /// Keys that are written, and were not understood: that is said where they stand, and not again where they are
    /// looked at.
    wrong: Vec<&'static str>,
}

/// When some tools may not be used.
#[derive(Debug, Clone)]
struct FreezeWindow {
    freeze: Freeze,
    from: Timestamp,
    calls: Calls,
}

/// What a clock and a calendar on the wall show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) hour: u32,
    pub(super) minute: u32,
    pub(super) weekday: &'static str,
    pub(super) date: String,
    pub(super) night: bool,
    pub(super) weekend: bool,
    pub(super) holiday: bool,
}

impl Default for Calendar {
    fn default() -> Self {
        Self {
            zone: Tz::UTC,
            night: None,
            weekend: [false, false, false, false, false, true, true],
            holidays: BTreeMap::new(),
            freezes: Vec::new(),
            wrong: Vec::new(),
        }
    }
}

impl Calendar {
    /// A file's calendar; a tenant's adds its holidays and freezes to those of the installation.
    pub(super) fn read(table: Option<Table<'_>>, ground: Option<&Self>, report: &mut Report<'_>) -> Self {
        let mut calendar = ground.cloned().unwrap_or_default();
        let Some(mut table) = table else { return calendar };
        if let Some(zone) = table.string("zone", report) {
            match zone.value.parse() {
                Ok(zone) => calendar.zone = zone,
                Err(_) => {
                    let help =
                        match nearest(&zone.value, chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name())) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => "the IANA name of a time zone, such as Europe/Berlin".to_owned(),
                        };
                    report.error(zone.span, format!("there is no time zone `{}`", zone.value), help);
                }
            }
        }
        if let Some(night) = table.string("night", report) {
            calendar.night = hours(&night, report);
        }
        if let Some(days) = table.strings("weekend", report) {
            calendar.weekend = weekend(days.value, report);
        }
        calendar.holidays.extend(holidays(table.tables("holidays", report), report));
        let windows = table.tables("freeze", report);
        let own: Vec<_> =
            windows.into_iter().filter_map(|window| calendar.freeze_window(window, report)).collect();
        calendar.freezes.extend(own);
        let names = ["time.night", "time.holiday", "time.freeze"];
        let unknown = names.into_iter().filter_map(|name| calendar.says_nothing_of(name));
        calendar.wrong = unknown.filter(|key| table.key_span(key).is_some()).collect();
        table.finish(&[KEYS], "[calendar]", report);
        calendar
    }

    fn freeze_window(&self, mut table: Table<'_>, report: &mut Report<'_>) -> Option<FreezeWindow> {
        let header = table.span();
        let name = table.string("name", report);
        let because = table.string("because", report);
        let tools = table.strings("tools", report).map(|tools| Pattern::read_all(tools, "tools", report));
        let servers =
            table.strings("servers", report).map(|servers| Pattern::read_all(servers, "servers", report));
        let from = moment(&mut table, "from", self.zone, report);
        let until = moment(&mut table, "until", self.zone, report);
        for key in ["name", "from", "until", "tools", "because"] {
            if table.key_span(key).is_none() {
                report.error(header.clone(), format!("[[calendar.freeze]] needs `{key}`"), "");
            }
        }
        table.finish(&[FREEZE_KEYS], "[[calendar.freeze]]", report);
        let (from, until) = (from?, until?);
        if until.value <= from.value {
            report.error(until.span, "this ends before it begins", "`until` is the first moment after it");
            return None;
        }
        Some(FreezeWindow {
            freeze: Freeze { name: name?.value, because: because?.value, until: until.value },
            from: from.value,
            calls: Calls { tools: tools?, servers },
        })
    }

    /// What is on the wall at an instant.
    pub(super) fn moment(&self, at: Timestamp) -> Moment {
        let utc = DateTime::from_timestamp_millis(at.as_millis()).unwrap_or_default();
        let local = utc.with_timezone(&self.zone).naive_local();
        let weekday = local.weekday().num_days_from_monday() as usize;
        let night = self.night.is_some_and(|(from, until)| {
            let time = local.time();
            if from <= until { from <= time && time < until } else { from <= time || time < until }
        });
        Moment {
            hour: local.hour(),
            minute: local.minute(),
            weekday: WEEKDAYS[weekday],
            date: local.date().to_string(),
            night,
            weekend: self.weekend[weekday],
            holiday: self.holidays.contains_key(&local.date()),
        }
    }

    /// The freeze windows that cover a call at an instant.
    pub(super) fn freezes<'a>(
        &'a self,
        call: &'a ToolCall,
        at: Timestamp,
    ) -> impl Iterator<Item = &'a Freeze> {
        let covers = move |window: &&FreezeWindow| {
            window.from <= at && at < window.freeze.until && window.calls.matches(call)
        };
        self.freezes.iter().filter(covers).map(|window| &window.freeze)
    }

    /// Which of these names are never true, because the calendar says nothing of them, and the key that would.
    pub(super) fn says_nothing_of(&self, name: &str) -> Option<&'static str> {
        let key = match name {
            "time.night" if self.night.is_none() => "night",
            "time.holiday" if self.holidays.is_empty() => "holidays",
            "time.freeze" if self.freezes.is_empty() => "freeze",
            _ => return None,
        };
        (!self.wrong.contains(&key)).then_some(key)
    }

    /// The policy's time zone.
    pub(super) const fn zone(&self) -> Tz {
        self.zone
    }
}

/// `22:00-06:00`.
fn hours(text: &At<String>, report: &mut Report<'_>) -> Option<(NaiveTime, NaiveTime)> {
    let time = |text: &str| NaiveTime::parse_from_str(text.trim(), "%H:%M").ok();
    let night = text.value.split_once('-').and_then(|(from, until)| Some((time(from)?, time(until)?)));
    if night.is_none_or(|(from, until)| from == until) {
        let message = format!("`{}` is no time of day from one hour to another", text.value);
        report.error(text.span.clone(), message, "such as \"22:00-06:00\"");
        return None;
    }
    night
}

fn weekend(days: Vec<At<String>>, report: &mut Report<'_>) -> [bool; 7] {
    let mut weekend = [false; 7];
    for day in days {
        match WEEKDAYS.iter().position(|known| *known == day.value) {
            Some(place) => weekend[place] = true,
            None => {
                let help = nearest(&day.value, WEEKDAYS)
                    .map_or_else(String::new, |near| format!("did you mean `{near}`?"));
                report.error(day.span, format!("`{}` is no day of the week", day.value), help);
            }
        }
    }
    weekend
}

fn holidays(tables: Vec<Table<'_>>, report: &mut Report<'_>) -> BTreeMap<NaiveDate, String> {
    let mut holidays = BTreeMap::new();
    for mut table in tables {
        let span = table.span();
        let date = day(&mut table, "date", report);
        let name = table.string("name", report);
        for key in ["date", "name"] {
            if table.key_span(key).is_none() {
                report.error(
                    span.clone(),
                    format!("a holiday needs `{key}`"),
                    "{ date = 2026-12-25, name = \"Christmas Day\" }",
                );
            }
        }
        table.finish(&[HOLIDAY_KEYS], "a holiday", report);
        if let (Some(date), Some(name)) = (date, name) {
            holidays.insert(date.value, name.value);
        }
    }
    holidays
}

impl Policy {
    /// A freeze window that covers the call now and did not when it was asked for: who said yes did not know of it.
    #[must_use]
    pub fn frozen(
        &self,
        proposal: &Proposal,
        asked: Option<&Circumstances>,
        now: Timestamp,
    ) -> Option<Freeze> {
        let freezes = |asked: &Circumstances| self.calendar.freezes(&proposal.call, asked.at);
        let before: Vec<&Freeze> = asked.into_iter().flat_map(freezes).collect();
        self.calendar.freezes(&proposal.call, now).find(|freeze| !before.contains(freeze)).cloned()
    }

    /// The IANA name of the policy's time zone.
    #[must_use]
    pub fn zone(&self) -> &'static str {
        self.calendar.zone().name()
    }
}
