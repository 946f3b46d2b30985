//! Slack's workspaces: what shows cards there, what vouches for its accounts, and the ways in.
//!
//! What always holds: each workspace has its own token, tenant and channels; all share one address, at which the
//! signature decides whose a call is; an account of one workspace is foreign to every other tenant.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use axum::Router;
use placet::agent::task::TaskDesk;
use placet::gate::{Directories, Gate, PolicyShelf};
use placet::id::SurfaceName;
use placet::policy::Place;
use placet::ports::Clock;
use placet_http::{SurfaceHealth, SurfaceStanding};
use placet_slack::api::{ApiError, ApiSettings, SlackApi};
use placet_slack::identity::Home;
use placet_slack::signature::SigningSecrets;
use placet_slack::{Homes, Slack, SlackDirectory, SlackInbound, SlackSocket, SocketSettings};
use secrecy::ExposeSecret as _;
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{GREET_AGAIN, SLACK};
use crate::settings::{SlackSettings, SlackWaysIn};

/// One workspace, before there is a gate to hand things to.
pub(super) struct SlackWorkspace {
    pub(super) slack: Slack,
    pub(super) place: Place,
    pub(super) has_operators: bool,
    directory: SlackDirectory,
    secrets: SigningSecrets,
    reach: ApiSettings,
    ways_in: SlackWaysIn,
}

/// How what people do in Slack comes in.
pub(super) struct WaysIn {
    pub(super) router: Option<Router>,
    pub(super) sockets: Vec<(SurfaceName, SlackSocket)>,
}

impl SlackWorkspace {
    /// By its settings.
    pub(super) fn of(
        settings: &SlackSettings,
        proxy: Option<Url>,
        clock: &Arc<dyn Clock>,
        policy: &Arc<PolicyShelf>,
    ) -> anyhow::Result<Self> {
        let name = settings.name.clone();
        let reach =
            ApiSettings { proxy, ..ApiSettings::new(settings.api_url.clone(), settings.bot_token.clone()) };
        let api = SlackApi::new(reach.clone()).with_context(|| format!("[{name}] cannot be used"))?;
        let api = api.metered(Arc::clone(clock));
        let home = Home { team_id: settings.team.clone(), enterprise_id: settings.enterprise.clone() };
        let directory = SlackDirectory::new(api.clone(), home.clone(), Arc::clone(clock));
        let slack = Slack::with_people(
            placet_slack::SlackSettings {
                name: name.clone(),
                tenant: settings.tenant.clone(),
                home,
                default_channel: settings.channel.clone(),
                ops_channel: settings.ops_channel.clone(),
                language: settings.language,
                languages: settings.languages.clone(),
                post_interval: settings.post_interval,
            },
            api,
            Arc::clone(clock),
            Arc::clone(policy),
            directory.clone(),
        );
        Ok(Self {
            slack,
            place: Place { surface: name, channel: settings.channel.clone(), thread: None },
            has_operators: settings.ops_channel.is_some(),
            directory,
            secrets: secrets(&settings.ways_in)?,
            reach,
            ways_in: settings.ways_in.clone(),
        })
    }

    fn inbound(
        &self,
        gate: &Gate,
        (tasks, homes): (&Arc<TaskDesk>, &Homes),
        neighbours: Vec<String>,
    ) -> SlackInbound {
        SlackInbound {
            secrets: self.secrets.clone(),
            gate: gate.clone(),
            slack: self.slack.clone(),
            tasks: Some(Arc::clone(tasks)),
            homes: homes.clone(),
            neighbours,
        }
    }
}

/// Has the workspaces vouch for their accounts. A lone one does for every tenant: it tells a foreign account from one that
/// cannot be read. Of several, each does for its own tenant alone, by its own id before what tells that it is foreign.
pub(super) fn vouching(mut directories: Directories, workspaces: &[SlackWorkspace]) -> Directories {
    if let [lone] = workspaces {
        return directories.with(SLACK, Arc::new(lone.directory.clone()));
    }
    for workspace in workspaces {
        let settings = workspace.slack.settings();
        let home = &settings.home;
        let ids = [Some(&home.team_id), home.enterprise_id.as_ref()].into_iter().flatten();
        for realm in ids.map(|id| format!("{SLACK}:{id}")).chain([SLACK.to_owned()]) {
            let directory = Arc::new(workspace.directory.clone());
            directories = directories.with_for(settings.tenant.clone(), realm, directory);
        }
    }
    directories
}

/// Opens the ways in.
pub(super) fn ways_in(
    workspaces: &[SlackWorkspace],
    gate: &Gate,
    tasks: &[Arc<TaskDesk>],
) -> anyhow::Result<WaysIn> {
    let (mut signed, mut sockets) = (Vec::new(), Vec::new());
    for (workspace, tasks) in workspaces.iter().zip(tasks) {
        let homes = Homes::default();
        let team = |of: &SlackWorkspace| of.slack.settings().home.team_id.clone();
        let neighbours = workspaces.iter().map(team).filter(|id| *id != team(workspace)).collect::<Vec<_>>();
        if workspace.ways_in.signing_secret.is_some() {
            signed.push(workspace.inbound(gate, (tasks, &homes), neighbours.clone()));
        }
        if let Some(token) = workspace.ways_in.app_token.clone() {
            let reach = ApiSettings { token, ..workspace.reach.clone() };
            let settings = SocketSettings { reach, connections: workspace.ways_in.connections };
            let inbound = workspace.inbound(gate, (tasks, &homes), neighbours);
            let socket = SlackSocket::new(inbound, settings).context("slack.app_token")?;
            sockets.push((workspace.slack.settings().name.clone(), socket));
        }
    }
    let router = (!signed.is_empty()).then(|| placet_slack::router_of(signed));
    Ok(WaysIn { router, sockets })
}

/// Asks Slack who this is until it knows, so that whoever starts the server learns at once, and sees in `/readyz` and on
/// `/metrics`, what no card will get through without; and again when Slack says that the token is good no more. It keeps
/// nothing from starting: Slack may be back in a minute.
pub(super) async fn greet(slack: &Slack, clock: &dyn Clock, health: &SurfaceHealth) {
    let name = slack.settings().name.as_str();
    loop {
        let mut told = None;
        while let Err((standing, why)) = greeted(slack).await {
            if told.as_ref() != Some(&why) {
                tracing::warn!("{why}");
            }
            told = Some(why);
            health.set(name, standing);
            clock.sleep_until(clock.now() + GREET_AGAIN).await;
        }
        health.set(name, SurfaceStanding::Works);
        slack.until_lost().await;
        health.set(name, SurfaceStanding::Refuses);
    }
}

/// Takes what comes on the sockets of one workspace, for ever.
pub(super) async fn listen(socket: &SlackSocket, name: &str, health: &SurfaceHealth) {
    let mut connected = socket.connected();
    let telling = async {
        loop {
            let count = *connected.borrow_and_update();
            health.set_sockets(name, count);
            if connected.changed().await.is_err() {
                return;
            }
        }
    };
    futures::future::join(socket.run(), telling).await;
}

/// Asks Slack once who this is; else how it does, why no card gets through, and what to do.
async fn greeted(slack: &Slack) -> Result<(), (SurfaceStanding, String)> {
    let (name, home) = (&slack.settings().name, &slack.settings().home.team_id);
    match slack.api().auth_test().await {
        Ok(bot) if bot.team_id == *home => {
            tracing::info!(slack.team = %bot.team_id, slack.user = %bot.user_id, "Slack knows this app");
            Ok(())
        }
        Ok(bot) => Err((
            SurfaceStanding::Refuses,
            format!(
                "the bot token in [{name}] belongs to the workspace {}, and `team` is \"{home}\": its people cannot approve \
                 here; set one of the two right",
                bot.team_id
            ),
        )),
        Err(fault) => Err(not_greeted(name, &fault)),
    }
}

/// What came in place of Slack's greeting. Only its own word about the token or the app is a refusal.
fn not_greeted(name: &SurfaceName, fault: &ApiError) -> (SurfaceStanding, String) {
    match fault {
        ApiError::Auth { code, .. } => (
            SurfaceStanding::Refuses,
            format!(
                "Slack refuses the bot token in [{name}] ({code}): no card gets through until bot_token is the one that the \
                 app has now (api.slack.com/apps, \"OAuth & Permissions\")"
            ),
        ),
        ApiError::Unreached(_) | ApiError::Unavailable | ApiError::Unknown | ApiError::RateLimited { .. } => {
            let remedy = fault.remedy().map_or_else(String::new, |remedy| format!("; {remedy}"));
            (
                SurfaceStanding::Unreachable,
                format!("no card gets through to [{name}], and it is tried again: {fault}{remedy}"),
            )
        }
        _ => (
            SurfaceStanding::Refuses,
            format!(
                "no card gets through to [{name}]: {fault}; `placet doctor` looks at what the app may do"
            ),
        ),
    }
}

/// What Slack signs with. Where it signs nothing, since all comes on sockets, what dialogs are sealed with is derived from
/// the token that opens those: the same in every replica and after a restart, and known to nobody in Slack.
pub(crate) fn secrets(ways_in: &SlackWaysIn) -> anyhow::Result<SigningSecrets> {
    let secrets = match (&ways_in.signing_secret, &ways_in.signing_secret_previous, &ways_in.app_token) {
        (Some(current), Some(previous), _) => SigningSecrets::rotating(current.clone(), previous.clone()),
        (Some(current), None, _) => SigningSecrets::new(current.clone()),
        (None, _, Some(token)) => {
            let key =
                Sha256::new().chain_update(b"placet/slack-seal/v1\0").chain_update(token.expose_secret());
            SigningSecrets::new(hex::encode(key.finalize()).into())
        }
        (None, _, None) => bail!("[slack] has neither signing_secret nor app_token: nothing could come in"),
    };
    secrets.context("slack.signing_secret")
}
