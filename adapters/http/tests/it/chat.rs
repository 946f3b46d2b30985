//! `/chat` (R3, R4).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use placet::gate::Gate;
use placet::id::{CredentialId, RunId, SessionId, TenantId};
use placet::ports::store::Scope;
use placet::ports::{RunRow, StoreError};
use placet::time::Ttl;
use placet_http::{Begun, ChatAgent, ChatError, Said};
use serde_json::json;

use crate::fixture::{Desk, Setting};

/// An agent that says what it is told to, when it is told to.
pub(crate) struct ScriptedAgent {
    gate: Gate,
    rows: Mutex<BTreeMap<SessionId, (RunRow, CredentialId)>>,
}

impl ScriptedAgent {
    pub(crate) fn silent(gate: &Gate) -> Arc<Self> {
        Arc::new(Self { gate: gate.clone(), rows: Mutex::default() })
    }

    /// Appends these events to a session.
    async fn emits(&self, session: &str, kinds: &[&str]) {
        let session: SessionId = session.parse().unwrap();
        let row = self.rows.lock().unwrap()[&session].0.clone();
        let events =
            kinds.iter().map(|kind| json!({"type": kind, "sessionId": session}).to_string()).collect();
        self.gate.store().save_run(row, events).await.unwrap();
        self.rows.lock().unwrap().get_mut(&session).unwrap().0.version += 1;
    }
}

#[async_trait]
impl ChatAgent for ScriptedAgent {
    async fn say(&self, said: Said) -> Result<Begun, ChatError> {
        if said.text == "too much" {
            return Err(ChatError::Text("say less".to_owned()));
        }
        if said.text == "again" {
            return Err(ChatError::Busy);
        }
        let known = said.session.is_some();
        let session = said
            .session
            .unwrap_or_else(|| SessionId::new(format!("s{}", self.rows.lock().unwrap().len() + 1)).unwrap());
        let events = self.gate.store().session_events(&said.tenant, &session, 0, 1000).await?;
        let events_before = events.last().map_or(0, |event| event.number);
        if !known {
            let row = RunRow {
                tenant: said.tenant,
                session: session.clone(),
                run: RunId::new(format!("run-{session}")).unwrap(),
                started_at: self.gate.clock().now(),
                finished: false,
                body: "{}".to_owned(),
                version: 0,
            };
            self.rows.lock().unwrap().insert(session.clone(), (row, said.requester.credential));
        }
        self.emits(session.as_str(), &["text_delta"]).await;
        Ok(Begun { session, events_before })
    }

    async fn owns(&self, _: &TenantId, session: &SessionId, by: &CredentialId) -> Result<bool, StoreError> {
        Ok(self.rows.lock().unwrap().get(session).is_some_and(|(_, owner)| owner == by))
    }

    /// Every hint is lost: the streams go on by reading again.
    fn changed(&self, _: &TenantId, _: &SessionId) -> BoxFuture<'static, ()> {
        futures::future::pending().boxed()
    }
}

pub(crate) async fn with_agent(make: fn(&Gate) -> Arc<ScriptedAgent>) -> Desk {
    let setting = Setting { agent: Some(Arc::new(move |gate| make(gate) as _)), ..Setting::default() };
    Desk::with(setting).await
}

/// A desk, and the agent at it.
async fn desk() -> (Desk, Arc<ScriptedAgent>) {
    let made: Arc<Mutex<Option<Arc<ScriptedAgent>>>> = Arc::default();
    let kept = Arc::clone(&made);
    let make = move |gate: &Gate| {
        let agent = ScriptedAgent::silent(gate);
        *kept.lock().unwrap() = Some(Arc::clone(&agent));
        agent as Arc<dyn ChatAgent>
    };
    let desk = Desk::with(Setting { agent: Some(Arc::new(make)), ..Setting::default() }).await;
    let agent = made.lock().unwrap().clone().unwrap();
    (desk, agent)
}

/// R4: a run's stream holds its events in order, and ends with it; a second run of the session has its own.
#[tokio::test]
async fn a_runs_events_are_streamed_to_its_end() {
    let (desk, agent) = desk().await;
    let mut stream = desk.post("agent", "/chat", &json!({"text": "clean up"})).stream().await;
    let first = stream.next().await.unwrap();
    assert_eq!((first.event.as_str(), first.id.as_str()), ("text_delta", "1.s1"));
    assert_eq!(first.data, json!({"type": "text_delta", "sessionId": "s1"}));
    agent.emits("s1", &["tool_call_start", "tool_result", "done"]).await;
    desk.clock.passes(Ttl::from_secs(5));
    let kinds: Vec<_> = stream.take(3).await.into_iter().map(|frame| frame.event).collect();
    assert_eq!(kinds, ["tool_call_start", "tool_result", "done"]);
    assert_eq!(stream.next().await, None, "the run is over");
    let mut second = desk.post("agent", "/chat", &json!({"text": "more", "sessionId": "s1"})).stream().await;
    assert_eq!(second.next().await.unwrap().id, "5.s1", "nothing of the first");
    agent.emits("s1", &["error"]).await;
    desk.clock.passes(Ttl::from_secs(5));
    assert_eq!(second.next().await.unwrap().event, "error");
    assert_eq!(second.next().await, None);
}

/// R4: while people think, a comment every 15 s.
#[tokio::test]
async fn a_waiting_run_keeps_its_stream_alive() {
    let (desk, _agent) = desk().await;
    let mut stream = desk.post("agent", "/chat", &json!({"text": "clean up"})).stream().await;
    stream.next().await.unwrap();
    for _ in 0..3 {
        desk.clock.passes(Ttl::from_secs(15));
        assert!(stream.next().await.unwrap().comment.is_some());
    }
}

/// R4: who comes back with the last id misses nothing and says nothing twice, by either way.
#[tokio::test]
async fn a_client_that_comes_back_misses_nothing() {
    let (desk, agent) = desk().await;
    let mut stream = desk.post("agent", "/chat", &json!({"text": "clean up"})).stream().await;
    let seen = stream.next().await.unwrap().id;
    drop(stream);
    agent.emits("s1", &["tool_call_start", "tool_result", "done"]).await;
    let again = desk.post("agent", "/chat", &json!({"text": "clean up"})).header("last-event-id", &seen);
    let mut again = again.stream().await;
    let frames = again.take(3).await;
    assert_eq!(frames[2].event, "done");
    assert_eq!(again.next().await, None);
    assert_eq!(agent.rows.lock().unwrap().len(), 1, "nothing was said again");
    let over =
        desk.post("agent", "/chat", &json!({"text": "clean up"})).header("last-event-id", &frames[2].id);
    let mut over = over.stream().await;
    assert!(over.next().await.unwrap().comment.is_some());
    assert_eq!(over.next().await, None, "the run is over, and its end was seen");
    let mut events =
        desk.get("agent", "/chat/s1/events").header("last-event-id", &frames[0].id).stream().await;
    assert_eq!(events.take(2).await[1].event, "done");
    let all = desk.get("agent", "/chat/s1/events").stream().await.take(4).await;
    assert_eq!(all[0].id, seen);
    let after = desk.get("agent", &format!("/chat/s1/events?after={seen}")).stream().await.take(1).await;
    assert_eq!(after[0].event, "tool_call_start");
}

/// R4: sessions do not see each other's events, whoever asks.
#[tokio::test]
async fn a_session_is_its_own_credentials() {
    let (desk, _agent) = desk().await;
    desk.post("agent", "/chat", &json!({"text": "one"})).stream().await.next().await.unwrap();
    desk.has("other", "acme", &[Scope::Propose]).await;
    desk.has("globex", "globex", &[Scope::Propose]).await;
    for who in ["other", "globex"] {
        desk.get(who, "/chat/s1/events").send().await.problem(404, "session_not_found");
        let say = desk.post(who, "/chat", &json!({"text": "x", "sessionId": "s1"}));
        say.send().await.problem(404, "session_not_found");
        let resume = desk.post(who, "/chat", &json!({"text": "x"})).header("last-event-id", "1.s1");
        resume.send().await.problem(404, "session_not_found");
    }
    desk.get("agent", "/chat/s9/events").send().await.problem(404, "session_not_found");
    desk.post("agent", "/chat", &json!({"text": "two"})).stream().await.next().await.unwrap();
    for bad in ["7", "1.s2", "0.s1", "x.s1"] {
        let ask = desk.get("agent", "/chat/s1/events").header("last-event-id", bad);
        ask.send().await.problem(400, "cursor_invalid");
    }
    let ahead = desk.post("agent", "/chat", &json!({"text": "x"})).header("last-event-id", "99.s1");
    ahead.send().await.problem(400, "cursor_invalid");
}

/// R4: who is refused another stream has not begun a run by asking for it.
#[tokio::test]
async fn a_refused_stream_begins_no_run() {
    let (desk, agent) = desk().await;
    let mut open = Vec::new();
    for _ in 0..placet_http::limits::STREAMS_PER_CREDENTIAL_MAX {
        open.push(desk.post("agent", "/chat", &json!({"text": "x"})).stream().await);
    }
    let refused = desk.post("agent", "/chat", &json!({"text": "delete everything"})).send().await;
    refused.problem(429, "too_many_streams");
    assert_eq!(agent.rows.lock().unwrap().len(), open.len(), "nothing was said");
}

#[tokio::test]
async fn what_cannot_be_said_is_refused_by_name() {
    let (desk, _agent) = desk().await;
    for (body, status, code, field) in [
        (json!({}), 422, "missing_field", "text"),
        (json!({"text": "  "}), 422, "invalid_field", "text"),
        (json!({"text": "too much"}), 422, "invalid_field", "text"),
        (json!({"text": "again"}), 409, "session_busy", "sessionId"),
        (json!({"text": "x", "session": "s1"}), 422, "unknown_field", "session"),
        (json!({"text": "x", "sessionId": ""}), 422, "invalid_field", "sessionId"),
    ] {
        assert_eq!(desk.post("agent", "/chat", &body).send().await.problem(status, code)["field"], field);
    }
}
