//! Where a text that is still being spoken may be cut, so that no secret is told in two halves.

use super::Redactor;
use crate::card::escape::is_hidden;

impl Redactor {
    /// How many bytes of a text, to which more may come, can be told: no secret begins before and ends behind them. What
    /// is held back is the last word, or more where it stands in an address, and the beginning of a secret that is known.
    #[must_use]
    pub fn settled(&self, text: &str) -> usize {
        let word = text.rfind(|char: char| char.is_ascii_whitespace()).map_or(0, |at| at + 1);
        let last = text.get(word..).unwrap_or_default();
        let settled = if last.contains("://") {
            word
        } else {
            // Texts that are written without spaces would be held back for ever; a token is ASCII.
            let shown = last.char_indices().rfind(|(_, char)| !char.is_ascii() && !is_hidden(*char));
            shown.map_or(word, |(at, char)| word + at + char.len_utf8())
        };
        let mut settled = self.known.begins(text).map_or(settled, |begins| begins.min(settled));
        // One of several words is not cut between them.
        let spans = self.spans(text);
        while let Some(cut) = spans.iter().find(|span| span.start < settled && settled < span.end) {
            settled = cut.start;
        }
        settled
    }
}
