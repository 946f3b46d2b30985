//! Which settings are the stricter, and what satisfies both: over many pairs.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::levels::LevelPolicy;
use super::*;
use crate::approval::Assurance;
use crate::id::Role;
use crate::time::Ttl;

fn role() -> impl Strategy<Value = Role> {
    prop::sample::select(vec!["team", "finance", "admin"]).prop_map(|name| Role::new(name).unwrap())
}

fn stages() -> impl Strategy<Value = Vec<Stage>> {
    let group = (role(), 1..3_u32).prop_map(|(role, count)| Group { role, count });
    let stage = prop::collection::vec(group, 1..3).prop_map(|groups| Stage { groups });
    prop::collection::vec(stage, 1..3)
}

fn escalation() -> impl Strategy<Value = Vec<EscalationStep>> {
    let step = prop::collection::vec(role(), 1..3);
    prop::collection::vec(step, 0..3).prop_map(|steps| {
        let step = |(index, to): (u64, _)| EscalationStep {
            after: Ttl::from_mins(5 * index),
            to,
            places: Vec::new(),
        };
        (1..).zip(steps).map(step).collect()
    })
}

pub(super) fn level() -> impl Strategy<Value = LevelPolicy> {
    let tier =
        prop::sample::select(vec![Tier::Auto, Tier::Suggest, Tier::Approve, Tier::Approve, Tier::Forbid]);
    let assurance =
        prop::sample::select(vec![Assurance::ServerAsserted, Assurance::Signed, Assurance::E2eePinned]);
    let spans = (10..40_u64, 5..20_u64, prop::option::of(10..90_u64));
    let flags = prop::array::uniform6(any::<bool>());
    (tier, stages(), escalation(), spans, flags, assurance, 1..3_u32).prop_map(
        |(tier, stages, escalation, (decide, valid, remember), flags, assurance, denials)| {
            let [own, yes, no, partial, silence, edit] = flags;
            let mut level = LevelPolicy {
                tier,
                terms: Terms {
                    stages,
                    decide_within: Ttl::from_mins(decide),
                    valid_for: Ttl::from_mins(valid),
                    alarm_after: Ttl::from_mins(decide / 2),
                    requester_may_approve: own,
                    reason_for_yes: yes,
                    reason_for_no: no,
                    denials_to_reject: denials,
                    partial_view_may_approve: partial,
                    approve_on_timeout: silence,
                    escalation,
                    assurance,
                    may_edit: edit,
                    ..Terms::one_of(Role::new("admin").unwrap())
                },
                remember: remember.map(Ttl::from_mins),
                fixed: false,
            };
            level.fit(Level::Low);
            level
        },
    )
}

/// How many of each role it takes, over all stages.
fn people(level: &LevelPolicy) -> BTreeMap<Role, u32> {
    let mut people = BTreeMap::new();
    for group in level.terms.stages.iter().flat_map(|stage| &stage.groups) {
        *people.entry(group.role.clone()).or_insert(0) += group.count;
    }
    people
}

/// By what it is laxer; not by the order of stages alone, where it asks for as many people of each role.
pub(super) fn laxer_apart_from_order(level: &LevelPolicy, than: &LevelPolicy) -> Vec<&'static str> {
    let (has, wanted) = (people(level), people(than));
    let enough = wanted.iter().all(|(role, count)| has.get(role).is_some_and(|has| has >= count));
    level.laxer_than(than).into_iter().filter(|key| *key != "stages" || !enough).collect()
}

proptest! {
    /// R19: what satisfies both is laxer than neither, and the same as one if that is the stricter already; only of two
    /// orders of stages the first may hold.
    #[test]
    fn both_is_laxer_than_neither(one in level(), other in level()) {
        let both = one.and(&other);
        prop_assert_eq!(one.laxer_than(&one), Vec::<&str>::new());
        prop_assert_eq!(both.laxer_than(&one), Vec::<&str>::new());
        prop_assert_eq!(laxer_apart_from_order(&both, &other), Vec::<&str>::new());
        if one.tier == Tier::Approve && one.laxer_than(&other).is_empty() && other.tier == Tier::Approve {
            prop_assert_eq!(&both.terms.stages, &one.terms.stages);
            prop_assert_eq!(both.laxer_than(&one.and(&one)), Vec::<&str>::new());
        }
    }
}

/// R18, R19: stages are asked in their order, so that the same people in another order, or all at once, are not the same;
/// with more people, or in more steps, they are as strict.
#[test]
fn the_order_of_stages_counts() {
    let stages = |text: &str| -> Vec<Stage> {
        let group = |role: &str| Group { role: Role::new(role).unwrap(), count: 1 };
        text.split(" > ")
            .map(|stage| Stage { groups: stage.split_whitespace().map(group).collect() })
            .collect()
    };
    let level = |text: &str| LevelPolicy {
        tier: Tier::Approve,
        terms: Terms { stages: stages(text), ..Terms::one_of(Role::new("admin").unwrap()) },
        remember: None,
        fixed: true,
    };
    for (one, other, as_strict) in [
        ("team > finance", "team > finance", true),
        ("team > finance", "finance > team", false),
        ("team finance", "team > finance", false),
        ("team > finance", "team finance", true),
        ("team > legal > finance", "team > finance", true),
        ("team > finance > team", "finance > team", true),
        ("team team", "team > team", false),
        ("team > finance", "team", true),
        ("team", "team > finance", false),
    ] {
        let laxer = level(one).laxer_than(&level(other));
        assert_eq!(laxer.is_empty(), as_strict, "{one} beside {other}: {laxer:?}");
    }
}
