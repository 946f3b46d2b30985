//! What can be done to one part of a gathered card beside yes and no: from its menu, and from its Details.

use anyhow::{Result, ensure};
use placet::approval::Status;
use placet_tests::fake_slack::button_of_view;
use placet_tests::{Call, Card, Desk, conversation};
use serde_json::{Value, json};

/// Low calls are asked about, can be changed, and wait five minutes for others; an operator may decide alone.
fn gathers(policy: String) -> String {
    let own = [
        "level = \"low\"",
        "tier = \"approve\"",
        "role = \"admin\"",
        "gather = \"5m\"",
        "may_edit = true",
        "decide_within = \"30m\"",
        "valid_for = \"10m\"",
        "alarm_after = \"20m\"",
        "because = \"Reports name customers.\"",
    ];
    let policy = policy.replace("level = \"low\"\n", &format!("{}\n", own.join("\n")));
    policy.replace("[roles]\n", "[roles]\nbreak_glass = [\"operator\"]\n")
}

async fn proposes(desk: &Desk, key: &str, args: Value) -> Result<Call> {
    let body = json!({ "tool": "get_report", "args": args, "task": "write the monthly summary",
        "reason": "its numbers are needed" });
    desk.agent().proposes_with(key, body).await
}

/// Two calls on one card.
async fn two(desk: &mut Desk, note: &str) -> Result<(Call, Call, Card)> {
    desk.has_policy(gathers).await?;
    let first = proposes(desk, "first", json!({ "name": "sales", "note": note })).await?;
    let second = proposes(desk, "second", json!({ "name": "costs", "note": note })).await?;
    desk.minutes_pass(5).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("2 calls, of which 2 wait"), "{}", card.text());
    Ok((first, second, card))
}

/// R46, R39: each part has its menu, which is about that part alone: who looks at it, what is asked about it, and what is put in its
/// place. What is over has none.
#[conversation]
async fn each_part_has_its_menu(desk: &mut Desk) -> Result<()> {
    let (first, second, card) = two(desk, "").await?;
    let bo = desk.person("bo");
    let (code, other) =
        (desk.request(&second.id).await?.code.to_string(), desk.request(&first.id).await?.code.to_string());
    bo.chooses_for(&card, &second, "I am looking").await?;
    let card = desk.ops().expect_update(&card, "is looking").await?;
    let asking = bo.opens_by_choice_for(&card, &second, "Ask").await?;
    ensure!(asking.text().contains(&code) && !asking.text().contains(&other), "{}", asking.text());
    bo.fills(&asking, &[("Question", "which month?")]).await?;
    let card = desk.ops().expect_update(&card, "which month?").await?;
    let editing = bo.opens_by_choice_for(&card, &second, "Edit").await?;
    ensure!(editing.text().contains(&code), "{}", editing.text());
    bo.fills(&editing, &[("name", "staff")]).await?;
    let card = desk.ops().expect_update(&card, "of which one waits").await?;
    ensure!(desk.request(&second.id).await?.status() == Status::Revoked);
    ensure!(desk.request(&first.id).await?.status() == Status::WaitingApproval);
    ensure!(card.choice_for(&second, "Ask").is_err() && card.choice_for(&first, "Ask").is_ok());
    desk.leaves_messages_unread();
    Ok(())
}

/// R46, R41: whether the card has room for menus or not, a part's Details has all of it, shows who looks, and lets who may decide
/// alone, once it has shown everything.
#[conversation]
async fn the_details_of_a_part_have_it_too(desk: &mut Desk) -> Result<()> {
    let (first, second, card) = two(desk, &"all numbers of the quarter, by week. ".repeat(120)).await?;
    ensure!(desk.slack().refused().is_empty(), "{:?}", desk.slack().refused());
    let sam = desk.person("sam");
    sam.clicks_for(&card, &second, "Details").await?;
    let details = sam.sees_dialog().await?;
    for button in ["Edit", "Ask", "Freeze", "Break glass", "I am looking"] {
        ensure!(button_of_view(&details, button).is_some(), "{button}: {}", details.text());
    }
    let bo = desk.person("bo");
    bo.clicks_for(&card, &second, "Details").await?;
    let details = bo.sees_dialog().await?;
    let details = desk.while_working(bo.presses_in(&details, "I am looking")).await??;
    ensure!(details.text().contains("Bo (") && details.text().contains("is looking"), "{}", details.text());
    let card = desk.ops().expect_update(&card, "is looking").await?;
    let details = desk.while_working(bo.presses_in(&details, "I am looking")).await??;
    ensure!(!details.text().contains("is looking"), "{}", details.text());
    let card = desk.ops().expect_update(&card, "2 wait").await?;
    ensure!(!card.text().contains("is looking"), "{}", card.text());
    let details = sam.opens_for(&card, &second, "Details").await?;
    let breaking = sam.presses_in(&details, "Break glass").await?;
    sam.fills(&breaking, &[("Reason", "the board waits")]).await?;
    desk.ops().expect_update(&card, "Sam alone").await?;
    ensure!(desk.request(&second.id).await?.status() == Status::Approved);
    ensure!(desk.request(&first.id).await?.status() == Status::WaitingApproval);
    desk.leaves_messages_unread();
    Ok(())
}
