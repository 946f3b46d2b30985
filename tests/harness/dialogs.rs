//! Menus and dialogs as people use them: by what stands there, not by ids.

use anyhow::{Context as _, Result, bail, ensure};
use placet::time::Ttl;
use serde_json::Value;

use crate::agent::Call;
use crate::fake_slack::{MenuChoice, SubmissionOutcome, View, button_of_view, menu_choices};
use crate::people::{Card, Person};

impl Card {
    /// The choice of the card's menu that begins like this.
    ///
    /// # Errors
    /// If there is none.
    pub fn choice(&self, words: &str) -> Result<MenuChoice> {
        let all = menu_choices(&self.message);
        let found = all.iter().find(|choice| choice.text.starts_with(words)).cloned();
        found.with_context(|| {
            let texts: Vec<_> = all.iter().map(|choice| choice.text.as_str()).collect();
            format!("no choice {words} among {texts:?} on:\n{}", self.text())
        })
    }

    /// As [`Card::choice`], of the part of the card that is about this call.
    ///
    /// # Errors
    /// If there is none.
    pub fn choice_for(&self, call: &Call, words: &str) -> Result<MenuChoice> {
        let all = menu_choices(&self.message);
        let is_it = |choice: &&MenuChoice| choice.value.contains(&call.id) && choice.text.starts_with(words);
        let found = all.iter().find(is_it).cloned();
        found.with_context(|| format!("no choice {words} for {} on:\n{}", call.id, self.text()))
    }
}

impl Person<'_> {
    /// Chooses something in a card's menu.
    ///
    /// # Errors
    /// If it is not there, or not taken with 200.
    pub async fn chooses(&self, card: &Card, words: &str) -> Result<()> {
        let choice = card.choice(words)?;
        let payload = self.desk.slack().choice_payload(&self.user(), &card.message, &choice)?;
        self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        Ok(())
    }

    /// Chooses something in the menu of the part of a card that is about this call.
    ///
    /// # Errors
    /// If it is not there, or not taken with 200.
    pub async fn chooses_for(&self, card: &Card, call: &Call, words: &str) -> Result<()> {
        let choice = card.choice_for(call, words)?;
        let payload = self.desk.slack().choice_payload(&self.user(), &card.message, &choice)?;
        self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        Ok(())
    }

    /// The same, of what opens a dialog.
    ///
    /// # Errors
    /// If no dialog comes.
    pub async fn opens_by_choice_for(&self, card: &Card, call: &Call, words: &str) -> Result<View> {
        self.chooses_for(card, call, words).await?;
        self.sees_dialog().await
    }

    /// Presses a button, of the part of a card that is about this call, that opens a dialog.
    ///
    /// # Errors
    /// If no dialog comes.
    pub async fn opens_for(&self, card: &Card, call: &Call, button: &str) -> Result<View> {
        self.clicks_for(card, call, button).await?;
        self.sees_dialog().await
    }

    /// Chooses something in a card's menu that opens a dialog.
    ///
    /// # Errors
    /// If no dialog comes.
    pub async fn opens_by_choice(&self, card: &Card, words: &str) -> Result<View> {
        self.chooses(card, words).await?;
        self.sees_dialog().await
    }

    /// Presses a button of a card that opens a dialog.
    ///
    /// # Errors
    /// If no dialog comes.
    pub async fn opens(&self, card: &Card, button: &str) -> Result<View> {
        self.clicks(card, button).await?;
        self.sees_dialog().await
    }

    /// Presses a button of a dialog, by what it says; gives what the dialog shows then.
    ///
    /// # Errors
    /// If there is no such button, or nothing comes of it.
    pub async fn presses_in(&self, view: &View, words: &str) -> Result<View> {
        let action = button_of_view(view, words)
            .with_context(|| format!("no button {words} in the dialog:\n{}", view.text()))?;
        self.presses(view, &action).await
    }

    /// Fills in a dialog, by the labels of its fields and what its choices say, and submits it.
    ///
    /// # Errors
    /// If a field is not there, or Slack would not let it be submitted so.
    pub async fn fills(&self, view: &View, fields: &[(&str, &str)]) -> Result<SubmissionOutcome> {
        let payload = self.filled(view, fields)?;
        let answer = self.desk.delivers(&self.desk.slack().signed(&payload)).await?;
        self.desk.slack().answer_submission(view, answer.status.as_u16(), &answer.text())
    }

    /// As [`Person::fills`], twice in a row, as somebody does who presses twice. The second answer comes to a dialog that may
    /// be closed by then, and only has to be no fault.
    ///
    /// # Errors
    /// As there.
    pub async fn fills_twice(&self, view: &View, fields: &[(&str, &str)]) -> Result<SubmissionOutcome> {
        let payload = self.filled(view, fields)?;
        let first = self.desk.delivers(&self.desk.slack().signed(&payload)).await?;
        let again = self.desk.slack().signed_again().context("nothing was signed")?;
        self.desk.delivers(&again).await?.expect(200)?;
        self.desk.slack().answer_submission(view, first.status.as_u16(), &first.text())
    }

    fn filled(&self, view: &View, fields: &[(&str, &str)]) -> Result<String> {
        let mut values = Vec::new();
        for (label, text) in fields {
            values.push(field(view, label, text)?);
        }
        let values: Vec<(&str, &str, &str)> =
            values.iter().map(|(block, action, text)| (&**block, &**action, &**text)).collect();
        self.desk.slack().submit_payload(&self.user(), view, &values)
    }

    /// Fills in a dialog that is to stay open, and reads what stands beside its fields then.
    ///
    /// # Errors
    /// If it does not stay open, or says something else.
    pub async fn is_told_in_dialog(&self, view: &View, fields: &[(&str, &str)], words: &str) -> Result<()> {
        match self.fills(view, fields).await? {
            SubmissionOutcome::Errors(errors) if errors.values().any(|error| error.contains(words)) => Ok(()),
            other => bail!("expected {words:?} in the dialog, and got {other:?}"),
        }
    }

    /// Presses a button whose dialog comes too late: Slack takes a trigger for three seconds only.
    ///
    /// # Errors
    /// If a dialog opens all the same, or nobody is told to press again.
    pub async fn presses_too_late(&self, card: &Card, button: &str) -> Result<()> {
        let button = card.button(button)?;
        let payload = self.desk.slack().click_payload(&self.user(), &card.message, &button);
        self.desk.expects_refusal("views.open", "expired_trigger_id");
        self.desk.clock().passes(Ttl::from_secs(4));
        self.desk.delivers(&self.desk.slack().signed(&payload)).await?.expect(200)?;
        self.is_whispered("press the button again").await
    }
}

/// The block and action of the field with this label, and the value that writing or choosing this leaves in it.
///
/// # Errors
/// If there is no such field or choice.
pub fn field(view: &View, label: &str, text: &str) -> Result<(String, String, String)> {
    let blocks = view.view["blocks"].as_array().context("blocks")?;
    let is_it = |block: &&Value| {
        let found = block["label"]["text"].as_str();
        block["type"] == "input" && found.is_some_and(|found| found.starts_with(label))
    };
    let block = blocks.iter().find(is_it);
    let block = block.with_context(|| format!("no field {label} in the dialog:\n{}", view.text()))?;
    let element = &block["element"];
    let (id, action) = (block["block_id"].as_str(), element["action_id"].as_str());
    let value = match element["options"].as_array() {
        None => text.to_owned(),
        Some(options) => {
            let option = options.iter().find(|option| option["text"]["text"] == text);
            let option = option.with_context(|| format!("{text} is no choice in:\n{}", view.text()))?;
            option["value"].as_str().context("a value")?.to_owned()
        }
    };
    ensure!(!action.unwrap_or_default().is_empty(), "a field without an action_id");
    Ok((id.context("a block_id")?.to_owned(), action.context("an action_id")?.to_owned(), value))
}
