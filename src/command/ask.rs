//! What is asked, as it was read, and where in its answer somebody is.

use std::fmt;

use crate::approval::{OutcomeKind, Status};
use crate::command::{Deed, Key, Target, Verb};
use crate::id::{HoldId, RequestId, ShortCode};
use crate::person::Identity;
use crate::time::{Timestamp, Ttl};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// What there is.
    Help,
    /// Who they are.
    Whoami,
    /// What waits.
    Pending,
    /// One request.
    Show(Named),
    /// Why it was asked about.
    Why(Named),
    /// The record.
    Audit {
        /// What it is narrowed to.
        filters: Filters,
        /// As a file.
        export: Option<Form>,
    },
    /// To take a request back. Without a reason a dialog asks for one.
    Revoke {
        /// Which.
        request: Named,
        /// Why.
        reason: Option<String>,
    },
    /// How a call ended of which nobody knows. Without how it ended, or how one knows, a dialog asks.
    Settle {
        /// Which.
        request: Named,
        /// How it ended.
        outcome: Option<OutcomeKind>,
        /// How they know.
        reason: Option<String>,
    },
    /// What runs without asking.
    Remembered,
    /// To be asked again, by the request whose yes was remembered.
    Forget(Named),
    /// What is stopped.
    Stops,
    /// To stop calls. A dialog asks for what is missing, and once more in any case.
    Freeze {
        /// Which.
        scope: Option<Scope>,
        /// Why.
        reason: Option<String>,
    },
    /// To let calls go on.
    Lift(Lift),
    /// What ran unasked.
    Digest(Ttl),
    /// What is done to a request on its card.
    Do {
        /// What.
        deed: Deed,
        /// To which.
        target: Target,
        /// Which question is answered, from 1; none means the last.
        question: Option<u32>,
        /// What stands behind it, as it was typed.
        words: Option<String>,
    },
}

/// A request as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// By its code.
    Code(ShortCode),
    /// By its id.
    Id(RequestId),
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => code.fmt(f),
            Self::Id(id) => id.fmt(f),
        }
    }
}

/// What an audit is narrowed to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// The accounts of one person.
    pub who: Vec<Identity>,
    /// A tool, or a pattern.
    pub tool: Option<String>,
    /// States; empty means all.
    pub statuses: Vec<Status>,
    /// How it ended.
    pub outcome: Option<OutcomeKind>,
    /// From when on.
    pub since: Option<Since>,
    /// The tenant; there is only the surface's own.
    pub tenant: Option<String>,
    /// Words that stand in it.
    pub words: Vec<String>,
}

/// From when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// So long ago.
    Ago(Ttl),
    /// From the beginning of a day, in UTC.
    Day(Timestamp),
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A table.
    Csv,
    /// An object on each line.
    JsonLines,
}

/// What is to be stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All calls of all tenants.
    Everything,
    /// All calls of the tenant.
    Tenant,
    /// Calls of an agent.
    Agent(String),
    /// Calls of a tool.
    Tool(String),
}

/// What is to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lift {
    /// What was stopped by this name.
    Scope(Scope),
    /// What that stop covers.
    Id(HoldId),
}

/// What is wrong with what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// There is no such command.
    NoSuchVerb {
        /// As it was typed.
        typed: String,
        /// What was probably meant.
        nearest: Option<Verb>,
    },
    /// It is done by a button here.
    ByButton(Verb),
    /// There is no such filter.
    NoSuchKey {
        /// As it was typed.
        typed: String,
        /// What was probably meant.
        nearest: Option<Key>,
    },
    /// A value that the key does not take.
    BadValue {
        /// Which.
        key: Key,
        /// As it was typed.
        typed: String,
    },
    /// A key that stands there twice.
    Twice(Key),
    /// The verb needs a request.
    WhichRequest {
        /// Which verb.
        verb: Verb,
        /// What stands in its place.
        typed: String,
    },
    /// Another request is named than the one whose card is answered.
    Another {
        /// Which verb.
        verb: Verb,
        /// The one on the card.
        card: ShortCode,
        /// The one that is named.
        named: String,
    },
    /// The verb needs words behind it: a reason, a question, arguments.
    Missing(Verb),
    /// The verb takes nothing of that kind.
    NotTaken {
        /// Which verb.
        verb: Verb,
        /// As it was typed.
        typed: String,
    },
    /// There is too much of it.
    TooLong,
}

/// A page of an answer: what is asked, as it was typed, by whom, and from where on.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What is asked.
    pub asked: Asked,
    /// As it was typed, for what turns its pages.
    pub text: String,
    /// From where on.
    pub place: Place,
    /// Who asks.
    pub identity: Identity,
}

/// Where in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At its beginning.
    First,
    /// Behind this request, in a list from the newest backwards.
    Before(RequestId),
    /// On this page, from 0.
    Page(usize),
}

/// What [`Place::word`] begins with for a list.
const BEFORE: &str = "before:";
/// What [`Place::word`] begins with for a page with a number.
const PAGE: &str = "page:";

impl Place {
    /// As a button carries it.
    #[must_use]
    pub fn encode(self) -> String {
        match self {
            Self::First => "f".to_owned(),
            Self::Before(id) => format!("b{id}"),
            Self::Page(page) => format!("p{page}"),
        }
    }

    /// From what a button carries.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        match (text.get(..1)?, text.get(1..)?) {
            ("f", "") => Some(Self::First),
            ("b", id) => id.parse().ok().map(Self::Before),
            ("p", page) => page.parse().ok().map(Self::Page),
            _ => None,
        }
    }

    /// As it is typed behind a command, pages counted from 1; none for the beginning.
    #[must_use]
    pub fn word(self) -> Option<String> {
        match self {
            Self::First | Self::Page(0) => None,
            Self::Before(id) => Some(format!("{BEFORE}{id}")),
            Self::Page(page) => Some(format!("{PAGE}{}", page.saturating_add(1))),
        }
    }

    /// From what was typed.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        if let Some(id) = word.strip_prefix(BEFORE) {
            return id.parse().ok().map(Self::Before);
        }
        let page: usize = word.strip_prefix(PAGE)?.parse().ok()?;
        page.checked_sub(1).map(Self::Page)
    }

    /// The request that a list goes on behind.
    #[must_use]
    pub const fn before(self) -> Option<RequestId> {
        match self {
            Self::Before(id) => Some(id),
            Self::First | Self::Page(_) => None,
        }
    }

    /// Which page, from 0.
    #[must_use]
    pub const fn page(self) -> usize {
        match self {
            Self::Page(page) => page,
            Self::First | Self::Before(_) => 0,
        }
    }
}

/// Where pages lead; none where there is nothing that way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turns {
    /// To the newest, or to the page before.
    pub back: Option<Place>,
    /// To what is older, or to the next page.
    pub forward: Option<Place>,
}

impl Ask {
    /// Where the pages of a list lead, which goes on behind this request.
    #[must_use]
    pub fn turns(&self, next: Option<RequestId>) -> Turns {
        let back = (self.place != Place::First).then_some(Place::First);
        Turns { back, forward: next.map(Place::Before) }
    }

    /// Where this one of so many pages leads.
    #[must_use]
    pub const fn numbered(page: usize, pages: usize) -> Turns {
        let back = if page > 0 { Some(Place::Page(page - 1)) } else { None };
        let forward = if page + 1 < pages { Some(Place::Page(page + 1)) } else { None };
        Turns { back, forward }
    }
}
