//! People at real clients, each a program in `people/` that is told what to do in lines of JSON.
//!
//! A wait is a sync until it is there, never a pause, and ends with what there is instead. What a person sees is what
//! their client makes of it: its own decryption, its own view of edits and reactions, its own word on devices.

mod process;
mod sight;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::account::Account;
use crate::api::text;
use crate::content::Content;
use process::Process;
pub use sight::{Device, Poll, PollAnswer, Reaction, Sight, Wanted};

/// How long a person waits for what is to come: a busy machine takes seconds for what is done in milliseconds.
const PATIENCE_MILLISECONDS: u64 = 60_000;

/// What they sit at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// `matrix-nio`: no cross-signing, so its device is never signed by its owner.
    Nio,
    /// `matrix-js-sdk`: cross-signing, as Element has it. Its keys are in memory and go with the program.
    Js,
}

/// Somebody at a client, signed in as a device of their own; the program ends with it.
pub struct Person {
    process: Mutex<Process>,
    /// The same session over the plain API, to send in the clear, or to ask what the server has.
    account: Account,
    device: String,
}

impl Person {
    /// Signs in to an account at a client, as a new device.
    ///
    /// # Errors
    /// If the client does not start, or the homeserver does not take the account's password.
    pub async fn signs_in(client: Client, account: &Account) -> Result<Self> {
        Self::signs_in_by(client, account, account.password(), account.homeserver()).await
    }

    /// The same with another password, as after a reset, or by another way to the homeserver.
    ///
    /// # Errors
    /// If the client does not start, or the homeserver does not take the password.
    pub async fn signs_in_by(
        client: Client,
        account: &Account,
        password: &str,
        homeserver: &str,
    ) -> Result<Self> {
        let mut process = Process::start(client)?;
        let session = process
            .told(
                "sign_in",
                json!({
                    "homeserver": homeserver,
                    "user": account.user(),
                    "password": password,
                    "device_name": format!("{client:?}"),
                }),
            )
            .await?;
        Ok(Self {
            account: account.in_session(&text(&session, "access_token")?),
            device: text(&session, "device_id")?,
            process: Mutex::new(process),
        })
    }

    /// The full id.
    #[must_use]
    pub fn user(&self) -> &str {
        self.account.user()
    }

    /// The id of their device.
    #[must_use]
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The same session over the plain API: what it sends is in the clear.
    #[must_use]
    pub const fn in_the_clear(&self) -> &Account {
        &self.account
    }

    async fn does(&self, what: &str, named: Value) -> Result<Value> {
        let done = self.process.lock().await.told(what, named).await;
        done.with_context(|| format!("{} at {}", self.account.user(), self.device))
    }

    /// Makes keys for cross-signing where there are none, and signs this device. Gives the public master key.
    ///
    /// # Errors
    /// If the client cannot, or the homeserver refuses.
    pub async fn bootstraps(&self, password: &str) -> Result<String> {
        let keys = self.does("bootstrap", json!({"password": password, "replace": false})).await?;
        text(&keys, "master_key")
    }

    /// Makes them anew, in place of those that there are: to others it is another identity.
    ///
    /// # Errors
    /// If the client cannot, or the homeserver refuses.
    pub async fn replaces_identity(&self, password: &str) -> Result<String> {
        let keys = self.does("bootstrap", json!({"password": password, "replace": true})).await?;
        text(&keys, "master_key")
    }

    /// Signs another device of theirs.
    ///
    /// # Errors
    /// If the client cannot, or does not come to know of it.
    pub async fn signs_device(&self, device: &str) -> Result<()> {
        let named = json!({"device_id": device, "milliseconds": PATIENCE_MILLISECONDS});
        self.does("sign_device", named).await?;
        Ok(())
    }

    /// From now on messages go only to devices that their owners signed, and others' are not read.
    ///
    /// # Errors
    /// If the client cannot.
    pub async fn excludes_unsigned_devices(&self) -> Result<()> {
        self.does("isolate", json!({})).await?;
        Ok(())
    }

    /// Joins, and waits until the client has the room.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn joins(&self, room: &str) -> Result<()> {
        self.does("join", json!({"room": room, "milliseconds": PATIENCE_MILLISECONDS})).await?;
        Ok(())
    }

    /// Leaves.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn leaves(&self, room: &str) -> Result<()> {
        self.does("leave", json!({"room": room})).await?;
        Ok(())
    }

    /// Waits until they are invited by somebody; gives the room.
    ///
    /// # Errors
    /// If they are not.
    pub async fn is_invited_by(&self, user: &str) -> Result<String> {
        let named = json!({"sender": user, "milliseconds": PATIENCE_MILLISECONDS});
        text(&self.does("invited", named).await?, "room")
    }

    /// Sends, encrypted where the room is, but for reactions, which no client encrypts; gives the event's id.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn sends(&self, room: &str, content: &Content) -> Result<String> {
        let named = json!({"room": room, "type": content.kind, "content": content.body});
        text(&self.does("send", named).await?, "event_id")
    }

    /// Says something.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn says(&self, room: &str, words: &str) -> Result<String> {
        self.sends(room, &Content::text(words)).await
    }

    /// Reacts.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn reacts(&self, room: &str, event: &str, key: &str) -> Result<String> {
        self.sends(room, &Content::reaction(event, key)).await
    }

    /// Answers a poll, as their client writes answers.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn answers(&self, room: &str, poll: &str, answer: &str) -> Result<String> {
        let named = json!({"room": room, "event_id": poll, "answer": answer});
        text(&self.does("answer", named).await?, "event_id")
    }

    /// Waits until a poll is there, and gives what their client makes of it and of its answers until now. Only
    /// `matrix-js-sdk` knows polls.
    ///
    /// # Errors
    /// If it does not come, or the client takes it for none.
    pub async fn sees_poll(&self, room: &str, poll: &str) -> Result<Poll> {
        let named = json!({"room": room, "event_id": poll, "milliseconds": PATIENCE_MILLISECONDS});
        Ok(serde_json::from_value(self.does("poll", named).await?)?)
    }

    /// Redacts: takes back a reaction, or a message.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn redacts(&self, room: &str, event: &str) -> Result<()> {
        self.does("redact", json!({"room": room, "event_id": event, "reason": null})).await?;
        Ok(())
    }

    /// From now on the keys of what they say are kept back: others get messages that they cannot read yet. What was
    /// said before stays readable; only `matrix-nio` can do this.
    ///
    /// # Errors
    /// If the client cannot.
    pub async fn holds_keys(&self) -> Result<()> {
        self.does("hold_keys", json!({})).await?;
        Ok(())
    }

    /// Now they go out, and later ones at once. Gives how many messages with keys went.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn releases_keys(&self) -> Result<u64> {
        let sent = self.does("release_keys", json!({})).await?;
        sent["sent"].as_u64().context("no count of them")
    }

    /// Waits until there is an event as wanted, and gives the first one.
    ///
    /// # Errors
    /// If none comes; it says what there is instead.
    pub async fn sees(&self, room: &str, wanted: &Wanted) -> Result<Sight> {
        let named = json!({"room": room, "match": wanted, "milliseconds": PATIENCE_MILLISECONDS});
        Ok(serde_json::from_value(self.does("until", named).await?)?)
    }

    /// All that their client has of a room now, oldest first, a hundred events at most for each time that it was away.
    ///
    /// # Errors
    /// If it cannot tell.
    pub async fn has(&self, room: &str) -> Result<Vec<Sight>> {
        Ok(serde_json::from_value(self.does("events", json!({"room": room})).await?)?)
    }

    /// Waits until they know of somebody's device; gives what their client thinks of it.
    ///
    /// # Errors
    /// If they do not come to know of it.
    pub async fn knows(&self, user: &str, device: &str) -> Result<Device> {
        self.knows_of(user, device, None).await
    }

    /// Waits until their client thinks this of somebody's device: [`Device::trust`] has the words.
    ///
    /// # Errors
    /// If it does not come to that; it says what it thinks.
    pub async fn takes_device(&self, user: &str, device: &str, trust: &str) -> Result<()> {
        self.knows_of(user, device, Some(trust)).await?;
        Ok(())
    }

    async fn knows_of(&self, user: &str, device: &str, trust: Option<&str>) -> Result<Device> {
        let named = json!({
            "user": user,
            "device_id": device,
            "trust": trust,
            "milliseconds": PATIENCE_MILLISECONDS,
        });
        Ok(serde_json::from_value(self.does("device", named).await?)?)
    }
}
