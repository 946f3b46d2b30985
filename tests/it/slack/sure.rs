//! A yes that is asked for once more, and one that says why.

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::SubmissionOutcome;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R27: a yes to a critical call is asked for once more, and the question says what a yes makes happen; others are not.
#[conversation]
async fn a_critical_yes_is_asked_for_once_more(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    let asked = card.button("Approve")?.confirm.context("a question before the yes counts")?;
    ensure!(
        asked.contains("deploy") && asked.contains("one of 2 still needed: it does not run yet"),
        "{asked}"
    );
    ensure!(card.button("Deny")?.confirm.is_none(), "a no is said at once");
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    let asked = card.button("Approve")?.confirm.context("for the second as for the first")?;
    ensure!(asked.contains("the last one"), "what this yes does is said: {asked}");
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; yes chen; approved Bo, Chen").await?;
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve")?.confirm.is_none(), "what is not critical is pressed once");
    Ok(())
}

/// R27: the question before a critical yes keeps what a long query ends with, and says that it is shortened; the card has it
/// whole.
#[conversation]
async fn the_question_once_more_says_what_a_query_touches(desk: &mut Desk) -> Result<()> {
    let columns: Vec<String> = (0..40).map(|number| format!("column_{number}")).collect();
    let query = format!("UPDATE users SET {} WHERE team = 'ops' AND id = 7", columns.join(" = 0, "));
    desk.agent().proposes("deploy", json!({"app": "api", "query": query})).await?;
    let card = desk.ops().next_card().await?;
    let asked = card.button("Approve")?.confirm.context("a question before the yes counts")?;
    ensure!(asked.contains("UPDATE users SET") && asked.contains("team = 'ops' AND id = 7”"), "{asked}");
    ensure!(asked.contains("it does not run yet") && asked.contains("It is shortened here"), "{asked}");
    ensure!(card.text().contains(&query), "{}", card.text());
    Ok(())
}

/// R27: a note goes with a yes from Details, once however often it is sent, from who may, over a restart of Placet; who comes
/// when it is decided is told by whom.
#[conversation]
async fn a_note_goes_with_a_yes_from_details(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let note = [("Note", "temporary, can go <!channel>")];
    let view = desk.person("vic").opens(&card, "Details").await?;
    ensure!(view.text().contains("a.txt") && !view.view["submit"].is_null(), "{}", view.text());
    desk.person("vic").fills(&view, &note).await?;
    desk.person("vic").is_whispered("Only admins decide this.").await?;

    desk.person("bo").presses_too_late(&card, "Details").await?;
    let late = desk.person("chen").opens(&card, "Details").await?;
    let view = desk.person("bo").opens(&card, "Details").await?;
    desk.restart().await?;
    let done = desk.person("bo").fills_twice(&view, &note).await?;
    ensure!(done == SubmissionOutcome::Cleared, "{done:?}");
    let card = desk.ops().expect_update(&card, "“temporary, can go <!channel>”").await?;
    ensure!(placet_tests::fake_slack::active_markup(&card.message).is_empty(), "a note is text");
    desk.person("chen").fills(&late, &[]).await?;
    desk.person("chen").is_whispered("Bo approved this already").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked vic approve: wrong_role; yes bo; approved Bo; refused chen: already_decided",
    )
    .await
}
