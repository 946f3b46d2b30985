//! The table over every state and command, and a seeded property over random commands.

mod fixtures;
mod property;
mod table;
mod votes;
