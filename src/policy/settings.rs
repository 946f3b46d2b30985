//! What a level sets, and what a rule sets of its own on top of its level: the same keys, read and checked by the same
//! code.
//!
//! Settings that were read say nothing by themselves: [`Settings::over`] puts them on what is underneath, which for a
//! level is the default of that level and for a rule the level.

mod check;
mod read;

pub(super) use check::Whose;
pub(super) use read::{COUNT_MAX, NEVER, somewhere};

use super::diagnostic::Span;
use super::levels::LevelPolicy;
use super::reader::{At, Keys};
use super::verdict::{EscalationStep, Group, Level, Place, Stage, Tier};
use crate::approval::Assurance;
use crate::id::Role;
use crate::time::Ttl;

/// Every key that a level can set, and a rule on top of its level.
pub(super) const KEYS: &Keys = &[
    ("tier", "what happens: auto, suggest, approve or forbid"),
    ("fixed", "whether no tenant's own file may loosen it"),
    ("stages", "who must say yes: stages in order, each with groups that are asked at once"),
    ("role", "the short form of one stage with one group: its role"),
    ("count", "the short form of one stage with one group: how many people"),
    ("decide_within", "how long people have to decide"),
    ("valid_for", "how long a yes is good for"),
    ("alarm_after", "after how long without a decision the operators are told"),
    ("remind_after", "after how long without a decision those who are asked are reminded"),
    ("escalation", "who may decide as well after how long, and where they are told"),
    ("requester_may_approve", "whether who asked may approve"),
    ("reason_required", "whether a yes and a no need a reason"),
    ("denials_to_reject", "how many people's no ends it"),
    ("partial_view_may_approve", "whether a yes counts from who did not see the whole call"),
    ("approve_on_timeout", "whether silence is a yes (level low only)"),
    ("assurance", "the least assurance that a yes needs"),
    ("assurance_for_no", "the least assurance that a no needs"),
    ("may_edit", "whether who may decide may change the arguments first"),
    ("confidential", "whether cards show the tool alone, and the arguments only to who decides"),
    ("tell_directly", "whether who is asked is told by a direct message as well"),
    ("remember", "the longest time that a yes may be remembered for"),
    ("gather", "how long a card waits to be gathered into one with others (levels low and medium only)"),
    ("places", "where the card goes"),
    ("channel", "the short form of one place: surface/channel"),
];

/// Those of [`KEYS`] that mean something where nobody is asked too.
const ALWAYS: [&str; 3] = ["tier", "fixed", "confidential"];

/// The keys of one group of a stage.
pub(super) const GROUP_KEYS: &Keys =
    &[("role", "whose people are asked"), ("count", "how many of them must say yes; left out: one")];

/// The keys of one step of an escalation.
pub(super) const STEP_KEYS: &Keys = &[
    ("after", "how long after the call was asked about"),
    ("to", "roles whose people may decide from then on as well"),
    ("places", "where they are told"),
    ("channel", "the short form of one place: surface/channel"),
];

/// The keys of `reason_required`.
pub(super) const REASON_KEYS: &Keys =
    &[("yes", "whether a yes needs a reason"), ("no", "whether a no needs a reason")];

/// What a level or a rule says of what it costs; none where it says nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) tier: Option<At<Tier>>,
    pub(super) fixed: Option<At<bool>>,
    /// Who is asked, with where it is said.
    pub(super) asks: Option<At<Asks>>,
    /// Every role that is named, with where: those of stages and of escalation steps.
    pub(super) roles: Vec<At<Role>>,
    decide_within: Option<At<Ttl>>,
    valid_for: Option<At<Ttl>>,
    alarm_after: Option<At<Ttl>>,
    remind_after: Option<At<Vec<At<Ttl>>>>,
    escalation: Option<At<Vec<At<EscalationStep>>>>,
    requester_may_approve: Option<At<bool>>,
    reason_required: Option<At<Reasons>>,
    denials_to_reject: Option<At<u32>>,
    partial_view_may_approve: Option<At<bool>>,
    approve_on_timeout: Option<At<bool>>,
    assurance: Option<At<Assurance>>,
    assurance_for_no: Option<At<Assurance>>,
    may_edit: Option<At<bool>>,
    confidential: Option<At<bool>>,
    tell_directly: Option<At<bool>>,
    remember: Option<At<Option<Ttl>>>,
    gather: Option<At<Option<Ttl>>>,
    places: Option<At<Vec<Place>>>,
    /// Which of [`KEYS`] are there, and where.
    set: Vec<(&'static str, Span)>,
}

/// Who is asked, in either way of writing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asks {
    /// `stages`.
    Stages(Vec<Stage>),
    /// `role` and `count`; what is left out is the role underneath, and one.
    Short { role: Option<Role>, count: u32 },
}

#[derive(Debug, Clone, Copy)]
struct Reasons {
    yes: Option<bool>,
    no: Option<bool>,
}

impl Settings {
    /// Where a key is set, if it is.
    pub(super) fn key_span(&self, name: &str) -> Option<Span> {
        self.set.iter().find(|(key, _)| *key == name).map(|(_, span)| span.clone())
    }

    /// Whether anything but this key is set.
    pub(super) fn sets_more_than(&self, name: &str) -> bool {
        self.set.iter().any(|(key, _)| *key != name)
    }

    /// These settings on top of what is underneath. What a level may not have is left away: silence is never a yes and
    /// no card is gathered above the levels that are meant for it, also where a call is lifted to one.
    pub(super) fn over(&self, level: Level, under: &LevelPolicy) -> LevelPolicy {
        let mut over = under.clone();
        put(&self.tier, &mut over.tier);
        put(&self.fixed, &mut over.fixed);
        put(&self.remember, &mut over.remember);
        let terms = &mut over.terms;
        if let Some(asks) = &self.asks {
            terms.stages = asks.value.stages(&terms.stages);
        }
        if let Some(span) = &self.decide_within {
            terms.decide_within = span.value;
            terms.alarm_after = half(span.value);
        }
        put(&self.valid_for, &mut terms.valid_for);
        put(&self.alarm_after, &mut terms.alarm_after);
        if let Some(reminders) = &self.remind_after {
            terms.remind_after = reminders.value.iter().map(|at| at.value).collect();
        }
        if let Some(steps) = &self.escalation {
            terms.escalation = steps.value.iter().map(|at| at.value.clone()).collect();
        }
        if let Some(Reasons { yes, no }) = self.reason_required.as_ref().map(|at| at.value) {
            terms.reason_for_yes = yes.unwrap_or(terms.reason_for_yes);
            terms.reason_for_no = no.unwrap_or(terms.reason_for_no);
        }
        put(&self.requester_may_approve, &mut terms.requester_may_approve);
        put(&self.denials_to_reject, &mut terms.denials_to_reject);
        put(&self.partial_view_may_approve, &mut terms.partial_view_may_approve);
        put(&self.approve_on_timeout, &mut terms.approve_on_timeout);
        put(&self.assurance, &mut terms.assurance);
        put(&self.assurance_for_no, &mut terms.assurance_for_no);
        put(&self.may_edit, &mut terms.may_edit);
        put(&self.confidential, &mut terms.confidential);
        put(&self.tell_directly, &mut terms.tell_directly);
        put(&self.gather, &mut terms.gather);
        put(&self.places, &mut terms.places);
        over.fit(level);
        over
    }
}

impl LevelPolicy {
    /// Leaves away what a level may not have, and what would come after the end.
    pub(super) fn fit(&mut self, level: Level) {
        let terms = &mut self.terms;
        let end = terms.decide_within;
        terms.approve_on_timeout &= may_be_silent(level);
        // What is confidential stands on no card with others.
        let confidential = terms.confidential;
        terms.gather = terms.gather.filter(|gather| may_gather(level) && *gather < end && !confidential);
        terms.escalation.retain(|step| step.after < end);
        terms.remind_after.retain(|after| *after < end);
        if terms.alarm_after >= end {
            terms.alarm_after = half(end);
        }
        if self.tier != Tier::Approve {
            self.remember = None;
        }
    }
}

impl Asks {
    /// As stages, where these are underneath.
    fn stages(&self, under: &[Stage]) -> Vec<Stage> {
        match self {
            Self::Stages(stages) => stages.clone(),
            Self::Short { role, count } => {
                let group = under.first().and_then(|stage| stage.groups.first());
                let role = role.clone().or_else(|| group.map(|group| group.role.clone()));
                role.map_or_else(
                    || under.to_vec(),
                    |role| vec![Stage { groups: vec![Group { role, count: *count }] }],
                )
            }
        }
    }
}

/// Whether silence may count as a yes.
const fn may_be_silent(level: Level) -> bool {
    matches!(level, Level::Low)
}

/// Whether cards may wait to be gathered into one.
const fn may_gather(level: Level) -> bool {
    matches!(level, Level::Low | Level::Medium)
}

/// When the alarm goes out, unless it is said.
pub(super) const fn half(span: Ttl) -> Ttl {
    Ttl::from_millis(span.as_millis() / 2)
}

fn put<T: Clone>(from: &Option<At<T>>, to: &mut T) {
    if let Some(at) = from {
        *to = at.value.clone();
    }
}
