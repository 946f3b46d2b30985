//! Whether it runs, how it does, and the key that grants verify with.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use placet::approval::Status;
use placet::ports::StoreError;
use serde_json::{Value, json};

use crate::credential::{Caller, ReadingOne};
use crate::limits::{ALARM_SHOWN_FOR, GAUGES_EVERY};
use crate::parts::App;
use crate::problem::{Code, Problem};

/// `GET /healthz`: the process answers.
pub(crate) async fn alive() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// `GET /readyz`: the store answers, too.
pub(crate) async fn ready(State(app): State<App>) -> Result<Json<Value>, Problem> {
    app.gate.store().next_due().await?;
    Ok(Json(json!({ "status": "ready" })))
}

/// `GET /v1/grant-key`: what an executor needs to check grants offline.
pub(crate) async fn grant_key(
    State(app): State<App>,
    _caller: Caller<ReadingOne>,
) -> Result<Json<Value>, Problem> {
    match app.gate.grant_key() {
        Some((key, epoch)) => {
            Ok(Json(json!({ "algorithm": "Ed25519", "key": STANDARD.encode(key), "epoch": epoch })))
        }
        None => Err(Problem::new(
            Code::NoGrantKey,
            "this installation signs no grants; a claim's answer is the only right to run a call",
        )),
    }
}

/// `GET /metrics`: Prometheus text. It tells numbers of the whole installation, by no tenant: let the scraper alone
/// reach it.
pub(crate) async fn metrics(State(app): State<App>) -> Result<Response, Problem> {
    let Some(handle) = &app.metrics else {
        return Err(Problem::new(Code::RouteNotFound, "metrics are not turned on here"));
    };
    if is_due(&app) {
        gauges(&app).await?;
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], handle.render())
        .into_response())
}

fn is_due(app: &App) -> bool {
    let now = app.now();
    let mut read_at = app.gauges_read_at.lock().unwrap_or_else(PoisonError::into_inner);
    let due = read_at.is_none_or(|last| now.since(last) >= GAUGES_EVERY);
    if due {
        *read_at = Some(now);
    }
    due
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
async fn gauges(app: &App) -> Result<(), StoreError> {
    let counts: BTreeMap<&str, u64> =
        app.gate.store().counts().await?.into_iter().map(|(status, count)| (status.name(), count)).collect();
    for status in Status::ALL {
        let count = counts.get(status.name()).copied().unwrap_or(0);
        metrics::gauge!("placet_requests", "status" => status.name()).set(count as f64);
    }
    for (alarm, count) in app.gate.store().alarms(app.now() - ALARM_SHOWN_FOR).await? {
        metrics::gauge!("placet_alarms", "alarm" => alarm.name()).set(count as f64);
    }
    Ok(())
}
