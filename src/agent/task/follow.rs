//! Following a task's run: one message in its thread says how it stands, until it is over.

use futures::future::{BoxFuture, Either, select};

use crate::agent::Agent;
use crate::agent::event::AgentEvent;
use crate::agent::task::desk::{Left, TaskDesk};
use crate::agent::task::{BegunRun, Progress, Task, TaskRow, ThreadSaid};
use crate::gate::wake::REREAD_EVERY;
use crate::id::SessionId;
use crate::ports::SurfaceError;
use crate::time::Ttl;

/// Events that are read at once.
const EVENTS_READ_MAX: u32 = 200;

/// How often something is said that the surface does not take at once: minutes, and then the thread is left.
const SAY_TRIES: u32 = 8;

/// The pause between two such tries, where the surface names none.
const SAY_PAUSE: Ttl = Ttl::from_secs(5);

/// How often a message is posted whose answer was lost and that is not found: then a second one may be there.
const POSTS_MAX: usize = 3;

impl TaskDesk {
    /// Follows a run to its end: one message says how it stands, and changes no more often than the surface takes it;
    /// the last state is always said.
    pub(super) async fn follow(
        &self,
        row: &mut TaskRow,
        (agent, session): (&Agent, &SessionId),
        begun: BegunRun,
    ) -> Result<(), Left> {
        let tenant = row.state.task.tenant.clone();
        let clock = self.parts.gate.clock();
        let mut progress = Progress::default();
        let mut after = begun.events_before;
        let mut shown = None;
        let mut has_turn = false;
        loop {
            let changed = agent.changed(&tenant, session);
            after = self.read(&row.state.task, (session, after), &mut progress).await?;
            if shown.as_ref() == Some(&progress) {
                match select(changed, clock.sleep_until(clock.now() + REREAD_EVERY)).await {
                    Either::Left(_) | Either::Right(_) => {}
                }
                continue;
            }
            if row.state.answer.is_some() && !has_turn {
                self.parts.surface.turn_to_revise().await;
                has_turn = true;
                continue;
            }
            has_turn = false;
            let said = ThreadSaid::Progress(progress.redacted(self.parts.gate.redactor()));
            self.show(row, &said).await?;
            if progress.over.is_some() {
                self.say_the_rest(row, &said).await?;
                return self.done(row).await;
            }
            shown = Some(progress.clone());
        }
    }

    /// Takes in what happened since, up to the end of the run. Gives the number of the last event.
    async fn read(
        &self,
        task: &Task,
        (session, mut after): (&SessionId, u64),
        progress: &mut Progress,
    ) -> Result<u64, Left> {
        let store = self.parts.gate.store();
        while progress.over.is_none() {
            let events = store.session_events(&task.tenant, session, after, EVENTS_READ_MAX).await?;
            if events.is_empty() {
                break;
            }
            for event in events {
                after = event.number;
                match serde_json::from_str::<AgentEvent>(&event.json) {
                    Ok(event) => progress.hear(event.kind),
                    Err(error) => tracing::error!(error = %error, "an event of a session cannot be read"),
                }
                // What comes after is another task's.
                if progress.over.is_some() {
                    break;
                }
            }
        }
        for waits in progress.waits.iter_mut().filter(|waits| waits.code.is_none()) {
            let approval = self.parts.gate.load(&task.tenant, waits.request).await?;
            waits.places = approval.places();
            waits.code = Some(approval.code);
        }
        Ok(after)
    }

    /// Says it in the task's message, which is posted if it is not there. One whose answer was lost is looked up first; one
    /// that is gone is posted anew, once.
    pub(super) async fn show(&self, row: &mut TaskRow, said: &ThreadSaid) -> Result<(), Left> {
        let surface = &self.parts.surface;
        for _ in 0..POSTS_MAX {
            if row.state.answer.is_none()
                && row.state.posting
                && let Some(Ok(Some(message))) = surface.find_answer(&row.state.task, 0).await
            {
                row.state.answer = Some(message);
                self.save(row).await?;
            }
            if let Some(message) = row.state.answer.clone() {
                let revised = self.tried(true, || surface.revise(&message, said)).await;
                if !matches!(revised, Err(SurfaceError::Gone { .. })) || row.state.posted_anew {
                    return Ok(());
                }
                row.state.answer = None;
                row.state.posted_anew = true;
            }
            row.state.posting = true;
            self.save(row).await?;
            match self.tried(false, || surface.say(&row.state.task, said, 0)).await {
                Ok(message) => {
                    row.state.answer = Some(message);
                    return self.save(row).await;
                }
                Err(SurfaceError::Unknown { .. }) => {}
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Posts what has no room in the first message: each on record before it is posted, and looked up before it is posted
    /// again.
    async fn say_the_rest(&self, row: &mut TaskRow, said: &ThreadSaid) -> Result<(), Left> {
        for number in row.state.more_posted + 1..self.parts.surface.messages(said) {
            if !row.state.posting_more || !self.is_there(&row.state.task, number).await {
                row.state.posting_more = true;
                self.save(row).await?;
                self.say_once(&row.state.task, said, number).await;
            }
            row.state.more_posted = number;
            row.state.posting_more = false;
            self.save(row).await?;
        }
        Ok(())
    }

    /// Posts a message, again only where it is not found after its answer was lost. Where nobody can look, it is said again:
    /// a page that stands there twice is better than one that is missing.
    async fn say_once(&self, task: &Task, said: &ThreadSaid, number: u32) {
        let surface = &self.parts.surface;
        for _ in 0..POSTS_MAX {
            match self.tried(false, || surface.say(task, said, number)).await {
                Err(SurfaceError::Unknown { .. }) if !self.is_there(task, number).await => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Whether the message of that number stands there.
    async fn is_there(&self, task: &Task, number: u32) -> bool {
        let surface = &self.parts.surface;
        let found = self.tried(true, || {
            Box::pin(async move { surface.find_answer(task, number).await.unwrap_or(Ok(None)) })
        });
        matches!(found.await, Ok(Some(_)))
    }

    /// Tries until the surface takes it; where nobody knows whether it did, only if a second time does no harm. What it
    /// does not take in the end is in the log: the run goes on without it.
    async fn tried<'a, T>(
        &self,
        harmless: bool,
        mut say: impl FnMut() -> BoxFuture<'a, Result<T, SurfaceError>> + Send,
    ) -> Result<T, SurfaceError> {
        let clock = self.parts.gate.clock();
        let mut tries = 0;
        loop {
            tries += 1;
            let pause = match say().await {
                Ok(done) => return Ok(done),
                Err(SurfaceError::Later { after, .. }) if tries < SAY_TRIES => after.unwrap_or(SAY_PAUSE),
                Err(SurfaceError::Unknown { .. }) if harmless && tries < SAY_TRIES => SAY_PAUSE,
                Err(fault) => {
                    tracing::warn!(error = %fault, "what the agent does could not be said in its thread");
                    return Err(fault);
                }
            };
            clock.sleep_until(clock.now() + pause).await;
        }
    }
}
