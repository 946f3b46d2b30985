//! Which settings are the stricter, and what satisfies both: over many pairs.

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

proptest! {
    /// R19: what satisfies both is laxer than neither, and the same as one if that is the stricter already.
    #[test]
    fn both_is_laxer_than_neither(one in level(), other in level()) {
        let both = one.and(&other);
        prop_assert_eq!(both.laxer_than(&one), Vec::<&str>::new());
        prop_assert_eq!(both.laxer_than(&other), Vec::<&str>::new());
        prop_assert_eq!(one.laxer_than(&one), Vec::<&str>::new());
        if one.tier == Tier::Approve && one.laxer_than(&other).is_empty() && other.tier == Tier::Approve {
            prop_assert_eq!(&both.terms.stages, &one.terms.stages);
            prop_assert_eq!(both.laxer_than(&one.and(&one)), Vec::<&str>::new());
        }
    }
}
