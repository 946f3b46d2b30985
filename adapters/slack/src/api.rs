//! The Web API: the calls that Placet makes to Slack, and what came of each.
//!
//! What always holds: every call has a time limit and a cap on the answer, follows no redirect, and ends as a value
//! or an [`ApiError`] that says whether the work may have been done. The token stands in one header only and is
//! never part of an error. Nothing is tried twice here: that is the caller's, who knows what a second time would do.
//!
//! Writes go as JSON. Reads go as forms: `users.info`, `usergroups.users.list` and others take no JSON.
//!
//! Source: <https://docs.slack.dev/apis/web-api>.

use std::sync::Arc;
use std::time::Duration;

use placet::ports::Clock;
use placet::time::Ttl;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;

mod answer;
mod connections;
mod error;
mod examine;
mod files;
mod lookup;
mod message;
mod meter;
mod reach;

pub use error::{ApiError, Repeatable};
pub use examine::{Greeting, Presence};
pub use files::UploadPlace;
pub use lookup::{MetadataQuery, PAGES_MAX};
pub use message::{Ephemeral, Metadata, NewMessage, Posted, Update};
pub use reach::{Barrier, Unreached};

use answer::{Answer, read};
pub(crate) use error::classify_transport;
use meter::Meter;
pub(crate) use reach::client;

/// Slack's Web API.
pub const BASE_URL: &str = "https://slack.com/api/";

/// How long a connection may take to come about.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// How long a call may take in all. Leases of whoever waits must be longer.
pub const CALL_LIMIT: Duration = Duration::from_secs(10);

/// How long Slack is left alone where it asks to slow down without naming a time, which it has been seen to do.
pub(crate) const UNNAMED_PAUSE: Ttl = Ttl::from_secs(10);

/// The most bytes of an answer that are read.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;

/// Where Slack takes answers to a `response_url`, by host.
const RESPONSE_HOSTS: [&str; 2] = ["hooks.slack.com", "hooks.slack-gov.com"];

/// How to reach one workspace.
#[derive(Debug, Clone)]
pub struct ApiSettings {
    /// Where the methods are, ending in a slash: [`BASE_URL`] but for tests.
    pub base_url: Url,
    /// The token: the bot's (`xoxb-…`), or to open sockets the app's own (`xapp-…`).
    pub token: SecretString,
    /// A proxy for all calls; the environment is not asked.
    pub proxy: Option<Url>,
    /// As [`CONNECT_LIMIT`].
    pub connect_limit: Duration,
    /// As [`CALL_LIMIT`].
    pub call_limit: Duration,
}

impl ApiSettings {
    /// Slack itself with the usual limits.
    pub fn new(base_url: Url, token: SecretString) -> Self {
        Self { base_url, token, proxy: None, connect_limit: CONNECT_LIMIT, call_limit: CALL_LIMIT }
    }
}

/// The settings do not make a client.
#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// The token is empty or not fit for a header.
    #[error("the Slack token is empty or holds characters that no token has")]
    Token,
    /// The base address takes no method names behind it, or its scheme is neither https nor http.
    #[error("the address of Slack's API is not an http address that ends in a slash")]
    BaseUrl,
    /// The proxy or the TLS set-up is refused.
    #[error("the HTTP client cannot be built")]
    Client(#[source] reqwest::Error),
}

/// A client for one workspace. Clones share their connections.
#[derive(Clone)]
pub struct SlackApi {
    http: reqwest::Client,
    base_url: Url,
    token: SecretString,
    /// For what is told of it: the client goes by it.
    proxy: Option<Url>,
    meter: Option<Meter>,
}

impl std::fmt::Debug for SlackApi {
    /// Without the proxy: its address may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SlackApi").field("base_url", &self.base_url.as_str()).finish_non_exhaustive()
    }
}

/// What `auth.test` says of the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthTest {
    /// The workspace.
    pub team_id: String,
    /// The enterprise of the workspace.
    pub enterprise_id: Option<String>,
    /// The bot's user id: a message by it is our own.
    pub user_id: String,
    /// The bot's id.
    pub bot_id: Option<String>,
    /// The scopes that the token has.
    pub scopes: Vec<String>,
    /// Where people see the workspace, such as <https://example.slack.com/>.
    pub url: Option<Url>,
}

/// A dialog that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedView {
    /// Its id.
    pub id: String,
    /// Its version, for an update that must not overtake another.
    pub hash: Option<String>,
}

impl SlackApi {
    /// A client with these settings.
    pub fn new(settings: ApiSettings) -> Result<Self, BadSettings> {
        let token = settings.token.expose_secret();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadSettings::Token);
        }
        let base_url = settings.base_url;
        if !matches!(base_url.scheme(), "https" | "http") || !base_url.path().ends_with('/') {
            return Err(BadSettings::BaseUrl);
        }
        let builder = client(settings.connect_limit, settings.proxy.as_ref())?.timeout(settings.call_limit);
        let http = builder.build().map_err(BadSettings::Client)?;
        Ok(Self { http, base_url, token: settings.token, proxy: settings.proxy, meter: None })
    }

    /// The same, keeping to Slack's rates by this clock.
    #[must_use]
    pub fn metered(mut self, clock: Arc<dyn Clock>) -> Self {
        self.meter = Some(Meter::new(clock));
        self
    }

    /// Posts a message. Slack knows no idempotency key here: after [`ApiError::Unknown`] look the message up by its
    /// metadata before posting again.
    pub async fn post_message(&self, message: &NewMessage<'_>) -> Result<Posted, ApiError> {
        let answer = self.write("chat.postMessage", message, Repeatable::No).await?;
        Posted::from_answer(&answer.body, "ts").ok_or(ApiError::Unknown)
    }

    /// Replaces text and blocks of an own message; metadata stays unless given anew.
    pub async fn update(&self, update: &Update<'_>) -> Result<Posted, ApiError> {
        let answer = self.write("chat.update", update, Repeatable::Yes).await?;
        Posted::from_answer(&answer.body, "ts").ok_or(ApiError::Unknown)
    }

    /// Shows a message to one member of a channel, as long as their client keeps it.
    pub async fn post_ephemeral(&self, message: &Ephemeral<'_>) -> Result<(), ApiError> {
        self.write("chat.postEphemeral", message, Repeatable::No).await.map(drop)
    }

    /// Opens a dialog. The trigger lives three seconds and serves once.
    pub async fn views_open(&self, trigger_id: &str, view: &Value) -> Result<OpenedView, ApiError> {
        let body = json!({ "trigger_id": trigger_id, "view": view });
        let answer = self.write("views.open", &body, Repeatable::No).await?;
        OpenedView::from_answer(&answer.body).ok_or(ApiError::Unknown)
    }

    /// Replaces an open dialog; with `hash`, only if it is still that version.
    pub async fn views_update(
        &self,
        view_id: &str,
        hash: Option<&str>,
        view: &Value,
    ) -> Result<OpenedView, ApiError> {
        let mut body = json!({ "view_id": view_id, "view": view });
        if let Some(hash) = hash {
            body["hash"] = hash.into();
        }
        let answer = self.write("views.update", &body, Repeatable::Yes).await?;
        OpenedView::from_answer(&answer.body).ok_or(ApiError::Unknown)
    }

    /// Shows somebody the app's home. Slack keeps the last that was published; with `hash`, it takes this one only if that is
    /// still the version that was published last. Gives the version that this one is.
    ///
    /// Source: <https://docs.slack.dev/reference/methods/views.publish>.
    pub async fn views_publish(
        &self,
        user_id: &str,
        hash: Option<&str>,
        view: &Value,
    ) -> Result<Option<String>, ApiError> {
        let mut body = json!({ "user_id": user_id, "view": view });
        if let Some(hash) = hash {
            body["hash"] = hash.into();
        }
        let answer = self.write("views.publish", &body, Repeatable::Yes).await?;
        Ok(answer.body["view"]["hash"].as_str().map(str::to_owned))
    }

    /// The `user` object, for [`crate::identity::account`].
    pub async fn users_info(&self, user_id: &str) -> Result<Value, ApiError> {
        let mut answer = self.read("users.info", &[("user", user_id), ("include_locale", "true")]).await?;
        match answer.body["user"].take() {
            user @ Value::Object(_) => Ok(user),
            _ => Err(ApiError::Unknown),
        }
    }

    /// The ids of who is in a user group that is in use; of a workspace, which only a token for a whole enterprise
    /// needs to be told.
    ///
    /// Source: <https://docs.slack.dev/reference/methods/usergroups.users.list>.
    pub async fn usergroup_users(&self, group_id: &str, team_id: &str) -> Result<Vec<String>, ApiError> {
        let fields = [("usergroup", group_id), ("team_id", team_id)];
        let answer = self.read("usergroups.users.list", &fields).await?;
        let users = answer.body["users"].as_array().ok_or(ApiError::Unknown)?;
        users.iter().map(|user| user.as_str().map(str::to_owned).ok_or(ApiError::Unknown)).collect()
    }

    /// Which workspace and bot the token belongs to, and what it may do.
    pub async fn auth_test(&self) -> Result<AuthTest, ApiError> {
        AuthTest::from_answer(self.read("auth.test", &[]).await?)
    }

    /// Answers to the `response_url` of an interaction: `{text, blocks?, replace_original?, response_type?, …}`.
    ///
    /// Slack takes five within thirty minutes. Only addresses of Slack, or of the configured API, are called.
    pub async fn respond(&self, response_url: &str, answer: &Value) -> Result<(), ApiError> {
        let url = Url::parse(response_url).ok().filter(|url| self.takes_responses(url));
        let url = url.ok_or_else(|| ApiError::Other { code: "response_url_not_slack".into() })?;
        let response = self.http.post(url).json(answer).send().await;
        let response = response.map_err(|error| classify_transport(&error, self.proxy.as_ref()))?;
        answer::read_response_url(response).await
    }

    fn takes_responses(&self, url: &Url) -> bool {
        let is_slack = url.scheme() == "https"
            && url.port().is_none()
            && url.host_str().is_some_and(|host| RESPONSE_HOSTS.contains(&host));
        is_slack || url.origin() == self.base_url.origin()
    }

    /// Calls a method with a JSON body.
    async fn write<T>(&self, method: &str, body: &T, repeatable: Repeatable) -> Result<Answer, ApiError>
    where
        T: Serialize + Sync + ?Sized,
    {
        let request = self.method(method)?.json(body);
        self.call(method, request, repeatable).await
    }

    /// Calls a method that changes nothing.
    async fn read(&self, method: &str, fields: &[(&str, &str)]) -> Result<Answer, ApiError> {
        let request = self.method(method)?.form(fields);
        self.call(method, request, Repeatable::Yes).await
    }

    fn method(&self, method: &str) -> Result<reqwest::RequestBuilder, ApiError> {
        let url = self.base_url.join(method).map_err(|_| ApiError::Other { code: "bad_address".into() })?;
        Ok(self.http.post(url).bearer_auth(self.token.expose_secret()))
    }

    async fn call(
        &self,
        method: &str,
        request: reqwest::RequestBuilder,
        repeatable: Repeatable,
    ) -> Result<Answer, ApiError> {
        if let Some(meter) = &self.meter {
            meter.take(method)?;
        }
        let response =
            request.send().await.map_err(|error| classify_transport(&error, self.proxy.as_ref()))?;
        let answer = read(method, response, repeatable).await;
        if let (Some(meter), Err(ApiError::RateLimited { retry_after })) = (&self.meter, &answer) {
            meter.heed(method, *retry_after);
        }
        answer
    }
}

impl AuthTest {
    fn from_answer(answer: Answer) -> Result<Self, ApiError> {
        let text = |name: &str| answer.body[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Self {
            team_id: text("team_id").ok_or(ApiError::Unknown)?,
            enterprise_id: text("enterprise_id"),
            user_id: text("user_id").ok_or(ApiError::Unknown)?,
            bot_id: text("bot_id"),
            scopes: answer.scopes,
            url: text("url").and_then(|url| Url::parse(&url).ok()).filter(|url| url.scheme() == "https"),
        })
    }
}

impl OpenedView {
    fn from_answer(body: &Value) -> Option<Self> {
        let view = &body["view"];
        Some(Self { id: view["id"].as_str()?.to_owned(), hash: view["hash"].as_str().map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests;
