//! The policy: how bad a call is, what that costs, and who may say yes.
//!
//! A policy is data outside the tools' code. It is judged before the commit; the [`Verdict`] goes into the record
//! together with the digest of the text that made it.

#[cfg(feature = "policy")]
mod check;
#[cfg(feature = "policy")]
mod diagnostic;
#[cfg(feature = "policy")]
mod levels;
#[cfg(feature = "policy")]
mod parse;
#[cfg(feature = "policy")]
mod pattern;
#[cfg(feature = "policy")]
mod people;
#[cfg(feature = "policy")]
mod reader;
#[cfg(feature = "policy")]
pub mod rule;
#[cfg(test)]
#[cfg(feature = "policy")]
mod tests;
pub mod verdict;

#[cfg(feature = "policy")]
pub use diagnostic::{Diagnostic, PolicyErrors, Severity};
#[cfg(feature = "policy")]
pub use rule::Policy;
pub use verdict::{Group, Level, Place, PolicyVersion, RuleHit, Stage, Terms, Tier, Verdict};
