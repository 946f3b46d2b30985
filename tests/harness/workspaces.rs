//! Several Slack workspaces at the desk.

use std::sync::{Arc, PoisonError};

use anyhow::Result;
use placet::time::Clock as _;

use crate::desk::Desk;
use crate::fake_slack::FakeSlack;

/// The signing secret of the app in other workspaces.
pub const OTHER_SIGNING_SECRET: &str = "11aa22bb33cc44dd55ee66ff77aa88bb";

/// The app-level token of the app there.
pub const OTHER_APP_TOKEN: &str = "xapp-1-A0FAKEAPP2-1-fake";

impl Desk {
    /// A workspace beside the desk's own, which Placet does not know yet.
    ///
    /// # Errors
    /// If it cannot be started.
    pub async fn another_slack(&self, team: &str) -> Result<FakeSlack> {
        let time = Arc::clone(&self.clock);
        let slack = FakeSlack::start(Arc::new(move || time.now().as_millis())).await?;
        slack.set_team(team);
        slack.set_signing_secret(OTHER_SIGNING_SECRET);
        Ok(slack)
    }

    /// Placet serves another workspace too, from its next start on: this tenant's, under this name, with cards in this
    /// channel, signed with the secret that this variable holds.
    pub fn serves_too(
        &self,
        slack: &FakeSlack,
        (team, tenant, name): (&str, &str, &str),
        (channel, secret): (&str, &str),
    ) {
        self.serves_too_by(slack, (team, tenant, name), (channel, "signing_secret", secret));
    }

    /// The same, with what this workspace does coming on sockets of its own app.
    pub fn serves_too_on_sockets(
        &self,
        slack: &FakeSlack,
        (team, tenant, name): (&str, &str, &str),
        channel: &str,
    ) {
        slack.set_app_token(OTHER_APP_TOKEN);
        self.serves_too_by(slack, (team, tenant, name), (channel, "app_token", "OTHER_APP_TOKEN"));
    }

    fn serves_too_by(
        &self,
        slack: &FakeSlack,
        (team, tenant, name): (&str, &str, &str),
        (channel, way, secret): (&str, &str, &str),
    ) {
        let url = slack.base_url();
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner).push_str(&format!(
            "[[slack]]\nname = \"{name}\"\napi_url = \"{url}\"\n{way} = {{ env = \"{secret}\" }}\n\
             bot_token = {{ env = \"BOT_TOKEN\" }}\nteam = \"{team}\"\ntenant = \"{tenant}\"\n\
             channel = \"{channel}\"\nops_channel = \"{channel}\"\n"
        ));
    }

    pub(crate) fn has_one_workspace(&self) -> bool {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}
