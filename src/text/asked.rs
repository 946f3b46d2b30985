//! Who asked for a call, apart from what the agent says of it.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::card::CallView;

keys! {
    /// A text of this module.
    pub(super) enum AskedKey {
        Label = "label-asked-by",
        Line = "asked-line",
        LineThrough = "asked-line-through",
        LineAgent = "asked-line-agent",
        Alike = "gathered-alike",
    }
}

impl Texts {
    /// Before who asked.
    #[must_use]
    pub fn asked_by_label(&self) -> String {
        self.say(AskedKey::Label.id(), None)
    }

    /// Who asked, through which agent, and when: what Placet knows, with nothing of the agent's beside it.
    #[must_use]
    pub fn asked_by(&self, call: &CallView, markup: &Markup<'_>) -> String {
        let args = fluent_args![
            "who" => (markup.text)(call.asked_by.as_str()),
            "agent" => (markup.text)(call.agent.as_str()),
            "when" => (markup.time)(call.asked_at),
        ];
        let key = match call.agent.as_str() {
            "" => AskedKey::Line,
            agent if agent == call.asked_by.as_str() => AskedKey::LineAgent,
            _ => AskedKey::LineThrough,
        };
        self.say(key.id(), Some(&args))
    }

    /// Above what several calls on one card have in common.
    #[must_use]
    pub fn alike(&self) -> String {
        self.say(AskedKey::Alike.id(), None)
    }
}
