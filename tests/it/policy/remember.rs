//! A yes that is remembered.

use anyhow::{Context as _, Result, ensure};
use placet::ports::Scope;
use placet::time::Ttl;
use placet_tests::desk::TENANT;
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::delete;

async fn remembers(desk: &Desk, more: &'static str) -> Result<()> {
    desk.has_policy(move |policy| {
        let policy = policy.replacen("role = \"admin\"\n", "role = \"admin\"\nremember = \"1h\"\n", 1);
        let tool = "leading_args = [\"path\"]\n";
        policy.replace(tool, &format!("{tool}remember = {{ path = \"folder\" }}\n{more}"))
    })
    .await
}

/// R9, R25: a yes is remembered for exactly what is printed. A file of the same folder runs unasked, a neighbouring path and
/// another session are asked about; taken back, what was approved on it and not yet spent is revoked.
#[conversation]
async fn a_remembered_yes_covers_what_is_printed_and_no_neighbour(desk: &mut Desk) -> Result<()> {
    remembers(desk, "").await?;
    let first = desk.agent().proposes_with("1", delete("demo-notes/a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.holder("bo-console");
    let read = bo.looks_at(&first).await?;
    ensure!(read["remember"] == json!({"pattern": "path=demo-notes/*", "within": "1h"}), "{read}");
    bo.approves_with(&first, json!({"remember": true})).await?.expect(200)?;
    desk.ops().expect_update(&card, "Approved").await?;
    let listed = bo.get("/v1/remembered").await?.expect(200)?.json()?;
    let entry = &listed["remembered"][0];
    ensure!(entry["pattern"] == "path=demo-notes/*" && entry["by"] == json!(["Bo"]), "{entry}");
    ensure!(entry["session"] == "session-1" && entry["agent"] == "agent", "{entry}");

    let covered = desk.agent().proposes_with("2", delete("demo-notes/b.txt", "run-1", 2)).await?;
    desk.agent().runs(&covered).await?;
    desk.reads(&covered.id, "proposed; checked approve; remembered Bo; claimed; succeeded").await?;
    let unspent = desk.agent().proposes_with("3", delete("demo-notes/c.txt", "run-1", 3)).await?;
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().len() == 1, "nobody is asked again");
    for (number, path) in
        ["demo-notes2/b.txt", "demo-notes/sub/b.txt", "demo-notes/../b.txt"].iter().enumerate()
    {
        let step = u32::try_from(number)? + 10;
        let call = desk.agent().proposes_with(path, delete(path, "run-1", step)).await?;
        let card = desk.ops().next_card().await?;
        desk.agent().withdraws(&call).await?.expect(200)?;
        desk.ops().expect_update(&card, "Withdrawn").await?;
    }
    let mut elsewhere = delete("demo-notes/d.txt", "run-1", 20);
    elsewhere["session"] = json!("session-2");
    let elsewhere = desk.agent().proposes_with("4", elsewhere).await?;
    let card = desk.ops().next_card().await?;
    desk.agent().withdraws(&elsewhere).await?.expect(200)?;
    desk.ops().expect_update(&card, "Withdrawn").await?;

    let list = desk.holder("audit").get("/approvals").await?.expect(200)?.json()?;
    let entry = list["approvals"].as_array().and_then(|all| all.iter().find(|one| one["by"] == "remembered"));
    let entry = entry.context("a decision by what is remembered")?;
    ensure!(entry["of"] == first.id.as_str() && entry["who"] == json!(["Bo"]), "{entry}");

    let vic = desk.holder("vic-console").forgets(&first.id).await?;
    ensure!(vic.code() == "not_allowed", "{}", vic.text());
    let forgotten = bo.forgets(&first.id).await?.expect(200)?.json()?;
    ensure!(forgotten["revoked"] == 1, "{forgotten}");
    let again = desk.holder("manager").forgets(&first.id).await?;
    ensure!(again.code() == "remembered_not_found", "{}", again.text());
    let claim = desk.agent().tries_to_claim(&unspent, &"7".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.agent().proposes_with("5", delete("demo-notes/e.txt", "run-1", 30)).await?;
    let _ = desk.ops().next_card().await?;
    desk.reads(
        &unspent.id,
        "proposed; checked approve; remembered Bo; forgotten; blocked agent claim: not_approved",
    )
    .await
}

/// R9: a raise above the level that was remembered asks all the same, and so does the same call once the time is over.
#[conversation]
async fn a_raise_above_what_was_remembered_asks_again(desk: &mut Desk) -> Result<()> {
    remembers(
        desk,
        r#"
[[raise]]
name = "secret"
tools = ["delete_file"]
when = 'args.path.endsWith(".key")'
to = "critical"
because = "Keys cannot be made again."
"#,
    )
    .await?;
    let first = desk.agent().proposes_with("1", delete("demo-notes/a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    desk.holder("bo-console").approves_with(&first, json!({"remember": true})).await?.expect(200)?;
    desk.ops().expect_update(&card, "Approved").await?;
    let raised = desk.agent().proposes_with("2", delete("demo-notes/a.key", "run-1", 2)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("Keys cannot be made again."), "{}", card.text());
    desk.agent().withdraws(&raised).await?.expect(200)?;
    desk.ops().expect_update(&card, "Withdrawn").await?;
    // Bo left: nothing runs on their word, though it was approved on it.
    let resting = desk.agent().proposes_with("3", delete("demo-notes/b.txt", "run-1", 3)).await?;
    desk.passes(Ttl::from_mins(9)).await?;
    desk.has_policy(|policy| {
        policy.replacen("name = \"Bo\"\nroles = [\"admin\"]", "name = \"Bo\"\nroles = [\"viewer\"]", 1)
    })
    .await?;
    let claim = desk.agent().tries_to_claim(&resting, &"7".repeat(40)).await?;
    ensure!(claim.status == 409, "{}", claim.text());
    desk.passes(Ttl::from_mins(52)).await?;
    desk.agent().proposes_with("4", delete("demo-notes/c.txt", "run-1", 4)).await?;
    let _ = desk.ops().next_card().await?;
    let listed = desk.holder("audit").get("/v1/remembered").await?.expect(200)?.json()?;
    ensure!(listed["remembered"] == json!([]), "{listed}");
    let ended = desk.holder("audit").get("/v1/remembered?ended=true").await?.expect(200)?.json()?;
    ensure!(ended["remembered"][0]["stands"] == false, "{ended}");
    desk.ops().skims();
    Ok(())
}

/// R9: a yes is remembered for what people were asked then. Where the level above may be remembered as well, a call that is
/// raised to it is asked about all the same; and so is the very same call once the policy asks two people about it.
#[conversation]
async fn what_asks_for_more_is_asked_about_whatever_is_remembered(desk: &mut Desk) -> Result<()> {
    remembers(
        desk,
        "\n[[raise]]\nname = \"secret\"\ntools = [\"delete_file\"]\nwhen = 'args.path.endsWith(\".key\")'\nto = \"critical\"\n\
         because = \"Keys cannot be made again.\"\n",
    )
    .await?;
    desk.has_policy(|policy| policy.replacen("count = 2\n", "count = 2\nremember = \"1h\"\n", 1)).await?;
    let first = desk.agent().proposes_with("1", delete("demo-notes/a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    desk.holder("bo-console").approves_with(&first, json!({"remember": true})).await?.expect(200)?;
    desk.ops().expect_update(&card, "Approved").await?;
    let raised = desk.agent().proposes_with("2", delete("demo-notes/a.key", "run-1", 2)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("2 admins"), "{}", card.text());
    let claim = desk.agent().tries_to_claim(&raised, &"7".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    let covered = desk.agent().proposes_with("3", delete("demo-notes/b.txt", "run-1", 3)).await?;
    desk.agent().runs(&covered).await?;

    desk.changes_policy(|policy| {
        let high = "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n";
        policy.replacen(high, &format!("{high}count = 2\n"), 1)
    })
    .await?;
    let again = desk.agent().proposes_with("4", delete("demo-notes/c.txt", "run-1", 4)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("2 admins"), "{}", card.text());
    desk.ops().skims();
    desk.ran_times(&covered, 1)?;
    desk.reads(&again.id, "proposed; checked approve; asked").await
}

/// R9, R30: in Slack the scope stands on the button, and pressing it is enough.
#[conversation]
async fn the_button_on_the_card_remembers_what_it_says(desk: &mut Desk) -> Result<()> {
    remembers(desk, "").await?;
    desk.agent().proposes_with("1", delete("demo-notes/a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    let button = card.button("For 1 h")?;
    ensure!(button.text.ends_with("path=demo-notes/*"), "{}", button.text);
    desk.person("bo").clicks(&card, "For 1 h").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let covered = desk.agent().proposes_with("2", delete("demo-notes/b.txt", "run-1", 2)).await?;
    desk.agent().runs(&covered).await?;
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().len() == 1, "nobody is asked again");
    desk.reads(&covered.id, "proposed; checked approve; remembered Bo; claimed; succeeded").await?;
    // What people say no to is not run on what others chose before.
    let other = desk.agent().proposes_with("3", delete("other/c.txt", "run-1", 3)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("chen").denies(&card, "keep it").await?;
    desk.ops().expect_update(&card, "keep it").await?;
    desk.reads(&other.id, "proposed; checked approve; asked; no chen; denied Chen").await
}

/// R9: people said no to a call a moment ago; what they remember of calls that look like it does not let it run.
#[conversation]
async fn a_no_comes_before_what_is_remembered(desk: &mut Desk) -> Result<()> {
    remembers(desk, "").await?;
    desk.agent().proposes_with("1", delete("demo-notes/keep.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("chen").denies(&card, "keep it").await?;
    desk.ops().expect_update(&card, "keep it").await?;
    desk.agent().proposes_with("2", delete("demo-notes/a.txt", "run-1", 2)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "For 1 h").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let again = desk.agent().proposes_with("3", delete("demo-notes/keep.txt", "run-1", 3)).await?;
    let told = desk.agent().reads(&again.id).await?.expect(200)?.json()?;
    ensure!(
        told["decision"].as_str().is_some_and(|told| told.starts_with("denied by user: keep it (said")),
        "{told}"
    );
    let claim = desk.agent().tries_to_claim(&again, &"7".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    Ok(())
}

/// R9, R18: where two decide, a yes is remembered only where both chose it, and then for whoever asked alone.
#[conversation]
async fn two_remember_what_both_of_them_chose(desk: &mut Desk) -> Result<()> {
    remembers(desk, "").await?;
    desk.has_policy(|policy| {
        let high = "role = \"admin\"\nremember";
        policy.replacen(high, "role = \"admin\"\ncount = 2\nremember", 1)
    })
    .await?;
    desk.has_credential("second", TENANT, &[Scope::Propose, Scope::Execute]).await?;
    for (step, chens) in [(1, json!({})), (2, json!({"remember": true}))] {
        let path = format!("demo-notes/{step}.txt");
        let call = desk.agent().proposes_with(&path, delete(&path, "run-1", step)).await?;
        let card = desk.ops().next_card().await?;
        desk.holder("bo-console").approves_with(&call, json!({"remember": true})).await?.expect(200)?;
        desk.holder("chen-console").approves_with(&call, chens).await?.expect(200)?;
        desk.ops().expect_update(&card, "Approved").await?;
    }
    let listed = desk.holder("audit").get("/v1/remembered").await?.expect(200)?.json()?;
    let entries = listed["remembered"].as_array().context("a list")?;
    ensure!(entries.len() == 1 && entries[0]["by"] == json!(["Bo", "Chen"]), "{listed}");
    let covered = desk.agent().proposes_with("3", delete("demo-notes/3.txt", "run-1", 3)).await?;
    desk.agent().runs(&covered).await?;
    desk.reads(&covered.id, "proposed; checked approve; remembered Bo, Chen; claimed; succeeded").await?;
    let second = desk.holder("second");
    let other = second.proposes_with("4", delete("demo-notes/4.txt", "run-1", 4)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("4.txt"), "{}", card.text());
    let claim = second.tries_to_claim(&other, &"7".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.reads(&other.id, "proposed; checked approve; asked; blocked second claim: not_approved").await
}
