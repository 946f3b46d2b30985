//! Doing what an interaction asks for.

use std::sync::Arc;

use placet::approval::{Actor, Approval, Command, Rendering, Status};
use placet::card::CardView;
use placet::gate::Received;
use placet::inbound::{Inbound, ReplyTo};
use placet::ports::StoreError;
use placet::text::{Markup, Texts, Trouble};
use serde_json::Value;

use super::answer::Answer;
use super::intent::{Dialog, InDialog, Intent, Open, Source};
use super::reading::Stage;
use super::reference::Reference;
use super::{Desk, Shared, use_case};
use crate::render::details::{self, Offer, PAGES_MAX};
use crate::render::dialog::{self, NOTE_BLOCK};
use crate::render::sheet::Sheet;

/// Does it, and answers Slack: votes are kept before the answer; dialogs open beside it, for Slack may take longer to
/// open one than it waits for the answer.
pub(super) async fn act(desk: &Shared, intent: Intent) -> Answer {
    match intent {
        Intent::Vote { vote, saw, from } => desk.vote(*vote, saw.map(|saw| *saw), from).await,
        Intent::Look(look) => super::looking::act(desk, *look).await,
        Intent::TurnHome { reader, page } => {
            desk.homes.turned(desk, &reader, page);
            Answer::Empty
        }
        Intent::TellInDialog(what) => desk.tell_beside(NOTE_BLOCK, &what),
        Intent::TellBeside { block, what } => desk.tell_beside(&block, &what),
        Intent::Commands(step) => super::commands::step(desk, *step),
        Intent::Use(case) => use_case::act(desk, *case).await,
        Intent::Nothing => Answer::Empty,
        beside => desk.afterwards(move |desk| async move { desk.beside(beside).await }),
    }
}

/// What Details shows of a request as it stands.
struct Shown {
    dialog: Value,
    /// What goes on record once the dialog is there: everything was shown.
    rendering: Option<Rendering>,
}

impl Desk {
    /// Does what asks Slack for something beside the answer, which waits for none of Slack's. Where too much of that is under
    /// way already, Slack is told to tell the person to try again.
    fn afterwards<W>(self: &Arc<Self>, work: impl FnOnce(Shared) -> W) -> Answer
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let Ok(permit) = Arc::clone(&self.dialogs).try_acquire_owned() else {
            tracing::warn!("too many dialogs are being opened, and people told, at once");
            return Answer::NotTaken;
        };
        let work = work(Arc::clone(self));
        tokio::spawn(async move {
            work.await;
            drop(permit);
        });
        Answer::Empty
    }

    pub(super) async fn vote(self: &Arc<Self>, vote: Inbound, saw: Option<Inbound>, from: Source) -> Answer {
        let asked = vote.clone();
        if let Some(saw) = saw
            && let Err(fault) = self.gate.receive(saw).await
        {
            return self.not_kept(&asked, &fault, from);
        }
        match self.gate.receive(vote).await {
            // A refusal is whispered by what was committed with it.
            Ok(Received::Decided(_) | Received::Kept) => match from {
                Source::Card => Answer::Empty,
                Source::Dialog => Answer::clear(),
            },
            Ok(Received::NoSuchRequest) => {
                self.note_stranger(&asked).await;
                self.trouble(&asked, Trouble::NoSuchRequest, from)
            }
            Err(fault) => self.not_kept(&asked, &fault, from),
        }
    }

    async fn note_stranger(&self, asked: &Inbound) {
        if let Some(identity) = asked.act.identity() {
            let by = Actor::Account(identity.clone());
            let command = asked.act.command().name();
            self.gate.note_stranger(&asked.tenant, by, command, &asked.request.to_string()).await;
        }
    }

    fn not_kept(self: &Arc<Self>, asked: &Inbound, fault: &StoreError, from: Source) -> Answer {
        tracing::error!(approval.id = %asked.request, error = %fault, "an answer from Slack could not be kept");
        let trouble = match fault {
            StoreError::Unknown(_) => Trouble::Uncertain,
            _ => Trouble::Unavailable,
        };
        self.trouble(asked, trouble, from)
    }

    /// Where it came from: a dialog stays open and says it; beside a card it is whispered, once Slack has its answer.
    fn trouble(self: &Arc<Self>, asked: &Inbound, trouble: Trouble, from: Source) -> Answer {
        match (from, &asked.reply) {
            (Source::Dialog, _) => self.tell_beside(NOTE_BLOCK, &InDialog::Trouble(trouble)),
            (Source::Card, Some(reply)) => {
                let reply = reply.clone();
                self.afterwards(move |desk| async move { desk.whisper(&reply, trouble).await })
            }
            (Source::Card, None) => Answer::NotTaken,
        }
    }

    pub(super) fn tell_beside(&self, block: &str, what: &InDialog) -> Answer {
        let texts = self.slack.texts();
        let text = match what {
            InDialog::Trouble(trouble) => texts.trouble(*trouble),
            InDialog::Refusal(refusal) => texts.refusal(refusal, &[], &Markup::PLAIN),
            InDialog::Said(said) => texts.dialog(*said),
        };
        Answer::error(block, &text)
    }

    pub(super) async fn whisper(&self, to: &ReplyTo, trouble: Trouble) {
        let slack = self.slack.read_surely_by(&to.identity, &to.channel).await;
        let text = slack.texts().trouble(trouble);
        if let Err(fault) = self.slack.whisper(to, &text).await {
            tracing::warn!(error = %fault, "a whisper could not be delivered");
        }
    }

    /// What happens beside the answer.
    async fn beside(&self, intent: Intent) {
        match intent {
            Intent::AskWhyNot(open) => self.ask(&open, false).await,
            Intent::AskWhy(open) => self.ask(&open, true).await,
            Intent::Details(open) => self.open_details(&open).await,
            Intent::Turn { dialog, page } => self.turn(&dialog, page).await,
            Intent::AskWhyNotInstead(dialog) => self.ask_instead(&dialog).await,
            Intent::OpenSheet(open) => self.open_sheet(&open).await,
            Intent::Tell { to, trouble } => self.whisper(&to, trouble).await,
            Intent::Vote { .. }
            | Intent::TellInDialog(_)
            | Intent::TellBeside { .. }
            | Intent::Commands(_)
            | Intent::Use(_)
            | Intent::TurnHome { .. }
            | Intent::Look(_)
            | Intent::Nothing => {}
        }
    }

    /// Asks for a reason, before anything is looked up: the trigger lives for three seconds.
    async fn ask(&self, open: &Open, yes: bool) {
        let value = &open.value;
        let reference = Reference {
            request: value.request,
            code: value.code.clone(),
            shown: value.shown,
            full: false,
            reason_for_no: value.reason_for_no,
            viewer: open.viewer.clone(),
            origin: open.origin.clone(),
            opened: 0,
            all_opened: false,
            language: self.slack.texts().language(),
        };
        let Some(sealed) = reference.encode(&self.secrets) else {
            return self.whisper(&open.reply, Trouble::StaleButton).await;
        };
        let texts = self.slack.texts();
        let dialog = if yes {
            dialog::approve((&value.code, open.asks.as_deref()), &sealed, texts)
        } else {
            dialog::deny((&value.code, open.asks.as_deref()), &sealed, value.reason_for_no, texts)
        };
        let opened = self.slack.api().views_open(&open.trigger_id, &dialog).await;
        self.not_opened(opened.err(), (&open.reply, value.request)).await;
    }

    async fn ask_instead(&self, from: &Dialog) {
        let reference = &from.reference;
        let Some(sealed) = reference.encode(&self.secrets) else { return };
        let about = (&reference.code, None);
        let dialog = dialog::deny(about, &sealed, reference.reason_for_no, self.slack.texts());
        let changed = self.slack.api().views_update(&from.view_id, None, &dialog).await;
        self.not_opened(changed.err(), (&from.reply, reference.request)).await;
    }

    async fn open_details(&self, open: &Open) {
        let Some(approval) = self.load(open.value.request, &open.reply).await else { return };
        let stage = Stage::Opens(open.trigger_id.clone());
        let Some(stage) = self.may_read(&approval, &open.reply, stage).await else { return };
        let reference = Reference {
            request: approval.id,
            code: approval.code.clone(),
            shown: open.value.shown,
            full: false,
            reason_for_no: false,
            viewer: open.viewer.clone(),
            origin: open.origin.clone(),
            opened: 0,
            all_opened: false,
            language: self.slack.texts().language(),
        };
        let shown = match self.details(&approval, reference, 0).await {
            Ok(shown) => shown,
            Err(trouble) => return self.shows_no(trouble, (&open.reply, approval.id), &stage).await,
        };
        if self.shows(&shown.dialog, (&open.reply, approval.id), &stage).await {
            self.put_on_record(&approval, shown.rendering, &open.identity).await;
        }
    }

    pub(super) async fn turn(&self, from: &Dialog, page: usize) {
        let Some(approval) = self.load(from.reference.request, &from.reply).await else { return };
        let stage = Stage::Replaces(from.view_id.clone());
        let Some(stage) = self.may_read(&approval, &from.reply, stage).await else { return };
        let Ok(shown) = self.details(&approval, from.reference.clone(), page).await else { return };
        if self.shows(&shown.dialog, (&from.reply, approval.id), &stage).await {
            self.put_on_record(&approval, shown.rendering, &from.identity).await;
        }
    }

    /// The dialog for one page, with what was opened before and this page in its reference.
    async fn details(&self, approval: &Approval, before: Reference, page: usize) -> Result<Shown, Trouble> {
        let view = self.view(approval).await?;
        let texts = Texts::of(before.language);
        let pages = details::pages(&view.call, texts);
        let page = page.min(pages.len().min(PAGES_MAX).saturating_sub(1));
        let full = view.call.redacted == 0;
        let shown = view.shown(&self.slack.settings().name, full);
        // What was opened before counts only if it was this: what is hidden or how it is escaped may have changed.
        let before_opened = if before.shown == shown { before.opened } else { 0 };
        let opened = before_opened | (1 << page);
        let all_opened = pages.len() <= PAGES_MAX && opened.count_ones() as usize == pages.len();
        let terms = approval.verdict.as_deref().and_then(|verdict| verdict.terms.as_ref());
        let reference = Reference {
            shown,
            full,
            reason_for_no: terms.is_some_and(|terms| terms.reason_for_no),
            opened,
            all_opened,
            ..before
        };
        let sealed = reference.encode(&self.secrets).ok_or(Trouble::StaleButton)?;
        let may_approve = full || terms.is_some_and(|terms| terms.partial_view_may_approve);
        let more = self.more(approval, all_opened && may_approve);
        let offer = Offer { page, all_opened, may_approve, more: &more };
        let dialog = details::view(&view, &pages, offer, &sealed, texts);
        let rendering = (full && all_opened).then(|| Rendering {
            shown,
            surface: self.slack.settings().name.clone(),
            full: true,
            viewer: None,
            covers: view.covers,
        });
        Ok(Shown { dialog, rendering })
    }

    /// A request as it stands, with the stop that covers it: nobody is shown it without one that may be there.
    pub(super) async fn view(&self, approval: &Approval) -> Result<CardView, Trouble> {
        self.gate.view_as_stopped(approval).await.map_err(|fault| {
            tracing::error!(approval.id = %approval.id, error = %fault, "it could not be read what is stopped");
            Trouble::Unavailable
        })
    }

    /// What can be done from Details beside yes and no. To decide alone is offered where the policy lets anybody, to who was
    /// shown everything.
    fn more(&self, approval: &Approval, seen: bool) -> Vec<Sheet> {
        if approval.status() != Status::WaitingApproval {
            return Vec::new();
        }
        let terms = approval.verdict.as_deref().and_then(|verdict| verdict.terms.as_ref());
        let policy = self.gate.policy_of(&approval.tenant);
        let all = [
            (Sheet::Edit, terms.is_some_and(|terms| terms.may_edit)),
            (Sheet::Ask, approval.proposal.can_be_asked_about()),
            (Sheet::Freeze, true),
            (Sheet::BreakGlass, seen && !policy.glass_breakers().is_empty()),
        ];
        all.into_iter().filter(|(_, offered)| *offered).map(|(sheet, _)| sheet).collect()
    }

    /// After the last page is there: this account was shown everything.
    async fn put_on_record(
        &self,
        approval: &Approval,
        rendering: Option<Rendering>,
        viewer: &placet::person::Identity,
    ) {
        let Some(rendering) = rendering else { return };
        let rendering = Rendering { viewer: Some(viewer.clone()), ..rendering };
        if let Err(fault) = self.gate.command(&approval.tenant, approval.id, Command::Show(rendering)).await {
            // The submission of the dialog says it again.
            tracing::warn!(approval.id = %approval.id, error = %fault, "what Details showed could not be put on record");
        }
    }

    pub(super) async fn load(&self, request: placet::id::RequestId, reply: &ReplyTo) -> Option<Approval> {
        let tenant = &self.slack.settings().tenant;
        match self.gate.load(tenant, request).await {
            Ok(approval) => Some(approval),
            Err(StoreError::NotFound) => {
                let by = Actor::Account(reply.identity.clone());
                self.gate.note_stranger(tenant, by, "show", &request.to_string()).await;
                self.whisper(reply, Trouble::NoSuchRequest).await;
                None
            }
            Err(fault) => {
                tracing::error!(approval.id = %request, error = %fault, "a request could not be read");
                self.whisper(reply, Trouble::Unavailable).await;
                None
            }
        }
    }
}
