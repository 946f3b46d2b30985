//! One-off messages that Placet writes: a sentence of the catalogue, whom it mentions, and what a tool returned.
//!
//! What always holds: who is mentioned stands in `m.mentions` alone, by accounts that Placet names, and in the text by their
//! full ids; whatever an agent, a tool or a person wrote mentions nobody.

use placet::approval::OutcomeKind;
use placet::gate::Digest;
use placet::notice::Notice;
use placet::policy::Place;
use placet::text::Texts;

use super::marked::{MARKS, Marked};
use super::sheet::{Block, Sheet, Written};
use super::{FORM_BYTES_MAX, has_room_of};

/// Room for the sentence, in characters.
const SENTENCE_CHARS_MAX: usize = 2_500;
/// How many tools there are lines for in a digest: the first with which the message fits is taken. More than forty lines
/// nobody reads.
const TOOLS: [usize; 6] = [40, 20, 10, 5, 2, 1];
/// Room for a line of a digest, in characters. What a person names a tool is far shorter.
const LINE_CHARS_MAX: usize = 600;

/// What stands around the sentence.
#[derive(Debug, Clone, Copy, Default)]
pub struct Notes<'a> {
    /// Who could do what was refused, by name.
    pub who_can: &'a [String],
    /// The accounts that are mentioned, by their full ids.
    pub mentions: &'a [String],
}

/// A message as it is sent.
#[must_use]
pub fn notice(notice: &Notice, notes: &Notes<'_>, texts: &Texts) -> Written {
    if let Notice::Digest { digest: Some(digest), .. } = notice {
        return of_digest(digest, texts);
    }
    let mut sheet = Sheet::default();
    if !notes.mentions.is_empty() {
        let named = notes.mentions.iter().map(|id| super::marked::inserted(id));
        sheet.push(Block::Said(Marked::of(named.collect::<Vec<_>>().join(" "))));
    }
    let sentence = texts.notice(notice, notes.who_can, &MARKS).replace('\n', "⏎");
    let mut sentence = Marked::of(sentence).cut(SENTENCE_CHARS_MAX);
    if let Notice::AskedDirectly { place: Some(place), .. } = notice {
        sentence = sentence.followed_by(&format!(" {}", link(place)));
    }
    sheet.push(Block::Said(sentence));
    sheet.extend(set_apart(notice).map(|words| Block::Bare(words.to_owned())));
    sheet.written()
}

/// A sentence of the catalogue alone.
pub(crate) fn said(sentence: String) -> Written {
    let mut sheet = Sheet::default();
    sheet.said(sentence);
    sheet.written()
}

/// Where a card is, as clients find it. A place is of the policy's or of the configuration, never of an agent's.
/// <https://spec.matrix.org/v1.16/appendices/#matrixto-navigation>
fn link(place: &Place) -> String {
    let parts = std::iter::once(&place.channel).chain(&place.thread);
    let parts = parts.map(|id| url::form_urlencoded::byte_serialize(id.as_bytes()).collect::<String>());
    format!("https://matrix.to/#/{}", parts.collect::<Vec<_>>().join("/"))
}

/// What ran unasked: a line for each tool, as many as have room, and how to see the rest.
fn of_digest(digest: &Digest, texts: &Texts) -> Written {
    let mut sheet = Sheet::default();
    for tools in TOOLS {
        let lines = texts.digest(digest, tools, &MARKS).into_iter();
        sheet = Sheet(lines.map(|line| Block::Said(Marked::of(line).cut(LINE_CHARS_MAX))).collect());
        if has_room_of(&sheet, FORM_BYTES_MAX) {
            break;
        }
    }
    sheet.written()
}

/// What stands beneath the sentence, as it is.
fn set_apart(notice: &Notice) -> Option<&str> {
    match notice {
        Notice::Ran { ran, .. } if ran.outcome == OutcomeKind::Succeeded => {
            ran.words.as_ref().map(|words| words.as_str())
        }
        _ => None,
    }
}
