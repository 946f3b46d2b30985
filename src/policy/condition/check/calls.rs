//! Functions that conditions have.

use cel::common::ast::{CallExpr, Expr, LiteralValue};
use regex::RegexBuilder;

use super::super::REGEX_BYTES_MAX;
use super::super::kind::Kind;
use super::super::value::{MATCHES, Pattern};
use super::{Check, PATTERN_PREFIX};
use crate::policy::diagnostic::nearest;

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

impl Check {
    pub(super) fn call(&mut self, id: u64, call: &mut CallExpr) -> Kind {
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
}

fn accepts(takes: Kind, given: Kind) -> bool {
    match takes {
        Kind::Text => given.is_text(),
        Kind::Maybe => matches!(given, Kind::Maybe | Kind::Any),
        _ => !matches!(given, Kind::Truth | Kind::Whole | Kind::Broken | Kind::Number | Kind::Null),
    }
}
