//! Finding a message again whose answer was lost, by what was attached to it.

use serde_json::Value;

use super::{ApiError, Posted, SlackApi};

/// Messages in one page of a look-up; Slack advises no more than 200.
const PAGE_MESSAGES: &str = "100";

/// Pages that one look-up reads. A look-up that is not through by then is [`ApiError::Unknown`].
pub const PAGES_MAX: usize = 10;

/// Which message is looked for.
#[derive(Debug, Clone, Copy)]
pub struct MetadataQuery<'a> {
    /// The channel id as it came back from Slack.
    pub channel: &'a str,
    /// The parent, where the message was posted into a thread.
    pub thread_ts: Option<&'a str>,
    /// Nothing older, as seconds since the epoch: the time of the attempt, less the clocks' difference.
    pub oldest_secs: i64,
    /// The metadata's `event_type`.
    pub event_type: &'a str,
    /// The member of the metadata's `event_payload` that tells attempts apart.
    pub key: &'a str,
    /// Its value.
    pub value: &'a str,
}

impl SlackApi {
    /// Looks for messages of the bot `own_user_id` whose metadata matches, newest first in a channel. Needs the
    /// scope `channels:history` or `groups:history`; without it the error is [`ApiError::Auth`].
    ///
    /// An empty list means that there is none, as far as Slack tells: all pages were read.
    pub async fn find_by_metadata(
        &self,
        query: &MetadataQuery<'_>,
        own_user_id: &str,
    ) -> Result<Vec<Posted>, ApiError> {
        let oldest = format!("{}.000000", query.oldest_secs);
        let mut found = Vec::new();
        let mut cursor = String::new();
        for _page in 0..PAGES_MAX {
            let mut fields = vec![
                ("channel", query.channel),
                ("oldest", oldest.as_str()),
                ("inclusive", "true"),
                ("include_all_metadata", "true"),
                ("limit", PAGE_MESSAGES),
            ];
            if !cursor.is_empty() {
                fields.push(("cursor", cursor.as_str()));
            }
            let method = match query.thread_ts {
                Some(parent) => {
                    fields.push(("ts", parent));
                    "conversations.replies"
                }
                None => "conversations.history",
            };
            let answer = self.read(method, &fields).await?;
            let messages = answer.body["messages"].as_array().ok_or(ApiError::Unknown)?;
            found.extend(messages.iter().filter_map(|message| query.matches(message, own_user_id)));
            cursor = answer.body["response_metadata"]["next_cursor"].as_str().unwrap_or_default().to_owned();
            if cursor.is_empty() {
                return Ok(found);
            }
        }
        Err(ApiError::Unknown)
    }
}

impl MetadataQuery<'_> {
    fn matches(&self, message: &Value, own_user_id: &str) -> Option<Posted> {
        let metadata = &message["metadata"];
        let is_it = message["user"] == own_user_id
            && metadata["event_type"] == self.event_type
            && metadata["event_payload"][self.key] == self.value;
        is_it.then_some(())?;
        Some(Posted {
            channel: self.channel.to_owned(),
            ts: message["ts"].as_str()?.to_owned(),
            thread_ts: message["thread_ts"].as_str().map(str::to_owned),
        })
    }
}
