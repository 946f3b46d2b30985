//! People, groups and schedules as authors meet them.

use std::collections::BTreeSet;

use insta::assert_snapshot;

use super::{GOOD, and, noon, parse, with};
use crate::id::{PersonId, Role};
use crate::person::{AccountState, Identity, Rolls, Standing};
use crate::time::Timestamp;

const PEOPLE: &str = r#"version = "2026-11"

[calendar]
zone = "Europe/Berlin"

[levels.high]
role = "on_call"

[[people]]
id = "bo"
name = "Bo"
team = "platform"
roles = ["admin"]
slack = ["T024BE7LD/U2CERLKJA"]
matrix = ["@bo:example.org"]
console = ["bo"]
email = ["Bo@example.org"]
pagerduty = ["PXPGF42"]
away = [
  { from = 2026-12-21, until = 2027-01-04, stand_in = "chen" },
  { from = 2026-11-30T18:00:00, until = "2026-11-30T19:00:00Z" },
]

[[people]]
id = "chen"
name = "Chen"
roles = ["viewer"]
slack = ["T024BE7LD/U2CHEN000"]
email = ["chen@example.org"]

[[groups]]
slack = "T024BE7LD/S0614TZR7"
roles = ["operator", "viewer"]

[[on_call]]
name = "week"
role = "on_call"
rota = { people = ["bo", "chen"], first = 2026-11-30, at = "09:00", every_days = 7 }

[[on_call]]
name = "shared calendar"
role = "on_call"
calendar = "https://calendar.example.org/ops.ics"

[[on_call]]
name = "pager"
role = "on_call"
pagerduty = "PABC123"

[roles]
stewards = ["admin"]
"#;

fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(chrono::DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis())
}

/// R17, R40: everything that a policy can say of people, in one.
#[test]
fn people_groups_and_schedules_are_read() {
    let policy = parse(PEOPLE);
    assert_eq!(policy.warnings(), []);
    insta::assert_json_snapshot!("people_all", policy.people());
}

/// R15, R17: a day begins and ends at midnight of the policy's zone, and a moment without an offset is of that zone.
#[test]
fn times_are_of_the_policys_zone() {
    let policy = parse(PEOPLE);
    let bo: Identity = "console/bo".parse().unwrap();
    let away = |now: &str| {
        let now = at(now);
        let mut rolls = Rolls::empty(now);
        rolls.accounts.insert(bo.clone(), AccountState::Active);
        policy.standing(&bo, &rolls, now) == Standing::None(crate::person::NoStanding::Away)
    };
    assert!(!away("2026-12-20T22:59:59Z") && away("2026-12-20T23:00:00Z"), "midnight in Berlin");
    assert!(away("2027-01-03T22:59:59Z") && !away("2027-01-03T23:00:00Z"));
    assert!(!away("2026-11-30T16:59:59Z") && away("2026-11-30T17:00:00Z"), "six in Berlin");
    assert!(away("2026-11-30T18:59:59Z") && !away("2026-11-30T19:00:00Z"), "seven, by its own offset");
}

/// R40: by the policy's rota one person at a time has the role; a handover is at nine in summer as in winter.
#[test]
fn the_rota_says_who_has_the_role() {
    let policy = parse(PEOPLE);
    let on_call = |now: &str| -> Vec<String> {
        let now = at(now);
        let accounts = ["slack:T024BE7LD/U2CERLKJA", "slack:T024BE7LD/U2CHEN000"];
        let mut rolls = Rolls::empty(now);
        let group = policy.groups()[0].group.clone();
        rolls.groups.insert(group, Ok(BTreeSet::new()));
        let mut names = Vec::new();
        for account in accounts.map(|text| text.parse::<Identity>().unwrap()) {
            rolls.accounts.insert(account.clone(), AccountState::Active);
            if let Standing::Member(member) = policy.standing(&account, &rolls, now)
                && member.roles.iter().any(|role| role.as_str() == "on_call")
            {
                names.push(member.name);
            }
        }
        names
    };
    assert_eq!(on_call("2026-11-30T07:59:59Z"), [] as [&str; 0]);
    assert_eq!(on_call("2026-11-30T08:00:00Z"), ["Bo"]);
    assert_eq!(on_call("2026-12-07T08:00:00Z"), ["Chen"]);
    assert_eq!(on_call("2026-12-21T08:00:00Z"), ["Chen"], "Bo is away, and left it to Chen");
    assert_eq!(on_call("2027-03-29T06:59:59Z"), ["Bo"]);
    assert_eq!(on_call("2027-03-29T07:00:00Z"), ["Chen"], "nine in summer");
}

/// R14, R17: each mistake about people is shown where it is.
#[test]
fn mistakes_about_people_are_shown_where_they_are() {
    let chen = "id = \"chen\"";
    let away = |absence: &str| with(chen, &format!("{chen}\naway = [{absence}]"));
    assert_snapshot!(
        "stand_in_unknown",
        away("{ from = 2026-12-01, until = 2026-12-08, stand_in = \"boo\" }")
    );
    assert_snapshot!("stand_in_self", away("{ from = 2026-12-01, until = 2026-12-08, stand_in = \"chen\" }"));
    assert_snapshot!("absence_backwards", away("{ from = 2026-12-08, until = 2026-12-08 }"));
    assert_snapshot!("absence_no_date", away("{ from = \"monday\", until = 12 }"));
    assert_snapshot!("absence_incomplete", away("{ since = 2026-12-08 }"));
    assert_snapshot!("person_slash", with(chen, "id = \"ops/chen\""));
    assert_snapshot!("matrix_name", with(chen, &format!("{chen}\nmatrix = [\"chen\"]")));
    assert_snapshot!("email_name", with(chen, &format!("{chen}\nemail = [\"chen\"]")));
    assert_snapshot!("pagerduty_name", with(chen, &format!("{chen}\npagerduty = [\"chen\"]")));
    assert_snapshot!(
        "account_of_two_keys",
        with(chen, &format!("{chen}\naccounts = [\"slack:T024BE7LD/U2CERLKJA\"]"))
    );
    assert_snapshot!("zone_unknown", and("[calendar]\nzone = \"Europe/Berlim\""));
}

/// R17: more groups than Slack lets be read in time are refused, rather than that nobody can decide.
#[test]
fn more_groups_than_can_be_read_in_time_are_refused() {
    let of = |workspace: &str, count: usize| {
        let group =
            |number| format!("[[groups]]\nslack = \"{workspace}/S{number:08}\"\nroles = [\"admin\"]\n");
        (1..=count).map(group).collect::<String>()
    };
    let told = "more than 10 user groups of one workspace";
    let most = of("T0000001", 10) + &of("T0000002", 10);
    assert!(!and(&most).contains(told), "{}", and(&most));
    assert!(and(&of("T0000002", 11)).contains(told));
}

/// R14, R17: each mistake about groups.
#[test]
fn mistakes_about_groups_are_shown_where_they_are() {
    let group = |lines: &str| and(&format!("[[groups]]\n{lines}"));
    assert_snapshot!("group_of_nothing", group("roles = [\"admin\"]"));
    assert_snapshot!(
        "group_of_both",
        group("slack = \"T1AA/S1AA\"\nmatrix_room = \"!a:example.org\"\nroles = [\"admin\"]")
    );
    assert_snapshot!("group_name", group("slack = \"T1AA/@admins\"\nroles = [\"admin\"]"));
    assert_snapshot!("group_without_roles", group("slack = \"T1AA/S1AA\"\nroles = []"));
    assert_snapshot!(
        "group_twice",
        group("slack = \"T1AA/S1AA\"\nroles = [\"a\"]\n[[groups]]\nslack = \"T1AA/S1AA\"\nroles = [\"b\"]")
    );
    assert_snapshot!(
        "group_power",
        group("slack = \"T1AA/S1AA\"\npower_level_min = 50\nroles = [\"admin\"]")
    );
    assert_snapshot!("room_alias", group("matrix_room = \"#ops:example.org\"\nroles = [\"admin\"]"));
    assert_snapshot!(
        "room_unread",
        group("matrix_room = \"!ops:example.org\"\npower_level_min = 50\nroles = [\"admin\"]")
    );
}

/// R14, R40: each mistake about schedules.
#[test]
fn mistakes_about_schedules_are_shown_where_they_are() {
    let schedule = |lines: &str| and(&format!("[[on_call]]\nname = \"ops\"\nrole = \"on_call\"\n{lines}"));
    assert_snapshot!("schedule_nowhere", schedule(""));
    assert_snapshot!(
        "schedule_twice",
        schedule("pagerduty = \"PABC123\"\ncalendar = \"https://example.org/a.ics\"")
    );
    assert_snapshot!("rota_empty", schedule("rota = { people = [], first = 2026-11-30, at = \"09:00\" }"));
    assert_snapshot!(
        "rota_unknown",
        schedule("rota = { people = [\"bo\", \"chan\"], first = 2026-11-30, at = \"09:00\" }")
    );
    assert_snapshot!(
        "rota_incomplete",
        schedule("rota = { people = [\"bo\"], at = \"nine\", every_days = 0 }")
    );
    assert_snapshot!("calendar_plain", schedule("calendar = \"http://example.org/a.ics\""));
    assert_snapshot!("calendar_nobody", schedule("calendar = \"https://example.org/a.ics\""));
    assert_snapshot!("pagerduty_link", schedule("pagerduty = \"https://example.org/PABC123\""));
    assert_snapshot!("pagerduty_nobody", schedule("pagerduty = \"PABC123\""));
    assert_snapshot!(
        "schedule_duplicate",
        schedule(
            "pagerduty = \"PABC123\"\n[[on_call]]\nname = \"ops\"\nrole = \"on_call\"\npagerduty = \"PABC124\""
        )
    );
}

/// R14, R40: two people of a rota are never on call at once.
#[test]
fn a_rota_has_one_on_call_at_a_time() {
    let rota = "rota = { people = [\"bo\", \"chen\"], first = 2026-11-30, at = \"09:00\" }";
    let asks = "[levels.high]\ntier = \"approve\"\nrole = \"on_call\"\ncount = 2\n";
    assert_snapshot!(
        "rota_of_two_at_once",
        and(&format!("{asks}[[on_call]]\nname = \"ops\"\nrole = \"on_call\"\n{rota}"))
    );
}

/// R17: a role that only a group or a schedule gives is one that somebody has, and may be asked for.
#[test]
fn roles_that_are_given_outside_are_not_missing() {
    let policy = parse(
        &PEOPLE.replace("role = \"on_call\"\n\n[[people]]", "role = \"operator\"\ncount = 5\n\n[[people]]"),
    );
    assert_eq!(policy.warnings(), []);
    assert_eq!(
        policy.people().by_id(&PersonId::new("bo").unwrap()).unwrap().team.as_deref(),
        Some("platform")
    );
}

/// R17: people are told to ask who could answer now: not who is away, but who stands in for them, and whose turn it is.
#[test]
fn who_can_be_asked_now_is_named() {
    let text = GOOD.replace(
        "roles = [\"admin\"]\nslack = [\"T024BE7LD/U2CERLKJA\"]\n",
        "roles = [\"admin\"]\nslack = [\"T024BE7LD/U2CERLKJA\"]\naway = [{ from = 1970-01-01, until = 1970-01-02, stand_in = \"dana\" }]\n",
    );
    let more = "[[people]]\nid = \"dana\"\nname = \"Dana\"\nslack = [\"T024BE7LD/U2DANA000\"]\n[[people]]\nid = \"eve\"\nname = \"Eve\"\nslack = [\"T024BE7LD/U2EVE0000\"]\n[[on_call]]\nname = \"primary\"\nrole = \"oncall\"\nrota = { people = [\"eve\", \"chen\"], first = \"1970-01-01\", at = \"00:00\", every_days = 1 }\n";
    let policy = parse(&format!("{text}\n{more}"));
    let roles = |names: &[&str]| -> Vec<Role> { names.iter().map(|name| Role::new(name).unwrap()).collect() };
    let (now, tomorrow) = (noon().at, noon().at + crate::time::Ttl::from_mins(24 * 60));
    assert_eq!(policy.names_with_any(&roles(&["admin"]), now), ["Chen", "Dana"]);
    assert_eq!(policy.names_with_any(&roles(&["admin"]), tomorrow), ["Bo", "Chen"]);
    assert_eq!(policy.names_with_any(&roles(&["oncall"]), now), ["Eve"]);
    assert_eq!(policy.names_with_any(&roles(&["oncall"]), tomorrow), ["Chen"]);
}
