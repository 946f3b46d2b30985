//! Trace events and what each of them holds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::approval::{
    Actor, Addressee, Alarm, ApprovedBy, Claim, Decision, ExpiredHow, Looking, Outcome, Proposal, Refusal,
    RejectedBy, Rendering, RevokedWhy, Vote,
};
use crate::call::{ArgsHash, CallDigest, PolicyDigest};
use crate::hold::{Hold, Lifted};
use crate::id::{ClaimId, HoldId, RequestId, ShortCode, SurfaceName, TenantId};
use crate::notice::Lost;
use crate::person::Identity;
use crate::policy::{RuleHit, Verdict};
use crate::remembered::{Forgotten, Remembered};
use crate::time::Timestamp;

/// The place of an event in the record: leaf index, SSE id and audit cursor in one, from 1, in the order of sealing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Whose record it belongs to.
    pub tenant: TenantId,
    /// Which request; none for what belongs to the installation or a tenant as a whole.
    pub request: Option<RequestId>,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened. The name on the wire is the `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum EventKind {
    /// An agent proposed a call.
    #[serde(rename = "tool.proposed")]
    Proposed {
        /// What people call the request.
        code: ShortCode,
        /// What was proposed.
        proposal: Arc<Proposal>,
        /// The hash of the envelope.
        digest: CallDigest,
        /// The hash of the arguments.
        args_hash: ArgsHash,
    },
    /// The policy is being asked.
    #[serde(rename = "policy.checking")]
    Checking,
    /// The policy answered.
    #[serde(rename = "policy.checked")]
    Checked {
        /// What it said.
        verdict: Arc<Verdict>,
        /// For what may run unasked: until when it may be claimed.
        claim_until: Option<Timestamp>,
    },
    /// People are asked.
    #[serde(rename = "approval.requested")]
    Requested {
        /// Until when others may be gathered on its card, which is not posted before; none where it is posted at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gathers_until: Option<Timestamp>,
        /// Until when they may decide.
        until: Timestamp,
        /// When an alarm goes out if nobody did.
        alarm_at: Timestamp,
    },
    /// Somebody voted.
    #[serde(rename = "vote.cast")]
    Voted {
        /// The vote.
        vote: Vote,
    },
    /// Somebody took their vote back.
    #[serde(rename = "vote.taken_back")]
    TakenBack {
        /// Whose.
        identity: Identity,
    },
    /// A vote no longer counts: its account lost what made it count.
    #[serde(rename = "vote.lapsed")]
    Lapsed {
        /// Whose.
        identity: Identity,
    },
    /// Something was refused, for a reason that is nobody's attempt to get around anything.
    #[serde(rename = "command.refused")]
    Refused {
        /// Whose.
        by: Actor,
        /// What they wanted.
        command: String,
        /// Why not.
        refusal: Refusal,
    },
    /// An attempt to get a call to run without a valid approval was stopped.
    #[serde(rename = "approval.bypassed_blocked")]
    BypassBlocked {
        /// Whose.
        by: Actor,
        /// What they tried.
        command: String,
        /// Why not; none where even that would tell of another tenant.
        refusal: Option<Refusal>,
        /// What they presented, where it differs from the request's own.
        presented: Option<String>,
    },
    /// It was decided.
    #[serde(rename = "approval.decided")]
    Decided {
        /// Yes or no.
        decision: Decision,
        /// Who said yes; set exactly for a yes.
        approved_by: Option<ApprovedBy>,
        /// Who said no; set exactly for a no.
        rejected_by: Option<RejectedBy>,
        /// The people, by name.
        people: Vec<String>,
        /// The reason of the vote that decided.
        reason: Option<String>,
        /// For a yes: until when it may be claimed.
        claim_until: Option<Timestamp>,
    },
    /// Time ran out.
    #[serde(rename = "approval.expired")]
    Expired {
        /// On whom.
        how: ExpiredHow,
    },
    /// It was taken back.
    #[serde(rename = "approval.revoked")]
    Revoked {
        /// Why.
        why: RevokedWhy,
        /// By whom.
        by: Actor,
        /// Their name, where it is a person.
        name: Option<String>,
        /// In their words.
        reason: Option<String>,
    },
    /// The next group is asked too.
    #[serde(rename = "approval.escalated")]
    Escalated {
        /// Which step.
        step: u32,
    },
    /// Those who are asked were reminded.
    #[serde(rename = "approval.reminded")]
    Reminded {
        /// How often so far.
        count: u32,
    },
    /// A later request that differs in nothing stands on this one's card from now on.
    #[serde(rename = "approval.joined")]
    Joined {
        /// Which.
        follower: RequestId,
    },
    /// This request stands on another's card, or, without one, has a card of its own again.
    #[serde(rename = "approval.shares_card")]
    SharesCard {
        /// Whose.
        leader: Option<RequestId>,
    },
    /// A later request has a part of this one's card from now on, with buttons of its own.
    #[serde(rename = "approval.gathers")]
    Gathers {
        /// Which.
        part: RequestId,
    },
    /// This request has a part of another's card, and none of its own.
    #[serde(rename = "approval.gathered_on")]
    GatheredOn {
        /// Whose.
        leader: RequestId,
    },
    /// Something happened to a request that stands on this one's card.
    #[serde(rename = "approval.part_changed")]
    PartChanged {
        /// Which.
        part: RequestId,
        /// Whether nobody is asked about it any more.
        over: bool,
    },
    /// Everybody who said yes chose that calls which look alike run as well.
    #[serde(rename = "approval.remembered")]
    Remembered {
        /// What runs from now on, and until when.
        remembered: Arc<Remembered>,
    },
    /// A remembered yes was taken back.
    #[serde(rename = "approval.forgotten")]
    Forgotten {
        /// Which.
        scope: RequestId,
        /// By whom and why.
        forgotten: Forgotten,
    },
    /// An emergency stop was placed: nothing that it covers is claimed.
    #[serde(rename = "stop.placed")]
    HoldPlaced {
        /// The stop.
        hold: Hold,
    },
    /// It was lifted.
    #[serde(rename = "stop.lifted")]
    HoldLifted {
        /// Which.
        hold: HoldId,
        /// By whom.
        lifted: Lifted,
    },
    /// A question was asked from the card.
    #[serde(rename = "question.asked")]
    Asked {
        /// Who asks.
        by: Identity,
        /// What they are called.
        name: String,
        /// Whom.
        to: Addressee,
        /// What.
        text: String,
        /// Where: there the person who is asked is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        surface: Option<SurfaceName>,
    },
    /// A question was answered.
    #[serde(rename = "question.answered")]
    Answered {
        /// Who answers.
        by: Actor,
        /// Their name, where it is a person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Which question, from 1.
        question: u32,
        /// What.
        text: String,
    },
    /// Somebody says that they are looking.
    #[serde(rename = "approval.looked_at")]
    Looks {
        /// Who, until when.
        looking: Looking,
    },
    /// They no longer are, or said so long ago.
    #[serde(rename = "approval.looked_away")]
    LooksAway {
        /// Who.
        by: Identity,
    },
    /// A new policy looked at it and changed nothing.
    #[serde(rename = "approval.rejudged")]
    Rejudged {
        /// What it said.
        rules: Vec<RuleHit>,
    },
    /// Somebody wants the very same call asked about again, although people said no.
    #[serde(rename = "approval.asked_anew")]
    AskedAnew {
        /// Who.
        by: Identity,
        /// What they are called.
        name: String,
    },
    /// A break-glass approval was reviewed.
    #[serde(rename = "approval.reviewed")]
    Reviewed {
        /// By whom.
        by: Identity,
        /// What they are called.
        name: String,
        /// In their words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// An executor took it.
    #[serde(rename = "approval.claimed")]
    Claimed {
        /// The claim.
        claim: Claim,
    },
    /// The executor is alive; its lease is longer now.
    #[serde(rename = "execution.heartbeat")]
    Heartbeat {
        /// Which claim.
        claim: ClaimId,
        /// Until when now.
        lease_until: Timestamp,
    },
    /// Somebody wants a running call to stop.
    #[serde(rename = "execution.stop_requested")]
    StopRequested {
        /// Who.
        by: Actor,
        /// Why.
        reason: Option<String>,
    },
    /// It ran, or nobody knows.
    #[serde(rename = "tool.executed")]
    Executed {
        /// Which claim.
        claim: ClaimId,
        /// How it ended.
        outcome: Outcome,
        /// Whether the executor reported after it had been given up.
        late: bool,
    },
    /// Somebody said how an unknown outcome ended.
    #[serde(rename = "execution.settled")]
    Settled {
        /// Who.
        by: Actor,
        /// How it ended.
        outcome: Outcome,
        /// How they know.
        reason: String,
        /// Their name, where it is a person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Something is shown to people: on record before it is sent, so that no click can outrun it.
    #[serde(rename = "card.shown")]
    Shown {
        /// What, where and to whom.
        rendering: Rendering,
    },
    /// A surface acknowledged a card.
    #[serde(rename = "card.delivered")]
    CardDelivered {
        /// Which.
        surface: SurfaceName,
    },
    /// A card could not be delivered; this is nobody's no.
    #[serde(rename = "card.undeliverable")]
    CardUndeliverable {
        /// Which surface.
        surface: SurfaceName,
        /// Why.
        why: String,
    },
    /// A one-off message was given up: somebody was not told.
    #[serde(rename = "message.undelivered")]
    MessageUndelivered {
        /// What it was, who was not reached, and why.
        lost: Lost,
    },
    /// An operator must look.
    #[serde(rename = "alarm.raised")]
    AlarmRaised {
        /// At what.
        alarm: Alarm,
    },
    /// A policy took force.
    #[serde(rename = "policy.loaded")]
    PolicyLoaded {
        /// The author's name for it.
        label: String,
        /// The hash of its text.
        digest: PolicyDigest,
        /// The text itself; for a tenant with a file of its own, the installation's.
        text: String,
        /// The tenant's own text on top of it, where there is one; the two are read together.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tenant_text: Option<String>,
        /// Who or what brought it: a start, a change of the file, a signal; with those who agreed to it, if it took any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// What changed against the one before, a line each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<String>,
    },
    /// A policy was not taken; the one before stays in force.
    #[serde(rename = "policy.refused")]
    PolicyRefused {
        /// The hash of its text.
        digest: PolicyDigest,
        /// The text itself.
        text: String,
        /// Why not: a sentence of one line, then what was found in it, if anything was.
        errors: String,
    },
    /// A credential was made.
    #[serde(rename = "credential.created")]
    CredentialCreated {
        /// Its public name.
        credential: crate::id::CredentialId,
        /// What it may do.
        scopes: Vec<String>,
    },
    /// A credential was revoked.
    #[serde(rename = "credential.revoked")]
    CredentialRevoked {
        /// Its public name.
        credential: crate::id::CredentialId,
    },
}

impl EventKind {
    /// The name on the wire.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Proposed { .. } => "tool.proposed",
            Self::Checking => "policy.checking",
            Self::Checked { .. } => "policy.checked",
            Self::Requested { .. } => "approval.requested",
            Self::Voted { .. } => "vote.cast",
            Self::TakenBack { .. } => "vote.taken_back",
            Self::Lapsed { .. } => "vote.lapsed",
            Self::Refused { .. } => "command.refused",
            Self::BypassBlocked { .. } => "approval.bypassed_blocked",
            Self::Decided { .. } => "approval.decided",
            Self::Expired { .. } => "approval.expired",
            Self::Revoked { .. } => "approval.revoked",
            Self::Escalated { .. } => "approval.escalated",
            Self::Reminded { .. } => "approval.reminded",
            Self::Joined { .. } => "approval.joined",
            Self::SharesCard { .. } => "approval.shares_card",
            Self::Gathers { .. } => "approval.gathers",
            Self::GatheredOn { .. } => "approval.gathered_on",
            Self::PartChanged { .. } => "approval.part_changed",
            Self::Remembered { .. } => "approval.remembered",
            Self::Forgotten { .. } => "approval.forgotten",
            Self::HoldPlaced { .. } => "stop.placed",
            Self::HoldLifted { .. } => "stop.lifted",
            Self::PolicyRefused { .. } => "policy.refused",
            Self::Asked { .. } => "question.asked",
            Self::Answered { .. } => "question.answered",
            Self::Looks { .. } => "approval.looked_at",
            Self::LooksAway { .. } => "approval.looked_away",
            Self::Rejudged { .. } => "approval.rejudged",
            Self::AskedAnew { .. } => "approval.asked_anew",
            Self::Reviewed { .. } => "approval.reviewed",
            Self::Claimed { .. } => "approval.claimed",
            Self::Heartbeat { .. } => "execution.heartbeat",
            Self::StopRequested { .. } => "execution.stop_requested",
            Self::Executed { .. } => "tool.executed",
            Self::Settled { .. } => "execution.settled",
            Self::Shown { .. } => "card.shown",
            Self::CardDelivered { .. } => "card.delivered",
            Self::CardUndeliverable { .. } => "card.undeliverable",
            Self::MessageUndelivered { .. } => "message.undelivered",
            Self::AlarmRaised { .. } => "alarm.raised",
            Self::PolicyLoaded { .. } => "policy.loaded",
            Self::CredentialCreated { .. } => "credential.created",
            Self::CredentialRevoked { .. } => "credential.revoked",
        }
    }

    /// Whether people should see it on the card.
    #[must_use]
    pub const fn changes_card(&self) -> bool {
        match self {
            // It stands on the card that a question did not arrive.
            Self::MessageUndelivered { lost } => lost.question.is_some(),
            Self::Requested { .. }
            | Self::Voted { .. }
            | Self::TakenBack { .. }
            | Self::Lapsed { .. }
            | Self::Decided { .. }
            | Self::Expired { .. }
            | Self::Revoked { .. }
            | Self::Escalated { .. }
            | Self::Joined { .. }
            | Self::SharesCard { .. }
            | Self::Gathers { .. }
            | Self::GatheredOn { .. }
            | Self::PartChanged { .. }
            | Self::Asked { .. }
            | Self::Answered { .. }
            | Self::Looks { .. }
            | Self::LooksAway { .. }
            | Self::Reviewed { .. }
            | Self::Claimed { .. }
            | Self::StopRequested { .. }
            | Self::Executed { .. }
            | Self::Settled { .. } => true,
            Self::Proposed { .. }
            | Self::Checking
            | Self::Checked { .. }
            | Self::Refused { .. }
            | Self::BypassBlocked { .. }
            | Self::Rejudged { .. }
            | Self::AskedAnew { .. }
            | Self::Heartbeat { .. }
            | Self::Shown { .. }
            | Self::CardDelivered { .. }
            | Self::CardUndeliverable { .. }
            | Self::AlarmRaised { .. }
            | Self::Reminded { .. }
            | Self::Remembered { .. }
            | Self::Forgotten { .. }
            | Self::HoldPlaced { .. }
            | Self::HoldLifted { .. }
            | Self::PolicyRefused { .. }
            | Self::PolicyLoaded { .. }
            | Self::CredentialCreated { .. }
            | Self::CredentialRevoked { .. } => false,
        }
    }
}
