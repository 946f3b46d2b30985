//! Where in a JSON text something is: `$.files[3].path`.

use std::fmt;

/// Characters of one key that a path shows. Keys come from callers: an error must not carry a page of them.
const KEY_CHARS_MAX: usize = 40;

/// A place in a JSON text, written like a normalised path of RFC 9535: `$.a["odd key"][3]`. Keys that are not plain
/// names stand in quotes with everything unprintable escaped, and long ones are cut.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsonPath {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Key(String),
    Index(usize),
}

impl JsonPath {
    /// The whole text: `$`.
    pub fn root() -> Self {
        Self::default()
    }

    /// Where an error is, after its words: nothing where it is about the whole text.
    pub(super) fn inside(&self) -> String {
        if self.segments.is_empty() { String::new() } else { format!(" in {self}") }
    }

    /// How many containers are around this place.
    pub fn depth(&self) -> usize {
        self.segments.len()
    }

    pub(super) fn push_key(&mut self, key: &str) {
        let mut chars = key.chars();
        let mut short: String = chars.by_ref().take(KEY_CHARS_MAX).collect();
        if chars.next().is_some() {
            short.push('…');
        }
        self.segments.push(Segment::Key(short));
    }

    pub(super) fn push_index(&mut self, index: usize) {
        self.segments.push(Segment::Index(index));
    }

    pub(super) fn pop(&mut self) {
        self.segments.pop();
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        for segment in &self.segments {
            match segment {
                Segment::Key(key) if is_name(key) => write!(f, ".{key}")?,
                Segment::Key(key) => write!(f, "[\"{}\"]", key.escape_debug())?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn is_name(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
