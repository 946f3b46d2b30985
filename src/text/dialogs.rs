//! What people read in the dialogs for what can be done beside yes and no, and on the card about it.

use fluent::fluent_args;

use super::deciding::within_quotes;
use super::key::Key;
use super::{Markup, Texts};
use crate::approval::Addressee;
use crate::card::{AnswerView, LookingView, QuestionView, SettledView};
use crate::id::{HoldId, ShortCode};

keys! {
    /// A text of these dialogs that needs nothing inserted.
    pub enum DialogText {
        /// Asks once more before a yes to a critical call; at most 100 characters, Slack's limit.
        CriticalTitle = "critical-title",
        /// Yes, run it; at most 30 characters.
        CriticalYes = "critical-yes",
        /// Back to the card; at most 30 characters.
        CriticalNo = "critical-no",
        /// A field that must be filled in was left empty.
        ReasonNeeded = "dialog-reason-needed",
        /// The button that opens the dialog for how something ended.
        SettleButton = "settle-button",
        /// Its title; at most 24 characters.
        SettleTitle = "settle-title",
        /// What to do first.
        SettleIntro = "settle-intro",
        /// Above the choice of how it ended.
        SettleOutcome = "settle-outcome",
        /// It ran, ok.
        SettleSucceeded = "settle-succeeded",
        /// It failed, or never ran.
        SettleFailed = "settle-failed",
        /// Beneath the field for how they know.
        SettleHint = "settle-hint",
        /// Submits it; at most 24 characters.
        SettleSubmit = "settle-submit",
        /// Before what was asked, and what was answered.
        QuestionsLabel = "label-questions",
        /// The choice of the menu that opens the dialog for a question.
        AskButton = "ask-button",
        /// Its title; at most 24 characters.
        AskTitle = "ask-title",
        /// Above the choice of whom.
        AskWhom = "ask-whom",
        /// The agent is asked.
        AskAgent = "ask-agent",
        /// Above the field for the question.
        AskQuestion = "ask-question",
        /// Beneath it.
        AskHint = "ask-hint",
        /// Submits it; at most 24 characters.
        AskSubmit = "ask-submit",
        /// The button that opens the dialog for an answer.
        AnswerButton = "answer-button",
        /// Its title; at most 24 characters.
        AnswerTitle = "answer-title",
        /// Above the field for the answer.
        AnswerField = "answer-field",
        /// Beneath it.
        AnswerHint = "answer-hint",
        /// Submits it; at most 24 characters.
        AnswerSubmit = "answer-submit",
        /// The choice of the menu that says one is looking, or no longer is.
        LookButton = "look-button",
        /// The button that opens the dialog in which arguments are changed.
        EditButton = "edit-button",
        /// Its title; at most 24 characters.
        EditTitle = "edit-title",
        /// What becomes of it.
        EditIntro = "edit-intro",
        /// Where secrets are hidden.
        EditHidden = "edit-hidden",
        /// Where there is nothing that can be changed here.
        EditNothing = "edit-nothing",
        /// Submits it; at most 24 characters.
        EditSubmit = "edit-submit",
        /// Marks a field that takes JSON.
        EditAsJson = "edit-as-json",
        /// Yes, as a value.
        EditTrue = "edit-true",
        /// No, as a value.
        EditFalse = "edit-false",
        /// Nothing was changed.
        EditUnchanged = "edit-unchanged",
        /// What was written is no number.
        EditNotNumber = "edit-not-number",
        /// A key stands in it twice.
        EditTwice = "edit-twice",
        /// A number that would not stay what it is.
        EditLossy = "edit-lossy",
        /// The mark of a hidden secret where it hides nothing.
        EditMark = "edit-mark",
        /// Nobody else could approve what it would become.
        EditNobodyElse = "edit-nobody-else",
        /// The button that opens the dialog for deciding alone.
        GlassButton = "glass-button",
        /// Asks before the dialog; at most 100 characters.
        GlassAskTitle = "glass-ask-title",
        /// What it means; at most 300 characters.
        GlassAskText = "glass-ask-text",
        /// Go on; at most 30 characters.
        GlassAskYes = "glass-ask-yes",
        /// The dialog's title; at most 24 characters.
        GlassTitle = "glass-title",
        /// What happens then.
        GlassIntro = "glass-intro",
        /// Beneath the field for the reason.
        GlassHint = "glass-hint",
        /// Submits it; at most 24 characters.
        GlassSubmit = "glass-submit",
        /// The button that opens the dialog for a review.
        ReviewButton = "review-button",
        /// Its title; at most 24 characters.
        ReviewTitle = "review-title",
        /// What is asked of who reviews.
        ReviewIntro = "review-intro",
        /// Beneath the field for a note.
        ReviewHint = "review-hint",
        /// Submits it; at most 24 characters.
        ReviewSubmit = "review-submit",
        /// The button that opens the dialog for stopping the agent.
        FreezeButton = "freeze-button",
        /// Asks before the dialog; at most 100 characters.
        FreezeAskTitle = "freeze-ask-title",
        /// What it means; at most 300 characters.
        FreezeAskText = "freeze-ask-text",
        /// Go on; at most 30 characters.
        FreezeAskYes = "freeze-ask-yes",
        /// The dialog's title; at most 24 characters.
        FreezeTitle = "freeze-title",
        /// Beneath the field for the reason.
        FreezeHint = "freeze-hint",
        /// Submits it; at most 24 characters.
        FreezeSubmit = "freeze-submit",
        /// What was begun is not done yet; at most 24 characters.
        WorkingTitle = "working-title",
        /// And where to see what became of it.
        WorkingText = "working-text",
    }
}

keys! {
    /// A text that this module puts together.
    pub(super) enum DialogKey {
        LineSettledBy = "line-settled-by",
        LineLooking = "line-looking",
        LineLookingSince = "line-looking-since",
        LineQuestion = "line-question",
        LineQuestionOpen = "line-question-open",
        LineAnswer = "line-answer",
        LineAnswerAgents = "line-answer-agents",
        AskRequester = "ask-requester",
        AnswerIntro = "answer-intro",
        NoticeQuestion = "notice-question",
        NoticeAnswered = "notice-answered",
        NoticeAnsweredAgent = "notice-answered-agent",
        EditTooLong = "edit-too-long",
        EditMore = "edit-more",
        EditNotJson = "edit-not-json",
        EditForbidden = "edit-forbidden",
        FreezeIntro = "freeze-intro",
        FreezeDone = "freeze-done",
        FreezeStood = "freeze-stood",
    }
}

impl Texts {
    /// A text of the dialogs.
    #[must_use]
    pub fn dialog(&self, text: DialogText) -> String {
        self.say(text.id(), None)
    }

    /// Who is looking, since when; none where nobody is.
    #[must_use]
    pub fn looking(&self, looking: &[LookingView], markup: &Markup<'_>) -> Option<String> {
        let one = |one: &LookingView| {
            let (who, when) = ((markup.text)(one.name.as_str()), (markup.time)(one.since));
            self.say(DialogKey::LineLookingSince.id(), Some(&fluent_args!["who" => who, "when" => when]))
        };
        let people: Vec<String> = looking.iter().map(one).collect();
        let (count, people) = (people.len(), self.join(people));
        (count > 0).then(|| {
            self.say(DialogKey::LineLooking.id(), Some(&fluent_args!["people" => people, "count" => count]))
        })
    }

    /// A question from the card, and that it is not answered while it is not.
    #[must_use]
    pub fn asked(&self, question: &QuestionView, who_asked: &str, markup: &Markup<'_>) -> String {
        let whom = match question.to {
            Addressee::Agent => self.dialog(DialogText::AskAgent),
            Addressee::Requester => (markup.text)(who_asked),
        };
        let args = fluent_args![
            "who" => (markup.text)(question.by.as_str()),
            "whom" => whom,
            "when" => (markup.time)(question.at),
            "question" => within_quotes(&(markup.text)(question.text.as_str())),
        ];
        let asked = self.say(DialogKey::LineQuestion.id(), Some(&args));
        if question.answer.is_some() {
            return asked;
        }
        if question.lost {
            return self.question_lost(asked);
        }
        self.say(DialogKey::LineQuestionOpen.id(), Some(&fluent_args!["asked" => asked]))
    }

    /// Before an answer: whose words it is in, and when it came. The words themselves stand apart from Placet's.
    #[must_use]
    pub fn answered_by(&self, answer: &AnswerView, markup: &Markup<'_>) -> String {
        let key = if answer.by.is_some() { DialogKey::LineAnswer } else { DialogKey::LineAnswerAgents };
        let who = answer.by.as_ref().map(|by| (markup.text)(by.as_str())).unwrap_or_default();
        self.say(key.id(), Some(&fluent_args!["who" => who, "when" => (markup.time)(answer.at)]))
    }

    /// The choice of who asked for the call as the one to be asked.
    #[must_use]
    pub fn ask_requester(&self, who: &str) -> String {
        self.say(DialogKey::AskRequester.id(), Some(&fluent_args!["who" => who]))
    }

    /// Above the field for an answer.
    #[must_use]
    pub fn answer_intro(&self, question: &QuestionView, markup: &Markup<'_>) -> String {
        let args = fluent_args![
            "who" => (markup.text)(question.by.as_str()),
            "question" => (markup.text)(question.text.as_str()),
        ];
        self.say(DialogKey::AnswerIntro.id(), Some(&args))
    }

    pub(super) fn question_to_you(
        &self,
        (code, tool): (&ShortCode, &str),
        (by, text): (&str, &str),
        markup: &Markup<'_>,
    ) -> String {
        let args = fluent_args![
            "code" => code.as_str(),
            "tool" => markup.raw(tool),
            "who" => markup.raw(by),
            "question" => markup.raw(text),
        ];
        self.say(DialogKey::NoticeQuestion.id(), Some(&args))
    }

    pub(super) fn answered(
        &self,
        code: &ShortCode,
        (by, text): (Option<&str>, &str),
        markup: &Markup<'_>,
    ) -> String {
        let key = if by.is_some() { DialogKey::NoticeAnswered } else { DialogKey::NoticeAnsweredAgent };
        let args = fluent_args![
            "code" => code.as_str(),
            "who" => markup.raw(by.unwrap_or_default()),
            "answer" => markup.raw(text),
        ];
        self.say(key.id(), Some(&args))
    }

    /// That an argument is too long for a field.
    #[must_use]
    pub fn edit_too_long(&self, name: &str, characters: usize) -> String {
        let args = fluent_args!["name" => name, "count" => characters];
        self.say(DialogKey::EditTooLong.id(), Some(&args))
    }

    /// That there are more arguments than fields.
    #[must_use]
    pub fn edit_more(&self, count: usize) -> String {
        self.say(DialogKey::EditMore.id(), Some(&fluent_args!["count" => count]))
    }

    /// That what was written is no JSON, and where it stops being so.
    #[must_use]
    pub fn edit_not_json(&self, why: &str, markup: &Markup<'_>) -> String {
        self.say(DialogKey::EditNotJson.id(), Some(&fluent_args!["why" => markup.raw(why)]))
    }

    /// That the policy forbids what it would become.
    #[must_use]
    pub fn edit_forbidden(&self, because: &str, markup: &Markup<'_>) -> String {
        self.say(DialogKey::EditForbidden.id(), Some(&fluent_args!["because" => markup.raw(because)]))
    }

    /// What stopping this agent does.
    #[must_use]
    pub fn freeze_intro(&self, agent: &str, markup: &Markup<'_>) -> String {
        self.say(DialogKey::FreezeIntro.id(), Some(&fluent_args!["agent" => markup.raw(agent)]))
    }

    /// That it is stopped, and how that is lifted.
    #[must_use]
    pub fn freeze_done(&self, agent: &str, id: HoldId, markup: &Markup<'_>) -> String {
        let args = fluent_args!["agent" => markup.raw(agent), "id" => id.to_string()];
        self.say(DialogKey::FreezeDone.id(), Some(&args))
    }

    /// That it was stopped already.
    #[must_use]
    pub fn freeze_stood(
        &self,
        agent: &str,
        (id, who, reason): (HoldId, &str, &str),
        markup: &Markup<'_>,
    ) -> String {
        let args = fluent_args![
            "agent" => markup.raw(agent),
            "id" => id.to_string(),
            "who" => markup.raw(who),
            "reason" => markup.raw(reason),
        ];
        self.say(DialogKey::FreezeStood.id(), Some(&args))
    }

    /// Who settled what nobody had known, and how they know.
    pub(super) fn settled(&self, settled: &SettledView, markup: &Markup<'_>) -> String {
        let line = match &settled.name {
            None => self.say(Key::LineSettled.id(), None),
            Some(name) => {
                let args = fluent_args!["who" => (markup.text)(name.as_str())];
                self.say(DialogKey::LineSettledBy.id(), Some(&args))
            }
        };
        match &settled.reason {
            None => line,
            Some(reason) => {
                let args = fluent_args!["line" => line, "reason" => (markup.text)(reason.as_str())];
                self.say(Key::LineReason.id(), Some(&args))
            }
        }
    }
}
