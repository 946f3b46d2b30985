//! Cards and messages as Matrix shows them: pure functions from the channel-neutral view to HTML and plain text.
//!
//! What always holds:
//! - Whatever an agent or a person wrote is escaped ([`html`]) and stands in fixed width where a client could make a link of
//!   it; nothing of it is a tag, a mention or a call to everybody.
//! - Every message has room in an event, encrypted or not, also as an edit ([`crate::content`]); what does not fit is cut, and
//!   the card says so. The whole call then stands in the card's thread (`whole`).
//! - A rendering is [`Rendering::full`] only if every character of the call stands in it and no secret is hidden, in both
//!   forms. Only a full one says that a reaction or a poll approves.
//! - Whether it is full depends neither on the language nor on the room: it is where it would be in every one. What goes on
//!   record before a post then holds wherever the card stands.
//!
//! The order of the fields is that of the questions people ask: what, who asks, for which task, exactly what, with which
//! effect, why am I asked, on which grounds, what if not, and until when. How one decides stands last.

mod card;
pub mod commands;
mod compact;
pub mod html;
mod marked;
mod notice;
pub(crate) mod poll;
mod record;
mod sheet;
mod ways;
mod whole;

use placet::call::ShownDigest;
use placet::card::shorten::json_bytes;
use placet::card::{CardView, argument, shorten};
use placet::text::{Language, Markup, Texts, YesWay};

pub(crate) use notice::said;
pub use notice::{Notes, notice};
pub use sheet::Written;
pub use ways::{Buttons, Manner, Site, Ways};
pub use whole::PARTS_MAX;

use sheet::{Block, Sheet};
use ways::Shown;

/// Room for the HTML and for the plain text of a message, each, in bytes of JSON: an event holds 65,536 bytes, encryption
/// makes four of every three, and an encrypted event has some 3 KB of its own beside. Twice this and an edit's fallback is
/// 43 KB, which becomes 61 KB.
/// <https://spec.matrix.org/v1.16/client-server-api/#size-limits>
pub const FORM_BYTES_MAX: usize = 20_000;
/// What of it is kept for how one decides and for small print, which differ between languages and rooms.
const TAIL_BYTES: usize = 4_000;
/// Room for what stands on a part of the whole call.
const PART_BYTES_MAX: usize = FORM_BYTES_MAX - TAIL_BYTES;
/// Room for what notifications and clients that know no edits show of an edit, in characters.
const FALLBACK_CHARS_MAX: usize = 160;
/// How much of their room long texts get when they do not fit whole, in percent: the first that fits is taken.
const SHARES: [usize; 4] = [100, 60, 30, 15];

/// A card as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendering {
    /// Both forms.
    pub written: Written,
    /// What is asked, or what became of it, in one line.
    pub headline: String,
    /// Whether it shows the whole call.
    pub full: bool,
    /// The name of this rendering on record.
    pub shown: ShownDigest,
    /// How one decides; none where nobody is asked any more.
    pub ways: Option<Ways>,
    /// The whole call, for the card's thread, where the card does not show all of it and could.
    pub parts: Vec<Written>,
}

/// The card for this view. Pure; so is what is put on record before it is posted.
#[must_use]
pub fn render(view: &CardView, site: &Site<'_>, texts: &Texts) -> Rendering {
    let headline = headline(view, texts);
    if !view.is_waiting() {
        return Rendering {
            written: record_of(view, site, texts),
            headline,
            full: false,
            shown: view.shown(site.surface, false),
            ways: None,
            parts: Vec::new(),
        };
    }
    let (shown, parts) = how_much(view, site, texts);
    let full = shown == Shown::Whole;
    let ways = Ways::of(view, shown, site);
    let can_be_approved = ways.is_some_and(|ways| ways.yes.is_some());
    let mut sheet = body(view, shown, can_be_approved, texts);
    let tail = ways.map(|ways| ways.blocks(view, shown, site, texts)).unwrap_or_default();
    sheet.extend(tail);
    Rendering { written: sheet.written(), headline, full, shown: view.shown(site.surface, full), ways, parts }
}

/// Whether a card for this view shows the whole call, wherever it stands.
#[must_use]
pub fn shows_all(view: &CardView) -> bool {
    view.is_waiting() && !view.confidential && view.call.redacted == 0 && fits_everywhere(view)
}

/// How much of the call its card shows, and the rest.
fn how_much(view: &CardView, site: &Site<'_>, texts: &Texts) -> (Shown, Vec<Written>) {
    if view.confidential {
        // It is shown to who may read it, and to nobody in a room.
        return (Shown::Hidden, Vec::new());
    }
    if fits_everywhere(view) {
        return (if view.call.redacted == 0 { Shown::Whole } else { Shown::Hidden }, Vec::new());
    }
    match whole::parts(view, site, texts) {
        Some(parts) => (Shown::InParts(u32::try_from(parts.len()).unwrap_or(u32::MAX)), parts),
        None => (Shown::TooLong, Vec::new()),
    }
}

/// Whether nothing of the call needs to be cut, in any language.
fn fits_everywhere(view: &CardView) -> bool {
    let shown = shorten::state(view);
    let fits = |texts: &Texts| has_room(&card::sheet(&shown, view, true, texts));
    !argument::is_long(&view.call) && Language::ALL.into_iter().map(Texts::of).all(fits)
}

fn has_room(sheet: &Sheet) -> bool {
    has_room_of(sheet, FORM_BYTES_MAX - TAIL_BYTES)
}

fn has_room_of(sheet: &Sheet, bytes_max: usize) -> bool {
    let written = sheet.written();
    json_bytes(&written.plain) <= bytes_max && json_bytes(written.html.as_str()) <= bytes_max
}

/// What the longer of the two forms of a block takes.
fn bytes(block: &Block) -> usize {
    let written = Sheet(vec![block.clone()]).written();
    // And an end of line.
    json_bytes(&written.plain).max(json_bytes(written.html.as_str())) + 2
}

/// All but how one decides.
fn body(view: &CardView, shown: Shown, can_be_approved: bool, texts: &Texts) -> Sheet {
    if view.confidential {
        return compact::veiled(view, texts);
    }
    let state = shorten::state(view);
    if matches!(shown, Shown::Whole | Shown::Hidden) {
        return card::sheet(&state, view, can_be_approved, texts);
    }
    let shares = SHARES.iter().map(|share| shorten::view(&state, *share));
    let mut sheets = shares.map(|cut| card::sheet(&cut, view, can_be_approved, texts));
    sheets.find(has_room).unwrap_or_else(|| compact::sheet(view, can_be_approved, texts))
}

fn record_of(view: &CardView, site: &Site<'_>, texts: &Texts) -> Written {
    let prefix = site.manner.prefix.as_str();
    let view = if view.confidential { &view.veil() } else { view };
    let sheets = SHARES.iter().map(|share| record::sheet(&shorten::view(view, *share), prefix, texts));
    let sheet = sheets.into_iter().find(has_room).unwrap_or_else(|| compact::record(view, prefix, texts));
    sheet.written()
}

/// What is asked, or what became of it, in one line of plain text.
fn headline(view: &CardView, texts: &Texts) -> String {
    let veiled = view.confidential.then(|| view.veil());
    let view = veiled.as_ref().unwrap_or(view);
    let line = if view.is_waiting() {
        placet::card::unlike_placet(&texts.headline(&view.call, &Markup::PLAIN))
    } else {
        marked::Marked::of(texts.record_head(view, &marked::MARKS)).plain()
    };
    let line = placet::card::escape::cut_end(&line, FALLBACK_CHARS_MAX).text;
    html::disarmed(&format!("{line} · {}", view.code)).replace('\n', " ")
}

impl Rendering {
    /// Whether ✅ on it is a yes.
    #[must_use]
    pub fn reaction_approves(&self) -> bool {
        self.ways.is_some_and(|ways| ways.yes == Some(YesWay::Reaction))
    }

    /// Whether ❌ on it is a no.
    #[must_use]
    pub fn reaction_denies(&self) -> bool {
        self.ways.is_some_and(|ways| ways.no == placet::text::NoWay::Reaction)
    }
}

#[cfg(test)]
mod tests;
