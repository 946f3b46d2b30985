//! From an interaction to what it asks for: a pure function.
//!
//! What always holds: who acts comes from `user.team_id`, or the enterprise where that is missing, and `user.id`; never
//! from a name, the message or the dialog. Which request it is about comes from what Placet itself put on the button or
//! into the dialog. Whose requests these are comes from the settings of this workspace.

use placet::approval::{Assurance, Ballot, Decision, Refusal, Rendering};
use placet::call::ShownDigest;
use placet::id::{DeliveryKey, RequestId, SurfaceName};
use placet::inbound::{Act, Inbound, Located, MessageRef, ReplyTo};
use placet::person::Identity;
use placet::text::{DialogText, Trouble};
use placet::time::Timestamp;
use sha2::{Digest, Sha256};

use super::home::is_home;
use super::reference::{Origin, Reference};
use super::sheet::{OpenSheet, UseCase};
use crate::identity::SlackIdentity;
use crate::limits;
use crate::payload::{Action, BlockActions, Interaction, View, ViewSubmission};
use crate::render::details::{DETAILS_DIALOG, NEXT_ACTION, PAGES_MAX, PREVIOUS_ACTION};
use crate::render::dialog::{APPROVE_DIALOG, DENY_DIALOG, NOTE_ACTION, NOTE_BLOCK, NOTE_UNITS_MAX};
use crate::render::home::{HOME_NEXT_ACTION, HOME_PREVIOUS_ACTION};
use crate::render::menu::{LOOK_ACTION, MENU_ACTION};
use crate::render::sheet::Sheet;
use crate::render::{
    APPROVE_ACTION, ButtonValue, DENY_ACTION, DETAILS_ACTION, REMEMBER_ACTION, TAKE_BACK_ACTION, is_action,
};
use crate::signature::SigningSecrets;
use crate::surface::SlackSettings;

/// What an interaction is read against.
pub(super) struct Context<'a> {
    pub(super) settings: &'a SlackSettings,
    pub(super) secrets: &'a SigningSecrets,
    pub(super) now: Timestamp,
}

/// What somebody wants.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Intent {
    /// To vote, or to take a vote back. `saw` goes on record before.
    Vote { vote: Box<Inbound>, saw: Option<Box<Inbound>>, from: Source },
    /// The dialog for a no.
    AskWhyNot(Open),
    /// The dialog for a yes that needs a reason.
    AskWhy(Open),
    /// The whole call.
    Details(Open),
    /// Another page of it.
    Turn { dialog: Dialog, page: usize },
    /// The dialog for a no, in place of Details.
    AskWhyNotInstead(Dialog),
    /// What cannot be done, told to who wanted it.
    Tell { to: ReplyTo, trouble: Trouble },
    /// Another page of one's home.
    TurnHome { reader: Identity, page: usize },
    /// That one is looking, or no longer is, from Details.
    Look(Box<super::looking::Look>),
    /// A dialog for something beside yes and no.
    OpenSheet(Box<OpenSheet>),
    /// Something that is done before Slack is answered.
    Use(Box<UseCase>),
    /// What cannot be done, told in the dialog.
    TellInDialog(InDialog),
    /// The same, beside a field of it.
    TellBeside { block: String, what: InDialog },
    /// Something on an answer to a command, or in a dialog of one.
    Commands(Box<super::commands::Step>),
    /// Nothing that this app has to do with.
    Nothing,
}

/// What is told in a dialog that stays open.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InDialog {
    Trouble(Trouble),
    Refusal(Refusal),
    Said(DialogText),
}

/// Where a vote came from, which decides how Slack is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Card,
    Dialog,
}

/// A dialog to open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Open {
    pub(super) trigger_id: String,
    pub(super) value: ButtonValue,
    /// What the message asks, where it asks about this request alone.
    pub(super) asks: Option<String>,
    pub(super) viewer: SlackIdentity,
    pub(super) identity: Identity,
    pub(super) origin: Origin,
    pub(super) reply: ReplyTo,
}

/// A dialog to change. Each view of it is whole by itself, so it does not matter which of two changes comes last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dialog {
    pub(super) view_id: String,
    pub(super) reference: Reference,
    pub(super) identity: Identity,
    pub(super) reply: ReplyTo,
}

/// What an interaction asks for.
pub(super) fn read(interaction: &Interaction, context: &Context<'_>) -> Intent {
    match interaction {
        Interaction::BlockActions(click) => context.click(click),
        Interaction::ViewSubmission(submission) => context.submission(submission),
        Interaction::ViewClosed(_) | Interaction::Other { .. } => Intent::Nothing,
    }
}

/// A yes or no with everything that it needs.
struct Said<'a> {
    delivery: DeliveryKey,
    identity: &'a Identity,
    decision: Decision,
    note: Option<String>,
    request: RequestId,
    shown: ShownDigest,
    /// Whether it is to be remembered.
    remember: bool,
    origin: &'a Origin,
}

impl Context<'_> {
    fn click(&self, click: &BlockActions) -> Intent {
        if let Some(step) = super::commands::of_click(self, click) {
            return Intent::Commands(Box::new(step));
        }
        let known = [
            APPROVE_ACTION,
            REMEMBER_ACTION,
            DENY_ACTION,
            TAKE_BACK_ACTION,
            DETAILS_ACTION,
            PREVIOUS_ACTION,
            NEXT_ACTION,
            HOME_PREVIOUS_ACTION,
            HOME_NEXT_ACTION,
        ];
        let action = click.actions().iter().find_map(|action| {
            let id = known
                .into_iter()
                .chain(Sheet::ALL.map(Sheet::action))
                .chain([MENU_ACTION, LOOK_ACTION])
                .find(|known| action.action_id.as_deref().is_some_and(|id| is_action(id, known)))?;
            Some((action, id))
        });
        let Some((action, id)) = action else { return Intent::Nothing };
        let origin = origin(click);
        let Some((viewer, identity)) = click.identity().and_then(named) else {
            let user = click.user.as_ref().and_then(|user| user.id.as_deref()).unwrap_or_default();
            // Only an address for the answer: who it is stays unknown.
            return match Identity::slack(&self.settings.home.team_id, user) {
                Ok(address) => self.tell(address, &origin, Trouble::NobodyNamed),
                Err(_) => Intent::Nothing,
            };
        };
        if let Some(view) = &click.view {
            if is_home(view) {
                return self.in_home(click, (action, id), (viewer, identity));
            }
            return self.in_details((click, view), (action, id), (viewer, identity));
        }
        if id == MENU_ACTION || Sheet::of_action(id).is_some() {
            return self.deed((click, action), (viewer, identity), origin);
        }
        let value = action.value.as_deref().and_then(ButtonValue::decode);
        let Some(value) = value else { return self.tell(identity, &origin, Trouble::StaleButton) };
        if matches!(id, APPROVE_ACTION | REMEMBER_ACTION) && !value.reason_for_yes {
            let Some(delivery) = click_key(&self.settings.name, (click, action), &viewer) else {
                return self.tell(identity, &origin, Trouble::Unavailable);
            };
            let vote = self.vote(Said {
                delivery,
                identity: &identity,
                decision: Decision::Approve,
                note: None,
                request: value.request,
                shown: value.shown,
                remember: id == REMEMBER_ACTION,
                origin: &origin,
            });
            return Intent::Vote { vote: Box::new(vote), saw: None, from: Source::Card };
        }
        if id == TAKE_BACK_ACTION {
            let Some(delivery) = click_key(&self.settings.name, (click, action), &viewer) else {
                return self.tell(identity, &origin, Trouble::Unavailable);
            };
            let act = Act::TakeBack { identity: identity.clone(), sign: None };
            let vote = self.inbound((delivery, value.request), &identity, &origin, act);
            return Intent::Vote { vote: Box::new(vote), saw: None, from: Source::Card };
        }
        let Some(trigger_id) = click.trigger_id.clone() else {
            return self.tell(identity, &origin, Trouble::DialogExpired);
        };
        let reply = self.reply(identity.clone(), &origin);
        // A part of a card has a number behind its action, and the message asks about others too.
        let is_alone = action.action_id.as_deref() == Some(id);
        let asks = click.message.as_ref().filter(|_| is_alone).and_then(|message| message.text.as_deref());
        let asks = asks.map(crate::mrkdwn::unescape);
        let open = Open { trigger_id, value, asks, viewer, identity, origin, reply };
        match id {
            // A reason has come to be wanted since: it is asked for, and the yes is for this call alone.
            APPROVE_ACTION | REMEMBER_ACTION => Intent::AskWhy(open),
            DENY_ACTION => Intent::AskWhyNot(open),
            DETAILS_ACTION => Intent::Details(open),
            // Pages are turned within Details only.
            _ => Intent::Nothing,
        }
    }

    /// A button within Details.
    fn in_details(
        &self,
        (click, view): (&BlockActions, &View),
        (action, id): (&Action, &str),
        (viewer, identity): (SlackIdentity, Identity),
    ) -> Intent {
        let Some(reference) = self.reference(view, &viewer) else {
            return self.tell(identity, &Origin::default(), Trouble::DialogOver);
        };
        let Some(view_id) = view.id.clone() else { return Intent::Nothing };
        let reply = self.reply(identity.clone(), &reference.origin);
        let dialog = Dialog { view_id, reference, identity, reply };
        if let Some(sheet) = Sheet::of_action(id) {
            return self.sheet_in_details(sheet, dialog, viewer);
        }
        if id == DENY_ACTION {
            return Intent::AskWhyNotInstead(dialog);
        }
        if id == LOOK_ACTION {
            return self.look_in_details((click, action), dialog, &viewer);
        }
        let page = action.value.as_deref().and_then(|page| page.parse::<usize>().ok());
        match page.filter(|page| *page < PAGES_MAX) {
            Some(page) if matches!(id, PREVIOUS_ACTION | NEXT_ACTION) => Intent::Turn { dialog, page },
            Some(_) | None => Intent::Nothing,
        }
    }

    fn submission(&self, submission: &ViewSubmission) -> Intent {
        let in_dialog = |trouble: Trouble| Intent::TellInDialog(InDialog::Trouble(trouble));
        let Some(view) = &submission.view else { return Intent::Nothing };
        if let Some(step) = super::commands::of_submission(self, submission, view) {
            return Intent::Commands(Box::new(step));
        }
        let kind = view.callback_id.as_deref().unwrap_or_default();
        if let Some(sheet) = Sheet::of_callback(kind) {
            return self.sheet_submission(submission, view, sheet);
        }
        let decision = match kind {
            DENY_DIALOG => Decision::Deny,
            APPROVE_DIALOG | DETAILS_DIALOG => Decision::Approve,
            _ => return Intent::Nothing,
        };
        let Some((viewer, identity)) = submission.identity().and_then(named) else {
            return in_dialog(Trouble::NobodyNamed);
        };
        let Some(reference) = self.reference(view, &viewer) else { return in_dialog(Trouble::DialogOver) };
        if kind == DETAILS_DIALOG && !reference.all_opened {
            return in_dialog(Trouble::DialogOver);
        }
        let note = view.value(NOTE_BLOCK, NOTE_ACTION).map(str::trim).filter(|note| !note.is_empty());
        if kind == APPROVE_DIALOG && note.is_none() {
            return Intent::TellInDialog(InDialog::Refusal(Refusal::ReasonRequired { decision }));
        }
        let Some(delivery) = submission.delivery_id(&self.settings.name).and_then(|id| key(&id)) else {
            return in_dialog(Trouble::Unavailable);
        };
        let saw = (kind == DETAILS_DIALOG && reference.full)
            .then(|| self.saw(&delivery, &identity, &reference))
            .flatten()
            .map(Box::new);
        let vote = self.vote(Said {
            delivery,
            identity: &identity,
            decision,
            note: note.map(|note| limits::cut(note, NOTE_UNITS_MAX).to_owned()),
            request: reference.request,
            shown: reference.shown,
            remember: false,
            origin: &reference.origin,
        });
        Intent::Vote { vote: Box::new(vote), saw, from: Source::Dialog }
    }

    fn vote(&self, said: Said<'_>) -> Inbound {
        let ballot = Ballot {
            identity: said.identity.clone(),
            decision: said.decision,
            note: said.note,
            surface: self.settings.name.clone(),
            assurance: Assurance::Signed,
            shown: Some(said.shown),
            remember: said.remember,
            given_on: None,
            sign: None,
        };
        self.inbound((said.delivery, said.request), said.identity, said.origin, Act::Vote(ballot))
    }

    /// What somebody did on a message of ours.
    pub(super) fn inbound(
        &self,
        (delivery, request): (DeliveryKey, RequestId),
        identity: &Identity,
        origin: &Origin,
        act: Act,
    ) -> Inbound {
        Inbound {
            delivery,
            at: self.now,
            tenant: self.settings.tenant.clone(),
            request,
            message: self.message(origin),
            reply: Some(self.reply(identity.clone(), origin)),
            act,
        }
    }

    /// That this account saw everything in Details. It was put on record when the last page was opened; should that
    /// have been lost, the submitted view proves it again: only a view that was shown can be submitted.
    fn saw(&self, delivery: &DeliveryKey, identity: &Identity, reference: &Reference) -> Option<Inbound> {
        self.saw_all(delivery, identity, (reference.request, reference.shown))
    }

    /// The same, by request and what was shown.
    pub(super) fn saw_all(
        &self,
        delivery: &DeliveryKey,
        identity: &Identity,
        (request, shown): (RequestId, ShownDigest),
    ) -> Option<Inbound> {
        let rendering = Rendering {
            shown,
            surface: self.settings.name.clone(),
            full: true,
            viewer: Some(identity.clone()),
            covers: 0,
        };
        Some(Inbound {
            delivery: key(&format!("{delivery}/saw"))?,
            at: self.now,
            tenant: self.settings.tenant.clone(),
            request,
            message: None,
            reply: None,
            act: Act::Saw(rendering),
        })
    }

    /// The reference of a dialog of ours that was opened for this account.
    fn reference(&self, view: &View, viewer: &SlackIdentity) -> Option<Reference> {
        let sealed = view.private_metadata.as_deref()?;
        Reference::decode(sealed, self.secrets).filter(|reference| reference.viewer == *viewer)
    }

    fn message(&self, origin: &Origin) -> Option<Located> {
        let known = !origin.channel.is_empty() && !origin.ts.is_empty();
        known.then(|| Located {
            surface: self.settings.name.clone(),
            message: MessageRef { channel: origin.channel.clone(), id: origin.ts.clone() },
        })
    }

    pub(super) fn reply(&self, identity: Identity, origin: &Origin) -> ReplyTo {
        ReplyTo {
            surface: self.settings.name.clone(),
            channel: origin.channel.clone(),
            thread: Some(origin.thread.clone()).filter(|thread| !thread.is_empty()),
            identity,
        }
    }

    pub(super) fn tell(&self, identity: Identity, origin: &Origin, trouble: Trouble) -> Intent {
        Intent::Tell { to: self.reply(identity, origin), trouble }
    }
}

pub(super) fn named(viewer: SlackIdentity) -> Option<(SlackIdentity, Identity)> {
    let identity = Identity::slack(&viewer.workspace, &viewer.user).ok()?;
    Some((viewer, identity))
}

/// Where it was clicked. A message that only one person sees is no card, and is not adopted as one.
fn origin(click: &BlockActions) -> Origin {
    let (channel, ts) = click.message_address().unwrap_or_default();
    let container = click.container.as_ref();
    let is_ephemeral = container.and_then(|container| container.is_ephemeral).unwrap_or(false);
    let thread = container
        .and_then(|container| container.thread_ts.as_deref())
        .or_else(|| click.message.as_ref()?.thread_ts.as_deref())
        // A parent names itself as its thread; a whisper about it belongs beside it.
        .filter(|thread| *thread != ts);
    Origin {
        channel: channel.to_owned(),
        ts: if is_ephemeral { String::new() } else { ts.to_owned() },
        thread: thread.unwrap_or_default().to_owned(),
    }
}

/// The same for every delivery of the same click. Without its time the trigger stands in, which is as unique.
pub(super) fn click_key(
    surface: &SurfaceName,
    (click, action): (&BlockActions, &Action),
    viewer: &SlackIdentity,
) -> Option<DeliveryKey> {
    let id = click.delivery_id(surface, action).or_else(|| {
        let trigger = click.trigger_id.as_deref()?;
        Some(format!("{surface}/click/{}/{}/trigger/{trigger}", viewer.workspace, viewer.user))
    });
    key(&id?)
}

/// The id as a key; one that is too long, or holds what no key holds, by its hash.
pub(super) fn key(id: &str) -> Option<DeliveryKey> {
    DeliveryKey::new(id)
        .or_else(|_| DeliveryKey::new(format!("slack/{}", hex::encode(Sha256::digest(id)))))
        .ok()
}
