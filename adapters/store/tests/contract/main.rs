//! What every store must do, written over the ports alone: an engine makes stores, the suite does not know which.
//! Below `sqlite` is what only a file can show.

#![expect(clippy::unwrap_used, reason = "what a test cannot go on without fails it")]

mod engine;
mod fixture;

mod card;

mod crash;
mod delivery;
mod migration;
mod opening;
mod outbox;
mod rest;
mod sequence;

mod sqlite;
mod voting;
