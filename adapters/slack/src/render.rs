//! Cards as Slack shows them: a pure function from the channel-neutral view to blocks.
//!
//! What always holds:
//! - Whatever an agent or a person wrote stands in `plain_text` or `rich_text`, which Slack does not interpret. No
//!   card holds a `mrkdwn` object; times, and the channel that a task was given in, are the only elements that Slack fills
//!   in, and the only address is that of this task's thread, on the record: made of ids from Slack's own signed event.
//! - Every rendering keeps to [`limits`]; what does not fit is cut, and the card says so.
//! - A rendering is [`Rendering::full`] only if every character of the call stands in it and no secret is hidden, and
//!   only a full one has a button to approve. The compact form never has one: should Slack refuse a full card and take
//!   the compact one instead, nothing on it can vote yes under the digest that was put on record for the full one.
//! - Whether it is full does not depend on the language: it is where it would be in every one. What goes on record before
//!   a post, and what is voted on, then holds for the channel whatever its language is.
//!
//! The order of the fields is that of the questions people ask: what, who asks, for which task, exactly what, with which
//! effect, why am I asked, on which grounds, what if not, and until when. What is long stands last, above the buttons.

mod arguments;
mod card;
pub(crate) mod commands;
mod compact;
pub(crate) mod details;
pub(crate) mod dialog;
pub(crate) mod edit;
mod gathered;
pub(crate) mod home;
pub(crate) mod menu;
mod notice;
pub(crate) mod opening;
mod pieces;
pub(crate) mod question;
mod record;
pub(crate) mod sheet;
pub(crate) mod target;
pub(crate) mod thread;
mod value;

use placet::card::{CardView, StateView, shorten};
use placet::id::SurfaceName;
use placet::text::{Language, Markup, Texts};
use serde_json::{Value, json};
use url::Url;

use crate::limits::{self, check_message};
use crate::mrkdwn;

pub(crate) use notice::notice;
pub(crate) use pieces::{channel_mark, is_shared};
pub use value::ButtonValue;

/// The block with the buttons of a card.
pub const DECIDE_BLOCK: &str = "placet_decide";
/// The button that says yes.
pub const APPROVE_ACTION: &str = "placet_approve";
/// The button that says yes, to this call and, for a while, to those that look alike.
pub const REMEMBER_ACTION: &str = "placet_approve_remember";
/// The button that opens the dialog for a no.
pub const DENY_ACTION: &str = "placet_deny";
/// The button that takes one's own yes or no back.
pub const TAKE_BACK_ACTION: &str = "placet_take_back";
/// The button that opens the whole call.
pub const DETAILS_ACTION: &str = "placet_details";
/// Whether a button's id is this action's: as it is, or with the number of a part of the card, `placet_approve_2`. Slack
/// wants each id once in a message; which request a button is about is told by its value alone.
#[must_use]
pub(crate) fn is_action(id: &str, action: &str) -> bool {
    let Some(rest) = id.strip_prefix(action) else { return false };
    let number = rest.strip_prefix('_').unwrap_or_default();
    rest.is_empty() || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

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
const SHARES: [usize; 4] = [100, 60, 30, 15];

/// The card for this view on the surface of this name. Pure; so is what is put on record before it is posted.
#[must_use]
pub fn render(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Rendering {
    render_linked(view, (surface, None), texts)
}

/// The same; a record leads to the thread that its task was given in.
pub(crate) fn render_linked(
    view: &CardView,
    (surface, thread): (&SurfaceName, Option<&Url>),
    texts: &Texts,
) -> Rendering {
    if view.confidential {
        return veiled(view, surface, texts);
    }
    if !view.parts.is_empty() {
        return gathered::render(view, surface, texts);
    }
    let text = fallback(view, texts);
    let fits = |blocks: &[Value]| check_message(&json!({ "text": text, "blocks": blocks })).is_empty();
    if !view.is_waiting() {
        let record =
            SHARES.iter().map(|share| record::blocks(&shorten::view(view, *share), (surface, thread), texts));
        let blocks = record.into_iter().find(|blocks| fits(blocks));
        let blocks = blocks.unwrap_or_else(|| compact::blocks(view, surface, texts));
        return Rendering { blocks, text, full: false };
    }
    let full = view.call.redacted == 0 && !arguments::is_long(&view.call);
    let shown = shorten::state(view);
    let whole = |texts: &Texts| {
        let blocks = card::blocks(&shown, view, (&ButtonValue::of(view, surface, full), surface), texts);
        fits(&blocks).then_some(blocks)
    };
    let elsewhere = Language::ALL.into_iter().filter(|language| *language != texts.language());
    if let Some(blocks) = whole(texts)
        && elsewhere.map(Texts::of).all(|texts| whole(texts).is_some())
    {
        return Rendering { blocks, text, full };
    }
    let value = ButtonValue::of(view, surface, false);
    for share in SHARES {
        let shortened = shorten::view(&shown, share);
        let blocks = card::blocks(&shortened, view, (&value, surface), texts);
        if fits(&blocks) {
            // The whole was only too long beside a long list of votes, say: nothing of the call is cut. Still no
            // full rendering: one form has one digest.
            return Rendering { blocks, text, full: false };
        }
    }
    compact(view, surface, texts)
}

/// The card of a confidential call: in a shared place it shows the tool and the level alone, and is never full. What the
/// button carries is about the whole call, which Details shows to who may read it.
fn veiled(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Rendering {
    let value = ButtonValue::of(view, surface, false);
    let shown = view.veil();
    let remark = texts.confidential(view, &Markup::PLAIN);
    let blocks = compact::with_value(&shown, (&value, surface), &remark, texts);
    Rendering { blocks, text: fallback(&shown, texts), full: false }
}

/// The smallest card there is: for when Slack refuses the usual one. Never full.
#[must_use]
pub fn compact(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Rendering {
    if view.confidential {
        return veiled(view, surface, texts);
    }
    if !view.parts.is_empty() {
        let Rendering { text, .. } = gathered::render(view, surface, texts);
        return Rendering { blocks: gathered::compact(view, surface, texts), text, full: false };
    }
    Rendering { blocks: compact::blocks(view, surface, texts), text: fallback(view, texts), full: false }
}

/// Whether the card shows the whole call of this part of it.
#[must_use]
pub fn shows_all_of(view: &CardView, part: &CardView, surface: &SurfaceName, texts: &Texts) -> bool {
    gathered::shows_all(view, part, surface, texts)
}

/// What is asked, or what became of it, in one escaped line.
fn fallback(view: &CardView, texts: &Texts) -> String {
    let line = match view.state {
        StateView::Waiting { .. } => pieces::unlike_placet(&texts.headline(&view.call, &Markup::PLAIN)),
        _ => texts.record_head(view, &Markup::PLAIN),
    };
    let line = format!("{line} · {}", view.code);
    mrkdwn::escape(&limits::shorten(&line, limits::TEXT_UNITS_MAX))
}

#[cfg(test)]
mod tests;
