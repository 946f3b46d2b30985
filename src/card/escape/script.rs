//! Words that mix scripts to look like something else (UTS 39, sections 4 and 5), and signs that pretend to be ASCII.
//!
//! A word is a run of letters, marks and digits. East Asian text has no spaces between words, so a word is first split
//! where East Asian letters begin and end: `用Python写` and `β版` are plain text. Then:
//! - Latin with Cyrillic is framed, always; Latin with Greek if a Greek letter looks Latin (`kΩ` and `Δt` stay).
//! - Latin with one other script is what UTS 39 calls moderately restrictive and stays (Thai and Arabic write so),
//!   unless a run of the other letters looks wholly Latin, or is of a script of limited use.
//! - Any other mix is framed.
//! - ASCII letters with a compatibility letter that looks like one (`p𝚊ypal`, `paypaⅼ`, `ﬁle`) are framed.
//!
//! A word of one script is plain text, even if it looks Latin throughout: `сор` is Russian. Inside an identifier, host
//! or path that is otherwise Latin it is framed (`https://⟦сор⟧.com`), and so is a sign that looks like one of ASCII's
//! (`bank.com⟦∕⟧evil`).

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use unicode_security::general_security_profile::IdentifierType;
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::{GeneralSecurityProfile, skeleton};

/// ASCII punctuation that gives identifiers, hosts, paths and commands their structure.
const STRUCTURE: &str = "./:@_-\\=?&#%+~${}[]|;<>()";
/// Signs that look like ASCII's and belong to ordinary typography.
const TYPOGRAPHY: &str = "…‥‹›";

/// Do the two have a script in common? The second is a witness: a letter of one script only.
pub(super) fn same_script(char: char, witness: char) -> bool {
    let mut set = AugmentedScriptSet::for_char(char);
    if set.is_all() {
        return false;
    }
    set.intersect_with(AugmentedScriptSet::for_char(witness));
    !set.base.is_empty()
}

/// A letter of Chinese, Japanese or Korean.
pub(super) fn is_east_asian(char: char) -> bool {
    let set = AugmentedScriptSet::for_char(char);
    !set.is_all() && (set.hanb || set.jpan || set.kore)
}

/// The words and signs to frame, in order, none over another and none over a character that does not stay.
pub(super) fn suspicious(chars: &[char], stays: &[bool]) -> Vec<Range<usize>> {
    let text = Text { chars, stays };
    let mut frames = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let end = text.run(at, |at| text.is_token(at));
        if end == at {
            at += 1;
            continue;
        }
        if text.slice(&(at..end)).iter().any(|char| !char.is_ascii()) {
            text.frame_token(at..end, &mut frames);
        }
        at = end;
    }
    frames
}

struct Text<'c> {
    chars: &'c [char],
    stays: &'c [bool],
}

impl Text<'_> {
    fn slice(&self, range: &Range<usize>) -> &[char] {
        self.chars.get(range.clone()).unwrap_or_default()
    }

    fn char(&self, at: usize) -> char {
        self.chars.get(at).copied().unwrap_or('\0')
    }

    fn stays(&self, at: usize) -> bool {
        self.stays.get(at).copied().unwrap_or(false)
    }

    /// The end of the run from `at` in which `holds`.
    fn run(&self, at: usize, holds: impl Fn(usize) -> bool) -> usize {
        (at..self.chars.len()).find(|at| !holds(*at)).unwrap_or(self.chars.len())
    }

    fn is_word(&self, at: usize) -> bool {
        let char = self.char(at);
        self.stays(at) && (char.is_alphanumeric() || is_combining_mark(char) || is_joiner(char))
    }

    /// Part of an identifier, host, path or command word. What is escaped holds a token together.
    fn is_token(&self, at: usize) -> bool {
        let char = self.char(at);
        !self.stays(at) && !char.is_whitespace()
            || self.is_word(at)
            || STRUCTURE.contains(char)
            || looks_like_structure(char)
    }

    fn frame_token(&self, token: Range<usize>, frames: &mut Vec<Range<usize>>) {
        let chars = self.slice(&token);
        let east_asian = chars.iter().any(|char| is_east_asian(*char));
        let ascii = chars.iter().any(char::is_ascii_alphanumeric);
        let latin = chars.iter().filter(|char| char.is_ascii_alphabetic()).count();
        let mut at = token.start;
        while at < token.end {
            let end = self.run(at, |at| self.is_word(at)).min(token.end);
            if end > at {
                let word = at..end;
                let own = self.slice(&word).iter().filter(|char| char.is_ascii_alphabetic()).count();
                if latin > own && is_wholly_lookalike(self.slice(&word)) {
                    frames.push(word);
                } else {
                    self.frame_word(word, frames);
                }
                at = end;
                continue;
            }
            let char = self.char(at);
            let wide = matches!(char, '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}');
            if self.stays(at) && ascii && looks_like_structure(char) && !(wide && east_asian) {
                frames.push(at..at + 1);
            }
            at += 1;
        }
    }

    /// Splits a word where East Asian letters begin and end, and judges the parts.
    fn frame_word(&self, word: Range<usize>, frames: &mut Vec<Range<usize>>) {
        let latin = self.slice(&word).iter().any(char::is_ascii_alphabetic);
        let mut at = word.start;
        while at < word.end {
            let east_asian = is_east_asian(self.char(at));
            let end = (at + 1..word.end)
                .find(|at| is_scripted(self.char(*at)) && is_east_asian(self.char(*at)) != east_asian)
                .unwrap_or(word.end);
            let part = self.slice(&(at..end));
            let framed = if east_asian { latin && is_wholly_lookalike(part) } else { is_mixed(part) };
            if framed {
                frames.push(at..end);
            }
            at = end;
        }
    }
}

/// Judges a run of letters, marks and digits that are not East Asian.
fn is_mixed(part: &[char]) -> bool {
    let ascii = part.iter().any(char::is_ascii_alphabetic);
    if ascii && part.iter().any(|char| is_compatibility_lookalike(*char)) {
        return true;
    }
    let mut all = AugmentedScriptSet::default();
    let mut others = AugmentedScriptSet::default();
    let mut latin = false;
    for &char in part {
        let set = AugmentedScriptSet::for_char(char);
        all.intersect_with(set);
        if same_script(char, 'a') {
            latin = true;
        } else {
            others.intersect_with(set);
        }
    }
    if !all.is_empty() {
        return false;
    }
    if !latin || others.is_empty() {
        return true;
    }
    let foreign = |char: &char| is_scripted(*char) && !same_script(*char, 'a');
    let mut foreigners = part.iter().copied().filter(|char| foreign(char));
    let Some(first) = foreigners.next() else { return true };
    if same_script(first, 'б') {
        return true;
    }
    if same_script(first, 'λ') {
        return looks_latin(first) || foreigners.any(looks_latin);
    }
    part.iter().any(|char| foreign(char) && is_rare(*char))
        || part.split(|char| same_script(*char, 'a')).any(is_wholly_lookalike)
}

/// Of a script that no language of today is commonly written in (UTS 39, table 1).
fn is_rare(char: char) -> bool {
    matches!(char.identifier_type(), Some(IdentifierType::Limited_Use | IdentifierType::Exclusion))
}

/// Does it have a script, or does it go with any?
fn is_scripted(char: char) -> bool {
    !AugmentedScriptSet::for_char(char).is_all()
}

fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200C}' | '\u{200D}')
}

/// Letters of another script, at least one, and each of them looks Latin. Arabic letters do so only one by one: joined,
/// as in the article before a foreign word, they do not.
fn is_wholly_lookalike(word: &[char]) -> bool {
    let letters = word.iter().copied().filter(|char| is_scripted(*char) && !is_combining_mark(*char));
    let (mut count, mut arabic) = (0, false);
    for letter in letters {
        if same_script(letter, 'a') || !looks_latin(letter) {
            return false;
        }
        count += 1;
        arabic |= same_script(letter, 'ب');
    }
    count == 1 || count > 1 && !arabic
}

/// Is its prototype ASCII, accents aside?
fn looks_latin(char: char) -> bool {
    if char.is_ascii() {
        return false;
    }
    let mut buffer = [0; 4];
    let mut bare = skeleton(char.encode_utf8(&mut buffer)).filter(|c| !is_combining_mark(*c)).peekable();
    bare.peek().is_some() && bare.all(|c| c.is_ascii())
}

/// A letter outside the general security profile that is ASCII in disguise: mathematical, full-width, Roman numeral,
/// ligature. The ordinal signs are ordinary writing.
fn is_compatibility_lookalike(char: char) -> bool {
    !char.is_ascii()
        && !matches!(char, 'ª' | 'º')
        && (same_script(char, 'a') || !is_scripted(char))
        && !char.identifier_allowed()
        && looks_latin(char)
}

/// A sign that could be taken for ASCII punctuation.
fn looks_like_structure(char: char) -> bool {
    if char.is_ascii() || char.is_alphanumeric() || is_combining_mark(char) || TYPOGRAPHY.contains(char) {
        return false;
    }
    if matches!(char, '\u{2010}' | '\u{2011}' | '\u{2212}') {
        return true;
    }
    let mut buffer = [0; 4];
    let mut prototype = skeleton(char.encode_utf8(&mut buffer)).peekable();
    prototype.peek().is_some() && prototype.all(|c| c != '-' && STRUCTURE.contains(c))
}
