//! Tasks that people give in a chat: mention the agent there, and it answers in the thread.
//!
//! What always holds: a task is kept before the chat is told that it came, and one that is delivered again is none; who
//! asks comes from the signed event, never from its text; the session is the thread, and whoever spoke in it is behind
//! every call that comes of it from then on; the thread's answer is one message that follows the run, so that a process
//! that goes on with the run goes on with the message.

#[cfg(feature = "policy")]
mod desk;
#[cfg(feature = "policy")]
mod follow;
mod progress;

use serde::{Deserialize, Serialize};

use crate::id::{CredentialId, DeliveryKey, IdError, RunId, SessionId, SurfaceName, TenantId, WorkerId};
use crate::inbound::{Located, MessageRef};
use crate::person::{Identity, NoStanding};
use crate::time::Timestamp;

#[cfg(feature = "policy")]
pub use desk::{Background, TASKS_PER_PERSON_MAX, TASKS_PER_THREAD_MAX, TaskDesk, TaskParts};
pub use progress::{Over, Progress, Waits};

/// How the names end that stand for a credential where people ask in a thread.
const THREAD_CREDENTIAL: &str = ":thread";

/// A place where people talk and the agent answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Thread {
    /// On which surface.
    pub surface: SurfaceName,
    /// In which channel, by the surface's own id.
    pub channel: String,
    /// Beneath which message, by the surface's own id.
    pub id: String,
}

impl Thread {
    /// The session that the thread is.
    ///
    /// # Errors
    /// [`IdError`] if the surface's own ids are far longer than any are.
    pub fn session(&self) -> Result<SessionId, IdError> {
        SessionId::new(format!("{}:{}:{}", self.surface, self.channel, self.id))
    }

    /// The message that it stands beneath.
    #[must_use]
    pub fn first_message(&self) -> Located {
        let message = MessageRef { channel: self.channel.clone(), id: self.id.clone() };
        Located { surface: self.surface.clone(), message }
    }

    /// What stands for a credential in the name of who asks there: nobody has a credential of that name, since no token is
    /// ever made for it.
    ///
    /// # Errors
    /// [`IdError`] if the surface's name is far longer than any is.
    pub fn credential(&self) -> Result<CredentialId, IdError> {
        CredentialId::new(format!("{}{THREAD_CREDENTIAL}", self.surface))
    }

    /// Whether this stands for a credential where somebody asked in a thread.
    #[must_use]
    pub fn is_asked_in(credential: &CredentialId) -> bool {
        credential.as_str().ends_with(THREAD_CREDENTIAL)
    }
}

/// What somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The surface's own name for the message; the same again is the same task.
    pub delivery: DeliveryKey,
    /// When it arrived.
    pub at: Timestamp,
    /// Whose: from the workspace or room it came from.
    pub tenant: TenantId,
    /// Who asks: from the signed event.
    pub by: Identity,
    /// Where it is answered.
    pub thread: Thread,
    /// What is asked, without the mention.
    pub text: String,
}

/// How far a task is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskState {
    /// What was asked.
    pub task: Task,
    /// The run that works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<BegunRun>,
    /// The message that follows the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<MessageRef>,
    /// Whether a message was about to be posted, so that it may be there though nobody knows where.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub posting: bool,
    /// Whether the message was gone, and was posted anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub posted_anew: bool,
    /// How many messages with the rest of a long answer were posted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_posted: u32,
    /// Whether the one after these was about to be posted, so that it may be there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub posting_more: bool,
    /// Whether it is answered, or can no longer be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub done: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl TaskState {
    /// One that nobody has begun.
    #[must_use]
    pub const fn of(task: Task) -> Self {
        Self {
            task,
            begun: None,
            answer: None,
            posting: false,
            posted_anew: false,
            more_posted: 0,
            posting_more: false,
            done: false,
        }
    }
}

/// The run that works on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunRun {
    /// Which.
    pub run: RunId,
    /// The number of the session's last event before it.
    pub events_before: u64,
}

/// A task as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// How far it is.
    pub state: TaskState,
    /// Counted up with each save.
    pub version: u64,
}

/// That a process works on a task, and until when no other may. A process that lives renews it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskLease {
    /// Which process.
    pub by: WorkerId,
    /// Until when.
    pub until: Timestamp,
}

/// What is said in a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadSaid {
    /// The task is not begun.
    NotBegun(NotBegun),
    /// How the run stands.
    Progress(Progress),
}

/// Why a task is not begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotBegun {
    /// No agent is configured for whose task this would be.
    NoAgent,
    /// The account has no standing.
    NoStanding(NoStanding),
    /// The person is in the policy, and has no role there.
    NoRole,
    /// There was nothing but the mention.
    Empty,
    /// It is too long.
    TooLong {
        /// How many characters it has.
        chars: usize,
    },
    /// The person has as many unfinished tasks as one may have.
    TooManyOfPerson,
    /// As many tasks wait in the thread as may.
    TooManyInThread,
    /// More people have spoken in the thread than can be told apart on a card.
    TooManySpeakers,
    /// The session is at work on something else.
    Busy,
    /// It could not be begun, and may be later.
    Unavailable,
}
