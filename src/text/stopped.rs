//! What a card says of a stop that covers its call.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::card::escape::cut_end;
use crate::card::{CardView, StoppedView};

keys! {
    /// What is said of stops.
    pub(super) enum StoppedKey {
        Line = "line-stopped",
        LineDecided = "line-stopped-decided",
    }
}

/// Room for the reason: what the stop does stands behind it, and must not be pushed out.
const REASON_CHARS_MAX: usize = 160;

impl Texts {
    /// That calls like it are stopped, and what a yes does then; none where they are not. It says when they were, so that a
    /// card that nobody brings up to date after a stop was lifted still says what is true.
    #[must_use]
    pub fn stopped_line(&self, view: &CardView, markup: &Markup<'_>) -> Option<String> {
        let StoppedView { since, reason } = view.stopped.as_ref()?;
        let reason = (markup.text)(&cut_end(reason.as_str(), REASON_CHARS_MAX).text);
        let args = fluent_args!["since" => (markup.time)(*since), "reason" => reason];
        let key = if view.is_waiting() { StoppedKey::Line } else { StoppedKey::LineDecided };
        Some(self.say(key.id(), Some(&args)))
    }
}
