//! Matrix: decisions by reaction, poll answer and command, bound to a person by their keys; cards with edits.
#![recursion_limit = "256"]

pub mod commands;
pub mod content;
pub mod render;
mod surface;

#[cfg(test)]
mod fixtures;

pub use surface::{Matrix, NO, SurfaceSettings, YES};
