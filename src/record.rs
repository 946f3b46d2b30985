//! The record: what happened, in the order it was sealed, from which every decision and every state can be rebuilt.

mod accounts;
pub mod event;
pub mod seal;
mod veil;

pub use event::{Event, EventKind, Seq};
pub use seal::{SealError, Sealed};
