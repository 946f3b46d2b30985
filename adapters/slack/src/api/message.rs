//! The bodies of the calls that write messages, and what comes back.

use serde::Serialize;
use serde_json::Value;

/// What an app attaches to a message for itself; members of the channel can read it with the API.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metadata {
    /// What kind of data, such as `placet_card`.
    pub event_type: String,
    /// A JSON object of plain values.
    pub event_payload: Value,
}

/// A message to post. Links are not unfurled, and names in `text` do not become mentions.
#[derive(Debug, Clone, Serialize)]
pub struct NewMessage<'a> {
    /// A channel id, or a user id for a direct message. Keep the id that comes back.
    pub channel: &'a str,
    /// What notifications show; escape it.
    pub text: &'a str,
    /// Blocks, or none.
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    pub blocks: &'a [Value],
    /// The parent's `ts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<&'a str>,
    /// Finds the message again after an answer was lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<&'a Metadata>,
    #[serde(flatten)]
    plain: Plain,
}

impl<'a> NewMessage<'a> {
    /// A message of text alone.
    pub fn new(channel: &'a str, text: &'a str) -> Self {
        Self { channel, text, blocks: &[], thread_ts: None, metadata: None, plain: Plain::default() }
    }
}

/// New content for an own message. Blocks are always sent: text alone would drop the old ones.
#[derive(Debug, Clone, Serialize)]
pub struct Update<'a> {
    /// The channel id as it came back from the post.
    pub channel: &'a str,
    /// The message.
    pub ts: &'a str,
    /// What notifications show; escape it.
    pub text: &'a str,
    /// The blocks; none leaves the text alone.
    pub blocks: &'a [Value],
    /// New metadata; the old stays where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<&'a Metadata>,
    #[serde(flatten)]
    parsing: Parsing,
}

impl<'a> Update<'a> {
    /// An update to these blocks.
    pub fn new(channel: &'a str, ts: &'a str, text: &'a str, blocks: &'a [Value]) -> Self {
        Self { channel, ts, text, blocks, metadata: None, parsing: Parsing::default() }
    }
}

/// A message for one member of a channel.
#[derive(Debug, Clone, Serialize)]
pub struct Ephemeral<'a> {
    /// The channel id.
    pub channel: &'a str,
    /// Who sees it.
    pub user: &'a str,
    /// The text; escape it.
    pub text: &'a str,
    /// Blocks, or none.
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    pub blocks: &'a [Value],
    /// The parent's `ts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<&'a str>,
    #[serde(flatten)]
    parsing: Parsing,
}

impl<'a> Ephemeral<'a> {
    /// A message of text alone.
    pub fn new(channel: &'a str, user: &'a str, text: &'a str) -> Self {
        Self { channel, user, text, blocks: &[], thread_ts: None, parsing: Parsing::default() }
    }
}

/// Names and addresses in `text` stay text.
#[derive(Debug, Clone, Copy, Serialize)]
struct Parsing {
    parse: &'static str,
    link_names: bool,
}

impl Default for Parsing {
    fn default() -> Self {
        Self { parse: "none", link_names: false }
    }
}

/// As [`Parsing`], and no previews, which would also fetch what an agent wrote.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Plain {
    #[serde(flatten)]
    parsing: Parsing,
    unfurl_links: bool,
    unfurl_media: bool,
}

/// Where a message is: what updates need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// The channel id as Slack gives it, which is not always the one that was asked for.
    pub channel: String,
    /// The message's id within the channel. A string: as a number it loses digits.
    pub ts: String,
    /// The parent it stands under. Slack posts a reply to a deleted parent into the channel without an error; only
    /// this tells.
    pub thread_ts: Option<String>,
}

impl Posted {
    pub(super) fn from_answer(body: &Value, ts: &str) -> Option<Self> {
        Some(Self {
            channel: body["channel"].as_str()?.to_owned(),
            ts: body[ts].as_str()?.to_owned(),
            thread_ts: body["message"]["thread_ts"].as_str().map(str::to_owned),
        })
    }
}
