//! What a scripted model says and wants, as data.
//!
//! ```json
//! {
//!   "scenes": [{
//!     "when": ["clean up"],
//!     "beats": [
//!       {"say": "I will delete it.",
//!        "calls": [{"tool": "delete_file", "args": {"path": "old.txt"}, "reason": "It is old."}],
//!        "denied": [{"say": "I leave it where it is, because: {why}"}]},
//!       {"say": "It is gone."}
//!     ]
//!   }],
//!   "otherwise": "Ask me to clean up."
//! }
//! ```
//! In what it says and in arguments that are text, `{why}` stands for what was last answered to a call that was
//! denied or failed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Scenes, by what the user asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The first whose words are in the user's message is played.
    pub scenes: Vec<Scene>,
    /// What is said where none is.
    #[serde(default)]
    pub otherwise: String,
}

/// What happens when a user asks for something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Any of these is in the message, in capital letters or not; none means every message.
    #[serde(default)]
    pub when: Vec<String>,
    /// One turn each, in order.
    pub beats: Vec<Beat>,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beat {
    /// What is said.
    #[serde(default)]
    pub say: String,
    /// What is wanted; nothing ends the run.
    #[serde(default)]
    pub calls: Vec<Wanted>,
    /// How it goes on if one of the calls was not let through; left out, it goes on as if it had been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied: Option<Vec<Beat>>,
    /// How it goes on if one of the calls failed, and none was denied; left out, as if it had not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Vec<Beat>>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The tool's name, which need not exist.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Value,
    /// Arguments as they stand, instead: for what is no JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Why it is wanted.
    #[serde(default)]
    pub reason: String,
    /// An id of its own; left out, one is made by counting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A text is no script.
#[derive(Debug, thiserror::Error)]
#[error("this is no script for a model: {0}")]
pub struct ScriptError(#[from] serde_json::Error);

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`ScriptError`] with the line and column of what is wrong.
    pub fn parse(json: &str) -> Result<Self, ScriptError> {
        Ok(serde_json::from_str(json)?)
    }

    /// One scene, whatever the user asks.
    #[must_use]
    pub fn of(beats: Vec<Beat>) -> Self {
        Self { scenes: vec![Scene { when: Vec::new(), beats }], otherwise: String::new() }
    }

    /// The scene that a message asks for.
    #[must_use]
    pub fn scene(&self, message: &str) -> Option<&Scene> {
        let message = message.to_lowercase();
        let asked = |scene: &&Scene| {
            scene.when.is_empty() || scene.when.iter().any(|words| message.contains(&words.to_lowercase()))
        };
        self.scenes.iter().find(asked)
    }
}

impl Beat {
    /// Something said, and nothing wanted.
    #[must_use]
    pub fn say(text: impl Into<String>) -> Self {
        Self { say: text.into(), ..Self::default() }
    }

    /// One call.
    #[must_use]
    pub fn call(tool: impl Into<String>, args: Value) -> Self {
        Self::default().and_call(tool, args)
    }

    /// One call more, in the same turn.
    #[must_use]
    pub fn and_call(mut self, tool: impl Into<String>, args: Value) -> Self {
        self.calls.push(Wanted { tool: tool.into(), args, raw: None, reason: String::new(), id: None });
        self
    }

    /// With these words, and this reason for each of its calls.
    #[must_use]
    pub fn because(mut self, say: impl Into<String>, reason: &str) -> Self {
        self.say = say.into();
        for call in &mut self.calls {
            reason.clone_into(&mut call.reason);
        }
        self
    }

    /// How it goes on if a call was denied.
    #[must_use]
    pub fn if_denied(mut self, beats: Vec<Self>) -> Self {
        self.denied = Some(beats);
        self
    }
}
