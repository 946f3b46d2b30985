//! What settings are worth together, and on top of what is underneath.

use super::super::diagnostic::{Report, Span};
use super::super::levels::LevelPolicy;
use super::super::verdict::{Level, Tier};
use super::{ALWAYS, Asks, Settings, may_be_silent, may_gather};
use crate::time::Ttl;

/// Whose settings are looked at.
pub(in super::super) struct Whose<'a> {
    /// As diagnostics call it: ``level high``, ``rule `deletes` ``.
    pub(in super::super) what: &'a str,
    /// The level that the calls have.
    pub(in super::super) level: Level,
    /// What is underneath.
    pub(in super::super) under: &'a LevelPolicy,
    /// Whether who asks may approve, everywhere.
    pub(in super::super) solo: bool,
}

impl Settings {
    /// Notes what cannot hold, each at the key that says it.
    pub(in super::super) fn check(&self, whose: &Whose<'_>, report: &mut Report<'_>) {
        self.something_to_ask(whose, report);
        self.who(whose, report);
        self.times(whose, report);
        self.not_at_this_level(whose, report);
    }

    /// What is about asking people stands where people are asked.
    fn something_to_ask(&self, whose: &Whose<'_>, report: &mut Report<'_>) {
        let tier = self.tier.as_ref().map_or(whose.under.tier, |at| at.value);
        if tier == Tier::Approve {
            return;
        }
        for (key, span) in self.set.iter().filter(|(key, _)| !ALWAYS.contains(key)) {
            let message = format!("`{key}` means nothing here: {} has tier {tier}", whose.what);
            let help = "it belongs to tier \"approve\"; set that, or take this out";
            report.error(span.clone(), message, help);
        }
    }

    fn who(&self, whose: &Whose<'_>, report: &mut Report<'_>) {
        let under = &whose.under.terms.stages;
        if let Some(asks) = &self.asks
            && matches!(asks.value, Asks::Short { role: None, .. })
            && under.iter().map(|stage| stage.groups.len()).sum::<usize>() > 1
        {
            let message = format!("`count` without `role`: level {} asks several groups", whose.level);
            report.error(asks.span.clone(), message, "name the `role`, or write `stages`");
        }
        if let Some(may) = self.requester_may_approve.as_ref().filter(|may| whose.solo && !may.value) {
            let message = "profile \"solo\" lets who asks approve everywhere; this says no";
            report.error(may.span.clone(), message, "take out one of the two");
        }
    }

    fn times(&self, whose: &Whose<'_>, report: &mut Report<'_>) {
        let terms = &whose.under.terms;
        let end = self.decide_within.as_ref().map_or(terms.decide_within, |at| at.value);
        if let Some(alarm) = self.alarm_after.as_ref().filter(|alarm| alarm.value >= end) {
            let message = format!("the alarm would never ring: the time to decide is over after {end}");
            report.error(alarm.span.clone(), message, "`alarm_after` must be shorter than `decide_within`");
        }
        if let Some(reminders) = &self.remind_after {
            let times = reminders.value.iter().map(|at| (at.value, &at.span));
            in_order(times, end, ("the reminder", "remind_after"), report);
        } else if let Some(decide) = &self.decide_within {
            inherited(
                terms.remind_after.last(),
                decide.value,
                &decide.span,
                ("reminder", "remind_after"),
                report,
            );
        }
        if let Some(steps) = &self.escalation {
            let times = steps.value.iter().map(|at| (at.value.after, &at.span));
            in_order(times, end, ("the step", "escalation"), report);
        } else if let Some(decide) = &self.decide_within {
            let last = terms.escalation.last().map(|step| &step.after);
            inherited(last, decide.value, &decide.span, ("step of the escalation", "escalation"), report);
        }
    }

    /// What only some levels may have.
    fn not_at_this_level(&self, whose: &Whose<'_>, report: &mut Report<'_>) {
        let level = whose.level;
        if let Some(silence) = self.approve_on_timeout.as_ref().filter(|silence| silence.value) {
            if may_be_silent(level) {
                let message =
                    format!("silence counts as a yes: calls of {} run when nobody answers", whose.what);
                report.warning(silence.span.clone(), message, "take it out, unless that is what you want");
            } else {
                let message = format!("silence cannot count as a yes at level {level}");
                report.error(silence.span.clone(), message, "`approve_on_timeout` is for level low only");
            }
        }
        let Some((gather, span)) =
            self.gather.as_ref().and_then(|at| at.value.map(|gather| (gather, at.span.clone())))
        else {
            return;
        };
        let end = self.decide_within.as_ref().map_or(whose.under.terms.decide_within, |at| at.value);
        if !may_gather(level) {
            let message = format!("cards of level {level} do not wait to be gathered");
            report.error(
                span,
                message,
                "`gather` is for levels low and medium: worse calls are shown at once",
            );
        } else if gather >= end {
            let message = format!("the card would never be posted: the time to decide is over after {end}");
            report.error(span, message, "`gather` must be shorter than `decide_within`");
        }
    }
}

/// Times that must rise and come before the end, each with where it stands.
fn in_order<'a>(
    times: impl Iterator<Item = (Ttl, &'a Span)>,
    end: Ttl,
    (what, key): (&str, &str),
    report: &mut Report<'_>,
) {
    let mut before: Option<Ttl> = None;
    for (after, span) in times {
        if after >= end {
            let message =
                format!("{what} after {after} would never come: the time to decide is over after {end}");
            report.error(span.clone(), message, format!("`{key}` must come before `decide_within` is over"));
        } else if before.is_some_and(|before| after <= before) {
            let message = format!("{what} after {after} does not come after the one before it");
            report.error(span.clone(), message, format!("`{key}` is in the order of time, soonest first"));
        }
        before = before.max(Some(after));
    }
}

/// What comes from underneath must come before the end that is set here.
fn inherited(last: Option<&Ttl>, end: Ttl, span: &Span, (what, key): (&str, &str), report: &mut Report<'_>) {
    if let Some(after) = last.filter(|after| **after >= end) {
        let message = format!(
            "the {what} after {after}, which the level sets, would never come: this ends after {end}"
        );
        report.error(span.clone(), message, format!("set `{key}` here as well"));
    }
}
