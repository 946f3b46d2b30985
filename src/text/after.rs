//! What is said after a decision: under the card, and to who asked.

use fluent::{FluentArgs, fluent_args};

use super::key::AfterKey;
use super::{Markup, Texts};
use crate::approval::{ExpiredHow, OutcomeKind};
use crate::card::CardView;
use crate::id::ShortCode;
use crate::notice::{Ran, Told};
use crate::policy::Level;
use crate::time::Timestamp;

impl Texts {
    /// What came of a call. What the tool returned is no part of the sentence, because it can have many lines: a surface
    /// sets it apart. What went wrong is.
    pub(super) fn ran_notice(
        &self,
        (code, tool): (&ShortCode, &str),
        ran: &Ran,
        markup: &Markup<'_>,
    ) -> String {
        let mut args = FluentArgs::new();
        args.set("code", code.as_str());
        args.set("tool", markup.raw(tool));
        let key = match ran.outcome {
            OutcomeKind::Succeeded => AfterKey::AfterSucceeded,
            OutcomeKind::Failed => AfterKey::AfterFailed,
            OutcomeKind::Unknown => AfterKey::AfterUnknown,
        };
        let mut said = self.say(key.id(), Some(&args));
        if let (Some(duration), OutcomeKind::Succeeded | OutcomeKind::Failed) = (ran.duration_ms, ran.outcome)
        {
            let args = fluent_args!["said" => said, "span" => self.duration(duration)];
            said = self.say(AfterKey::AfterTook.id(), Some(&args));
        }
        for (holds, key) in [(ran.late, AfterKey::AfterLate), (ran.settled, AfterKey::AfterSettled)] {
            if holds {
                said = self.say(key.id(), Some(&fluent_args!["said" => said]));
            }
        }
        if let (OutcomeKind::Failed, Some(error)) = (ran.outcome, &ran.words) {
            let args = fluent_args!["said" => said, "error" => markup.raw(error.as_str())];
            said = self.say(AfterKey::AfterError.id(), Some(&args));
        }
        said
    }

    /// What who is asked is told besides the card; a surface that can name its place does so behind it.
    pub(super) fn asked_directly(
        &self,
        (code, tool, level): (&ShortCode, &str, Level),
        (stands_somewhere, until): (bool, Timestamp),
        markup: &Markup<'_>,
    ) -> String {
        let args = fluent_args![
            "code" => code.as_str(),
            "tool" => markup.raw(tool),
            "level" => self.level(level),
            "until" => (markup.time)(until),
        ];
        let said = self.say(AfterKey::AskedDirectly.id(), Some(&args));
        if stands_somewhere {
            self.say(AfterKey::AskedDirectlyWhere.id(), Some(&fluent_args!["said" => said]))
        } else {
            said
        }
    }

    /// On the card of a confidential call: who can read it.
    #[must_use]
    pub fn confidential(&self, view: &CardView, markup: &Markup<'_>) -> String {
        let readers = fluent_args!["roles" => self.roles(&view.readers, markup)];
        self.say(AfterKey::Confidential.id(), Some(&readers))
    }

    /// What who asked is told.
    pub(super) fn told(&self, (code, tool): (&ShortCode, &str), what: &Told, markup: &Markup<'_>) -> String {
        let mut args = FluentArgs::new();
        args.set("code", code.as_str());
        args.set("tool", markup.raw(tool));
        let (key, reason) = match what {
            Told::Approved { by } if by.is_empty() => (AfterKey::ToldSilence, None),
            Told::Approved { by } => {
                args.set("who", self.names(by, markup));
                (AfterKey::ToldApproved, None)
            }
            Told::Denied { by, reason } => {
                args.set("who", self.names(by, markup));
                (AfterKey::ToldDenied, reason.as_deref())
            }
            Told::Expired { how } => {
                let key = match how {
                    ExpiredHow::Unanswered => AfterKey::ToldUnanswered,
                    ExpiredHow::Unasked => AfterKey::ToldUnasked,
                    ExpiredHow::Unused => AfterKey::ToldUnused,
                };
                (key, None)
            }
            Told::Revoked { by, reason } => {
                args.set("who", markup.raw(by));
                (AfterKey::ToldRevoked, reason.as_deref())
            }
            Told::Edited { by } => {
                args.set("who", markup.raw(by));
                (AfterKey::ToldEdited, None)
            }
            Told::Stricter => (AfterKey::ToldStricter, None),
            Told::Forgotten => (AfterKey::ToldForgotten, None),
        };
        let said = self.say(key.id(), Some(&args));
        match reason.filter(|reason| !reason.trim().is_empty()) {
            Some(reason) => {
                let args = fluent_args!["said" => said, "reason" => markup.raw(reason)];
                self.say(AfterKey::ToldDeniedWhy.id(), Some(&args))
            }
            None => said,
        }
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::card::visible;
    use crate::id::RequestId;
    use crate::notice::Notice;

    fn said(notice: &Notice) -> String {
        Texts::english().notice(notice, &[], &Markup::PLAIN)
    }

    fn code() -> ShortCode {
        "7Q4K-2M".parse().unwrap()
    }

    /// R8, R21, R29: what came of a call, in words; a result stands beneath the sentence, an error in it.
    #[test]
    fn what_came_of_a_call_reads_well() {
        let base =
            |outcome| Ran { outcome, duration_ms: Some(161), late: false, settled: false, words: None };
        let failed = Ran { words: Some(visible("no such\nfile")), ..base(OutcomeKind::Failed) };
        let all = [
            base(OutcomeKind::Succeeded),
            Ran { late: true, duration_ms: None, ..base(OutcomeKind::Succeeded) },
            failed.clone(),
            Ran { settled: true, words: None, ..failed },
            base(OutcomeKind::Unknown),
        ];
        let lines = all.into_iter().map(|ran| {
            let request = RequestId::from_bytes([1; 16]);
            said(&Notice::Ran { request, code: code(), tool: "delete_file".to_owned(), ran })
        });
        assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
        ✅ Request 7Q4K-2M (delete_file) ran, ok. It took 0.2 s.
        ✅ Request 7Q4K-2M (delete_file) ran, ok. The executor said so after it had been given up.
        ⚠️ Request 7Q4K-2M (delete_file) ran and failed. It took 0.2 s. Error: no such⏎file
        ⚠️ Request 7Q4K-2M (delete_file) ran and failed. It took 0.2 s. Settled by hand.
        ⚠️ Request 7Q4K-2M (delete_file) was started, and nobody knows how it ended. It is not tried again: find out, and settle it.
        ");
    }

    /// R8: who asked reads what became of it, by whom and why.
    #[test]
    fn who_asked_reads_what_became_of_it() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let reason = || Some("wrong file".to_owned());
        let all = [
            Told::Approved { by: names(&["Bo", "Chen"]) },
            Told::Approved { by: Vec::new() },
            Told::Denied { by: names(&["Bo"]), reason: reason() },
            Told::Denied { by: names(&["Bo"]), reason: None },
            Told::Expired { how: ExpiredHow::Unanswered },
            Told::Expired { how: ExpiredHow::Unasked },
            Told::Expired { how: ExpiredHow::Unused },
            Told::Revoked { by: "Sam".to_owned(), reason: reason() },
            Told::Edited { by: "Bo".to_owned() },
            Told::Stricter,
            Told::Forgotten,
        ];
        let lines = all.into_iter().map(|what| {
            let request = RequestId::from_bytes([1; 16]);
            said(&Notice::Told { request, code: code(), tool: "delete_file".to_owned(), what })
        });
        assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
        ✅ Your request 7Q4K-2M (delete_file) was approved by Bo and Chen.
        ✅ Your request 7Q4K-2M (delete_file) was approved: nobody decided in time, and the policy takes that for a yes.
        ⛔ Your request 7Q4K-2M (delete_file) was denied by Bo. Reason: wrong file
        ⛔ Your request 7Q4K-2M (delete_file) was denied by Bo.
        ⌛ Your request 7Q4K-2M (delete_file) expired: nobody answered. It did not run.
        ⚠️ Your request 7Q4K-2M (delete_file) expired: nobody could be reached, and nobody said no. It did not run.
        ⌛ Your request 7Q4K-2M (delete_file) expired: it was approved, but not started in time.
        🚫 Your request 7Q4K-2M (delete_file) was revoked by Sam. It does not run. Reason: wrong file
        ✏️ Your request 7Q4K-2M (delete_file) was replaced by Bo, who changed its arguments. The new one is asked about.
        🚫 Your request 7Q4K-2M (delete_file) does not run: the policy became stricter.
        🚫 Your request 7Q4K-2M (delete_file) does not run: the remembered yes that it rested on was taken back.
        ");
    }
}
