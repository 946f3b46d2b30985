//! Placet's own agent: a model's turn, its proposals, their results, and on.
//!
//! What always holds: every `tool_call_start` has exactly one `tool_result`, and a run exactly one `done` or `error`;
//! each step is committed with the events that tell of it; a call that was proposed is never proposed as another
//! request, and runs at most once, however often the run is resumed.

#[cfg(feature = "policy")]
pub mod answer;
pub mod event;
#[cfg(feature = "policy")]
mod evidence;
#[cfg(feature = "policy")]
mod hints;
#[cfg(feature = "policy")]
mod journal;
#[cfg(feature = "policy")]
mod runs;
#[cfg(feature = "policy")]
pub mod state;
#[cfg(feature = "policy")]
mod step;
pub mod task;
#[cfg(test)]
#[cfg(feature = "policy")]
mod tests;
pub mod transcript;
#[cfg(feature = "policy")]
mod turn;

#[cfg(feature = "policy")]
pub use {
    runs::{API_SURFACE, Agent, Begun, RunError, SPEAKERS_MAX, StartError, USER_CHARS_MAX},
    state::{PendingCall, Phase, RunState, Stage, Wait},
    turn::{CALLS_PER_TURN_MAX, SAID_CHARS_MAX, TRANSCRIPT_BYTES_MAX, TURNS_PER_RUN_MAX},
};
