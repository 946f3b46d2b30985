//! R14: when a policy has become stricter for a request.

use proptest::prelude::*;

use super::fixtures::*;
use crate::approval::Assurance;
use crate::approval::decide::verdict::is_stricter;
use crate::policy::{EscalationStep, Level, Stage, Terms, Tier, Verdict};
use crate::time::Ttl;

const ROLES: [&str; 3] = ["admin", "finance", "operator"];
const LEVELS: [Level; 4] = [Level::Low, Level::Medium, Level::High, Level::Critical];

fn verdicts() -> impl Strategy<Value = Verdict> {
    let groups = proptest::collection::vec((0_usize..3, 1_u32..3), 1..3);
    let stages = proptest::collection::vec(groups, 1..3);
    let steps = proptest::collection::vec((1_u64..60, 0_usize..3), 0..3);
    let yes_no = || proptest::bool::ANY;
    let flags = (yes_no(), yes_no(), yes_no(), yes_no());
    (stages, steps, flags, 0_usize..3, 1_u32..3).prop_map(|(stages, steps, flags, level, denials)| {
        let stages = stages
            .into_iter()
            .map(|groups| groups.into_iter().map(|(name, count)| group(ROLES[name], count)).collect());
        let escalation = steps.into_iter().map(|(after, name)| EscalationStep {
            after: Ttl::from_mins(after),
            to: vec![role(ROLES[name])],
            places: Vec::new(),
        });
        let terms = Terms {
            requester_may_approve: flags.0,
            partial_view_may_approve: flags.1,
            reason_for_yes: flags.2,
            may_edit: flags.3,
            denials_to_reject: denials,
            escalation: escalation.collect(),
            ..terms(stages.collect())
        };
        Verdict { level: LEVELS[level], ..(*verdict(Tier::Approve, Some(terms))).clone() }
    })
}

/// Each way of asking for more.
fn stricter(verdict: &Verdict, which: usize) -> Verdict {
    let mut verdict = verdict.clone();
    if which == 0 {
        verdict.tier = Tier::Forbid;
        verdict.terms = None;
        return verdict;
    }
    if which == 1 {
        verdict.level = Level::Critical;
        return verdict;
    }
    let terms = verdict.terms.as_mut().unwrap();
    match which {
        2 => terms.stages[0].groups[0].count += 1,
        3 => terms.stages.push(Stage { groups: vec![group("auditor", 1)] }),
        4 => terms.stages[0].groups.push(group("auditor", 1)),
        5 => terms.assurance = Assurance::E2eePinned,
        6 => (terms.requester_may_approve, terms.partial_view_may_approve) = (false, false),
        7 => terms.reason_for_yes = true,
        8 => terms.denials_to_reject = 1,
        9 => terms.valid_for = Ttl::from_mins(1),
        _ => terms.escalation.clear(),
    }
    verdict
}

proptest! {
    /// R14: nothing is stricter than itself, and whatever asks for more is.
    #[test]
    fn what_asks_for_more_is_stricter(verdict in verdicts(), which in 0_usize..11) {
        prop_assert!(!is_stricter(&verdict, &verdict));
        let more = stricter(&verdict, which);
        prop_assert_eq!(is_stricter(&verdict, &more), more != verdict, "{}", which);
        prop_assert!(!is_stricter(&more, &verdict), "the way back is laxer: {}", which);
    }
}
