//! People in Slack: they see cards, press buttons, fill in dialogs, and are whispered to.

use anyhow::{Context as _, Result, bail, ensure};
use axum::http::Method;

use crate::agent::Call;
use crate::desk::Desk;
use crate::fake_slack::{Button, Delivery, Message, View, buttons, text_of};
use crate::http::{Answer, Ask};
use crate::in_time::in_time;

/// The `callback_id` of the dialog that opens before it is known whether its reader may read what it is about.
pub const WAITING: &str = "placet_opening";

/// That of the dialog that shows nothing, because they may not.
const NOT_SHOWN: &str = "placet_not_shown";

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

    /// As [`Card::button`], of the part of the card that is about this call.
    ///
    /// # Errors
    /// If there is none.
    pub fn button_for(&self, call: &Call, text: &str) -> Result<Button> {
        let all = buttons(&self.message);
        let of_call = |button: &&Button| button.value.contains(&call.id) && button.text.starts_with(text);
        let found = all.iter().find(of_call).cloned();
        found.with_context(|| format!("no button {text} for {} on:\n{}", call.id, self.text()))
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

    /// Presses a button of the part of a card that is about this call.
    ///
    /// # Errors
    /// If there is none, or the click is not taken with 200.
    pub async fn clicks_for(&self, card: &Card, call: &Call, button: &str) -> Result<()> {
        self.forges(card, &card.button_for(call, button)?).await
    }

    /// The dialog that was opened for this person; where it opens before it shows anything, once it does.
    ///
    /// # Errors
    /// If none comes.
    pub async fn sees_dialog(&self) -> Result<View> {
        loop {
            let view = self.desk.slack().next_view(&self.user()).await?;
            if view.view["callback_id"] != WAITING {
                return Ok(view);
            }
        }
    }

    /// The dialog that was opened for this person shows nothing of what it was opened for, and says why.
    ///
    /// # Errors
    /// If it shows something, or says something else.
    pub async fn is_shown_nothing(&self, words: &str) -> Result<()> {
        let view = self.sees_dialog().await?;
        let is_refused = view.view["callback_id"] == NOT_SHOWN;
        ensure!(is_refused && view.text().contains(words), "expected {words:?} in:\n{}", view.text());
        Ok(())
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

    /// The next direct message to this person.
    ///
    /// # Errors
    /// If none comes, or it says something else.
    pub async fn is_told(&self, words: &str) -> Result<Card> {
        let direct = format!("D{}", &self.user()[1..]);
        self.desk.work_until_idle().await?;
        let card = self.desk.channel_of(&direct).next_card().await?;
        if !card.text().contains(words) {
            bail!("expected to be told {words:?}, got {:?}", card.text());
        }
        Ok(card)
    }

    /// Types `/placet` with this behind it in the channel where cards go, and sees what is answered at once.
    ///
    /// # Errors
    /// If Slack does not take the answer.
    pub async fn types(&self, text: &str) -> Result<()> {
        let ops = self.desk.ops().id().to_owned();
        self.types_in(&ops, text).await
    }

    /// The same in another channel.
    ///
    /// # Errors
    /// If Slack does not take the answer.
    pub async fn types_in(&self, channel: &str, text: &str) -> Result<()> {
        let (slack, user) = (self.desk.slack(), self.user());
        let payload = slack.slash_payload(&user, channel, "/placet", text)?;
        let answer = self.desk.delivers_by("/slack/commands", &slack.signed(&payload)).await?;
        slack.answer_command(&user, channel, answer.status.as_u16(), &answer.text())
    }

    /// The next answer that nobody else sees.
    ///
    /// # Errors
    /// If none comes.
    pub async fn reads(&self) -> Result<Card> {
        let user = self.user();
        let message = self.desk.while_working(self.desk.slack().next_ephemeral(&user)).await??;
        Ok(Card { message })
    }

    /// Types a command, and reads the answer.
    ///
    /// # Errors
    /// If none comes.
    pub async fn asks(&self, text: &str) -> Result<Card> {
        self.types(text).await?;
        self.reads().await
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
    /// As a policy names it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The next message that nobody has looked at yet.
    ///
    /// # Errors
    /// If none comes.
    pub async fn next_card(&self) -> Result<Card> {
        let message = self.desk.while_working(self.desk.slack().next_message(&self.id)).await??;
        Ok(Card { message })
    }

    /// The next message that says under a card what came of its call.
    ///
    /// # Errors
    /// If none comes.
    pub async fn next_outcome(&self) -> Result<Card> {
        let message = self.desk.while_working(self.desk.slack().next_outcome(&self.id)).await??;
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

    /// All messages but those that say what came of a call, which stand under its card.
    #[must_use]
    pub fn cards(&self) -> Vec<Message> {
        self.messages().into_iter().filter(|message| !message.is_outcome()).collect()
    }

    /// All messages.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.desk.slack().messages(&self.id)
    }
}

impl Desk {
    /// Hands a delivery of Slack's to Placet, the way it comes in.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn delivers(&self, delivery: &Delivery) -> Result<Answer> {
        self.delivers_by("/slack/interactivity", delivery).await
    }

    /// Hands an event of Slack's to Placet, the way it comes in.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn delivers_event(&self, delivery: &Delivery) -> Result<()> {
        self.delivers_by("/slack/events", delivery).await?.expect(200)?;
        Ok(())
    }

    /// On a socket, or over HTTP to this path; answered as soon as Slack wants it.
    async fn delivers_by(&self, path: &str, delivery: &Delivery) -> Result<Answer> {
        if self.has_sockets() {
            return in_time("an envelope", self.delivers_on_a_socket(delivery)).await;
        }
        in_time(path, self.delivers_to(path, delivery)).await
    }

    async fn delivers_to(&self, path: &str, delivery: &Delivery) -> Result<Answer> {
        let mut ask = Ask::new(Method::POST, path).body(delivery.body.clone());
        for (name, value) in &delivery.headers {
            ask = ask.header(name, value)?;
        }
        self.sends(ask).await
    }
}
