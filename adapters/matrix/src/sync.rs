//! Hears that something happened, by the homeserver's `/sync`.
//!
//! What always holds:
//! - What is heard is a hint, delivered at most once: the homeserver's token is saved before anybody acts. Whoever acts
//!   fetches the event again first ([`Reader::again`]), and reads what is open again at each [`Heard::Gap`]: at the
//!   start, after trouble, and where the homeserver left something out.
//! - The first sync of a new store hands on gaps alone: what was said before the bot came is nothing to act on, and what
//!   is open is read again anyway. Likewise what stands before the bot's own coming in a room.
//! - Its own events and notices are not handed on.
//! - An event whose key has not come is handed on as unreadable at once, and again when the key is there.
//! - The bot goes only where somebody who is admitted invites it.
//!
//! ```text
//! step: /sync → late keys → gaps → acts → changes of rooms → invitations
//! ```

mod invite;
mod turn;

use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;

use futures::stream::{Stream, StreamExt as _};
use futures::{FutureExt as _, stream};
use matrix_sdk::config::SyncSettings;
use matrix_sdk::ruma::api::client::filter::FilterDefinition;
use matrix_sdk::ruma::api::client::filter::{LazyLoadOptions, RoomEventFilter};
use matrix_sdk::ruma::api::client::sync::sync_events::v3::Filter;
use matrix_sdk::ruma::{OwnedEventId, OwnedRoomId, OwnedUserId, UInt};
use matrix_sdk::store::StateStoreDataKey;
use matrix_sdk_base::crypto::store::types::RoomKeyInfo;
use placet::ports::Clock;
use placet::time::Ttl;

use crate::event::Act;
use crate::reader::{ReadError, Reader};
use crate::session::{Session, SessionError};
use invite::Invitations;

/// Events of a room in one answer. With the homeserver's own limit of ten, twenty of thirty were left out.
const TIMELINE_EVENTS_MAX: u32 = 100;

/// How long the homeserver holds a poll open while nothing happens. Clients of all kinds use it.
pub const POLL: Ttl = Ttl::from_secs(30);

/// The first pause after trouble, doubled each time.
const PAUSE_MIN: Ttl = Ttl::from_secs(1);

/// The longest: nobody waits longer than this after the homeserver is back.
const PAUSE_MAX: Ttl = Ttl::from_secs(60);

/// What was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// Somebody did something. A hint: fetch it again before acting on it.
    Act(Act),
    /// Something in this room may have been missed: read again what is open there.
    Gap {
        /// The room.
        room: OwnedRoomId,
        /// Why.
        why: Why,
    },
    /// Somebody came or left, or has another power: what was known of the room's people is forgotten.
    People {
        /// The room.
        room: OwnedRoomId,
    },
    /// The bot is in a room where it was not.
    Joined {
        /// The room.
        room: OwnedRoomId,
    },
    /// The bot is in a room no more.
    Left {
        /// The room.
        room: OwnedRoomId,
    },
    /// Somebody who is not admitted invited the bot; it did not go.
    Uninvited {
        /// Where to.
        room: OwnedRoomId,
        /// Who, as far as it is known.
        by: Option<OwnedUserId>,
    },
    /// The room was closed. Nothing moves by itself: whoever closed it may not be who may say where requests are shown.
    Tombstone {
        /// The room.
        room: OwnedRoomId,
        /// Who closed it.
        by: OwnedUserId,
        /// The event.
        event: OwnedEventId,
        /// The other room, as they say.
        successor: Option<OwnedRoomId>,
    },
}

/// Why something may have been missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was not listened before.
    Start,
    /// The homeserver left something out.
    Limited,
    /// It was not heard for a while.
    Reconnect,
}

/// The ear of one session.
pub struct Sync {
    reader: Reader,
    keys: Pin<Box<dyn Stream<Item = Keys> + Send>>,
    invitations: Invitations,
    /// Why every room has to be read again after the next answer.
    behind: Option<Why>,
    /// Nothing was ever synced with this store.
    is_first: bool,
    /// Events whose key came, and that could not be fetched again yet.
    come: BTreeSet<(OwnedRoomId, OwnedEventId)>,
}

/// Keys that came.
enum Keys {
    These(Vec<RoomKeyInfo>),
    /// Some, and which ones was lost.
    Some,
}

impl Sync {
    /// Over this reader's session. Nothing is asked yet.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn new(reader: Reader) -> Result<Self, ReadError> {
        let client = reader.session().client();
        let token = client.state_store().get_kv_data(StateStoreDataKey::SyncToken).await;
        let is_first = token.map_err(|fault| ReadError::Store(fault.to_string()))?.is_none();
        let keys: Pin<Box<dyn Stream<Item = Keys> + Send>> =
            match client.encryption().room_keys_received_stream().await {
                Some(keys) => Box::pin(keys.map(|keys| keys.map_or(Keys::Some, Keys::These))),
                None => Box::pin(stream::pending()),
            };
        Ok(Self {
            reader,
            keys,
            invitations: Invitations::default(),
            behind: Some(Why::Start),
            is_first,
            come: BTreeSet::new(),
        })
    }

    /// What fetches again, and judges.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    fn session(&self) -> &Session {
        self.reader.session()
    }

    /// One `/sync`, held open by the homeserver for so long while nothing happens. The first one, and the first after
    /// trouble, is not held open: else Synapse may answer from a cache of two minutes, with what was redacted since.
    ///
    /// # Errors
    /// [`SessionError`]; after [`SessionError::Unreached`] it can be called again, and says what to read again.
    pub async fn step(&mut self, hold: Ttl) -> Result<Vec<Heard>, SessionError> {
        match self.listen(hold).await {
            Ok(heard) => Ok(heard),
            Err(fault) => {
                // The start stays the start until an answer came.
                self.behind.get_or_insert(Why::Reconnect);
                Err(fault)
            }
        }
    }

    async fn listen(&mut self, hold: Ttl) -> Result<Vec<Heard>, SessionError> {
        self.session().check().await?;
        let hold = if self.behind.is_some() { Duration::ZERO } else { hold.as_duration() };
        let settings = SyncSettings::new().timeout(hold).filter(Filter::FilterDefinition(filter()));
        let client = self.session().client().clone();
        let answer = Box::pin(client.sync_once(settings)).await.map_err(|fault| match &fault {
            matrix_sdk::Error::Http(fault) => self.session().fault(fault),
            fault => SessionError::Refused(fault.to_string()),
        })?;
        let mut heard = Vec::new();
        if let Some(why) = self.behind.take() {
            let rooms = client.joined_rooms().into_iter();
            heard.extend(rooms.map(|room| Heard::Gap { room: room.room_id().to_owned(), why }));
        }
        turn::read(&answer.rooms, (self.session().user(), self.is_first), &mut heard);
        self.is_first = false;
        for act in heard.iter().filter_map(unreadable) {
            self.reader.late().add(act.1, &act.0.room, &act.0.event);
        }
        self.late(&mut heard).await;
        self.invitations.answer(self.reader.session(), &answer.rooms.invited, &mut heard).await;
        Ok(heard)
    }

    /// Fetches again what keys opened that came meanwhile. What cannot be fetched now is tried after the next sync.
    async fn late(&mut self, heard: &mut Vec<Heard>) {
        while let Some(Some(keys)) = self.keys.next().now_or_never() {
            match keys {
                Keys::These(keys) => {
                    for key in keys {
                        let come = self.reader.late().take(&key.session_id, &key.room_id);
                        self.come.extend(come.into_iter().map(|event| (key.room_id.clone(), event)));
                    }
                }
                Keys::Some => self.come.extend(self.reader.late().take_all()),
            }
        }
        for (room, event) in std::mem::take(&mut self.come) {
            match self.reader.again(&room, &event).await {
                Ok(Some(confirmed)) if unreadable_act(confirmed.act()).is_none() => {
                    heard.push(Heard::Act(confirmed.act().clone()));
                }
                // Redacted meanwhile, or waiting again.
                Ok(_) => {}
                Err(fault) => {
                    tracing::warn!(error = %fault, room = %room, "an event whose key came cannot be fetched again yet");
                    self.come.insert((room, event));
                }
            }
        }
    }

    /// Listens until the session ends, and hands on what is heard. Whoever hears may take their time: meanwhile nothing
    /// is asked. Dropped at any moment, nothing is lost that a gap does not bring back.
    ///
    /// # Errors
    /// Why the session cannot go on.
    pub async fn run(
        &mut self,
        clock: &dyn Clock,
        mut hear: impl AsyncFnMut(Heard) + Send,
    ) -> Result<std::convert::Infallible, SessionError> {
        let mut pause = PAUSE_MIN;
        loop {
            match self.step(POLL).await {
                Ok(heard) => {
                    pause = PAUSE_MIN;
                    for heard in heard {
                        hear(heard).await;
                    }
                }
                Err(SessionError::Unreached(fault)) => {
                    tracing::warn!(error = %fault, pause = %pause, "the homeserver does not answer");
                    clock.sleep_until(clock.now() + pause).await;
                    pause = Ttl::from_millis((pause.as_millis() * 2).min(PAUSE_MAX.as_millis()));
                }
                Err(fault) => return Err(fault),
            }
        }
    }
}

/// An event whose key may still come, and which one that is.
fn unreadable(heard: &Heard) -> Option<(&Act, &str)> {
    let Heard::Act(act) = heard else { return None };
    unreadable_act(act)
}

fn unreadable_act(act: &Act) -> Option<(&Act, &str)> {
    match &act.backing {
        crate::backing::Backing::Unreadable { session: Some(session), may_come: true } => {
            Some((act, session))
        }
        _ => None,
    }
}

/// What is asked for: rooms' events, many at once, and nothing of who is online or typing.
fn filter() -> FilterDefinition {
    let mut filter = FilterDefinition::default();
    filter.presence = nothing_of();
    filter.room.ephemeral = RoomEventFilter::ignore_all();
    filter.room.timeline.limit = Some(UInt::from(TIMELINE_EVENTS_MAX));
    let lazily = LazyLoadOptions::Enabled { include_redundant_members: false };
    filter.room.state.lazy_load_options = lazily;
    filter
}

fn nothing_of() -> matrix_sdk::ruma::api::client::filter::Filter {
    matrix_sdk::ruma::api::client::filter::Filter::ignore_all()
}
