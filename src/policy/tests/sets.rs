//! Everything that a policy can set, in a table that reads like the policy itself.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::levels::LEVELS;
use super::fields::{PEOPLE, lines};
use super::proposal_of;
use crate::id::{SessionId, TenantId};
use crate::policy::{Circumstances, FieldPlace, Policy, PolicyFile};
use crate::time::Timestamp;

/// When the call is made: a Thursday at midnight, UTC.
const AT: Timestamp = Timestamp::from_secs(0);

/// R16: what a policy can set. Each line is about its first key, and says what is found at a place of what the policy
/// says; and whether that is so because of this key.
#[test]
fn what_can_be_set() {
    let mut wrong = Vec::new();
    for columns in lines(include_str!("sets.table")) {
        let [place, keys, matters, pointer, expected] = columns.as_slice() else { panic!("{columns:?}") };
        let keys: Vec<&str> = keys.split("; ").collect();
        let at = |keys: &[&str]| said(place, keys).pointer(pointer).cloned().unwrap_or_default();
        let (got, without) = (at(&keys), at(&keys[1..]));
        let expected: Value =
            serde_json::from_str(expected).unwrap_or_else(|error| panic!("{columns:?}: {error}"));
        let does = if got == without { "no" } else { "yes" };
        if got != expected || does != *matters {
            let refused = said(place, &keys)["refused"].clone();
            wrong.push(format!("{columns:?}: {got}, without it {without}; refused: {refused}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The places of the table in which a field of this kind stands; none for what conditions look at.
pub(super) fn places(place: FieldPlace) -> &'static [&'static str] {
    match place {
        FieldPlace::When | FieldPlace::WhenStrict => &[],
        FieldPlace::AnyRule => &["forbid", "rule", "raise"],
        FieldPlace::Rule | FieldPlace::Setting => &["rule"],
        FieldPlace::Raise => &["raise", "own raise"],
        FieldPlace::Group => &["group"],
        FieldPlace::Step => &["step"],
        FieldPlace::Reasons => &["reasons"],
        FieldPlace::Place => &["place"],
        FieldPlace::Tool => &["tools.pay", "tools.refund"],
        FieldPlace::Policy | FieldPlace::Table => &["policy"],
        FieldPlace::Default => &["default"],
        FieldPlace::Levels => &["levels"],
        FieldPlace::Calendar => &["calendar"],
        FieldPlace::Holiday => &["holiday"],
        FieldPlace::Freeze => &["freeze"],
        FieldPlace::Fatigue => &["fatigue"],
        FieldPlace::Change => &["change"],
        FieldPlace::Digest => &["digest"],
        FieldPlace::Shadow => &["shadow"],
        FieldPlace::Roles => &["roles"],
        FieldPlace::Person => &["person"],
        FieldPlace::Absence => &["absence"],
        FieldPlace::KnownGroup => &["groups"],
        FieldPlace::OnCall => &["on_call"],
        FieldPlace::Rota => &["rota"],
    }
}

/// Keys without which a table is none, where a line does not say them.
fn needed(place: &str) -> &'static [(&'static str, &'static str)] {
    match place {
        "forbid" => &[("name", "'it'"), ("tools", "['pay']"), ("because", "'So.'")],
        "rule" => &[("name", "'it'"), ("tools", "['pay']"), ("because", "'So.'"), ("level", "'high'")],
        "raise" | "own raise" => {
            &[("name", "'it'"), ("tools", "['pay']"), ("because", "'So.'"), ("to", "'medium'")]
        }
        "group" => &[("role", "'admin'")],
        "step" => &[("after", "'10m'"), ("to", "['operator']")],
        "place" => &[("surface", "'slack'"), ("channel", "'C1'")],
        "policy" => &[("version", "'table'")],
        "holiday" => &[("date", "1970-01-02")],
        "freeze" => &[
            ("name", "'still'"),
            ("from", "1970-01-01"),
            ("until", "1970-01-03"),
            ("tools", "['pay']"),
            ("because", "'So.'"),
        ],
        "change" => &[("role", "'admin'")],
        "digest" => &[("at", "'09:00'"), ("channel", "'slack/C1'")],
        "shadow" => &[("tools", "['refund']")],
        "person" => &[("id", "'eve'"), ("name", "'Eve'")],
        "absence" => &[("from", "1970-01-01"), ("until", "1970-01-03")],
        "groups" => &[("slack", "'T024BE7LD/S0614TZR7'"), ("roles", "['admin']")],
        "on_call" => &[("name", "'primary'"), ("role", "'oncall'"), ("pagerduty", "'PABC123'")],
        "rota" => &[("people", "['bo', 'chen']"), ("first", "1970-01-01"), ("at", "'00:00'")],
        _ => &[],
    }
}

/// Keys of which a line says another, so that these need not be there.
const INSTEAD: [(&str, &str); 5] = [
    ("to", "by"),
    ("slack", "matrix_room"),
    ("pagerduty", "rota"),
    ("pagerduty", "calendar"),
    ("channel", "places"),
];

/// These keys, and those that are needed beside them.
fn complete(place: &str, keys: &[&str]) -> Vec<String> {
    let has = |name: &str| keys.iter().any(|key| key.starts_with(&format!("{name} =")));
    let replaced =
        |name: &str| INSTEAD.iter().any(|(key, other)| *key == name && place != "step" && has(other));
    let needed = needed(place).iter().filter(|(name, _)| !has(name) && !replaced(name));
    let needed = needed.map(|(name, value)| format!("{name} = {value}"));
    keys.iter().map(ToString::to_string).chain(needed).collect()
}

/// A policy with these keys, and with what is around them.
fn document(place: &str, keys: &[&str]) -> String {
    let has = |name: &str| keys.iter().any(|key| key.starts_with(&format!("{name} =")));
    let all = complete(place, keys);
    let (lines, inline) = (all.join("\n"), all.join(", "));
    let rule = "[[rule]]\nname = 'it'\ntools = ['pay']\nbecause = 'So.'\nlevel = 'high'\n";
    let own = match place {
        "policy" | "own raise" => String::new(),
        "rule" | "forbid" | "raise" | "groups" | "on_call" => format!("[[{place}]]\n{lines}"),
        "group" => format!("{rule}stages = [[{{ {inline} }}]]"),
        "step" => format!("{rule}escalation = [{{ {inline} }}]"),
        "reasons" => format!("{rule}reason_required = {{ {inline} }}"),
        "place" => format!("{rule}places = [{{ {inline} }}]"),
        "holiday" => format!("[[calendar.holidays]]\n{lines}"),
        "freeze" => format!("[[calendar.freeze]]\n{lines}"),
        "person" => format!("[[people]]\n{lines}"),
        "absence" => format!("[[people]]\nid = 'eve'\nname = 'Eve'\n[[people.away]]\n{lines}"),
        "rota" => format!("[[on_call]]\nname = 'primary'\nrole = 'oncall'\n[on_call.rota]\n{lines}"),
        table => format!("[{table}]\n{lines}"),
    };
    let top = if place == "policy" { &lines } else { "version = 'table'" };
    let remembers = "[levels.critical]\nremember = '1h'\n[[raise]]\nname = 'up'\ntools = ['*']\nto = 'critical'\nbecause = 'So.'\n";
    let more = if place.starts_with("tools.") { remembers } else { "" };
    // What the line says itself does not stand there twice.
    let (roles, people) = PEOPLE.split_once("\n\n").unwrap();
    let roles = if place == "roles" || has("roles") && place == "policy" { "" } else { roles };
    let people = if has("people") && place == "policy" { "" } else { people };
    format!("{top}\n{own}\n{more}{roles}\n{people}")
}

/// What such a policy says: its verdict on one call, and everything else that is in it; or why it is refused.
fn said(place: &str, keys: &[&str]) -> Value {
    let text = document(place, keys);
    let policy = match Policy::parse(&text, "table.toml") {
        Ok(policy) => policy,
        Err(errors) => {
            let first = errors.diagnostics.first().map(|found| found.message.clone());
            return json!({ "refused": first });
        }
    };
    let mut proposal =
        proposal_of("pay", r#"{"amount": 7, "lines": [1, 2.5], "path": "notes/a.txt", "to": "ana"}"#);
    proposal.session = Some(SessionId::new("s-1").unwrap());
    let verdict = policy.judge(&proposal, &Circumstances::at(AT));
    let mut said = serde_json::to_value(verdict).unwrap();
    let moment = policy.calendar.moment(AT);
    let (fatigue, people) = (policy.fatigue(), policy.people());
    let more = json!({
        "moment": {
            "hour": moment.hour,
            "night": moment.night,
            "weekend": moment.weekend,
            "holiday": moment.holiday,
            "freeze": policy.frozen(&proposal, None, AT),
        },
        "levels": LEVELS.map(|(name, level)| (name, policy.level(level).tier)).into_iter().collect::<BTreeMap<_, _>>(),
        "fatigue": {
            "cards_per_run": fatigue.cards_per_run,
            "cards_per_hour": fatigue.cards_per_hour,
            "denied_again_within": fatigue.denied_again_within,
            "share_identical": fatigue.share_identical,
        },
        "change": policy.change().map(|change| json!({ "role": change.role, "count": change.count })),
        "digest": policy.digest_plan().map(|plan| json!({ "at": plan.at(), "places": plan.places() })),
        "stewards": policy.stewards(),
        "break_glass": policy.glass_breakers(),
        "auditors": policy.auditors(),
        "people": people.all(),
        "groups": people.groups(),
        "schedules": people.schedules(),
        "tenant": for_a_tenant((place, keys), text, &proposal),
    });
    let (Value::Object(said_fields), Value::Object(more)) = (&mut said, more) else { panic!("no tables") };
    said_fields.extend(more);
    said
}

/// What becomes of the call where a tenant's own file says less than the installation's: the tier, or that this file is
/// refused.
fn for_a_tenant((place, keys): (&str, &[&str]), text: String, proposal: &crate::approval::Proposal) -> Value {
    let raise = format!("shadow = true\n[[raise]]\n{}\n", complete(place, keys).join("\n"));
    let less = match place {
        "own raise" => raise.as_str(),
        "rule" => "[[rule]]\nname = 'less'\ntools = ['pay']\nlevel = 'low'\n",
        "default" => "[default]\nlevel = 'low'\n",
        "tools.pay" => "[tools.pay]\nreversible = true\n",
        _ => "shadow = true\n",
    };
    let file = |text: String| PolicyFile { name: "table.toml".to_owned(), text };
    let own = file(format!("version = 'own'\n{less}"));
    match Policy::parse_tenant(&file(text), &TenantId::new("acme").unwrap(), &own) {
        Ok(policy) => json!(policy.judge(proposal, &Circumstances::at(AT)).tier),
        Err(_) => json!("refused"),
    }
}
