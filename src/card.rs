//! The card: the channel-neutral view of a request that people decide on.
//!
//! It is made from the stored record alone. Everything in it is already redacted and escaped (a [`Visible`] cannot be
//! made in another way); a surface adds only its own markup and its own limits.

mod call;
pub mod diff;
pub mod escape;
pub mod redact;
pub mod row;
mod state;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::approval::Approval;
use crate::call::ShownDigest;
use crate::id::{RequestId, ShortCode, SurfaceName};

pub use call::{ArgView, AskedAgain, CallView, EditedView, EvidenceView, FigureView, RememberView, RuleView};
pub use escape::{Visible, Warnings, visible, visible_line};
pub use redact::Redactor;
pub use state::{GroundsView, StateView, VoteView};

/// A request as people see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CardView {
    /// Which request.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
    /// The revision this shows.
    pub revision: u64,
    /// What a yes is about; the same as long as the request lives.
    pub call: CallView,
    /// Where it stands.
    pub state: StateView,
    /// On whose word it may run or did, where that is not the votes'.
    pub grounds: Option<GroundsView>,
    /// Whether it stands on another request's card, and has none of its own.
    pub shares: bool,
}

impl CardView {
    /// The view of a request as it stands.
    #[must_use]
    pub fn of(approval: &Approval, redactor: &Redactor) -> Self {
        Self {
            request: approval.id,
            code: approval.code.clone(),
            revision: approval.revision,
            call: CallView::of(approval, redactor),
            state: StateView::of(approval, redactor),
            grounds: GroundsView::of(approval, redactor),
            shares: approval.shares.is_some(),
        }
    }

    /// The name under which a rendering of this is put on record, and which comes back with a vote.
    #[must_use]
    pub fn shown(&self, surface: &SurfaceName, full: bool) -> ShownDigest {
        // Serialising plain data with string keys cannot fail; if it ever did, the digest would match no vote.
        let call = serde_json_canonicalizer::to_vec(&self.call).unwrap_or_default();
        let hash = Sha256::new()
            .chain_update(b"placet/shown/v1\0")
            .chain_update(surface.as_str())
            .chain_update([0, u8::from(full)])
            .chain_update(call);
        ShownDigest::from_bytes(hash.finalize().into())
    }

    /// How many later requests a yes on seeing this covers beside its own; goes on record with the rendering.
    #[must_use]
    pub const fn covers(&self) -> u32 {
        self.call.calls.saturating_sub(1)
    }

    /// Whether anybody still has something to press.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        matches!(self.state, StateView::Waiting { .. })
    }
}

/// Collects what escaping and redacting found on the way.
struct Eye<'a> {
    redactor: &'a Redactor,
    warnings: Warnings,
    redacted: u32,
}

impl Eye<'_> {
    fn block(&mut self, text: &str) -> Visible {
        let redacted = self.redactor.redact_text(text);
        self.redacted += redacted.hidden;
        self.seen(visible(&redacted.text))
    }

    fn line(&mut self, text: &str) -> Visible {
        let redacted = self.redactor.redact_text(text);
        self.redacted += redacted.hidden;
        self.seen(visible_line(&redacted.text))
    }

    fn seen(&mut self, text: Visible) -> Visible {
        self.warnings = self.warnings.merge(text.warnings());
        text
    }
}

#[cfg(test)]
mod tests;
