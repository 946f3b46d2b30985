//! The tables of the settings, one by one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use placet::id::{AgentId, SurfaceName, TenantId, ToolName};
use placet::text::Language;
use placet::time::Ttl;
use placet_schemas::ToolSchema;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::problem::Report;
use super::reader::{At, Section};
use super::schemas;
use super::secret::Secrets;
use super::slack::SlackWaysIn;

/// The longest pause between two posts: beyond it, cards would come too late to be of use.
const POST_INTERVAL_MAX: Ttl = Ttl::from_mins(1);

/// `[http]`.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// What every path begins with, where a proxy does not take it off: empty, or `/placet`.
    pub path_prefix: String,
    /// The most connections at the same time.
    pub connections_max: u32,
    /// Whether `/metrics` shows the numbers of the installation, to whoever can reach it.
    pub metrics: bool,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8787)),
            path_prefix: String::new(),
            connections_max: 1024,
            metrics: true,
        }
    }
}

impl HttpSettings {
    pub(super) fn read(table: Option<Section<'_>>, report: &mut Report<'_>) -> Option<Self> {
        let mut settings = Self::default();
        let Some(mut table) = table else { return Some(settings) };
        if let Some(listen) = table.parsed::<SocketAddr>("listen", "\"127.0.0.1:8787\"", report) {
            settings.listen = listen.value;
        }
        if let Some(prefix) = table.string("path_prefix", report) {
            let text = prefix.value.as_str();
            let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/-_.~".contains(&b));
            if !text.starts_with('/') || text.ends_with('/') || text.contains("//") || !plain {
                let message = format!("`{text}` is not the beginning of a path");
                report.add(
                    &prefix.span,
                    &table.path("path_prefix"),
                    message,
                    "such as path_prefix = \"/placet\"",
                );
            }
            settings.path_prefix = prefix.value;
        }
        if let Some(connections) = table.count("connections_max", 1..=100_000, report) {
            settings.connections_max = connections;
        }
        if let Some(metrics) = table.boolean("metrics", report) {
            settings.metrics = metrics;
        }
        table.finish(report);
        Some(settings)
    }
}

/// `[outbound]`: the proxy that outgoing connections take.
#[derive(Debug, Clone)]
pub struct ProxySettings {
    /// Where it is, without an account.
    pub proxy: Url,
    /// The account there.
    pub user: Option<String>,
    /// Its password.
    pub password: Option<SecretString>,
}

impl ProxySettings {
    pub(super) fn read(
        mut table: Section<'_>,
        secrets: Secrets<'_>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let example = "\"http://proxy.example.org:3128\"";
        let proxy = table.needed("proxy", example, report);
        let proxy = address(proxy, ("proxy", example), &table, report);
        let user = table.string("user", report).map(|user| user.value);
        let password = secrets.read(&mut table, "password", report);
        table.finish(report);
        Some(Self { proxy: proxy?, user, password })
    }

    /// The address with the account in it, as a client takes it; not to be shown.
    #[must_use]
    pub(crate) fn address(&self) -> Url {
        let mut url = self.proxy.clone();
        // An http address with a host takes both.
        let _kept = url.set_username(self.user.as_deref().unwrap_or_default());
        let _kept = url.set_password(self.password.as_ref().map(|password| password.expose_secret()));
        url
    }
}

/// An http address without an account. What is written is not repeated: there may be a password in it.
pub(super) fn address(
    text: Option<At<String>>,
    (key, example): (&str, &str),
    table: &Section<'_>,
    report: &mut Report<'_>,
) -> Option<Url> {
    let text = text?;
    let wrong = match Url::parse(&text.value) {
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            "an account does not belong into it"
        }
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.host_str().is_some() => return Some(url),
        Ok(_) | Err(_) => "it is no http address",
    };
    report.add(&text.span, &table.path(key), wrong, format!("such as {key} = {example}"));
    None
}

/// What the ids of channels begin with: public, private, direct.
const CHANNEL_KINDS: [char; 3] = ['C', 'G', 'D'];

/// `[slack]`: one workspace and the tenant it belongs to.
#[derive(Debug, Clone)]
pub struct SlackSettings {
    /// What policies call it: `slack`, or `slack-NAME`.
    pub name: SurfaceName,
    /// Slack's Web API, with a slash at its end.
    pub api_url: Url,
    /// How its calls come in.
    pub ways_in: SlackWaysIn,
    /// The app's token, `xoxb-…`.
    pub bot_token: SecretString,
    /// The workspace's id, `T…`; of an installation for a whole organisation `E…`.
    pub team: String,
    /// The organisation's id, `E…`, where the workspace belongs to one.
    pub enterprise: Option<String>,
    /// Whose workspace it is.
    pub tenant: TenantId,
    /// Where cards go when the policy names no place: a channel's id.
    pub channel: String,
    /// Where operators are told of alarms: a channel's id.
    pub ops_channel: Option<String>,
    /// How far apart the posts to one channel are.
    pub post_interval: Ttl,
    /// The language of cards and dialogs, where neither the channel nor who reads has one.
    pub language: Language,
    /// The languages of channels, by their ids.
    pub languages: BTreeMap<String, Language>,
}

impl SlackSettings {
    pub(super) fn read(
        mut table: Section<'_>,
        secrets: Secrets<'_>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let name = super::slack::surface_name(&mut table, report);
        let api_url = table.string("api_url", report);
        let api_url = address(api_url, ("api_url", "\"https://slack.com/api/\""), &table, report);
        let ways_in = SlackWaysIn::read(&mut table, secrets, report);
        let bot_token = secrets.needed(&mut table, ("bot_token", "PLACET_SLACK_BOT_TOKEN"), report);
        super::kind::expect(super::kind::Kind::Bot, ("bot_token", bot_token.as_ref()), &table, report);
        let team = id(table.needed("team", "\"T024BE7LD\"", report), ("team", &['T', 'E']), &table, report);
        let enterprise = table.string("enterprise", report);
        let enterprise = id(enterprise, ("enterprise", &['E']), &table, report);
        let tenant = tenant(&mut table, report);
        let channel = table.needed("channel", "\"C024BE91L\"", report);
        let channel = id(channel, ("channel", &CHANNEL_KINDS), &table, report);
        let ops_channel = table.string("ops_channel", report);
        let ops_channel = id(ops_channel, ("ops_channel", &CHANNEL_KINDS), &table, report);
        let post_interval = table.ttl("post_interval", Ttl::ZERO..=POST_INTERVAL_MAX, report);
        let languages = Language::ALL.map(|language| (language.tag(), language));
        let language = table.word("language", &languages, report);
        let channels = table.section("channels", report);
        let languages = channels.map(|channels| channel_languages(channels, report)).unwrap_or_default();
        table.finish(report);
        Some(Self {
            name: name?,
            api_url: match api_url {
                Some(mut url) => {
                    // A base without a slash at its end would lose its last part when methods are joined to it.
                    if !url.path().ends_with('/') {
                        let path = format!("{}/", url.path());
                        url.set_path(&path);
                    }
                    url
                }
                None => Url::parse(placet_slack::api::BASE_URL).ok()?,
            },
            ways_in: ways_in?,
            bot_token: bot_token?,
            team: team?,
            enterprise,
            tenant: tenant?,
            channel: channel?,
            ops_channel,
            post_interval: post_interval.unwrap_or(placet_slack::POST_INTERVAL),
            language: language.unwrap_or(Language::English),
            languages,
        })
    }
}

/// `[slack.channels."C…"]`: what channels have of their own.
fn channel_languages(channels: Section<'_>, report: &mut Report<'_>) -> BTreeMap<String, Language> {
    let languages = Language::ALL.map(|language| (language.tag(), language));
    let mut found = BTreeMap::new();
    for (name, mut channel) in channels.each(report) {
        if !is_slack_id(&name.value, &CHANNEL_KINDS) {
            let message = format!("`{}` is not a channel's id in Slack", name.value);
            report.add(&name.span, &channel.path(""), message, "an id such as C024BE91L; not a name");
        }
        if let Some(language) = channel.word("language", &languages, report) {
            found.insert(name.value, language);
        }
        channel.finish(report);
    }
    found
}

/// Whether a text can be an id of Slack's, of one of these kinds.
pub(crate) fn is_slack_id(text: &str, kinds: &[char]) -> bool {
    let plain = text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    text.starts_with(kinds) && text.len() >= 3 && plain
}

/// An id that Slack gave; a name can be anybody's, and changes.
fn id(
    text: Option<At<String>>,
    (key, kinds): (&str, &[char]),
    table: &Section<'_>,
    report: &mut Report<'_>,
) -> Option<String> {
    let text = text?;
    if is_slack_id(&text.value, kinds) {
        return Some(text.value);
    }
    let kinds: Vec<String> = kinds.iter().map(|kind| format!("{kind}…")).collect();
    let message = format!("`{}` is not one of Slack's ids", text.value);
    let remedy = format!("an id such as {}, of capital letters and digits; not a name", kinds.join(" or "));
    report.add(&text.span, &table.path(key), message, remedy);
    None
}

pub(super) fn tenant(table: &mut Section<'_>, report: &mut Report<'_>) -> Option<TenantId> {
    let text = table.needed("tenant", "\"acme\"", report)?;
    table.parse("tenant", &text, "\"acme\"", report).map(|tenant| tenant.value)
}

/// `[grants]`.
#[derive(Debug, Clone)]
pub struct GrantSettings {
    /// The secret key that signs grants: 32 bytes in hexadecimal. It is not in the database.
    pub key: SecretString,
}

impl GrantSettings {
    pub(super) fn read(
        mut table: Section<'_>,
        secrets: Secrets<'_>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let key = secrets.needed(&mut table, ("key", "PLACET_GRANT_KEY"), report);
        let settings = key.map(|key| Self { key });
        if let Some(settings) = &settings
            && settings.bytes().is_none()
        {
            let remedy = "64 hexadecimal digits, such as `openssl rand -hex 32` makes";
            table.note("key", "the secret is not 32 bytes in hexadecimal", remedy, report);
        }
        table.finish(report);
        settings
    }

    /// The key's bytes; none if it is not a key.
    #[must_use]
    pub fn bytes(&self) -> Option<[u8; 32]> {
        let mut bytes = [0_u8; 32];
        hex::decode_to_slice(self.key.expose_secret(), &mut bytes).ok()?;
        Some(bytes)
    }
}

/// Which model the agent thinks with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelChoice {
    /// The scripted one: no keys, no network.
    Scripted,
}

/// `[agent]`: Placet's own agent.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// Its name in requests and in the record.
    pub name: AgentId,
    /// Whose it is.
    pub tenant: TenantId,
    /// What it thinks with.
    pub model: ModelChoice,
    /// The folder that its file tools are confined to.
    pub workspace: PathBuf,
}

impl AgentSettings {
    /// The inner none means that it is switched off.
    #[expect(clippy::option_option, reason = "could not be read, and switched off, are two things")]
    pub(super) fn read(
        mut table: Section<'_>,
        folder: &Path,
        report: &mut Report<'_>,
    ) -> Option<Option<Self>> {
        let enabled = table.boolean("enabled", report).unwrap_or(true);
        let name = table.parsed::<AgentId>("name", "\"placet-agent\"", report).map(|name| name.value);
        let tenant = tenant(&mut table, report);
        let model = table.word("model", &[("scripted", ModelChoice::Scripted)], report);
        let workspace = table.needed("workspace", "\"workspace\"", report);
        table.finish(report);
        let settings = Self {
            name: match name {
                Some(name) => name,
                None => AgentId::new("placet-agent").ok()?,
            },
            tenant: tenant?,
            model: model.unwrap_or(ModelChoice::Scripted),
            workspace: folder.join(workspace?.value),
        };
        Some(enabled.then_some(settings))
    }
}

/// `[tools]`: what the agent's built-in tools may do.
#[derive(Debug, Clone, Default)]
pub struct ToolSettings {
    /// Which of the built-in tools there are; none means all.
    pub enabled: Option<Vec<ToolName>>,
    /// Hosts that `http_request` may talk to; empty means none.
    pub http_hosts: Vec<String>,
    /// What tools take, by their full names: an edit is held to it.
    pub schemas: BTreeMap<String, ToolSchema>,
}

/// The tools that come with Placet (R13).
pub(crate) const BUILT_IN: [&str; 8] =
    ["get_time", "add", "get_weather", "read_file", "write_note", "delete_file", "run_shell", "http_request"];

impl ToolSettings {
    pub(super) fn read(table: Option<Section<'_>>, folder: &Path, report: &mut Report<'_>) -> Option<Self> {
        let Some(mut table) = table else { return Some(Self::default()) };
        let schemas = schemas::read(table.section("schemas", report), folder, report);
        let enabled = table.strings("enabled", report);
        let hosts = table.strings("http_hosts", report).unwrap_or_default();
        let (enabled_path, hosts_path) = (table.path("enabled"), table.path("http_hosts"));
        table.finish(report);
        for tool in enabled.iter().flatten().filter(|tool| !BUILT_IN.contains(&tool.value.as_str())) {
            let message = format!("there is no built-in tool `{}`", tool.value);
            report.add(&tool.span, &enabled_path, message, format!("one of: {}", BUILT_IN.join(", ")));
        }
        for host in &hosts {
            if !Url::parse(&format!("https://{}/", host.value)).is_ok_and(|url| is_bare(&url)) {
                let message = format!("`{}` is not a host", host.value);
                report.add(
                    &host.span,
                    &hosts_path,
                    message,
                    "such as \"api.example.org\"; no scheme, no path",
                );
            }
        }
        let enabled =
            enabled.map(|tools| tools.iter().filter_map(|tool| ToolName::new(&tool.value).ok()).collect());
        Some(Self { enabled, http_hosts: hosts.into_iter().map(|host| host.value).collect(), schemas })
    }

    /// The names of the tools there are.
    #[must_use]
    pub fn names(&self) -> Vec<ToolName> {
        match &self.enabled {
            Some(names) => names.clone(),
            None => BUILT_IN.iter().filter_map(|name| ToolName::new(name).ok()).collect(),
        }
    }
}

/// Whether an address has nothing but a host, and perhaps a port.
fn is_bare(url: &Url) -> bool {
    let account = !url.username().is_empty() || url.password().is_some();
    !account && url.path() == "/" && url.query().is_none() && url.fragment().is_none()
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Plain,
    /// One JSON object per line.
    Json,
}

/// `[log]`.
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// How it is written.
    pub format: LogFormat,
    /// What is written, as `tracing-subscriber` filters are: `info`, `placet=debug,warn`.
    pub level: String,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { format: LogFormat::Plain, level: "info".to_owned() }
    }
}

/// The levels of the log, and silence.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Whether a part of a filter says how much. A word that is no level would be taken for a part of the program, and
/// silence all others.
fn names_a_level(directive: &str) -> bool {
    let level = directive.rsplit('=').next().unwrap_or(directive).trim();
    LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level))
}

impl LogSettings {
    pub(super) fn read(table: Option<Section<'_>>, report: &mut Report<'_>) -> Option<Self> {
        let mut settings = Self::default();
        let Some(mut table) = table else { return Some(settings) };
        let formats = [("plain", LogFormat::Plain), ("json", LogFormat::Json)];
        if let Some(format) = table.word("format", &formats, report) {
            settings.format = format;
        }
        if let Some(level) = table.string("level", report) {
            let filter = tracing_subscriber::EnvFilter::builder().parse(&level.value);
            if filter.is_err() || !level.value.split(',').all(names_a_level) {
                let message = format!("`{}` is not a filter of log levels", level.value);
                let remedy = "error, warn, info, debug or trace; or by part, such as \"placet=debug,warn\"";
                report.add(&level.span, &table.path("level"), message, remedy);
            }
            settings.level = level.value;
        }
        table.finish(report);
        Some(settings)
    }
}
