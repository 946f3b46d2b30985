//! The nine states and what each holds.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::approval::Actor;
use crate::approval::talk::{Looking, Question};
use crate::call::{CallDigest, ContentHash, ShownDigest};
use crate::id::{ClaimId, DeliveryKey, PersonId, RequestId, Role, SurfaceName};
use crate::person::Identity;
use crate::policy::RuleHit;
use crate::time::{Timestamp, Ttl};

/// Where a request stands, with what that state knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status", content = "data")]
pub enum State {
    /// Taken in, not yet looked at.
    Proposed,
    /// The policy is being asked.
    PolicyChecking,
    /// People are being asked.
    WaitingApproval(Waiting),
    /// May run once.
    Approved(Approved),
    /// Will not run: people or the policy said no.
    Rejected(Rejected),
    /// Claimed, and perhaps running.
    Executing(Executing),
    /// Over: it ran, or nobody knows.
    Executed(Executed),
    /// Time ran out.
    Expired(Expired),
    /// Taken back.
    Revoked(Revoked),
}

/// The nine states by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "documented at the variants of State")]
pub enum Status {
    Proposed,
    PolicyChecking,
    WaitingApproval,
    Approved,
    Rejected,
    Executing,
    Executed,
    Expired,
    Revoked,
}

impl Status {
    /// All nine, in the order of a request's life.
    pub const ALL: [Self; 9] = [
        Self::Proposed,
        Self::PolicyChecking,
        Self::WaitingApproval,
        Self::Approved,
        Self::Rejected,
        Self::Executing,
        Self::Executed,
        Self::Expired,
        Self::Revoked,
    ];

    /// Its name in the record, on the wire and in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::PolicyChecking => "policy_checking",
            Self::WaitingApproval => "waiting_approval",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Executing => "executing",
            Self::Executed => "executed",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }

    /// The status of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether a request in it can still go on by itself.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(
            self,
            Self::Proposed | Self::PolicyChecking | Self::WaitingApproval | Self::Approved | Self::Executing
        )
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl State {
    /// The state's name.
    #[must_use]
    pub const fn status(&self) -> Status {
        match self {
            Self::Proposed => Status::Proposed,
            Self::PolicyChecking => Status::PolicyChecking,
            Self::WaitingApproval(_) => Status::WaitingApproval,
            Self::Approved(_) => Status::Approved,
            Self::Rejected(_) => Status::Rejected,
            Self::Executing(_) => Status::Executing,
            Self::Executed(_) => Status::Executed,
            Self::Expired(_) => Status::Expired,
            Self::Revoked(_) => Status::Revoked,
        }
    }
}

/// People are being asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Since when.
    pub since: Timestamp,
    /// Until when they may decide; also looked at inside a vote, so that a late sweeper lengthens nothing.
    pub until: Timestamp,
    /// When an alarm goes out.
    pub alarm_at: Timestamp,
    /// Until when others may be gathered on its card, which is not posted before; none where it was posted at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gathers_until: Option<Timestamp>,
    /// Questions asked from the card, and their answers.
    pub questions: Vec<Question>,
    /// Who says that they are looking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looking: Vec<Looking>,
    /// Reminders sent so far.
    #[serde(default)]
    pub reminders: u32,
}

/// May run once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// Who said so.
    pub by: ApprovedBy,
    /// When.
    pub at: Timestamp,
    /// Until when it may be claimed; looked at inside the claim.
    pub until: Timestamp,
}

/// Who said yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "who")]
pub enum ApprovedBy {
    /// The policy: nobody needed to be asked.
    Policy,
    /// The people whose votes filled the last stage.
    Votes,
    /// Nobody; a rule for calls graded low lets silence count.
    Timeout,
    /// People who chose, with an earlier yes, that calls which look alike run.
    Remembered {
        /// Which yes: the request on whose card it was given.
        scope: RequestId,
        /// The accounts of those who chose it; they must still have their roles at the claim.
        by: Vec<Identity>,
        /// Their names.
        names: Vec<String>,
        /// Until when they chose it.
        until: Timestamp,
    },
    /// One person alone, in an emergency; see [`BrokenGlass`].
    BreakGlass {
        /// Who.
        by: Identity,
        /// The person it was then.
        person: PersonId,
        /// What they are called.
        name: String,
        /// Why.
        reason: String,
        /// Where; none where that was not yet kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        surface: Option<SurfaceName>,
        /// How sure it is that it was they.
        #[serde(default)]
        assurance: Assurance,
        /// What they had been shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<ShownDigest>,
    },
}

impl ApprovedBy {
    /// Whether it rests on this remembered yes.
    #[must_use]
    pub fn rests_on(&self, remembered: RequestId) -> bool {
        matches!(self, Self::Remembered { scope, .. } if *scope == remembered)
    }
}

/// A decision of one person alone, in an emergency. It stays with the request whatever becomes of that, and is open until
/// somebody else has reviewed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenGlass {
    /// Who.
    pub by: Identity,
    /// The person it was then.
    pub person: PersonId,
    /// What they are called.
    pub name: String,
    /// Why.
    pub reason: String,
    /// Where; none where that was not yet kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
    /// How sure it is that it was they.
    #[serde(default)]
    pub assurance: Assurance,
    /// What they had been shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownDigest>,
    /// When.
    pub at: Timestamp,
    /// Who reviewed it since.
    pub reviewed: Option<Reviewed>,
}

/// A review of a decision that one person took alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewed {
    /// Who.
    pub by: Identity,
    /// What they are called.
    pub name: String,
    /// In their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Will not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// Who said so.
    pub by: RejectedBy,
    /// When.
    pub at: Timestamp,
}

/// Who said no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "who")]
pub enum RejectedBy {
    /// The policy forbids it; no approval can override that.
    Policy {
        /// Why.
        because: String,
    },
    /// Nobody could be asked; this is not a no of people.
    NoApprover {
        /// Why not.
        why: String,
    },
    /// People.
    Votes {
        /// The reason given with the vote that ended it.
        reason: Option<String>,
    },
    /// People, when the same call was asked about a moment ago.
    Earlier {
        /// Then.
        request: RequestId,
        /// Their reason.
        reason: Option<String>,
    },
}

/// Claimed, and perhaps running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executing {
    /// Who had said yes.
    pub by: ApprovedBy,
    /// Who runs it.
    pub claim: Claim,
    /// A revoke that came too late to prevent the start; told to the executor at its next heartbeat.
    pub stop: Option<Stop>,
}

/// A wish that a running call stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Whose.
    pub by: Actor,
    /// Why.
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// The one use of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Its id.
    pub id: ClaimId,
    /// The hash of the random key of the attempt that won; whoever holds the key may ask again for its answer.
    pub key_hash: ContentHash,
    /// Who runs it.
    pub executor: Actor,
    /// When it was claimed.
    pub at: Timestamp,
    /// How long a heartbeat carries.
    pub lease: Ttl,
    /// When the executor is given up for dead.
    pub lease_until: Timestamp,
}

/// Over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Executed {
    /// Who had said yes.
    pub by: ApprovedBy,
    /// Who ran it.
    pub claim: Claim,
    /// How it ended.
    pub outcome: Outcome,
    /// When that became known.
    pub at: Timestamp,
    /// Whether the executor reported after it had been given up.
    pub late: bool,
    /// Who settled an unknown outcome.
    pub settled_by: Option<Actor>,
    /// In whose words, and which; none where that was not yet kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settlement: Option<Settlement>,
}

/// What somebody said of an unknown outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    /// What they are called, where it is a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How they know.
    pub reason: String,
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// In one word.
    pub kind: OutcomeKind,
    /// What the tool returned, as JSON text, bounded by [`RESULT_BYTES_MAX`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long it ran, in milliseconds, as the executor measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// The most bytes of a tool's result that are kept: what a model can still read, and a database row can still hold.
pub const RESULT_BYTES_MAX: usize = 256 * 1024;

/// How an execution ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// The tool said so.
    Succeeded,
    /// The tool said so.
    Failed,
    /// Nobody knows; never retried by itself.
    Unknown,
}

impl OutcomeKind {
    /// Its name in the record and on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Succeeded, Self::Failed, Self::Unknown].into_iter().find(|kind| kind.name() == name)
    }
}

/// Time ran out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expired {
    /// On whom.
    pub how: ExpiredHow,
    /// When.
    pub at: Timestamp,
}

/// On whom time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiredHow {
    /// People were asked, and did not answer.
    Unanswered,
    /// No surface acknowledged a card: nobody was asked, and nobody said no.
    Unasked,
    /// It was approved, and nobody claimed it in time.
    Unused,
}

/// Taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revoked {
    /// Why.
    pub why: RevokedWhy,
    /// By whom.
    pub by: Actor,
    /// Their name, where it is a person.
    pub name: Option<String>,
    /// In their words.
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Why a request was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum RevokedWhy {
    /// Who proposed it no longer wants it.
    Withdrawn,
    /// Somebody who may, took it back.
    Revoked,
    /// An edited request replaces it.
    Superseded {
        /// Which.
        by: RequestId,
    },
    /// The policy became stricter.
    Rejudged {
        /// The rule that did it.
        rule: RuleHit,
    },
    /// The remembered yes that it rested on was taken back.
    Forgotten {
        /// Which.
        scope: RequestId,
    },
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Yes.
    Approve,
    /// No.
    Deny,
}

/// How sure one can be that a vote is the person's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assurance {
    /// The chat server says so.
    #[default]
    ServerAsserted,
    /// A signed callback or a credential says so.
    Signed,
    /// End-to-end encrypted, from a device signed by an identity trusted on first use.
    E2eeTofu,
    /// End-to-end encrypted, from a device signed by a pinned identity.
    E2eePinned,
}

impl Assurance {
    /// As policies and the record have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ServerAsserted => "server-asserted",
            Self::Signed => "signed",
            Self::E2eeTofu => "e2ee-tofu",
            Self::E2eePinned => "e2ee-pinned",
        }
    }
}

/// What one account said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// The account; the person is looked up again at the decision.
    pub identity: Identity,
    /// The person it was when the vote was given.
    pub person: PersonId,
    /// What that person is called.
    pub name: String,
    /// Yes or no.
    pub decision: Decision,
    /// In their words.
    pub note: Option<String>,
    /// When.
    pub at: Timestamp,
    /// Which stage it was for.
    pub stage: u32,
    /// Where it was given.
    pub surface: SurfaceName,
    /// How sure that is.
    pub assurance: Assurance,
    /// What they were shown.
    pub shown: Option<ShownDigest>,
    /// The call it is for.
    pub digest: CallDigest,
    /// Whether they chose that calls which look alike run as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remember: bool,
    /// How many later requests on the same card it covers: as many as the card named when they saw it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub covers: u32,
    /// The request on whose card it was given, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_on: Option<RequestId>,
    /// By what it was given, where that can be taken away by itself: see [`Ballot::sign`](super::Ballot::sign).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign: Option<DeliveryKey>,
    /// Whom they stood in for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stands_in_for: Vec<String>,
    /// The roles that it counted for when it was given, among those that are asked.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub roles: BTreeSet<Role>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Something that was shown of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendering {
    /// The hash of what was shown.
    pub shown: ShownDigest,
    /// Where.
    pub surface: SurfaceName,
    /// Whether it held the whole call.
    pub full: bool,
    /// To whom; none means everybody who can see the card.
    pub viewer: Option<Identity>,
    /// How many later requests it named that a yes covers as well.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub covers: u32,
}
