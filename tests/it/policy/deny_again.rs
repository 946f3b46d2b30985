//! What was denied a moment ago.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::delete;

/// R10 and fatigue: the same call, denied a moment ago, is denied again with that reason and nobody is asked; marked as
/// asking again it gets a card that tells what happened; and after a while it is asked about as new.
#[conversation]
async fn what_was_denied_a_moment_ago_is_denied_again(desk: &mut Desk) -> Result<()> {
    let first = desk.agent().proposes_with("first", delete("a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "still needed").await?;
    desk.ops().expect_update(&card, "still needed").await?;
    let second = desk.agent().proposes_with("second", delete("a.txt", "run-2", 1)).await?;
    let told = desk.agent().reads(&second.id).await?.expect(200)?.json()?;
    ensure!(told["status"] == "rejected" && told["decision"] == "denied by user: still needed", "{told}");
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().len() == 1, "nobody is asked again");
    let listed = desk.holder("audit").get("/approvals").await?.expect(200)?.json()?;
    let again = &listed["approvals"][1];
    ensure!(again["by"] == "earlier" && again["of"] == first.id.as_str(), "{again}");

    let other = desk.agent().proposes_with("other", delete("b.txt", "run-2", 2)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "this one too").await?;
    desk.ops().expect_update(&card, "this one too").await?;
    desk.reads(&other.id, "proposed; checked approve; asked; no bo; denied Bo").await?;

    let mut body = delete("a.txt", "run-2", 3);
    body["ask_again"] = json!(true);
    let third = desk.agent().proposes_with("third", body).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("still needed"), "the card tells what happened before:\n{}", card.text());
    let read = desk.holder("bo-console").looks_at(&third).await?;
    ensure!(
        read["asked_before"]["how"] == "denied" && read["asked_before"]["reason"] == "still needed",
        "{read}"
    );
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&third).await?;
    desk.ops().expect_update(&card, "Bo").await?;

    desk.passes(Ttl::from_mins(11)).await?;
    let later = desk.agent().proposes_with("later", delete("b.txt", "run-3", 1)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(!card.text().contains("this one too"), "a no is not for ever:\n{}", card.text());
    desk.agent().withdraws(&later).await?.expect(200)?;
    desk.ops().expect_update(&card, "").await?;
    desk.reads(&second.id, "proposed; checked approve; rejected").await
}
