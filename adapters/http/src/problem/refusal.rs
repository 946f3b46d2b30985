//! The domain's refusals, as each kind of caller may read them: names and roles are for people, never for agents and
//! executors.

use placet::approval::{Approval, Refusal, Status};
use placet::card::Redactor;
use placet::id::Role;
use placet::person::NoStanding;
use placet::time::Ttl;

use super::{Code, Problem};
use crate::view::decision_text;

/// A vote that was refused, as the voter is told.
pub(crate) fn refused_vote(approval: &Approval, refusal: &Refusal) -> Problem {
    let problem = match refusal {
        Refusal::AlreadyDecided { status, by } => decided(*status, by),
        Refusal::OutOfOrder { status, .. } => decided(*status, &[]),
        Refusal::TooLate => {
            Problem::new(Code::AlreadyDecided, "the time to decide is over; the agent can ask again")
        }
        Refusal::NoStanding(NoStanding::Unreadable(_)) | Refusal::FactsStale => unreadable(),
        Refusal::NoStanding(why) => no_standing(why),
        Refusal::WrongRole { needs } => Problem::new(
            Code::WrongRole,
            format!("you are none of those who are asked now: {}; the attempt is on record", roles(needs)),
        ),
        Refusal::OwnRequest => Problem::new(
            Code::OwnRequest,
            "you are among those behind this request, and the policy does not let them approve it; ask somebody else",
        ),
        Refusal::OwnEdit => Problem::new(
            Code::OwnEdit,
            "you changed this call, and the policy lets nobody approve what they made themselves; ask somebody else",
        ),
        Refusal::NotShownInFull => not_shown(approval),
        Refusal::AlreadyVoted { .. } => {
            Problem::new(Code::AlreadyVoted, "you have said this before, and it counts once; nothing changed")
        }
        Refusal::ReasonRequired { .. } => {
            Problem::new(Code::ReasonRequired, "the policy wants a reason with this; send it as `reason`")
                .at("reason")
        }
        Refusal::NoVote => Problem::new(Code::NoVote, "there is no vote of yours to take back"),
        Refusal::NotAllowed { needs } => not_a_steward(needs),
        Refusal::LowAssurance { .. } => Problem::new(
            Code::LowAssurance,
            "the policy wants to be surer that a vote here is the person's own than this interface can tell; vote where \
             it can be",
        ),
        _ => out_of_order(approval.status()),
    };
    problem.about(approval.id)
}

/// An edit that was refused, as whoever wanted it is told.
pub(crate) fn refused_edit(approval: &Approval, refusal: &Refusal) -> Problem {
    match refusal {
        Refusal::MayNotEdit => Problem::new(
            Code::MayNotEdit,
            "the policy does not let this call be changed; deny it, and say in the reason what would be right",
        )
        .about(approval.id),
        other => refused_vote(approval, other),
    }
}

/// A review that was refused, as whoever wanted to give it is told.
pub(crate) fn refused_review(approval: &Approval, refusal: &Refusal) -> Problem {
    let problem = match refusal {
        Refusal::OwnRequest => Problem::new(
            Code::OwnRequest,
            "who decided alone cannot be the one to review it, nor who asked for it; somebody else must look",
        ),
        Refusal::OutOfOrder { status, .. } => Problem::new(
            Code::OutOfOrder,
            format!("the request is {status}, and nobody's decision alone waits for a review in it"),
        ),
        other => return refused_vote(approval, other),
    };
    problem.about(approval.id)
}

/// Having a call asked about again that was refused.
pub(crate) fn refused_ask_again(approval: &Approval, refusal: &Refusal) -> Problem {
    let problem = match refusal {
        Refusal::OutOfOrder { status, .. } => Problem::new(
            Code::OutOfOrder,
            format!("the request is {status}; only what people said no to can be asked about again"),
        ),
        other => return refused_vote(approval, other),
    };
    problem.about(approval.id)
}

/// Who may not do what only some roles may is told which.
pub(crate) fn not_a_steward(needs: &[Role]) -> Problem {
    Problem::new(Code::NotAllowed, format!("only {} may do this; the attempt is on record", roles(needs)))
}

/// A claim, heartbeat or report that was refused, as an executor is told. The request is the caller's own tenant's.
pub(crate) fn refused_claim(refusal: &Refusal, redactor: &Redactor) -> Problem {
    match refusal {
        Refusal::NotApproved { status } => Problem::new(
            Code::NotApproved,
            format!(
                "the request is {status}, and only an approved one can be claimed; read it for what was decided"
            ),
        ),
        Refusal::WrongCall => Problem::new(
            Code::WrongCall,
            "tool, server or arguments differ from what was approved, so it must not run; propose the changed call",
        ),
        Refusal::ApprovalExpired => {
            Problem::new(Code::ApprovalExpired, "it was approved and not claimed in time; propose it again")
        }
        Refusal::ApproverLapsed { .. } => Problem::new(
            Code::ApproverLapsed,
            "somebody who approved it may no longer do so, and the rest does not suffice; propose it again",
        ),
        Refusal::ForbiddenNow { because } => {
            Problem::new(Code::ForbiddenNow, format!("denied by policy: {because}"))
        }
        Refusal::Held { reason } => Problem::new(
            Code::Held,
            format!(
                "calls like this one are stopped, and nothing is claimed until that is lifted: {}",
                redactor.redact_text(reason).text
            ),
        ),
        Refusal::Frozen { because, until, .. } => Problem::new(
            Code::Frozen,
            format!("denied by policy: {because} Nothing of the kind runs until {}", until.to_rfc3339()),
        ),
        Refusal::NoLongerRemembered => Problem::new(
            Code::NoLongerRemembered,
            "the earlier approval that it rested on was taken back or has ended; propose it again",
        ),
        Refusal::AlreadyClaimed => Problem::new(
            Code::AlreadyClaimed,
            "another attempt holds it or has run it, and an approval is good for one run; do not run it",
        ),
        Refusal::NotTheClaimant => Problem::new(
            Code::NotTheClaimant,
            "claim and key are not those that hold this request; send those that the claim was answered with",
        ),
        Refusal::AlreadyFinished { outcome } => Problem::new(
            Code::AlreadyFinished,
            format!("it was reported before as {}, which stands", outcome.name()),
        ),
        Refusal::FactsStale | Refusal::NoStanding(NoStanding::Unreadable(_)) => unreadable(),
        Refusal::OutOfOrder { status, .. } => out_of_order(*status),
        other => Problem::new(Code::NotAllowed, format!("refused: {}", other.code())),
    }
}

/// A withdrawal that was refused, as the proposer is told.
pub(crate) fn refused_to_proposer(approval: &Approval, text: &Refusal) -> Problem {
    let status = approval.status();
    let detail = match decision_text(approval) {
        Some(decision) => format!("the request is {status} ({decision}); there is nothing left to withdraw"),
        None => format!("the request is {status}; only one that is not decided yet can be withdrawn"),
    };
    match text {
        Refusal::FactsStale => unreadable().about(approval.id),
        _ => Problem::new(Code::OutOfOrder, detail).about(approval.id),
    }
}

/// A revoke or settlement that was refused, as whoever manages is told.
pub(crate) fn refused_to_manager(approval: &Approval, refusal: &Refusal) -> Problem {
    let problem = match refusal {
        Refusal::StillUnknown => {
            Problem::new(Code::StillUnknown, "a settlement says succeeded or failed; unknown it is already")
                .at("status")
        }
        Refusal::AlreadyFinished { outcome } => Problem::new(
            Code::AlreadyFinished,
            format!("its outcome is known ({}), and only an unknown one can be settled", outcome.name()),
        ),
        Refusal::NotAllowed { needs } => not_a_steward(needs),
        Refusal::FactsStale | Refusal::NoStanding(NoStanding::Unreadable(_)) => unreadable(),
        _ => out_of_order(approval.status()),
    };
    problem.about(approval.id)
}

fn decided(status: Status, by: &[String]) -> Problem {
    let who = if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
    Problem::new(
        Code::AlreadyDecided,
        format!("the request is already {status}{who}; your vote changed nothing"),
    )
}

/// Who counts for nobody is told why.
pub(crate) fn no_standing(why: &NoStanding) -> Problem {
    let why = match why {
        NoStanding::Unknown => {
            "the policy names nobody with this credential; add it to a person's `credentials`"
        }
        NoStanding::Ambiguous => "the policy names two people with this credential; take it from one of them",
        NoStanding::Deactivated => "the credential is deactivated",
        NoStanding::Guest => "guests cannot decide",
        NoStanding::Bot => "a bot cannot decide",
        NoStanding::Foreign => "the account is from elsewhere",
        NoStanding::Away => "the policy says that its person is away",
        NoStanding::Unreadable(_) => "what the account is worth cannot be read",
    };
    Problem::new(Code::NoStanding, format!("{why}; the attempt is on record"))
}

fn not_shown(approval: &Approval) -> Problem {
    Problem::new(
        Code::NotShownInFull,
        format!(
            "you have not been shown the whole call; GET /v1/requests/{}?view=card with this credential, read it, then \
             vote. If its answer says `full: false`, secrets are hidden in it, and a yes over this interface cannot count: deny \
             it, so that the agent names the secret instead of holding it; or have partial_view_may_approve set in the \
             policy",
            approval.id
        ),
    )
}

/// What accounts are worth cannot be read.
pub(crate) fn unreadable() -> Problem {
    Problem::new(
        Code::StandingUnreadable,
        "what the accounts concerned are worth cannot be read at the moment, so nothing was decided; try again",
    )
    .retry_after(Ttl::from_secs(5))
}

fn out_of_order(status: Status) -> Problem {
    let shown = status.name().replace('_', " ");
    Problem::new(
        Code::OutOfOrder,
        format!("the request is {shown} now, and this can no longer, or not yet, be done with it"),
    )
}

fn roles(needs: &[Role]) -> String {
    if needs.is_empty() {
        return "nobody".to_owned();
    }
    needs.iter().map(Role::as_str).collect::<Vec<_>>().join(", ")
}
