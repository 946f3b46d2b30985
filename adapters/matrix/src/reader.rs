//! Fetches events again before anybody acts on them, and says what they are worth.
//!
//! What always holds:
//! - Only a [`Confirmed`] act can be judged, and only fetching it again makes one: it is there now, and not redacted.
//! - An encrypted event is decrypted without what the homeserver says beside it, so that it is known whether its
//!   relation was inside the encryption. What was inside goes before what is beside.
//! - One ciphertext is one act, under however many event ids the homeserver shows it: [`Confirmed::key`].
//! - The sender's keys are asked for anew for each judgement. A key that is seen for the first time is written down
//!   before it counts.
//! - What could not be asked is an error that can be tried again, never a verdict.

mod late;
mod pages;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use matrix_sdk::deserialized_responses::TimelineEventKind;
use matrix_sdk::ruma::api::client::room::get_room_event;
use matrix_sdk::ruma::api::error::ErrorKind;
use matrix_sdk::ruma::events::AnyTimelineEvent;
use matrix_sdk::ruma::events::room::encrypted::OriginalSyncRoomEncryptedEvent;
use matrix_sdk::ruma::serde::Raw;
use matrix_sdk::ruma::{EventId, OwnedUserId, RoomId, UserId};
use matrix_sdk::{HttpError, Room};
use placet::approval::Assurance;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::backing::{Backing, DeviceNow, Known, Manner, MasterKey, Sealed, Unbacked, judge};
use crate::event::{Act, Change, Envelope, Read, What};
use crate::pins::{PinError, PinFile};
use crate::session::{Session, is_passing};
pub(crate) use late::Late;
pub use pages::Stretch;

/// Reads events and judges them. Cheap to clone.
#[derive(Clone)]
pub struct Reader(Arc<Parts>);

struct Parts {
    session: Session,
    pins: Option<PinFile>,
    first_seen: PinFile,
    /// One at a time: else the second of two would overwrite what the first wrote down.
    learning: tokio::sync::Mutex<()>,
    late: Late,
}

/// An act that was there, and not redacted, when it was fetched again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    act: Act,
    seal: Option<[u8; 32]>,
}

impl Confirmed {
    /// What somebody did.
    #[must_use]
    pub const fn act(&self) -> &Act {
        &self.act
    }

    /// What names this act once and for all: the same key is the same act, and must count once. Of encrypted ones it is made
    /// from the ciphertext, so that a homeserver that shows the same one under another event id gains nothing.
    #[must_use]
    pub fn key(&self) -> String {
        let Act { room, event, sender, .. } = &self.act;
        match &self.seal {
            Some(seal) => format!("{room}/{sender}/{}", hex(seal)),
            None => format!("{room}/{event}"),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why something could not be read or judged; what was not read is not consumed either.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The homeserver does not answer, or is busy: it can be tried again.
    #[error("the homeserver does not answer: {0}; it is tried again")]
    Unreached(String),
    /// The homeserver refuses.
    #[error("the homeserver refused: {0}; is the bot in the room?")]
    Refused(String),
    /// The bot is not in the room.
    #[error("the bot is not in {0}")]
    NoRoom(String),
    /// The store fails.
    #[error("the Matrix store failed: {0}")]
    Store(String),
    /// A file of keys fails.
    #[error(transparent)]
    Pins(#[from] PinError),
}

impl From<&HttpError> for ReadError {
    fn from(fault: &HttpError) -> Self {
        if is_passing(fault) { Self::Unreached(fault.to_string()) } else { Self::Refused(fault.to_string()) }
    }
}

impl From<matrix_sdk::Error> for ReadError {
    fn from(fault: matrix_sdk::Error) -> Self {
        match &fault {
            matrix_sdk::Error::Http(fault) => Self::from(&**fault),
            fault => Self::Store(fault.to_string()),
        }
    }
}

/// What is there of an event now.
enum Found {
    Act(Box<Confirmed>),
    Change(Change),
    /// Redacted, or nothing of interest.
    Nothing,
}

impl Reader {
    /// Over this session.
    #[must_use]
    pub fn new(session: Session) -> Self {
        let pins = session.settings().pins.clone().map(PinFile::new);
        let first_seen = session.first_seen();
        let late = Late::default();
        Self(Arc::new(Parts { session, pins, first_seen, learning: tokio::sync::Mutex::default(), late }))
    }

    /// The session that it reads by.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.0.session
    }

    /// Whether this account may act here at all.
    pub(crate) fn admits(&self, account: &UserId) -> bool {
        self.session().settings().people.admits(account)
    }

    pub(crate) fn late(&self) -> &Late {
        &self.0.late
    }

    fn room(&self, room: &RoomId) -> Result<Room, ReadError> {
        self.session().client().get_room(room).ok_or_else(|| ReadError::NoRoom(room.to_string()))
    }

    /// An event as it is now; none if it was redacted, is gone, or is no act of a person.
    ///
    /// # Errors
    /// [`ReadError`], if that cannot be told.
    pub async fn again(&self, room: &RoomId, event: &EventId) -> Result<Option<Confirmed>, ReadError> {
        let room = self.room(room)?;
        let request = get_room_event::v3::Request::new(room.room_id().to_owned(), event.to_owned());
        let raw = match self.session().client().send(request).await {
            Ok(answer) => answer.event,
            Err(fault) if fault.client_api_error_kind() == Some(&ErrorKind::NotFound) => return Ok(None),
            Err(fault) => return Err(ReadError::from(&fault)),
        };
        match self.found(&room, &raw).await? {
            // Another one than was asked for is none.
            Found::Act(confirmed) if confirmed.act.event == event => Ok(Some(*confirmed)),
            Found::Act(_) | Found::Change(_) | Found::Nothing => Ok(None),
        }
    }

    /// Reads an event that the homeserver was asked for, decrypting it without what stands beside it.
    async fn found(&self, room: &Room, raw: &Raw<AnyTimelineEvent>) -> Result<Found, ReadError> {
        let json = raw.json().get();
        let Some(outer) = Envelope::parse(json) else { return Ok(Found::Nothing) };
        if outer.sender == self.session().user() {
            return Ok(match outer.read(false) {
                Some(Read::Change(change)) => Found::Change(change),
                _ => Found::Nothing,
            });
        }
        let (read, backing, seal) = match outer.read(false) {
            None => return Ok(Found::Nothing),
            Some(Read::Act(What::Unreadable { to })) => {
                let (read, backing) = self.opened(room, json, What::Unreadable { to }).await?;
                (read, backing, seal(json))
            }
            Some(read) => (read, Backing::Cleartext, None),
        };
        let what = match read {
            Read::Act(what) => what,
            Read::Change(change) => return Ok(Found::Change(change)),
            Read::Redacted => return Ok(Found::Nothing),
        };
        let sent_at = outer.sent_at();
        let act = Act {
            room: room.room_id().to_owned(),
            event: outer.event_id,
            sender: outer.sender,
            sent_at,
            what,
            backing,
        };
        if let Backing::Unreadable { session: Some(session), may_come: true } = &act.backing {
            self.late().add(session, &act.room, &act.event);
        }
        Ok(Found::Act(Box::new(Confirmed { act, seal })))
    }

    /// What is inside an encrypted event, or `closed` where it cannot be read.
    async fn opened(&self, room: &Room, json: &str, closed: What) -> Result<(Read, Backing), ReadError> {
        let nothing = |_| ReadError::Store("an event cannot be written again".to_owned());
        let mut value: Value = serde_json::from_str(json).map_err(nothing)?;
        let beside =
            value.get_mut("content").and_then(Value::as_object_mut).and_then(|of| of.remove("m.relates_to"));
        let bare =
            Raw::<OriginalSyncRoomEncryptedEvent>::from_json_string(value.to_string()).map_err(nothing)?;
        let event = match room.decrypt_event(&bare, None).await {
            Ok(event) => event.kind,
            Err(matrix_sdk::Error::CryptoStoreError(fault)) => {
                return Err(ReadError::Store(fault.to_string()));
            }
            Err(_) => return Ok((Read::Act(closed), Backing::Unreadable { session: None, may_come: false })),
        };
        let decrypted = match event {
            TimelineEventKind::Decrypted(decrypted) => decrypted,
            TimelineEventKind::UnableToDecrypt { utd_info, .. } => {
                let may_come = utd_info.reason.is_missing_room_key();
                let backing = Backing::Unreadable { session: utd_info.session_id, may_come };
                return Ok((Read::Act(closed), backing));
            }
            TimelineEventKind::PlainText { .. } => {
                return Ok((Read::Act(closed), Backing::Unreadable { session: None, may_come: false }));
            }
        };
        let backing = Backing::Encrypted(Sealed::of(&decrypted.encryption_info));
        let mut inside: Value = serde_json::from_str(decrypted.event.json().get()).map_err(nothing)?;
        let content = inside.get_mut("content").and_then(Value::as_object_mut);
        let is_sealed = content.as_ref().is_some_and(|content| content.contains_key("m.relates_to"));
        if let (Some(content), Some(beside), false) = (content, beside, is_sealed) {
            content.insert("m.relates_to".to_owned(), beside);
        }
        let read = Envelope::parse(&inside.to_string()).and_then(|inside| inside.read(is_sealed));
        // Nothing of interest, which the homeserver could not know.
        Ok((read.unwrap_or(Read::Redacted), backing))
    }

    /// What an act is worth, by the keys of now.
    ///
    /// # Errors
    /// [`ReadError`], if that cannot be told yet. The inner error says why it counts for nothing.
    pub async fn judge(&self, confirmed: &Confirmed) -> Result<Result<Assurance, Unbacked>, ReadError> {
        let act = &confirmed.act;
        let manner = act.what.manner();
        let is_encrypted = match (manner, &act.backing) {
            // Cleartext everywhere; the room makes no difference.
            (Manner::Sign, Backing::Cleartext) => false,
            _ => self.is_encrypted(&act.room).await?,
        };
        let (device, known) = match &act.backing {
            Backing::Encrypted(sealed) => self.keys(&act.sender, sealed).await?,
            Backing::Cleartext | Backing::Unreadable { .. } => (DeviceNow::Gone, Known::default()),
        };
        let verdict = judge((manner, is_encrypted), &act.backing, &device, &known);
        if let (Ok(Assurance::E2eeTofu), DeviceNow::SignedBy(seen), None) =
            (&verdict, &device, &known.first_seen)
        {
            self.learn(&act.sender, seen).await?;
        }
        Ok(verdict)
    }

    /// Whether a room is encrypted; one of which that cannot be told is an error, never a plain one.
    async fn is_encrypted(&self, room: &RoomId) -> Result<bool, ReadError> {
        let state = self.room(room)?.latest_encryption_state().await?;
        if state.is_unknown() {
            return Err(ReadError::Unreached(format!("whether {room} is encrypted is not known yet")));
        }
        Ok(state.is_encrypted())
    }

    /// The sender's device as it is now, and whom they are known as.
    async fn keys(&self, sender: &UserId, sealed: &Sealed) -> Result<(DeviceNow, Known), ReadError> {
        let encryption = self.session().client().encryption();
        // Brings devices and identity up to date.
        let identity = encryption.request_user_identity(sender).await?;
        let device = match &sealed.device {
            Some(id) => encryption
                .get_device(sender, id)
                .await
                .map_err(|fault| ReadError::Store(fault.to_string()))?,
            None => None,
        };
        let is_same = |device: &matrix_sdk::encryption::identities::Device| {
            let curve25519 = device.curve25519_key().map(|key| key.to_base64());
            let ed25519 = device.ed25519_key().map(|key| key.to_base64());
            !device.is_deleted()
                && curve25519.as_deref() == Some(&sealed.curve25519)
                && ed25519 == sealed.ed25519
        };
        let master = identity.as_ref().and_then(|identity| identity.master_key().get_first_key());
        let device = match (device.filter(is_same), master) {
            (None, _) => DeviceNow::Gone,
            (Some(device), Some(master)) if device.is_cross_signed_by_owner() => {
                match master.to_base64().parse() {
                    Ok(master) => DeviceNow::SignedBy(master),
                    Err(_) => DeviceNow::Unsigned,
                }
            }
            (Some(_), _) => DeviceNow::Unsigned,
        };
        Ok((device, self.known(sender)?))
    }

    /// Whom an account is known as.
    ///
    /// # Errors
    /// If a file of keys cannot be read.
    pub fn known(&self, account: &UserId) -> Result<Known, ReadError> {
        let pinned = self.0.pins.as_ref().map(|pins| pins.of(account)).transpose()?.flatten();
        Ok(Known { pinned, first_seen: self.0.first_seen.of(account)? })
    }

    async fn learn(&self, account: &UserId, seen: &MasterKey) -> Result<(), ReadError> {
        let _turn = self.0.learning.lock().await;
        // Somebody may have been faster; then theirs is the first.
        if self.0.first_seen.of(account)?.is_none() {
            self.0.first_seen.set(account, seen)?;
        }
        Ok(())
    }

    /// The master key that an account's homeserver shows now, for people to compare; none if it has none.
    ///
    /// # Errors
    /// [`ReadError`], if it cannot be asked.
    pub async fn master_key_of(&self, account: &OwnedUserId) -> Result<Option<MasterKey>, ReadError> {
        let identity = self.session().client().encryption().request_user_identity(account).await?;
        let key = identity.and_then(|identity| identity.master_key().get_first_key());
        Ok(key.and_then(|key| key.to_base64().parse().ok()))
    }
}

/// What names a ciphertext, however its base64 is written. None if there is none.
fn seal(json: &str) -> Option<[u8; 32]> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let value: Value = serde_json::from_str(json).ok()?;
    let content = value.get("content")?;
    let text = content.get("ciphertext")?.as_str()?;
    let bytes = LENIENT.decode(text).ok()?;
    let mut hash = Sha256::new();
    hash.update(content.get("session_id").and_then(Value::as_str).unwrap_or_default());
    hash.update([0]);
    hash.update(bytes);
    Some(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(session: &str, ciphertext: &str) -> Option<[u8; 32]> {
        let content = serde_json::json!({ "session_id": session, "ciphertext": ciphertext });
        seal(&serde_json::json!({ "event_id": "$any", "content": content }).to_string())
    }

    /// R31: the same ciphertext is the same act, however its letters are written; another one is another.
    #[test]
    fn one_ciphertext_is_one_act() {
        let first = of("s", "AAA").unwrap();
        // With padding, and with bits behind the end that mean nothing.
        assert_eq!(of("s", "AAA="), Some(first));
        assert_eq!(of("s", "AAB"), Some(first));
        assert_ne!(of("s", "AAE").unwrap(), first);
        assert_ne!(of("t", "AAA").unwrap(), first);
        assert_eq!(of("s", "***"), None);
        assert_eq!(seal("{}"), None);
    }
}
