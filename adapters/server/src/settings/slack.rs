//! Slack's workspaces, and how their calls come in: signed over HTTP, on sockets, or both.

use placet::id::SurfaceName;
use secrecy::{ExposeSecret as _, SecretString};
use toml::de::DeValue;

use super::SlackSettings;
use super::kind::{Kind, expect};
use super::problem::Report;
use super::reader::Section;
use super::secret::{BLANK, Secrets, named};

/// Connections that are kept where the settings name no number: with two, one that breaks off is not missed.
const CONNECTIONS: u32 = 2;

/// The name of the first workspace in the policy's places; others have theirs behind it.
const SURFACE: &str = "slack";

/// The most workspaces: each has its own directory, pace and sockets.
const WORKSPACES_MAX: usize = 100;

/// The longest name of a workspace.
const NAME_CHARS_MAX: usize = 32;

/// `[slack]`, or `[[slack]]` once for each workspace.
pub(super) fn workspaces(
    root: &mut Section<'_>,
    secrets: Secrets<'_>,
    report: &mut Report<'_>,
) -> Option<Vec<SlackSettings>> {
    let mut read: Vec<SlackSettings> = Vec::new();
    let mut whole = true;
    for table in tables(root, report)? {
        let (path, span) = (table.path(""), table.span());
        let Some(one) = SlackSettings::read(table, secrets, report) else {
            whole = false;
            continue;
        };
        for (key, wrong, remedy) in read.iter().flat_map(|other| clashes(&one, other)) {
            report.add(&span, &format!("{path}.{key}"), wrong, remedy);
        }
        read.push(one);
    }
    whole.then_some(read)
}

/// The table of each workspace, in whichever form they are written: every reader of settings takes both.
pub(super) fn tables<'d>(root: &mut Section<'d>, report: &mut Report<'_>) -> Option<Vec<Section<'d>>> {
    let Some(value) = root.get("slack") else { return Some(Vec::new()) };
    let DeValue::Array(items) = value.get_ref() else {
        return root.section("slack", report).map(|one| vec![one]);
    };
    if items.is_empty() || items.len() > WORKSPACES_MAX {
        let message = format!("there are {} workspaces", items.len());
        report.add(&value.span(), "slack", message, format!("[[slack]] once to {WORKSPACES_MAX} times"));
        return None;
    }
    let numbered = items.iter().enumerate();
    // Each that is no table is an error of its own; the others are read all the same.
    Some(
        numbered.filter_map(|(number, item)| Section::of(item, format!("slack[{number}]"), report)).collect(),
    )
}

/// What two workspaces cannot share.
fn clashes(one: &SlackSettings, other: &SlackSettings) -> Vec<(&'static str, String, &'static str)> {
    let mut found = Vec::new();
    if one.name == other.name {
        let wrong = format!("two workspaces are called `{}`", one.name);
        found.push(("name", wrong, "such as name = \"emea\": policies then write slack-emea/C024BE91L"));
    }
    if one.team == other.team {
        found.push(("team", format!("{} stands here twice", one.team), "each workspace once"));
    }
    let bot = |of: &SlackSettings| (of.api_url.clone(), of.bot_token.expose_secret().to_owned());
    if bot(one) == bot(other) && one.bot_token.expose_secret() != BLANK {
        let wrong = "two workspaces share one bot's token, which is good in one of them alone".to_owned();
        found.push((
            "bot_token",
            wrong,
            "install the app into each workspace, and set for each the token that it gave",
        ));
    }
    let token =
        |of: &SlackSettings| of.ways_in.app_token.as_ref().map(|token| token.expose_secret().to_owned());
    if token(one).is_some_and(|own| own != BLANK && token(other) == Some(own)) {
        let wrong =
            "two workspaces share one app's sockets, on which either could get the other's calls".to_owned();
        found.push((
            "app_token",
            wrong,
            "an app of its own for each, or signing_secret: signed calls say whose they are",
        ));
    }
    found
}

/// Which workspaces have one signing secret, by name; the environment is what tells, so that none is where no secret is
/// looked up. That is right where they share one app, and a slip of whoever copied it where each has its own.
pub(super) fn sharing_a_secret(workspaces: &[SlackSettings]) -> Vec<(&SurfaceName, &SurfaceName)> {
    let secret = |of: &SlackSettings| {
        let secret = of.ways_in.signing_secret.as_ref().map(|secret| secret.expose_secret().to_owned());
        secret.filter(|secret| secret != BLANK)
    };
    let mut found = Vec::new();
    for (number, one) in workspaces.iter().enumerate() {
        let same = |other: &&SlackSettings| secret(one).is_some() && secret(one) == secret(other);
        let other = workspaces.iter().take(number).find(same);
        found.extend(other.map(|other| (&other.name, &one.name)));
    }
    found
}

/// What policies call the workspace: `slack`, or `slack-emea` with `name = "emea"`.
pub(super) fn surface_name(table: &mut Section<'_>, report: &mut Report<'_>) -> Option<SurfaceName> {
    let Some(name) = table.string("name", report) else { return SurfaceName::new(SURFACE).ok() };
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.value.len() > NAME_CHARS_MAX || !name.value.bytes().all(fits) {
        let message = format!("`{}` is no name of a workspace", name.value);
        let remedy = format!("at most {NAME_CHARS_MAX} small letters, digits and hyphens, such as \"emea\"");
        report.add(&name.span, &table.path("name"), message, remedy);
        return None;
    }
    SurfaceName::new(format!("{SURFACE}-{}", name.value)).ok()
}

/// The ways in; at least one is there.
#[derive(Debug, Clone)]
pub struct SlackWaysIn {
    /// What Slack signs with. None mounts no address for Slack.
    pub signing_secret: Option<SecretString>,
    /// What it signed with before a rotation, while both are valid.
    pub signing_secret_previous: Option<SecretString>,
    /// The app-level token, `xapp-…`, which opens sockets. None opens none.
    pub app_token: Option<SecretString>,
    /// How many sockets are kept.
    pub connections: usize,
}

impl SlackWaysIn {
    pub(super) fn read(
        table: &mut Section<'_>,
        secrets: Secrets<'_>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let over_sockets = table.key_span("app_token").is_some();
        let signed = table.key_span("signing_secret").is_some();
        let app_token = secrets.read(table, "app_token", report);
        expect(Kind::App, ("app_token", app_token.as_ref()), table, report);
        if !over_sockets && !signed {
            let signing = named("signing_secret", "PLACET_SLACK_SIGNING_SECRET");
            let app = named("app_token", "PLACET_SLACK_APP_TOKEN");
            let remedy = format!("such as {signing}; or, for Socket Mode, which needs no address, {app}");
            table.note("signing_secret", "it is missing", &remedy, report);
        }
        let signing_secret = secrets.read(table, "signing_secret", report);
        expect(Kind::Signing, ("signing_secret", signing_secret.as_ref()), table, report);
        if over_sockets && !signed && table.key_span("signing_secret_previous").is_some() {
            let remedy = "take it out, or set signing_secret too";
            table.note("signing_secret_previous", "there is none after it", remedy, report);
        }
        let signing_secret_previous = secrets.read(table, "signing_secret_previous", report);
        expect(Kind::Signing, ("signing_secret_previous", signing_secret_previous.as_ref()), table, report);
        let most = u32::try_from(placet_slack::CONNECTIONS_MAX).unwrap_or(u32::MAX);
        let connections = table.count("socket_connections", 1..=most, report);
        if connections.is_some() && !over_sockets {
            let remedy = "set app_token too, or take it out";
            table.note("socket_connections", "without app_token there are no sockets", remedy, report);
        }
        // What is written and could not be read was reported, and so was that neither is written.
        (app_token.is_some() == over_sockets && signing_secret.is_some() == signed).then_some(())?;
        (over_sockets || signed).then_some(())?;
        Some(Self {
            signing_secret,
            signing_secret_previous,
            app_token,
            connections: usize::try_from(connections.unwrap_or(CONNECTIONS)).unwrap_or(1),
        })
    }

    /// Every secret in it.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        [&self.signing_secret, &self.signing_secret_previous, &self.app_token].into_iter().flatten()
    }
}
