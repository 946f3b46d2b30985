//! What a call came to, as the model reads it and as front ends see it.
//!
//! A denial is data: the model reads why, and goes on along another path. It never reads a tier, a level or the name
//! of a person. "Could not ask anyone" is another answer than "asked, and they said no".

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::{
    Actor, Approval, ApprovedBy, Decision, ExpiredHow, Outcome, OutcomeKind, Proposal, Refusal, RejectedBy,
    RevokedWhy, State,
};
use crate::policy::Tier;
use crate::ports::ToolResult;

/// The most characters of a result that the model reads, and that an event carries: some twenty pages.
pub const RESULT_CHARS_MAX: usize = 32_000;

/// The reason of a decision that nobody took in time.
pub const TIMED_OUT: &str = "approval timed out";

/// Why nobody decided: no card reached anybody.
pub const UNREACHED: &str = "nobody could be reached";

/// Why it may run although nobody said yes.
pub const SILENCE: &str = "nobody answered, and the policy lets silence count";

/// Why a call is taken back whose run was stopped.
pub const RUN_STOPPED: &str = "the run was stopped";

/// What could not be asked of anybody, and why: never to be taken for a no of people.
#[must_use]
pub fn not_asked(why: &str) -> String {
    with_reason("not asked", Some(why))
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Whether it ran and succeeded.
    pub ok: bool,
    /// As the model reads it.
    pub text: String,
    /// What it returned, where it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Whether it was not let through: the tool's code did not run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
}

/// What was decided, as `approval_result` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ruling {
    pub(super) approved: bool,
    pub(super) reason: Option<String>,
}

impl Answer {
    /// It returned this.
    #[must_use]
    pub fn done(value: Value) -> Self {
        let text = match &value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let (text, whole) = cut(&text, RESULT_CHARS_MAX);
        let result = if whole { value } else { Value::String(text.clone()) };
        Self { ok: true, text, result: Some(result), denied: false }
    }

    /// It ran and failed, or could not be run at all.
    #[must_use]
    pub fn failed(why: &str) -> Self {
        Self { ok: false, text: cut(why, RESULT_CHARS_MAX).0, result: None, denied: false }
    }

    /// Nobody knows whether it ran to its end.
    #[must_use]
    pub fn unknown(why: &str) -> Self {
        Self::failed(&format!("nobody knows whether it was done, and it was not tried again: {why}"))
    }

    /// It was not let through.
    #[must_use]
    pub fn denied(why: String) -> Self {
        Self { ok: false, text: cut(&why, RESULT_CHARS_MAX).0, result: None, denied: true }
    }

    /// What a tool returned just now.
    #[must_use]
    pub fn of_result(result: ToolResult) -> Self {
        match result {
            ToolResult::Done(value) => Self::done(value),
            ToolResult::Failed(why) => Self::failed(&why),
            ToolResult::Unknown(why) => Self::unknown(&why),
        }
    }

    /// What the record says that a tool returned.
    #[must_use]
    pub fn of_outcome(outcome: &Outcome) -> Self {
        let error = outcome.error.as_deref();
        match outcome.kind {
            OutcomeKind::Succeeded => {
                let text = outcome.result.as_deref().unwrap_or("null");
                Self::done(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
            }
            OutcomeKind::Failed => Self::failed(error.unwrap_or("it failed without saying why")),
            OutcomeKind::Unknown => Self::unknown(error.unwrap_or("whoever ran it did not report")),
        }
    }

    /// The answer of a request that will not run any more, or ran; none while it still can.
    #[must_use]
    pub fn of(approval: &Approval) -> Option<Self> {
        Some(match &approval.state {
            State::Proposed
            | State::PolicyChecking
            | State::WaitingApproval(_)
            | State::Approved(_)
            | State::Executing(_) => return None,
            State::Executed(executed) => Self::of_outcome(&executed.outcome),
            State::Rejected(rejected) => match &rejected.by {
                RejectedBy::Votes { reason } => {
                    Self::denied(with_reason("denied by user", reason.as_deref()))
                }
                RejectedBy::Earlier { reason, .. } => {
                    Self::denied(format!("{} {AGAIN}", with_reason("denied by user", reason.as_deref())))
                }
                RejectedBy::Policy { because } => {
                    Self::denied(with_reason("denied by policy", Some(because.as_str())))
                }
                RejectedBy::NoApprover { why } => Self::denied(not_asked(why)),
            },
            State::Expired(expired) => match expired.how {
                ExpiredHow::Unanswered => Self::denied(format!("denied: {TIMED_OUT}")),
                ExpiredHow::Unasked => Self::denied(not_asked(UNREACHED)),
                ExpiredHow::Unused => Self::denied("denied: approval expired before it was used".to_owned()),
            },
            State::Revoked(revoked) => match &revoked.why {
                // Nobody's no: its run ended before somebody had answered, or before the yes was used.
                RevokedWhy::Revoked if revoked.by == Actor::Placet => {
                    let what = if is_agreed(approval) { "not run" } else { "not asked" };
                    Self::denied(with_reason(what, revoked.reason.as_deref()))
                }
                RevokedWhy::Revoked => {
                    Self::denied(with_reason("denied: approval was revoked", revoked.reason.as_deref()))
                }
                RevokedWhy::Forgotten { .. } => {
                    Self::denied("denied: what was remembered was taken back".to_owned())
                }
                RevokedWhy::Withdrawn => Self::denied("denied: the request was withdrawn".to_owned()),
                RevokedWhy::Superseded { .. } => {
                    Self::denied("denied: the request was replaced by an edited one".to_owned())
                }
                RevokedWhy::Rejudged { rule } => {
                    Self::denied(with_reason("denied by policy", Some(rule.because.as_str())))
                }
            },
        })
    }

    /// The same, saying so where a person had changed the arguments: the model must know what ran.
    #[must_use]
    pub fn of_edited(mut self, proposal: &Proposal) -> Self {
        if proposal.edited.is_some() && self.ok {
            let args = cut(proposal.call.args.as_str(), RESULT_CHARS_MAX).0;
            self.text = format!("it ran with arguments that a person had changed to {args}\n{}", self.text);
        }
        self
    }

    /// The answer where the gate refused the claim.
    #[must_use]
    pub fn of_refusal(refusal: &Refusal) -> Self {
        Self::denied(match refusal {
            Refusal::ForbiddenNow { because } => with_reason("denied by policy", Some(because.as_str())),
            Refusal::Held { reason } => {
                with_reason("not run: calls like this one are stopped", Some(reason.as_str()))
            }
            Refusal::Frozen { because, .. } => with_reason("denied by policy", Some(because.as_str())),
            Refusal::NoLongerRemembered => "denied: what was remembered no longer holds".to_owned(),
            Refusal::ApprovalExpired => "denied: approval expired before it was used".to_owned(),
            Refusal::ApproverLapsed { .. } => "denied: approval no longer holds".to_owned(),
            Refusal::WrongCall => "denied: this is not the call that was approved".to_owned(),
            Refusal::NotApproved { .. } => "denied: there is no approval".to_owned(),
            other => format!("denied: the call could not be claimed ({})", other.code()),
        })
    }
}

impl Ruling {
    /// What was decided about a request; none while people are still asked.
    pub(super) fn of(approval: &Approval) -> Option<Self> {
        let no = |reason: Option<String>| Some(Self { approved: false, reason });
        let yes = |by: &ApprovedBy| Some(Self { approved: true, reason: why_yes(approval, by) });
        match &approval.state {
            State::Proposed | State::PolicyChecking | State::WaitingApproval(_) => None,
            State::Approved(approved) => yes(&approved.by),
            State::Executing(executing) => yes(&executing.by),
            State::Executed(executed) => yes(&executed.by),
            State::Rejected(rejected) => match &rejected.by {
                RejectedBy::Votes { reason } => no(said(reason.as_deref())),
                RejectedBy::Earlier { reason, .. } => no(Some(
                    said(reason.as_deref())
                        .map_or_else(|| AGAIN.to_owned(), |said| format!("{said} {AGAIN}")),
                )),
                RejectedBy::Policy { because } => no(said(Some(because.as_str()))),
                RejectedBy::NoApprover { why } => no(said(Some(why.as_str()))),
            },
            State::Expired(expired) => match expired.how {
                ExpiredHow::Unanswered => no(Some(TIMED_OUT.to_owned())),
                ExpiredHow::Unasked => no(Some(UNREACHED.to_owned())),
                // It was approved, and the yes ran out before it was used.
                ExpiredHow::Unused => yes(&ApprovedBy::Votes),
            },
            State::Revoked(revoked) => match &revoked.why {
                RevokedWhy::Revoked if revoked.by == Actor::Placet => no(said(revoked.reason.as_deref())),
                RevokedWhy::Revoked => {
                    no(Some(with_reason("approval was revoked", revoked.reason.as_deref())))
                }
                RevokedWhy::Forgotten { .. } => no(Some("what was remembered was taken back".to_owned())),
                RevokedWhy::Withdrawn => no(Some("the request was withdrawn".to_owned())),
                RevokedWhy::Superseded { .. } => {
                    no(Some("the request was replaced by an edited one".to_owned()))
                }
                RevokedWhy::Rejudged { rule } => no(said(Some(rule.because.as_str()))),
            },
        }
    }
}

/// What tells a no that is repeated from one that somebody said again.
const AGAIN: &str = "(said of the same call a moment ago; nobody was asked again)";

/// Whether somebody said yes to it, or nobody needed to.
fn is_agreed(approval: &Approval) -> bool {
    let asks = approval.verdict.as_deref().is_none_or(|verdict| verdict.tier == Tier::Approve);
    !asks || approval.votes.iter().any(|vote| vote.decision == Decision::Approve)
}

/// The note of the vote that completed it, or what stood for a vote.
fn why_yes(approval: &Approval, by: &ApprovedBy) -> Option<String> {
    match by {
        ApprovedBy::Policy | ApprovedBy::Remembered { .. } => None,
        ApprovedBy::Timeout => Some(SILENCE.to_owned()),
        ApprovedBy::BreakGlass { reason, .. } => said(Some(reason.as_str())),
        ApprovedBy::Votes => {
            let mut yes = approval.votes.iter().rev().filter(|vote| vote.decision == Decision::Approve);
            yes.find_map(|vote| said(vote.note.as_deref()))
        }
    }
}

fn said(reason: Option<&str>) -> Option<String> {
    reason.map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned)
}

fn with_reason(what: &str, reason: Option<&str>) -> String {
    said(reason).map_or_else(|| what.to_owned(), |reason| format!("{what}: {reason}"))
}

/// The text, with its middle left out and a word about it where it is too long; and whether it is whole.
pub(super) fn cut(text: &str, chars_max: usize) -> (String, bool) {
    let chars = text.chars().count();
    if chars <= chars_max {
        return (text.to_owned(), true);
    }
    let half = chars_max / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(chars - half).collect();
    (format!("{head}… ({} characters left out) …{tail}", chars - 2 * half), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_results_are_cut_in_the_middle_and_say_so() {
        let answer = Answer::done(Value::from("é".repeat(RESULT_CHARS_MAX + 10)));
        assert!(answer.text.contains("(10 characters left out)"), "{}", &answer.text[..40]);
        assert_eq!(answer.result, Some(Value::String(answer.text.clone())));
    }

    /// R8: a reason of nothing but white space is no reason.
    #[test]
    fn reasons_are_only_given_where_there_are_some() {
        assert_eq!(with_reason("denied by user", Some("  ")), "denied by user");
        assert_eq!(with_reason("denied by user", Some(" keep it ")), "denied by user: keep it");
    }

    /// R8: names of people are not for the model.
    #[test]
    fn a_lapsed_approver_is_not_named() {
        let answer = Answer::of_refusal(&Refusal::ApproverLapsed { names: vec!["Bo".to_owned()] });
        assert!(answer.denied && !answer.text.contains("Bo"), "{}", answer.text);
    }
}
