//! What people send, as clients write it.

use serde_json::{Value, json};

/// An event's type and content.
#[derive(Debug, Clone)]
pub struct Content {
    /// The type, as `m.room.message`.
    pub kind: &'static str,
    /// The content.
    pub body: Value,
}

impl Content {
    /// A message of text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { kind: "m.room.message", body: json!({"msgtype": "m.text", "body": text}) }
    }

    /// A notice, as programs send them.
    #[must_use]
    pub fn notice(text: &str) -> Self {
        Self { kind: "m.room.message", body: json!({"msgtype": "m.notice", "body": text}) }
    }

    /// In reply to an event.
    #[must_use]
    pub fn replying_to(mut self, event: &str) -> Self {
        self.body["m.relates_to"]["m.in_reply_to"] = json!({"event_id": event});
        self
    }

    /// In the thread that begins with an event; clients that know no threads show a reply.
    /// <https://spec.matrix.org/v1.16/client-server-api/#threading>
    #[must_use]
    pub fn in_thread_of(mut self, root: &str) -> Self {
        self.body["m.relates_to"] = json!({
            "rel_type": "m.thread",
            "event_id": root,
            "is_falling_back": true,
            "m.in_reply_to": {"event_id": root},
        });
        self
    }

    /// In place of an earlier event of one's own.
    /// <https://spec.matrix.org/v1.16/client-server-api/#event-replacements>
    #[must_use]
    pub fn in_place_of(self, event: &str) -> Self {
        let mut body = self.body.clone();
        body["body"] = json!(format!("* {}", self.body["body"].as_str().unwrap_or_default()));
        body["m.new_content"] = self.body;
        body["m.relates_to"] = json!({"rel_type": "m.replace", "event_id": event});
        Self { kind: self.kind, body }
    }

    /// A reaction.
    #[must_use]
    pub fn reaction(event: &str, key: &str) -> Self {
        Self {
            kind: "m.reaction",
            body: json!({"m.relates_to": {"rel_type": "m.annotation", "event_id": event, "key": key}}),
        }
    }

    /// An answer to a poll, as today's clients send it.
    /// <https://github.com/matrix-org/matrix-spec-proposals/pull/3381>
    #[must_use]
    pub fn poll_answer(poll: &str, answer: &str) -> Self {
        Self {
            kind: "org.matrix.msc3381.poll.response",
            body: json!({
                "org.matrix.msc3381.poll.response": {"answers": [answer]},
                "m.relates_to": {"rel_type": "m.reference", "event_id": poll},
            }),
        }
    }

    /// Any other event.
    #[must_use]
    pub const fn other(kind: &'static str, body: Value) -> Self {
        Self { kind, body }
    }
}
