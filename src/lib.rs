//! Placet stands between AI agents and their tools: an agent proposes a call, policy grades it, people approve what
//! is risky, and it runs once, with exactly the arguments that they saw.
//!
//! This crate is the domain. It knows no network, no database and no runtime; adapters implement its [`ports`].
//!
//! What always holds:
//! - A [`ports::Tool`] cannot run without a [`gate::Running`], which only a committed claim yields.
//! - Votes, claims and grants compare one [`call::CallDigest`]; a call never changes within a request.
//! - Every change of a request is a list of [`record::Event`]s, and the events alone rebuild it.
//! - An error is never taken for a denial, and a denial never for an error.
//! - Time, randomness and identity are arguments.

pub mod agent;
pub mod approval;
pub mod call;
pub mod card;
#[cfg(feature = "policy")]
pub mod command;
pub mod gate;
pub mod hold;
pub mod id;
pub mod inbound;
pub mod notice;
pub mod person;
pub mod policy;
pub mod ports;
pub mod record;
pub mod remembered;
#[cfg(feature = "text")]
pub mod text;
pub mod time;
