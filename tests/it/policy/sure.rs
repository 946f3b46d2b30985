//! What a vote needs beside its role: a reason, and that it is surely the person's own.

use anyhow::{Result, ensure};
use placet::ports::Scope;
use placet_tests::desk::TENANT;
use placet_tests::people::text_input;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// What a rule says in the desk's policy.
const DELETES: &str = "name = \"deletes\"\ntools = [\"delete_*\"]\nlevel = \"high\"\n";

async fn deletes_want(desk: &Desk, more: &str) -> Result<()> {
    desk.has_policy(|policy| policy.replace(DELETES, &format!("{DELETES}{more}\n"))).await
}

/// R16, R27, R30: the rule wants a reason with a yes: the button opens the dialog for it, and a yes without one counts
/// nowhere; with one it counts, and stands on the card and in the list.
#[conversation]
async fn a_yes_says_why_where_the_rule_wants_it(desk: &mut Desk) -> Result<()> {
    deletes_want(desk, "reason_required = { yes = true, no = true }").await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve")?.text == "Approve…", "{}", card.text());
    let chen = desk.holder("chen-console");
    let bare = chen.approves_with(&call, json!({})).await?;
    ensure!(bare.code() == "reason_required", "{}", bare.text());
    let blank = chen.approves_with(&call, json!({"reason": "  "})).await?;
    ensure!(blank.code() == "reason_required", "{}", blank.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    let dialog = desk.person("bo").sees_dialog().await?;
    ensure!(desk.request(&call.id).await?.votes.is_empty(), "opening it says nothing");
    let (block, action) = text_input(&dialog)?;
    desk.person("bo").submits(&dialog, &[(&block, &action, "it is a copy")]).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(card.text().contains("it is a copy"), "{}", card.text());
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "it is a copy").await?;
    desk.ran_times(&call, 1)?;
    let listed = desk.holder("audit").get("/approvals").await?.expect(200)?.json()?;
    ensure!(listed["approvals"][0]["reason"] == "it is a copy", "{listed}");
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; refused chen: reason_required; yes bo; approved Bo; claimed; succeeded",
    )
    .await
}

/// R16: the same for a no; whatever dialog somebody still has open from before.
#[conversation]
async fn a_no_says_why_where_the_rule_wants_it(desk: &mut Desk) -> Result<()> {
    deletes_want(desk, "reason_required = { no = true }").await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve")?.text == "Approve", "a yes needs none");
    desk.person("bo").clicks(&card, "Deny").await?;
    let dialog = desk.person("bo").sees_dialog().await?;
    let blocks = dialog.view["blocks"].as_array().cloned().unwrap_or_default();
    let input = blocks.iter().find(|block| block["type"] == "input");
    ensure!(input.is_some_and(|input| input["optional"] == false), "{}", dialog.text());
    let chen = desk.holder("chen-console");
    let bare = chen.post("/approvals", &json!({"requestId": call.id, "approved": false})).await?;
    ensure!(bare.code() == "reason_required", "{}", bare.text());
    let (block, action) = text_input(&dialog)?;
    desk.person("bo").submits(&dialog, &[(&block, &action, "still in use")]).await?;
    desk.ops().expect_update(&card, "still in use").await?;
    let told = desk.agent().reads(&call.id).await?.expect(200)?.json()?;
    ensure!(told["decision"] == "denied by user: still in use", "{told}");
    desk.reads(&call.id, "proposed; checked approve; asked; refused chen: reason_required; no bo; denied Bo")
        .await
}

/// R16, R41: the rule wants to be surer of a vote than Slack or the API can tell. Who clicks is told so, and no yes and no no
/// counts; nor does an emergency make anybody surer.
#[conversation]
async fn a_vote_that_is_not_sure_enough_counts_nowhere(desk: &mut Desk) -> Result<()> {
    deletes_want(desk, "assurance = \"e2ee-pinned\"\nassurance_for_no = \"e2ee-pinned\"").await?;
    desk.has_policy(|policy| policy.replace("[roles]\n", "[roles]\nbreak_glass = [\"operator\"]\n")).await?;
    desk.has_credential("sam-console", TENANT, &[Scope::Decide]).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("surer that a vote is your own than this place can tell").await?;
    desk.person("chen").denies(&card, "no").await?;
    desk.person("chen").is_whispered("surer").await?;
    let over_api = desk.holder("dana-console").approves_with(&call, json!({})).await?;
    ensure!(over_api.code() == "low_assurance", "{}", over_api.text());
    ensure!(desk.request(&call.id).await?.votes.is_empty());
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());

    let sam = desk.holder("sam-console");
    sam.looks_at(&call).await?;
    let alone = sam.does(&call, "break-glass", json!({"reason": "the disk is full"})).await?;
    ensure!(alone.code() == "low_assurance", "an emergency makes nobody surer: {}", alone.text());
    desk.ran_times(&call, 0)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo approve: low_assurance; blocked chen deny: low_assurance; blocked dana \
         approve: low_assurance; blocked agent claim: not_approved; blocked sam break_glass: low_assurance",
    )
    .await
}

/// R16: where a click is sure enough, it counts.
#[conversation]
async fn a_signed_click_is_sure_enough_where_that_is_wanted(desk: &mut Desk) -> Result<()> {
    deletes_want(desk, "assurance = \"signed\"").await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await
}
