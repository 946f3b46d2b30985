//! Where a request stands, as people see it.

use serde::Serialize;

use crate::approval::{
    Approval, ApprovedBy, Decision, ExpiredHow, Need, OutcomeKind, RejectedBy, RevokedWhy, State, Vote,
};
use crate::card::{Redactor, Visible, visible, visible_line};
use crate::id::Role;
use crate::policy::Terms;
use crate::time::{Timestamp, Ttl};

/// Where a request stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum StateView {
    /// The policy is being asked.
    Checking,
    /// People are being asked.
    Waiting {
        /// What the current stage asks for, and has.
        needs: Vec<Need>,
        /// Which stage, from 1, of how many.
        stage: (u32, u32),
        /// Who may decide as well, because nobody did: roles of the escalation steps taken.
        as_well: Vec<Role>,
        /// Who has said what.
        votes: Vec<VoteView>,
        /// Until when they may decide.
        until: Timestamp,
        /// How long a yes is good for.
        valid_for: Ttl,
        /// Whether a yes needs a reason.
        reason_for_yes: bool,
        /// Whether a no needs a reason.
        reason_for_no: bool,
    },
    /// May run once.
    Approved {
        /// Who said so; empty where the policy or a time-out did.
        votes: Vec<VoteView>,
        /// Whether nobody was asked, or silence counted.
        unasked: bool,
        /// Until when it may be claimed.
        until: Timestamp,
    },
    /// People or the policy said no.
    Rejected {
        /// Who said no.
        votes: Vec<VoteView>,
        /// Why, where it was not people.
        because: Option<Visible>,
        /// Whether nobody could be asked.
        unasked: bool,
        /// Whether people said no to the same call a moment before, and were not asked again.
        earlier: bool,
        /// Their reason.
        reason: Option<Visible>,
        /// When.
        at: Timestamp,
    },
    /// It is running.
    Executing {
        /// Who said yes.
        votes: Vec<VoteView>,
        /// Since when.
        since: Timestamp,
        /// Whether somebody wants it to stop.
        stop_requested: bool,
    },
    /// It is over.
    Executed {
        /// Who said yes.
        votes: Vec<VoteView>,
        /// How it ended.
        outcome: OutcomeKind,
        /// What went wrong.
        error: Option<Visible>,
        /// How long it ran, in milliseconds.
        duration_ms: Option<u64>,
        /// When that became known.
        at: Timestamp,
        /// Whether somebody settled it.
        settled: bool,
    },
    /// Time ran out.
    Expired {
        /// On whom.
        how: ExpiredHow,
        /// When.
        at: Timestamp,
    },
    /// It was taken back.
    Revoked {
        /// Why.
        why: RevokedWhy,
        /// By whom.
        by: Visible,
        /// In their words.
        reason: Option<Visible>,
        /// When.
        at: Timestamp,
    },
}

/// What one person said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoteView {
    /// Who.
    pub name: Visible,
    /// Yes or no.
    pub decision: Decision,
    /// In their words.
    pub note: Option<Visible>,
    /// When.
    pub at: Timestamp,
    /// Whom they stood in for.
    pub stands_in_for: Vec<Visible>,
    /// Whether they chose that calls which look alike run as well.
    pub remember: bool,
}

/// On whose word a request may run or did, where that is not the votes'.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "grounds")]
pub enum GroundsView {
    /// People chose, with an earlier yes, that calls which look alike run.
    Remembered {
        /// Who.
        names: Vec<Visible>,
        /// Until when they chose it.
        until: Timestamp,
    },
    /// One person alone, in an emergency. Told whatever became of the request since.
    Alone {
        /// Who.
        name: Visible,
        /// Why.
        reason: Visible,
        /// When.
        at: Timestamp,
        /// Who reviewed it since; none while nobody has.
        reviewed_by: Option<Visible>,
    },
}

impl GroundsView {
    pub(super) fn of(approval: &Approval, redactor: &Redactor) -> Option<Self> {
        if let Some(glass) = &approval.glass {
            return Some(Self::Alone {
                name: visible_line(&glass.name),
                reason: visible_line(&redactor.redact_text(&glass.reason).text),
                at: glass.at,
                reviewed_by: glass.reviewed.as_ref().map(|reviewed| visible_line(&reviewed.name)),
            });
        }
        let by = match &approval.state {
            State::Approved(approved) => &approved.by,
            State::Executing(executing) => &executing.by,
            State::Executed(executed) => &executed.by,
            _ => return None,
        };
        match by {
            ApprovedBy::Remembered { names, until, .. } => Some(Self::Remembered {
                names: names.iter().map(|name| visible_line(name)).collect(),
                until: *until,
            }),
            _ => None,
        }
    }
}

impl StateView {
    pub(super) fn of(approval: &Approval, redactor: &Redactor) -> Self {
        let text = |text: &str| visible(&redactor.redact_text(text).text);
        let votes = |decision: Option<Decision>| -> Vec<VoteView> {
            let said =
                approval.votes.iter().filter(|vote| decision.is_none_or(|wanted| vote.decision == wanted));
            said.map(|vote| vote_view(vote, redactor)).collect()
        };
        match &approval.state {
            State::Proposed | State::PolicyChecking => Self::Checking,
            State::WaitingApproval(waiting) => {
                let tally = approval.tally_as_voted();
                let terms: Option<&Terms> =
                    approval.verdict.as_deref().and_then(|verdict| verdict.terms.as_ref());
                Self::Waiting {
                    stage: tally
                        .as_ref()
                        .map_or((1, 1), |tally| ((tally.stage + 1).min(tally.stages), tally.stages)),
                    needs: tally.map(|tally| tally.needs).unwrap_or_default(),
                    as_well: as_well(approval),
                    votes: votes(None),
                    until: waiting.until,
                    valid_for: terms.map_or(Ttl::ZERO, |terms| terms.valid_for),
                    reason_for_yes: terms.is_some_and(|terms| terms.reason_for_yes),
                    reason_for_no: terms.is_some_and(|terms| terms.reason_for_no),
                }
            }
            State::Approved(approved) => Self::Approved {
                votes: votes(Some(Decision::Approve)),
                unasked: matches!(approved.by, ApprovedBy::Policy | ApprovedBy::Timeout),
                until: approved.until,
            },
            State::Rejected(rejected) => Self::Rejected {
                votes: votes(Some(Decision::Deny)),
                because: match &rejected.by {
                    RejectedBy::Policy { because } => Some(text(because)),
                    RejectedBy::NoApprover { why } => Some(text(why)),
                    RejectedBy::Votes { .. } | RejectedBy::Earlier { .. } => None,
                },
                unasked: matches!(rejected.by, RejectedBy::NoApprover { .. }),
                earlier: matches!(rejected.by, RejectedBy::Earlier { .. }),
                reason: match &rejected.by {
                    RejectedBy::Earlier { reason, .. } => reason.as_deref().map(text),
                    _ => None,
                },
                at: rejected.at,
            },
            State::Executing(executing) => Self::Executing {
                votes: votes(Some(Decision::Approve)),
                since: executing.claim.at,
                stop_requested: executing.stop.is_some(),
            },
            State::Executed(executed) => Self::Executed {
                votes: votes(Some(Decision::Approve)),
                outcome: executed.outcome.kind,
                error: executed.outcome.error.as_deref().map(text),
                duration_ms: executed.outcome.duration_ms,
                at: executed.at,
                settled: executed.settled_by.is_some(),
            },
            State::Expired(expired) => Self::Expired { how: expired.how, at: expired.at },
            State::Revoked(revoked) => Self::Revoked {
                why: revoked.why.clone(),
                by: visible_line(&revoked.name.clone().unwrap_or_else(|| revoked.by.to_string())),
                reason: revoked.reason.as_deref().map(text),
                at: revoked.at,
            },
        }
    }
}

/// Each role once.
fn as_well(approval: &Approval) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    for role in approval.asked().iter().flat_map(|asked| asked.as_well()) {
        if !roles.contains(role) {
            roles.push(role.clone());
        }
    }
    roles
}

fn vote_view(vote: &Vote, redactor: &Redactor) -> VoteView {
    VoteView {
        name: visible_line(&vote.name),
        decision: vote.decision,
        note: vote.note.as_deref().map(|note| visible_line(&redactor.redact_text(note).text)),
        at: vote.at,
        stands_in_for: vote.stands_in_for.iter().map(|name| visible_line(name)).collect(),
        remember: vote.remember,
    }
}
