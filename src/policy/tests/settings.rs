//! What a level sets: every key, what is wrong with it, and what it comes to.

use insta::assert_snapshot;

use super::super::levels::LEVELS;
use super::super::settings::KEYS;
use super::*;

/// The good policy with one more level, which has these keys.
fn level(name: &str, keys: &str) -> String {
    let others = "[levels.low]\ntier = \"approve\"\n[levels.medium]\ntier = \"approve\"\n[levels.high]\n";
    let others = others.replace(&format!("[levels.{name}]\ntier = \"approve\"\n"), "");
    let others = others.replace(&format!("[levels.{name}]\n"), "");
    said(&reasoned(&format!("{GOOD}\n{others}[levels.{name}]\ntier = \"approve\"\n{keys}\n")))
}

/// With a reason at the rule for reads, as it takes where people are asked.
fn reasoned(text: &str) -> String {
    text.replacen("level = \"low\"", "level = \"low\"\nbecause = \"It tells much.\"", 1)
}

/// R16: everything about time, assurance and memory that a level can set.
#[test]
fn a_level_sets_who_is_asked_next_and_what_is_remembered() {
    let text = format!(
        r#"{GOOD}
[levels.low]
tier = "approve"
gather = "5m"
channel = "slack/C7"

[levels.medium]
tier = "approve"

[levels.high]
decide_within = "1h"
remind_after = ["10m", "20m"]
escalation = [
  {{ after = "15m", to = ["admin"] }},
  {{ after = "40m", to = ["admin"], channel = "slack/C9" }},
]
assurance = "signed"
may_edit = true
remember = "1h"
fixed = true
"#
    );
    let policy = parse(&reasoned(&text));
    assert_snapshot!(
        "settings_all",
        serde_json::to_string_pretty(&judge(&policy, None, "unknown").terms).unwrap()
    );
    let low = judge(&policy, None, "read_file").terms.unwrap();
    assert_eq!(low.gather, Some(crate::time::Ttl::from_mins(5)));
    assert_eq!((low.places[0].surface.as_str(), low.places[0].channel.as_str()), ("slack", "C7"));
    let [.., high, critical] = &policy.levels;
    assert_eq!((high.remember, high.fixed), (Some(crate::time::Ttl::from_mins(60)), true));
    assert_eq!((critical.remember, critical.fixed), (None, false), "absent means never");
}

/// R14, R16: what cannot hold is shown at the key that says it.
#[test]
fn settings_that_cannot_hold_are_shown_where_they_are() {
    assert_snapshot!(
        "escalation_out_of_order",
        level(
            "high",
            "escalation = [{ after = \"10m\", to = [\"admin\"] }, { after = \"5m\", to = [\"admin\"] }]"
        )
    );
    assert_snapshot!(
        "escalation_after_the_end",
        level("high", "decide_within = \"20m\"\nescalation = [{ after = \"20m\", to = [\"admin\"] }]")
    );
    assert_snapshot!("escalation_to_nobody", level("high", "escalation = [{ after = \"5m\", to = [] }]"));
    assert_snapshot!("escalation_never", level("high", "escalation = [{ to = [\"admin\"] }]"));
    assert_snapshot!(
        "escalation_unknown_role",
        level("high", "escalation = [{ after = \"5m\", to = [\"amdin\"] }]")
    );
    assert_snapshot!("reminder_out_of_order", level("high", "remind_after = [\"5m\", \"5m\", \"40m\"]"));
    assert_snapshot!("assurance_unknown", level("high", "assurance = \"e2ee-pined\""));
    assert_snapshot!("remember_too_long", level("high", "remember = \"30d\""));
    assert_snapshot!("remember_unasked", and("[levels.low]\ntier = \"auto\"\nremember = \"1h\""));
    assert_snapshot!("gather_too_bad", level("high", "gather = \"5m\""));
    assert_snapshot!("gather_too_long", level("medium", "gather = \"30m\""));
    assert_snapshot!("channel_without_surface", level("high", "channel = \"C024BE91L\""));
    assert_snapshot!("channel_beside_places", level("high", "channel = \"slack/C1\"\nplaces = []"));
}

/// R14: the list of keys is the one that is read, and is told to who writes another.
#[test]
fn every_key_of_the_list_is_read_and_no_other() {
    let said = and("[levels.high]\nzzzzzzzzzzzzzzz = 1");
    let (_, known) = said.split_once("known here: ").unwrap();
    let mut known: Vec<&str> = known.lines().next().unwrap().split(", ").collect();
    let mut keys: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    keys.sort_unstable();
    assert_eq!(known, keys);
    assert!(KEYS.iter().all(|(_, what)| !what.is_empty()));
    assert_eq!(LEVELS.map(|(name, _)| name), ["low", "medium", "high", "critical"]);
}

const RAISED: &str = r#"version = "r"

[levels.high]
role = "admin"
decide_within = "30m"
channel = "slack/CHIGH"
remember = "1h"

[levels.critical]
stages = [[{ role = "admin" }], [{ role = "admin" }]]
decide_within = "1h"
valid_for = "15m"
alarm_after = "20m"
remind_after = ["15m", "30m"]
escalation = [{ after = "20m", to = ["admin"] }]
reason_required = { yes = true, no = true }
remember = "30m"
may_edit = true
channel = "slack/CCRITICAL"

[[rule]]
name = "writes"
tools = ["write"]
level = "high"
because = "It writes."
OWN

[[raise]]
name = "frozen"
tools = ["write"]
to = "critical"
because = "Nothing is changed now."

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
credentials = ["bo"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin"]
credentials = ["chen"]

[[people]]
id = "dana"
name = "Dana"
roles = ["admin"]
credentials = ["dana"]
"#;

/// The verdict of a raised call of a rule with these keys, as far as it says what approval takes.
fn raised(own: &str) -> serde_json::Map<String, serde_json::Value> {
    let policy = parse(&RAISED.replace("OWN", own));
    let mut proposal = proposal(None, "write");
    proposal.session = Some(crate::id::SessionId::new("s").unwrap());
    let verdict = policy.judge(&proposal, &Circumstances::at(crate::time::Timestamp::from_secs(0)));
    assert_eq!(verdict.level, Level::Critical);
    let mut terms = serde_json::to_value(verdict.terms.unwrap()).unwrap();
    terms["remember"] = serde_json::json!(verdict.remember.map(|offer| offer.within));
    terms.as_object().unwrap().clone()
}

/// R16: what a rule sets changes that key and no other, also where the call is raised: all else is the new level's. And it
/// never asks less than the new level does.
#[test]
fn a_key_of_a_rule_changes_that_key_alone_also_when_raised() {
    let plain = raised("");
    let channel = |terms: &serde_json::Map<String, serde_json::Value>| terms["places"][0]["channel"].clone();
    assert_eq!(channel(&plain), "CCRITICAL");
    for (own, changes) in [
        ("valid_for = \"9m\"", &["valid_for"][..]),
        ("channel = \"slack/COWN\"", &["places"]),
        ("decide_within = \"50m\"", &["decide_within"]),
        ("alarm_after = \"10m\"", &["alarm_after"]),
        ("remind_after = [\"5m\"]", &["remind_after"]),
        ("assurance = \"e2ee-tofu\"", &["assurance"]),
        ("assurance_for_no = \"signed\"", &["assurance_for_no"]),
        ("stages = [[{ role = \"admin\", count = 3 }]]", &["stages"]),
        ("remember = \"10m\"", &["remember"]),
        ("may_edit = false", &["may_edit"]),
        ("confidential = true", &["confidential"]),
        ("tell_directly = true", &["tell_directly"]),
        // What asks less than the new level does changes nothing there.
        ("valid_for = \"20m\"", &[]),
        ("assurance = \"server-asserted\"", &[]),
        ("decide_within = \"2h\"", &[]),
        ("role = \"admin\"", &[]),
        ("reason_required = { yes = false }", &[]),
        ("requester_may_approve = true", &[]),
        ("partial_view_may_approve = true", &[]),
        ("remember = \"1h\"", &[]),
        ("denials_to_reject = 2", &[]),
    ] {
        let own_terms = raised(own);
        // A default is not written: so a key can stand on one side only.
        let keys: std::collections::BTreeSet<&String> = plain.keys().chain(own_terms.keys()).collect();
        let differ = keys.into_iter().filter(|key| plain.get(*key) != own_terms.get(*key));
        let differ: Vec<&str> = differ.map(String::as_str).collect();
        assert_eq!(differ, changes, "{own}: {own_terms:?}");
    }
    assert_eq!(channel(&raised("channel = \"slack/COWN\"")), "COWN");
}
