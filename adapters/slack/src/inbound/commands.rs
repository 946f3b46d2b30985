//! `/placet`: what is typed, the buttons of its answers, and its dialogs.
//!
//! What always holds: Slack is answered at once, from what was typed alone; whatever reads the store or asks Slack about an
//! account happens beside, and comes by the `response_url`, or as a whisper where that is used up. A dialog opens before
//! anything is looked up. Who may ask is decided by the gate, at every command and at every page of its answer.

mod dialect;
mod export;
mod read;
mod reference;

use std::sync::Arc;

use placet::command::{self, Ask, Asked, Means, Place, Rows, Said, Scope};
use placet::hold::HoldScope;
use placet::id::TenantId;
use placet::inbound::ReplyTo;
use placet::person::Identity;
use placet::ports::SurfaceError;
use placet::text::{CommandLabel, Markup, Trouble};
use serde_json::json;

use super::answer::Answer;
use super::not_shown::trouble_of;
use super::{Desk, Shared};
use crate::api::{ApiError, Ephemeral, UNNAMED_PAUSE};
use crate::identity::SlackIdentity;
use crate::payload::SlashCommand;
use crate::render::commands::{self, BUTTON_ROWS_PER_PAGE, Page, ROWS_PER_PAGE, dialog};

use dialect::SlackDialect;
pub(super) use read::{Step, of_click, of_submission};
use reference::{CommandReference, Subject};

/// What Slack has room for on a page.
const ROWS: Rows = Rows { plain: ROWS_PER_PAGE, with_buttons: BUTTON_ROWS_PER_PAGE };

/// Where an answer goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct To {
    /// Takes five answers within thirty minutes.
    url: Option<String>,
    /// Whether the answer takes the place of the message that was clicked.
    replaces: bool,
    /// Where it is whispered otherwise.
    reply: ReplyTo,
}

/// A command as it was typed, and who typed it where.
struct Typed {
    viewer: SlackIdentity,
    identity: Identity,
    to: To,
    trigger_id: Option<String>,
}

/// Takes a typed command.
pub(super) fn take(desk: &Shared, command: SlashCommand) -> Answer {
    let texts = desk.slack.texts();
    let viewer = command.identity();
    let named = viewer.and_then(|viewer| {
        let identity = Identity::slack(&viewer.workspace, &viewer.user).ok()?;
        Some((viewer, identity))
    });
    let Some((viewer, identity)) = named else {
        return at_once(&commands::said(&texts.trouble(Trouble::NobodyNamed)));
    };
    let text = command.text.unwrap_or_default();
    let asked = match command::parse(&text, &SlackDialect(&desk.slack.settings().home)) {
        Ok(asked) => asked,
        Err(mistake) => return at_once(&desk.page_of(&Said::Mistake(mistake))),
    };
    let reply = ReplyTo {
        surface: desk.slack.settings().name.clone(),
        channel: command.channel_id.unwrap_or_default(),
        thread: None,
        identity: identity.clone(),
    };
    let to = To { url: command.response_url, replaces: false, reply };
    let typed = Typed { viewer, identity, to, trigger_id: command.trigger_id };
    match asked {
        Asked::Help => at_once(&commands::page(&command::Answer::Help, "", texts)),
        asked => beside(desk, move |desk| async move { desk.typed(typed, asked, text).await })
            .unwrap_or_else(|| {
                let busy = desk.slack.texts().command_label(CommandLabel::Busy);
                at_once(&commands::said(&busy))
            }),
    }
}

/// An answer that needs nothing looked up.
fn at_once(page: &Page) -> Answer {
    Answer::ephemeral(&page.text, &page.blocks)
}

/// Takes a click on an answer, or a dialog.
pub(super) fn step(desk: &Shared, step: Step) -> Answer {
    match step {
        Step::InDialog { block, label } => Answer::error(block, &desk.slack.texts().command_label(label)),
        Step::Confirm { scope, reference } => desk.asks_once_more(&scope, &reference),
        step => {
            let is_dialog = step.is_dialog();
            let taken = beside(desk, move |desk| async move { desk.stepped(step).await });
            match taken {
                Some(_) if is_dialog => Answer::clear(),
                Some(answer) => answer,
                None => Answer::NotTaken,
            }
        }
    }
}

/// Does it beside the answer; none where too much is done already.
fn beside<F, W>(desk: &Shared, work: F) -> Option<Answer>
where
    F: FnOnce(Shared) -> W,
    W: Future<Output = ()> + Send + 'static,
{
    let Ok(permit) = Arc::clone(&desk.commands).try_acquire_owned() else {
        tracing::warn!("too many commands are being answered at once");
        return None;
    };
    let work = work(Arc::clone(desk));
    tokio::spawn(async move {
        work.await;
        drop(permit);
    });
    Some(Answer::Empty)
}

/// A dialog, once what it is about is sealed.
type DialogOf<'a> = Box<dyn Fn(&str) -> serde_json::Value + Send + Sync + 'a>;

impl Desk {
    /// What a typed command comes to.
    async fn typed(&self, typed: Typed, asked: Asked, text: String) {
        match asked {
            Asked::Revoke { reason: None, .. }
            | Asked::Settle { outcome: None, .. }
            | Asked::Settle { reason: None, .. } => self.opens_dialog(&typed, &asked).await,
            // A dialog asks once more in any case; what no dialog can do is answered at once.
            Asked::Freeze { ref scope, .. } if *scope != Some(Scope::Everything) => {
                self.opens_dialog(&typed, &asked).await;
            }
            asked => {
                let Typed { identity, to, .. } = typed;
                let ask = Ask { asked, text, place: Place::First, identity };
                self.answers(&ask, &to).await;
            }
        }
    }

    /// Opens the dialog that asks for what was not typed, before anything is looked up.
    async fn opens_dialog(&self, typed: &Typed, asked: &Asked) {
        let texts = self.slack.texts();
        let (subject, shown): (Subject, DialogOf<'_>) = match asked {
            Asked::Revoke { request, .. } => {
                let name = request.to_string();
                let subject = Subject::Revoke { request: name.clone() };
                (subject, Box::new(move |sealed| dialog::revoke(&name, sealed, texts)))
            }
            Asked::Settle { request, outcome, .. } => {
                let (name, outcome) = (request.to_string(), *outcome);
                let subject = Subject::Settle { request: name.clone() };
                (subject, Box::new(move |sealed| dialog::settle(&name, outcome, sealed, texts)))
            }
            Asked::Freeze { scope: Some(scope), reason } => {
                let scope = match scope.of_tenant(&self.slack.settings().tenant) {
                    Ok(scope) => scope,
                    Err(said) => return self.send(&typed.to, &self.page_of(&said)).await,
                };
                let subject = Subject::Freeze { scope: Some(scope.clone()) };
                let reason = reason.clone();
                let shown =
                    move |sealed: &str| dialog::freeze_confirm(&scope, reason.as_deref(), sealed, texts);
                (subject, Box::new(shown))
            }
            _ => (Subject::Freeze { scope: None }, Box::new(move |sealed| dialog::freeze(sealed, texts))),
        };
        let reference = CommandReference {
            subject,
            workspace: typed.viewer.workspace.clone(),
            user: typed.viewer.user.clone(),
            channel: typed.to.reply.channel.clone(),
        };
        let opened = match (reference.encode(&self.secrets, &**self.gate.entropy()), &typed.trigger_id) {
            (Some(sealed), Some(trigger)) => self.slack.api().views_open(trigger, &shown(&sealed)).await,
            _ => Err(ApiError::TriggerExpired { code: "no_trigger".to_owned() }),
        };
        if let Err(fault) = opened {
            tracing::warn!(error = %fault, "Slack did not open the dialog of a command");
            let (trouble, is_final) = trouble_of(&fault);
            if is_final {
                self.alarm("dialog", (&typed.to.reply, None), &fault).await;
            }
            let said = texts.trouble(trouble);
            self.send(&typed.to, &commands::said(&said)).await;
        }
    }

    /// What a click or a dialog comes to.
    async fn stepped(&self, step: Step) {
        match step {
            Step::Turn { ask, to } => self.answers(&ask, &to).await,
            Step::Lift { hold, identity, to } => {
                let answer = self.answers.lift((self.tenant(), &identity), hold).await;
                self.says(answer, &to).await;
            }
            Step::Forget { id, identity, to } => {
                let answer = self.answers.forget((self.tenant(), &identity), id).await;
                self.says(answer, &to).await;
            }
            Step::Revoke { request, reason, identity, to } => {
                let answer = self.answers.revoke((self.tenant(), &identity), &request, reason).await;
                self.says(answer, &to).await;
            }
            Step::Settle { request, outcome, reason, identity, to } => {
                let how = (outcome, reason);
                let answer = self.answers.settle((self.tenant(), &identity), &request, how).await;
                self.says(answer, &to).await;
            }
            Step::Freeze { scope, reason, identity, to } => {
                let answer = self.answers.freeze((self.tenant(), &identity), scope, reason).await;
                self.says(answer, &to).await;
            }
            Step::Over { to } => {
                let said = self.slack.texts().command_label(CommandLabel::Gone);
                self.send(&to, &commands::said(&said)).await;
            }
            Step::InDialog { .. } | Step::Confirm { .. } => {}
        }
    }

    async fn answers(&self, ask: &Ask, to: &To) {
        let page = match self.answers.answer(self.tenant(), ask, ROWS).await {
            command::Answer::File(file) => self.sends_file(*file, to).await,
            answer => commands::page(&answer, &ask.text, self.slack.texts()),
        };
        self.send(to, &page).await;
    }

    /// Says what became of something.
    async fn says(&self, answer: Result<command::Answer, Said>, to: &To) {
        let answer = answer.unwrap_or_else(command::Answer::Said);
        self.send(to, &commands::page(&answer, "", self.slack.texts())).await;
    }

    fn page_of(&self, said: &Said) -> Page {
        commands::said(&self.slack.texts().command_said(said, Means::Buttons, &Markup::PLAIN))
    }

    fn tenant(&self) -> &TenantId {
        &self.slack.settings().tenant
    }

    /// The dialog that asks once more before calls are stopped.
    fn asks_once_more(&self, scope: &HoldScope, reference: &CommandReference) -> Answer {
        let subject = Subject::Freeze { scope: Some(scope.clone()) };
        let reference = CommandReference { subject, ..reference.clone() };
        let texts = self.slack.texts();
        match reference.encode(&self.secrets, &**self.gate.entropy()) {
            Some(sealed) => Answer::update(&dialog::freeze_confirm(scope, None, &sealed, texts)),
            None => Answer::error(dialog::NAME.0, &texts.command_label(CommandLabel::NameBad)),
        }
    }

    /// Sends an answer that only who asked sees: by the address that came with what they did; where that takes nothing more,
    /// beside it; and where they are not in the channel, directly.
    async fn send(&self, to: &To, page: &Page) {
        let api = self.slack.api();
        if let Some(url) = &to.url {
            let body = json!({
                "response_type": "ephemeral",
                "replace_original": to.replaces,
                "text": page.text,
                "blocks": page.blocks,
            });
            match api.respond(url, &body).await {
                // Said twice is worse than said late: it may be there.
                Ok(()) | Err(ApiError::Unknown) => return,
                Err(fault) => {
                    tracing::warn!(error = %fault, "an answer could not be given where it was asked")
                }
            }
        }
        match self.whisper_page(to, page).await {
            Ok(()) => {}
            Err(fault @ (ApiError::TooLarge { .. } | ApiError::Other { .. })) => {
                tracing::error!(error = %fault, "Slack does not take the answer to a command");
                self.alarm("command", (&to.reply, None), &fault).await;
                let reader = self.slack.read_surely_by(&to.reply.identity, &to.reply.channel).await;
                let said = commands::said(&reader.texts().trouble(Trouble::AnswerRefused));
                if let Err(fault) = self.whisper_page(to, &said).await {
                    tracing::warn!(error = %fault, "that an answer was refused could not be told");
                }
            }
            Err(fault) => tracing::warn!(error = %fault, "the answer to a command could not be delivered"),
        }
    }

    /// Gives the answer in their direct messages; where Slack takes it later only, then.
    async fn answers_directly(&self, user: &str, page: &Page) {
        /// Nobody waits longer than some minutes for an answer.
        const TRIES_MAX: u32 = 8;
        for tries in 1.. {
            let Err(fault) = self.slack.post_directly(user, (&page.text, &page.blocks)).await else { return };
            match fault {
                SurfaceError::Later { after, .. } if tries < TRIES_MAX => {
                    let clock = self.slack.clock();
                    clock.sleep_until(clock.now() + after.unwrap_or(UNNAMED_PAUSE)).await;
                }
                fault => {
                    return tracing::warn!(error = %fault, "the answer to a command could not be delivered");
                }
            }
        }
    }

    async fn whisper_page(&self, to: &To, page: &Page) -> Result<(), ApiError> {
        let api = self.slack.api();
        let user = to.reply.identity.subject();
        let mut whisper = Ephemeral::new(&to.reply.channel, user, &page.text);
        whisper.blocks = &page.blocks;
        match api.post_ephemeral(&whisper).await {
            Err(ApiError::NoPlace { .. }) => {
                self.answers_directly(user, page).await;
                Ok(())
            }
            sent => sent,
        }
    }
}
