//! Refusals, as told to who was refused: what, why, what to do.

use fluent::{FluentArgs, fluent_args};

use super::key::Key;
use super::{Markup, Texts};
use crate::approval::{Decision, Refusal, Status};
use crate::person::NoStanding;

impl Texts {
    /// One sentence for who was refused; a second names who can, where that is what they need to know and `who_can`
    /// is not empty.
    #[must_use]
    pub fn refusal(&self, refusal: &Refusal, who_can: &[String], markup: &Markup<'_>) -> String {
        let sentence = self.sentence(refusal, markup);
        let key = match refusal {
            // Whoever is told to try again, or that nobody may, is not helped by names.
            Refusal::NoStanding(NoStanding::Unreadable(_)) => return sentence,
            Refusal::NotAllowed { needs } if needs.is_empty() => return sentence,
            Refusal::WrongRole { .. }
            | Refusal::OwnRequest
            | Refusal::OwnEdit
            | Refusal::NotAllowed { .. } => Key::RefusalWhoCan,
            Refusal::NoStanding(_) => Key::RefusalWhoDecides,
            _ => return sentence,
        };
        if who_can.is_empty() {
            return sentence;
        }
        self.say(
            key.id(),
            Some(&fluent_args!["refusal" => sentence, "people" => self.names(who_can, markup)]),
        )
    }

    fn sentence(&self, refusal: &Refusal, markup: &Markup<'_>) -> String {
        let (key, args) = match refusal {
            Refusal::AlreadyDecided { status, by } => (
                decided(*status),
                fluent_args![
                    "count" => by.len(),
                    "people" => self.names(by, markup),
                    "status" => self.status(*status),
                ],
            ),
            Refusal::OutOfOrder { status, command } => (
                Key::RefusalOutOfOrder,
                fluent_args!["command" => self.say(command_key(command).id(), None), "status" => self.status(*status)],
            ),
            Refusal::NoStanding(why) => no_standing(why, markup),
            Refusal::WrongRole { needs } => {
                (Key::RefusalWrongRole, fluent_args!["roles" => self.roles(needs, markup)])
            }
            Refusal::NotAllowed { needs } if needs.is_empty() => {
                (Key::RefusalNotAllowedAnybody, FluentArgs::new())
            }
            Refusal::NotAllowed { needs } => {
                (Key::RefusalNotAllowed, fluent_args!["roles" => self.roles(needs, markup)])
            }
            Refusal::NotApproved { status } => {
                (Key::RefusalNotApproved, fluent_args!["status" => self.status(*status)])
            }
            Refusal::ApproverLapsed { names } => {
                (Key::RefusalApproverLapsed, fluent_args!["people" => self.names(names, markup)])
            }
            Refusal::ForbiddenNow { because } => {
                (Key::RefusalForbiddenNow, fluent_args!["because" => markup.raw(because)])
            }
            Refusal::Held { reason } => (Key::RefusalHeld, fluent_args!["reason" => markup.raw(reason)]),
            Refusal::Frozen { name, because, .. } => (
                Key::RefusalFrozen,
                fluent_args!["name" => markup.raw(name), "because" => markup.raw(because)],
            ),
            Refusal::AlreadyFinished { outcome } => {
                (Key::RefusalAlreadyFinished, fluent_args!["outcome" => self.outcome(*outcome)])
            }
            plain => (plain_key(plain), FluentArgs::new()),
        };
        self.say(key.id(), Some(&args))
    }
}

/// Refusals that need nothing inserted.
const fn plain_key(refusal: &Refusal) -> Key {
    match refusal {
        Refusal::TooLate => Key::RefusalTooLate,
        Refusal::OwnRequest => Key::RefusalOwnRequest,
        Refusal::OwnEdit => Key::RefusalOwnEdit,
        Refusal::AlreadyVoted { decision: Decision::Approve } => Key::RefusalAlreadySaidYes,
        Refusal::AlreadyVoted { decision: Decision::Deny } => Key::RefusalAlreadySaidNo,
        Refusal::NotShownInFull => Key::RefusalNotShownInFull,
        Refusal::ReasonRequired { decision: Decision::Approve } => Key::RefusalReasonForYes,
        Refusal::ReasonRequired { decision: Decision::Deny } => Key::RefusalReasonForNo,
        Refusal::NoVote => Key::RefusalNoVote,
        Refusal::FactsStale => Key::RefusalFactsStale,
        Refusal::WrongCall => Key::RefusalWrongCall,
        Refusal::ApprovalExpired => Key::RefusalApprovalExpired,
        Refusal::AlreadyClaimed => Key::RefusalAlreadyClaimed,
        Refusal::NoLongerRemembered => Key::RefusalNoLongerRemembered,
        Refusal::LowAssurance { .. } => Key::RefusalLowAssurance,
        Refusal::MayNotEdit => Key::RefusalMayNotEdit,
        Refusal::NotTheClaimant => Key::RefusalNotTheClaimant,
        Refusal::StillUnknown => Key::RefusalStillUnknown,
        Refusal::TooManyQuestions => Key::RefusalTooManyQuestions,
        Refusal::NoOpenQuestion => Key::RefusalNoOpenQuestion,
        Refusal::NotAskedOfYou => Key::RefusalNotAskedOfYou,
        // The others are told with what they hold; these are their plainest texts.
        Refusal::AlreadyDecided { .. } | Refusal::OutOfOrder { .. } => Key::RefusalDecidedOther,
        Refusal::NoStanding(_) => Key::RefusalUnknown,
        Refusal::WrongRole { .. } => Key::RefusalWrongRole,
        Refusal::NotAllowed { .. } => Key::RefusalNotAllowedAnybody,
        Refusal::NotApproved { .. } => Key::RefusalNotApproved,
        Refusal::ApproverLapsed { .. } => Key::RefusalApproverLapsed,
        Refusal::ForbiddenNow { .. } => Key::RefusalForbiddenNow,
        Refusal::Held { .. } => Key::RefusalHeld,
        Refusal::Frozen { .. } => Key::RefusalFrozen,
        Refusal::AlreadyFinished { .. } => Key::RefusalAlreadyFinished,
    }
}

const fn decided(status: Status) -> Key {
    match status {
        Status::Approved => Key::RefusalDecidedApproved,
        Status::Rejected => Key::RefusalDecidedRejected,
        Status::Executing => Key::RefusalDecidedExecuting,
        Status::Executed => Key::RefusalDecidedExecuted,
        Status::Expired => Key::RefusalDecidedExpired,
        Status::Revoked => Key::RefusalDecidedRevoked,
        Status::Proposed | Status::PolicyChecking | Status::WaitingApproval => Key::RefusalDecidedOther,
    }
}

fn no_standing(why: &NoStanding, markup: &Markup<'_>) -> (Key, FluentArgs<'static>) {
    let key = match why {
        NoStanding::Unknown => Key::RefusalUnknown,
        NoStanding::Ambiguous => Key::RefusalAmbiguous,
        NoStanding::Deactivated => Key::RefusalDeactivated,
        NoStanding::Guest => Key::RefusalGuest,
        NoStanding::Bot => Key::RefusalBot,
        NoStanding::Foreign => Key::RefusalForeign,
        NoStanding::Away => Key::RefusalAway,
        NoStanding::Unreadable(why) => {
            return (Key::RefusalUnreadable, fluent_args!["why" => markup.raw(why)]);
        }
    };
    (key, FluentArgs::new())
}

/// A command by its name in the record.
fn command_key(command: &str) -> Key {
    match command {
        "approve" => Key::CommandApprove,
        "deny" => Key::CommandDeny,
        "take_back" => Key::CommandTakeBack,
        "escalate" => Key::CommandEscalate,
        "ask" => Key::CommandAsk,
        "answer" => Key::CommandAnswer,
        "look" => Key::CommandLook,
        "break_glass" => Key::CommandBreakGlass,
        "supersede" => Key::CommandSupersede,
        "withdraw" => Key::CommandWithdraw,
        "revoke" => Key::CommandRevoke,
        "review" => Key::CommandReview,
        "ask_anew" => Key::CommandAskAnew,
        "claim" => Key::CommandClaim,
        "finish" => Key::CommandFinish,
        "settle" => Key::CommandSettle,
        _ => Key::CommandOther,
    }
}
