//! What people do, as the bodies that Slack sends for it, and their signatures.

use anyhow::{Context, Result};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::FakeSlack;
use super::reading::Button;
use super::state::{APP_ID, ENTERPRISE_ID, Message, ResponseUrl, State, TEAM_ID, Trigger, View};

/// A request as Slack sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The body.
    pub body: String,
    /// Header names and values.
    pub headers: Vec<(&'static str, String)>,
}

/// The `x-slack-signature` of a body at a time in seconds since the epoch.
pub fn sign(secret: &str, timestamp_secs: i64, body: &[u8]) -> String {
    // An HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(format!("v0:{timestamp_secs}:").as_bytes());
    mac.update(body);
    format!("v0={}", hex::encode(mac.finalize().into_bytes()))
}

impl FakeSlack {
    /// Signs a body now, and remembers it for [`FakeSlack::signed_again`].
    pub fn signed(&self, body: &str) -> Delivery {
        let mut state = self.state();
        state.last_body = Some(body.to_owned());
        state.delivery(body, "application/x-www-form-urlencoded")
    }

    /// The last signed body once more, as Slack delivers it again: the same body, signed anew.
    pub fn signed_again(&self) -> Option<Delivery> {
        let state = self.state();
        let body = state.last_body.as_deref()?;
        let mut delivery = state.delivery(body, "application/x-www-form-urlencoded");
        delivery.headers.push(("x-slack-retry-num", "1".to_owned()));
        delivery.headers.push(("x-slack-retry-reason", "http_timeout".to_owned()));
        Some(delivery)
    }

    /// The form body of a click, with a fresh trigger and `response_url`. The message is the one that the person
    /// sees, which may be older than what Slack holds.
    pub fn click_payload(&self, user: &str, message: &Message, button: &Button) -> String {
        let mut state = self.state();
        let is_ephemeral = message.ephemeral_to.is_some();
        let now_ms = state.now_ms();
        let response_url = state.response_url(
            self.origin(),
            ResponseUrl {
                user: user.to_owned(),
                channel: message.channel.clone(),
                ts: Some(message.ts.clone()),
                is_ephemeral,
                issued_ms: now_ms,
                uses: 0,
            },
        );
        let action = json!({ "action_id": button.action_id, "block_id": button.block_id, "value": button.value,
            "text": { "type": "plain_text", "text": button.text }, "type": "button", "action_ts": state.next_ts() });
        let mut payload = state.payload("block_actions", user);
        payload["container"] = json!({ "type": "message", "message_ts": message.ts,
            "channel_id": message.channel, "is_ephemeral": is_ephemeral });
        if let Some(thread_ts) = &message.thread_ts {
            payload["container"]["thread_ts"] = thread_ts.as_str().into();
        }
        let name = state.channels.get(&message.channel).map(|channel| channel.name.clone());
        payload["channel"] = json!({ "id": message.channel, "name": name });
        if !is_ephemeral {
            payload["message"] = message.as_json(true);
        }
        payload["state"] = json!({ "values": {} });
        payload["response_url"] = response_url.into();
        payload["actions"] = json!([action]);
        form(&[("payload", &payload.to_string())])
    }

    /// The form body of a click on a button within a dialog, found by its `action_id`; what was entered comes along
    /// empty.
    pub fn view_click_payload(&self, user: &str, view: &View, action_id: &str) -> Result<String> {
        let mut state = self.state();
        let rows = view.view["blocks"].as_array().into_iter().flatten();
        let mut elements = rows.flat_map(|row| row["elements"].as_array().into_iter().flatten());
        let button = elements.find(|element| element["action_id"] == action_id);
        let button = button.with_context(|| format!("no button {action_id} in the dialog"))?;
        let action = json!({ "action_id": action_id, "value": button["value"], "text": button["text"],
            "type": "button", "action_ts": state.next_ts() });
        let mut payload = state.payload("block_actions", user);
        payload["container"] = json!({ "type": "view", "view_id": view.id });
        payload["view"] = state.view_json(&view.id);
        payload["view"]["state"] = json!({ "values": {} });
        payload["actions"] = json!([action]);
        Ok(form(&[("payload", &payload.to_string())]))
    }

    /// The form body of a submitted dialog, with values by block and element. Fails where Slack would not let the
    /// person submit: the dialog is closed, a field is not there, empty or too long.
    pub fn submit_payload(&self, user: &str, view: &View, values: &[(&str, &str, &str)]) -> Result<String> {
        let mut state = self.state();
        let entered = super::dialogs::entered(&state, view, values)?;
        let mut shown = state.view_json(&view.id);
        shown["state"] = json!({ "values": entered });
        let mut payload = state.payload("view_submission", user);
        payload["view"] = shown;
        payload["response_urls"] = json!([]);
        Ok(form(&[("payload", &payload.to_string())]))
    }

    /// The form body of a slash command.
    pub fn slash_payload(&self, user: &str, channel: &str, command: &str, text: &str) -> Result<String> {
        let mut state = self.state();
        let channel = state.channel_id(channel).context("no such channel")?;
        let now_ms = state.now_ms();
        let response_url = state.response_url(
            self.origin(),
            ResponseUrl {
                user: user.to_owned(),
                channel: channel.clone(),
                ts: None,
                is_ephemeral: true,
                issued_ms: now_ms,
                uses: 0,
            },
        );
        let trigger_id = state.trigger(user);
        let person = state.people.get(user).context("no such person")?;
        let channel_name =
            state.channels.get(&channel).map(|channel| channel.name.as_str()).unwrap_or_default();
        let is_org_wide = state.is_org_wide.to_string();
        Ok(form(&[
            ("token", "never-trusted"),
            ("team_id", person.team_id(false)),
            ("team_domain", "fake"),
            ("channel_id", &channel),
            ("channel_name", channel_name),
            ("user_id", user),
            ("user_name", &person.name),
            ("command", command),
            ("text", text),
            ("api_app_id", APP_ID),
            ("is_enterprise_install", &is_org_wide),
            ("response_url", &response_url),
            ("trigger_id", &trigger_id),
        ]))
    }

    fn origin(&self) -> String {
        format!("http://{}", self.inner.door.address())
    }
}

impl State {
    pub(super) fn delivery(&self, body: &str, content_type: &str) -> Delivery {
        let body = &self.leaving(body.to_owned());
        let now_secs = self.now_ms().div_euclid(1_000);
        let signature = sign(&self.signing_secret, now_secs, body.as_bytes());
        let headers = vec![
            ("content-type", content_type.to_owned()),
            ("x-slack-request-timestamp", now_secs.to_string()),
            ("x-slack-signature", signature),
        ];
        Delivery { body: body.to_owned(), headers }
    }

    /// What all interactions have.
    pub(super) fn payload(&mut self, kind: &str, user: &str) -> Value {
        let trigger_id = self.trigger(user);
        let is_org_wide = self.is_org_wide;
        let person = self.people.get(user);
        let name = person.map(|person| person.name.clone()).unwrap_or_default();
        let team_id = person.map_or(TEAM_ID, |person| person.team_id(is_org_wide)).to_owned();
        let (team, enterprise) = if is_org_wide {
            (Value::Null, json!({ "id": ENTERPRISE_ID, "name": "Fake" }))
        } else {
            (json!({ "id": TEAM_ID, "domain": "fake" }), Value::Null)
        };
        json!({ "type": kind, "user": { "id": user, "username": name, "name": name, "team_id": team_id },
            "api_app_id": APP_ID, "token": "never-trusted", "trigger_id": trigger_id, "team": team,
            "enterprise": enterprise, "is_enterprise_install": is_org_wide })
    }

    /// A trigger that lives from now.
    fn trigger(&mut self, user: &str) -> String {
        let id = format!("{}.{}.{:032x}", self.now_ms(), 90_210_000_001_u64, self.next_serial());
        let trigger = Trigger { user: user.to_owned(), issued_ms: self.now_ms(), is_used: false };
        self.triggers.insert(id.clone(), trigger);
        id
    }

    fn response_url(&mut self, origin: String, response: ResponseUrl) -> String {
        let id = format!("r{}", self.next_serial());
        self.responses.insert(id.clone(), response);
        format!("{origin}/response/{id}")
    }
}

pub(super) fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}
