//! A calendar at an address (iCalendar, RFC 5545): who the events name that go on now.

mod events;

use placet::time::Timestamp;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use url::Url;

use crate::fetch::{Fault, Fetch};
use crate::is_safe;
use crate::shift::Shift;

/// The most bytes of a calendar.
const CALENDAR_BYTES_MAX: usize = 4 << 20;

/// The shifts around now.
///
/// # Errors
/// Why they cannot be read, and what to do; without the address, which may be a secret.
pub(crate) async fn read(fetch: &Fetch, url: &str, now: Timestamp) -> Result<Vec<Shift>, String> {
    let url: Url = url.parse().map_err(|_| "the calendar's address is none".to_owned())?;
    if !is_safe(&url) {
        return Err("the calendar's address is not an https address".to_owned());
    }
    let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("text/calendar"))]);
    let bytes = fetch.get(url, headers, CALENDAR_BYTES_MAX).await.map_err(|fault| remedy(&fault))?;
    let text = String::from_utf8(bytes).map_err(|_| "the calendar is not text".to_owned())?;
    // A long calendar takes its time; others are not to wait for it.
    let read = tokio::task::spawn_blocking(move || events::shifts(&text, now)).await;
    read.unwrap_or(Err(events::Unclear::NotACalendar)).map_err(|unclear| unclear.to_string())
}

/// Why it could not be read, and what to do.
fn remedy(fault: &Fault) -> String {
    match fault {
        Fault::Unavailable | Fault::SlowDown { .. } => {
            "the calendar does not answer at the moment".to_owned()
        }
        Fault::Unauthorised => "the calendar's address is refused: ask whoever keeps the policy".to_owned(),
        Fault::Refused(status) => {
            format!("the calendar's address answers {status}: ask whoever keeps the policy")
        }
        Fault::TooLong => format!("the calendar has more than {CALENDAR_BYTES_MAX} bytes"),
        Fault::Garbled => "the calendar cannot be understood".to_owned(),
    }
}
