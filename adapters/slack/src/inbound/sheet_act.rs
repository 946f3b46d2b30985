//! Opening the dialogs for what people do beside yes and no.

use placet::approval::{Addressee, Approval, OutcomeKind, Refusal, State};
use placet::card::{CardView, StateView};
use placet::inbound::ReplyTo;
use placet::notice::Notice;
use placet::text::{Markup, Trouble};
use serde_json::Value;

use super::Desk;
use super::matter::Matter;
use super::reading::Stage;
use super::sheet::{How, OpenSheet};
use crate::render::edit;
use crate::render::sheet::{self, Frame, Sheet};

impl Desk {
    /// Opens it, unless what it is for is over: that is told at once.
    pub(super) async fn open_sheet(&self, open: &OpenSheet) {
        let Some(approval) = self.load(open.request, &open.reply).await else { return };
        if let Some(refusal) = is_over((open.sheet, open.question), &approval) {
            return match &open.how {
                // Details show what became of it.
                How::Instead(details) => self.turn(details, 0).await,
                How::Opened(_) => self.tell_refusal(&open.reply, (&approval, open.sheet), refusal).await,
            };
        }
        if open.sheet == Sheet::Ask && who_answers(&approval, &open.reply).is_empty() {
            return self.whisper(&open.reply, Trouble::NobodyToAsk).await;
        }
        let stage = match &open.how {
            How::Opened(trigger_id) => Stage::Opens(trigger_id.clone()),
            How::Instead(details) => Stage::Replaces(details.view_id.clone()),
        };
        // The fields of an edit show the arguments as they are.
        let found = if open.sheet == Sheet::Edit {
            self.may_read(&approval, &open.reply, stage).await.map(|stage| (stage, true))
        } else {
            // Who may not read a confidential call is told of no argument, whatever they open.
            self.reads(&approval, &open.reply, stage).await.map(|(stage, may)| (stage, may.is_ok()))
        };
        let Some((stage, reads)) = found else { return };
        let view = match self.view(&approval).await {
            Ok(view) => view,
            Err(trouble) => return self.shows_no(trouble, (&open.reply, approval.id), &stage).await,
        };
        match self.sheet(open, (&approval, if reads { view } else { view.veil() })) {
            Some(dialog) => drop(self.shows(&dialog, (&open.reply, approval.id), &stage).await),
            None => self.shows_no(Trouble::StaleButton, (&open.reply, approval.id), &stage).await,
        }
    }

    fn sheet(&self, open: &OpenSheet, (approval, view): (&Approval, CardView)) -> Option<Value> {
        let matter = Matter {
            sheet: open.sheet,
            request: approval.id,
            code: approval.code.clone(),
            viewer: open.viewer.clone(),
            origin: open.origin.clone(),
            shown: open.seen.map(|(shown, _)| shown),
            full: open.seen.is_some_and(|(_, full)| full),
            question: open.question,
        };
        let sealed = matter.encode(&self.secrets)?;
        let frame = Frame { view: &view, reference: &sealed, texts: self.slack.texts() };
        let call = &approval.proposal.call;
        Some(match open.sheet {
            Sheet::Settle => sheet::settle(&frame),
            Sheet::Edit => {
                let known = self.gate.knows_what_it_takes(approval);
                edit::view(&frame, (call.args.value(), known), self.gate.redactor())
            }
            Sheet::Ask => sheet::ask(&frame, who_answers(approval, &open.reply)),
            Sheet::Answer => {
                let StateView::Waiting { questions, .. } = &view.state else { return None };
                let index = usize::try_from(open.question?).ok()?.checked_sub(1)?;
                sheet::answer(&frame, questions.get(index)?)
            }
            Sheet::BreakGlass => sheet::break_glass(&frame),
            Sheet::Review => sheet::review(&frame),
            Sheet::Freeze => sheet::freeze(&frame, call.agent.as_str()),
        })
    }

    pub(super) async fn tell_refusal(
        &self,
        to: &ReplyTo,
        (approval, sheet): (&Approval, Sheet),
        refusal: Refusal,
    ) {
        let notice = Notice::Refused {
            request: approval.id,
            code: approval.code.clone(),
            command: sheet.name().to_owned(),
            refusal,
        };
        let text = self.slack.texts().notice(&notice, &[], &Markup::PLAIN);
        self.whisper_text(to, &text).await;
    }

    pub(super) async fn whisper_text(&self, to: &ReplyTo, text: &str) {
        if let Err(fault) = self.slack.whisper(to, text).await {
            tracing::warn!(error = %fault, "a whisper could not be delivered");
        }
    }
}

/// Whom a question from there reaches: who asked, where they have an account in the same workspace, and what proposed it, where
/// it reads questions.
fn who_answers(approval: &Approval, from: &ReplyTo) -> Vec<Addressee> {
    let proposal = &approval.proposal;
    let realm = from.identity.realm();
    let mut accounts = proposal.requester.identities.iter();
    let requester = accounts.any(|account| account.realm() == realm).then_some(Addressee::Requester);
    let agent = (!proposal.takes_no_questions).then_some(Addressee::Agent);
    requester.into_iter().chain(agent).collect()
}

/// Why there is nothing left to do with such a dialog; none while there is. Who may do it is for the gate to say.
fn is_over((sheet, question): (Sheet, Option<u32>), approval: &Approval) -> Option<Refusal> {
    match (sheet, &approval.state) {
        (Sheet::Settle, State::Executed(executed)) => (executed.outcome.kind != OutcomeKind::Unknown)
            .then_some(Refusal::AlreadyFinished { outcome: executed.outcome.kind }),
        (Sheet::Settle, _) => {
            Some(Refusal::OutOfOrder { status: approval.status(), command: "settle".to_owned() })
        }
        // Who looks at it twice says so twice.
        (Sheet::Review, _) => {
            let status = approval.status();
            approval.glass.is_none().then(|| Refusal::OutOfOrder { status, command: "review".to_owned() })
        }
        // An agent can be stopped whatever became of one request.
        (Sheet::Freeze, _) => None,
        (Sheet::Answer, State::WaitingApproval(waiting)) => {
            let index = question.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
            let asked = index.and_then(|index| waiting.questions.get(index));
            let is_open = asked.is_some_and(|asked| asked.answer.is_none());
            (!is_open).then_some(Refusal::NoOpenQuestion)
        }
        (Sheet::Edit | Sheet::Ask | Sheet::BreakGlass, State::WaitingApproval(_)) => None,
        (Sheet::Edit | Sheet::Ask | Sheet::Answer | Sheet::BreakGlass, _) => {
            Some(Refusal::AlreadyDecided { status: approval.status(), by: approval.decided_by() })
        }
    }
}
