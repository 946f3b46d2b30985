//! What can be found only by looking at the policy as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{ChangeRead, ChangeTerms};
use super::diagnostic::{Report, Span};
use super::grade::{RuleRead, RulesRead};
use super::levels::{LevelRead, did_you_mean};
use super::parse::Read;
use super::pattern::Calls;
use super::people::PeopleRead;
use super::reader::At;
use super::verdict::{RuleKind, Terms, Tier};
use crate::id::Role;
use crate::person::KnownPerson;

/// No two rules have the same name, of whatever kind they are.
pub(super) fn names(rules: &RulesRead, report: &mut Report<'_>) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for name in rules.names() {
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
pub(super) fn reachable(rules: &RulesRead, report: &mut Report<'_>) {
    for (index, rule) in rules.forbids.iter().enumerate() {
        reachable_after(rule, &taking(&rules.forbids[..index]), report);
    }
    for (index, rule) in rules.rules.iter().enumerate() {
        let mut before = taking(&rules.forbids);
        before.extend(taking(&rules.rules[..index]));
        reachable_after(rule, &before, report);
    }
    let forbids = taking(&rules.forbids);
    for rule in &rules.raises {
        reachable_after(rule, &forbids, report);
    }
}

/// A rule that takes away every call that it is about.
struct Taking<'a> {
    name: &'a At<String>,
    calls: &'a Calls,
    kind: RuleKind,
}

fn taking<S>(rules: &[RuleRead<S>]) -> Vec<Taking<'_>> {
    let taking = |read| {
        let RuleRead { name, rule, .. }: &RuleRead<S> = read;
        Taking { name, calls: &rule.calls, kind: rule.hit.kind }
    };
    rules.iter().map(taking).collect()
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
    if let Some(level) = read.levels.iter().find(|read| read.level == default.value)
        && level.policy.tier < Tier::Approve
    {
        let message = format!(
            "tools that no rule knows run unasked: level {} has tier {}",
            default.value, level.policy.tier
        );
        report.warning(default.span.clone(), message, "the safest default is a level of tier approve");
    }
}

/// Every role that is asked for is one, somebody has it, and there are people enough.
pub(super) fn roles(read: &Read, report: &mut Report<'_>) {
    let mut known = read.people.roles();
    known.extend(read.roles.names.iter().map(|role| &role.value));
    let named = read
        .levels
        .iter()
        .flat_map(|level| &level.settings.roles)
        .chain(read.rules.rules.iter().flat_map(|rule| &rule.settings.roles))
        .chain(&read.roles.stewards)
        .chain(&read.roles.break_glass)
        .chain(read.change.iter().map(|change| &change.role))
        .chain(&read.default.role);
    let mut unknown = BTreeSet::new();
    for role in named.filter(|role| !known.contains(&role.value)) {
        let message = format!("nobody has the role `{}`, and it is not named in [roles]", role.value);
        report.error(role.span.clone(), message, did_you_mean(&role.value, known.iter().copied()));
        unknown.insert(&role.value);
    }
    for role in read.roles.names.iter().chain(&read.roles.stewards).chain(&read.roles.break_glass) {
        if known.contains(&role.value) && !read.people.have(&role.value) {
            report.warning(role.span.clone(), format!("nobody has the role `{}`", role.value), "");
        }
    }
    if read.roles.stewards.is_empty() {
        let message =
            "no person may revoke or settle: no role is a steward (a credential with scope manage still may)";
        report.warning(read.roles.span.clone().unwrap_or(0..0), message, "[roles] stewards = [\"admin\"]");
    }
    if let Some(change) = &read.change
        && !unknown.contains(&change.role.value)
        && !read.people.is_open(&change.role.value)
    {
        changeable(change, &read.people.people, report);
    }
    for level in &read.levels {
        if level.policy.tier == Tier::Approve
            && !seats(&level.policy.terms).iter().any(|role| unknown.contains(role))
            && let Some(span) = asked_at(level, read)
        {
            fillable(level, &read.people, span, report);
        }
    }
}

/// A policy that nobody can change would stay for ever.
fn changeable(change: &ChangeRead, people: &[KnownPerson], report: &mut Report<'_>) {
    let ChangeTerms { role, count } = change.terms();
    let have = people.iter().filter(|known| known.member.roles.contains(&role)).count();
    if have < count as usize {
        let message = format!(
            "this policy could never be changed: it takes {count} of role `{role}`, which {}",
            who_has(have)
        );
        report.error(change.count_span.clone(), message, "name more people, or ask fewer");
    }
}

/// `1 person has`, `2 people have`.
fn who_has(count: usize) -> String {
    format!("{count} {}", if count == 1 { "person has" } else { "people have" })
}

/// Where people are asked at a level: its stages, else what leads to it; none if nothing does.
fn asked_at(level: &LevelRead, read: &Read) -> Option<Span> {
    let rule = read.rules.rules.iter().find(|rule| rule.rule.says.level == level.level);
    let by_default = read.default.level.value == level.level;
    level
        .stages_span()
        .or_else(|| by_default.then(|| read.default.level.span.clone()))
        .or_else(|| rule.map(|rule| rule.says_span.clone()))
}

fn fillable(level: &LevelRead, read: &PeopleRead, span: Span, report: &mut Report<'_>) {
    let people = read.at_their_turn();
    // How many a group or a schedule outside has, nobody can tell here.
    let seats = seats(&level.policy.terms);
    let seats: Vec<&Role> = seats.into_iter().filter(|role| !read.is_open(role)).collect();
    let missing = seats.len() - seated(&seats, &people);
    if missing == 0 {
        return;
    }
    let distinct: BTreeSet<&Role> = seats.iter().copied().collect();
    let counts: Vec<String> = distinct
        .into_iter()
        .map(|role| {
            let wanted = seats.iter().filter(|seat| **seat == role).count();
            let have = people.iter().filter(|known| known.member.roles.contains(role)).count();
            format!("{wanted} of role `{role}`, which {}", who_has(have))
        })
        .collect();
    let message = format!("level {} can never be approved: it takes {}", level.level, counts.join("; "));
    report.error(span, message, "one person fills one place, over all stages together");
}

/// Every place that somebody must fill.
fn seats(terms: &Terms) -> Vec<&Role> {
    let groups = terms.stages.iter().flat_map(|stage| &stage.groups);
    groups.flat_map(|group| std::iter::repeat_n(&group.role, group.count as usize)).collect()
}

/// How many of the places distinct people can fill at most (augmenting paths).
fn seated(seats: &[&Role], people: &[KnownPerson]) -> usize {
    fn seat(
        place: usize,
        seats: &[&Role],
        people: &[KnownPerson],
        (taken, tried): (&mut [Option<usize>], &mut [bool]),
    ) -> bool {
        for person in 0..people.len() {
            if tried[person] || !people[person].member.roles.contains(seats[place]) {
                continue;
            }
            tried[person] = true;
            if taken[person].is_none_or(|other| seat(other, seats, people, (taken, tried))) {
                taken[person] = Some(place);
                return true;
            }
        }
        false
    }
    let mut taken = vec![None; people.len()];
    let filled = |place: &usize| seat(*place, seats, people, (&mut taken, &mut vec![false; people.len()]));
    (0..seats.len()).filter(filled).count()
}
