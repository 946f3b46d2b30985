//! One transaction with the jobs of a batch, each under a savepoint of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use placet::id::{RequestId, SessionId, TenantId};
use placet::notice::Message;
use placet::ports::StoreError;
use placet::record::{Event, Seq};
use placet::time::Timestamp;
use rusqlite::Connection;

use crate::options::{Hint, Options};
use crate::sqlite::fault::{Meaning, unavailable};
use crate::sqlite::table;

/// The transaction as a job sees it.
pub(crate) struct Batch<'a> {
    pub(crate) connection: &'a Connection,
    options: &'a Options,
    /// The last event's number, before this batch and now; read when the first event comes.
    head: Option<(u64, u64)>,
    hint: Hint,
    boundaries: Vec<&'static str>,
}

/// What a job that fails goes back to.
#[derive(Clone, Copy)]
struct Mark {
    head: Option<(u64, u64)>,
    requests: usize,
    sessions: usize,
    boundaries: usize,
    work: bool,
}

impl<'a> Batch<'a> {
    /// Begins the transaction; as the only writer or not, nobody else writes until it ends.
    pub(crate) fn begin(connection: &'a Connection, options: &'a Options) -> Result<Self, StoreError> {
        run(connection, "BEGIN IMMEDIATE")?;
        Ok(Self { connection, options, head: None, hint: Hint::default(), boundaries: Vec::new() })
    }

    /// Runs one job whole or not at all.
    pub(crate) fn job<T>(
        &mut self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mark = Mark {
            head: self.head,
            requests: self.hint.requests.len(),
            sessions: self.hint.sessions.len(),
            boundaries: self.boundaries.len(),
            work: self.hint.work,
        };
        run(self.connection, "SAVEPOINT job")?;
        // A fault of the program in one job is that job's: the others and the store go on.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|_| {
            tracing::error!("a job of the store panicked; nothing of it was written");
            Err(unavailable("a fault in the program; nothing was written"))
        });
        match outcome {
            Ok(answer) => {
                run(self.connection, "RELEASE job")?;
                Ok(answer)
            }
            Err(error) => {
                // A full disk ends the whole transaction; the caller looks at `is_lost` next.
                if !self.is_lost() {
                    run(self.connection, "ROLLBACK TO job")?;
                    run(self.connection, "RELEASE job")?;
                }
                self.head = mark.head;
                self.hint.requests.truncate(mark.requests);
                self.hint.sessions.truncate(mark.sessions);
                self.boundaries.truncate(mark.boundaries);
                self.hint.work = mark.work;
                Err(error)
            }
        }
    }

    /// Whether SQLite has rolled the transaction back by itself.
    pub(crate) fn is_lost(&self) -> bool {
        self.connection.is_autocommit()
    }

    /// Writes what belongs to the batch as a whole, and gives what the commit holds.
    pub(crate) fn seal(&mut self) -> Result<(), StoreError> {
        if let Some((before, now)) = self.head.filter(|(before, now)| before != now) {
            table::event::set_head(self.connection, before, now)?;
            self.hint.head = Some(Seq(now));
        }
        Ok(())
    }

    /// What the commit holds.
    pub(crate) fn boundaries(&self) -> &[&'static str] {
        &self.boundaries
    }

    /// What the commit changed.
    pub(crate) fn into_hint(self) -> Hint {
        self.hint
    }

    /// The time, read inside the transaction.
    pub(crate) fn now(&self) -> Timestamp {
        self.options.clock.now()
    }

    /// Says that a write of this kind is in it.
    pub(crate) fn wrote(&mut self, boundary: &'static str) {
        self.boundaries.push(boundary);
    }

    /// Says that a request was changed.
    pub(crate) fn changed(&mut self, tenant: &TenantId, request: RequestId) {
        self.hint.requests.push((tenant.clone(), request));
    }

    /// Says that a session has new events.
    pub(crate) fn told(&mut self, tenant: &TenantId, session: &SessionId) {
        self.hint.sessions.push((tenant.clone(), session.clone()));
    }

    /// Says that the worker has something to do.
    pub(crate) const fn work(&mut self) {
        self.hint.work = true;
    }

    /// Seals events and appends them to the record, in order.
    pub(crate) fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        if events.is_empty() {
            return Ok(());
        }
        let (before, mut seq) = match self.head {
            Some(head) => head,
            None => {
                let head = table::event::head(self.connection)?;
                (head, head)
            }
        };
        for event in events {
            seq += 1;
            table::event::insert(self.connection, seq, event, &*self.options.entropy)?;
            table::account::insert(self.connection, event)?;
        }
        self.head = Some((before, seq));
        Ok(())
    }

    /// Puts one-off messages into the outbox.
    pub(crate) fn send(&mut self, messages: &[Message], now: Timestamp) -> Result<(), StoreError> {
        for message in messages {
            table::outbox::insert(self.connection, message, now)?;
            self.work();
        }
        Ok(())
    }
}

/// Runs a statement without parameters.
pub(crate) fn run(connection: &Connection, sql: &'static str) -> Result<(), StoreError> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.execute([])).map(|_| ()).on("database")
}
