//! The one thread that writes, and its queue.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::probe::{CommitPoint, Moment, ProbeVerdict};
use crate::sqlite::batch::{Batch, run};
use crate::sqlite::fault::{of_commit, unavailable};
use crate::sqlite::lock::FileLock;
use crate::sqlite::reader::ReadJob;
use crate::sqlite::{Shared, prune};

/// Jobs that share one commit at most: a fifth of a second's work, so that nobody waits long behind others.
const BATCH_MAX: usize = 256;

/// Jobs that may wait at the same time; more means that the disk cannot keep up, and callers should know.
const QUEUE_MAX: usize = 4096;

/// What waits for the writer.
pub(crate) enum Queued {
    /// A write, which is answered after its commit.
    Write(Box<dyn Job>),
    /// A read of a database in memory, or of what only the writing connection knows.
    Read(ReadJob),
    /// Finish what is queued, and stop.
    Stop,
}

/// A job of any kind.
pub(crate) trait Job: Send {
    /// Does the work under a savepoint.
    fn run(&mut self, batch: &mut Batch<'_>);
    /// Answers, after the commit or instead of it.
    fn answer(self: Box<Self>, fate: Result<(), StoreError>);
}

/// A job and who waits for it.
pub(crate) struct Pending<T, F> {
    work: Option<F>,
    outcome: Option<Result<T, StoreError>>,
    reply: Option<oneshot::Sender<Result<T, StoreError>>>,
}

impl<T, F> Pending<T, F> {
    pub(crate) const fn new(work: F, reply: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self { work: Some(work), outcome: None, reply: Some(reply) }
    }

    fn reply(&mut self, answer: Result<T, StoreError>) {
        if let Some(reply) = self.reply.take() {
            // Nobody may wait any more; the work is done all the same.
            let _ = reply.send(answer);
        }
    }
}

impl<T, F> Drop for Pending<T, F> {
    /// A job that never ran surely wrote nothing.
    fn drop(&mut self) {
        if self.work.is_some() {
            self.reply(Err(unavailable("it has stopped")));
        }
    }
}

impl<T, F> Job for Pending<T, F>
where
    T: Send,
    F: FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send,
{
    fn run(&mut self, batch: &mut Batch<'_>) {
        if let Some(work) = self.work.take() {
            self.outcome = Some(batch.job(work));
        }
    }

    fn answer(mut self: Box<Self>, fate: Result<(), StoreError>) {
        let answer = match (fate, self.outcome.take()) {
            // What failed by itself wrote nothing, whatever became of the commit.
            (_, Some(Err(error))) => Err(error),
            (Ok(()), Some(Ok(answer))) => Ok(answer),
            (Ok(()), None) => Err(unavailable("it stopped before it began")),
            (Err(error), _) => Err(error),
        };
        self.reply(answer);
    }
}

/// The writer as its callers see it.
pub(crate) struct Writer {
    jobs: SyncSender<Queued>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the thread, which owns the connection and the lock.
    pub(crate) fn start(
        connection: Connection,
        shared: Arc<Shared>,
        lock: Option<FileLock>,
    ) -> Result<Self, StoreError> {
        let (sender, jobs) = sync_channel(QUEUE_MAX);
        let thread = std::thread::Builder::new()
            .name("placet-store-write".to_owned())
            .spawn(move || {
                Loop { connection, shared: &shared, jobs, pruned_at: None }.run();
                // Only now may somebody else open the file.
                drop(lock);
            })
            .map_err(|error| unavailable(format_args!("cannot start a thread: {error}")))?;
        Ok(Self { jobs: sender, thread: Mutex::new(Some(thread)) })
    }

    pub(crate) fn queue(&self, job: Queued) -> Result<(), StoreError> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => unavailable("too many writes are waiting"),
            TrySendError::Disconnected(_) => unavailable("it has stopped"),
        })
    }

    /// Lets it finish, and waits for that.
    pub(crate) fn stop(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A full queue is being worked off; a closed one has stopped.
            let _ = self.jobs.send(Queued::Stop);
            // The last clone may be dropped by the hint, on this very thread.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Whether the thread goes on.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Stop,
}

struct Loop<'a> {
    connection: Connection,
    shared: &'a Shared,
    jobs: Receiver<Queued>,
    pruned_at: Option<Timestamp>,
}

/// Says that the store has stopped, also when a job panics.
struct StopGuard<'a>(&'a Shared);

impl Drop for StopGuard<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Loop<'_> {
    fn run(mut self) {
        // Before the queue goes, so that whoever comes later is told so.
        let _stopped = StopGuard(self.shared);
        let mut writes = Vec::with_capacity(BATCH_MAX);
        let mut reads = Vec::new();
        let mut go = Go::On;
        while go == Go::On {
            let Ok(first) = self.jobs.recv() else { break };
            let mut next = Some(first);
            while let Some(queued) = next.take() {
                match queued {
                    Queued::Write(job) => writes.push(job),
                    Queued::Read(job) => reads.push(job),
                    Queued::Stop => {
                        go = Go::Stop;
                        break;
                    }
                }
                if writes.len() < BATCH_MAX {
                    next = self.jobs.try_recv().ok();
                }
            }
            if !writes.is_empty() && self.write(&mut writes) == Go::Stop {
                // As if the process had died: whatever else was to be done is not.
                return;
            }
            reads.drain(..).for_each(|job| job(&self.connection));
        }
        // So that the file alone holds everything, as whoever copies it now expects.
        let emptied = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        if let Err(error) = emptied {
            tracing::warn!(error = %error, "the write-ahead log could not be emptied; keep it beside the database");
        }
    }

    /// One transaction for all of these, and their answers.
    fn write(&mut self, jobs: &mut Vec<Box<dyn Job>>) -> Go {
        let shared = self.shared;
        let count = jobs.len() as u64;
        let (fate, go) = self.commit(jobs);
        if let Err(error) = &fate {
            tracing::error!(jobs = count, error = %error, "the store could not commit");
        }
        if go == Go::Stop {
            shared.stop();
        }
        for job in jobs.drain(..) {
            job.answer(fate.clone());
        }
        go
    }

    fn commit(&mut self, jobs: &mut [Box<dyn Job>]) -> (Result<(), StoreError>, Go) {
        let shared = self.shared;
        let mut batch = match Batch::begin(&self.connection, &shared.options) {
            Ok(batch) => batch,
            Err(error) => return (Err(error), Go::On),
        };
        if prune::is_due(&mut self.pruned_at, batch.now()) {
            match batch.job(prune::run) {
                Ok(true) => self.pruned_at = None,
                Ok(false) => {}
                Err(error) => tracing::warn!(error = %error, "the store could not prune what is old"),
            }
        }
        for job in jobs.iter_mut() {
            job.run(&mut batch);
            if batch.is_lost() {
                return (Err(unavailable("the transaction was rolled back; is the disk full?")), Go::On);
            }
        }
        let probe = &shared.options.probe;
        let boundaries = batch.boundaries().to_vec();
        if boundaries.is_empty() {
            // Nothing was written: every job failed, or found its answer there.
            return (run(&self.connection, "ROLLBACK"), Go::On);
        }
        if let Err(error) = batch.seal() {
            let _ = run(&self.connection, "ROLLBACK");
            return (Err(error), Go::On);
        }
        let crashed = || Err(StoreError::Unknown("the store stopped at the commit".to_owned()));
        let at = |moment| probe.at(CommitPoint { moment, boundaries: &boundaries });
        if at(Moment::Before) == ProbeVerdict::Crash {
            let _ = run(&self.connection, "ROLLBACK");
            return (crashed(), Go::Stop);
        }
        let committed =
            self.connection.prepare_cached("COMMIT").and_then(|mut statement| statement.execute([]));
        // Also where it is not known whether it was committed.
        shared.forget(&boundaries);
        if let Err(error) = committed {
            if !self.connection.is_autocommit() {
                let _ = run(&self.connection, "ROLLBACK");
            }
            return (Err(of_commit(&error)), Go::On);
        }
        shared.committed(jobs.len() as u64);
        if at(Moment::After) == ProbeVerdict::Crash {
            return (crashed(), Go::Stop);
        }
        shared.tell(&batch.into_hint());
        (Ok(()), Go::On)
    }
}
