//! What the domain needs from outside: a store, surfaces, a directory, models and tools. Adapters implement these.

pub mod audit;
pub mod digest;
pub mod schemas;
pub mod store;
pub mod surface;
pub mod tasks;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::gate::permit::Running;
use crate::id::ToolName;

pub use crate::id::Entropy;
pub use crate::time::Clock;
pub use audit::{AuditPage, AuditQuery, AuditStore, UnaskedCount, UnaskedQuery};
pub use digest::{DigestRow, DigestStore};
pub use schemas::{Mismatch, NoSchemas, Schemas};
pub use store::{
    AgentStore, CardStore, CredentialRow, CredentialStore, EventQuery, HoldQuery, HoldStore, InboxStore,
    Lately, OutboxRow, OutboxStep, OutboxStore, RecentQuery, RecentStore, RememberedQuery, RememberedStore,
    RequestQuery, RequestStore, RunRow, Scope, SessionEvent, Store, StoreError,
};
pub use surface::{Account, Directory, Members, OnCall, Surface, SurfaceError, Telling};
pub use tasks::{TaskStore, ThreadSurface};

/// A tool that can run in process. It cannot be called without a [`Running`], and only a claim yields one.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What the model is told of it; never the risk.
    fn spec(&self) -> ToolSpec;

    /// Runs once, with exactly the arguments that the permit owns.
    async fn run(&self, running: Running) -> ToolResult;

    /// What would change, for the card: made before anything runs, from arguments that may still be refused.
    async fn preview(&self, _args: &crate::call::CanonicalArgs) -> Option<ToolPreview> {
        None
    }
}

/// A tool's name, description and schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// What a tool would change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolPreview {
    /// In words or as a diff.
    pub text: String,
    /// Digests of what it was made from, which the tool checks again before it acts.
    pub preconditions: std::collections::BTreeMap<String, crate::call::ContentHash>,
}

/// What a tool returned: data, also when it failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolResult {
    /// It did what it was asked.
    Done(Value),
    /// It did not; what went wrong, for the model to read.
    Failed(String),
    /// Nobody knows whether it did: a connection broke, say.
    Unknown(String),
}

/// What hears a model while it speaks.
pub type Deltas<'a> = dyn FnMut(&str) + Send + 'a;

/// A model that an agent thinks with.
#[async_trait]
pub trait Model: Send + Sync {
    /// One turn: what it says and which tools it wants called, given the conversation so far. Text is also handed to
    /// `deltas` as it comes.
    ///
    /// # Errors
    /// [`ModelError`] if no turn could be had.
    async fn turn(&self, ask: &ModelAsk<'_>, deltas: &mut Deltas<'_>) -> Result<ModelTurn, ModelError>;
}

/// What a model is asked.
#[derive(Debug, Clone)]
pub struct ModelAsk<'a> {
    /// The conversation so far.
    pub transcript: &'a [crate::agent::transcript::Entry],
    /// The tools it may want.
    pub tools: &'a [ToolSpec],
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelTurn {
    /// What it says.
    pub text: String,
    /// The calls it wants; none means that it is done.
    pub calls: Vec<ModelCall>,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

/// A call that a model wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The model's id for it, or one made for it; unique within the run.
    pub id: crate::id::StepId,
    /// The tool's name, as the model wrote it; it need not exist.
    pub name: String,
    /// The arguments as the model wrote them: JSON, if it got that right.
    pub args: String,
    /// Why it wants that, where it says so.
    pub reason: String,
}

/// Why no turn could be had.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It can be tried again.
    #[error("the model is not available: {0}")]
    Unavailable(String),
    /// It cannot.
    #[error("the model refused the request: {0}")]
    Refused(String),
}
