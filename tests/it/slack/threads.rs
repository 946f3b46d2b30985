//! Where a card goes: the agent may name the thread that the task came from; the channel is the policy's.

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::{TEAM_ID, active_markup};
use placet_tests::{Call, Desk, conversation};
use serde_json::json;

/// A deletion that Ana has asked for in a thread, as the gateway says.
async fn asked_in(desk: &Desk, channel: &str, ts: &str) -> Result<Call> {
    if desk.token("gateway").is_err() {
        desk.has_gateway("gateway").await?;
    }
    let body = json!({
        "tool": "delete_file",
        "args": {"path": format!("{}.txt", desk.next_number())},
        "task": "clean up old files in the project",
        "reason": format!("asked in {channel} {ts}"),
        "on_behalf_of": format!("slack:{TEAM_ID}/{}", desk.person("ana").user()),
        "thread": {"channel": channel, "ts": ts},
    });
    desk.holder("gateway").proposes_with(&format!("thread-{}", desk.next_number()), body).await
}

/// R13, R16, R30: in the policy's channel the card stands in the thread that the task came from; what becomes of it is said
/// there too, where who asked is mentioned, and nobody is told twice.
#[conversation]
async fn a_thread_in_the_policys_channel_is_honoured(desk: &mut Desk) -> Result<()> {
    let (ana, ops) = (desk.person("ana").user(), desk.ops().id().to_owned());
    let asked = desk.slack().says(&ana, &ops, "please clean up").context("a message")?;
    let call = asked_in(desk, &ops, &asked).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.message.thread_ts.as_deref() == Some(&asked), "{:?}", card.message);
    desk.person("bo").clicks(&card, "Approve").await?;
    let told = desk.ops().next_card().await?;
    ensure!(told.text().contains("approved by Bo"), "{}", told.text());
    ensure!(active_markup(&told.message).iter().any(|mention| mention.contains(&ana)), "{:?}", told.message);
    desk.ops().expect_update(&card, "Approved").await?;
    let gateway = desk.holder("gateway");
    let claimed = gateway.claims(&call).await?;
    desk.ran(&call.tool, &claimed.answer["call"]["args"]);
    gateway.reports(&call, &claimed, "succeeded").await?.expect(200)?;
    let outcome = desk.ops().next_outcome().await?;
    for message in [&told.message, &outcome.message] {
        ensure!(message.thread_ts.as_deref() == Some(&asked), "{message:?}");
    }
    ensure!(outcome.message.text.contains(&format!("<@{ana}>")), "{:?}", outcome.message);
    let direct = format!("D{}", &ana[1..]);
    ensure!(desk.slack().messages(&direct).is_empty(), "she is told in the thread");
    desk.ops().expect_update(&card, "ran").await?;
    Ok(())
}

/// R16: a thread elsewhere moves nothing: the card stands in the policy's channel, and who asked is told directly.
#[conversation]
async fn a_thread_in_another_channel_moves_no_card(desk: &mut Desk) -> Result<()> {
    let ana = desk.person("ana").user();
    let quiet = desk.slack().channel("quiet");
    let asked = desk.slack().says(&ana, &quiet, "please clean up").context("a message")?;
    asked_in(desk, &quiet, &asked).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.message.thread_ts.is_none(), "{:?}", card.message);
    desk.person("bo").denies(&card, "still needed").await?;
    desk.person("ana").is_told("denied by Bo").await?;
    desk.ops().expect_update(&card, "still needed").await?;
    ensure!(desk.slack().messages(&quiet).len() == 1, "nothing of ours stands there");
    Ok(())
}

/// R16, R29: a thread that does not exist, or that is none at all, leaves the card in the channel.
#[conversation]
async fn a_thread_that_is_not_there_is_the_channel(desk: &mut Desk) -> Result<()> {
    let ops = desk.ops().id().to_owned();
    for ts in ["1700000000.000100", "<!channel>", "1"] {
        asked_in(desk, &ops, ts).await?;
        let card = desk.ops().next_card().await?;
        ensure!(card.message.thread_ts.is_none(), "{:?}", card.message);
        ensure!(card.has_buttons());
        desk.person("bo").denies(&card, "not needed").await?;
        desk.work_until_idle().await?;
        desk.ops().skims();
    }
    ensure!(desk.slack().refused().is_empty(), "{:?}", desk.slack().refused());
    Ok(())
}

/// R16: what says a thread wrongly is refused by name.
#[conversation]
async fn a_thread_needs_both_its_names(desk: &mut Desk) -> Result<()> {
    let body =
        json!({"tool": "delete_file", "args": {}, "task": "t", "reason": "r", "thread": {"channel": "C1"}});
    let answer = desk.agent().tries_to_propose(Some("half"), &body).await?;
    ensure!(answer.status == 422 || answer.status == 400, "{} {}", answer.status, answer.text());
    ensure!(answer.text().contains("thread.ts"), "{}", answer.text());
    Ok(())
}
