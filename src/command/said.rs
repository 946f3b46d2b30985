//! What is answered in a sentence or two, as data; the catalogue has the words.

use crate::approval::{OutcomeKind, Refusal};
use crate::command::Mistake;
use crate::hold::HoldScope;
use crate::id::{ShortCode, TenantId};

/// A sentence or two.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// What was typed is wrong.
    Mistake(Mistake),
    /// It was refused.
    Refused {
        /// Why.
        refusal: Refusal,
        /// Who can; visible already.
        who_can: Vec<String>,
    },
    /// There is no such request for who asks.
    NoSuchRequest,
    /// The record cannot be read just now.
    Unreadable,
    /// It could not be written just now.
    Unavailable,
    /// Another tenant than this one was asked for.
    OtherTenant(TenantId),
    /// A request was taken back, or asked to stop where it runs already.
    Revoked {
        /// Which.
        code: ShortCode,
        /// Whether it runs.
        runs: bool,
    },
    /// An outcome was settled.
    Settled {
        /// Of which request.
        code: ShortCode,
        /// How it ended.
        outcome: OutcomeKind,
    },
    /// It was so already.
    Unchanged(ShortCode),
    /// Calls are stopped.
    Frozen {
        /// Which.
        scope: HoldScope,
        /// Who had stopped them before, where they were; visible already.
        stood_by: Option<String>,
        /// Whether what is named is known.
        is_known: bool,
    },
    /// A stop covers what is named, and a pattern is no name.
    Pattern,
    /// That is no name of an agent or a tool.
    BadName,
    /// Whoever runs Placet stops the calls of all tenants, on its command line; here it is this tenant's.
    NotEverything(TenantId),
    /// Calls go on.
    Lifted(HoldScope),
    /// So many requests were revoked with what was remembered.
    Forgotten(usize),
    /// It is no longer there.
    Gone,
    /// Nothing is found that could be exported.
    NothingFound,
    /// An export is being made for the same person.
    ExportUnderWay,
}
