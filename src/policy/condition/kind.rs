//! Kinds of values in conditions, and how people call them.

use cel::common::ast::operators;

use super::alike::{DIFFERS, EQUALS, WITHIN};
use super::value::MATCHES;

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
    pub(super) const fn is_number(self) -> bool {
        matches!(self, Self::Whole | Self::Broken | Self::Number | Self::Any)
    }

    pub(super) const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Word(_) | Self::Any)
    }

    /// Whether it is text, whatever the call.
    pub(super) const fn is_surely_text(self) -> bool {
        matches!(self, Self::Text | Self::Word(_))
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
        EQUALS => "==",
        DIFFERS => "!=",
        WITHIN | "@in" => "in",
        other => other.trim_matches('_'),
    }
}

/// What may help where something that may be missing does not fit.
pub(super) fn maybe_help(kinds: &[Kind]) -> &'static str {
    if kinds.contains(&Kind::Maybe) { "`.orValue(…)` says what holds where it is missing" } else { "" }
}
