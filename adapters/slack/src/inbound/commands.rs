//! `/placet`: what is typed, the buttons of its answers, and its dialogs.
//!
//! What always holds: Slack is answered at once, from what was typed alone; whatever reads the store or asks Slack about an
//! account happens beside, and comes by the `response_url`, or as a whisper where that is used up. A dialog opens before
//! anything is looked up. Who may ask is decided by the gate, at every command and at every page of its answer.

mod acts;
mod answers;
mod export;
mod parse;
mod read;
mod reference;

use std::sync::Arc;

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
use crate::render::commands::{self, Page, dialog};

use answers::{Ask, Place};
pub(super) use export::Exports;
pub(crate) use parse::Verb;
use parse::{Asked, Mistake, parse};
pub(super) use read::{Step, of_click, of_submission};
use reference::{CommandReference, Subject};

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
    let asked = match parse(&text) {
        Ok(asked) => asked,
        Err(mistake) => return at_once(&commands::said(&desk.told(&mistake))),
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
        Asked::Help => at_once(&commands::help(texts)),
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
    /// What is wrong with what was typed, what was probably meant, and an example.
    fn told(&self, mistake: &Mistake) -> String {
        let (texts, markup) = (self.slack.texts(), &Markup::PLAIN);
        let (said, example) = match mistake {
            Mistake::NoSuchVerb { typed, nearest } => {
                let said = texts.no_such(false, typed, nearest.map(Verb::name), markup);
                (said, nearest.unwrap_or(Verb::Help).example())
            }
            Mistake::NoSuchKey { typed, nearest } => {
                let meant = nearest.map(|key| format!("{}:", key.name()));
                let said = texts.no_such(true, &format!("{typed}:"), meant.as_deref(), markup);
                (said, nearest.map_or(Verb::Audit.example(), parse::Key::example))
            }
            Mistake::BadValue { key, typed } => (texts.bad_value(key.name(), typed, markup), key.example()),
            Mistake::Twice(key) => (texts.said_twice(key.name()), key.example()),
            Mistake::WhichRequest { verb, typed } => (texts.which_request(typed, markup), verb.example()),
            Mistake::NotTaken { verb, typed } => {
                (texts.not_taken(verb.name(), typed, markup), verb.example())
            }
            Mistake::TooLong => return texts.command_label(CommandLabel::TooLong),
        };
        texts.try_instead(&said, example)
    }

    /// What a typed command comes to.
    async fn typed(&self, typed: Typed, asked: Asked, text: String) {
        match asked {
            Asked::Revoke { request, reason: Some(reason) } => {
                self.revokes((&request, reason), &typed.identity, &typed.to).await;
            }
            Asked::Settle { request, outcome: Some(outcome), reason: Some(reason) } => {
                self.settles(&request, (outcome, reason), (&typed.identity, &typed.to)).await;
            }
            Asked::Revoke { .. } | Asked::Settle { .. } | Asked::Freeze { .. } => {
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
                let Some(scope) = read::hold_scope(scope) else {
                    let said = texts.command_label(CommandLabel::NameBad);
                    return self.send(&typed.to, &commands::said(&said)).await;
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
        let opened = match (reference.encode(&self.secrets), &typed.trigger_id) {
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
            Step::Lift { hold, identity, to } => self.lifts(hold, &identity, &to).await,
            Step::Forget { id, identity, to } => self.forgets(id, &identity, &to).await,
            Step::Revoke { request, reason, identity, to } => {
                self.revokes((&request, reason), &identity, &to).await;
            }
            Step::Settle { request, outcome, reason, identity, to } => {
                self.settles(&request, (outcome, reason), (&identity, &to)).await;
            }
            Step::Freeze { scope, reason, identity, to } => {
                self.freezes((scope, reason), &identity, &to).await;
            }
            Step::Over { to } => {
                let said = self.slack.texts().command_label(CommandLabel::Gone);
                self.send(&to, &commands::said(&said)).await;
            }
            Step::InDialog { .. } | Step::Confirm { .. } => {}
        }
    }

    async fn answers(&self, ask: &Ask, to: &To) {
        let page = self.page_for(ask, to).await;
        self.send(to, &page).await;
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
