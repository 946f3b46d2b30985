//! Doing what an interaction asks for.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use placet::approval::{Actor, Approval, Command, Rendering};
use placet::gate::Received;
use placet::inbound::{Act, Inbound, ReplyTo};
use placet::ports::StoreError;
use placet::text::{Markup, Trouble};
use serde_json::{Value, json};

use super::intent::{Dialog, InDialog, Intent, Open, Source};
use super::reference::Reference;
use super::{Desk, Shared};
use crate::api::ApiError;
use crate::render::details::{self, Offer, PAGES_MAX};
use crate::render::dialog::{self, NOTE_BLOCK};

/// Does it, and answers Slack: votes are kept before the answer; dialogs open beside it, for Slack may take longer to
/// open one than it waits for the answer.
pub(super) async fn act(desk: &Shared, intent: Intent) -> Response {
    match intent {
        Intent::Vote { vote, saw, from } => desk.vote(*vote, saw.map(|saw| *saw), from).await,
        Intent::TellInDialog(what) => desk.tell_in_dialog(&what),
        Intent::Nothing => StatusCode::OK.into_response(),
        beside => {
            let Ok(permit) = Arc::clone(&desk.dialogs).try_acquire_owned() else {
                tracing::warn!("too many dialogs are being opened at once");
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            };
            let desk = Arc::clone(desk);
            tokio::spawn(async move {
                desk.beside(beside).await;
                drop(permit);
            });
            StatusCode::OK.into_response()
        }
    }
}

/// What Details shows of a request as it stands.
struct Shown {
    dialog: Value,
    /// What goes on record once the dialog is there: everything was shown.
    rendering: Option<Rendering>,
}

impl Desk {
    async fn vote(&self, vote: Inbound, saw: Option<Inbound>, from: Source) -> Response {
        let asked = vote.clone();
        if let Some(saw) = saw
            && let Err(fault) = self.gate.receive(saw).await
        {
            return self.not_kept(&asked, &fault, from).await;
        }
        match self.gate.receive(vote).await {
            // A refusal is whispered by what was committed with it.
            Ok(Received::Decided(_) | Received::Kept) => match from {
                Source::Card => StatusCode::OK.into_response(),
                Source::Dialog => Json(json!({ "response_action": "clear" })).into_response(),
            },
            Ok(Received::NoSuchRequest) => {
                self.note_stranger(&asked).await;
                self.trouble(&asked, Trouble::NoSuchRequest, from).await
            }
            Err(fault) => self.not_kept(&asked, &fault, from).await,
        }
    }

    async fn note_stranger(&self, asked: &Inbound) {
        if let Act::Vote(ballot) = &asked.act {
            let by = Actor::Account(ballot.identity.clone());
            let command = asked.act.command().name();
            self.gate.note_stranger(&asked.tenant, by, command, &asked.request.to_string()).await;
        }
    }

    async fn not_kept(&self, asked: &Inbound, fault: &StoreError, from: Source) -> Response {
        tracing::error!(approval.id = %asked.request, error = %fault, "an answer from Slack could not be kept");
        let trouble = match fault {
            StoreError::Unknown(_) => Trouble::Uncertain,
            _ => Trouble::Unavailable,
        };
        self.trouble(asked, trouble, from).await
    }

    /// Where it came from: a dialog stays open and says it; beside a card it is whispered.
    async fn trouble(&self, asked: &Inbound, trouble: Trouble, from: Source) -> Response {
        match (from, &asked.reply) {
            (Source::Dialog, _) => self.tell_in_dialog(&InDialog::Trouble(trouble)),
            (Source::Card, Some(reply)) => {
                self.whisper(reply, trouble).await;
                StatusCode::OK.into_response()
            }
            (Source::Card, None) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        }
    }

    fn tell_in_dialog(&self, what: &InDialog) -> Response {
        let texts = self.slack.texts();
        let text = match what {
            InDialog::Trouble(trouble) => texts.trouble(*trouble),
            InDialog::Refusal(refusal) => texts.refusal(refusal, &[], &Markup::PLAIN),
        };
        Json(json!({ "response_action": "errors", "errors": { NOTE_BLOCK: text } })).into_response()
    }

    async fn whisper(&self, to: &ReplyTo, trouble: Trouble) {
        let text = self.slack.texts().trouble(trouble);
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
            Intent::Tell { to, trouble } => self.whisper(&to, trouble).await,
            Intent::Vote { .. } | Intent::TellInDialog(_) | Intent::Nothing => {}
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
        };
        let Some(sealed) = reference.encode(&self.secrets) else {
            return self.whisper(&open.reply, Trouble::StaleButton).await;
        };
        let texts = self.slack.texts();
        let dialog = if yes {
            dialog::approve(&value.code, &sealed, texts)
        } else {
            dialog::deny(&value.code, &sealed, value.reason_for_no, texts)
        };
        let opened = self.slack.api().views_open(&open.trigger_id, &dialog).await;
        self.not_opened(opened.err(), &open.reply).await;
    }

    async fn ask_instead(&self, from: &Dialog) {
        let reference = &from.reference;
        let Some(sealed) = reference.encode(&self.secrets) else { return };
        let dialog = dialog::deny(&reference.code, &sealed, reference.reason_for_no, self.slack.texts());
        let changed = self.slack.api().views_update(&from.view_id, None, &dialog).await;
        self.not_opened(changed.err(), &from.reply).await;
    }

    async fn open_details(&self, open: &Open) {
        let Some(approval) = self.load(open.value.request, &open.reply).await else { return };
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
        };
        let Some(shown) = self.details(&approval, reference, 0) else {
            return self.whisper(&open.reply, Trouble::StaleButton).await;
        };
        match self.slack.api().views_open(&open.trigger_id, &shown.dialog).await {
            Ok(_) => self.put_on_record(&approval, shown.rendering, &open.identity).await,
            Err(fault) => self.not_opened(Some(fault), &open.reply).await,
        }
    }

    async fn turn(&self, from: &Dialog, page: usize) {
        let Some(approval) = self.load(from.reference.request, &from.reply).await else { return };
        let Some(shown) = self.details(&approval, from.reference.clone(), page) else { return };
        match self.slack.api().views_update(&from.view_id, None, &shown.dialog).await {
            Ok(_) => self.put_on_record(&approval, shown.rendering, &from.identity).await,
            Err(fault) => self.not_opened(Some(fault), &from.reply).await,
        }
    }

    /// The dialog for one page, with what was opened before and this page in its reference.
    fn details(&self, approval: &Approval, before: Reference, page: usize) -> Option<Shown> {
        let view = self.gate.view(approval);
        let texts = self.slack.texts();
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
        let sealed = reference.encode(&self.secrets)?;
        let may_approve = full || terms.is_some_and(|terms| terms.partial_view_may_approve);
        let dialog = details::view(&view, &pages, Offer { page, all_opened, may_approve }, &sealed, texts);
        let rendering = (full && all_opened).then(|| Rendering {
            shown,
            surface: self.slack.settings().name.clone(),
            full: true,
            viewer: None,
            covers: view.covers(),
        });
        Some(Shown { dialog, rendering })
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

    async fn load(&self, request: placet::id::RequestId, reply: &ReplyTo) -> Option<Approval> {
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

    /// Slack did not open or change a dialog: the person presses again.
    async fn not_opened(&self, fault: Option<ApiError>, reply: &ReplyTo) {
        let Some(fault) = fault else { return };
        tracing::warn!(error = %fault, "Slack did not open a dialog");
        self.whisper(reply, Trouble::DialogExpired).await;
    }
}
