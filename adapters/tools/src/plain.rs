//! Tools that touch nothing: the time, a sum, the weather.

use std::sync::Arc;

use async_trait::async_trait;
use placet::call::CanonicalArgs;
use placet::gate::Running;
use placet::id::IdError;
use placet::ports::{Clock, Tool, ToolResult, ToolSpec};
use serde::Deserialize;
use serde_json::{Number, Value, json};

use crate::{read, spec};

/// Tells the time.
pub struct GetTime {
    spec: ToolSpec,
    clock: Arc<dyn Clock>,
}

/// Adds two numbers.
pub struct Add {
    spec: ToolSpec,
}

/// Tells the weather, from a script.
pub struct GetWeather {
    spec: ToolSpec,
}

/// What the script knows: city, weather, degrees Celsius.
const WEATHER: [(&str, &str, i64); 5] = [
    ("Berlin", "light rain", 11),
    ("Beijing", "clear", 19),
    ("London", "fog", 9),
    ("San Francisco", "partly cloudy", 16),
    ("Tokyo", "sunny", 21),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArgs {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Summands {
    a: Number,
    b: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    city: String,
}

impl GetTime {
    /// By this clock.
    ///
    /// # Errors
    /// Never, as its name is one.
    pub fn new(clock: Arc<dyn Clock>) -> Result<Self, IdError> {
        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        Ok(Self { spec: spec("get_time", "Tells the current time, in UTC.", schema)?, clock })
    }
}

impl Add {
    /// The tool.
    ///
    /// # Errors
    /// Never, as its name is one.
    pub fn new() -> Result<Self, IdError> {
        let number = json!({"type": "number"});
        let schema = json!({
            "type": "object", "properties": {"a": number, "b": number},
            "required": ["a", "b"], "additionalProperties": false,
        });
        Ok(Self { spec: spec("add", "Adds two numbers.", schema)? })
    }

    fn act(args: &CanonicalArgs) -> ToolResult {
        let Summands { a, b } = match read(args) {
            Ok(args) => args,
            Err(failed) => return failed,
        };
        // Whole numbers stay whole numbers.
        if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64())
            && let Some(sum) = a.checked_add(b)
        {
            return ToolResult::Done(Value::from(sum));
        }
        let sum = a.as_f64().zip(b.as_f64()).map(|(a, b)| a + b);
        match sum.and_then(Number::from_f64) {
            Some(sum) => ToolResult::Done(Value::Number(sum)),
            None => ToolResult::Failed("the sum is beyond what a number can hold".to_owned()),
        }
    }
}

impl GetWeather {
    /// The tool.
    ///
    /// # Errors
    /// Never, as its name is one.
    pub fn new() -> Result<Self, IdError> {
        let schema = json!({
            "type": "object",
            "properties": {"city": {"type": "string", "description": "The city's English name."}},
            "required": ["city"], "additionalProperties": false,
        });
        Ok(Self { spec: spec("get_weather", "Tells the weather in a city.", schema)? })
    }

    fn act(args: &CanonicalArgs) -> ToolResult {
        let Place { city } = match read(args) {
            Ok(args) => args,
            Err(failed) => return failed,
        };
        let known = WEATHER.iter().find(|(name, _, _)| name.eq_ignore_ascii_case(city.trim()));
        match known {
            Some((name, weather, degrees)) => {
                ToolResult::Done(json!({"city": name, "weather": weather, "celsius": degrees}))
            }
            None => {
                let names: Vec<&str> = WEATHER.iter().map(|(name, _, _)| *name).collect();
                ToolResult::Failed(format!(
                    "no weather is known for that city; known are {}",
                    names.join(", ")
                ))
            }
        }
    }
}

#[async_trait]
impl Tool for GetTime {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        match read::<NoArgs>(running.args()) {
            Ok(NoArgs {}) => ToolResult::Done(json!({"now": self.clock.now().to_rfc3339()})),
            Err(failed) => failed,
        }
    }
}

#[async_trait]
impl Tool for Add {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        Self::act(running.args())
    }
}

#[async_trait]
impl Tool for GetWeather {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        Self::act(running.args())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(value: Value) -> CanonicalArgs {
        CanonicalArgs::from_value(&value).unwrap()
    }

    #[test]
    fn sums_of_whole_numbers_are_whole() {
        assert_eq!(Add::act(&args(json!({"a": 2, "b": 3}))), ToolResult::Done(json!(5)));
        assert_eq!(Add::act(&args(json!({"a": 0.5, "b": 1}))), ToolResult::Done(json!(1.5)));
        assert!(matches!(Add::act(&args(json!({"a": "1", "b": 2}))), ToolResult::Failed(_)));
        assert!(matches!(Add::act(&args(json!({"a": 1, "b": 2, "c": 3}))), ToolResult::Failed(_)));
    }

    #[test]
    fn the_weather_is_scripted() {
        let told = GetWeather::act(&args(json!({"city": "berlin "})));
        assert_eq!(told, ToolResult::Done(json!({"city": "Berlin", "weather": "light rain", "celsius": 11})));
        assert!(matches!(GetWeather::act(&args(json!({"city": "Atlantis"}))), ToolResult::Failed(_)));
    }
}
