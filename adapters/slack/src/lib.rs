//! Slack: signed clicks in, cards and dialogs out.
//!
//! The wire level, from the outside in: [`signature`] turns bytes into a verified body, [`payload`] parses it,
//! [`identity`] judges who acted, [`mrkdwn`] and [`limits`] build what Slack takes, [`api`] sends it and tells what
//! came of it.

pub mod api;
mod directory;
pub mod identity;
pub mod inbound;
mod language;
pub mod limits;
pub mod mrkdwn;
pub mod payload;
pub mod probe;
pub mod render;
pub mod signature;
mod socket;
mod surface;

pub use directory::SlackDirectory;
pub use inbound::{Homes, SlackInbound, router, router_of};
pub use socket::{CONNECTIONS_MAX, SlackSocket, SocketSettings};
pub use surface::{POST_INTERVAL, Slack, SlackSettings};

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod fixtures;
