//! What can be found only by looking at the policy as a whole.

mod people;

use std::collections::BTreeMap;

use super::diagnostic::{Report, Span};
use super::grade::{RuleRead, RulesRead};
use super::parse::Read;
use super::pattern::Calls;
use super::reader::At;
use super::verdict::{RuleKind, Tier};

pub(super) use people::roles;

/// No two rules have the same name, of whatever kind they are.
pub(super) fn names(rules: &RulesRead, ground: Option<&RulesRead>, report: &mut Report<'_>) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for name in rules.names() {
        if ground.is_some_and(|ground| ground.names().any(|other| other.value == name.value)) {
            let message = format!("the installation has a rule `{}`", name.value);
            report.error(name.span.clone(), message, "the record tells rules apart by their names");
        }
        if let Some(first) = seen.get(name.value.as_str()) {
            let help = format!("the first is on line {}", report.line(first));
            report.error(name.span.clone(), format!("there are two rules `{}`", name.value), help);
        } else {
            seen.insert(&name.value, name.span.clone());
        }
    }
}

/// Whoever is asked, or told no, is told why.
pub(super) fn reasons(read: &Read, report: &mut Report<'_>) {
    let on_card = "people read this sentence on the card";
    let to_agent = "the agent is told this sentence";
    let forbids = read.rules.forbids.iter().map(|rule| (&rule.name, &rule.rule.hit, Some(to_agent)));
    let rules = read.rules.rules.iter().map(|rule| {
        let told = match rule.tier(&read.levels) {
            Tier::Auto | Tier::Suggest => None,
            Tier::Approve => Some(on_card),
            Tier::Forbid => Some(to_agent),
        };
        (&rule.name, &rule.rule.hit, told)
    });
    let raises = read.rules.raises.iter().map(|rule| (&rule.name, &rule.rule.hit, Some(on_card)));
    for (name, hit, told) in forbids.chain(rules).chain(raises) {
        if let Some(told) = told
            && hit.because.trim().is_empty()
        {
            let message = format!("rule `{}` does not say why", name.value);
            report.error(name.span.clone(), message, format!("add `because`: {told}"));
        }
    }
}

/// Every rule can match something: what an earlier one takes away, and what is forbidden wherever that stands, is not
/// all of it.
pub(super) fn reachable(rules: &RulesRead, ground: Option<&RulesRead>, report: &mut Report<'_>) {
    let beneath = || {
        let forbids = ground.map_or_else(Vec::new, |ground| taking(&ground.forbids));
        forbids.into_iter().map(|taking| Taking { is_beneath: true, ..taking }).collect::<Vec<_>>()
    };
    for (index, rule) in rules.forbids.iter().enumerate() {
        let mut before = beneath();
        before.extend(taking(&rules.forbids[..index]));
        reachable_after(rule, &before, report);
    }
    for (index, rule) in rules.rules.iter().enumerate() {
        let mut before = beneath();
        before.extend(taking(&rules.forbids));
        before.extend(taking(&rules.rules[..index]));
        reachable_after(rule, &before, report);
    }
    let mut forbids = beneath();
    forbids.extend(taking(&rules.forbids));
    for rule in &rules.raises {
        reachable_after(rule, &forbids, report);
    }
}

/// A rule that takes away every call that it is about.
struct Taking<'a> {
    name: &'a At<String>,
    calls: &'a Calls,
    kind: RuleKind,
    /// Whether it is the installation's, and this file a tenant's.
    is_beneath: bool,
}

fn taking<S>(rules: &[RuleRead<S>]) -> Vec<Taking<'_>> {
    // What a condition says, only a call can tell.
    let certain = rules.iter().filter(|read| read.rule.when.is_none());
    let taking = |read| {
        let RuleRead { name, rule, .. }: &RuleRead<S> = read;
        Taking { name, calls: &rule.calls, kind: rule.hit.kind, is_beneath: false }
    };
    certain.map(taking).collect()
}

fn reachable_after<S>(rule: &RuleRead<S>, before: &[Taking<'_>], report: &mut Report<'_>) {
    let patterns = &rule.rule.calls.tools;
    let covered: Vec<_> = patterns
        .iter()
        .filter_map(|pattern| {
            let by = before.iter().find(|other| other.calls.covers(&rule.rule.calls, pattern))?;
            Some((pattern, by))
        })
        .collect();
    let all = covered.len() == patterns.len();
    match covered.first() {
        Some((_, by)) if all => {
            let message = format!(
                "rule `{}` can never match: rule `{}` takes all its calls",
                rule.name.value, by.name.value
            );
            report.error(rule.name.span.clone(), message, earlier(by, report));
        }
        Some(_) => {
            for (pattern, by) in covered {
                let message = format!(
                    "`{}` never matches here: rule `{}` takes these calls",
                    pattern.text(),
                    by.name.value
                );
                report.warning(pattern.span.clone(), message, earlier(by, report));
            }
        }
        None => {}
    }
}

fn earlier(by: &Taking<'_>, report: &Report<'_>) -> String {
    if by.is_beneath {
        return "that rule is the installation's; what is forbidden is looked at first".to_owned();
    }
    let line = report.line(&by.name.span);
    match by.kind {
        RuleKind::Forbid => format!("that rule is on line {line}; what is forbidden is looked at first"),
        RuleKind::Rule | RuleKind::Raise | RuleKind::Default => {
            format!("that rule is on line {line}, and the first that matches counts")
        }
    }
}

/// A tool that no rule knows is asked about, unless somebody wants it otherwise.
pub(super) fn unasked(read: &Read, report: &mut Report<'_>) {
    let default = &read.default.level;
    if read.default.is_said
        && let Some(level) = read.levels.iter().find(|read| read.level == default.value)
        && level.policy.tier < Tier::Approve
    {
        let message = format!(
            "tools that no rule knows run unasked: level {} has tier {}",
            default.value, level.policy.tier
        );
        report.warning(default.span.clone(), message, "the safest default is a level of tier approve");
    }
}
