//! What happened to a request, an event at a time.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::approval::{Actor, ApprovedBy, Decision, ExpiredHow, RevokedWhy};
use crate::person::Identity;
use crate::record::{Event, EventKind};

keys! {
    /// A text about one event.
    pub(super) enum HappenedKey {
        Proposed = "happened-proposed",
        Checked = "happened-checked",
        Requested = "happened-requested",
        Yes = "happened-yes",
        No = "happened-no",
        Noted = "happened-noted",
        TakenBack = "happened-taken-back",
        Lapsed = "happened-lapsed",
        Refused = "happened-refused",
        Approved = "happened-approved",
        ApprovedBy = "happened-approved-by",
        ApprovedUnasked = "happened-approved-unasked",
        Denied = "happened-denied",
        DeniedBy = "happened-denied-by",
        Expired = "happened-expired",
        Revoked = "happened-revoked",
        Superseded = "happened-superseded",
        Withdrawn = "happened-withdrawn",
        Rejudged = "happened-rejudged",
        Escalated = "happened-escalated",
        Reminded = "happened-reminded",
        Remembered = "happened-remembered",
        AskedAnew = "happened-asked-anew",
        Reviewed = "happened-reviewed",
        Question = "happened-question",
        Answer = "happened-answer",
        Claimed = "happened-claimed",
        Stop = "happened-stop",
        Executed = "happened-executed",
        Settled = "happened-settled",
        Delivered = "happened-delivered",
        Undeliverable = "happened-undeliverable",
        Alarm = "happened-alarm",
        ByPolicy = "happened-by-policy",
        BySilence = "happened-by-silence",
        ByRemembered = "happened-by-remembered",
    }
}

/// How names are found and words are made fit to be seen.
pub struct Witness<'a> {
    /// What an account is called.
    pub name: &'a (dyn Fn(&Identity) -> String + Sync),
    /// Hides secrets.
    pub hide: &'a (dyn Fn(&str) -> String + Sync),
}

impl std::fmt::Debug for Witness<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Witness")
    }
}

impl Texts {
    /// What an event tells people; none for what is only Placet's own bookkeeping.
    #[must_use]
    pub fn happened(&self, event: &Event, witness: &Witness<'_>, markup: &Markup<'_>) -> Option<String> {
        let plain = |key: HappenedKey| self.say(key.id(), None);
        let by = |key: HappenedKey, who: String| self.say(key.id(), Some(&fluent_args!["who" => who]));
        let account = |identity: &Identity| markup.raw(&(witness.name)(identity));
        let actor = |actor: &Actor| match actor {
            Actor::Account(identity) => account(identity),
            Actor::Agent(id) | Actor::Executor(id) | Actor::Manager(id) => markup.raw(id.as_str()),
            Actor::Placet => "Placet".to_owned(),
        };
        let noted = |line: String, note: Option<&str>| match note.filter(|note| !note.trim().is_empty()) {
            Some(note) => {
                let note = markup.raw(&(witness.hide)(note));
                self.say(HappenedKey::Noted.id(), Some(&fluent_args!["line" => line, "note" => note]))
            }
            None => line,
        };
        Some(match &event.kind {
            EventKind::Proposed { proposal, .. } => {
                by(HappenedKey::Proposed, markup.raw(&(witness.hide)(&proposal.requester.shown_as)))
            }
            EventKind::Checked { verdict, .. } => {
                let args =
                    fluent_args!["tier" => verdict.tier.to_string(), "level" => self.level(verdict.level)];
                self.say(HappenedKey::Checked.id(), Some(&args))
            }
            EventKind::Requested { until, .. } => {
                let args = fluent_args!["until" => (markup.time)(*until)];
                self.say(HappenedKey::Requested.id(), Some(&args))
            }
            EventKind::Voted { vote } => {
                let yes = vote.decision == Decision::Approve;
                let key = if yes { HappenedKey::Yes } else { HappenedKey::No };
                noted(by(key, markup.raw(&vote.name)), vote.note.as_deref())
            }
            EventKind::TakenBack { identity } => by(HappenedKey::TakenBack, account(identity)),
            EventKind::Lapsed { identity } => by(HappenedKey::Lapsed, account(identity)),
            EventKind::Refused { by: who, command, refusal } => {
                self.was_refused(actor(who), command, refusal.code(), markup)
            }
            EventKind::BypassBlocked { by: who, command, refusal, .. } => {
                let code = refusal.as_ref().map_or("blocked", |refusal| refusal.code());
                self.was_refused(actor(who), command, code, markup)
            }
            EventKind::Decided { decision, approved_by, people, reason, .. } => {
                noted(self.was_decided(*decision, approved_by.as_ref(), people, markup), reason.as_deref())
            }
            EventKind::Expired { how } => {
                let how = match how {
                    ExpiredHow::Unanswered => "unanswered",
                    ExpiredHow::Unasked => "unasked",
                    ExpiredHow::Unused => "unused",
                };
                self.say(HappenedKey::Expired.id(), Some(&fluent_args!["how" => how]))
            }
            EventKind::Revoked { why, by: who, name, reason } => {
                let said = match why {
                    RevokedWhy::Withdrawn => plain(HappenedKey::Withdrawn),
                    RevokedWhy::Superseded { .. } => plain(HappenedKey::Superseded),
                    RevokedWhy::Rejudged { .. } => plain(HappenedKey::Rejudged),
                    RevokedWhy::Revoked | RevokedWhy::Forgotten { .. } => {
                        let who = name.as_deref().map_or_else(|| actor(who), |name| markup.raw(name));
                        by(HappenedKey::Revoked, who)
                    }
                };
                noted(said, reason.as_deref())
            }
            EventKind::Escalated { .. } => plain(HappenedKey::Escalated),
            EventKind::Reminded { .. } => plain(HappenedKey::Reminded),
            EventKind::Remembered { remembered } => {
                let args = fluent_args!["until" => (markup.time)(remembered.until)];
                self.say(HappenedKey::Remembered.id(), Some(&args))
            }
            EventKind::AskedAnew { name, .. } => by(HappenedKey::AskedAnew, markup.raw(name)),
            EventKind::Reviewed { name, note, .. } => {
                noted(by(HappenedKey::Reviewed, markup.raw(name)), note.as_deref())
            }
            EventKind::Asked { by: who, text, .. } => {
                noted(by(HappenedKey::Question, account(who)), Some(text))
            }
            EventKind::Answered { by: who, text, .. } => {
                noted(by(HappenedKey::Answer, actor(who)), Some(text))
            }
            EventKind::Claimed { claim } => by(HappenedKey::Claimed, actor(&claim.executor)),
            EventKind::StopRequested { by: who, reason } => {
                noted(by(HappenedKey::Stop, actor(who)), reason.as_deref())
            }
            EventKind::Executed { outcome, .. } => {
                let args = fluent_args!["outcome" => self.outcome(outcome.kind)];
                noted(self.say(HappenedKey::Executed.id(), Some(&args)), outcome.error.as_deref())
            }
            EventKind::Settled { by: who, outcome, reason, name } => {
                let who = name.as_deref().map_or_else(|| actor(who), |name| markup.raw(name));
                let args = fluent_args!["who" => who, "outcome" => self.outcome(outcome.kind)];
                noted(self.say(HappenedKey::Settled.id(), Some(&args)), Some(reason))
            }
            EventKind::CardDelivered { surface } => {
                let args = fluent_args!["surface" => markup.raw(surface.as_str())];
                self.say(HappenedKey::Delivered.id(), Some(&args))
            }
            EventKind::CardUndeliverable { surface, why } => {
                let args = fluent_args!["surface" => markup.raw(surface.as_str())];
                noted(self.say(HappenedKey::Undeliverable.id(), Some(&args)), Some(why))
            }
            EventKind::MessageUndelivered { lost } => noted(self.not_told(lost, markup), Some(&lost.why)),
            EventKind::AlarmRaised { alarm } => {
                self.say(HappenedKey::Alarm.id(), Some(&fluent_args!["alarm" => alarm.name()]))
            }
            _ => return None,
        })
    }

    fn was_refused(&self, who: String, command: &str, code: &str, markup: &Markup<'_>) -> String {
        let args = fluent_args!["who" => who, "command" => markup.raw(command), "code" => code];
        self.say(HappenedKey::Refused.id(), Some(&args))
    }

    fn was_decided(
        &self,
        decision: Decision,
        approved_by: Option<&ApprovedBy>,
        people: &[String],
        markup: &Markup<'_>,
    ) -> String {
        let how = match approved_by {
            Some(ApprovedBy::Policy) => Some(HappenedKey::ByPolicy),
            Some(ApprovedBy::Timeout) => Some(HappenedKey::BySilence),
            Some(ApprovedBy::Remembered { .. }) => Some(HappenedKey::ByRemembered),
            Some(ApprovedBy::Votes | ApprovedBy::BreakGlass { .. }) | None => None,
        };
        if let Some(how) = how {
            let args = fluent_args!["how" => self.say(how.id(), None)];
            return self.say(HappenedKey::ApprovedUnasked.id(), Some(&args));
        }
        let (by, bare) = match decision {
            Decision::Approve => (HappenedKey::ApprovedBy, HappenedKey::Approved),
            Decision::Deny => (HappenedKey::DeniedBy, HappenedKey::Denied),
        };
        if people.is_empty() {
            return self.say(bare.id(), None);
        }
        self.say(by.id(), Some(&fluent_args!["who" => self.names(people, markup)]))
    }
}
