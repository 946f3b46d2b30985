//! Invitations: the bot goes where somebody who is admitted asks it to, and nowhere else.

use std::collections::BTreeMap;

use matrix_sdk::ruma::serde::Raw;
use matrix_sdk::ruma::{OwnedRoomId, OwnedUserId, UserId};
use matrix_sdk::sync::InvitedRoomUpdate;
use serde::Deserialize;
use serde_json::Value;

use super::Heard;
use crate::session::Session;

/// How often going somewhere is tried, once after each sync. The homeserver may not know of the invitation yet where it
/// hands it on (a race between servers that Matrix has); whoever invites can do so again.
const TRIES_MAX: u32 = 10;

/// Rooms that are tried at a time. An admitted server's people could invite the bot to any number.
const ROOMS_MAX: usize = 100;

/// Where the bot is to go, and how often that was tried.
#[derive(Default)]
pub(super) struct Invitations(BTreeMap<OwnedRoomId, u32>);

impl Invitations {
    /// Answers what came, and tries again what did not work.
    pub(super) async fn answer(
        &mut self,
        session: &Session,
        invited: &BTreeMap<OwnedRoomId, InvitedRoomUpdate>,
        heard: &mut Vec<Heard>,
    ) {
        for (room, update) in invited {
            let by = inviter(&update.invite_state.events, session.user());
            let is_admitted = by.as_ref().is_some_and(|by| session.settings().people.admits(by));
            if !is_admitted {
                self.refuse(session, room).await;
                heard.push(Heard::Uninvited { room: room.clone(), by });
            } else if self.0.len() < ROOMS_MAX {
                self.0.insert(room.clone(), 0);
            } else {
                tracing::warn!(room = %room, "more invitations wait than are kept; invite the bot again later");
            }
        }
        let mut gone = Vec::new();
        for (room, tries) in &mut self.0 {
            match session.client().join_room_by_id(room).await {
                // That it came there is told by the next sync.
                Ok(_) => gone.push(room.clone()),
                Err(fault) => {
                    *tries += 1;
                    if *tries == TRIES_MAX {
                        tracing::warn!(error = %fault, room = %room, "the bot cannot follow an invitation; invite it again");
                        gone.push(room.clone());
                    }
                }
            }
        }
        for room in gone {
            self.0.remove(&room);
        }
    }

    async fn refuse(&mut self, session: &Session, room: &OwnedRoomId) {
        self.0.remove(room);
        let Some(room) = session.client().get_room(room) else { return };
        if let Err(fault) = room.leave().await {
            tracing::warn!(error = %fault, room = %room.room_id(), "an invitation could not be refused; it is not followed");
        }
    }
}

/// Who invites: who set the bot's own membership. None if that cannot be told.
fn inviter<T>(state: &[Raw<T>], own: &UserId) -> Option<OwnedUserId> {
    #[derive(Deserialize)]
    struct Stripped {
        sender: OwnedUserId,
        #[serde(rename = "type")]
        kind: String,
        #[serde(default)]
        state_key: Option<String>,
        #[serde(default)]
        content: Value,
    }
    let parsed = state.iter().filter_map(|raw| serde_json::from_str::<Stripped>(raw.json().get()).ok());
    let mut inviters = parsed.filter(|event| {
        event.kind == "m.room.member"
            && event.state_key.as_deref() == Some(own.as_str())
            && event.content.get("membership").is_some_and(|membership| membership == "invite")
    });
    // Two of them contradict each other: nobody's word counts.
    match (inviters.next(), inviters.next()) {
        (Some(event), None) => Some(event.sender),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use matrix_sdk::ruma::events::AnyStrippedStateEvent;
    use matrix_sdk::ruma::{owned_user_id, user_id};
    use serde_json::json;

    use super::*;

    /// R31: who invites is who set the bot's own membership, not who says anything else in the room's state.
    #[test]
    fn the_inviter_is_who_set_the_bots_membership() {
        let event = |sender: &str, key: &str, membership: &str| {
            let json = json!({
                "type": "m.room.member", "sender": sender, "state_key": key, "content": { "membership": membership },
            });
            Raw::<AnyStrippedStateEvent>::from_json_string(json.to_string()).unwrap()
        };
        let (bot, alice) = ("@bot:example.org", "@alice:example.org");
        let own = user_id!("@bot:example.org");
        let invited = [event(alice, alice, "join"), event("@mallory:example.org", bot, "invite")];
        assert_eq!(inviter(&invited, own), Some(owned_user_id!("@mallory:example.org")));
        assert_eq!(inviter(&invited[..1], own), None);
        assert_eq!(inviter(&[event(alice, bot, "join")], own), None);
        let two = [event(alice, bot, "invite"), event("@mallory:example.org", bot, "invite")];
        assert_eq!(inviter(&two, own), None);
    }
}
