//! What adapters hand in: authentic, parsed, and complete enough to be kept and worked off later.

use serde::{Deserialize, Serialize};

use crate::approval::{Ballot, Command, Rendering};
use crate::call::CallDigest;
use crate::id::{DeliveryKey, RequestId, SurfaceName, TenantId};
use crate::person::Identity;
use crate::time::Timestamp;

/// One thing that somebody did on a surface, after its signature was verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbound {
    /// The surface's own name for this delivery; the same again is the same thing.
    pub delivery: DeliveryKey,
    /// When it arrived.
    pub at: Timestamp,
    /// Whose: from the workspace or room it came from, never from the payload's free text.
    pub tenant: TenantId,
    /// Which request.
    pub request: RequestId,
    /// The message it happened on, which is adopted if it is not on record.
    pub message: Option<Located>,
    /// Where a refusal is whispered.
    pub reply: Option<ReplyTo>,
    /// What they did.
    pub act: Act,
}

/// What somebody did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "act")]
pub enum Act {
    /// Said yes or no.
    Vote(Ballot),
    /// Took their vote back.
    TakeBack {
        /// Whose.
        identity: Identity,
    },
    /// Was shown something in full.
    Saw(Rendering),
    /// Nobody did anything: the request on whose card this one stood is over. No surface hands this in; it comes from the
    /// commit that ended the other.
    Follow {
        /// The other.
        leader: RequestId,
        /// Its call.
        digest: CallDigest,
        /// What people said there that covers this one.
        ballots: Vec<Ballot>,
    },
}

impl Act {
    /// As a command.
    #[must_use]
    pub fn command(&self) -> Command {
        match self {
            Self::Vote(ballot) => Command::Vote(ballot.clone()),
            Self::TakeBack { identity } => Command::TakeBack { identity: identity.clone() },
            Self::Saw(rendering) => Command::Show(rendering.clone()),
            Self::Follow { leader, digest, ballots } => {
                Command::Follow { leader: *leader, digest: *digest, ballots: ballots.clone() }
            }
        }
    }
}

/// A message on a surface, by the surface's own names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MessageRef {
    /// The channel as the surface returned it.
    pub channel: String,
    /// The message in it.
    pub id: String,
}

/// A message and the surface it is on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Located {
    /// The surface.
    pub surface: SurfaceName,
    /// The message.
    pub message: MessageRef,
}

/// Where one account can be told something that nobody else sees.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReplyTo {
    /// The surface.
    pub surface: SurfaceName,
    /// The channel they are in.
    pub channel: String,
    /// The thread, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The account.
    pub identity: Identity,
}
