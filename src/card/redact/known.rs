//! Secrets that are known by value, in the forms in which they travel.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use unicode_normalization::char::is_combining_mark;

use super::SECRET_CHARS_MIN;
use crate::card::escape::is_hidden;

/// Characters that a line of a secret of several lines must have to be looked for by itself.
const LINE_CHARS_MIN: usize = 16;

/// What to look for, without the characters that do not show.
#[derive(Clone, Default)]
pub(super) struct Known {
    forms: Vec<String>,
}

impl Known {
    pub(super) fn len(&self) -> usize {
        self.forms.len()
    }

    pub(super) fn add(&mut self, secret: &str) -> bool {
        let trimmed = secret.trim();
        if Folded::of(trimmed).text.chars().count() < SECRET_CHARS_MIN {
            return false;
        }
        let long_lines = trimmed
            .lines()
            .map(str::trim)
            .filter(|line| line.chars().count() >= LINE_CHARS_MIN && !line.starts_with("-----"));
        for part in std::iter::once(trimmed).chain(long_lines) {
            for form in forms(part) {
                let form = Folded::of(&form).text;
                if !self.forms.contains(&form) {
                    self.forms.push(form);
                }
            }
        }
        true
    }

    /// Where they are, overlapping ones too, with the invisible characters that were put within.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        if self.forms.is_empty() {
            return spans;
        }
        let folded = Folded::of(text);
        for form in &self.forms {
            let mut from = 0;
            while let Some(found) = folded.text.get(from..).and_then(|rest| rest.find(form.as_str())) {
                let start = from + found;
                spans.push(folded.original(start..start + form.len()));
                from = start + form.chars().next().map_or(1, char::len_utf8);
            }
        }
        spans
    }

    /// Where the end of a text begins that could be the beginning of one; the earliest, where there are several.
    pub(super) fn begins(&self, text: &str) -> Option<usize> {
        let folded = Folded::of(text);
        let mut longest = 0;
        for form in &self.forms {
            let parts = form.char_indices().map(|(at, _)| at).filter(|at| *at > longest);
            let mut begun =
                parts.filter(|at| form.get(..*at).is_some_and(|part| folded.text.ends_with(part)));
            longest = begun.next_back().unwrap_or(longest);
        }
        let begins = folded.text.len() - longest;
        (longest > 0).then(|| folded.original(begins..folded.text.len()).start)
    }
}

/// A secret as it is, and as it looks within what carries it.
fn forms(secret: &str) -> Vec<String> {
    let bytes = secret.as_bytes();
    let json = json_escaped(secret);
    let percent = percent_encoded(secret, |byte| format!("%{byte:02X}"));
    let mut forms = vec![
        secret.to_owned(),
        hex::encode(bytes),
        hex::encode_upper(bytes),
        json_escaped(&json),
        json,
        percent.replace("%20", "+"),
        percent,
        percent_encoded(secret, |byte| format!("%{byte:02x}")),
    ];
    for shift in 0..3 {
        forms.extend([aligned(&STANDARD_NO_PAD, bytes, shift), aligned(&URL_SAFE_NO_PAD, bytes, shift)]);
    }
    forms.retain(|form| form.chars().count() >= SECRET_CHARS_MIN);
    forms
}

/// As within the quotes of a JSON string.
fn json_escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted).to_owned()
}

/// The characters of a base64 text that depend on the secret alone when it begins `shift` bytes (mod 3) into it.
fn aligned(engine: &impl Engine, secret: &[u8], shift: usize) -> String {
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(secret);
    let text = engine.encode(&bytes);
    let first = (shift * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    text.get(first..last).unwrap_or_default().to_owned()
}

/// RFC 3986: unreserved characters as they are.
fn percent_encoded(text: &str, escape: impl Fn(u8) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&escape(byte));
        }
    }
    out
}

/// A text without what does not show, and the way back.
struct Folded {
    text: String,
    /// For each byte of `text`, where its character begins in the original; empty if nothing was left out.
    origins: Vec<usize>,
}

impl Folded {
    fn of(text: &str) -> Self {
        let dropped = |char: char| {
            !char.is_ascii_graphic()
                && !matches!(char, '\n' | '\t' | ' ')
                && (is_hidden(char) || is_combining_mark(char))
        };
        if !text.contains(dropped) {
            return Self { text: text.to_owned(), origins: Vec::new() };
        }
        let mut folded =
            Self { text: String::with_capacity(text.len()), origins: Vec::with_capacity(text.len()) };
        for (at, char) in text.char_indices().filter(|(_, char)| !dropped(*char)) {
            folded.text.push(char);
            folded.origins.resize(folded.text.len(), at);
        }
        folded
    }

    /// The span of the original from the first to the last character of a span that is not empty.
    fn original(&self, span: Range<usize>) -> Range<usize> {
        if self.origins.is_empty() {
            return span;
        }
        let last = self.text.get(..span.end).and_then(|text| text.chars().next_back());
        let origin = |at: usize| self.origins.get(at).copied().unwrap_or_default();
        let size = last.map_or(0, char::len_utf8);
        origin(span.start)..origin(span.end - size) + size
    }
}
