//! What stands in a dialog that opens before it is known whether its reader may read what it is about.

use fluent::fluent_args;

use super::Texts;
use crate::id::ShortCode;

keys! {
    /// A text of such a dialog.
    pub(super) enum OpeningKey {
        /// Its title; at most 24 characters, Slack's limit.
        Title = "opening-title",
        /// Which request, and that it is being looked whether they may read it.
        Text = "opening-text",
        /// The title once it is known that they may not; at most 24 characters.
        RefusedTitle = "opening-refused-title",
    }
}

impl Texts {
    /// The title of a dialog whose reader may have to wait for what it shows.
    #[must_use]
    pub fn opening_title(&self) -> String {
        self.say(OpeningKey::Title.id(), None)
    }

    /// What stands there meanwhile.
    #[must_use]
    pub fn opening_text(&self, code: &ShortCode) -> String {
        self.say(OpeningKey::Text.id(), Some(&fluent_args!["code" => code.as_str()]))
    }

    /// The title of a dialog that shows nothing of what it was opened for.
    #[must_use]
    pub fn opening_refused_title(&self) -> String {
        self.say(OpeningKey::RefusedTitle.id(), None)
    }
}
