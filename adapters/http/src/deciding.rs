//! What people do to one request beside voting: change it first, decide it alone, review that, take a vote back.

use axum::Json;
use axum::extract::{OriginalUri, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use placet::approval::{
    Actor, Alone, Approval, Assurance, Change, Command, Refusal, RejectedBy, Rendering, State as Stands,
    Status,
};
use placet::call::CanonicalArgs;
use placet::card::{Redactor, as_meant, visible_line};
use placet::gate::EditError;
use placet::id::RequestId;
use placet::person::Identity;
use placet::ports::{Mismatch, StoreError};
use placet::text::{Markup, Texts};
use serde_json::{Value, json};

use crate::body::{Fields, JsonBody, MaybeJson};
use crate::credential::{Caller, Deciding};
use crate::limits::NOTE_CHARS_MAX;
use crate::parts::App;
use crate::problem::{Code, Problem, refused_ask_again, refused_edit, refused_review, refused_vote};
use crate::query::Query;
use crate::reading;
use crate::requests::{args, put_on_record, stranger};
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

/// `POST /v1/requests/{id}/edit` {args} (R39): a new request with these arguments takes the place of one that waits. It is
/// answered with the new one, which is judged and asked about anew.
pub(crate) async fn edit(
    State(app): State<App>,
    caller: Caller<Deciding>,
    OriginalUri(here): OriginalUri,
    (Path(id), query): (Path<String>, Query),
    JsonBody(body): JsonBody,
) -> Result<Response, Problem> {
    query.only(&[])?;
    let mut fields = Fields::of(body, &["args"])?;
    let sent = args(&mut fields)?;
    let original = asked(&app, &caller, ("supersede", &id)).await?;
    let meant = as_meant(sent.value(), original.proposal.call.args.value(), app.gate.redactor())
        .map_err(|stray| Problem::new(Code::InvalidField, stray.to_string()).at(stray.at))?;
    let meant = CanonicalArgs::from_value(&meant)?;
    let edited = app
        .gate
        .edit((caller.tenant(), original.id), &caller.identity()?, meant)
        .await
        .map_err(|fault| edit_problem(fault, &original, app.gate.redactor()))?;
    // Who edits is shown what they made, so that their yes to it can follow at once where the policy lets it count.
    if edited.status() == Status::WaitingApproval {
        put_on_record(&app, &caller, &edited).await?;
    }
    let location = here.path().strip_suffix(&format!("{id}/edit")).unwrap_or_default();
    let location = format!("{location}{}", edited.id);
    let body = reading::card(&app, &caller, &edited).await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(body)).into_response())
}

fn edit_problem(fault: EditError, original: &Approval, redactor: &Redactor) -> Problem {
    match fault {
        EditError::Refused(refusal) => refused_edit(original, &refusal),
        EditError::Unchanged => {
            let detail = "these are the arguments that were proposed; send what should run instead";
            Problem::new(Code::NothingChanged, detail).at("args").about(original.id)
        }
        EditError::Mismatched(mismatches) => mismatched(&mismatches, redactor).about(original.id),
        EditError::Forbidden { because } => {
            let detail =
                format!("the policy forbids the call with these arguments ({because}); nothing was changed");
            Problem::new(Code::ForbiddenNow, detail).at("args").about(original.id)
        }
        EditError::NobodyElse => {
            let detail = "nobody else could approve the call with these arguments, and the policy lets nobody approve what \
                          they made themselves; nothing was changed. Deny it, and say in the reason what would be right";
            Problem::new(Code::NobodyElse, detail).at("args").about(original.id)
        }
        EditError::Store(fault) => fault.into(),
    }
}

/// What the tool does not take, each by its place. Nothing of the values stands in it, nor a name that is a secret.
fn mismatched(mismatches: &[Mismatch], redactor: &Redactor) -> Problem {
    let texts = Texts::english();
    let errors: Vec<(String, String)> = mismatches
        .iter()
        .map(|mismatch| {
            let path = visible_line(&redactor.redact_text(&mismatch.path()).text).into_string();
            (path, texts.misfit(&mismatch.what, &Markup::PLAIN))
        })
        .collect();
    let told: Vec<String> = errors.iter().map(|(path, what)| format!("{path}: {what}")).collect();
    let detail = format!(
        "the tool's schema does not allow these arguments, so nothing was changed. {}",
        told.join(" ")
    );
    let first = errors.first().map_or_else(|| "args".to_owned(), |(path, _)| path.clone());
    Problem::new(Code::SchemaMismatch, detail).at(first).with_errors(errors)
}

/// `POST /v1/requests/{id}/break-glass` {reason} (R41): one person decides alone, in an emergency. They must have read the
/// request first, as for a yes.
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
    let identity = caller.identity()?;
    let Rendering { shown, surface, .. } = view::rendering(&approval, &app.gate, identity.clone())?;
    let alone = Alone { identity, reason, surface, assurance: Assurance::Signed, shown: Some(shown) };
    let command = Command::BreakGlass(alone);
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
    let identity = caller.identity()?;
    let command = Command::Review { identity: identity.clone(), note: note.clone() };
    match app.gate.command(caller.tenant(), approval.id, command).await? {
        (approval, Ok(Change::Unchanged)) if !is_review_of(&approval, &identity, note.as_deref()) => {
            Err(Problem::new(
                Code::OutOfOrder,
                "somebody has reviewed it before, and what they said stands; nothing was kept of this",
            )
            .about(approval.id))
        }
        (approval, Ok(_)) => Ok(Json(reading::card(&app, &caller, &approval).await?)),
        (approval, Err(refusal)) => Err(refused_review(&approval, &refusal)),
    }
}

/// Whether the review that stands is this one: an answer that was lost can be asked for again.
fn is_review_of(approval: &Approval, by: &Identity, note: Option<&str>) -> bool {
    let reviewed = approval.glass.as_ref().and_then(|glass| glass.reviewed.as_ref());
    reviewed.is_some_and(|reviewed| reviewed.by == *by && reviewed.note.as_deref() == note)
}

/// `POST /v1/requests/{id}/ask-again`: people said no, and somebody who may decide wants the very same call asked about again
/// should the agent propose it once more. A no that only repeats an earlier one stands for that one.
pub(crate) async fn ask_again(
    State(app): State<App>,
    caller: Caller<Deciding>,
    (Path(id), query): (Path<String>, Query),
    MaybeJson(body): MaybeJson,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    Fields::of(body, &[])?;
    let mut approval = asked(&app, &caller, ("ask_anew", &id)).await?;
    if let Stands::Rejected(rejected) = &approval.state
        && let RejectedBy::Earlier { request, .. } = rejected.by
    {
        approval = app.gate.load(caller.tenant(), request).await?;
    }
    let command = Command::AskAnew { identity: caller.identity()? };
    changed(&app, &caller, (approval, command), refused_ask_again).await
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
    let command = Command::TakeBack { identity: caller.identity()?, sign: None };
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
            Ok(Json(reading::card(app, caller, &approval).await?))
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
