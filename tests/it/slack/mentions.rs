//! Reminders and escalations: under the card, with mentions that Placet makes.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::{TEAM_ID, active_markup};
use placet_tests::{Desk, conversation};
use serde_json::json;

/// Deletions take two admins, are reminded of after four minutes, and after eight the operators may decide as well.
fn asks_on(policy: String) -> String {
    policy.replacen(
        "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n",
        "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\ncount = 2\nremind_after = [\"4m\"]\nescalation = [{ after = \"8m\", \
         to = [\"operator\"] }]\n",
        1,
    )
}

/// R10, R16, R28: whoever is still asked is mentioned in a reply to the card, and nobody else; what the agent wrote mentions
/// nobody.
#[conversation]
async fn a_reminder_mentions_whoever_has_not_decided(desk: &mut Desk) -> Result<()> {
    desk.has_policy(asks_on).await?;
    let vic = desk.person("vic").user();
    let tool = json!({"path": format!("<@{vic}>.txt")});
    desk.agent().proposes("delete_file", tool).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    desk.passes(Ttl::from_mins(4)).await?;
    let reminder = desk.ops().next_card().await?;
    ensure!(reminder.message.thread_ts.as_deref() == Some(&card.message.ts), "{:?}", reminder.message);
    ensure!(reminder.text().contains("still waits"), "{}", reminder.text());
    let active = active_markup(&reminder.message).join(" ");
    for name in ["chen", "dana"] {
        ensure!(active.contains(&desk.person(name).user()), "{name} is not mentioned: {active}");
    }
    for name in ["bo", "vic", "sam", "ana"] {
        ensure!(!active.contains(&desk.person(name).user()), "{name} is mentioned: {active}");
    }
    desk.passes(Ttl::from_mins(4)).await?;
    let escalated = desk.ops().next_card().await?;
    ensure!(escalated.message.thread_ts.as_deref() == Some(&card.message.ts), "{:?}", escalated.message);
    let active = active_markup(&escalated.message).join(" ");
    ensure!(active.contains(&desk.person("sam").user()), "{active}");
    ensure!(!active.contains(&desk.person("chen").user()), "{active}");
    desk.ops().skims();
    Ok(())
}

/// R10, R17, R30: a role that a user group gives is mentioned as the group, in one mention.
#[conversation]
async fn a_group_is_mentioned_as_a_group(desk: &mut Desk) -> Result<()> {
    let group = desk.slack().user_group("oncall", &["sam"]);
    desk.has_policy(|policy| {
        format!("{}\n[[groups]]\nslack = \"{TEAM_ID}/{group}\"\nroles = [\"operator\"]\n", asks_on(policy))
    })
    .await?;
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(4)).await?;
    let _reminder = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(4)).await?;
    let escalated = desk.ops().next_card().await?;
    ensure!(escalated.text().contains("may decide it as well"), "{}", escalated.text());
    ensure!(escalated.message.text.contains(&format!("<!subteam^{group}>")), "{:?}", escalated.message);
    desk.ops().expect_update(&card, "may decide as well").await?;
    Ok(())
}

/// R10: however many are asked, a message mentions only so many.
#[conversation]
async fn a_crowd_is_not_mentioned_one_by_one(desk: &mut Desk) -> Result<()> {
    desk.employs(40).await?;
    desk.has_policy(asks_on).await?;
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let _card = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(4)).await?;
    let reminder = desk.ops().next_card().await?;
    let mentions = reminder.message.text.matches("<@").count();
    ensure!(mentions == placet::gate::MENTIONS_MAX, "{mentions} mentions: {}", reminder.message.text);
    Ok(())
}
