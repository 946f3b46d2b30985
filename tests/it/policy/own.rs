//! Who asked for a call, and whether their own vote counts.

use anyhow::{Result, ensure};
use placet::ports::Scope;
use placet_tests::desk::TENANT;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// What this agent proposes is Bo's request: its credential is one of Bo's accounts.
const AGENT: &str = "bo-agent";

/// Bo has an agent, and the policy says this besides.
async fn bo_has_an_agent(desk: &Desk, scopes: &[Scope], change: impl Fn(String) -> String) -> Result<()> {
    desk.has_policy(|policy| {
        let own = "credentials = [\"bo-console\"]";
        change(policy.replacen(own, "credentials = [\"bo-console\", \"bo-agent\"]", 1))
    })
    .await?;
    desk.has_credential(AGENT, TENANT, scopes).await
}

/// R18: who asked does not decide, in Slack and over the API alike; somebody else of the same role does.
#[conversation]
async fn who_asked_does_not_decide(desk: &mut Desk) -> Result<()> {
    bo_has_an_agent(desk, &[Scope::Propose, Scope::Execute], |policy| policy).await?;
    let call = desk.holder(AGENT).proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("somebody else must decide it").await?;
    let own = desk.holder("bo-console").approves_with(&call, json!({})).await?;
    ensure!(own.status == 403 && own.code() == "own_request", "{}", own.text());
    let claim = desk.holder(AGENT).tries_to_claim(&call, &"7".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.holder(AGENT).runs(&call).await?;
    desk.ops().expect_update(&card, "ran").await?;
    ensure!(desk.request(&call.id).await?.decided_by().len() == 1, "Chen alone");
    desk.ran_times(&call, 1)
}

/// R16, R18: where the level says so, their own vote counts like another; beside it, one more person is still needed.
#[conversation]
async fn who_asked_decides_where_the_policy_says_so(desk: &mut Desk) -> Result<()> {
    bo_has_an_agent(desk, &[Scope::Propose, Scope::Execute], |policy| {
        policy.replace("count = 2\n", "count = 2\nrequester_may_approve = true\n")
    })
    .await?;
    let call = desk.holder(AGENT).proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.holder(AGENT).runs(&call).await?;
    desk.ops().expect_update(&card, "ran").await?;
    // At the level that does not say so it stays a no.
    let other = desk.holder(AGENT).proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("somebody else must decide it").await?;
    desk.reads(&other.id, "proposed; checked approve; asked; blocked bo approve: own_request").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; yes chen; approved Bo, Chen; claimed; succeeded",
    )
    .await
}

/// R50: one person alone: the same credential asks and decides, in Slack or over the API, and every card says that it is so.
#[conversation]
async fn one_person_alone_decides_what_their_own_agent_asks(desk: &mut Desk) -> Result<()> {
    let both = [Scope::Propose, Scope::Execute, Scope::Decide];
    bo_has_an_agent(desk, &both, |policy| {
        policy.replacen("version = \"desk\"\n", "version = \"desk\"\nprofile = \"solo\"\n", 1)
    })
    .await?;
    for (before, surface) in ["slack", "api"].into_iter().enumerate() {
        let call = desk.holder(AGENT).proposes("delete_file", json!({"path": "a.txt"})).await?;
        let card = desk.ops().next_card().await?;
        ensure!(card.text().contains("Who asked for this may approve it alone."), "{}", card.text());
        if surface == "slack" {
            desk.person("bo").clicks(&card, "Approve").await?;
        } else {
            desk.holder(AGENT).approves(&call).await?;
        }
        desk.ops().expect_update(&card, "Approved").await?;
        desk.holder(AGENT).runs(&call).await?;
        desk.ops().expect_update(&card, "ran").await?;
        desk.ran_times(&call, before + 1)?;
    }
    // No longer alone: the same credential neither asks nor decides.
    desk.changes_policy(|policy| policy.replacen("profile = \"solo\"\n", "", 1)).await?;
    let refused = desk.holder(AGENT).tries_to_propose(Some("late"), &json!({"tool": "delete_file"})).await?;
    ensure!(refused.status == 403 && refused.code() == "scopes_conflict", "{}", refused.text());
    Ok(())
}
