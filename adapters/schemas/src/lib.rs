//! JSON Schema behind [`placet::ports::schemas::Schemas`].
//!
//! What always holds:
//! - A schema is read whole when Placet starts, within bounds, and refers to nothing outside itself: neither the network nor
//!   a file is asked for another.
//! - Its patterns are matched in time that grows with the text alone.
//! - The schema of one of Placet's own tools is asked for that tool's calls alone, which its hash names; what whoever runs
//!   Placet says of a tool is asked besides, and never instead.

mod misfit;

use std::collections::BTreeMap;

use jsonschema::{PatternOptions, Validator};
use placet::call::canonical::parse_json_strict;
use placet::call::{SchemaHash, ToolCall};
use placet::ports::ToolSpec;
use placet::ports::schemas::{Mismatch, Schemas};
use serde_json::Value;

/// The most bytes of a schema: more than any tool's, and read in a moment.
pub const SCHEMA_BYTES_MAX: usize = 256 * 1024;
/// Objects and lists inside one another, the outermost counted: as deep as arguments may be, and nothing recurses deeper.
pub const SCHEMA_DEPTH_MAX: usize = 64;
/// The most bytes that a pattern may take once it is compiled.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// Mismatches that are told at once: more than anybody mends before they try again.
pub const MISMATCHES_MAX: usize = 10;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is too large.
    #[error("it has {bytes} bytes, and a schema may have {SCHEMA_BYTES_MAX}")]
    TooLarge {
        /// How large it is.
        bytes: usize,
    },
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    NotJson(String),
    /// Too much stands inside one another.
    #[error("its objects and lists stand more than {SCHEMA_DEPTH_MAX} deep inside one another")]
    TooDeep,
    /// It says nothing, or nothing about an object: arguments are one.
    #[error("it is no object with something in it, and the schema of a tool's arguments is one")]
    Empty,
    /// It is no schema, or refers to what is not in it.
    #[error("it is no JSON Schema that stands by itself: {0}")]
    Unsound(String),
}

/// A schema, ready to be asked.
#[derive(Debug, Clone)]
pub struct ToolSchema {
    validator: Validator,
}

impl ToolSchema {
    /// Reads a schema as it stands in a file.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn parse(text: &[u8]) -> Result<Self, SchemaError> {
        if text.len() > SCHEMA_BYTES_MAX {
            return Err(SchemaError::TooLarge { bytes: text.len() });
        }
        let schema = parse_json_strict(text).map_err(|fault| SchemaError::NotJson(fault.to_string()))?;
        Self::of(&schema)
    }

    /// Takes a schema.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn of(schema: &Value) -> Result<Self, SchemaError> {
        if depth(schema) > SCHEMA_DEPTH_MAX {
            return Err(SchemaError::TooDeep);
        }
        if schema.as_object().is_none_or(serde_json::Map::is_empty) {
            return Err(SchemaError::Empty);
        }
        let bytes = schema.to_string().len();
        if bytes > SCHEMA_BYTES_MAX {
            return Err(SchemaError::TooLarge { bytes });
        }
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX);
        let options =
            jsonschema::options().offline().with_pattern_options(patterns).should_validate_formats(true);
        let validator = options.build(schema).map_err(|fault| SchemaError::Unsound(fault.to_string()))?;
        Ok(Self { validator })
    }

    fn check(&self, args: &Value) -> Vec<Mismatch> {
        let errors = self.validator.iter_errors(args).take(MISMATCHES_MAX);
        let mut all: Vec<Mismatch> = errors.flat_map(|error| misfit::of(&error)).collect();
        all.truncate(MISMATCHES_MAX);
        all
    }
}

/// How deep it goes, without going deeper than what may be.
fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut left = vec![(value, 1)];
    while let Some((value, depth)) = left.pop() {
        if !value.is_object() && !value.is_array() {
            continue;
        }
        deepest = deepest.max(depth);
        if depth > SCHEMA_DEPTH_MAX {
            break;
        }
        match value {
            Value::Object(fields) => left.extend(fields.values().map(|value| (value, depth + 1))),
            Value::Array(items) => left.extend(items.iter().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    deepest
}

/// The schemas that are known.
#[derive(Debug, Clone, Default)]
pub struct KnownSchemas {
    /// Those of Placet's own tools, by the hash that their calls carry.
    own: BTreeMap<String, ToolSchema>,
    /// Those that whoever runs Placet named, by tools' full names.
    named: BTreeMap<String, ToolSchema>,
}

impl KnownSchemas {
    /// With those that are named for tools, by their full names: `mail/send`.
    #[must_use]
    pub fn new(named: BTreeMap<String, ToolSchema>) -> Self {
        Self { own: BTreeMap::new(), named }
    }

    /// With those of these tools as well. One that cannot be used is left out, and said so in the log: that tool checks its
    /// arguments itself.
    #[must_use]
    pub fn with_tools<'a>(mut self, tools: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        for tool in tools {
            let canonical = serde_json_canonicalizer::to_vec(&tool.schema);
            match (canonical, ToolSchema::of(&tool.schema)) {
                (Ok(canonical), Ok(schema)) => {
                    self.own.insert(SchemaHash::of(&canonical).to_string(), schema);
                }
                (_, Err(fault)) => {
                    tracing::warn!(tool = %tool.name, error = %fault, "the schema of a tool cannot be used");
                }
                (Err(fault), _) => {
                    tracing::warn!(tool = %tool.name, error = %fault, "the schema of a tool cannot be used");
                }
            }
        }
        self
    }

    fn of(&self, call: &ToolCall) -> impl Iterator<Item = &ToolSchema> {
        let own = call.tool_schema_hash.and_then(|hash| self.own.get(&hash.to_string()));
        own.into_iter().chain(self.named.get(&call.full_name()))
    }
}

impl Schemas for KnownSchemas {
    fn check(&self, call: &ToolCall) -> Option<Vec<Mismatch>> {
        if !self.is_known(call) {
            return None;
        }
        let mut all: Vec<Mismatch> = Vec::new();
        for mismatch in self.of(call).flat_map(|schema| schema.check(call.args.value())) {
            if !all.contains(&mismatch) && all.len() < MISMATCHES_MAX {
                all.push(mismatch);
            }
        }
        Some(all)
    }

    fn is_known(&self, call: &ToolCall) -> bool {
        self.of(call).next().is_some()
    }
}

#[cfg(test)]
mod tests;
