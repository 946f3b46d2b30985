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

/// Rules without any call left that one rule may have before it is what is wrong, and not each of them.
const TAKEN_EACH_MAX: usize = 3;

/// Names of rules that are told of at most.
const NAMES_TOLD_MAX: usize = 5;

/// Every rule can match something: what an earlier one takes away, and what is forbidden wherever that stands, is not
/// all of it.
pub(super) fn reachable(rules: &RulesRead, ground: Option<&RulesRead>, report: &mut Report<'_>) {
    let beneath = || {
        // A tenant's file may know other facts, by which the same condition says something else.
        let forbids = ground.map_or_else(Vec::new, |ground| taking(&ground.forbids, None));
        forbids.into_iter().map(|taking| Taking { is_beneath: true, ..taking }).collect::<Vec<_>>()
    };
    let mut taken = Vec::new();
    for (index, rule) in rules.forbids.iter().enumerate() {
        let mut before = beneath();
        before.extend(taking(&rules.forbids[..index], condition(rule)));
        taken.extend(reachable_after(rule, before, report));
    }
    for (index, rule) in rules.rules.iter().enumerate() {
        let mut before = beneath();
        before.extend(taking(&rules.forbids, condition(rule)));
        before.extend(taking(&rules.rules[..index], condition(rule)));
        taken.extend(reachable_after(rule, before, report));
    }
    for rule in &rules.raises {
        let mut before = beneath();
        before.extend(taking(&rules.forbids, condition(rule)));
        taken.extend(reachable_after(rule, before, report));
    }
    unreachable(&taken, report);
}

/// Notes rules that can never match: each at its own name, or, where one rule takes all calls of many, at that one.
fn unreachable(taken: &[(&At<String>, Taking<'_>)], report: &mut Report<'_>) {
    let of = |by: &Taking<'_>| -> Vec<&str> {
        let same = taken.iter().filter(|(_, other)| std::ptr::eq(other.name, by.name));
        same.map(|(name, _)| name.value.as_str()).collect()
    };
    let mut told: Vec<&At<String>> = Vec::new();
    for (name, by) in taken {
        let names = of(by);
        if names.len() <= TAKEN_EACH_MAX || by.is_beneath {
            let message = format!(
                "rule `{}` can never match: rule `{}` takes all its calls",
                name.value, by.name.value
            );
            report.error(name.span.clone(), message, earlier(by, report));
        } else if !told.iter().any(|known| std::ptr::eq(*known, by.name)) {
            told.push(by.name);
            let shown: Vec<String> =
                names.iter().take(NAMES_TOLD_MAX).map(|name| format!("`{name}`")).collect();
            let more = names.len().saturating_sub(NAMES_TOLD_MAX);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let message = format!(
                "rule `{}` takes all calls of {} others, which can never match: {}{more}",
                by.name.value,
                names.len(),
                shown.join(", ")
            );
            let help = match by.kind {
                RuleKind::Forbid => {
                    "what is forbidden is looked at first: let its `tools` match less, or give it a `when`"
                }
                RuleKind::Rule | RuleKind::Raise | RuleKind::Default => {
                    "the first rule that matches counts: put it last, or say it in [default]"
                }
            };
            report.error(by.name.span.clone(), message, help);
        }
    }
}

/// A rule that takes away every call that it is about, and for which its condition holds.
#[derive(Clone)]
struct Taking<'a> {
    name: &'a At<String>,
    calls: &'a Calls,
    kind: RuleKind,
    /// Whether it is the installation's, and this file a tenant's.
    is_beneath: bool,
}

/// The rules that take all their calls from one with this condition. What a condition says, only a call can tell; but the
/// same one says the same of both.
fn taking<'a, S>(rules: &'a [RuleRead<S>], when: Option<&str>) -> Vec<Taking<'a>> {
    let certain = rules.iter().filter(|read| match condition(read) {
        None => true,
        own => own == when,
    });
    let taking = |read| {
        let RuleRead { name, rule, .. }: &RuleRead<S> = read;
        Taking { name, calls: &rule.calls, kind: rule.hit.kind, is_beneath: false }
    };
    certain.map(taking).collect()
}

fn condition<S>(read: &RuleRead<S>) -> Option<&str> {
    read.rule.when.as_ref().map(|when| when.text().trim())
}

/// The rule by its name, and what takes all its calls, where something does; what takes a part is noted.
fn reachable_after<'a, S>(
    rule: &'a RuleRead<S>,
    before: Vec<Taking<'a>>,
    report: &mut Report<'_>,
) -> Option<(&'a At<String>, Taking<'a>)> {
    let patterns = &rule.rule.calls.tools;
    let covered: Vec<_> = patterns
        .iter()
        .filter_map(|pattern| {
            let by = before.iter().find(|other| other.calls.covers(&rule.rule.calls, pattern))?;
            Some((pattern, by))
        })
        .collect();
    let (_, first) = covered.first()?;
    if covered.len() == patterns.len() {
        return Some((&rule.name, (*first).clone()));
    }
    for (pattern, by) in covered {
        let message =
            format!("`{}` never matches here: rule `{}` takes these calls", pattern.text(), by.name.value);
        report.warning(pattern.span.clone(), message, earlier(by, report));
    }
    None
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
