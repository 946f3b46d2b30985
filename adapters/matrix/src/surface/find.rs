//! Looking for a card whose answer was lost.

use matrix_sdk::Room;
use matrix_sdk::ruma::UInt;
use matrix_sdk::ruma::api::Direction;
use matrix_sdk::ruma::api::client::message::get_message_events;
use matrix_sdk::ruma::events::AnyTimelineEvent;
use matrix_sdk::ruma::serde::Raw;
use placet::id::AttemptId;
use placet::inbound::MessageRef;
use placet::ports::SurfaceError;
use placet::time::{Timestamp, Ttl};
use serde::Deserialize;
use serde_json::Value;

use super::Matrix;
use super::fault::http_error;
use super::send::{is_redacted, once};
use crate::content::CARD_KEY;

/// How much older than its attempt a message may seem: the homeserver's clock is not ours.
const CLOCKS_DIFFER: Ttl = Ttl::from_secs(120);
/// How many messages are read at once: as many as homeservers give.
const PAGE: u32 = 100;
/// How often: a room that has had more messages since is too lively to be looked through.
const PAGES_MAX: usize = 20;

/// What is looked at of a message.
#[derive(Deserialize)]
struct Candidate {
    event_id: String,
    sender: String,
    origin_server_ts: i64,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    unsigned: Value,
}

impl Matrix {
    /// The card of an attempt, newest messages first. None where the room has had so many since that it cannot be known.
    pub(super) async fn find_card(
        &self,
        room: &str,
        attempt: AttemptId,
        since: Timestamp,
    ) -> Result<Option<Option<MessageRef>>, SurfaceError> {
        // As `Option<Result<Option<_>>>`, turned inside out: what could not be asked is an error.
        let room = self.room(room)?;
        let (oldest, mut from) = ((since - CLOCKS_DIFFER).as_millis(), None);
        for _ in 0..PAGES_MAX {
            let mut request =
                get_message_events::v3::Request::new(room.room_id().to_owned(), Direction::Backward);
            request.limit = UInt::from(PAGE);
            request.from = from.take();
            let answer = self.0.client.send(request).with_request_config(once()).await;
            let answer = answer.map_err(|fault| http_error(&fault))?;
            for event in &answer.chunk {
                let Ok(found) = event.deserialize_as_unchecked::<Candidate>() else { continue };
                if found.origin_server_ts < oldest {
                    return Ok(Some(None));
                }
                if self.is_of(&room, event, &found, attempt).await {
                    return Ok(Some(Some(MessageRef {
                        channel: room.room_id().to_string(),
                        id: found.event_id,
                    })));
                }
            }
            from = answer.end;
            if from.is_none() || answer.chunk.is_empty() {
                return Ok(Some(None));
            }
        }
        tracing::warn!(matrix.room = %room.room_id(), "a room has had too many messages to look for a card in it");
        Ok(None)
    }

    /// Whether this is the card that the attempt posted: by the transaction, which a homeserver tells the device alone that
    /// sent it, else by the mark, which has to be decrypted first where the room is encrypted.
    async fn is_of(
        &self,
        room: &Room,
        event: &Raw<AnyTimelineEvent>,
        found: &Candidate,
        attempt: AttemptId,
    ) -> bool {
        if Some(found.sender.as_str()) != self.own_id() || is_redacted(event) {
            return false;
        }
        let attempt = attempt.to_string();
        if found.unsigned["transaction_id"] == attempt {
            return true;
        }
        let is_mark = |content: &Value| content[CARD_KEY]["attempt"] == attempt;
        if found.content["ciphertext"].is_null() {
            return is_mark(&found.content);
        }
        let Ok(plain) = room.decrypt_event(event.cast_ref_unchecked(), None).await else { return false };
        plain.raw().get_field::<Value>("content").ok().flatten().is_some_and(|content| is_mark(&content))
    }
}
