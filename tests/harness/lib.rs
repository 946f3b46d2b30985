//! The harness: a desk at which agents, people and executors meet, with the real Placet inside and fakes with the
//! vendors' rules outside.
//!
//! Inside is what ships: the wire, the router, the store, the signatures, at the time of a clock that tests move by
//! hand. Outside is a loopback server with Slack's state, limits and faults. Nothing sleeps; the worker goes step by
//! step; and at the end a conversation fails on whatever it left unread, undelivered or untold by the record.

pub mod agent;
pub mod chat;
pub mod clock;
pub mod commands;
pub mod console;
pub mod crash;
pub mod desk;
pub mod dialogs;
pub mod entropy;
pub mod fake_oncall;
pub mod fake_slack;
pub mod homes;
pub mod http;
pub mod in_time;
pub mod matrix;
pub mod people;
pub mod policy;
pub mod process;
pub mod record;
pub mod sabotage;
pub mod sockets;
pub mod tenants;
pub mod workspaces;

pub use agent::{Call, Claimed};
pub use desk::{Desk, Engine, Transport, converse};
pub use http::Answer;
pub use people::{Card, Person};
/// A real Matrix homeserver, and people on it: there nothing is a fake.
pub use placet_test_homeserver as homeserver;
pub use placet_test_macros::conversation;
