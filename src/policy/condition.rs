//! Conditions in CEL: `when`, and how amounts and counts are computed.
//!
//! A condition that was read is known to be about names that exist, to compare what can be compared, and to cost little
//! to evaluate. What only the arguments can tell (a missing one, one of another type) is an error when it is evaluated,
//! and an error is data: whoever asked takes it in the stricter way. There is no clock and no randomness in it: the
//! time is a value like the others, objects are looked through in the order of their keys.

mod alike;
mod asker;
mod check;
mod kind;
mod place;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cel::common::ast::SourceInfo;
use cel::common::types::{CelBool, CelDouble, CelInt};
use cel::common::value::CowVal;
use cel::context::VariableResolver;
use cel::parser::PrattParser;
use cel::{Context, ExecutionError, IdedExpr, Value};

use super::case::Case;
use super::diagnostic::Report;
use super::fields::Names;
use super::reader::At;

use place::Place;

pub(super) use asker::AskedBy;
pub(super) use kind::Kind;
pub(super) use value::{Number, json};

/// The most characters of a condition: what does not fit is several rules.
const CHARS_MAX: usize = 2_000;
/// How deep a condition may nest: far from the end of any stack.
const NESTING_MAX: u16 = 32;
/// The most values in a list that a condition brings.
const LIST_MAX: usize = 256;
/// The most values of a list among the arguments that a condition looks through; a longer one only has a size. With
/// [`LOOPS_MAX`] it bounds what one call can cost.
const LIST_LOOKED_THROUGH_MAX: usize = 512;
/// The most loops (`all`, `exists`, `map`, `filter`) within one another.
const LOOPS_MAX: usize = 2;
/// The most bytes that a regular expression may take when compiled.
const REGEX_BYTES_MAX: usize = 256 * 1024;

/// A condition that was read and found right.
#[derive(Clone)]
pub(super) struct Condition {
    expression: IdedExpr,
    patterns: Vec<value::Pattern>,
    text: String,
    looks_at: BTreeSet<&'static str>,
}

/// What a condition must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// True or false.
    Truth,
    /// A number.
    Number,
}

impl Condition {
    /// Reads a condition that may look at `names`, or notes everything that is wrong with it, where it is.
    pub(super) fn read(
        text: &At<String>,
        gives: Gives,
        names: Names,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let chars = text.value.chars().count();
        if chars > CHARS_MAX {
            let message = format!("a condition has at most {CHARS_MAX} characters; this has {chars}");
            report.error(
                text.span.clone(),
                message,
                "several rules with a condition each are easier to read",
            );
            return None;
        }
        match parser().parse(&text.value) {
            Ok(expression) => match check::Check::new(names).check(expression, gives) {
                Ok(checked) => Some(Self {
                    expression: checked.expression,
                    patterns: checked.patterns,
                    text: text.value.clone(),
                    looks_at: checked.looks_at,
                }),
                Err(mistakes) => {
                    let (place, source) = (Place::new(text, report), sources(&text.value));
                    for mistake in mistakes {
                        let at = source.as_ref().and_then(|source| source.offset_for(mistake.node));
                        report.error(place.bytes(at), mistake.message, mistake.help);
                    }
                    None
                }
            },
            Err(errors) => {
                let place = Place::new(text, report);
                for error in errors.errors {
                    let at = error.source_info.as_ref().and_then(|source| source.offset_for(error.expr_id));
                    let what = error.msg.trim_start_matches("Syntax error: ");
                    let (what, help) = if what.contains("unescape") {
                        (what, "a text with backslashes is written r\"\\s\"")
                    } else if what.starts_with("mismatched input '='") {
                        ("`=` compares nothing", "write `==` to compare")
                    } else {
                        (what, "conditions are in CEL, https://cel.dev")
                    };
                    report.error(place.bytes(at), format!("this is not a condition: {what}"), help);
                }
                None
            }
        }
    }

    /// As it is written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What it gives for every call, where it looks at nothing of one; none where it does, or cannot be told.
    pub(super) fn constant(&self) -> Option<bool> {
        if !self.looks_at.is_empty() {
            return None;
        }
        catch_unwind(AssertUnwindSafe(|| {
            let patterns = Patterns(&self.patterns);
            let mut context = Context::with_env(value::environment());
            context.set_variable_resolver(&patterns);
            let value = Value::resolve_val(&self.expression, &context).ok()?;
            value.downcast_ref::<CelBool>().map(|truth| *truth.inner())
        }))
        .ok()?
    }

    /// Which names it looks at.
    pub(super) const fn looks_at(&self) -> &BTreeSet<&'static str> {
        &self.looks_at
    }

    /// Whether it holds for a case.
    ///
    /// # Errors
    /// Why it cannot be told, for people; without any value of the call.
    pub(super) fn holds(&self, case: &Case<'_>) -> Result<bool, String> {
        self.evaluate(
            case,
            |value| value.downcast_ref::<CelBool>().map(|truth| *truth.inner()),
            "true or false",
        )
    }

    /// The number that it gives for a case.
    ///
    /// # Errors
    /// Why it cannot be told, for people; without any value of the call.
    pub(super) fn number(&self, case: &Case<'_>) -> Result<Number, String> {
        let number = |value: &CowVal<'_, '_>| {
            let whole = value.downcast_ref::<CelInt>().map(|whole| Number::Whole(*whole.inner()));
            whole.or_else(|| value.downcast_ref::<CelDouble>().map(|number| Number::Broken(*number.inner())))
        };
        match self.evaluate(case, number, "a number")? {
            Number::Broken(number) if !number.is_finite() => Err("it is no finite number".to_owned()),
            number => Ok(number),
        }
    }

    fn evaluate<T>(
        &self,
        case: &Case<'_>,
        take: impl Fn(&CowVal<'_, '_>) -> Option<T>,
        wanted: &str,
    ) -> Result<T, String> {
        let scope = Scope { case, patterns: &self.patterns };
        // The interpreter promises not to panic; a promise that is broken is an error of this condition, no more.
        let evaluated = catch_unwind(AssertUnwindSafe(|| {
            let mut context = Context::with_env(value::environment());
            context.set_variable_resolver(&scope);
            let value =
                Value::resolve_val(&self.expression, &context).map_err(|error| self.explain(&error, case))?;
            take(&value)
                .ok_or_else(|| format!("it gives {}, not {wanted}", kind::called(value.get_type().name())))
        }));
        evaluated.unwrap_or_else(|_| Err("it could not be evaluated".to_owned()))
    }

    /// An error as people read it. Values of the call have no place in it: they may be secret.
    fn explain(&self, error: &ExecutionError, case: &Case<'_>) -> String {
        match error {
            ExecutionError::NoSuchKey(key) if self.text.contains(key.as_str()) => {
                format!("there is no `{key}`")
            }
            ExecutionError::NoSuchKey(_) => "something that it looks for is not there".to_owned(),
            ExecutionError::UndeclaredReference(name) => {
                case.why_unknown(name).unwrap_or_else(|| format!("`{name}` is not known"))
            }
            ExecutionError::NoSuchOverload(overload) => {
                let kinds: Vec<&str> =
                    overload.argument_types().iter().map(|kind| kind::called(kind)).collect();
                format!("{} does not work on {}", kind::operator(overload.function()), kinds.join(" and "))
            }
            ExecutionError::UnsupportedBinaryOperator(operator, one, other) => {
                let kinds = [one, other].map(|value| kind::called(&value.type_of().to_string()).to_owned());
                format!("`{operator}` does not work on {}", kinds.join(" and "))
            }
            ExecutionError::UnexpectedType { got, want } => {
                format!("it meets {} where {} is needed", kind::called(got), kind::called(want))
            }
            ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
                "it divides by zero".to_owned()
            }
            ExecutionError::Overflow(..) => "a number is too large".to_owned(),
            ExecutionError::IndexOutOfBounds(_) => "a list is shorter than that".to_owned(),
            ExecutionError::FunctionError { function, .. } => {
                format!("`{}` does not work on that value", kind::operator(function))
            }
            _ => "it cannot be evaluated on this call".to_owned(),
        }
    }
}

fn parser() -> PrattParser {
    PrattParser::new()
        .enable_optional_syntax(true)
        .max_recursion_depth(NESTING_MAX)
        .max_expression_node_count(CHARS_MAX)
}

/// Where each node stands. The parser tells only of what it could not read; so it is given the same text again with an
/// end that it cannot read, and counts its nodes in the same way.
fn sources(text: &str) -> Option<Arc<SourceInfo>> {
    let errors = parser().parse(&format!("{text}\n)")).err()?.errors;
    errors.into_iter().find_map(|error| error.source_info)
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.text).finish()
    }
}

/// What names stand for while a condition is evaluated.
struct Scope<'a> {
    case: &'a Case<'a>,
    patterns: &'a [value::Pattern],
}

impl VariableResolver for Scope<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        if variable.starts_with(check::PATTERN_PREFIX) {
            return pattern(self.patterns, variable);
        }
        self.case.look(variable)
    }
}

/// What names stand for where there is no call: the condition's own patterns.
struct Patterns<'a>(&'a [value::Pattern]);

impl VariableResolver for Patterns<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        pattern(self.0, variable)
    }
}

/// A pattern by the name that stands for it in the expression.
fn pattern<'b>(patterns: &'b [value::Pattern], variable: &str) -> Option<CowVal<'b, 'b>> {
    let place = variable.strip_prefix(check::PATTERN_PREFIX)?;
    Some(CowVal::Borrowed(patterns.get(place.parse::<usize>().ok()?)?))
}
