//! R52: when and where people are told what ran unasked.

use super::{GOOD, parse};
use crate::id::TenantId;
use crate::policy::{Policy, PolicyFile};
use crate::time::{Timestamp, Ttl};

fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(chrono::DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis())
}

fn in_zone(zone: &str, time: &str) -> Policy {
    parse(&format!(
        "{GOOD}\n[calendar]\nzone = \"{zone}\"\n[digest]\nat = \"{time}\"\nchannel = \"slack/C1\"\n"
    ))
}

/// The clock on the wall counts: over daylight saving, where it leaves the time out, and where it shows it twice.
#[test]
fn the_last_that_was_due_is_by_the_clock_on_the_wall() {
    let table = [
        ("Europe/Berlin", "09:00", "2026-11-30T07:59:59Z", "2026-11-29", "2026-11-29T08:00:00Z"),
        ("Europe/Berlin", "09:00", "2026-11-30T08:00:00Z", "2026-11-30", "2026-11-30T08:00:00Z"),
        ("Europe/Berlin", "09:00", "2026-11-30T23:30:00Z", "2026-11-30", "2026-11-30T08:00:00Z"),
        // Summer begins on the 29th, and ends on October 25th.
        ("Europe/Berlin", "09:00", "2026-03-28T12:00:00Z", "2026-03-28", "2026-03-28T08:00:00Z"),
        ("Europe/Berlin", "09:00", "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-29T07:00:00Z"),
        ("Europe/Berlin", "02:30", "2026-03-29T01:29:59Z", "2026-03-28", "2026-03-28T01:30:00Z"),
        ("Europe/Berlin", "02:30", "2026-03-29T01:30:00Z", "2026-03-29", "2026-03-29T01:30:00Z"),
        ("Europe/Berlin", "02:30", "2026-10-25T00:30:00Z", "2026-10-25", "2026-10-25T00:30:00Z"),
        ("Europe/Berlin", "02:30", "2026-10-25T01:30:00Z", "2026-10-25", "2026-10-25T00:30:00Z"),
        ("Asia/Shanghai", "00:00", "2026-11-30T16:00:00Z", "2026-12-01", "2026-11-30T16:00:00Z"),
        ("America/New_York", "23:59", "2026-11-30T03:00:00Z", "2026-11-28", "2026-11-29T04:59:00Z"),
        // A day that was left out: Samoa crossed the date line.
        ("Pacific/Apia", "09:00", "2011-12-30T11:00:00Z", "2011-12-29", "2011-12-29T19:00:00Z"),
    ];
    for (zone, time, now, day, until) in table {
        let due = in_zone(zone, time).digest_due(at(now)).unwrap();
        assert_eq!((due.day.to_string(), due.until), (day.to_owned(), at(until)), "{zone} {time} {now}");
    }
    assert_eq!(parse(GOOD).digest_due(at("2026-11-30T08:00:00Z")), None, "left out: none");
}

/// A digest tells from where the last one ended, of a week at most.
#[test]
fn a_digest_tells_of_a_week_at_most() {
    let due = in_zone("Europe/Berlin", "09:00").digest_due(at("2026-11-30T08:00:00Z")).unwrap();
    assert_eq!(due.since(due.until - Ttl::from_mins(60)), due.until - Ttl::from_mins(60));
    assert_eq!(due.since(at("2026-11-01T08:00:00Z")), due.until - Ttl::from_mins(7 * 24 * 60));
}

/// What is written wrongly is said where it stands; a place is noted, for the server to judge.
#[test]
fn a_mistake_is_said() {
    let table = [
        ("at = \"09:00\"", "[digest] needs `places`, or a `channel`"),
        ("channel = \"slack/C1\"", "[digest] needs `at`"),
        ("at = \"9 o'clock\"\nchannel = \"slack/C1\"", "`at` is no time of day"),
        ("at = \"24:00\"\nchannel = \"slack/C1\"", "`at` is no time of day"),
        ("at = \"09:00\"\nchannel = \"#ops\"", "`channel` is a surface and a channel of it"),
        ("at = \"09:00\"\nplaces = []", "`places` is empty"),
        ("at = \"09:00\"\nchannel = \"slack/C1\"\nzone = \"UTC\"", "`zone`"),
    ];
    for (keys, says) in table {
        let errors = Policy::parse(&format!("{GOOD}\n[digest]\n{keys}\n"), "policy.toml").unwrap_err();
        assert!(errors.to_string().contains(says), "{keys}: {errors}");
    }
    let places = in_zone("UTC", "09:00").named_places().len();
    assert_eq!(places, parse(GOOD).named_places().len() + 1);
}

/// A tenant has the installation's, unless its own file says it, whole; in its own zone.
#[test]
fn a_tenants_own_is_its_own() {
    let file = |text: &str| PolicyFile { text: text.to_owned(), name: "policy.toml".to_owned() };
    let installation = file(&format!("{GOOD}\n[digest]\nat = \"09:00\"\nchannel = \"slack/C1\"\n"));
    let tenant = TenantId::new("acme").unwrap();
    let of = |own: &str| {
        let own = file(&format!("version = \"acme-1\"\n{own}"));
        Policy::parse_tenant(&installation, &tenant, &own).unwrap()
    };
    let inherited = of("[calendar]\nzone = \"Asia/Tokyo\"\n");
    assert_eq!(inherited.digest_plan().unwrap().places()[0].channel, "C1");
    assert_eq!(inherited.digest_due(at("2026-11-30T00:00:00Z")).unwrap().until, at("2026-11-30T00:00:00Z"));
    let own = of("[digest]\nat = \"17:30\"\nchannel = \"slack/C9\"\n");
    assert_eq!(own.digest_plan().unwrap().places()[0].channel, "C9");
    assert_eq!(own.digest_plan().unwrap().at(), "17:30");
}
