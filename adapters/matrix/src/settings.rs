//! How one account on one homeserver is set up: plain data, read from the configuration elsewhere.
//!
//! What always holds: accounts and servers are named by their exact ids, and an empty list admits nobody. Secrets show
//! nowhere, not in a debug print either.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use matrix_sdk::ruma::{OwnedDeviceId, OwnedRoomId, OwnedServerName, OwnedUserId, UserId};
use placet::id::{SurfaceName, TenantId};
use placet::text::Language;
use secrecy::{ExposeSecret as _, SecretBox, SecretString};
use url::Url;

/// What commands begin with, where nothing else is set.
pub const PREFIX: &str = "!placet";

/// How one account of the bot is set up.
#[derive(Debug, Clone)]
pub struct MatrixSettings {
    /// The surface's configured name.
    pub name: SurfaceName,
    /// Whose requests are shown here, and whose people decide.
    pub tenant: TenantId,
    /// The homeserver's client address. What a login answer says of another one is not followed.
    pub homeserver: Url,
    /// A proxy for everything that goes to the homeserver.
    pub proxy: Option<Url>,
    /// The bot's own account; what the homeserver calls it must be the same.
    pub user: OwnedUserId,
    /// What the bot's device is called in people's lists of devices.
    pub device_name: String,
    /// Where keys, rooms and the session are kept. One process has it.
    pub store: PathBuf,
    /// What the store is encrypted with.
    pub store_key: StoreKey,
    /// How the bot signs in the first time.
    pub sign_in: SignIn,
    /// Where cards go that name no room.
    pub room: OwnedRoomId,
    /// Where operators are told of alarms; none leaves that to the log.
    pub ops_room: Option<OwnedRoomId>,
    /// Whose accounts may act, and invite the bot.
    pub people: Admitted,
    /// What people press.
    pub buttons: Buttons,
    /// Whose devices may read what the bot writes in encrypted rooms.
    pub readers: Readers,
    /// What commands begin with.
    pub prefix: String,
    /// The language of cards, where nothing else names one.
    pub language: Language,
    /// The languages of rooms that have one of their own.
    pub languages: BTreeMap<OwnedRoomId, Language>,
    /// The file of people's master keys; none pins nobody.
    pub pins: Option<PathBuf>,
}

impl MatrixSettings {
    /// The language of a room.
    #[must_use]
    pub fn language_of(&self, room: &matrix_sdk::ruma::RoomId) -> Language {
        self.languages.get(room).copied().unwrap_or(self.language)
    }
}

/// How the bot signs in the first time; afterwards its session is kept in the store.
#[derive(Debug, Clone)]
pub enum SignIn {
    /// By password.
    Password(SecretString),
    /// By a token that was given out for a device. Without the password nothing can be renewed.
    Token {
        /// The access token.
        token: SecretString,
        /// The device that it is of.
        device: OwnedDeviceId,
    },
}

/// What people press on a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Buttons {
    /// The bot's own ✅ and ❌ under its card: cleartext, also in encrypted rooms.
    #[default]
    Reactions,
    /// A poll: encrypted where the room is. Not all clients have them.
    Poll,
}

/// Whose devices may read what the bot writes in encrypted rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Readers {
    /// All devices of those in the room, also of people who have no cross-signing.
    #[default]
    AllDevices,
    /// Devices that their owner's identity signs: one that a homeserver adds reads nothing. Who has no identity reads
    /// nothing either.
    SignedDevices,
}

/// The key that the store is encrypted with. A key and no passphrase: stretching one costs seconds at each start.
#[derive(Debug, Clone)]
pub struct StoreKey(Arc<SecretBox<[u8; 32]>>);

impl StoreKey {
    /// From 32 random bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Arc::new(SecretBox::new(Box::new(bytes))))
    }

    /// The bytes, for whoever opens the store.
    pub(crate) fn expose(&self) -> &[u8; 32] {
        self.0.expose_secret()
    }
}

/// Whose accounts may act here. Both lists empty: nobody's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admitted {
    /// Accounts by their full ids.
    pub accounts: BTreeSet<OwnedUserId>,
    /// Homeservers all of whose accounts are admitted; which of them is whose, the policy says.
    pub servers: BTreeSet<OwnedServerName>,
}

impl Admitted {
    /// Whether an account is one of them, by its exact id.
    #[must_use]
    pub fn admits(&self, account: &UserId) -> bool {
        self.accounts.contains(account) || self.servers.contains(account.server_name())
    }
}

#[cfg(test)]
mod tests {
    use matrix_sdk::ruma::{owned_server_name, owned_user_id, user_id};

    use super::*;

    /// R17: accounts count by their exact ids; look-alikes, other servers and an empty list admit nobody.
    #[test]
    fn only_exact_ids_are_admitted() {
        let nobody = Admitted::default();
        let listed = Admitted {
            accounts: [owned_user_id!("@alice:example.org")].into(),
            servers: [owned_server_name!("corp.example.org")].into(),
        };
        for (who, admitted) in [
            (user_id!("@alice:example.org"), true),
            (user_id!("@bob:corp.example.org"), true),
            (user_id!("@Alice:example.org"), false),
            (user_id!("@alice:example.org.evil.example"), false),
            (user_id!("@alice:evil.example"), false),
            (user_id!("@bob:example.org"), false),
            (user_id!("@bob:corp.example.org:8448"), false),
        ] {
            assert_eq!(listed.admits(who), admitted, "{who}");
            assert!(!nobody.admits(who), "{who}");
        }
    }

    #[test]
    fn a_debug_print_shows_no_secret() {
        let key = format!("{:?}", StoreKey::new([171; 32]));
        assert!(!key.contains("171"), "{key}");
        let word = format!("{:?}", SignIn::Password(SecretString::from("hunter2")));
        assert!(!word.contains("hunter2"), "{word}");
    }
}
