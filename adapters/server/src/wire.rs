//! The one place that names all adapters and puts them together.
//!
//! An application is made of settings and of what is outside, and of nothing else: several can live in one process,
//! and one that is dropped can be built again on the same file.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use axum::Router;
use futures::future::{Either, select};
use placet::agent::Agent;
use placet::approval::{Actor, Approval, State, Status};
use placet::gate::{
    CredentialDirectory, Directories, Executor, Gate, GateParts, GateSettings, GrantSigner, PolicyShelf,
    Trusted, Wakes,
};
use placet::id::{Entropy, SurfaceName};
use placet::policy::Place;
use placet::ports::{Clock, Model, RequestQuery, RequestStore as _, Surface, Tool};
use placet::time::Ttl;
use placet_http::{ChatAgent, CursorKey, HttpParts, HttpSettings, PolicyHealth, ServeLimits};
use placet_oncall::{OnCallSettings, PagerDutySettings, Schedules};
use placet_slack::api::{ApiSettings, SlackApi};
use placet_slack::identity::Home;
use placet_slack::signature::SigningSecrets;
use placet_slack::{Slack, SlackDirectory, SlackInbound};
use placet_store::{AlwaysGo, CommitProbe, Hint, Options, SqliteStore};
use placet_tools::Workspace;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use url::Url;

use crate::clock::SystemClock;
use crate::entropy::OsEntropy;
use crate::policies::{self, Files, Ground, PolicyWatch, Start};
use crate::runs::Runs;
use crate::settings::{GrantSettings, ModelChoice, ProxySettings, Settings, SlackSettings};
use crate::soundness::Soundness;
use crate::telemetry::Numbers;

/// The name of Slack in the policy's places, and the family of its realms.
pub(crate) const SLACK: &str = "slack";

/// The realm of whoever holds a credential.
const CREDENTIAL_REALM: &str = "credential";

/// How often it is looked whether tools still run, while the server stops.
const LOOK_AGAIN: Ttl = Ttl::from_millis(50);

/// Running calls that are looked at then: the agent has far fewer.
const EXECUTING_LOOKED_AT_MAX: u32 = 1000;

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
    slack: Option<Slack>,
    limits: ServeLimits,
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
        let wrong: Vec<&str> = wrong.into_iter().chain(missing.iter().map(String::as_str)).collect();
        if !wrong.is_empty() {
            bail!("{}", wrong.join("\n"));
        }
        let numbers = Numbers::new()?;
        let redactor = Arc::new(settings.redactor());
        let wakes = Wakes::new();
        let store = store(settings, &outside, &wakes)?;
        // The file's lock says that nobody else is at work on it.
        placet::ports::CardStore::take_over(&store).await?;
        let ground = Ground { settings, store: &store, local: &names, take: outside.take_policy };
        let start = Start::of(files, ground).await?;
        let policy = PolicyShelf::new(start.in_force.set.clone());
        let mut surfaces = Surfaces::of(settings, &outside, &store, &policy)?;
        let gate_settings = GateSettings {
            lease: settings.lease,
            default_places: std::mem::take(&mut surfaces.places),
            decide_over_api: true,
            operators_surface: surfaces.operators.take(),
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
            wakes,
            settings: gate_settings,
        });
        // The policy may have changed while nobody was at work.
        gate.rejudge_all().await?;
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
        let executor = Executor::new(gate.clone(), tools(settings, &outside)?);
        let agent = agent(settings, &outside, &executor)?;
        let runs = settings.agent.as_ref().zip(agent.clone());
        let runs = runs.map(|(settings, agent)| Runs::new(agent, settings.tenant.clone(), numbers.clone()));
        let parts = HttpParts {
            gate: gate.clone(),
            agent: runs.clone().map(|runs| runs as Arc<dyn ChatAgent>),
            surfaces: surfaces.doors.into_iter().map(|door| door(&gate)).collect(),
            metrics: settings.http.metrics.then(|| numbers.handle()),
            policy: health,
            settings: HttpSettings { cursor_key: cursor_key(settings, &store) },
        };
        let router = counted(mounted(&settings.http.path_prefix, placet_http::router(parts)), &numbers);
        let resumed = match &runs {
            Some(runs) => runs.resume_all().await.context("the agent's runs cannot be resumed")?,
            None => 0,
        };
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
            slack: surfaces.slack,
            limits,
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
            futures::future::join(self.policies.work(), self.greet_slack()).await;
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
        tracing::info!("placet stops; what waits goes on with the next start");
        self.store.close();
    }
}

impl App {
    /// Asks Slack once who this is, so that whoever starts the server learns at once what no card will get through
    /// without. It keeps nothing from starting: Slack may be back in a minute.
    async fn greet_slack(&self) {
        let Some(slack) = &self.slack else { return };
        let home = &slack.settings().home.team_id;
        match slack.api().auth_test().await {
            Ok(bot) if bot.team_id == *home => {
                tracing::info!(slack.team = %bot.team_id, slack.user = %bot.user_id, "Slack knows this app");
            }
            Ok(bot) => tracing::warn!(
                slack.team = %bot.team_id,
                "the bot token in [slack] belongs to another workspace than `team` = \"{home}\": its people cannot approve \
                 here; set one of the two right"
            ),
            Err(fault) => tracing::warn!(
                error = %fault,
                "Slack does not take the bot token in [slack], or cannot be reached: no card gets through until it does"
            ),
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

fn store(settings: &Settings, outside: &Outside, wakes: &Arc<Wakes>) -> anyhow::Result<SqliteStore> {
    let options = Options::new(Arc::clone(&outside.clock), Arc::clone(&outside.entropy));
    let options = options.with_probe(Arc::clone(&outside.probe));
    let store = SqliteStore::open(settings.data.as_path(), options)?;
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

/// Makes a surface's router, once there is a gate to hand things to.
type Door = Box<dyn FnOnce(&Gate) -> Router>;

/// Everything that shows cards and vouches for people.
struct Surfaces {
    shown: Vec<Arc<dyn Surface>>,
    directories: Directories,
    places: Vec<Place>,
    operators: Option<SurfaceName>,
    slack: Option<Slack>,
    doors: Vec<Door>,
}

impl Surfaces {
    fn of(
        settings: &Settings,
        outside: &Outside,
        store: &SqliteStore,
        policy: &Arc<PolicyShelf>,
    ) -> anyhow::Result<Self> {
        let clock = &outside.clock;
        let credentials = CredentialDirectory::new(Arc::clone(clock), Arc::new(store.clone()));
        let directories = Directories::new(Arc::clone(clock)).with(CREDENTIAL_REALM, Arc::new(credentials));
        let mut surfaces = Self {
            shown: Vec::new(),
            directories,
            places: Vec::new(),
            operators: None,
            slack: None,
            doors: Vec::new(),
        };
        for local in &outside.surfaces {
            surfaces.shown.push(Arc::clone(&local.surface));
            surfaces.directories =
                surfaces.directories.with(local.realm.clone(), Arc::new(Trusted::new(Arc::clone(clock))));
            surfaces.places.extend(local.channel.clone().map(|channel| Place {
                surface: local.surface.name().clone(),
                channel,
                thread: None,
            }));
        }
        if let Some(slack) = &settings.slack {
            let proxy = settings.outbound.as_ref().map(ProxySettings::address);
            surfaces = surfaces.with_slack(slack, proxy, clock, policy)?;
        }
        Ok(surfaces)
    }

    fn with_slack(
        mut self,
        settings: &SlackSettings,
        proxy: Option<Url>,
        clock: &Arc<dyn Clock>,
        policy: &Arc<PolicyShelf>,
    ) -> anyhow::Result<Self> {
        let name = SurfaceName::new(SLACK)?;
        let reach =
            ApiSettings { proxy, ..ApiSettings::new(settings.api_url.clone(), settings.bot_token.clone()) };
        let api = SlackApi::new(reach).context("[slack] cannot be used")?;
        let home = Home { team_id: settings.team.clone(), enterprise_id: settings.enterprise.clone() };
        let directory = SlackDirectory::new(api.clone(), home.clone(), Arc::clone(clock));
        // For every workspace: the directory itself tells a foreign account from one that cannot be read.
        self.directories = self.directories.with(SLACK, Arc::new(directory));
        let slack = Slack::with_policy(
            placet_slack::SlackSettings {
                name: name.clone(),
                tenant: settings.tenant.clone(),
                home,
                default_channel: settings.channel.clone(),
                ops_channel: settings.ops_channel.clone(),
                language: settings.language,
                post_interval: settings.post_interval,
            },
            api,
            Arc::clone(clock),
            Arc::clone(policy),
        );
        self.shown.push(Arc::new(slack.clone()));
        self.slack = Some(slack.clone());
        self.places.push(Place { surface: name.clone(), channel: settings.channel.clone(), thread: None });
        self.operators = settings.ops_channel.is_some().then_some(name);
        let secrets = match &settings.signing_secret_previous {
            Some(previous) => SigningSecrets::rotating(settings.signing_secret.clone(), previous.clone()),
            None => SigningSecrets::new(settings.signing_secret.clone()),
        };
        let secrets = secrets.context("slack.signing_secret")?;
        self.doors.push(Box::new(move |gate| {
            placet_slack::router(SlackInbound { secrets, gate: gate.clone(), slack })
        }));
        Ok(self)
    }
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
