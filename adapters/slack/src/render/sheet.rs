//! The dialogs for what people do to a request beside yes and no. Each names the request by its code and title, and asks for
//! what it needs; what an agent wrote stands in them as on a card.

use placet::approval::Addressee;
use placet::card::{CardView, QuestionView};
use placet::text::{DialogText, Label, Markup, Texts};
use serde_json::Value;

use super::dialog::{NOTE_ACTION, NOTE_BLOCK, NOTE_UNITS_MAX};
use crate::limits;
use crate::mrkdwn::{self, Choice, ChoiceInput, Modal, TextInput, choice_input, context, input, section};

/// Which dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sheet {
    /// How an unknown outcome ended.
    Settle,
    /// Other arguments.
    Edit,
    /// A question.
    Ask,
    /// An answer.
    Answer,
    /// A decision alone, in an emergency.
    BreakGlass,
    /// A review of one.
    Review,
    /// A stop of the agent.
    Freeze,
}

impl Sheet {
    /// All of them.
    pub(crate) const ALL: [Self; 7] =
        [Self::Settle, Self::Edit, Self::Ask, Self::Answer, Self::BreakGlass, Self::Review, Self::Freeze];

    /// In the values of buttons.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::Edit => "edit",
            Self::Ask => "ask",
            Self::Answer => "answer",
            Self::BreakGlass => "break_glass",
            Self::Review => "review",
            Self::Freeze => "freeze",
        }
    }

    /// The sheet of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sheet| sheet.name() == name)
    }

    /// As `callback_id`.
    pub(crate) const fn callback_id(self) -> &'static str {
        match self {
            Self::Settle => "placet_settle_dialog",
            Self::Edit => "placet_edit_dialog",
            Self::Ask => "placet_ask_dialog",
            Self::Answer => "placet_answer_dialog",
            Self::BreakGlass => "placet_break_glass_dialog",
            Self::Review => "placet_review_dialog",
            Self::Freeze => "placet_freeze_dialog",
        }
    }

    /// The sheet with that `callback_id`.
    pub(crate) fn of_callback(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sheet| sheet.callback_id() == id)
    }

    /// The button that opens it.
    pub(crate) const fn action(self) -> &'static str {
        match self {
            Self::Settle => "placet_settle",
            Self::Edit => "placet_edit",
            Self::Ask => "placet_ask",
            Self::Answer => "placet_answer",
            Self::BreakGlass => "placet_break_glass",
            Self::Review => "placet_review",
            Self::Freeze => "placet_freeze",
        }
    }

    /// The sheet that this button opens.
    pub(crate) fn of_action(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sheet| sheet.action() == id)
    }

    /// What its button says.
    pub(crate) const fn button(self) -> DialogText {
        match self {
            Self::Settle => DialogText::SettleButton,
            Self::Edit => DialogText::EditButton,
            Self::Ask => DialogText::AskButton,
            Self::Answer => DialogText::AnswerButton,
            Self::BreakGlass => DialogText::GlassButton,
            Self::Review => DialogText::ReviewButton,
            Self::Freeze => DialogText::FreezeButton,
        }
    }
}

/// The block with the choice of how it ended.
pub(crate) const OUTCOME_BLOCK: &str = "placet_outcome";
/// The field in it.
pub(crate) const OUTCOME_ACTION: &str = "placet_outcome_choice";
/// It ran, ok.
pub(crate) const SUCCEEDED: &str = "succeeded";
/// It failed.
pub(crate) const FAILED: &str = "failed";

/// The block with the choice of whom to ask.
pub(crate) const WHOM_BLOCK: &str = "placet_whom";
/// The field in it.
pub(crate) const WHOM_ACTION: &str = "placet_whom_choice";
/// The agent.
pub(crate) const TO_AGENT: &str = "agent";
/// Who asked for the call.
pub(crate) const TO_REQUESTER: &str = "requester";

/// Room for the title of the call, in units: a line, not a page.
const TITLE_UNITS_MAX: usize = 300;

/// What every sheet has.
pub(crate) struct Frame<'a> {
    /// The request, as its reader may see it: [veiled](CardView::veil) where they may not read it.
    pub(crate) view: &'a CardView,
    /// Comes back with the submission.
    pub(crate) reference: &'a str,
    /// The catalogue.
    pub(crate) texts: &'a Texts,
}

impl Frame<'_> {
    /// A dialog with the request's name above, and this below.
    pub(super) fn modal(
        &self,
        sheet: Sheet,
        (title, submit): (DialogText, Option<DialogText>),
        blocks: Vec<Value>,
    ) -> Value {
        let texts = self.texts;
        let mut name = format!("{} · {}", self.view.code, self.view.call.title);
        if self.view.confidential {
            // Where the title is only the tool's name, this is all that is left to tell it by.
            name = format!("{name} · {}", texts.level(self.view.call.level));
        }
        let mut all = vec![section(&limits::shorten(&name, TITLE_UNITS_MAX))];
        all.extend(blocks);
        mrkdwn::modal_view(Modal {
            callback_id: sheet.callback_id(),
            private_metadata: self.reference,
            title: &texts.dialog(title),
            submit: submit.map(|submit| texts.dialog(submit)).as_deref(),
            close: &texts.label(if submit.is_some() { Label::Cancel } else { Label::Close }),
            blocks: all,
        })
    }

    /// The field for words.
    fn words(&self, label: &str, hint: &str, optional: bool) -> Value {
        input(&TextInput {
            block_id: NOTE_BLOCK,
            action_id: NOTE_ACTION,
            label,
            hint: Some(hint),
            placeholder: None,
            length_max: NOTE_UNITS_MAX,
            multiline: true,
            optional,
        })
    }

    fn reason(&self, hint: DialogText) -> Value {
        self.words(&self.texts.label(Label::Reason), &self.texts.dialog(hint), false)
    }
}

/// How an unknown outcome ended.
pub(crate) fn settle(frame: &Frame<'_>) -> Value {
    let texts = frame.texts;
    let (succeeded, failed) =
        (texts.dialog(DialogText::SettleSucceeded), texts.dialog(DialogText::SettleFailed));
    let outcome = choice_input(&ChoiceInput {
        block_id: OUTCOME_BLOCK,
        action_id: OUTCOME_ACTION,
        label: &texts.dialog(DialogText::SettleOutcome),
        choices: &[Choice { text: &succeeded, value: SUCCEEDED }, Choice { text: &failed, value: FAILED }],
        chosen: None,
    });
    let blocks = vec![
        context(&[&texts.dialog(DialogText::SettleIntro)]),
        outcome,
        frame.reason(DialogText::SettleHint),
    ];
    frame.modal(Sheet::Settle, (DialogText::SettleTitle, Some(DialogText::SettleSubmit)), blocks)
}

/// A question, to the agent or, where Slack knows who asked for it, to them.
pub(crate) fn ask(frame: &Frame<'_>, whom: Vec<Addressee>) -> Value {
    let texts = frame.texts;
    let agent = texts.dialog(DialogText::AskAgent);
    let requester = texts.ask_requester(frame.view.call.asked_by.as_str());
    let choice = |whom| match whom {
        Addressee::Agent => Choice { text: &agent, value: TO_AGENT },
        Addressee::Requester => Choice { text: &requester, value: TO_REQUESTER },
    };
    let choices: Vec<Choice<'_>> = whom.into_iter().map(choice).collect();
    let whom = choice_input(&ChoiceInput {
        block_id: WHOM_BLOCK,
        action_id: WHOM_ACTION,
        label: &texts.dialog(DialogText::AskWhom),
        choices: &choices,
        chosen: choices.first().map(|first| first.value),
    });
    let (label, hint) = (texts.dialog(DialogText::AskQuestion), texts.dialog(DialogText::AskHint));
    let blocks = vec![whom, frame.words(&label, &hint, false)];
    frame.modal(Sheet::Ask, (DialogText::AskTitle, Some(DialogText::AskSubmit)), blocks)
}

/// An answer to a question.
pub(crate) fn answer(frame: &Frame<'_>, question: &QuestionView) -> Value {
    let texts = frame.texts;
    let intro = texts.answer_intro(question, &Markup::PLAIN);
    let (label, hint) = (texts.dialog(DialogText::AnswerField), texts.dialog(DialogText::AnswerHint));
    let blocks = vec![section(&intro), frame.words(&label, &hint, false)];
    frame.modal(Sheet::Answer, (DialogText::AnswerTitle, Some(DialogText::AnswerSubmit)), blocks)
}

/// A decision alone, in an emergency.
pub(crate) fn break_glass(frame: &Frame<'_>) -> Value {
    let intro = frame.texts.dialog(DialogText::GlassIntro);
    let blocks = vec![context(&[&intro]), frame.reason(DialogText::GlassHint)];
    frame.modal(Sheet::BreakGlass, (DialogText::GlassTitle, Some(DialogText::GlassSubmit)), blocks)
}

/// A review of one, with who decided and why.
pub(crate) fn review(frame: &Frame<'_>) -> Value {
    let texts = frame.texts;
    let intro = texts.dialog(DialogText::ReviewIntro);
    let mut blocks = vec![context(&[&intro])];
    let stands = texts.state_line(frame.view, &Markup::PLAIN);
    blocks.push(section(&limits::shorten(&stands, limits::SECTION_UNITS_MAX)));
    let (label, hint) = (texts.label(Label::Note), texts.dialog(DialogText::ReviewHint));
    blocks.push(frame.words(&label, &hint, true));
    frame.modal(Sheet::Review, (DialogText::ReviewTitle, Some(DialogText::ReviewSubmit)), blocks)
}

/// A stop of the agent.
pub(crate) fn freeze(frame: &Frame<'_>, agent: &str) -> Value {
    let intro = frame.texts.freeze_intro(agent, &Markup::PLAIN);
    let blocks = vec![section(&intro), frame.reason(DialogText::FreezeHint)];
    frame.modal(Sheet::Freeze, (DialogText::FreezeTitle, Some(DialogText::FreezeSubmit)), blocks)
}

/// What became of it, in the place of the dialog.
pub(crate) fn said(sheet: Sheet, title: DialogText, text: &str, texts: &Texts) -> Value {
    mrkdwn::modal_view(Modal {
        callback_id: sheet.callback_id(),
        private_metadata: "",
        title: &texts.dialog(title),
        submit: None,
        close: &texts.label(Label::Close),
        blocks: vec![section(text)],
    })
}
