//! One answer of `/sync`, read: pure.

use matrix_sdk::deserialized_responses::{TimelineEvent, TimelineEventKind};
use matrix_sdk::ruma::{RoomId, UserId};
use matrix_sdk::sync::RoomUpdates;

use super::{Heard, Why};
use crate::backing::{Backing, Sealed};
use crate::event::{Act, Change, Envelope, Read};

/// What an answer says. Of the first one of a store, no act.
pub(super) fn read(rooms: &RoomUpdates, (own, is_first): (&UserId, bool), heard: &mut Vec<Heard>) {
    for (room, update) in &rooms.joined {
        if update.timeline.limited && !gap_is_told(heard, room) {
            heard.push(Heard::Gap { room: room.clone(), why: Why::Limited });
        }
        timeline(room, &update.timeline.events, (own, is_first), heard);
    }
    for room in rooms.left.keys() {
        heard.push(Heard::Left { room: room.clone() });
    }
}

fn gap_is_told(heard: &[Heard], of: &RoomId) -> bool {
    heard.iter().any(|heard| matches!(heard, Heard::Gap { room, .. } if room == of))
}

fn timeline(
    room: &RoomId,
    events: &[TimelineEvent],
    (own, is_first): (&UserId, bool),
    heard: &mut Vec<Heard>,
) {
    let from = heard.len();
    let mut people_changed = false;
    for event in events {
        let Some(envelope) = Envelope::parse(event.raw().json().get()) else { continue };
        match envelope.read(false) {
            Some(Read::Change(Change::Membership { of, is_joined: true })) if of == own => {
                // What stands before it was said before the bot came.
                heard.truncate(from);
                people_changed = true;
                heard.push(Heard::Joined { room: room.to_owned() });
            }
            Some(Read::Change(Change::Membership { .. } | Change::Power)) => people_changed = true,
            Some(Read::Change(Change::Tombstone { successor })) => heard.push(Heard::Tombstone {
                room: room.to_owned(),
                by: envelope.sender.clone(),
                event: envelope.event_id.clone(),
                successor,
            }),
            Some(Read::Act(what)) if envelope.sender != own && !is_first => {
                let sent_at = envelope.sent_at();
                let Envelope { event_id, sender, .. } = envelope;
                let (room, backing) = (room.to_owned(), backing(&event.kind));
                heard.push(Heard::Act(Act { room, event: event_id, sender, sent_at, what, backing }));
            }
            Some(Read::Act(_) | Read::Redacted) | None => {}
        }
    }
    if people_changed {
        heard.push(Heard::People { room: room.to_owned() });
    }
}

fn backing(kind: &TimelineEventKind) -> Backing {
    match kind {
        TimelineEventKind::Decrypted(decrypted) => Backing::Encrypted(Sealed::of(&decrypted.encryption_info)),
        TimelineEventKind::UnableToDecrypt { utd_info, .. } => Backing::Unreadable {
            session: utd_info.session_id.clone(),
            may_come: utd_info.reason.is_missing_room_key(),
        },
        TimelineEventKind::PlainText { .. } => Backing::Cleartext,
    }
}

#[cfg(test)]
mod tests {
    use matrix_sdk::deserialized_responses::{UnableToDecryptInfo, UnableToDecryptReason};
    use matrix_sdk::ruma::events::AnySyncTimelineEvent;
    use matrix_sdk::ruma::serde::Raw;
    use matrix_sdk::ruma::{owned_room_id, user_id};
    use matrix_sdk::sync::JoinedRoomUpdate;
    use serde_json::{Value, json};

    use super::*;
    use crate::event::What;

    const BOT: &str = "@bot:example.org";

    fn raw(event: &Value) -> Raw<AnySyncTimelineEvent> {
        Raw::from_json_string(event.to_string()).unwrap()
    }

    fn said(id: &str, sender: &str, body: &str) -> Value {
        json!({
            "type": "m.room.message", "event_id": id, "sender": sender, "origin_server_ts": 1,
            "content": { "msgtype": "m.text", "body": body },
        })
    }

    fn state(kind: &str, key: &str, content: Value) -> Value {
        json!({
            "type": kind, "event_id": "$state", "sender": "@alice:example.org", "origin_server_ts": 1,
            "state_key": key, "content": content,
        })
    }

    fn hear(events: &[Value], limited: bool, is_first: bool) -> Vec<String> {
        let mut update = JoinedRoomUpdate::default();
        update.timeline.limited = limited;
        update.timeline.events =
            events.iter().map(|event| TimelineEvent::from_plaintext(raw(event))).collect();
        let mut rooms = RoomUpdates::default();
        rooms.joined.insert(owned_room_id!("!room:example.org"), update);
        let mut heard = Vec::new();
        read(&rooms, (user_id!("@bot:example.org"), is_first), &mut heard);
        heard
            .iter()
            .map(|heard| match heard {
                Heard::Act(Act { event, what: What::Message(said), .. }) => format!("{event} {}", said.body),
                Heard::Act(act) => format!("{} {:?}", act.event, act.what),
                Heard::Gap { why, .. } => format!("gap {why:?}"),
                Heard::People { .. } => "people".to_owned(),
                Heard::Joined { .. } => "joined".to_owned(),
                Heard::Left { .. } => "left".to_owned(),
                Heard::Uninvited { .. } => "uninvited".to_owned(),
                Heard::Tombstone { by, successor, .. } => format!("closed by {by} for {successor:?}"),
            })
            .collect()
    }

    /// R31: the bot does not listen to itself.
    #[test]
    fn own_messages_are_not_heard() {
        let events = [said("$one", "@alice:example.org", "hello"), said("$two", BOT, "!placet approve")];
        assert_eq!(hear(&events, false, false), ["$one hello"]);
    }

    /// R31: what was said before the bot came is nothing to it; what comes after is.
    #[test]
    fn what_stands_before_the_own_coming_is_dropped() {
        let events = [
            said("$before", "@alice:example.org", "!placet freeze"),
            state("m.room.member", BOT, json!({ "membership": "join" })),
            said("$after", "@alice:example.org", "hello"),
        ];
        assert_eq!(hear(&events, false, false), ["joined", "$after hello", "people"]);
    }

    /// R31: a new store has every old command before it, and executes none.
    #[test]
    fn the_first_sync_of_a_store_hands_on_no_act() {
        let events = [said("$old", "@alice:example.org", "!placet freeze")];
        assert!(hear(&events, false, true).is_empty());
        assert_eq!(hear(&events, true, true), ["gap Limited"]);
        assert_eq!(hear(&events, false, false), ["$old !placet freeze"]);
    }

    /// R31: a room that was closed is told, with who says where it goes; people who come and go are told once.
    #[test]
    fn changes_of_a_room_are_told() {
        let events = [
            state("m.room.member", "@bo:example.org", json!({ "membership": "leave" })),
            state("m.room.power_levels", "", json!({})),
            state("m.room.tombstone", "", json!({ "replacement_room": "!new:example.org" })),
        ];
        assert_eq!(
            hear(&events, true, false),
            ["gap Limited", "closed by @alice:example.org for Some(\"!new:example.org\")", "people"]
        );
    }

    /// R31: an event that nobody can read yet is told, with the key that it waits for.
    #[test]
    fn what_cannot_be_read_is_told() {
        let event = json!({
            "type": "m.room.encrypted", "event_id": "$closed", "sender": "@alice:example.org",
            "origin_server_ts": 1, "content": { "algorithm": "m.megolm.v1.aes-sha2" },
        });
        let info = |reason| UnableToDecryptInfo { session_id: Some("key".to_owned()), reason };
        for (reason, may_come) in [
            (UnableToDecryptReason::MissingMegolmSession { withheld_code: None }, true),
            (UnableToDecryptReason::MegolmDecryptionFailure, false),
        ] {
            let closed = TimelineEvent::from_utd(raw(&event), info(reason));
            let backing = backing(&closed.kind);
            assert_eq!(backing, Backing::Unreadable { session: Some("key".to_owned()), may_come });
        }
        assert_eq!(backing(&TimelineEvent::from_plaintext(raw(&event)).kind), Backing::Cleartext);
    }
}
