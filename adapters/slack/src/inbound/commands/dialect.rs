//! How people type in Slack: escaped as mrkdwn, and a person by a mention that Slack itself wrote, `<@U123>` or
//! `<@U123|name>`, never by a name.

use placet::command::{Dialect, Means};
use placet::person::Identity;

use crate::identity::Home;
use crate::mrkdwn::unescape;
use crate::payload::mentioned_user;

/// How people type in a workspace.
pub(super) struct SlackDialect<'a>(pub(super) &'a Home);

impl Dialect for SlackDialect<'_> {
    fn means(&self) -> Means {
        Means::Buttons
    }

    fn is_mention(&self, word: &str) -> bool {
        word.starts_with("<@")
    }

    /// An account is known by its workspace, or by the enterprise of that.
    fn accounts(&self, word: &str) -> Vec<Identity> {
        let Some(user) = mentioned_user(word) else { return Vec::new() };
        let realms = [Some(&self.0.team_id), self.0.enterprise_id.as_ref()];
        realms.into_iter().flatten().filter_map(|realm| Identity::slack(realm, user).ok()).collect()
    }

    fn plain(&self, text: &str) -> String {
        unescape(text)
    }
}
