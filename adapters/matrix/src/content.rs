//! The contents of the events that Placet sends.
//!
//! What always holds: each has explicit mentions, so that no client looks for some in the text; each that is a card or a
//! message of Placet's has a mark of its own ([`CARD_KEY`], [`NOTICE_KEY`]) by which it is found again; and none is larger
//! than an event may be once it is encrypted.

use placet::call::ShownDigest;
use placet::id::{AttemptId, RequestId, ShortCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::render::{Rendering, Written};

/// The member of a card's content, and of its parts' and its poll's, that says what it is of.
pub const CARD_KEY: &str = "placet.card";
/// The member of the content of a one-off message that says which it is.
pub const NOTICE_KEY: &str = "placet.notice";
/// The most bytes of an event.
/// <https://spec.matrix.org/v1.16/client-server-api/#size-limits>
pub const EVENT_BYTES_MAX: usize = 65_536;
/// What an event has beside its content: ids of up to 255 bytes, the hashes of those before it and of those that allow it, a
/// signature.
const ENVELOPE_BYTES: usize = 3_500;
/// What is encrypted beside the content: its type, its room, and what the cipher adds.
const CIPHER_BYTES: usize = 500;

/// What an event of a card is of. Where the room is encrypted it is encrypted with the rest; else it is as trustworthy as
/// the homeserver is. It never says who decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardMark {
    /// The attempt that posted the card; none in an edit, a part and a poll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptId>,
    /// Which request.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
    /// What the message shows; of a part, what all parts show together.
    pub shown: ShownDigest,
    /// Which part of the whole call this is, from 1, of how many; none for what is no part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<(u32, u32)>,
}

/// How loud a message is: clients notify nobody of a notice, whomever it mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// For people to hear of.
    Text,
    /// An answer, or something to be read in passing.
    Notice,
}

/// Where a message belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beneath<'a> {
    /// In the room.
    Room,
    /// In the thread that begins with this event.
    Thread(&'a str),
    /// As a reply to this event.
    Reply(&'a str),
}

/// A message of both forms, with its mentions.
pub(crate) fn message(written: &Written, voice: Voice, mentions: &[String], beneath: Beneath<'_>) -> Value {
    let mut content = body(written, voice, mentions);
    match beneath {
        Beneath::Room => {}
        Beneath::Thread(root) => {
            content["m.relates_to"] = json!({
                "rel_type": "m.thread",
                "event_id": root,
                "is_falling_back": true,
                "m.in_reply_to": { "event_id": root },
            });
        }
        Beneath::Reply(to) => {
            content["m.relates_to"] = json!({ "m.in_reply_to": { "event_id": to } });
        }
    }
    content
}

/// A message, with its mark.
pub(crate) fn marked(mut content: Value, mark: &CardMark) -> Value {
    content[CARD_KEY] = json!(mark);
    content
}

/// What puts a card in the place of what it showed before. What clients that know no edits show instead is its headline
/// alone: twice the whole would have no room.
pub(crate) fn edit(card: &str, rendering: &Rendering, mark: &CardMark) -> Value {
    let new = marked(body(&rendering.written, Voice::Text, &[]), mark);
    json!({
        "msgtype": "m.text",
        "body": format!("* {}", rendering.headline),
        "m.mentions": {},
        "m.new_content": new,
        "m.relates_to": { "rel_type": "m.replace", "event_id": card },
    })
}

/// A reaction.
pub(crate) fn reaction(to: &str, key: &str) -> Value {
    json!({ "m.relates_to": { "rel_type": "m.annotation", "event_id": to, "key": key } })
}

fn body(written: &Written, voice: Voice, mentions: &[String]) -> Value {
    let mentions = if mentions.is_empty() { json!({}) } else { json!({ "user_ids": mentions }) };
    json!({
        "msgtype": match voice { Voice::Text => "m.text", Voice::Notice => "m.notice" },
        "body": written.plain,
        "format": "org.matrix.custom.html",
        "formatted_body": written.html.as_str(),
        "m.mentions": mentions,
    })
}

/// The bytes of an event with this content once it is encrypted, at most.
#[must_use]
pub fn sealed_bytes(content: &Value) -> usize {
    let plain = content.to_string().len() + CIPHER_BYTES;
    plain.div_ceil(3) * 4 + ENVELOPE_BYTES
}
