//! The envelope of the Events API.

use serde::Deserialize;
use serde_json::Value;

use super::{BadBody, Enveloped, json, tolerant};
use crate::signature::Verified;

/// What comes to the address of events.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Slack asks whether the address is ours: echo the challenge.
    UrlVerification {
        /// To be sent back as it stands.
        challenge: String,
    },
    /// Something happened.
    Callback(Box<EventCallback>),
    /// Anything else, such as `app_rate_limited`: answer 200.
    Other {
        /// Its `type`, empty where there is none.
        kind: String,
    },
}

/// Something that happened, in its envelope.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct EventCallback {
    /// The same in every retry: events are handled once by it.
    #[serde(deserialize_with = "tolerant::option")]
    pub event_id: Option<String>,
    /// Seconds since the epoch.
    #[serde(deserialize_with = "tolerant::option")]
    pub event_time: Option<i64>,
    /// The workspace.
    #[serde(deserialize_with = "tolerant::option")]
    pub team_id: Option<String>,
    /// The enterprise of the workspace.
    #[serde(deserialize_with = "tolerant::option")]
    pub enterprise_id: Option<String>,
    /// The app.
    #[serde(deserialize_with = "tolerant::option")]
    pub api_app_id: Option<String>,
    /// Installations that the event is visible to; the bot's own user is among them.
    pub authorizations: Value,
    /// The event itself.
    pub event: Value,
}

impl Event {
    /// Parses a verified body.
    pub fn parse(verified: &Verified) -> Result<Self, BadBody> {
        let body = std::str::from_utf8(verified.body()).map_err(|_| BadBody::NotUtf8)?;
        Self::from_value(json::read(body)?)
    }

    /// Parses what came in an envelope: what would be the body over HTTP.
    pub fn enveloped(payload: &Enveloped) -> Result<Self, BadBody> {
        Self::from_value(payload.0.clone())
    }

    fn from_value(value: Value) -> Result<Self, BadBody> {
        if !value.is_object() {
            return Err(BadBody::NotJson);
        }
        match value["type"].as_str() {
            Some("url_verification") => {
                let challenge = value["challenge"].as_str().ok_or(BadBody::NotJson)?.to_owned();
                Ok(Self::UrlVerification { challenge })
            }
            Some("event_callback") => {
                serde_json::from_value(value).map(Box::new).map(Self::Callback).map_err(|_| BadBody::NotJson)
            }
            kind => Ok(Self::Other { kind: kind.unwrap_or_default().to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::verified;
    use super::*;

    #[test]
    fn a_recorded_event_is_parsed() {
        let Event::Callback(callback) =
            Event::parse(&verified(include_bytes!("samples/event_app_mention.json"))).unwrap()
        else {
            panic!()
        };
        assert_eq!(callback.event_id.as_deref(), Some("Ev0EXAMPLE1"));
        assert_eq!(callback.event_time, Some(1_793_520_000));
        assert_eq!(callback.event["type"], "app_mention");
        assert_eq!(callback.enterprise_id, None);
    }

    #[test]
    fn a_challenge_is_found_and_the_rest_is_named() {
        let sample = verified(include_bytes!("samples/event_url_verification.json"));
        let expected = Event::UrlVerification {
            challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P".into(),
        };
        assert_eq!(Event::parse(&sample).unwrap(), expected);
        let other = Event::parse(&verified(br#"{"type":"app_rate_limited"}"#)).unwrap();
        assert_eq!(other, Event::Other { kind: "app_rate_limited".into() });
        assert_eq!(Event::parse(&verified(b"{}")).unwrap(), Event::Other { kind: String::new() });
    }

    #[test]
    fn bad_bodies_are_told_apart() {
        assert_eq!(Event::parse(&verified(b"\xff")), Err(BadBody::NotUtf8));
        assert_eq!(Event::parse(&verified(b"a=b")), Err(BadBody::NotJson));
        assert_eq!(Event::parse(&verified(b"[]")), Err(BadBody::NotJson));
        assert_eq!(Event::parse(&verified(br#"{"type":"url_verification"}"#)), Err(BadBody::NotJson));
    }
}
