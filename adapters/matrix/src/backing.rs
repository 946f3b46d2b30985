//! What stands behind an event, and what it is worth: the one judgement of how sure one can be that somebody's words
//! are their own.
//!
//! What always holds: it is a function of what is known when the decision is taken, and asks nobody. Without a signed
//! device that belongs to the sender now, encrypted words are worth nothing; in an encrypted room, cleartext words are
//! worth nothing. Reactions and redactions are cleartext everywhere, so that the homeserver vouches for them, whatever
//! the room. A key that differs from the pinned one is an alarm, and never falls back to a lower assurance.
//!
//! What a relation says (the card under a reply) is not covered: clients may leave it outside the encryption. See
//! [`Relation::is_sealed`](crate::event::Relation::is_sealed).

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use matrix_sdk::deserialized_responses::{
    AlgorithmInfo, EncryptionInfo, VerificationLevel, VerificationState,
};
use matrix_sdk::ruma::{DeviceKeyAlgorithm, OwnedDeviceId};
use placet::approval::Assurance;
use serde::{Deserialize, Serialize};

/// What stands behind an event, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backing {
    /// Nobody encrypted it: the homeserver says who sent it.
    Cleartext,
    /// It was encrypted, and could be read.
    Encrypted(Sealed),
    /// It is encrypted, and could not be read.
    Unreadable {
        /// The room key that it was encrypted with, if that can be told.
        session: Option<String>,
        /// Whether the key may still come.
        may_come: bool,
    },
}

/// Whose key an event was encrypted with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// How the room key came here.
    pub origin: Origin,
    /// The device that made it.
    pub device: Option<OwnedDeviceId>,
    /// The device's Curve25519 key, base64.
    pub curve25519: String,
    /// The device's Ed25519 key, base64.
    pub ed25519: Option<String>,
}

/// How a room key came here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// From a device of the sender, over a channel that proves it.
    Sender,
    /// From a device of somebody else than the event's sender: the homeserver put another name on it.
    SomebodyElse,
    /// From a backup, a file or a third party, or a device that is not known: who made it is not proven.
    Unproven,
}

impl Sealed {
    /// From what the SDK says of a decrypted event.
    #[must_use]
    pub fn of(info: &EncryptionInfo) -> Self {
        let origin = match &info.verification_state {
            // A key that somebody passed on tells whom they had it from, and no more.
            _ if info.forwarder.is_some() => Origin::Unproven,
            VerificationState::Unverified(VerificationLevel::MismatchedSender) => Origin::SomebodyElse,
            VerificationState::Unverified(VerificationLevel::None(_)) => Origin::Unproven,
            // Whether the device is signed, and by whom, is looked up when it is judged.
            VerificationState::Verified
            | VerificationState::Unverified(
                VerificationLevel::UnverifiedIdentity
                | VerificationLevel::VerificationViolation
                | VerificationLevel::UnsignedDevice,
            ) => Origin::Sender,
        };
        let (curve25519, ed25519) = match &info.algorithm_info {
            AlgorithmInfo::MegolmV1AesSha2 { curve25519_key, sender_claimed_keys, .. } => {
                (curve25519_key.clone(), sender_claimed_keys.get(&DeviceKeyAlgorithm::Ed25519).cloned())
            }
            AlgorithmInfo::OlmV1Curve25519AesSha2 { curve25519_public_key_base64 } => {
                (curve25519_public_key_base64.clone(), None)
            }
        };
        Self { origin, device: info.sender_device.clone(), curve25519, ed25519 }
    }
}

/// The public part of the master key of somebody's cross-signing identity.
/// <https://spec.matrix.org/v1.16/client-server-api/#cross-signing>
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MasterKey([u8; 32]);

/// Why a text is no master key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a master key is 32 bytes in base64 (43 characters), as `placet matrix verify` shows it")]
pub struct MasterKeyError;

impl MasterKey {
    /// In groups of four, for people who compare.
    #[must_use]
    pub fn in_groups(&self) -> String {
        let text = self.to_string();
        let mut groups = String::with_capacity(text.len() + text.len() / 4);
        for (at, letter) in text.chars().enumerate() {
            if at > 0 && at % 4 == 0 {
                groups.push(' ');
            }
            groups.push(letter);
        }
        groups
    }
}

impl FromStr for MasterKey {
    type Err = MasterKeyError;
    fn from_str(text: &str) -> Result<Self, MasterKeyError> {
        let letters: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let bytes = STANDARD_NO_PAD.decode(letters.trim_end_matches('=')).map_err(|_| MasterKeyError)?;
        bytes.try_into().map(Self).map_err(|_| MasterKeyError)
    }
}

impl fmt::Display for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({self})")
    }
}

impl TryFrom<String> for MasterKey {
    type Error = MasterKeyError;
    fn try_from(text: String) -> Result<Self, MasterKeyError> {
        text.parse()
    }
}

impl From<MasterKey> for String {
    fn from(key: MasterKey) -> Self {
        key.to_string()
    }
}

/// What the sender's device is now, by keys that were asked for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceNow {
    /// There is none with these keys.
    Gone,
    /// No identity signs it.
    Unsigned,
    /// Its owner's identity signs it.
    SignedBy(MasterKey),
}

/// Whom the sender is known as.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// The key that an operator pinned.
    pub pinned: Option<MasterKey>,
    /// The key that was seen first.
    pub first_seen: Option<MasterKey>,
}

/// How an act was said, as far as its worth goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// By something that is cleartext everywhere: a reaction, or its redaction.
    Sign,
    /// In words, or by a poll's answer.
    Words,
}

/// Why an act counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unbacked {
    /// It stands unencrypted in an encrypted room: anybody at the homeserver could have written it.
    PlaintextInEncryptedRoom,
    /// The device that wrote it is not signed by its owner's identity: whoever resets a password can add one.
    UnsignedDevice,
    /// The device that wrote it is not known, or gone, or its key came over others.
    UnknownDevice,
    /// Somebody else's device wrote it than the sender's.
    OtherSender,
    /// The sender's identity is not the one that it was.
    IdentityChanged {
        /// The one that was pinned, or seen first.
        pinned: MasterKey,
        /// The one that signs the device now.
        seen: MasterKey,
    },
    /// It could not be read.
    Unreadable,
}

/// What an act is worth.
///
/// # Errors
/// Why it counts for nothing.
pub fn judge(
    (manner, room_is_encrypted): (Manner, bool),
    backing: &Backing,
    device: &DeviceNow,
    known: &Known,
) -> Result<Assurance, Unbacked> {
    let sealed = match (backing, manner) {
        (Backing::Cleartext, Manner::Sign) => return Ok(Assurance::ServerAsserted),
        (Backing::Cleartext, Manner::Words) if room_is_encrypted => {
            return Err(Unbacked::PlaintextInEncryptedRoom);
        }
        (Backing::Cleartext, Manner::Words) => return Ok(Assurance::ServerAsserted),
        (Backing::Unreadable { .. }, _) => return Err(Unbacked::Unreadable),
        (Backing::Encrypted(sealed), _) => sealed,
    };
    match sealed.origin {
        Origin::Sender => {}
        Origin::SomebodyElse => return Err(Unbacked::OtherSender),
        Origin::Unproven => return Err(Unbacked::UnknownDevice),
    }
    let seen = match device {
        DeviceNow::Gone => return Err(Unbacked::UnknownDevice),
        DeviceNow::Unsigned => return Err(Unbacked::UnsignedDevice),
        DeviceNow::SignedBy(seen) => seen,
    };
    let changed = |was: &MasterKey| Unbacked::IdentityChanged { pinned: was.clone(), seen: seen.clone() };
    match (&known.pinned, &known.first_seen) {
        (Some(pinned), _) if pinned == seen => Ok(Assurance::E2eePinned),
        (Some(pinned), _) => Err(changed(pinned)),
        (None, Some(first)) if first != seen => Err(changed(first)),
        (None, _) => Ok(Assurance::E2eeTofu),
    }
}

#[cfg(test)]
mod tests;
