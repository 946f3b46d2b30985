//! One-off messages.

use fluent::fluent_args;

use super::key::Key;
use super::{Markup, Texts};
use crate::approval::Alarm;
use crate::notice::Notice;

impl Texts {
    /// A message; `who_can` as for [`Texts::refusal`].
    #[must_use]
    pub fn notice(&self, notice: &Notice, who_can: &[String], markup: &Markup<'_>) -> String {
        match notice {
            Notice::Refused { code, refusal, .. } => {
                let refusal = self.refusal(refusal, who_can, markup);
                self.say(
                    Key::NoticeRefused.id(),
                    Some(&fluent_args!["code" => code.as_str(), "refusal" => refusal]),
                )
            }
            Notice::Alarm { code, tool, alarm, .. } => {
                let key = match alarm {
                    Alarm::WaitsLong => Key::AlarmWaitsLong,
                    Alarm::CardUndeliverable => Key::AlarmCardUndeliverable,
                    Alarm::OutcomeUnknown => Key::AlarmOutcomeUnknown,
                };
                self.say(key.id(), Some(&fluent_args!["code" => code.as_str(), "tool" => markup.raw(tool)]))
            }
        }
    }
}
