//! What is written with signs: whether both sides can be compared, ordered and computed with.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use super::super::alike::{DIFFERS, EQUALS, WITHIN};
use super::super::kind::{Kind, maybe_help};
use super::Check;
use crate::policy::diagnostic::nearest;

impl Check {
    /// What is written with signs; none if it is a function with a name.
    pub(super) fn operator(&mut self, id: u64, call: &mut CallExpr) -> Option<Kind> {
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
            (operators::EQUALS | operators::NOT_EQUALS, [one, other]) => {
                let kind = self.equal(id, args, (*one, *other));
                if !is_told((*one, *other)) {
                    let is_equal = name == operators::EQUALS;
                    call.func_name = if is_equal { EQUALS } else { DIFFERS }.to_owned();
                }
                kind
            }
            (operators::IN, [one, other]) => {
                let kind = self.within(id, args, (*one, *other));
                let is_told =
                    *one == Kind::Null || one.is_surely_text() && args.get(1).is_some_and(holds_text_alone);
                if !is_told {
                    call.func_name = WITHIN.to_owned();
                }
                kind
            }
            (
                operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
                [one, other],
            ) => {
                let fits = one.is_number() && other.is_number() || one.is_text() && other.is_text();
                if !fits {
                    let message = format!("{} and {} have no order", one.name(), other.name());
                    let help = match args.iter().find_map(quoted_number) {
                        Some(number) => format!("a number is written without quotes: {number}"),
                        None => maybe_help(&[*one, *other]).to_owned(),
                    };
                    self.error(id, message, help);
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

/// The number that a text in quotes is, where it is one.
fn quoted_number(expression: &IdedExpr) -> Option<&str> {
    let Expr::Literal(LiteralValue::String(text)) = &expression.expr else { return None };
    let text: &str = text.inner();
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|_| text)
}

/// Whether what is compared is known to be of one kind before there is a call, or whether something is null is all that
/// is asked. What the policy knows of a tool may be null: it does not say then, which is no mistake of the call's.
fn is_told(kinds: (Kind, Kind)) -> bool {
    match kinds {
        (Kind::Null, _) | (_, Kind::Null) | (Kind::Truth, Kind::Truth) | (Kind::Whole, Kind::Whole) => true,
        (one, other) => one.is_surely_text() && other.is_surely_text(),
    }
}

/// Whether a list holds nothing but text, whatever the call.
fn holds_text_alone(list: &IdedExpr) -> bool {
    match &list.expr {
        Expr::List(list) => {
            list.elements.iter().all(|element| matches!(element.expr, Expr::Literal(LiteralValue::String(_))))
        }
        Expr::Ident(name) => name == "requester.roles",
        _ => false,
    }
}
