//! Which characters do not show, and where one of them is needed and may stay.
//!
//! What stays, by decision:
//! - ZERO WIDTH JOINER between two emoji, and after a virama (RFC 5892, A.2); before the virama of a Bengali or
//!   Kannada ra, as the Unicode standard spells it there. ZERO WIDTH NON-JOINER after a virama, and between two Arabic
//!   letters of which the first would join (RFC 5892, A.1): there both can be seen by what they do.
//! - One variation selector 15 or 16 behind an emoji, and the keycap sequences.
//! - One Mongolian variation selector behind a Mongolian letter.
//! - IDEOGRAPHIC SPACE beside East Asian text, where it is the ordinary space.
//!
//! Ideographic variation sequences do not stay: two names that differ only in one look the same in most fonts.

use unicode_normalization::char::{canonical_combining_class, is_combining_mark, is_public_assigned};

use super::is_bracket;
use super::script::{is_east_asian, same_script};

/// Combining marks that one character may carry. Hebrew with cantillation and stacked Vietnamese stay below.
const MARKS_MAX: usize = 4;

/// Ideographic spaces in a row that count as one gap in a text.
const WIDE_SPACES_MAX: usize = 8;

/// What becomes of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    Invisible,
    Bidirectional,
    /// One of our own signs.
    Bracket,
    /// `\r` of a `\r\n`.
    LineEnd,
    /// A mark beyond the fourth.
    Heaped,
    /// A mark on nothing, on one of our escapes, or around its character.
    Baseless,
}

/// The fate of each character.
pub(super) fn fates(chars: &[char]) -> Vec<Fate> {
    let mut fates: Vec<Fate> = Vec::with_capacity(chars.len());
    let mut marks = 0;
    for (at, &char) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| fates.get(at).copied());
        let fate = if is_selector(char) || !is_combining_mark(char) {
            let around = Around { chars, at, before_stays: before == Some(Fate::Stays) };
            fate_of_base(char, &around)
        } else if is_hidden(char) {
            Fate::Invisible
        } else {
            fate_of_mark(char, at.checked_sub(1).and_then(|at| chars.get(at).copied()), before, marks)
        };
        if is_combining_mark(char) && matches!(fate, Fate::Stays | Fate::Heaped) {
            marks += 1;
        } else {
            marks = 0;
        }
        fates.push(fate);
    }
    fates
}

fn fate_of_base(char: char, around: &Around<'_>) -> Fate {
    match char {
        '\n' | '\t' | ' '..='~' => Fate::Stays,
        '\r' if around.after() == Some('\n') => Fate::LineEnd,
        _ if is_bracket(char) => Fate::Bracket,
        _ if is_bidirectional(char) => Fate::Bidirectional,
        _ if is_hidden(char) && !around.needs(char) => Fate::Invisible,
        _ => Fate::Stays,
    }
}

fn fate_of_mark(mark: char, base: Option<char>, before: Option<Fate>, marks: usize) -> Fate {
    match (base, before) {
        (_, Some(Fate::Heaped)) => Fate::Heaped,
        (None | Some('\n' | '\t'), _) => Fate::Baseless,
        (Some(base), Some(Fate::Stays)) => {
            let keycap = mark == '\u{20E3}' && (is_keycap_base(base) || base == '\u{FE0F}');
            if is_enclosing(mark) && !keycap {
                Fate::Baseless
            } else if marks >= MARKS_MAX {
                Fate::Heaped
            } else {
                Fate::Stays
            }
        }
        _ => Fate::Baseless,
    }
}

/// A character in its place.
struct Around<'c> {
    chars: &'c [char],
    at: usize,
    /// The character before is there and shows.
    before_stays: bool,
}

impl Around<'_> {
    fn after(&self) -> Option<char> {
        self.chars.get(self.at + 1).copied()
    }

    /// Is this hidden character one that the text cannot be written without?
    fn needs(&self, char: char) -> bool {
        if char == '\u{3000}' {
            return self.is_beside_east_asian();
        }
        let Some(before) = self.at.checked_sub(1).and_then(|at| self.chars.get(at)).copied() else {
            return false;
        };
        if !self.before_stays {
            return false;
        }
        match char {
            '\u{200D}' => {
                let after = self.after();
                is_virama(before)
                    || matches!(before, '\u{09B0}' | '\u{0CB0}') && after.is_some_and(is_virama)
                    || (is_emoji(before) || is_selector(before)) && after.is_some_and(is_emoji)
            }
            '\u{200C}' => {
                is_virama(before) || joins_forward(self.chars, self.at) && self.before_arabic_letter()
            }
            '\u{FE0E}' | '\u{FE0F}' => {
                is_emoji(before) || is_keycap_base(before) && self.after() == Some('\u{20E3}')
            }
            '\u{180B}'..='\u{180F}' => before.is_alphabetic() && same_script(before, '\u{1820}'),
            _ => false,
        }
    }

    fn before_arabic_letter(&self) -> bool {
        self.after().is_some_and(|after| is_arabic_letter(after) && after != '\u{0621}')
    }

    fn is_beside_east_asian(&self) -> bool {
        let is = |char: &char| {
            is_east_asian(*char) || matches!(char, '\u{3001}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}')
        };
        let (left, right) = self.chars.split_at(self.at);
        let beside = |char: &&char| **char != '\u{3000}';
        left.iter().rev().take(WIDE_SPACES_MAX).find(beside).is_some_and(is)
            || right.iter().take(WIDE_SPACES_MAX).find(beside).is_some_and(is)
    }
}

/// Is the letter before `at`, marks aside, an Arabic one that joins to what follows it?
fn joins_forward(chars: &[char], at: usize) -> bool {
    let before = chars.iter().take(at).rev().find(|char| !is_combining_mark(**char));
    before.is_some_and(|letter| is_arabic_letter(*letter) && !is_right_joining(*letter))
}

fn is_arabic_letter(char: char) -> bool {
    char.is_alphabetic() && same_script(char, '\u{0628}')
}

/// Letters of Arabic that never join to the next (Joining_Type R and U of `ArabicShaping.txt`, without the rare
/// supplements).
fn is_right_joining(char: char) -> bool {
    matches!(char,
        '\u{0621}'..='\u{0625}' | '\u{0627}' | '\u{0629}' | '\u{062F}'..='\u{0632}' | '\u{0648}'
        | '\u{0671}'..='\u{0677}' | '\u{0688}'..='\u{0699}' | '\u{06C0}' | '\u{06C3}'..='\u{06CB}' | '\u{06CD}'
        | '\u{06CF}' | '\u{06D2}' | '\u{06D3}' | '\u{06D5}' | '\u{06EE}' | '\u{06EF}')
}

fn is_virama(char: char) -> bool {
    canonical_combining_class(char) == 9
}

fn is_selector(char: char) -> bool {
    matches!(char, '\u{FE0E}' | '\u{FE0F}' | '\u{180B}'..='\u{180D}' | '\u{180F}')
}

fn is_keycap_base(char: char) -> bool {
    matches!(char, '0'..='9' | '#' | '*')
}

/// The blocks where emoji live (`emoji-data.txt`), a little wider: none of it is a letter.
fn is_emoji(char: char) -> bool {
    matches!(char,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}'
        | '\u{2300}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}' | '\u{2934}' | '\u{2935}'
        | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1FAFF}')
}

/// Explicit formatting and implicit marks of UAX 9.
fn is_bidirectional(char: char) -> bool {
    matches!(char, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Enclosing marks (general category Me): they draw over their neighbours.
fn is_enclosing(char: char) -> bool {
    matches!(char,
        '\u{0488}' | '\u{0489}' | '\u{1ABE}' | '\u{20DD}'..='\u{20E0}' | '\u{20E2}'..='\u{20E4}'
        | '\u{A670}'..='\u{A672}')
}

/// Nothing to see, or no agreed meaning.
pub(super) fn is_hidden(char: char) -> bool {
    char.is_control() || is_default_ignorable(char) || is_blank(char) || !is_public_assigned(char)
}

/// Could it be in a text that was made visible? What stays only beside certain others is taken on trust.
pub(super) fn may_stand(char: char) -> bool {
    !is_hidden(char)
        || is_selector(char)
        || matches!(char, '\n' | '\t' | '\u{180E}' | '\u{200C}' | '\u{200D}' | '\u{3000}')
}

/// Default_Ignorable_Code_Point of `DerivedCoreProperties.txt`.
pub(super) fn is_default_ignorable(char: char) -> bool {
    matches!(char,
        '\u{AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Spaces other than the ordinary one, line and paragraph separators, and signs that are drawn empty: braille blank,
/// interlinear annotation, object replacement, null notehead, hieroglyphic format controls.
fn is_blank(char: char) -> bool {
    matches!(char,
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}'
        | '\u{2800}' | '\u{3000}' | '\u{FFF9}'..='\u{FFFC}' | '\u{13430}'..='\u{13440}' | '\u{16FE4}'
        | '\u{1D159}')
}
