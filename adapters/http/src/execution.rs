//! Executors outside claim, beat and report; whoever manages revokes and settles.

use axum::Json;
use axum::extract::{Path, State};
use placet::approval::state::RESULT_BYTES_MAX;
use placet::approval::{Outcome, OutcomeKind};
use placet::gate::{ClaimError, Claimant, Gate, PresentedCall, Receipt};
use placet::id::{ClaimId, RequestId};
use placet::ports::StoreError;
use serde_json::{Value, json};

use crate::body::{Fields, JsonBody, MaybeJson};
use crate::credential::{Caller, Executing, Principal, Stopping};
use crate::limits::{CLAIM_KEY_CHARS_MAX, CLAIM_KEY_CHARS_MIN, ERROR_CHARS_MAX, NOTE_CHARS_MAX};
use crate::parts::App;
use crate::problem::{Problem, refused_claim, refused_to_manager};
use crate::reading;
use crate::requests::{presented, request_id, stranger};
use crate::view;

/// `POST /v1/requests/{id}/claim`: the one right to run it, for who presents exactly the call that was approved. The
/// same key again is answered with the same claim.
pub(crate) async fn claim(
    State(app): State<App>,
    caller: Caller<Executing>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    let mut fields = Fields::of(body, &["tool", "server", "args", "key"])?;
    fields.all_of(&["tool", "args", "key"])?;
    let (server, tool, args) = presented(&mut fields)?;
    let key = key(&mut fields)?;
    let Ok(request) = id.parse::<RequestId>() else {
        let nobody = (StoreError::NotFound, caller.as_executor());
        return Err(stranger(&app, &caller, nobody, ("claim", &id)).await);
    };
    let claimant = Claimant { credential: caller.row().id.clone(), key };
    // The gate notes who tries a request that is not there.
    let claimed = app
        .gate
        .claim_outside(caller.tenant(), request, PresentedCall { server, tool, args }, claimant)
        .await
        .map_err(|fault| claim_problem(&app, fault, request))?;
    let call = &claimed.call;
    let mut answer = json!({
        "claim": claimed.claim,
        "lease_until": claimed.lease_until.to_rfc3339(),
        "call": {
            "tool": call.tool,
            "args": call.args.value(),
            "args_canonical": call.args.as_str(),
        },
        "digest": call.digest(caller.tenant()),
    });
    if let Some(server) = &call.server {
        answer["call"]["server"] = json!(server);
    }
    if !call.preconditions.is_empty() {
        answer["call"]["preconditions"] = json!(call.preconditions);
    }
    if let Some(grant) = &claimed.grant {
        answer["grant"] = json!(grant);
    }
    Ok(Json(answer))
}

/// `POST /v1/requests/{id}/heartbeat`.
pub(crate) async fn heartbeat(
    State(app): State<App>,
    caller: Caller<Executing>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    let mut fields = Fields::of(body, &["claim", "key"])?;
    fields.all_of(&["claim", "key"])?;
    let receipt = receipt(&mut fields, &caller, request_id(&id))?;
    let beat =
        app.gate.heartbeat(&receipt).await.map_err(|fault| claim_problem(&app, fault, receipt.request))?;
    Ok(Json(json!({ "lease_until": beat.lease_until.to_rfc3339(), "stop": beat.stop })))
}

/// `POST /v1/requests/{id}/outcome`: the same report again is answered the same.
pub(crate) async fn outcome(
    State(app): State<App>,
    caller: Caller<Executing>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    let mut fields = Fields::of(body, &["claim", "key", "status", "result", "error", "duration_ms"])?;
    fields.all_of(&["claim", "key", "status"])?;
    let outcome = Outcome {
        kind: kind(&mut fields, &[OutcomeKind::Succeeded, OutcomeKind::Failed, OutcomeKind::Unknown])?,
        result: result(&mut fields)?,
        error: fields.text("error", ERROR_CHARS_MAX)?,
        duration_ms: fields.number("duration_ms")?,
    };
    let receipt = receipt(&mut fields, &caller, request_id(&id))?;
    let finished = app
        .gate
        .finish(&receipt, outcome)
        .await
        .map_err(|fault| claim_problem(&app, fault, receipt.request))?;
    Ok(Json(view::for_agent(&finished, app.gate.redactor())))
}

/// `POST /v1/requests/{id}/revoke`: takes it back, or asks a running call to stop; by a managing credential or a steward.
pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller<Stopping>,
    Path(id): Path<String>,
    MaybeJson(body): MaybeJson,
) -> Result<Json<Value>, Problem> {
    let mut fields = Fields::of(body, &["reason"])?;
    let reason = fields.text("reason", NOTE_CHARS_MAX)?.filter(|reason| !reason.trim().is_empty());
    let by = caller.as_stopper()?;
    let answer = match id.parse() {
        Ok(request) => app.gate.revoke(caller.tenant(), request, by.clone(), reason).await,
        Err(_) => Err(StoreError::NotFound),
    };
    match answer {
        Ok((approval, Ok(_))) => Ok(Json(reading::card(&app, &caller, &approval).await?)),
        Ok((approval, Err(refusal))) => Err(refused_to_manager(&approval, &refusal)),
        Err(fault) => Err(stranger(&app, &caller, (fault, by), ("revoke", &id)).await),
    }
}

/// `POST /v1/requests/{id}/settle`: says how an unknown outcome ended; by a managing credential or a steward.
pub(crate) async fn settle(
    State(app): State<App>,
    caller: Caller<Stopping>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    let mut fields = Fields::of(body, &["status", "reason", "result"])?;
    fields.all_of(&["status", "reason"])?;
    let kind = kind(&mut fields, &[OutcomeKind::Succeeded, OutcomeKind::Failed])?;
    let outcome = Outcome { kind, result: result(&mut fields)?, error: None, duration_ms: None };
    let reason = fields.said("reason", NOTE_CHARS_MAX)?;
    let by = caller.as_stopper()?;
    let answer = match id.parse() {
        Ok(request) => app.gate.settle((caller.tenant(), request), by.clone(), outcome, reason).await,
        Err(_) => Err(StoreError::NotFound),
    };
    match answer {
        Ok((approval, Ok(_))) => Ok(Json(reading::card(&app, &caller, &approval).await?)),
        Ok((approval, Err(refusal))) => Err(refused_to_manager(&approval, &refusal)),
        Err(fault) => Err(stranger(&app, &caller, (fault, by), ("settle", &id)).await),
    }
}

fn claim_problem(app: &App, fault: ClaimError, request: RequestId) -> Problem {
    match fault {
        ClaimError::Refused(refusal) => refused_claim(&refusal, app.gate.redactor()).about(request),
        ClaimError::Store(fault) => fault.into(),
    }
}

fn key(fields: &mut Fields) -> Result<String, Problem> {
    let key = fields.text("key", CLAIM_KEY_CHARS_MAX)?;
    let key = fields.needed("key", key)?;
    if key.chars().count() < CLAIM_KEY_CHARS_MIN {
        let why = format!(
            "make at least {CLAIM_KEY_CHARS_MIN} random characters for each attempt, and keep them for it"
        );
        return Err(fields.invalid("key", &why));
    }
    Ok(key)
}

fn receipt(
    fields: &mut Fields,
    caller: &Principal,
    request: Result<RequestId, Problem>,
) -> Result<Receipt, Problem> {
    let claim = fields.parsed::<ClaimId>("claim")?;
    let claim = fields.needed("claim", claim)?;
    Ok(Gate::receipt(caller.tenant(), request?, claim, key(fields)?))
}

fn kind(fields: &mut Fields, allowed: &[OutcomeKind]) -> Result<OutcomeKind, Problem> {
    let status = fields.text("status", 20)?;
    let status = fields.needed("status", status)?;
    allowed.iter().find(|kind| kind.name() == status).copied().ok_or_else(|| {
        let names: Vec<_> = allowed.iter().map(|kind| kind.name()).collect();
        fields.invalid("status", &format!("it is one of {}", names.join(", ")))
    })
}

/// A result of any kind, as the JSON text that is kept.
fn result(fields: &mut Fields) -> Result<Option<String>, Problem> {
    let Some(value) = fields.value("result") else { return Ok(None) };
    let text = value.to_string();
    if text.len() > RESULT_BYTES_MAX {
        let detail = format!(
            "`result` takes {} bytes, and may take {RESULT_BYTES_MAX}; report a summary or a reference",
            text.len()
        );
        return Err(Problem::new(crate::problem::Code::FieldTooLong, detail).at("result"));
    }
    Ok(Some(text))
}
