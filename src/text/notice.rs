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
                    Alarm::GlassBroken => Key::AlarmGlassBroken,
                };
                self.say(key.id(), Some(&fluent_args!["code" => code.as_str(), "tool" => markup.raw(tool)]))
            }
            Notice::Reminder { code, tool, until, .. } => self.say(
                Key::NoticeReminder.id(),
                Some(&fluent_args![
                    "code" => code.as_str(),
                    "tool" => markup.raw(tool),
                    "until" => (markup.time)(*until),
                ]),
            ),
            Notice::Escalated { code, tool, to, until, .. } => self.say(
                Key::NoticeEscalated.id(),
                Some(&fluent_args![
                    "code" => code.as_str(),
                    "tool" => markup.raw(tool),
                    "roles" => self.roles(to, markup),
                    "until" => (markup.time)(*until),
                ]),
            ),
            Notice::StageAsked { code, tool, stage: (stage, stages), to, until, .. } => self.say(
                Key::NoticeStageAsked.id(),
                Some(&fluent_args![
                    "code" => code.as_str(),
                    "tool" => markup.raw(tool),
                    "stage" => *stage,
                    "stages" => *stages,
                    "roles" => self.roles(to, markup),
                    "until" => (markup.time)(*until),
                ]),
            ),
            Notice::GlassBroken { code, tool, by, reason, .. } => self.say(
                Key::NoticeGlassBroken.id(),
                Some(&fluent_args![
                    "code" => code.as_str(),
                    "tool" => markup.raw(tool),
                    "who" => markup.raw(by),
                    "reason" => markup.raw(reason),
                ]),
            ),
            Notice::Held { what, reason } => self.say(
                Key::NoticeHeld.id(),
                Some(&fluent_args!["what" => markup.raw(what), "reason" => markup.raw(reason)]),
            ),
            Notice::PolicyNotInForce { why } => {
                self.say(Key::NoticePolicyNotInForce.id(), Some(&fluent_args!["why" => markup.raw(why)]))
            }
        }
    }
}
