//! Whether Slack's clicks come in. Slack tells nobody which addresses an app has, so that the address is called from here,
//! as Slack would; where none is named, it is said how to see it by hand.

use std::sync::Arc;

use placet::ports::Clock;
use placet_slack::api::ApiError;
use placet_slack::probe::{WayIn, way_in};
use url::Url;

use super::super::slack::EVENTS_PATH;
use super::Finding;
use crate::settings::{ProxySettings, Settings, SlackSettings};
use crate::wire::slack_secrets;

/// Looks at it, where calls come over HTTP.
pub(super) async fn examine(
    settings: &Settings,
    slack: &SlackSettings,
    base: Option<&Url>,
    clock: &Arc<dyn Clock>,
) -> Option<Finding> {
    let check = format!("{} way in", slack.name);
    if slack.ways_in.signing_secret.is_none() {
        return Some(Finding::ok(check, "over sockets only: no address is needed"));
    }
    let Some(base) = base else {
        return Some(Finding::warning(
            check,
            "not looked at: Slack tells nobody which address an app has",
            "run it with --url and the address that Slack calls; or press Details on a card: a dialog opens at once. In the \
             app's settings \"Interactivity & Shortcuts\" must be on, with that address and /slack/interactivity",
        ));
    };
    let address = format!("{}{EVENTS_PATH}", base.as_str().trim_end_matches('/'));
    let proxy = settings.outbound.as_ref().map(ProxySettings::address);
    let (Ok(url), Ok(secrets)) = (Url::parse(&address), slack_secrets(&slack.ways_in)) else {
        return Some(Finding::wrong(
            check,
            format!("{address} is no address"),
            "give --url the one that Slack calls",
        ));
    };
    let Ok(found) = way_in(&url, &secrets, clock.now().as_secs(), proxy).await else {
        return Some(Finding::wrong(check, "no client can be made", "mend [outbound] in the settings"));
    };
    Some(match found {
        WayIn::Open => Finding::ok(check, format!("{address} takes what is signed, and nothing else")),
        WayIn::OtherSecret => Finding::wrong(
            check,
            format!("{address} does not take what signing_secret signs"),
            "the server there has another signing_secret, or its clock is minutes away: start it anew with these settings",
        ),
        WayIn::SomethingElse { unsigned, signed } => Finding::wrong(
            check,
            format!(
                "at {address} something else answers: {unsigned} unsigned, {signed} signed, where it should be 401 and 200"
            ),
            "see that the server runs, that the proxy hands it every path under /slack/ unchanged, and that path_prefix is right",
        ),
        WayIn::Unreachable(fault) => {
            let why = match &fault {
                ApiError::Unreached(unreached) => unreached.to_string(),
                _ => "no answer came in time".to_owned(),
            };
            Finding::wrong(
                check,
                format!("{address} cannot be reached from here: {why}"),
                "see that name, certificate and proxy are right; a machine that does not reach its own public address: look \
                 from another",
            )
        }
    })
}
