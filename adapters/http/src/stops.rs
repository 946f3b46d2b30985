//! `/v1/stops` (R44): calls that are stopped, by whom and why.
//!
//! Everything here is of the caller's own tenant. A stop of the whole installation is shown, since it holds the tenant's
//! calls too; only Placet's own command line places and lifts one.

use axum::Json;
use axum::extract::State;
use placet::approval::Actor;
use placet::hold::{Hold, HoldScope};
use serde_json::{Value, json};

use crate::credential::{Caller, Principal, ReadingMany, name_of};
use crate::parts::App;
use crate::problem::Problem;
use crate::query::Query;

/// `GET /v1/stops?lifted=true&limit=…`: those that stand, or the last of all, newest first.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller<ReadingMany>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    let query = query.only(&["lifted", "limit"])?;
    let only_standing = !query.parsed::<bool>("lifted")?.unwrap_or(false);
    let limit = query.limit()?;
    let holds = app.gate.store().holds(Some(caller.tenant()), only_standing, limit).await?;
    let stops: Vec<_> = holds.iter().map(|hold| told(hold, &app, &caller)).collect();
    Ok(Json(json!({ "stops": stops })))
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
