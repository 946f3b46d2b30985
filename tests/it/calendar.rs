//! What the calendar of the policy does: nights and freezes.

use anyhow::{Context as _, Result, ensure};
use placet::time::{Clock as _, Ttl};
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R14, R15: a freeze begins between approval and claim: nothing is started, and who asks during it is asked about it.
#[conversation]
async fn a_freeze_begins_between_approval_and_claim(desk: &mut Desk) -> Result<()> {
    let from = desk.clock().now() + Ttl::from_mins(5);
    let until = from + Ttl::from_mins(60);
    let freeze = format!(
        "\n[calendar]\nzone = \"UTC\"\n\n[[calendar.freeze]]\nname = \"release week\"\nfrom = \"{}\"\nuntil = \
         \"{}\"\ntools = [\"delete_*\"]\nbecause = \"Nothing is deleted before the release.\"\n",
        from.to_rfc3339(),
        until.to_rfc3339()
    );
    desk.has_policy(|policy| policy + freeze.as_str()).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.passes(Ttl::from_mins(6)).await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.status == 409 && claim.code() == "frozen", "{}", claim.text());
    // Whoever is asked while it lasts knows of it, and may say yes.
    let during = desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let second = desk.ops().next_card().await?;
    desk.person("bo").clicks(&second, "Approve").await?;
    desk.ops().expect_update(&second, "Approved").await?;
    desk.agent().runs(&during).await?;
    desk.work_until_idle().await?;
    desk.passes(Ttl::from_mins(10)).await?;
    desk.ops().skims();
    desk.ran_times(&during, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; approved Bo; blocked agent claim: frozen; expired unused",
    )
    .await
}

/// R15: at night by the policy's calendar a call is graded higher; that night falls after the yes takes nothing
/// back.
#[conversation]
async fn at_night_more_people_are_asked(desk: &mut Desk) -> Result<()> {
    let now = desk.clock().now();
    // Night begins five minutes from now.
    let minute = |ahead: i64| {
        let minutes = (now.as_millis() / 60_000 + ahead).rem_euclid(24 * 60);
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    };
    let night = format!(
        "\n[calendar]\nzone = \"UTC\"\nnight = \"{}-{}\"\n\n[[raise]]\nname = \"night\"\ntools = [\"delete_*\"]\nwhen = \
         \"time.night\"\nto = \"critical\"\nbecause = \"At night two people look.\"\n",
        minute(5),
        minute(300)
    );
    desk.has_policy(|policy| policy + night.as_str()).await?;
    let by_day = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.passes(Ttl::from_mins(6)).await?;
    desk.agent().runs(&by_day).await?;
    desk.work_until_idle().await?;
    desk.ops().skims();
    let at_night = desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("At night two people look."), "{}", card.text());
    let request = desk.request(&at_night.id).await?;
    let verdict = request.verdict.as_deref().context("a verdict")?;
    ensure!(verdict.level == placet::policy::Level::Critical, "{verdict:?}");
    ensure!(verdict.rules.iter().any(|hit| hit.rule == "night"), "{verdict:?}");
    desk.ran_times(&by_day, 1)?;
    desk.reads(&by_day.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; succeeded").await
}

/// R14, R15: a freeze that a changed file brings was known to nobody who was asked, also where it says that it began before.
#[conversation]
async fn a_freeze_that_a_changed_file_brings_stops_what_was_approved(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let now = desk.clock().now().as_millis();
    let hour = Ttl::from_mins(60);
    let from = placet::time::Timestamp::from_millis(now - 3_600_000);
    let freeze = format!(
        "\n[calendar]\nzone = \"UTC\"\n\n[[calendar.freeze]]\nname = \"incident\"\nfrom = \"{}\"\nuntil = \"{}\"\ntools = \
         [\"delete_*\"]\nbecause = \"Nothing is deleted while we look.\"\n",
        from.to_rfc3339(),
        (desk.clock().now() + hour).to_rfc3339()
    );
    desk.changes_policy(|policy| policy + freeze.as_str()).await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.status == 409 && claim.code() == "frozen", "{}", claim.text());
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; blocked agent claim: frozen")
        .await
}
