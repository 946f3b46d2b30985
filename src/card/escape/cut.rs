//! Cutting long text without cutting a character, an escape or a frame, and saying how much is missing.

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use super::{ESCAPE, FRAME, is_bracket};

/// A text that may have been cut. Lengths are in characters (Unicode scalar values), as limits of chat services are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cut {
    /// Never longer than was asked for. Where something is missing it says `…⟨1,234 characters left out⟩…`, in the
    /// signs that no escaped text can contain; `…` alone where even that has no room.
    pub text: String,
    /// Characters of the original that are not shown; 0 means that `text` is the original.
    pub left_out: usize,
}

/// Keeps the beginning and the end.
pub fn cut_middle(text: &str, max_chars: usize) -> Cut {
    cut(text, max_chars, noted("…"), |room| (room - room / 2, room / 2))
}

/// Keeps the beginning.
pub fn cut_end(text: &str, max_chars: usize) -> Cut {
    cut(text, max_chars, noted(""), |room| (room, 0))
}

/// Keeps the beginning and the end, with `…` alone between them: for where there is little room, and it is said beside it that
/// something is missing.
pub fn shorten_middle(text: &str, max_chars: usize) -> Cut {
    cut(text, max_chars, |_| "…".to_owned(), |room| (room - room / 2, room / 2))
}

/// That so many characters are missing.
fn noted(after: &str) -> impl Fn(usize) -> String {
    move |left_out| {
        let noun = if left_out == 1 { "character" } else { "characters" };
        format!("…{}{} {noun} left out{}{after}", ESCAPE.0, grouped(left_out), ESCAPE.1)
    }
}

/// `share` divides the room that the note leaves between beginning and end.
fn cut(
    text: &str,
    max_chars: usize,
    note: impl Fn(usize) -> String,
    share: impl Fn(usize) -> (usize, usize),
) -> Cut {
    let total = text.chars().count();
    if total <= max_chars {
        return Cut { text: text.to_owned(), left_out: 0 };
    }
    // The note for the whole text is the longest that can be needed.
    let Some(room) = max_chars.checked_sub(note(total).chars().count()) else {
        return Cut { text: "…".chars().take(max_chars).collect(), left_out: total };
    };
    let units = units(text);
    let (head_room, tail_room) = share(room);
    let (head, head_chars) = fitting(units.iter().copied(), head_room);
    let rest = units.get(head..).unwrap_or_default();
    let (tail, tail_chars) = fitting(rest.iter().rev().copied(), tail_room);
    let left_out = total - head_chars - tail_chars;
    let mut out: String = units.iter().copied().take(head).collect();
    out.push_str(&note(left_out));
    out.extend(rest.iter().skip(rest.len() - tail).copied());
    Cut { text: out, left_out }
}

/// How many units fit, and their characters.
fn fitting<'t>(units: impl Iterator<Item = &'t str>, room: usize) -> (usize, usize) {
    let (mut count, mut chars) = (0, 0);
    for unit in units {
        let size = unit.chars().count();
        if chars + size > room {
            break;
        }
        count += 1;
        chars += size;
    }
    (count, chars)
}

/// What is never split: an escape, a frame, a grapheme cluster (UAX 29).
fn units(text: &str) -> Vec<&str> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find([ESCAPE.0, FRAME.0]) {
        let (plain, marked) = rest.split_at(open);
        units.extend(plain.graphemes(true));
        let mut brackets = marked.char_indices().filter(|(_, char)| is_bracket(*char)).skip(1);
        let close = if marked.starts_with(ESCAPE.0) { ESCAPE.1 } else { FRAME.1 };
        let size = match brackets.next() {
            Some((at, char)) if char == close => at + close.len_utf8(),
            _ => ESCAPE.0.len_utf8(),
        };
        let (unit, after) = marked.split_at(size);
        units.push(unit);
        rest = after;
    }
    units.extend(rest.graphemes(true));
    units
}

/// With commas between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
