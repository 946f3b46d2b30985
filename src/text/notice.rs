//! One-off messages.

use fluent::fluent_args;

use super::key::{AfterKey, Key};
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
                    Alarm::MessageUndelivered => Key::AlarmMessageUndelivered,
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
            Notice::GlassBroken { code, tool, by, reason, .. } if reason.is_empty() => self.say(
                AfterKey::GlassBrokenBare.id(),
                Some(&fluent_args![
                    "code" => code.as_str(),
                    "tool" => markup.raw(tool),
                    "who" => markup.raw(by),
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
            Notice::Question { code, tool, by, text, .. } => {
                self.question_to_you((code, tool), (by, text), markup)
            }
            Notice::Answered { code, by, text, .. } => self.answered(code, (by.as_deref(), text), markup),
            Notice::NotAsked { code, tool, text, .. } => self.not_asked((code, tool), text, markup),
            Notice::Undelivered { about, lost } => self.undelivered(about.as_ref(), lost, markup),
            Notice::Held { what, reason } => self.say(
                Key::NoticeHeld.id(),
                Some(&fluent_args!["what" => markup.raw(what), "reason" => markup.raw(reason)]),
            ),
            Notice::Ran { code, tool, ran, .. } => self.ran_notice((code, tool), ran, markup),
            Notice::AskedDirectly { code, tool, level, place, until, .. } => {
                self.asked_directly((code, tool, *level), (place.is_some(), *until), markup)
            }
            Notice::Told { code, tool, what, .. } => self.told((code, tool), what, markup),
            Notice::Digest { since, until, digest } => {
                self.digest_told(digest.as_ref(), (*since, *until), markup)
            }
            Notice::PolicyNotInForce { why } => {
                self.say(Key::NoticePolicyNotInForce.id(), Some(&fluent_args!["why" => markup.raw(why)]))
            }
        }
    }
}
