//! PagerDuty: who is on call at the first level of an escalation policy.
//!
//! Sources: <https://developer.pagerduty.com/api-reference/3a6b910f11050-list-all-of-the-on-calls>,
//! <https://developer.pagerduty.com/docs/rest-api-rate-limits>.

use std::collections::BTreeSet;

use placet::person::Identity;
use placet::time::Timestamp;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::Url;

use crate::fetch::{Fault, Fetch};
use crate::shift::Shift;
use crate::{BadSettings, is_safe, is_token};

/// PagerDuty's REST API in its first service region.
pub const PAGERDUTY_URL: &str = "https://api.pagerduty.com/";

/// The version of the API that is spoken.
const VERSION: HeaderValue = HeaderValue::from_static("application/vnd.pagerduty+json;version=2");

/// The most bytes of one page.
const PAGE_BYTES_MAX: usize = 1 << 20;

/// How many entries a page has: the most that PagerDuty gives.
const PAGE_ENTRIES: u32 = 100;

/// The most pages that are read: nobody has a thousand people on call at once.
const PAGES_MAX: u32 = 10;

/// How PagerDuty is reached.
#[derive(Debug, Clone)]
pub struct PagerDutySettings {
    /// Where the API is, ending in a slash: [`PAGERDUTY_URL`], or that of another region.
    pub url: Url,
    /// A token that may read (`Authorization: Token token=…`).
    pub token: SecretString,
}

/// PagerDuty's API.
pub(crate) struct PagerDuty {
    url: Url,
    headers: HeaderMap,
}

/// One page. What is not needed is not looked at.
#[derive(Deserialize)]
struct Page {
    oncalls: Vec<Entry>,
    #[serde(default)]
    more: bool,
}

#[derive(Deserialize)]
struct Entry {
    escalation_policy: Reference,
    escalation_level: u32,
    user: User,
    /// None: there is no schedule, and the user is always on call.
    start: Option<String>,
    end: Option<String>,
}

#[derive(Deserialize)]
struct Reference {
    id: String,
}

#[derive(Deserialize)]
struct User {
    id: String,
    #[serde(default)]
    email: Option<String>,
}

impl PagerDuty {
    pub(crate) fn new(settings: PagerDutySettings) -> Result<Self, BadSettings> {
        if !is_safe(&settings.url) || !settings.url.path().ends_with('/') {
            return Err(BadSettings::Url);
        }
        if !is_token(&settings.token) {
            return Err(BadSettings::Token);
        }
        let token = format!("Token token={}", settings.token.expose_secret());
        let mut token = HeaderValue::try_from(token).map_err(|_| BadSettings::Token)?;
        token.set_sensitive(true);
        let headers = HeaderMap::from_iter([(AUTHORIZATION, token), (ACCEPT, VERSION)]);
        Ok(Self { url: settings.url, headers })
    }

    /// Who is on call now at the first level: who is asked first, not everybody in the policy.
    pub(crate) async fn on_call(&self, fetch: &Fetch, policy: &str) -> Result<Vec<Shift>, Fault> {
        let mut shifts = Vec::new();
        for page in 0..PAGES_MAX {
            let url = self.page(policy, page)?;
            let bytes = fetch.get(url, self.headers.clone(), PAGE_BYTES_MAX).await?;
            let page: Page = serde_json::from_slice(&bytes).map_err(|_| Fault::Garbled)?;
            for entry in page.oncalls {
                // A filter that was not heeded must not make anybody an approver.
                if entry.escalation_level == 1 && entry.escalation_policy.id == policy {
                    shifts.push(entry.shift()?);
                }
            }
            if !page.more {
                return Ok(shifts);
            }
        }
        Err(Fault::TooLong)
    }

    fn page(&self, policy: &str, page: u32) -> Result<Url, Fault> {
        let mut url = self.url.join("oncalls").map_err(|_| Fault::Garbled)?;
        url.query_pairs_mut()
            .append_pair("escalation_policy_ids[]", policy)
            .append_pair("earliest", "true")
            .append_pair("include[]", "users")
            .append_pair("limit", &PAGE_ENTRIES.to_string())
            .append_pair("offset", &(page * PAGE_ENTRIES).to_string());
        Ok(url)
    }
}

impl Entry {
    fn shift(self) -> Result<Shift, Fault> {
        let at = |text: Option<String>| {
            text.map(|text| {
                let at = chrono::DateTime::parse_from_rfc3339(&text).map_err(|_| Fault::Garbled)?;
                Ok(Timestamp::from_millis(at.timestamp_millis()))
            })
            .transpose()
        };
        let mut who = BTreeSet::from([Identity::pagerduty(&self.user.id).map_err(|_| Fault::Garbled)?]);
        who.extend(self.user.email.and_then(|email| Identity::email(&email).ok()));
        Ok(Shift { from: at(self.start)?, until: at(self.end)?, who })
    }
}

/// Why it could not be read, and what to do.
pub(crate) fn remedy(fault: &Fault) -> String {
    match fault {
        Fault::Unavailable => "PagerDuty does not answer at the moment".to_owned(),
        Fault::SlowDown { .. } => "PagerDuty asks to slow down: try again in a minute".to_owned(),
        Fault::Unauthorised => "PagerDuty refuses the token: ask whoever set up Placet".to_owned(),
        Fault::Refused(status) => {
            format!("PagerDuty answers {status}: ask whoever keeps the policy for its escalation policy")
        }
        Fault::TooLong | Fault::Garbled => "PagerDuty's answer cannot be understood".to_owned(),
    }
}
