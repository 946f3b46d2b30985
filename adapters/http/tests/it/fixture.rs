//! A desk: the router over a gate and a store in memory, at a time that is moved by hand.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use futures::StreamExt as _;
use placet::approval::{Approval, Command};
use placet::card::Redactor;
use placet::gate::{
    CredentialDirectory, Directories, Gate, GateParts, GateSettings, GrantSigner, NoOnCall, PolicyShelf,
    Trusted, Wakes,
};
use placet::id::{AgentId, CredentialId, RequestId, TenantId};
use placet::policy::{Policy, PolicySet};
use placet::ports::store::Scope;
use placet::ports::{
    Clock, CredentialRow, CredentialStore as _, Entropy, EventQuery, NoSchemas, Schemas, Store,
};
use placet::record::{Event, Seq};
use placet::time::{Timestamp, Ttl};
use placet_http::{ChatAgent, CursorKey, HttpParts, HttpSettings, new_token, router, token_hash};
use placet_store::{Location, Options, SqliteStore};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;
use tower::ServiceExt as _;

pub(crate) const NOWHERE: &str = "0190f3c2-5d5e-7c3a-9b1e-3f2a4c5d6e7f";

/// A clock moved by hand.
pub(crate) struct HandClock {
    now: Mutex<Timestamp>,
    moved: Notify,
    sleepers: AtomicUsize,
}

/// Somebody who waits for a time.
struct Sleeper<'a>(&'a AtomicUsize);

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl HandClock {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            now: Mutex::new(Timestamp::from_secs(1_796_047_200)),
            moved: Notify::new(),
            sleepers: AtomicUsize::new(0),
        })
    }

    pub(crate) fn passes(&self, span: Ttl) {
        let mut now = self.now.lock().unwrap();
        *now = *now + span;
        drop(now);
        self.moved.notify_waiters();
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }

    async fn sleep_until(&self, at: Timestamp) {
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let _sleeper = Sleeper(&self.sleepers);
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            moved.as_mut().enable();
            if self.now() >= at {
                return;
            }
            moved.await;
        }
    }
}

/// The same chance each time.
#[derive(Default)]
pub(crate) struct Chance(AtomicU64);

impl Entropy for Chance {
    fn fill(&self, bytes: &mut [u8]) {
        for piece in bytes.chunks_mut(32) {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            piece.copy_from_slice(&Sha256::digest(number.to_be_bytes())[..piece.len()]);
        }
    }
}

/// Bo, Chen and Dana are admins; Vic is a viewer; Two is two people's.
pub(crate) const POLICY: &str = r#"
version = "test"

[levels.low]
tier = "auto"

[levels.medium]
tier = "suggest"

[levels.high]
tier = "approve"
role = "admin"
decide_within = "30m"
valid_for = "10m"
reason_required = { no = true }

[levels.critical]
tier = "approve"
role = "admin"
count = 2

[[forbid]]
name = "never"
tools = ["drop_*"]
because = "Tables are dropped by migrations only."

[[rule]]
name = "reads"
tools = ["get_*"]
level = "low"

[[rule]]
name = "notes"
tools = ["write_note"]
level = "medium"
because = "It changes little."

[[rule]]
name = "deploys"
tools = ["deploy"]
level = "critical"
because = "It changes what customers use."

[[rule]]
name = "deletes"
tools = ["delete_*"]
level = "high"
because = "Deleting cannot be undone."

[default]
level = "high"
role = "admin"
because = "No rule of the policy knows this tool."

[roles]
stewards = ["admin"]
names = ["viewer"]

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
credentials = ["bo"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin"]
credentials = ["chen"]

[[people]]
id = "vic"
name = "Vic"
roles = ["viewer"]
credentials = ["vic"]

[[people]]
id = "ana"
name = "Ana"
roles = ["admin"]
credentials = ["ana"]
accounts = ["slack:T1/UANA"]
"#;

pub(crate) struct Desk {
    pub(crate) clock: Arc<HandClock>,
    pub(crate) chance: Arc<Chance>,
    pub(crate) store: SqliteStore,
    pub(crate) gate: Gate,
    pub(crate) policies: Arc<PolicyShelf>,
    pub(crate) router: Router,
    tokens: Mutex<BTreeMap<String, String>>,
}

/// Makes the agent, once there is a gate.
pub(crate) type MakesAgent = Arc<dyn Fn(&Gate) -> Arc<dyn ChatAgent>>;

pub(crate) struct Setting {
    pub(crate) policy: String,
    pub(crate) agent: Option<MakesAgent>,
    pub(crate) surfaces: Vec<Router>,
    pub(crate) signs: bool,
    pub(crate) decide_over_api: bool,
    pub(crate) metrics: Option<metrics_exporter_prometheus::PrometheusHandle>,
    pub(crate) redactor: Redactor,
    pub(crate) schemas: Arc<dyn Schemas>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            policy: POLICY.to_owned(),
            agent: None,
            surfaces: Vec::new(),
            signs: true,
            decide_over_api: true,
            metrics: None,
            redactor: Redactor::new(),
            schemas: Arc::new(NoSchemas),
        }
    }
}

impl Desk {
    pub(crate) async fn new() -> Self {
        Self::with(Setting::default()).await
    }

    pub(crate) async fn with(setting: Setting) -> Self {
        let clock = HandClock::new();
        let chance = Arc::new(Chance::default());
        let options = Options::new(Arc::clone(&clock) as _, Arc::clone(&chance) as _);
        let store = SqliteStore::open(Location::Memory, options).unwrap();
        let wakes = Wakes::new();
        let told = Arc::clone(&wakes);
        store.set_hint(Arc::new(move |hint| told.changed(hint.requests.iter().map(|(_, id)| *id))));
        let shared: Arc<SqliteStore> = Arc::new(store.clone());
        let directory = Directories::new(Arc::clone(&clock) as _)
            .with("slack", Arc::new(Trusted::new(Arc::clone(&clock) as _)))
            .with(
                "credential",
                Arc::new(CredentialDirectory::new(Arc::clone(&clock) as _, Arc::clone(&shared) as _)),
            );
        let policies = PolicyShelf::new(PolicySet::alone(
            Policy::parse(&setting.policy, "test.toml").unwrap_or_else(|e| panic!("{e}")),
        ));
        let gate = Gate::new(GateParts {
            store: shared as Arc<dyn Store>,
            clock: Arc::clone(&clock) as _,
            entropy: Arc::clone(&chance) as _,
            policy: Arc::clone(&policies),
            directory: Arc::new(directory),
            on_call: Arc::new(NoOnCall::new(Arc::clone(&clock) as _)),
            surfaces: Vec::new(),
            redactor: Arc::new(setting.redactor),
            signer: setting.signs.then(|| GrantSigner::new(&[7; 32], "epoch-1")),
            schemas: setting.schemas,
            wakes,
            settings: GateSettings { decide_over_api: setting.decide_over_api, ..GateSettings::default() },
        });
        let router = router(HttpParts {
            gate: gate.clone(),
            agent: setting.agent.map(|make| make(&gate)),
            surfaces: setting.surfaces,
            metrics: setting.metrics,
            policy: Arc::default(),
            surfaces_health: Arc::default(),
            settings: HttpSettings { cursor_key: CursorKey::new([9; 32]) },
        });
        let desk = Self { clock, chance, store, gate, policies, router, tokens: Mutex::default() };
        desk.has("agent", "acme", &[Scope::Propose, Scope::Execute]).await;
        desk.has("runner", "acme", &[Scope::Execute]).await;
        for voter in ["bo", "chen", "vic", "ana"] {
            desk.has(voter, "acme", &[Scope::Decide]).await;
        }
        desk.has("auditor", "acme", &[Scope::Audit]).await;
        desk.has("manager", "acme", &[Scope::Manage]).await;
        desk
    }

    pub(crate) async fn has(&self, id: &str, tenant: &str, scopes: &[Scope]) {
        self.has_row(id, tenant, scopes, |_| {}).await;
    }

    pub(crate) async fn has_row(
        &self,
        id: &str,
        tenant: &str,
        scopes: &[Scope],
        change: impl FnOnce(&mut CredentialRow),
    ) {
        let token = new_token(&*self.chance);
        let mut row = CredentialRow {
            id: CredentialId::new(id).unwrap(),
            tenant: TenantId::new(tenant).unwrap(),
            agent: AgentId::new(id).unwrap(),
            scopes: scopes.to_vec(),
            may_act_for_others: false,
            secret_hash: token_hash(&token),
            created_at: self.clock.now(),
            expires_at: None,
            revoked_at: None,
        };
        change(&mut row);
        self.store.add_credential(row).await.unwrap();
        self.tokens.lock().unwrap().insert(id.to_owned(), token);
    }

    pub(crate) fn token(&self, id: &str) -> String {
        self.tokens.lock().unwrap()[id].clone()
    }

    pub(crate) fn ask(&self, method: Method, path: &str) -> Ask {
        Ask {
            router: self.router.clone(),
            method,
            path: path.to_owned(),
            headers: HeaderMap::new(),
            body: Body::empty(),
        }
    }

    pub(crate) fn get(&self, who: &str, path: &str) -> Ask {
        self.ask(Method::GET, path).token(&self.token(who))
    }

    pub(crate) fn post(&self, who: &str, path: &str, body: &Value) -> Ask {
        self.ask(Method::POST, path).token(&self.token(who)).json(body)
    }

    pub(crate) fn delete(&self, who: &str, path: &str) -> Ask {
        self.ask(Method::DELETE, path).token(&self.token(who))
    }

    /// The agent proposes; gives the request's id.
    pub(crate) async fn proposes(&self, tool: &str, args: Value) -> String {
        let answer = self.post("agent", "/v1/requests", &call(tool, args)).send().await.expect(201);
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    /// A risky call that waits for one admin.
    pub(crate) async fn delete_file(&self) -> String {
        self.proposes("delete_file", json!({"path": "a.txt"})).await
    }

    pub(crate) async fn reads(&self, who: &str, id: &str) -> Value {
        self.get(who, &format!("/v1/requests/{id}")).send().await.expect(200).json()
    }

    pub(crate) async fn votes(&self, who: &str, id: &str, approved: bool) -> Answer {
        let body = if approved {
            json!({"requestId": id, "approved": true})
        } else {
            json!({"requestId": id, "approved": false, "reason": "still needed"})
        };
        self.post(who, "/approvals", &body).send().await
    }

    /// Somebody reads the whole call, and says yes.
    pub(crate) async fn approves(&self, who: &str, id: &str) -> Value {
        assert_eq!(self.reads(who, id).await["full"], true);
        self.votes(who, id, true).await.expect(200).json()
    }

    pub(crate) async fn claims(&self, id: &str, args: Value, key: char) -> Answer {
        let body = json!({"tool": "delete_file", "args": args, "key": String::from(key).repeat(40)});
        self.post("agent", &format!("/v1/requests/{id}/claim"), &body).send().await
    }

    pub(crate) async fn load(&self, id: &str) -> Approval {
        self.gate.load(&TenantId::new("acme").unwrap(), id.parse().unwrap()).await.unwrap()
    }

    /// Lets time pass, second by second, until something is done; only while at least so many wait for a time, so that
    /// none passes while others work. Gives how much passed.
    pub(crate) async fn until_done<T>(&self, waits: &tokio::task::JoinHandle<T>, sleepers: usize) -> Ttl {
        let mut passed = 0;
        while !waits.is_finished() {
            if self.clock.sleepers.load(Ordering::SeqCst) >= sleepers {
                self.clock.passes(Ttl::from_secs(1));
                passed += 1;
            }
            tokio::task::yield_now().await;
        }
        Ttl::from_secs(passed)
    }

    /// The worker sees what is due.
    pub(crate) async fn tick(&self, id: &str) {
        let id: RequestId = id.parse().unwrap();
        self.gate.command(&TenantId::new("acme").unwrap(), id, Command::Tick).await.unwrap().1.unwrap();
    }

    pub(crate) async fn events(&self, tenant: &str) -> Vec<Event> {
        use placet::ports::RequestStore as _;
        let query = EventQuery {
            tenant: Some(TenantId::new(tenant).unwrap()),
            request: None,
            after: Seq(0),
            types: Vec::new(),
            limit: 1000,
        };
        self.store.events(query).await.unwrap().into_iter().map(|(_, event)| event).collect()
    }

    pub(crate) async fn blocked(&self, tenant: &str) -> usize {
        self.events(tenant)
            .await
            .iter()
            .filter(|event| event.kind.name() == "approval.bypassed_blocked")
            .count()
    }
}

pub(crate) fn call(tool: &str, args: Value) -> Value {
    json!({
        "tool": tool,
        "args": args,
        "run": {"id": "run-1", "step": "step-1"},
        "task": "clean up old files",
        "reason": "it was not touched for three months",
    })
}

/// A request to send.
pub(crate) struct Ask {
    router: Router,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Body,
}

impl Ask {
    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.append(name.parse::<axum::http::HeaderName>().unwrap(), value.parse().unwrap());
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        let ask = self.header("content-type", "application/json");
        ask.body(body.to_string())
    }

    pub(crate) fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) async fn send(self) -> Answer {
        let (status, headers, body) = self.open().await;
        let body = axum::body::to_bytes(body, 4 << 20).await.unwrap();
        Answer { status, headers, body: String::from_utf8(body.to_vec()).unwrap() }
    }

    pub(crate) async fn open(self) -> (StatusCode, HeaderMap, Body) {
        let mut request = Request::builder().method(self.method).uri(self.path).body(self.body).unwrap();
        *request.headers_mut() = self.headers;
        let (parts, body) = self.router.oneshot(request).await.unwrap().into_parts();
        (parts.status, parts.headers, body)
    }

    /// Opens a stream of events.
    pub(crate) async fn stream(self) -> Frames {
        let (status, headers, body) = self.open().await;
        assert_eq!(status, 200);
        assert_eq!(headers["content-type"], "text/event-stream");
        Frames { pieces: body.into_data_stream(), rest: String::new() }
    }
}

/// An answer, read whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {} {}", self.status, self.body))
    }

    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }

    /// A problem of this status and code, in the right form.
    pub(crate) fn problem(self, status: u16, code: &str) -> Value {
        let body = self.json();
        assert_eq!((self.status.as_u16(), body["code"].as_str().unwrap()), (status, code), "{body}");
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("urn:placet:problem:{code}"));
        assert!(body["title"].is_string() && body["detail"].as_str().unwrap().len() > 10, "{body}");
        body
    }
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Frame {
    pub(crate) id: String,
    pub(crate) event: String,
    pub(crate) data: Value,
    pub(crate) comment: Option<String>,
}

/// A stream of events, as it comes.
pub(crate) struct Frames {
    pieces: BodyDataStream,
    rest: String,
}

impl Frames {
    /// The next event or comment; none at the end.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        loop {
            while let Some((frame, rest)) = self.rest.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.rest = rest;
                if frame.starts_with("retry:") {
                    continue;
                }
                let mut read = Frame::default();
                for line in frame.lines() {
                    match line.split_once(':').unwrap() {
                        ("id", value) => read.id = value.trim().to_owned(),
                        ("event", value) => read.event = value.trim().to_owned(),
                        ("data", value) => read.data = serde_json::from_str(value).unwrap(),
                        ("", value) => read.comment = Some(value.trim().to_owned()),
                        other => panic!("{other:?}"),
                    }
                }
                return Some(read);
            }
            let piece = self.pieces.next().await?.unwrap();
            self.rest.push_str(std::str::from_utf8(&piece).unwrap());
        }
    }

    /// The next so many events.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        while frames.len() < count {
            frames.push(self.next().await.expect("an event"));
        }
        frames
    }
}
