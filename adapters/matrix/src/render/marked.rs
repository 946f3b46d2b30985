//! Sentences of the catalogue in which it is known what is Placet's own and what was inserted.
//!
//! [`MARKS`] has the catalogue put what it inserts between two private-use characters, which no visible text can hold: they
//! are escaped like everything that does not show.

use placet::card::unlike_placet;
use placet::text::Markup;
use placet::time::Timestamp;

use super::html::disarmed;

/// Opens and closes what is inserted.
const INSERTED: (char, char) = ('\u{e000}', '\u{e001}');

/// For sentences that are taken apart again. Times are Placet's own, with day and zone: there is no element for them that
/// clients would turn into the reader's own time.
pub(super) const MARKS: Markup<'static> = Markup { text: &marked, time: &Timestamp::to_minute_utc };

/// Signs of Placet’s own are no part of what is inserted.
fn marked(text: &str) -> String {
    format!("{}{}{}", INSERTED.0, unlike_placet(&without_marks(text)), INSERTED.1)
}

fn without_marks(text: &str) -> String {
    text.replace([INSERTED.0, INSERTED.1], "\u{fffd}")
}

/// A sentence in which inserted text is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked(String);

/// A part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Placet's own words.
    Own(&'a str),
    /// Somebody's.
    Inserted(&'a str),
}

impl Marked {
    /// A sentence that the catalogue made with [`MARKS`], or that inserts nothing.
    pub(super) const fn of(sentence: String) -> Self {
        Self(sentence)
    }

    /// Text of somebody's, and nothing of Placet's.
    pub(super) fn foreign(text: &str) -> Self {
        Self(marked(text))
    }

    /// The parts, in their order. A mark that has no other is taken for the end of the sentence.
    pub(super) fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        let mut rest = self.0.as_str();
        while let Some((before, after)) = rest.split_once(INSERTED.0) {
            pieces.push(Piece::Own(before));
            let (inserted, after) = after.split_once(INSERTED.1).unwrap_or((after, ""));
            pieces.push(Piece::Inserted(inserted));
            rest = after;
        }
        pieces.push(Piece::Own(rest));
        pieces
    }

    /// Without marks, for who sees no HTML.
    pub(super) fn plain(&self) -> String {
        let text: String = self
            .pieces()
            .into_iter()
            .map(|piece| match piece {
                Piece::Own(text) | Piece::Inserted(text) => text,
            })
            .collect();
        disarmed(&text)
    }

    /// With these words of Placet's behind it.
    pub(super) fn followed_by(mut self, own: &str) -> Self {
        self.0.push_str(own);
        self
    }

    /// At most so many characters of it: beyond, it is cut, and all of it is taken for inserted text.
    pub(super) fn cut(self, chars_max: usize) -> Self {
        let plain = self.plain();
        if plain.chars().count() <= chars_max {
            return self;
        }
        Self::foreign(&placet::card::escape::cut_end(&plain, chars_max).text)
    }
}

/// A title or a name that the catalogue does not put through its markup itself.
pub(super) fn inserted(text: &str) -> String {
    marked(text)
}
