//! The way in: what people do in rooms becomes what the gate takes.
//!
//! What always holds:
//! - What was heard is a hint. The signs on a card – reactions, answers of its poll – are read again as they are now, and
//!   only what is there counts: a reaction that was taken away before it was looked at was never given.
//! - A card is what the store knows as a card of this surface; nothing that an event says of itself makes one.
//! - A delivery is named by the event, or by its ciphertext where it has one: however often it is heard, it counts once.
//! - What could not be read or kept is not consumed: it is done again after the next sync.
//! - Who is admitted nowhere decides nothing, and is told nothing: rooms are not closed to strangers.
//!
//! ```text
//! Heard → Todo → the signs of one card, as they are now → votes, and votes taken back → Gate::receive
//! ```

mod poll;
mod signs;
mod unproven;
mod words;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use matrix_sdk::ruma::{EventId, OwnedEventId, OwnedRoomId, RoomId, UserId};
use placet::approval::{Actor, Approval, Status};
use placet::command::Commands;
use placet::gate::{Gate, Received};
use placet::id::{DeliveryKey, RequestId};
use placet::inbound::{Act as Deed, Inbound, Located, MessageRef, ReplyTo};
use placet::person::Identity;
use placet::ports::{RequestQuery, StoreError, SurfaceError};
use sha2::{Digest as _, Sha256};

use crate::MatrixDirectory;
use crate::event::{Act, What};
use crate::reader::{Confirmed, ReadError, Reader};
use crate::surface::Matrix;
use crate::sync::Heard;

/// Requests that are asked about and looked at again, most urgent first: more are not decided by people in time anyway.
const LOOKED_AT_MAX: u32 = 1_000;

/// Things to do that are kept while they cannot be done. Beyond that everything is read again, which finds them too.
const OPEN_MAX: usize = 1_000;

/// What did not count and is remembered as told.
const TOLD_MAX: usize = 10_000;

/// Where what people do goes. Cheap to clone.
#[derive(Clone)]
pub struct MatrixInbound(Arc<Parts>);

struct Parts {
    gate: Gate,
    matrix: Matrix,
    reader: Reader,
    directory: MatrixDirectory,
    commands: Commands,
    /// What is to be done. It stays here until it is.
    open: Mutex<BTreeSet<Todo>>,
    /// What did not count, so that each is told once as long as this process lives.
    told: Mutex<BTreeSet<DeliveryKey>>,
}

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Todo {
    /// The signs of one card.
    Card(OwnedRoomId, OwnedEventId),
    /// An answer of a poll.
    Answer(OwnedRoomId, OwnedEventId),
    /// Something that somebody wrote.
    Words(OwnedRoomId, OwnedEventId),
    /// The signs of every card in a room on which somebody decided by one, since one of them was taken away.
    Taken(OwnedRoomId),
    /// The signs of every card in a room that is asked about.
    Room(OwnedRoomId),
}

/// Why something could not be done yet.
#[derive(Debug, thiserror::Error)]
enum Left {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Surface(#[from] SurfaceError),
}

impl Left {
    /// Whether it may be better another time.
    const fn is_passing(&self) -> bool {
        match self {
            Self::Read(fault) => !matches!(fault, ReadError::NoRoom(_) | ReadError::Refused(_)),
            Self::Store(_) => true,
            Self::Surface(fault) => {
                matches!(fault, SurfaceError::Later { .. } | SurfaceError::Unknown { .. })
            }
        }
    }
}

impl MatrixInbound {
    /// To this gate, from the rooms that the reader reads.
    #[must_use]
    pub fn new(gate: Gate, matrix: Matrix, reader: Reader, directory: MatrixDirectory) -> Self {
        let commands = Commands::new(gate.clone());
        Self(Arc::new(Parts {
            gate,
            commands,
            matrix,
            reader,
            directory,
            open: Mutex::default(),
            told: Mutex::default(),
        }))
    }

    /// Takes what was heard in one sync, and does what it asks for, with what was left from before.
    pub async fn hear(&self, heard: Vec<Heard>) {
        for heard in heard {
            self.note(heard);
        }
        self.catch_up().await;
    }

    /// Does what was heard and is not done yet.
    pub async fn catch_up(&self) {
        let open: Vec<Todo> = self.open().iter().cloned().collect();
        for todo in open {
            match self.does(&todo).await {
                Ok(()) => {
                    self.open().remove(&todo);
                }
                Err(fault) if fault.is_passing() => {
                    tracing::warn!(error = %fault, ?todo, "what was done in a room cannot be read yet; it is tried again");
                }
                Err(fault) => {
                    tracing::error!(error = %fault, ?todo, "what was done in a room cannot be read");
                    self.open().remove(&todo);
                }
            }
        }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, BTreeSet<Todo>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is heard for the first time here.
    fn is_new(&self, delivery: &DeliveryKey) -> bool {
        let mut told = self.0.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= TOLD_MAX {
            told.clear();
        }
        told.insert(delivery.clone())
    }

    /// Whether this was taken already.
    fn was_taken(&self, delivery: &DeliveryKey) -> bool {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).contains(delivery)
    }

    fn is_to_do(&self, todo: Todo) {
        let mut open = self.open();
        if open.len() < OPEN_MAX {
            open.insert(todo);
            return;
        }
        let (Todo::Card(room, _)
        | Todo::Answer(room, _)
        | Todo::Words(room, _)
        | Todo::Taken(room)
        | Todo::Room(room)) = todo;
        open.insert(Todo::Room(room));
    }

    fn note(&self, heard: Heard) {
        match heard {
            Heard::Act(act) => self.note_act(act),
            Heard::Gap { room, why } => {
                tracing::debug!(%room, ?why, "what is open in a room is read again");
                self.is_to_do(Todo::Room(room));
            }
            Heard::People { room } => self.0.directory.forget_room(&room, &[]),
            Heard::Joined { room } => {
                tracing::info!(%room, "the bot is in a room");
                self.is_to_do(Todo::Room(room));
            }
            Heard::Left { room } => {
                tracing::warn!(%room, "the bot is in a room no more: no card gets through there until somebody invites it");
            }
            Heard::Uninvited { room, by } => {
                let by = by.map_or_else(|| "somebody".to_owned(), |by| by.to_string());
                tracing::warn!(%room, by, "an invitation by somebody who is not admitted was not followed");
            }
            Heard::Tombstone { room, by, successor, .. } => {
                let successor = successor.map_or_else(|| "none".to_owned(), |room| room.to_string());
                tracing::error!(
                    %room, %by, successor,
                    "a room was closed: its cards stay there, and new ones do not get through until the settings or the policy \
                     name another room"
                );
            }
        }
    }

    fn note_act(&self, act: Act) {
        let Act { room, event, what, .. } = act;
        match what {
            What::Reaction { on, .. } => self.is_to_do(Todo::Card(room, on)),
            What::PollAnswer { .. } => self.is_to_do(Todo::Answer(room, event)),
            What::Redaction { .. } => self.is_to_do(Todo::Taken(room)),
            What::Message(_) => self.is_to_do(Todo::Words(room, event)),
            What::Edit { .. } | What::Unreadable { .. } => {}
        }
    }

    async fn does(&self, todo: &Todo) -> Result<(), Left> {
        match todo {
            Todo::Card(room, event) => self.reads_card(room, event).await,
            Todo::Answer(room, event) => self.reads_answer(room, event).await,
            Todo::Words(room, event) => Box::pin(self.reads_words(room, event)).await,
            Todo::Taken(room) => self.reads_room(room, true).await,
            Todo::Room(room) => self.reads_room(room, false).await,
        }
    }

    /// The signs of a card that somebody put one on; whether or not it is asked about still, so that who comes too late is
    /// told.
    async fn reads_card(&self, room: &RoomId, event: &EventId) -> Result<(), Left> {
        let message = message(room, event);
        let tenant = &self.0.matrix.settings().tenant;
        let Some(request) = self.0.gate.store().card_at(tenant, &message).await? else { return Ok(()) };
        let approval = self.0.gate.load(tenant, request).await?;
        self.reads_signs(&approval, room, event).await
    }

    /// The signs of the cards of a room that are asked about; if so wanted, only of those on which somebody has decided by
    /// a sign.
    async fn reads_room(&self, room: &RoomId, only_with_signs: bool) -> Result<(), Left> {
        let tenant = &self.0.matrix.settings().tenant;
        let store = self.0.gate.store();
        let asked = RequestQuery {
            tenant: Some(tenant.clone()),
            statuses: vec![Status::WaitingApproval],
            soonest: true,
            limit: LOOKED_AT_MAX,
            ..RequestQuery::default()
        };
        for approval in store.list(asked).await? {
            // What stands on another's card is decided there.
            let is_own = approval.card_owner() == approval.id;
            let has_signs = approval.votes.iter().any(|vote| self.is_sign(vote));
            if !is_own || (only_with_signs && !has_signs) {
                continue;
            }
            for card in self.cards_in(&approval, room).await? {
                self.reads_signs(&approval, room, &card).await?;
            }
        }
        Ok(())
    }

    /// The cards of a request in a room: one, or more where an answer was lost.
    async fn cards_in(&self, approval: &Approval, room: &RoomId) -> Result<Vec<OwnedEventId>, Left> {
        let rows = self.0.gate.store().cards_of(&approval.tenant, approval.card_owner()).await?;
        let here = rows.into_iter().filter(|row| row.place.surface == *self.name());
        let cards = here.flat_map(|row| row.messages).filter(|card| card.message.channel == room.as_str());
        Ok(cards.filter_map(|card| OwnedEventId::try_from(card.message.id).ok()).collect())
    }

    fn name(&self) -> &placet::id::SurfaceName {
        &self.0.matrix.settings().name
    }

    /// Hands on what somebody did to a request, on the message that is its card.
    async fn delivers(
        &self,
        approval: &Approval,
        (delivery, account): (DeliveryKey, &UserId),
        (card, act): (MessageRef, Deed),
    ) -> Result<(), Left> {
        let Some(identity) = identity(account) else { return Ok(()) };
        let surface = self.name().clone();
        if !self.0.reader.admits(account) {
            let by = Actor::Account(identity);
            self.0.gate.note_stranger(&approval.tenant, by, "vote", approval.code.as_str()).await;
            return Ok(());
        }
        let reply = ReplyTo {
            surface: surface.clone(),
            channel: card.channel.clone(),
            thread: Some(card.id.clone()),
            identity,
        };
        let inbound = Inbound {
            delivery,
            at: self.0.gate.clock().now(),
            tenant: approval.tenant.clone(),
            request: approval.id,
            message: Some(Located { surface, message: card }),
            reply: Some(reply),
            act,
        };
        match self.0.gate.receive(inbound).await? {
            Received::Decided(_) | Received::Kept | Received::NoSuchRequest => Ok(()),
        }
    }

    /// The name of a delivery: this surface's, and the act's own.
    fn delivery(&self, confirmed: &Confirmed) -> Option<DeliveryKey> {
        self.delivery_of(&confirmed.key())
    }

    /// Ids in Matrix can be longer than a delivery's name may be.
    fn delivery_of(&self, key: &str) -> Option<DeliveryKey> {
        let hash: String = Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect();
        DeliveryKey::new(format!("{}:{hash}", self.name())).ok()
    }

    async fn load(&self, request: RequestId) -> Result<Option<Approval>, Left> {
        match self.0.gate.load(&self.0.matrix.settings().tenant, request).await {
            Ok(approval) => Ok(Some(approval)),
            Err(StoreError::NotFound) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }
}

/// An account as the domain has it. The sender is the homeserver's word, never the event's text.
fn identity(account: &UserId) -> Option<Identity> {
    Identity::matrix(account.as_str()).ok()
}

fn message(room: &RoomId, event: &EventId) -> MessageRef {
    MessageRef { channel: room.to_string(), id: event.to_string() }
}
