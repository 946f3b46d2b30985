//! The one place that names all adapters and puts them together.
//!
//! An application is made of settings and of what is outside, and of nothing else: several can live in one process,
//! and one that is dropped can be built again on the same file.

mod matrix;
mod slack;
mod surfaces;

use std::sync::Arc;

use anyhow::{Context as _, bail};
use axum::Router;
use futures::future::{Either, select};
use placet::agent::Agent;
use placet::agent::task::{TaskDesk, TaskParts};
use placet::approval::{Actor, Approval, State, Status};
use placet::gate::{Executor, Gate, GateParts, GateSettings, GrantSigner, PolicyShelf, Wakes};
use placet::id::{Entropy, SurfaceName};
use placet::ports::{Clock, HoldQuery, Model, RequestQuery, RequestStore as _, Surface, Tool};
use placet::time::Ttl;
use placet_http::{ChatAgent, CursorKey, HttpParts, HttpSettings, PolicyHealth, ServeLimits, SurfaceHealth};
use placet_oncall::{OnCallSettings, PagerDutySettings, Schedules};
use placet_schemas::KnownSchemas;
use placet_slack::{Slack, SlackSocket};
use placet_store::{Access, AlwaysGo, CommitProbe, Hint, Options, SqliteStore};
use placet_tools::Workspace;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;

use crate::beside::Beside;
use crate::clock::SystemClock;
use crate::entropy::OsEntropy;
use crate::policies::{self, Files, Ground, PolicyWatch, Start};
use crate::runs::Runs;
use crate::settings::{GrantSettings, ModelChoice, ProxySettings, Settings};
use crate::soundness::Soundness;
use crate::telemetry::Numbers;
pub use matrix::MatrixEar;
use slack::WaysIn;
pub(crate) use slack::secrets as slack_secrets;
use surfaces::Surfaces;

/// The name of Slack in the policy's places, and the family of its realms.
pub(crate) const SLACK: &str = "slack";

/// The realm of whoever holds a credential.
const CREDENTIAL_REALM: &str = "credential";

/// How often it is looked whether tools still run, while the server stops.
const LOOK_AGAIN: Ttl = Ttl::from_millis(50);

/// Running calls that are looked at then: the agent has far fewer.
const EXECUTING_LOOKED_AT_MAX: u32 = 1000;

/// How often it is looked whether another server on the same file has changed something. A look costs microseconds, and
/// who waits for somebody's yes hardly notices a second.
const LOOK_AT_OTHERS: Ttl = Ttl::from_secs(1);

/// At every so many looks it is looked for runs of the agent that nobody goes on with: twice a minute. One that stood
/// still between two of these is taken up.
const ORPHANS_EVERY: u32 = 30;

/// How long until Slack is asked again, where it does not know this app.
const GREET_AGAIN: Ttl = Ttl::from_secs(60);

/// Stops that are named at the start; `placet stops` shows all.
const STOPS_SAID_MAX: u32 = 20;

/// What an application is given besides its settings.
pub struct Outside {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Looks on at each commit.
    pub probe: Arc<dyn CommitProbe>,
    /// Surfaces besides those of the settings: the terminal, a script.
    pub surfaces: Vec<LocalSurface>,
    /// The model, instead of that of the settings.
    pub model: Option<Arc<dyn Model>>,
    /// Tools besides the built-in ones; of two with one name, these.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Whether the policy's files take force at the start though the policy that was in force last wants somebody's yes
    /// to that.
    pub take_policy: bool,
}

/// A surface on this machine, whose accounts the machine itself vouches for.
pub struct LocalSurface {
    /// The surface.
    pub surface: Arc<dyn Surface>,
    /// The realm of its accounts.
    pub realm: String,
    /// Where on it cards go when the policy names no place; none leaves it to the policy.
    pub channel: Option<String>,
}

impl Outside {
    /// This machine: its clock, its randomness, and nothing else.
    #[must_use]
    pub fn machine() -> Self {
        Self::new(Arc::new(SystemClock), Arc::new(OsEntropy))
    }

    /// With this clock and this randomness, and nothing else.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            clock,
            entropy,
            probe: Arc::new(AlwaysGo),
            surfaces: Vec::new(),
            model: None,
            tools: Vec::new(),
            take_policy: false,
        }
    }
}

/// An application, ready to work. The agent's runs that the last process left are gone on with at once; all else waits
/// for [`App::run`], or for somebody who steps the gate by hand.
pub struct App {
    /// The HTTP interface with the surfaces' own addresses, as it is served.
    pub router: Router,
    /// The use cases.
    pub gate: Gate,
    /// The store.
    pub store: SqliteStore,
    /// What runs tools.
    pub executor: Executor,
    /// Placet's own agent, where there is one.
    pub agent: Option<Agent>,
    /// Its runs in the background.
    pub runs: Option<Arc<Runs>>,
    /// What puts a change of the policy in force.
    pub policies: Arc<PolicyWatch>,
    /// What is counted.
    pub numbers: Numbers,
    slack: Vec<Slack>,
    slack_sockets: Vec<(SurfaceName, SlackSocket)>,
    /// What is heard in Matrix, where it is used.
    pub matrix: Option<MatrixEar>,
    tasks: Vec<Arc<TaskDesk>>,
    surfaces_health: Arc<SurfaceHealth>,
    limits: ServeLimits,
    /// What ends with the application.
    beside: Arc<Beside>,
}

impl App {
    /// Builds the application: opens the database, reads the policy, and notes in the record which one is in force.
    ///
    /// # Errors
    /// The policy is not taken, a mapped tool has no gate, the database cannot be opened, or a setting that only its
    /// adapter understands is wrong.
    pub async fn build(settings: &Settings, outside: Outside) -> anyhow::Result<Self> {
        let local: Vec<String> =
            outside.surfaces.iter().map(|local| local.surface.name().to_string()).collect();
        let names: Vec<&str> = local.iter().map(String::as_str).collect();
        let files = Files::read(settings, &names);
        let missing = Soundness::default().with_folders(settings).errors;
        // Where nothing was in force before, nothing is touched.
        let wrong = files.errors().filter(|_| !settings.data.exists());
        let wrong: Vec<String> =
            wrong.map(ToOwned::to_owned).into_iter().chain(missing.iter().map(ToString::to_string)).collect();
        if !wrong.is_empty() {
            bail!("{}", wrong.join("\n\n"));
        }
        let numbers = Numbers::new()?;
        let redactor = Arc::new(settings.redactor());
        let wakes = Wakes::new();
        let store = store(settings, &outside, &wakes)?;
        // The file's lock says that nobody else is at work on it. Where others may be, what a dead one had in its hands is
        // taken once its lease is over.
        if !store.is_shared() {
            placet::ports::CardStore::take_over(&store).await?;
        }
        let ground = Ground { settings, store: &store, local: &names, take: outside.take_policy };
        let start = Start::of(files, ground).await?;
        let policy = PolicyShelf::new(start.in_force.set.clone());
        let mut surfaces = Surfaces::of(settings, &outside, &store, &policy).await?;
        let tools = tools(settings, &outside)?;
        let gate_settings = GateSettings {
            lease: settings.lease,
            default_places: std::mem::take(&mut surfaces.places),
            decide_over_api: true,
            operators_surfaces: std::mem::take(&mut surfaces.operators),
        };
        let gate = Gate::new(GateParts {
            store: Arc::new(store.clone()),
            clock: Arc::clone(&outside.clock),
            entropy: Arc::clone(&outside.entropy),
            policy: Arc::clone(&policy),
            directory: Arc::new(surfaces.directories),
            on_call: Arc::new(schedules(settings, &outside.clock)?),
            surfaces: surfaces.shown,
            redactor,
            signer: signer(settings, &store),
            schemas: Arc::new(schemas(settings, &tools)),
            wakes,
            settings: gate_settings,
        });
        // The policy may have changed while nobody was at work.
        gate.rejudge_all().await?;
        say_what_is_stopped(&gate).await?;
        let health = Arc::new(PolicyHealth::default());
        let policies = PolicyWatch::new(
            policies::Parts {
                settings: Arc::new(settings.clone()),
                local,
                store: store.clone(),
                gate: gate.clone(),
                shelf: Arc::clone(&policy),
                health: Arc::clone(&health),
            },
            start,
        )?;
        let executor = Executor::new(gate.clone(), tools);
        let agent = agent(settings, &outside, &executor)?;
        let runs = settings.agent.as_ref().zip(agent.clone());
        let runs = runs.map(|(settings, agent)| Runs::new(agent, settings.tenant.clone(), numbers.clone()));
        let surfaces_health = Arc::new(SurfaceHealth::default());
        let beside = Beside::new(numbers.clone(), runs.clone());
        let desk_for = |surface: Slack| {
            let tenant = &surface.settings().tenant;
            let agent =
                agent.clone().filter(|_| settings.agent.as_ref().is_some_and(|own| own.tenant == *tenant));
            TaskDesk::new(TaskParts {
                gate: gate.clone(),
                agent,
                surface: Arc::new(surface),
                background: beside.handle(),
                lease: settings.lease,
            })
        };
        let matrix = match surfaces.matrix.take() {
            Some(account) => Some(account.ear(gate.clone()).await?),
            None => None,
        };
        let workspaces = &surfaces.workspaces;
        let tasks: Vec<_> = workspaces.iter().map(|workspace| desk_for(workspace.slack.clone())).collect();
        let WaysIn { router: slack_router, sockets } = slack::ways_in(workspaces, &gate, &tasks)?;
        let parts = HttpParts {
            gate: gate.clone(),
            agent: runs.clone().map(|runs| runs as Arc<dyn ChatAgent>),
            surfaces: slack_router.into_iter().collect(),
            metrics: settings.http.metrics.then(|| numbers.handle()),
            policy: health,
            surfaces_health: Arc::clone(&surfaces_health),
            settings: HttpSettings { cursor_key: cursor_key(settings, &store) },
        };
        let router = counted(mounted(&settings.http.path_prefix, placet_http::router(parts)), &numbers);
        let resumed = match &runs {
            Some(runs) if store.is_shared() => runs.resume_those_of_no_task().await,
            Some(runs) => runs.resume_all().await,
            None => Ok(0),
        };
        let resumed = resumed.context("the agent's runs cannot be resumed")?;
        for tasks in &tasks {
            tasks.adopt().await.context("tasks given in a chat cannot be resumed")?;
        }
        tracing::debug!(runs.resumed = resumed, database = %settings.data.display(), "placet is ready");
        let limits = ServeLimits {
            connections_max: usize::try_from(settings.http.connections_max).unwrap_or(usize::MAX),
            ..ServeLimits::default()
        };
        Ok(Self {
            router,
            gate,
            store,
            executor,
            agent,
            runs,
            policies,
            numbers,
            slack: surfaces.workspaces.into_iter().map(|workspace| workspace.slack).collect(),
            slack_sockets: sockets,
            matrix,
            tasks,
            surfaces_health,
            limits,
            beside,
        })
    }

    /// Serves and works until `shutdown`.
    pub async fn run(self, listener: TcpListener, shutdown: impl Future<Output = ()> + Send) {
        match listener.local_addr() {
            Ok(address) => tracing::info!(%address, "placet listens"),
            Err(fault) => tracing::warn!(error = %fault, "placet listens somewhere"),
        }
        let clock = Arc::clone(self.gate.clock());
        let serving = placet_http::serve(listener, self.router.clone(), (self.limits, clock), shutdown);
        // The worker stops with the answers, not before them: they may wait for it.
        let (served, serving) = (tokio::sync::Notify::new(), Box::pin(serving));
        let working = self.numbers.counting(self.gate.work(served.notified()));
        let watching = self.numbers.counting(async {
            let slack = futures::future::join(self.greet_slack(), self.listen_to_slack());
            let chats = futures::future::join(slack, self.listen_to_matrix());
            // On the heap: what listens to a homeserver is large.
            let all = futures::future::join3(self.policies.work(), chats, self.look_at_others());
            Box::pin(all).await;
        });
        // What takes force while the server stops would judge nothing any more.
        let serving = async {
            match select(serving, Box::pin(watching)).await {
                Either::Left(_) | Either::Right(_) => {}
            }
            served.notify_one();
        };
        tokio::join!(working, serving);
        self.let_tools_finish().await;
        // Nothing is worked on here any more: another server may take it up at once.
        drop(self.beside);
        for tasks in &self.tasks {
            if let Err(fault) = tasks.let_go().await {
                tracing::warn!(error = %fault, "tasks given in a chat are taken up only once the lease on them is over");
            }
        }
        tracing::info!("placet stops; what waits goes on with the next start");
        self.store.close();
    }
}

impl App {
    /// Asks Slack who this is, in every workspace, for ever; over at once where there is none.
    async fn greet_slack(&self) {
        let clock = self.gate.clock();
        let greeting = self.slack.iter().map(|slack| slack::greet(slack, &**clock, &self.surfaces_health));
        futures::future::join_all(greeting).await;
    }

    /// Wakes whoever waits, after other servers on the same file have changed something; over at once where there can be
    /// none. Tasks given in a chat and runs of the agent that nobody goes on with are gone on with here.
    pub async fn look_at_others(&self) {
        if !self.store.is_shared() {
            return;
        }
        let clock = self.gate.clock();
        let (mut seen, mut looks) = (None, 0_u32);
        loop {
            match self.store.committed_by_others().await {
                Ok(now) if seen != Some(now) => {
                    seen = Some(now);
                    self.gate.wakes().all();
                    self.tasks.iter().for_each(|tasks| tasks.hint());
                }
                Ok(_) => {}
                Err(fault) => tracing::warn!(error = %fault, "it is not known what other servers have done"),
            }
            for tasks in &self.tasks {
                // What is worked on here first, so that none of it is taken up a second time.
                let looked = match tasks.renew().await {
                    Ok(()) => tasks.adopt().await.map(|_| ()),
                    Err(fault) => Err(fault),
                };
                if let Err(fault) = looked {
                    tracing::warn!(error = %fault, "tasks given in a chat could not be looked at");
                }
            }
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(ORPHANS_EVERY)
                && let Some(runs) = &self.runs
                && let Err(fault) = runs.adopt_orphans().await
            {
                tracing::warn!(error = %fault, "the agent's runs could not be looked at");
            }
            clock.sleep_until(clock.now() + LOOK_AT_OTHERS).await;
        }
    }

    /// Takes what Slack sends on sockets, for ever; over at once where there are none. Dropped, it breaks them off, and
    /// Slack delivers elsewhere or later what was not acknowledged.
    pub async fn listen_to_slack(&self) {
        let sockets = self.slack_sockets.iter();
        let listening =
            sockets.map(|(name, socket)| slack::listen(socket, name.as_str(), &self.surfaces_health));
        futures::future::join_all(listening).await;
    }

    /// Takes what people do in Matrix, for ever; over at once where it is not used.
    pub async fn listen_to_matrix(&self) {
        if let Some(matrix) = &self.matrix {
            matrix.listen(&**self.gate.clock()).await;
        }
    }

    /// Waits a while for tools that run here: what is broken off is of unknown outcome, and somebody has to settle it.
    async fn let_tools_finish(&self) {
        if self.runs.is_none() {
            return;
        }
        let clock = self.gate.clock();
        let until = clock.now() + self.limits.shutdown_grace;
        while clock.now() < until {
            let query = RequestQuery {
                statuses: vec![Status::Executing],
                limit: EXECUTING_LOOKED_AT_MAX,
                ..RequestQuery::default()
            };
            let executing = self.store.list(query).await.unwrap_or_default();
            let here = |approval: &Approval| match &approval.state {
                State::Executing(executing) => executing.claim.executor == Actor::Placet,
                _ => false,
            };
            if !executing.iter().any(here) {
                return;
            }
            clock.sleep_until(clock.now() + LOOK_AGAIN).await;
        }
        tracing::warn!("tools that still ran were broken off; their outcome is unknown");
    }
}

/// Says at the start which calls are stopped: whoever wonders why nothing runs should not have to look for it.
async fn say_what_is_stopped(gate: &Gate) -> anyhow::Result<()> {
    let query = HoldQuery { tenant: None, only_standing: true, before: None, limit: STOPS_SAID_MAX };
    for hold in gate.store().holds(query).await? {
        let tenant = hold.tenant.as_ref().map(tracing::field::display);
        let since = hold.since.to_rfc3339();
        tracing::warn!(hold.id = %hold.id, hold.by = %hold.by, tenant, since, "stopped: {}", hold.scope);
    }
    Ok(())
}

fn store(settings: &Settings, outside: &Outside, wakes: &Arc<Wakes>) -> anyhow::Result<SqliteStore> {
    let options = Options::new(Arc::clone(&outside.clock), Arc::clone(&outside.entropy));
    let options = options.with_probe(Arc::clone(&outside.probe));
    let access = if settings.store.shared { Access::SharedServer } else { Access::Server };
    let options = options.with_access(access);
    // The public half does not depend on the epoch, which the database has yet to tell.
    let key = settings.grants.as_ref().and_then(GrantSettings::bytes);
    let options = match key.map(|key| GrantSigner::new(&key, "").verifying_key()) {
        Some(public) => options.with_grant_key(hex::encode(public)),
        None => options,
    };
    let store = SqliteStore::open(settings.data.as_path(), options)?;
    if store.had_another_grant_key() {
        tracing::warn!(
            "the key of [grants] is another than before: grants that were signed with that one no longer verify, and executors \
             that keep the public key have to fetch it anew (GET /v1/grant-key)"
        );
    }
    let wakes = Arc::clone(wakes);
    store.set_hint(Arc::new(move |hint: &Hint| {
        if hint.head.is_some() || !hint.requests.is_empty() {
            wakes.changed(hint.requests.iter().map(|(_, request)| *request));
        } else if hint.work {
            wakes.work();
        }
    }));
    Ok(store)
}

fn signer(settings: &Settings, store: &SqliteStore) -> Option<GrantSigner> {
    let key = settings.grants.as_ref()?.bytes()?;
    Some(GrantSigner::new(&key, store.epoch()))
}

/// The key behind cursors outlives a restart, and is not the key that signs: it is derived from that, or, where there
/// is none, from what the database was born with.
fn cursor_key(settings: &Settings, store: &SqliteStore) -> CursorKey {
    let hash = Sha256::new().chain_update(b"placet/cursor-key/v1\0");
    let key = settings.grants.as_ref().and_then(GrantSettings::bytes);
    let hash = match &key {
        Some(key) => hash.chain_update(b"grants\0").chain_update(key),
        None => hash.chain_update(b"epoch\0").chain_update(store.epoch()),
    };
    CursorKey::new(hash.finalize().into())
}

/// Who is on call, where that is kept outside the policy.
fn schedules(settings: &Settings, clock: &Arc<dyn Clock>) -> anyhow::Result<Schedules> {
    let pagerduty = settings.on_call.as_ref().map(|on_call| PagerDutySettings {
        url: on_call.pagerduty_url.clone(),
        token: on_call.pagerduty_token.clone(),
    });
    let proxy = settings.outbound.as_ref().map(ProxySettings::address);
    let reach = OnCallSettings { pagerduty, proxy, ..OnCallSettings::default() };
    Schedules::new(reach, Arc::clone(clock)).context("[on_call] cannot be used")
}

/// The built-in tools, where the agent is on, and those from outside.
fn tools(settings: &Settings, outside: &Outside) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let mut tools = Vec::new();
    if let Some(agent) = &settings.agent {
        let folder = &agent.workspace;
        let workspace = Workspace::open(folder).with_context(|| {
            format!("agent.workspace: {} is no folder that can be opened", folder.display())
        })?;
        let names = settings.tools.names();
        let built_in = placet_tools::builtin(placet_tools::ToolSettings {
            workspace,
            clock: Arc::clone(&outside.clock),
            http_hosts: settings.tools.http_hosts.clone(),
        })?;
        tools.extend(built_in.into_iter().filter(|tool| names.contains(&tool.spec().name)));
    }
    tools.extend(outside.tools.iter().cloned());
    Ok(tools)
}

/// What tools take: Placet's own say it themselves; for those outside, the settings do.
fn schemas(settings: &Settings, tools: &[Arc<dyn Tool>]) -> KnownSchemas {
    let specs: Vec<_> = tools.iter().map(|tool| tool.spec()).collect();
    KnownSchemas::new(settings.tools.schemas.clone()).with_tools(&specs)
}

fn agent(settings: &Settings, outside: &Outside, executor: &Executor) -> anyhow::Result<Option<Agent>> {
    let Some(agent) = &settings.agent else { return Ok(None) };
    let model: Arc<dyn Model> = match (&outside.model, agent.model) {
        (Some(model), _) => Arc::clone(model),
        (None, ModelChoice::Scripted) => Arc::new(placet_models::Scripted::demo()?),
    };
    Ok(Some(Agent::new(executor.clone(), model, agent.name.clone())))
}

/// Puts the interface under a prefix, where a proxy in front does not take it off.
fn mounted(prefix: &str, router: Router) -> Router {
    if prefix.is_empty() { router } else { Router::new().nest(prefix, router) }
}

/// Counts what handlers do in the application's own numbers.
fn counted(router: Router, numbers: &Numbers) -> Router {
    let numbers = numbers.clone();
    router.layer(axum::middleware::from_fn(
        move |request: axum::extract::Request, next: axum::middleware::Next| {
            numbers.clone().counting(next.run(request))
        },
    ))
}
