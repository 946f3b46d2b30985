//! Hints that a session has new events: never the truth. Whoever follows a session registers, reads, then sleeps,
//! and reads again now and then whatever happens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use event_listener::{Event, EventListener};

use crate::id::{SessionId, TenantId};

/// Who waits for which session's events.
#[derive(Debug, Default)]
pub(super) struct Hints(Mutex<HashMap<(TenantId, SessionId), Arc<Event>>>);

impl Hints {
    /// Registers for the next events of a session. Read after this, then wait.
    pub(super) fn session(&self, tenant: &TenantId, session: &SessionId) -> EventListener {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Entries go when they are notified; those of readers who left are few and go with the session's next event.
        Arc::clone(waiting.entry((tenant.clone(), session.clone())).or_default()).listen()
    }

    /// There are new events.
    pub(super) fn changed(&self, tenant: &TenantId, session: &SessionId) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(event) = waiting.remove(&(tenant.clone(), session.clone())) {
            event.notify(usize::MAX);
        }
    }
}
