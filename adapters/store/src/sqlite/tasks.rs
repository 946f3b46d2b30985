//! The port of tasks that were given in a chat.

use async_trait::async_trait;
use placet::agent::task::{Task, TaskLease, TaskRow};
use placet::id::{DeliveryKey, SurfaceName, WorkerId};
use placet::ports::{StoreError, TaskStore};

use crate::sqlite::SqliteStore;
use crate::sqlite::table::task;

/// Rows that one call returns at most, whatever was asked for.
const LIMIT_MAX: u32 = 10_000;

#[async_trait]
impl TaskStore for SqliteStore {
    async fn take_task(&self, task: Task, lease: TaskLease) -> Result<Option<TaskRow>, StoreError> {
        self.write(move |batch| {
            let kept = task::insert(batch.connection, task, lease)?;
            if kept.is_some() {
                batch.wrote("task.take");
            }
            Ok(kept)
        })
        .await
    }

    async fn adopt_tasks(
        &self,
        surface: &SurfaceName,
        lease: TaskLease,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let (surface, limit) = (surface.clone(), limit.min(LIMIT_MAX));
        // Looked for often, and seldom there: what is not there to be written is not written.
        let (now, of) = (self.inner.shared.options.clock.now(), surface.clone());
        if !self.read(move |connection| task::any_left(connection, &of, now)).await? {
            return Ok(Vec::new());
        }
        self.write(move |batch| {
            let adopted = task::adopt(batch.connection, &surface, (lease, batch.now()), limit)?;
            if !adopted.is_empty() {
                batch.wrote("task.adopt");
            }
            Ok(adopted)
        })
        .await
    }

    async fn renew_tasks(&self, tasks: Vec<DeliveryKey>, lease: TaskLease) -> Result<(), StoreError> {
        self.write(move |batch| {
            if task::renew(batch.connection, &tasks, lease)? > 0 {
                batch.wrote("task.renew");
            }
            Ok(())
        })
        .await
    }

    async fn let_go_of_tasks(&self, by: WorkerId) -> Result<(), StoreError> {
        self.write(move |batch| {
            if task::let_go(batch.connection, Some(by))? > 0 {
                batch.wrote("task.let_go");
            }
            Ok(())
        })
        .await
    }

    async fn load_task(&self, delivery: &DeliveryKey) -> Result<Option<TaskRow>, StoreError> {
        let delivery = delivery.clone();
        self.read(move |connection| task::load(connection, &delivery)).await
    }

    async fn save_task(&self, row: TaskRow) -> Result<(), StoreError> {
        self.write(move |batch| {
            let now = batch.now();
            task::save(batch.connection, &row, now)?;
            batch.wrote("task.save");
            Ok(())
        })
        .await
    }

    async fn open_tasks(&self, surface: &SurfaceName, limit: u32) -> Result<Vec<TaskRow>, StoreError> {
        let surface = surface.clone();
        self.read(move |connection| task::open(connection, &surface, limit.min(LIMIT_MAX))).await
    }
}
