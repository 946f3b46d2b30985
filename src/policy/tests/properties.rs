//! What holds of every policy and every call: random ones of both, with arguments of every hostile type.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::proposal_of;
use crate::approval::Proposal;
use crate::id::SessionId;
use crate::policy::{Circumstances, Level, Policy, Tier, Verdict};
use crate::time::Timestamp;

const LEVELS: [&str; 4] = ["low", "medium", "high", "critical"];
const TOOLS: [&str; 5] = ["pay", "pay_all", "p*", "*", "{mail,pay}*"];
/// Conditions that hold, do not, and err, by what a call brings.
const CONDITIONS: [&str; 18] = [
    "args.amount > 100",
    "!(args.amount > 100)",
    "amount > 100",
    "amount != null && amount > 100",
    "count >= 2",
    "args.amount / args.parts > 3",
    "0.0 / 0.0 > double(args.parts)",
    "int(args.amount) > 100",
    "args.to.exists(to, !to.endsWith('@example.org'))",
    "args.?to.orValue([]).size() > 1",
    "args.note.matches('^[a-z]+$')",
    "sum(args.to) > 5",
    "time.hour >= 12 || args.amount > 100",
    "args.amount == 7 && args.note == 'a'",
    "args.note != 'a'",
    "args.amount in [7, 101]",
    "'a@example.org' in args.to",
    "double(args.parts) / double(args.parts) == 1.0",
];

#[derive(Debug, Clone)]
struct RuleSpec {
    tools: usize,
    when: usize,
    level: usize,
    /// What it sets of its own.
    own: Option<u32>,
}

#[derive(Debug, Clone)]
struct Spec {
    /// From which level on people are asked.
    asked_from: usize,
    /// How many must say yes at each level.
    counts: [u32; 4],
    default: usize,
    forbids: Vec<RuleSpec>,
    rules: Vec<RuleSpec>,
    raises: Vec<RuleSpec>,
    shadow: bool,
}

impl Spec {
    fn text(&self) -> String {
        let mut text = String::from("version = \"1\"\n");
        if self.shadow {
            text.push_str("shadow = true\n");
        }
        for (place, level) in LEVELS.iter().enumerate() {
            let _ = if place < self.asked_from {
                writeln!(text, "[levels.{level}]\ntier = \"auto\"")
            } else {
                writeln!(
                    text,
                    "[levels.{level}]\ntier = \"approve\"\nrole = \"admin\"\ncount = {}\nremember = \"1h\"",
                    self.counts[place]
                )
            };
        }
        let _ = writeln!(text, "[default]\nlevel = \"{}\"", LEVELS[self.default]);
        text.push_str("[tools.\"pay*\"]\namount = 'args.amount'\ncount = 'size(args.to)'\n");
        let common = |rule: &RuleSpec, name: String| {
            // Each condition is one of its own: a rule after another with the same one is refused.
            format!(
                "name = \"{name}\"\ntools = [\"{}\"]\nwhen = ''''{name}' != '' && ({})'''\nbecause = \"So.\"\n",
                TOOLS[rule.tools], CONDITIONS[rule.when]
            )
        };
        for (place, rule) in self.forbids.iter().enumerate() {
            let _ = writeln!(text, "[[forbid]]\n{}", common(rule, format!("forbid-{place}")));
        }
        for (place, rule) in self.rules.iter().enumerate() {
            let _ = writeln!(
                text,
                "[[rule]]\n{}level = \"{}\"",
                common(rule, format!("rule-{place}")),
                LEVELS[rule.level]
            );
            if let Some(count) = rule.own {
                let _ = writeln!(
                    text,
                    "tier = \"approve\"\nstages = [[{{ role = \"admin\", count = {count} }}]]"
                );
            }
        }
        for (place, rule) in self.raises.iter().enumerate() {
            let says = if rule.level == 0 {
                "by = 1".to_owned()
            } else {
                format!("to = \"{}\"", LEVELS[rule.level])
            };
            let _ = writeln!(text, "[[raise]]\n{}{says}", common(rule, format!("raise-{place}")));
        }
        for person in 0..12 {
            let _ = writeln!(
                text,
                "[[people]]\nid = \"p{person}\"\nname = \"P\"\nroles = [\"admin\"]\ncredentials = [\"c{person}\"]"
            );
        }
        text
    }

    fn policy(&self) -> Policy {
        Policy::parse(&self.text(), "p.toml").unwrap_or_else(|errors| panic!("{errors}"))
    }
}

fn rule() -> impl Strategy<Value = RuleSpec> {
    (0..TOOLS.len(), 0..CONDITIONS.len(), 0..LEVELS.len(), proptest::option::weighted(0.3, 1_u32..6))
        .prop_map(|(tools, when, level, own)| RuleSpec { tools, when, level, own })
}

fn spec() -> impl Strategy<Value = Spec> {
    let rules = |most| prop::collection::vec(rule(), 0..most);
    (0..4_usize, [1_u32..3, 1..3, 1..3, 1..3], 0..4_usize, rules(2), rules(5), rules(4)).prop_map(
        |(asked_from, more, default, forbids, rules, raises)| {
            let mut counts = more;
            for place in 1..4 {
                counts[place] += counts[place - 1];
            }
            Spec { asked_from, counts, default, forbids, rules, raises, shadow: false }
        },
    )
}

/// A value of any type.
fn hostile() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        Just(None),
        Just(Some(Value::Null)),
        any::<bool>().prop_map(|truth| Some(json!(truth))),
        prop_oneof![Just(0_i64), Just(7), Just(101), Just(-5), Just(9_007_199_254_740_991)]
            .prop_map(|number| Some(json!(number))),
        prop_oneof![Just(0.5), Just(4_503_599_627_370_495.5), Just(-1e-300), Just(100.01)]
            .prop_map(|number| Some(json!(number))),
        prop_oneof![Just("9e9"), Just("a"), Just(""), Just("NaN"), Just("1e400")]
            .prop_map(|text| Some(json!(text))),
        prop_oneof![
            Just(json!([])),
            Just(json!(["a@example.org", "b@example.com"])),
            Just(json!([1, 7])),
            Just(json!([null, "9e9", [1]])),
            Just(json!({})),
            Just(json!({"a": 7})),
        ]
        .prop_map(Some),
    ]
}

fn call() -> impl Strategy<Value = Proposal> {
    let tool = prop_oneof![Just("pay"), Just("pay_all"), Just("mail"), Just("other")];
    (tool, hostile(), hostile(), hostile(), hostile()).prop_map(|(tool, amount, parts, to, note)| {
        let named = [("amount", amount), ("parts", parts), ("to", to), ("note", note)];
        let args: serde_json::Map<String, Value> =
            named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let mut proposal = proposal_of(tool, &Value::Object(args).to_string());
        proposal.session = Some(SessionId::new("s-1").unwrap());
        proposal
    })
}

fn judge(policy: &Policy, proposal: &Proposal) -> Verdict {
    policy.judge(proposal, &Circumstances::at(Timestamp::from_secs(43_200)))
}

/// How many people must say yes.
fn seats(verdict: &Verdict) -> u32 {
    let stages = verdict.terms.iter().flat_map(|terms| &terms.stages);
    stages.flat_map(|stage| &stage.groups).map(|group| group.count).sum()
}

/// Everything by which one verdict can be lower than another.
fn is_lower(verdict: &Verdict, than: &Verdict) -> bool {
    let asks = verdict.tier == Tier::Approve && than.tier == Tier::Approve;
    (verdict.tier, verdict.level) < (than.tier, than.level)
        || verdict.tier < than.tier
        || verdict.level < than.level
        || (asks && seats(verdict) < seats(than))
        || (than.always_ask && !verdict.always_ask)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// R1: what forbids never yields to anything: no rule, no raise, no level, no looking on.
    #[test]
    fn forbid_never_yields(spec in spec(), more in rule(), proposal in call(), shadow: bool) {
        let mut spec = Spec { shadow, ..spec };
        let before = judge(&spec.policy(), &proposal);
        spec.forbids.push(RuleSpec { tools: 3, when: 13, ..more });
        let text = spec.text().replace("args.amount == 7 && args.note == 'a'", "true");
        let policy = Policy::parse(&text, "p.toml").unwrap();
        let verdict = judge(&policy, &proposal);
        prop_assert_eq!(verdict.tier, Tier::Forbid);
        prop_assert_eq!(verdict.terms, None);
        let now = Circumstances::at(Timestamp::from_secs(0));
        prop_assert!(policy.forbids(&proposal, &now).is_some());
        prop_assert!(before.tier != Tier::Forbid || before.rules.iter().all(|hit| hit.rule.starts_with("forbid")));
    }

    /// Adding a raise never lowers a verdict.
    #[test]
    fn a_raise_never_lowers(spec in spec(), more in rule(), at in 0..5_usize, proposal in call()) {
        let before = judge(&spec.policy(), &proposal);
        let mut spec = spec;
        spec.raises.insert(at.min(spec.raises.len()), more);
        let after = judge(&spec.policy(), &proposal);
        prop_assert!(!is_lower(&after, &before), "{:?}\n{:?}", before, after);
    }

    /// R16: a raised call is never asked about less than its level asks, whatever its rule sets of its own.
    #[test]
    fn a_raised_call_takes_what_its_level_asks(spec in spec(), proposal in call()) {
        let policy = spec.policy();
        let verdict = judge(&policy, &proposal);
        let is_raised = verdict.rules.iter().any(|hit| hit.rule.starts_with("raise"));
        let is_above = spec.rules.iter().all(|rule| LEVELS[rule.level] != verdict.level.to_string());
        if is_raised && is_above && verdict.tier != Tier::Forbid {
            let place = LEVELS.iter().position(|level| *level == verdict.level.to_string()).unwrap();
            if place >= spec.asked_from {
                prop_assert_eq!(verdict.tier, Tier::Approve);
                prop_assert!(seats(&verdict) >= spec.counts[place], "{:?}", verdict);
            }
        }
    }

    /// R16: adding an approval requirement never lets a call through sooner: not at a level, not in a rule.
    #[test]
    fn asking_more_never_asks_less(spec in spec(), level in 0..4_usize, rule in 0..5_usize, proposal in call()) {
        let before = judge(&spec.policy(), &proposal);
        let mut at_level = spec.clone();
        at_level.asked_from = at_level.asked_from.min(level);
        for count in &mut at_level.counts[level..] {
            *count += 1;
        }
        let after = judge(&at_level.policy(), &proposal);
        prop_assert!(!is_lower(&after, &before), "{:?}\n{:?}", before, after);
        let mut in_rule = spec;
        if let Some(rule) = in_rule.rules.get_mut(rule) {
            // On top of what its level asks already.
            rule.own = Some(rule.own.unwrap_or(in_rule.counts[rule.level]) + 1);
        }
        let after = judge(&in_rule.policy(), &proposal);
        prop_assert!(!is_lower(&after, &before), "{:?}\n{:?}", before, after);
    }

    /// The same input gives the same verdict, also from the policy read again.
    #[test]
    fn the_same_input_gives_the_same_verdict(spec in spec(), proposal in call()) {
        let policy = spec.policy();
        let first = judge(&policy, &proposal);
        prop_assert_eq!(&judge(&policy, &proposal), &first);
        prop_assert_eq!(&judge(&spec.policy(), &proposal), &first);
        prop_assert!(first.level >= Level::Low && !first.rules.is_empty());
    }

    /// R7: a rule that errs on hostile types never leads to a lower verdict than without it.
    #[test]
    fn a_rule_that_errs_never_lowers(spec in spec(), proposal in call()) {
        let verdict = judge(&spec.policy(), &proposal);
        for hit in verdict.rules.iter().filter(|hit| hit.error.is_some()) {
            let (kind, place) = hit.rule.split_once('-').unwrap();
            let place: usize = place.parse().unwrap();
            let mut without = spec.clone();
            match kind {
                "forbid" => drop(without.forbids.remove(place)),
                "rule" => drop(without.rules.remove(place)),
                _ => drop(without.raises.remove(place)),
            }
            let without = judge(&without.policy(), &proposal);
            prop_assert!(!is_lower(&verdict, &without), "without {}: {:?}\n{:?}", hit.rule, without, verdict);
        }
    }
}
