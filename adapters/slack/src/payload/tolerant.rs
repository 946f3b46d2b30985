//! Deserialisers that turn a member of an unexpected form into nothing.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

/// `None` for null and for whatever is not a `T`.
pub(super) fn option<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// The elements that are a `T`; none where this is no list.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let Value::Array(elements) = Value::deserialize(deserializer)? else { return Ok(Vec::new()) };
    Ok(elements.into_iter().filter_map(|element| serde_json::from_value(element).ok()).collect())
}

/// A flag that is set by `true` or the string `"true"`, as slash commands send it.
pub(super) fn flag<'de, D>(deserializer: D) -> Result<bool, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(match Value::deserialize(deserializer)? {
        Value::Bool(set) => set,
        Value::String(text) => text == "true",
        _ => false,
    })
}
