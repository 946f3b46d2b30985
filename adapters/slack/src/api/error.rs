//! What can become of a call, by kind. The one place that knows Slack's error codes.
//!
//! Sources: the error tables of <https://docs.slack.dev/reference/methods/chat.postMessage>, `chat.update`,
//! `views.open`, `users.info` and `conversations.history`; <https://docs.slack.dev/apis/web-api/rate-limits>.

use serde_json::Value;
use url::Url;

use super::reach::Unreached;

/// Why a call came to nothing, or may have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// Not done: too many calls.
    #[error("Slack asks to slow down")]
    RateLimited {
        /// After how many seconds to ask again, where Slack says so.
        retry_after: Option<u32>,
    },
    /// Surely not done: no connection to Slack came about.
    #[error("Slack cannot be reached: {0}")]
    Unreached(Unreached),
    /// Surely not done, or harmless to repeat: a fault on Slack's side.
    #[error("Slack is not available at the moment, by its own word")]
    Unavailable,
    /// May have been done: the answer was lost, late, garbled, or a fault after which nothing is known.
    #[error("Slack gave no usable answer; the call may have been done")]
    Unknown,
    /// The message is not there, or can no longer be changed. Final.
    #[error("the message is gone or can no longer be changed ({code})")]
    Gone {
        /// Slack's code.
        code: String,
    },
    /// The channel cannot be written to or read, or the person is not in it. Final until somebody changes that.
    #[error("the channel cannot be used ({code})")]
    NoPlace {
        /// Slack's code.
        code: String,
    },
    /// Slack does not take the message or view in this form: try a compact one.
    #[error("Slack refuses the message in this form ({code})")]
    TooLarge {
        /// Slack's code.
        code: String,
        /// What Slack says is wrong, and where.
        details: Vec<String>,
    },
    /// The click is too long ago, or a dialog was opened for it already.
    #[error("the click is too long ago to open a dialog ({code})")]
    TriggerExpired {
        /// Slack's code.
        code: String,
    },
    /// The token is not valid or may not do this. Final until somebody changes that.
    #[error("Slack refuses the token ({code})")]
    Auth {
        /// Slack's code.
        code: String,
        /// The scope that is missing, where Slack says so.
        needed: Option<String>,
    },
    /// Anything else. Final.
    #[error("Slack refuses the call ({code})")]
    Other {
        /// Slack's code, or what stands for it.
        code: String,
    },
}

impl ApiError {
    /// What to do about it, where whoever runs the server can do something; none where Slack has to, or time will.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Unreached(unreached) => Some(unreached.remedy()),
            Self::Unavailable => Some("see https://slack-status.com; it is asked again".to_owned()),
            Self::Unknown => Some(
                "see whether something between this machine and Slack holds its answers back: a proxy, a firewall".to_owned(),
            ),
            _ => None,
        }
    }
}

/// Whether doing a call twice differs from doing it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeatable {
    /// It does not: a fault on Slack's side is no riddle.
    Yes,
    /// It does: after a fault on Slack's side nobody knows.
    No,
}

impl Repeatable {
    /// What a fault on Slack's side means.
    pub(super) fn after_fault(self) -> ApiError {
        match self {
            Self::Yes => ApiError::Unavailable,
            Self::No => ApiError::Unknown,
        }
    }
}

/// No answer came. Only a connection that never came about proves that nothing was sent.
pub(crate) fn classify_transport(error: &reqwest::Error, proxy: Option<&Url>) -> ApiError {
    if error.is_connect() {
        ApiError::Unreached(Unreached::of(error, proxy))
    } else if error.is_builder() {
        ApiError::Other { code: "bad_request_made".into() }
    } else {
        ApiError::Unknown
    }
}

/// An answer with `"ok": false`.
pub(super) fn classify_code(method: &str, body: &Value, repeatable: Repeatable) -> ApiError {
    let Some(code) = body["error"].as_str() else { return ApiError::Unknown };
    let code = code.to_owned();
    match code.as_str() {
        "ratelimited" | "rate_limited" | "rate_limit_exceeded" => ApiError::RateLimited { retry_after: None },
        "internal_error" | "fatal_error" => repeatable.after_fault(),
        "service_unavailable" | "request_timeout" | "team_added_to_org" | "external_channel_migrating" => {
            ApiError::Unavailable
        }
        "message_not_found"
        | "cant_update_message"
        | "edit_window_closed"
        | "cant_delete_message"
        | "thread_not_found"
        | "cannot_reply_to_message"
        | "update_failed" => ApiError::Gone { code },
        "channel_not_found"
        | "is_archived"
        | "is_inactive"
        | "not_in_channel"
        | "channel_is_archived"
        | "user_not_in_channel"
        | "restricted_action"
        | "restricted_action_read_only_channel"
        | "restricted_action_thread_only_channel"
        | "restricted_action_non_threadable_channel"
        | "restricted_action_thread_locked"
        | "messages_tab_disabled"
        | "as_user_not_supported"
        | "team_access_not_granted"
        | "no_permission"
        | "cannot_dm_bot" => ApiError::NoPlace { code },
        // Somebody closed the dialog, or it was changed meanwhile.
        "not_found" | "view_not_found" | "hash_conflict" if method.starts_with("views.") => {
            ApiError::Gone { code }
        }
        "invalid_blocks"
        | "invalid_blocks_format"
        | "msg_blocks_too_long"
        | "msg_too_long"
        | "block_mismatch"
        | "attachment_payload_limit_exceeded"
        | "view_too_large"
        | "metadata_too_large" => ApiError::TooLarge { code, details: details(body) },
        // So do views answer what messages call `invalid_blocks`.
        "invalid_arguments" if method.starts_with("views.") => {
            ApiError::TooLarge { code, details: details(body) }
        }
        "expired_trigger_id"
        | "exchanged_trigger_id"
        | "trigger_exchanged"
        | "trigger_expired"
        | "invalid_trigger"
        | "invalid_trigger_id" => ApiError::TriggerExpired { code },
        "not_authed"
        | "invalid_auth"
        | "account_inactive"
        | "token_revoked"
        | "token_expired"
        | "org_login_required"
        | "ekm_access_denied"
        | "missing_scope"
        | "not_allowed_token_type"
        | "two_factor_setup_required"
        | "access_denied" => ApiError::Auth { code, needed: body["needed"].as_str().map(str::to_owned) },
        _ => ApiError::Other { code },
    }
}

/// What Slack says is wrong; it names places, not contents.
fn details(body: &Value) -> Vec<String> {
    /// The most remarks that are kept.
    const DETAILS_MAX: usize = 10;
    let remarks = [&body["errors"], &body["response_metadata"]["messages"]];
    let remarks = remarks.into_iter().find_map(|list| list.as_array().filter(|list| !list.is_empty()));
    remarks.into_iter().flatten().filter_map(Value::as_str).take(DETAILS_MAX).map(str::to_owned).collect()
}
