//! What happens in rooms, as plain data: from the JSON of an event to what somebody did.
//!
//! What always holds: pure, and total: what cannot be understood is nothing, and so is what other bots say
//! (`m.notice`). Edits never carry words: they say which message they change, and no more. A reaction's key is free of
//! the selectors that choose how an emoji is drawn. Of what the homeserver bundles with an event (`unsigned`), no words
//! are taken: only that the event was redacted, and who was in the room before.

use std::collections::BTreeSet;

use matrix_sdk::ruma::{OwnedEventId, OwnedRoomId, OwnedUserId};
use placet::time::Timestamp;
use serde::Deserialize;

use crate::backing::{Backing, Manner};

/// U+FE0E and U+FE0F: the selectors of an emoji's text and picture form. Clients differ in whether they send one.
/// <https://www.unicode.org/reports/tr51/#def_variation_selector>
const VARIATION_SELECTORS: [char; 2] = ['\u{FE0E}', '\u{FE0F}'];

/// Something that somebody did in a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// The room, as the homeserver named it.
    pub room: OwnedRoomId,
    /// The event.
    pub event: OwnedEventId,
    /// The account, as the homeserver named it.
    pub sender: OwnedUserId,
    /// When, as the sender's homeserver has it.
    pub sent_at: Timestamp,
    /// What they did.
    pub what: What,
    /// What stands behind it.
    pub backing: Backing,
}

/// What somebody did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Reacted.
    Reaction {
        /// To which event.
        on: OwnedEventId,
        /// With what, without variation selectors.
        key: String,
    },
    /// Took something back.
    Redaction {
        /// Which event.
        of: OwnedEventId,
    },
    /// Answered a poll; no answer takes the last one back.
    PollAnswer {
        /// The poll.
        poll: Relation,
        /// The ids of the answers.
        answers: Vec<String>,
    },
    /// Said something.
    Message(Message),
    /// Changed a message: nothing of it is executed.
    Edit {
        /// Which.
        of: OwnedEventId,
    },
    /// Nobody can read it yet.
    Unreadable {
        /// What it says openly that it refers to, such as a card.
        to: Option<OwnedEventId>,
    },
}

impl What {
    /// How it was said, as far as its worth goes.
    #[must_use]
    pub const fn manner(&self) -> Manner {
        match self {
            Self::Reaction { .. } | Self::Redaction { .. } => Manner::Sign,
            Self::PollAnswer { .. } | Self::Message(_) | Self::Edit { .. } | Self::Unreadable { .. } => {
                Manner::Words
            }
        }
    }
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Their words, without what a client quotes before a reply.
    pub body: String,
    /// The message that it answers.
    pub reply_to: Option<Relation>,
    /// The first message of the thread that it is in.
    pub thread: Option<Relation>,
    /// Whom it mentions.
    pub mentions: BTreeSet<OwnedUserId>,
}

/// A reference to another event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The event.
    pub to: OwnedEventId,
    /// Whether the reference itself was inside the encryption. If not, the homeserver can let it point to something
    /// else: encrypted words are then bound to a request only by what they themselves say, such as its code.
    pub is_sealed: bool,
}

/// A change of a room that is no act of a person upon a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Somebody came, left, or was made to; of the bot itself it says how.
    Membership {
        /// Who.
        of: OwnedUserId,
        /// Whether they are in the room now.
        is_joined: bool,
    },
    /// Who has how much power.
    Power,
    /// The room was closed in favour of another one.
    Tombstone {
        /// The other one, as whoever closed it says.
        successor: Option<OwnedRoomId>,
    },
}

/// What the JSON of an event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Read {
    /// Somebody did something.
    Act(What),
    /// The room changed.
    Change(Change),
    /// It was redacted: there is nothing left of it.
    Redacted,
}

/// An event's own fields, apart from its content.
#[derive(Debug, Clone, Deserialize)]
pub struct Envelope {
    /// The event.
    pub event_id: OwnedEventId,
    /// The account.
    pub sender: OwnedUserId,
    /// Milliseconds since the epoch; whatever the sender's homeserver likes.
    #[serde(default)]
    origin_server_ts: Option<serde_json::Number>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    state_key: Option<String>,
    #[serde(default)]
    redacts: Option<OwnedEventId>,
    #[serde(default)]
    content: serde_json::Value,
    #[serde(default)]
    unsigned: Unsigned,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Unsigned {
    #[serde(default)]
    redacted_because: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    prev_content: serde_json::Value,
}

impl Envelope {
    /// From the JSON of an event; none if it is none.
    #[must_use]
    pub fn parse(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// When, as the sender's homeserver has it.
    #[must_use]
    pub fn sent_at(&self) -> Timestamp {
        // Beyond any clock: never older than a card, and never fresh either.
        Timestamp::from_millis(
            self.origin_server_ts.as_ref().and_then(serde_json::Number::as_i64).unwrap_or(i64::MAX),
        )
    }

    /// What it says; `sealed` if its relation was inside the encryption. None if that is nothing of interest here.
    #[must_use]
    pub fn read(&self, sealed: bool) -> Option<Read> {
        if self.unsigned.redacted_because.is_some() {
            return Some(Read::Redacted);
        }
        match (self.kind.as_str(), &self.state_key) {
            ("m.reaction", None) => self.reaction(),
            ("m.room.redaction", None) => self.redaction(),
            ("m.poll.response" | "org.matrix.msc3381.poll.response", None) => self.poll_answer(sealed),
            ("m.room.message", None) => self.message(sealed),
            ("m.room.encrypted", None) => {
                let to = self
                    .relates()
                    .and_then(|relates| relates.in_reply_to.map(|reply| reply.event_id).or(relates.event_id));
                Some(Read::Act(What::Unreadable { to }))
            }
            ("m.room.member", Some(of)) => self.membership(of),
            ("m.room.power_levels", Some(key)) if key.is_empty() => Some(Read::Change(Change::Power)),
            ("m.room.tombstone", Some(key)) if key.is_empty() => Some(self.tombstone()),
            _ => None,
        }
    }

    fn relates(&self) -> Option<Relates> {
        Relates::deserialize(self.content.get("m.relates_to")?).ok()
    }

    fn reaction(&self) -> Option<Read> {
        let relates = self.relates().filter(|relates| relates.is("m.annotation"))?;
        let key: String =
            relates.key?.chars().filter(|letter| !VARIATION_SELECTORS.contains(letter)).collect();
        Some(Read::Act(What::Reaction { on: relates.event_id?, key }))
    }

    /// From room version 11 on, what is redacted stands in the content.
    fn redaction(&self) -> Option<Read> {
        let inside = self.content.get("redacts").and_then(|of| OwnedEventId::deserialize(of).ok());
        Some(Read::Act(What::Redaction { of: inside.or_else(|| self.redacts.clone())? }))
    }

    /// The stable form is `m.selections`; clients still send the unstable one.
    /// <https://github.com/matrix-org/matrix-spec-proposals/blob/main/proposals/3381-polls.md>
    fn poll_answer(&self, sealed: bool) -> Option<Read> {
        #[derive(Deserialize)]
        struct Unstable {
            answers: Vec<String>,
        }
        let relates = self.relates().filter(|relates| relates.is("m.reference"))?;
        let stable = self.content.get("m.selections").and_then(|of| Vec::<String>::deserialize(of).ok());
        let answers = match stable {
            Some(answers) => answers,
            None => {
                Unstable::deserialize(self.content.get("org.matrix.msc3381.poll.response")?).ok()?.answers
            }
        };
        Some(Read::Act(What::PollAnswer {
            poll: Relation { to: relates.event_id?, is_sealed: sealed },
            answers,
        }))
    }

    fn message(&self, sealed: bool) -> Option<Read> {
        let relates = self.relates().unwrap_or_default();
        if relates.is("m.replace") {
            return Some(Read::Act(What::Edit { of: relates.event_id? }));
        }
        // Notices are what bots say to people; other kinds are pictures and files.
        if self.content.get("msgtype")?.as_str()? != "m.text" {
            return None;
        }
        let body = self.content.get("body")?.as_str()?;
        let relation = |to| Relation { to, is_sealed: sealed };
        let thread = if relates.is("m.thread") { relates.event_id.clone().map(relation) } else { None };
        // For clients without threads, what is said in one claims to answer the last message there.
        let is_real = thread.is_none() || !relates.is_falling_back;
        let reply_to = relates.in_reply_to.filter(|_| is_real).map(|reply| relation(reply.event_id));
        let mentions = self.content.get("m.mentions").and_then(|of| Mentions::deserialize(of).ok());
        Some(Read::Act(What::Message(Message {
            body: if reply_to.is_some() { without_quote(body) } else { body }.to_owned(),
            reply_to,
            thread,
            mentions: mentions.map(|mentions| mentions.user_ids).unwrap_or_default(),
        })))
    }

    fn membership(&self, of: &str) -> Option<Read> {
        let of = OwnedUserId::try_from(of).ok()?;
        let is_joined = self.content.get("membership")?.as_str()? == "join";
        let was_joined = self.unsigned.prev_content.get("membership").is_some_and(|was| was == "join");
        // Another name or picture of somebody who stays.
        (!(is_joined && was_joined)).then_some(())?;
        Some(Read::Change(Change::Membership { of, is_joined }))
    }

    fn tombstone(&self) -> Read {
        let successor = self.content.get("replacement_room").and_then(|of| OwnedRoomId::deserialize(of).ok());
        Read::Change(Change::Tombstone { successor })
    }
}

/// `m.relates_to`.
/// <https://spec.matrix.org/v1.16/client-server-api/#forming-relationships-between-events>
#[derive(Debug, Default, Deserialize)]
struct Relates {
    #[serde(default)]
    rel_type: Option<String>,
    #[serde(default)]
    event_id: Option<OwnedEventId>,
    #[serde(default)]
    key: Option<String>,
    #[serde(default, rename = "m.in_reply_to")]
    in_reply_to: Option<Reply>,
    #[serde(default)]
    is_falling_back: bool,
}

#[derive(Debug, Deserialize)]
struct Reply {
    event_id: OwnedEventId,
}

#[derive(Debug, Deserialize)]
struct Mentions {
    #[serde(default)]
    user_ids: BTreeSet<OwnedUserId>,
}

impl Relates {
    fn is(&self, kind: &str) -> bool {
        self.rel_type.as_deref() == Some(kind)
    }
}

/// Older clients quote what they answer, each line behind `> `, before an empty line.
/// <https://spec.matrix.org/v1.12/client-server-api/#fallbacks-for-rich-replies>
fn without_quote(body: &str) -> &str {
    let mut rest = body;
    while let Some(line) = rest.strip_prefix("> ") {
        rest = line.split_once('\n').map_or("", |(_, after)| after);
    }
    if rest.len() == body.len() { body } else { rest.strip_prefix('\n').unwrap_or(rest) }
}

#[cfg(test)]
mod tests;
