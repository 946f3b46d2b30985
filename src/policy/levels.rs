//! `[levels.*]`: what happens with a call of a level, and what its approval takes.

use super::diagnostic::{Report, Span, nearest};
use super::reader::{At, Table, list};
use super::verdict::{Group, Level, Place, Stage, Terms, Tier};
use crate::id::{Role, SurfaceName};
use crate::time::Ttl;

/// The four levels, mildest first.
pub(super) const LEVELS: [(&str, Level); 4] =
    [("low", Level::Low), ("medium", Level::Medium), ("high", Level::High), ("critical", Level::Critical)];

const TIERS: [(&str, Tier); 4] =
    [("auto", Tier::Auto), ("suggest", Tier::Suggest), ("approve", Tier::Approve), ("forbid", Tier::Forbid)];

/// The most people of one role that a stage can ask for: more than that is a mistake, not a quorum.
const COUNT_MAX: u32 = 64;
/// The most stages, and the most groups in one: a card must show them all.
const STAGES_MAX: usize = 8;
/// The longest span of time in a policy: nobody remembers a question for longer.
const SPAN_MAX: Ttl = Ttl::from_mins(60 * 24 * 90);

/// How long people have, unless the level says otherwise.
const DECIDE_WITHIN: Ttl = Ttl::from_mins(30);
/// How long a yes waits to be used, unless the level says otherwise.
const VALID_FOR: Ttl = Ttl::from_mins(10);

/// Keys that mean something only where people are asked.
const APPROVAL_KEYS: [&str; 12] = [
    "stages",
    "role",
    "count",
    "decide_within",
    "valid_for",
    "alarm_after",
    "requester_may_approve",
    "reason_required",
    "denials_to_reject",
    "partial_view_may_approve",
    "approve_on_timeout",
    "places",
];

/// One level as it was read.
#[derive(Debug)]
pub(super) struct LevelRead {
    pub(super) level: Level,
    pub(super) tier: Tier,
    pub(super) terms: Terms,
    /// Where the tier is set; none where it is the default.
    pub(super) tier_span: Option<Span>,
    /// Where the stages are set; none where they are the default.
    pub(super) stages_span: Option<Span>,
    /// Every group, with where its role is named.
    pub(super) roles: Vec<At<Role>>,
}

/// What holds for every level, unless the level says otherwise.
pub(super) struct Defaults<'a> {
    /// The role that decides.
    pub(super) role: &'a Role,
    /// Where cards go.
    pub(super) places: &'a [Place],
    /// Whether who asks may approve, everywhere.
    pub(super) solo: bool,
}

impl LevelRead {
    /// A level that the file does not mention.
    pub(super) fn default(level: Level, defaults: &Defaults<'_>) -> Self {
        let tier = match level {
            Level::Low => Tier::Auto,
            Level::Medium => Tier::Suggest,
            Level::High | Level::Critical => Tier::Approve,
        };
        let terms = Terms {
            stages: vec![Stage { groups: vec![Group { role: defaults.role.clone(), count: 1 }] }],
            decide_within: DECIDE_WITHIN,
            valid_for: VALID_FOR,
            alarm_after: half(DECIDE_WITHIN),
            requester_may_approve: defaults.solo,
            reason_for_yes: false,
            reason_for_no: false,
            denials_to_reject: 1,
            partial_view_may_approve: false,
            approve_on_timeout: false,
            places: defaults.places.to_vec(),
            ..Terms::one_of(defaults.role.clone())
        };
        Self { level, tier, terms, tier_span: None, stages_span: None, roles: Vec::new() }
    }

    /// A level as the file has it.
    pub(super) fn read(
        level: Level,
        mut table: Table<'_>,
        defaults: &Defaults<'_>,
        report: &mut Report<'_>,
    ) -> Self {
        let mut read = Self::default(level, defaults);
        if let Some(tier) = table.word("tier", &TIERS, report) {
            read.tier = tier.value;
            read.tier_span = Some(tier.span);
        }
        read.stages(&mut table, report);
        read.spans(&mut table, report);
        read.votes(&mut table, defaults, report);
        if let Some(places) = places(&mut table, report) {
            read.terms.places = places;
        }
        if read.tier != Tier::Approve {
            for key in APPROVAL_KEYS {
                if let Some(span) = table.key_span(key) {
                    let message = format!("`{key}` means nothing here: level {level} has tier {}", read.tier);
                    report.error(span, message, "it belongs to tier \"approve\"; set that, or take this out");
                }
            }
        }
        table.finish(&format!("[levels.{level}]"), report);
        read
    }

    fn stages(&mut self, table: &mut Table<'_>, report: &mut Report<'_>) {
        let listed = table.list("stages", report);
        let role = table.string("role", report).and_then(|text| role(text, report));
        let count = table.count("count", COUNT_MAX, report);
        let role_span = table.key_span("role").or_else(|| table.key_span("count"));
        if let Some(listed) = listed {
            if let Some(span) = role_span {
                let message = "`role` and `count` stand beside `stages`: only one of the two ways can hold";
                report.error(span, message, "put the role into `stages`, or take `stages` out");
            }
            self.stages_span = Some(listed.span.clone());
            if listed.value.is_empty() || listed.value.len() > STAGES_MAX {
                let message = format!("`stages` must hold 1 to {STAGES_MAX} stages");
                report.error(
                    listed.span,
                    message,
                    "an empty list would ask nobody; `tier` says whether people are asked",
                );
                return;
            }
            let stages: Vec<Stage> =
                listed.value.iter().filter_map(|stage| self.stage(stage, report)).collect();
            if !stages.is_empty() {
                self.terms.stages = stages;
            }
        } else if role.is_some() || count.is_some() {
            self.stages_span = role_span;
            let default = self.terms.stages[0].groups[0].role.clone();
            let group = Group {
                role: role.as_ref().map_or(default, |role| role.value.clone()),
                count: count.map_or(1, |count| count.value),
            };
            self.roles.extend(role);
            self.terms.stages = vec![Stage { groups: vec![group] }];
        }
    }

    fn stage(&mut self, stage: &super::reader::Value<'_>, report: &mut Report<'_>) -> Option<Stage> {
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
            table.finish("a group of a stage", report);
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

    fn spans(&mut self, table: &mut Table<'_>, report: &mut Report<'_>) {
        if let Some(span) = table.ttl("decide_within", SPAN_MAX, report) {
            self.terms.decide_within = span.value;
            self.terms.alarm_after = half(span.value);
        }
        if let Some(span) = table.ttl("valid_for", SPAN_MAX, report) {
            self.terms.valid_for = span.value;
        }
        if let Some(alarm) = table.ttl("alarm_after", SPAN_MAX, report) {
            if alarm.value >= self.terms.decide_within {
                let message = format!("the alarm would never ring: the time to decide is over after {}", {
                    self.terms.decide_within
                });
                report.error(alarm.span, message, "`alarm_after` must be shorter than `decide_within`");
            } else {
                self.terms.alarm_after = alarm.value;
            }
        }
    }

    fn votes(&mut self, table: &mut Table<'_>, defaults: &Defaults<'_>, report: &mut Report<'_>) {
        if let Some(may) = table.boolean("requester_may_approve", report) {
            if defaults.solo && !may.value {
                let message = "profile \"solo\" lets who asks approve everywhere; this says no";
                report.error(may.span, message, "take out one of the two");
            } else {
                self.terms.requester_may_approve = may.value;
            }
        }
        if let Some(mut reasons) = table.table("reason_required", report) {
            let yes = reasons.boolean("yes", report).is_some_and(|at| at.value);
            let no = reasons.boolean("no", report).is_some_and(|at| at.value);
            (self.terms.reason_for_yes, self.terms.reason_for_no) = (yes, no);
            reasons.finish("`reason_required`", report);
        }
        if let Some(denials) = table.count("denials_to_reject", COUNT_MAX, report) {
            self.terms.denials_to_reject = denials.value;
        }
        if let Some(partial) = table.boolean("partial_view_may_approve", report) {
            self.terms.partial_view_may_approve = partial.value;
        }
        if let Some(silence) = table.boolean("approve_on_timeout", report).filter(|silence| silence.value) {
            self.silence(silence.span, report);
        }
    }

    fn silence(&mut self, span: Span, report: &mut Report<'_>) {
        if self.level == Level::Low {
            self.terms.approve_on_timeout = true;
            let message = "silence counts as a yes: calls of level low run when nobody answers";
            report.warning(span, message, "take it out, unless that is what you want");
        } else {
            let message = format!("silence cannot count as a yes at level {}", self.level);
            report.error(span, message, "`approve_on_timeout` is for level low only");
        }
    }
}

/// `places`: where cards go.
pub(super) fn places(table: &mut Table<'_>, report: &mut Report<'_>) -> Option<Vec<Place>> {
    let listed = table.get("places")?;
    let mut places = Vec::new();
    for item in list(listed, "places", report)?.value {
        let Some(mut place) = Table::of(item, report, "a place") else { continue };
        let span = place.span();
        let surface = place.string("surface", report);
        let channel = place.string("channel", report);
        let missing = place.key_span("surface").is_none() || place.key_span("channel").is_none();
        place.finish("a place", report);
        if missing {
            let help = "such as { surface = \"slack\", channel = \"C024BE91L\" }";
            report.error(span, "a place needs a `surface` and a `channel`", help);
        }
        let (Some(surface), Some(channel)) = (surface, channel) else { continue };
        match SurfaceName::new(&surface.value) {
            Ok(surface) if !channel.value.is_empty() => {
                places.push(Place { surface, channel: channel.value, thread: None });
            }
            Ok(_) => report.error(channel.span, "the channel is empty", "the surface's own id of it"),
            Err(error) => report.error(surface.span, error.to_string(), ""),
        }
    }
    Some(places)
}

/// A role's name, or an error.
pub(super) fn role(text: At<String>, report: &mut Report<'_>) -> Option<At<Role>> {
    match Role::new(&text.value) {
        Ok(role) => Some(At::new(role, text.span)),
        Err(error) => {
            report.error(text.span, error.to_string(), "");
            None
        }
    }
}

/// Tiers must not fall as levels rise: else the worse call is let through more easily.
pub(super) fn tiers_rise(levels: &[LevelRead], report: &mut Report<'_>) {
    for pair in levels.windows(2) {
        let [milder, worse] = pair else { continue };
        if worse.tier < milder.tier
            && let Some(span) = worse.tier_span.clone().or_else(|| milder.tier_span.clone())
        {
            let message = format!(
                "level {} has tier {}, and the worse level {} only {}",
                milder.level, milder.tier, worse.level, worse.tier
            );
            report.error(span, message, "tiers rise with the levels: auto, suggest, approve, forbid");
        }
    }
}

const fn half(span: Ttl) -> Ttl {
    Ttl::from_millis(span.as_millis() / 2)
}

/// Roles in order of appearance, for suggestions.
pub(super) fn did_you_mean<'a>(role: &Role, known: impl IntoIterator<Item = &'a Role>) -> String {
    match nearest(role.as_str(), known.into_iter().map(Role::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "give it to somebody in [[people]], or name it in [roles] names".to_owned(),
    }
}
