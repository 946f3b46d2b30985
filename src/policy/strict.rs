//! Which of two settings is the stricter, and what satisfies both.
//!
//! Strict means: what gets through here gets through there as well. So more people, fewer who may take part, less time
//! and less remembering are stricter; where a card goes and when people are reminded is neither. What [`is_stricter`]
//! says of two verdicts is said here of two settings, by the key that makes it so.
//!
//! [`is_stricter`]: super::stricter::is_stricter

use std::collections::BTreeMap;

use super::levels::LevelPolicy;
use super::stricter::stages_ask_more;
use super::verdict::{EscalationStep, Group, Stage, Terms, Tier};
use crate::id::Role;
use crate::time::Ttl;

impl LevelPolicy {
    /// What satisfies both. Where neither is the stricter, as of places, the first counts.
    pub(super) fn and(&self, other: &Self) -> Self {
        let (worse, milder) = if other.tier > self.tier { (other, self) } else { (self, other) };
        let both = worse.tier == Tier::Approve && milder.tier == Tier::Approve;
        Self {
            tier: worse.tier,
            terms: if both {
                worse.terms.and(&milder.terms)
            } else {
                let confidential = worse.terms.confidential || milder.terms.confidential;
                Terms { confidential, ..worse.terms.clone() }
            },
            remember: if both {
                worse.remember.zip(milder.remember).map(|(one, other)| one.min(other))
            } else {
                worse.remember
            },
            fixed: self.fixed || other.fixed,
        }
    }

    /// The keys by which this is laxer than `other`; empty if it is at least as strict.
    pub(super) fn laxer_than(&self, other: &Self) -> Vec<&'static str> {
        let Self { tier, terms, remember, fixed: _ } = self;
        if *tier < other.tier {
            return vec!["tier"];
        }
        if *tier != Tier::Approve || other.tier != Tier::Approve {
            // That holds whether or not anybody is asked.
            let is_told = other.terms.confidential && !terms.confidential;
            return is_told.then_some("confidential").into_iter().collect();
        }
        let mut keys = terms.laxer_than(&other.terms);
        if *remember > other.remember {
            keys.push("remember");
        }
        keys
    }
}

impl Terms {
    fn and(&self, other: &Self) -> Self {
        Self {
            stages: all_of(&self.stages, &other.stages),
            decide_within: self.decide_within.min(other.decide_within),
            valid_for: self.valid_for.min(other.valid_for),
            alarm_after: self.alarm_after.min(other.alarm_after),
            requester_may_approve: self.requester_may_approve && other.requester_may_approve,
            reason_for_yes: self.reason_for_yes || other.reason_for_yes,
            reason_for_no: self.reason_for_no || other.reason_for_no,
            denials_to_reject: self.denials_to_reject.min(other.denials_to_reject),
            partial_view_may_approve: self.partial_view_may_approve && other.partial_view_may_approve,
            approve_on_timeout: self.approve_on_timeout && other.approve_on_timeout,
            places: self.places.clone(),
            escalation: only_by_both(self, other),
            remind_after: self.remind_after.clone(),
            assurance: self.assurance.max(other.assurance),
            assurance_for_no: self.assurance_for_no.max(other.assurance_for_no),
            may_edit: self.may_edit && other.may_edit,
            confidential: self.confidential || other.confidential,
            tell_directly: self.tell_directly,
            gather: self.gather.zip(other.gather).map(|(one, other)| one.min(other)),
        }
        .within_the_time()
    }

    /// Without what would come after the end.
    fn within_the_time(mut self) -> Self {
        let end = self.decide_within;
        self.escalation.retain(|step| step.after < end);
        self.remind_after.retain(|after| *after < end);
        self.gather = self.gather.filter(|gather| *gather < end);
        self
    }

    fn laxer_than(&self, other: &Self) -> Vec<&'static str> {
        // Every field by its name, so that a new one cannot be forgotten. Places, reminders and how long a card waits for
        // others are neither stricter nor laxer.
        let Self {
            stages,
            decide_within,
            valid_for,
            alarm_after,
            requester_may_approve,
            reason_for_yes,
            reason_for_no,
            denials_to_reject,
            partial_view_may_approve,
            approve_on_timeout,
            places: _,
            escalation,
            remind_after: _,
            assurance,
            assurance_for_no,
            may_edit,
            confidential,
            tell_directly: _,
            gather: _,
        } = self;
        let sooner = escalation
            .iter()
            .any(|step| step.to.iter().any(|role| joins(other, role).is_none_or(|after| step.after < after)));
        [
            ("stages", stages_ask_more(stages, &other.stages)),
            ("decide_within", *decide_within > other.decide_within),
            ("valid_for", *valid_for > other.valid_for),
            ("alarm_after", *alarm_after > other.alarm_after),
            ("escalation", sooner),
            ("requester_may_approve", *requester_may_approve && !other.requester_may_approve),
            (
                "reason_required",
                (other.reason_for_yes && !reason_for_yes) || (other.reason_for_no && !reason_for_no),
            ),
            ("denials_to_reject", *denials_to_reject > other.denials_to_reject),
            ("partial_view_may_approve", *partial_view_may_approve && !other.partial_view_may_approve),
            ("approve_on_timeout", *approve_on_timeout && !other.approve_on_timeout),
            ("assurance", *assurance < other.assurance),
            ("assurance_for_no", *assurance_for_no < other.assurance_for_no),
            ("may_edit", *may_edit && !other.may_edit),
            ("confidential", !confidential && other.confidential),
        ]
        .into_iter()
        .filter_map(|(key, laxer)| laxer.then_some(key))
        .collect()
    }
}

/// How many people of each role it takes, over all stages: nobody counts twice.
fn seats(stages: &[Stage]) -> BTreeMap<&Role, u32> {
    let mut seats = BTreeMap::new();
    for group in stages.iter().flat_map(|stage| &stage.groups) {
        *seats.entry(&group.role).or_insert(0) += group.count;
    }
    seats
}

/// The stages that ask for what the others ask for too; where neither do, the first, and a last one for whom the others
/// ask beyond them. Of two orders that neither is part of, the first holds, with all the people of both: to satisfy every
/// order could take the same people twice.
fn all_of(first: &[Stage], other: &[Stage]) -> Vec<Stage> {
    if !stages_ask_more(first, other) {
        return first.to_vec();
    }
    if !stages_ask_more(other, first) {
        return other.to_vec();
    }
    let have = seats(first);
    let missing = seats(other).into_iter().filter_map(|(role, wanted)| {
        let count = wanted.saturating_sub(have.get(role).copied().unwrap_or(0));
        (count > 0).then(|| Group { role: role.clone(), count })
    });
    let missing: Vec<Group> = missing.collect();
    let last = (!missing.is_empty()).then_some(Stage { groups: missing });
    first.iter().cloned().chain(last).collect()
}

/// After how long a role may decide beside those whom the stage names; none if never.
fn joins(terms: &Terms, role: &Role) -> Option<Ttl> {
    terms.escalation.iter().filter(|step| step.to.contains(role)).map(|step| step.after).min()
}

/// Steps that let in only whom both let in, once both do. Places are told by either.
fn only_by_both(one: &Terms, other: &Terms) -> Vec<EscalationStep> {
    let mut steps: BTreeMap<Ttl, EscalationStep> = BTreeMap::new();
    let mut at = |after: Ttl, role: Option<&Role>, step: &EscalationStep| {
        let both = steps.entry(after).or_insert_with(|| EscalationStep {
            after,
            to: Vec::new(),
            places: Vec::new(),
        });
        both.to.extend(role.filter(|role| !both.to.contains(role)).cloned());
        let more: Vec<_> = step.places.iter().filter(|place| !both.places.contains(place)).cloned().collect();
        both.places.extend(more);
    };
    for (step, others) in
        one.escalation.iter().map(|step| (step, other)).chain(other.escalation.iter().map(|step| (step, one)))
    {
        for role in &step.to {
            if let Some(after) = joins(others, role) {
                at(step.after.max(after), Some(role), step);
            }
        }
        if !step.places.is_empty() {
            at(step.after, None, step);
        }
    }
    steps.into_values().filter(|step| !(step.to.is_empty() && step.places.is_empty())).collect()
}
