//! Shadow mode: grade live calls, block nothing but what is forbidden, and say what would have been asked.

use anyhow::{Context as _, Result, ensure};
use placet::policy::Tier;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R45: a risky call runs unasked, the record says what would have been asked, and what is forbidden stays so.
#[conversation]
async fn shadow_mode_blocks_nothing_and_tells_what_it_would_have_asked(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replacen("version = \"desk\"\n", "version = \"desk\"\nshadow = true\n", 1)
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    desk.agent().runs(&call).await?;
    desk.ran_times(&call, 1)?;
    let never = desk.agent().proposes("drop_table", json!({"table": "users"})).await?;
    let claim = desk.agent().tries_to_claim(&never, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "what is forbidden is not looked on at: {}", claim.text());
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().is_empty(), "nobody is asked");
    let request = desk.request(&call.id).await?;
    let shadow = request.verdict.as_deref().and_then(|verdict| verdict.shadow.as_ref());
    ensure!(
        shadow.is_some_and(|shadow| shadow.tier == Tier::Approve && shadow.terms.is_some()),
        "{shadow:?}"
    );
    desk.reads(&call.id, "proposed; checked auto; claimed; succeeded").await
}

/// R45: only what is said to be looked on at is: that tool runs unasked, its record says who would have been asked;
/// another tool of the same agent is asked about as ever; and what is forbidden stays so, also of the tool that is looked
/// on at.
#[conversation]
async fn one_tool_is_looked_on_at_and_the_others_are_asked_about(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        let forbid = "[[forbid]]\nname = \"production\"\ntools = [\"deploy\"]\nwhen = 'args.app == \"billing\"'\nbecause = \
                      \"Billing is deployed by hand.\"\n\n[[forbid]]\n";
        let policy = policy.replacen("[[forbid]]\n", forbid, 1);
        format!("{policy}\n[shadow]\ntools = [\"deploy\"]\n")
    })
    .await?;
    let deploy = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let delete = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    desk.agent().runs(&deploy).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("a.txt"), "{}", card.text());
    let claim = desk.agent().tries_to_claim(&delete, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());

    let request = desk.request(&deploy.id).await?;
    let verdict = request.verdict.as_deref().context("a verdict")?;
    let shadow = verdict.shadow.as_ref().context("what would have been asked")?;
    let terms = shadow.terms.as_ref().context("of whom")?;
    let group = terms.stages.first().and_then(|stage| stage.groups.first()).context("a group")?;
    ensure!(group.role.as_str() == "admin" && group.count == 2 && shadow.tier == Tier::Approve, "{shadow:?}");
    ensure!(verdict.rules.iter().any(|hit| hit.rule == "deploys"), "{verdict:?}");
    let told = desk.agent().reads(&deploy.id).await?.expect(200)?.text();
    ensure!(!told.contains("shadow"), "the agent is not told that nobody looks: {told}");

    let never = desk.agent().proposes("deploy", json!({"app": "billing"})).await?;
    let claim = desk.agent().tries_to_claim(&never, &"2".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    let told = desk.agent().reads(&never.id).await?.expect(200)?.json()?;
    ensure!(told["decision"] == "denied by policy: Billing is deployed by hand.", "{told}");

    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&delete).await?;
    desk.ops().expect_update(&card, "ran").await?;
    ensure!(desk.ops().cards().len() == 1, "nobody is asked about the other");
    desk.ran_times(&deploy, 1)?;
    desk.reads(&deploy.id, "proposed; checked auto; claimed; succeeded").await?;
    desk.reads(
        &delete.id,
        "proposed; checked approve; asked; blocked agent claim: not_approved; yes bo; approved Bo; claimed; succeeded",
    )
    .await
}
