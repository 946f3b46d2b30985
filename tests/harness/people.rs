//! People in Slack: they see cards, press buttons, fill in dialogs, and are whispered to.

use anyhow::{Context as _, Result, bail};
use axum::http::Method;

use crate::desk::Desk;
use crate::fake_slack::{Button, Delivery, Message, View, buttons, text_of};
use crate::http::{Answer, Ask};

/// A card as it stands in a channel.
#[derive(Debug, Clone)]
pub struct Card {
    /// The message.
    pub message: Message,
}

impl Card {
    /// What a person reads.
    #[must_use]
    pub fn text(&self) -> String {
        text_of(&self.message)
    }

    /// The button whose text begins like this.
    ///
    /// # Errors
    /// If there is none.
    pub fn button(&self, text: &str) -> Result<Button> {
        let all = buttons(&self.message);
        let found = all.iter().find(|button| button.text.starts_with(text)).cloned();
        found.with_context(|| {
            let names: Vec<_> = all.iter().map(|button| button.text.as_str()).collect();
            format!("no button {text} among {names:?} on:\n{}", self.text())
        })
    }

    /// Whether there is anything to press.
    #[must_use]
    pub fn has_buttons(&self) -> bool {
        !buttons(&self.message).is_empty()
    }
}

/// A person, by the name of their account in the fake workspace.
#[derive(Clone, Copy)]
pub struct Person<'a> {
    pub(crate) desk: &'a Desk,
    pub(crate) name: &'a str,
}

impl Person<'_> {
    /// The account's id.
    #[must_use]
    pub fn user(&self) -> String {
        self.desk.slack().person(self.name)
    }

    /// Presses a button of a card.
    ///
    /// # Errors
    /// If the click is not taken with 200.
    pub async fn clicks(&self, card: &Card, button: &str) -> Result<()> {
        let button = card.button(button)?;
        let payload = self.desk.slack().click_payload(&self.user(), &card.message, &button);
        self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        Ok(())
    }

    /// The dialog that was opened for this person.
    ///
    /// # Errors
    /// If none comes.
    pub async fn sees_dialog(&self) -> Result<View> {
        self.desk.slack().next_view(&self.user()).await
    }

    /// Submits a dialog with values by block and action.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn submits(&self, view: &View, values: &[(&str, &str, &str)]) -> Result<()> {
        let payload = self.desk.slack().submit_payload(&self.user(), view, values)?;
        let answer = self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        self.desk.slack().answer_submission(view, answer.status.as_u16(), &answer.text())?;
        Ok(())
    }

    /// Presses a button within a dialog, and sees what becomes of the dialog.
    ///
    /// # Errors
    /// If there is no such button, or nothing comes of it.
    pub async fn presses(&self, view: &View, action_id: &str) -> Result<View> {
        let payload = self.desk.slack().view_click_payload(&self.user(), view, action_id)?;
        self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        self.sees_dialog().await
    }

    /// Presses a button that is not on the card: what a client could send that somebody has changed.
    ///
    /// # Errors
    /// If the click is not taken with 200.
    pub async fn forges(&self, card: &Card, button: &Button) -> Result<()> {
        let payload = self.desk.slack().click_payload(&self.user(), &card.message, button);
        self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        Ok(())
    }

    /// Denies with a reason: the button, then the dialog.
    ///
    /// # Errors
    /// If any of it does not work.
    pub async fn denies(&self, card: &Card, reason: &str) -> Result<()> {
        self.clicks(card, "Deny").await?;
        let view = self.sees_dialog().await?;
        let (block, action) = text_input(&view)?;
        self.submits(&view, &[(&block, &action, reason)]).await
    }

    /// Is told something that nobody else sees.
    ///
    /// # Errors
    /// If nothing is said, or something else.
    pub async fn is_whispered(&self, words: &str) -> Result<()> {
        let user = self.user();
        let whisper = self.desk.while_working(self.desk.slack().next_ephemeral(&user)).await??;
        let text = text_of(&whisper);
        if !text.contains(words) && !whisper.text.contains(words) {
            bail!("expected a whisper with {words:?}, got {text:?} ({:?})", whisper.text);
        }
        Ok(())
    }
}

/// The block and action of a dialog's first text field.
///
/// # Errors
/// If it has none.
pub fn text_input(view: &View) -> Result<(String, String)> {
    let blocks = view.view["blocks"].as_array().context("blocks")?;
    for block in blocks {
        if block["type"] == "input" {
            let (id, action) = (block["block_id"].as_str(), block["element"]["action_id"].as_str());
            return Ok((id.context("a block_id")?.to_owned(), action.context("an action_id")?.to_owned()));
        }
    }
    bail!("the dialog has no input: {}", view.text())
}

/// A channel of the fake workspace.
#[derive(Clone)]
pub struct Channel<'a> {
    pub(crate) desk: &'a Desk,
    pub(crate) id: String,
}

impl Channel<'_> {
    /// The next message that nobody has looked at yet.
    ///
    /// # Errors
    /// If none comes.
    pub async fn next_card(&self) -> Result<Card> {
        let message = self.desk.while_working(self.desk.slack().next_message(&self.id)).await??;
        Ok(Card { message })
    }

    /// The card after its next change, which must read like this.
    ///
    /// # Errors
    /// If it does not change, or reads otherwise.
    pub async fn expect_update(&self, card: &Card, words: &str) -> Result<Card> {
        self.desk.work_until_idle().await?;
        let message = self.desk.slack().message(&self.id, &card.message.ts).context("the card is gone")?;
        let card = Card { message };
        let text = card.text();
        if !text.contains(words) {
            bail!("expected {words:?} on the card, which reads:\n{text}");
        }
        Ok(card)
    }

    /// Looks at everything there is, so that nothing is left unread.
    pub fn skims(&self) {
        let _ = self.messages();
    }

    /// All messages.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.desk.slack().messages(&self.id)
    }
}

impl Desk {
    /// Hands a delivery of Slack's to the router.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn delivers(&self, delivery: &Delivery) -> Result<Answer> {
        let mut ask = Ask::new(Method::POST, "/slack/interactivity").body(delivery.body.clone());
        for (name, value) in &delivery.headers {
            ask = ask.header(name, value)?;
        }
        self.sends(ask).await
    }
}
