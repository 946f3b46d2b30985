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
    let mut keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    known.sort_unstable();
    keys.sort_unstable();
    assert_eq!(known, keys);
    assert!(KEYS.iter().all(|key| !key.what.is_empty()));
    assert_eq!(LEVELS.map(|(name, _)| name), ["low", "medium", "high", "critical"]);
}
