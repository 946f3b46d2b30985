//! What a card says so that nobody says yes to what they did not understand.

use anyhow::{Result, ensure};
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R28: a script that is longer than what is read on a card is shown by its first lines, with how many there are; a yes is
/// said in Details, below all of it.
#[conversation]
async fn a_long_script_is_approved_where_all_of_it_is_shown(desk: &mut Desk) -> Result<()> {
    let script: String = (1..=120).map(|line| format!("echo step {line}\n")).collect();
    let call = desk.agent().proposes("delete_by_script", json!({"command": script, "host": "db-1"})).await?;
    let card = desk.ops().next_card().await?;
    let text = card.text();
    ensure!(
        text.contains("first of 120 lines of command") && text.contains("8 of 120 lines shown"),
        "{text}"
    );
    ensure!(!text.contains("step 9"), "only the first lines: {text}");
    ensure!(card.button("Approve").is_err() && text.contains("Open Details"), "{text}");
    let view = desk.person("bo").opens(&card, "Details").await?;
    ensure!(view.text().contains("step 120"), "{}", view.text());
    desk.person("bo").fills(&view, &[]).await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Ran").await?;
    desk.ran_times(&call, 1)
}

/// R28: where the task is about one machine and the call for another, the card says so above everything else.
#[conversation]
async fn a_call_for_another_host_than_the_task_names_is_told(desk: &mut Desk) -> Result<()> {
    let body = |host: &str| {
        json!({
            "tool": "delete_cache", "args": {"path": "/srv/cache", "host": host},
            "task": "web-3 is out of disk", "reason": "the cache fills it",
        })
    };
    desk.agent().proposes_with("one", body("web-3")).await?;
    let card = desk.ops().next_card().await?;
    ensure!(!card.text().contains("name “"), "it is the one that the task is about: {}", card.text());
    desk.agent().proposes_with("two", body("db-1")).await?;
    let card = desk.ops().next_card().await?;
    let told = "The call is for host “db-1”, but the agent’s words name “web-3”, and not that.";
    ensure!(card.text().contains(told), "{}", card.text());
    ensure!(
        card.text().contains("delete_cache (host db-1) · /srv/cache"),
        "the title says where: {}",
        card.text()
    );
    Ok(())
}

/// R27, R28: of a tool that the policy says nothing of, the card says that, and a yes is asked for once more.
#[conversation]
async fn what_nobody_described_does_not_invite_to_a_yes(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("frobnicate", json!({})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("The policy says nothing of this tool"), "{}", card.text());
    let yes = card.button("Approve")?;
    ensure!(yes.confirm.is_some_and(|asked| asked.contains("frobnicate")), "asked for once more");
    Ok(())
}

/// R29: what one's own yes and no do stands on the card, and changes as people vote.
#[conversation]
async fn a_card_says_what_a_yes_and_a_no_do(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("yours is one of 2 yeses still needed"), "{}", card.text());
    ensure!(card.text().contains("one no is enough: it does not run"), "{}", card.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    ensure!(card.text().contains("yours is the last yes needed: it may run, once"), "{}", card.text());
    Ok(())
}
