//! The client-server API by hand: one request, one answer, and the homeserver's own word where it refuses.

use std::time::Duration;

use anyhow::{Context as _, Result};
use reqwest::{Client, Method};
use serde_json::Value;

/// How long an answer may take: a busy machine takes seconds for what is done in milliseconds.
const ANSWER_SECONDS_MAX: u64 = 60;

/// Where it asks, as whom.
#[derive(Clone)]
pub struct Api {
    url: String,
    token: String,
    http: Client,
}

/// The homeserver said no.
#[derive(Debug, Clone)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// Its code, as `M_FORBIDDEN`.
    pub code: String,
    /// Its words.
    pub words: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the homeserver refused: {} {}: {}", self.status, self.code, self.words)
    }
}

impl std::error::Error for Refused {}

impl Api {
    pub(crate) fn new(url: &str, token: &str) -> Result<Self> {
        // Never by a proxy: it is on this machine.
        let http = Client::builder().no_proxy().timeout(Duration::from_secs(ANSWER_SECONDS_MAX)).build()?;
        Ok(Self { url: url.to_owned(), token: token.to_owned(), http })
    }

    /// The same as somebody else.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// One request; each piece of the path is escaped, so that ids with `/` and `#` in them arrive whole.
    ///
    /// # Errors
    /// [`Refused`], or that no answer came.
    pub async fn ask(&self, method: Method, path: &[&str], body: Option<&Value>) -> Result<Value> {
        self.ask_with(method, path, &[], body).await
    }

    /// The same with a query.
    ///
    /// # Errors
    /// [`Refused`], or that no answer came.
    pub async fn ask_with(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Value> {
        let mut url = url::Url::parse(&self.url)?;
        url.path_segments_mut()
            .map_err(|()| anyhow::anyhow!("{} is no homeserver's URL", self.url))?
            .clear()
            .extend(path.iter().enumerate().flat_map(|(at, piece)| {
                // The first names the API and has slashes of its own.
                if at == 0 { piece.split('/').collect::<Vec<_>>() } else { vec![*piece] }
            }));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.http.request(method, url.clone()).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.with_context(|| format!("no answer from {url}"))?;
        let status = answer.status();
        let body: Value = answer.json().await.with_context(|| format!("no JSON from {url}: {status}"))?;
        if status.is_success() {
            return Ok(body);
        }
        let word = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        Err(anyhow::Error::new(Refused {
            status: status.as_u16(),
            code: word("errcode"),
            words: word("error"),
        })
        .context(format!("{url}")))
    }
}

/// A text that has to be in an answer.
pub(crate) fn text(answer: &Value, name: &str) -> Result<String> {
    Ok(answer[name].as_str().with_context(|| format!("no {name} in {answer}"))?.to_owned())
}
