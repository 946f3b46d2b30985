//! From a button beside yes and no, and from its dialog, to what they ask for. Pure, as all of [`intent`](super::intent) is,
//! and under the same rules.

use placet::approval::{Addressee, Alone, Assurance, OutcomeKind, Refusal};
use placet::call::ShownDigest;
use placet::id::{DeliveryKey, RequestId, ShortCode};
use placet::inbound::{Act, Inbound, ReplyTo};
use placet::person::Identity;
use placet::text::{DialogText, Trouble};

use super::intent::{Context, Dialog, InDialog, Intent, Source, click_key, key, named};
use super::matter::Matter;
use super::reference::Origin;
use crate::identity::SlackIdentity;
use crate::limits;
use crate::payload::{Action, BlockActions, View, ViewSubmission};
use crate::render::dialog::{NOTE_ACTION, NOTE_BLOCK, NOTE_UNITS_MAX};
use crate::render::sheet::{
    FAILED, OUTCOME_ACTION, OUTCOME_BLOCK, SUCCEEDED, Sheet, TO_AGENT, TO_REQUESTER, WHOM_ACTION, WHOM_BLOCK,
};
use crate::render::target::{Deed, Target};

/// A dialog to open, or to put in the place of Details.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenSheet {
    pub(super) sheet: Sheet,
    pub(super) how: How,
    pub(super) request: RequestId,
    pub(super) viewer: SlackIdentity,
    pub(super) origin: Origin,
    pub(super) reply: ReplyTo,
    /// What its viewer was shown, and whether that was all, where Details showed it.
    pub(super) seen: Option<(ShownDigest, bool)>,
    /// Which question it is about.
    pub(super) question: Option<u32>,
}

/// How a dialog comes to be seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum How {
    /// On this trigger.
    Opened(String),
    /// In the place of Details.
    Instead(Box<Dialog>),
}

/// A use case of the gate that is no command of one request: it is done before Slack is answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UseCase {
    pub(super) request: RequestId,
    pub(super) code: ShortCode,
    pub(super) identity: Identity,
    pub(super) reply: ReplyTo,
    pub(super) what: What,
}

/// Which.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    /// Another call in the place of this one, with what stands in the fields of the dialog.
    Edit(Box<View>),
    /// Nothing of the agent is started any more.
    Freeze { reason: String },
}

/// What stands in a dialog that was submitted.
struct Submitted<'a> {
    view: &'a View,
    matter: Matter,
    identity: Identity,
    delivery: DeliveryKey,
}

impl Submitted<'_> {
    /// The words in its field, if there are any.
    fn words(&self) -> Option<String> {
        let words = self.view.value(NOTE_BLOCK, NOTE_ACTION).map(str::trim).filter(|words| !words.is_empty());
        words.map(|words| limits::cut(words, NOTE_UNITS_MAX).to_owned())
    }
}

impl Context<'_> {
    /// A button or a choice of a menu on a message.
    pub(super) fn deed(
        &self,
        (click, action): (&BlockActions, &Action),
        (viewer, identity): (SlackIdentity, Identity),
        mut origin: Origin,
    ) -> Intent {
        let Some(target) = action.chosen().and_then(Target::decode) else {
            return self.tell(identity, &origin, Trouble::StaleButton);
        };
        let Target { deed, request, question, .. } = target;
        if question.is_some() {
            // A question to somebody is no card, and is not adopted as one.
            origin.ts = String::new();
        }
        let sheet = match deed {
            Deed::Open(sheet) => sheet,
            Deed::Look => {
                let Some(delivery) = click_key(&self.settings.name, (click, action), &viewer) else {
                    return self.tell(identity, &origin, Trouble::Unavailable);
                };
                let act = Act::Look { identity: identity.clone() };
                let vote = self.inbound((delivery, request), &identity, &origin, act);
                return Intent::Vote { vote: Box::new(vote), saw: None, from: Source::Card };
            }
        };
        let Some(trigger_id) = click.trigger_id.clone() else {
            return self.tell(identity, &origin, Trouble::DialogExpired);
        };
        let reply = self.reply(identity, &origin);
        let how = How::Opened(trigger_id);
        let open = OpenSheet { sheet, how, request, viewer, origin, reply, seen: None, question };
        Intent::OpenSheet(Box::new(open))
    }

    /// A button in Details that opens a dialog in its place. Who decides alone must have opened every page.
    pub(super) fn sheet_in_details(&self, sheet: Sheet, details: Dialog, viewer: SlackIdentity) -> Intent {
        let (reference, reply) = (details.reference.clone(), details.reply.clone());
        if sheet == Sheet::BreakGlass && !reference.all_opened {
            return Intent::Turn { dialog: details, page: 0 };
        }
        let (request, origin) = (reference.request, reference.origin);
        let seen = Some((reference.shown, reference.full));
        let how = How::Instead(Box::new(details));
        let open = OpenSheet { sheet, how, request, viewer, origin, reply, seen, question: None };
        Intent::OpenSheet(Box::new(open))
    }

    /// A submitted dialog of these.
    pub(super) fn sheet_submission(&self, submission: &ViewSubmission, view: &View, sheet: Sheet) -> Intent {
        // Where what is about the whole dialog stands: beside a field that each has.
        let first = view.first_block().unwrap_or(NOTE_BLOCK);
        let trouble = |trouble: Trouble| beside(first, InDialog::Trouble(trouble));
        let Some((viewer, identity)) = submission.identity().and_then(named) else {
            return trouble(Trouble::NobodyNamed);
        };
        let sealed = view.private_metadata.as_deref().unwrap_or_default();
        let matter = Matter::decode(sealed, self.secrets)
            .filter(|matter| matter.viewer == viewer && matter.sheet == sheet);
        let Some(matter) = matter else { return trouble(Trouble::DialogOver) };
        let Some(delivery) = submission.delivery_id(&self.settings.name).and_then(|id| key(&id)) else {
            return trouble(Trouble::Unavailable);
        };
        let submitted = Submitted { view, matter, identity, delivery };
        if sheet == Sheet::Edit {
            return self.used(submitted, What::Edit(Box::new(view.clone())));
        }
        let identity = submitted.identity.clone();
        let words = submitted.words();
        let (act, words) = match (sheet, words) {
            (Sheet::Review, note) => return self.done(submitted, Act::Review { identity, note }),
            (_, None) => return beside(NOTE_BLOCK, InDialog::Said(DialogText::ReasonNeeded)),
            (Sheet::Settle, Some(reason)) => return self.settle(submitted, reason),
            (Sheet::BreakGlass, Some(reason)) => return self.break_glass(submitted, reason),
            (Sheet::Freeze, Some(reason)) => return self.used(submitted, What::Freeze { reason }),
            (sheet, Some(words)) => (sheet, words),
        };
        match (act, submitted.matter.question) {
            (Sheet::Answer, Some(question)) => {
                self.done(submitted, Act::Answer { identity, question, text: words })
            }
            (Sheet::Ask, None) => self.ask(submitted, words),
            (_, _) => trouble(Trouble::DialogOver),
        }
    }

    fn settle(&self, submitted: Submitted<'_>, reason: String) -> Intent {
        let outcome = match submitted.view.value(OUTCOME_BLOCK, OUTCOME_ACTION) {
            Some(SUCCEEDED) => OutcomeKind::Succeeded,
            Some(FAILED) => OutcomeKind::Failed,
            Some(_) | None => return beside(OUTCOME_BLOCK, InDialog::Refusal(Refusal::StillUnknown)),
        };
        let identity = submitted.identity.clone();
        self.done(submitted, Act::Settle { identity, outcome, reason })
    }

    fn ask(&self, submitted: Submitted<'_>, text: String) -> Intent {
        let to = match submitted.view.value(WHOM_BLOCK, WHOM_ACTION) {
            Some(TO_REQUESTER) => Addressee::Requester,
            Some(TO_AGENT) => Addressee::Agent,
            Some(_) | None => return beside(WHOM_BLOCK, InDialog::Trouble(Trouble::DialogOver)),
        };
        let (identity, surface) = (submitted.identity.clone(), self.settings.name.clone());
        self.done(submitted, Act::Ask { identity, to, text, surface })
    }

    /// What they had been shown goes on record before, as with a yes from Details.
    fn break_glass(&self, submitted: Submitted<'_>, reason: String) -> Intent {
        let Matter { shown, full, request, .. } = submitted.matter;
        let identity = submitted.identity.clone();
        let saw = shown
            .filter(|_| full)
            .and_then(|shown| self.saw_all(&submitted.delivery, &identity, (request, shown)))
            .map(Box::new);
        let (surface, assurance) = (self.settings.name.clone(), Assurance::Signed);
        let alone = Alone { identity, reason, surface, assurance, shown };
        match self.done(submitted, Act::BreakGlass(alone)) {
            Intent::Vote { vote, from, .. } => Intent::Vote { vote, saw, from },
            other => other,
        }
    }

    /// What the dialog leads to, to be kept before Slack is answered.
    fn done(&self, submitted: Submitted<'_>, act: Act) -> Intent {
        let Submitted { matter, identity, delivery, .. } = submitted;
        let inbound: Inbound = self.inbound((delivery, matter.request), &identity, &matter.origin, act);
        Intent::Vote { vote: Box::new(inbound), saw: None, from: Source::Dialog }
    }

    /// What is done before Slack is answered.
    fn used(&self, submitted: Submitted<'_>, what: What) -> Intent {
        let Submitted { matter, identity, .. } = submitted;
        let reply = self.reply(identity.clone(), &matter.origin);
        let Matter { request, code, .. } = matter;
        Intent::Use(Box::new(UseCase { request, code, identity, reply, what }))
    }
}

/// Told beside a field of the dialog, which stays open.
fn beside(block: &str, what: InDialog) -> Intent {
    Intent::TellBeside { block: block.to_owned(), what }
}
