//! What policy authors ask: tables of expected verdicts, explanations, and the past judged again.

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;
use crate::id::{RequestId, ShortCode, TenantId};
use crate::policy::RuleKind;
use crate::record::{Event, EventKind};
use crate::time::{Timestamp, Ttl};

const TEAM: &str = r#"version = "team-1"

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

fn set(text: &str) -> PolicySet {
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

/// A recorded past: each call at its time, judged by a policy whose text is on record.
struct Recorder {
    policy: Arc<Policy>,
    events: Vec<Event>,
}

const NOON: i64 = 1_796_040_000_000;

impl Recorder {
    fn new(text: &str) -> Self {
        let policy = Arc::new(parse(text));
        let loaded = EventKind::PolicyLoaded {
            label: policy.version().label.clone(),
            digest: policy.version().digest,
            tenant_text: None,
            text: policy.text().to_owned(),
            by: None,
            changes: Vec::new(),
        };
        let event = Event {
            tenant: acme(),
            request: None,
            at: Timestamp::from_millis(NOON - 86_400_000 * 40),
            kind: loaded,
        };
        Self { policy, events: vec![event] }
    }

    /// A call so many minutes after noon of the first day, with a card if people are asked.
    fn call(&mut self, minutes: u64, call: &Value) -> &mut Self {
        let at = Timestamp::from_millis(NOON) + Ttl::from_mins(minutes);
        let policies = PolicySet::alone(self.policy.as_ref().clone());
        let supposed = suppose(call.as_object().unwrap(), &policies, at).unwrap();
        let verdict = self.policy.judge(&supposed.proposal, &supposed.circumstances);
        let number = u8::try_from(self.events.len()).unwrap();
        let request = RequestId::from_bytes([number; 16]);
        let proposed = EventKind::Proposed {
            code: ShortCode::of(request, 0),
            digest: supposed.proposal.call.digest(&acme()),
            args_hash: supposed.proposal.call.args_hash(),
            proposal: Arc::new(supposed.proposal),
        };
        let is_asked = verdict.tier == Tier::Approve;
        let mut add = |kind| self.events.push(Event { tenant: acme(), request: Some(request), at, kind });
        add(proposed);
        add(EventKind::Checked { verdict: Arc::new(verdict), claim_until: None });
        if is_asked {
            add(EventKind::Requested { until: at + Ttl::from_mins(30), alarm_at: at + Ttl::from_mins(15) });
        }
        self
    }

    fn past(&self) -> Past {
        Past::of(&self.events, Timestamp::from_millis(NOON))
    }
}

fn acme() -> TenantId {
    TenantId::new("acme").unwrap()
}

/// A day with reads and payments, by day and by night.
fn a_day() -> Recorder {
    let mut recorder = Recorder::new(TEAM);
    recorder
        .call(0, &json!({"tool": "read_file"}))
        .call(1, &json!({"tool": "pay", "args": {"amount": 5}}))
        .call(2, &json!({"tool": "pay", "args": {"amount": "9e9"}}))
        .call(60 * 11, &json!({"tool": "read_file"}))
        .call(60 * 24, &json!({"tool": "pay", "args": {"amount": 7000}, "as": "bo"}))
        .call(60 * 24 + 1, &json!({"tool": "drop_table"}));
    recorder
}

fn two_days(past: &Past, policy: &str) -> Replay {
    let since = Timestamp::from_millis(NOON);
    past.under(&set(policy), since, since + Ttl::from_mins(60 * 48))
}

/// R20: the record alone gives every old verdict again, and says so where it does not.
#[test]
fn the_past_comes_out_again_by_its_own_policy() {
    let recorder = a_day();
    assert_eq!(recorder.past().unrepeated(), []);
    assert_eq!(two_days(&recorder.past(), TEAM).changes, [], "nothing changes by the same policy");
    let mut forged = a_day();
    for event in &mut forged.events {
        if let EventKind::Checked { verdict, .. } = &mut event.kind
            && verdict.rules[0].kind == RuleKind::Forbid
        {
            *verdict = Arc::new(Verdict { tier: Tier::Auto, ..verdict.as_ref().clone() });
        }
    }
    let found = forged.past().unrepeated();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].differences[0].to_string(), "tier: auto → forbid");
    let mut lost = a_day();
    lost.events.remove(0);
    assert!(
        lost.past().unrepeated().iter().all(|found| found.why.as_deref().unwrap().contains("not on record"))
    );
}

/// R20, R38: what would have changed: verdicts, cards per person and day, at night, and those nobody could answer.
#[test]
fn another_policy_is_replayed_over_the_past() {
    let past = a_day().past();
    let laxer = TEAM.replace("args.amount < 100", "args.amount < 10000");
    assert_snapshot!("replay_laxer", serde_json::to_string_pretty(&two_days(&past, &laxer)).unwrap());
    let stricter = TEAM.replacen("level = \"low\"", "level = \"critical\"\nbecause = \"So.\"", 1);
    let replay = two_days(&past, &stricter);
    let tiers: Vec<_> = replay.changes.iter().map(|change| change.tier).collect();
    assert_eq!(tiers, [(Tier::Auto, Tier::Approve)], "at night people were asked already");
    assert_eq!((replay.before.cards, replay.after.cards), (3, 4));
    assert_eq!(replay.after.at_night, 1, "23:00 UTC is midnight in Berlin");
    let alone = TEAM.replace("stand_in = \"dana\"", "stand_in = \"bo\"");
    let replay = two_days(&past, &alone);
    assert_eq!(
        (replay.before.unanswerable, replay.after.unanswerable),
        (0, 1),
        "on the second day Chen is away, and Bo cannot answer what Bo asks for"
    );
}

/// R45: what would have been asked while the policy only looked on.
#[test]
fn shadow_mode_reports_what_it_would_have_asked() {
    let mut recorder = Recorder::new(&format!("shadow = true\n{TEAM}"));
    recorder
        .call(0, &json!({"tool": "read_file"}))
        .call(1, &json!({"tool": "pay", "args": {"amount": 7000}}))
        .call(2, &json!({"tool": "pay", "args": {"amount": 8000}}))
        .call(3, &json!({"tool": "merge"}));
    let since = Timestamp::from_millis(NOON);
    let report = recorder.past().looked_on(since, since + Ttl::from_mins(60));
    assert_eq!((report.calls, report.cards.cards), (3, 3), "what runs anyway is not looked on at");
    assert_eq!(report.tools, [("pay".to_owned(), 2), ("merge".to_owned(), 1)]);
    assert_eq!(report.rules, [("payments".to_owned(), 2), ("default".to_owned(), 1)]);
    assert_eq!(
        report.cards.people.iter().map(|load| (load.name.as_str(), load.cards)).collect::<Vec<_>>(),
        [("Bo", 3), ("Chen", 3)]
    );
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
