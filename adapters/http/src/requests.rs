//! `/v1/requests`: an agent proposes, waits and withdraws; people read what they decide on.

mod proposal;

pub(crate) use proposal::{args, presented};

use axum::Json;
use axum::extract::{OriginalUri, Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::future::{Either, select};
use placet::approval::{Approval, Command, Delivery, Status};
use placet::card::StoppedView;
use placet::gate::ProposeError;
use placet::id::{IdempotencyKey, RequestId};
use placet::ports::store::Scope;
use placet::ports::{RequestQuery, StoreError};
use placet::time::Ttl;
use serde_json::{Value, json};

use crate::body::JsonBody;
use crate::credential::{Caller, Principal, Proposing, ReadingMany, ReadingOne};
use crate::limits::{PAGE_READ_AT_ONCE, POLLS_PER_CREDENTIAL_MAX, WAIT_MAX};
use crate::parts::App;
use crate::problem::{Code, Problem, refused_to_proposer};
use crate::query::Query;
use crate::questions;
use crate::reading;
use crate::stream::{Closing, Seat};
use crate::view;

/// The header under which the same proposal is the same request.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// `POST /v1/requests`: 201 for a new request, 200 for one that was there under the key.
pub(crate) async fn propose(
    State(app): State<App>,
    caller: Caller<Proposing>,
    OriginalUri(here): OriginalUri,
    (headers, query): (HeaderMap, Query),
    JsonBody(body): JsonBody,
) -> Result<Response, Problem> {
    query.only(&[])?;
    let key = idempotency_key(&headers)?;
    let forged = proposal::forged(&body);
    let proposal = match (proposal::read(body, &caller, &app), forged) {
        (Err(problem), Some(field)) => {
            // Who says in a proposal that it is approved, or who it is, tries to get around the gate.
            app.gate.note_stranger(caller.tenant(), caller.as_agent(), "propose", &field).await;
            return Err(problem);
        }
        (proposal, _) => proposal?,
    };
    let key = key.map(|key| (caller.row().id.clone(), key));
    let proposed = app.gate.propose(caller.tenant(), proposal, key, false).await.map_err(|fault| match fault {
        ProposeError::KeyConflict { .. } => Problem::new(
            Code::IdempotencyConflict,
            "this Idempotency-Key was used before, for another call, or for the same call with something else said \
             about it; use a new key for each request, and send a request again as it was",
        )
        .at("Idempotency-Key"),
        ProposeError::Store(fault) => fault.into(),
    })?;
    let status = if proposed.fresh { StatusCode::CREATED } else { StatusCode::OK };
    let location = format!("{}/{}", here.path(), proposed.approval.id);
    let body =
        stopped(&app, &proposed.approval, view::for_agent(&proposed.approval, app.gate.redactor())).await?;
    Ok((status, [(header::LOCATION, location)], Json(body)).into_response())
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Problem> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let (value, more) = (values.next(), values.next());
    let bad = |why: &str| {
        Problem::new(Code::HeaderInvalid, format!("Idempotency-Key: {why}")).at("Idempotency-Key")
    };
    match (value, more) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(bad("it stands there twice; send it once")),
        (Some(value), None) => {
            let text = value.to_str().map_err(|_| bad("only visible ASCII characters may stand in it"))?;
            IdempotencyKey::new(text).map(Some).map_err(|fault| bad(&fault.to_string()))
        }
    }
}

/// `GET /v1/requests/{id}?wait=25s&view=card`.
pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller<ReadingOne>,
    method: Method,
    Path(id): Path<String>,
    (query, closing): (Query, Closing),
) -> Result<Json<Value>, Problem> {
    let query = query.only(&["wait", "view"])?;
    let as_card = wants_card(&query, &caller)?;
    let wait = query.parsed::<Ttl>("wait")?.map(|wait| wait.min(WAIT_MAX));
    let mut approval = seen(&app, &caller, &id).await?;
    if let Some(wait) = wait
        && view::is_pending(approval.status())
    {
        approval = wait_for(&app, &caller, (approval, wait), closing).await?;
    }
    if !as_card {
        // Only who proposes or runs calls reads arguments as they are.
        let runs = caller.may_any(&[Scope::Propose, Scope::Execute]);
        let form = if runs {
            view::for_agent(&approval, app.gate.redactor())
        } else {
            reading::plain(&app, &caller, &approval).await?
        };
        return Ok(Json(stopped(&app, &approval, form).await?));
    }
    reading::may_read(&app, &caller, &approval).await?;
    // A HEAD shows nobody anything.
    if method == Method::GET && caller.may(Scope::Decide) && approval.status() == Status::WaitingApproval {
        put_on_record(&app, &caller, &approval).await?;
    }
    Ok(Json(stopped(&app, &approval, view::for_people(&approval, &app.gate)).await?))
}

/// With why and since when calls like it are stopped, where it could still be started: whoever waits for it should know
/// that a yes alone starts nothing.
async fn stopped(app: &App, approval: &Approval, mut form: Value) -> Result<Value, Problem> {
    if let Some(StoppedView { since, reason }) = app.gate.stopped(approval).await? {
        form["stopped"] = json!({ "since": since.to_rfc3339(), "reason": reason.as_str() });
    }
    Ok(form)
}

/// People get the card, unless the credential can also propose or execute: then it must be asked for, so that no
/// agent is shown it by accident.
fn wants_card(query: &Query, caller: &Principal) -> Result<bool, Problem> {
    let may = caller.may_any(&[Scope::Decide, Scope::Audit, Scope::Manage]);
    match query.text("view") {
        None => Ok(may && !caller.may_any(&[Scope::Propose, Scope::Execute])),
        Some("agent") => Ok(false),
        Some("card") if may => Ok(true),
        Some("card") => {
            let detail =
                "the card is for people: this needs a credential with the scope decide or audit or manage";
            Err(Problem::new(Code::ScopeMissing, detail).at("view"))
        }
        Some(_) => Err(Problem::new(Code::QueryInvalid, "`view` is agent or card").at("view")),
    }
}

async fn wait_for(
    app: &App,
    caller: &Principal,
    (approval, wait): (Approval, Ttl),
    closing: Closing,
) -> Result<Approval, Problem> {
    let _seat = Seat::take(&app.seats, &caller.row().id, ("poll", POLLS_PER_CREDENTIAL_MAX))?;
    let until = app.now() + wait;
    let asked = questions::count(&approval);
    let decided = app.gate.wait((caller.tenant(), approval.id), until, |now| {
        !view::is_pending(now.status()) || questions::count(now) > asked
    });
    let approval = match select(Box::pin(decided), Box::pin(closing.closed())).await {
        Either::Left((decided, _)) => decided?,
        // The server stops: how it stands is a right answer, and the client asks again.
        Either::Right(_) => approval,
    };
    caller.recheck(app).await?;
    Ok(approval)
}

/// What a person is about to be shown is on record before they are, so that their vote can refer to it; and that
/// somebody was asked, so that silence is nobody's failure to ask.
pub(crate) async fn put_on_record(app: &App, caller: &Principal, approval: &Approval) -> Result<(), Problem> {
    let rendering = view::rendering(approval, &app.gate, caller.identity()?)?;
    let surface = rendering.surface.clone();
    let shown = (!approval.renderings.contains(&rendering)).then_some(Command::Show(rendering));
    let asked = (!approval.card_delivered).then_some(Command::Deliver(Delivery { surface, failure: None }));
    for command in shown.into_iter().chain(asked) {
        if let (_, Err(refusal)) = app.gate.command(caller.tenant(), approval.id, command).await? {
            tracing::error!(approval.id = %approval.id, refusal = refusal.code(), "a rendering was not put on record");
            let detail = "what you would be shown could not be put on record; try again";
            return Err(Problem::new(Code::Unavailable, detail));
        }
    }
    Ok(())
}

/// A request that this caller may know of.
async fn seen(app: &App, caller: &Principal, id: &str) -> Result<Approval, Problem> {
    let approval = app.gate.load(caller.tenant(), request_id(id)?).await?;
    if caller.may_see(&approval) { Ok(approval) } else { Err(Problem::no_such_request()) }
}

/// An id that is none is one that does not exist.
pub(crate) fn request_id(id: &str) -> Result<RequestId, Problem> {
    id.parse().map_err(|_| Problem::no_such_request())
}

/// `GET /v1/requests?status=waiting_approval&before=…&limit=…`: newest first.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller<ReadingMany>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    let query = query.only(&["status", "before", "limit"])?;
    let statuses = query.text("status").map(statuses).transpose()?.unwrap_or_default();
    let limit = query.limit()?;
    let before = query.parsed::<RequestId>("before")?;
    let tenant = Some(caller.tenant().clone());
    let mut wanted = RequestQuery { tenant, statuses, before, ..RequestQuery::default() };
    let (mut lines, mut left) = (Vec::new(), limit);
    while left > 0 {
        wanted.limit = left.min(PAGE_READ_AT_ONCE);
        let approvals = app.gate.store().list(wanted.clone()).await?;
        for approval in &approvals {
            lines.push(reading::line(&app, &caller, approval).await?);
        }
        wanted.before = approvals.last().map(|last| last.id).or(wanted.before);
        left -= wanted.limit;
        if approvals.len() < wanted.limit as usize {
            // These were the last: there is no next page.
            wanted.before = None;
            break;
        }
    }
    let mut page = json!({ "requests": lines });
    if let Some(last) = wanted.before {
        page["next"] = json!(last);
    }
    Ok(Json(page))
}

fn statuses(text: &str) -> Result<Vec<Status>, Problem> {
    let named = |name: &str| match name.trim() {
        "pending" => Ok(vec![Status::Proposed, Status::PolicyChecking, Status::WaitingApproval]),
        name => Status::named(name).map(|status| vec![status]).ok_or_else(|| {
            let names: Vec<_> = Status::ALL.iter().map(|status| status.name()).collect();
            let detail = format!("`status` is pending or some of {}, separated by commas", names.join(", "));
            Problem::new(Code::QueryInvalid, detail).at("status")
        }),
    };
    let statuses: Result<Vec<_>, Problem> = text.split(',').map(named).collect();
    Ok(statuses?.into_iter().flatten().collect())
}

/// `DELETE /v1/requests/{id}`: its proposer no longer wants it. Doing it twice is doing it once.
pub(crate) async fn withdraw(
    State(app): State<App>,
    caller: Caller<Proposing>,
    Path(id): Path<String>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let (tenant, by) = (caller.tenant(), caller.as_agent());
    let parsed = id.parse::<RequestId>().map_err(|_| StoreError::NotFound);
    let answer = match parsed {
        Ok(id) => app.gate.withdraw((tenant, id), &caller.row().agent, by.clone()).await,
        Err(none) => Err(none),
    };
    match answer {
        Ok((approval, Ok(_))) => Ok(Json(view::for_agent(&approval, app.gate.redactor()))),
        Ok((approval, Err(refusal))) if withdrawn_before(&approval) => {
            tracing::debug!(refusal = refusal.code(), "withdrawn again");
            Ok(Json(view::for_agent(&approval, app.gate.redactor())))
        }
        Ok((approval, Err(refusal))) => Err(refused_to_proposer(&approval, &refusal)),
        Err(fault) => Err(stranger(&app, &caller, (fault, by), ("withdraw", &id)).await),
    }
}

fn withdrawn_before(approval: &Approval) -> bool {
    use placet::approval::{RevokedWhy, State};
    matches!(&approval.state, State::Revoked(revoked) if revoked.why == RevokedWhy::Withdrawn)
}

/// Notes an attempt on a request that does not exist for the caller; any other fault is passed on.
pub(crate) async fn stranger(
    app: &App,
    caller: &Principal,
    (fault, by): (StoreError, placet::approval::Actor),
    (command, id): (&str, &str),
) -> Problem {
    if fault == StoreError::NotFound {
        app.gate.note_stranger(caller.tenant(), by, command, id).await;
    }
    fault.into()
}
