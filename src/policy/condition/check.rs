//! What is wrong with a condition, found when it is read: names that do not exist, comparisons that can never be true,
//! patterns that are none, and what would cost too much.

use std::collections::BTreeSet;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, ListExpr, LiteralValue, SelectExpr, operators};
use regex::RegexBuilder;

use super::value::{MATCHES, Pattern};
use super::{Gives, LIST_MAX, LOOPS_MAX, NESTING_MAX, REGEX_BYTES_MAX};
use crate::policy::diagnostic::nearest;
use crate::policy::fields::{Names, Root};

/// What a compiled pattern is called in the condition; no name can be written so.
pub(super) const PATTERN_PREFIX: &str = "@pattern";

/// What kind of value something is, as far as it can be told before there is a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// True or false.
    Truth,
    /// A whole number.
    Whole,
    /// A number with a fraction.
    Broken,
    /// A number of either kind.
    Number,
    /// Text.
    Text,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A list.
    List,
    /// Something that may be missing, as `.?` gives it.
    Maybe,
    /// Nothing.
    Null,
    /// Only the call can tell.
    Any,
}

impl Kind {
    const fn is_number(self) -> bool {
        matches!(self, Self::Whole | Self::Broken | Self::Number | Self::Any)
    }

    const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Word(_) | Self::Any)
    }

    /// As people call it.
    pub(in super::super) const fn name(self) -> &'static str {
        match self {
            Self::Truth => "true or false",
            Self::Whole => "a whole number",
            Self::Broken => "a number with a fraction",
            Self::Number => "a number",
            Self::Text | Self::Word(_) => "text",
            Self::List => "a list",
            Self::Maybe => "something that may be missing",
            Self::Null => "null",
            Self::Any => "anything",
        }
    }
}

/// A type of CEL as people call it.
pub(super) fn called(kind: &str) -> &'static str {
    match kind {
        "bool" => "true or false",
        "int" | "uint" => "a whole number",
        "double" | "float" => "a number with a fraction",
        "string" => "text",
        "list" => "a list",
        "map" => "an object",
        "null" | "null_type" => "null",
        "optional_type" => "something that may be missing",
        _ => "another value",
    }
}

/// An operator or function as it is written.
pub(super) fn operator(name: &str) -> &str {
    match name {
        MATCHES => "matches",
        operators::INDEX => "[]",
        "@in" => "in",
        other => other.trim_matches('_'),
    }
}

/// Functions that conditions have: name, whether it is called on a value, what it takes there, how many arguments, and
/// what it gives.
const FUNCTIONS: [(&str, bool, Kind, usize, Kind); 18] = [
    ("size", false, Kind::Any, 1, Kind::Whole),
    ("size", true, Kind::Any, 0, Kind::Whole),
    ("sum", false, Kind::Any, 1, Kind::Number),
    ("int", false, Kind::Any, 1, Kind::Whole),
    ("double", false, Kind::Any, 1, Kind::Broken),
    ("string", false, Kind::Any, 1, Kind::Text),
    ("bool", false, Kind::Any, 1, Kind::Truth),
    ("contains", true, Kind::Text, 1, Kind::Truth),
    ("startsWith", true, Kind::Text, 1, Kind::Truth),
    ("endsWith", true, Kind::Text, 1, Kind::Truth),
    ("matches", true, Kind::Text, 1, Kind::Truth),
    ("lowerAscii", true, Kind::Text, 0, Kind::Text),
    ("upperAscii", true, Kind::Text, 0, Kind::Text),
    ("trim", true, Kind::Text, 0, Kind::Text),
    ("hasValue", true, Kind::Maybe, 0, Kind::Truth),
    ("value", true, Kind::Maybe, 0, Kind::Any),
    ("orValue", true, Kind::Maybe, 1, Kind::Any),
    ("or", true, Kind::Maybe, 1, Kind::Maybe),
];

/// A condition that was found right.
pub(super) struct Checked {
    pub(super) expression: IdedExpr,
    pub(super) patterns: Vec<Pattern>,
    pub(super) looks_at: BTreeSet<&'static str>,
}

/// Something that is wrong with a condition.
pub(super) struct Mistake {
    /// The node that is shown.
    pub(super) node: u64,
    pub(super) message: String,
    pub(super) help: String,
}

/// Walks through one condition.
pub(super) struct Check {
    names: Names,
    /// Names that loops bring, innermost last.
    bound: Vec<(String, Kind)>,
    loops: usize,
    depth: usize,
    patterns: Vec<Pattern>,
    looks_at: BTreeSet<&'static str>,
    mistakes: Vec<Mistake>,
}

impl Check {
    pub(super) const fn new(names: Names) -> Self {
        Self {
            names,
            bound: Vec::new(),
            loops: 0,
            depth: 0,
            patterns: Vec::new(),
            looks_at: BTreeSet::new(),
            mistakes: Vec::new(),
        }
    }

    /// The condition with names and patterns in place, or everything that is wrong with it.
    pub(super) fn check(mut self, mut expression: IdedExpr, gives: Gives) -> Result<Checked, Vec<Mistake>> {
        let kind = self.kind(&mut expression);
        let (fits, wanted) = match gives {
            Gives::Truth => (matches!(kind, Kind::Truth | Kind::Any), "true or false"),
            Gives::Number => (kind.is_number(), "a number"),
        };
        if !fits && self.mistakes.is_empty() {
            let message = format!("this gives {}, not {wanted}", kind.name());
            self.error(expression.id, message, maybe_help(&[kind]));
        }
        let Self { patterns, looks_at, mistakes, .. } = self;
        if mistakes.is_empty() { Ok(Checked { expression, patterns, looks_at }) } else { Err(mistakes) }
    }

    fn error(&mut self, node: u64, message: impl Into<String>, help: impl Into<String>) -> Kind {
        self.mistakes.push(Mistake { node, message: message.into(), help: help.into() });
        Kind::Any
    }

    fn kind(&mut self, expression: &mut IdedExpr) -> Kind {
        if self.depth == usize::from(NESTING_MAX) {
            let message = format!("a condition nests at most {NESTING_MAX} deep");
            return self.error(
                expression.id,
                message,
                "several rules with a condition each are easier to read",
            );
        }
        self.depth += 1;
        let kind = self.kind_of(expression);
        self.depth -= 1;
        kind
    }

    fn kind_of(&mut self, expression: &mut IdedExpr) -> Kind {
        let id = expression.id;
        match &mut expression.expr {
            Expr::Ident(_) | Expr::Select(SelectExpr { test: false, .. }) => self.named(expression),
            Expr::Select(select) => self.present(id, select),
            Expr::Literal(literal) => match literal {
                LiteralValue::Boolean(_) => Kind::Truth,
                LiteralValue::Double(_) => Kind::Broken,
                LiteralValue::Int(_) => Kind::Whole,
                LiteralValue::Null => Kind::Null,
                LiteralValue::String(_) => Kind::Text,
                LiteralValue::UInt(_) => self.error(id, "numbers here are without `u`", "write 7, not 7u"),
                LiteralValue::Bytes(_) => {
                    self.error(id, "there are no bytes here", "write \"a\", not b\"a\"")
                }
            },
            Expr::List(list) => self.list(id, list),
            Expr::Call(call) => self.call(id, call),
            Expr::Comprehension(comprehension) => self.comprehension(id, comprehension),
            Expr::Map(_) | Expr::Struct(_) => self.error(
                id,
                "a condition brings no objects of its own",
                "look at the single fields instead",
            ),
            Expr::Unspecified => self.error(id, "this is not a condition", ""),
        }
    }

    /// A name, or a part of something: names of more than one word become one.
    fn named(&mut self, expression: &mut IdedExpr) -> Kind {
        let Some((name, id)) = spelled(expression) else {
            let Expr::Select(select) = &mut expression.expr else { return Kind::Any };
            let kind = self.kind(&mut select.operand);
            return self.part(expression.id, kind);
        };
        let root = name.split('.').next().unwrap_or_default();
        if let Some((_, kind)) = self.bound.iter().rev().find(|(bound, _)| bound == root) {
            let kind = *kind;
            return if root.len() == name.len() { kind } else { self.part(expression.id, kind) };
        }
        match self.names.find(&name) {
            Root::Field(field) => {
                self.looks_at.insert(field.name);
                expression.expr = Expr::Ident(field.name.to_owned());
                field.kind
            }
            Root::Args => {
                self.looks_at.insert("args");
                Kind::Any
            }
            Root::Unknown { message, help } => self.error(id, message, help),
        }
    }

    fn part(&mut self, id: u64, of: Kind) -> Kind {
        match of {
            Kind::Any => Kind::Any,
            Kind::Maybe => Kind::Maybe,
            other => self.error(id, format!("{} has no parts", other.name()), ""),
        }
    }

    /// `has(…)`.
    fn present(&mut self, id: u64, select: &mut SelectExpr) -> Kind {
        if let Expr::Ident(root) = &select.operand.expr
            && self.names.is_structure(root)
            && !self.bound.iter().any(|(bound, _)| bound == root)
        {
            let message = format!("`{root}.{}` is always there", select.field);
            return self.error(
                id,
                message,
                "`has` is for arguments; for a name that may be empty compare with \"\"",
            );
        }
        let kind = self.kind(&mut select.operand);
        self.part(id, kind);
        Kind::Truth
    }

    fn list(&mut self, id: u64, list: &mut ListExpr) -> Kind {
        if list.elements.len() > LIST_MAX {
            let message =
                format!("a list here has at most {LIST_MAX} values; this has {}", list.elements.len());
            return self.error(id, message, "");
        }
        for element in &mut list.elements {
            let kind = self.kind(element);
            if kind == Kind::List {
                self.error(element.id, "a list here holds no lists", "");
            }
        }
        Kind::List
    }

    fn comprehension(&mut self, id: u64, loops: &mut ComprehensionExpr) -> Kind {
        let range = self.kind(&mut loops.iter_range);
        if !matches!(range, Kind::List | Kind::Any) {
            let help =
                if range == Kind::Maybe { "`.orValue([])` takes none where it is missing" } else { "" };
            return self.error(
                loops.iter_range.id,
                format!("{} cannot be looked through", range.name()),
                help,
            );
        }
        if self.loops == LOOPS_MAX {
            let message =
                format!("at most {LOOPS_MAX} of all, exists, map and filter stand within one another");
            return self.error(id, message, "they could take too long");
        }
        let start = self.kind(&mut loops.accu_init);
        let names = self.bound.len();
        self.loops += 1;
        self.bound.push((loops.iter_var.clone(), Kind::Any));
        self.bound.extend(loops.iter_var2.clone().map(|name| (name, Kind::Any)));
        self.bound.push((loops.accu_var.clone(), start));
        self.kind(&mut loops.loop_cond);
        self.kind(&mut loops.loop_step);
        let kind = self.kind(&mut loops.result);
        self.bound.truncate(names);
        self.loops -= 1;
        kind
    }

    fn call(&mut self, id: u64, call: &mut CallExpr) -> Kind {
        if call.target.is_none()
            && let Some(kind) = self.operator(id, call)
        {
            return kind;
        }
        let member = call.target.is_some();
        let target = call.target.as_mut().map(|target| self.kind(target));
        let named: Vec<_> = FUNCTIONS.iter().filter(|function| function.0 == call.func_name).collect();
        let Some(function) = named.iter().find(|function| function.1 == member) else {
            return self.unknown_function(id, &call.func_name, named.first().map(|function| function.1));
        };
        let (_, _, takes, count, gives) = **function;
        if call.args.len() != count {
            let message = format!(
                "`{}` takes {count} of what stands in its brackets; here are {}",
                call.func_name,
                call.args.len()
            );
            return self.error(id, message, "");
        }
        let kinds: Vec<Kind> = call.args.iter_mut().map(|arg| self.kind(arg)).collect();
        if let Some(target) = target.filter(|target| !accepts(takes, *target)) {
            let message = format!("`{}` does not work on {}", call.func_name, target.name());
            let help = if target == Kind::Maybe {
                "`.orValue(…)` says what holds where it is missing"
            } else {
                ""
            };
            return self.error(id, message, help);
        }
        if call.func_name == "matches" {
            return self.pattern(call);
        }
        if takes == Kind::Text
            && let Some((at, kind)) = kinds.iter().enumerate().find(|(_, kind)| !kind.is_text())
        {
            let message = format!("`{}` takes text; this is {}", call.func_name, kind.name());
            return self.error(call.args[at].id, message, "");
        }
        if call.func_name == "sum" && !matches!(kinds.first(), Some(Kind::List | Kind::Any)) {
            return self.error(
                id,
                "`sum` adds up a list of numbers",
                "such as sum(args.lines.map(line, line.amount))",
            );
        }
        gives
    }

    fn unknown_function(&mut self, id: u64, name: &str, member: Option<bool>) -> Kind {
        let help = match (member, nearest(name, FUNCTIONS.iter().map(|function| function.0))) {
            (Some(true), _) => format!("it is written x.{name}(…)"),
            (Some(false), _) => format!("it is written {name}(x)"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => {
                let mut known: Vec<&str> = FUNCTIONS.iter().map(|function| function.0).collect();
                known.dedup();
                format!("known here: has, all, exists, exists_one, map, filter, {}", known.join(", "))
            }
        };
        self.error(id, format!("there is no function `{name}` here"), help)
    }

    /// `x.matches("…")`: the pattern is compiled here, once.
    fn pattern(&mut self, call: &mut CallExpr) -> Kind {
        let Some(arg) = call.args.first_mut() else { return Kind::Truth };
        let Expr::Literal(LiteralValue::String(text)) = &arg.expr else {
            let help = "a pattern that a call could bring might match anything";
            return self.error(arg.id, "the pattern of `matches` must be written here", help);
        };
        match RegexBuilder::new(text.inner()).size_limit(REGEX_BYTES_MAX).build() {
            Ok(regex) => {
                arg.expr = Expr::Ident(format!("{PATTERN_PREFIX}{}", self.patterns.len()));
                call.func_name = MATCHES.to_owned();
                self.patterns.push(Pattern(regex));
                Kind::Truth
            }
            Err(error) => {
                let why = match error {
                    regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
                    other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
                };
                self.error(arg.id, "this is no regular expression", why)
            }
        }
    }

    /// What is written with signs; none if it is a function with a name.
    fn operator(&mut self, id: u64, call: &mut CallExpr) -> Option<Kind> {
        let name = call.func_name.clone();
        let known = name.contains('_') && !name.chars().all(|c| c.is_alphanumeric() || c == '_')
            || name.starts_with('@');
        if !known {
            return None;
        }
        let kinds: Vec<Kind> = call.args.iter_mut().map(|arg| self.kind(arg)).collect();
        let args = &call.args;
        Some(match (name.as_str(), kinds.as_slice()) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT, kinds) => {
                self.truths(args, kinds);
                Kind::Truth
            }
            (operators::NOT_STRICTLY_FALSE, _) => Kind::Truth,
            (operators::CONDITIONAL, [condition, yes, no]) => {
                self.truths(args, &[*condition]);
                if yes == no { *yes } else { Kind::Any }
            }
            (operators::EQUALS | operators::NOT_EQUALS, [one, other]) => self.equal(id, args, (*one, *other)),
            (operators::IN, [one, other]) => self.within(id, args, (*one, *other)),
            (
                operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
                [one, other],
            ) => {
                let fits = one.is_number() && other.is_number() || one.is_text() && other.is_text();
                if !fits {
                    let message = format!("{} and {} have no order", one.name(), other.name());
                    self.error(id, message, maybe_help(&[*one, *other]));
                }
                Kind::Truth
            }
            (operators::NEGATE, [one]) => self.number(id, &[*one]),
            (operators::ADD, [one, other])
                if one.is_text() && other.is_text() && (*one, *other) != (Kind::Any, Kind::Any) =>
            {
                Kind::Text
            }
            (operators::ADD, [Kind::List, Kind::List | Kind::Any] | [Kind::Any, Kind::List]) => Kind::List,
            (operators::ADD, [Kind::Any, Kind::Any]) => Kind::Any,
            (
                operators::ADD
                | operators::SUBSTRACT
                | operators::MULTIPLY
                | operators::DIVIDE
                | operators::MODULO,
                kinds,
            ) => self.number(id, kinds),
            (operators::INDEX, [of, _]) => match of {
                Kind::List => Kind::Any,
                other => self.part(id, *other),
            },
            (operators::OPT_INDEX | operators::OPT_SELECT, [of, _]) => {
                if *of != Kind::List {
                    self.part(id, *of);
                }
                Kind::Maybe
            }
            _ => self.error(id, "this is not known here", ""),
        })
    }

    fn truths(&mut self, args: &[IdedExpr], kinds: &[Kind]) {
        for (arg, kind) in args.iter().zip(kinds) {
            if !matches!(kind, Kind::Truth | Kind::Any) {
                self.error(
                    arg.id,
                    format!("this is {}, not true or false", kind.name()),
                    maybe_help(&[*kind]),
                );
            }
        }
    }

    fn number(&mut self, id: u64, kinds: &[Kind]) -> Kind {
        if let Some(kind) = kinds.iter().find(|kind| !kind.is_number()) {
            return self.error(id, format!("this computes with {}", kind.name()), maybe_help(kinds));
        }
        match kinds {
            [Kind::Whole, Kind::Broken] | [Kind::Broken, Kind::Whole] => {
                self.error(id, "whole numbers and others are not mixed", "write double(…) around both")
            }
            [Kind::Whole] | [Kind::Whole, Kind::Whole] => Kind::Whole,
            [Kind::Broken] | [Kind::Broken, Kind::Broken] => Kind::Broken,
            _ => Kind::Number,
        }
    }

    fn equal(&mut self, id: u64, args: &[IdedExpr], (one, other): (Kind, Kind)) -> Kind {
        let fits = one == Kind::Null
            || other == Kind::Null
            || (one.is_number() && other.is_number())
            || (one.is_text() && other.is_text())
            || one == other
            || one == Kind::Any
            || other == Kind::Any;
        if !fits {
            let message = format!("{} is never equal to {}", one.name(), other.name());
            return self.error(id, message, maybe_help(&[one, other]));
        }
        for (kind, arg) in [(one, args.get(1)), (other, args.first())] {
            if let (Kind::Word(words), Some(arg)) = (kind, arg) {
                self.word(words, arg);
            }
        }
        Kind::Truth
    }

    fn within(&mut self, id: u64, args: &[IdedExpr], (one, other): (Kind, Kind)) -> Kind {
        if !matches!(other, Kind::List | Kind::Any) {
            return self.error(id, format!("nothing is in {}", other.name()), maybe_help(&[other]));
        }
        if let (Kind::Word(words), Some(Expr::List(list))) = (one, args.get(1).map(|arg| &arg.expr)) {
            for element in &list.elements {
                self.word(words, element);
            }
        }
        Kind::Truth
    }

    /// What is compared with one of some words is one of them.
    fn word(&mut self, words: &'static [&'static str], arg: &IdedExpr) {
        let Expr::Literal(LiteralValue::String(text)) = &arg.expr else { return };
        let text = text.inner();
        if words.contains(&text) || text.is_empty() {
            return;
        }
        let help = match nearest(text, words.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("it is one of {}", words.join(", ")),
        };
        self.error(arg.id, format!("this is never \"{text}\""), help);
    }
}

fn accepts(takes: Kind, given: Kind) -> bool {
    match takes {
        Kind::Text => given.is_text(),
        Kind::Maybe => matches!(given, Kind::Maybe | Kind::Any),
        _ => !matches!(given, Kind::Truth | Kind::Whole | Kind::Broken | Kind::Number | Kind::Null),
    }
}

fn maybe_help(kinds: &[Kind]) -> &'static str {
    if kinds.contains(&Kind::Maybe) { "`.orValue(…)` says what holds where it is missing" } else { "" }
}

/// The name that an expression spells, `time.hour`, and the node that is shown where it is not known.
fn spelled(expression: &IdedExpr) -> Option<(String, u64)> {
    match &expression.expr {
        Expr::Ident(name) => Some((name.clone(), expression.id)),
        Expr::Select(select) if !select.test => {
            let (name, id) = spelled(&select.operand)?;
            Some((format!("{name}.{}", select.field), id))
        }
        _ => None,
    }
}
