//! The settings: one TOML file, read as a whole.
//!
//! What always holds:
//! - An unknown key, a wrong type, a value that cannot be meant: an error that names file, line, key and remedy.
//! - A secret is never in the file, never in an error, and never in `Debug`.
//! - Reading depends on nothing but the text, the folder and the environment that are handed in.

mod basics;
mod kind;
mod matrix;
mod on_call;
mod policy;
mod problem;
mod reader;
mod schemas;
mod secret;
mod section;
mod slack;
mod store;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use placet::card::Redactor;
use placet::id::{SurfaceName, TenantId};
use placet::policy::key_at;
use placet::time::Ttl;
use secrecy::ExposeSecret as _;
use toml::de::DeTable;

pub use basics::Basics;
pub use matrix::MatrixSection;
pub use on_call::OnCallSettings;
pub use policy::{POLICY_POLL, PolicySettings, PolicySource, PolicyTexts, PolicyUnit, Unread};
pub use problem::{Problem, SettingsErrors};
pub use secret::Secrets;
pub use section::{
    AgentSettings, GrantSettings, HttpSettings, LogFormat, LogSettings, ModelChoice, ProxySettings,
    SlackSettings, ToolSettings,
};
pub use slack::SlackWaysIn;
pub use store::StoreSettings;

use problem::{Report, cause};
use reader::Section;
pub(crate) use section::is_slack_id;

/// The most bytes of settings: more is no text that people wrote.
const SETTINGS_BYTES_MAX: usize = 1024 * 1024;

/// Where Slack has sockets. <https://docs.slack.dev/apis/events-api/using-socket-mode>
const SOCKET_HOSTS: [&str; 2] = ["wss-backup.slack.com:443", "wss-primary.slack.com:443"];

/// The shortest and the longest lease. Shorter than this, an executor spends its time with heartbeats; longer, and
/// nobody learns for half an hour that it died.
const LEASE: std::ops::RangeInclusive<Ttl> = Ttl::from_secs(3)..=Ttl::from_mins(30);

/// Everything that an installation is told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database.
    pub data: PathBuf,
    /// How it is opened.
    pub store: StoreSettings,
    /// The policies.
    pub policy: PolicySettings,
    /// How long a heartbeat of an executor carries.
    pub lease: Ttl,
    /// The HTTP interface.
    pub http: HttpSettings,
    /// The Slack workspaces; none leaves Slack out.
    pub slack: Vec<SlackSettings>,
    /// The bot's account in Matrix; none leaves Matrix out.
    pub matrix: Option<MatrixSection>,
    /// Schedules of who is on call; none leaves those at PagerDuty unreadable.
    pub on_call: Option<OnCallSettings>,
    /// Grants for executors outside; none gives no grants.
    pub grants: Option<GrantSettings>,
    /// Placet's own agent; none leaves it out.
    pub agent: Option<AgentSettings>,
    /// Its tools.
    pub tools: ToolSettings,
    /// The proxy that every outgoing connection takes.
    pub outbound: Option<ProxySettings>,
    /// The log.
    pub log: LogSettings,
}

impl Settings {
    /// Reads the settings from a file, and secrets from this process's environment.
    ///
    /// # Errors
    /// [`SettingsErrors`] with everything that was found.
    pub fn load(file: &Path) -> Result<Self, SettingsErrors> {
        let (shown, text) = text_of(file)?;
        let environment = |name: &str| std::env::var(name).ok();
        Self::parse(&text, &shown, Secrets::new(folder_of(file), &environment))
    }

    /// Reads the settings from a file, and looks up no secret: where the server's secrets are not, such as in CI, it can
    /// still be told whether a policy goes together with them. Nothing can be served with these.
    ///
    /// # Errors
    /// [`SettingsErrors`] with everything that was found.
    pub fn load_without_secrets(file: &Path) -> Result<Self, SettingsErrors> {
        let (shown, text) = text_of(file)?;
        Self::parse(&text, &shown, Secrets::blank(folder_of(file)))
    }

    /// Reads the settings from text. `file` is what errors call it.
    ///
    /// # Errors
    /// [`SettingsErrors`] with everything that was found.
    pub fn parse(text: &str, file: &str, secrets: Secrets<'_>) -> Result<Self, SettingsErrors> {
        parsed(text, file, |root, report| Self::read(root, secrets, report))
    }

    fn read(mut root: Section<'_>, secrets: Secrets<'_>, report: &mut Report<'_>) -> Option<Self> {
        let data = root.needed("data", "\"placet.db\"", report);
        let store = StoreSettings::read(root.section("store", report), report);
        let policy = PolicySettings::read(&mut root, secrets.folder, report);
        let lease = root.ttl("lease", LEASE, report).unwrap_or(Ttl::from_secs(60));
        let http = HttpSettings::read(root.section("http", report), report);
        let slack = slack::workspaces(&mut root, secrets, report);
        let matrix = root.section("matrix", report).map(|table| MatrixSection::read(table, secrets, report));
        let on_call =
            root.section("on_call", report).map(|table| OnCallSettings::read(table, secrets, report));
        let grants = root.section("grants", report).map(|table| GrantSettings::read(table, secrets, report));
        let agent =
            root.section("agent", report).map(|table| AgentSettings::read(table, secrets.folder, report));
        let tools = ToolSettings::read(root.section("tools", report), secrets.folder, report);
        let log = LogSettings::read(root.section("log", report), report);
        let outbound = root.section("outbound", report);
        let outbound = outbound.map(|table| ProxySettings::read(table, secrets, report));
        root.finish(report);
        Some(Self {
            data: secrets.folder.join(data?.value),
            store,
            policy: policy?,
            lease,
            http: http?,
            slack: slack?,
            matrix: opposite(matrix)?,
            on_call: opposite(on_call)?,
            grants: opposite(grants)?,
            agent: opposite(agent)?.flatten(),
            tools: tools?,
            outbound: opposite(outbound)?,
            log: log?,
        })
    }

    /// What hides secrets in every sink: it knows all that the settings name.
    #[must_use]
    pub fn redactor(&self) -> Redactor {
        let mut redactor = Redactor::new();
        let slack = self.slack.iter();
        let slack = slack.flat_map(|slack| slack.ways_in.secrets().chain([&slack.bot_token]).map(Some));
        let grants = self.grants.iter().map(|grants| Some(&grants.key));
        let outbound = self.outbound.iter().map(|outbound| outbound.password.as_ref());
        let on_call = self.on_call.iter().map(|on_call| Some(&on_call.pagerduty_token));
        let matrix = self.matrix.iter().flat_map(|matrix| matrix.secrets.iter().map(Some));
        for secret in slack.chain(matrix).chain(grants).chain(on_call).chain(outbound).flatten() {
            redactor.add_secret(secret.expose_secret());
        }
        redactor
    }

    /// The tenants that the settings name, each once.
    #[must_use]
    pub fn tenants(&self) -> std::collections::BTreeSet<&TenantId> {
        let slack = self.slack.iter().map(|slack| &slack.tenant);
        let agent = self.agent.iter().map(|agent| &agent.tenant);
        let matrix = self.matrix.iter().map(|matrix| &matrix.settings.tenant);
        slack
            .chain(matrix)
            .chain(agent)
            .chain(self.policy.tenants.keys())
            .chain(&self.policy.agreed_in)
            .collect()
    }

    /// Pairs of workspaces that have one signing secret.
    pub(crate) fn sharing_a_secret(&self) -> Vec<(&SurfaceName, &SurfaceName)> {
        slack::sharing_a_secret(&self.slack)
    }

    /// The tenant that is meant where none is named: the only one.
    #[must_use]
    pub fn only_tenant(&self) -> Option<&TenantId> {
        let tenants = self.tenants();
        tenants.first().copied().filter(|_| tenants.len() == 1)
    }

    /// The tenant in which people agree to a change of the installation's policy: the one that is named for it, else the
    /// one that is asked in Slack, else the only one.
    #[must_use]
    pub fn policy_tenant(&self) -> Option<&TenantId> {
        let mut asked = self.slack.iter().map(|slack| &slack.tenant);
        // Of several, none is meant more than another.
        let asked = asked.next().filter(|first| asked.all(|other| other == *first));
        self.policy.agreed_in.as_ref().or(asked).or_else(|| self.only_tenant())
    }

    /// Every host that the server talks to by these settings (calendars besides, which the policy names), for whoever keeps the firewall.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        let mut hosts = Vec::new();
        for slack in &self.slack {
            hosts.extend(host(&slack.api_url));
            // Where sockets are, Slack says each time; these two it names.
            if slack.ways_in.app_token.is_some() && slack.api_url.host_str() == Some("slack.com") {
                hosts.extend(SOCKET_HOSTS.map(ToOwned::to_owned));
            }
        }
        hosts.extend(self.matrix.as_ref().and_then(|matrix| host(&matrix.settings.homeserver)));
        hosts.extend(self.on_call.as_ref().and_then(|on_call| host(&on_call.pagerduty_url)));
        if self.agent.is_some() {
            hosts.extend(self.tools.http_hosts.iter().cloned());
        }
        hosts.extend(self.outbound.as_ref().and_then(|outbound| host(&outbound.proxy)));
        hosts.sort();
        hosts.dedup();
        hosts
    }
}

/// A file of settings: what it is called, and its text.
fn text_of(file: &Path) -> Result<(String, String), SettingsErrors> {
    let shown = file.display().to_string();
    match std::fs::read_to_string(file) {
        Ok(text) => Ok((shown, text)),
        Err(error) => {
            let message = format!("the settings cannot be read: {}", cause(&error));
            Err(SettingsErrors::of_file(&shown, message, "config/placet.example.toml is one to start from"))
        }
    }
}

/// The folder that paths in a file of settings start from.
fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or_else(|| Path::new(""))
}

/// Reads a text; what was read counts only where nothing was found to be wrong.
fn parsed<T>(
    text: &str,
    file: &str,
    read: impl FnOnce(Section<'_>, &mut Report<'_>) -> Option<T>,
) -> Result<T, SettingsErrors> {
    if text.len() > SETTINGS_BYTES_MAX {
        let message = format!("settings have at most {SETTINGS_BYTES_MAX} bytes");
        return Err(SettingsErrors::of_file(file, message, "this is some other file"));
    }
    let mut report = Report::new(text, file);
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let key = key_at(text, &span).map_or_else(String::new, |key| format!(" `{key}`"));
        report.add(&span, "", format!("this is not TOML: {}{key}", error.message()), "");
    }
    // What was recovered from broken TOML would only be guessed at.
    if !report.is_clean() {
        return Err(report.into_errors());
    }
    match read(Section::root(document.get_ref()), &mut report) {
        Some(read) if report.is_clean() => Ok(read),
        Some(_) | None => Err(report.into_errors()),
    }
}

/// A table that is there but could not be read ends the reading; one that is not there does not.
fn opposite<T>(table: Option<Option<T>>) -> Option<Option<T>> {
    match table {
        None => Some(None),
        Some(None) => None,
        Some(Some(read)) => Some(Some(read)),
    }
}

pub(crate) fn host(url: &url::Url) -> Option<String> {
    let port = url.port_or_known_default()?;
    url.host_str().map(|host| format!("{host}:{port}"))
}
