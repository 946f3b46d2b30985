//! `/v1/policy` (R14, R20): the policy in force, what was not taken since, and the text of any that ever was.
//!
//! A policy holds no secrets, so that its text is told as it is. Digests are read from the caller's own record: another
//! tenant's policy is none.

use axum::Json;
use axum::extract::{Path, State};
use placet::approval::Status;
use placet::call::PolicyDigest;
use placet::id::TenantId;
use placet::policy::Diagnostic;
use placet::ports::{EventQuery, RequestQuery};
use placet::record::{Event, EventKind, Seq};
use serde_json::{Value, json};

use crate::credential::{Caller, ReadingPolicy};
use crate::limits::{PAGE_READ_AT_ONCE, TRACE_READ_AT_ONCE, WAITING_LOOKED_AT_MAX};
use crate::parts::App;
use crate::problem::Problem;
use crate::query::Query;
use crate::view;

/// `GET /v1/policy`.
pub(crate) async fn in_force(
    State(app): State<App>,
    caller: Caller<ReadingPolicy>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let policy = app.gate.policy_of(caller.tenant());
    let version = policy.version();
    let warnings: Vec<_> = policy.warnings().iter().map(warning).collect();
    let mut answer = json!({
        "label": version.label,
        "digest": version.digest,
        "text": policy.text(),
        "warnings": warnings,
    });
    let mut refused = None;
    each_version(&app, caller.tenant(), &["policy.loaded", "policy.refused"], |event| {
        match &event.kind {
            EventKind::PolicyLoaded { digest, by, changes, .. } => {
                refused = None;
                if *digest == version.digest {
                    answer["since"] = json!(event.at.to_rfc3339());
                    answer["by"] = json!(by);
                    answer["changes"] = json!(changes);
                }
            }
            EventKind::PolicyRefused { digest, errors, .. } => {
                refused = Some(json!({ "digest": digest, "errors": errors, "at": event.at.to_rfc3339() }));
            }
            _ => {}
        }
        None::<()>
    })
    .await?;
    if let Some(refused) = refused {
        answer["refused"] = refused;
    }
    let waits = changes_that_wait(&app, caller.tenant()).await?;
    if !waits.is_empty() {
        answer["waits"] = json!(waits);
    }
    Ok(Json(answer))
}

/// Changes of the policy that wait for the yes of somebody in this tenant (R54): requests like any other.
async fn changes_that_wait(app: &App, tenant: &TenantId) -> Result<Vec<Value>, Problem> {
    let mut wanted = RequestQuery {
        tenant: Some(tenant.clone()),
        statuses: vec![Status::WaitingApproval],
        limit: PAGE_READ_AT_ONCE,
        ..RequestQuery::default()
    };
    let (mut changes, mut looked_at) = (Vec::new(), 0);
    while looked_at < WAITING_LOOKED_AT_MAX {
        let page = app.gate.store().list(wanted.clone()).await?;
        let changed = page.iter().filter(|approval| approval.proposal.call.is_policy_change());
        changes.extend(changed.map(|approval| view::line(approval, &app.gate)));
        wanted.before = page.last().map(|last| last.id);
        looked_at += page.len();
        if page.len() < PAGE_READ_AT_ONCE as usize {
            break;
        }
    }
    Ok(changes)
}

fn warning(found: &Diagnostic) -> Value {
    json!({
        "file": found.file,
        "line": found.line,
        "column": found.column,
        "message": found.message,
        "help": found.help,
    })
}

/// `GET /v1/policy/{digest}`.
pub(crate) async fn of_digest(
    State(app): State<App>,
    caller: Caller<ReadingPolicy>,
    (Path(digest), query): (Path<String>, Query),
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let wanted: PolicyDigest = digest.parse().map_err(|_| Problem::no_such_policy())?;
    let found = each_version(&app, caller.tenant(), &["policy.loaded"], |event| match event.kind {
        EventKind::PolicyLoaded { label, digest, text, tenant_text, by, changes } if digest == wanted => {
            let mut version = json!({
                "label": label,
                "digest": digest,
                "text": text,
                "since": event.at.to_rfc3339(),
                "by": by,
                "changes": changes,
            });
            if let Some(own) = tenant_text {
                version["tenant_text"] = json!(own);
            }
            Some(version)
        }
        _ => None,
    });
    found.await?.map(Json).ok_or_else(Problem::no_such_policy)
}

/// Looks at the tenant's events of these types in their order, until one is what was looked for.
async fn each_version<T>(
    app: &App,
    tenant: &TenantId,
    types: &[&'static str],
    mut look: impl FnMut(Event) -> Option<T>,
) -> Result<Option<T>, Problem> {
    let mut after = Seq(0);
    loop {
        let query = EventQuery {
            tenant: Some(tenant.clone()),
            request: None,
            after,
            types: types.to_vec(),
            limit: TRACE_READ_AT_ONCE,
        };
        let events = app.gate.store().events(query).await?;
        let last = events.len() < TRACE_READ_AT_ONCE as usize;
        for (seq, event) in events {
            after = seq;
            if let Some(found) = look(event) {
                return Ok(Some(found));
            }
        }
        if last {
            return Ok(None);
        }
    }
}
