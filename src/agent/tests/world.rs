//! A small world for the agent: a store in memory that can stop dead at any write, a clock that moves when nobody
//! else does, and people who decide once they are asked.

use std::future::pending;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::store::Rows;
use crate::agent::{API_SURFACE, Agent, RunState};
use crate::approval::{
    Approval, Assurance, Ballot, Command, Decision, Delivery, Outcome, OutcomeKind, Rendering, Requester,
    Status,
};
use crate::call::ContentHash;
use crate::card::Redactor;
use crate::gate::{
    Claimant, Executor, Gate, GateParts, GateSettings, NoOnCall, PolicyShelf, PresentedCall, Receipt,
    Running, Wakes,
};
use crate::id::*;
use crate::person::{AccountState, Identity, NoStanding};
use crate::policy::{Policy, PolicySet};
use crate::ports::*;
use crate::time::{Timestamp, Ttl};

pub(super) const POLICY: &str = r#"
version = "t"
profile = "team"
[levels.low]
tier = "auto"
[levels.medium]
tier = "suggest"
[levels.high]
tier = "approve"
role = "admin"
[levels.critical]
tier = "approve"
role = "admin"
[[rule]]
name = "reads"
tools = ["read"]
level = "low"
[[rule]]
name = "notes"
tools = ["note"]
level = "medium"
because = "Notes are seen afterwards."
[[forbid]]
name = "never"
tools = ["format"]
because = "Nothing is ever formatted."
[[rule]]
name = "deletes"
tools = ["delete"]
level = "critical"
because = "Deleting cannot be undone."
[default]
role = "admin"
[[people]]
id = "ana"
name = "Ana"
roles = ["admin"]
accounts = ["script/ana"]
credentials = ["ana-console"]
"#;

fn policy(text: &str) -> Policy {
    Policy::parse(text, "policy.toml").map_err(|errors| errors.to_string()).unwrap()
}

pub(super) fn tenant() -> TenantId {
    TenantId::new("acme").unwrap()
}

pub(super) fn requester(credential: &str) -> Requester {
    Requester {
        credential: CredentialId::new(credential).unwrap(),
        identities: Vec::new(),
        shown_as: "the bot".to_owned(),
    }
}

/// Stops the process at the nth dangerous place, before or after what happens there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fuse {
    pub(super) at: u64,
    pub(super) after: bool,
}

#[derive(Default)]
pub(super) struct World {
    now: Mutex<i64>,
    sleepers: Mutex<Vec<i64>>,
    random: AtomicU64,
    rows: Mutex<Rows>,
    /// What the tools did: tool and key argument.
    pub(super) ran: Mutex<Vec<String>>,
    /// For how long after a yes nobody can look up accounts, and until when that is.
    pub(super) outage: Mutex<Option<Ttl>>,
    down_until: Mutex<Option<Timestamp>>,
    places: AtomicU64,
    fuse: Mutex<Option<Fuse>>,
    blown: Mutex<bool>,
    /// Whether people answer at all.
    pub(super) silent: Mutex<bool>,
    /// Whether there is no way to ask any.
    pub(super) unreachable: Mutex<bool>,
    /// Whether an executor outside claims what was approved, before the agent can.
    pub(super) rival: Mutex<bool>,
    claimed: Mutex<Option<Receipt>>,
    /// The policy in force, where it is not the usual one.
    pub(super) policy: Mutex<Option<String>>,
}

/// The world, as a port.
#[derive(Clone)]
pub(super) struct Of(pub(super) Arc<World>);

impl Of {
    /// A place where the process may stop dead.
    pub(super) async fn dangerous<T>(&self, act: impl FnOnce() -> T) -> T {
        let place = self.0.places.fetch_add(1, SeqCst) + 1;
        let fuse = *self.0.fuse.lock().unwrap();
        let here = fuse.filter(|fuse| fuse.at == place);
        if here.is_some_and(|fuse| !fuse.after) {
            *self.0.blown.lock().unwrap() = true;
            pending::<()>().await;
        }
        let result = act();
        if here.is_some() {
            *self.0.blown.lock().unwrap() = true;
            pending::<()>().await;
        }
        result
    }

    pub(super) fn rows<T>(&self, act: impl FnOnce(&mut Rows) -> T) -> T {
        act(&mut self.0.rows.lock().unwrap())
    }
}

#[async_trait]
impl Directory for Of {
    async fn account(&self, _identity: &Identity, _age_max: Ttl) -> Account {
        let as_of = self.now();
        let down = self.0.down_until.lock().unwrap().is_some_and(|until| as_of < until);
        let why = || AccountState::Barred(NoStanding::Unreadable("it is down".to_owned()));
        Account { state: if down { why() } else { AccountState::Active }, name: None, as_of }
    }

    fn account_at_hand(&self, _identity: &Identity, _age_max: Ttl) -> Option<Account> {
        None
    }

    async fn members(&self, group: &Identity, _age_max: Ttl) -> Members {
        Members { members: Err(format!("{group} cannot be read")), as_of: self.now() }
    }

    fn members_at_hand(&self, _group: &Identity, _age_max: Ttl) -> Option<Members> {
        None
    }
}

impl World {
    pub(super) fn new() -> Arc<Self> {
        let world = Arc::new(Self::default());
        *world.now.lock().unwrap() = 1_800_000_000_000;
        world
    }

    pub(super) fn places(&self) -> u64 {
        self.places.load(SeqCst)
    }

    pub(super) fn set_fuse(&self, fuse: Option<Fuse>) {
        *self.fuse.lock().unwrap() = fuse;
        *self.blown.lock().unwrap() = false;
    }

    /// A new process over what is kept.
    pub(super) fn agent(self: &Arc<Self>, model: Arc<dyn Model>) -> Agent {
        let of = Of(Arc::clone(self));
        let clock: Arc<dyn Clock> = Arc::new(of.clone());
        let gate = Gate::new(GateParts {
            store: Arc::new(of.clone()),
            clock: Arc::clone(&clock),
            entropy: Arc::new(of.clone()),
            policy: PolicyShelf::new(PolicySet::alone(policy(
                self.policy.lock().unwrap().as_deref().unwrap_or(POLICY),
            ))),
            directory: Arc::new(of.clone()),
            on_call: Arc::new(NoOnCall::new(Arc::clone(&clock))),
            surfaces: Vec::new(),
            redactor: Arc::new(Redactor::new()),
            signer: None,
            schemas: Arc::new(NoSchemas),
            wakes: Wakes::new(),
            settings: GateSettings {
                decide_over_api: !*self.unreachable.lock().unwrap(),
                ..GateSettings::default()
            },
        });
        let tools = ["read", "note", "delete", "format"].map(|name| {
            Arc::new(LoggedTool { name: ToolName::new(name).unwrap(), world: of.clone() }) as Arc<dyn Tool>
        });
        Agent::new(Executor::new(gate, tools), model, AgentId::new("bot").unwrap())
    }

    /// Drives a future to its end, moving time and people along; none if the process stopped dead.
    pub(super) fn drive<T>(self: &Arc<Self>, agent: &Agent, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..10_000 {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return Some(value);
            }
            if *self.blown.lock().unwrap() {
                return None;
            }
            if self.people_act(agent) {
                continue;
            }
            self.time_passes();
        }
        panic!("nothing moves any more");
    }

    /// One person decides one thing they are asked: what is to be kept is kept.
    fn people_act(self: &Arc<Self>, agent: &Agent) -> bool {
        if *self.silent.lock().unwrap() {
            return self.people_look(agent);
        }
        if self.rival_reports(agent) {
            return true;
        }
        let rows = self.rows.lock().unwrap();
        let asked = rows.requests.values().find(|approval| approval.status() == Status::WaitingApproval);
        let Some(approval) = asked.cloned() else { return false };
        drop(rows);
        let kept =
            approval.proposal.call.args.value()["path"].as_str().is_some_and(|path| path.contains("keep"));
        let surface = SurfaceName::new(API_SURFACE).unwrap();
        let shown = agent.executor.gate().view(&approval).shown(&surface, true);
        let ana = Identity::new("script", "ana").unwrap();
        // The stream shows nothing to whoever decides: Ana reads the request first, as everybody must.
        let read =
            Rendering { shown, surface: surface.clone(), full: true, viewer: Some(ana.clone()), covers: 0 };
        let ballot = Ballot {
            identity: ana,
            decision: if kept { Decision::Deny } else { Decision::Approve },
            note: Some(if kept { "still needed" } else { "temporary, can go" }.to_owned()),
            surface,
            assurance: Assurance::Signed,
            shown: Some(shown),
            remember: false,
            given_on: None,
            sign: None,
        };
        let (fuse, places) = (self.fuse.lock().unwrap().take(), self.places());
        let (gate, tenant) = (agent.executor.gate(), tenant());
        let vote = pin!(async {
            gate.command(&tenant, approval.id, Command::Show(read)).await.unwrap().1.unwrap();
            gate.vote(&tenant, approval.id, ballot).await
        });
        let Poll::Ready(voted) = vote.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("a vote hangs")
        };
        voted.unwrap().1.unwrap();
        self.places.store(places, SeqCst);
        let now = Timestamp::from_millis(*self.now.lock().unwrap());
        *self.down_until.lock().unwrap() = self.outage.lock().unwrap().map(|outage| now + outage);
        *self.fuse.lock().unwrap() = fuse;
        if *self.rival.lock().unwrap() && !kept {
            self.rival_claims(agent, &approval);
        }
        true
    }

    /// People are asked, and say nothing.
    fn people_look(&self, agent: &Agent) -> bool {
        let unread =
            |approval: &Approval| approval.status() == Status::WaitingApproval && !approval.card_delivered;
        let Some(approval) = self.requests().into_iter().find(unread) else { return false };
        let surface = SurfaceName::new(API_SURFACE).unwrap();
        let looked = Command::Deliver(Delivery { surface, failure: None });
        let (fuse, places) = (self.fuse.lock().unwrap().take(), self.places());
        let deliver = pin!(agent.executor.gate().command(&approval.tenant, approval.id, looked));
        let Poll::Ready(delivered) = deliver.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("a delivery hangs")
        };
        delivered.unwrap().1.unwrap();
        self.places.store(places, SeqCst);
        *self.fuse.lock().unwrap() = fuse;
        true
    }

    /// An executor outside is faster than the agent.
    fn rival_claims(&self, agent: &Agent, approval: &Approval) {
        let call = &approval.proposal.call;
        let presented = PresentedCall { server: None, tool: call.tool.clone(), args: call.args.clone() };
        let credential = CredentialId::new("rival").unwrap();
        let claimant = Claimant { credential, key: "key".to_owned() };
        let claim =
            pin!(agent.executor.gate().claim_outside(&approval.tenant, approval.id, presented, claimant));
        let Poll::Ready(claimed) = claim.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("a claim hangs")
        };
        let (tenant, key) = (&approval.tenant, "key".to_owned());
        let receipt = Gate::receipt(tenant, approval.id, claimed.unwrap().claim, key);
        *self.claimed.lock().unwrap() = Some(receipt);
    }

    /// It reports, once the agent has seen that it runs.
    fn rival_reports(&self, agent: &Agent) -> bool {
        if !self.told().iter().any(|event| event["type"] == "approval_result") {
            return false;
        }
        let Some(receipt) = self.claimed.lock().unwrap().take() else { return false };
        let result = Some("\"by another hand\"".to_owned());
        let outcome = Outcome { kind: OutcomeKind::Succeeded, result, error: None, duration_ms: None };
        let report = pin!(agent.executor.gate().finish(&receipt, outcome));
        let Poll::Ready(reported) = report.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("a report hangs")
        };
        reported.unwrap();
        true
    }

    fn time_passes(&self) {
        let mut now = self.now.lock().unwrap();
        let mut sleepers = self.sleepers.lock().unwrap();
        sleepers.retain(|at| at > &*now);
        *now = sleepers.iter().min().copied().unwrap_or(*now + 1000);
    }

    /// The session's events, of the only session there is.
    pub(super) fn told(&self) -> Vec<Value> {
        let rows = self.rows.lock().unwrap();
        rows.sessions.values().flatten().map(|json| serde_json::from_str(json).unwrap()).collect()
    }

    pub(super) fn requests(&self) -> Vec<Approval> {
        self.rows.lock().unwrap().requests.values().cloned().collect()
    }

    /// As if nothing had been.
    pub(super) fn forget(&self) {
        *self.rows.lock().unwrap() = Rows::default();
    }

    pub(super) fn last_row(&self) -> RunRow {
        let rows = self.rows.lock().unwrap();
        rows.runs[rows.order.last().unwrap()].clone()
    }

    pub(super) fn last_run(&self) -> RunState {
        let rows = self.rows.lock().unwrap();
        RunState::of(&rows.runs[rows.order.last().unwrap()]).unwrap()
    }
}

/// A tool that only says that it ran.
struct LoggedTool {
    name: ToolName,
    world: Of,
}

#[async_trait]
impl Tool for LoggedTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.clone(),
            description: "A tool.".to_owned(),
            schema: json!({"type": "object"}),
        }
    }

    async fn run(&self, running: Running) -> ToolResult {
        let path = running.args().value()["path"].as_str().unwrap_or_default().to_owned();
        self.world.dangerous(|| self.world.0.ran.lock().unwrap().push(format!("{} {path}", self.name))).await;
        if path == "panic" {
            panic!("the tool breaks");
        }
        ToolResult::Done(json!({"did": path}))
    }
}

impl Entropy for Of {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let n = self.0.random.fetch_add(1, SeqCst);
            *byte = ContentHash::of(&n.to_be_bytes()).as_bytes()[0];
        }
    }
}

#[async_trait]
impl Clock for Of {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(*self.0.now.lock().unwrap())
    }

    async fn sleep_until(&self, at: Timestamp) {
        self.0.sleepers.lock().unwrap().push(at.as_millis());
        std::future::poll_fn(|_| if self.now() >= at { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}
