//! What Slack is answered, whichever way its call came: over HTTP, or on a socket.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::render::edit::Wrong;

/// The answer to one call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// It came, and there is nothing to say.
    Empty,
    /// It came; what becomes of the dialog, or what whoever typed a command reads.
    Said(Value),
    /// The challenge of an address that is being verified, as it stands. It comes over HTTP only.
    Challenge(String),
    /// It could not be kept: Slack tells the person to try again, or delivers once more.
    NotTaken,
}

impl Answer {
    /// For who typed a command, seen by nobody else. `text` is escaped already.
    pub(crate) fn ephemeral(text: &str, blocks: &[Value]) -> Self {
        Self::Said(json!({ "response_type": "ephemeral", "text": text, "blocks": blocks }))
    }

    /// The dialog that was submitted shows this instead.
    pub(crate) fn update(view: &Value) -> Self {
        Self::Said(json!({ "response_action": "update", "view": view }))
    }

    /// The dialog that was submitted, and those below it, close.
    pub(crate) fn clear() -> Self {
        Self::Said(json!({ "response_action": "clear" }))
    }

    /// The dialog stays open, with this text beside that block.
    pub(crate) fn error(block: &str, text: &str) -> Self {
        Self::errors(vec![Wrong { block: block.to_owned(), text: text.to_owned() }])
    }

    /// The same with a text beside each of these.
    pub(crate) fn errors(wrong: Vec<Wrong>) -> Self {
        let errors = wrong.into_iter().map(|Wrong { block, text }| (block, Value::from(text)));
        let errors: serde_json::Map<String, Value> = errors.collect();
        Self::Said(json!({ "response_action": "errors", "errors": errors }))
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        match self {
            Self::Empty => StatusCode::OK.into_response(),
            Self::Said(what) => Json(what).into_response(),
            Self::Challenge(challenge) => {
                ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], challenge).into_response()
            }
            Self::NotTaken => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        }
    }
}
