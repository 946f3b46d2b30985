//! Where a part of a condition stands in the policy's file: inside a TOML string, whatever way it is written.

use super::super::diagnostic::{Report, Span};
use super::super::reader::At;

/// A condition's text, with where each of its bytes stands in the file.
pub(super) struct Place {
    whole: Span,
    /// For each byte of the text where its character begins in the file, and one more for the end; empty where it
    /// cannot be told.
    starts: Vec<usize>,
}

impl Place {
    pub(super) fn new(text: &At<String>, report: &Report<'_>) -> Self {
        let starts = starts(report.source(&text.span), &text.value).unwrap_or_default();
        let starts = starts.into_iter().map(|at| at + text.span.start).collect();
        Self { whole: text.span.clone(), starts }
    }

    /// Where the bytes from the first to the second (exclusive) stand; all of it where that is not known.
    pub(super) fn bytes(&self, at: Option<(u32, u32)>) -> Span {
        let known = at.and_then(|(first, end)| {
            let index = |at: u32| usize::try_from(at).ok();
            // An end that came too soon is shown at the last character.
            let last = self.starts.len().checked_sub(2)?;
            let first = index(first)?.min(last);
            let end = index(end)?.clamp(first + 1, last + 1);
            Some(*self.starts.get(first)?..*self.starts.get(end)?)
        });
        known.unwrap_or_else(|| self.whole.clone())
    }
}

/// For each byte of a TOML string's value where its character begins within the string as it is written, and where the
/// last one ends; none where the two do not fit.
fn starts(raw: &str, value: &str) -> Option<Vec<usize>> {
    let (open, basic) = [("\"\"\"", true), ("'''", false), ("\"", true), ("'", false)]
        .into_iter()
        .find(|(quote, _)| raw.starts_with(quote))?;
    let mut at = open.len();
    if open.len() == 3 {
        let newline = ["\r\n", "\n"].into_iter().find(|newline| raw[at..].starts_with(newline));
        at += newline.map_or(0, str::len);
    }
    let mut starts = Vec::with_capacity(value.len() + 1);
    for wanted in value.chars() {
        while basic && let Some(length) = line_continued(&raw[at..]) {
            at += length;
        }
        starts.extend(std::iter::repeat_n(at, wanted.len_utf8()));
        let rest = raw.get(at..)?;
        let next = rest.chars().next()?;
        at += match next {
            '\\' if basic => escape(rest)?,
            '\r' if wanted == '\n' => 2,
            _ if next == wanted => next.len_utf8(),
            _ => return None,
        };
    }
    starts.push(at);
    Some(starts)
}

/// How long a line-ending backslash is, with the white space after it.
fn line_continued(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('\\')?;
    let line_end = after.trim_start_matches([' ', '\t']);
    line_end
        .starts_with(['\n', '\r'])
        .then(|| rest.len() - line_end.trim_start_matches([' ', '\t', '\n', '\r']).len())
}

/// How long an escape is (TOML 1.1).
fn escape(rest: &str) -> Option<usize> {
    match rest.chars().nth(1)? {
        'x' => Some(4),
        'u' => Some(6),
        'U' => Some(10),
        other => Some(1 + other.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_writing_a_string_is_followed() {
        for (raw, value, expected) in [
            ("'a<b'", "a<b", vec![1, 2, 3, 4]),
            (r#""a\"é""#, "a\"é", vec![1, 2, 4, 4, 6]),
            (r#""\u0041b""#, "Ab", vec![1, 7, 8]),
            ("'''\na\nb'''", "a\nb", vec![4, 5, 6, 7]),
            ("\"\"\"\r\na \\\n   b\"\"\"", "a b", vec![5, 6, 12, 13]),
        ] {
            assert_eq!(starts(raw, value), Some(expected), "{raw}");
        }
        assert_eq!(starts("'a'", "b"), None);
    }
}
