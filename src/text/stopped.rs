//! What a card says of a stop that covers its call.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::card::StoppedView;

keys! {
    /// What is said of stops.
    pub(super) enum StoppedKey {
        Line = "line-stopped",
    }
}

impl Texts {
    /// That calls like it are stopped, and what a yes does then. It says when they were, so that a card that nobody brings
    /// up to date after a stop was lifted still says what is true.
    pub(super) fn stopped_line(&self, stopped: Option<&StoppedView>, markup: &Markup<'_>) -> Option<String> {
        let StoppedView { since, reason } = stopped?;
        let args = fluent_args!["since" => (markup.time)(*since), "reason" => (markup.text)(reason.as_str())];
        Some(self.say(StoppedKey::Line.id(), Some(&args)))
    }
}
