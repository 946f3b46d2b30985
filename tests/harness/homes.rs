//! The app's home as people use it.

use anyhow::Result;
use placet::time::Ttl;

use crate::agent::Call;
use crate::fake_slack::View;
use crate::people::Person;

/// Longer than a home waits for its turn in any conversation, and less than what is looked at now and then.
const TURNS_WAIT: Ttl = Ttl::from_secs(5);

impl Person<'_> {
    /// Opens their home; gives what they read once it has these words.
    ///
    /// # Errors
    /// If it does not come to have them.
    pub async fn opens_home(&self, words: &str) -> Result<String> {
        self.desk.delivers_event(&self.desk.slack().home_opened(&self.user())).await?;
        self.home_reads(words).await
    }

    /// What they read in their home once it has these words, without opening it.
    ///
    /// # Errors
    /// If it does not come to have them.
    pub async fn home_reads(&self, words: &str) -> Result<String> {
        self.sees(self.desk.slack().home_reads(&self.user(), words)).await
    }

    /// The same, once it no longer has these.
    ///
    /// # Errors
    /// If it goes on to have them.
    pub async fn home_loses(&self, words: &str) -> Result<String> {
        self.sees(self.desk.slack().home_loses(&self.user(), words)).await
    }

    /// Waits while the worker goes on, and the seconds pass that homes wait for their turns.
    async fn sees(&self, wished: impl Future<Output = Result<String>>) -> Result<String> {
        let mut seen = std::pin::pin!(self.desk.while_working(wished));
        loop {
            tokio::select! {
                biased;
                seen = &mut seen => return seen?,
                () = self.desk.clock().catches_up_within(TURNS_WAIT) => {}
            }
        }
    }

    /// Presses a button of their home that is about this call.
    ///
    /// # Errors
    /// If there is none, or it is not taken with 200.
    pub async fn presses_at_home(&self, call: &Call, button: &str) -> Result<()> {
        self.presses_carrying(button, &call.id).await
    }

    /// Turns the page of their home.
    ///
    /// # Errors
    /// If there is no such button, or it is not taken with 200.
    pub async fn turns_home(&self, button: &str) -> Result<()> {
        self.presses_carrying(button, "").await
    }

    /// Presses a button of their home that opens a dialog about this call.
    ///
    /// # Errors
    /// If no dialog comes.
    pub async fn opens_at_home(&self, call: &Call, button: &str) -> Result<View> {
        self.presses_at_home(call, button).await?;
        self.sees_dialog().await
    }

    async fn presses_carrying(&self, button: &str, carried: &str) -> Result<()> {
        let payload = self.desk.slack().home_click_payload(&self.user(), button, carried)?;
        self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        Ok(())
    }
}
