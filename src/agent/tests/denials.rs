//! What is not run, and what the model reads then.

use std::sync::Arc;

use super::world::{Fuse, POLICY, World, requester, tenant};
use super::{Lines, call, check, of_type, result, turn};
use crate::agent::Phase;
use crate::approval::{Actor, Status};
use crate::id::SessionId;
use crate::ports::Model;

/// A run that wants one file deleted, and says something in the end.
fn one_delete() -> Arc<dyn Model> {
    Arc::new(Lines(vec![
        turn("", vec![call("c1", "delete", r#"{"path":"old"}"#)]),
        turn("I go on without it.", Vec::new()),
    ]))
}

/// R6, R8: nobody could be asked is another answer than a no.
#[test]
fn with_no_approver_the_answer_is_not_asked() {
    let world = World::new();
    *world.unreachable.lock().unwrap() = true;
    let agent = world.agent(one_delete());
    world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    let told = world.told();
    check(&told);
    assert_eq!(result(&told, "c1")["error"], "not asked: no approver configured (fail closed)");
    assert_eq!(result(&told, "c1")["denied"], true);
    assert_eq!(of_type(&told, "approval_result")[0]["reason"], "no approver configured (fail closed)");
    assert!(world.ran.lock().unwrap().is_empty());
}

/// R25: what is revoked while people think is not run.
#[test]
fn a_revoked_request_is_not_run() {
    let world = World::new();
    *world.silent.lock().unwrap() = true;
    let agent = world.agent(one_delete());
    let session = SessionId::new("s").unwrap();
    let both = async {
        let revoking = async {
            loop {
                let listener = agent.changed(&tenant(), &session);
                if let Phase::WaitingApproval { of } = world.last_run().phase {
                    let (tenant, gate) = (tenant(), agent.executor().gate());
                    let revoked =
                        gate.revoke(&tenant, of[0].request, Actor::Placet, Some("freeze".to_owned()));
                    return revoked.await.unwrap().1.unwrap();
                }
                listener.await;
            }
        };
        let begun =
            agent.begin(&tenant(), Some(session.clone()), requester("bot"), "clean up").await.unwrap();
        futures::future::join(agent.resume(begun.row), revoking).await.0.unwrap()
    };
    assert_eq!(world.drive(&agent, both).unwrap().phase, Phase::Done);
    let told = world.told();
    check(&told);
    assert_eq!(result(&told, "c1")["error"], "denied: approval was revoked: freeze");
    assert!(world.ran.lock().unwrap().is_empty());
}

/// R7: a policy that forbids it, or an approver who lost the role, between the yes and the claim.
#[test]
fn the_gate_looks_again_at_the_claim() {
    let forbidden = POLICY.replace("level = \"critical\"\nbecause", "tier = \"forbid\"\nbecause");
    let demoted = POLICY.replace("accounts = [\"script/ana\"]", "accounts = [\"script/other\"]");
    for (policy, answer) in [
        (forbidden, "denied by policy: Deleting cannot be undone."),
        (demoted, "denied: approval no longer holds"),
    ] {
        let world = World::new();
        let agent = world.agent(one_delete());
        // The process stops after the yes, before its claim is written.
        let mut at = 1;
        let row = loop {
            world.set_fuse(Some(Fuse { at: world.places() + at, after: false }));
            let session = SessionId::new(format!("s{at}")).unwrap();
            let ended =
                world.drive(&agent, agent.start(&tenant(), Some(session), requester("bot"), "clean up"));
            assert!(ended.is_none(), "it never stood as approved");
            world.set_fuse(None);
            let approved = world.requests().iter().any(|request| request.status() == Status::Approved);
            if approved && matches!(world.last_run().phase, Phase::Working) {
                break world.last_row();
            }
            world.forget();
            at += 1;
        };
        *world.policy.lock().unwrap() = Some(policy);
        let agent = world.agent(one_delete());
        world.drive(&agent, agent.resume(row)).unwrap().unwrap();
        let told = world.told();
        check(&told);
        assert_eq!(result(&told, "c1")["error"], answer);
        assert!(world.ran.lock().unwrap().is_empty());
        assert_eq!(world.requests()[0].status(), Status::Revoked, "nobody can use it later");
    }
}

/// R24: whoever claims first runs it; the agent tells once what was decided, and what came of it.
#[test]
fn what_somebody_else_ran_is_told_once() {
    let world = World::new();
    *world.rival.lock().unwrap() = true;
    let agent = world.agent(one_delete());
    world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    let told = world.told();
    check(&told);
    assert_eq!(of_type(&told, "approval_result")[0]["approved"], true);
    assert_eq!(result(&told, "c1")["result"], "by another hand");
    assert!(world.ran.lock().unwrap().is_empty());
}
