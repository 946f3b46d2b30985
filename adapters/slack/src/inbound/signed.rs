//! The extractor that stands before every handler.

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;

use super::{BODY_BYTES_MAX, Shared};
use crate::signature::{SigningSecrets, Verified};

/// A body whose signature was checked; there is no other way to a body.
pub(super) struct Signed(pub(super) Verified);

impl FromRequest<Shared> for Signed {
    /// A status, and nothing else: whoever cannot sign learns nothing.
    type Rejection = StatusCode;

    async fn from_request(request: Request, desk: &Shared) -> Result<Self, StatusCode> {
        let refused = |unsigned| {
            // At debug: anybody can send these, and a flood of them must not flood the log.
            tracing::debug!(slack.unsigned = ?unsigned, "a call that is not Slack's");
            StatusCode::UNAUTHORIZED
        };
        let (parts, body) = request.into_parts();
        let now = || desk.slack.clock().now().as_secs();
        // Nobody's body is waited for who cannot even have signed it.
        SigningSecrets::check_headers(now(), &parts.headers).map_err(refused)?;
        let bytes = to_bytes(body, BODY_BYTES_MAX).await.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        desk.secrets.verify_request(now(), &parts.headers, bytes).map(Self).map_err(refused)
    }
}
