//! Against a real homeserver: `tests/homeserver/run cargo test -p placet-matrix --test live`. Every test has people and
//! rooms of its own.
#![recursion_limit = "256"]
#![expect(clippy::large_futures, reason = "the SDK's are large, and a test has one of them at a time")]

mod directory;
mod encrypted;
mod plain;
mod session;
mod world;
