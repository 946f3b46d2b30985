//! The conversation as the model reads it, kept so that a run survives a restart.

use serde::{Deserialize, Serialize};

use crate::ports::ModelCall;

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "who")]
pub enum Entry {
    /// What the user asked.
    User {
        /// In their words.
        text: String,
    },
    /// What the model said and wanted.
    Assistant {
        /// In its words.
        text: String,
        /// The calls it wanted.
        calls: Vec<ModelCall>,
    },
    /// What a call came to, as the model reads it: never a tier, a level or the name of a person.
    ToolResult {
        /// Which call.
        call: crate::id::StepId,
        /// Whether it ran and succeeded.
        ok: bool,
        /// The result, the error, or the denial.
        text: String,
    },
}
