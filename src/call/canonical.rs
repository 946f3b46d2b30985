//! The arguments of a call in the one spelling that is hashed, shown and run.
//!
//! JSON has many spellings of one value: key order, white space, escapes, `1` and `1.0`. People approve a value and a
//! tool runs a value, so everything after the edge uses the form of [RFC 8785] (JCS) and the raw bytes are forgotten.
//! JCS alone does not protect: it lets two different integers beyond 2^53 become the same bytes, and says nothing of
//! duplicate keys, which parsers resolve differently. [`CanonicalArgs::parse`] refuses both while it reads.
//!
//! What always holds of a [`CanonicalArgs`]: it is an object; its text is its own canonical form; reading the text
//! again gives the value beside it; its hash is that of the text.
//!
//! [RFC 8785]: https://www.rfc-editor.org/rfc/rfc8785

mod number;
mod path;
mod strict;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use self::path::JsonPath;

/// Objects and arrays inside one another, the outermost counted. No tool schema comes near it, and it keeps every
/// recursive walk (policy, redaction, card) far from the end of the stack; serde_json itself stops at 128.
pub const ARGS_DEPTH_MAX: usize = 64;

/// Bytes of arguments, as they arrive and in canonical form. A reviewer must be able to see the whole of a call: 256
/// KiB is some five thousand lines, more than anybody reads, and little enough to keep in one row.
pub const ARGS_BYTES_MAX: usize = 256 * 1024;

/// The largest integer that a JSON number carries without loss everywhere: 2^53 − 1 (RFC 7493, section 2.2).
pub const JSON_INTEGER_MAX: u64 = (1 << 53) - 1;

/// The arguments of one call: a JSON object in the form of RFC 8785.
///
/// Cheap to clone. Equal and hashed by its text. Serialised as a *string* that holds the text, so that a store keeps
/// it byte for byte; deserialising refuses a text that is not canonical. `Debug` prints the hash and never the
/// arguments, which have no place in a log.
#[derive(Clone)]
pub struct CanonicalArgs {
    sealed: Arc<Sealed>,
}

struct Sealed {
    text: String,
    value: Value,
    sha256: [u8; 32],
}

impl CanonicalArgs {
    /// Reads arguments from the bytes as they arrived.
    ///
    /// # Errors
    ///
    /// See [`ArgsError`]; nothing is repaired on the way.
    pub fn parse(raw: &[u8]) -> Result<Self, ArgsError> {
        check_bytes(raw.len())?;
        Self::seal(parse_json_strict(raw)?)
    }

    /// Takes arguments that were parsed elsewhere, with every check that a parsed value still allows: the depth, the
    /// size, and the range of numbers. Duplicate keys and lost digits are gone by then: at an entry use
    /// [`parse_json_strict`] or [`CanonicalArgs::parse`].
    ///
    /// # Errors
    ///
    /// See [`ArgsError`].
    pub fn from_value(value: &Value) -> Result<Self, ArgsError> {
        Self::seal(strict::checked(value)?)
    }

    /// The canonical text: UTF-8, no white space, keys sorted by their UTF-16 code units.
    pub fn as_str(&self) -> &str {
        &self.sealed.text
    }

    /// The value that the text denotes; always an object. Numbers without a fraction are integers in it.
    pub fn value(&self) -> &Value {
        &self.sealed.value
    }

    /// SHA-256 of the canonical text.
    pub fn sha256(&self) -> [u8; 32] {
        self.sealed.sha256
    }

    /// Seals a value that went through `strict`.
    fn seal(value: Value) -> Result<Self, ArgsError> {
        if !value.is_object() {
            return Err(ArgsError::NotAnObject { found: kind(&value) });
        }
        let text = serde_json_canonicalizer::to_string(&value)
            .map_err(|error| ArgsError::Syntax { path: JsonPath::root(), reason: error.to_string() })?;
        check_bytes(text.len())?;
        let sha256 = Sha256::digest(text.as_bytes()).into();
        Ok(Self { sealed: Arc::new(Sealed { text, value, sha256 }) })
    }
}

/// No arguments: `{}`.
impl Default for CanonicalArgs {
    fn default() -> Self {
        let (text, value) = ("{}".to_owned(), Value::Object(Map::new()));
        let sha256 = Sha256::digest(text.as_bytes()).into();
        Self { sealed: Arc::new(Sealed { text, value, sha256 }) }
    }
}

impl PartialEq for CanonicalArgs {
    fn eq(&self, other: &Self) -> bool {
        self.sealed.text == other.sealed.text
    }
}

impl Eq for CanonicalArgs {}

impl Hash for CanonicalArgs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sealed.text.hash(state);
    }
}

impl fmt::Debug for CanonicalArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.sealed.text.len();
        write!(f, "CanonicalArgs(sha256:{}, {bytes} bytes)", hex::encode(self.sealed.sha256))
    }
}

impl Serialize for CanonicalArgs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CanonicalArgs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let args = Self::parse(text.as_bytes()).map_err(de::Error::custom)?;
        if args.as_str() == text { Ok(args) } else { Err(de::Error::custom(ArgsError::NotCanonical)) }
    }
}

/// Reads one JSON text of any kind by the rules for arguments: no duplicate key at any depth, no number that does not
/// survive, at most [`ARGS_DEPTH_MAX`] deep, nothing after the value. For every body that comes in over HTTP; the size
/// is limited by who reads the body.
///
/// Numbers without a fraction come back as integers (`1.0` and `-0` as `1` and `0`), as the canonical form has them.
///
/// # Errors
///
/// See [`ArgsError`].
pub fn parse_json_strict(raw: &[u8]) -> Result<Value, ArgsError> {
    strict::parse(raw)
}

fn check_bytes(bytes: usize) -> Result<(), ArgsError> {
    if bytes > ARGS_BYTES_MAX { Err(ArgsError::TooLarge { bytes }) } else { Ok(()) }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Why a JSON text was refused. The message says where, why, and what the caller should send instead; it names keys,
/// never values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgsError {
    /// Not JSON (RFC 8259), not UTF-8, or a string with half of a surrogate pair.
    #[error("the JSON is not valid{}: {reason}; send one complete JSON text in UTF-8", path.inside())]
    Syntax {
        /// The innermost value that was being read.
        path: JsonPath,
        /// What the parser found, with line and column.
        reason: String,
    },
    /// Something other than white space after the end of the value.
    #[error("more follows the JSON text, from byte {offset} on; send exactly one JSON text")]
    TrailingBytes {
        /// The first byte too many, from 0.
        offset: usize,
    },
    /// Arguments are named.
    #[error("arguments are a JSON object, and this is {found}; send {{\"name\": value, …}}")]
    NotAnObject {
        /// The kind of value, with its article.
        found: &'static str,
    },
    /// Parsers disagree about which one counts, so what is approved could differ from what runs.
    #[error(
        "the key {path} stands there twice, and parsers disagree on which one counts; send each key once"
    )]
    DuplicateKey {
        /// The key at its second occurrence.
        path: JsonPath,
    },
    /// Beyond ±(2^53 − 1), where different integers become the same double.
    #[error(
        "the number at {path} is beyond ±9007199254740991, where JSON numbers lose digits; send it as a string"
    )]
    NumberTooLarge {
        /// The number.
        path: JsonPath,
    },
    /// More digits, or a smaller magnitude, than a double holds.
    #[error("the number at {path} has digits that a double does not hold; round it, or send it as a string")]
    NumberInexact {
        /// The number.
        path: JsonPath,
    },
    /// More than [`ARGS_DEPTH_MAX`] objects and arrays inside one another.
    #[error("{path} is more than {ARGS_DEPTH_MAX} levels deep; send a flatter structure")]
    TooDeep {
        /// The first container too many.
        path: JsonPath,
    },
    /// More than [`ARGS_BYTES_MAX`].
    #[error(
        "the arguments take {bytes} bytes of {ARGS_BYTES_MAX} that people can review; pass a reference to the data"
    )]
    TooLarge {
        /// The size, raw or canonical, whichever was over.
        bytes: usize,
    },
    /// A stored text was changed, or was written by something else.
    #[error("the stored arguments are not in the form of RFC 8785; they were not written by CanonicalArgs")]
    NotCanonical,
}

impl ArgsError {
    /// A stable code for machines; the message may change, this does not.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "json_invalid",
            Self::TrailingBytes { .. } => "json_trailing_bytes",
            Self::NotAnObject { .. } => "args_not_an_object",
            Self::DuplicateKey { .. } => "json_duplicate_key",
            Self::NumberTooLarge { .. } => "json_number_too_large",
            Self::NumberInexact { .. } => "json_number_inexact",
            Self::TooDeep { .. } => "json_too_deep",
            Self::TooLarge { .. } => "args_too_large",
            Self::NotCanonical => "args_not_canonical",
        }
    }

    /// Where it is, when it is at one place.
    pub fn path(&self) -> Option<&JsonPath> {
        match self {
            Self::Syntax { path, .. }
            | Self::DuplicateKey { path }
            | Self::NumberTooLarge { path }
            | Self::NumberInexact { path }
            | Self::TooDeep { path } => Some(path),
            Self::TrailingBytes { .. }
            | Self::NotAnObject { .. }
            | Self::TooLarge { .. }
            | Self::NotCanonical => None,
        }
    }
}
