//! Wires the adapters together: the library behind the placet binary.

mod clock;
mod entropy;
pub mod settings;

pub use clock::SystemClock;
pub use entropy::OsEntropy;

/// What the program does.
#[must_use]
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
