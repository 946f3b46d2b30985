//! What happened to a card while nobody listened: read page by page.

use matrix_sdk::ruma::api::Direction;
use matrix_sdk::ruma::api::client::message::get_message_events;
use matrix_sdk::ruma::api::client::relations::get_relating_events;
use matrix_sdk::ruma::events::AnyTimelineEvent;
use matrix_sdk::ruma::serde::Raw;
use matrix_sdk::ruma::{EventId, RoomId, UInt};

use super::{Confirmed, Found, ReadError, Reader};
use crate::event::Change;

/// Events of one page. Synapse gives out no more than 1,000; a hundred keep an answer small.
const PAGE: u32 = 100;

/// Pages that are read of one card or room: 5,000 events. Whoever has more said since a card needs it asked anew.
const PAGES_MAX: usize = 50;

/// A stretch of what happened, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// What people did.
    pub acts: Vec<Confirmed>,
    /// Whether the stretch reaches back as far as was asked. If not, what is missing is older than what is here.
    pub is_complete: bool,
}

impl Reader {
    /// What refers to an event: reactions, poll answers, messages of its thread, edits. Replies outside a thread are not
    /// among them: the homeserver keeps no list of those, see [`Reader::messages_since`].
    ///
    /// # Errors
    /// [`ReadError`], if the homeserver does not tell.
    pub async fn relations(&self, room: &RoomId, event: &EventId) -> Result<Stretch, ReadError> {
        let mut from = None;
        let mut raws = Vec::new();
        let mut is_complete = false;
        for _ in 0..PAGES_MAX {
            let mut request = get_relating_events::v1::Request::new(room.to_owned(), event.to_owned());
            request.dir = Direction::Backward;
            request.limit = Some(UInt::from(PAGE));
            request.from = from;
            let page =
                self.session().client().send(request).await.map_err(|fault| ReadError::from(&fault))?;
            raws.extend(page.chunk.into_iter().map(Raw::cast::<AnyTimelineEvent>));
            from = page.next_batch;
            if from.is_none() {
                is_complete = true;
                break;
            }
        }
        self.stretch(room, raws, is_complete).await
    }

    /// What was said in a room since an event, that one left out; and since the bot came in, if that was later.
    ///
    /// # Errors
    /// [`ReadError`], if the homeserver does not tell.
    pub async fn messages_since(&self, room: &RoomId, event: &EventId) -> Result<Stretch, ReadError> {
        let mut from = None;
        let mut raws = Vec::new();
        let mut is_complete = false;
        'pages: for _ in 0..PAGES_MAX {
            let mut request = get_message_events::v3::Request::new(room.to_owned(), Direction::Backward);
            request.limit = UInt::from(PAGE);
            request.from = from;
            let page =
                self.session().client().send(request).await.map_err(|fault| ReadError::from(&fault))?;
            for raw in page.chunk {
                if raw.get_field::<&str>("event_id").ok().flatten() == Some(event.as_str()) {
                    is_complete = true;
                    break 'pages;
                }
                raws.push(raw);
            }
            from = page.end;
            if from.is_none() {
                is_complete = true;
                break;
            }
        }
        self.stretch(room, raws, is_complete).await
    }

    /// Reads what came newest first.
    async fn stretch(
        &self,
        room: &RoomId,
        raws: Vec<Raw<AnyTimelineEvent>>,
        is_complete: bool,
    ) -> Result<Stretch, ReadError> {
        let room = self.room(room)?;
        let own = self.session().user();
        let mut acts = Vec::new();
        for raw in raws {
            match self.found(&room, &raw).await? {
                Found::Act(confirmed) => acts.push(*confirmed),
                // What is older was said before the bot came, and is none of its business.
                Found::Change(Change::Membership { of, is_joined: true }) if of == own => break,
                Found::Change(_) | Found::Nothing => {}
            }
        }
        acts.reverse();
        Ok(Stretch { acts, is_complete })
    }
}
