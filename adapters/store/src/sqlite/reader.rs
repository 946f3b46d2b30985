//! The threads that read. In write-ahead mode they see a snapshot and never wait for the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use placet::ports::StoreError;
use rusqlite::Connection;

use crate::sqlite::connection;
use crate::sqlite::fault::unavailable;

/// Something to read.
pub(crate) type ReadJob = Box<dyn FnOnce(&Connection) + Send>;

/// How many threads read: enough that one long query holds nobody up.
const READERS: usize = 4;

/// Reads that may wait at the same time.
const QUEUE_MAX: usize = 4096;

/// The threads that read.
pub(crate) struct Readers {
    jobs: Option<SyncSender<ReadJob>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts them, each with a connection of its own.
    pub(crate) fn start(path: &Path) -> Result<Self, StoreError> {
        let (sender, receiver) = sync_channel::<ReadJob>(QUEUE_MAX);
        let receiver = Arc::new(Mutex::new(receiver));
        let mut readers = Self { jobs: Some(sender), threads: Vec::with_capacity(READERS) };
        for _ in 0..READERS {
            let connection = connection::reading(path)?;
            let receiver = Arc::clone(&receiver);
            let thread = std::thread::Builder::new()
                .name("placet-store-read".to_owned())
                .spawn(move || work(&connection, &receiver))
                .map_err(|error| unavailable(format_args!("cannot start a thread: {error}")))?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    pub(crate) fn queue(&self, job: ReadJob) -> Result<(), StoreError> {
        let Some(jobs) = &self.jobs else { return Err(unavailable("it has stopped")) };
        jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => unavailable("too many reads are waiting"),
            TrySendError::Disconnected(_) => unavailable("it has stopped"),
        })
    }
}

fn work(connection: &Connection, jobs: &Mutex<Receiver<ReadJob>>) {
    loop {
        // The lock is held only while waiting for the next job, not while it runs.
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            // A read that panics costs its own answer, and no thread: the others must still be read for.
            Ok(job) => {
                if catch_unwind(AssertUnwindSafe(|| job(connection))).is_err() {
                    tracing::error!("a read broke off with an internal error");
                }
            }
            Err(_) => return,
        }
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The last clone may be dropped by a job itself.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}
