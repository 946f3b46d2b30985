//! Whether Slack's calls would come in: the address that Slack is told is called as Slack does when it verifies it. That
//! changes nothing, and decides nothing.

use url::Url;

use crate::api::{ApiError, BadSettings, CALL_LIMIT, CONNECT_LIMIT, classify_transport, client};
use crate::signature::{SIGNATURE_HEADER, SigningSecrets, TIMESTAMP_HEADER};

/// What has to come back.
const CHALLENGE: &str = "placet-doctor";
/// What Slack sends to verify an address of events.
const BODY: &str = r#"{"type":"url_verification","challenge":"placet-doctor"}"#;

/// What answered at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WayIn {
    /// Placet with these secrets: it takes what is signed, and nothing else.
    Open,
    /// It takes what is signed with another secret, or by another clock.
    OtherSecret,
    /// Something else than Placet, or Placet at another path.
    SomethingElse {
        /// The status for a call that is not signed.
        unsigned: u16,
        /// The status for one that is.
        signed: u16,
    },
    /// Nothing: it cannot be reached from here.
    Unreachable(ApiError),
}

/// Calls the address for events, once unsigned and once signed.
///
/// # Errors
/// The proxy or the TLS set-up is refused.
pub async fn way_in(
    events: &Url,
    secrets: &SigningSecrets,
    now_secs: i64,
    proxy: Option<Url>,
) -> Result<WayIn, BadSettings> {
    let builder = client(CONNECT_LIMIT, proxy.as_ref())?.timeout(CALL_LIMIT);
    let http = builder.build().map_err(BadSettings::Client)?;
    let call = || {
        http.post(events.clone())
            .header("content-type", "application/json")
            .header(TIMESTAMP_HEADER, now_secs.to_string())
            .body(BODY)
    };
    let signed = call().header(SIGNATURE_HEADER, secrets.sign(now_secs, BODY.as_bytes()));
    let (unsigned, signed) = match (call().send().await, signed.send().await) {
        (Ok(unsigned), Ok(signed)) => (unsigned, signed),
        (Err(error), _) | (_, Err(error)) => {
            return Ok(WayIn::Unreachable(classify_transport(&error, proxy.as_ref())));
        }
    };
    let codes = (unsigned.status().as_u16(), signed.status().as_u16());
    // A body beyond this is no challenge: whatever it is, it is not read.
    let is_short = signed.content_length().is_some_and(|bytes| bytes == CHALLENGE.len() as u64);
    let came_back = is_short && signed.text().await.is_ok_and(|body| body == CHALLENGE);
    Ok(match codes {
        (401, 200) if came_back => WayIn::Open,
        (401, 401) => WayIn::OtherSecret,
        (unsigned, signed) => WayIn::SomethingElse { unsigned, signed },
    })
}
