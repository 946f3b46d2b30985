//! The port: cards are posted, edited and found again, people and operators are told.
//!
//! What always holds: nothing is tried twice here but the compact form of a card that Slack does not take; an error
//! says whether the message may be there ([`SurfaceError`]), and for good errors what to do; no post leaves before its
//! channel's turn, nor before the time that Slack has named.

mod fault;
mod language;
mod link;
mod pace;
mod say;
mod thread;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use placet::approval::Refusal;
use placet::card::CardView;
use placet::gate::PolicyShelf;
use placet::id::{AttemptId, RequestId, SurfaceName, TenantId};
use placet::inbound::{MessageRef, ReplyTo};
use placet::notice::{Message, Notice, Recipient};
use placet::person::Identity;
use placet::policy::Place;
use placet::ports::{Clock, Surface, SurfaceError, Telling};
use placet::text::{Language, Markup};
use placet::time::{Timestamp, Ttl};
use serde_json::{Value, json};

use crate::api::{ApiError, AuthTest, Ephemeral, Metadata, MetadataQuery, NewMessage, SlackApi, Update};
use crate::directory::SlackDirectory;
use crate::identity::Home;
use crate::limits;
use crate::mrkdwn::{escape, section};
use crate::render::question::answer_button;
use crate::render::{
    METADATA_ATTEMPT, METADATA_EVENT, METADATA_REQUEST, Rendering, compact, notice, render, render_linked,
    shows_all_of,
};

use fault::{NO_OPS_CHANNEL, NOT_A_SLACK_ACCOUNT, surface_error};
use pace::Pace;
use say::is_timestamp;

/// How far apart the posts to one channel are: Slack takes about one a second.
/// <https://docs.slack.dev/apis/web-api/rate-limits>
pub const POST_INTERVAL: Ttl = Ttl::from_secs(1);

/// How much older than its attempt a message may seem: Slack's clock is not ours.
const CLOCKS_DIFFER: Ttl = Ttl::from_secs(120);

/// The scopes that let a message be looked up, by what its channel's id begins with.
const HISTORY_SCOPES: [(char, &str); 3] =
    [('C', "channels:history"), ('G', "groups:history"), ('D', "im:history")];

/// How one workspace is set up.
#[derive(Debug, Clone)]
pub struct SlackSettings {
    /// The surface's configured name.
    pub name: SurfaceName,
    /// Whose requests are shown here, and whose people decide.
    pub tenant: TenantId,
    /// The workspace, and its enterprise.
    pub home: Home,
    /// Where cards go that name no channel: a channel id.
    pub default_channel: String,
    /// Where operators are told of alarms; none leaves that to the log.
    pub ops_channel: Option<String>,
    /// The language of cards and dialogs, where nothing else names one.
    pub language: Language,
    /// The languages of channels that have one of their own, by channel id.
    pub languages: BTreeMap<String, Language>,
    /// As [`POST_INTERVAL`]; zero posts at once.
    pub post_interval: Ttl,
}

/// One workspace, as somebody reads it. Cheap to clone.
#[derive(Clone)]
pub struct Slack(Arc<Parts>, Language);

struct Parts {
    settings: SlackSettings,
    api: SlackApi,
    clock: Arc<dyn Clock>,
    pace: Pace,
    revisions: thread::Revisions,
    /// Slack has said that the token is good no more.
    lost: tokio::sync::Notify,
    /// Who has which role, so that a refusal can name who can.
    policy: Option<Arc<PolicyShelf>>,
    /// What people's profiles say.
    directory: Option<SlackDirectory>,
    /// What the token is and may do; asked when it is first needed, so that a start needs no Slack.
    bot: tokio::sync::OnceCell<AuthTest>,
}

impl std::fmt::Debug for Slack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slack").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

impl Slack {
    /// A workspace with these settings, reached through `api`. Talks to nobody yet.
    #[must_use]
    pub fn new(settings: SlackSettings, api: SlackApi, clock: Arc<dyn Clock>) -> Self {
        Self::made(settings, api, clock, None, None)
    }

    /// As [`Slack::new`]; with the policy, a refusal names who could do what was refused.
    #[must_use]
    pub fn with_policy(
        settings: SlackSettings,
        api: SlackApi,
        clock: Arc<dyn Clock>,
        policy: Arc<PolicyShelf>,
    ) -> Self {
        Self::made(settings, api, clock, Some(policy), None)
    }

    /// As [`Slack::with_policy`]; with the directory, people read what only they see in their own language.
    #[must_use]
    pub fn with_people(
        settings: SlackSettings,
        api: SlackApi,
        clock: Arc<dyn Clock>,
        policy: Arc<PolicyShelf>,
        directory: SlackDirectory,
    ) -> Self {
        Self::made(settings, api, clock, Some(policy), Some(directory))
    }

    fn made(
        settings: SlackSettings,
        api: SlackApi,
        clock: Arc<dyn Clock>,
        policy: Option<Arc<PolicyShelf>>,
        directory: Option<SlackDirectory>,
    ) -> Self {
        let language = settings.language;
        let pace = Pace::new(Arc::clone(&clock), settings.post_interval);
        let bot = tokio::sync::OnceCell::new();
        let (revisions, lost) = (thread::Revisions::new(), tokio::sync::Notify::new());
        let parts = Parts { settings, api, clock, pace, revisions, lost, policy, directory, bot };
        Self(Arc::new(parts), language)
    }

    /// Who could do what was refused, by name.
    fn who_can(&self, notice: &Notice) -> Vec<String> {
        match notice {
            Notice::Refused { refusal, .. } => self.who_can_after(refusal),
            _ => Vec::new(),
        }
    }

    /// The same, of the refusal itself.
    pub(crate) fn who_can_after(&self, refusal: &Refusal) -> Vec<String> {
        let (Refusal::WrongRole { needs } | Refusal::NotAllowed { needs }) = refusal else {
            return Vec::new();
        };
        self.0
            .policy
            .as_ref()
            .map(|policy| policy.of(&self.0.settings.tenant).names_with_any(needs, self.0.clock.now()))
            .unwrap_or_default()
    }

    /// How it is set up.
    #[must_use]
    pub fn settings(&self) -> &SlackSettings {
        &self.0.settings
    }

    /// The Web API.
    #[must_use]
    pub fn api(&self) -> &SlackApi {
        &self.0.api
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// The card for a view, in the language of whoever reads.
    #[must_use]
    pub fn render(&self, view: &CardView) -> Rendering {
        render(view, &self.0.settings.name, self.texts())
    }

    /// Tells one account something that nobody else sees: in the channel, else, where they are not in it, directly.
    ///
    /// # Errors
    /// [`SurfaceError`].
    pub async fn whisper(&self, to: &ReplyTo, text: &str) -> Result<(), SurfaceError> {
        if to.identity.realm().strip_prefix("slack:").is_none() {
            return Err(SurfaceError::Never { why: NOT_A_SLACK_ACCOUNT.to_owned() });
        }
        let user = to.identity.subject();
        let (text, blocks) = plain_message(text);
        let mut whisper = Ephemeral::new(&to.channel, user, &text);
        whisper.blocks = &blocks;
        whisper.thread_ts = to.thread.as_deref();
        let said = if to.channel.is_empty() {
            Err(ApiError::NoPlace { code: "no_channel".to_owned() })
        } else {
            self.0.api.post_ephemeral(&whisper).await
        };
        match said {
            Err(ApiError::NoPlace { .. }) => self.post_directly(user, (&text, &blocks)).await,
            said => said.map_err(|fault| surface_error(&fault)),
        }
    }

    /// Tells one account this, with the names of who could do what was refused.
    ///
    /// # Errors
    /// [`SurfaceError`].
    pub async fn whisper_notice(&self, to: &ReplyTo, notice: &Notice) -> Result<(), SurfaceError> {
        let reader = self.read_surely_by(&to.identity, &to.channel).await;
        let text = reader.texts().notice(notice, &self.who_can(notice), &Markup::PLAIN);
        self.whisper(to, &text).await
    }

    /// Tells one account something in their direct messages, at its turn.
    pub(crate) async fn post_directly(
        &self,
        user: &str,
        (text, blocks): (&str, &[Value]),
    ) -> Result<(), SurfaceError> {
        let mut direct = NewMessage::new(user, text);
        direct.blocks = blocks;
        self.post_message(&direct).await.map(drop)
    }

    /// Posts at the channel's turn.
    async fn post_message(&self, message: &NewMessage<'_>) -> Result<crate::api::Posted, SurfaceError> {
        self.try_post(message).await?.map_err(|fault| surface_error(&fault))
    }

    /// As [`Slack::post_message`], with Slack's own answer inside.
    async fn try_post(
        &self,
        message: &NewMessage<'_>,
    ) -> Result<Result<crate::api::Posted, ApiError>, SurfaceError> {
        let mut turn = self.0.pace.turn(message.channel).await?;
        let posted = self.0.api.post_message(message).await;
        match &posted {
            Ok(posted) => self.0.pace.lands(message.channel, &posted.channel),
            Err(fault) => self.0.pace.heed(message.channel, turn.as_mut(), fault),
        }
        drop(turn);
        Ok(posted)
    }

    /// As [`Slack::try_post`]; what was to stand in a thread that takes no reply any more stands in the channel. A parent
    /// that is merely gone does not refuse: Slack posts into the channel by itself.
    async fn try_reply(
        &self,
        message: &mut NewMessage<'_>,
    ) -> Result<Result<crate::api::Posted, ApiError>, SurfaceError> {
        match self.try_post(message).await? {
            Err(ApiError::Gone { code }) if message.thread_ts.is_some() => {
                tracing::info!(
                    slack.code = code,
                    "a thread takes no reply any more; the channel has the message"
                );
                message.thread_ts = None;
                self.try_post(message).await
            }
            posted => Ok(posted),
        }
    }

    async fn post_card(
        &self,
        place: &Place,
        rendering: &Rendering,
        metadata: &Metadata,
    ) -> Result<Result<crate::api::Posted, ApiError>, SurfaceError> {
        let channel = self.channel(place);
        let mut message = NewMessage::new(channel, &rendering.text);
        message.blocks = &rendering.blocks;
        message.thread_ts = place.thread.as_deref().filter(|ts| is_timestamp(ts));
        message.metadata = Some(metadata);
        self.try_reply(&mut message).await
    }

    fn channel<'a>(&'a self, place: &'a Place) -> &'a str {
        if place.channel.is_empty() { &self.0.settings.default_channel } else { &place.channel }
    }

    /// The bot, where it may look messages up in this channel. History takes ids only, and each kind of channel needs its
    /// own scope.
    async fn may_look(&self, channel: &str) -> Option<Result<&AuthTest, ApiError>> {
        let (_, scope) = HISTORY_SCOPES.into_iter().find(|(kind, _)| channel.starts_with(*kind))?;
        match self.bot().await {
            Ok(bot) => bot.scopes.iter().any(|granted| granted == scope).then_some(Ok(bot)),
            Err(fault) => Some(Err(fault)),
        }
    }

    /// What is known of accounts and groups.
    pub(crate) fn directory(&self) -> Option<&SlackDirectory> {
        self.0.directory.as_ref()
    }

    /// Slack says that the token is good no more, or that the app is gone.
    pub(crate) fn lose(&self) {
        tracing::warn!(surface = %self.0.settings.name, "Slack says that the app was removed, or its token revoked");
        self.0.lost.notify_one();
    }

    /// Waits until Slack says so.
    pub async fn until_lost(&self) {
        self.0.lost.notified().await;
    }

    /// What the token is; asked once, for good.
    async fn bot(&self) -> Result<&AuthTest, ApiError> {
        self.0.bot.get_or_try_init(|| self.0.api.auth_test()).await
    }
}

#[async_trait]
impl Surface for Slack {
    fn name(&self) -> &SurfaceName {
        &self.0.settings.name
    }

    fn serves(&self, tenant: &TenantId) -> bool {
        self.0.settings.tenant == *tenant
    }

    fn shows_all(&self, view: &CardView) -> bool {
        // Whatever the channel: a card is full in every language or in none.
        self.render(view).full
    }

    fn gathers(&self) -> bool {
        true
    }

    fn shows_all_of(&self, view: &CardView, part: &CardView) -> bool {
        shows_all_of(view, part, &self.0.settings.name, self.texts())
    }

    async fn post(
        &self,
        place: &Place,
        view: &CardView,
        attempt: AttemptId,
    ) -> Result<MessageRef, SurfaceError> {
        let metadata = card_metadata(attempt, view.request);
        let there = self.read_in_channel(self.channel(place));
        let thread = self.asked_thread(view).await;
        let rendering = render_linked(view, (self.name(), thread.as_ref()), there.texts());
        let posted = match self.post_card(place, &rendering, &metadata).await? {
            Err(ApiError::TooLarge { code, .. }) => {
                tracing::warn!(approval.id = %view.request, slack.code = code, "Slack refuses a card; its compact form is posted");
                let compact = compact(view, self.name(), there.texts());
                self.post_card(place, &compact, &metadata).await?
            }
            posted => posted,
        };
        let posted = posted.map_err(|fault| surface_error(&fault))?;
        Ok(MessageRef { channel: posted.channel, id: posted.ts })
    }

    async fn edit(&self, message: &MessageRef, view: &CardView) -> Result<(), SurfaceError> {
        self.0.pace.edits(&message.channel)?;
        let there = self.read_in_channel(&message.channel);
        let update = |rendering: Rendering| async move {
            let update = Update::new(&message.channel, &message.id, &rendering.text, &rendering.blocks);
            self.0.api.update(&update).await
        };
        let thread = self.asked_thread(view).await;
        let edited = match update(render_linked(view, (self.name(), thread.as_ref()), there.texts())).await {
            Err(ApiError::TooLarge { code, .. }) => {
                tracing::warn!(approval.id = %view.request, slack.code = code, "Slack refuses a card; its compact form is sent");
                update(compact(view, self.name(), there.texts())).await
            }
            edited => edited,
        };
        edited.map(drop).map_err(|fault| {
            self.0.pace.heed_edit(&message.channel, &fault);
            surface_error(&fault)
        })
    }

    async fn find(
        &self,
        place: &Place,
        attempt: AttemptId,
        since: Timestamp,
    ) -> Option<Result<Option<MessageRef>, SurfaceError>> {
        let channel = self.channel(place);
        let bot = match self.may_look(channel).await? {
            Ok(bot) => bot,
            Err(fault) => return Some(Err(surface_error(&fault))),
        };
        let value = attempt.to_string();
        let query = MetadataQuery {
            channel,
            thread_ts: place.thread.as_deref().filter(|ts| is_timestamp(ts)),
            oldest_secs: (since - CLOCKS_DIFFER).as_secs(),
            event_type: METADATA_EVENT,
            key: METADATA_ATTEMPT,
            value: &value,
        };
        match self.0.api.find_by_metadata(&query, &bot.user_id).await {
            // A private channel may have an id that looks like a public one's: its scope is told only here.
            Err(ApiError::Auth { needed: Some(_), .. }) => None,
            Err(fault) => Some(Err(surface_error(&fault))),
            // Several at once cannot be: an attempt posts once.
            Ok(found) => Some(Ok(found
                .into_iter()
                .next()
                .map(|posted| MessageRef { channel: posted.channel, id: posted.ts }))),
        }
    }

    fn reaches(&self, identity: &Identity) -> bool {
        let Home { team_id, enterprise_id } = &self.0.settings.home;
        let homes = std::iter::once(team_id).chain(enterprise_id);
        identity
            .realm()
            .strip_prefix("slack:")
            .is_some_and(|realm| homes.into_iter().any(|home| home == realm))
    }

    async fn tell(&self, message: &Message, telling: &Telling) -> Result<(), SurfaceError> {
        let kind = message.notice.name();
        let reader = self.read_by_recipient(&message.to).await;
        let texts = reader.texts();
        let text = || texts.notice(&message.notice, &self.who_can(&message.notice), &Markup::PLAIN);
        match &message.to {
            Recipient::Account(reply) => match answer_button(&message.notice, texts) {
                Some(answer) => {
                    let (text, mut blocks) = plain_message(&text());
                    blocks.push(answer);
                    self.say((reply.identity.subject(), None), (&text, &blocks), (kind, telling)).await
                }
                None => self.whisper(reply, &text()).await,
            },
            Recipient::Operators => {
                let Some(channel) = &self.0.settings.ops_channel else {
                    return Err(SurfaceError::Never { why: NO_OPS_CHANNEL.to_owned() });
                };
                let (text, blocks) = plain_message(&text());
                self.say((channel, None), (&text, &blocks), (kind, telling)).await
            }
            Recipient::Place(place) => {
                let (text, blocks) = notice(message, &self.who_can(&message.notice), texts);
                self.say((self.channel(place), place.thread.as_deref()), (&text, &blocks), (kind, telling))
                    .await
            }
            // The gate finds their place, or makes one message for each of them, first.
            Recipient::Roles(_) | Recipient::Askers(_) => {
                Err(SurfaceError::Never { why: "it is for several".to_owned() })
            }
            Recipient::Directly(identity) => {
                let (text, blocks) = notice(message, &self.who_can(&message.notice), texts);
                self.say((identity.subject(), None), (&text, &blocks), (kind, telling)).await
            }
        }
    }
}

/// A message of plain text: the escaped fallback, and a block that nothing in it can turn into markup.
fn plain_message(text: &str) -> (String, Vec<Value>) {
    let escaped = escape(&limits::shorten(text, limits::TEXT_UNITS_MAX));
    (escaped, vec![section(text)])
}

fn card_metadata(attempt: AttemptId, request: RequestId) -> Metadata {
    let payload = json!({ METADATA_ATTEMPT: attempt.to_string(), METADATA_REQUEST: request.to_string() });
    Metadata { event_type: METADATA_EVENT.to_owned(), event_payload: payload }
}

#[cfg(test)]
mod tests;
