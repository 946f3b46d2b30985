//! What is done before Slack is answered: an edit, and a stop. Neither is a command of one request that could be kept and worked
//! off later; but nothing is said to be done that is not committed, and doing it twice changes nothing more: what was edited is
//! replaced by then, and what is stopped is stopped.

use std::sync::Arc;

use futures::future::{Either, select};
use placet::approval::{Actor, Approval, Refusal, RevokedWhy, State};
use placet::call::CanonicalArgs;
use placet::gate::{EditError, HoldError};
use placet::hold::HoldScope;
use placet::person::Identity;
use placet::text::{DialogText, Markup, Trouble};
use placet::time::Ttl;
use serde_json::{Value, json};

use super::answer::Answer;
use super::sheet::{UseCase, What};
use super::{Desk, Shared};
use crate::payload::View;
use crate::render::dialog::NOTE_BLOCK;
use crate::render::edit::{self, Wrong};
use crate::render::sheet::{Sheet, said};

/// How long Slack is let wait. It takes no answer after three seconds; one is on its way by then.
const ANSWER_WITHIN: Ttl = Ttl::from_millis(2_000);

/// How it ended.
enum Ended {
    /// It is done, and the card shows it.
    Done,
    /// It is done, and this is said of it.
    Said(String),
    /// It was not done; told beside these fields.
    Not(Vec<Wrong>),
}

/// Does it, and answers Slack with how it ended; if that takes too long, goes on with it, and whispers what it must.
pub(super) async fn act(desk: &Shared, case: UseCase) -> Answer {
    let sheet = match case.what {
        What::Edit(_) => Sheet::Edit,
        What::Freeze { .. } => Sheet::Freeze,
    };
    let reply = case.reply.clone();
    let doing = Arc::clone(desk);
    let done = tokio::spawn(async move { doing.does(case).await });
    let clock = Arc::clone(desk.slack.clock());
    let late = Box::pin(async move { clock.sleep_until(clock.now() + ANSWER_WITHIN).await });
    match select(done, late).await {
        Either::Left((Ok(ended), _)) => desk.in_its_dialog(sheet, ended),
        Either::Left((Err(fault), _)) => {
            tracing::error!(error = %fault, "what a dialog asked for broke off");
            Answer::NotTaken
        }
        Either::Right(((), going_on)) => {
            let after = Arc::clone(desk);
            tokio::spawn(async move {
                let text = match going_on.await {
                    Ok(Ended::Done) => return,
                    Ok(Ended::Said(text)) => text,
                    Ok(Ended::Not(wrong)) => {
                        wrong.into_iter().map(|wrong| wrong.text).collect::<Vec<_>>().join(" ")
                    }
                    Err(fault) => {
                        tracing::error!(error = %fault, "what a dialog asked for broke off");
                        after.slack.texts().trouble(Trouble::Uncertain)
                    }
                };
                after.whisper_text(&reply, &text).await;
            });
            let texts = desk.slack.texts();
            let text = texts.dialog(DialogText::WorkingText);
            update(said(sheet, DialogText::WorkingTitle, &text, texts))
        }
    }
}

fn update(view: Value) -> Answer {
    Answer::Said(json!({ "response_action": "update", "view": view }))
}

impl Desk {
    fn in_its_dialog(&self, sheet: Sheet, ended: Ended) -> Answer {
        match ended {
            Ended::Done => Answer::clear(),
            Ended::Said(text) => update(said(sheet, DialogText::FreezeTitle, &text, self.slack.texts())),
            Ended::Not(wrong) => Answer::errors(wrong),
        }
    }

    async fn does(&self, case: UseCase) -> Ended {
        match case.what.clone() {
            What::Edit(view) => self.edit(&case, &view).await,
            What::Freeze { reason } => self.freeze(&case, reason).await,
        }
    }

    async fn edit(&self, case: &UseCase, view: &View) -> Ended {
        let (tenant, texts) = (&self.slack.settings().tenant, self.slack.texts());
        let at = |text: String| {
            let block = view.first_block().unwrap_or(NOTE_BLOCK).to_owned();
            Ended::Not(vec![Wrong { block, text }])
        };
        let original = match self.gate.load(tenant, case.request).await {
            Ok(original) => original,
            Err(fault) => {
                tracing::error!(approval.id = %case.request, error = %fault, "a request could not be read");
                return at(texts.trouble(Trouble::Unavailable));
            }
        };
        let entered = |block: &str, action: &str| view.value(block, action);
        let args = (original.proposal.call.args.value(), &**self.gate.redactor());
        let meant = match edit::meant(args, entered, self.gate.knows_what_it_takes(&original), texts) {
            Ok(meant) => meant,
            Err(wrong) => return Ended::Not(wrong),
        };
        let mut meant = match CanonicalArgs::from_value(&meant) {
            Ok(meant) => meant,
            Err(fault) => return at(texts.edit_not_json(&fault.to_string(), &Markup::PLAIN)),
        };
        // Sent twice, it is done once: what it would make is there by then.
        if self.is_made(&original, &case.identity, &meant).await {
            return Ended::Done;
        }
        let edit = |meant| self.gate.edit((tenant, case.request), &case.identity, meant);
        let mut edited = edit(meant.clone()).await;
        if let Err(EditError::Mismatched(mismatches)) = &edited
            && let Some(taken) = edit::as_taken(meant.value(), args.0, mismatches)
            && let Ok(taken) = CanonicalArgs::from_value(&taken)
        {
            edited = edit(taken.clone()).await;
            meant = taken;
        }
        match edited {
            Ok(_) => Ended::Done,
            Err(EditError::Refused(refusal)) => match self.gate.load(tenant, case.request).await {
                Ok(now) if self.is_made(&now, &case.identity, &meant).await => Ended::Done,
                Ok(_) | Err(_) => at(self.told_who_can(&refusal)),
            },
            Err(EditError::Unchanged) => at(texts.dialog(DialogText::EditUnchanged)),
            Err(EditError::Mismatched(mismatches)) => Ended::Not(edit::mismatched(args, &mismatches, texts)),
            Err(EditError::NobodyElse) => at(texts.dialog(DialogText::EditNobodyElse)),
            Err(EditError::Forbidden { because }) => at(texts.edit_forbidden(&because, &Markup::PLAIN)),
            Err(EditError::Store(fault)) => {
                tracing::error!(approval.id = %case.request, error = %fault, "an edit could not be kept");
                at(texts.trouble(trouble_of(&fault)))
            }
        }
    }

    /// Whether this account has put a request with these arguments in the place of this one already.
    async fn is_made(&self, original: &Approval, identity: &Identity, args: &CanonicalArgs) -> bool {
        let State::Revoked(revoked) = &original.state else { return false };
        let RevokedWhy::Superseded { by } = &revoked.why else { return false };
        let made = self.gate.load(&original.tenant, *by).await;
        made.is_ok_and(|made| {
            let proposal = &made.proposal;
            proposal.call.args == *args
                && proposal.edited.as_ref().is_some_and(|edited| edited.by == *identity)
        })
    }

    async fn freeze(&self, case: &UseCase, reason: String) -> Ended {
        let (tenant, texts) = (&self.slack.settings().tenant, self.slack.texts());
        let not = |text: String| Ended::Not(vec![Wrong { block: NOTE_BLOCK.to_owned(), text }]);
        let agent = match self.gate.load(tenant, case.request).await {
            Ok(approval) => approval.proposal.call.agent.clone(),
            Err(fault) => {
                tracing::error!(approval.id = %case.request, error = %fault, "a request could not be read");
                return not(texts.trouble(Trouble::Unavailable));
            }
        };
        let by = Actor::Account(case.identity.clone());
        let placed =
            self.gate.hold(Some(tenant), HoldScope::Agent(agent.clone()), (by.clone(), reason)).await;
        match placed {
            Ok(placed) if placed.stood => {
                let hold = &placed.hold;
                let who = hold.name.clone().unwrap_or_else(|| hold.by.to_string());
                let of = (hold.id, who.as_str(), hold.reason.as_str());
                Ended::Said(texts.freeze_stood(agent.as_str(), of, &Markup::PLAIN))
            }
            Ok(placed) => Ended::Said(texts.freeze_done(agent.as_str(), placed.hold.id, &Markup::PLAIN)),
            Err(HoldError::Refused(refusal)) => {
                self.gate.note_stranger(tenant, by, "stop", agent.as_str()).await;
                not(self.told_who_can(&refusal))
            }
            Err(HoldError::Store(fault)) => {
                tracing::error!(error = %fault, "a stop could not be kept");
                not(texts.trouble(trouble_of(&fault)))
            }
            Err(fault @ (HoldError::Pattern { .. } | HoldError::NotThere)) => {
                tracing::error!(error = %fault, "a stop of an agent was not taken");
                not(texts.trouble(Trouble::Unavailable))
            }
        }
    }

    /// A refusal in a dialog, with who can.
    fn told_who_can(&self, refusal: &Refusal) -> String {
        let who = self.slack.who_can_after(refusal);
        self.slack.texts().refusal(refusal, &who, &Markup::PLAIN)
    }
}

const fn trouble_of(fault: &placet::ports::StoreError) -> Trouble {
    match fault {
        placet::ports::StoreError::Unknown(_) => Trouble::Uncertain,
        _ => Trouble::Unavailable,
    }
}
