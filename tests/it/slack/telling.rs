//! What is to be told is told, however long Slack has trouble; and where it cannot be, those who look after it know.

use anyhow::{Result, ensure};
use placet::record::EventKind;
use placet::time::Ttl;
use placet_tests::fake_slack::{Fault, TEAM_ID, text_of};
use placet_tests::{Call, Card, Desk, conversation};
use serde_json::json;

/// A deletion that Bo has approved, and its card.
async fn approved(desk: &Desk) -> Result<(Call, Card)> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    Ok((call, card))
}

/// A deletion that Ana has asked a gateway for, its card, and Bo's question about it to her: Slack has trouble then.
async fn asks_ana_amid(desk: &Desk, fault: Fault) -> Result<(Call, Card)> {
    desk.has_gateway("helper").await?;
    let ana = format!("slack:{TEAM_ID}/{}", desk.person("ana").user());
    let body = json!({"tool": "delete_file", "args": {"path": "a.txt"}, "on_behalf_of": ana,
        "task": "clean up", "reason": "it is old"});
    let call = desk.holder("helper").proposes_with("key", body).await?;
    let card = desk.ops().next_card().await?;
    let view = desk.person("bo").opens_by_choice(&card, "Ask").await?;
    desk.slack().fail_next("chat.postMessage", fault);
    desk.person("bo").fills(&view, &[("Question", "do you still need it?")]).await?;
    Ok((call, card))
}

/// The messages of the record that were given up.
async fn lost(desk: &Desk, call: &Call) -> Result<Vec<String>> {
    let events = desk.events(&call.id).await?;
    let lost = events.into_iter().filter_map(|event| match event.kind {
        EventKind::MessageUndelivered { lost } => Some(format!("{} to {}", lost.notice, lost.to)),
        _ => None,
    });
    Ok(lost.collect())
}

/// R21, R29: Slack is down for hours when a call comes to its end: what came of it is told when Slack is back.
#[conversation]
async fn what_came_of_a_call_is_told_after_hours_of_trouble(desk: &mut Desk) -> Result<()> {
    let (call, card) = approved(desk).await?;
    desk.slack().fail_always("chat.postMessage", Fault::Status(500));
    desk.agent().runs(&call).await?;
    for _ in 0..3 {
        desk.passes(Ttl::from_mins(60)).await?;
    }
    desk.slack().heal();
    desk.minutes_pass(6).await?;
    desk.ops().expect_update(&card, "ok").await?;
    let told = desk.ops().next_outcome().await?;
    ensure!(told.text().contains("ran, ok"), "{}", told.text());
    ensure!(lost(desk, &call).await?.is_empty(), "it was told");
    Ok(())
}

/// R21, R29, R38: what cannot be told for a day is given up; operators are told what it was and who was not reached, it stands
/// in the record, and among the alarms that are counted.
#[conversation]
async fn what_could_not_be_told_for_a_day_is_alarmed(desk: &mut Desk) -> Result<()> {
    let (call, _card) = approved(desk).await?;
    desk.slack().fail_always("chat.postMessage", Fault::Status(500));
    desk.agent().runs(&call).await?;
    desk.passes(Ttl::from_mins(24 * 60 - 1)).await?;
    ensure!(lost(desk, &call).await?.is_empty(), "not before the day is over");
    desk.passes(Ttl::from_mins(10)).await?;
    let channel = desk.slack().channel("ops");
    ensure!(
        lost(desk, &call).await? == [format!("ran to slack/{channel}")],
        "{:?}",
        lost(desk, &call).await?
    );
    desk.slack().heal();
    desk.minutes_pass(6).await?;
    let alarm = desk.slack().next_message(&desk.slack().channel("alarms")).await?;
    let text = text_of(&alarm);
    for words in ["What came of it", channel.as_str(), "delete_file"] {
        ensure!(text.contains(words), "{words:?} is missing: {text}");
    }
    let since = desk.request(&call.id).await?.last_event_at;
    let alarms = placet::ports::RequestStore::alarms(&desk.store()?, since).await?;
    let counted = alarms.iter().find(|(alarm, _)| alarm.name() == "message_undelivered");
    ensure!(counted.is_some_and(|(_, count)| *count == 1), "{alarms:?}");
    // Whatever else cannot be told there names nobody new.
    desk.leaves_messages_unread();
    Ok(())
}

/// R29: what Slack will never take is not tried for a day: operators are told at once.
#[conversation]
async fn what_is_final_is_alarmed_at_once(desk: &mut Desk) -> Result<()> {
    for code in ["channel_not_found", "is_archived", "not_in_channel", "account_inactive"] {
        let (call, _card) = approved(desk).await?;
        desk.slack().fail_next("chat.postMessage", Fault::Code(code));
        desk.agent().runs(&call).await?;
        desk.work_until_idle().await?;
        let alarm = desk.slack().next_message(&desk.slack().channel("alarms")).await?;
        let text = text_of(&alarm);
        ensure!(
            text.contains("not delivered to") && text.contains("What came of it") && text.contains(code),
            "{text}"
        );
        ensure!(lost(desk, &call).await?.len() == 1, "{code}");
    }
    desk.leaves_messages_unread();
    Ok(())
}

/// R46, R29: a question that cannot reach whom it is to: who asked is told so, the card says it, and operators know.
#[conversation]
async fn who_asks_in_vain_is_told(desk: &mut Desk) -> Result<()> {
    let (call, card) = asks_ana_amid(desk, Fault::Code("account_inactive")).await?;
    desk.work_until_idle().await?;
    let bo = desk.person("bo").user().replacen('U', "D", 1);
    let told = text_of(&desk.slack().next_message(&bo).await?);
    ensure!(told.contains("could not be delivered") && told.contains("do you still need it?"), "{told}");
    let alarm = text_of(&desk.slack().next_message(&desk.slack().channel("alarms")).await?);
    ensure!(alarm.contains("A question") && alarm.contains("Ana"), "{alarm}");
    let card = desk.ops().expect_update(&card, "It could not be delivered.").await?;
    ensure!(!card.text().contains("No answer yet."), "{}", card.text());
    ensure!(lost(desk, &call).await?.len() == 1);
    desk.person("bo").denies(&card, "then not").await?;
    desk.ops().expect_update(&card, "then not").await?;
    desk.slack().next_message(&desk.person("ana").user().replacen('U', "D", 1)).await?;
    Ok(())
}

/// R46: a question that could not be told before its request was over is nobody's any more: it is not told then.
#[conversation]
async fn no_question_is_told_of_what_is_over(desk: &mut Desk) -> Result<()> {
    let fault = Fault::RateLimited { retry_after: Some(120) };
    let (call, card) = asks_ana_amid(desk, fault).await?;
    let card = desk.ops().expect_update(&card, "No answer yet.").await?;
    desk.person("bo").denies(&card, "then not").await?;
    desk.ops().expect_update(&card, "then not").await?;
    desk.minutes_pass(5).await?;
    let told = text_of(&desk.slack().next_message(&desk.person("ana").user().replacen('U', "D", 1)).await?);
    ensure!(told.contains("then not"), "{told}");
    ensure!(lost(desk, &call).await?.is_empty());
    Ok(())
}

/// R29: a whisper about a refused click is worth nothing an hour later, and nobody is called for it.
#[conversation]
async fn an_old_whisper_is_dropped(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().fail_always("chat.postEphemeral", Fault::Status(503));
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.passes(Ttl::from_mins(61)).await?;
    desk.slack().heal();
    desk.minutes_pass(6).await?;
    ensure!(desk.slack().calls_of("chat.postEphemeral").len() >= 2, "it was tried");
    ensure!(lost(desk, &call).await?.is_empty());
    ensure!(desk.alarms().messages().iter().all(|message| !text_of(message).contains("not delivered to")));
    desk.leaves_messages_unread();
    Ok(())
}
