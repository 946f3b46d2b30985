//! Slash commands: what the app answers at once, as the one person sees it.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::FakeSlack;
use super::methods::{Refusal, whispered};

impl FakeSlack {
    /// Takes the app's answer to a slash command, as status and body: nothing, or what only who typed it sees. Fails where
    /// Slack would not take it, or would show it to everybody.
    pub fn answer_command(&self, user: &str, channel: &str, status: u16, body: &str) -> Result<()> {
        ensure!(status == 200, "the person reads that the app did not respond: {status}");
        if body.is_empty() {
            return Ok(());
        }
        let answer: Value = serde_json::from_str(body)?;
        ensure!(answer["response_type"] == "ephemeral", "everybody in the channel would read it: {answer}");
        let mut state = self.state();
        match whispered(&mut state, channel, user, &answer) {
            Ok(()) => Ok(()),
            Err(Refusal::Code { code, details, .. }) => {
                anyhow::bail!("Slack shows nothing: {code} {details}")
            }
            Err(Refusal::RateLimited { .. }) => anyhow::bail!("an answer has no rate"),
        }
    }
}
