//! R33: `/placet` in Slack: what each command answers to whoever may, to whoever may not, where there is nothing, and where
//! there is very much.

mod acting;
mod export;
mod reading;
mod verbs;

use anyhow::{Result, ensure};
use placet_tests::fake_slack::active_markup;
use placet_tests::{Card, Desk};

/// The desk's policy with auditors: finance reads the record. Sam, an operator, is a steward; Vic a viewer; Eve nobody.
async fn with_auditors(desk: &Desk) -> Result<()> {
    desk.slack().person("eve");
    desk.has_policy(|policy| {
        policy.replace("stewards = [\"operator\"]", "stewards = [\"operator\"]\nauditors = [\"finance\"]")
    })
    .await
}

/// Types a command and reads the answer, in which nothing is active but the channels that Placet itself names.
async fn asks(desk: &Desk, name: &str, text: &str) -> Result<Card> {
    let answer = desk.person(name).asks(text).await?;
    is_inert(&answer)?;
    Ok(answer)
}

/// The same, and the answer says all of this.
async fn is_told(desk: &Desk, name: &str, text: &str, words: &[&str]) -> Result<Card> {
    let answer = asks(desk, name, text).await?;
    for word in words {
        ensure!(answer.text().contains(word), "/placet {text} by {name} lacks {word:?}:\n{}", answer.text());
    }
    Ok(answer)
}

fn is_inert(answer: &Card) -> Result<()> {
    let active = active_markup(&answer.message);
    let foreign: Vec<_> = active.iter().filter(|it| !it.contains("\"type\":\"channel\"")).collect();
    ensure!(foreign.is_empty(), "{foreign:?}");
    ensure!(answer.message.ephemeral_to.is_some(), "everybody reads it");
    Ok(())
}

/// Turns a page by the button of this name; the answer takes the place of the one before.
async fn turns(desk: &Desk, name: &str, answer: &Card, button: &str) -> Result<Card> {
    let person = desk.person(name);
    person.clicks(answer, button).await?;
    let next = person.reads().await?;
    ensure!(next.message.ts == answer.message.ts, "another message, not the same");
    is_inert(&next)?;
    Ok(next)
}
