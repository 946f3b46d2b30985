//! How a room is made.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The state that turns on encryption.
pub(crate) fn encryption() -> Value {
    json!({"algorithm": "m.megolm.v1.aes-sha2"})
}

/// What a room is to be; private, in the clear and of the server's own version where nothing else is said.
#[derive(Debug, Clone, Default)]
pub struct RoomMade {
    name: String,
    encrypted: bool,
    public: bool,
    direct: bool,
    version: Option<String>,
    invited: Vec<String>,
    power: BTreeMap<String, i64>,
}

impl RoomMade {
    /// One of this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Encrypted from its first message on.
    #[must_use]
    pub fn encrypted(mut self) -> Self {
        self.encrypted = true;
        self
    }

    /// Anybody may join.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.public = true;
        self
    }

    /// A talk between two.
    #[must_use]
    pub fn direct(mut self) -> Self {
        self.direct = true;
        self
    }

    /// Of this version: from 12 on, who made it stands outside its power levels, and its id names no server.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        self.version = Some(version.to_owned());
        self
    }

    /// Somebody is invited from the start.
    #[must_use]
    pub fn inviting(mut self, user: &str) -> Self {
        self.invited.push(user.to_owned());
        self
    }

    /// Somebody has this power level. Who makes the room has 100 besides, or stands above in version 12.
    #[must_use]
    pub fn power(mut self, user: &str, power: i64) -> Self {
        self.power.insert(user.to_owned(), power);
        self
    }

    /// The request for it.
    pub(crate) fn body(&self) -> Value {
        let state = if self.encrypted {
            json!([{"type": "m.room.encryption", "state_key": "", "content": encryption()}])
        } else {
            json!([])
        };
        let mut body = json!({
            "name": self.name,
            "preset": if self.public { "public_chat" } else { "private_chat" },
            "is_direct": self.direct,
            "invite": self.invited,
            "initial_state": state,
        });
        if let Some(version) = &self.version {
            body["room_version"] = json!(version);
        }
        body
    }

    /// Those whose power is to be set once it is there: given at its making, they would stand in place of its maker.
    pub(crate) const fn powers(&self) -> &BTreeMap<String, i64> {
        &self.power
    }
}
