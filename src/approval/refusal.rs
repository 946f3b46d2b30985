//! Why something was refused, by name. A refusal is an answer, not an error: it is recorded, and told to who asked.

use serde::{Deserialize, Serialize};

use crate::approval::state::{Decision, Status};
use crate::id::Role;
use crate::person::NoStanding;

/// A named refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "code")]
pub enum Refusal {
    /// It is over; told with what was decided, and by whom.
    AlreadyDecided {
        /// How it stands.
        status: Status,
        /// Who decided, by name; empty where nobody did.
        by: Vec<String>,
    },
    /// This state does not take this command.
    OutOfOrder {
        /// How it stands.
        status: Status,
        /// What was asked of it.
        command: String,
    },
    /// The time to decide is over, though nobody has swept yet.
    TooLate,
    /// The account counts for nobody.
    NoStanding(NoStanding),
    /// The person has none of the roles that are asked now.
    WrongRole {
        /// Which are asked.
        needs: Vec<Role>,
    },
    /// Who asked for it cannot vote for it.
    OwnRequest,
    /// Who changed it cannot vote for what they made of it.
    OwnEdit,
    /// The same person has said the same before.
    AlreadyVoted {
        /// What they said.
        decision: Decision,
    },
    /// A yes from somebody who was not shown the whole call.
    NotShownInFull,
    /// The policy wants a reason with this.
    ReasonRequired {
        /// With what.
        decision: Decision,
    },
    /// There is no vote of theirs to take back.
    NoVote,
    /// The person may not do this.
    NotAllowed {
        /// Which roles may.
        needs: Vec<Role>,
    },
    /// The facts are too old, or do not cover every vote: read them again, and try again. Never told to people.
    FactsStale,
    /// There is no approval to claim.
    NotApproved {
        /// How it stands.
        status: Status,
    },
    /// What is about to run is not what was approved.
    WrongCall,
    /// The approval was not claimed in time.
    ApprovalExpired,
    /// Somebody whose vote it rests on no longer counts.
    ApproverLapsed {
        /// Who, by name.
        names: Vec<String>,
    },
    /// Today's policy forbids it, whatever was approved.
    ForbiddenNow {
        /// Why.
        because: String,
    },
    /// Somebody has stopped calls like this one; nothing is claimed until that is lifted.
    Held {
        /// Their reason.
        reason: String,
    },
    /// A freeze began after it was asked about.
    Frozen {
        /// Which.
        name: String,
        /// Why.
        because: String,
        /// Until when.
        until: crate::time::Timestamp,
    },
    /// The remembered yes that it rests on was taken back, or has ended.
    NoLongerRemembered,
    /// The policy wants to be surer that a vote is the person's own than this surface can tell.
    LowAssurance {
        /// What it wants.
        needs: crate::approval::Assurance,
    },
    /// The policy does not let this call be changed before it is decided.
    MayNotEdit,
    /// It was claimed before, by another attempt.
    AlreadyClaimed,
    /// The key or the claim is not the one that won.
    NotTheClaimant,
    /// Its outcome is known.
    AlreadyFinished {
        /// What it is.
        outcome: crate::approval::OutcomeKind,
    },
    /// A settlement must say how it ended.
    StillUnknown,
    /// It was asked as many questions as it takes.
    TooManyQuestions,
    /// There is no such question, or it was answered.
    NoOpenQuestion,
    /// The question is for somebody else to answer.
    NotAskedOfYou,
}

impl Refusal {
    /// The stable code, as on the wire and in the trace.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::AlreadyDecided { .. } => "already_decided",
            Self::OutOfOrder { .. } => "out_of_order",
            Self::TooLate => "too_late",
            Self::NoStanding(_) => "no_standing",
            Self::WrongRole { .. } => "wrong_role",
            Self::OwnRequest => "own_request",
            Self::OwnEdit => "own_edit",
            Self::AlreadyVoted { .. } => "already_voted",
            Self::NotShownInFull => "not_shown_in_full",
            Self::ReasonRequired { .. } => "reason_required",
            Self::NoVote => "no_vote",
            Self::NotAllowed { .. } => "not_allowed",
            Self::FactsStale => "facts_stale",
            Self::NotApproved { .. } => "not_approved",
            Self::WrongCall => "wrong_call",
            Self::ApprovalExpired => "approval_expired",
            Self::ApproverLapsed { .. } => "approver_lapsed",
            Self::ForbiddenNow { .. } => "forbidden_now",
            Self::Held { .. } => "held",
            Self::Frozen { .. } => "frozen",
            Self::NoLongerRemembered => "no_longer_remembered",
            Self::LowAssurance { .. } => "low_assurance",
            Self::MayNotEdit => "may_not_edit",
            Self::AlreadyClaimed => "already_claimed",
            Self::NotTheClaimant => "not_the_claimant",
            Self::AlreadyFinished { .. } => "already_finished",
            Self::StillUnknown => "still_unknown",
            Self::TooManyQuestions => "too_many_questions",
            Self::NoOpenQuestion => "no_open_question",
            Self::NotAskedOfYou => "not_asked_of_you",
        }
    }

    /// Whether it stopped somebody from getting a call to run that they may not run: those leave
    /// `approval.bypassed_blocked` in the trace, the others `command.refused`.
    #[must_use]
    pub const fn is_bypass(&self) -> bool {
        match self {
            Self::NoStanding(NoStanding::Unreadable(_)) => false,
            Self::NoStanding(_)
            | Self::WrongRole { .. }
            | Self::OwnRequest
            | Self::OwnEdit
            | Self::NotShownInFull
            | Self::NotAllowed { .. }
            | Self::NotApproved { .. }
            | Self::WrongCall
            | Self::ApprovalExpired
            | Self::ApproverLapsed { .. }
            | Self::ForbiddenNow { .. }
            | Self::Held { .. }
            | Self::Frozen { .. }
            | Self::NoLongerRemembered
            | Self::LowAssurance { .. }
            | Self::AlreadyClaimed
            | Self::NotTheClaimant => true,
            Self::AlreadyDecided { .. }
            | Self::OutOfOrder { .. }
            | Self::TooLate
            | Self::AlreadyVoted { .. }
            | Self::ReasonRequired { .. }
            | Self::NoVote
            | Self::FactsStale
            | Self::AlreadyFinished { .. }
            | Self::MayNotEdit
            | Self::StillUnknown
            | Self::TooManyQuestions
            | Self::NoOpenQuestion
            | Self::NotAskedOfYou => false,
        }
    }
}
