//! Tasks that people give in a chat: where they are kept, and where they are answered.

use async_trait::async_trait;

use crate::agent::task::{Task, TaskLease, TaskRow, ThreadSaid};
use crate::id::{DeliveryKey, SurfaceName, WorkerId};
use crate::inbound::MessageRef;
use crate::ports::{StoreError, SurfaceError};

/// Tasks given in a chat: each is kept before the chat is told that it came, and known for days after it was answered,
/// so that one that is delivered again is none. Of several processes one works on a task: whoever holds it.
#[async_trait]
pub trait TaskStore: Send + Sync {
    /// Keeps a task, in the hands of whoever takes it. None if it was there before, answered or not.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be kept: the chat must deliver it again.
    async fn take_task(&self, task: Task, lease: TaskLease) -> Result<Option<TaskRow>, StoreError>;

    /// Takes up those of a surface that are not answered and that nobody holds, in the order in which they were kept. Each
    /// counts as saved: whoever had it before saves it no more.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn adopt_tasks(
        &self,
        surface: &SurfaceName,
        lease: TaskLease,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError>;

    /// Goes on holding those of these that are still held by the same.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn renew_tasks(&self, tasks: Vec<DeliveryKey>, lease: TaskLease) -> Result<(), StoreError>;

    /// Lets go of everything that is held by this process, so that another can take it up at once.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn let_go_of_tasks(&self, by: WorkerId) -> Result<(), StoreError>;

    /// A task, answered or not; none where it was never kept, or is forgotten by now.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn load_task(&self, delivery: &DeliveryKey) -> Result<Option<TaskRow>, StoreError>;

    /// Saves how far one is. `row.version` is the version it was loaded with, and is counted up.
    ///
    /// # Errors
    /// [`StoreError::RunMoved`] if somebody else saved it in between; nothing is written then.
    async fn save_task(&self, row: TaskRow) -> Result<(), StoreError>;

    /// Those of a surface that are not answered yet, in the order in which they were kept: it is the same for every
    /// process.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn open_tasks(&self, surface: &SurfaceName, limit: u32) -> Result<Vec<TaskRow>, StoreError>;
}

/// A surface on which the agent answers in threads.
#[async_trait]
pub trait ThreadSurface: Send + Sync {
    /// Its configured name.
    fn name(&self) -> &SurfaceName;

    /// How many messages this takes; at least one.
    fn messages(&self, said: &ThreadSaid) -> u32;

    /// Says something in a thread: the message of that number, from 0. The task's key and the number travel with it, so
    /// that it can be found again.
    ///
    /// # Errors
    /// [`SurfaceError`]; only [`SurfaceError::Unknown`] leaves open whether a message is there now.
    async fn say(&self, task: &Task, said: &ThreadSaid, number: u32) -> Result<MessageRef, SurfaceError>;

    /// Makes the first message say something else.
    ///
    /// # Errors
    /// [`SurfaceError`]; [`SurfaceError::Gone`] if it cannot be edited any more.
    async fn revise(&self, message: &MessageRef, said: &ThreadSaid) -> Result<(), SurfaceError>;

    /// Looks for the message of a task with that number, whose answer was lost. `None` where this surface cannot look.
    ///
    /// # Errors
    /// [`SurfaceError`] if it can look, but could not now.
    async fn find_answer(&self, task: &Task, number: u32)
    -> Option<Result<Option<MessageRef>, SurfaceError>>;

    /// Waits until a message may be revised: all threads of the surface share its limit, and what is said in between is
    /// said at once.
    async fn turn_to_revise(&self);
}
