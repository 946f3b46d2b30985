//! What every store must do, written over the ports alone: an engine makes stores, the suite does not know which.

#![expect(clippy::unwrap_used, reason = "what a test cannot go on without fails it")]

mod engine;
mod fixture;

mod opening;
mod voting;
