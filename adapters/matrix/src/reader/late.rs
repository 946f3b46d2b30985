//! Encrypted events whose key has not come: what to fetch again when it does.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use matrix_sdk::ruma::{EventId, OwnedEventId, OwnedRoomId, RoomId};

/// Events that are waited for. Keys come within seconds or never; a restart reads everything that is open again.
const LATE_MAX: usize = 1_000;

/// The events that are waited for, oldest first.
#[derive(Default)]
pub(crate) struct Late(Mutex<VecDeque<Waiting>>);

#[derive(Debug, PartialEq, Eq)]
struct Waiting {
    session: String,
    room: OwnedRoomId,
    event: OwnedEventId,
}

impl Late {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the key of an event. The oldest is given up where too many are waited for.
    pub(crate) fn add(&self, session: &str, room: &RoomId, event: &EventId) {
        let new = Waiting { session: session.to_owned(), room: room.to_owned(), event: event.to_owned() };
        let mut waiting = self.waiting();
        if waiting.contains(&new) {
            return;
        }
        if waiting.len() == LATE_MAX {
            waiting.pop_front();
            tracing::warn!(waiting.max = LATE_MAX, "more encrypted events wait for their keys than are kept");
        }
        waiting.push_back(new);
    }

    /// Takes out what a key opens.
    pub(crate) fn take(&self, session: &str, room: &RoomId) -> Vec<OwnedEventId> {
        let mut waiting = self.waiting();
        let (come, rest) =
            waiting.drain(..).partition::<Vec<_>, _>(|of| of.session == session && of.room == room);
        waiting.extend(rest);
        come.into_iter().map(|of| of.event).collect()
    }

    /// Takes out everything: which keys came is not known.
    pub(crate) fn take_all(&self) -> Vec<(OwnedRoomId, OwnedEventId)> {
        self.waiting().drain(..).map(|of| (of.room, of.event)).collect()
    }
}

#[cfg(test)]
mod tests {
    use matrix_sdk::ruma::{event_id, room_id};

    use super::*;

    /// R31: a late key brings back what it opens, in order, once, and nothing else.
    #[test]
    fn a_key_brings_back_what_it_opens() {
        let late = Late::default();
        let (here, there) = (room_id!("!here:example.org"), room_id!("!there:example.org"));
        for event in [event_id!("$one"), event_id!("$two"), event_id!("$one")] {
            late.add("key", here, event);
        }
        late.add("key", there, event_id!("$three"));
        late.add("other", here, event_id!("$four"));
        assert_eq!(late.take("key", here), ["$one", "$two"]);
        assert!(late.take("key", here).is_empty());
        assert_eq!(late.take_all().len(), 2);
        assert!(late.take("other", here).is_empty());
    }

    #[test]
    fn the_oldest_is_given_up() {
        let late = Late::default();
        let room = room_id!("!here:example.org");
        for number in 0..=LATE_MAX {
            late.add("key", room, &EventId::parse(format!("${number}")).unwrap());
        }
        let kept = late.take("key", room);
        assert_eq!((kept.len(), kept[0].as_str()), (LATE_MAX, "$1"));
    }
}
