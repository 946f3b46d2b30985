//! Edit before approving.

use anyhow::{Result, ensure};
use placet_tests::{Call, Desk, conversation};
use serde_json::json;

async fn may_edit(desk: &Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("tier = \"approve\"\n", "tier = \"approve\"\nmay_edit = true\n"))
        .await
}

/// R39: one of two had said yes; another changes the arguments; votes start again on a card of its own, and the agent runs
/// what people saw, not what it had proposed.
#[conversation]
async fn an_edit_resets_votes_and_the_agent_runs_what_people_saw(desk: &mut Desk) -> Result<()> {
    may_edit(desk).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v1"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    let edited = desk.holder("chen-console").edits(&call, json!({"app": "api", "tag": "v2"})).await?;
    let old = desk.ops().expect_update(&card, "Replaced").await?;
    ensure!(!old.has_buttons(), "what was replaced has nothing to press:\n{}", old.text());
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("v2") && card.text().contains("none yet"), "{}", card.text());
    ensure!(card.text().contains("Chen changed the arguments"), "{}", card.text());

    let told = desk.agent().reads(&call.id).await?.expect(200)?.json()?;
    ensure!(told["status"] == "revoked" && told["superseded_by"] == edited.id.as_str(), "{told}");
    // What Chen made is for others to approve; and Bo's yes was to another call.
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.person("chen").is_whispered("You changed this yourself, so somebody else must decide it.").await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let first = desk.agent().tries_to_claim(&call, &"9".repeat(40)).await?;
    ensure!(first.code() == "not_approved", "{}", first.text());
    let found = desk.agent().reads(&edited.id).await?.expect(200)?.json()?;
    let found = Call { args: found["call"]["args"].clone(), ..edited.clone() };
    desk.agent().runs(&found).await?;
    desk.ops().expect_update(&card, "Dana").await?;
    desk.ran_times(&edited, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; superseded; blocked agent claim: not_approved",
    )
    .await?;
    desk.reads(
        &edited.id,
        "proposed; checked approve; asked; blocked chen approve: own_edit; yes dana; yes bo; approved Dana, Bo; claimed; \
         succeeded",
    )
    .await
}

/// R39, R14: what was edited is judged anew: into what the policy forbids nobody edits a call, and what it lets run unasked
/// asks nobody again.
#[conversation]
async fn an_edit_is_judged_anew(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        let rules = r#"
[[forbid]]
name = "system"
tools = ["delete_file"]
when = 'args.path.startsWith("/etc/")'
because = "The system stays."

[[rule]]
name = "scratch"
tools = ["delete_file"]
when = 'args.path.startsWith("scratch/")'
level = "low"

[[rule]]
name = "deletes""#;
        let policy = policy.replace("tier = \"approve\"\n", "tier = \"approve\"\nmay_edit = true\n");
        policy.replace("\n[[rule]]\nname = \"deletes\"", rules)
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "notes/a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.holder("bo-console");
    let refused = bo.does(&call, "edit", json!({"args": {"path": "/etc/passwd"}})).await?;
    ensure!(
        refused.code() == "forbidden_now" && refused.text().contains("The system stays."),
        "{}",
        refused.text()
    );
    let read = bo.looks_at(&call).await?;
    ensure!(read["status"] == "waiting_approval", "nothing was changed: {read}");
    let vic = desk.holder("vic-console").does(&call, "edit", json!({"args": {"path": "scratch/a"}})).await?;
    ensure!(vic.code() == "wrong_role", "{}", vic.text());
    let edited = bo.edits(&call, json!({"path": "scratch/a.txt"})).await?;
    desk.ops().expect_update(&card, "Replaced").await?;
    desk.agent().runs(&edited).await?;
    desk.ran_times(&edited, 1)?;
    desk.reads(&call.id, "proposed; checked approve; asked; blocked vic supersede: wrong_role; superseded")
        .await?;
    desk.reads(&edited.id, "proposed; checked auto; claimed; succeeded").await
}

/// R39: whoever edited a call stays behind it, however often somebody else edits it afterwards, and people see all of what was
/// changed.
#[conversation]
async fn an_earlier_editor_is_still_behind_it(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("tier = \"approve\"\n", "tier = \"approve\"\nmay_edit = true\n"))
        .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "notes/a.txt"})).await?;
    let first = desk.ops().next_card().await?;
    let by_bo = desk.holder("bo-console").edits(&call, json!({"path": "prod/all.txt"})).await?;
    desk.ops().expect_update(&first, "Replaced").await?;
    let second = desk.ops().next_card().await?;
    desk.holder("chen-console").edits(&by_bo, json!({"path": "prod/all.txt", "quiet": true})).await?;
    desk.ops().expect_update(&second, "Replaced").await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("notes/a.txt"), "what the agent had asked for:\n{}", card.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("You changed this yourself").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.person("chen").is_whispered("You changed this yourself").await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    Ok(())
}
