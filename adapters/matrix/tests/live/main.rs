//! Against a real homeserver: `tests/homeserver/run cargo test -p placet-matrix --test live`. Every test has people and
//! rooms of its own.
#![recursion_limit = "256"]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops there")]

mod directory;
mod encrypted;
mod plain;
mod session;
mod world;
