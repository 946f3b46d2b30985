//! What every store must do, written over the ports alone: an engine makes stores, the suite does not know which.
//! `batch`, `damage`, `migration` and `sqlite` are about the one that is a file.

#![expect(clippy::unwrap_used, reason = "what a test cannot go on without fails it")]

mod engine;
mod fixture;

mod audit;
mod batch;
mod beside;
mod card;
mod crash;
mod damage;
mod delivery;
mod digests;
mod migration;
mod opening;
mod outbox;
mod reading;
mod recent;
mod remembered;
mod rest;
mod sequence;
mod sqlite;
mod standing;
mod tasks;
mod voting;
