//! What adapters hand in: authentic, parsed, and complete enough to be kept and worked off later.

use serde::{Deserialize, Serialize};

use crate::approval::{Actor, Addressee, Alone, Ballot, Command, Outcome, OutcomeKind, Rendering};
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
        /// Only if it was given by this: see [`Ballot::sign`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sign: Option<DeliveryKey>,
    },
    /// Was shown something in full.
    Saw(Rendering),
    /// Said how an unknown outcome ended.
    Settle {
        /// Who.
        identity: Identity,
        /// How it ended.
        outcome: OutcomeKind,
        /// How they know.
        reason: String,
    },
    /// Decided alone, in an emergency.
    BreakGlass(Alone),
    /// Reviewed what somebody decided alone.
    Review {
        /// Who.
        identity: Identity,
        /// In their words.
        note: Option<String>,
    },
    /// Says that they are looking, or no longer are.
    Look {
        /// Who.
        identity: Identity,
    },
    /// Asked a question.
    Ask {
        /// Who.
        identity: Identity,
        /// Whom.
        to: Addressee,
        /// What.
        text: String,
        /// Where.
        surface: SurfaceName,
    },
    /// Answered one.
    Answer {
        /// Who.
        identity: Identity,
        /// Which, from 1.
        question: u32,
        /// What.
        text: String,
    },
    /// Nobody did anything: the request on whose card this one stood is over. No surface hands this in; it comes from the
    /// commit that ended the other.
    Follow {
        /// The other.
        leader: RequestId,
        /// Its call.
        digest: CallDigest,
        /// What people said there that covers this one.
        ballots: Vec<Ballot>,
        /// How many escalation steps were taken there: whom they asked may decide here too.
        #[serde(default)]
        escalations: u32,
    },
    /// Nobody did anything: something happened to a request that stands on this one's card. No surface hands this in; it
    /// comes from the commit that changed the other.
    PartChanged {
        /// The other.
        part: RequestId,
        /// Whether nobody is asked about it any more.
        over: bool,
    },
}

impl Act {
    /// Whose act it is; none where nobody did anything, or it says itself to whom something was shown.
    #[must_use]
    pub const fn identity(&self) -> Option<&Identity> {
        match self {
            Self::Vote(ballot) => Some(&ballot.identity),
            Self::BreakGlass(alone) => Some(&alone.identity),
            Self::TakeBack { identity, .. }
            | Self::Settle { identity, .. }
            | Self::Review { identity, .. }
            | Self::Look { identity }
            | Self::Ask { identity, .. }
            | Self::Answer { identity, .. } => Some(identity),
            Self::Saw(_) | Self::Follow { .. } | Self::PartChanged { .. } => None,
        }
    }

    /// As a command.
    #[must_use]
    pub fn command(&self) -> Command {
        match self {
            Self::Vote(ballot) => Command::Vote(ballot.clone()),
            Self::TakeBack { identity, sign } => {
                Command::TakeBack { identity: identity.clone(), sign: sign.clone() }
            }
            Self::Saw(rendering) => Command::Show(rendering.clone()),
            Self::Settle { identity, outcome, reason } => Command::Settle {
                by: Actor::Account(identity.clone()),
                outcome: Outcome { kind: *outcome, result: None, error: None, duration_ms: None },
                reason: reason.clone(),
            },
            Self::BreakGlass(alone) => Command::BreakGlass(alone.clone()),
            Self::Review { identity, note } => {
                Command::Review { identity: identity.clone(), note: note.clone() }
            }
            Self::Look { identity } => Command::Look { identity: identity.clone() },
            Self::Ask { identity, to, text, surface } => Command::Ask {
                identity: identity.clone(),
                to: *to,
                text: text.clone(),
                surface: Some(surface.clone()),
            },
            Self::Answer { identity, question, text } => Command::Answer {
                by: Actor::Account(identity.clone()),
                question: Some(*question),
                text: text.clone(),
            },
            Self::Follow { leader, digest, ballots, escalations } => Command::Follow {
                leader: *leader,
                digest: *digest,
                ballots: ballots.clone(),
                escalations: *escalations,
            },
            Self::PartChanged { part, over } => Command::PartChanged { part: *part, over: *over },
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
