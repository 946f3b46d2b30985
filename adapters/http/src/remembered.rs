//! `/v1/remembered` (R9, R25): which calls run without another card, because people chose so.

use axum::Json;
use axum::extract::State;
use placet::ports::RememberedQuery;
use placet::remembered::Remembered;
use serde_json::{Value, json};

use crate::credential::{Caller, Principal, ReadingMany};
use crate::parts::App;
use crate::problem::Problem;
use crate::query::Query;
use crate::stops::called;
use crate::view::shown_line;

/// `GET /v1/remembered?ended=true&limit=…`: those that stand, or the last of all, newest first. `more` says that there
/// are others.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller<ReadingMany>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    let query = query.only(&["ended", "limit"])?;
    let ended = query.parsed::<bool>("ended")?.unwrap_or(false);
    let limit = query.limit()?;
    let wanted = RememberedQuery {
        tenant: caller.tenant().clone(),
        session: None,
        standing_at: (!ended).then(|| app.now()),
        limit: limit + 1,
    };
    let found = app.gate.store().remembered(wanted).await?;
    let more = found.len() > limit as usize;
    let entries: Vec<_> = found.iter().take(limit as usize).map(|one| told(one, &app, &caller)).collect();
    Ok(Json(json!({ "remembered": entries, "more": more })))
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
        "level": one.level,
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
