//! Wake-ups: hints after a commit, never the truth. Whoever waits registers, reads, then sleeps, and reads again
//! every [`REREAD_EVERY`] whatever happens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use event_listener::{Event, EventListener};

use crate::id::RequestId;
use crate::time::Ttl;

/// How long a lost hint can go unnoticed.
pub const REREAD_EVERY: Ttl = Ttl::from_secs(5);

/// At every so many entries those that nobody waits on are dropped.
const SWEEP_AT: usize = 256;

/// The in-process registry of who waits for what.
#[derive(Debug, Default)]
pub struct Wakes {
    requests: Mutex<HashMap<RequestId, Arc<Event>>>,
    worker: Event,
    record: Event,
}

impl Wakes {
    /// A registry in which nobody waits.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// These requests changed, and the record may have grown.
    pub fn changed(&self, requests: impl IntoIterator<Item = RequestId>) {
        let mut waiting = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for request in requests {
            if let Some(event) = waiting.remove(&request) {
                event.notify(usize::MAX);
            }
        }
        drop(waiting);
        self.record.notify(usize::MAX);
        self.worker.notify(usize::MAX);
    }

    /// Somebody else has changed something, and it is not known what.
    pub fn all(&self) {
        let waiting = std::mem::take(&mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner));
        for event in waiting.values() {
            event.notify(usize::MAX);
        }
        self.record.notify(usize::MAX);
        self.worker.notify(usize::MAX);
    }

    /// There is something for the worker.
    pub fn work(&self) {
        self.worker.notify(usize::MAX);
    }

    /// Registers for the next change of a request. Read after this, then wait.
    #[must_use]
    pub fn request(&self, request: RequestId) -> EventListener {
        let mut waiting = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // Entries go when they are notified. Those whose waiters left go here, once in a while.
        if waiting.len() >= SWEEP_AT && waiting.len().is_multiple_of(SWEEP_AT) {
            waiting.retain(|_, event| event.total_listeners() > 0);
        }
        Arc::clone(waiting.entry(request).or_default()).listen()
    }

    /// For how many requests somebody waits, or did and left.
    #[must_use]
    pub fn waited_on(&self) -> usize {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Registers for the next growth of the record.
    #[must_use]
    pub fn record(&self) -> EventListener {
        self.record.listen()
    }

    /// Registers for work.
    #[must_use]
    pub fn for_worker(&self) -> EventListener {
        self.worker.listen()
    }
}
