//! One account over the plain API: it makes rooms, changes their state and sends what is not encrypted, also where it
//! should be.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use reqwest::Method;
use serde_json::{Value, json};

use crate::api::{Api, text};
use crate::content::Content;
use crate::room::RoomMade;

const CLIENT: &str = "_matrix/client/v3";
const CLIENT_V1: &str = "_matrix/client/v1";

/// Makes transactions distinct: all accounts of a process may share a token.
static TRANSACTIONS: AtomicU64 = AtomicU64::new(0);

/// Somebody's account, and a session of it without keys.
#[derive(Clone)]
pub struct Account {
    api: Api,
    user: String,
    password: String,
}

impl Account {
    pub(crate) fn new(api: Api, user: &str, password: &str) -> Self {
        Self { api, user: user.to_owned(), password: password.to_owned() }
    }

    /// The full id.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The password; empty where somebody else acts as this account.
    #[must_use]
    pub fn password(&self) -> &str {
        &self.password
    }

    /// The access token of this session.
    #[must_use]
    pub fn token(&self) -> &str {
        self.api.token()
    }

    /// The homeserver's URL.
    #[must_use]
    pub fn homeserver(&self) -> &str {
        self.api.url()
    }

    /// The same account in another session, as that of a client: what it sends is not encrypted, and comes from there.
    #[must_use]
    pub fn in_session(&self, token: &str) -> Self {
        Self { api: self.api.with_token(token), ..self.clone() }
    }

    /// The same session by another way to the homeserver.
    ///
    /// # Errors
    /// If there is no client to be had.
    pub fn by_way_of(&self, homeserver: &str) -> Result<Self> {
        Ok(Self { api: Api::new(homeserver, self.token())?, ..self.clone() })
    }

    /// Makes a room.
    ///
    /// # Errors
    /// If it is not made.
    pub async fn makes(&self, room: &RoomMade) -> Result<String> {
        let answer = self.asks(Method::POST, &["createRoom"], Some(&room.body())).await?;
        let id = text(&answer, "room_id")?;
        if !room.powers().is_empty() {
            let mut levels = self.state(&id, "m.room.power_levels", "").await?;
            for (user, power) in room.powers() {
                levels["users"][user] = json!(power);
            }
            self.sets(&id, ("m.room.power_levels", ""), &levels).await?;
        }
        Ok(id)
    }

    /// Invites somebody.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn invites(&self, room: &str, user: &str) -> Result<()> {
        self.asks(Method::POST, &["rooms", room, "invite"], Some(&json!({"user_id": user}))).await?;
        Ok(())
    }

    /// Joins.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn joins(&self, room: &str) -> Result<()> {
        self.asks(Method::POST, &["join", room], Some(&json!({}))).await?;
        Ok(())
    }

    /// Leaves.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn leaves(&self, room: &str) -> Result<()> {
        self.asks(Method::POST, &["rooms", room, "leave"], Some(&json!({}))).await?;
        Ok(())
    }

    /// Puts somebody out.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn kicks(&self, room: &str, user: &str) -> Result<()> {
        self.asks(Method::POST, &["rooms", room, "kick"], Some(&json!({"user_id": user}))).await?;
        Ok(())
    }

    /// Sends in the clear, also in an encrypted room; gives the event's id.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn sends(&self, room: &str, content: &Content) -> Result<String> {
        let transaction = format!("t{}", TRANSACTIONS.fetch_add(1, Ordering::Relaxed));
        self.sends_as(room, content, &transaction).await
    }

    /// The same under a transaction's id: twice under one, it is sent once.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn sends_as(&self, room: &str, content: &Content, transaction: &str) -> Result<String> {
        let path = ["rooms", room, "send", content.kind, transaction];
        text(&self.asks(Method::PUT, &path, Some(&content.body)).await?, "event_id")
    }

    /// Redacts an event; gives the id of the redaction.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn redacts(&self, room: &str, event: &str) -> Result<String> {
        let transaction = format!("t{}", TRANSACTIONS.fetch_add(1, Ordering::Relaxed));
        let path = ["rooms", room, "redact", event, &transaction];
        text(&self.asks(Method::PUT, &path, Some(&json!({}))).await?, "event_id")
    }

    /// Sets state; gives the event's id.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn sets(&self, room: &str, (kind, key): (&str, &str), content: &Value) -> Result<String> {
        let path = ["rooms", room, "state", kind, key];
        text(&self.asks(Method::PUT, &path, Some(content)).await?, "event_id")
    }

    /// State as it is now.
    ///
    /// # Errors
    /// If there is none, or it may not be read.
    pub async fn state(&self, room: &str, kind: &str, key: &str) -> Result<Value> {
        self.asks(Method::GET, &["rooms", room, "state", kind, key], None).await
    }

    /// Gives somebody a power level.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn gives_power(&self, room: &str, user: &str, power: i64) -> Result<()> {
        let mut levels = self.state(room, "m.room.power_levels", "").await?;
        levels["users"][user] = json!(power);
        self.sets(room, ("m.room.power_levels", ""), &levels).await?;
        Ok(())
    }

    /// Turns on the encryption of a room, which nobody can turn off again.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn encrypts(&self, room: &str) -> Result<()> {
        self.sets(room, ("m.room.encryption", ""), &crate::room::encryption()).await?;
        Ok(())
    }

    /// Replaces a room by one of another version: the old one has a tombstone. Gives the new one.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn upgrades(&self, room: &str, version: &str) -> Result<String> {
        let body = json!({"new_version": version});
        text(&self.asks(Method::POST, &["rooms", room, "upgrade"], Some(&body)).await?, "replacement_room")
    }

    /// An event as the server has it: redacted where it was, encrypted where it is.
    ///
    /// # Errors
    /// If there is none, or it may not be read.
    pub async fn event(&self, room: &str, event: &str) -> Result<Value> {
        self.asks(Method::GET, &["rooms", room, "event", event], None).await
    }

    /// What relates to an event, newest first, as the server has it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn relations(&self, room: &str, event: &str) -> Result<Vec<Value>> {
        let path = [CLIENT_V1, "rooms", room, "relations", event];
        let answer = self.api.ask_with(Method::GET, &path, &[("limit", "100")], None).await?;
        Ok(answer["chunk"].as_array().cloned().unwrap_or_default())
    }

    /// Who is in the room.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn members(&self, room: &str) -> Result<Vec<String>> {
        let answer = self.asks(Method::GET, &["rooms", room, "joined_members"], None).await?;
        Ok(answer["joined"].as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default())
    }

    /// Somebody's master key, as the server tells it now; none where they have none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn master_key_of(&self, user: &str) -> Result<Option<String>> {
        let body = json!({"device_keys": {user: []}});
        let answer = self.asks(Method::POST, &["keys", "query"], Some(&body)).await?;
        let keys = answer["master_keys"][user]["keys"].as_object();
        Ok(keys.and_then(|keys| keys.values().next()).and_then(Value::as_str).map(str::to_owned))
    }

    /// Ends this session.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn signs_out(&self) -> Result<()> {
        self.asks(Method::POST, &["logout"], Some(&json!({}))).await?;
        Ok(())
    }

    /// Reads anything else, with a query.
    ///
    /// # Errors
    /// [`crate::Refused`], or that no answer came.
    pub async fn asks_with(&self, method: Method, path: &[&str], query: &[(&str, &str)]) -> Result<Value> {
        let path: Vec<&str> = std::iter::once(CLIENT).chain(path.iter().copied()).collect();
        self.api.ask_with(method, &path, query, None).await
    }

    /// Anything else; the path is what follows `/_matrix/client/v3/`.
    ///
    /// # Errors
    /// [`crate::Refused`], or that no answer came.
    pub async fn asks(&self, method: Method, path: &[&str], body: Option<&Value>) -> Result<Value> {
        let path: Vec<&str> = std::iter::once(CLIENT).chain(path.iter().copied()).collect();
        self.api.ask(method, &path, body).await
    }
}
