//! One person decides alone, in an emergency, and another reviews it: in Slack.

use anyhow::{Result, ensure};
use placet_tests::fake_slack::SubmissionOutcome;
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

const WHY: [(&str, &str); 1] = [("Reason", "the site is down")];

async fn may_break_glass(desk: &Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("[roles]\n", "[roles]\nbreak_glass = [\"operator\"]\n")).await
}

/// What everybody is told when somebody decided alone.
async fn all_are_told(desk: &Desk, card: &Card) -> Result<Card> {
    for told in [desk.alarms().next_card().await?, desk.ops().next_card().await?] {
        ensure!(told.text().contains("Sam") && told.text().contains("the site is down"), "{}", told.text());
    }
    desk.ops().expect_update(card, "the site is down").await
}

/// R41: from Details, once all of it was shown, an operator decides alone what takes two admins, with a reason; who may not is
/// told; it stays open, with a button on the record, until somebody else has reviewed it.
#[conversation]
async fn glass_is_broken_in_details_and_reviewed_on_the_record(desk: &mut Desk) -> Result<()> {
    may_break_glass(desk).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "hotfix"})).await?;
    let card = desk.ops().next_card().await?;
    let details = desk.person("bo").opens(&card, "Details").await?;
    let view = desk.person("bo").presses_in(&details, "Break glass").await?;
    desk.person("bo").fills(&view, &WHY).await?;
    desk.person("bo").is_whispered("Only operators may do this. Sam can.").await?;

    let details = desk.person("sam").opens(&card, "Details").await?;
    let late = desk.person("sam").opens(&card, "Details").await?;
    let view = desk.person("sam").presses_in(&details, "Break glass").await?;
    ensure!(view.text().contains("Everybody concerned is told at once"), "{}", view.text());
    ensure!(desk.person("sam").fills(&view, &[]).await.is_err(), "Slack lets nobody go on without a reason");
    desk.person("sam").is_told_in_dialog(&view, &[("Reason", " ")], "Say why").await?;
    desk.restart().await?;
    let done = desk.person("sam").fills_twice(&view, &WHY).await?;
    ensure!(done == SubmissionOutcome::Cleared, "{done:?}");
    let card = all_are_told(desk, &card).await?;
    ensure!(card.button("Approve").is_err() && card.button("Review").is_ok(), "{}", card.text());
    // A dialog that was open since before shows what became of it.
    let shown = desk.person("sam").presses_in(&late, "Break glass").await?;
    ensure!(shown.text().contains("Sam alone, in an emergency"), "{}", shown.text());

    let own = desk.person("sam").opens(&card, "Review").await?;
    ensure!(own.text().contains("the site is down"), "{}", own.text());
    desk.person("sam").fills(&own, &[]).await?;
    desk.person("sam").is_whispered("somebody else must decide it").await?;
    desk.agent().runs(&call).await?;
    let card = desk.ops().expect_update(&card, "nobody else has reviewed").await?;
    desk.person("chen").presses_too_late(&card, "Review").await?;
    let view = desk.person("chen").opens(&card, "Review").await?;
    desk.restart().await?;
    desk.person("chen").fills_twice(&view, &[("Note", "it was right")]).await?;
    let card = desk.ops().expect_update(&card, "reviewed by Chen").await?;
    ensure!(!card.has_buttons(), "{}", card.text());
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo break_glass: not_allowed; glass broken sam; alarm glass_broken; \
         blocked sam review: own_request; claimed; succeeded; reviewed chen",
    )
    .await
}

/// R41, R28: the button is there only once every page was opened, and only where the policy names somebody; pressed in a dialog
/// that does not have it, it turns pages and decides nothing.
#[conversation]
async fn who_has_not_read_it_all_is_not_offered_it(desk: &mut Desk) -> Result<()> {
    let args = json!({"app": "api", "tag": "x".repeat(40_000)});
    desk.agent().proposes("deploy", args.clone()).await?;
    let card = desk.ops().next_card().await?;
    let sam = desk.person("sam");
    let view = sam.opens(&card, "Details").await?;
    let last = sam.presses_in(&view, "Next").await?;
    ensure!(!last.text().contains("Break glass"), "the policy names nobody: {}", last.text());
    may_break_glass(desk).await?;
    let sam = desk.person("sam");
    let mut view = sam.opens(&card, "Details").await?;
    ensure!(!view.text().contains("Break glass"), "{}", view.title());
    while view.text().contains("Next page") {
        view = sam.presses_in(&view, "Next").await?;
    }
    ensure!(view.text().contains("Break glass"), "every page was opened");
    let view = sam.presses_in(&view, "Break glass").await?;
    sam.fills(&view, &WHY).await?;
    all_are_told(desk, &card).await?;
    Ok(())
}
