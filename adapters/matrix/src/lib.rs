//! Matrix: decisions by reaction, poll answer and command, bound to a person by their keys; cards with edits.
//!
//! From the outside in: [`session`] signs in and keeps the keys, [`sync`] hears that something happened, [`reader`]
//! fetches it again before anybody acts on it, [`event`] reads it, [`backing`] says what it is worth by the keys in
//! [`pins`].
#![recursion_limit = "256"]

pub mod backing;
pub mod commands;
pub mod content;
mod directory;
pub mod event;
mod inbound;
pub mod pins;
pub mod reader;
pub mod render;
pub mod session;
pub mod settings;
mod surface;
pub mod sync;

pub use directory::MatrixDirectory;
pub use inbound::MatrixInbound;
pub use matrix_sdk::ruma::{OwnedDeviceId, OwnedRoomId, OwnedServerName, OwnedUserId};
pub use surface::{Matrix, NO, SurfaceSettings, YES};

#[cfg(test)]
mod fixtures;
