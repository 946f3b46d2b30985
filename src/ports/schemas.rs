//! What the arguments of a tool must look like, where that is known: Placet's own tools say it themselves, and whoever runs
//! Placet names it for tools outside.
//!
//! What always holds: a [`Mismatch`] repeats nothing of the arguments' values, so that it can be told wherever the arguments
//! may not be.

use std::fmt;

use crate::call::ToolCall;

/// What is known of tools' arguments.
pub trait Schemas: Send + Sync {
    /// What is wrong with the arguments of this call, in their order; none where nothing is known of its tool.
    fn check(&self, call: &ToolCall) -> Option<Vec<Mismatch>>;

    /// Whether anything is known of the tool of this call.
    fn is_known(&self, call: &ToolCall) -> bool;
}

/// Nothing is known of any tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSchemas;

impl Schemas for NoSchemas {
    fn check(&self, _call: &ToolCall) -> Option<Vec<Mismatch>> {
        None
    }

    fn is_known(&self, _call: &ToolCall) -> bool {
        false
    }
}

/// One thing that does not fit, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The way to it from the arguments; empty where it is about them as a whole.
    pub at: Vec<Step>,
    /// What does not fit.
    pub what: Misfit,
}

impl Mismatch {
    /// The argument that it is in; none where it is about all of them.
    #[must_use]
    pub fn argument(&self) -> Option<&str> {
        match self.at.first() {
            Some(Step::Name(name)) => Some(name),
            Some(Step::Index(_)) | None => None,
        }
    }

    /// The way to it: `args.lines[0].amount`.
    #[must_use]
    pub fn path(&self) -> String {
        self.at.iter().fold("args".to_owned(), |path, step| format!("{path}{step}"))
    }
}

/// A step on the way to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Into an object.
    Name(String),
    /// Into a list, counted from 0.
    Index(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, ".{name}"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// What does not fit. What stands in it comes from the schema, but for the name of what may not be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// It is of none of these kinds.
    Kind(Vec<Kind>),
    /// This is not there.
    Missing(String),
    /// It may not be there.
    Unexpected,
    /// It is none of these, each as JSON.
    NotAmong(Vec<String>),
    /// It must be at least this; more than this, if so said.
    TooLow {
        /// The bound.
        least: String,
        /// Whether the bound itself is too low.
        beyond: bool,
    },
    /// It must be at most this; less than this, if so said.
    TooHigh {
        /// The bound.
        most: String,
        /// Whether the bound itself is too high.
        beyond: bool,
    },
    /// It must be a multiple of this.
    NotMultiple(String),
    /// It needs at least so many characters.
    TooShort(u64),
    /// It may have at most so many characters.
    TooLong(u64),
    /// It needs at least so many entries.
    TooFew(u64),
    /// It may have at most so many entries.
    TooMany(u64),
    /// It has an entry twice.
    Twice,
    /// It does not match this regular expression.
    Pattern(String),
    /// It has not this form: `email`, `date-time`.
    Form(String),
    /// Anything else, by the schema's own keyword.
    Other(String),
}

/// A kind of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// A list.
    List,
    /// An object.
    Object,
    /// Null.
    Null,
}
