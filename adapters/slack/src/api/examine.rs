//! What can be seen of a set-up from here: the token, the clocks, the channels. Nothing is changed by it.

use placet::time::Timestamp;
use serde_json::{Value, json};

use super::{ApiError, AuthTest, Repeatable, SlackApi};

/// What Slack says of the token, and what time it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// What the token is and may do.
    pub auth: AuthTest,
    /// Slack's clock, by the second; none where the answer has no date.
    pub at: Option<Timestamp>,
}

/// Whether the app is in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// It is, and can post there.
    Member,
    /// The channel is there, and the app is not in it.
    Outside,
    /// There is no such channel, or it is private and the app is not in it.
    NotFound,
    /// Nobody writes there any more.
    Archived,
    /// None of these scopes is granted, without which Slack does not tell.
    NotTold {
        /// What would be needed.
        needed: String,
    },
}

impl SlackApi {
    /// As [`SlackApi::auth_test`], with Slack's time.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn greet(&self) -> Result<Greeting, ApiError> {
        let answer = self.read("auth.test", &[]).await?;
        let at = answer.at;
        Ok(Greeting { auth: AuthTest::from_answer(answer)?, at })
    }

    /// Whether the app is in a channel. It asks for the newest message, which needs one of the scopes that look-ups need
    /// anyway, and for the channel itself, where that is granted.
    ///
    /// # Errors
    /// [`ApiError`] where Slack says something else.
    pub async fn presence(&self, channel: &str) -> Result<Presence, ApiError> {
        let read = match self.read("conversations.history", &[("channel", channel), ("limit", "1")]).await {
            Ok(_) => Presence::Member,
            Err(fault) => absence(fault)?,
        };
        if !matches!(read, Presence::Member | Presence::NotTold { .. }) {
            return Ok(read);
        }
        let told = match self.read("conversations.info", &[("channel", channel)]).await {
            Ok(mut answer) => answer.body["channel"].take(),
            Err(fault) => {
                return match absence(fault)? {
                    Presence::NotTold { .. } => Ok(read),
                    absent => Ok(absent),
                };
            }
        };
        Ok(match (told["is_archived"].as_bool(), told["is_member"].as_bool()) {
            (Some(true), _) => Presence::Archived,
            (_, Some(false)) => Presence::Outside,
            (_, Some(true)) => Presence::Member,
            (_, None) => read,
        })
    }

    /// Whether Slack would take these blocks in a message.
    ///
    /// # Errors
    /// [`ApiError::TooLarge`] with what Slack says is wrong; else [`ApiError`].
    pub async fn validate_blocks(&self, blocks: &[Value]) -> Result<(), ApiError> {
        self.write("blocks.validate", &json!({ "blocks": blocks }), Repeatable::Yes).await.map(drop)
    }
}

/// What an error says of the app's place in a channel; any other is one.
fn absence(fault: ApiError) -> Result<Presence, ApiError> {
    match fault {
        ApiError::NoPlace { code } => Ok(match code.as_str() {
            "not_in_channel" => Presence::Outside,
            "is_archived" | "channel_is_archived" => Presence::Archived,
            _ => Presence::NotFound,
        }),
        ApiError::Auth { needed: Some(needed), .. } => Ok(Presence::NotTold { needed }),
        fault => Err(fault),
    }
}
