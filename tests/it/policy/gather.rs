//! Calls that can wait a little, gathered on one card with buttons for each.

use anyhow::{Result, ensure};
use placet::approval::Status;
use placet::time::Ttl;
use placet_tests::agent::Agent;
use placet_tests::people::text_input;
use placet_tests::{Call, Desk, conversation};
use serde_json::{Value, json};

/// Low calls are asked about, and wait five minutes for others.
fn gathers(policy: String) -> String {
    let own = [
        "level = \"low\"",
        "tier = \"approve\"",
        "role = \"admin\"",
        "gather = \"5m\"",
        "decide_within = \"30m\"",
        "valid_for = \"10m\"",
        "alarm_after = \"20m\"",
        "because = \"Reports name customers.\"",
    ];
    policy.replace("level = \"low\"\n", &format!("{}\n", own.join("\n")))
}

fn reading(what: &str) -> Value {
    json!({
        "tool": "get_report",
        "args": {"name": what},
        "task": "write the monthly summary",
        "reason": "its numbers are needed",
    })
}

async fn proposes(agent: Agent<'_>, what: &str) -> Result<Call> {
    agent.proposes_with(what.get(..20).unwrap_or(what), reading(what)).await
}

/// Fatigue, R27, R29: three calls of level low come on one card once five minutes are over, each with buttons of its own;
/// each is decided by itself, the card tells what became of each, and goes on telling it after a restart.
#[conversation]
async fn what_can_wait_comes_on_one_card(desk: &mut Desk) -> Result<()> {
    desk.has_policy(gathers).await?;
    let first = proposes(desk.agent(), "sales").await?;
    let second = proposes(desk.agent(), "costs").await?;
    let third = proposes(desk.agent(), "staff").await?;
    desk.minutes_pass(4).await?;
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().is_empty(), "it waits for others");
    desk.restart().await?;
    desk.minutes_pass(1).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("3 calls, of which 3 wait"), "{}", card.text());
    for what in ["sales", "costs", "staff"] {
        ensure!(card.text().contains(what), "{}", card.text());
    }
    let read = desk.holder("bo-console").looks_at(&second).await?;
    ensure!(read["gathered_on"] == first.id.as_str(), "{read}");
    let read = desk.holder("bo-console").looks_at(&first).await?;
    ensure!(read["gathered"] == json!([second.id, third.id]), "{read}");

    desk.person("bo").clicks_for(&card, &second, "Approve").await?;
    let card = desk.ops().expect_update(&card, "of which 2 wait").await?;
    ensure!(desk.request(&second.id).await?.status() == Status::Approved);
    ensure!(card.button_for(&second, "Approve").is_err(), "nothing to press where it is decided");
    desk.agent().runs(&second).await?;
    desk.person("chen").clicks_for(&card, &first, "Deny").await?;
    let dialog = desk.person("chen").sees_dialog().await?;
    let (block, action) = text_input(&dialog)?;
    desk.person("chen").submits(&dialog, &[(&block, &action, "not this quarter")]).await?;
    let card = desk.ops().expect_update(&card, "not this quarter").await?;
    ensure!(card.text().contains("one waits"), "the first is over, its card is not: {}", card.text());
    let told = desk.agent().reads(&first.id).await?.expect(200)?.json()?;
    ensure!(told["decision"] == "denied by user: not this quarter", "{told}");
    desk.restart().await?;
    desk.person("vic").clicks_for(&card, &third, "Approve").await?;
    desk.person("vic").is_whispered("admin").await?;
    desk.person("bo").clicks_for(&card, &third, "Approve").await?;
    let card = desk.ops().expect_update(&card, "none waits any more").await?;
    ensure!(!card.has_buttons(), "{}", card.text());
    desk.agent().runs(&third).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    ensure!(desk.ops().cards().len() == 1, "one card for all");
    desk.reads(
        &third.id,
        "proposed; checked approve; asked; gathered; blocked vic approve: wrong_role; yes bo; approved Bo; claimed; succeeded",
    )
    .await
}

/// Fatigue: one alone has an ordinary card; a sixth has another card, so that each is shown whole; what is worse than low is
/// posted at once; and nobody waits longer for a card than they have left to decide.
#[conversation]
async fn only_what_can_wait_waits(desk: &mut Desk) -> Result<()> {
    desk.has_policy(gathers).await?;
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let at_once = desk.ops().next_card().await?;
    ensure!(at_once.text().contains("a.txt"), "{}", at_once.text());
    let mut hasty = reading("hasty");
    hasty["timeout"] = json!("9m");
    desk.agent().proposes_with("hasty", hasty).await?;
    let at_once = desk.ops().next_card().await?;
    ensure!(at_once.text().contains("hasty"), "{}", at_once.text());
    for number in 1..=6 {
        proposes(desk.agent(), &format!("r{number}")).await?;
    }
    desk.minutes_pass(5).await?;
    let (one, other) = (desk.ops().next_card().await?, desk.ops().next_card().await?);
    let (full, alone) = if one.text().contains("5 calls") { (one, other) } else { (other, one) };
    ensure!(full.text().contains("5 calls, of which 5 wait"), "{}", full.text());
    ensure!(alone.text().contains("r6") && !alone.text().contains("calls, of which"), "{}", alone.text());
    let _ = alone.button("Approve")?;
    Ok(())
}

/// R29: the call that would have had the card is withdrawn before it is posted: the others are asked about all the same.
#[conversation]
async fn the_first_is_withdrawn(desk: &mut Desk) -> Result<()> {
    desk.has_policy(gathers).await?;
    let first = proposes(desk.agent(), "sales").await?;
    let second = proposes(desk.agent(), "costs").await?;
    desk.agent().withdraws(&first).await?.expect(200)?;
    let third = proposes(desk.agent(), "staff").await?;
    desk.passes(Ttl::from_mins(5)).await?;
    let card = desk.ops().next_card().await?;
    let other = desk.ops().next_card().await?;
    let (card, other) = if card.text().contains("costs") { (card, other) } else { (other, card) };
    ensure!(card.text().contains("one waits"), "{}", card.text());
    desk.person("bo").clicks_for(&card, &second, "Approve").await?;
    desk.ops().expect_update(&card, "none waits any more").await?;
    ensure!(desk.request(&second.id).await?.status() == Status::Approved);
    desk.person("bo").clicks(&other, "Approve").await?;
    desk.ops().expect_update(&other, "Approved").await?;
    ensure!(desk.request(&third.id).await?.status() == Status::Approved);
    Ok(())
}

/// R28: what does not fit among the others has no yes there, and one in Details; a click carries what its part showed.
#[conversation]
async fn what_does_not_fit_is_read_in_details(desk: &mut Desk) -> Result<()> {
    desk.has_policy(gathers).await?;
    let short = proposes(desk.agent(), "sales").await?;
    let long = proposes(desk.agent(), &"costs ".repeat(1_600)).await?;
    desk.minutes_pass(5).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button_for(&long, "Approve").is_err(), "{}", card.text());
    desk.person("bo").clicks_for(&card, &long, "Details").await?;
    let mut details = desk.person("bo").sees_dialog().await?;
    while details.view["submit"].is_null() {
        details = desk.person("bo").presses(&details, "placet_page_next").await?;
    }
    desk.person("bo").submits(&details, &[]).await?;
    desk.ops().expect_update(&card, "one waits").await?;
    ensure!(desk.request(&long.id).await?.status() == Status::Approved);
    // What one part showed is nothing for another.
    let mut swapped = card.button_for(&short, "Approve")?;
    let other = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let _ = desk.ops().next_card().await?;
    swapped.value = swapped.value.replace(&short.id, &other.id);
    desk.person("bo").forges(&card, &swapped).await?;
    desk.person("bo").is_whispered("Details").await?;
    ensure!(desk.request(&other.id).await?.status() == Status::WaitingApproval);
    desk.person("bo").clicks_for(&card, &short, "Approve").await?;
    desk.ops().expect_update(&card, "none waits any more").await?;
    Ok(())
}

/// R16: nobody answers: the one whose step has come has a card of its own where the step asks, and both cards stay true.
#[conversation]
async fn what_escalates_has_a_card_of_its_own(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        gathers(policy).replace(
            "gather = \"5m\"\n",
            "gather = \"5m\"\nescalation = [{ after = \"10m\", to = [\"finance\"] }]\n",
        )
    })
    .await?;
    let first = proposes(desk.agent(), "sales").await?;
    let second = proposes(desk.agent(), "costs").await?;
    desk.minutes_pass(5).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks_for(&card, &first, "Approve").await?;
    desk.ops().expect_update(&card, "one waits").await?;
    desk.minutes_pass(5).await?;
    let mut own = None;
    for _ in 0..2 {
        let message = desk.ops().next_card().await?;
        own = own.or(message.has_buttons().then_some(message));
    }
    let own = own.ok_or_else(|| anyhow::anyhow!("no card of its own"))?;
    ensure!(own.text().contains("costs"), "{}", own.text());
    desk.person("fay").clicks(&own, "Approve").await?;
    desk.ops().expect_update(&own, "Fay").await?;
    desk.ops().expect_update(&card, "none waits any more").await?;
    ensure!(desk.request(&second.id).await?.status() == Status::Approved);
    Ok(())
}
