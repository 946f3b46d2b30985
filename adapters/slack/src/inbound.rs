//! The way in: Slack's calls, verified, read, and handed to the gate.
//!
//! What always holds: a handler gets a [`Verified`](crate::signature::Verified) body or none, because its extractor
//! yields nothing else; a vote is durable before Slack is answered; a dialog is opened before anything slow, and
//! opening one changes nothing; nothing is decided by a GET, and no button is a link.
//!
//! | path | what comes | answer |
//! |---|---|---|
//! | `POST /slack/interactivity` | clicks, submitted dialogs | empty, or what becomes of the dialog |
//! | `POST /slack/commands` | slash commands, probes of the certificate | a line for who typed it |
//! | `POST /slack/events` | events | the challenge, or empty |
//!
//! Unsigned calls get 401 and not a word; a rightly signed body that cannot be read gets 400.

mod act;
mod intent;
mod reference;
mod signed;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use placet::gate::Gate;
use placet::text::Trouble;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::payload::{BadBody, Command, Event, Interaction};
use crate::signature::SigningSecrets;
use crate::surface::Slack;

use signed::Signed;

/// The most bytes of a call. A payload repeats the message or view it is about, percent-encoded.
pub const BODY_BYTES_MAX: usize = 1 << 20;

/// Dialogs that are being opened at the same time; beyond that Slack is told to tell the person to try again.
const DIALOGS_MAX: usize = 64;

/// What the way in is made of.
pub struct SlackInbound {
    /// What Slack signs with.
    pub secrets: SigningSecrets,
    /// Where votes go.
    pub gate: Gate,
    /// Through which dialogs are opened and people are told.
    pub slack: Slack,
}

struct Desk {
    secrets: SigningSecrets,
    gate: Gate,
    slack: Slack,
    dialogs: Arc<Semaphore>,
}

type Shared = Arc<Desk>;

/// The routes, to be mounted at the root.
pub fn router(inbound: SlackInbound) -> Router {
    let SlackInbound { secrets, gate, slack } = inbound;
    let desk = Desk { secrets, gate, slack, dialogs: Arc::new(Semaphore::new(DIALOGS_MAX)) };
    Router::new()
        .route("/slack/interactivity", post(interactivity))
        .route("/slack/commands", post(commands))
        .route("/slack/events", post(events))
        .with_state(Arc::new(desk))
}

async fn interactivity(State(desk): State<Shared>, Signed(verified): Signed) -> Response {
    let interaction = match Interaction::parse(&verified) {
        Ok(interaction) => interaction,
        Err(bad) => return refuse(bad),
    };
    let context = intent::Context {
        settings: desk.slack.settings(),
        secrets: &desk.secrets,
        now: desk.slack.clock().now(),
    };
    let intent = intent::read(&interaction, &context);
    act::act(&desk, intent).await
}

async fn commands(State(desk): State<Shared>, Signed(verified): Signed) -> Response {
    match Command::parse(&verified) {
        Ok(Command::SslCheck) => StatusCode::OK.into_response(),
        Ok(Command::Slash(_)) => {
            let text = crate::mrkdwn::escape(&desk.slack.texts().trouble(Trouble::NotYet));
            axum::Json(json!({ "response_type": "ephemeral", "text": text })).into_response()
        }
        Err(bad) => refuse(bad),
    }
}

async fn events(Signed(verified): Signed) -> Response {
    match Event::parse(&verified) {
        Ok(Event::UrlVerification { challenge }) => {
            ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], challenge).into_response()
        }
        // Always 200, or Slack delivers again and in the end stops delivering.
        Ok(Event::Callback(_) | Event::Other { .. }) => StatusCode::OK.into_response(),
        Err(bad) => refuse(bad),
    }
}

/// Authentic, but not what it should be.
fn refuse(bad: BadBody) -> Response {
    tracing::warn!(error = %bad, "a signed call of Slack cannot be read");
    StatusCode::BAD_REQUEST.into_response()
}

#[cfg(test)]
mod tests;
