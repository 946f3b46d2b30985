//! Sending: the newest state alone, at Slack's rates, and never again where an error is final.

use anyhow::{Result, ensure};
use futures::future::{Either, select};
use placet::time::Ttl;
use placet_tests::fake_slack::{Fault, text_of};
use placet_tests::{Desk, Engine, conversation, converse};
use serde_json::json;

/// R29, R30: while Slack asks to slow down, people go on voting; what is sent then is the newest state, once.
#[conversation]
async fn only_the_newest_state_of_a_card_is_sent(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().fail_next("chat.update", Fault::RateLimited { retry_after: Some(30) });
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.work_until_idle().await?;
    ensure!(desk.slack().calls_of("chat.update").len() == 1, "it was tried, and put off");
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.work_until_idle().await?;
    ensure!(desk.slack().calls_of("chat.update").len() == 1, "not before the time that Slack named");
    desk.minutes_pass(1).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(card.text().contains("Bo") && card.text().contains("Chen"), "{}", card.text());
    ensure!(desk.slack().calls_of("chat.update").len() == 2, "what was between is not worth sending");
    Ok(())
}

/// R30: of many cards that change at once, no more edits leave in a minute than Slack takes; in the end all are right.
#[conversation]
async fn no_more_edits_leave_than_slack_takes(desk: &mut Desk) -> Result<()> {
    let mut calls = Vec::new();
    for number in 0..60 {
        calls.push(desk.agent().proposes("delete_file", json!({"path": format!("{number}.txt")})).await?);
        let _card = desk.ops().next_card().await?;
    }
    for call in &calls {
        desk.agent().withdraws(call).await?.expect(200)?;
    }
    desk.minutes_pass(5).await?;
    ensure!(desk.slack().refused().is_empty(), "Slack had to say so: {:?}", desk.slack().refused());
    let open =
        desk.ops().cards().into_iter().filter(|card| !placet_tests::fake_slack::buttons(card).is_empty());
    ensure!(open.count() == 0, "every card ends as its record");
    Ok(())
}

/// R27, R29, R30: where a message is gone or can no longer be edited, the outcome is posted anew, once, and nothing is tried
/// again; where the channel cannot be used, it is alarmed, and nothing is tried again either.
#[test]
fn what_is_final_is_not_tried_again() -> Result<()> {
    for (code, is_posted_anew) in [
        ("message_not_found", true),
        ("cant_update_message", true),
        ("edit_window_closed", true),
        ("channel_not_found", false),
        ("is_archived", false),
    ] {
        converse(Engine::Sqlite, async |desk| {
            desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
            let card = desk.ops().next_card().await?;
            desk.slack().fail_next("chat.update", Fault::Code(code));
            desk.person("bo").clicks(&card, "Approve").await?;
            desk.work_until_idle().await?;
            desk.minutes_pass(5).await?;
            ensure!(desk.slack().calls_of("chat.update").len() == 1, "{code} is final");
            let cards = desk.ops().cards().len();
            ensure!(cards == 1 + usize::from(is_posted_anew), "{code}: {cards} cards");
            let alarms = desk.alarms().messages().len();
            ensure!(alarms == usize::from(!is_posted_anew), "{code}: {alarms} alarms");
            desk.leaves_messages_unread();
            Ok(())
        })?;
    }
    Ok(())
}

/// R30, R33: answers that can only be given directly take turns, with each other and with what else is said there.
#[conversation]
async fn answers_given_directly_take_turns(desk: &mut Desk) -> Result<()> {
    let bo = desk.person("bo").user();
    let elsewhere = desk.channel("elsewhere").id().to_owned();
    desk.slack().leave(&elsewhere, &bo);
    desk.expects_refusal("chat.postEphemeral", "user_not_in_channel");
    desk.slack().fail_always("response_url", Fault::Code("used_url"));
    for _ in 0..3 {
        desk.person("bo").types_in(&elsewhere, "whoami").await?;
    }
    for _ in 0..3 {
        let direct = format!("D{}", &bo[1..]);
        let mut next = std::pin::pin!(desk.slack().next_message(&direct));
        let told = loop {
            let turn = desk.while_working(desk.clock().catches_up_within(Ttl::from_secs(2)));
            match select(&mut next, std::pin::pin!(turn)).await {
                Either::Left((told, _)) => break told?,
                Either::Right((turn, _)) => turn?,
            }
        };
        ensure!(text_of(&told).contains("admin"), "{told:?}");
    }
    let refused: Vec<_> =
        desk.slack().refused().into_iter().filter(|why| why.contains("RateLimited")).collect();
    ensure!(refused.is_empty(), "Slack had to say so: {refused:?}");
    desk.slack().heal();
    Ok(())
}
