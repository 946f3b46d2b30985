//! The port: cards are posted, edited and found again, people and operators are told.
//!
//! What always holds: nothing is tried twice here but the compact form of a card that Slack does not take; an error
//! says whether the message may be there ([`SurfaceError`]), and for good errors what to do; no post leaves before its
//! channel's turn, nor before the time that Slack has named.

mod fault;
mod pace;

use std::sync::Arc;

use async_trait::async_trait;
use placet::approval::Refusal;
use placet::card::CardView;
use placet::gate::PolicyShelf;
use placet::id::{AttemptId, RequestId, SurfaceName, TenantId};
use placet::inbound::{MessageRef, ReplyTo};
use placet::notice::{Message, Notice, Recipient};
use placet::policy::Place;
use placet::ports::{Clock, Surface, SurfaceError};
use placet::text::{Language, Markup, Texts};
use placet::time::{Timestamp, Ttl};
use serde_json::{Value, json};

use crate::api::{ApiError, AuthTest, Ephemeral, Metadata, MetadataQuery, NewMessage, SlackApi, Update};
use crate::identity::Home;
use crate::limits;
use crate::mrkdwn::{escape, section};
use crate::render::{METADATA_ATTEMPT, METADATA_EVENT, METADATA_REQUEST, Rendering, compact, render};

use fault::{NO_OPS_CHANNEL, NOT_A_SLACK_ACCOUNT, surface_error};
use pace::Pace;

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
    /// The language of cards and dialogs.
    pub language: Language,
    /// As [`POST_INTERVAL`]; zero posts at once.
    pub post_interval: Ttl,
}

/// One workspace. Cheap to clone.
#[derive(Clone)]
pub struct Slack(Arc<Parts>);

struct Parts {
    settings: SlackSettings,
    api: SlackApi,
    texts: Texts,
    clock: Arc<dyn Clock>,
    pace: Pace,
    /// Who has which role, so that a refusal can name who can.
    policy: Option<Arc<PolicyShelf>>,
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
        Self::made(settings, api, clock, None)
    }

    /// As [`Slack::new`]; with the policy, a refusal names who could do what was refused.
    #[must_use]
    pub fn with_policy(
        settings: SlackSettings,
        api: SlackApi,
        clock: Arc<dyn Clock>,
        policy: Arc<PolicyShelf>,
    ) -> Self {
        Self::made(settings, api, clock, Some(policy))
    }

    fn made(
        settings: SlackSettings,
        api: SlackApi,
        clock: Arc<dyn Clock>,
        policy: Option<Arc<PolicyShelf>>,
    ) -> Self {
        let texts = Texts::new(settings.language);
        let pace = Pace::new(Arc::clone(&clock), settings.post_interval);
        let bot = tokio::sync::OnceCell::new();
        Self(Arc::new(Parts { settings, api, texts, clock, pace, policy, bot }))
    }

    /// Who could do what was refused, by name.
    fn who_can(&self, notice: &Notice) -> Vec<String> {
        let Notice::Refused { refusal: Refusal::WrongRole { needs } | Refusal::NotAllowed { needs }, .. } =
            notice
        else {
            return Vec::new();
        };
        self.0
            .policy
            .as_ref()
            .map(|policy| policy.of(&self.0.settings.tenant).names_with_any(needs))
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

    /// The catalogue in this workspace's language.
    #[must_use]
    pub fn texts(&self) -> &Texts {
        &self.0.texts
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// The card for a view, as it is posted.
    #[must_use]
    pub fn render(&self, view: &CardView) -> Rendering {
        render(view, &self.0.settings.name, &self.0.texts)
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
            Err(ApiError::NoPlace { .. }) => {
                let mut direct = NewMessage::new(user, &text);
                direct.blocks = &blocks;
                self.post_message(&direct).await.map(drop)
            }
            said => said.map_err(|fault| surface_error(&fault)),
        }
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
        self.0.pace.turn(message.channel).await?;
        let posted = self.0.api.post_message(message).await;
        if let Err(fault) = &posted {
            self.0.pace.heed(message.channel, fault);
        }
        Ok(posted)
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
        message.thread_ts = place.thread.as_deref();
        message.metadata = Some(metadata);
        self.try_post(&message).await
    }

    fn channel<'a>(&'a self, place: &'a Place) -> &'a str {
        if place.channel.is_empty() { &self.0.settings.default_channel } else { &place.channel }
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
        self.render(view).full
    }

    async fn post(
        &self,
        place: &Place,
        view: &CardView,
        attempt: AttemptId,
    ) -> Result<MessageRef, SurfaceError> {
        let metadata = card_metadata(attempt, view.request);
        let posted = match self.post_card(place, &self.render(view), &metadata).await? {
            Err(ApiError::TooLarge { code, .. }) => {
                tracing::warn!(approval.id = %view.request, slack.code = code, "Slack refuses a card; its compact form is posted");
                let compact = compact(view, self.name(), &self.0.texts);
                self.post_card(place, &compact, &metadata).await?
            }
            posted => posted,
        };
        let posted = posted.map_err(|fault| surface_error(&fault))?;
        Ok(MessageRef { channel: posted.channel, id: posted.ts })
    }

    async fn edit(&self, message: &MessageRef, view: &CardView) -> Result<(), SurfaceError> {
        self.0.pace.edits(&message.channel)?;
        let update = |rendering: Rendering| async move {
            let update = Update::new(&message.channel, &message.id, &rendering.text, &rendering.blocks);
            self.0.api.update(&update).await
        };
        let edited = match update(self.render(view)).await {
            Err(ApiError::TooLarge { code, .. }) => {
                tracing::warn!(approval.id = %view.request, slack.code = code, "Slack refuses a card; its compact form is sent");
                update(compact(view, self.name(), &self.0.texts)).await
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
        // History takes ids only, and each kind of channel needs its own scope.
        let (_, scope) = HISTORY_SCOPES.into_iter().find(|(kind, _)| channel.starts_with(*kind))?;
        let bot = match self.bot().await {
            Ok(bot) => bot,
            Err(fault) => return Some(Err(surface_error(&fault))),
        };
        bot.scopes.iter().any(|granted| granted == scope).then_some(())?;
        let value = attempt.to_string();
        let query = MetadataQuery {
            channel,
            thread_ts: place.thread.as_deref(),
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

    async fn tell(&self, message: &Message) -> Result<(), SurfaceError> {
        let text = self.0.texts.notice(&message.notice, &self.who_can(&message.notice), &Markup::PLAIN);
        match &message.to {
            Recipient::Account(reply) => self.whisper(reply, &text).await,
            Recipient::Operators => {
                let Some(channel) = &self.0.settings.ops_channel else {
                    return Err(SurfaceError::Never { why: NO_OPS_CHANNEL.to_owned() });
                };
                self.say(channel, &text).await
            }
            Recipient::Place(place) => self.say(&place.channel, &text).await,
        }
    }
}

impl Slack {
    /// Says something in a channel.
    async fn say(&self, channel: &str, text: &str) -> Result<(), SurfaceError> {
        let (text, blocks) = plain_message(text);
        let mut post = NewMessage::new(channel, &text);
        post.blocks = &blocks;
        self.post_message(&post).await.map(drop)
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
