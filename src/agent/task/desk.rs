//! Working on tasks: one after the other in each thread, several threads at once.
//!
//! What always holds: a task is worked on by the process that holds it, and by another only once that one no longer says
//! that it does; what comes first in a thread is in the store, so that it is the same for every process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use event_listener::Event;
use futures::future::{BoxFuture, Either, select};

use crate::agent::task::{BegunRun, NotBegun, Over, Task, TaskLease, TaskRow, ThreadSaid};
use crate::agent::{Agent, StartError};
use crate::approval::Requester;
use crate::gate::Gate;
use crate::gate::wake::REREAD_EVERY;
use crate::id::{DeliveryKey, WorkerId};
use crate::person::{Identity, NoStanding, Standing};
use crate::ports::{RunRow, StoreError, ThreadSurface};
use crate::time::{Timestamp, Ttl};

/// Unfinished tasks that one person may have: each costs what a model costs, and holds a worker.
pub const TASKS_PER_PERSON_MAX: usize = 3;

/// Unfinished tasks that one thread may have: they are worked on one after the other, and who asks last waits longest.
pub const TASKS_PER_THREAD_MAX: usize = 5;

/// Unfinished tasks of one surface that are taken up at once; what is left of them, with the next look.
const ADOPTED_MAX: u32 = 1000;

/// Unfinished tasks of one surface that are looked through for those that come first: far more than people can give.
const OPEN_MAX: u32 = 10_000;

/// At so many parts of its length a lease is renewed: two renewals may fail.
const LEASE_PARTS: u64 = 3;

/// The pause after which a task is gone on with that the store has failed. It is tried without end: the task is on disk, and
/// without a store nothing else goes on either.
const STORE_PAUSE: Ttl = Ttl::from_secs(5);

/// How long the same account is not told again that it can ask for nothing.
const TOLD_FOR: Ttl = Ttl::from_secs(60);

/// Accounts that are remembered for that.
const TOLD_MAX: usize = 4096;

/// What works beside whoever hands a task in.
pub trait Background: Send + Sync {
    /// Works on something until it is done, or the application ends.
    fn spawn(&self, work: BoxFuture<'static, ()>);

    /// Works on a run to its end, unless it is worked on here already.
    fn work_on(&self, run: RunRow);
}

/// What a desk for tasks is made of.
pub struct TaskParts {
    /// The gate.
    pub gate: Gate,
    /// The agent; none where none works for this surface's tenant.
    pub agent: Option<Agent>,
    /// Where they are answered.
    pub surface: Arc<dyn ThreadSurface>,
    /// What works beside.
    pub background: Arc<dyn Background>,
    /// How long this process holds a task without saying that it still works on it. [`TaskDesk::renew`] must be
    /// called several times within it, where there are others.
    pub lease: Ttl,
}

/// Takes tasks that are given on one surface, and sees to it that each is answered.
pub struct TaskDesk {
    pub(super) parts: TaskParts,
    /// As whom this process holds its tasks.
    worker: WorkerId,
    /// Those that are worked on here, or wait here for their turn.
    here: Arc<Mutex<HashSet<DeliveryKey>>>,
    /// When the leases were renewed last.
    renewed_at: Mutex<Timestamp>,
    /// A task is answered, here or elsewhere, so that it may be another's turn.
    moved: Event,
    told: Mutex<HashMap<Identity, Timestamp>>,
}

/// A task that is worked on here, until this is dropped.
struct Here(Arc<Mutex<HashSet<DeliveryKey>>>, DeliveryKey);

impl Drop for Here {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

/// Why a task is left as it stands.
pub(super) enum Left {
    /// Somebody else works on it.
    Moved,
    Store(StoreError),
}

impl From<StoreError> for Left {
    fn from(fault: StoreError) -> Self {
        match fault {
            StoreError::RunMoved => Self::Moved,
            fault => Self::Store(fault),
        }
    }
}

impl TaskDesk {
    /// With nothing to do yet.
    #[must_use]
    pub fn new(parts: TaskParts) -> Arc<Self> {
        let now = parts.gate.clock().now();
        Arc::new(Self {
            worker: WorkerId::mint(now, &**parts.gate.entropy()),
            parts,
            here: Arc::default(),
            renewed_at: Mutex::new(now),
            moved: Event::new(),
            told: Mutex::default(),
        })
    }

    /// Takes a task: durable when this returns. False if it came before.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be kept: the surface must deliver it again.
    pub async fn take(self: &Arc<Self>, task: Task) -> Result<bool, StoreError> {
        let Some(row) = self.parts.gate.store().take_task(task, self.leased()).await? else {
            return Ok(false);
        };
        self.work_on(row);
        Ok(true)
    }

    /// Goes on with what nobody works on any more: at the start with what the last process left, and with what other
    /// processes leave, again and again. Gives how many tasks.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn adopt(self: &Arc<Self>) -> Result<usize, StoreError> {
        let name = self.parts.surface.name();
        let rows = self.parts.gate.store().adopt_tasks(name, self.leased(), ADOPTED_MAX).await?;
        let count = rows.len();
        for row in rows {
            tracing::info!(task.key = %row.state.task.delivery, "a task is taken up that nobody works on any more");
            self.work_on(row);
        }
        Ok(count)
    }

    /// Says, when it is time to, that this process still works on what it holds.
    ///
    /// # Errors
    /// [`StoreError`]; the leases may be over then.
    pub async fn renew(&self) -> Result<(), StoreError> {
        let lease = self.leased();
        let now = self.parts.gate.clock().now();
        let part = Ttl::from_millis(self.parts.lease.as_millis() / LEASE_PARTS);
        let is_time = |at: &mut Timestamp| now.since(*at) >= part;
        if !is_time(&mut self.renewed_at.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        let here =
            self.here.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect::<Vec<_>>();
        if !here.is_empty() {
            self.parts.gate.store().renew_tasks(here, lease).await?;
        }
        *self.renewed_at.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Ok(())
    }

    /// Lets go of everything, so that another process takes it up at once. For a process that ends, and works on nothing
    /// any more.
    ///
    /// # Errors
    /// [`StoreError`]; the leases have to be waited out then.
    pub async fn let_go(&self) -> Result<(), StoreError> {
        self.parts.gate.store().let_go_of_tasks(self.worker).await
    }

    /// Passes on a hint that a task may have been answered elsewhere.
    pub fn hint(&self) {
        self.moved.notify(usize::MAX);
    }

    fn leased(&self) -> TaskLease {
        TaskLease { by: self.worker, until: self.parts.gate.clock().now() + self.parts.lease }
    }

    fn work_on(self: &Arc<Self>, row: TaskRow) {
        let key = row.state.task.delivery.clone();
        self.here.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        let here = Here(Arc::clone(&self.here), key);
        let desk = Arc::clone(self);
        let work = async move {
            desk.see_to(row).await;
            drop(here);
            desk.hint();
        };
        self.parts.background.spawn(Box::pin(work));
    }

    /// Sees to it that a task is answered, also when the store does not answer for a while.
    async fn see_to(&self, mut row: TaskRow) {
        let clock = self.parts.gate.clock();
        loop {
            let fault = match self.answer(&mut row).await {
                Ok(()) => return,
                Err(Left::Moved) => {
                    tracing::info!(task.key = %row.state.task.delivery, "a task is left to who works on it now");
                    return;
                }
                Err(Left::Store(fault)) => fault,
            };
            if !matches!(fault, StoreError::Unavailable(_) | StoreError::Unknown(_)) {
                tracing::error!(task.key = %row.state.task.delivery, error = %fault, "a task cannot be gone on with");
                return;
            }
            tracing::warn!(task.key = %row.state.task.delivery, error = %fault, "a task is gone on with later");
            clock.sleep_until(clock.now() + STORE_PAUSE).await;
        }
    }

    pub(super) async fn save(&self, row: &mut TaskRow) -> Result<(), Left> {
        self.parts.gate.store().save_task(row.clone()).await?;
        row.version += 1;
        Ok(())
    }

    pub(super) async fn done(&self, row: &mut TaskRow) -> Result<(), Left> {
        row.state.done = true;
        self.save(row).await
    }

    /// Says why it is not begun, and is done with it. An account that can ask for nothing is told once a minute.
    async fn refuse(&self, row: &mut TaskRow, why: NotBegun) -> Result<(), Left> {
        let stays = matches!(&why, NotBegun::NoStanding(_) | NotBegun::NoRole | NotBegun::TooManyOfPerson);
        if !stays || self.tells(&row.state.task.by) {
            self.show(row, &ThreadSaid::NotBegun(why)).await?;
        }
        self.done(row).await
    }

    fn tells(&self, by: &Identity) -> bool {
        let now = self.parts.gate.clock().now();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, at| now.since(*at) < TOLD_FOR);
        told.len() < TOLD_MAX && told.insert(by.clone(), now).is_none()
    }

    async fn answer(&self, row: &mut TaskRow) -> Result<(), Left> {
        if let Some(begun) = &row.state.begun {
            // Whoever holds the task works on its run.
            let run = self.parts.gate.store().load_run(&row.state.task.tenant, &begun.run).await?;
            if !run.finished && self.parts.agent.is_some() {
                self.parts.background.work_on(run);
            }
        } else {
            if let Some(why) = self.too_many(row).await? {
                return self.refuse(row, why).await;
            }
            self.turn_of(row).await?;
            // What was taken up by another meanwhile is not begun here.
            self.save(row).await?;
            match self.begin(&row.state.task).await? {
                Ok(begun) => {
                    row.state.begun = Some(begun);
                    self.save(row).await?;
                }
                Err(why) => return self.refuse(row, why).await,
            }
        }
        let (Some(agent), Some(begun)) = (&self.parts.agent, row.state.begun.clone()) else {
            // The agent was taken out of the settings meanwhile.
            return self.refuse(row, NotBegun::NoAgent).await;
        };
        match row.state.task.thread.session() {
            Ok(session) => self.follow(row, (agent, &session), begun).await,
            Err(_) => self.done(row).await,
        }
    }

    /// Why a task is one too many, if it is.
    async fn too_many(&self, row: &TaskRow) -> Result<Option<NotBegun>, Left> {
        let earlier = self.earlier(row).await?;
        let of_person = earlier.iter().filter(|task| task.by == row.state.task.by).count();
        let in_thread = earlier.iter().filter(|task| task.thread == row.state.task.thread).count();
        Ok(if of_person >= TASKS_PER_PERSON_MAX {
            Some(NotBegun::TooManyOfPerson)
        } else if in_thread >= TASKS_PER_THREAD_MAX {
            Some(NotBegun::TooManyInThread)
        } else {
            None
        })
    }

    /// Waits until everything that was asked in its thread before is answered, whoever works on that.
    async fn turn_of(&self, row: &TaskRow) -> Result<(), Left> {
        let clock = self.parts.gate.clock();
        loop {
            let moved = self.moved.listen();
            let earlier = self.earlier(row).await?;
            if !earlier.iter().any(|task| task.thread == row.state.task.thread) {
                return Ok(());
            }
            match select(moved, clock.sleep_until(clock.now() + REREAD_EVERY)).await {
                Either::Left(_) | Either::Right(_) => {}
            }
        }
    }

    /// What was kept before this task and is not answered.
    async fn earlier(&self, row: &TaskRow) -> Result<Vec<Task>, Left> {
        let open = self.parts.gate.store().open_tasks(self.parts.surface.name(), OPEN_MAX).await?;
        let at = open.iter().position(|other| other.state.task.delivery == row.state.task.delivery);
        // It is not open any more: another process took it up, and is done with it.
        let at = at.ok_or(Left::Moved)?;
        Ok(open.into_iter().take(at).map(|row| row.state.task).collect())
    }

    /// Begins the run of a task, unless it was begun before.
    async fn begin(&self, task: &Task) -> Result<Result<BegunRun, NotBegun>, Left> {
        let gate = &self.parts.gate;
        let member = match gate.who_is(&task.tenant, &task.by).await {
            Standing::Member(member) if member.roles.is_empty() => return Ok(Err(NotBegun::NoRole)),
            Standing::Member(member) => member,
            Standing::None(why) => return Ok(Err(NotBegun::NoStanding(why))),
        };
        let Some(agent) = &self.parts.agent else { return Ok(Err(NotBegun::NoAgent)) };
        let names = task.thread.session().ok().zip(task.thread.credential().ok());
        let Some((session, credential)) = names else { return Ok(Err(NotBegun::Unavailable)) };
        let requester = Requester { credential, identities: vec![task.by.clone()], shown_as: member.name };
        let begun = agent.begin_task((&task.tenant, session), requester, task).await;
        Ok(match begun {
            Ok(begun) => {
                let run = BegunRun { run: begun.row.run.clone(), events_before: begun.events_before };
                if !begun.row.finished {
                    self.parts.background.work_on(begun.row);
                }
                Ok(run)
            }
            Err(StartError::Store(fault)) => return Err(fault.into()),
            Err(StartError::Empty) => Err(NotBegun::Empty),
            Err(StartError::TooLong { chars }) => Err(NotBegun::TooLong { chars }),
            Err(StartError::TooManySpeakers) => Err(NotBegun::TooManySpeakers),
            Err(StartError::Busy { .. } | StartError::NoSuchSession) => Err(NotBegun::Busy),
            Err(StartError::Id(_)) => Err(NotBegun::Unavailable),
        })
    }
}

impl Over {
    /// Whether it came to its end.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }
}

impl NotBegun {
    /// Whether the account may be in good order, and could only not be looked at.
    #[must_use]
    pub const fn is_unread(&self) -> bool {
        matches!(self, Self::NoStanding(NoStanding::Unreadable(_)))
    }
}
