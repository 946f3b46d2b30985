//! The table over every state and command, and a seeded property over random commands.

mod edit;
mod escalation;
pub(crate) mod fixtures;
mod glass;
mod property;
mod remember;
mod sharing;
mod stricter;
mod table;
mod votes;
