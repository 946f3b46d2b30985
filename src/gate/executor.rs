//! Placet's own executor: it runs tools in process, and refuses by itself what was not approved.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::future::{Either, FutureExt as _, select};
use serde_json::Value;

use crate::approval::state::RESULT_BYTES_MAX;
use crate::approval::{Outcome, OutcomeKind, Refusal};
use crate::gate::{ClaimError, Gate, Permit, PresentedCall, Receipt};
use crate::id::{RequestId, TenantId, ToolName};
use crate::ports::{StoreError, Tool, ToolResult, ToolSpec};
use crate::time::{Timestamp, Ttl};

/// How often a report is tried when the store does not answer, one lease-third apart; then the lease lapses, and the
/// outcome is unknown.
const REPORT_TRIES: u32 = 3;

/// Runs tools, each on a permit.
#[derive(Clone)]
pub struct Executor {
    gate: Gate,
    tools: Arc<BTreeMap<ToolName, Arc<dyn Tool>>>,
}

/// What running a call came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Executed {
    /// The tool ran, and this is what it returned.
    Ran(ToolResult),
    /// The gate did not let it: the tool's code did not run.
    Denied(Refusal),
}

impl Executor {
    /// An executor of these tools.
    #[must_use]
    pub fn new(gate: Gate, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let tools = tools.into_iter().map(|tool| (tool.spec().name, tool)).collect();
        Self { gate, tools: Arc::new(tools) }
    }

    /// The gate it asks.
    #[must_use]
    pub const fn gate(&self) -> &Gate {
        &self.gate
    }

    /// What models are told of the tools.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.values().map(|tool| tool.spec()).collect()
    }

    /// A tool by its name.
    #[must_use]
    pub fn tool(&self, name: &ToolName) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// Claims and runs, whatever route the call took here: without a matching, unexpired, unspent approval it is
    /// denied.
    ///
    /// # Errors
    /// [`StoreError`]; the call was not started then, or its outcome will be known as unknown.
    pub async fn execute(
        &self,
        tenant: &TenantId,
        id: RequestId,
        presented: PresentedCall,
    ) -> Result<Executed, StoreError> {
        match self.gate.claim_here(tenant, id, presented).await {
            Ok(permit) => self.run(permit).await.map(Executed::Ran),
            Err(ClaimError::Refused(refusal)) => Ok(Executed::Denied(refusal)),
            Err(ClaimError::Store(fault)) => Err(fault),
        }
    }

    /// Runs what a permit allows, keeps the lease meanwhile, and reports.
    ///
    /// # Errors
    /// [`StoreError`] if the report could not be kept; what is known of the outcome then is that it is unknown.
    pub async fn run(&self, permit: Permit) -> Result<ToolResult, StoreError> {
        let receipt = permit.receipt();
        let started = self.gate.clock().now();
        let result = match permit.start(started) {
            Err(over) => return Err(StoreError::Unavailable(over.to_string())),
            Ok(running) => match self.tools.get(&running.call().tool) {
                None => ToolResult::Failed(format!("there is no tool named {}", running.call().tool)),
                Some(tool) => {
                    let work = AssertUnwindSafe(tool.run(running)).catch_unwind();
                    let work = work.map(|ended| {
                        ended.unwrap_or_else(|_| {
                            ToolResult::Failed("the tool broke off with an internal error".into())
                        })
                    });
                    self.keep_alive(&receipt, work).await
                }
            },
        };
        self.report(&receipt, outcome_of(&result, started, self.gate.clock().now())).await?;
        Ok(result)
    }

    /// Beats while the work goes on; a wish to stop ends it, with an outcome that nobody knows.
    async fn keep_alive(&self, receipt: &Receipt, work: impl Future<Output = ToolResult>) -> ToolResult {
        let mut work = Box::pin(work);
        let clock = Arc::clone(self.gate.clock());
        let third = Ttl::from_millis(self.gate.parts.settings.lease.as_millis() / 3);
        loop {
            let next = clock.now() + third;
            let pause = clock.sleep_until(next);
            work = match select(work, pause).await {
                Either::Left((result, _)) => return result,
                Either::Right(((), going_on)) => going_on,
            };
            match self.gate.heartbeat(receipt).await {
                Ok(beat) if beat.stop => {
                    return ToolResult::Unknown(
                        "somebody asked for it to stop while it was running".to_owned(),
                    );
                }
                // A beat that is lost is made up for by the next; a lease that is lost shows at the report.
                Ok(_) | Err(_) => {}
            }
        }
    }

    async fn report(&self, receipt: &Receipt, outcome: Outcome) -> Result<(), StoreError> {
        let clock = self.gate.clock();
        let third = Ttl::from_millis(self.gate.parts.settings.lease.as_millis() / 3);
        let mut tries = 0;
        loop {
            tries += 1;
            match self.gate.finish(receipt, outcome.clone()).await {
                Ok(_) => return Ok(()),
                Err(ClaimError::Refused(refusal)) => {
                    tracing::error!(approval.id = %receipt.request, refusal = refusal.code(), "a report was refused");
                    return Err(StoreError::Unavailable(format!(
                        "the report was refused: {}",
                        refusal.code()
                    )));
                }
                Err(ClaimError::Store(fault)) if tries >= REPORT_TRIES => return Err(fault),
                Err(ClaimError::Store(_)) => clock.sleep_until(clock.now() + third).await,
            }
        }
    }
}

fn outcome_of(result: &ToolResult, started: Timestamp, ended: Timestamp) -> Outcome {
    let duration_ms = Some(ended.since(started).as_millis());
    let outcome = |kind, result, error| Outcome { kind, result, error, duration_ms };
    match result {
        ToolResult::Done(value) => outcome(OutcomeKind::Succeeded, Some(bounded(value)), None),
        ToolResult::Failed(error) => outcome(OutcomeKind::Failed, None, Some(error.clone())),
        ToolResult::Unknown(error) => outcome(OutcomeKind::Unknown, None, Some(error.clone())),
    }
}

/// The result as JSON text, cut with a word about it where it is too long to keep.
fn bounded(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= RESULT_BYTES_MAX {
        return text;
    }
    let mut end = RESULT_BYTES_MAX / 2;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = format!("{}… ({} bytes in all; the rest was not kept)", &text[..end], text.len());
    Value::String(cut).to_string()
}
