//! The HTTP interface: agents propose and wait, executors claim and report, people decide and read the record.
//!
//! What always holds:
//! - A handler that needs a right takes a caller who has it, and cannot be reached otherwise; tenant, agent and voter
//!   come from the credential.
//! - A body is one strict JSON text within its limits; unknown fields are refused by name.
//! - No answer to who may only propose or execute carries a tier, a level, a rule or the name of a person.
//! - What is somebody else's and what never was are the same answer, byte for byte.
//! - Every refusal is a problem with a stable code (see [`Code`]).

mod approvals;
mod body;
mod chat;
mod credential;
mod cursor;
mod deciding;
mod execution;
mod guard;
mod health;
pub mod limits;
mod parts;
mod policy;
mod problem;
mod query;
mod questions;
mod reading;
mod remembered;
mod requests;
mod serve;
mod stops;
mod stream;
mod trace;
mod view;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, post};
use tower_http::catch_panic::CatchPanicLayer;

use crate::parts::App;

pub use crate::chat::{Begun, ChatAgent, ChatError, Said};
pub use crate::credential::{TOKEN_PREFIX, new_token, token_hash};
pub use crate::cursor::CursorKey;
pub use crate::health::{PolicyHealth, PolicyRefused, PolicyStanding, SurfaceHealth, SurfaceStanding};
pub use crate::parts::{HttpParts, HttpSettings};
pub use crate::problem::{Code, Problem};
pub use crate::serve::{ServeLimits, serve};

/// The whole interface, the surfaces' own addresses included.
pub fn router(parts: HttpParts) -> Router {
    let (app, surfaces) = App::of(parts);
    // These wait for people, and end by themselves.
    let patient = Router::new()
        .route("/v1/requests/{id}", get(requests::get))
        .route("/v1/events", get(trace::events))
        .route("/chat", post(chat::say))
        .route("/chat/{session}/events", get(chat::events));
    let prompt = Router::new()
        .route("/v1/requests", post(requests::propose).get(requests::list))
        .route("/v1/requests/{id}", delete(requests::withdraw))
        .route("/v1/requests/{id}/answer", post(questions::answer))
        .route("/v1/requests/{id}/claim", post(execution::claim))
        .route("/v1/requests/{id}/heartbeat", post(execution::heartbeat))
        .route("/v1/requests/{id}/outcome", post(execution::outcome))
        .route("/v1/requests/{id}/revoke", post(execution::revoke))
        .route("/v1/requests/{id}/settle", post(execution::settle))
        .route("/v1/requests/{id}/edit", post(deciding::edit))
        .route("/v1/requests/{id}/break-glass", post(deciding::break_glass))
        .route("/v1/requests/{id}/review", post(deciding::review))
        .route("/v1/requests/{id}/ask-again", post(deciding::ask_again))
        .route("/v1/requests/{id}/take-back", post(deciding::take_back))
        .route("/v1/remembered", get(remembered::list))
        .route("/v1/remembered/{id}", delete(remembered::forget))
        .route("/v1/stops", post(stops::place).get(stops::list))
        .route("/v1/stops/{id}", delete(stops::lift))
        .route("/v1/policy", get(policy::in_force))
        .route("/v1/policy/{digest}", get(policy::of_digest))
        .route("/approvals", post(approvals::decide).get(approvals::list))
        .route("/v1/grant-key", get(health::grant_key))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route_layer(from_fn_with_state(app.clone(), guard::deadline));
    let own = prompt.merge(patient).fallback(guard::no_route).method_not_allowed_fallback(guard::no_method);
    let prompt_body = from_fn_with_state(app.clone(), guard::prompt_body);
    let all = surfaces
        .into_iter()
        .fold(own.with_state(app.clone()), |all, surface| all.merge(surface.layer(prompt_body.clone())));
    all.layer(DefaultBodyLimit::max(limits::BODY_BYTES_MAX))
        .layer(CatchPanicLayer::custom(guard::broken_off))
        .layer(from_fn(guard::head))
        .layer(from_fn(guard::headers))
        .layer(from_fn_with_state(app, guard::measured))
}
