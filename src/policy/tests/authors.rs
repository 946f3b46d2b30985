//! What policy authors ask: tables of expected verdicts, and explanations.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;
use crate::time::Timestamp;

pub(super) const TEAM: &str = r#"version = "team-1"

[levels.critical]
tier = "approve"
stages = [[{ role = "admin", count = 1 }]]
decide_within = "1h"

[calendar]
zone = "Europe/Berlin"
night = "22:00-06:00"

[[forbid]]
name = "never drop"
tools = ["drop_*"]
because = "Tables are dropped by migrations only."

[[rule]]
name = "reads"
tools = ["read_*"]
level = "low"

[[rule]]
name = "small payments"
tools = ["pay"]
when = "args.amount < 100"
level = "low"

[[rule]]
name = "payments"
tools = ["pay"]
level = "critical"
because = "Money does not come back by itself."

[[raise]]
name = "at night"
tools = ["read_*"]
when = "time.night"
to = "critical"
because = "Nobody reads at night."

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
slack = ["T024BE7LD/U2CERLKJA"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin"]
slack = ["T024BE7LD/U2CHEN000"]
away = [{ from = 2026-12-01, until = 2026-12-05, stand_in = "dana" }]

[[people]]
id = "dana"
name = "Dana"
roles = ["dev"]
slack = ["T024BE7LD/U2DANA001"]

[roles]
stewards = ["admin"]
"#;

pub(super) fn set(text: &str) -> PolicySet {
    PolicySet::alone(parse(text))
}

/// What comes of a table: mistakes, or what is not as expected.
fn ran(table: &str) -> String {
    let results = match CaseTable::parse(table, "table.toml") {
        Ok(table) => table.run(&set(TEAM)),
        Err(errors) => return errors.to_string(),
    };
    match results {
        Ok(results) => results
            .iter()
            .map(|result| {
                let differences: Vec<_> = result.differences.iter().map(ToString::to_string).collect();
                format!("{} (line {}): {}\n", result.name, result.line, differences.join("; "))
            })
            .collect(),
        Err(errors) => errors.to_string(),
    }
}

/// R20: a table holds calls and what is expected of them; what differs is said by name.
#[test]
fn a_table_says_what_is_not_as_expected() {
    let table = r#"
[defaults]
at = 2026-11-30T12:00:00+01:00
agent = "assistant"

[[case]]
name = "reading by day"
tool = "read_file"
expect = { tier = "auto", level = "low", rules = ["reads"], stages = "none" }

[[case]]
name = "reading by night"
tool = "read_file"
at = 2026-11-30T23:00:00+01:00
expect = { tier = "approve", level = "critical", rules = ["at night", "reads"], stages = "1 admin", decide_within = "1h" }

[[case]]
name = "a payment"
tool = "pay"
args = { amount = 100 }
expect = { tier = "auto", stages = "2 admin", rules = ["small payments"] }
"#;
    assert_snapshot!("table", ran(table));
}

/// R20: a mistake in a table is shown where it is, and nothing of it counts.
#[test]
fn mistakes_in_a_table_are_shown_where_they_are() {
    let case = |body: &str| ran(&format!("[[case]]\nname = \"x\"\n{body}\n"));
    assert_snapshot!("table_empty", ran("policy = \"p.toml\"\n"));
    assert_snapshot!("table_not_toml", ran("[[case\n"));
    assert_snapshot!("table_field", case("tol = \"read_file\"\nexpect = { tier = \"auto\" }"));
    assert_snapshot!("table_expect", case("tool = \"read_file\"\nexpect = { teir = \"auto\" }"));
    assert_snapshot!("table_nothing_expected", case("tool = \"read_file\"\nexpect = {}"));
    assert_snapshot!(
        "table_person",
        case("tool = \"read_file\"\nas = \"chan\"\nexpect = { tier = \"auto\" }")
    );
    assert_snapshot!(
        "table_time",
        case("tool = \"read_file\"\nat = 2026-11-30T12:00:00\nexpect = { tier = \"auto\" }")
    );
    assert_snapshot!("table_word", case("tool = \"read_file\"\nexpect = { tier = \"aut\", level = 3 }"));
    assert_snapshot!("table_expect_misspelt", case("tool = \"read_file\"\nexpcet = { tier = \"auto\" }"));
    assert_snapshot!("table_no_tool", case("expect = { tier = \"auto\" }"));
    assert_snapshot!(
        "table_recent",
        case("tool = \"x\"\nrecent = { cals = 1 }\nexpect = { tier = \"auto\" }")
    );
}

fn explained(call: &Value) -> String {
    let policies = set(TEAM);
    let supposed =
        suppose(call.as_object().unwrap(), &policies, Timestamp::from_secs(1_796_040_000)).unwrap();
    let explanation = policies.of(&supposed.tenant).explain(&supposed.proposal, &supposed.circumstances);
    serde_json::to_string_pretty(&json!({
        "tier": explanation.verdict.tier,
        "rules": explanation.rules,
        "voters": explanation.voters,
        "notes": explanation.notes,
    }))
    .unwrap()
}

/// R20: an explanation names every rule about the tool, what became of it, and who could approve then.
#[test]
fn an_explanation_says_why_and_why_not() {
    let pay = json!({"tool": "pay", "args": {"amount": 5000}, "as": "bo", "at": "2026-11-30T12:00:00Z"});
    assert_snapshot!("explain_payment", explained(&pay));
    let away = json!({"tool": "pay", "args": {"amount": 5000}, "as": "bo", "at": "2026-12-02T12:00:00Z"});
    assert!(
        explained(&away).contains("\"dana\""),
        "R17: who stands in is among those who could: {}",
        explained(&away)
    );
    let unsure = json!({"tool": "pay", "args": {"amount": "9e9"}});
    assert_snapshot!("explain_unsure", explained(&unsure));
    assert_snapshot!("explain_forbidden", explained(&json!({"tool": "drop_table"})));
    assert_snapshot!("explain_default", explained(&json!({"tool": "merge"})));
}

/// R20: the table beside the example runs over it, and everything is as expected.
#[test]
fn the_example_says_what_its_table_expects() {
    let table = CaseTable::parse(include_str!("../../../config/policy.tests.toml"), "policy.tests.toml");
    let table = table.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(table.policy.as_deref(), Some("policy.example.toml"));
    let results = table.run(&set(include_str!("../../../config/policy.example.toml")));
    let results = results.unwrap_or_else(|errors| panic!("{errors}"));
    let wrong: Vec<_> = results.iter().filter(|result| !result.differences.is_empty()).collect();
    assert!(wrong.is_empty() && !table.is_empty() && results.len() == table.len(), "{wrong:#?}");
}
