//! Cards as Slack shows them: a pure function from the channel-neutral view to blocks.
//!
//! What always holds:
//! - Whatever an agent or a person wrote stands in `plain_text` or `rich_text`, which Slack does not interpret. No
//!   card holds a `mrkdwn` object, a link or an address; times are the only elements that Slack fills in.
//! - Every rendering keeps to [`limits`]; what does not fit is cut, and the card says so.
//! - A rendering is [`Rendering::full`] only if every character of the call stands in it and no secret is hidden, and
//!   only a full one has a button to approve. The compact form never has one: should Slack refuse a full card and take
//!   the compact one instead, nothing on it can vote yes under the digest that was put on record for the full one.
//!
//! The order of the fields is that of the questions people ask: what, for which task, exactly what, with which effect,
//! why am I asked, on which grounds, what if not, and until when.

mod card;
mod compact;
pub(crate) mod details;
pub(crate) mod dialog;
mod pieces;
mod record;
mod shorten;
mod value;

use placet::card::{CardView, StateView};
use placet::id::SurfaceName;
use placet::text::{Markup, Texts};
use serde_json::{Value, json};

use crate::limits::{self, check_message};
use crate::mrkdwn;

pub use value::ButtonValue;

/// The block with the buttons of a card.
pub const DECIDE_BLOCK: &str = "placet_decide";
/// The button that says yes.
pub const APPROVE_ACTION: &str = "placet_approve";
/// The button that says yes, to this call and, for a while, to those that look alike.
pub const REMEMBER_ACTION: &str = "placet_approve_remember";
/// The button that opens the dialog for a no.
pub const DENY_ACTION: &str = "placet_deny";
/// The button that opens the whole call.
pub const DETAILS_ACTION: &str = "placet_details";
/// What kind of metadata a card carries.
pub const METADATA_EVENT: &str = "placet_card";
/// The member of the metadata that tells attempts apart.
pub const METADATA_ATTEMPT: &str = "attempt";
/// The member of the metadata that names the request.
pub const METADATA_REQUEST: &str = "request";

/// A card as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendering {
    /// The blocks.
    pub blocks: Vec<Value>,
    /// The fallback, escaped: what notifications show.
    pub text: String,
    /// Whether it shows the whole call.
    pub full: bool,
}

/// How much of their room long texts get when they do not fit whole, in percent: the first that fits is taken.
const SHARES: [usize; 3] = [100, 60, 30];

/// The card for this view on the surface of this name. Pure; so is what is put on record before it is posted.
#[must_use]
pub fn render(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Rendering {
    let text = fallback(view, texts);
    let fits = |blocks: &[Value]| check_message(&json!({ "text": text, "blocks": blocks })).is_empty();
    if !view.is_waiting() {
        let record = SHARES.iter().map(|share| record::blocks(&shorten::view(view, *share), texts));
        let blocks = record.into_iter().find(|blocks| fits(blocks));
        let blocks = blocks.unwrap_or_else(|| compact::blocks(view, surface, texts));
        return Rendering { blocks, text, full: false };
    }
    let full = view.call.redacted == 0;
    let shown = shorten::state(view);
    let blocks = card::blocks(&shown, &view.call, &ButtonValue::of(view, surface, full), texts);
    if fits(&blocks) {
        return Rendering { blocks, text, full };
    }
    let value = ButtonValue::of(view, surface, false);
    for share in SHARES {
        let shortened = shorten::view(&shown, share);
        let blocks = card::blocks(&shortened, &view.call, &value, texts);
        if fits(&blocks) {
            // The whole was only too long beside a long list of votes, say: nothing of the call is cut. Still no
            // full rendering: one form has one digest.
            return Rendering { blocks, text, full: false };
        }
    }
    compact(view, surface, texts)
}

/// The smallest card there is: for when Slack refuses the usual one. Never full.
#[must_use]
pub fn compact(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Rendering {
    Rendering { blocks: compact::blocks(view, surface, texts), text: fallback(view, texts), full: false }
}

/// What is asked, or what became of it, in one escaped line.
fn fallback(view: &CardView, texts: &Texts) -> String {
    let line = match view.state {
        StateView::Waiting { .. } => texts.headline(&view.call, &Markup::PLAIN),
        _ => texts.record_head(view, &Markup::PLAIN),
    };
    let line = format!("{line} · {}", view.code);
    mrkdwn::escape(&limits::shorten(&line, limits::TEXT_UNITS_MAX))
}

#[cfg(test)]
mod tests;
