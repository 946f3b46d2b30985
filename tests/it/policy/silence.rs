//! Silence that counts as a yes: for what is graded low, where a rule says so, and nowhere else.

use anyhow::{Context as _, Result, ensure};
use placet::approval::Status;
use placet::time::Ttl;
use placet_tests::fake_slack::Fault;
use placet_tests::process::Installation;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// Notes are asked about for five minutes and then run; long ones are graded medium by a raise.
fn silent(policy: String) -> String {
    let rule = "name = \"notes\"\ntools = [\"write_note\"]\nlevel = ";
    let policy = policy.replace(
        &format!("{rule}\"medium\"\n"),
        &format!(
            "{rule}\"low\"\ntier = \"approve\"\nrole = \"admin\"\ndecide_within = \"5m\"\nvalid_for = \
             \"10m\"\napprove_on_timeout = true\n"
        ),
    );
    policy.replacen(
        "[default]",
        "[[raise]]\nname = \"long notes\"\ntools = [\"write_note\"]\nwhen = 'args.text.size() > 20'\nby = 1\nbecause = \"Long \
         notes are read.\"\n\n[default]",
        1,
    )
}

/// R10: nobody says anything about what is graded low, and it runs; card, record and list say that it was by silence. What a
/// raise grades higher expires, though the same rule is about it.
#[conversation]
async fn silence_is_a_yes_for_what_is_low_alone(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        silent(policy).replacen("approve_on_timeout", "denials_to_reject = 2\napprove_on_timeout", 1)
    })
    .await?;
    let quiet = desk.agent().proposes("write_note", json!({"text": "short"})).await?;
    let card = desk.ops().next_card().await?;
    let raised = desk.agent().proposes("write_note", json!({"text": "a note of more than twenty"})).await?;
    let second = desk.ops().next_card().await?;
    ensure!(second.text().contains("Long notes are read."), "{}", second.text());
    let claim = desk.agent().tries_to_claim(&quiet, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "not before its time: {}", claim.text());
    desk.passes(Ttl::from_mins(5)).await?;
    let card = desk.ops().expect_update(&card, "nobody decided in time").await?;
    ensure!(!card.has_buttons(), "{}", card.text());
    desk.ops().expect_update(&second, "Expired").await?;
    let told = desk.agent().reads(&raised.id).await?.expect(200)?.json()?;
    ensure!(told["decision"] == "denied: approval timed out", "{told}");
    let late = desk.agent().tries_to_claim(&raised, &"2".repeat(40)).await?;
    ensure!(!late.status.is_success(), "{}", late.text());
    desk.agent().runs(&quiet).await?;
    let card = desk.ops().expect_update(&card, "ran").await?;
    ensure!(
        card.text().contains("nobody decided in time"),
        "what became of it says on whose word:\n{}",
        card.text()
    );
    let listed = desk.holder("audit").get("/approvals").await?.expect(200)?.json()?;
    let entries = listed["approvals"].as_array().context("approvals")?;
    let of = |id: &str| entries.iter().find(|entry| entry["requestId"] == id).context("an entry");
    let entry = of(&quiet.id)?;
    ensure!(entry["by"] == "timeout" && entry["approved"] == true && entry["who"] == json!([]), "{entry}");
    ensure!(of(&raised.id)?["approved"] == false, "{listed}");
    desk.reads(
        &quiet.id,
        "proposed; checked approve; asked; blocked agent claim: not_approved; approved by silence; claimed; succeeded",
    )
    .await?;
    desk.reads(
        &raised.id,
        "proposed; checked approve; asked; expired unanswered; blocked agent claim: not_approved",
    )
    .await?;
    desk.ran_times(&quiet, 1)
}

/// R10: one no among too few is no silence.
#[conversation]
async fn who_said_no_was_not_silent(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        silent(policy).replacen("approve_on_timeout", "denials_to_reject = 2\napprove_on_timeout", 1)
    })
    .await?;
    let call = desk.agent().proposes("write_note", json!({"text": "short"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "I would rather not").await?;
    desk.ops().expect_update(&card, "I would rather not").await?;
    desk.passes(Ttl::from_mins(5)).await?;
    desk.ops().expect_update(&card, "Expired").await?;
    ensure!(desk.request(&call.id).await?.status() == Status::Expired);
    desk.reads(&call.id, "proposed; checked approve; asked; no bo; expired unanswered").await
}

/// R10, R8: where the card reached nobody, nobody was silent: it expires as unasked.
#[conversation]
async fn who_was_not_asked_was_not_silent(desk: &mut Desk) -> Result<()> {
    desk.has_policy(silent).await?;
    desk.slack().fail_always("chat.postMessage", Fault::Code("channel_not_found"));
    let call = desk.agent().proposes("write_note", json!({"text": "short"})).await?;
    desk.minutes_pass(6).await?;
    ensure!(desk.request(&call.id).await?.status() == Status::Expired);
    let told = desk.agent().reads(&call.id).await?.expect(200)?.text();
    ensure!(told.contains("not asked: nobody could be reached"), "{told}");
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.leaves_messages_unread();
    Ok(())
}

/// R10: whoever starts an installation whose policy takes silence for a yes is warned of it, with file and line.
#[tokio::test]
async fn a_start_warns_of_silence_that_is_a_yes() -> Result<()> {
    let place = Installation::new(env!("CARGO_BIN_EXE_placet-under-test")).await?;
    let file = place.folder().join("policy.toml");
    std::fs::write(&file, silent(std::fs::read_to_string(&file)?))?;
    place.serves().await?.kill();
    let log = place.log()?;
    ensure!(log.contains("silence counts as a yes: calls of rule `notes` run when nobody answers"), "{log}");
    ensure!(log.contains("policy.toml:"), "{log}");
    Ok(())
}
