//! The desk: one Placet with everything around it, that can be crashed and started again on the same file.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, bail, ensure};
use placet::approval::{Approval, ApprovedBy, State, Status};
use placet::call::{CanonicalArgs, ContentHash};
use placet::id::{AgentId, CredentialId, RequestId, TenantId};
use placet::person::Identity;
use placet::ports::{
    CredentialRow, CredentialStore as _, EventQuery, InboxStore as _, OutboxStore as _, RequestQuery,
    RequestStore as _, Scope,
};
use placet::record::{Event, Seq};
use placet::time::{Clock as _, Ttl};
use placet_server::{App, Outside, Settings, settings::Secrets};
use placet_store::SqliteStore;
use serde_json::Value;

use crate::agent::{Agent, Call};
use crate::clock::ManualClock;
use crate::crash::CrashProbe;
use crate::entropy::Seeded;
use crate::fake_oncall::{FakeCalendar, FakePagerDuty, PAGERDUTY_TOKEN};
use crate::fake_slack::{APP_TOKEN, FakeSlack, TEAM_ID, TOKEN};
use crate::http::{Answer, Ask};
use crate::people::{Channel, Person};
use crate::policy::{desk_policy, slack_user};
use crate::record::sentence;
use crate::workspaces::{OTHER_APP_TOKEN, OTHER_SIGNING_SECRET};

/// Which store a conversation runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// SQLite in a file.
    Sqlite,
}

/// How what people do in Slack reaches Placet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Signed, over HTTP.
    Http,
    /// On so many sockets that Placet opens; nothing is signed.
    Sockets(usize),
}

/// How often the worker may step until it must be idle: far more than any conversation needs.
const STEPS_MAX: usize = 500;

/// The signing secret of the fake workspace.
pub const SIGNING_SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";

/// The desk's tenant.
pub const TENANT: &str = "acme";

/// Everything that is there, whether Placet runs or not.
pub struct Desk {
    folder: tempfile::TempDir,
    pub(crate) clock: Arc<ManualClock>,
    probe: Arc<CrashProbe>,
    entropy: Arc<Seeded>,
    slack: FakeSlack,
    pagerduty: FakePagerDuty,
    calendar: FakeCalendar,
    ops: String,
    policy: Mutex<String>,
    slack_settings: Mutex<String>,
    pub(crate) tool_settings: Mutex<String>,
    pub(crate) workspaces: Mutex<String>,
    pub(crate) tenants: Mutex<BTreeMap<String, String>>,
    app: Mutex<Option<Arc<App>>>,
    pub(crate) transport: Mutex<Transport>,
    pub(crate) listening: Mutex<Option<tokio::task::JoinHandle<()>>>,
    tokens: Mutex<BTreeMap<String, String>>,
    runs: Mutex<Vec<(String, String)>>,
    number: AtomicU64,
    expects_unread: std::sync::atomic::AtomicBool,
    refusals: Mutex<Vec<(String, String)>>,
    crashes: AtomicU64,
}

/// Runs a conversation at a fresh desk, and closes the desk.
///
/// # Errors
/// What went wrong in the conversation, or what it left behind.
pub fn converse(engine: Engine, talk: impl AsyncFnOnce(&mut Desk) -> Result<()>) -> Result<()> {
    converse_seeded(engine, 1, talk)
}

/// The same with a seed for everything random.
///
/// # Errors
/// What went wrong in the conversation, or what it left behind.
pub fn converse_seeded(
    engine: Engine,
    seed: u64,
    talk: impl AsyncFnOnce(&mut Desk) -> Result<()>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut desk = Desk::open(engine, seed).await?;
        talk(&mut desk).await?;
        desk.close().await
    })
}

impl Desk {
    /// A desk with Placet running.
    ///
    /// # Errors
    /// If something cannot be started.
    pub async fn open(engine: Engine, seed: u64) -> Result<Self> {
        let Engine::Sqlite = engine;
        let clock = ManualClock::new();
        let time = Arc::clone(&clock);
        let slack = FakeSlack::start(Arc::new(move || time.now().as_millis())).await?;
        let time = Arc::clone(&clock);
        let pagerduty = FakePagerDuty::start(Arc::new(move || time.now().as_millis())).await?;
        slack.set_signing_secret(SIGNING_SECRET);
        let ops = slack.channel("ops");
        slack.channel("alarms");
        for name in ["ana", "bo", "chen", "dana", "fay", "vic", "sam"] {
            let user = slack.person(name);
            ensure!(user == slack_user(name), "the fake's user ids are not as the policy has them: {user}");
        }
        let desk = Self {
            folder: tempfile::tempdir()?,
            clock,
            probe: CrashProbe::new(),
            entropy: Seeded::new(seed),
            policy: Mutex::new(desk_policy(&ops)),
            slack_settings: Mutex::default(),
            tool_settings: Mutex::default(),
            workspaces: Mutex::default(),
            tenants: Mutex::default(),
            slack,
            pagerduty,
            calendar: FakeCalendar::start().await?,
            ops,
            app: Mutex::new(None),
            transport: Mutex::new(Transport::Http),
            listening: Mutex::new(None),
            tokens: Mutex::default(),
            runs: Mutex::default(),
            number: AtomicU64::new(0),
            expects_unread: std::sync::atomic::AtomicBool::new(false),
            refusals: Mutex::default(),
            crashes: AtomicU64::new(0),
        };
        desk.start().await?;
        desk.has_credential("agent", TENANT, &[Scope::Propose, Scope::Execute]).await?;
        for name in ["ana", "bo", "chen", "dana", "vic"] {
            desk.has_credential(&format!("{name}-console"), TENANT, &[Scope::Decide]).await?;
        }
        desk.has_credential("audit", TENANT, &[Scope::Audit]).await?;
        desk.has_credential("manager", TENANT, &[Scope::Manage]).await?;
        Ok(desk)
    }

    pub(crate) fn settings(&self) -> Result<Settings> {
        let policy = self.folder.path().join("policy.toml");
        std::fs::write(&policy, self.policy.lock().unwrap_or_else(PoisonError::into_inner).as_str())?;
        let mut text = format!(
            r#"data = "placet.db"
policy = "policy.toml"

[http]
listen = "127.0.0.1:0"

{slack}
api_url = "{url}"
{ways_in}
bot_token = {{ env = "BOT_TOKEN" }}
team = "{TEAM_ID}"
tenant = "{TENANT}"
channel = "{ops}"
ops_channel = "{alarms}"
{more}
{workspaces}
[on_call]
pagerduty_url = "{pagerduty}"
pagerduty_token = {{ env = "PAGERDUTY_TOKEN" }}

[grants]
key = {{ env = "GRANT_KEY" }}

[agent]
model = "scripted"
workspace = "workspace"
tenant = "{TENANT}"

{tools}
"#,
            tools = self.tool_settings.lock().unwrap_or_else(PoisonError::into_inner),
            url = self.slack.base_url(),
            slack = if self.has_one_workspace() { "[slack]" } else { "[[slack]]" },
            workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner),
            ways_in = self.ways_in(),
            pagerduty = self.pagerduty.url(),
            ops = self.ops,
            alarms = self.slack.channel("alarms"),
            more = self.slack_settings.lock().unwrap_or_else(PoisonError::into_inner),
        );
        text.push_str(&self.tenants_settings()?);
        // For commands, which read them from the file.
        std::fs::write(self.folder.path().join("placet.toml"), &text)?;
        std::fs::create_dir_all(self.folder.path().join("workspace/demo-notes"))?;
        let environment = |name: &str| match name {
            "SIGNING_SECRET" => Some(SIGNING_SECRET.to_owned()),
            "BOT_TOKEN" => Some(TOKEN.to_owned()),
            "APP_TOKEN" => Some(APP_TOKEN.to_owned()),
            "OTHER_SIGNING_SECRET" => Some(OTHER_SIGNING_SECRET.to_owned()),
            "OTHER_APP_TOKEN" => Some(OTHER_APP_TOKEN.to_owned()),
            "PAGERDUTY_TOKEN" => Some(PAGERDUTY_TOKEN.to_owned()),
            "GRANT_KEY" => Some("07".repeat(32)),
            _ => None,
        };
        let secrets = Secrets::new(self.folder.path(), &environment);
        Ok(Settings::parse(&text, "placet.toml", secrets)?)
    }

    /// Starts Placet on the desk's file.
    ///
    /// # Errors
    /// If it does not start.
    pub async fn start(&self) -> Result<()> {
        let mut outside = Outside::new(self.clock.clone(), self.entropy.clone());
        outside.probe = self.probe.clone();
        let app = Arc::new(App::build(&self.settings()?, outside).await?);
        *self.app.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&app));
        self.listens(app).await
    }

    /// Names the schema of this tool in the settings, and starts Placet again with it.
    ///
    /// # Errors
    /// If its file cannot be written, or Placet does not start again.
    pub async fn has_schema(&self, tool: &str, schema: &Value) -> Result<()> {
        std::fs::write(self.folder.path().join("schema.json"), schema.to_string())?;
        let table = format!("[tools.schemas]\n\"{tool}\" = \"schema.json\"\n");
        *self.tool_settings.lock().unwrap_or_else(PoisonError::into_inner) = table;
        self.restart().await
    }

    /// Gives `[slack]` of the settings these lines more, and starts Placet again with them.
    ///
    /// # Errors
    /// If it does not start again.
    pub async fn has_slack_settings(&self, lines: &str) -> Result<()> {
        lines.clone_into(&mut self.slack_settings.lock().unwrap_or_else(PoisonError::into_inner));
        self.restart().await
    }

    /// Stops Placet as a kill would: nothing is said, nothing is finished.
    ///
    /// # Errors
    /// If it is still in use.
    pub async fn stop(&self) -> Result<()> {
        self.listens_no_more().await;
        let app = self.app.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(app) = app {
            app.store.close();
        }
        self.probe.disarm();
        Ok(())
    }

    /// Stops and starts.
    ///
    /// # Errors
    /// If it does not start again.
    pub async fn restart(&self) -> Result<()> {
        self.stop().await?;
        self.start().await
    }

    /// Starts Placet again if it died at a crash point; says whether it had.
    ///
    /// # Errors
    /// If it does not start again.
    pub async fn revives(&self) -> Result<bool> {
        if !self.probe.crashed() {
            return Ok(false);
        }
        self.crashes.fetch_add(1, Ordering::Relaxed);
        self.restart().await?;
        Ok(true)
    }

    /// How often it died at a crash point and was started again.
    #[must_use]
    pub fn crashes(&self) -> u64 {
        self.crashes.load(Ordering::Relaxed)
    }

    /// Lets Placet go on with the agent's runs that the last process left, as it does when it starts to serve.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn resumes(&self) -> Result<usize> {
        let runs = self.app()?.runs.clone().context("the agent is off")?;
        Ok(runs.resume_all().await?)
    }

    /// Placet as it runs now.
    ///
    /// # Errors
    /// If it does not.
    pub fn app(&self) -> Result<Arc<App>> {
        self.app.lock().unwrap_or_else(PoisonError::into_inner).clone().context("Placet is not running")
    }

    /// Its store.
    ///
    /// # Errors
    /// If it does not run.
    pub fn store(&self) -> Result<SqliteStore> {
        Ok(self.app()?.store.clone())
    }

    /// The fake workspace.
    #[must_use]
    pub const fn slack(&self) -> &FakeSlack {
        &self.slack
    }

    /// The fake PagerDuty.
    #[must_use]
    pub const fn pagerduty(&self) -> &FakePagerDuty {
        &self.pagerduty
    }

    /// The fake calendar.
    #[must_use]
    pub const fn calendar(&self) -> &FakeCalendar {
        &self.calendar
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    /// The clock, for what looks at it as Placet does.
    #[must_use]
    pub fn clock_port(&self) -> Arc<ManualClock> {
        Arc::clone(&self.clock)
    }

    /// Where it crashes.
    #[must_use]
    pub fn probe(&self) -> &CrashProbe {
        &self.probe
    }

    /// The folder of database, policy and workspace.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// The channel where cards go.
    #[must_use]
    pub fn ops(&self) -> Channel<'_> {
        Channel { desk: self, id: self.ops.clone() }
    }

    /// Another channel, made when it is first named.
    #[must_use]
    pub fn channel(&self, name: &str) -> Channel<'_> {
        Channel { desk: self, id: self.slack.channel(name) }
    }

    /// A channel by its id.
    pub(crate) fn channel_of(&self, id: &str) -> Channel<'_> {
        Channel { desk: self, id: id.to_owned() }
    }

    /// The channel where alarms go.
    #[must_use]
    pub fn alarms(&self) -> Channel<'_> {
        self.channel("alarms")
    }

    /// Somebody in Slack.
    #[must_use]
    pub const fn person<'a>(&'a self, name: &'a str) -> Person<'a> {
        Person { desk: self, name }
    }

    /// The agent of the desk, which also runs its calls.
    #[must_use]
    pub const fn agent(&self) -> Agent<'_> {
        Agent { desk: self, name: "agent" }
    }

    /// Whoever holds this credential.
    #[must_use]
    pub const fn holder<'a>(&'a self, name: &'a str) -> Agent<'a> {
        Agent { desk: self, name }
    }

    /// A number that was not given before.
    pub fn next_number(&self) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes a credential that belongs to a tenant. The agent it proposes for has its name.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub async fn has_credential(&self, name: &str, tenant: &str, scopes: &[Scope]) -> Result<()> {
        self.has_row(name, tenant, (scopes, false)).await
    }

    /// Makes a credential of a gateway that is trusted to say on whose behalf it acts.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub async fn has_gateway(&self, name: &str) -> Result<()> {
        self.has_row(name, TENANT, (&[Scope::Propose, Scope::Execute], true)).await
    }

    async fn has_row(
        &self,
        name: &str,
        tenant: &str,
        (scopes, may_act_for_others): (&[Scope], bool),
    ) -> Result<()> {
        let token = format!("plt_{:0>43}", format!("{name}{}", self.next_number()));
        let row = CredentialRow {
            id: CredentialId::new(name)?,
            tenant: TenantId::new(tenant)?,
            agent: AgentId::new(name)?,
            scopes: scopes.to_vec(),
            may_act_for_others,
            secret_hash: ContentHash::of(token.as_bytes()),
            created_at: self.clock.now(),
            expires_at: None,
            revoked_at: None,
        };
        self.store()?.add_credential(row).await?;
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), token);
        Ok(())
    }

    /// A credential's secret.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn token(&self, name: &str) -> Result<String> {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.get(name).cloned().with_context(|| format!("nobody holds {name}"))
    }

    /// Takes on people for a crowd: four of five are admins, the others viewers. Placet is started again with them.
    ///
    /// # Errors
    /// If it does not start again.
    pub async fn employs(&self, people: usize) -> Result<()> {
        let mut more = String::new();
        for number in 0..people {
            let name = format!("crowd{number:02}");
            let user = self.slack.person(&name);
            let role = if number % 5 == 4 { "viewer" } else { "admin" };
            more.push_str(&format!(
                "\n[[people]]\nid = \"{name}\"\nname = \"Crowd {number:02}\"\nroles = [\"{role}\"]\nslack = [\"{TEAM_ID}/{user}\"]\n"
            ));
        }
        self.policy.lock().unwrap_or_else(PoisonError::into_inner).push_str(&more);
        self.restart().await
    }

    /// Changes the policy, and starts Placet again with it.
    ///
    /// # Errors
    /// If it does not start again, or does not take the policy.
    pub async fn has_policy(&self, change: impl FnOnce(String) -> String) -> Result<()> {
        {
            let mut policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
            *policy = change(std::mem::take(&mut policy));
        }
        self.restart().await?;
        self.has_taken_its_policies().await
    }

    /// Changes the policy's file, and lets Placet find it: with the second look, once nobody writes it any more.
    ///
    /// # Errors
    /// If the file cannot be written, or the store fails.
    pub async fn changes_policy(&self, change: impl FnOnce(String) -> String) -> Result<()> {
        self.writes_policy(change)?;
        self.looks_at_policies().await
    }

    /// Writes the policy's file, and nothing else.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn writes_policy(&self, change: impl FnOnce(String) -> String) -> Result<()> {
        let mut policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
        *policy = change(std::mem::take(&mut policy));
        Ok(std::fs::write(self.folder.path().join("policy.toml"), policy.as_str())?)
    }

    /// How many attempts to get around the gate a tenant's record tells of that belong to no request.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn blocked_in(&self, tenant: &str) -> Result<usize> {
        let query = EventQuery {
            tenant: Some(TenantId::new(tenant)?),
            request: None,
            after: Seq(0),
            types: vec!["approval.bypassed_blocked"],
            limit: 1000,
        };
        Ok(self
            .store()?
            .events(query)
            .await?
            .into_iter()
            .filter(|(_, event)| event.request.is_none())
            .count())
    }

    /// Sends a request into the router.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn sends(&self, ask: Ask) -> Result<Answer> {
        ask.send(self.app()?.router.clone()).await
    }

    /// Lets the worker go until there is nothing to do.
    ///
    /// # Errors
    /// If the store fails, or it never becomes idle.
    pub async fn work_until_idle(&self) -> Result<()> {
        let gate = self.app()?.gate.clone();
        for _ in 0..STEPS_MAX {
            if gate.step().await?.done == 0 {
                return Ok(());
            }
        }
        bail!("the worker does not become idle")
    }

    /// Waits for something outside while the worker goes on.
    ///
    /// # Errors
    /// If the worker fails.
    pub async fn while_working<T>(&self, wished: impl Future<Output = T>) -> Result<T> {
        let gate = self.app()?.gate.clone();
        let mut wished = std::pin::pin!(wished);
        loop {
            let woken = gate.wakes().for_worker();
            self.work_until_idle().await?;
            tokio::select! {
                biased;
                seen = &mut wished => return Ok(seen),
                () = woken => {}
            }
        }
    }

    /// Lets time pass, and the worker do what is due then.
    ///
    /// # Errors
    /// If the worker fails.
    pub async fn passes(&self, span: Ttl) -> Result<()> {
        self.clock.passes(span);
        self.work_until_idle().await
    }

    /// The same minute by minute, and while the worker waits for its turn somewhere, time goes on.
    ///
    /// # Errors
    /// If the worker fails.
    pub async fn minutes_pass(&self, minutes: u32) -> Result<()> {
        for _ in 0..minutes {
            self.clock.passes(Ttl::from_mins(1));
            let mut worked = std::pin::pin!(self.work_until_idle());
            loop {
                tokio::select! {
                    biased;
                    worked = &mut worked => break worked?,
                    () = self.clock.catches_up() => {}
                }
            }
        }
        Ok(())
    }

    /// Counts a run of a tool.
    pub fn ran(&self, tool: &str, args: &Value) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push((tool.to_owned(), args.to_string()));
    }

    /// How often a tool ran, and that it was with these arguments.
    ///
    /// # Errors
    /// If it ran another number of times, or with others.
    pub fn ran_times(&self, call: &Call, times: usize) -> Result<()> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let of_tool: Vec<_> = runs.iter().filter(|(tool, _)| *tool == call.tool).collect();
        ensure!(of_tool.len() == times, "{} ran {} times, not {times}", call.tool, of_tool.len());
        let expected = CanonicalArgs::from_value(&call.args)?.as_str().to_owned();
        for (_, args) in of_tool {
            let got = CanonicalArgs::parse(args.as_bytes())?.as_str().to_owned();
            ensure!(got == expected, "it ran with {got}, not with {expected}");
        }
        Ok(())
    }

    /// A request as it stands.
    ///
    /// # Errors
    /// If there is none.
    pub async fn request(&self, id: &str) -> Result<Approval> {
        Ok(self.store()?.load(&TenantId::new(TENANT)?, id.parse()?).await?)
    }

    /// All requests, the newest first.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn requests(&self) -> Result<Vec<Approval>> {
        Ok(self.store()?.list(RequestQuery { limit: 1_000, ..RequestQuery::default() }).await?)
    }

    /// A request's events.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn events(&self, id: &str) -> Result<Vec<Event>> {
        self.events_of(Some(id.parse()?)).await
    }

    async fn events_of(&self, request: Option<RequestId>) -> Result<Vec<Event>> {
        let query = EventQuery { tenant: None, request, after: Seq(0), types: Vec::new(), limit: 100_000 };
        Ok(self.store()?.events(query).await?.into_iter().map(|(_, event)| event).collect())
    }

    /// Events of the desk's tenant that belong to no request, of one type.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn notes(&self, kind: &'static str) -> Result<Vec<Event>> {
        self.notes_of(TENANT, kind).await
    }

    /// Checks that a request's record reads like this.
    ///
    /// # Errors
    /// If it reads otherwise.
    pub async fn reads(&self, id: &str, expected: &str) -> Result<()> {
        let got = sentence(&self.events(id).await?, &names());
        ensure!(got == expected, "the record reads\n  {got}\nnot\n  {expected}");
        Ok(())
    }

    /// Says that this conversation leaves messages unread on purpose: it is about many of them.
    pub fn leaves_messages_unread(&self) {
        self.expects_unread.store(true, Ordering::Relaxed);
    }

    /// Says that Slack refuses calls of this method with this code in this conversation, by its own rules: once at least. Faults
    /// that are ordered need no such word.
    pub fn expects_refusal(&self, method: &str, code: &str) {
        let mut expected = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        expected.push((method.to_owned(), code.to_owned()));
    }

    /// Slack has refused what the conversation says that it refuses, and nothing else: what it does not take is mostly sent in
    /// another form then, and nobody would know.
    fn only_what_was_expected_was_refused(&self) -> Result<()> {
        let refused = self.slack.refused();
        let expected = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of = |why: &str, (method, code): &(String, String)| {
            why.strip_prefix(method.as_str())
                .is_some_and(|rest| rest.starts_with(": ") && rest.contains(code.as_str()))
        };
        let unexpected: Vec<_> =
            refused.iter().filter(|why| !expected.iter().any(|one| is_of(why, one))).collect();
        ensure!(unexpected.is_empty(), "Slack refused what nobody expected it to: {unexpected:#?}");
        let unmet: Vec<_> =
            expected.iter().filter(|one| !refused.iter().any(|why| is_of(why, one))).collect();
        ensure!(unmet.is_empty(), "Slack did not refuse: {unmet:?}");
        Ok(())
    }

    /// A request with its events, of the same moment: what a dialog has shown is put on record beside the answer, and so
    /// may come between the two.
    async fn read_together(&self, mut stored: Approval) -> Result<(Approval, Vec<Event>)> {
        loop {
            let events = self.events_of(Some(stored.id)).await?;
            let again = self.store()?.load(&stored.tenant, stored.id).await?;
            if again.version == stored.version {
                return Ok((stored, events));
            }
            stored = again;
        }
    }

    /// The end of a conversation is a test of its own.
    ///
    /// # Errors
    /// If something was left unread or undelivered, Slack refused anything, or the record does not tell the states.
    pub async fn close(&self) -> Result<()> {
        self.work_until_idle().await?;
        self.only_what_was_expected_was_refused()?;
        let store = self.store()?;
        let query = RequestQuery { limit: 100_000, ..RequestQuery::default() };
        self.ran_only_what_was_claimed(&store.list(query.clone()).await?)?;
        for stored in store.list(query).await? {
            let (stored, events) = self.read_together(stored).await?;
            let rebuilt = Approval::rebuild(&events)?.context("a request without events")?;
            let rebuilt = Approval { version: stored.version, ..rebuilt };
            ensure!(
                rebuilt == stored,
                "the record of {} does not tell its state:\n{rebuilt:#?}\n{stored:#?}",
                stored.id
            );
            let ran = matches!(stored.status(), Status::Executing | Status::Executed);
            let claimed = events.iter().filter(|event| event.kind.name() == "approval.claimed").count();
            ensure!(claimed == usize::from(ran), "{} claims of {}", claimed, stored.id);
            self.outcome_was_told(&stored, &events)?;
        }
        let seqs: Vec<_> = store
            .events(EventQuery {
                tenant: None,
                request: None,
                after: Seq(0),
                types: Vec::new(),
                limit: 100_000,
            })
            .await?
            .into_iter()
            .map(|(seq, _)| seq.0)
            .collect();
        ensure!(seqs.iter().copied().eq(1..=seqs.len() as u64), "the record has gaps: {seqs:?}");
        ensure!(store.undone(1).await?.is_empty(), "a delivery was never worked off");
        if !self.expects_unread.load(Ordering::Relaxed) {
            let long = self.clock.now() + Ttl::from_mins(24 * 60);
            let waiting = store.take_messages(long, long, 10).await?;
            ensure!(waiting.is_empty(), "never delivered: {waiting:?}");
            let unmet = self.slack.unmet_faults();
            ensure!(unmet.is_empty(), "faults that never came about: {unmet:?}");
            let unread = self.slack.unread();
            ensure!(unread.is_empty(), "left unread:\n{}", unread.join("\n"));
        }
        self.stop().await
    }
}

impl Desk {
    /// What came of a call that people were asked about stands under its card, once each time it became known.
    fn outcome_was_told(&self, stored: &Approval, events: &[Event]) -> Result<()> {
        let State::Executed(executed) = &stored.state else { return Ok(()) };
        let asked =
            matches!(executed.by, ApprovedBy::Votes | ApprovedBy::Timeout | ApprovedBy::BreakGlass { .. });
        if !asked || stored.tenant.as_str() != TENANT || self.expects_unread.load(Ordering::Relaxed) {
            return Ok(());
        }
        let known = ["tool.executed", "execution.settled"];
        let known = events.iter().filter(|event| known.contains(&event.kind.name())).count();
        let expected = known * stored.places().len();
        let outcomes = self.slack.outcomes();
        let of_it = outcomes.iter().filter(|message| message.text.contains(stored.code.as_str()));
        let of_it: Vec<_> = of_it.collect();
        ensure!(
            of_it.len() == expected,
            "what came of {} is told {} times, not {expected}",
            stored.id,
            of_it.len()
        );
        let in_thread = of_it.iter().all(|message| message.thread_ts.is_some());
        ensure!(in_thread, "what came of {} is told outside of its card's thread: {of_it:#?}", stored.id);
        Ok(())
    }

    /// A tool that ran more often than it was claimed ran without a permit.
    fn ran_only_what_was_claimed(&self, requests: &[Approval]) -> Result<()> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        for (tool, _) in runs.iter() {
            let ran = runs.iter().filter(|(other, _)| other == tool).count();
            let claimed = requests.iter().filter(|request| {
                let started = matches!(request.status(), Status::Executing | Status::Executed);
                started && request.proposal.call.tool.as_str() == tool
            });
            let claimed = claimed.count();
            ensure!(ran <= claimed, "{tool} ran {ran} times, and was claimed {claimed} times");
        }
        Ok(())
    }
}

/// What the conversation calls the accounts of the desk's people.
fn names() -> BTreeMap<Identity, String> {
    ["ana", "bo", "chen", "dana", "fay", "vic", "sam"]
        .into_iter()
        .flat_map(|name| {
            let slack = Identity::slack(TEAM_ID, &slack_user(name)).ok();
            let console = Identity::credential(&format!("{name}-console")).ok();
            [slack, console].into_iter().flatten().map(move |identity| (identity, name.to_owned()))
        })
        .collect()
}
