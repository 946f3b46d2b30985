//! What could not be delivered: to the operators, to who asked a question, and on the card.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::id::ShortCode;
use crate::notice::{About, Lost};

keys! {
    /// A text of this module.
    pub(super) enum UndeliveredKey {
        What = "undelivered-what",
        OfRequest = "undelivered-of-request",
        OfNone = "undelivered-of-none",
        NotAsked = "notice-not-asked",
        QuestionLost = "line-question-lost",
        Happened = "happened-not-told",
    }
}

impl Texts {
    /// What operators are told: what it was, and who was not reached.
    pub(super) fn undelivered(&self, about: Option<&About>, lost: &Lost, markup: &Markup<'_>) -> String {
        let (what, who) = (self.what_was_lost(lost), who(lost, markup));
        let why = markup.raw(&lost.why);
        match about {
            Some(About { code, tool, .. }) => self.say(
                UndeliveredKey::OfRequest.id(),
                Some(&fluent_args![
                    "code" => code.as_str(),
                    "tool" => markup.raw(tool),
                    "what" => what,
                    "who" => who,
                    "why" => why,
                ]),
            ),
            None => self.say(
                UndeliveredKey::OfNone.id(),
                Some(&fluent_args!["what" => what, "who" => who, "why" => why]),
            ),
        }
    }

    /// The same among what happened to a request, without the reason.
    pub(super) fn not_told(&self, lost: &Lost, markup: &Markup<'_>) -> String {
        let args = fluent_args!["what" => self.what_was_lost(lost), "who" => who(lost, markup)];
        self.say(UndeliveredKey::Happened.id(), Some(&args))
    }

    /// To who asked a question that reached nobody.
    pub(super) fn not_asked(
        &self,
        (code, tool): (&ShortCode, &str),
        text: &str,
        markup: &Markup<'_>,
    ) -> String {
        let args = fluent_args![
            "code" => code.as_str(),
            "tool" => markup.raw(tool),
            "question" => markup.raw(text),
        ];
        self.say(UndeliveredKey::NotAsked.id(), Some(&args))
    }

    /// A question on the card that reached nobody.
    pub(super) fn question_lost(&self, asked: String) -> String {
        self.say(UndeliveredKey::QuestionLost.id(), Some(&fluent_args!["asked" => asked]))
    }

    fn what_was_lost(&self, lost: &Lost) -> String {
        // The catalogue's own names hold no underscores.
        self.say(UndeliveredKey::What.id(), Some(&fluent_args!["notice" => lost.notice.replace('_', "-")]))
    }
}

/// By name and account: which account it is, is what has to be looked after.
fn who(lost: &Lost, markup: &Markup<'_>) -> String {
    let to = lost.to.to_string();
    markup.raw(&lost.name.as_ref().map_or_else(|| to.clone(), |name| format!("{name} ({to})")))
}
