//! Where a task was given stands on its card, and the record leads back to the thread: by the signed event, never by what an
//! agent says.

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::{Told, active_markup};
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

use super::confidential::confidential;

/// Ana asks the bot, and a card is posted.
async fn asked(desk: &Desk, told: Told) -> Result<(Told, Card)> {
    std::fs::write(desk.folder().join("workspace/demo-notes/scratch.txt"), "nothing but temporary notes")?;
    desk.delivers_event(&told.delivery).await?;
    let card = desk.ops().next_card().await?;
    Ok((told, card))
}

/// What in a card is a channel or a link, as JSON.
fn active(card: &Card) -> Vec<String> {
    active_markup(&card.message)
}

/// The address of that message, as Slack writes it.
fn address(told: &Told) -> String {
    format!("https://fake.slack.example/archives/{}/p{}", told.channel, told.ts.replace('.', ""))
}

/// R27, R13: the card names the channel that the task came from, and nothing else in it is active; once it is decided the
/// record leads to the thread, over a restart too.
#[conversation]
async fn a_card_says_where_it_was_asked_and_its_record_leads_there(desk: &mut Desk) -> Result<()> {
    let ana = desk.person("ana").user();
    let told = desk.slack().mention(&ana, "general", "clean up <#C0EVIL> https://evil.example", None)?;
    let (told, card) = asked(desk, told).await?;
    ensure!(card.text().contains(&format!("in #{},", told.channel)), "{}", card.text());
    let channel = json!({"type": "channel", "channel_id": told.channel}).to_string();
    ensure!(active(&card) == [channel.clone()], "{:?}", active(&card));
    desk.restart().await?;
    desk.person("bo").denies(&card, "still needed").await?;
    let record = desk.ops().expect_update(&card, "still needed").await?;
    let active = active(&record);
    ensure!(active.len() == 2 && active.contains(&channel), "{active:?}");
    ensure!(active.iter().any(|link| link.contains(&format!("\"{}\"", address(&told)))), "{active:?}");
    ensure!(record.text().contains("see the thread"), "{}", record.text());
    desk.work_until_idle().await?;
    desk.leaves_messages_unread();
    Ok(())
}

/// R27: what was asked for directly says so, and leads nowhere: nobody else could open it.
#[conversation]
async fn what_was_asked_directly_leads_nowhere(desk: &mut Desk) -> Result<()> {
    let told = desk.slack().direct_message(&desk.person("ana").user(), "clean up", None)?;
    let (_, card) = asked(desk, told).await?;
    ensure!(card.text().contains("in direct messages,"), "{}", card.text());
    desk.person("bo").denies(&card, "still needed").await?;
    let record = desk.ops().expect_update(&card, "still needed").await?;
    for card in [&card, &record] {
        ensure!(active(card).is_empty(), "{:?}", active(card));
    }
    desk.leaves_messages_unread();
    Ok(())
}

/// R51: of a confidential call it is not said where it was asked for, before or after.
#[conversation]
async fn a_confidential_call_does_not_say_where_it_was_asked(desk: &mut Desk) -> Result<()> {
    desk.has_policy(confidential).await?;
    let told = desk.slack().mention(&desk.person("ana").user(), "general", "clean up", None)?;
    let (told, card) = asked(desk, told).await?;
    desk.person("bo").denies(&card, "still needed").await?;
    let record = desk.ops().expect_update(&card, "Denied").await?;
    for card in [&card, &record] {
        let whole = format!("{:?}", card.message);
        ensure!(!whole.contains(&told.channel) && active(card).is_empty(), "{whole}");
    }
    desk.leaves_messages_unread();
    Ok(())
}

/// R15, R28: an agent that says where it was asked is not believed: it makes no channel and no link.
#[conversation]
async fn what_an_agent_says_of_where_it_was_asked_is_nothing(desk: &mut Desk) -> Result<()> {
    let general = desk.slack().channel("general");
    let place = json!({"surface": "slack", "message": {"channel": general, "id": "1700000000.000100"}});
    let mut body = json!({
        "tool": "delete_file", "args": {"path": "a.txt"}, "task": format!("asked in <#{general}>"), "reason": "r",
        "asked_in": place,
    });
    let answer = desk.agent().tries_to_propose(Some("forged"), &body).await?;
    ensure!(answer.status == 400 || answer.status == 422, "{} {}", answer.status, answer.text());
    body.as_object_mut().context("an object")?.remove("asked_in");
    body["thread"] = json!({"channel": general, "ts": "1700000000.000100"});
    desk.agent().proposes_with("plain", body).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "still needed").await?;
    let record = desk.ops().expect_update(&card, "still needed").await?;
    for card in [&card, &record] {
        ensure!(active(card).is_empty(), "{:?}", active(card));
    }
    Ok(())
}
