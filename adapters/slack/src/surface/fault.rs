//! What an error of Slack's means for whoever wanted something delivered.

use placet::ports::SurfaceError;
use placet::time::Ttl;

use crate::api::ApiError;

pub(super) const NO_OPS_CHANNEL: &str =
    "no Slack channel for operators is configured: set one to be told of alarms";
pub(super) const NOT_A_SLACK_ACCOUNT: &str = "the recipient is not a Slack account";

/// By kind; what will not work by itself comes with what to do.
pub(super) fn surface_error(fault: &ApiError) -> SurfaceError {
    let why = fault.to_string();
    match fault {
        ApiError::RateLimited { retry_after } => {
            SurfaceError::Later { why, after: retry_after.map(|secs| Ttl::from_secs(secs.into())) }
        }
        ApiError::Unreached(_) | ApiError::Unavailable => SurfaceError::Later { why, after: None },
        ApiError::Unknown => SurfaceError::Unknown { why },
        ApiError::Gone { .. } => SurfaceError::Gone { why },
        ApiError::NoPlace { .. } => {
            SurfaceError::Never { why: format!("{why}: check the channel's id, and invite the bot to it") }
        }
        ApiError::Auth { needed: Some(scope), .. } => SurfaceError::Never {
            why: format!("{why}: add the scope {scope} to the app, and install it again"),
        },
        ApiError::Auth { needed: None, .. } => {
            SurfaceError::Never { why: format!("{why}: install the app again, and set its new token") }
        }
        // The compact form was refused as well, or a whisper, which has no shorter form.
        ApiError::TooLarge { details, .. } => {
            SurfaceError::Never { why: format!("{why}: {}", details.join("; ")) }
        }
        ApiError::TriggerExpired { .. } | ApiError::Other { .. } => SurfaceError::Never { why },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No error of any kind could be taken for an answer of people, and each says whether it may have happened.
    #[test]
    fn errors_are_told_apart_by_kind() {
        let code = || "x".to_owned();
        let kind = |fault: ApiError| {
            let error = format!("{:?}", surface_error(&fault));
            error.split([' ', '{']).next().unwrap_or_default().to_owned()
        };
        assert_eq!(kind(ApiError::RateLimited { retry_after: None }), "Later");
        assert_eq!(kind(ApiError::Unavailable), "Later");
        assert_eq!(kind(ApiError::Unknown), "Unknown");
        assert_eq!(kind(ApiError::Gone { code: code() }), "Gone");
        assert_eq!(kind(ApiError::NoPlace { code: code() }), "Never");
        assert_eq!(kind(ApiError::Auth { code: code(), needed: None }), "Never");
        assert_eq!(kind(ApiError::TooLarge { code: code(), details: vec![] }), "Never");
        assert_eq!(kind(ApiError::Other { code: code() }), "Never");
        let limited = surface_error(&ApiError::RateLimited { retry_after: Some(7) });
        assert!(
            matches!(limited, SurfaceError::Later { after: Some(after), .. } if after == Ttl::from_secs(7))
        );
    }
}
