//! One person decides alone, in an emergency.

use anyhow::{Result, ensure};
use placet::ports::Scope;
use placet_tests::desk::TENANT;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R41, R28: an operator decides alone, once they have read it, what takes two admins; everybody concerned is told, it
/// runs, and it stays open, over a restart too, until another person has reviewed it.
#[conversation]
async fn a_broken_glass_stays_open_until_another_person_reviews_it(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("[roles]\n", "[roles]\nbreak_glass = [\"operator\"]\n")).await?;
    desk.has_credential("sam-console", TENANT, &[Scope::Decide]).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "hotfix"})).await?;
    let card = desk.ops().next_card().await?;
    let bo =
        desk.holder("bo-console").does(&call, "break-glass", json!({"reason": "the site is down"})).await?;
    ensure!(bo.code() == "not_allowed", "{}", bo.text());
    let sam = desk.holder("sam-console");
    let unread = sam.does(&call, "break-glass", json!({"reason": "the site is down"})).await?;
    ensure!(unread.code() == "not_shown_in_full", "{}", unread.text());
    sam.looks_at(&call).await?;
    let broken = sam.does(&call, "break-glass", json!({"reason": "the site is down"})).await?.expect(200)?;
    let broken = broken.json()?;
    ensure!(broken["review_open"] == true && broken["break_glass"]["assurance"] == "signed", "{broken}");
    ensure!(broken["break_glass"]["shown"].is_string(), "what they had read is on record: {broken}");
    let told = desk.alarms().next_card().await?;
    ensure!(told.text().contains("Sam") && told.text().contains("the site is down"), "{}", told.text());
    let told = desk.ops().next_card().await?;
    ensure!(told.text().contains("Sam") && told.text().contains("reviewed"), "{}", told.text());
    let card = desk.ops().expect_update(&card, "the site is down").await?;
    ensure!(!card.has_buttons() || card.button("Approve").is_err(), "{}", card.text());
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Sam").await?;
    desk.ran_times(&call, 1)?;

    let own = sam.does(&call, "review", json!({})).await?;
    ensure!(own.code() == "own_request", "{}", own.text());
    desk.restart().await?;
    let listed = desk.holder("audit").get("/approvals").await?.expect(200)?.json()?;
    let entry = &listed["approvals"][0];
    ensure!(entry["by"] == "break_glass" && entry["review_open"] == true, "{entry}");
    let chen = desk.holder("chen-console");
    let done = chen.does(&call, "review", json!({"note": "it was right"})).await?.expect(200)?.json()?;
    ensure!(done["review_open"] == false && done["break_glass"]["reviewed"]["by"] == "Chen", "{done}");
    let listed = desk.holder("audit").get("/approvals").await?.expect(200)?.json()?;
    ensure!(listed["approvals"][0]["review_open"] == false, "{listed}");
    desk.ops().expect_update(&card, "Chen").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo break_glass: not_allowed; blocked sam break_glass: \
         not_shown_in_full; glass broken sam; alarm glass_broken; \
         claimed; succeeded; blocked sam review: own_request; reviewed chen",
    )
    .await
}
