//! Lists, spans of time, and the words for levels, roles and states.

use fluent::fluent_args;

use super::key::Key;
use super::{Label, Markup, Texts, Trouble};
use crate::approval::{OutcomeKind, Status};
use crate::id::Role;
use crate::policy::Level;
use crate::time::Ttl;

/// The most names in a sentence; of more, the number is told.
const NAMES_MAX: usize = 6;

/// Between parts of a line, on every surface and in every language.
pub(super) const DOT: &str = " · ";

impl Texts {
    /// A text that needs nothing inserted.
    #[must_use]
    pub fn label(&self, label: Label) -> String {
        self.say(label.id(), None)
    }

    /// A label with the mark that what follows is the agent's: `Task (in the agent’s words)`.
    #[must_use]
    pub fn label_of_the_agent(&self, label: Label) -> String {
        self.of_the_agent(&self.label(label))
    }

    /// A label, with the mark that what follows is the agent's.
    pub(super) fn of_the_agent(&self, label: &str) -> String {
        let args = fluent_args!["label" => label, "mark" => self.label(Label::AgentsWords)];
        self.say(Key::LabelOfTheAgent.id(), Some(&args))
    }

    /// What went wrong, to who wanted something.
    #[must_use]
    pub fn trouble(&self, trouble: Trouble) -> String {
        self.say(trouble.id(), None)
    }

    /// How bad a call is, in a word.
    #[must_use]
    pub fn level(&self, level: Level) -> String {
        let key = match level {
            Level::Low => Key::LevelLow,
            Level::Medium => Key::LevelMedium,
            Level::High => Key::LevelHigh,
            Level::Critical => Key::LevelCritical,
        };
        self.say(key.id(), None)
    }

    /// Where a request stands, as it fits into a sentence.
    #[must_use]
    pub fn status(&self, status: Status) -> String {
        let key = match status {
            Status::Proposed => Key::StatusProposed,
            Status::PolicyChecking => Key::StatusPolicyChecking,
            Status::WaitingApproval => Key::StatusWaitingApproval,
            Status::Approved => Key::StatusApproved,
            Status::Rejected => Key::StatusRejected,
            Status::Executing => Key::StatusExecuting,
            Status::Executed => Key::StatusExecuted,
            Status::Expired => Key::StatusExpired,
            Status::Revoked => Key::StatusRevoked,
        };
        self.say(key.id(), None)
    }

    /// How an execution ended, as it fits into a sentence.
    #[must_use]
    pub fn outcome(&self, outcome: OutcomeKind) -> String {
        let key = match outcome {
            OutcomeKind::Succeeded => Key::OutcomeSucceeded,
            OutcomeKind::Failed => Key::OutcomeFailed,
            OutcomeKind::Unknown => Key::OutcomeUnknown,
        };
        self.say(key.id(), None)
    }

    /// A span of time in its largest whole unit: `10 min`.
    #[must_use]
    pub fn span(&self, span: Ttl) -> String {
        const SECOND: u64 = 1000;
        const MINUTE: u64 = 60 * SECOND;
        const HOUR: u64 = 60 * MINUTE;
        const DAY: u64 = 24 * HOUR;
        let (key, count) = match span.as_millis() {
            ms if ms >= DAY && ms % DAY == 0 => (Key::SpanDays, ms / DAY),
            ms if ms >= HOUR && ms % HOUR == 0 => (Key::SpanHours, ms / HOUR),
            ms if ms >= MINUTE && ms % MINUTE == 0 => (Key::SpanMinutes, ms / MINUTE),
            ms => (Key::SpanSeconds, ms.div_ceil(SECOND)),
        };
        self.say(key.id(), Some(&fluent_args!["count" => count]))
    }

    /// How long something took: `0.2 s`, `12 s`, `3 min`.
    #[must_use]
    pub fn duration(&self, duration_ms: u64) -> String {
        match duration_ms {
            0..10_000 => {
                // Never 0.0: it did take time.
                let tenths = duration_ms.div_ceil(100).max(1);
                let seconds = format!("{}.{}", tenths / 10, tenths % 10);
                self.say(Key::SpanExactSeconds.id(), Some(&fluent_args!["seconds" => seconds]))
            }
            10_000..120_000 => self.span(Ttl::from_secs(duration_ms / 1000)),
            _ => self.span(Ttl::from_mins(duration_ms / 60_000)),
        }
    }

    /// Some of a role, after their number: `2 admins`.
    pub(super) fn role(&self, role: &Role, count: u32, markup: &Markup<'_>) -> String {
        let key = match role.as_str() {
            "viewer" => Key::RoleViewer,
            "operator" => Key::RoleOperator,
            "admin" => Key::RoleAdmin,
            "auditor" => Key::RoleAuditor,
            _ => Key::RoleOther,
        };
        self.say(key.id(), Some(&fluent_args!["count" => count, "role" => markup.raw(role.as_str())]))
    }

    /// Everybody of these roles: `admins and operators`.
    pub(super) fn roles(&self, roles: &[Role], markup: &Markup<'_>) -> String {
        let names = roles.iter().map(|role| {
            let key = match role.as_str() {
                "viewer" => Key::RolesViewer,
                "operator" => Key::RolesOperator,
                "admin" => Key::RolesAdmin,
                "auditor" => Key::RolesAuditor,
                _ => Key::RolesOther,
            };
            self.say(key.id(), Some(&fluent_args!["role" => markup.raw(role.as_str())]))
        });
        self.join(names.collect())
    }

    /// People's names, as a sentence lists them.
    pub(super) fn names(&self, names: &[String], markup: &Markup<'_>) -> String {
        let shown: Vec<String> = names.iter().take(NAMES_MAX).map(|name| markup.raw(name)).collect();
        let others = names.len() - shown.len();
        if others == 0 {
            return self.join(shown);
        }
        let before = shown.into_iter().reduce(|before, next| self.next(before, next)).unwrap_or_default();
        self.say(Key::ListOthers.id(), Some(&fluent_args!["before" => before, "count" => others]))
    }

    /// Texts, as a sentence lists them: `one, two and three`.
    pub(super) fn join(&self, mut texts: Vec<String>) -> String {
        let Some(last) = texts.pop() else { return String::new() };
        match texts.into_iter().reduce(|before, next| self.next(before, next)) {
            Some(before) => {
                self.say(Key::ListAnd.id(), Some(&fluent_args!["before" => before, "last" => last]))
            }
            None => last,
        }
    }

    pub(super) fn next(&self, before: String, next: String) -> String {
        self.say(Key::ListNext.id(), Some(&fluent_args!["before" => before, "next" => next]))
    }
}
