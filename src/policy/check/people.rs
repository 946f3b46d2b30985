//! Whether there are people for what the policy asks.
//!
//! That nobody but who asks could approve is an error where the policy itself says who asks: a rule whose condition names
//! them, or a role that only they have. Elsewhere it is a warning: somebody else may ask for the same, and then they can
//! approve it; a team in which one person has a role is told what that costs, and not that its policy is wrong.

use std::collections::BTreeSet;

use super::super::change::{ChangeRead, ChangeTerms};
use super::super::condition::AskedBy;
use super::super::diagnostic::{Report, Span};
use super::super::electors::{Elector, Electors};
use super::super::levels::{LevelRead, did_you_mean};
use super::super::parse::Read;
use super::super::verdict::{Terms, Tier};
use crate::id::Role;

/// Something that asks people.
struct Asking<'a> {
    /// As diagnostics call it.
    what: String,
    terms: &'a Terms,
    span: Span,
}

/// Every role that is asked for is one, somebody has it, and there are people enough.
pub(in super::super) fn roles(read: &Read, ground: Option<&Read>, report: &mut Report<'_>) {
    let unknown = unknown(read, ground, report);
    let named = read.roles.names.iter().chain(&read.roles.stewards);
    for role in named.chain(&read.roles.break_glass).chain(&read.roles.auditors) {
        if !unknown.contains(&role.value) && !read.people.have(&role.value) {
            report.warning(role.span.clone(), format!("nobody has the role `{}`", role.value), "");
        }
    }
    if read.roles.stewards.is_empty() && ground.is_none_or(|ground| ground.roles.stewards.is_empty()) {
        let message =
            "no person may revoke or settle: no role is a steward (a credential with scope manage still may)";
        report.warning(read.roles.span.clone().unwrap_or(0..0), message, "[roles] stewards = [\"admin\"]");
    }
    for (person, span) in read.people.without_account() {
        let message = format!("{person} decides nothing: no account of theirs is named");
        report.warning(
            span.clone(),
            message,
            "such as slack = [\"T024BE7LD/U2CERLKJA\"]; or take their roles out",
        );
    }
    let electors = Electors::ever(&read.people);
    if let Some(change) = read.change.as_ref().filter(|change| !unknown.contains(&change.role.value)) {
        changeable(change, &electors, report);
    }
    let own = by_who_asks(read, &unknown, &electors, report);
    for asking in asking(read) {
        let known = |role: &Role| !unknown.contains(role);
        if seats(asking.terms).all(|(role, _)| known(role)) && fillable(&asking, &electors, report) {
            in_turn(&asking, read, report);
            if !own.contains(&asking.span) {
                spare(&asking, &electors, report);
            }
            refusable(&asking, &electors, report);
        }
    }
}

/// Roles that are named and that nobody has.
fn unknown<'a>(read: &'a Read, ground: Option<&'a Read>, report: &mut Report<'_>) -> BTreeSet<&'a Role> {
    let mut known = read.people.roles();
    known.extend(read.roles.names.iter().map(|role| &role.value));
    known.extend(ground.iter().flat_map(|ground| &ground.roles.names).map(|role| &role.value));
    let named = read
        .levels
        .iter()
        .flat_map(|level| &level.settings.roles)
        .chain(read.rules.rules.iter().flat_map(|rule| &rule.settings.roles))
        .chain(&read.roles.stewards)
        .chain(&read.roles.break_glass)
        .chain(&read.roles.auditors)
        .chain(read.change.iter().map(|change| &change.role))
        .chain(&read.default.role);
    let mut unknown = BTreeSet::new();
    for role in named.filter(|role| !known.contains(&role.value)) {
        let message = format!("nobody has the role `{}`, and it is not named in [roles]", role.value);
        report.error(role.span.clone(), message, did_you_mean(&role.value, known.iter().copied()));
        unknown.insert(&role.value);
    }
    unknown
}

/// Everything that asks people, each once.
fn asking(read: &Read) -> Vec<Asking<'_>> {
    let levels = read.levels.iter().filter(|level| level.policy.tier == Tier::Approve);
    let asked = levels.filter_map(|level| {
        let span = asked_at(level, read)?;
        Some(Asking { what: format!("level {}", level.level), terms: &level.policy.terms, span })
    });
    let rules = read.rules.rules.iter().filter_map(|rule| {
        let says = &rule.rule.says;
        let costs = says.own.as_deref().map(|own| own.at(says.level));
        let costs = costs.filter(|costs| costs.tier == Tier::Approve)?;
        let asks = rule.settings.asks.as_ref().map(|at| &at.span);
        let span = asks.or_else(|| rule.settings.tier.as_ref().map(|at| &at.span))?;
        Some(Asking { what: format!("rule `{}`", rule.name.value), terms: &costs.terms, span: span.clone() })
    });
    asked.chain(rules).collect()
}

/// Where people are asked at a level: its stages, else what leads to it; none if nothing does.
fn asked_at(level: &LevelRead, read: &Read) -> Option<Span> {
    let rule = read.rules.rules.iter().find(|rule| rule.rule.says.level == level.level);
    let by_default = read.default.is_said && read.default.level.value == level.level;
    level
        .stages_span()
        .or_else(|| by_default.then(|| read.default.level.span.clone()))
        .or_else(|| rule.map(|rule| rule.says_span.clone()))
}

/// A policy that nobody can change would stay for ever.
fn changeable(change: &ChangeRead, electors: &Electors, report: &mut Report<'_>) {
    let ChangeTerms { role, count } = change.terms();
    let have = electors.count(&role);
    if have < count as usize && !electors.is_open(&role) {
        let message = format!(
            "this policy could never be changed: it takes {count} of role `{role}`, which {}",
            who_has(have)
        );
        report.error(change.count_span.clone(), message, "name more people, or ask fewer");
    }
}

/// There are people for every place; else false.
fn fillable(asking: &Asking<'_>, electors: &Electors, report: &mut Report<'_>) -> bool {
    if electors.can_fill(asking.terms) {
        return true;
    }
    let all: Vec<_> = seats(asking.terms).filter(|(role, _)| !electors.is_open(role)).collect();
    let short: Vec<_> =
        all.iter().copied().filter(|(role, wanted)| electors.count(role) < *wanted as usize).collect();
    // Where each role by itself has people enough, they are too few together.
    let told = if short.is_empty() { &all } else { &short };
    let counts: Vec<String> = told
        .iter()
        .map(|(role, wanted)| format!("{wanted} of role `{role}`, which {}", who_has(electors.count(role))))
        .collect();
    let message = format!("{} can never be approved: it takes {}", asking.what, counts.join("; "));
    let help = "name more people, or ask fewer; one person fills one place, over all stages together";
    report.error(asking.span.clone(), message, help);
    false
}

/// Whoever is on call by a rota is one at a time.
fn in_turn(asking: &Asking<'_>, read: &Read, report: &mut Report<'_>) {
    let later = asking.terms.escalation.iter().any(|step| !step.to.is_empty());
    for (role, wanted) in seats(asking.terms).filter(|_| !later) {
        let Some(turns) = read.people.at_once(role).filter(|turns| *turns < wanted as usize) else {
            continue;
        };
        let message = format!(
            "{} can never be approved: it takes {wanted} of role `{role}`, and {turns} at a time {} on call",
            asking.what,
            if turns == 1 { "is" } else { "are" }
        );
        report.error(asking.span.clone(), message, "ask fewer, or add a rota that gives the role");
    }
}

/// Rules whose conditions say who asks are not about those alone who could approve them; where they are, gives where they
/// ask people.
fn by_who_asks(
    read: &Read,
    unknown: &BTreeSet<&Role>,
    electors: &Electors,
    report: &mut Report<'_>,
) -> Vec<Span> {
    let mut own = Vec::new();
    for rule in &read.rules.rules {
        let says = &rule.rule.says;
        // A raise may lift its calls to a level that asks others; what a rule asks of its own it asks there too.
        let is_lifted = says.own.is_none() && !read.rules.raises.is_empty();
        let level = || &read.level(says.level).policy;
        let costs = says.own.as_deref().map_or_else(level, |own| own.at(says.level));
        let terms = &costs.terms;
        let asks = costs.tier == Tier::Approve && !terms.requester_may_approve && !is_lifted;
        let known = seats(terms).all(|(role, _)| !unknown.contains(role));
        let Some(when) = rule.rule.when.as_ref().filter(|_| asks && known && electors.can_fill(terms)) else {
            continue;
        };
        let all_alone = |askers: &Vec<&Elector>| {
            !askers.is_empty()
                && askers.iter().all(|asker| {
                    !read.people.has_stand_in(&asker.person)
                        && !electors.without(&asker.person).can_fill(terms)
                })
        };
        let askers = when.asked_by().into_iter().filter_map(|asked| askers(&asked, electors)).find(all_alone);
        let Some(askers) = askers else { continue };
        let names: Vec<&str> = askers.iter().map(|asker| asker.name.as_str()).collect();
        let message = format!(
            "rule `{}` can never be approved: only {} can ask for what it is about, and without who asks there are too few \
             who may approve it",
            rule.name.value,
            names.join(" or ")
        );
        let span = rule.settings.asks.as_ref().map_or_else(|| rule.says_span.clone(), |at| at.span.clone());
        let help = "give the role to somebody else too, or set requester_may_approve = true for this rule";
        report.error(span.clone(), message, help);
        own.push(span);
    }
    own
}

/// Everybody who can ask so; none where the policy alone cannot tell.
fn askers<'a>(asked: &AskedBy<'_>, electors: &'a Electors) -> Option<Vec<&'a Elector>> {
    match asked {
        AskedBy::OneOf(ids) => {
            let known = |id: &&str| electors.people.iter().find(|elector| elector.person.as_str() == *id);
            ids.iter().map(known).collect()
        }
        AskedBy::With(role) => {
            let role = Role::new(role).ok().filter(|role| !electors.is_open(role))?;
            Some(electors.people.iter().filter(|elector| elector.roles.contains(&role)).collect())
        }
    }
}

/// Somebody else can decide what one of those who are asked asks for.
fn spare(asking: &Asking<'_>, electors: &Electors, report: &mut Report<'_>) {
    if asking.terms.requester_may_approve {
        return;
    }
    for (role, _) in seats(asking.terms).filter(|(role, _)| electors.count(role) == 1) {
        let only = electors.people.iter().find(|elector| elector.roles.contains(role));
        let Some(only) = only.filter(|only| !electors.without(&only.person).can_fill(asking.terms)) else {
            continue;
        };
        let message = format!(
            "what {} asks for can never be approved: nobody else has the role `{role}`, and who asks may not \
             approve {}",
            only.name, asking.what
        );
        let help = "give it to somebody else too, or set requester_may_approve = true; who is alone sets profile = \
                    \"solo\"";
        report.warning(asking.span.clone(), message, help);
    }
}

/// So many people can say no as it takes.
fn refusable(asking: &Asking<'_>, electors: &Electors, report: &mut Report<'_>) {
    let open = seats(asking.terms).any(|(role, _)| electors.is_open(role));
    let denials = asking.terms.denials_to_reject;
    let asked = electors.asked(asking.terms).count();
    if !open && asked < denials as usize {
        let people = if asked == 1 { "person is" } else { "people are" };
        let message =
            format!("{} takes {denials} noes, and {asked} {people} asked: no can never end it", asking.what);
        report.warning(asking.span.clone(), message, "set `denials_to_reject` lower");
    }
}

/// How many of each role, over all stages.
fn seats(terms: &Terms) -> impl Iterator<Item = (&Role, u32)> {
    let groups = || terms.stages.iter().flat_map(|stage| &stage.groups);
    let roles: BTreeSet<&Role> = groups().map(|group| &group.role).collect();
    roles
        .into_iter()
        .map(move |role| (role, groups().filter(|group| group.role == *role).map(|group| group.count).sum()))
}

/// `1 person has`, `2 people have`.
fn who_has(count: usize) -> String {
    format!("{count} {}", if count == 1 { "person has" } else { "people have" })
}
