//! What people do to one request beside voting: decide it alone, review that, take a vote back.

use axum::Json;
use axum::extract::{Path, State};
use placet::approval::{Actor, Approval, Change, Command, Refusal};
use placet::id::RequestId;
use placet::ports::StoreError;
use serde_json::{Value, json};

use crate::body::{Fields, JsonBody, MaybeJson};
use crate::credential::{Caller, Deciding};
use crate::limits::NOTE_CHARS_MAX;
use crate::parts::App;
use crate::problem::{Code, Problem, refused_review, refused_vote};
use crate::query::Query;
use crate::requests::stranger;
use crate::view;

/// A request that people were asked about, of the caller's tenant. Who tries one that is none of theirs is noted.
pub(crate) async fn asked(
    app: &App,
    caller: &Caller<Deciding>,
    (command, id): (&str, &str),
) -> Result<Approval, Problem> {
    let loaded = match id.parse::<RequestId>() {
        Ok(request) => app.gate.load(caller.tenant(), request).await,
        Err(_) => Err(StoreError::NotFound),
    };
    match loaded {
        Ok(approval) if view::was_asked(&approval) => Ok(approval),
        Ok(approval) => {
            let detail = "the policy decided about it without people; there is nothing to vote on";
            Err(Problem::new(Code::NotAsked, detail).about(approval.id))
        }
        Err(fault) => {
            let by = Actor::Account(caller.identity()?);
            Err(stranger(app, caller, (fault, by), (command, id)).await)
        }
    }
}

/// `POST /v1/requests/{id}/break-glass` {reason} (R41): one person decides alone, in an emergency.
pub(crate) async fn break_glass(
    State(app): State<App>,
    caller: Caller<Deciding>,
    (Path(id), query): (Path<String>, Query),
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let mut fields = Fields::of(body, &["reason"])?;
    let reason = fields.said("reason", NOTE_CHARS_MAX)?;
    let approval = asked(&app, &caller, ("break_glass", &id)).await?;
    let command = Command::BreakGlass { identity: caller.identity()?, reason };
    changed(&app, &caller, (approval, command), refused_vote).await
}

/// `POST /v1/requests/{id}/review` {note?} (R41): somebody else looked at what one person decided alone.
pub(crate) async fn review(
    State(app): State<App>,
    caller: Caller<Deciding>,
    (Path(id), query): (Path<String>, Query),
    MaybeJson(body): MaybeJson,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let mut fields = Fields::of(body, &["note"])?;
    let note = fields.text("note", NOTE_CHARS_MAX)?.filter(|note| !note.trim().is_empty());
    let approval = asked(&app, &caller, ("review", &id)).await?;
    let command = Command::Review { identity: caller.identity()?, note };
    changed(&app, &caller, (approval, command), refused_review).await
}

/// `POST /v1/requests/{id}/take-back` (R18): the caller's vote no longer counts. Possible until it is decided.
pub(crate) async fn take_back(
    State(app): State<App>,
    caller: Caller<Deciding>,
    (Path(id), query): (Path<String>, Query),
    MaybeJson(body): MaybeJson,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    Fields::of(body, &[])?;
    let approval = asked(&app, &caller, ("take_back", &id)).await?;
    let command = Command::TakeBack { identity: caller.identity()? };
    changed(&app, &caller, (approval, command), refused_vote).await
}

async fn changed(
    app: &App,
    caller: &Caller<Deciding>,
    (approval, command): (Approval, Command),
    refused: fn(&Approval, &Refusal) -> Problem,
) -> Result<Json<Value>, Problem> {
    match app.gate.command(caller.tenant(), approval.id, command).await? {
        (approval, Ok(Change::Changed | Change::Unchanged)) => {
            Ok(Json(view::for_people(&approval, &app.gate)))
        }
        (approval, Err(refusal)) => Err(refused(&approval, &refusal)),
    }
}

/// How the request stands after a vote, and what is still needed.
pub(crate) fn standing(approval: &Approval) -> Value {
    let pending = view::is_pending(approval.status());
    let mut answer = json!({
        "requestId": approval.id,
        "status": approval.status().name(),
        "decided": !pending,
    });
    if pending && let Some(tally) = approval.tally_as_voted() {
        answer["stage"] = json!(tally.stage + 1);
        answer["stages"] = json!(tally.stages);
        answer["needs"] = json!(tally.needs);
    }
    answer
}
