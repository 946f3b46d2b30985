//! Models that agents think with; here the scripted one, which needs no keys and no network.

pub mod script;
mod scripted;

pub use script::{Beat, Scene, Script, ScriptError, Wanted};
pub use scripted::Scripted;
