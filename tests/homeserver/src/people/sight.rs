//! What a person sees, and what they look for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An event as their client shows it now.
#[derive(Debug, Clone, Deserialize)]
pub struct Sight {
    /// Its id.
    pub event_id: String,
    /// Who sent it.
    pub sender: String,
    /// Its type, decrypted where that can be.
    #[serde(rename = "type")]
    pub kind: String,
    /// When the server had it, in milliseconds.
    pub at: i64,
    /// Its content: of its latest edit where there is one, and nothing where it is redacted or cannot be read.
    pub content: Value,
    /// What it relates to, by its own content.
    pub relation: Value,
    /// Whether it was edited.
    pub edited: bool,
    /// Whether it came encrypted.
    pub encrypted: bool,
    /// Whether it could be read.
    pub readable: bool,
    /// Why it could not.
    pub why: Option<String>,
    /// Whether it is redacted.
    pub redacted: bool,
    /// The reactions to it that stand, oldest first.
    pub reactions: Vec<Reaction>,
    /// The device that encrypted it, and what their client thinks of it.
    pub device: Option<Device>,
}

impl Sight {
    /// The text of a message; empty where there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.content["body"].as_str().unwrap_or_default()
    }

    /// The text as HTML, where it came with it.
    #[must_use]
    pub fn html(&self) -> Option<&str> {
        self.content["formatted_body"].as_str()
    }
}

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reaction {
    /// The emoji.
    pub key: String,
    /// Whose.
    pub sender: String,
    /// Its event.
    pub event_id: String,
}

/// A poll, as their client takes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Poll {
    /// What is asked.
    pub question: String,
    /// What can be answered, in order.
    pub answers: Vec<PollAnswer>,
    /// By person: the answers that count.
    pub votes: BTreeMap<String, Vec<String>>,
    /// Whether it is over.
    pub ended: bool,
}

/// What can be answered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PollAnswer {
    /// What an answer says.
    pub id: String,
    /// What people read.
    pub text: String,
}

/// Somebody's device.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Device {
    /// Its id; none where the client does not know it.
    pub device_id: Option<String>,
    /// What the client thinks of it. Of an event: `no_warning`, or why its reader is warned, as `unsigned_device`,
    /// `unverified_identity`, `sent_in_clear`. Of a device: `signed_by_owner` or `unsigned`. `matrix-nio`, which knows
    /// no signatures: `unset` or `ignored` of both.
    pub trust: String,
}

/// What they look for: an event of which all that is named is true.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Wanted {
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<WantedRelation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    readable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redacted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reacted: Option<WantedReaction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_reacted: Option<WantedReaction>,
}

#[derive(Debug, Clone, Serialize)]
struct WantedRelation {
    event_id: String,
    rel_type: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct WantedReaction {
    sender: String,
    key: String,
}

impl Wanted {
    /// This very event.
    #[must_use]
    pub fn event(id: &str) -> Self {
        Self { event_id: Some(id.to_owned()), ..Self::default() }
    }

    /// A message of somebody's that can be read.
    #[must_use]
    pub fn message_of(sender: &str) -> Self {
        let kind = Some("m.room.message".to_owned());
        Self { sender: Some(sender.to_owned()), kind, readable: Some(true), ..Self::default() }
    }

    /// An event of this type.
    #[must_use]
    pub fn kind(mut self, kind: &str) -> Self {
        self.kind = Some(kind.to_owned());
        self
    }

    /// Its text, as it is by its latest edit, has these words.
    #[must_use]
    pub fn saying(mut self, words: &str) -> Self {
        self.says = Some(words.to_owned());
        self
    }

    /// It stands in the thread of this event.
    #[must_use]
    pub fn in_thread_of(self, root: &str) -> Self {
        self.related(root, "m.thread")
    }

    /// It refers to this event, as answers to a poll do.
    #[must_use]
    pub fn referring_to(self, event: &str) -> Self {
        self.related(event, "m.reference")
    }

    fn related(mut self, event: &str, rel_type: &'static str) -> Self {
        self.relation = Some(WantedRelation { event_id: event.to_owned(), rel_type });
        self
    }

    /// It was edited.
    #[must_use]
    pub const fn edited(mut self) -> Self {
        self.edited = Some(true);
        self
    }

    /// It can be read, or it cannot.
    #[must_use]
    pub const fn readable(mut self, readable: bool) -> Self {
        self.readable = Some(readable);
        self
    }

    /// It is redacted.
    #[must_use]
    pub const fn redacted(mut self) -> Self {
        self.redacted = Some(true);
        self
    }

    /// Somebody's reaction stands on it.
    #[must_use]
    pub fn reacted(mut self, sender: &str, key: &str) -> Self {
        self.reacted = Some(WantedReaction { sender: sender.to_owned(), key: key.to_owned() });
        self
    }

    /// Somebody's reaction does not stand on it.
    #[must_use]
    pub fn not_reacted(mut self, sender: &str, key: &str) -> Self {
        self.not_reacted = Some(WantedReaction { sender: sender.to_owned(), key: key.to_owned() });
        self
    }
}
