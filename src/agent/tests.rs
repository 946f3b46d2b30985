//! The loop, in a world that can stop dead anywhere.

mod denials;
mod store;
mod world;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value;

use self::world::{Fuse, World, requester, tenant};
use crate::agent::transcript::Entry;
use crate::agent::{Phase, StartError};
use crate::id::{RunId, SessionId, StepId};
use crate::ports::{Deltas, Model, ModelAsk, ModelCall, ModelError, ModelTurn};

/// Says its lines, one per turn of the conversation so far: a pure function of the transcript.
struct Lines(Vec<ModelTurn>);

#[async_trait]
impl Model for Lines {
    async fn turn(&self, ask: &ModelAsk<'_>, deltas: &mut Deltas<'_>) -> Result<ModelTurn, ModelError> {
        let spoken = ask.transcript.iter().filter(|entry| matches!(entry, Entry::Assistant { .. })).count();
        let turn =
            self.0.get(spoken).cloned().ok_or_else(|| ModelError::Refused("no more lines".to_owned()))?;
        let half = turn.text.len() / 2;
        deltas(&turn.text[..half]);
        deltas(&turn.text[half..]);
        Ok(turn)
    }
}

fn call(id: &str, name: &str, args: &str) -> ModelCall {
    ModelCall {
        id: StepId::new(id).unwrap(),
        name: name.to_owned(),
        args: args.to_owned(),
        reason: "because".to_owned(),
    }
}

fn turn(text: &str, calls: Vec<ModelCall>) -> ModelTurn {
    ModelTurn { text: text.to_owned(), calls, input_tokens: 10, output_tokens: 5 }
}

fn lines() -> Arc<dyn Model> {
    Arc::new(Lines(vec![
        turn("Looking.", vec![call("c1", "read", r#"{"path":"a"}"#)]),
        turn(
            "Cleaning.",
            vec![
                call("c2", "note", r#"{"path":"n"}"#),
                call("c3", "delete", r#"{"path":"old"}"#),
                call("c4", "delete", r#"{"path":"keep"}"#),
                call("c5", "read", r#"{"path":"b"}"#),
                call("c6", "format", r#"{"path":"disk"}"#),
                call("c7", "unheard_of", r#"{"path":"x"}"#),
                call("c8", "delete", r#"{"path":"#),
                call("c9", "delete", r#"["old"]"#),
                call("c10", "", "{}"),
                call("c11", "delete", r#"{"path":"a","path":"b"}"#),
                call("c1", "read", ""),
            ],
        ),
        turn("Done.", Vec::new()),
    ]))
}

fn of_type<'a>(told: &'a [Value], name: &str) -> Vec<&'a Value> {
    told.iter().filter(|event| event["type"] == name).collect()
}

fn result<'a>(told: &'a [Value], call: &str) -> &'a Value {
    told.iter().find(|event| event["type"] == "tool_result" && event["callId"] == call).unwrap()
}

/// What holds of every run's events.
fn check(told: &[Value]) {
    let place = |wanted: &dyn Fn(&Value) -> bool| told.iter().position(wanted);
    for start in of_type(told, "tool_call_start") {
        let id = &start["callId"];
        let results: Vec<&Value> =
            of_type(told, "tool_result").into_iter().filter(|result| result["callId"] == *id).collect();
        assert_eq!(results.len(), 1, "one result for {id}: {told:#?}");
    }
    assert_eq!(of_type(told, "tool_call_start").len(), of_type(told, "tool_result").len());
    for request in of_type(told, "approval_request") {
        let id = &request["requestId"];
        let asked = place(&|event| event == request).unwrap();
        let results = of_type(told, "approval_result");
        let results: Vec<_> = results.into_iter().filter(|result| result["requestId"] == *id).collect();
        assert_eq!(results.len(), usize::from(request["risk"] == "approve"), "{told:#?}");
        for result in results {
            assert!(asked < place(&|event| event == result).unwrap());
        }
    }
    let ends: Vec<&Value> =
        told.iter().filter(|event| event["type"] == "done" || event["type"] == "error").collect();
    assert_eq!(ends.len(), 1, "{told:#?}");
    assert_eq!(told.last(), ends.last().copied());
    assert!(told.iter().all(|event| event["sessionId"].is_string()));
}

/// R1, R3, R7, R8: every tier, every denial and every fault, and what is told of each.
#[test]
fn every_call_gets_its_one_result() {
    let world = World::new();
    let agent = world.agent(lines());
    let ended =
        world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    assert_eq!(ended.phase, Phase::Done);
    let told = world.told();
    check(&told);
    assert_eq!(*world.ran.lock().unwrap(), ["read a", "note n", "read b", "read ", "delete old"]);
    for (id, error) in [
        ("c4", "denied by user: still needed"),
        ("c6", "denied by policy: Nothing is ever formatted."),
        ("c7", "not run: there is no tool named unheard_of"),
        ("c10", "not run: the call names no tool"),
    ] {
        assert_eq!(result(&told, id)["error"], error);
        assert_eq!(result(&told, id)["ok"], false);
    }
    assert_eq!(result(&told, "c4")["denied"], true);
    assert_eq!(result(&told, "c6")["denied"], true);
    assert!(result(&told, "c7").get("denied").is_none());
    assert!(result(&told, "c8")["error"].as_str().unwrap().starts_with("not run: the JSON is not valid"));
    assert!(result(&told, "c9")["error"].as_str().unwrap().contains("an array"));
    assert!(result(&told, "c11")["error"].as_str().unwrap().contains("twice"));
    assert_eq!(result(&told, "c3")["result"]["did"], "old");
    assert_eq!(result(&told, "call-2-11-0")["ok"], true, "an id that was used before is made another");
    let risks: Vec<&Value> = of_type(&told, "approval_request").iter().map(|event| &event["risk"]).collect();
    assert_eq!(risks, ["suggest", "approve", "approve"]);
    let yes = of_type(&told, "approval_result").into_iter().find(|event| event["approved"] == true).unwrap();
    assert_eq!(yes["reason"], "temporary, can go");
    let text: String =
        of_type(&told, "text_delta").iter().map(|event| event["delta"].as_str().unwrap()).collect();
    assert_eq!(text, "Looking.Cleaning.Done.");
    assert_eq!(told.last().unwrap()["usage"], serde_json::json!({"inputTokens": 30, "outputTokens": 15}));
}

/// R2: nothing that the model reads tells tier, level or names.
#[test]
fn the_model_reads_no_risk_and_no_names() {
    let world = World::new();
    let agent = world.agent(lines());
    let ended =
        world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    let read = serde_json::to_string(&ended.transcript).unwrap().to_lowercase();
    for word in ["ana", "critical", "suggest", "\"auto", "admin", "high"] {
        assert!(!read.contains(word), "{word} in {read}");
    }
}

/// R3, R11: killed before and after every write and within every tool, the run ends with the same events, and no
/// tool runs twice.
#[test]
fn a_run_goes_on_after_a_crash_anywhere() {
    let world = World::new();
    let agent = world.agent(lines());
    world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    let (places, undisturbed) = (world.places(), names(&world.told()));
    assert!(places > 20, "{places}");
    let mut unknown = 0;
    for at in 1..=places {
        for after in [false, true] {
            let world = World::new();
            let agent = world.agent(lines());
            world.set_fuse(Some(Fuse { at, after }));
            let session = SessionId::new("s").unwrap();
            let ended =
                world.drive(&agent, agent.start(&tenant(), Some(session), requester("bot"), "clean up"));
            assert!(ended.is_none(), "the fuse at {at} did not blow");
            drop(agent);
            world.set_fuse(None);
            let agent = world.agent(lines());
            let rows = world.drive(&agent, agent.unfinished()).unwrap().unwrap();
            for row in rows {
                let ended = world.drive(&agent, agent.resume(row)).unwrap().unwrap();
                assert_eq!(ended.phase, Phase::Done);
            }
            let told = world.told();
            if told.is_empty() {
                assert_eq!((at, after), (1, false), "only what was never begun is not gone on with");
                continue;
            }
            check(&told);
            let mut sorted = names(&told);
            let mut expected = undisturbed.clone();
            sorted.sort();
            expected.sort();
            assert_eq!(sorted, expected, "killed at {at}, after: {after}");
            let mut ran = world.ran.lock().unwrap().clone();
            let times = ran.len();
            ran.sort();
            ran.dedup();
            assert_eq!(ran.len(), times, "something ran twice, killed at {at}, after: {after}: {ran:?}");
            assert!(!ran.contains(&"delete keep".to_owned()));
            unknown += of_type(&told, "tool_result")
                .iter()
                .filter(|event| {
                    event["error"].as_str().is_some_and(|error| error.starts_with("nobody knows"))
                })
                .count();
        }
    }
    assert!(unknown > 0, "some of them died while a tool ran");
}

/// Type and id of each event; requests have other ids in every world.
fn names(told: &[Value]) -> Vec<String> {
    let name = |event: &Value| format!("{} {}", event["type"], event["callId"]);
    told.iter().filter(|event| event["type"] != "text_delta").map(name).collect()
}

/// R10: nobody answers.
#[test]
fn a_time_out_is_a_no_with_its_reason() {
    let world = World::new();
    *world.silent.lock().unwrap() = true;
    let model = Arc::new(Lines(vec![
        turn("", vec![call("c1", "delete", r#"{"path":"old"}"#)]),
        turn("Nobody answered.", Vec::new()),
    ]));
    let agent = world.agent(model);
    let ended =
        world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    assert_eq!(ended.phase, Phase::Done);
    let told = world.told();
    check(&told);
    assert_eq!(of_type(&told, "approval_result")[0]["reason"], "approval timed out");
    assert_eq!(result(&told, "c1")["error"], "denied: approval timed out");
    assert!(world.ran.lock().unwrap().is_empty());
}

/// R7: a tool that throws is an error as data.
#[test]
fn a_tool_that_breaks_is_an_error() {
    let world = World::new();
    let model = Arc::new(Lines(vec![
        turn("", vec![call("c1", "read", r#"{"path":"panic"}"#)]),
        turn("It broke.", Vec::new()),
    ]));
    let agent = world.agent(model);
    world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "read")).unwrap().unwrap();
    check(&world.told());
    assert_eq!(result(&world.told(), "c1")["error"], "the tool broke off with an internal error");
}

/// R3: a model that gives no turn ends the run with one error.
#[test]
fn a_model_that_fails_ends_the_run() {
    let world = World::new();
    let agent = world.agent(Arc::new(Lines(Vec::new())));
    let ended =
        world.drive(&agent, agent.start(&tenant(), None, requester("bot"), "hello")).unwrap().unwrap();
    assert!(matches!(ended.phase, Phase::Failed { .. }));
    check(&world.told());
    assert_eq!(world.told()[0]["message"], "the model refused the request: no more lines");
}

/// R22: a run's state is visible; and R3: a stopped run keeps to the order of events.
#[test]
fn a_waiting_run_can_be_seen_and_stopped() {
    let world = World::new();
    *world.silent.lock().unwrap() = true;
    let model: Arc<dyn Model> = Arc::new(Lines(vec![
        turn("", vec![call("c1", "delete", r#"{"path":"old"}"#)]),
        turn("", Vec::new()),
    ]));
    let agent = world.agent(model);
    let session = SessionId::new("s").unwrap();
    let begun = world
        .drive(&agent, agent.begin(&tenant(), Some(session.clone()), requester("bot"), "clean up"))
        .unwrap()
        .unwrap();
    let run: RunId = begun.row.run.clone();
    let seen = Mutex::new(None);
    let working = async {
        let resumed = agent.resume(begun.row);
        let stopper = async {
            loop {
                let listener = agent.changed(&tenant(), &session);
                if matches!(world.last_run().phase, Phase::WaitingApproval { .. }) {
                    break;
                }
                listener.await;
            }
            *seen.lock().unwrap() = Some(world.last_run().phase);
            let busy = agent.begin(&tenant(), Some(session.clone()), requester("bot"), "more").await;
            assert!(matches!(busy, Err(StartError::Busy { .. })));
            agent.stop(&tenant(), &run, "no longer needed").await.unwrap()
        };
        let (resumed, stopped) = futures::future::join(resumed, stopper).await;
        assert!(resumed.is_err() && stopped);
    };
    world.drive(&agent, working).unwrap();
    let Some(Phase::WaitingApproval { of }) = seen.into_inner().unwrap() else {
        panic!("it was not seen waiting")
    };
    assert_eq!(of[0].tool, "delete");
    assert_eq!(world.requests()[0].status(), crate::approval::Status::Revoked);
    check(&world.told());
    assert_eq!(world.told().last().unwrap()["message"], "the run was stopped: no longer needed");
}

/// R4: another credential's session is none; the same session goes on with the conversation.
#[test]
fn sessions_belong_to_who_began_them() {
    let world = World::new();
    let agent = world.agent(Arc::new(Lines(vec![turn("Hello.", Vec::new()), turn("Again.", Vec::new())])));
    let session = SessionId::new("s").unwrap();
    let start = |who: &'static str, text: &'static str| {
        let (agent, session) = (agent.clone(), session.clone());
        async move { agent.start(&tenant(), Some(session), requester(who), text).await }
    };
    world.drive(&agent, start("bot", "one")).unwrap().unwrap();
    let other = world.drive(&agent, start("other", "two")).unwrap();
    assert!(matches!(other, Err(StartError::NoSuchSession)));
    assert!(matches!(world.drive(&agent, start("bot", "  ")).unwrap(), Err(StartError::Empty)));
    let second = world.drive(&agent, start("bot", "two")).unwrap().unwrap();
    assert_eq!((second.ordinal, second.events_before), (2, 2));
    assert_eq!(second.transcript.len(), 4);
    let types: Vec<Value> = world.told().iter().map(|event| event["type"].clone()).collect();
    assert_eq!(types, ["text_delta", "done", "text_delta", "done"]);
}

/// R11: two processes that resume the same run do not tell anything twice, and run nothing twice.
#[test]
fn two_that_resume_one_run_are_as_good_as_one() {
    let world = World::new();
    let (one, other) = (world.agent(lines()), world.agent(lines()));
    let begun = world.drive(&one, one.begin(&tenant(), None, requester("bot"), "clean up")).unwrap().unwrap();
    let both = futures::future::join(one.resume(begun.row.clone()), other.resume(begun.row));
    let (first, second) = world.drive(&one, both).unwrap();
    assert!(first.is_err() || second.is_err(), "one of them finds that the run went on without it");
    for row in world.drive(&one, one.unfinished()).unwrap().unwrap() {
        world.drive(&one, one.resume(row)).unwrap().unwrap();
    }
    check(&world.told());
    let mut ran = world.ran.lock().unwrap().clone();
    ran.sort();
    assert_eq!(ran, ["delete old", "note n", "read ", "read a", "read b"]);
}
