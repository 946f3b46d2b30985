//! Reads the keys of a level or a rule, each for itself; what they are worth together is looked at in `check`.

use super::super::diagnostic::Report;
use super::super::levels::{places, role};
use super::super::reader::{At, Table, Value, list, string};
use super::super::verdict::{EscalationStep, Group, Place, Stage, Tier};
use super::{Asks, GROUP_KEYS, KEYS, REASON_KEYS, Reasons, STEP_KEYS, Settings};
use crate::approval::Assurance;
use crate::id::{Role, SurfaceName};
use crate::time::Ttl;

const TIERS: [(&str, Tier); 4] =
    [("auto", Tier::Auto), ("suggest", Tier::Suggest), ("approve", Tier::Approve), ("forbid", Tier::Forbid)];

/// In rising order, by the words of the record.
const ASSURANCES: [(&str, Assurance); 4] = [
    (Assurance::ServerAsserted.name(), Assurance::ServerAsserted),
    (Assurance::Signed.name(), Assurance::Signed),
    (Assurance::E2eeTofu.name(), Assurance::E2eeTofu),
    (Assurance::E2eePinned.name(), Assurance::E2eePinned),
];

/// The most people of one role that a stage can ask for: more than that is a mistake, not a quorum.
pub(in super::super) const COUNT_MAX: u32 = 64;
/// The most stages, and the most groups in one: a card must show them all.
const STAGES_MAX: usize = 8;
/// The longest span of time in a policy: nobody remembers a question for longer.
pub(in super::super) const SPAN_MAX: Ttl = Ttl::from_mins(60 * 24 * 90);
/// The longest time that a yes may be remembered for: what was true a week ago must be looked at again.
const REMEMBER_MAX: Ttl = Ttl::from_mins(60 * 24 * 7);
/// The longest time that a card waits for others.
const GATHER_MAX: Ttl = Ttl::from_mins(60 * 24);
/// The most steps of an escalation, and the most reminders: more would be noise.
const STEPS_MAX: usize = 8;
/// The most roles that one step of an escalation asks.
const STEP_ROLES_MAX: usize = 8;

/// What stands in `remember` and `gather` to take out what is underneath.
pub(in super::super) const NEVER: &str = "never";

impl Settings {
    /// Reads every key of [`KEYS`] out of a table, which may hold others.
    pub(in super::super) fn read(table: &mut Table<'_>, report: &mut Report<'_>) -> Self {
        let mut read = Self {
            tier: table.word("tier", &TIERS, report),
            fixed: table.boolean("fixed", report),
            decide_within: table.ttl("decide_within", SPAN_MAX, report),
            valid_for: table.ttl("valid_for", SPAN_MAX, report),
            alarm_after: table.ttl("alarm_after", SPAN_MAX, report),
            requester_may_approve: table.boolean("requester_may_approve", report),
            denials_to_reject: table.count("denials_to_reject", COUNT_MAX, report),
            partial_view_may_approve: table.boolean("partial_view_may_approve", report),
            approve_on_timeout: table.boolean("approve_on_timeout", report),
            assurance: table.word("assurance", &ASSURANCES, report),
            assurance_for_no: table.word("assurance_for_no", &ASSURANCES, report),
            may_edit: table.boolean("may_edit", report),
            confidential: table.boolean("confidential", report),
            tell_directly: table.boolean("tell_directly", report),
            remember: span_or_never(table, "remember", REMEMBER_MAX, report),
            gather: span_or_never(table, "gather", GATHER_MAX, report),
            reason_required: reasons(table, report),
            remind_after: reminders(table, report),
            places: somewhere(table, report),
            ..Self::default()
        };
        read.asks(table, report);
        read.escalation(table, report);
        read.set = KEYS.iter().filter_map(|(key, _)| table.key_span(key).map(|span| (*key, span))).collect();
        read
    }

    fn asks(&mut self, table: &mut Table<'_>, report: &mut Report<'_>) {
        let listed = table.list("stages", report);
        let named = table.string("role", report).and_then(|text| role(text, report));
        let count = table.count("count", COUNT_MAX, report);
        let short_span = table.key_span("role").or_else(|| table.key_span("count"));
        let Some(listed) = listed else {
            if let Some(span) = short_span
                && (named.is_some() || count.is_some())
            {
                let short = Asks::Short {
                    role: named.as_ref().map(|at| at.value.clone()),
                    count: count.map_or(1, |at| at.value),
                };
                self.roles.extend(named);
                self.asks = Some(At::new(short, span));
            }
            return;
        };
        if let Some(span) = short_span {
            let message = "`role` and `count` stand beside `stages`: only one of the two ways can hold";
            report.error(span, message, "put the role into `stages`, or take `stages` out");
        }
        if listed.value.is_empty() || listed.value.len() > STAGES_MAX {
            let message = format!("`stages` must hold 1 to {STAGES_MAX} stages");
            let help = "an empty list would ask nobody; `tier` says whether people are asked";
            return report.error(listed.span, message, help);
        }
        let stages: Vec<Stage> = listed.value.iter().filter_map(|stage| self.stage(stage, report)).collect();
        if !stages.is_empty() {
            self.asks = Some(At::new(Asks::Stages(stages), listed.span));
        }
    }

    fn stage(&mut self, stage: &Value<'_>, report: &mut Report<'_>) -> Option<Stage> {
        let groups = list(stage, "a stage", report)?;
        if groups.value.is_empty() || groups.value.len() > STAGES_MAX {
            let message = format!("a stage must hold 1 to {STAGES_MAX} groups");
            report.error(groups.span, message, "such as [{ role = \"admin\", count = 2 }]");
            return None;
        }
        let mut read = Vec::new();
        for group in groups.value {
            let Some(mut table) = Table::of(group, report, "a group") else { continue };
            let span = table.span();
            let named = table.string("role", report);
            let missing = table.key_span("role").is_none();
            let count = table.count("count", COUNT_MAX, report).map_or(1, |count| count.value);
            table.finish(&[GROUP_KEYS], "a group of a stage", report);
            if missing {
                report.error(span, "a group needs a `role`", "such as { role = \"admin\", count = 2 }");
            }
            if let Some(role) = named.and_then(|text| role(text, report)) {
                read.push(Group { role: role.value.clone(), count });
                self.roles.push(role);
            }
        }
        (!read.is_empty()).then_some(Stage { groups: read })
    }

    fn escalation(&mut self, table: &mut Table<'_>, report: &mut Report<'_>) {
        let Some(listed) = table.list("escalation", report) else { return };
        if listed.value.len() > STEPS_MAX {
            report.error(listed.span, format!("`escalation` holds at most {STEPS_MAX} steps"), "");
            return;
        }
        let mut steps = Vec::new();
        for item in listed.value {
            let Some(mut step) = Table::of(item, report, "a step of an escalation") else { continue };
            let span = step.span();
            let after = step.ttl("after", SPAN_MAX, report);
            let to = step.strings("to", report);
            let places = somewhere(&mut step, report);
            let has_after = step.key_span("after").is_some();
            step.finish(&[STEP_KEYS], "a step of an escalation", report);
            if !has_after {
                let help = "such as { after = \"10m\", to = [\"admin\"] }";
                report.error(span.clone(), "a step of an escalation needs `after`", help);
            }
            let roles: Vec<At<Role>> = to
                .map_or_else(Vec::new, |to| to.value)
                .into_iter()
                .filter_map(|text| role(text, report))
                .collect();
            if roles.len() > STEP_ROLES_MAX {
                report.error(span.clone(), format!("a step asks at most {STEP_ROLES_MAX} roles"), "");
            }
            let places = places.map_or_else(Vec::new, |places| places.value);
            if roles.is_empty() && places.is_empty() {
                let message = "a step of an escalation asks nobody: it needs `to`, or a place";
                report.error(span.clone(), message, "such as { after = \"10m\", to = [\"admin\"] }");
            }
            if let Some(after) = after {
                let to = roles.iter().map(|at| at.value.clone()).collect();
                steps.push(At::new(EscalationStep { after: after.value, to, places }, after.span));
            }
            self.roles.extend(roles);
        }
        self.escalation = Some(At::new(steps, listed.span));
    }
}

fn reasons(table: &mut Table<'_>, report: &mut Report<'_>) -> Option<At<Reasons>> {
    let mut reasons = table.table("reason_required", report)?;
    let span = reasons.span();
    let yes = reasons.boolean("yes", report).map(|at| at.value);
    let no = reasons.boolean("no", report).map(|at| at.value);
    reasons.finish(&[REASON_KEYS], "`reason_required`", report);
    Some(At::new(Reasons { yes, no }, span))
}

fn reminders(table: &mut Table<'_>, report: &mut Report<'_>) -> Option<At<Vec<At<Ttl>>>> {
    let listed = table.list("remind_after", report)?;
    if listed.value.len() > STEPS_MAX {
        report.error(listed.span, format!("`remind_after` holds at most {STEPS_MAX} reminders"), "");
        return None;
    }
    let each = listed.value.iter().filter_map(|item| {
        let text = string(item, "remind_after", report)?;
        Table::span_of(text, "remind_after", SPAN_MAX, report)
    });
    Some(At::new(each.collect(), listed.span))
}

/// A span of time, or `"never"`.
fn span_or_never(
    table: &mut Table<'_>,
    key: &'static str,
    max: Ttl,
    report: &mut Report<'_>,
) -> Option<At<Option<Ttl>>> {
    let text = table.string(key, report)?;
    if text.value == NEVER {
        return Some(At::new(None, text.span));
    }
    Table::span_of(text, key, max, report).map(|at| at.map(Some))
}

/// `places`, or `channel` for one of them.
pub(in super::super) fn somewhere(table: &mut Table<'_>, report: &mut Report<'_>) -> Option<At<Vec<Place>>> {
    let span = table.key_span("places");
    let listed = places(table, report);
    let Some(channel) = table.string("channel", report) else {
        return listed.zip(span).map(|(places, span)| At::new(places, span));
    };
    if span.is_some() {
        let message = "`channel` stands beside `places`: only one of the two ways can hold";
        report.error(channel.span, message, "put the channel into `places`, or take `places` out");
        return None;
    }
    let place = channel.value.split_once('/').and_then(|(surface, channel)| {
        let surface = SurfaceName::new(surface).ok()?;
        (!channel.is_empty()).then(|| Place { surface, channel: channel.to_owned(), thread: None })
    });
    if place.is_none() {
        let message = format!("`channel` is a surface and a channel of it; this is `{}`", channel.value);
        report.error(channel.span.clone(), message, "such as \"slack/C024BE91L\"");
    }
    if let Some(place) = &place {
        let surface = At::new(place.surface.clone(), channel.span.clone());
        report.note_place(&surface, &At::new(place.channel.clone(), channel.span.clone()));
    }
    place.map(|place| At::new(vec![place], channel.span))
}
