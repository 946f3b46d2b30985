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
//! Unsigned calls get 401 and not a word, but for a look at the certificate, which Slack does not sign: it gets 200, and
//! nothing is done. A rightly signed body that cannot be read, or says that it is something else, gets 400.

mod act;
pub(crate) mod answer;
mod commands;
mod event;
mod hall;
mod home;
mod intent;
mod looking;
mod matter;
mod not_shown;
mod reader;
mod reading;
mod reference;
mod sheet;
mod sheet_act;
mod signed;
mod use_case;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use placet::agent::task::TaskDesk;
use placet::command::Commands;
use placet::gate::Gate;
use tokio::sync::Semaphore;

use crate::payload::{BadBody, Command, Event, Interaction, SlashCommand};
use crate::signature::SigningSecrets;
use crate::surface::Slack;

pub(crate) use answer::Answer;
pub(crate) use hall::{Hall, Named, Stray};
pub use home::Homes;
use signed::{SignedForm, SignedJson, Typed};

/// The most bytes of a call. A payload repeats the message or view it is about, percent-encoded.
pub const BODY_BYTES_MAX: usize = 1 << 20;

/// Dialogs that are being opened at the same time; beyond that Slack is told to tell the person to try again.
const DIALOGS_MAX: usize = 64;

/// Commands that are being answered at the same time: some read the whole record, and must neither keep dialogs from opening
/// nor take all that the store reads with.
const COMMANDS_MAX: usize = 16;

/// What the way in is made of.
#[derive(Clone)]
pub struct SlackInbound {
    /// What Slack signs with, and what dialogs are sealed with. Where nothing comes over HTTP, any secret that outlives a
    /// restart and is the same for all replicas.
    pub secrets: SigningSecrets,
    /// Where votes go.
    pub gate: Gate,
    /// Through which dialogs are opened and people are told.
    pub slack: Slack,
    /// Where tasks for the agent go; none takes no tasks.
    pub tasks: Option<Arc<TaskDesk>>,
    /// The people's homes: the same for every way in.
    pub homes: Homes,
    /// Ids of the other workspaces that are served, by whichever way: what names one of them is none of this one's.
    pub neighbours: Vec<String>,
}

pub(crate) struct Desk {
    secrets: SigningSecrets,
    gate: Gate,
    slack: Slack,
    tasks: Option<Arc<TaskDesk>>,
    homes: Homes,
    dialogs: Arc<Semaphore>,
    commands: Arc<Semaphore>,
    answers: Commands,
}

pub(crate) type Shared = Arc<Desk>;

impl Desk {
    pub(crate) fn new(inbound: SlackInbound) -> Self {
        let SlackInbound { secrets, gate, slack, tasks, homes, neighbours: _ } = inbound;
        let dialogs = Arc::new(Semaphore::new(DIALOGS_MAX));
        let (commands, answers) = (Arc::new(Semaphore::new(COMMANDS_MAX)), Commands::new(gate.clone()));
        Self { secrets, gate, slack, tasks, homes, dialogs, commands, answers }
    }
}

/// The routes, to be mounted at the root, of one workspace.
pub fn router(inbound: SlackInbound) -> Router {
    router_of(vec![inbound])
}

/// The routes of several workspaces: each call is for the one that its signature and its body say.
pub fn router_of(inbound: Vec<SlackInbound>) -> Router {
    let neighbours = inbound.iter().flat_map(|inbound| inbound.neighbours.clone()).collect();
    let desks = inbound.into_iter().map(|inbound| Arc::new(Desk::new(inbound))).collect();
    Router::new()
        .route("/slack/interactivity", post(interactivity))
        .route("/slack/commands", post(commands))
        .route("/slack/events", post(events))
        .with_state(Arc::new(Hall::new(desks, neighbours)))
}

async fn interactivity(State(hall): State<Arc<Hall>>, signed: SignedForm) -> Response {
    let SignedForm(verified, signers) = signed;
    match Interaction::parse(&verified) {
        Ok(interaction) => match hall.pick(&signers, &Named::by_interaction(&interaction)) {
            Ok(desk) => take_interaction(&desk, &interaction).await.into_response(),
            Err(Stray) => StatusCode::FORBIDDEN.into_response(),
        },
        Err(bad) => refuse(bad).into_response(),
    }
}

async fn commands(State(hall): State<Arc<Hall>>, typed: Typed) -> Response {
    let Typed::Form(verified, signers) = typed else { return StatusCode::OK.into_response() };
    match Command::parse(&verified) {
        Ok(Command::SslCheck) => StatusCode::OK.into_response(),
        Ok(Command::Slash(command)) => match hall.pick(&signers, &Named::by_command(&command)) {
            Ok(desk) => take_command(&desk, *command).into_response(),
            Err(Stray) => StatusCode::FORBIDDEN.into_response(),
        },
        Err(bad) => refuse(bad).into_response(),
    }
}

async fn events(State(hall): State<Arc<Hall>>, SignedJson(verified, signers): SignedJson) -> Response {
    match Event::parse(&verified) {
        Ok(Event::UrlVerification { challenge }) => Answer::Challenge(challenge).into_response(),
        Ok(Event::Callback(callback)) => match hall.pick(&signers, &Named::by_event(&callback)) {
            Ok(desk) => take_event(&desk, Event::Callback(callback)).await.into_response(),
            // Taken all the same, or Slack delivers again and in the end stops delivering.
            Err(Stray) => StatusCode::OK.into_response(),
        },
        Ok(other @ Event::Other { .. }) => match signers.first() {
            Some(desk) => take_event(desk, other).await.into_response(),
            None => StatusCode::OK.into_response(),
        },
        Err(bad) => refuse(bad).into_response(),
    }
}

/// A click, or a submitted dialog, whichever way it came.
pub(crate) async fn take_interaction(desk: &Shared, interaction: &Interaction) -> Answer {
    let context = intent::Context {
        settings: desk.slack.settings(),
        secrets: &desk.secrets,
        now: desk.slack.clock().now(),
    };
    let intent = intent::read(interaction, &context);
    act::act(&desk.read_by_actor(interaction), intent).await
}

/// A typed command.
pub(crate) fn take_command(desk: &Shared, command: SlashCommand) -> Answer {
    let desk = desk.read_by_typist(&command);
    commands::take(&desk, command)
}

/// Something that happened.
pub(crate) async fn take_event(desk: &Shared, event: Event) -> Answer {
    match event {
        Event::UrlVerification { challenge } => Answer::Challenge(challenge),
        Event::Callback(callback) => event::take(desk, &callback).await,
        Event::Other { kind } => {
            // Such as `app_rate_limited`: more happens there than Slack tells.
            tracing::debug!(slack.event = kind, "an event that is nothing to this app");
            Answer::Empty
        }
    }
}

/// Authentic, but not what it should be.
fn refuse(bad: BadBody) -> StatusCode {
    tracing::warn!(error = %bad, "a signed call of Slack cannot be read");
    StatusCode::BAD_REQUEST
}

#[cfg(test)]
mod tests;
