//! Names of things. Every id is a newtype, so that a run can never be taken for a request.
//!
//! Ids that Placet makes are UUIDv7 (RFC 9562) from the [`Entropy`] and the clock it is given; ids that callers
//! bring are text with a bounded length and no control characters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::time::Timestamp;

/// Where random bytes come from: the operating system at work, a seed in tests.
pub trait Entropy: Send + Sync {
    /// Fills the whole slice with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Empty, too long, or with characters that have no place in a name.
    #[error("{what} must be 1 to {max} characters without control characters; got {got} characters")]
    Text {
        /// Which id, in words for people.
        what: &'static str,
        /// The most characters.
        max: usize,
        /// How many there were.
        got: usize,
    },
    /// With a character that has another meaning beside this name.
    #[error("{what} must be without `{banned}`")]
    Banned {
        /// Which id, in words for people.
        what: &'static str,
        /// The character.
        banned: char,
    },
    /// Not a UUID.
    #[error("{what} must be a UUID such as 0190f3c2-5d5e-7c3a-9b1e-3f2a4c5d6e7f")]
    Uuid {
        /// Which id, in words for people.
        what: &'static str,
    },
    /// Not a short code.
    #[error("a short code looks like 7Q4K-2M: six letters or digits, without I, L, O and U")]
    Code,
}

/// The most characters of an id that a caller brings: long enough for any UUID, URL-like or nested id in use.
pub const TEXT_ID_CHARS_MAX: usize = 200;

macro_rules! text_id {
    ($($(#[$doc:meta])* $name:ident $shown:literal $(without $banned:literal)?;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// Checks and takes the text.
            ///
            /// # Errors
            /// [`IdError::Text`] if it is empty, longer than [`TEXT_ID_CHARS_MAX`], or holds control characters.
            pub fn new(text: impl AsRef<str>) -> Result<Self, IdError> {
                let text = text.as_ref();
                let got = text.chars().count();
                if got == 0 || got > TEXT_ID_CHARS_MAX || text.chars().any(char::is_control) {
                    return Err(IdError::Text { what: $shown, max: TEXT_ID_CHARS_MAX, got });
                }
                $(if text.contains($banned) {
                    return Err(IdError::Banned { what: $shown, banned: $banned });
                })?
                Ok(Self(text.into()))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

text_id! {
    /// Whose requests, approvals, policies and record these are; nothing crosses from one to another.
    TenantId "a tenant's name";
    /// A stable name of an agent, which outlives its credentials.
    AgentId "an agent's name";
    /// A conversation with an agent (`sessionId`).
    SessionId "a session's id";
    /// One task worked on in a session (`run_id`).
    RunId "a run's id";
    /// One call within a run (`step_id`, `callId` in the events).
    StepId "a step's id";
    /// A credential's public name; its secret is kept as a hash only.
    CredentialId "a credential's name";
    /// A human being, however many accounts they have.
    PersonId "a person's id";
    /// What a person is: viewer, operator, admin, auditor, or a name the team chose.
    Role "a role's name";
    /// A tool's name as the agent calls it.
    ToolName "a tool's name";
    /// The MCP server (or other provider) a tool comes from. Without `/`, which stands between it and its tool.
    ServerName "a server's name" without '/';
    /// A surface by its configured name: `slack`, `terminal`, `script`.
    SurfaceName "a surface's name";
    /// The caller's own key for a proposal: the same key gives the same request.
    IdempotencyKey "an idempotency key";
    /// The key under which an inbound delivery is deduplicated: a surface and its own event id.
    DeliveryKey "a delivery's key";
}

macro_rules! uuid_id {
    ($($(#[$doc:meta])* $name:ident $shown:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id: the time in milliseconds, then 74 random bits.
            #[must_use]
            pub fn mint(now: Timestamp, entropy: &dyn Entropy) -> Self {
                Self(uuid_v7(now, entropy))
            }

            /// The 16 bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// From 16 bytes, as a store holds them.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                // Only the hyphenated form: one id has one spelling.
                if text.len() != 36 {
                    return Err(IdError::Uuid { what: $shown });
                }
                Uuid::try_parse(text).map(Self).map_err(|_| IdError::Uuid { what: $shown })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }
    )*};
}

uuid_id! {
    /// A hold: an emergency stop.
    HoldId "a stop's id";
    /// One proposed call and its life (`approval_id`, `requestId` in the events).
    RequestId "a request's id";
    /// One command, so that an answer lost at the commit can be asked for again.
    CommandId "a command's id";
    /// One claim of an approved request.
    ClaimId "a claim's id";
    /// One attempt to post or edit a card; it travels in the message's metadata.
    AttemptId "an attempt's id";
    /// One process that works on tasks given in a chat, as long as it lives.
    WorkerId "a worker's id";
}

fn uuid_v7(now: Timestamp, entropy: &dyn Entropy) -> Uuid {
    let mut bytes = [0_u8; 16];
    entropy.fill(&mut bytes[6..]);
    let millis = u64::try_from(now.as_millis()).unwrap_or(0).to_be_bytes();
    bytes[..6].copy_from_slice(&millis[2..]);
    bytes[6] = (bytes[6] & 0x0f) | 0x70;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    Uuid::from_bytes(bytes)
}

/// What people call a request: `7Q4K-2M`, unique among what is open.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShortCode(String);

/// Crockford's base 32: no I, L, O or U, so that a code can be read aloud.
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

impl ShortCode {
    /// The code of a request; `attempt` counts up while an open request already has that code.
    #[must_use]
    pub fn of(id: RequestId, attempt: u8) -> Self {
        let hash =
            Sha256::new().chain_update(b"placet/code\0").chain_update(id.as_bytes()).chain_update([attempt]);
        let hash = hash.finalize();
        let mut code = String::with_capacity(7);
        for (position, byte) in hash.iter().take(6).enumerate() {
            if position == 4 {
                code.push('-');
            }
            code.push(char::from(CROCKFORD[usize::from(byte & 31)]));
        }
        Self(code)
    }

    /// The text, as people see it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ShortCode {
    type Err = IdError;
    /// Forgives case, a missing hyphen, and the letters that Crockford's base 32 leaves out.
    fn from_str(text: &str) -> Result<Self, IdError> {
        let plain: String = text
            .trim()
            .chars()
            .filter(|c| *c != '-')
            .map(|c| match c.to_ascii_uppercase() {
                'I' | 'L' => '1',
                'O' => '0',
                other => other,
            })
            .collect();
        if plain.len() != 6 || !plain.bytes().all(|b| CROCKFORD.contains(&b)) {
            return Err(IdError::Code);
        }
        Ok(Self(format!("{}-{}", &plain[..4], &plain[4..])))
    }
}

impl TenantId {
    /// In whose record stands what concerns everybody while nobody has a record: the installation's own.
    #[must_use]
    pub fn installation() -> Self {
        Self("placet".into())
    }
}

impl TryFrom<String> for ShortCode {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<ShortCode> for String {
    fn from(code: ShortCode) -> Self {
        code.0
    }
}

impl fmt::Display for ShortCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Compares two secrets in constant time.
#[must_use]
pub fn same_secret(one: &[u8], other: &[u8]) -> bool {
    use subtle::ConstantTimeEq;
    one.ct_eq(other).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;
    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            for (n, byte) in bytes.iter_mut().enumerate() {
                *byte = n as u8 ^ 0xa5;
            }
        }
    }

    #[test]
    fn minted_ids_are_version_7_and_carry_the_time() {
        let id = RequestId::mint(Timestamp::from_millis(0x0123_4567_89ab), &Counting);
        let text = id.to_string();
        assert!(text.starts_with("01234567-89ab-7"), "{text}");
        assert_eq!(text.parse::<RequestId>().unwrap(), id);
        assert!("0123456789ab7000a000000000000000".parse::<RequestId>().is_err(), "one spelling only");
    }

    #[test]
    fn short_codes_forgive_how_people_type_them() {
        let code: ShortCode = "7q4k2m".parse().unwrap();
        assert_eq!(code.as_str(), "7Q4K-2M");
        assert_eq!("oil0-ab".parse::<ShortCode>().unwrap().as_str(), "0110-AB");
        assert!("7Q4K-2U".parse::<ShortCode>().is_err());
        assert!("7Q4K-2MM".parse::<ShortCode>().is_err());
    }

    #[test]
    fn text_ids_refuse_what_is_no_name() {
        assert!(TenantId::new("").is_err());
        assert!(TenantId::new("a\nb").is_err());
        assert!(TenantId::new("x".repeat(201)).is_err());
        assert!(serde_json::from_str::<TenantId>("\"\"").is_err());
        assert!(ServerName::new("prod/a").is_err() && ToolName::new("prod/a").is_ok());
    }
}
