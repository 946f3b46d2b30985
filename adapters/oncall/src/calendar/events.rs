//! What the events of a calendar say about now. Pure.
//!
//! Recurrences are expanded by `calcard`, after what it takes too literally is put right: an override counts whatever
//! its SEQUENCE says, an UNTIL in UTC is meant in the zone of the event, and a rule without an end ends soon after now.

use std::collections::{BTreeMap, BTreeSet};

use calcard::common::PartialDateTime;
use calcard::common::timezone::Tz;
use calcard::icalendar::dates::CalendarEvent;
use calcard::icalendar::timezone::TzResolver;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry, ICalendarParameterName,
    ICalendarParameterValue, ICalendarParticipationStatus, ICalendarProperty, ICalendarStatus,
    ICalendarValue,
};
use calcard::{Entry, Parser};
use chrono::{DateTime, TimeDelta, Utc};
use placet::person::Identity;
use placet::time::Timestamp;

use crate::shift::{AHEAD, Shift};

/// The most occurrences that all events of a calendar together are expanded to.
const OCCURRENCES_MAX: usize = 200_000;

/// The most characters of a time zone's name that are told.
const ZONE_CHARS_MAX: usize = 60;

/// Why a calendar says nothing that can be rested on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unclear {
    /// It is something else, or ends in the middle.
    #[error("what is at the calendar's address is no calendar")]
    NotACalendar,
    /// A time zone that nobody knows.
    #[error("the calendar names a time zone that nobody knows: {0}")]
    Zone(String),
    /// A date or rule that cannot be understood.
    #[error("an event of the calendar cannot be understood: {0}")]
    Event(String),
    /// It repeats too often.
    #[error("the calendar's events repeat more than {OCCURRENCES_MAX} times")]
    TooMany,
}

impl Unclear {
    /// People read it, and whoever writes the calendar wrote it: a name's letters and no more of it.
    fn zone(name: &str) -> Self {
        let plain = |c: &char| c.is_ascii_alphanumeric() || " ._+-/".contains(*c);
        Self::Zone(name.chars().filter(plain).take(ZONE_CHARS_MAX).collect())
    }
}

/// The shifts that go on now or begin very soon.
pub(super) fn shifts(text: &str, now: Timestamp) -> Result<Vec<Shift>, Unclear> {
    let calendar = parse(text)?;
    let default_zone = default_zone(&calendar)?;
    check_zones(&calendar)?;
    let (from, until) = (now.as_secs(), (now + AHEAD).as_secs());
    let mut left = OCCURRENCES_MAX;
    let mut shifts = Vec::new();
    for mut part in by_uid(calendar) {
        put_right(&mut part, default_zone, now);
        let expanded = part.expand_dates(default_zone, left);
        if let Some(error) = expanded.errors.first() {
            return Err(Unclear::Event(error.error.to_string()));
        }
        left = left.checked_sub(expanded.events.len()).filter(|left| *left > 0).ok_or(Unclear::TooMany)?;
        for event in expanded.events {
            let (start, end) = span(&event);
            let named = usize::try_from(event.comp_id).ok().and_then(|id| part.components.get(id));
            if start <= until
                && from < end
                && let Some(named) = named.filter(|named| is_on(named))
            {
                shifts.push(Shift {
                    from: Some(Timestamp::from_secs(start)),
                    until: Some(Timestamp::from_secs(end)),
                    who: who(named),
                });
            }
        }
    }
    Ok(shifts)
}

/// Exactly one calendar, whole: the parser would take one that ends in the middle for a shorter one.
fn parse(text: &str) -> Result<ICalendar, Unclear> {
    let lines =
        || text.lines().map(|line| line.trim_start_matches('\u{feff}').trim_end().to_ascii_uppercase());
    let opened = lines().filter(|line| line.starts_with("BEGIN:")).count();
    let closed = lines().filter(|line| line.starts_with("END:")).count();
    let last = lines().rfind(|line| !line.is_empty());
    if opened != closed || last.as_deref() != Some("END:VCALENDAR") {
        return Err(Unclear::NotACalendar);
    }
    let mut parser = Parser::new(text);
    match (parser.entry(), parser.entry()) {
        (Entry::ICalendar(calendar), Entry::Eof) => Ok(calendar),
        _ => Err(Unclear::NotACalendar),
    }
}

/// The zone of times that name none, as calendars say it who say it: `X-WR-TIMEZONE`; else UTC.
fn default_zone(calendar: &ICalendar) -> Result<Tz, Unclear> {
    let name = ICalendarProperty::Other("X-WR-TIMEZONE".to_owned());
    let mut entries = calendar.components.iter().filter_map(|component| component.property(&name));
    let Some(ICalendarValue::Text(zone)) = entries.next().and_then(|entry| entry.values.first()) else {
        return Ok(Tz::UTC);
    };
    zone.parse().map_err(|()| Unclear::zone(zone))
}

/// Every zone that is named is known: one that is not would be taken for another.
fn check_zones(calendar: &ICalendar) -> Result<(), Unclear> {
    let zones = calendar.build_tz_resolver();
    let events = calendar.components.iter().filter(|component| is_event(component));
    let mut named = events.flat_map(|event| &event.entries).filter_map(ICalendarEntry::tz_id);
    match named.find(|zone| zones.resolve(zone).is_none()) {
        Some(zone) => Err(Unclear::zone(zone)),
        None => Ok(()),
    }
}

/// One calendar for each event with its overrides, so that one that repeats often takes nothing from the others.
fn by_uid(calendar: ICalendar) -> Vec<ICalendar> {
    let zones: Vec<ICalendarComponent> = calendar.timezones().cloned().collect();
    let mut parts: BTreeMap<String, Vec<ICalendarComponent>> = BTreeMap::new();
    for (number, component) in calendar.components.into_iter().enumerate() {
        if is_event(&component) {
            let uid = component.uid().map_or_else(|| format!("\u{0}{number}"), ToOwned::to_owned);
            parts.entry(uid).or_default().push(component);
        }
    }
    let parts = parts.into_values();
    parts
        .map(|events| ICalendar { components: events.into_iter().chain(zones.iter().cloned()).collect() })
        .collect()
}

fn is_event(component: &ICalendarComponent) -> bool {
    component.component_type == ICalendarComponentType::VEvent
}

fn put_right(part: &mut ICalendar, default_zone: Tz, now: Timestamp) {
    let begins: Vec<Begin> = {
        let zones = part.build_tz_resolver();
        part.components.iter().map(|event| Begin::of(event, &zones, default_zone)).collect()
    };
    for (event, begin) in part.components.iter_mut().zip(begins).filter(|(event, _)| is_event(event)) {
        event.entries.retain(|entry| entry.name != ICalendarProperty::Sequence);
        for value in event.entries.iter_mut().flat_map(|entry| &mut entry.values) {
            let ICalendarValue::RecurrenceRule(rule) = value else { continue };
            let soon = local(now + AHEAD, begin.zone);
            let until = match rule.until.as_ref().and_then(|until| in_zone(until, begin.zone)) {
                Some(until) => Some(until.min(soon)),
                None if rule.count.is_some() => None,
                None => Some(soon),
            };
            // The begin of the event is its first occurrence, whenever the rule ends.
            let until = until.map(|until| until.max(begin.local));
            rule.until = until.map(PartialDateTime::from_naive_timestamp);
        }
    }
}

/// When an event begins: the zone, and what its clocks show then, in seconds as if it were UTC.
struct Begin {
    zone: Tz,
    local: i64,
}

impl Begin {
    fn of(event: &ICalendarComponent, zones: &TzResolver<&str>, default_zone: Tz) -> Self {
        let start = event.property(&ICalendarProperty::Dtstart);
        let written = start.and_then(|start| match start.values.first() {
            Some(ICalendarValue::PartialDateTime(written)) => written.to_date_time(),
            _ => None,
        });
        let named = || start.and_then(|start| zones.resolve(start.tz_id()?));
        let own = written.as_ref().and_then(|written| written.tz());
        Self {
            zone: own.or_else(named).unwrap_or(default_zone),
            local: written.map_or(i64::MIN, |written| written.date_time.and_utc().timestamp()),
        }
    }
}

/// What the clocks of a zone show, in seconds as if it were UTC.
fn local(at: Timestamp, zone: Tz) -> i64 {
    let at: DateTime<Utc> = DateTime::from_timestamp(at.as_secs(), 0).unwrap_or_default();
    at.with_timezone(&zone).naive_local().and_utc().timestamp()
}

/// The same for the end of a rule: in UTC, in the zone already, or a day, the whole of which is meant.
fn in_zone(until: &PartialDateTime, zone: Tz) -> Option<i64> {
    let written = until.to_date_time()?;
    if written.offset.is_some() {
        let at = written.to_date_time_with_tz(zone)?;
        return Some(local(Timestamp::from_secs(at.timestamp()), zone));
    }
    let day_left = if until.hour.is_none() { TimeDelta::seconds(86_399) } else { TimeDelta::zero() };
    Some((written.date_time + day_left).and_utc().timestamp())
}

/// From when until when, in seconds since the epoch.
fn span(
    event: &CalendarEvent<DateTime<Tz>, calcard::icalendar::dates::TimeOrDelta<DateTime<Tz>, TimeDelta>>,
) -> (i64, i64) {
    event.timestamps()
}

/// Whether it takes place.
fn is_on(event: &ICalendarComponent) -> bool {
    event.status() != Some(&ICalendarStatus::Cancelled)
}

/// Whom it names: who was invited and did not decline, by mail address; where nobody was invited, the addresses that
/// stand in its title.
fn who(event: &ICalendarComponent) -> BTreeSet<Identity> {
    let invited: Vec<&ICalendarEntry> = event.properties(&ICalendarProperty::Attendee).collect();
    if invited.is_empty() {
        let title = event.property(&ICalendarProperty::Summary).and_then(|entry| entry.values.first());
        let title = title.and_then(ICalendarValue::as_text).unwrap_or_default();
        let words = title.split(|c: char| c.is_whitespace() || "()[]<>,;".contains(c));
        return words.filter_map(|word| Identity::email(word).ok()).collect();
    }
    let declined = ICalendarParameterValue::Partstat(ICalendarParticipationStatus::Declined);
    invited
        .into_iter()
        .filter(|entry| entry.parameter(&ICalendarParameterName::Partstat) != Some(&declined))
        .filter_map(|entry| Identity::email(entry.calendar_address()?).ok())
        .collect()
}

#[cfg(test)]
mod tests;
