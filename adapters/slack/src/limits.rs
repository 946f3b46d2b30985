//! Slack's limits on messages and views, the cutters that keep to them, and a check that names each one violated.
//!
//! Lengths are counted in *units*: UTF-16 code units of the text after escaping, as Slack counts. A cut never
//! divides a character, nor an entity such as `&amp;`.
//!
//! Source: <https://docs.slack.dev/reference/block-kit/blocks> and the pages of the composition objects.

use std::fmt;

mod check;

pub use check::{check_message, check_view};

/// Blocks in a message.
pub const MESSAGE_BLOCKS_MAX: usize = 50;
/// Blocks in a modal or a home tab.
pub const VIEW_BLOCKS_MAX: usize = 100;
/// `block_id`, `action_id` and `callback_id`.
pub const ID_UNITS_MAX: usize = 255;
/// Text of a section.
pub const SECTION_UNITS_MAX: usize = 3_000;
/// Fields of a section.
pub const SECTION_FIELDS_MAX: usize = 10;
/// One field of a section.
pub const SECTION_FIELD_UNITS_MAX: usize = 2_000;
/// A header.
pub const HEADER_UNITS_MAX: usize = 150;
/// Elements of a context block.
pub const CONTEXT_ELEMENTS_MAX: usize = 10;
/// Text of a context element. Slack states none; that of a section is kept.
pub const CONTEXT_UNITS_MAX: usize = 3_000;
/// Elements of an actions block.
pub const ACTIONS_ELEMENTS_MAX: usize = 25;
/// Text of a button.
pub const BUTTON_TEXT_UNITS_MAX: usize = 75;
/// What a button's text shows before clients cut it.
pub const BUTTON_TEXT_UNITS_SHOWN: usize = 30;
/// Value of a button.
pub const BUTTON_VALUE_UNITS_MAX: usize = 2_000;
/// Address of a button.
pub const BUTTON_URL_UNITS_MAX: usize = 3_000;
/// Title of a confirmation.
pub const CONFIRM_TITLE_UNITS_MAX: usize = 100;
/// Text of a confirmation.
pub const CONFIRM_TEXT_UNITS_MAX: usize = 300;
/// Each button of a confirmation.
pub const CONFIRM_BUTTON_UNITS_MAX: usize = 30;
/// Label of an input.
pub const INPUT_LABEL_UNITS_MAX: usize = 2_000;
/// Hint of an input.
pub const INPUT_HINT_UNITS_MAX: usize = 2_000;
/// The largest `max_length` of a text input.
pub const TEXT_INPUT_LENGTH_MAX: usize = 3_000;
/// Placeholder of an input.
pub const PLACEHOLDER_UNITS_MAX: usize = 150;
/// Text of an option.
pub const OPTION_TEXT_UNITS_MAX: usize = 75;
/// Value of an option.
pub const OPTION_VALUE_UNITS_MAX: usize = 150;
/// Options of an overflow menu; at least [`OVERFLOW_OPTIONS_MIN`].
pub const OVERFLOW_OPTIONS_MAX: usize = 5;
/// The least options of an overflow menu: Slack's pages have said two, and some of its checks still do.
pub const OVERFLOW_OPTIONS_MIN: usize = 2;
/// Radio buttons in a group.
pub const RADIO_OPTIONS_MAX: usize = 10;
/// Options of a menu to choose from.
pub const SELECT_OPTIONS_MAX: usize = 100;
/// Title of a view.
pub const VIEW_TITLE_UNITS_MAX: usize = 24;
/// The submit and close buttons of a view.
pub const VIEW_BUTTON_UNITS_MAX: usize = 24;
/// `private_metadata` of a view.
pub const PRIVATE_METADATA_UNITS_MAX: usize = 3_000;
/// Views that lie on top of each other.
pub const VIEW_STACK_MAX: usize = 3;
/// All markdown blocks of a message together.
pub const MARKDOWN_UNITS_MAX: usize = 12_000;
/// Rows of a table.
pub const TABLE_ROWS_MAX: usize = 100;
/// Columns of a table.
pub const TABLE_COLUMNS_MAX: usize = 20;
/// All cells of a table together.
pub const TABLE_UNITS_MAX: usize = 10_000;
/// The fallback `text` of a message: `chat.update` refuses more, `chat.postMessage` advises against it.
pub const TEXT_UNITS_MAX: usize = 4_000;
/// The JSON of all blocks of a message. Slack's own bound is undocumented and lies near 13,200 characters.
pub const MESSAGE_BLOCKS_BYTES_MAX: usize = 10_000;

/// What ends a text that was cut.
const ELLIPSIS: &str = "…";

/// One limit that a message or view violates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where: a JSON pointer.
    pub path: String,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Longer, or more of them, than Slack takes.
    Exceeds {
        /// What was counted.
        found: usize,
        /// What Slack takes.
        max: usize,
    },
    /// Slack needs something here.
    Missing,
    /// Stands in the same message or view already.
    Duplicate,
    /// Not one of the values that Slack knows.
    Invalid,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match self.fault {
            Fault::Exceeds { found, max } => write!(f, "{path}: {found}, at most {max}"),
            Fault::Missing => write!(f, "{path}: missing"),
            Fault::Duplicate => write!(f, "{path}: used twice"),
            Fault::Invalid => write!(f, "{path}: not valid"),
        }
    }
}

/// Length in UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Length of `text` in UTF-16 code units after [`crate::mrkdwn::escape`].
pub fn escaped_len(text: &str) -> usize {
    text.chars().map(escaped_units).sum()
}

fn escaped_units(character: char) -> usize {
    match character {
        '&' => "&amp;".len(),
        '<' => "&lt;".len(),
        '>' => "&gt;".len(),
        other => other.len_utf16(),
    }
}

/// Whether this character only changes the one before it, so that a cut may not fall in front of it.
fn continues(character: char) -> bool {
    matches!(character,
        '\u{0300}'..='\u{036f}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

/// The byte length of the longest start of `text` that has at most `units_max` units after escaping and does not
/// end inside a character.
fn fitting_bytes(text: &str, units_max: usize) -> usize {
    let mut units = 0;
    // The last place where a cut may fall; inside a joined sequence it stays in front of it.
    let mut boundary = 0;
    let mut before = None;
    for (at, character) in text.char_indices() {
        if !continues(character) && before != Some('\u{200d}') {
            boundary = at;
        }
        units += escaped_units(character);
        if units > units_max {
            // A sequence longer than the limit itself is divided between code points: something must be shown.
            return if boundary == 0 { at } else { boundary };
        }
        before = Some(character);
    }
    text.len()
}

/// The longest start of unescaped `text` that fits into `units_max` units once escaped.
pub fn cut(text: &str, units_max: usize) -> &str {
    &text[..fitting_bytes(text, units_max)]
}

/// Unescaped `text`, cut to `units_max` units with `…` at its end if it was longer.
pub fn shorten(text: &str, units_max: usize) -> String {
    if escaped_len(text) <= units_max {
        return text.to_owned();
    }
    let kept = cut(text, units_max.saturating_sub(utf16_len(ELLIPSIS)));
    format!("{kept}{ELLIPSIS}")
}

/// Unescaped `text` in pieces of at most `units_max` units, whole lines where they fit. Joined they are `text`.
/// A piece holds at least one character.
pub fn split(text: &str, units_max: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let fits = match fitting_bytes(rest, units_max) {
            0 => rest.chars().next().map_or(rest.len(), char::len_utf8),
            bytes => bytes,
        };
        let end = match rest[..fits].rfind('\n') {
            Some(newline) if fits < rest.len() => newline + 1,
            _ => fits,
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// The longest start of *escaped* `text` that has at most `units_max` UTF-16 units and does not end inside a
/// character, an entity (`&amp;`) or a piece of markup (`<@U123>`).
pub fn cut_escaped(text: &str, units_max: usize) -> &str {
    let mut units = 0;
    let mut boundary = 0;
    let mut open: Option<char> = None;
    for (at, character) in text.char_indices() {
        if open.is_none() {
            boundary = at;
        }
        units += character.len_utf16();
        if units > units_max {
            return &text[..boundary];
        }
        match (open, character) {
            (None, '&') => open = is_entity(&text[at..]).then_some(';'),
            (None, '<') => open = text[at..].contains('>').then_some('>'),
            (Some(end), character) if end == character => open = None,
            _ => {}
        }
    }
    text
}

fn is_entity(text: &str) -> bool {
    ["&amp;", "&lt;", "&gt;"].iter().any(|entity| text.starts_with(entity))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mrkdwn::escape;

    #[test]
    fn lengths_count_utf16_units_of_the_escaped_text() {
        assert_eq!(utf16_len("a\u{1F600}é漢"), 5);
        assert_eq!(escaped_len("<a & b>"), utf16_len("&lt;a &amp; b&gt;"));
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(cut("ab\u{1F600}c", 3), "ab");
        assert_eq!(cut("ab\u{1F600}c", 4), "ab\u{1F600}");
        assert_eq!(cut("a<b", 4), "a");
        assert_eq!(cut("ae\u{301}b", 2), "a");
        assert_eq!(cut("a\u{1F468}\u{200D}\u{1F469}b", 5), "a");
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abcd", 4), "abcd");
        assert_eq!(shorten("abcd", 0), "…");
    }

    #[test]
    fn escaped_text_is_cut_between_entities_and_markup() {
        assert_eq!(cut_escaped("a&amp;b", 5), "a");
        assert_eq!(cut_escaped("a&amp;b", 6), "a&amp;");
        assert_eq!(cut_escaped("a&b;c", 3), "a&b");
        assert_eq!(cut_escaped("hi <@U123> you", 8), "hi ");
        assert_eq!(cut_escaped("hi <@U123> you", 10), "hi <@U123>");
        assert_eq!(cut_escaped("a < b", 4), "a < ");
    }

    #[test]
    fn pieces_are_whole_lines_where_they_fit() {
        assert_eq!(split("one\ntwo\nthree", 8), ["one\ntwo\n", "three"]);
        assert_eq!(split("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(split("", 4), [""; 0]);
        assert_eq!(split("<<", 1), ["<", "<"]);
    }

    proptest! {
        #[test]
        fn cuts_keep_the_limit(text in "(\\PC|[&<>\u{1F600}\u{301}\u{200d}]){0,80}", max in 0usize..60) {
            prop_assert!(escaped_len(cut(&text, max)) <= max);
            prop_assert!(escaped_len(&shorten(&text, max)) <= max.max(1));
            prop_assert!(text.starts_with(cut(&text, max)));
            let escaped = escape(&text);
            let kept = cut_escaped(&escaped, max);
            prop_assert!(utf16_len(kept) <= max);
            prop_assert_eq!(escape(&crate::mrkdwn::unescape(kept)), kept);
            prop_assert_eq!(split(&text, max + 1).concat(), text);
        }
    }
}
