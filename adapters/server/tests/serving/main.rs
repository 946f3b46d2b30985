//! The program as it is shipped, serving: what a newcomer does with it, and what it says in its log.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests, and what they share")]

mod log;
mod readme;
mod server;
