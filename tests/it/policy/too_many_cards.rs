//! A run that asks too much.

use anyhow::{Result, ensure};
use placet_tests::{Desk, conversation};

use super::delete;

/// Fatigue, R44: beyond so many cards nobody is asked any more: the run is stopped, what it had approved does not start, an
/// operator is told, and lets it go on; other runs were never touched.
#[conversation]
async fn a_run_that_asks_too_much_is_stopped(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("cards_per_run = 10000", "cards_per_run = 2")).await?;
    let first = desk.agent().proposes_with("1", delete("1.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().proposes_with("2", delete("2.txt", "run-1", 2)).await?;
    let waiting = desk.ops().next_card().await?;
    let third = desk.agent().proposes_with("3", delete("3.txt", "run-1", 3)).await?;
    let told = desk.agent().reads(&third.id).await?.expect(200)?.json()?;
    ensure!(told["status"] == "rejected", "{told}");
    let why = told["decision"].as_str().unwrap_or_default();
    ensure!(why.starts_with("not asked: "), "not a no of people: {told}");
    ensure!(!why.contains(|c: char| c.is_ascii_digit()), "no limit is told to an agent: {told}");
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("run-1"), "{}", alarm.text());
    desk.ops().expect_update(&waiting, "Calls like this one were stopped").await?;
    let claim = desk.agent().tries_to_claim(&first, &"7".repeat(40)).await?;
    ensure!(claim.code() == "held", "{}", claim.text());
    ensure!(!claim.json()?["detail"].to_string().contains('2'), "{}", claim.text());

    let other = desk.agent().proposes_with("4", delete("4.txt", "run-2", 1)).await?;
    let card_of_other = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card_of_other, "Approve").await?;
    desk.ops().expect_update(&card_of_other, "Approved").await?;
    desk.agent().runs(&other).await?;

    let stops = desk.holder("audit").get("/v1/stops").await?.expect(200)?.json()?;
    let stop = &stops["stops"][0];
    ensure!(stop["scope"] == "run" && stop["run"] == "run-1" && stop["by"] == "placet", "{stops}");
    desk.holder("manager").lifts(stop["id"].as_str().unwrap_or_default()).await?.expect(200)?;
    desk.agent().runs(&first).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    desk.ops().expect_update(&card_of_other, "Bo").await?;
    desk.work_until_idle().await?;
    desk.ops().skims();
    // Whoever lifts the stop lets the run ask as often again.
    let fifth = desk.agent().proposes_with("5", delete("5.txt", "run-1", 5)).await?;
    ensure!(desk.ops().next_card().await?.text().contains("5.txt"));
    ensure!(desk.request(&fifth.id).await?.status() == placet::approval::Status::WaitingApproval);
    desk.reads(&third.id, "proposed; checked approve; rejected").await
}

/// Fatigue: an agent that has had its cards of the hour asks nobody more, in whichever run; an hour later it does.
#[conversation]
async fn an_agent_has_so_many_cards_an_hour(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("cards_per_hour = 10000", "cards_per_hour = 2")).await?;
    for (key, run) in [("1", "run-1"), ("2", "run-2")] {
        desk.agent().proposes_with(key, delete(&format!("{key}.txt"), run, 1)).await?;
        let _ = desk.ops().next_card().await?;
    }
    let third = desk.agent().proposes_with("3", delete("3.txt", "run-3", 1)).await?;
    let told = desk.agent().reads(&third.id).await?.expect(200)?.json()?;
    ensure!(told["status"] == "rejected", "{told}");
    ensure!(told["decision"].as_str().is_some_and(|why| why.starts_with("not asked: ")), "{told}");
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("run-3"), "{}", alarm.text());
    desk.passes(placet::time::Ttl::from_mins(61)).await?;
    desk.ops().skims();
    desk.alarms().skims();
    desk.agent().proposes_with("4", delete("4.txt", "run-4", 1)).await?;
    let _ = desk.ops().next_card().await?;
    Ok(())
}
