//! `[on_call]`: how schedules outside the policy are reached.

use placet_oncall::PAGERDUTY_URL;
use secrecy::SecretString;
use url::Url;

use super::problem::Report;
use super::reader::Section;
use super::secret::Secrets;
use super::section::address;

/// `[on_call]`.
#[derive(Debug, Clone)]
pub struct OnCallSettings {
    /// PagerDuty's REST API, with a slash at its end.
    pub pagerduty_url: Url,
    /// A token that may read there.
    pub pagerduty_token: SecretString,
}

impl OnCallSettings {
    pub(super) fn read(
        mut table: Section<'_>,
        secrets: Secrets<'_>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let example = "\"https://api.eu.pagerduty.com/\"";
        let url = table.string("pagerduty_url", report);
        let url = address(url, ("pagerduty_url", example), &table, report);
        let token = secrets.needed(&mut table, ("pagerduty_token", "PLACET_PAGERDUTY_TOKEN"), report);
        table.finish(report);
        let url = match url {
            Some(mut url) => {
                // A base without a slash at its end would lose its last part when paths are joined to it.
                if !url.path().ends_with('/') {
                    let path = format!("{}/", url.path());
                    url.set_path(&path);
                }
                url
            }
            None => Url::parse(PAGERDUTY_URL).ok()?,
        };
        Some(Self { pagerduty_url: url, pagerduty_token: token? })
    }
}
