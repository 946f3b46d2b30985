//! One-off messages in a channel, a thread or directly to somebody: each said once, as far as Slack can be asked.

use placet::ports::{SurfaceError, Telling};
use serde_json::{Value, json};

use super::fault::surface_error;
use super::{CLOCKS_DIFFER, Slack};
use crate::api::{ApiError, Metadata, MetadataQuery, NewMessage};

/// The `event_type` of the metadata of one-off messages.
const METADATA_NOTICE: &str = "placet_notice";

/// The member of its `event_payload` that tells messages apart.
const METADATA_MESSAGE: &str = "message";

/// The member that says what kind of message it is.
const METADATA_KIND: &str = "notice";

impl Slack {
    /// Says something in a channel, or in a thread of it.
    pub(super) async fn say(
        &self,
        (channel, thread): (&str, Option<&str>),
        (text, blocks): (&str, &[Value]),
        (kind, telling): (&str, &Telling),
    ) -> Result<(), SurfaceError> {
        let number = format!("{}-{}", telling.since.as_millis(), telling.id);
        if telling.again && self.was_said((channel, thread), &number, telling).await? {
            return Ok(());
        }
        let metadata = Metadata {
            event_type: METADATA_NOTICE.to_owned(),
            event_payload: json!({ METADATA_MESSAGE: number, METADATA_KIND: kind }),
        };
        let mut post = NewMessage::new(channel, text);
        post.blocks = blocks;
        post.thread_ts = thread.filter(|ts| is_timestamp(ts));
        post.metadata = Some(&metadata);
        self.try_reply(&mut post).await?.map(drop).map_err(|fault| surface_error(&fault))
    }

    /// Whether it stands there already, where Slack lets that be looked up: in channels by their ids, with the scope for
    /// it. Where it cannot be known it is said again: twice is better than not at all.
    async fn was_said(
        &self,
        (channel, thread): (&str, Option<&str>),
        number: &str,
        telling: &Telling,
    ) -> Result<bool, SurfaceError> {
        let Some(may) = self.may_look(channel).await else { return Ok(false) };
        let bot = may.map_err(|fault| surface_error(&fault))?;
        // In the channel too: there it is where its thread was gone.
        let threads = [thread.filter(|ts| is_timestamp(ts)), None];
        let threads = if threads.first() == Some(&None) { &threads[1..] } else { &threads[..] };
        for thread_ts in threads {
            let query = MetadataQuery {
                channel,
                thread_ts: *thread_ts,
                oldest_secs: (telling.since - CLOCKS_DIFFER).as_secs(),
                event_type: METADATA_NOTICE,
                key: METADATA_MESSAGE,
                value: number,
            };
            match self.api().find_by_metadata(&query, &bot.user_id).await {
                Ok(found) if !found.is_empty() => return Ok(true),
                Ok(_) | Err(ApiError::Auth { .. } | ApiError::Gone { .. } | ApiError::NoPlace { .. }) => {}
                // Its thread is not there: so nothing stands in it.
                Err(ApiError::Other { code }) if code == "thread_not_found" => {}
                Err(fault) => return Err(surface_error(&fault)),
            }
        }
        Ok(false)
    }
}

/// Whether this has the form of a message's id; anything else Slack would refuse.
pub(super) fn is_timestamp(ts: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    ts.split_once('.').is_some_and(|(secs, rest)| digits(secs) && rest.len() == 6 && digits(rest))
}
