//! Requests straight into the router, as they would come off the wire.

use anyhow::{Context as _, Result, ensure};
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use serde_json::Value;
use tower::ServiceExt as _;

/// The most that a test reads of one answer.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// An answer, read whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: bytes::Bytes,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Errors
    /// If it is none.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("not JSON: {}", self.text()))
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The stable code of a problem; empty where it is none.
    #[must_use]
    pub fn code(&self) -> String {
        self.json().ok().and_then(|json| Some(json.get("code")?.as_str()?.to_owned())).unwrap_or_default()
    }

    /// This answer, if it has that status.
    ///
    /// # Errors
    /// If it has another.
    pub fn expect(self, status: u16) -> Result<Self> {
        ensure!(self.status.as_u16() == status, "expected {status}, got {}: {}", self.status, self.text());
        Ok(self)
    }
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub struct Ask {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Ask {
    /// A request without a body.
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), headers: HeaderMap::new(), body: Vec::new() }
    }

    /// With a credential.
    ///
    /// # Errors
    /// If it is no header value.
    pub fn token(self, token: &str) -> Result<Self> {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// With a header.
    ///
    /// # Errors
    /// If it is none.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self> {
        let name: axum::http::HeaderName = name.parse()?;
        self.headers.append(name, value.parse()?);
        Ok(self)
    }

    /// With a JSON body.
    ///
    /// # Errors
    /// Never for valid JSON.
    pub fn json(self, body: &Value) -> Result<Self> {
        Ok(Self { body: serde_json::to_vec(body)?, ..self.header("content-type", "application/json")? })
    }

    /// With a body as it is.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// As a router takes it.
    ///
    /// # Errors
    /// If the path is no address.
    pub fn into_request(self) -> Result<Request<Body>> {
        let mut request =
            Request::builder().method(self.method).uri(self.path).body(Body::from(self.body))?;
        *request.headers_mut() = self.headers;
        Ok(request)
    }

    /// Sends it into a router.
    ///
    /// # Errors
    /// If the answer cannot be read.
    pub async fn send(self, router: axum::Router) -> Result<Answer> {
        let response = router.oneshot(self.into_request()?).await?;
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, ANSWER_BYTES_MAX).await?;
        Ok(Answer { status: parts.status, headers: parts.headers, body })
    }
}
