//! Wires the adapters together: the library behind the placet binary.

mod beside;
mod clock;
pub mod commands;
#[cfg(unix)]
mod door;
mod entropy;
mod policies;
mod record;
mod runs;
pub mod settings;
pub mod soundness;
pub mod telemetry;
#[cfg(test)]
mod tests;
mod wire;

use std::process::ExitCode;

pub use clock::SystemClock;
pub use entropy::OsEntropy;
pub use policies::{Look, PolicyWatch};
pub use record::{Policies, Recorded, all_events, last_loaded, note_policies};
pub use runs::Runs;
pub use settings::Settings;
pub use wire::{App, LocalSurface, MatrixEar, Outside};

/// What the program does. Its exit code is 0 if all went well, 1 if not, 2 for a command line that is none, 130 if it
/// was interrupted.
#[must_use]
pub fn main() -> ExitCode {
    commands::main()
}
