//! Who asked for a call in a thread, and is told there what became of it.

use std::sync::Arc;

use super::MENTIONS_MAX;
use crate::agent::RunState;
use crate::agent::task::{Task, Thread};
use crate::gate::Gate;
use crate::notice::{Mention, Message, Recipient};
use crate::person::Identity;
use crate::policy::Place;
use crate::ports::{OutboxStep, StoreError, Surface};

impl Gate {
    /// The thread that a call was asked for in, if what became of it may be said there: it is looked up in what was kept of
    /// the task, and not in any name, and what is confidential is said nowhere that others read.
    pub(super) async fn asked_in(&self, message: &Message) -> Result<Option<Place>, StoreError> {
        let Some(request) = message.notice.request() else { return Ok(None) };
        let store = &self.parts.store;
        let approval = found(store.load(&message.tenant, request).await)?;
        let Some(approval) = approval.filter(|approval| !approval.is_confidential()) else { return Ok(None) };
        let Some(step) = &approval.proposal.run else { return Ok(None) };
        let Some(run) = found(store.load_run(&message.tenant, &step.run).await)? else { return Ok(None) };
        let Some(origin) = RunState::of(&run)?.origin else { return Ok(None) };
        let Some(row) = store.load_task(&origin).await? else { return Ok(None) };
        let Task { tenant, thread, .. } = row.state.task;
        let serves =
            |surface: &Arc<dyn Surface>| *surface.name() == thread.surface && surface.serves(&tenant);
        let is_there = tenant == message.tenant && self.parts.surfaces.iter().any(serves);
        let Thread { surface, channel, id } = thread;
        Ok(is_there.then_some(Place { surface, channel, thread: Some(id) }))
    }
}

/// What is there; what is not is none.
fn found<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::NotFound) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// One message for each of them, in place of the one that has no place of its own.
pub(super) fn each_directly(message: &Message, askers: &[Identity]) -> OutboxStep {
    let Message { tenant, notice, .. } = message;
    let directly = askers.iter().cloned().map(Recipient::Directly);
    OutboxStep::Split(directly.map(|to| Message::new(tenant.clone(), to, notice.clone())).collect())
}

/// Who asked is called back where they did.
pub(super) fn called_back(askers: &[Identity], surface: &dyn Surface) -> Vec<Mention> {
    let reached = askers.iter().filter(|account| surface.reaches(account));
    reached.take(MENTIONS_MAX).cloned().map(Mention::Account).collect()
}
