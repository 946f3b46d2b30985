//! Many cards at once.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use placet::approval::Status;
use placet::time::{Clock as _, Ttl};
use placet_tests::fake_slack::Fault;
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

/// As many as were once seen to come at the same time.
const CARDS: usize = 55;

/// Second by second, and where the worker waits for its turn, until that.
async fn seconds_pass(desk: &Desk, seconds: u64) -> Result<()> {
    let until = desk.clock().now() + Ttl::from_secs(seconds);
    while desk.clock().now() < until {
        desk.clock().passes(Ttl::from_secs(1));
        let mut worked = std::pin::pin!(desk.work_until_idle());
        loop {
            tokio::select! {
                biased;
                worked = &mut worked => break worked?,
                () = desk.clock().catches_up() => {}
            }
        }
    }
    Ok(())
}

/// R29, R30: fifty-five calls at once, into a channel that takes a card a second. All cards come, each
/// once and without an alarm, and each then shows what became of its call.
#[conversation]
async fn a_burst_of_cards_is_posted_and_nobody_is_alarmed(desk: &mut Desk) -> Result<()> {
    // The surface paces itself; now and then Slack finds it too much all the same.
    for _ in 0..3 {
        desk.slack().fail_next("chat.postMessage", Fault::RateLimited { retry_after: Some(3) });
    }
    let mut calls = Vec::new();
    for number in 0..CARDS {
        calls
            .push(desk.agent().proposes("delete_file", json!({"path": format!("file-{number}.txt")})).await?);
    }
    seconds_pass(desk, 100).await?;
    let cards = desk.ops().messages();
    ensure!(cards.len() == CARDS, "{} cards", cards.len());
    let mut shown = BTreeSet::new();
    for (number, call) in calls.iter().enumerate() {
        let name = format!("file-{number}.txt");
        let its: Vec<_> = cards
            .iter()
            .filter(|message| Card { message: (*message).clone() }.text().contains(&name))
            .collect();
        ensure!(its.len() == 1, "{} cards of {name}", its.len());
        let card = Card { message: its[0].clone() };
        shown.insert(its[0].ts.clone());
        if number % 10 == 0 {
            desk.person("bo").clicks(&card, "Approve").await?;
        } else {
            let withdrawn = desk.agent().withdraws(call).await?;
            ensure!(withdrawn.status == 200, "{}", withdrawn.text());
        }
    }
    ensure!(shown.len() == CARDS);
    seconds_pass(desk, 100).await?;
    for message in desk.ops().messages() {
        let card = Card { message };
        ensure!(!card.has_buttons() || card.text().contains("Approved"), "not corrected:\n{}", card.text());
    }
    for (number, call) in calls.iter().enumerate() {
        let wanted = if number % 10 == 0 { Status::Approved } else { Status::Revoked };
        let status = desk.request(&call.id).await?.status();
        ensure!(status == wanted, "{number} is {status}");
        for event in desk.events(&call.id).await? {
            ensure!(event.kind.name() != "alarm.raised", "{:?}", event.kind);
        }
    }
    desk.leaves_messages_unread();
    Ok(())
}
