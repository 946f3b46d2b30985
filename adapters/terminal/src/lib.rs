//! The terminal as a surface, and the scripted approver: two that need no chat service.
//!
//! What always holds: no answer is made up. The end of the input, an answer that is not understood and a missing
//! decision of a script are no answer, and never a yes. Nothing here blocks the runtime: the terminal is read and
//! written by threads of its own.

mod ballot;
mod card;
mod script;
mod terminal;
#[cfg(test)]
mod tests;

pub use ballot::{Desk, Sink};
pub use card::card;
pub use script::{Decided, Script};
pub use terminal::Terminal;
