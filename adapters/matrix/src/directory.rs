//! What accounts are worth, and who has how much power in a room: asked of the homeserver, kept for as long as a
//! decision may rest on it.
//!
//! What always holds: an account that the settings do not admit is foreign, whoever asks; what cannot be read bars, with
//! what to do, and a room that cannot be read is never an empty group. An answer is dated by when it was asked for, not
//! by when it came. Who is in a room is asked of the homeserver each time, not taken from what was synced: the sync may
//! lag behind. Display names decide nothing.

mod power;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use matrix_sdk::HttpError;
use matrix_sdk::ruma::api::client::membership::joined_members;
use matrix_sdk::ruma::api::client::state::get_state_event_for_key;
use matrix_sdk::ruma::api::client::state::get_state_event_for_key::v3::StateEventFormat;
use matrix_sdk::ruma::api::error::ErrorKind;
use matrix_sdk::ruma::events::StateEventType;
use matrix_sdk::ruma::events::room::member::MembershipState;
use matrix_sdk::ruma::{OwnedRoomId, OwnedUserId, RoomId, UserId};
use placet::gate::Answers;
use placet::person::{AccountState, Identity, NoStanding};
use placet::ports::{Account, Clock, Directory, Members};
use placet::time::{Timestamp, Ttl};
use serde::Deserialize;

use crate::session::{Session, is_passing};
use power::{Created, Powers};

/// Accounts that are remembered.
const ACCOUNTS_MAX: usize = 10_000;

/// Groups that are remembered: more than any policy names.
const GROUPS_MAX: usize = 1_000;

/// Rooms that are asked about one account: the first one mostly tells.
const ROOMS_MAX: usize = 20;

/// Why somebody does not count whom the bot meets nowhere.
const NO_ROOM: &str =
    "it is in no room with the bot: invite it there; an account that was deactivated is in none";

/// Why nobody counts while the homeserver does not answer.
const NO_ANSWER: &str = "the homeserver does not answer at the moment";

/// The directory of one homeserver account of the bot, for the realm family `matrix`. Cheap to clone.
#[derive(Clone)]
pub struct MatrixDirectory(Arc<Parts>);

struct Parts {
    session: Session,
    clock: Arc<dyn Clock>,
    accounts: Answers<Account>,
    groups: Answers<Members>,
}

impl MatrixDirectory {
    /// Over this session.
    #[must_use]
    pub fn new(session: Session, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Parts {
            session,
            clock,
            accounts: Answers::new(ACCOUNTS_MAX),
            groups: Answers::new(GROUPS_MAX),
        }))
    }

    /// Forgets an account, because something was heard of it.
    pub fn forget(&self, account: &UserId) {
        self.0.accounts.forget(account.as_str());
    }

    /// Forgets who has power in a room, because something was heard of it.
    pub fn forget_room(&self, room: &RoomId, groups: &[Identity]) {
        for group in groups {
            if group_of(group).is_some_and(|(of, _)| of == room) {
                self.0.groups.forget(group.subject());
            }
        }
    }
}

/// The room and the least power in it: `matrix/!ops:example.org/50`.
fn group_of(group: &Identity) -> Option<(OwnedRoomId, i64)> {
    let (room, power) = group.subject().rsplit_once('/')?;
    (group.realm() == "matrix").then_some(())?;
    Some((OwnedRoomId::try_from(room).ok()?, power.parse().ok()?))
}

/// The account, if its realm is its own server.
fn account_of(identity: &Identity) -> Option<OwnedUserId> {
    let account = OwnedUserId::try_from(identity.subject()).ok()?;
    let is_consistent = Identity::matrix(account.as_str()).is_ok_and(|same| same == *identity);
    is_consistent.then_some(account)
}

impl Parts {
    /// What is known without asking anybody; none where it has to be asked.
    fn at_once(&self, identity: &Identity) -> Result<OwnedUserId, NoStanding> {
        let account = account_of(identity).ok_or(NoStanding::Foreign)?;
        if account == self.session.user() {
            return Err(NoStanding::Bot);
        }
        if self.session.settings().people.admits(&account) { Ok(account) } else { Err(NoStanding::Foreign) }
    }

    /// Whether an account is in a room with the bot now. A profile says less: it is there for accounts that were deactivated,
    /// and missing for those that never chose a name; who is deactivated leaves every room.
    async fn ask_account(&self, account: &OwnedUserId) -> Account {
        let as_of = self.clock.now();
        for room in self.rooms_of(account).await {
            match self.membership(&room, account).await {
                Ok(Some(name)) => return Account { state: AccountState::Active, name, as_of },
                Ok(None) => {}
                Err(why) => {
                    tracing::warn!(error = %why, room = %room, "the homeserver does not tell what an account is");
                    return barred(NoStanding::Unreadable(why), as_of);
                }
            }
        }
        barred(NoStanding::Unreadable(NO_ROOM.to_owned()), as_of)
    }

    /// Where an account may be met: the rooms of the settings, then where it was seen.
    async fn rooms_of(&self, account: &UserId) -> Vec<OwnedRoomId> {
        let settings = self.session.settings();
        let mut rooms = Vec::new();
        let configured: Vec<_> = std::iter::once(&settings.room).chain(&settings.ops_room).collect();
        let mut joined = self.session.client().joined_rooms();
        joined.sort_by_key(|room| !configured.contains(&&room.room_id().to_owned()));
        for room in joined {
            let is_configured = configured.iter().any(|id| **id == room.room_id());
            let was_seen = async || {
                let member = room.get_member_no_sync(account).await.ok().flatten();
                member.is_some_and(|member| *member.membership() == MembershipState::Join)
            };
            if is_configured || was_seen().await {
                rooms.push(room.room_id().to_owned());
            }
            if rooms.len() == ROOMS_MAX {
                break;
            }
        }
        rooms
    }

    /// What an account in a room calls itself there, if anything; none if it is not in it.
    async fn membership(&self, room: &RoomId, account: &UserId) -> Result<Option<Option<String>>, String> {
        #[derive(Deserialize)]
        struct Content {
            membership: MembershipState,
            #[serde(default)]
            displayname: Option<String>,
        }
        let (kind, key) = (StateEventType::RoomMember, account.to_string());
        let request = get_state_event_for_key::v3::Request::new(room.to_owned(), kind, key);
        match self.session.client().send(request).await {
            Ok(answer) => {
                let content: Content = serde_json::from_str(answer.event_or_content.get())
                    .map_err(|_| "the homeserver's answer about it cannot be understood".to_owned())?;
                Ok((content.membership == MembershipState::Join).then_some(content.displayname))
            }
            // Never in it; or the bot is not, and what it knew of the room is old.
            Err(fault)
                if matches!(
                    fault.client_api_error_kind(),
                    Some(ErrorKind::NotFound | ErrorKind::Forbidden)
                ) =>
            {
                Ok(None)
            }
            Err(fault) => Err(unread(&fault)),
        }
    }

    async fn ask_group(&self, group: &Identity, (room, power): (&RoomId, i64)) -> Members {
        let as_of = self.clock.now();
        let members = self.powerful(room, power).await.map_err(|fault| {
            tracing::warn!(error = %fault, group = group.subject(), "the homeserver does not tell who is in a room");
            fault
        });
        Members { members, as_of }
    }

    /// Who in a room has at least so much power.
    async fn powerful(&self, room: &RoomId, power: i64) -> Result<BTreeSet<Identity>, String> {
        let client = self.session.client();
        let request = joined_members::v3::Request::new(room.to_owned());
        let joined = client.send(request).await.map_err(|fault| unread(&fault))?.joined;
        let powers = if power > 0 { Some(self.powers(room).await?) } else { None };
        let own = self.session.user();
        let has_it = |account: &UserId| powers.as_ref().is_none_or(|powers| powers.has(account, power));
        let accounts = joined.into_keys().filter(|account| *account != own && has_it(account));
        accounts
            .map(|account| Identity::matrix(account.as_str()))
            .collect::<Result<_, _>>()
            .map_err(|_| "the homeserver names an account that is none".to_owned())
    }

    async fn powers(&self, room: &RoomId) -> Result<Powers, String> {
        let create = self.state(room, StateEventType::RoomCreate).await?;
        let created = create
            .as_deref()
            .and_then(Created::parse)
            .ok_or("the homeserver does not tell how the room was made")?;
        let levels = self.state(room, StateEventType::RoomPowerLevels).await?;
        Powers::new(created, levels.as_deref())
            .ok_or_else(|| "the room's power levels cannot be understood".to_owned())
    }

    /// A state event of a room as JSON; none if the room has none.
    async fn state(&self, room: &RoomId, kind: StateEventType) -> Result<Option<String>, String> {
        let mut request = get_state_event_for_key::v3::Request::new(room.to_owned(), kind, String::new());
        request.format = StateEventFormat::Event;
        match self.session.client().send(request).await {
            Ok(answer) => Ok(Some(answer.event_or_content.get().to_owned())),
            Err(fault) if fault.client_api_error_kind() == Some(&ErrorKind::NotFound) => Ok(None),
            Err(fault) => Err(unread(&fault)),
        }
    }
}

/// Why a room cannot be read, and what to do.
fn unread(fault: &HttpError) -> String {
    match fault.client_api_error_kind() {
        Some(ErrorKind::Forbidden | ErrorKind::NotFound) => {
            "the bot is not in that room: invite it, or ask whoever keeps the policy".to_owned()
        }
        Some(ErrorKind::UnknownToken(_)) => "the bot was signed out: ask whoever runs Placet".to_owned(),
        _ if is_passing(fault) => NO_ANSWER.to_owned(),
        _ => format!("the homeserver says: {fault}"),
    }
}

const fn barred(why: NoStanding, as_of: Timestamp) -> Account {
    Account { state: AccountState::Barred(why), name: None, as_of }
}

fn no_group(as_of: Timestamp) -> Members {
    Members { members: Err("it is no room of Matrix".to_owned()), as_of }
}

#[async_trait]
impl Directory for MatrixDirectory {
    async fn account(&self, identity: &Identity, age_max: Ttl) -> Account {
        let parts = &self.0;
        match parts.at_once(identity) {
            Ok(account) => {
                let ask = parts.ask_account(&account);
                parts.accounts.get(account.as_str(), (age_max, &*parts.clock), ask).await
            }
            Err(why) => barred(why, parts.clock.now()),
        }
    }

    fn account_at_hand(&self, identity: &Identity, age_max: Ttl) -> Option<Account> {
        let parts = &self.0;
        match parts.at_once(identity) {
            Ok(account) => parts.accounts.fresh(account.as_str(), age_max, parts.clock.now()),
            Err(why) => Some(barred(why, parts.clock.now())),
        }
    }

    async fn members(&self, group: &Identity, age_max: Ttl) -> Members {
        let parts = &self.0;
        match group_of(group) {
            Some((room, power)) => {
                let ask = parts.ask_group(group, (&room, power));
                parts.groups.get(group.subject(), (age_max, &*parts.clock), ask).await
            }
            None => no_group(parts.clock.now()),
        }
    }

    fn members_at_hand(&self, group: &Identity, age_max: Ttl) -> Option<Members> {
        let parts = &self.0;
        match group_of(group) {
            Some(_) => parts.groups.fresh(group.subject(), age_max, parts.clock.now()),
            None => Some(no_group(parts.clock.now())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R17: a group is a room and a power; anything else is none.
    #[test]
    fn a_group_is_a_room_and_a_power() {
        let group = |realm: &str, subject: &str| group_of(&Identity::new(realm, subject).unwrap());
        let read = group("matrix", "!ops:example.org/50").unwrap();
        assert_eq!((read.0.as_str(), read.1), ("!ops:example.org", 50));
        // From room version 12 on, an id names no server.
        let read = group("matrix", "!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ/0").unwrap();
        assert_eq!(read.1, 0);
        for (realm, subject) in [
            ("slack:T024BE7LD", "!ops:example.org/50"),
            ("matrix", "!ops:example.org"),
            ("matrix", "!ops:example.org/much"),
            ("matrix", "#ops:example.org/50"),
        ] {
            assert_eq!(group(realm, subject), None, "{realm} {subject}");
        }
    }

    /// R17: an account is vouched for by its own server, and by none that merely says so.
    #[test]
    fn an_account_belongs_to_its_own_server() {
        let of = |realm: &str, subject: &str| account_of(&Identity::new(realm, subject).unwrap());
        assert!(of("matrix:example.org", "@alice:example.org").is_some());
        for (realm, subject) in [
            ("matrix:evil.example", "@alice:example.org"),
            ("matrix", "@alice:example.org"),
            ("matrix:example.org", "alice"),
            ("slack:T024BE7LD", "@alice:example.org"),
        ] {
            assert_eq!(of(realm, subject), None, "{realm} {subject}");
        }
    }
}
