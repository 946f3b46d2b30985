use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis())
}

/// A calendar with these lines in it.
fn calendar(lines: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example.org//EN\r\n{}END:VCALENDAR\r\n",
        lines.trim_start().replace('\n', "\r\n")
    )
}

/// Whom it names at a time.
fn on_call(calendar: &str, now: &str) -> Result<Vec<String>, Unclear> {
    let now = at(now);
    let read = crate::shift::Read::new(Ok(shifts(calendar, now)?), now);
    let members = read.members(now).members.unwrap();
    Ok(members
        .iter()
        .map(|identity| identity.subject().trim_end_matches("@example.org").to_owned())
        .collect())
}

const WEEKS: &str = "
BEGIN:VEVENT
UID:bo
DTSTART;TZID=Europe/Berlin:20260302T090000
DTEND;TZID=Europe/Berlin:20260309T090000
RRULE:FREQ=WEEKLY;INTERVAL=2
ATTENDEE;PARTSTAT=ACCEPTED:mailto:Bo@example.org
SUMMARY:On call
END:VEVENT
BEGIN:VEVENT
UID:chen
DTSTART;TZID=Europe/Berlin:20260309T090000
DTEND;TZID=Europe/Berlin:20260316T090000
RRULE:FREQ=WEEKLY;INTERVAL=2
ATTENDEE:mailto:chen@example.org
END:VEVENT
";

/// R40: who the event names that goes on now; the handover is at nine by the clock on the wall, in summer and winter.
#[test]
fn shifts_repeat_by_the_clock_on_the_wall() {
    let calendar = calendar(WEEKS);
    let on_call = |now| on_call(&calendar, now).unwrap().join("+");
    assert_eq!(on_call("2026-03-02T07:59:59Z"), "");
    assert_eq!(on_call("2026-03-02T08:00:00Z"), "bo");
    assert_eq!(on_call("2026-03-09T07:59:59Z"), "bo");
    assert_eq!(on_call("2026-03-09T08:00:00Z"), "chen");
    assert_eq!(on_call("2026-04-06T06:59:59Z"), "bo", "summer: nine is seven in UTC");
    assert_eq!(on_call("2026-04-06T07:00:00Z"), "chen");
    assert_eq!(on_call("2031-11-19T12:00:00Z"), "bo", "and so on for years");
}

/// R40: shifts that begin while the answer is kept are known in advance.
#[test]
fn the_next_shift_is_known_in_advance() {
    let now = at("2026-03-09T07:59:00Z");
    let read = crate::shift::Read::new(shifts(&calendar(WEEKS), now).map_err(|why| why.to_string()), now);
    let names =
        |now| read.members(now).members.unwrap().into_iter().map(|who| who.to_string()).collect::<Vec<_>>();
    assert_eq!(names(now), ["email/bo@example.org"]);
    assert_eq!(names(at("2026-03-09T08:00:30Z")), ["email/chen@example.org"]);
    assert!(read.holds(at("2026-03-09T07:59:59Z")) && !read.holds(at("2026-03-09T08:00:00Z")));
}

/// R40: one occurrence that was moved or given to somebody else takes the place of the rule's, whatever its SEQUENCE;
/// one that was cancelled or left out is nobody's.
#[test]
fn exceptions_take_the_place_of_the_rule() {
    let calendar = calendar(
        "
BEGIN:VEVENT
UID:day
SEQUENCE:3
DTSTART:20261201T090000Z
DTEND:20261201T170000Z
RRULE:FREQ=DAILY
EXDATE:20261204T090000Z
ATTENDEE:mailto:bo@example.org
END:VEVENT
BEGIN:VEVENT
UID:day
SEQUENCE:7
RECURRENCE-ID:20261202T090000Z
DTSTART:20261202T100000Z
DTEND:20261202T170000Z
ATTENDEE:mailto:chen@example.org
END:VEVENT
BEGIN:VEVENT
UID:day
SEQUENCE:4
RECURRENCE-ID:20261203T090000Z
DTSTART:20261203T090000Z
DTEND:20261203T170000Z
STATUS:CANCELLED
ATTENDEE:mailto:bo@example.org
END:VEVENT
",
    );
    let on_call = |now| on_call(&calendar, now).unwrap().join("+");
    assert_eq!(on_call("2026-12-01T12:00:00Z"), "bo");
    assert_eq!(on_call("2026-12-02T09:30:00Z"), "", "moved to ten");
    assert_eq!(on_call("2026-12-02T12:00:00Z"), "chen");
    assert_eq!(on_call("2026-12-03T12:00:00Z"), "", "cancelled");
    assert_eq!(on_call("2026-12-04T12:00:00Z"), "", "left out");
    assert_eq!(on_call("2026-12-05T12:00:00Z"), "bo");
}

/// R40: the last occurrence counts: the end of a rule is in UTC where the event is in a zone, and a day is meant whole.
#[test]
fn the_last_occurrence_counts() {
    let until = |until: &str| {
        calendar(&format!(
            "
BEGIN:VEVENT
UID:day
DTSTART;TZID=America/New_York:20261201T200000
DURATION:PT4H
RRULE:FREQ=DAILY;UNTIL={until}
ATTENDEE:mailto:bo@example.org
END:VEVENT
"
        ))
    };
    for end in ["20261204T010000Z", "20261203T200000", "20261203"] {
        let calendar = until(end);
        assert_eq!(on_call(&calendar, "2026-12-04T02:00:00Z").unwrap(), ["bo"], "{end}");
        assert_eq!(on_call(&calendar, "2026-12-05T02:00:00Z").unwrap(), [] as [&str; 0], "{end}");
    }
    assert_eq!(on_call(&until("20261204T005959Z"), "2026-12-04T02:00:00Z").unwrap(), [] as [&str; 0]);
}

/// R40: who declined is not on call; where nobody is invited, the addresses in the title count; words do not.
#[test]
fn events_name_people_by_their_address() {
    let event = |lines: &str| {
        let lines = format!(
            "\nBEGIN:VEVENT\nUID:x\nDTSTART:20261201T000000Z\nDTEND:20261202T000000Z\n{lines}\nEND:VEVENT\n"
        );
        on_call(&calendar(&lines), "2026-12-01T12:00:00Z").unwrap().join("+")
    };
    assert_eq!(
        event("ATTENDEE:mailto:bo@example.org\nATTENDEE;PARTSTAT=DECLINED:mailto:chen@example.org"),
        "bo"
    );
    assert_eq!(event("ATTENDEE;PARTSTAT=NEEDS-ACTION:MAILTO:bo@example.org\nSUMMARY:chen@example.org"), "bo");
    assert_eq!(event("SUMMARY:[L1] bo@example.org (chen@example.org)"), "bo+chen");
    assert_eq!(event("SUMMARY:Bo"), "");
    assert_eq!(event("STATUS:CANCELLED\nSUMMARY:bo@example.org"), "");
    assert_eq!(event("ATTENDEE:mailto:b\n o@example.org"), "bo", "a folded line");
}

/// R40: whole days are days of the calendar's zone; zones are known by the names that other programs give them.
#[test]
fn times_are_of_the_zone_they_name() {
    let day = "BEGIN:VEVENT\nUID:x\nDTSTART;VALUE=DATE:20261201\nDTEND;VALUE=DATE:20261202\nSUMMARY:bo@example.org\nEND:VEVENT\n";
    let plain = calendar(&format!("\n{day}"));
    assert_eq!(on_call(&plain, "2026-12-01T00:00:00Z").unwrap(), ["bo"], "UTC, where no zone is named");
    let tokyo = calendar(&format!("\nX-WR-TIMEZONE:Asia/Tokyo\n{day}"));
    assert_eq!(on_call(&tokyo, "2026-11-30T15:00:00Z").unwrap(), ["bo"]);
    assert_eq!(on_call(&tokyo, "2026-12-01T15:00:00Z").unwrap(), [] as [&str; 0]);
    let windows = calendar(
        "
BEGIN:VEVENT
UID:x
DTSTART;TZID=W. Europe Standard Time:20261201T090000
DTEND;TZID=W. Europe Standard Time:20261201T100000
SUMMARY:bo@example.org
END:VEVENT
",
    );
    assert_eq!(on_call(&windows, "2026-12-01T08:00:00Z").unwrap(), ["bo"]);
}

/// R40: what cannot be understood is not taken for "nobody".
#[test]
fn what_cannot_be_understood_is_said() {
    let now = "2026-12-01T12:00:00Z";
    for text in ["", "<!doctype html><title>Sign in</title>", "BEGIN:VCARD\r\nFN:Bo\r\nEND:VCARD\r\n"] {
        assert_eq!(on_call(text, now), Err(Unclear::NotACalendar), "{text}");
    }
    let whole = calendar(WEEKS);
    let cut = &whole[..whole.len() - 40];
    assert_eq!(on_call(cut, now), Err(Unclear::NotACalendar), "it ends in the middle");
    assert_eq!(on_call(&format!("{whole}{whole}"), now), Err(Unclear::NotACalendar), "two of them");
    let mars = calendar(&WEEKS.replace("Europe/Berlin", "Mars/Olympus"));
    assert_eq!(on_call(&mars, now), Err(Unclear::Zone("Mars/Olympus".to_owned())));
    let undated = calendar(&WEEKS.replace("DTSTART;TZID=Europe/Berlin:20260302T090000\n", ""));
    assert!(matches!(on_call(&undated, now), Err(Unclear::Event(_))));
    let often = calendar(&WEEKS.replace("FREQ=WEEKLY;INTERVAL=2", "FREQ=MINUTELY"));
    assert_eq!(on_call(&often, now), Err(Unclear::TooMany));
    assert_eq!(on_call(&calendar("\n"), now), Ok(Vec::new()), "a calendar without events names nobody");
}
