//! Commands that people type in chat: what there is, how it is read, and what is answered.
//!
//! What always holds:
//! - Reading is a pure function of what was typed and the surface's [`Dialect`]. A person is told by what the surface itself
//!   vouches for, never by a name; whatever is typed, it is a command or a mistake that helps.
//! - An [`Answer`] is data: the surface writes it, keeps to its own limits, and sees to it that nobody but who asked reads it.
//! - Who may ask is decided by the gate, at every command and at every page of its answer.
//! - A yes or a no is read here and done elsewhere ([`Deed`]): it is a delivery, kept with where it came from and how sure it is
//!   whose it is, as a click on a card's button is.

mod answer;
mod ask;
mod change;
mod dialect;
mod export;
mod look;
mod parse;
mod said;
mod target;
mod verb;

use std::sync::Arc;

use crate::gate::Gate;

pub use answer::{Answer, Found, Kept, Person, Stop, Why};
pub use ask::{Ask, Asked, Filters, Form, Lift, Mistake, Named, Place, Scope, Since, Turns};
pub use dialect::{Dialect, Means};
pub use export::{Exported, Making};
pub use look::Rows;
pub use parse::{COMMAND_UNITS_MAX, DEED_UNITS_MAX, ReplyCard, Typed, parse, typed};
pub use said::Said;
pub use target::Target;
pub use verb::{Deed, Key, Verb};

/// Answers commands. Cheap to clone; its clones know of each other's exports.
#[derive(Clone)]
pub struct Commands {
    gate: Gate,
    exports: Arc<export::Exports>,
}

impl Commands {
    /// Over this gate.
    #[must_use]
    pub fn new(gate: Gate) -> Self {
        Self { gate, exports: Arc::default() }
    }
}
