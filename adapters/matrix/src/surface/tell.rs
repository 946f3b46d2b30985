//! One-off messages: beneath a card, to operators, or to one account alone.
//!
//! What always holds: what is for one account goes to a direct room, which is encrypted; only a refusal is said where it was
//! asked for, because everybody there saw what was tried. Each carries its number as its transaction id, so that the same
//! again is the same message.

use std::collections::BTreeSet;

use matrix_sdk::Room;
use matrix_sdk::ruma::events::room::member::MembershipState;
use matrix_sdk::ruma::{OwnedUserId, UserId};
use placet::approval::{OutcomeKind, Refusal};
use placet::inbound::ReplyTo;
use placet::notice::{Mention, Message, Notice, Recipient};
use placet::person::Identity;
use placet::ports::{SurfaceError, Telling};
use placet::time::Ttl;
use serde_json::json;

use super::fault::{NO_OPS_ROOM, NOT_A_MATRIX_ACCOUNT, surface_error};
use super::send::MESSAGE;
use super::{ACCOUNT_REALM, Matrix};
use crate::content::{self, Beneath, NOTICE_KEY, Voice};
use crate::render::{self, Notes};

/// How old what is known of a group may be for a mention: nothing is decided by it.
const GROUP_AGE_MAX: Ttl = Ttl::from_mins(10);
/// The most accounts that a message mentions: more is calling everybody.
const MENTIONS_MAX: usize = 20;

impl Matrix {
    pub(super) async fn say(&self, message: &Message, telling: &Telling) -> Result<(), SurfaceError> {
        match &message.to {
            Recipient::Account(reply) if is_said_openly(&message.notice, reply) => {
                let room = self.room(&reply.channel)?;
                let beneath = reply.thread.as_deref().map_or(Beneath::Room, Beneath::Thread);
                self.say_in(&room, beneath, message, telling).await
            }
            Recipient::Account(ReplyTo { identity, .. }) | Recipient::Directly(identity) => {
                let room = self.direct_room(identity).await?;
                self.say_in(&room, Beneath::Room, message, telling).await
            }
            Recipient::Operators => {
                let room = self.0.settings.ops_room.as_deref();
                let room = room.ok_or_else(|| SurfaceError::Never { why: NO_OPS_ROOM.to_owned() })?;
                self.say_in(&self.room(room)?, Beneath::Room, message, telling).await
            }
            Recipient::Place(place) => {
                let room = self.room(self.room_of(place))?;
                let beneath = place.thread.as_deref().map_or(Beneath::Room, Beneath::Thread);
                self.say_in(&room, beneath, message, telling).await
            }
            // The gate finds their place, or makes one message for each of them, first.
            Recipient::Roles(_) | Recipient::Askers(_) => {
                Err(SurfaceError::Never { why: "it is for several".to_owned() })
            }
        }
    }

    async fn say_in(
        &self,
        room: &Room,
        beneath: Beneath<'_>,
        message: &Message,
        telling: &Telling,
    ) -> Result<(), SurfaceError> {
        let notice = &message.notice;
        let mentions = self.mentioned(&message.mentions).await;
        let (who_can, texts) = (self.who_can(notice), self.texts(room.room_id().as_str()));
        let prefix = self.0.settings.manner.prefix.as_str();
        let notes = Notes { who_can: &who_can, mentions: &mentions, prefix };
        let written = render::notice(notice, &notes, texts);
        let number = format!("placet-{}-{}", telling.since.as_millis(), telling.id);
        let content = |beneath| {
            let mut content = content::message(&written, voice(notice), &mentions, beneath);
            content[NOTICE_KEY] = json!({ "message": number, "notice": notice.name() });
            content
        };
        match self.send(room, MESSAGE, content(beneath), Some(number.clone())).await {
            // What stands in a thread, or belongs to something else, begins no thread: then it is a plain reply.
            Err(SurfaceError::Never { why }) if matches!(beneath, Beneath::Thread(_)) => {
                tracing::info!(matrix.room = %room.room_id(), why, "a message begins no thread; it is answered");
                let Beneath::Thread(root) = beneath else { return Err(SurfaceError::Never { why }) };
                self.send(room, MESSAGE, content(Beneath::Reply(root)), Some(number.clone())).await
            }
            sent => sent,
        }
        .map(drop)
    }

    /// Answers an event in its room with a sentence of Placet's.
    pub(crate) async fn answers(&self, room: &str, event: &str, said: String) -> Result<(), SurfaceError> {
        let written = render::said(said);
        let content = content::message(&written, Voice::Notice, &[], Beneath::Reply(event));
        // The same answer to the same event is one message.
        let transaction = format!("placet-answer-{event}");
        self.send(&self.room(room)?, MESSAGE, content, Some(transaction)).await.map(drop)
    }

    /// Tells one account something that nobody else reads.
    pub(crate) async fn tells_directly(
        &self,
        identity: &Identity,
        written: &render::Written,
        number: &str,
    ) -> Result<(), SurfaceError> {
        let content = content::message(written, Voice::Notice, &[], Beneath::Room);
        let room = self.direct_room(identity).await?;
        self.send(&room, MESSAGE, content, Some(format!("placet-answer-{number}"))).await.map(drop)
    }

    /// The full ids of who is mentioned: accounts of this surface, and who is in its groups.
    async fn mentioned(&self, mentions: &[Mention]) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for mention in mentions {
            let accounts = match mention {
                Mention::Account(account) => BTreeSet::from([account.clone()]),
                Mention::Group(group) => match &self.0.directory {
                    Some(directory) => {
                        directory.members(group, GROUP_AGE_MAX).await.members.unwrap_or_default()
                    }
                    None => BTreeSet::new(),
                },
            };
            let ids_of = accounts.iter().filter_map(|account| user_id(account).ok()).map(|id| id.to_string());
            for id in ids_of {
                if Some(id.as_str()) != self.own_id() && !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        ids.truncate(MENTIONS_MAX);
        ids
    }

    /// Who could do what was refused, by name.
    fn who_can(&self, notice: &Notice) -> Vec<String> {
        let Notice::Refused { refusal, .. } = notice else { return Vec::new() };
        let (Refusal::WrongRole { needs } | Refusal::NotAllowed { needs }) = refusal else {
            return Vec::new();
        };
        let policy = self.0.policy.as_ref();
        policy
            .map(|policy| policy.of(&self.0.settings.tenant).names_with_any(needs, self.0.clock.now()))
            .unwrap_or_default()
    }

    /// The room in which one account is told something alone: one that is there, is encrypted and has them, else a new one.
    pub(crate) async fn direct_room(&self, identity: &Identity) -> Result<Room, SurfaceError> {
        let user = user_id(identity)?;
        let failed = |fault| surface_error(&fault);
        for room in self.0.client.get_dm_rooms(&user) {
            if !self.is_encrypted(&room).await? {
                continue;
            }
            let member = Box::pin(room.get_member(&user)).await.map_err(failed)?;
            match member.as_ref().map(|member| member.membership()) {
                Some(MembershipState::Join | MembershipState::Invite) => return Ok(room),
                // Whoever left is asked in again; nobody is told anything in a room that they are not in.
                Some(MembershipState::Leave) => {
                    Box::pin(room.invite_user_by_id(&user)).await.map_err(failed)?;
                    return Ok(room);
                }
                _ => {}
            }
        }
        let room = Box::pin(self.0.client.create_dm(&user)).await.map_err(failed)?;
        // It was asked for encrypted; what the homeserver made of that is looked at.
        if self.is_encrypted(&room).await? {
            return Ok(room);
        }
        Err(SurfaceError::Never {
            why: "the homeserver made a direct room without encryption, and nothing is said there: look at its settings"
                .to_owned(),
        })
    }
}

/// Whether it is said where it was asked for. Who asked nowhere is told directly.
fn is_said_openly(notice: &Notice, reply: &ReplyTo) -> bool {
    matches!(notice, Notice::Refused { .. }) && !reply.channel.is_empty()
}

/// The account's full id. Its realm vouches for it.
fn user_id(identity: &Identity) -> Result<OwnedUserId, SurfaceError> {
    let never = || SurfaceError::Never { why: NOT_A_MATRIX_ACCOUNT.to_owned() };
    let server = identity.realm().strip_prefix(ACCOUNT_REALM).ok_or_else(never)?;
    let user = UserId::parse(identity.subject()).map_err(|_| never())?;
    if user.server_name().as_str() == server { Ok(user) } else { Err(never()) }
}

/// What people should hear of is text: clients notify nobody of a notice.
fn voice(notice: &Notice) -> Voice {
    // Every kind by its name: a new one must decide.
    match notice {
        Notice::Refused { .. } | Notice::Digest { .. } => Voice::Notice,
        Notice::Ran { ran, .. } if ran.outcome == OutcomeKind::Succeeded => Voice::Notice,
        Notice::Ran { .. }
        | Notice::Alarm { .. }
        | Notice::Reminder { .. }
        | Notice::Escalated { .. }
        | Notice::StageAsked { .. }
        | Notice::GlassBroken { .. }
        | Notice::Question { .. }
        | Notice::Answered { .. }
        | Notice::NotAsked { .. }
        | Notice::Undelivered { .. }
        | Notice::Held { .. }
        | Notice::AskedDirectly { .. }
        | Notice::Told { .. }
        | Notice::PolicyNotInForce { .. } => Voice::Text,
    }
}
