//! Whether it runs, how it does, which policy is in force, and the key that grants verify with.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{PoisonError, RwLock};

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use placet::approval::Status;
use placet::call::PolicyDigest;
use placet::policy::PolicyVersion;
use placet::ports::{HoldQuery, StoreError};
use placet::time::Timestamp;
use serde_json::{Value, json};

use crate::credential::{Caller, ReadingOne};
use crate::limits::{ALARM_SHOWN_FOR, GAUGES_EVERY};
use crate::parts::App;
use crate::problem::{Code, Problem};

/// How the policy stands, for `/readyz` and `/metrics`. Whoever reloads it keeps this true.
#[derive(Debug, Default)]
pub struct PolicyHealth(RwLock<PolicyStanding>);

/// What [`PolicyHealth`] holds. It names no tenant: those two addresses ask for no credential.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyStanding {
    /// When a policy took force last; none before the first did.
    pub loaded_at: Option<Timestamp>,
    /// What stands in the files now and is not taken; the policy before is in force.
    pub refused: Option<PolicyRefused>,
    /// Changes that wait for somebody's yes before they take force.
    pub waiting: u32,
}

/// A policy that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRefused {
    /// The hash of its text; none where no text could be read.
    pub digest: Option<PolicyDigest>,
    /// Since when.
    pub since: Timestamp,
    /// How many errors were found in it.
    pub errors_count: usize,
}

impl PolicyHealth {
    /// How it stands now.
    #[must_use]
    pub fn now(&self) -> PolicyStanding {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It stands otherwise from now on.
    pub fn change(&self, change: impl FnOnce(&mut PolicyStanding)) {
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// How a surface does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceStanding {
    /// It takes what Placet sends.
    Works,
    /// It answers, and does not take Placet: somebody has to set something right.
    Refuses,
    /// It gives no answer: the way there, or the surface itself, is down.
    Unreachable,
}

impl SurfaceStanding {
    const fn word(self) -> &'static str {
        match self {
            Self::Works => "ok",
            Self::Refuses => "refused",
            Self::Unreachable => "unreachable",
        }
    }
}

/// What keeps surfaces from working, for `/readyz` and `/metrics`. Whoever asks them keeps this true.
#[derive(Debug, Default)]
pub struct SurfaceHealth {
    standings: RwLock<BTreeMap<String, SurfaceStanding>>,
    sockets: RwLock<BTreeMap<String, usize>>,
}

impl SurfaceHealth {
    /// So many connections to a surface stand, on which it tells what people do. With none nobody's click arrives.
    pub fn set_sockets(&self, surface: &str, count: usize) {
        self.sockets.write().unwrap_or_else(PoisonError::into_inner).insert(surface.to_owned(), count);
    }

    /// The surfaces that are connected to, by name, and by how many connections.
    #[must_use]
    pub fn sockets(&self) -> BTreeMap<String, usize> {
        self.sockets.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A surface does so from now on; why is in the log, since those two addresses ask for no credential.
    pub fn set(&self, surface: &str, standing: SurfaceStanding) {
        self.standings.write().unwrap_or_else(PoisonError::into_inner).insert(surface.to_owned(), standing);
    }

    /// Those that were asked, by name, and how each does.
    #[must_use]
    pub fn now(&self) -> BTreeMap<String, SurfaceStanding> {
        self.standings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Stops that are counted: far more than stand at once.
const STOPS_COUNTED_MAX: u32 = 10_000;

/// How many stops stand.
async fn stops(app: &App) -> Result<usize, StoreError> {
    let query = HoldQuery { tenant: None, only_standing: true, before: None, limit: STOPS_COUNTED_MAX };
    Ok(app.gate.store().holds(query).await?.len())
}

/// Whether a policy in force, whoever's, only looks on at some calls.
fn looks_on(app: &App) -> bool {
    let policies = app.gate.policies();
    let mut all = policies.tenants().map(|(_, policy)| policy).chain([policies.installation()]);
    all.any(|policy| !policy.shadowing().is_off())
}

/// `GET /healthz`: the process answers.
pub(crate) async fn alive() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// `GET /readyz`: the store answers, too. A policy that is not taken makes nothing unready: the one before is in force,
/// and no server is any better off with less work. Nor does a surface that refuses Placet, or a stop: both are told.
pub(crate) async fn ready(State(app): State<App>) -> Result<Json<Value>, Problem> {
    app.gate.store().next_due().await?;
    let standing = app.policy.now();
    let policies = app.gate.policies();
    let PolicyVersion { label, digest } = policies.installation().version();
    let mut policy = json!({ "in_force": { "label": label, "digest": digest } });
    if let Some(refused) = standing.refused {
        policy["refused"] = json!({
            "digest": refused.digest,
            "since": refused.since.to_rfc3339(),
            "errors_count": refused.errors_count,
        });
    }
    if standing.waiting > 0 {
        policy["waiting_for_a_yes"] = standing.waiting.into();
    }
    if looks_on(&app) {
        policy["shadow"] = true.into();
    }
    let mut ready = json!({ "status": "ready", "policy": policy });
    let stops = stops(&app).await?;
    if stops > 0 {
        ready["stops"] = stops.into();
    }
    for (surface, standing) in app.surfaces.now() {
        ready["surfaces"][surface] = standing.word().into();
    }
    for (surface, count) in app.surfaces.sockets() {
        ready["sockets"][surface] = count.into();
    }
    Ok(Json(ready))
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
    let mut text = handle.render();
    policy(&app, &mut text);
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

/// What there is to tell of the policy, at every scrape. Written here, because what was in force before is no number any
/// more: a label that is gone must be gone.
fn policy(app: &App, text: &mut String) {
    let standing = app.policy.now();
    let policies = app.gate.policies();
    let PolicyVersion { label, digest } = policies.installation().version();
    let escaped: String =
        label.chars().flat_map(|c| matches!(c, '\\' | '"').then_some('\\').into_iter().chain([c])).collect();
    let refused = u8::from(standing.refused.is_some());
    let shadow = u8::from(looks_on(app));
    let loaded = standing.loaded_at.map(Timestamp::as_secs).unwrap_or_default();
    // Writing to a text does not fail.
    let _written = write!(
        text,
        "# HELP placet_policy_refused Whether the policy's files hold something that is not taken (1); the policy before is in force.\n\
         # TYPE placet_policy_refused gauge\nplacet_policy_refused {refused}\n\n\
         # HELP placet_policy_shadow Whether a policy only looks on at some calls, so that nobody is asked about them (1).\n\
         # TYPE placet_policy_shadow gauge\nplacet_policy_shadow {shadow}\n\n\
         # HELP placet_policy_waiting Changes of the policy that wait for somebody's yes.\n\
         # TYPE placet_policy_waiting gauge\nplacet_policy_waiting {}\n\n\
         # HELP placet_policy_loaded_timestamp_seconds When a policy took force last.\n\
         # TYPE placet_policy_loaded_timestamp_seconds gauge\nplacet_policy_loaded_timestamp_seconds {loaded}\n\n\
         # HELP placet_policy_info The installation's policy in force.\n\
         # TYPE placet_policy_info gauge\nplacet_policy_info{{label=\"{escaped}\",digest=\"{digest}\"}} 1\n",
        standing.waiting,
    );
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
    metrics::gauge!("placet_stops").set(stops(app).await? as f64);
    for (surface, standing) in app.surfaces.now() {
        let is = |other| f64::from(u8::from(standing == other));
        let (refuses, unreachable) = (is(SurfaceStanding::Refuses), is(SurfaceStanding::Unreachable));
        metrics::gauge!("placet_surface_refused", "surface" => surface.clone()).set(refuses);
        metrics::gauge!("placet_surface_unreachable", "surface" => surface).set(unreachable);
    }
    for (surface, count) in app.surfaces.sockets() {
        metrics::gauge!("placet_surface_sockets", "surface" => surface).set(count as f64);
    }
    for (alarm, count) in app.gate.store().alarms(app.now() - ALARM_SHOWN_FOR).await? {
        metrics::gauge!("placet_alarms", "alarm" => alarm.name()).set(count as f64);
    }
    Ok(())
}
