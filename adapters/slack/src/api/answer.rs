//! Reading an answer within its bounds, and telling what it means.

use placet::time::Timestamp;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::ANSWER_BYTES_MAX;
use super::error::{ApiError, Repeatable, classify_code};

/// An answer that says `"ok": true`.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) body: Value,
    pub(super) scopes: Vec<String>,
    /// Slack's clock.
    pub(super) at: Option<Timestamp>,
}

/// Reads the answer to a call of `method`.
pub(super) async fn read(
    method: &str,
    response: Response,
    repeatable: Repeatable,
) -> Result<Answer, ApiError> {
    let status = response.status();
    refuse_status(status, response.headers(), repeatable)?;
    let scopes = scopes(response.headers());
    let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
    let at = date.and_then(Timestamp::from_http_date);
    let bytes = bounded(response).await?;
    let body: Option<Value> = serde_json::from_slice(&bytes).ok();
    match body.as_ref().and_then(|body| body["ok"].as_bool()) {
        Some(true) if status.is_success() => Ok(Answer { body: body.unwrap_or_default(), scopes, at }),
        Some(false) => Err(classify_code(method, &body.unwrap_or_default(), repeatable)),
        // Not Slack's JSON: with another status something in between refused it, else it is garbled.
        _ if status.is_success() => Err(ApiError::Unknown),
        _ => Err(refused_between(status)),
    }
}

/// Reads the answer to a post to a `response_url`: `ok`, or JSON with an error.
pub(super) async fn read_response_url(response: Response) -> Result<(), ApiError> {
    let status = response.status();
    refuse_status(status, response.headers(), Repeatable::No)?;
    let bytes = bounded(response).await?;
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if body["ok"] == false {
        return Err(classify_code("response_url", &body, Repeatable::No));
    }
    if status.is_success() { Ok(()) } else { Err(refused_between(status)) }
}

/// Statuses that speak for themselves, whatever the body says.
fn refuse_status(status: StatusCode, headers: &HeaderMap, repeatable: Repeatable) -> Result<(), ApiError> {
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(ApiError::RateLimited { retry_after: retry_after(headers) });
    }
    if status.is_server_error() {
        return Err(repeatable.after_fault());
    }
    if status.is_redirection() {
        return Err(refused_between(status));
    }
    Ok(())
}

fn refused_between(status: StatusCode) -> ApiError {
    let code = format!("http_{}", status.as_u16());
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge { code, details: Vec::new() },
        _ => ApiError::Other { code },
    }
}

/// Whole seconds; Slack sometimes sends none.
fn retry_after(headers: &HeaderMap) -> Option<u32> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

fn scopes(headers: &HeaderMap) -> Vec<String> {
    let listed = headers.get("x-oauth-scopes").and_then(|value| value.to_str().ok()).unwrap_or_default();
    listed.split(',').map(str::trim).filter(|scope| !scope.is_empty()).map(str::to_owned).collect()
}

/// The body, up to the cap. One that breaks off or is longer is of no use: the call may have been done.
async fn bounded(mut response: Response) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| ApiError::Unknown)? {
        if bytes.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(ApiError::Unknown);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
