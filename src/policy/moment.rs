//! Days, times of day and moments in a policy, written as TOML has them or as text.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use chrono_tz::Tz;
use toml::de::DeValue;

use super::diagnostic::{Report, Span};
use super::reader::{At, Table};
use crate::person::instant;
use crate::time::Timestamp;

/// A moment: `2026-12-01` (the day's first moment in the zone), `2026-12-01T09:00` in the zone, or with an offset.
pub(super) fn moment(
    table: &mut Table<'_>,
    key: &'static str,
    zone: Tz,
    report: &mut Report<'_>,
) -> Option<At<Timestamp>> {
    let text = text(table, key, "2026-12-01, or 2026-12-01T09:00:00", report)?;
    let local = |local: NaiveDateTime| instant(zone, local).map(|at| at.timestamp_millis());
    let millis = if let Ok(exact) = DateTime::parse_from_rfc3339(&text.value) {
        Some(exact.timestamp_millis())
    } else if let Ok(day) = text.value.parse::<NaiveDate>() {
        local(day.and_time(NaiveTime::MIN))
    } else {
        let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
        forms.iter().find_map(|form| NaiveDateTime::parse_from_str(&text.value, form).ok()).and_then(local)
    };
    let Some(millis) = millis else {
        let message = format!("`{key}` is no day and no moment: `{}`", text.value);
        report.error(text.span, message, "such as 2026-12-01, or 2026-12-01T09:00:00");
        return None;
    };
    Some(At::new(Timestamp::from_millis(millis), text.span))
}

/// A day: `2026-12-01`.
pub(super) fn day(
    table: &mut Table<'_>,
    key: &'static str,
    report: &mut Report<'_>,
) -> Option<At<NaiveDate>> {
    let text = text(table, key, "2026-12-01", report)?;
    let Ok(day) = text.value.parse() else {
        report.error(text.span, format!("`{key}` is no day: `{}`", text.value), "such as 2026-12-01");
        return None;
    };
    Some(At::new(day, text.span))
}

/// A time of day: `09:00`.
pub(super) fn time_of_day(
    table: &mut Table<'_>,
    key: &'static str,
    report: &mut Report<'_>,
) -> Option<At<NaiveTime>> {
    let text = text(table, key, "\"09:00\"", report)?;
    let forms = ["%H:%M", "%H:%M:%S"];
    let Some(time) = forms.iter().find_map(|form| NaiveTime::parse_from_str(&text.value, form).ok()) else {
        report.error(text.span, format!("`{key}` is no time of day: `{}`", text.value), "such as \"09:00\"");
        return None;
    };
    Some(At::new(time, text.span))
}

/// What was written, as text.
fn text(
    table: &mut Table<'_>,
    key: &'static str,
    example: &str,
    report: &mut Report<'_>,
) -> Option<At<String>> {
    let value = table.get(key)?;
    let span: Span = value.span();
    match value.get_ref() {
        DeValue::String(text) => Some(At::new(text.trim().to_owned(), span)),
        DeValue::Datetime(written) => Some(At::new(written.to_string(), span)),
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => {
            report.error(span, format!("`{key}` is a date or a time"), format!("such as {example}"));
            None
        }
    }
}
