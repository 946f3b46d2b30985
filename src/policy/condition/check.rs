//! What is wrong with a condition, found when it is read: names that do not exist, comparisons that can never be true,
//! patterns that are none, and what would cost too much.

mod calls;
mod operators;

use std::collections::BTreeSet;

use cel::IdedExpr;
use cel::common::ast::{ComprehensionExpr, Expr, ListExpr, LiteralValue, SelectExpr};

use super::kind::{Kind, maybe_help};
use super::value::Pattern;
use super::{Gives, LIST_MAX, LOOPS_MAX, NESTING_MAX};
use crate::policy::fields::{Names, Root};

/// What a compiled pattern is called in the condition; no name can be written so.
pub(super) const PATTERN_PREFIX: &str = "@pattern";

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
