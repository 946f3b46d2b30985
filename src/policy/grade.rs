//! `[[forbid]]`, `[[rule]]` and `[[raise]]` as they are read: which calls, and what is said of them.

use super::calendar::Calendar;
use super::condition::{Condition, Gives};
use super::diagnostic::{Report, Span};
use super::fields::Names;
use super::levels::{LEVELS, LevelRead, OwnCosts, of_level};
use super::pattern::{Calls, Pattern};
use super::reader::{At, Keys, Table};
use super::rule::{Forbids, Grades, RaiseTo, Raises, Rule};
use super::settings::{self, Settings, Whose};
use super::tools::Tools;
use super::verdict::{Level, RuleHit, RuleKind, Tier};

/// The most levels that a raise lifts by: there are four.
const RAISE_BY_MAX: u32 = 3;

/// One rule of any kind as it was read, with where its parts stand.
pub(super) struct RuleRead<S> {
    pub(super) name: At<String>,
    pub(super) rule: Rule<S>,
    /// Where what it says is said.
    pub(super) says_span: Span,
    /// What it sets on top of its level; nothing but for a rule.
    pub(super) settings: Settings,
}

/// What rules rest on.
pub(super) struct Beneath<'a> {
    pub(super) levels: &'a [LevelRead; 4],
    /// The level of calls that no rule is about.
    pub(super) default: Level,
    /// Whether who asks may approve, everywhere.
    pub(super) solo: bool,
    pub(super) calendar: &'a Calendar,
    pub(super) tools: &'a Tools,
}

/// The keys of all three kinds of rules.
pub(super) const KEYS: &Keys = &[
    ("name", "its name, on cards and in the record; each rule has its own"),
    ("tools", "patterns over the tool's name"),
    ("servers", "patterns over the name of the tool's server; left out: any"),
    ("when", "a condition that must hold; left out: always"),
    ("because", "why, for whoever reads the card"),
];

/// The keys of `[[rule]]` beside those, and beside those that a level has too.
pub(super) const RULE_KEYS: &Keys =
    &[("level", "how bad it is"), ("always_ask", "whether people are asked whatever was remembered")];

/// The keys of `[[raise]]` beside those of all kinds.
pub(super) const RAISE_KEYS: &Keys = &[
    ("by", "by how many levels it lifts"),
    ("to", "to which level it lifts at least"),
    ("always_ask", "whether people are asked whatever was remembered"),
    ("fixed", "in a tenant's own file that only looks on: people are asked all the same"),
];

/// Every rule of a file as it was read.
pub(super) struct RulesRead {
    pub(super) forbids: Vec<RuleRead<Forbids>>,
    pub(super) rules: Vec<RuleRead<Grades>>,
    pub(super) raises: Vec<RuleRead<Raises>>,
}

/// What rules of all kinds have.
struct Common {
    name: Option<At<String>>,
    calls: Option<Calls>,
    hit: RuleHit,
    /// None where there is no condition; an inner none where it is wrong.
    when: Option<Option<Condition>>,
    header: Span,
}

impl RulesRead {
    pub(super) fn read(table: &mut Table<'_>, beneath: &Beneath<'_>, report: &mut Report<'_>) -> Self {
        let forbids = table.tables("forbid", report);
        let rules = table.tables("rule", report);
        let raises = table.tables("raise", report);
        Self {
            forbids: forbids.into_iter().filter_map(|table| forbid(table, beneath, report)).collect(),
            rules: rules.into_iter().filter_map(|table| rule(table, beneath, report)).collect(),
            raises: raises.into_iter().filter_map(|table| raise(table, beneath, report)).collect(),
        }
    }

    /// Whether any condition looks at something whose name begins so.
    pub(super) fn look_at(&self, begin: &str) -> bool {
        let forbids = self.forbids.iter().map(|read| &read.rule.when);
        let rules = self.rules.iter().map(|read| &read.rule.when);
        let mut all = forbids.chain(rules).chain(self.raises.iter().map(|read| &read.rule.when)).flatten();
        all.any(|when| when.looks_at().iter().any(|name| name.starts_with(begin)))
    }

    /// The names of all of them, in the order of their kinds.
    pub(super) fn names(&self) -> impl Iterator<Item = &At<String>> {
        let forbids = self.forbids.iter().map(|read| &read.name);
        let rules = self.rules.iter().map(|read| &read.name);
        forbids.chain(rules).chain(self.raises.iter().map(|read| &read.name))
    }
}

impl RuleRead<Grades> {
    /// The tier that calls of this rule get.
    pub(super) fn tier(&self, levels: &[LevelRead; 4]) -> Tier {
        let says = &self.rule.says;
        says.own.as_deref().map_or(&of_level(levels, says.level).policy, |own| own.at(says.level)).tier
    }
}

impl Common {
    fn read(table: &mut Table<'_>, kind: RuleKind, beneath: &Beneath<'_>, report: &mut Report<'_>) -> Self {
        let header = table.span();
        let name = table.string("name", report);
        let tools = table.strings("tools", report);
        let servers = table.strings("servers", report);
        let written = table.string("when", report);
        let because = table.string("because", report).map(|at| at.value).unwrap_or_default();
        for key in ["name", "tools"] {
            if table.key_span(key).is_none() {
                report.error(header.clone(), format!("[[{}]] needs `{key}`", word(kind)), "");
            }
        }
        let tools = tools.map(|tools| Pattern::read_all(tools, "tools", report));
        let servers = servers.map(|servers| Pattern::read_all(servers, "servers", report));
        let when = written.map(|text| {
            let names = if kind == RuleKind::Rule { Names::Rule } else { Names::Strict };
            let when = Condition::read(&text, Gives::Truth, names, report)?;
            match when.constant() {
                Some(false) => {
                    let help = "take the rule out, or have the condition look at the call";
                    report.error(
                        text.span.clone(),
                        "this condition is never true: its rule would do nothing",
                        help,
                    );
                }
                Some(true) => {
                    report.warning(text.span.clone(), "this condition is always true", "leave `when` out");
                }
                None => {}
            }
            doubts(&when, &text.span, tools.as_deref().unwrap_or_default(), (beneath, report));
            Some(when)
        });
        let name_is_wrong = name.as_ref().and_then(|name| match name.value.as_str() {
            "default" => Some("`default` is what the rule for everything else is called"),
            text if text.trim().is_empty() || text.chars().any(char::is_control) => {
                Some("a rule's name is one line")
            }
            _ => None,
        });
        if let (Some(message), Some(name)) = (name_is_wrong, &name) {
            report.error(name.span.clone(), message, "");
        }
        let called = name.as_ref().map(|name| name.value.clone()).unwrap_or_default();
        Self {
            name,
            calls: tools.map(|tools| Calls { tools, servers }),
            hit: RuleHit { kind, ..RuleHit::new(called, because) },
            when,
            header,
        }
    }

    fn rule<S>(self, says: Option<At<S>>, fixed: bool) -> Option<RuleRead<S>> {
        let when = match self.when {
            Some(read) => Some(read?),
            None => None,
        };
        let (name, calls, says) = (self.name?, self.calls?, says?);
        let rule = Rule { hit: self.hit, calls, when, fixed, says: says.value };
        Some(RuleRead { name, rule, says_span: says.span, settings: Settings::default() })
    }
}

fn forbid(mut table: Table<'_>, beneath: &Beneath<'_>, report: &mut Report<'_>) -> Option<RuleRead<Forbids>> {
    let common = Common::read(&mut table, RuleKind::Forbid, beneath, report);
    for key in ["level", "tier"] {
        let message = format!("[[forbid]] takes no `{key}`");
        table.refuse(key, (&message, "what is forbidden has no level"), report);
    }
    table.finish(&[KEYS], "[[forbid]]", report);
    let span = common.header.clone();
    common.rule(Some(At::new(Forbids, span)), true)
}

fn rule(mut table: Table<'_>, beneath: &Beneath<'_>, report: &mut Report<'_>) -> Option<RuleRead<Grades>> {
    let common = Common::read(&mut table, RuleKind::Rule, beneath, report);
    let level = table.word("level", &LEVELS, report);
    let always_ask = table.boolean("always_ask", report).is_some_and(|at| at.value);
    let settings = Settings::read(&mut table, report);
    let missing = table.key_span("level").is_none();
    table.finish(&[KEYS, RULE_KEYS, settings::KEYS], "[[rule]]", report);
    let says_span = level.as_ref().map_or_else(|| common.header.clone(), |level| level.span.clone());
    let costs = settings.asks.is_some() || settings.tier.is_some();
    if missing && !costs {
        let help = "or settings of its own: `tier`, `stages`; what never runs is written as [[forbid]]";
        report.error(common.header.clone(), "[[rule]] needs a `level`", help);
    }
    if let Some(tier) = settings.tier.as_ref().filter(|tier| tier.value == Tier::Forbid) {
        let message = "a rule does not forbid: its calls could be taken by an earlier one";
        report.error(tier.span.clone(), message, "write it as [[forbid]], which is looked at first");
    }
    if missing && costs || level.is_some() {
        let level = level.map_or(beneath.default, |level| level.value);
        let table = |level| &of_level(beneath.levels, level).policy;
        let under = table(level);
        let fixed = settings.fixed.as_ref().is_some_and(|at| at.value);
        let what = format!("rule `{}`", common.hit.rule);
        settings.check(&Whose { what: &what, level, under, solo: beneath.solo }, report);
        // `fixed` is about the rule, and costs nothing.
        let own = settings.sets_more_than("fixed").then(|| Box::new(OwnCosts::of(&settings, level, table)));
        let says = Grades { level, own, always_ask };
        return Some(RuleRead { settings, ..common.rule(Some(At::new(says, says_span)), fixed)? });
    }
    None
}

fn raise(mut table: Table<'_>, beneath: &Beneath<'_>, report: &mut Report<'_>) -> Option<RuleRead<Raises>> {
    let common = Common::read(&mut table, RuleKind::Raise, beneath, report);
    let to = table.word("to", &LEVELS, report);
    let by = table.count("by", RAISE_BY_MAX, report);
    let always_ask = table.boolean("always_ask", report).is_some_and(|at| at.value);
    let fixed = table.boolean("fixed", report).is_some_and(|at| at.value);
    let says = match (table.key_span("to"), table.key_span("by")) {
        (Some(to), Some(_)) => {
            report.error(to, "[[raise]] takes either `by` or `to`, not both", "take out one of the two");
            None
        }
        (Some(_), None) => to.map(|to| to.map(RaiseTo::Level)),
        (None, Some(_)) => by.map(|by| by.map(RaiseTo::By)),
        (None, None) => {
            let help = "by = 1 lifts by one level, to = \"high\" at least to that one";
            report.error(common.header.clone(), "[[raise]] needs `by` or `to`", help);
            None
        }
    };
    if let Some(At { value: RaiseTo::Level(Level::Low), span }) = &says {
        report.error(span.clone(), "nothing can be raised to level low: it is the lowest", "");
    }
    table.finish(&[KEYS, RAISE_KEYS], "[[raise]]", report);
    common.rule(says.map(|says| says.map(|to| Raises { to, always_ask })), fixed)
}

/// What a condition looks at and this policy never tells.
fn doubts(
    when: &Condition,
    span: &Span,
    tools: &[Pattern],
    (beneath, report): (&Beneath<'_>, &mut Report<'_>),
) {
    for name in when.looks_at() {
        if let Some(key) = beneath.calendar.says_nothing_of(name) {
            let message = format!("`{name}` is never true: the policy says nothing of it");
            report.warning(span.clone(), message, format!("[calendar] `{key}` says when it is"));
        }
        let untold = tools.iter().find(|pattern| !beneath.tools.compute(name, pattern));
        if let Some(pattern) = untold
            && !when.text().contains("null")
        {
            let message = format!("`{name}` is not computed for every tool that is `{}`", pattern.text());
            let help = format!(
                "what cannot be told is taken in the stricter way; write `{name} != null && …`, or compute it in [tools]"
            );
            report.warning(span.clone(), message, help);
        }
    }
}

/// What a kind of rule is called in the file.
const fn word(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Rule => "rule",
        RuleKind::Forbid => "forbid",
        RuleKind::Raise => "raise",
        RuleKind::Default => "default",
    }
}
