//! What is pressed on a card: Placet's own reactions, or its poll.
//!
//! What always holds: what is there is read from the room whenever it is not known, so that a restart takes nothing for new;
//! only what Placet's own account sent counts as Placet's.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use matrix_sdk::Room;
use matrix_sdk::ruma::api::client::redact::redact_event;
use matrix_sdk::ruma::api::client::relations::get_relating_events_with_rel_type as relating;
use matrix_sdk::ruma::events::relation::RelationType;
use matrix_sdk::ruma::{OwnedEventId, TransactionId, UInt};
use placet::call::ShownDigest;
use placet::card::CardView;
use placet::inbound::MessageRef;
use placet::ports::SurfaceError;
use serde::Deserialize;

use super::Matrix;
use super::fault::http_error;
use super::send::{event_id, is_redacted, once};
use crate::content;
use crate::render::{Buttons, Rendering, poll};

/// The reaction that is a yes.
pub const YES: &str = "✅";
/// The reaction that is a no.
pub const NO: &str = "❌";
/// The type of a reaction.
const REACTION: &str = "m.reaction";
/// How many relations are read at once, and how often: a card with more is no card that people decide on.
const PAGE: u32 = 100;
/// See [`PAGE`].
const PAGES_MAX: usize = 10;
/// The cards of which something is kept in mind. What is forgotten is read again.
const CARDS_MAX: usize = 4_096;

/// What is known to be around cards.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<HashMap<MessageRef, Around>>);

/// What is known to be around one.
#[derive(Debug, Clone, Default)]
struct Around {
    /// Placet's reactions, by what they are; none while that is not known.
    reactions: Option<BTreeMap<String, OwnedEventId>>,
    /// Placet's poll, and whether it goes on; none while that is not known.
    poll: Option<PollState>,
    /// What of the call stands whole in the thread.
    parts: Option<ShownDigest>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PollState {
    Missing,
    Open(OwnedEventId),
    Over,
}

impl Known {
    /// A card that was posted just now has nothing around it.
    pub(super) fn is_new(&self, card: &MessageRef) {
        self.put(card, |around| {
            around.reactions.get_or_insert_default();
            around.poll.get_or_insert(PollState::Missing);
        });
    }

    pub(super) fn has_parts(&self, card: &MessageRef, shown: ShownDigest) -> bool {
        self.get(card).parts == Some(shown)
    }

    pub(super) fn parts_are_there(&self, card: &MessageRef, shown: ShownDigest) {
        self.put(card, |around| around.parts = Some(shown));
    }

    fn get(&self, card: &MessageRef) -> Around {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(card).cloned().unwrap_or_default()
    }

    fn put(&self, card: &MessageRef, change: impl FnOnce(&mut Around)) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CARDS_MAX && !known.contains_key(card) {
            known.clear();
        }
        change(known.entry(card.clone()).or_default());
    }
}

impl Matrix {
    /// Puts ✅ and ❌ there where they decide, and takes away what does not.
    pub(super) async fn put_reactions(
        &self,
        room: &Room,
        card: &MessageRef,
        rendering: &Rendering,
    ) -> Result<(), SurfaceError> {
        let mut there = match self.0.known.get(card).reactions {
            Some(there) => there,
            None => self.own_reactions(room, card).await?,
        };
        let wanted = [(YES, rendering.reaction_approves()), (NO, rendering.reaction_denies())];
        for (key, wanted) in wanted {
            match (there.get(key).cloned(), wanted) {
                (None, true) => match self.send(room, REACTION, content::reaction(&card.id, key), None).await
                {
                    Ok(sent) => {
                        there.insert(key.to_owned(), sent);
                    }
                    // It may be there already: homeservers refuse the same reaction twice.
                    Err(fault @ SurfaceError::Never { .. }) => {
                        there = self.own_reactions(room, card).await?;
                        if !there.contains_key(key) {
                            return Err(fault);
                        }
                    }
                    Err(fault) => return Err(fault),
                },
                (Some(event), false) => {
                    self.redact(room, event).await?;
                    there.remove(key);
                }
                (Some(_), true) | (None, false) => {}
            }
            self.0.known.put(card, |around| around.reactions = Some(there.clone()));
        }
        Ok(())
    }

    /// Begins the poll where one decides, and ends it where nobody is asked any more.
    pub(super) async fn put_poll(
        &self,
        room: &Room,
        card: &MessageRef,
        (view, rendering): (&CardView, &Rendering),
    ) -> Result<(), SurfaceError> {
        if self.0.settings.manner.buttons != Buttons::Poll {
            return Ok(());
        }
        let there = match self.0.known.get(card).poll {
            Some(there) => there,
            None => self.own_poll(room, card).await?,
        };
        let wanted = poll::start(view, rendering, self.texts(&card.channel));
        let now = match (there, wanted) {
            (PollState::Missing, Some(mut start)) => {
                start["m.relates_to"] = serde_json::json!({ "rel_type": "m.reference", "event_id": card.id });
                let start = content::marked(start, &super::mark_of(view, rendering, None));
                PollState::Open(self.send(room, poll::POLL_START, start, None).await?)
            }
            (PollState::Open(event), None) => {
                let end = poll::end(event.as_str(), &rendering.headline);
                self.send(room, poll::POLL_END, end, None).await?;
                PollState::Over
            }
            (there, _) => there,
        };
        self.0.known.put(card, |around| around.poll = Some(now));
        Ok(())
    }

    async fn redact(&self, room: &Room, event: OwnedEventId) -> Result<(), SurfaceError> {
        let request = redact_event::v3::Request::new(room.room_id().to_owned(), event, TransactionId::new());
        match self.0.client.send(request).with_request_config(once()).await {
            Ok(_) => Ok(()),
            Err(fault) => match http_error(&fault) {
                // It is not there any more.
                SurfaceError::Gone { .. } => Ok(()),
                fault => Err(fault),
            },
        }
    }

    /// Placet's reactions on a card, as the homeserver has them.
    async fn own_reactions(
        &self,
        room: &Room,
        card: &MessageRef,
    ) -> Result<BTreeMap<String, OwnedEventId>, SurfaceError> {
        let own = self.own_relations(room, &card.id, RelationType::Annotation).await?;
        Ok(own.into_iter().filter_map(|(event, relation)| Some((relation.key?, event))).collect())
    }

    /// Placet's poll beside a card, as the homeserver has it. Of two, which only a lost answer makes, the newest counts.
    async fn own_poll(&self, room: &Room, card: &MessageRef) -> Result<PollState, SurfaceError> {
        let own = self.own_relations(room, &card.id, RelationType::Reference).await?;
        let Some((poll, _)) = own.into_iter().next() else { return Ok(PollState::Missing) };
        let ends = self.own_relations(room, poll.as_str(), RelationType::Reference).await?;
        Ok(if ends.is_empty() { PollState::Open(poll) } else { PollState::Over })
    }

    /// What Placet's own account sent with such a relation to an event, the newest first. The relation of an encrypted event
    /// is not encrypted.
    async fn own_relations(
        &self,
        room: &Room,
        to: &str,
        kind: RelationType,
    ) -> Result<Vec<(OwnedEventId, Relation)>, SurfaceError> {
        let to = event_id(to)?;
        let (mut own, mut from) = (Vec::new(), None);
        for _ in 0..PAGES_MAX {
            let mut request = relating::v1::Request::new(room.room_id().to_owned(), to.clone(), kind.clone());
            request.limit = Some(UInt::from(PAGE));
            request.from = from.take();
            let answer = self.0.client.send(request).with_request_config(once()).await;
            let answer = answer.map_err(|fault| http_error(&fault))?;
            for event in &answer.chunk {
                let found = event.deserialize_as_unchecked::<Related>();
                let is_own = |event: &Related| Some(event.sender.as_str()) == self.own_id();
                if let Some(found) = found.ok().filter(is_own)
                    && !is_redacted(event)
                    && let (Ok(id), Some(relation)) = (event_id(&found.event_id), found.content.relation)
                {
                    own.push((id, relation));
                }
            }
            from = answer.next_batch;
            if from.is_none() {
                break;
            }
        }
        Ok(own)
    }

    /// Placet's own account.
    pub(super) fn own_id(&self) -> Option<&str> {
        self.0.client.user_id().map(matrix_sdk::ruma::UserId::as_str)
    }
}

#[derive(Deserialize)]
struct Related {
    event_id: String,
    sender: String,
    content: RelatedContent,
}

#[derive(Deserialize)]
struct RelatedContent {
    #[serde(rename = "m.relates_to")]
    relation: Option<Relation>,
}

#[derive(Deserialize)]
struct Relation {
    key: Option<String>,
}
