//! Which of Slack's secrets one is, as far as its form tells. They come from three pages of the app's settings, and whoever
//! copies them takes one for another: what is surely another kind is refused where it stands, not by Slack an hour later.
//!
//! Source: <https://docs.slack.dev/authentication/tokens>.

use secrecy::{ExposeSecret as _, SecretString};

use super::problem::Report;
use super::reader::Section;

/// The length of a signing secret, in hexadecimal digits.
const SIGNING_DIGITS: usize = 32;

/// A kind of secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The bot's token.
    Bot,
    /// The app-level token.
    App,
    /// What Slack signs with.
    Signing,
    /// Another token of Slack's: a person's, or one for configuration.
    OtherToken,
}

impl Kind {
    /// None where the form tells nothing.
    fn of(secret: &str) -> Option<Self> {
        // A token that expires has another prefix before its own.
        let token = secret.strip_prefix("xoxe.").unwrap_or(secret);
        if token.starts_with("xoxb-") {
            Some(Self::Bot)
        } else if token.starts_with("xapp-") {
            Some(Self::App)
        } else if token.starts_with("xox") {
            Some(Self::OtherToken)
        } else if token.len() == SIGNING_DIGITS && token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Some(Self::Signing)
        } else {
            None
        }
    }

    const fn shown(self) -> &'static str {
        match self {
            Self::Bot => "this is a bot's token (xoxb-…)",
            Self::App => "this is an app-level token (xapp-…)",
            Self::Signing => "this has the form of a signing secret",
            Self::OtherToken => "this is a token of another kind",
        }
    }

    /// Where the right one is.
    const fn remedy(self) -> &'static str {
        match self {
            Self::Bot => {
                "the bot's token begins with xoxb- (\"OAuth & Permissions\", \"Bot User OAuth Token\")"
            }
            Self::App => "an app-level token begins with xapp- (\"Basic Information\", \"App-Level Tokens\")",
            Self::Signing => {
                "the signing secret is no token: 32 digits (\"Basic Information\", \"Signing Secret\")"
            }
            Self::OtherToken => "",
        }
    }
}

/// Notes a secret that is surely of another kind than its key wants.
pub(super) fn expect(
    wanted: Kind,
    (key, secret): (&str, Option<&SecretString>),
    table: &Section<'_>,
    report: &mut Report<'_>,
) {
    let found = secret.and_then(|secret| Kind::of(secret.expose_secret()));
    if let Some(found) = found.filter(|found| *found != wanted) {
        table.note(key, found.shown(), wanted.remedy(), report);
    }
}
