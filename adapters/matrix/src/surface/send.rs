//! Sending and asking, each once and within a time.

use std::time::Duration;

use matrix_sdk::config::RequestConfig;
use matrix_sdk::ruma::api::client::room::get_room_event;
use matrix_sdk::ruma::{EventId, OwnedEventId, OwnedTransactionId, RoomId};
use matrix_sdk::{Room, RoomState};
use placet::card::CardView;
use placet::inbound::MessageRef;
use placet::ports::SurfaceError;
use serde_json::Value;

use super::Matrix;
use super::fault::{http_error, surface_error};
use crate::content::{self, Beneath, CardMark, Voice};
use crate::render::Rendering;

/// The type of a message.
pub(super) const MESSAGE: &str = "m.room.message";
/// The longest that one request may take: well under the lease of an attempt, so that nobody else is at it meanwhile.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// Once, and not for ever: whether it is tried again is the gate's to say, which knows what people wait for.
pub(super) fn once() -> RequestConfig {
    RequestConfig::new().disable_retry().timeout(REQUEST_TIMEOUT)
}

impl Matrix {
    /// A room that Placet's account is in, as far as it has heard.
    pub(super) fn room(&self, id: &str) -> Result<Room, SurfaceError> {
        let known = RoomId::parse(id).map_err(|_| SurfaceError::Never {
            why: format!("“{id}” is not a room's id: write it as !abc:example.org, not as an alias"),
        })?;
        self.0.client.get_room(&known).ok_or_else(|| SurfaceError::Later {
            // It may be that its invitation has not been heard of yet.
            why: format!("Placet's account does not know the room {id} yet: invite it there"),
            after: None,
        })
    }

    /// The room of a card. Of one that Placet has left nothing is edited any more.
    pub(super) fn room_of_card(&self, message: &MessageRef) -> Result<Room, SurfaceError> {
        let room = self.room(&message.channel)?;
        if room.state() == RoomState::Joined {
            return Ok(room);
        }
        Err(SurfaceError::Gone {
            why: format!("Placet's account is not in the room {} any more", message.channel),
        })
    }

    /// Whether what is sent there is encrypted.
    pub(super) async fn is_encrypted(&self, room: &Room) -> Result<bool, SurfaceError> {
        let state = Box::pin(room.latest_encryption_state()).await.map_err(|fault| surface_error(&fault))?;
        Ok(state.is_encrypted())
    }

    /// Sends an event, encrypted where the room is.
    pub(super) async fn send(
        &self,
        room: &Room,
        kind: &str,
        content: Value,
        transaction: Option<String>,
    ) -> Result<OwnedEventId, SurfaceError> {
        let mut sending = room.send_raw(kind, content).with_request_config(once());
        let transaction = transaction.map(OwnedTransactionId::from);
        if let Some(transaction) = &transaction {
            sending = sending.with_transaction_id(transaction);
        }
        let sent = sending.await.map_err(|fault| surface_error(&fault))?;
        Ok(sent.response.event_id)
    }

    /// An edit of what is redacted would be taken, and shown to nobody.
    pub(super) async fn must_be_there(&self, room: &Room, message: &MessageRef) -> Result<(), SurfaceError> {
        let event = event_id(&message.id)?;
        let request = get_room_event::v3::Request::new(room.room_id().to_owned(), event);
        let answer = self.0.client.send(request).with_request_config(once()).await;
        let event = match answer.map_err(|fault| http_error(&fault)) {
            Ok(answer) => answer.event,
            // Who is not in the room sees nothing of it.
            Err(SurfaceError::Never { why }) => return Err(SurfaceError::Gone { why }),
            Err(fault) => return Err(fault),
        };
        if is_redacted(&event) {
            return Err(SurfaceError::Gone { why: "the message was removed".to_owned() });
        }
        Ok(())
    }

    /// Puts the whole call into the card's thread, once.
    pub(super) async fn put_parts(
        &self,
        room: &Room,
        card: &MessageRef,
        (view, rendering): (&CardView, &Rendering),
    ) -> Result<(), SurfaceError> {
        let shown = view.shown(&self.0.settings.name, view.call.redacted == 0);
        if rendering.parts.is_empty() || self.0.known.has_parts(card, shown) {
            return Ok(());
        }
        let total = u32::try_from(rendering.parts.len()).unwrap_or(u32::MAX);
        for (number, part) in (1..).zip(&rendering.parts) {
            let content = content::message(part, Voice::Notice, &[], Beneath::Thread(&card.id));
            let mark = CardMark {
                attempt: None,
                request: view.request,
                code: view.code.clone(),
                shown,
                part: Some((number, total)),
            };
            // The same again is the same message: for a day at least, homeservers remember.
            let transaction = format!("{}.{number}.{shown}", card.id);
            self.send(room, MESSAGE, content::marked(content, &mark), Some(transaction)).await?;
        }
        self.0.known.parts_are_there(card, shown);
        Ok(())
    }
}

/// An event's id.
pub(super) fn event_id(id: &str) -> Result<OwnedEventId, SurfaceError> {
    EventId::parse(id).map_err(|_| SurfaceError::Never { why: format!("“{id}” is not an event's id") })
}

/// Whether an event has been redacted.
pub(super) fn is_redacted<T>(event: &matrix_sdk::ruma::serde::Raw<T>) -> bool {
    let unsigned = event.get_field::<Value>("unsigned").ok().flatten();
    unsigned.is_some_and(|unsigned| !unsigned["redacted_because"].is_null())
}
