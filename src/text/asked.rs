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
        LineIn = "asked-line-in",
        LineThroughIn = "asked-line-through-in",
        LineAgent = "asked-line-agent",
        Thread = "asked-thread",
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
        self.asked_by_in(call, None, markup)
    }

    /// The same, with where they did, in the surface's own words.
    #[must_use]
    pub fn asked_by_in(&self, call: &CallView, place: Option<&str>, markup: &Markup<'_>) -> String {
        let args = fluent_args![
            "who" => (markup.text)(call.asked_by.as_str()),
            "agent" => (markup.text)(call.agent.as_str()),
            "when" => (markup.time)(call.asked_at),
            "place" => place.unwrap_or_default(),
        ];
        let key = match (call.agent.as_str(), place) {
            ("", None) => AskedKey::Line,
            ("", Some(_)) => AskedKey::LineIn,
            (agent, _) if agent == call.asked_by.as_str() => AskedKey::LineAgent,
            (_, None) => AskedKey::LineThrough,
            (_, Some(_)) => AskedKey::LineThroughIn,
        };
        self.say(key.id(), Some(&args))
    }

    /// What leads to the thread in which they did.
    #[must_use]
    pub fn asked_thread(&self) -> String {
        self.say(AskedKey::Thread.id(), None)
    }

    /// Above what several calls on one card have in common.
    #[must_use]
    pub fn alike(&self) -> String {
        self.say(AskedKey::Alike.id(), None)
    }
}
