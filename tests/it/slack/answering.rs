//! Slack waits three seconds for an answer, and a trigger opens a dialog for as long: neither waits for what Slack itself is asked.
//! (That an answer comes in time is looked at in every conversation; here Slack does not answer until it is let.)

use anyhow::{Context as _, Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::{Fault, SubmissionOutcome, View};
use placet_tests::people::WAITING;
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

use super::confidential::{SECRET, confidential};

/// The lives of a trigger and of an answer are over.
const TOO_LATE: Ttl = Ttl::from_secs(4);

/// R30: who presses a button that is about nothing is told so, after Slack has its answer, however long Slack takes to say which
/// language they read, or to take what they are told.
#[conversation(sockets)]
async fn slack_is_answered_before_anybody_is_told(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let mut button = card.button("Approve")?;
    button.value = button.value.replace(&call.id, "01890a5d-ac96-774b-bcce-b302099a8057");
    for method in ["users.info", "chat.postEphemeral"] {
        let before = desk.slack().calls_of(method).len();
        desk.slack().fail_next(method, Fault::Held);
        desk.person("bo").forges(&card, &button).await?;
        desk.slack().called(method, before + 1).await?;
        desk.slack().lets_go(method);
        desk.person("bo").is_whispered("There is no such request").await?;
    }
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await
}

/// Somebody opens something while Slack does not say who they are: a dialog is there at once that holds nothing of the call but its
/// code; it is the same that shows the rest, or says why it does not, once Slack has said so, long after the trigger.
async fn waits_for(desk: &Desk, name: &str, opening: impl AsyncFnOnce() -> Result<()>) -> Result<()> {
    let code = desk.requests().await?.first().context("a request")?.code.clone();
    desk.slack().fail_next("users.info", Fault::Held);
    opening().await?;
    let waiting = desk.slack().next_view(&desk.person(name).user()).await?;
    ensure!(waiting.view["callback_id"] == WAITING, "{}", waiting.text());
    ensure!(waiting.text().contains(code.as_str()) && !holds_it(&waiting), "{}", waiting.text());
    desk.clock().passes(TOO_LATE);
    desk.slack().lets_go("users.info");
    Ok(())
}

fn holds_it(view: &View) -> bool {
    view.view.to_string().contains(SECRET)
}

async fn a_secret(desk: &Desk) -> Result<(placet_tests::Call, Card)> {
    desk.has_policy(confidential).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": SECRET})).await?;
    Ok((call, desk.ops().next_card().await?))
}

/// R51, R30: Details of a confidential call open before it is looked up who opens them, and show nothing of it until then.
#[conversation(sockets)]
async fn a_confidential_dialog_opens_before_anything_is_looked_up(desk: &mut Desk) -> Result<()> {
    let (call, card) = a_secret(desk).await?;
    waits_for(desk, "bo", async || desk.person("bo").clicks(&card, "Details").await).await?;
    let details = desk.person("bo").sees_dialog().await?;
    ensure!(holds_it(&details), "{}", details.text());
    waits_for(desk, "vic", async || desk.person("vic").clicks(&card, "Details").await).await?;
    desk.person("vic").is_shown_nothing("Only admins").await?;
    ensure!(desk.slack().views(&desk.person("vic").user()).iter().all(|view| !holds_it(view)));
    // Who is known by now sees it at once, and who may not is told at once.
    desk.person("vic").clicks(&card, "Details").await?;
    desk.person("vic").is_shown_nothing("Only admins").await?;
    desk.slack().fail_next("users.info", Fault::Code("internal_error"));
    desk.person("chen").clicks(&card, "Details").await?;
    desk.person("chen").is_shown_nothing("Slack does not answer").await?;
    desk.person("bo").submits(&details, &[]).await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await?;
    Ok(())
}

/// R51, R21: so do the other dialogs on its card, which show no argument to who may not read it.
#[conversation]
async fn what_is_asked_about_a_confidential_call_opens_at_once(desk: &mut Desk) -> Result<()> {
    let (call, card) = a_secret(desk).await?;
    let details = desk.person("bo").opens(&card, "Details").await?;
    desk.person("bo").submits(&details, &[]).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().claims(&call).await?;
    desk.passes(Ttl::from_mins(2)).await?;
    desk.alarms().next_card().await?;
    let card = desk.ops().expect_update(&card, "Nobody knows").await?;
    waits_for(desk, "vic", async || desk.person("vic").clicks(&card, "Settle").await).await?;
    let blind = desk.person("vic").sees_dialog().await?;
    ensure!(blind.text().contains("delete_file") && !holds_it(&blind), "{}", blind.text());
    waits_for(desk, "sam", async || desk.person("sam").clicks(&card, "Settle").await).await?;
    let view = desk.person("sam").sees_dialog().await?;
    ensure!(holds_it(&view), "{}", view.text());
    let found = [("How it ended", "It ran, ok"), ("Reason", "looked: it is gone")];
    desk.person("sam").fills(&view, &found).await?;
    desk.ops().expect_update(&card, "settled by Sam").await?;
    Ok(())
}

/// R51: who closes the dialog before it shows anything sees nothing more of it, and is told nothing.
#[conversation]
async fn a_dialog_that_is_closed_meanwhile_stays_closed(desk: &mut Desk) -> Result<()> {
    let (_, card) = a_secret(desk).await?;
    desk.expects_refusal("views.update", "not_found");
    desk.slack().fail_next("users.info", Fault::Held);
    desk.person("bo").clicks(&card, "Details").await?;
    let waiting = desk.slack().next_view(&desk.person("bo").user()).await?;
    desk.slack().closes(&waiting);
    desk.slack().lets_go("users.info");
    desk.slack().called("views.update", 1).await?;
    ensure!(desk.slack().calls_of("chat.postEphemeral").is_empty());
    desk.person("bo").denies(&card, "not now").await?;
    desk.ops().expect_update(&card, "Denied").await?;
    Ok(())
}

/// Submits a dialog while Slack does not say who did: the dialog says, before Slack has waited too long, that it is being worked on.
async fn is_still_at_it(desk: &Desk, name: &str, (view, fields): (&View, &[(&str, &str)])) -> Result<()> {
    let asked = desk.slack().calls_of("users.info").len();
    desk.slack().fail_next("users.info", Fault::Held);
    let passing = async {
        desk.slack().called("users.info", asked + 1).await?;
        desk.clock().catches_up_within(Ttl::from_secs(2)).await;
        anyhow::Ok(())
    };
    let person = desk.person(name);
    let (answer, ()) = tokio::try_join!(person.fills(view, fields), passing)?;
    let SubmissionOutcome::Updated(told) = answer else { anyhow::bail!("{name} is told nothing meanwhile") };
    ensure!(told.text().contains("takes longer than usual"), "{}", told.text());
    person.sees_dialog().await?;
    desk.slack().lets_go("users.info");
    Ok(())
}

/// R39, R44, R30: an edit or a stop that takes longer than Slack waits is gone on with: the dialog says so, and what becomes of it
/// is seen on the card, or whispered.
#[conversation(sockets)]
async fn what_takes_longer_than_slack_waits_is_told_later(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("tier = \"approve\"\n", "tier = \"approve\"\nmay_edit = true\n"))
        .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let details = desk.person("sam").opens(&card, "Details").await?;
    let freeze = desk.person("sam").presses_in(&details, "Freeze").await?;

    let view = desk.person("vic").opens_by_choice(&card, "Edit").await?;
    is_still_at_it(desk, "vic", (&view, &[("path", "b.txt")])).await?;
    desk.person("vic").is_whispered("Only admins").await?;

    let view = desk.person("bo").opens_by_choice(&card, "Edit").await?;
    is_still_at_it(desk, "bo", (&view, &[("path", "b.txt")])).await?;
    desk.while_working(desk.slack().message_reads(desk.ops().id(), &card.message.ts, "Replaced")).await??;
    let edited = desk.ops().next_card().await?;
    ensure!(edited.text().contains("b.txt"), "{}", edited.text());

    is_still_at_it(desk, "sam", (&freeze, &[("Reason", "it deletes what it should not")])).await?;
    desk.person("sam").is_whispered("is frozen").await?;
    desk.work_until_idle().await?;
    desk.alarms().skims();
    desk.ops().skims();
    desk.reads(&call.id, "proposed; checked approve; asked; blocked vic supersede: wrong_role; superseded")
        .await
}
