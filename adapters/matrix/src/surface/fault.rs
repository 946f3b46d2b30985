//! What an error of the homeserver's, or of the way to it, means for whoever wanted something delivered.

use matrix_sdk::ruma::api::error::{ErrorKind, RetryAfter};
use matrix_sdk::{Error, HttpError};
use placet::ports::SurfaceError;
use placet::time::Ttl;

pub(super) const NO_OPS_ROOM: &str =
    "no Matrix room for operators is configured: set one to be told of alarms";
pub(super) const NOT_A_MATRIX_ACCOUNT: &str = "the recipient is not a Matrix account";

/// By kind; what will not work by itself comes with what to do.
pub(super) fn surface_error(fault: &Error) -> SurfaceError {
    match fault {
        Error::Http(fault) => http_error(fault),
        Error::WrongRoomState(_) => SurfaceError::Never {
            why: format!("{fault}: Placet's account is not in the room (any more): invite it again"),
        },
        Error::AuthenticationRequired => no_session(&fault.to_string()),
        // Before anything was sent: keys, the store, what the store lacks.
        Error::OlmError(_)
        | Error::MegolmError(_)
        | Error::CryptoStoreError(_)
        | Error::StateStore(_)
        | Error::NoOlmMachine
        | Error::SerdeJson(_)
        | Error::InsufficientData => later(&fault.to_string(), None),
        other => SurfaceError::Unknown { why: other.to_string() },
    }
}

/// The same of a request that went past the client's own caches.
pub(super) fn http_error(fault: &HttpError) -> SurfaceError {
    let why = fault.to_string();
    if let HttpError::Reqwest(fault) = fault {
        return if fault.is_connect() { later(&why, None) } else { SurfaceError::Unknown { why } };
    }
    let Some(answer) = fault.as_client_api_error() else { return of_status(fault, why) };
    let status = answer.status_code.as_u16();
    match answer.error_kind() {
        Some(ErrorKind::LimitExceeded(limit)) => later(&why, limit.retry_after.as_ref().and_then(waits)),
        Some(ErrorKind::UnknownToken(_) | ErrorKind::MissingToken | ErrorKind::UserDeactivated) => {
            no_session(&why)
        }
        Some(ErrorKind::UserLocked | ErrorKind::UserSuspended) => SurfaceError::Never {
            why: format!("{why}: ask whoever runs the homeserver to let Placet's account write again"),
        },
        Some(ErrorKind::Forbidden | ErrorKind::GuestAccessForbidden) => SurfaceError::Never {
            why: format!("{why}: invite Placet's account to the room, and give it the power to write there"),
        },
        Some(ErrorKind::NotFound) => SurfaceError::Gone { why },
        Some(ErrorKind::TooLarge) => SurfaceError::Never { why },
        _ if status == 429 || status == 503 => later(&why, None),
        // It may have been taken before it went wrong.
        _ if status >= 500 => SurfaceError::Unknown { why },
        _ => SurfaceError::Never { why },
    }
}

/// An answer that is not of Matrix's form: a proxy's, mostly.
fn of_status(fault: &HttpError, why: String) -> SurfaceError {
    match fault {
        HttpError::IntoHttp(_) => SurfaceError::Never { why },
        HttpError::RefreshToken(_) => no_session(&why),
        _ => SurfaceError::Unknown { why },
    }
}

fn later(why: &str, after: Option<Ttl>) -> SurfaceError {
    SurfaceError::Later { why: why.to_owned(), after }
}

fn no_session(why: &str) -> SurfaceError {
    SurfaceError::Never {
        why: format!("{why}: Placet's account is signed out: sign it in again (placet matrix login)"),
    }
}

/// How long the homeserver wants to be left alone. A date it names is compared with no clock here.
fn waits(after: &RetryAfter) -> Option<Ttl> {
    match after {
        RetryAfter::Delay(delay) => {
            Some(Ttl::from_millis(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)))
        }
        RetryAfter::DateTime(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use matrix_sdk::ruma::api::client::uiaa::UiaaResponse;
    use matrix_sdk::ruma::api::error::FromHttpResponseError;
    use matrix_sdk::ruma::exports::http;

    use super::*;

    fn answer(status: u16, body: &str) -> SurfaceError {
        use matrix_sdk::ruma::api::EndpointError as _;
        let response = http::Response::builder().status(status).body(body.as_bytes()).unwrap();
        let fault: FromHttpResponseError<UiaaResponse> =
            FromHttpResponseError::Server(UiaaResponse::from_http_response(response));
        surface_error(&Error::from(HttpError::from(fault)))
    }

    fn kind(error: &SurfaceError) -> &'static str {
        match error {
            SurfaceError::Later { .. } => "later",
            SurfaceError::Unknown { .. } => "unknown",
            SurfaceError::Gone { .. } => "gone",
            SurfaceError::Never { .. } => "never",
        }
    }

    /// R29: no error of any kind could be taken for an answer of people, and each says whether it may have happened.
    #[test]
    fn errors_are_told_apart_by_kind() {
        for (status, code, wanted) in [
            (429, "M_LIMIT_EXCEEDED", "later"),
            (503, "M_UNKNOWN", "later"),
            (500, "M_UNKNOWN", "unknown"),
            (504, "M_UNKNOWN", "unknown"),
            (403, "M_FORBIDDEN", "never"),
            (401, "M_UNKNOWN_TOKEN", "never"),
            (404, "M_NOT_FOUND", "gone"),
            (413, "M_TOO_LARGE", "never"),
            (400, "M_BAD_JSON", "never"),
        ] {
            let body = format!(r#"{{"errcode":"{code}","error":"x","retry_after_ms":7000}}"#);
            let error = answer(status, &body);
            assert_eq!(kind(&error), wanted, "{status} {code}: {error:?}");
        }
        let limited = answer(429, r#"{"errcode":"M_LIMIT_EXCEEDED","error":"x","retry_after_ms":7000}"#);
        assert!(
            matches!(limited, SurfaceError::Later { after: Some(after), .. } if after == Ttl::from_secs(7))
        );
        // A proxy's own page.
        assert_eq!(kind(&answer(502, "<html>Bad gateway</html>")), "unknown");
    }
}
