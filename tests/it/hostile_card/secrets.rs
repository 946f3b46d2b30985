//! Secrets in a call: nobody reads them, and nobody approves what they cannot read.

use anyhow::{Context as _, Result, ensure};
use placet::approval::Status;
use placet_tests::desk::SIGNING_SECRET;
use placet_tests::fake_slack::TOKEN;
use placet_tests::people::text_input;
use placet_tests::{Desk, conversation};
use serde_json::{Value, json};

use super::{approve_button, is_inert, reads_all, value_of_a_full_card};

/// A token by its shape.
const GITHUB: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// A proposal with secrets in every field.
fn proposal() -> Value {
    let said = format!("use {TOKEN}, {GITHUB} and {SIGNING_SECRET}");
    json!({
        "tool": format!("delete_{GITHUB}"),
        "args": {"path": said, TOKEN: GITHUB, "list": [[SIGNING_SECRET], {"auth": format!("Bearer {TOKEN}")}]},
        "run": {"id": said, "step": said},
        "session": said,
        "task": said,
        "reason": said,
        "evidence": [{"id": said, "title": said, "uri": format!("https://x.example/?t={GITHUB}"), "excerpt": said}],
        "preview": said,
        "if_denied": said,
        "prompt_version": said,
        "place": said,
    })
}

/// No body of any call to Slack holds a secret.
fn nothing_leaks(desk: &Desk) -> Result<()> {
    for (method, body) in desk.slack().calls() {
        for secret in [TOKEN, GITHUB, SIGNING_SECRET] {
            ensure!(!body.to_string().contains(secret), "{secret} is in a {method}: {body:#}");
        }
    }
    Ok(())
}

/// R28, R47: secrets in every field of a call are in nothing that goes to Slack: card, Details, dialog, whisper,
/// alarm, record; and nobody can say yes, by any button.
#[conversation]
async fn a_call_with_a_secret_is_shown_without_it_and_not_approved(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes_with("key", proposal()).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve").is_err() && card.text().contains("•••"), "{}", card.text());
    let pages = reads_all(desk, "bo", &card).await?;
    let last = pages.last().context("a page")?;
    ensure!(last.view["submit"].is_null(), "no yes in Details either:\n{}", last.text());
    let full = value_of_a_full_card(desk, &card, &call.id).await?;
    for value in [card.button("Deny")?.value, full] {
        desk.person("bo").forges(&card, &approve_button(&value)).await?;
        desk.person("bo").is_whispered("whole call").await?;
    }
    desk.minutes_pass(11).await?;
    desk.alarms().next_card().await?;
    let status = desk.request(&call.id).await?.status();
    ensure!(status == Status::WaitingApproval, "{status}");
    desk.person("bo").denies(&card, &format!("there is {GITHUB} in it")).await?;
    desk.ops().expect_update(&card, "Denied").await?;
    is_inert(desk)?;
    nothing_leaks(desk)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo approve: not_shown_in_full; alarm waits_long; no bo; denied Bo",
    )
    .await
}

/// R28: the policy lets people say yes to what they see in part: in Details, after all of it was opened. It runs
/// with the secret, which is still in nothing that goes to Slack, though the tool fails with it in its error.
#[conversation]
async fn a_policy_may_let_people_approve_in_part(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replacen("[levels.high]\n", "[levels.high]\npartial_view_may_approve = true\n", 1)
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt", "note": GITHUB})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve").is_err(), "not from a card that shows it in part:\n{}", card.text());
    let pages = reads_all(desk, "bo", &card).await?;
    let last = pages.last().context("a page")?;
    let (block, action) = text_input(last)?;
    desk.person("bo").submits(last, &[(&block, &action, "the token is known to me")]).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    let claimed = desk.agent().claims(&call).await?;
    ensure!(claimed.answer["call"]["args"]["note"] == GITHUB, "it runs with what was proposed");
    let failed = json!({"claim": claimed.claim, "key": claimed.key, "status": "failed", "duration_ms": 1,
        "error": format!("{TOKEN} {GITHUB} was refused")});
    desk.agent().post(&format!("/v1/requests/{}/outcome", call.id), &failed).await?.expect(200)?;
    desk.ops().expect_update(&card, "was refused").await?;
    is_inert(desk)?;
    nothing_leaks(desk)?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; failed").await
}
