//! Whether a policy became stricter for a call: whether the second of two verdicts asks for more than the first, in any
//! respect.
//!
//! Stricter means that something that gets through by the first might not by the second: it asks for more people, for
//! others, or in another order; gives them less time; counts fewer of their votes; or lets a yes be good for less. Where
//! a card goes, when people are reminded or told, and when the operators are told is neither: nobody is asked for more by it.
//!
//! All fields are named below, so that a new one cannot be forgotten.

use std::collections::BTreeMap;

use super::verdict::{EscalationStep, Group, Stage, Terms, Verdict};
use crate::id::Role;

/// Whether the second verdict asks for more than the first, in any respect. Nothing is stricter than itself.
pub(crate) fn is_stricter(before: &Verdict, after: &Verdict) -> bool {
    let Verdict {
        tier,
        level,
        terms,
        // What is said of it, and which rules say so, asks nobody.
        rules: _,
        policy: _,
        title: _,
        effect: _,
        leading_args: _,
        figures: _,
        // About what was remembered alone, where they are looked at: `Remembered::covers`.
        always_ask: _,
        remember: _,
        // What would have happened does not.
        shadow: _,
        // Nor does who may read it.
        confidential: _,
        circumstances: _,
    } = after;
    if *tier != before.tier {
        return *tier > before.tier;
    }
    let more = |(had, asks)| terms_are_stricter(had, asks);
    *level > before.level || before.terms.as_ref().zip(terms.as_ref()).is_some_and(more)
}

fn terms_are_stricter(had: &Terms, asks: &Terms) -> bool {
    let Terms {
        stages,
        decide_within,
        valid_for,
        alarm_after: _,
        requester_may_approve,
        reason_for_yes,
        reason_for_no,
        denials_to_reject,
        partial_view_may_approve,
        approve_on_timeout,
        places: _,
        escalation: _,
        remind_after: _,
        assurance,
        assurance_for_no,
        may_edit,
        confidential,
        tell_directly: _,
        gather: _,
    } = asks;
    stages_ask_more(&had.stages, stages)
        || *decide_within < had.decide_within
        || *valid_for < had.valid_for
        || (had.requester_may_approve && !requester_may_approve)
        || (*reason_for_yes && !had.reason_for_yes)
        || (*reason_for_no && !had.reason_for_no)
        || *denials_to_reject < had.denials_to_reject
        || (had.partial_view_may_approve && !partial_view_may_approve)
        || (had.approve_on_timeout && !approve_on_timeout)
        || had.escalation.iter().any(|step| !lets_as_early(step, asks))
        || *assurance > had.assurance
        || *assurance_for_no > had.assurance_for_no
        || (had.may_edit && !may_edit)
        // A yes from the card counts no more.
        || (*confidential && !had.confidential)
}

/// Whether everybody whom this step asks could decide by then under these terms too.
fn lets_as_early(step: &EscalationStep, terms: &Terms) -> bool {
    let EscalationStep { after, to, places: _ } = step;
    let by_then = terms.escalation.iter().filter(|other| other.after <= *after);
    let roles: Vec<_> = by_then.flat_map(|other| &other.to).collect();
    to.iter().all(|role| roles.contains(&role))
}

/// Whether who has filled the first stages, in their order, may not have filled the second. They have where each of the
/// second finds its people within one or several of the first that follow each other, after those of the stage before
/// it.
pub(super) fn stages_ask_more(had: &[Stage], asks: &[Stage]) -> bool {
    let mut rest = had.iter();
    !asks.iter().all(|stage| {
        let mut missing: BTreeMap<&Role, u32> = BTreeMap::new();
        for Group { role, count } in &stage.groups {
            *missing.entry(role).or_insert(0) += count;
        }
        while missing.values().any(|count| *count > 0) {
            let Some(next) = rest.next() else { return false };
            for Group { role, count } in &next.groups {
                if let Some(wanted) = missing.get_mut(role) {
                    *wanted = wanted.saturating_sub(*count);
                }
            }
        }
        true
    })
}
