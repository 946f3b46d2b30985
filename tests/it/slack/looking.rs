//! “I am looking”, so that two people do not do the same work.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R46: who looks says so on the card; it goes off by itself after a while, when they press again, and with their vote. It is no
/// vote, and moves no deadline; who has nothing to decide here does not say it.
#[conversation]
async fn somebody_looks(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v1"})).await?;
    let card = desk.ops().next_card().await?;
    let until = desk.agent().reads(&call.id).await?.json()?["expires_at"].clone();
    desk.person("vic").chooses(&card, "I am looking").await?;
    desk.person("vic").is_whispered("Only admins decide this.").await?;
    desk.person("bo").chooses(&card, "I am looking").await?;
    let card = desk.ops().expect_update(&card, "Bo (").await?;
    ensure!(card.text().contains("is looking") && card.text().contains("none yet"), "{}", card.text());
    // The same click once more changes nothing; another takes it off.
    let again = desk.slack().signed_again();
    desk.delivers(&again.ok_or_else(|| anyhow::anyhow!("nothing was signed"))?).await?.expect(200)?;
    desk.person("chen").chooses(&card, "I am looking").await?;
    let card = desk.ops().expect_update(&card, "are looking").await?;
    ensure!(card.text().contains("Bo (") && card.text().contains("Chen ("), "{}", card.text());
    desk.person("bo").chooses(&card, "I am looking").await?;
    let card = desk.ops().expect_update(&card, "Chen (").await?;
    ensure!(!card.text().contains("Bo ("), "{}", card.text());
    desk.restart().await?;
    desk.passes(Ttl::from_mins(9)).await?;
    ensure!(desk.ops().expect_update(&card, "is looking").await.is_ok());
    desk.passes(Ttl::from_mins(2)).await?;
    let card = desk.ops().expect_update(&card, "none yet").await?;
    ensure!(!card.text().contains("looking (") && !card.text().contains("Chen ("), "{}", card.text());
    desk.alarms().skims();
    desk.person("dana").chooses(&card, "I am looking").await?;
    let card = desk.ops().expect_update(&card, "Dana (").await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    ensure!(!card.text().contains("is looking"), "{}", card.text());
    ensure!(desk.agent().reads(&call.id).await?.json()?["expires_at"] == until, "the time to decide goes on");
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.person("chen").chooses(&card, "I am looking").await?;
    desk.person("chen").is_whispered("approved this already").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked vic look: wrong_role; looks bo; looks chen; looks away bo; \
         alarm waits_long; looks away chen; looks dana; yes dana; yes bo; approved Dana, Bo; refused chen: already_decided",
    )
    .await
}
