//! The address of the next socket, which the app's own token asks for.

use serde_json::json;
use url::Url;

use super::{ApiError, Repeatable, SlackApi};

impl SlackApi {
    /// Asks for the address of one socket. It holds a ticket that serves once and soon lapses: it is a secret, and goes
    /// into no log. Needs the app-level token (`xapp-…`) with the scope `connections:write`.
    ///
    /// Slack's own are `wss`; `ws` is taken only where the API itself is reached without TLS, as in tests.
    ///
    /// Source: <https://docs.slack.dev/reference/methods/apps.connections.open>.
    pub async fn connections_open(&self) -> Result<Url, ApiError> {
        let answer = self.write("apps.connections.open", &json!({}), Repeatable::Yes).await?;
        let url =
            answer.body["url"].as_str().and_then(|url| Url::parse(url).ok()).ok_or(ApiError::Unknown)?;
        match url.scheme() {
            "wss" => Ok(url),
            "ws" if self.base_url.scheme() == "http" => Ok(url),
            _ => Err(ApiError::Other { code: "socket_without_tls".into() }),
        }
    }
}
