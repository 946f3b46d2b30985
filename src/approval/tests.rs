//! The table over every state and command, and a seeded property over random commands.

pub(crate) mod fixtures;
mod property;
mod table;
mod votes;
