//! `[[on_call]]`: who is on call, by a rota here, a calendar, or PagerDuty; whoever is has a role.

use chrono_tz::Tz;

use super::absence::unknown;
use super::diagnostic::{Report, Span};
use super::levels::role;
use super::moment::{day, time_of_day};
use super::reader::{At, Keys, Table};
use crate::id::PersonId;
use crate::person::{Handover, KnownPerson, OnCallSchedule, OnCallSource};

/// The keys of `[[on_call]]`.
pub(super) const KEYS: &Keys = &[
    ("name", "its name, in the record"),
    ("role", "what whoever is on call is"),
    ("rota", "people in turn"),
    ("calendar", "an iCalendar file that says who is on call, by its address"),
    ("pagerduty", "an escalation policy of PagerDuty, by its id"),
];

/// The keys of a rota.
pub(super) const ROTA_KEYS: &Keys = &[
    ("people", "who takes turns, in their order, by their ids in [[people]]"),
    ("first", "the day of the first turn"),
    ("at", "the time of day at which turns change"),
    ("every_days", "after how many days they change; left out: 7"),
];

/// The longest turn in a rota, in days: longer is a post, not a turn.
const TURN_DAYS_MAX: u32 = 366;
/// How long a turn is, unless the rota says otherwise.
const TURN_DAYS: u32 = 7;

/// What a schedule needs, for whoever left it out.
const SOURCES: &str = "rota = { people = [\"bo\", \"chen\"], first = 2026-11-30, at = \"09:00\", every_days = 7 }, calendar = \
                       \"https://…\", or pagerduty = \"PABC123\"";

/// The schedules, and whether all of them could be read.
pub(super) fn schedules(
    tables: Vec<Table<'_>>,
    (zone, people): (Tz, &[KnownPerson]),
    report: &mut Report<'_>,
) -> (Vec<OnCallSchedule>, bool) {
    let written = tables.len();
    let mut read: Vec<At<OnCallSchedule>> = Vec::new();
    for table in tables {
        let Some(schedule) = schedule(table, (zone, people), report) else { continue };
        if let Some(first) = read.iter().find(|other| other.value.name == schedule.value.name) {
            let message = format!("there are two schedules `{}`", schedule.value.name);
            let help = format!("the first is on line {}", report.line(&first.span));
            report.error(schedule.span.clone(), message, help);
        }
        read.push(schedule);
    }
    let is_complete = read.len() == written;
    (read.into_iter().map(|schedule| schedule.value).collect(), is_complete)
}

fn schedule(
    mut table: Table<'_>,
    (zone, people): (Tz, &[KnownPerson]),
    report: &mut Report<'_>,
) -> Option<At<OnCallSchedule>> {
    let span = table.span();
    let name = table.string("name", report);
    let role = table.string("role", report).and_then(|text| role(text, report));
    let rota = table.table("rota", report);
    let calendar = table.string("calendar", report);
    let pagerduty = table.string("pagerduty", report);
    for key in ["name", "role"] {
        if table.key_span(key).is_none() {
            report.error(span.clone(), format!("a schedule needs `{key}`"), "");
        }
    }
    let sources: Vec<Span> =
        ["rota", "calendar", "pagerduty"].iter().filter_map(|key| table.key_span(key)).collect();
    table.finish(&[KEYS], "[[on_call]]", report);
    match &sources[..] {
        [] => report.error(span, "a schedule needs to say where it is kept", SOURCES),
        [_, second, ..] => {
            report.error(second.clone(), "a schedule is kept in one place only", "write two of [[on_call]]");
            return None;
        }
        [_] => {}
    }
    let source = match (rota, calendar, pagerduty) {
        (Some(rota), _, _) => self::rota(rota, (zone, people), report),
        (None, Some(url), _) => self::calendar(url, people, report),
        (None, None, Some(policy)) => self::pagerduty(policy, people, report),
        (None, None, None) => None,
    };
    let name = name?;
    if name.value.trim().is_empty() || name.value.chars().any(char::is_control) {
        report.error(name.span.clone(), "a schedule's name is one line", "");
    }
    let schedule = OnCallSchedule { name: name.value, role: role?.value, source: source? };
    Some(At::new(schedule, name.span))
}

fn rota(
    mut table: Table<'_>,
    (zone, people): (Tz, &[KnownPerson]),
    report: &mut Report<'_>,
) -> Option<OnCallSource> {
    let span = table.span();
    let listed = table.strings("people", report);
    let first = day(&mut table, "first", report);
    let at = time_of_day(&mut table, "at", report);
    let every_days = table.count("every_days", TURN_DAYS_MAX, report);
    for key in ["people", "first", "at"] {
        if table.key_span(key).is_none() {
            report.error(span.clone(), format!("a rota needs `{key}`"), SOURCES);
        }
    }
    table.finish(&[ROTA_KEYS], "a rota", report);
    let listed = listed?;
    if listed.value.is_empty() {
        report.error(listed.span, "the rota is empty: nobody would ever be on call", "");
        return None;
    }
    let known: Vec<&PersonId> = people.iter().map(|known| &known.member.person).collect();
    let mut turns = Vec::new();
    for text in listed.value {
        match PersonId::new(&text.value) {
            Ok(person) if known.contains(&&person) => turns.push(person),
            Ok(person) => unknown(&At::new(person, text.span), &known, report),
            Err(error) => report.error(text.span, error.to_string(), ""),
        }
    }
    let handover = Handover {
        first: first?.value,
        at: at?.value,
        every_days: every_days.map_or(TURN_DAYS, |days| days.value),
        zone: zone.name().to_owned(),
    };
    Some(OnCallSource::Rota { people: turns, handover })
}

fn calendar(url: At<String>, people: &[KnownPerson], report: &mut Report<'_>) -> Option<OnCallSource> {
    let here = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_here = here.iter().any(|here| {
        url.value.strip_prefix(here).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    });
    let is_address = url.value.strip_prefix("https://").is_some_and(|rest| !rest.starts_with('/')) || is_here;
    if !is_address || url.value.contains(char::is_whitespace) || url.value.ends_with("//") {
        let message = "`calendar` is no https address";
        report.error(url.span, message, "who can change the answer on its way decides who may approve");
        return None;
    }
    nobody_named(&url.span, "email", people, report);
    Some(OnCallSource::Calendar { url: url.value })
}

fn pagerduty(policy: At<String>, people: &[KnownPerson], report: &mut Report<'_>) -> Option<OnCallSource> {
    let is_id = policy.value.len() >= 3
        && policy.value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if !is_id {
        let message = format!("`{}` is no id of an escalation policy", policy.value);
        report.error(policy.span, message, "such as \"PABC123\": the end of its page's address");
        return None;
    }
    if !people.iter().any(|known| known.identities.iter().any(|identity| identity.realm() == "email")) {
        nobody_named(&policy.span, "pagerduty", people, report);
    }
    Some(OnCallSource::PagerDuty { escalation_policy: policy.value })
}

/// Whom the schedule names must be somebody here.
fn nobody_named(span: &Span, realm: &str, people: &[KnownPerson], report: &mut Report<'_>) {
    let mut identities = people.iter().flat_map(|known| &known.identities);
    if !identities.any(|identity| identity.realm() == realm) {
        let message =
            format!("nobody in [[people]] has `{realm}`: whoever is on call by this is nobody here");
        report.warning(span.clone(), message, format!("give people their `{realm}`"));
    }
}
