//! What comes on a socket, and what goes back.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::inbound::{Answer, Hall, Named, Stray, take_command, take_event, take_interaction};
use crate::payload::{self, BadBody, Command, Enveloped, Event, Interaction};

/// The longest id of an envelope; Slack's are UUIDs.
const ENVELOPE_ID_BYTES_MAX: usize = 255;

/// One text frame.
#[derive(Debug)]
pub(super) enum Frame {
    /// The socket is ready.
    Hello {
        /// How many connections the app has now, this one among them.
        connections: Option<u64>,
    },
    /// The socket ends soon.
    Disconnect(Reason),
    /// Something for Placet, to be acknowledged.
    Envelope(Envelope),
    /// Something else, with its `type`; nothing is to be done.
    Other(String),
}

/// Why a socket ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// In about ten seconds.
    Warning,
    /// Slack renews what is behind it.
    RefreshRequested,
    /// Socket Mode was turned off for the app.
    LinkDisabled,
    /// The app has more than ten.
    TooMany,
    /// Anything else.
    Other,
}

/// A payload in its envelope.
#[derive(Debug)]
pub(super) struct Envelope {
    /// The same in every delivery.
    pub(super) id: String,
    /// What the payload is.
    kind: String,
    payload: Enveloped,
    /// Whether the acknowledgement may carry an answer.
    takes_payload: bool,
    /// Which redelivery this is.
    retry: Option<u64>,
}

/// A frame as it is written.
#[derive(Deserialize)]
struct Written {
    r#type: Option<String>,
    reason: Option<String>,
    num_connections: Option<Value>,
    envelope_id: Option<String>,
    payload: Option<Value>,
    accepts_response_payload: Option<Value>,
    retry_attempt: Option<Value>,
}

impl Frame {
    /// Reads a text frame; none where it is no object, or an envelope that cannot be acknowledged.
    pub(super) fn read(text: &str) -> Option<Self> {
        let written: Written = serde_json::from_value(payload::json::read(text).ok()?).ok()?;
        let kind = written.r#type.unwrap_or_default();
        if let Some(id) = written.envelope_id {
            let fits = !id.is_empty() && id.len() <= ENVELOPE_ID_BYTES_MAX;
            return fits.then(|| {
                Self::Envelope(Envelope {
                    id,
                    kind,
                    payload: Enveloped::new(written.payload.unwrap_or_default()),
                    takes_payload: written.accepts_response_payload == Some(Value::Bool(true)),
                    retry: written.retry_attempt.and_then(|retry| retry.as_u64()).filter(|retry| *retry > 0),
                })
            });
        }
        Some(match kind.as_str() {
            "hello" => {
                Self::Hello { connections: written.num_connections.and_then(|number| number.as_u64()) }
            }
            "disconnect" => Self::Disconnect(match written.reason.as_deref() {
                Some("warning") => Reason::Warning,
                Some("refresh_requested") => Reason::RefreshRequested,
                Some("link_disabled") => Reason::LinkDisabled,
                Some("too_many_websockets") => Reason::TooMany,
                _ => Reason::Other,
            }),
            _ => Self::Other(kind),
        })
    }
}

impl Envelope {
    /// Does what the payload asks for, and gives the acknowledgement; none where it could not be kept. What cannot be
    /// read is acknowledged too: delivered again it would be no better.
    pub(super) async fn take(&self, hall: &Hall) -> Option<String> {
        if let Some(retry) = self.retry {
            tracing::info!(slack.envelope = %self.id, slack.retry = retry, "Slack delivers an envelope again");
        }
        let answer = self.answer(hall).await.unwrap_or_else(|bad| {
            tracing::warn!(slack.envelope = %self.id, error = %bad, "an envelope of Slack cannot be read");
            Answer::Empty
        });
        let mut acknowledgement = json!({ "envelope_id": self.id });
        match answer {
            Answer::NotTaken => return None,
            Answer::Said(what) if self.takes_payload => acknowledgement["payload"] = what,
            Answer::Said(_) => {
                tracing::warn!(slack.envelope = %self.id, "Slack takes no answer to an envelope that has one");
            }
            Answer::Empty | Answer::Challenge(_) => {}
        }
        Some(acknowledgement.to_string())
    }

    /// What the payload asks for, of the workspace that it is for. What is for another, which the hall says, is done nothing
    /// about, and acknowledged: delivered again it would be no better.
    async fn answer(&self, hall: &Hall) -> Result<Answer, BadBody> {
        let answer = match self.kind.as_str() {
            "interactive" => {
                let interaction = Interaction::enveloped(&self.payload)?;
                match hall.pick_any(&Named::by_interaction(&interaction)) {
                    Ok(desk) => take_interaction(&desk, &interaction).await,
                    Err(Stray) => Answer::Empty,
                }
            }
            "slash_commands" => match Command::enveloped(&self.payload)? {
                Command::Slash(command) => match hall.pick_any(&Named::by_command(&command)) {
                    Ok(desk) => take_command(&desk, *command),
                    Err(Stray) => Answer::Empty,
                },
                Command::SslCheck => Answer::Empty,
            },
            "events_api" => {
                let event = Event::enveloped(&self.payload)?;
                match hall.pick_any(&Named::by_any_event(&event)) {
                    Ok(desk) => take_event(&desk, event).await,
                    Err(Stray) => Answer::Empty,
                }
            }
            kind => {
                tracing::warn!(slack.envelope = %self.id, slack.kind = %kind, "Slack sends an envelope of an unknown kind");
                Answer::Empty
            }
        };
        Ok(answer)
    }
}
