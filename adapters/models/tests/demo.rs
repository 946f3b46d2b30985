//! The demonstration, whole but for the program around it: scripted model, agent, gate, store, tools, approver.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops there")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use placet::agent::{Agent, Phase};
use placet::approval::Requester;
use placet::card::Redactor;
use placet::gate::{Executor, Gate, GateParts, GateSettings, NoOnCall, PolicyShelf, Trusted, Wakes};
use placet::id::{AgentId, CredentialId, Entropy, SessionId, SurfaceName, TenantId};
use placet::inbound::Inbound;
use placet::person::Identity;
use placet::policy::{Place, Policy, PolicySet};
use placet::ports::{Clock, NoSchemas, Store, Surface};
use placet::time::Timestamp;
use placet_models::Scripted;
use placet_store::{Hint, Options, SqliteStore};
use placet_terminal::{Decided, Desk, Script, Sink};
use placet_tools::{ToolSettings, Workspace, builtin};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Real time, in tests only.
struct Machine;

#[async_trait::async_trait]
impl Clock for Machine {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap())
    }
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    async fn sleep_until(&self, at: Timestamp) {
        let span = u64::try_from(at.as_millis() - self.now().as_millis()).unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(span)).await;
    }
}

/// Never twice the same, also after a restart.
struct Counted;

static COUNT: AtomicU64 = AtomicU64::new(0);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let n = COUNT.fetch_add(1, SeqCst);
            let hash = placet::call::ContentHash::of(&n.to_be_bytes());
            chunk.copy_from_slice(&hash.as_bytes()[..chunk.len()]);
        }
    }
}

fn tenant() -> TenantId {
    TenantId::new("default").unwrap()
}

/// One process over a database file and a workspace.
struct Process {
    agent: Agent,
    store: SqliteStore,
    work: tokio::task::JoinHandle<()>,
}

impl Process {
    fn start(folder: &Path, lines: Vec<Decided>) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(Machine);
        let store =
            SqliteStore::open(folder.join("placet.db"), Options::new(Arc::clone(&clock), Arc::new(Counted)))
                .unwrap();
        let wakes = Wakes::new();
        let told = Arc::clone(&wakes);
        store.set_hint(Arc::new(move |hint: &Hint| told.changed(hint.requests.iter().map(|(_, id)| *id))));
        let (to_gate, mut decided) = unbounded_channel();
        let name = SurfaceName::new("script").unwrap();
        let script: Arc<dyn Surface> = Arc::new(Script::new(desk(&name, &clock, to_gate), lines));
        let gate = Gate::new(GateParts {
            store: Arc::new(store.clone()) as Arc<dyn Store>,
            clock: Arc::clone(&clock),
            entropy: Arc::new(Counted),
            policy: PolicyShelf::new(PolicySet::alone(Policy::builtin().unwrap())),
            directory: Arc::new(Trusted::new(Arc::clone(&clock))),
            on_call: Arc::new(NoOnCall::new(Arc::clone(&clock))),
            surfaces: vec![script],
            redactor: Arc::new(Redactor::new()),
            signer: None,
            schemas: Arc::new(NoSchemas),
            wakes,
            settings: GateSettings {
                default_places: vec![Place { surface: name, channel: "here".to_owned(), thread: None }],
                ..GateSettings::default()
            },
        });
        let worker = gate.clone();
        let receiver = gate.clone();
        let work = tokio::spawn(async move {
            let receive = async {
                while let Some(inbound) = decided.recv().await {
                    receiver.receive(inbound).await.unwrap();
                }
            };
            worker.work(receive).await;
        });
        let workspace = Workspace::open(folder.join("workspace")).unwrap();
        let tools = builtin(ToolSettings { workspace, clock, http_hosts: Vec::new() }).unwrap();
        let agent = Agent::new(
            Executor::new(gate, tools),
            Arc::new(Scripted::demo().unwrap()),
            AgentId::new("demo").unwrap(),
        );
        Self { agent, store, work }
    }

    async fn events(&self, session: &str) -> Vec<Value> {
        let session = SessionId::new(session).unwrap();
        let store = self.agent.executor().gate().store();
        let events = store.session_events(&tenant(), &session, 0, 1000).await.unwrap();
        events.iter().map(|event| serde_json::from_str(&event.json).unwrap()).collect()
    }

    /// As a kill would: nothing is put in order.
    async fn die(self) {
        self.work.abort();
        let _aborted = self.work.await;
        self.store.close();
    }
}

fn desk(name: &SurfaceName, clock: &Arc<dyn Clock>, to_gate: UnboundedSender<Inbound>) -> Desk {
    let sink: Sink = Arc::new(move |inbound| {
        let _closed = to_gate.send(inbound);
    });
    Desk {
        name: name.clone(),
        tenant: tenant(),
        identity: Identity::new("terminal", "owner").unwrap(),
        clock: Arc::clone(clock),
        sink,
    }
}

fn requester() -> Requester {
    Requester {
        credential: CredentialId::new("demo").unwrap(),
        identities: Vec::new(),
        shown_as: "the demonstration".to_owned(),
    }
}

fn project() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("workspace/demo-notes");
    std::fs::create_dir_all(&notes).unwrap();
    std::fs::write(notes.join("scratch.txt"), "temporary notes\n").unwrap();
    (folder, notes)
}

fn types(events: &[Value]) -> Vec<&str> {
    let types = events.iter().map(|event| event["type"].as_str().unwrap());
    types.filter(|name| *name != "text_delta").collect()
}

fn text(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["delta"].as_str()).collect()
}

/// R12: deleted after a yes with its reason.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_approved_file_is_gone() {
    let (folder, notes) = project();
    let process = Process::start(folder.path(), vec![Decided::yes("delete_file", "temporary, can go")]);
    let session = SessionId::new("yes").unwrap();
    let ended =
        process.agent.start(&tenant(), Some(session), requester(), "clean up old files").await.unwrap();
    assert_eq!(ended.phase, Phase::Done);
    assert!(!notes.join("scratch.txt").exists());
    let events = process.events("yes").await;
    let call = ["tool_call_start", "tool_result"];
    let asked = ["tool_call_start", "approval_request", "approval_result", "tool_result"];
    assert_eq!(types(&events), [&call[..], &call, &asked, &["done"]].concat());
    let decided = events.iter().find(|event| event["type"] == "approval_result").unwrap();
    assert_eq!((&decided["approved"], &decided["reason"]), (&Value::Bool(true), &"temporary, can go".into()));
    assert!(text(&events).ends_with("I have deleted demo-notes/scratch.txt. Nothing else was old."));
    process.die().await;
}

/// R8, R12: kept after a no; the agent says so, and writes down what it would have deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_denied_file_is_there() {
    let (folder, notes) = project();
    let process = Process::start(folder.path(), vec![Decided::no("delete_file", "still needed")]);
    let session = SessionId::new("no").unwrap();
    let ended =
        process.agent.start(&tenant(), Some(session), requester(), "clean up old files").await.unwrap();
    assert_eq!(ended.phase, Phase::Done);
    assert_eq!(std::fs::read_to_string(notes.join("scratch.txt")).unwrap(), "temporary notes\n");
    let note = std::fs::read_to_string(notes.join("cleanup-note.md")).unwrap();
    assert!(note.contains("demo-notes/scratch.txt") && note.contains("still needed"), "{note}");
    let events = process.events("no").await;
    let denied = events.iter().find(|event| event["denied"] == true).unwrap();
    assert_eq!(denied["error"], "denied by user: still needed");
    assert!(text(&events).contains("I may not delete demo-notes/scratch.txt"));
    let suggested = events.iter().find(|event| event["risk"] == "suggest").unwrap();
    assert_eq!(suggested["toolName"], "write_note");
    process.die().await;
}

/// R23: what changed after people saw it is not touched, and the run goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_changed_after_the_card_is_kept() {
    let (folder, notes) = project();
    let process = Process::start(folder.path(), Vec::new());
    let waiting = wait_for_card(&process, "changed").await;
    std::fs::write(notes.join("scratch.txt"), "important\n").unwrap();
    waiting.abort();
    let _aborted = waiting.await;
    process.die().await;
    let process = Process::start(folder.path(), Vec::new());
    approve_pending(&process).await;
    resume_all(&process).await;
    assert_eq!(std::fs::read_to_string(notes.join("scratch.txt")).unwrap(), "important\n");
    let events = process.events("changed").await;
    assert!(text(&events).contains("has changed since it was looked at"), "{}", text(&events));
    process.die().await;
}

/// R11: the process dies while people think; the next one goes on, and the file is deleted once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_run_survives_its_process() {
    let (folder, notes) = project();
    let process = Process::start(folder.path(), Vec::new());
    let waiting = wait_for_card(&process, "restart").await;
    let before = process.events("restart").await;
    assert_eq!(before.last().unwrap()["type"], "approval_request");
    waiting.abort();
    let _aborted = waiting.await;
    process.die().await;

    let process = Process::start(folder.path(), Vec::new());
    let agent = process.agent.clone();
    let row = agent.unfinished().await.unwrap().remove(0);
    let going_on = tokio::spawn(async move { agent.resume(row).await.unwrap() });
    approve_pending(&process).await;
    assert_eq!(going_on.await.unwrap().phase, Phase::Done);
    assert!(!notes.join("scratch.txt").exists());
    let events = process.events("restart").await;
    assert_eq!(events[..before.len()], before);
    let rest: Vec<&str> = types(&events[before.len()..]);
    assert_eq!(rest, ["approval_result", "tool_result", "done"]);
    process.die().await;
}

/// Starts a run, and returns once its card is on the surface.
async fn wait_for_card(process: &Process, session: &str) -> tokio::task::JoinHandle<()> {
    let agent = process.agent.clone();
    let named = SessionId::new(session).unwrap();
    let running = tokio::spawn(async move {
        agent.start(&tenant(), Some(named), requester(), "clean up old files").await.unwrap();
    });
    loop {
        let approvals = pending(process).await;
        if approvals.iter().any(|approval| approval.card_delivered) && asked(&process.events(session).await) {
            return running;
        }
        tokio::task::yield_now().await;
    }
}

fn asked(events: &[Value]) -> bool {
    events.iter().any(|event| event["type"] == "approval_request")
}

async fn pending(process: &Process) -> Vec<placet::approval::Approval> {
    let query = placet::ports::RequestQuery {
        tenant: Some(tenant()),
        statuses: vec![placet::approval::Status::WaitingApproval],
        limit: 10,
        ..Default::default()
    };
    process.agent.executor().gate().store().list(query).await.unwrap()
}

/// The card that was posted before is pressed.
async fn approve_pending(process: &Process) {
    let gate = process.agent.executor().gate();
    let approval = pending(process).await.remove(0);
    let view = gate.view(&approval);
    let taken = Mutex::new(None);
    {
        let name = SurfaceName::new("script").unwrap();
        let (to, mut from) = unbounded_channel();
        let script = Script::new(desk(&name, gate.clock(), to), vec![Decided::yes("delete_file", "ok")]);
        let place = Place { surface: name, channel: "here".to_owned(), thread: None };
        let attempt = placet::id::AttemptId::mint(gate.clock().now(), &Counted);
        script.post(&place, &view, attempt).await.unwrap();
        *taken.lock().unwrap() = from.recv().await;
    }
    let inbound = taken.into_inner().unwrap().unwrap();
    gate.receive(inbound).await.unwrap();
}

async fn resume_all(process: &Process) {
    for row in process.agent.unfinished().await.unwrap() {
        process.agent.resume(row).await.unwrap();
    }
}
