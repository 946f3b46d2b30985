//! What the interface is made of.

use std::sync::{Arc, Mutex};

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use placet::gate::Gate;
use placet::time::Timestamp;

use crate::chat::ChatAgent;
use crate::cursor::CursorKey;
use crate::health::{PolicyHealth, SurfaceHealth};
use crate::stream::Seats;

/// Everything that a router needs.
pub struct HttpParts {
    /// The use cases.
    pub gate: Gate,
    /// Placet's own agent, where there is one.
    pub agent: Option<Arc<dyn ChatAgent>>,
    /// Routers of surfaces, mounted at the paths that they name themselves. They bring no fallback, and authenticate
    /// by themselves.
    pub surfaces: Vec<Router>,
    /// What `/metrics` shows; without it the address does not exist.
    pub metrics: Option<PrometheusHandle>,
    /// How the policy stands; kept true by whoever reloads it.
    pub policy: Arc<PolicyHealth>,
    /// What keeps surfaces from working; kept true by whoever asks them.
    pub surfaces_health: Arc<SurfaceHealth>,
    /// The rest.
    pub settings: HttpSettings,
}

/// Settings of the interface.
#[derive(Clone)]
pub struct HttpSettings {
    /// Hides the numbers of the record from tenants.
    pub cursor_key: CursorKey,
}

/// What handlers share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) gate: Gate,
    pub(crate) agent: Option<Arc<dyn ChatAgent>>,
    pub(crate) metrics: Option<PrometheusHandle>,
    pub(crate) policy: Arc<PolicyHealth>,
    pub(crate) surfaces: Arc<SurfaceHealth>,
    pub(crate) settings: HttpSettings,
    pub(crate) seats: Arc<Seats>,
    pub(crate) gauges_read_at: Mutex<Option<Timestamp>>,
}

impl App {
    /// The shared part, and the routers to mount.
    pub(crate) fn of(parts: HttpParts) -> (Self, Vec<Router>) {
        let shared = Shared {
            gate: parts.gate,
            agent: parts.agent,
            metrics: parts.metrics,
            policy: parts.policy,
            surfaces: parts.surfaces_health,
            settings: parts.settings,
            seats: Arc::default(),
            gauges_read_at: Mutex::new(None),
        };
        (Self(Arc::new(shared)), parts.surfaces)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.gate.clock().now()
    }
}

impl std::ops::Deref for App {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}
