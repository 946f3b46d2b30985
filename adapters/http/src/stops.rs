//! `/v1/stops` (R44): calls that are stopped, by whom and why; stopping them, and letting them go on.
//!
//! Everything here is of the caller's own tenant. A stop of the whole installation is shown, since it holds the tenant's
//! calls too; only Placet's own command line places and lifts one.

use axum::Json;
use axum::extract::{Path, State};
use placet::approval::{Actor, Refusal};
use placet::gate::HoldError;
use placet::hold::{Hold, HoldScope};
use placet::id::{AgentId, HoldId, RunId};
use placet::person::NoStanding;
use placet::ports::HoldQuery;
use serde_json::{Value, json};

use crate::body::{Fields, JsonBody};
use crate::credential::{Caller, Principal, ReadingMany, Stopping, name_of};
use crate::limits::{NAME_CHARS_MAX, NOTE_CHARS_MAX};
use crate::parts::App;
use crate::problem::{Code, Problem, no_standing, not_a_steward, unreadable};
use crate::query::Query;

/// What can be stopped.
const SCOPES: [&str; 4] = ["tenant", "agent", "tool", "run"];

/// `GET /v1/stops?lifted=true&before=…&limit=…`: those that stand, or all, newest first; `next` is the `before` of the next
/// page, where there is one.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller<ReadingMany>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    let query = query.only(&["lifted", "before", "limit"])?;
    let only_standing = !query.parsed::<bool>("lifted")?.unwrap_or(false);
    let (before, limit) = (query.parsed::<HoldId>("before")?, query.limit()?);
    // One more tells whether there is another page.
    let wanted = HoldQuery { tenant: Some(caller.tenant().clone()), only_standing, before, limit: limit + 1 };
    let mut holds = app.gate.store().holds(wanted).await?;
    let more = holds.len() > limit as usize;
    holds.truncate(limit as usize);
    let stops: Vec<_> = holds.iter().map(|hold| told(hold, &app, &caller)).collect();
    let mut page = json!({ "stops": stops });
    if let Some(last) = holds.last().filter(|_| more) {
        page["next"] = json!(last.id);
    }
    Ok(Json(page))
}

/// `POST /v1/stops` {scope, name?, run?, reason}: once this is answered, nothing that it covers is claimed. Stopping what
/// is stopped already is answered with the stop that stands. `warning` says that what it names is not known here.
pub(crate) async fn place(
    State(app): State<App>,
    caller: Caller<Stopping>,
    query: Query,
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let mut fields = Fields::of(body, &["scope", "name", "run", "reason"])?;
    fields.all_of(&["scope", "reason"])?;
    let scope = scope(&mut fields)?;
    let reason = fields.said("reason", NOTE_CHARS_MAX)?;
    let by = caller.as_stopper()?;
    match app.gate.hold(Some(caller.tenant()), scope, (by.clone(), reason)).await {
        Ok(placed) => {
            let mut stop = told(&placed.hold, &app, &caller);
            if let Some(doubt) = &placed.doubt {
                stop["warning"] = json!(doubt.to_string());
            }
            Ok(Json(stop))
        }
        Err(fault) => {
            Err(refused(&app, &caller, (fault, by), ("stop", "a stop"), Problem::no_such_stop).await)
        }
    }
}

/// `DELETE /v1/stops/{id}`: what it covered is claimed again.
pub(crate) async fn lift(
    State(app): State<App>,
    caller: Caller<Stopping>,
    (Path(id), query): (Path<String>, Query),
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let by = caller.as_stopper()?;
    let lifted = match id.parse::<HoldId>() {
        Ok(hold) => app.gate.lift(Some(caller.tenant()), hold, by.clone()).await,
        Err(_) => Err(HoldError::NotThere),
    };
    match lifted {
        Ok(()) => Ok(Json(json!({ "id": id, "lifted": true }))),
        Err(fault) => Err(refused(&app, &caller, (fault, by), ("lift", &id), Problem::no_such_stop).await),
    }
}

fn scope(fields: &mut Fields) -> Result<HoldScope, Problem> {
    let scope = fields.text("scope", NAME_CHARS_MAX)?;
    let scope = fields.needed("scope", scope)?;
    let run = fields.parsed::<RunId>("run")?;
    if run.is_some() && scope != "run" {
        return Err(fields.invalid("run", "only a stop of one run names one"));
    }
    match scope.as_str() {
        "tenant" => match fields.value("name") {
            None => Ok(HoldScope::All),
            Some(_) => {
                Err(fields.invalid("name", "a tenant's stop holds all of its calls; leave the name out"))
            }
        },
        "agent" => {
            let agent = fields.parsed::<AgentId>("name")?;
            Ok(HoldScope::Agent(fields.needed("name", agent)?))
        }
        "tool" => tool(fields),
        "run" => {
            let agent = fields.parsed::<AgentId>("name")?;
            let agent = fields.needed("name", agent)?;
            Ok(HoldScope::Run { agent, run: fields.needed("run", run)? })
        }
        _ => Err(fields.invalid("scope", &format!("it is one of {}", SCOPES.join(", ")))),
    }
}

/// A tool's full name: with its server, where it has one.
fn tool(fields: &mut Fields) -> Result<HoldScope, Problem> {
    let name = fields.text("name", NAME_CHARS_MAX)?;
    let name = fields.needed("name", name)?;
    HoldScope::tool(&name).map_err(|fault| fields.invalid("name", &fault.to_string()))
}

/// A stop as people read it.
fn told(hold: &Hold, app: &App, caller: &Principal) -> Value {
    let redactor = app.gate.redactor();
    let mut stop = json!({
        "id": hold.id,
        "by": called(&hold.by, hold.name.as_deref(), app, caller),
        "reason": redactor.redact_text(&hold.reason).text,
        "since": hold.since.to_rfc3339(),
        "stands": hold.stands(),
    });
    let scope = match &hold.scope {
        HoldScope::All if hold.tenant.is_none() => "everything",
        HoldScope::All => "tenant",
        HoldScope::Agent(agent) => {
            stop["name"] = json!(agent);
            "agent"
        }
        HoldScope::Tool(name) => {
            stop["name"] = json!(name);
            "tool"
        }
        HoldScope::Run { agent, run } => {
            stop["name"] = json!(agent);
            stop["run"] = json!(run);
            "run"
        }
    };
    stop["scope"] = json!(scope);
    if let Some(lifted) = &hold.lifted {
        stop["lifted"] = json!({
            "by": called(&lifted.by, lifted.name.as_deref(), app, caller),
            "at": lifted.at.to_rfc3339(),
        });
    }
    stop
}

/// What people call whoever did something: the name from then, the policy's name, or the account's own.
pub(crate) fn called(by: &Actor, name: Option<&str>, app: &App, caller: &Principal) -> String {
    match (name, by) {
        (Some(name), _) => name.to_owned(),
        (None, Actor::Account(identity)) => {
            name_of(app, caller.tenant(), identity).unwrap_or_else(|| identity.to_string())
        }
        (None, Actor::Agent(id) | Actor::Executor(id) | Actor::Manager(id)) => id.to_string(),
        (None, Actor::Placet) => "placet".to_owned(),
    }
}

/// Why nothing was stopped, lifted or forgotten. Who tries what is none of theirs is noted, as with requests.
pub(crate) async fn refused(
    app: &App,
    caller: &Principal,
    (fault, by): (HoldError, Actor),
    (command, id): (&str, &str),
    not_there: fn() -> Problem,
) -> Problem {
    match fault {
        HoldError::Refused(Refusal::NoStanding(NoStanding::Unreadable(_)) | Refusal::FactsStale) => {
            unreadable()
        }
        HoldError::Refused(refusal) => {
            app.gate.note_stranger(caller.tenant(), by, command, id).await;
            match &refusal {
                Refusal::NotAllowed { needs } => not_a_steward(needs),
                Refusal::NoStanding(why) => no_standing(why),
                other => Problem::new(Code::NotAllowed, format!("refused: {}", other.code())),
            }
        }
        pattern @ HoldError::Pattern { .. } => {
            Problem::new(Code::InvalidField, format!("`name` is not valid: {pattern}")).at("name")
        }
        HoldError::NotThere => {
            app.gate.note_stranger(caller.tenant(), by, command, id).await;
            not_there()
        }
        HoldError::Store(fault) => fault.into(),
    }
}
