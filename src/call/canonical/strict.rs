//! Reading JSON into a value while the raw bytes still tell what a parsed value has forgotten.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::number::{self, Literals, NumberFault, Survivor};
use super::path::JsonPath;
use super::{ARGS_DEPTH_MAX, ArgsError};

/// Reads exactly one JSON text.
pub(super) fn parse(raw: &[u8]) -> Result<Value, ArgsError> {
    let mut reading = Reading { literals: Literals::of(raw), path: JsonPath::root(), fault: None };
    let mut deserializer = serde_json::Deserializer::from_slice(raw);
    match (AnyValue { reading: &mut reading }).deserialize(&mut deserializer) {
        Ok(value) => {
            deserializer.end().map_err(|error| ArgsError::TrailingBytes { offset: offset(raw, &error) })?;
            Ok(value)
        }
        Err(error) => Err(reading.explain(raw, &error)),
    }
}

/// Copies a value with the checks that do not need the bytes, its numbers as the canonical form has them.
pub(super) fn checked(value: &Value) -> Result<Value, ArgsError> {
    let mut path = JsonPath::root();
    copy(value, &mut path)
}

fn copy(value: &Value, path: &mut JsonPath) -> Result<Value, ArgsError> {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(value.clone()),
        Value::Number(number) => {
            // Integers beyond i64 are beyond the limit in any case, and a double says so.
            let survivor = match number.as_i64() {
                Some(whole) => number::from_whole(whole),
                None => number::from_double(number.as_f64().unwrap_or(f64::INFINITY)),
            };
            survivor.and_then(into_value).map_err(|fault| refuse_number(fault, path))
        }
        Value::Array(items) => {
            check_depth(path)?;
            let mut copied = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                path.push_index(index);
                copied.push(copy(item, path)?);
                path.pop();
            }
            Ok(Value::Array(copied))
        }
        Value::Object(entries) => {
            check_depth(path)?;
            let mut copied = Map::new();
            for (key, entry) in entries {
                path.push_key(key);
                copied.insert(key.clone(), copy(entry, path)?);
                path.pop();
            }
            Ok(Value::Object(copied))
        }
    }
}

/// A container may begin here.
fn check_depth(path: &JsonPath) -> Result<(), ArgsError> {
    if path.depth() >= ARGS_DEPTH_MAX { Err(ArgsError::TooDeep { path: path.clone() }) } else { Ok(()) }
}

fn refuse_number(fault: NumberFault, path: &JsonPath) -> ArgsError {
    match fault {
        NumberFault::TooLarge => ArgsError::NumberTooLarge { path: path.clone() },
        NumberFault::Inexact => ArgsError::NumberInexact { path: path.clone() },
    }
}

fn into_value(survivor: Survivor) -> Result<Value, NumberFault> {
    match survivor {
        Survivor::Whole(whole) => Ok(Value::from(whole)),
        Survivor::Fraction(double) => {
            Number::from_f64(double).map(Value::Number).ok_or(NumberFault::TooLarge)
        }
    }
}

/// The offset in bytes of where a parser stopped.
fn offset(raw: &[u8], error: &serde_json::Error) -> usize {
    let before: usize = raw
        .split_inclusive(|&byte| byte == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    (before + error.column().saturating_sub(1)).min(raw.len())
}

/// What is known while reading. After a failure `path` still leads to where it happened.
struct Reading<'r> {
    literals: Literals<'r>,
    path: JsonPath,
    /// The refusal behind an error that serde carries as text only.
    fault: Option<ArgsError>,
}

impl Reading<'_> {
    fn refuse<E: de::Error>(&mut self, fault: ArgsError) -> E {
        let error = E::custom(&fault);
        self.fault = Some(fault);
        error
    }

    fn number<E: de::Error>(&mut self, double: f64) -> Result<Value, E> {
        // Every number of the text passes here, in order; one too many would be a fault of the search: refused.
        let judged = match self.literals.next() {
            Some((literal, _)) => number::from_literal(literal, double),
            None => Err(NumberFault::Inexact),
        };
        judged.and_then(into_value).map_err(|fault| self.refuse(refuse_number(fault, &self.path)))
    }

    /// The refusal for an error of the parser.
    fn explain(mut self, raw: &[u8], error: &serde_json::Error) -> ArgsError {
        if let Some(fault) = self.fault {
            return fault;
        }
        // serde_json stops by itself at a literal like 1e999, just behind it.
        let stopped = offset(raw, error);
        let beyond = |literal: &[u8]| {
            let text = std::str::from_utf8(literal).ok();
            text.and_then(|text| text.parse::<f64>().ok()).is_some_and(f64::is_infinite)
        };
        match self.literals.next() {
            Some((literal, end)) if stopped.abs_diff(end) <= 1 && beyond(literal) => {
                ArgsError::NumberTooLarge { path: self.path }
            }
            _ => ArgsError::Syntax { path: self.path, reason: error.to_string() },
        }
    }
}

struct AnyValue<'s, 'r> {
    reading: &'s mut Reading<'r>,
}

impl<'de> DeserializeSeed<'de> for AnyValue<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    // A rounded integer is beyond the limit already, so that the double tells all there is to know.
    fn visit_i64<E: de::Error>(self, whole: i64) -> Result<Value, E> {
        self.reading.number(whole as f64)
    }

    fn visit_u64<E: de::Error>(self, whole: u64) -> Result<Value, E> {
        self.reading.number(whole as f64)
    }

    fn visit_f64<E: de::Error>(self, double: f64) -> Result<Value, E> {
        self.reading.number(double)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let reading = self.reading;
        check_depth(&reading.path).map_err(|fault| reading.refuse(fault))?;
        let mut values = Vec::new();
        loop {
            reading.path.push_index(values.len());
            let Some(value) = items.next_element_seed(AnyValue { reading: &mut *reading })? else {
                reading.path.pop();
                return Ok(Value::Array(values));
            };
            reading.path.pop();
            values.push(value);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let reading = self.reading;
        check_depth(&reading.path).map_err(|fault| reading.refuse(fault))?;
        let mut values = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            reading.path.push_key(&key);
            if values.contains_key(&key) {
                let path = reading.path.clone();
                return Err(reading.refuse(ArgsError::DuplicateKey { path }));
            }
            let value = entries.next_value_seed(AnyValue { reading: &mut *reading })?;
            reading.path.pop();
            values.insert(key, value);
        }
        Ok(Value::Object(values))
    }
}
