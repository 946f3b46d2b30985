//! The card: the channel-neutral view of a request that people decide on.
//!
//! It is made from the stored record alone. Everything in it is already redacted and escaped (a [`Visible`] cannot be
//! made in another way); a surface adds only its own markup and its own limits.

pub mod argument;
mod call;
pub mod diff;
mod elsewhere;
pub mod escape;
mod meant;
pub mod redact;
pub mod row;
pub mod shorten;
mod signs;
mod state;
mod veil;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::approval::Approval;
use crate::call::ShownDigest;
use crate::hold::Hold;
use crate::id::{RequestId, Role, ShortCode, SurfaceName};
use crate::time::Timestamp;

pub use call::{ArgView, AskedAgain, CallView, EditedView, EvidenceView, FigureView, RememberView, RuleView};
pub use elsewhere::ElsewhereView;
pub use escape::{Visible, Warnings, visible, visible_line};
pub use meant::{StrayMark, as_meant};
pub use redact::Redactor;
pub use signs::unlike_placet;
pub use state::{AnswerView, GroundsView, LookingView, QuestionView, SettledView, StateView, VoteView};

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
    /// Whether it stands on the card of another request that differs in nothing from it, and has none of its own.
    pub shares: bool,
    /// Whether a card in a shared place shows the tool and the level alone: see [`CardView::veil`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub confidential: bool,
    /// The roles whose people may read a confidential call, besides those who look after the installation.
    #[serde(skip)]
    pub readers: Vec<Role>,
    /// How many later requests that share the card a yes on seeing this covers; goes on record with the rendering.
    #[serde(skip)]
    pub covers: u32,
    /// Why and since when calls like it are stopped, where they are and it has not begun: people who are asked should know
    /// that their yes starts nothing yet. It is put in by whoever knows of stops; a yes is about the call all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StoppedView>,
    /// Other requests that have a part of this one's card, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<CardView>,
}

/// A stop that covers a call, as the card tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoppedView {
    /// Since when it stands.
    pub since: Timestamp,
    /// Why, by whoever placed it.
    pub reason: Visible,
}

impl StoppedView {
    /// What is told of this stop.
    #[must_use]
    pub fn of(hold: &Hold, redactor: &Redactor) -> Self {
        Self { since: hold.since, reason: visible_line(&redactor.redact_text(&hold.reason).text) }
    }
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
            confidential: approval.is_confidential(),
            readers: approval.readers(),
            covers: u32::try_from(approval.followers.len()).unwrap_or(u32::MAX),
            stopped: None,
            parts: Vec::new(),
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
        // Which of those that share the card are meant, also where as many were meant before: the number alone is in the call.
        let hash = if self.covers == 0 { hash } else { hash.chain_update(self.covers.to_be_bytes()) };
        ShownDigest::from_bytes(hash.finalize().into())
    }

    /// Whether anybody still has something to press about this request; those that have a part of its card are asked about
    /// by themselves.
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
