//! The extractor that stands before every handler.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use placet::time::{Timestamp, Ttl};

use super::hall::Hall;
use super::{BODY_BYTES_MAX, Shared};
use crate::payload::{BadBody, is_ssl_check};
use crate::signature::{SigningSecrets, Unsigned, Verified};

/// How often it is said that calls are not taken, whether their signature does not hold or they name a workspace that is not
/// configured: anybody can send the ones, and the others come as often as people click.
pub(super) const SAY_EVERY: Ttl = Ttl::from_mins(1);

/// Calls that have Slack's form and are not taken. Most come of a setup that is wrong, and then nothing else tells of it:
/// whoever clicks sees that nothing happens.
#[derive(Debug, Default)]
pub(super) struct UnsignedCalls(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    said_at: Option<Timestamp>,
    unsaid: u64,
}

impl UnsignedCalls {
    /// Says it, unless it was said within a minute; how many were passed over is said with the next.
    fn note(&self, unsigned: Unsigned, now: Timestamp) {
        let likely = match unsigned {
            Unsigned::Mismatch => {
                "signing_secret in [slack] is not that of the app (\"Basic Information\", \"Signing Secret\")"
            }
            Unsigned::Stale => "the clock of this machine is wrong by minutes",
            // No call of Slack's comes so.
            Unsigned::Missing | Unsigned::Malformed => return,
        };
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.said_at.is_some_and(|last| now.since(last) < SAY_EVERY) {
            noted.unsaid += 1;
            return;
        }
        let passed_over = std::mem::take(&mut noted.unsaid);
        noted.said_at = Some(now);
        tracing::warn!(
            slack.unsigned = ?unsigned,
            passed_over,
            "a call in Slack's form was not taken: its signature does not hold. If it is Slack's, clicks do nothing here, \
             and {likely}"
        );
    }
}

/// What Slack calls a form; it comes with nothing behind it.
const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// The most bytes of a look at the certificate, which nobody signs.
const SSL_CHECK_BYTES_MAX: usize = 1_024;

/// A body whose signature was checked, and the workspaces whose secret it is; there is no other way to a body.
struct Signed(Verified, Vec<Shared>);

/// The same, of a call that says that it is a form.
pub(super) struct SignedForm(pub(super) Verified, pub(super) Vec<Shared>);

/// The same, of a call that does not say that it is a form: Slack's events are JSON.
pub(super) struct SignedJson(pub(super) Verified, pub(super) Vec<Shared>);

/// What comes to the address of slash commands.
pub(super) enum Typed {
    /// A body whose signature was checked.
    Form(Verified, Vec<Shared>),
    /// Slack looks at the certificate: it comes unsigned, and whatever else stands in it is not read.
    SslCheck,
}

impl Signed {
    /// At debug: anybody can send these, and a flood of them must not flood the log.
    fn refused(hall: &Hall, unsigned: Unsigned) -> StatusCode {
        tracing::debug!(slack.unsigned = ?unsigned, "a call that is not Slack's");
        hall.unsigned.note(unsigned, hall.now());
        StatusCode::UNAUTHORIZED
    }
}

impl FromRequest<Arc<Hall>> for Signed {
    /// A status, and nothing else: whoever cannot sign learns nothing.
    type Rejection = StatusCode;

    async fn from_request(request: Request, hall: &Arc<Hall>) -> Result<Self, StatusCode> {
        let refused = |unsigned| Self::refused(hall, unsigned);
        let (parts, body) = request.into_parts();
        // Nobody's body is waited for who cannot even have signed it.
        SigningSecrets::check_headers(hall.now().as_secs(), &parts.headers).map_err(refused)?;
        let bytes = to_bytes(body, BODY_BYTES_MAX).await.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        let (verified, signers) = hall.verify(&parts.headers, &bytes).map_err(refused)?;
        Ok(Self(verified, signers))
    }
}

impl FromRequest<Arc<Hall>> for SignedForm {
    type Rejection = StatusCode;

    async fn from_request(request: Request, hall: &Arc<Hall>) -> Result<Self, StatusCode> {
        let form = is_form(request.headers());
        let Signed(verified, signers) = Signed::from_request(request, hall).await?;
        // Only now: whoever cannot sign learns nothing of what would be taken.
        if form { Ok(Self(verified, signers)) } else { Err(super::refuse(BadBody::NotForm)) }
    }
}

impl FromRequest<Arc<Hall>> for SignedJson {
    type Rejection = StatusCode;

    async fn from_request(request: Request, hall: &Arc<Hall>) -> Result<Self, StatusCode> {
        let form = is_form(request.headers());
        let Signed(verified, signers) = Signed::from_request(request, hall).await?;
        if form { Err(super::refuse(BadBody::NotJson)) } else { Ok(Self(verified, signers)) }
    }
}

impl FromRequest<Arc<Hall>> for Typed {
    type Rejection = StatusCode;

    async fn from_request(request: Request, hall: &Arc<Hall>) -> Result<Self, StatusCode> {
        let (parts, body) = request.into_parts();
        if !is_form(&parts.headers) || length(&parts.headers).is_none_or(|bytes| bytes > SSL_CHECK_BYTES_MAX)
        {
            let request = Request::from_parts(parts, body);
            return SignedForm::from_request(request, hall)
                .await
                .map(|SignedForm(verified, signers)| Self::Form(verified, signers));
        }
        let bytes = to_bytes(body, SSL_CHECK_BYTES_MAX).await.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        if is_ssl_check(&bytes) {
            return Ok(Self::SslCheck);
        }
        let request = Request::from_parts(parts, Body::from(bytes));
        SignedForm::from_request(request, hall)
            .await
            .map(|SignedForm(verified, signers)| Self::Form(verified, signers))
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes() == FORM)
}

/// How many bytes are announced.
fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
