//! Details, and what Slack refuses.

use anyhow::{Result, ensure};
use placet_tests::fake_slack::{Fault, View, active_markup};
use placet_tests::people::text_input;
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

const HOSTILE: &str = "<!channel> <@U0EVIL> <https://evil.example|Approve> `x` ```y``` *b* zero\u{200b}width \
    \u{202e}txt.exe\u{202c} p\u{430}ypal\n";

/// Opens Details and turns every page; gives the last, on which a yes is possible.
async fn reads_everything(desk: &Desk, name: &str, card: &Card) -> Result<View> {
    let person = desk.person(name);
    person.clicks(card, "Details").await?;
    let mut view = person.sees_dialog().await?;
    while view.view["submit"].is_null() {
        let click = desk.slack().view_click_payload(&person.user(), &view, "placet_page_next")?;
        desk.delivers(&desk.slack().signed(&click)).await?.expect(200)?;
        view = person.sees_dialog().await?;
    }
    Ok(view)
}

/// R28: 10 KB of hostile arguments post within Slack's limits with nothing active in them, a yes is possible
/// only after the whole was opened, and the note stands in the record.
#[conversation(sockets)]
async fn a_hostile_call_is_approved_only_by_who_read_it_all(desk: &mut Desk) -> Result<()> {
    let args = json!({ "path": HOSTILE, "content": HOSTILE.repeat(160) });
    let call = desk.agent().proposes("delete_file", args).await?;
    let card = desk.ops().next_card().await?;
    ensure!(active_markup(&card.message).is_empty(), "{:?}", active_markup(&card.message));
    ensure!(card.button("Approve").is_err() && card.text().contains("lines shown"), "{}", card.text());
    ensure!(desk.slack().calls_of("chat.postMessage").len() == 1, "Slack takes it as it is");
    let view = reads_everything(desk, "bo", &card).await?;
    let (block, action) = text_input(&view)?;
    desk.person("bo").submits(&view, &[(&block, &action, "read it all")]).await?;
    let card = desk.ops().expect_update(&card, "read it all").await?;
    ensure!(!card.has_buttons() && active_markup(&card.message).is_empty());
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    desk.ran_times(&call, 1)
}

/// R29: Slack refuses the card; a short one is posted, nothing is taken for a denial, and Details decides.
#[conversation(sockets)]
async fn a_card_that_slack_refuses_is_decided_from_details(desk: &mut Desk) -> Result<()> {
    desk.slack().fail_next("chat.postMessage", Fault::Code("invalid_blocks"));
    let call = desk.agent().proposes("delete_file", json!({ "path": "a.txt" })).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve").is_err(), "a short card has no yes: {}", card.text());
    let view = reads_everything(desk, "bo", &card).await?;
    desk.person("bo").submits(&view, &[]).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    desk.ran_times(&call, 1)
}

/// R30: the dialog does not open in time; who clicked is told to click again, and nothing is decided.
#[conversation(sockets)]
async fn a_trigger_that_is_too_old_is_told(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("delete_file", json!({ "path": "a.txt" })).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().fail_next("views.open", Fault::Code("expired_trigger_id"));
    desk.person("bo").clicks(&card, "Deny").await?;
    desk.person("bo").is_whispered("press the button again").await?;
    desk.person("bo").denies(&card, "not now").await?;
    desk.ops().expect_update(&card, "not now").await?;
    Ok(())
}

/// R29, R30: a dialog that Slack never takes is not told as one that came too late: pressing again helps nothing, and operators
/// are told, once for each person; one that it does not take just now is told so.
#[conversation(sockets)]
async fn a_dialog_that_slack_refuses_is_told_by_kind(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({ "path": "a.txt" })).await?;
    let card = desk.ops().next_card().await?;
    for button in ["Deny", "Details"] {
        desk.slack().fail_next("views.open", Fault::Code("invalid_arguments"));
        desk.person("bo").clicks(&card, button).await?;
        desk.person("bo").is_whispered("pressing again will not help").await?;
    }
    desk.work_until_idle().await?;
    let alarm = desk.slack().next_message(&desk.slack().channel("alarms")).await?;
    let text = placet_tests::fake_slack::text_of(&alarm);
    ensure!(text.contains("A dialog") && text.contains("Bo") && text.contains("invalid_arguments"), "{text}");
    ensure!(desk.alarms().messages().len() == 1, "once for each of them");
    desk.slack().fail_next("views.open", Fault::RateLimited { retry_after: Some(7) });
    desk.person("chen").clicks(&card, "Deny").await?;
    desk.person("chen").is_whispered("Press again in a minute").await?;
    desk.work_until_idle().await?;
    ensure!(desk.alarms().messages().len() == 1, "that is no alarm");
    desk.reads(&call.id, "proposed; checked approve; asked; not told dialog; alarm message_undelivered")
        .await?;
    desk.leaves_messages_unread();
    Ok(())
}

/// R33: the answer to a command that Slack refuses is not silence: who asked is told so, and so are operators.
#[conversation]
async fn an_answer_that_slack_refuses_is_told(desk: &mut Desk) -> Result<()> {
    desk.slack().fail_next("response_url", Fault::Code("invalid_blocks"));
    desk.slack().fail_next("chat.postEphemeral", Fault::Code("invalid_blocks"));
    desk.person("bo").types("whoami").await?;
    desk.person("bo").is_whispered("Slack does not take this answer").await?;
    desk.work_until_idle().await?;
    let alarm = desk.slack().next_message(&desk.slack().channel("alarms")).await?;
    let text = placet_tests::fake_slack::text_of(&alarm);
    ensure!(text.contains("The answer to a command") && text.contains("Bo"), "{text}");
    Ok(())
}
