//! What Slack tells the app by itself: the bodies of the Events API, their signatures and their retries.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::FakeSlack;
use super::clicks::Delivery;
use super::state::{APP_ID, BOT_USER_ID, ENTERPRISE_ID, State, TEAM_ID};

/// Why Slack delivers again, and how long after the delivery before, in seconds.
/// <https://docs.slack.dev/apis/events-api#retries>
pub const RETRIES: [(u32, i64); 3] = [(1, 0), (2, 60), (3, 300)];

/// A message that somebody wrote, and the event that tells of it.
#[derive(Debug, Clone)]
pub struct Told {
    /// The channel.
    pub channel: String,
    /// The message.
    pub ts: String,
    /// The event.
    pub delivery: Delivery,
}

impl FakeSlack {
    /// The delivery of an event, under an id of its own.
    pub fn event(&self, event: Value) -> Delivery {
        let mut state = self.state();
        let body = state.envelope(event).to_string();
        state.last_event = Some(body.clone());
        state.delivery(&body, "application/json")
    }

    /// The delivery of a body that somebody has changed, signed as Slack signs events.
    pub fn signed_event(&self, body: &str) -> Delivery {
        self.state().delivery(body, "application/json")
    }

    /// The last event as Slack delivers it again: the same body, signed anew.
    ///
    /// # Errors
    /// If there was none.
    pub fn event_again(&self, retry: u32) -> Result<Delivery> {
        let state = self.state();
        let body = state.last_event.clone().context("no event was delivered")?;
        let mut delivery = state.delivery(&body, "application/json");
        delivery.headers.push(("x-slack-retry-num", retry.to_string()));
        delivery.headers.push(("x-slack-retry-reason", "http_timeout".to_owned()));
        Ok(delivery)
    }

    /// Somebody mentions the bot in a channel, which is made if need be, or in a thread there. `text` is what they write
    /// behind the mention.
    ///
    /// # Errors
    /// If it cannot be said.
    pub fn mention(&self, user: &str, channel: &str, text: &str, thread: Option<&str>) -> Result<Told> {
        self.tell("app_mention", (user, channel), &format!("<@{BOT_USER_ID}> {text}"), thread)
    }

    /// Somebody writes to the bot directly.
    ///
    /// # Errors
    /// If there is no such person.
    pub fn direct_message(&self, user: &str, text: &str, thread: Option<&str>) -> Result<Told> {
        let channel = {
            let mut state = self.state();
            let name = state.people.get(user).context("no such person")?.name.clone();
            let id = format!("D{}", &user[1..]);
            if !state.channels.contains_key(&id) {
                state.insert_channel(&id, &format!("@{name}"), true);
            }
            id
        };
        self.tell("message", (user, &channel), text, thread)
    }

    fn tell(
        &self,
        kind: &str,
        (user, channel): (&str, &str),
        text: &str,
        thread: Option<&str>,
    ) -> Result<Told> {
        let event = {
            let mut state = self.state();
            let channel = state.make_channel(channel, false);
            let ts = state.say(user, &channel, text).context("no such channel")?;
            if let Some(message) = state.message_mut(&channel, &ts) {
                message.thread_ts = thread.map(str::to_owned);
            }
            let team = state.people.get(user).map_or(TEAM_ID, |person| person.team_id(false)).to_owned();
            let mut event = json!({ "type": kind, "user": user, "text": text, "ts": ts, "channel": channel,
                "event_ts": ts, "team": team, "client_msg_id": format!("m{}", state.next_serial()),
                "blocks": [{ "type": "rich_text", "elements": [] }] });
            if let Some(thread) = thread {
                event["thread_ts"] = thread.into();
            }
            if kind == "message" {
                event["channel_type"] = "im".into();
            }
            event
        };
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let (channel, ts) = (text("channel"), text("ts"));
        Ok(Told { channel, ts, delivery: self.event(event) })
    }

    /// Somebody opens the app's home.
    pub fn home_opened(&self, user: &str) -> Delivery {
        let event_ts = self.state().next_ts();
        self.event(json!({ "type": "app_home_opened", "user": user, "channel": format!("D{}", &user[1..]),
            "tab": "home", "event_ts": event_ts }))
    }

    /// Waits until a message reads like this, and reads all its edits.
    ///
    /// # Errors
    /// If it does not in time.
    pub async fn message_reads(&self, channel: &str, ts: &str, words: &str) -> Result<super::Message> {
        self.wait(&format!("{words:?} in {ts}"), |state| {
            let message = state.message_mut(channel, ts).cloned()?;
            let reads = super::text_of(&message).contains(words);
            if reads {
                state.unread.retain(|news| !news.is_of_message(channel, ts));
            }
            reads.then_some(message)
        })
        .await
    }
}

impl State {
    /// What every event comes in.
    fn envelope(&mut self, event: Value) -> Value {
        let (team, enterprise) = if self.is_org_wide {
            (Value::Null, json!(ENTERPRISE_ID))
        } else {
            (json!(TEAM_ID), Value::Null)
        };
        json!({ "token": "never-trusted", "team_id": TEAM_ID, "enterprise_id": enterprise, "api_app_id": APP_ID,
            "context_team_id": TEAM_ID, "context_enterprise_id": enterprise, "event": event,
            "type": "event_callback", "event_id": format!("Ev{:0>9}", self.next_serial()),
            "event_time": self.now_ms().div_euclid(1_000), "is_ext_shared_channel": false,
            "authorizations": [{ "enterprise_id": enterprise, "team_id": team, "user_id": BOT_USER_ID,
                "is_bot": true, "is_enterprise_install": self.is_org_wide }] })
    }
}
