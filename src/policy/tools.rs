//! `[tools]`: what the policy knows of each tool: its facts, how amounts and counts are computed from a call's
//! arguments, and the words for people.
//!
//! Several entries can be about one tool: `[tools."crm/merge"]`, `[tools.merge]`, `[tools."crm/*"]`, `[tools."*"]`. The
//! narrowest that says something counts, for each key by itself.

use std::collections::{BTreeMap, HashMap};

use super::case::Case;
use super::condition::{Condition, Gives};
use super::diagnostic::Report;
use super::fields::Names;
use super::pattern::Pattern;
use super::reader::{At, Keys, Table};
use super::remember::Widening;
use super::verdict::{Figure, FigureName};
use crate::call::ToolCall;

/// How far an effect can reach, least first.
pub(super) const REACHES: [&str; 4] = ["session", "team", "everybody", "outside"];
/// How sensitive data can be, least first.
pub(super) const DATA_LEVELS: [&str; 4] = ["public", "internal", "confidential", "restricted"];

const WIDENINGS: [(&str, Widening); 3] =
    [("folder", Widening::Folder), ("domain", Widening::Domain), ("any", Widening::Any)];

/// The keys of one entry, each with what it says.
pub(super) const KEYS: &Keys = &[
    ("title", "the first line of the card; {path} stands for the argument `path`"),
    ("effect", "what is known of the effect, as the title is written"),
    ("leading_args", "the arguments that decide, shown first"),
    ("reversible", "whether it can be undone"),
    ("reach", "how far it reaches: session, team, everybody or outside"),
    ("data_level", "how sensitive its data is: public, internal, confidential or restricted"),
    ("environment", "where it acts"),
    ("amount", "how much, computed from the arguments"),
    ("count", "how many things, computed from the arguments"),
    ("affected", "how many users, computed from the arguments"),
    ("remember", "how each argument is widened when a yes is remembered: folder, domain or any"),
    ("fixed", "whether no tenant's own file may say otherwise"),
];

/// One entry.
#[derive(Debug, Clone)]
struct Facts {
    pattern: Pattern,
    title: Option<String>,
    effect: Option<String>,
    leading_args: Option<Vec<String>>,
    reversible: Option<bool>,
    reach: Option<&'static str>,
    data_level: Option<&'static str>,
    environment: Option<String>,
    amount: Option<Condition>,
    count: Option<Condition>,
    affected: Option<Condition>,
    remember: Option<BTreeMap<String, Widening>>,
    /// Whether no tenant's own file may say otherwise.
    fixed: bool,
}

/// What the policy knows of tools.
#[derive(Debug, Clone, Default)]
pub(super) struct Tools {
    /// Those that count before others first: what is fixed, then the tenant's own, then the installation's; of each the
    /// narrowest first.
    entries: Vec<Facts>,
    /// Entries about one name, with or without its server.
    names: HashMap<String, Vec<usize>>,
    /// Entries about several.
    open: Vec<usize>,
}

/// What the policy knows of one tool.
#[derive(Debug, Clone)]
pub(super) struct Tool<'a> {
    /// Narrowest first.
    entries: Vec<&'a Facts>,
}

impl Tools {
    /// A file's entries; a tenant's stand before those of the installation that are not fixed.
    pub(super) fn read(table: Option<Table<'_>>, ground: Option<&Self>, report: &mut Report<'_>) -> Self {
        let ground = ground.map_or(&[][..], |ground| &ground.entries);
        let Some(table) = table else { return Self::of_entries(ground.to_vec()) };
        for (name, _) in table.entries() {
            if ground.iter().any(|facts| facts.fixed && facts.pattern.text() == name.value) {
                let message = format!("the installation has fixed what it says of `{}`", name.value);
                report.error(name.span, message, "take it out: a tenant cannot say otherwise");
            }
        }
        let entries = table.entries().filter_map(|(name, value)| {
            let tool = Table::of(value, report, name.value)?;
            Facts::read(At::new(name.value.to_owned(), name.span), tool, report)
        });
        let mut entries: Vec<Facts> = entries.collect();
        entries.sort_by_key(|facts| std::cmp::Reverse(facts.narrowness()));
        let (fixed, open): (Vec<_>, Vec<_>) = ground.iter().cloned().partition(|facts| facts.fixed);
        Self::of_entries(fixed.into_iter().chain(entries).chain(open).collect())
    }

    fn of_entries(entries: Vec<Facts>) -> Self {
        let mut tools = Self { entries, ..Self::default() };
        for (place, facts) in tools.entries.iter().enumerate() {
            match facts.pattern.name() {
                Some(name) => tools.names.entry(name.to_owned()).or_default().push(place),
                None => tools.open.push(place),
            }
        }
        tools
    }

    /// The names of tools that have entries of their own.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// What is known of the tool of a call.
    pub(super) fn of(&self, call: &ToolCall) -> Tool<'_> {
        if self.entries.is_empty() {
            return Tool { entries: Vec::new() };
        }
        let full = call.full_name();
        let tool = call.tool.as_str();
        let named = [self.names.get(&full), self.names.get(tool).filter(|_| full != tool)];
        let named = named.into_iter().flatten().flatten();
        let open = self.open.iter().filter(|place| {
            self.entries.get(**place).is_some_and(|facts| {
                let with_server = facts.pattern.text().contains('/');
                facts.pattern.matches(if with_server { &full } else { tool })
            })
        });
        let mut places: Vec<_> = named.chain(open).collect();
        places.sort_unstable();
        Tool { entries: places.into_iter().filter_map(|place| self.entries.get(*place)).collect() }
    }

    /// Whether a name can be told of every tool that a pattern means: amounts, counts and affected users where they are
    /// computed, anything else always.
    pub(super) fn compute(&self, name: &str, tools: &Pattern) -> bool {
        if !matches!(name, "amount" | "count" | "affected") {
            return true;
        }
        self.entries.iter().any(|facts| facts.computes(name) && facts.pattern.covers(tools))
    }
}

impl Facts {
    fn read(name: At<String>, mut table: Table<'_>, report: &mut Report<'_>) -> Option<Self> {
        let mut template = |key: &'static str, table: &mut Table<'_>| {
            let text = table.string(key, report)?;
            if !is_template(&text.value) {
                let message = format!("the braces of `{key}` do not fit together");
                report.error(text.span.clone(), message, "`{path}` stands for the argument `path`");
            }
            Some(text.value)
        };
        let (title, effect) = (template("title", &mut table), template("effect", &mut table));
        let leading = table.strings("leading_args", report);
        let reversible = table.boolean("reversible", report).map(|at| at.value);
        let reach = table.word("reach", &REACHES.map(|word| (word, word)), report).map(|at| at.value);
        let data_level =
            table.word("data_level", &DATA_LEVELS.map(|word| (word, word)), report).map(|at| at.value);
        let environment = table.string("environment", report).map(|at| at.value);
        let mut computed = |key: &'static str| {
            let text = table.string(key, report)?;
            Condition::read(&text, Gives::Number, Names::Call, report)
        };
        let (amount, count, affected) = (computed("amount"), computed("count"), computed("affected"));
        let remember = table.table("remember", report).map(|table| widenings(&table, report));
        let fixed = table.boolean("fixed", report).is_some_and(|at| at.value);
        table.finish(&[KEYS], &format!("[tools.{:?}]", name.value), report);
        Some(Self {
            pattern: Pattern::read(name, report)?,
            title,
            effect,
            leading_args: leading.map(|names| names.value.into_iter().map(|name| name.value).collect()),
            reversible,
            reach,
            data_level,
            environment,
            amount,
            count,
            affected,
            remember,
            fixed,
        })
    }

    /// Names before patterns, those with a server first; of patterns the one that says more.
    fn narrowness(&self) -> (bool, bool, usize) {
        let text = self.pattern.text();
        (self.pattern.name().is_some(), text.contains('/'), text.chars().filter(|c| *c != '*').count())
    }

    fn computes(&self, name: &str) -> bool {
        match name {
            "amount" => self.amount.is_some(),
            "count" => self.count.is_some(),
            "affected" => self.affected.is_some(),
            _ => false,
        }
    }
}

fn widenings(table: &Table<'_>, report: &mut Report<'_>) -> BTreeMap<String, Widening> {
    let mut widenings = BTreeMap::new();
    for (name, value) in table.entries() {
        let Some(word) = super::reader::string(value, name.value, report) else { continue };
        match WIDENINGS.iter().find(|(known, _)| *known == word.value) {
            Some((_, widening)) => {
                widenings.insert(name.value.to_owned(), *widening);
            }
            None => {
                let message =
                    format!("an argument is widened by folder, domain or any; not `{}`", word.value);
                report.error(word.span, message, "an argument that is left out must be the same");
            }
        }
    }
    widenings
}

impl<'a> Tool<'a> {
    fn first<T>(&self, of: impl Fn(&'a Facts) -> Option<T>) -> Option<T> {
        self.entries.iter().find_map(|facts| of(facts))
    }

    pub(super) fn reversible(&self) -> Option<bool> {
        self.first(|facts| facts.reversible)
    }

    pub(super) fn reach(&self) -> Option<&'static str> {
        self.first(|facts| facts.reach)
    }

    pub(super) fn data_level(&self) -> Option<&'static str> {
        self.first(|facts| facts.data_level)
    }

    pub(super) fn environment(&self) -> Option<&'a str> {
        self.first(|facts| facts.environment.as_deref())
    }

    pub(super) fn amount(&self) -> Option<&'a Condition> {
        self.first(|facts| facts.amount.as_ref())
    }

    pub(super) fn count(&self) -> Option<&'a Condition> {
        self.first(|facts| facts.count.as_ref())
    }

    pub(super) fn affected(&self) -> Option<&'a Condition> {
        self.first(|facts| facts.affected.as_ref())
    }

    pub(super) fn leading_args(&self) -> Vec<String> {
        self.first(|facts| facts.leading_args.clone()).unwrap_or_default()
    }

    /// How each argument is widened when a yes is remembered.
    pub(super) fn remember(&self) -> BTreeMap<String, Widening> {
        self.first(|facts| facts.remember.clone()).unwrap_or_default()
    }

    /// The title with the policy's own numbers put in; arguments are put in where they are shown.
    pub(super) fn title(&self, case: &Case<'_>) -> Option<String> {
        self.first(|facts| facts.title.as_deref()).map(|template| fill_in(template, case))
    }

    /// The effect, as the title.
    pub(super) fn effect(&self, case: &Case<'_>) -> Option<String> {
        self.first(|facts| facts.effect.as_deref()).map(|template| fill_in(template, case))
    }

    /// What the policy computed or knows of a call that matters to who decides.
    pub(super) fn figures(&self, case: &Case<'_>) -> Vec<Figure> {
        let computed = [
            (FigureName::Amount, case.amount()),
            (FigureName::Count, case.count()),
            (FigureName::Affected, case.affected()),
        ];
        let computed = computed.into_iter().filter_map(|(name, number)| {
            let value = match number.as_ref()? {
                Ok(number) => number.to_string(),
                Err(_) => "cannot be computed".to_owned(),
            };
            Some(Figure { name, value })
        });
        let known = [
            (FigureName::Environment, self.environment().map(ToOwned::to_owned)),
            (FigureName::DataLevel, self.data_level().map(ToOwned::to_owned)),
            (FigureName::Reach, self.reach().map(ToOwned::to_owned)),
            (FigureName::Reversible, self.reversible().map(|yes| if yes { "yes" } else { "no" }.to_owned())),
        ];
        let known = known.into_iter().filter_map(|(name, value)| Some(Figure { name, value: value? }));
        computed.chain(known).collect()
    }
}

fn fill_in(template: &str, case: &Case<'_>) -> String {
    let mut filled = template.to_owned();
    for (name, number) in
        [("{amount}", case.amount()), ("{count}", case.count()), ("{affected}", case.affected())]
    {
        match number {
            Some(Ok(number)) => filled = filled.replace(name, &number.to_string()),
            Some(Err(_)) => filled = filled.replace(name, "?"),
            None => {}
        }
    }
    filled
}

/// Whether every brace opens and closes around a name.
fn is_template(text: &str) -> bool {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { return false };
        if before.contains('}') || name.is_empty() || name.contains('{') {
            return false;
        }
        rest = tail;
    }
    !text.trim().is_empty() && !rest.contains('}')
}
