//! The emergency stop, from a card.

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::SubmissionOutcome;
use placet_tests::{Desk, conversation};
use serde_json::json;

const WHY: [(&str, &str); 1] = [("Reason", "it deletes what it should not")];

/// R44: an operator freezes the agent from Details; nothing of it is started, whatever was approved; the dialog says how that is
/// lifted. Who may not is told who can, and leaves a mark in the record; doing it twice is doing it once.
#[conversation(sockets)]
async fn an_agent_is_frozen_from_details(desk: &mut Desk) -> Result<()> {
    let approved = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let first = desk.ops().next_card().await?;
    desk.person("bo").clicks(&first, "Approve").await?;
    desk.ops().expect_update(&first, "Approved").await?;
    desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let card = desk.ops().next_card().await?;

    let details = desk.person("bo").opens(&card, "Details").await?;
    let view = desk.person("bo").presses_in(&details, "Freeze").await?;
    desk.person("bo").is_told_in_dialog(&view, &WHY, "Only operators may do this. Sam can.").await?;
    ensure!(desk.blocked_in(placet_tests::desk::TENANT).await? == 1, "the attempt is on record");

    let details = desk.person("sam").opens(&card, "Details").await?;
    let other = desk.person("sam").opens(&card, "Details").await?;
    let view = desk.person("sam").presses_in(&details, "Freeze").await?;
    ensure!(view.text().contains("the agent agent"), "{}", view.text());
    desk.restart().await?;
    let SubmissionOutcome::Updated(told) = desk.person("sam").fills(&view, &WHY).await? else {
        anyhow::bail!("the dialog says what became of it")
    };
    desk.person("sam").sees_dialog().await?;
    let id = told
        .text()
        .split("placet lift ")
        .nth(1)
        .context("how to lift it")?
        .split('”')
        .next()
        .map(str::to_owned);
    let id = id.context("an id")?;
    ensure!(told.text().contains("is frozen"), "{}", told.text());
    // What is asked while it stands says so: nobody is asked in the belief that a yes starts it.
    desk.agent().proposes("delete_file", json!({"path": "c.txt"})).await?;
    let asked = desk.ops().next_card().await?;
    ensure!(asked.text().contains("Calls like this one were stopped"), "{}", asked.text());
    ensure!(asked.text().contains("nothing starts before that stop is lifted"), "{}", asked.text());
    let held = desk.agent().tries_to_claim(&approved, &"k".repeat(40)).await?;
    ensure!(held.code() == "held", "{}", held.text());

    let view = desk.person("sam").presses_in(&other, "Freeze").await?;
    let SubmissionOutcome::Updated(again) = desk.person("sam").fills(&view, &WHY).await? else {
        anyhow::bail!("the dialog says that it stood")
    };
    desk.person("sam").sees_dialog().await?;
    ensure!(again.text().contains("frozen already, by Sam"), "{}", again.text());
    ensure!(again.text().contains(&id), "the same stop: {}", again.text());
    desk.work_until_idle().await?;
    desk.alarms().skims();
    desk.agent().get("/v1/stops").await?;
    let lifted = desk.holder("manager").deletes(&format!("/v1/stops/{id}")).await?;
    lifted.expect(200)?;
    desk.agent().runs(&approved).await?;
    desk.ops().expect_update(&first, "ran").await?;
    desk.ran_times(&approved, 1)
}
