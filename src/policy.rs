//! The policy: how bad a call is, what that costs, and who may say yes.
//!
//! A policy is data outside the tools' code. It is judged before the commit; the [`Verdict`] goes into the record
//! together with the digest of the text that made it.

#[cfg(feature = "policy")]
mod absence;
#[cfg(feature = "policy")]
mod calendar;
#[cfg(feature = "policy")]
mod case;
#[cfg(feature = "policy")]
mod change;
#[cfg(feature = "policy")]
mod changes;
#[cfg(feature = "policy")]
mod check;
pub mod circumstances;
#[cfg(feature = "policy")]
mod condition;
#[cfg(feature = "policy")]
mod diagnostic;
#[cfg(feature = "policy")]
mod digest;
#[cfg(feature = "policy")]
mod electors;
#[cfg(feature = "policy")]
mod explain;
mod fatigue;
#[cfg(feature = "policy")]
mod fields;
#[cfg(feature = "policy")]
mod grade;
#[cfg(feature = "policy")]
mod groups;
#[cfg(feature = "policy")]
mod judge;
#[cfg(feature = "policy")]
mod levels;
#[cfg(feature = "policy")]
mod moment;
#[cfg(feature = "policy")]
mod on_call;
#[cfg(feature = "policy")]
mod parse;
#[cfg(feature = "policy")]
mod pattern;
#[cfg(feature = "policy")]
mod people;
#[cfg(feature = "policy")]
mod reader;
pub mod remember;
#[cfg(feature = "policy")]
mod replay;
#[cfg(feature = "policy")]
mod roles;
#[cfg(feature = "policy")]
pub mod rule;
#[cfg(feature = "policy")]
mod set;
#[cfg(feature = "policy")]
mod settings;
#[cfg(feature = "policy")]
mod shadow;
#[cfg(feature = "policy")]
mod strict;
mod stricter;
#[cfg(feature = "policy")]
mod summary;
#[cfg(feature = "policy")]
mod suppose;
#[cfg(feature = "policy")]
mod table;
#[cfg(feature = "policy")]
mod tenant;
#[cfg(test)]
#[cfg(feature = "policy")]
mod tests;
#[cfg(feature = "policy")]
mod tools;
pub mod verdict;

#[cfg(feature = "policy")]
pub use change::{CHANGE_TOOL, ChangeTerms, OWN_SERVER};
#[cfg(feature = "policy")]
pub use changes::{CHANGES_MAX, changes, changes_in_full};
pub use circumstances::{Asker, Circumstances, RECENT, Recent};
#[cfg(feature = "policy")]
pub(crate) use diagnostic::nearest_name;
#[cfg(feature = "policy")]
pub use diagnostic::{Diagnostic, NamedPlace, PolicyErrors, Severity, Spot, key_at, nearest};
#[cfg(feature = "policy")]
pub use digest::{DigestDue, DigestPlan};
#[cfg(feature = "policy")]
pub use explain::{Considered, Explanation, Outcome, StageVoters};
pub use fatigue::Fatigue;
#[cfg(feature = "policy")]
pub use fields::{Field, FieldPlace, fields};
#[cfg(feature = "policy")]
pub(crate) use pattern::{is_tool_pattern, tools_matching};
pub use remember::{ArgPattern, RememberOffer, Widening};
#[cfg(feature = "policy")]
pub use replay::{
    Change, Load, LookedOn, Period, PersonLoad, Recorded, Replay, Replayed, Unrepeated, looked_on, replay,
};
#[cfg(feature = "policy")]
pub use rule::Policy;
#[cfg(feature = "policy")]
pub use set::{PolicyFile, PolicySet};
#[cfg(feature = "policy")]
pub use shadow::Shadowing;
pub(crate) use stricter::is_stricter;
#[cfg(feature = "policy")]
pub use summary::{Difference, Summary, shown};
#[cfg(feature = "policy")]
pub use suppose::{SupposeError, Supposed, suppose};
#[cfg(feature = "policy")]
pub use table::{CaseResult, CaseTable, TableErrors};
pub use verdict::{
    EscalationStep, Figure, FigureName, Group, Level, Place, PolicyVersion, RuleHit, RuleKind, Shadow, Stage,
    Terms, Tier, Verdict,
};
