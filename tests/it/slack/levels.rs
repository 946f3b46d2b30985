//! Each level's own channel.

use anyhow::{Result, ensure};
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R16: a level's own channel has the cards of that level and of no other; a rule's own channel goes before it, and a decision in
/// either is one.
#[conversation]
async fn a_level_has_a_channel_of_its_own(desk: &mut Desk) -> Result<()> {
    let critical = desk.slack().channel("critical");
    let releases = desk.slack().channel("releases");
    desk.has_policy(|policy| {
        let policy = policy.replacen(
            "[levels.critical]\n",
            &format!("[levels.critical]\nchannel = \"slack/{critical}\"\n"),
            1,
        );
        let rule = format!(
            "[[rule]]\nname = \"releases\"\ntools = [\"release\"]\nlevel = \"critical\"\nbecause = \"It goes out.\"\nchannel = \
             \"slack/{releases}\"\n\n[[rule]]\nname = \"deploys\""
        );
        policy.replacen("[[rule]]\nname = \"deploys\"", &rule, 1)
    })
    .await?;
    let deletes = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let high = desk.ops().next_card().await?;
    let deploys = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.channel("critical").next_card().await?;
    ensure!(card.text().contains("v42"), "{}", card.text());
    let release = desk.agent().proposes("release", json!({"version": "1.0"})).await?;
    let released = desk.channel("releases").next_card().await?;

    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.channel("critical").expect_update(&card, "Bo").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.channel("critical").expect_update(&card, "Approved").await?;
    desk.agent().runs(&deploys).await?;
    desk.channel("critical").next_outcome().await?;
    desk.channel("critical").skims();
    desk.person("bo").denies(&high, "not now").await?;
    desk.ops().expect_update(&high, "not now").await?;
    desk.person("bo").denies(&released, "not yet").await?;
    desk.channel("releases").expect_update(&released, "not yet").await?;
    for (channel, call) in
        [(desk.ops(), &deletes), (desk.channel("critical"), &deploys), (desk.channel("releases"), &release)]
    {
        let cards = channel.cards();
        ensure!(
            cards.len() == 1,
            "{} has {} cards, not that of {} alone",
            channel.id(),
            cards.len(),
            call.tool
        );
    }
    Ok(())
}
