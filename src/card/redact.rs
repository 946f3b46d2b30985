//! Hiding secrets, once, for every sink: cards, log lines, the audit export.
//!
//! Two things are hidden: a secret that is known by value, in the forms in which it travels; and *one* token of
//! `[A-Za-z0-9+/=._-]` where something says that it is a secret: its shape (`ghp_…`, a JWT, the body of a private key),
//! the name of its key (`password=…`, `"apiKey": "…"`, `--token …`), or its place (`Bearer …`, `https://user:…@host`).
//! Never more than that: what else stands there is shown, so that nobody hides a command behind the word "password":
//! `password=x; rm -rf /` becomes `password=••• (1 character); rm -rf /`.
//!
//! Redaction comes before escaping (`card::escape`), and looks through invisible characters that were put within a
//! known secret.

mod key;
mod known;
mod seam;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::key::is_sensitive_key;
use self::known::Known;

/// Characters that a known secret must have to be looked for. Shorter ones occur in ordinary text.
pub const SECRET_CHARS_MIN: usize = 6;

/// Hides secrets. Made once from the secrets that the process knows; `Debug` prints none of them.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Known,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Redacted {
    /// The text, each secret replaced by `••• (12 characters)`.
    pub text: String,
    /// How many places were hidden; above 0 the text is not shown in full.
    pub hidden: u32,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} forms of secrets)", self.known.len())
    }
}

impl Redactor {
    /// Knows no secret yet, and all shapes and names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hides this value from now on wherever it occurs: as it is, in base64 (also within a longer text that was
    /// encoded), percent-encoded, as in a JSON string, in hexadecimal; of several lines, each long one by itself.
    ///
    /// Gives `false`, and does nothing, for a value below [`SECRET_CHARS_MIN`] characters (white space around it not
    /// counted): tell the operator.
    pub fn add_secret(&mut self, secret: &str) -> bool {
        self.known.add(secret)
    }

    /// Hides what is secret in free text.
    pub fn redact_text(&self, text: &str) -> Redacted {
        self.redact(text, false)
    }

    /// Hides what is secret in a JSON value, and says how many places were hidden. Strings become strings, and a
    /// number or boolean stays, unless its digits are a known secret. Under a key that [`is_sensitive_key`] a string
    /// loses one token; the same in `{"name": "API_KEY", "value": "…"}` and `["--token", "…"]`.
    pub fn redact_value(&self, value: &Value) -> (Value, u32) {
        let mut hidden = 0;
        let redacted = self.walk(value, false, &mut hidden);
        (redacted, hidden)
    }

    fn redact(&self, text: &str, sensitive: bool) -> Redacted {
        let mut spans = self.spans(text);
        if sensitive {
            spans.extend(key::secret_in(text));
        }
        mask_spans(text, spans)
    }

    /// Where secrets stand in free text; they may overlap.
    fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut spans = self.known.spans(text);
        shape::spans(text, &mut spans);
        key::spans(text, &mut spans);
        spans
    }

    /// How a key is shown, and how much of it is hidden: two that were hidden must not become one.
    fn key(&self, key: &str, is_taken: impl Fn(&str) -> bool) -> (String, u32) {
        let Redacted { text, hidden } = self.redact(key, false);
        if !is_taken(&text) {
            return (text, hidden);
        }
        let mut numbered = (2_usize..).map(|number| format!("{text} #{number}"));
        (numbered.find(|key| !is_taken(key)).unwrap_or(text), hidden)
    }

    /// Each key of an object, by how [`Redactor::redact_value`] shows it.
    pub(super) fn keys<'a>(&self, entries: &'a Map<String, Value>) -> BTreeMap<String, &'a str> {
        let mut shown = BTreeMap::new();
        for key in entries.keys() {
            let (own, _) = self.key(key, |other| shown.contains_key(other));
            shown.insert(own, key.as_str());
        }
        shown
    }

    fn walk(&self, value: &Value, sensitive: bool, hidden: &mut u32) -> Value {
        let mut text = |text: &str, sensitive: bool| {
            let redacted = self.redact(text, sensitive);
            *hidden = hidden.saturating_add(redacted.hidden);
            redacted.text
        };
        match value {
            Value::Null | Value::Bool(_) => value.clone(),
            Value::String(string) => Value::String(text(string, sensitive)),
            Value::Number(number) => {
                let digits = number.to_string();
                let shown =
                    if self.known.spans(&digits).is_empty() { digits.clone() } else { text(&digits, false) };
                if shown == digits { value.clone() } else { Value::String(shown) }
            }
            Value::Array(items) => {
                let mut after_flag = false;
                let mut walked = Vec::with_capacity(items.len());
                for item in items {
                    walked.push(self.walk(item, sensitive || after_flag, hidden));
                    after_flag = item.as_str().is_some_and(is_sensitive_flag);
                }
                Value::Array(walked)
            }
            Value::Object(entries) => {
                let names_secret = ["name", "key", "Name", "Key"]
                    .iter()
                    .filter_map(|name| entries.get(*name)?.as_str())
                    .any(is_sensitive_key);
                let mut walked = Map::new();
                for (key, entry) in entries {
                    let (shown, more) = self.key(key, |shown| walked.contains_key(shown));
                    *hidden = hidden.saturating_add(more);
                    let named = names_secret && key.eq_ignore_ascii_case("value");
                    let inherits = entry.is_string() || entry.is_array();
                    let sensitive = inherits && (named || is_sensitive_key(key));
                    let entry = self.walk(entry, sensitive, hidden);
                    walked.insert(shown, entry);
                }
                Value::Object(walked)
            }
        }
    }
}

/// `--token`, of which the value is the next argument.
fn is_sensitive_flag(argument: &str) -> bool {
    argument.starts_with('-') && !argument.contains('=') && is_sensitive_key(argument.trim_start_matches('-'))
}

/// Replaces the spans, joined where they touch.
fn mask_spans(text: &str, mut spans: Vec<Range<usize>>) -> Redacted {
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| (span.start, span.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    let mut out = Redacted { text: String::with_capacity(text.len()), hidden: 0 };
    let mut shown = 0;
    for span in joined {
        out.text.push_str(text.get(shown..span.start).unwrap_or_default());
        out.text.push_str(&mask(text.get(span.clone()).unwrap_or_default().chars().count()));
        out.hidden = out.hidden.saturating_add(1);
        shown = span.end;
    }
    out.text.push_str(text.get(shown..).unwrap_or_default());
    out
}

fn mask(chars: usize) -> String {
    format!("••• ({chars} {})", if chars == 1 { "character" } else { "characters" })
}

/// A character of the one token that may be hidden.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=._-".contains(&byte)
}

/// The end of the run of bytes from `at` that `holds`.
fn run(bytes: &[u8], at: usize, holds: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| holds(**byte)).count()
}
