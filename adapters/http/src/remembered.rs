//! `/v1/remembered` (R9, R25): which calls run without another card, because people chose so; and taking that back.

use axum::Json;
use axum::extract::{Path, State};
use placet::gate::HoldError;
use placet::id::RequestId;
use placet::ports::RememberedQuery;
use placet::remembered::Remembered;
use serde_json::{Value, json};

use crate::body::{Fields, MaybeJson};
use crate::credential::{Caller, Principal, ReadingMany, Stopping};
use crate::limits::NOTE_CHARS_MAX;
use crate::parts::App;
use crate::problem::Problem;
use crate::query::Query;
use crate::stops::{called, refused};
use crate::view::shown_line;

/// `GET /v1/remembered?ended=true&before=…&limit=…`: those that stand, or all, newest first; `next` is the `before` of the
/// next page, where there is one.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller<ReadingMany>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    let query = query.only(&["ended", "before", "limit"])?;
    let ended = query.parsed::<bool>("ended")?.unwrap_or(false);
    let limit = query.limit()?;
    let wanted = RememberedQuery {
        tenant: caller.tenant().clone(),
        session: None,
        standing_at: (!ended).then(|| app.now()),
        before: query.parsed("before")?,
        // One more tells whether there is another page.
        limit: limit + 1,
    };
    let mut found = app.gate.store().remembered(wanted).await?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let entries: Vec<_> = found.iter().map(|one| told(one, &app, &caller)).collect();
    let mut page = json!({ "remembered": entries });
    if let Some(last) = found.last().filter(|_| more) {
        page["next"] = json!(last.id);
    }
    Ok(Json(page))
}

/// `DELETE /v1/remembered/{id}` {reason?}: nothing is claimed on it any more, and what was approved on it and not yet spent
/// is revoked.
pub(crate) async fn forget(
    State(app): State<App>,
    caller: Caller<Stopping>,
    (Path(id), query): (Path<String>, Query),
    MaybeJson(body): MaybeJson,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let mut fields = Fields::of(body, &["reason"])?;
    let reason = fields.text("reason", NOTE_CHARS_MAX)?.filter(|reason| !reason.trim().is_empty());
    let by = caller.as_stopper()?;
    let forgotten = match id.parse::<RequestId>() {
        Ok(scope) => app.gate.forget((caller.tenant(), scope), by.clone(), reason).await,
        Err(_) => Err(HoldError::NotThere),
    };
    match forgotten {
        Ok(revoked) => Ok(Json(json!({ "id": id, "forgotten": true, "revoked": revoked }))),
        Err(fault) => {
            Err(refused(&app, &caller, (fault, by), ("forget", &id), Problem::nothing_remembered).await)
        }
    }
}

/// A remembered yes as people read it.
fn told(one: &Remembered, app: &App, caller: &Principal) -> Value {
    let redactor = app.gate.redactor();
    let tool = match &one.server {
        Some(server) => format!("{server}/{}", one.tool),
        None => one.tool.to_string(),
    };
    let mut entry = json!({
        "id": one.id,
        "tool": tool,
        "pattern": shown_line(&one.pattern.to_string(), redactor),
        "agent": one.agent,
        "session": one.session,
        "level": one.verdict.level,
        "by": one.names,
        "since": one.since.to_rfc3339(),
        "until": one.until.to_rfc3339(),
        "stands": one.stands(app.now()),
    });
    if let Some(forgotten) = &one.forgotten {
        entry["forgotten"] = json!({
            "by": called(&forgotten.by, forgotten.name.as_deref(), app, caller),
            "at": forgotten.at.to_rfc3339(),
        });
        if let Some(reason) = &forgotten.reason {
            entry["forgotten"]["reason"] = json!(shown_line(reason, redactor));
        }
    }
    entry
}
