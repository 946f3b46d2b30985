//! Any sequence of commands: the record alone rebuilds the request.

use placet::approval::{Actor, Addressee, Approval, Command, Decision, Outcome, OutcomeKind};
use placet::call::ShownDigest;
use placet::time::Ttl;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::engine::{Engine, InMemory, Setting};
use crate::fixture::*;

const PEOPLE: [&str; 6] = ["alice", "bob", "chen", "viewer", "mallory", "admin"];

/// The command that a number stands for.
fn command(desk: &Desk, approval: &Approval, (what, who): (u8, u8)) -> Command {
    let name = PEOPLE[usize::from(who) % PEOPLE.len()];
    let outcome =
        Outcome { kind: OutcomeKind::Failed, result: None, error: Some("no".to_owned()), duration_ms: None };
    match what % 20 {
        0..=3 => Command::Vote(ballot(name, Decision::Approve)),
        4 => Command::Vote(ballot(name, Decision::Deny)),
        5 => Command::TakeBack { identity: account(name), sign: None },
        6 => Command::Escalate { step: u32::from(who % 4) },
        7 => match who % 2 {
            0 => Command::Look { identity: account(name) },
            _ => Command::Ask {
                identity: account(name),
                to: Addressee::Agent,
                text: format!("why, {name}?"),
                surface: None,
            },
        },
        8 => Command::Answer { by: Actor::Placet, question: None, text: "because".to_owned() },
        9 => breaks_glass(name),
        10 => Command::Revoke { by: Actor::Account(account(name)), reason: Some("stop".to_owned()) },
        11 => Command::Review { identity: account(name), note: None },
        12 | 13 => {
            let mut order = desk.claim(approval);
            order.key = format!("{KEY}{}", who % 2);
            Command::Claim(order)
        }
        14 | 15 => match &approval.state {
            placet::approval::State::Executing(executing) => {
                let key = format!("{KEY}{}", who % 2);
                let claim = executing.claim.id;
                if what % 2 == 0 {
                    Command::Heartbeat { claim, key }
                } else {
                    Command::Finish(placet::approval::Report { claim, key, outcome })
                }
            }
            _ => Command::Tick,
        },
        16 => Command::Settle { by: Actor::Account(account(name)), outcome, reason: "I looked".to_owned() },
        17 => Command::Show(placet::approval::Rendering {
            shown: ShownDigest::of(&[who]),
            surface: slack(),
            full: true,
            viewer: Some(account(name)),
            covers: 0,
        }),
        18 => Command::Deliver(placet::approval::Delivery {
            surface: slack(),
            failure: (who % 2 == 0).then(|| "channel_not_found".to_owned()),
        }),
        _ => Command::Tick,
    }
}

/// R35, never 8: after each command the record tells the same request as the row.
#[test]
fn any_sequence_of_commands_rebuilds() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let steps = proptest::collection::vec((any::<u8>(), any::<u8>(), 0_u64..120), 1..40);
    let outcome = runner.run(&steps, |steps| {
        runtime.block_on(async {
            let setting = Setting::new();
            let desk = Desk { store: InMemory.open(&setting), setting };
            let mut approval = desk.asks("v42", 2).await;
            for (what, who, seconds) in steps {
                desk.setting.clock.passes(Ttl::from_secs(seconds));
                let facts = facts(&desk, &["alice", "bob", "chen"]);
                let command = command(&desk, &approval, (what, who));
                let done = desk.does(&approval, command, facts).await;
                prop_assert!(done.approval.version >= approval.version);
                approval = done.approval;
            }
            desk.must_rebuild(&approval).await;
            Ok(())
        })
    });
    outcome.unwrap();
}
