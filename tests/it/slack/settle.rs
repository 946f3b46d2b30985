//! Settling in chat what nobody knows the outcome of.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::{SubmissionOutcome, View};
use placet_tests::{Call, Card, Desk, conversation};
use serde_json::json;

/// A call that was started, and whose executor died.
async fn nobody_knows(desk: &Desk) -> Result<(Call, Card)> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().claims(&call).await?;
    desk.passes(Ttl::from_mins(2)).await?;
    desk.alarms().next_card().await?;
    let card = desk.ops().expect_update(&card, "Nobody knows").await?;
    ensure!(card.button("Approve").is_err() && card.button("Settle").is_ok(), "{}", card.text());
    Ok((call, card))
}

const FOUND: [(&str, &str); 2] = [("How it ended", "It ran, ok"), ("Reason", "looked: the file is gone")];

/// R21: somebody who may says in Slack how an unknown outcome ended, and how they know; the record says so, and the agent reads
/// it. Who may not is told who can; pressing twice settles once; and the dialog is good over a restart.
#[conversation]
async fn an_unknown_outcome_is_settled_in_slack(desk: &mut Desk) -> Result<()> {
    let (call, card) = nobody_knows(desk).await?;
    let view = desk.person("bo").opens(&card, "Settle").await?;
    ensure!(view.text().contains("a.txt") && view.text().contains("Look first"), "{}", view.text());
    desk.person("bo").fills(&view, &FOUND).await?;
    desk.person("bo").is_whispered("Only operators may do this. Sam can.").await?;

    desk.person("sam").presses_too_late(&card, "Settle").await?;
    let view = desk.person("sam").opens(&card, "Settle").await?;
    desk.restart().await?;
    let done = desk.person("sam").fills_twice(&view, &FOUND).await?;
    ensure!(done == SubmissionOutcome::Cleared, "{done:?}");
    let card = desk.ops().expect_update(&card, "settled by Sam: “looked: the file is gone”").await?;
    ensure!(card.text().contains("✅ Ran") && !card.has_buttons(), "{}", card.text());
    let read = desk.agent().reads(&call.id).await?.expect(200)?.json()?;
    ensure!(read["outcome"]["status"] == "succeeded", "{read}");
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; approved Bo; claimed; unknown; alarm outcome_unknown; \
         blocked bo settle: not_allowed; settled sam succeeded",
    )
    .await
}

/// R21, R30: two look at the same time; the second is told that it is known by now, whether they come with the dialog or only
/// with the button of a card that their client has not redrawn.
#[conversation]
async fn what_is_settled_already_is_told(desk: &mut Desk) -> Result<()> {
    let (_, card) = nobody_knows(desk).await?;
    let late: View = desk.person("sam").opens(&card, "Settle").await?;
    let view = desk.person("sam").opens(&card, "Settle").await?;
    let failed = [("How it ended", "It failed, or did not run"), ("Reason", "it is still there")];
    desk.person("sam").fills(&view, &failed).await?;
    desk.ops().expect_update(&card, "settled by Sam").await?;
    desk.person("sam").fills(&late, &FOUND).await?;
    desk.person("sam").is_whispered("The outcome is known already: it ran, and failed.").await?;
    desk.person("sam").clicks(&card, "Settle").await?;
    desk.person("sam").is_whispered("The outcome is known already: it ran, and failed.").await
}
