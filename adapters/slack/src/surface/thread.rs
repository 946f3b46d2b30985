//! The port of threads in which the agent answers.
//!
//! What always holds: all revisions of a workspace share one pace, below what Slack takes, so that the cards' own edits
//! have their share; what is said between two of them is said at once with the next.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use placet::agent::task::{Task, ThreadSaid};
use placet::card::visible_line;
use placet::id::SurfaceName;
use placet::inbound::MessageRef;
use placet::policy::Place;
use placet::ports::{Clock, SurfaceError, ThreadSurface};
use placet::time::{Timestamp, Ttl};
use serde_json::json;

use super::fault::surface_error;
use super::{CLOCKS_DIFFER, HISTORY_SCOPES, Slack};
use crate::api::{ApiError, Metadata, MetadataQuery, NewMessage, Update};
use crate::render::channel_mark;
use crate::render::thread::{self, ThreadMessage};

/// How far apart the revisions of a workspace are: thirty a minute of the fifty that Slack takes.
/// <https://docs.slack.dev/apis/web-api/rate-limits>
const REVISION_INTERVAL: Ttl = Ttl::from_secs(2);

/// What kind of metadata an answer carries.
const METADATA_EVENT: &str = "placet_answer";
/// The member of the metadata that names the task.
const METADATA_TASK: &str = "task";

/// When the next revision may leave.
#[derive(Debug)]
pub(super) struct Revisions(Mutex<Timestamp>);

impl Revisions {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Timestamp::from_millis(i64::MIN)))
    }

    /// Takes the next turn, and waits for it.
    async fn turn(&self, clock: &dyn Clock) {
        let now = clock.now();
        let turn = {
            let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = (*next).max(now);
            *next = turn + REVISION_INTERVAL;
            turn
        };
        if turn > now {
            clock.sleep_until(turn).await;
        }
    }
}

impl Slack {
    /// A message in a channel, in that channel's language.
    fn thread_message(&self, channel: &str, said: &ThreadSaid, number: u32) -> ThreadMessage {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let there = self.read_in_channel(channel);
        thread::message(said, number, there.texts(), &|place| there.place_mark(place))
    }

    /// Where a place is, as a sentence holds it: a channel of this workspace, direct messages, or another surface.
    pub(crate) fn place_mark(&self, place: &Place) -> String {
        if place.surface != self.0.settings.name {
            return visible_line(place.surface.as_str()).into_string();
        }
        channel_mark(self.channel(place), self.texts())
    }
}

/// By which the message of a task with that number is known: the first by the task's own key.
fn mark(task: &Task, number: u32) -> String {
    match number {
        0 => task.delivery.as_str().to_owned(),
        number => format!("{}#{number}", task.delivery),
    }
}

#[async_trait]
impl ThreadSurface for Slack {
    fn name(&self) -> &SurfaceName {
        &self.0.settings.name
    }

    fn messages(&self, said: &ThreadSaid) -> u32 {
        u32::try_from(thread::count(said)).unwrap_or(u32::MAX)
    }

    async fn say(&self, task: &Task, said: &ThreadSaid, number: u32) -> Result<MessageRef, SurfaceError> {
        let message = self.thread_message(&task.thread.channel, said, number);
        let metadata = Metadata {
            event_type: METADATA_EVENT.to_owned(),
            event_payload: json!({ METADATA_TASK: mark(task, number) }),
        };
        let mut post = NewMessage::new(&task.thread.channel, &message.text);
        post.blocks = &message.blocks;
        post.thread_ts = Some(&task.thread.id);
        post.metadata = Some(&metadata);
        let posted = self.post_message(&post).await?;
        Ok(MessageRef { channel: posted.channel, id: posted.ts })
    }

    async fn revise(&self, message: &MessageRef, said: &ThreadSaid) -> Result<(), SurfaceError> {
        self.0.pace.edits(&message.channel)?;
        let content = self.thread_message(&message.channel, said, 0);
        let update = Update::new(&message.channel, &message.id, &content.text, &content.blocks);
        self.0.api.update(&update).await.map(drop).map_err(|fault| {
            self.0.pace.heed_edit(&message.channel, &fault);
            surface_error(&fault)
        })
    }

    async fn find_answer(
        &self,
        task: &Task,
        number: u32,
    ) -> Option<Result<Option<MessageRef>, SurfaceError>> {
        let channel = task.thread.channel.as_str();
        let (_, scope) = HISTORY_SCOPES.into_iter().find(|(kind, _)| channel.starts_with(*kind))?;
        let bot = match self.bot().await {
            Ok(bot) => bot,
            Err(fault) => return Some(Err(surface_error(&fault))),
        };
        bot.scopes.iter().any(|granted| granted == scope).then_some(())?;
        let query = MetadataQuery {
            channel,
            thread_ts: Some(&task.thread.id),
            oldest_secs: (task.at - CLOCKS_DIFFER).as_secs(),
            event_type: METADATA_EVENT,
            key: METADATA_TASK,
            value: &mark(task, number),
        };
        match self.0.api.find_by_metadata(&query, &bot.user_id).await {
            Err(ApiError::Auth { needed: Some(_), .. }) => None,
            Err(fault) => Some(Err(surface_error(&fault))),
            Ok(found) => Some(Ok(found
                .into_iter()
                .next()
                .map(|posted| MessageRef { channel: posted.channel, id: posted.ts }))),
        }
    }

    async fn turn_to_revise(&self) {
        self.0.revisions.turn(&*self.0.clock).await;
    }
}
