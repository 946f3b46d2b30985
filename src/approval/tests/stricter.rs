//! R14: when a policy has become stricter for a request.

use proptest::prelude::*;

use super::fixtures::*;
use crate::approval::Assurance;
use crate::policy::{EscalationStep, Level, Stage, Terms, Tier, Verdict, is_stricter};
use crate::time::Ttl;

const ROLES: [&str; 3] = ["admin", "finance", "operator"];
const LEVELS: [Level; 4] = [Level::Low, Level::Medium, Level::High, Level::Critical];

fn verdicts() -> impl Strategy<Value = Verdict> {
    let groups = proptest::collection::vec((0_usize..3, 1_u32..3), 1..3);
    let stages = proptest::collection::vec(groups, 1..3);
    let steps = proptest::collection::vec((1_u64..60, 0_usize..3), 0..3);
    let yes_no = || proptest::bool::ANY;
    let flags = (yes_no(), yes_no(), yes_no(), yes_no(), yes_no(), yes_no());
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
            reason_for_no: flags.4,
            approve_on_timeout: flags.5,
            denials_to_reject: denials,
            escalation: escalation.collect(),
            ..terms(stages.collect())
        };
        Verdict { level: LEVELS[level], ..(*verdict(Tier::Approve, Some(terms))).clone() }
    })
}

/// One way of asking for more, whether these terms leave room for it, and what it makes of them.
type Tightening = (&'static str, bool, fn(&mut Terms));

/// Every way of asking for more in one field. All fields are named, so that a new one cannot be forgotten.
fn tightenings(terms: &Terms) -> Vec<Tightening> {
    let Terms {
        stages,
        decide_within: _,
        valid_for: _,
        requester_may_approve,
        reason_for_yes,
        reason_for_no,
        denials_to_reject,
        partial_view_may_approve,
        approve_on_timeout,
        escalation,
        assurance,
        assurance_for_no,
        may_edit,
        confidential,
        // These ask nobody for more: see below.
        alarm_after: _,
        places: _,
        remind_after: _,
        tell_directly: _,
        gather: _,
    } = terms;
    let divisible = stages.last().is_some_and(|stage| stage.groups.len() > 1);
    vec![
        ("a person more", true, |terms| terms.stages[0].groups[0].count += 1),
        ("a group more", true, |terms| terms.stages[0].groups.push(group("auditor", 1))),
        ("a stage more", true, |terms| terms.stages.push(Stage { groups: vec![group("auditor", 1)] })),
        ("a stage apart", divisible, |terms| {
            let group = terms.stages.last_mut().and_then(|stage| stage.groups.pop()).unwrap();
            terms.stages.push(Stage { groups: vec![group] });
        }),
        ("decide_within", true, |terms| terms.decide_within = shorter(terms.decide_within)),
        ("valid_for", true, |terms| terms.valid_for = shorter(terms.valid_for)),
        ("requester", *requester_may_approve, |terms| terms.requester_may_approve = false),
        ("reason_for_yes", !reason_for_yes, |terms| terms.reason_for_yes = true),
        ("reason_for_no", !reason_for_no, |terms| terms.reason_for_no = true),
        ("denials_to_reject", *denials_to_reject > 1, |terms| terms.denials_to_reject -= 1),
        ("partial_view", *partial_view_may_approve, |terms| terms.partial_view_may_approve = false),
        ("approve_on_timeout", *approve_on_timeout, |terms| terms.approve_on_timeout = false),
        ("a step less", !escalation.is_empty(), |terms| terms.escalation.clear()),
        ("steps later", !escalation.is_empty(), |terms| {
            for step in &mut terms.escalation {
                step.after = Ttl::from_millis(step.after.as_millis() + 3_600_000);
            }
        }),
        ("assurance", *assurance < Assurance::E2eePinned, |terms| terms.assurance = Assurance::E2eePinned),
        ("assurance_for_no", *assurance_for_no < Assurance::E2eePinned, |terms| {
            terms.assurance_for_no = Assurance::E2eePinned;
        }),
        ("may_edit", *may_edit, |terms| terms.may_edit = false),
        ("confidential", !confidential, |terms| terms.confidential = true),
    ]
}

const fn shorter(span: Ttl) -> Ttl {
    Ttl::from_millis(span.as_millis() - 1)
}

proptest! {
    /// R14: nothing is stricter than itself, and whatever asks for more in one field is, and not the other way round.
    #[test]
    fn what_asks_for_more_is_stricter(verdict in verdicts()) {
        prop_assert!(!is_stricter(&verdict, &verdict));
        let more = |change: &dyn Fn(&mut Verdict)| {
            let mut more = verdict.clone();
            change(&mut more);
            more
        };
        let mut others = vec![
            ("tier", more(&|verdict| (verdict.tier, verdict.terms) = (Tier::Forbid, None))),
            ("level", more(&|verdict| verdict.level = Level::Critical)),
        ];
        for (field, fits, tighten) in tightenings(verdict.terms.as_ref().unwrap()) {
            if fits {
                others.push((field, more(&|verdict| tighten(verdict.terms.as_mut().unwrap()))));
            }
        }
        for (field, more) in others {
            prop_assert!(is_stricter(&verdict, &more), "{field}");
            prop_assert!(!is_stricter(&more, &verdict), "the way back is laxer: {field}");
        }
    }
}

/// R14, R18: the same people in another order are asked anew, whichever way it was before.
#[test]
fn another_order_of_the_same_people_is_stricter() {
    let in_order = |first: &str, then: &str| {
        verdict(Tier::Approve, Some(terms(vec![vec![group(first, 1)], vec![group(then, 1)]])))
    };
    let (one, other) = (in_order("admin", "finance"), in_order("finance", "admin"));
    assert!(is_stricter(&one, &other) && is_stricter(&other, &one));
    let at_once = verdict(Tier::Approve, Some(terms(vec![vec![group("admin", 1), group("finance", 1)]])));
    assert!(is_stricter(&at_once, &one), "one must now wait for the other");
    assert!(!is_stricter(&one, &at_once));
}

/// R14: where a card goes, when people are reminded, when operators are told, and how long cards are gathered asks nobody
/// for more.
#[test]
fn what_only_tells_people_is_not_stricter() {
    let before = terms(vec![vec![group("admin", 1)]]);
    let after = Terms {
        places: Vec::new(),
        remind_after: vec![Ttl::from_mins(1)],
        alarm_after: Ttl::from_mins(1),
        gather: Some(Ttl::from_mins(1)),
        ..before.clone()
    };
    assert_ne!(before, after);
    let judged = |terms| verdict(Tier::Approve, Some(terms));
    assert!(!is_stricter(&judged(before.clone()), &judged(after.clone())));
    assert!(!is_stricter(&judged(after), &judged(before)));
}
