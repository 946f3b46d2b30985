//! What is not run, and what the model reads then.

use std::sync::Arc;

use super::world::{Fuse, POLICY, World, requester, tenant};
use super::{Lines, call, check, lines, of_type, result, turn};
use crate::agent::Phase;
use crate::approval::{Actor, Approval, State, Status};
use crate::id::{CredentialId, SessionId};
use crate::ports::Model;
use crate::time::Ttl;

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
                    let by = Actor::Manager(CredentialId::new("ops").unwrap());
                    let revoked = gate.revoke(&tenant, of[0].request, by, Some("freeze".to_owned()));
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
    let forbidden = POLICY
        .replace("[[rule]]\nname = \"deletes\"", "[[forbid]]\nname = \"deletes\"")
        .replace("level = \"critical\"\nbecause", "because");
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

/// R7: that accounts cannot be looked up after the yes is nobody's no: the yes stays good until it runs out.
#[test]
fn what_cannot_be_checked_is_not_denied() {
    for (outage, answer) in [
        (Ttl::from_mins(2), None),
        (Ttl::from_mins(100_000), Some("denied: approval expired before it was used")),
    ] {
        let world = World::new();
        *world.outage.lock().unwrap() = Some(outage);
        let agent = world.agent(one_delete());
        world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
        let told = world.told();
        check(&told);
        let (request, result) = (&world.requests()[0], result(&told, "c1"));
        assert_eq!(of_type(&told, "approval_result")[0]["approved"], true);
        if let Some(answer) = answer {
            assert_eq!(result["error"], answer);
            assert_eq!(request.status(), Status::Expired, "nothing but time ended it");
            assert!(world.ran.lock().unwrap().is_empty());
        } else {
            assert_eq!(result["ok"], true, "{result}");
            assert_eq!(*world.ran.lock().unwrap(), ["delete old"]);
        }
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

/// R8: a run is stopped wherever it stands. What nobody claimed is not run and not unknown, and that nobody was asked
/// to the end is no denial; the record says why it was taken back.
#[test]
fn what_a_stop_ends_is_told_as_it_is() {
    let world = World::new();
    let agent = world.agent(lines());
    world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    let (places, mut not_asked, mut unknown) = (world.places(), 0, 0);
    for (at, after) in (2..=places).flat_map(|at| [(at, false), (at, true)]) {
        let world = World::new();
        let agent = world.agent(lines());
        world.set_fuse(Some(Fuse { at, after }));
        let ended = world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up"));
        assert!(ended.is_none(), "the fuse at {at} did not blow");
        world.set_fuse(None);
        *world.silent.lock().unwrap() = true;
        let agent = world.agent(lines());
        let run = world.last_run();
        let stopped = world.drive(&agent, agent.stop(&tenant(), &run.run, "no longer needed"));
        assert_eq!(stopped.unwrap().unwrap(), !run.is_over());
        let told = world.told();
        check(&told);
        for result in of_type(&told, "tool_result") {
            let id = result["callId"].as_str().unwrap();
            let of = |request: &&Approval| request.proposal.run.as_ref().unwrap().step.as_str() == id;
            let (requests, error) = (world.requests(), result["error"].as_str().unwrap_or_default());
            let state = requests.iter().find(of).map(|request| &request.state);
            match state {
                Some(State::Executing(_)) => unknown += 1,
                Some(State::Revoked(revoked)) => {
                    assert_eq!(revoked.reason.as_deref(), Some("the run was stopped"));
                    not_asked += usize::from(error == "not asked: the run was stopped");
                    assert!(error.ends_with(": the run was stopped") && result["denied"] == true, "{error}");
                }
                _ => {}
            }
            let running = matches!(state, Some(State::Executing(_)));
            assert_eq!(error.starts_with("nobody knows"), running, "{error}, killed at {at}, after: {after}");
        }
        let open = world
            .requests()
            .iter()
            .filter(|request| matches!(request.status(), Status::WaitingApproval | Status::Approved))
            .count();
        assert_eq!(open, 0, "nothing is left that could be claimed, killed at {at}, after: {after}");
    }
    assert!(not_asked > 0 && unknown > 0, "{not_asked}, {unknown}");
}
