//! Calls that differ in nothing.

use anyhow::{Result, ensure};
use placet::approval::Status;
use placet_tests::{Desk, conversation};

use super::delete;

/// Fatigue: two calls of one run that differ in nothing share a card. A yes covers as many as the card named when it was
/// shown, each runs once, and a third that came later is asked about by itself.
#[conversation]
async fn alike_calls_share_a_card(desk: &mut Desk) -> Result<()> {
    let first = desk.agent().proposes_with("first", delete("a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.holder("bo-console");
    ensure!(bo.looks_at(&first).await?["calls"] == 1);
    let second = desk.agent().proposes_with("second", delete("a.txt", "run-1", 2)).await?;
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().len() == 1, "one card for both");
    let read = bo.looks_at(&second).await?;
    ensure!(read["shares"] == first.id.as_str(), "{read}");
    let read = bo.looks_at(&first).await?;
    ensure!(read["calls"] == 2 && read["followers"][0] == second.id.as_str(), "{read}");
    let yes = bo.approves(&first).await?;
    ensure!(yes["status"] == "approved", "{yes}");
    desk.work_until_idle().await?;
    for call in [&first, &second] {
        ensure!(desk.request(&call.id).await?.status() == Status::Approved, "{}", call.id);
        desk.agent().runs(call).await?;
    }
    desk.ops().expect_update(&card, "Bo").await?;
    desk.ran_times(&first, 2)?;
    let third = desk.agent().proposes_with("third", delete("a.txt", "run-1", 3)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    ensure!(desk.request(&third.id).await?.status() == Status::Approved);
    desk.reads(
        &second.id,
        "proposed; checked approve; asked; shares a card; yes bo; approved Bo; claimed; succeeded",
    )
    .await
}

/// Fatigue: who had read the card before another call came to stand on it covers only what they read; and a no is about the
/// call, however often it is asked for.
#[conversation]
async fn a_yes_covers_what_was_named(desk: &mut Desk) -> Result<()> {
    let first = desk.agent().proposes_with("first", delete("a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    let second = desk.agent().proposes_with("second", delete("a.txt", "run-1", 2)).await?;
    // This click was on its way when the second call came.
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    ensure!(desk.request(&first.id).await?.status() == Status::Approved);
    ensure!(desk.request(&second.id).await?.status() == Status::WaitingApproval, "nobody said yes to it");
    let own = desk.ops().next_card().await?;
    desk.person("bo").denies(&own, "once is enough").await?;
    desk.ops().expect_update(&own, "once is enough").await?;
    // Another run, or another text about it, is another question.
    let one = desk.agent().proposes_with("one", delete("b.txt", "run-2", 1)).await?;
    let two = desk.agent().proposes_with("two", delete("b.txt", "run-2", 2)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("chen").denies(&card, "not these").await?;
    desk.ops().expect_update(&card, "not these").await?;
    for call in [&one, &two] {
        let told = desk.agent().reads(&call.id).await?.expect(200)?.json()?;
        ensure!(told["decision"] == "denied by user: not these", "{told}");
    }
    desk.reads(
        &second.id,
        "proposed; checked approve; asked; shares a card; has its own card; no bo; denied Bo",
    )
    .await
}

/// Fatigue, R30: the button says how many calls a yes allows, and one press lets them all run.
#[conversation]
async fn one_press_lets_two_calls_run(desk: &mut Desk) -> Result<()> {
    let first = desk.agent().proposes_with("first", delete("a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve")?.text == "Approve", "one call is one call");
    let second = desk.agent().proposes_with("second", delete("a.txt", "run-1", 2)).await?;
    let card = desk.ops().expect_update(&card, "2 calls").await?;
    desk.person("bo").clicks(&card, "Approve 2 calls").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    for call in [&first, &second] {
        ensure!(desk.request(&call.id).await?.status() == Status::Approved, "{}", call.id);
        desk.agent().runs(call).await?;
    }
    desk.ops().expect_update(&card, "Bo").await?;
    desk.ran_times(&first, 2)?;
    desk.reads(
        &second.id,
        "proposed; checked approve; asked; shares a card; yes bo; approved Bo; claimed; succeeded",
    )
    .await
}
