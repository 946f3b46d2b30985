//! Where a request stands, as people see it.

use serde::Serialize;

use crate::approval::{
    Addressee, Approval, ApprovedBy, Assurance, Decision, ExpiredHow, Looking, Need, OutcomeKind, Question,
    RejectedBy, RevokedWhy, State, Vote,
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
        /// How many more people's no ends it.
        denials_left: u32,
        /// Whether a yes needs a reason.
        reason_for_yes: bool,
        /// Whether a no needs a reason.
        reason_for_no: bool,
        /// Whether who decides may change the arguments first.
        may_edit: bool,
        /// Whether a question about it reaches anybody who can answer.
        #[serde(skip_serializing_if = "is_true")]
        may_ask: bool,
        /// Whether the policy takes it for a yes if nobody answers in time.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        silence_approves: bool,
        /// Whether a yes counts from somebody who did not see the whole call.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        partial_view_may_approve: bool,
        /// How sure one must be that a yes is the person's own, where less than the surface's word is not enough.
        #[serde(skip_serializing_if = "is_least")]
        assurance: Assurance,
        /// The same of a no.
        #[serde(skip_serializing_if = "is_least")]
        assurance_for_no: Assurance,
        /// What was asked about it, in order.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        questions: Vec<QuestionView>,
        /// Who says that they are looking.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        looking: Vec<LookingView>,
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
        /// Who said no, and after them who had said yes.
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
        /// Who settled it, where nobody had known how it ended.
        settled: Option<SettledView>,
    },
    /// Time ran out.
    Expired {
        /// Who had said what.
        votes: Vec<VoteView>,
        /// On whom.
        how: ExpiredHow,
        /// When.
        at: Timestamp,
    },
    /// It was taken back.
    Revoked {
        /// Who had said what.
        votes: Vec<VoteView>,
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
    /// How sure it is that it was they.
    #[serde(skip)]
    pub assurance: Assurance,
}

/// Who settled what nobody had known, and how they know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettledView {
    /// Their name; none where it was no person, or was not yet kept.
    pub name: Option<Visible>,
    /// In their words; none where that was not yet kept.
    pub reason: Option<Visible>,
}

/// A question, and the answer once there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuestionView {
    /// Who asks.
    pub by: Visible,
    /// Whom.
    pub to: Addressee,
    /// What.
    pub text: Visible,
    /// When.
    pub at: Timestamp,
    /// What was answered.
    pub answer: Option<AnswerView>,
    /// Whether it could not be delivered to whom it is to.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// What was answered, and in whose words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerView {
    /// Who; none where it was the agent.
    pub by: Option<Visible>,
    /// In their words.
    pub text: Visible,
    /// When.
    pub at: Timestamp,
}

/// Somebody who is looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LookingView {
    /// Who.
    pub name: Visible,
    /// Since when.
    pub since: Timestamp,
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
    /// Nobody's: time ran out, and the policy takes that for a yes.
    Silence,
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
            ApprovedBy::Timeout => Some(Self::Silence),
            ApprovedBy::Policy | ApprovedBy::Votes | ApprovedBy::BreakGlass { .. } => None,
        }
    }
}

impl StateView {
    pub(super) fn of(approval: &Approval, redactor: &Redactor) -> Self {
        let text = |text: &str| visible(&redactor.redact_text(text).text);
        let line = |text: &str| visible_line(&redactor.redact_text(text).text);
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
                    denials_left: terms
                        .map_or(1, |terms| terms.denials_to_reject)
                        .saturating_sub(tally.as_ref().map_or(0, |tally| tally.denials)),
                    needs: tally.map(|tally| tally.needs).unwrap_or_default(),
                    as_well: as_well(approval),
                    votes: votes(None),
                    until: waiting.until,
                    valid_for: terms.map_or(Ttl::ZERO, |terms| terms.valid_for),
                    reason_for_yes: terms.is_some_and(|terms| terms.reason_for_yes),
                    reason_for_no: terms.is_some_and(|terms| terms.reason_for_no),
                    may_edit: terms.is_some_and(|terms| terms.may_edit),
                    may_ask: approval.proposal.can_be_asked_about(),
                    silence_approves: terms.is_some_and(|terms| terms.approve_on_timeout),
                    partial_view_may_approve: terms.is_some_and(|terms| terms.partial_view_may_approve),
                    assurance: terms.map(|terms| terms.assurance).unwrap_or_default(),
                    assurance_for_no: terms.map(|terms| terms.assurance_for_no).unwrap_or_default(),
                    questions: waiting.questions.iter().map(|asked| question(asked, redactor)).collect(),
                    looking: waiting.looking.iter().map(looking).collect(),
                }
            }
            State::Approved(approved) => Self::Approved {
                votes: votes(Some(Decision::Approve)),
                unasked: matches!(approved.by, ApprovedBy::Policy | ApprovedBy::Timeout),
                until: approved.until,
            },
            State::Rejected(rejected) => Self::Rejected {
                votes: [Decision::Deny, Decision::Approve]
                    .into_iter()
                    .flat_map(|said| votes(Some(said)))
                    .collect(),
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
                settled: executed.settled_by.as_ref().map(|_| {
                    let settlement = executed.settlement.as_ref();
                    SettledView {
                        name: settlement.and_then(|said| said.name.as_deref()).map(visible_line),
                        reason: settlement.map(|said| line(&said.reason)),
                    }
                }),
            },
            State::Expired(expired) => Self::Expired { votes: votes(None), how: expired.how, at: expired.at },
            State::Revoked(revoked) => Self::Revoked {
                votes: votes(None),
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

fn question(asked: &Question, redactor: &Redactor) -> QuestionView {
    let line = |text: &str| visible_line(&redactor.redact_text(text).text);
    QuestionView {
        by: visible_line(&asked.name),
        to: asked.to,
        text: line(&asked.text),
        at: asked.at,
        answer: asked.answer.as_ref().map(|answer| AnswerView {
            by: answer.name.as_deref().map(visible_line),
            text: line(&answer.text),
            at: answer.at,
        }),
        lost: asked.lost,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_true(flag: &bool) -> bool {
    *flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_least(assurance: &Assurance) -> bool {
    matches!(assurance, Assurance::ServerAsserted)
}

fn looking(one: &Looking) -> LookingView {
    LookingView { name: visible_line(&one.name), since: one.since }
}

fn vote_view(vote: &Vote, redactor: &Redactor) -> VoteView {
    VoteView {
        name: visible_line(&vote.name),
        decision: vote.decision,
        note: vote.note.as_deref().map(|note| visible_line(&redactor.redact_text(note).text)),
        at: vote.at,
        stands_in_for: vote.stands_in_for.iter().map(|name| visible_line(name)).collect(),
        remember: vote.remember,
        assurance: vote.assurance,
    }
}
