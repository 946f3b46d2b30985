//! More than one message for one card.

use anyhow::{Context as _, Result, ensure};
use placet::approval::Status;
use placet::time::Ttl;
use placet_store::Moment;
use placet_tests::crash::CrashPoint;
use placet_tests::fake_slack::{Fault, buttons};
use placet_tests::{Card, Desk, Engine, conversation, converse};

use super::{History, approves, ends_right, live, newest, proposes, stands, there};

/// R27, R29: the post was done and its answer lost; it is posted again. A click on the copy that is not on record is
/// adopted: decided once, and both copies become the record.
#[conversation]
async fn a_click_on_an_unknown_copy_adopts_it(desk: &mut Desk) -> Result<()> {
    History::Unreadable.apply(desk);
    desk.slack().fail_next("chat.postMessage", Fault::DoneButNoAnswer);
    let call = proposes(desk).await?;
    let unknown = desk.ops().next_card().await?;
    desk.minutes_pass(2).await?;
    let known = desk.ops().next_card().await?;
    desk.person("bo").clicks(&unknown, "Approve").await?;
    for card in [&unknown, &known] {
        let card = desk.ops().expect_update(card, "Approved").await?;
        ensure!(!card.has_buttons(), "{}", card.text());
    }
    // What Chen saw before the edit is pressed after it.
    desk.person("chen").clicks(&known, "Approve").await?;
    desk.person("chen").is_whispered("Bo").await?;
    desk.agent().runs(&call).await?;
    for card in [&unknown, &known] {
        desk.ops().expect_update(card, "ran").await?;
    }
    desk.ran_times(&call, 1)?;
    ensure!(there(desk).len() == 2);
    Ok(())
}

/// R27, R29: the same while the copy is still the only one: a click decides before anything is posted again, and
/// nothing is.
#[conversation]
async fn a_click_on_a_copy_before_it_is_posted_again(desk: &mut Desk) -> Result<()> {
    History::Unreadable.apply(desk);
    desk.slack().fail_next("chat.postMessage", Fault::DoneThen500);
    let call = proposes(desk).await?;
    let unknown = desk.ops().next_card().await?;
    desk.restart().await?;
    desk.person("bo").clicks(&unknown, "Approve").await?;
    let card = desk.ops().expect_update(&unknown, "Approved").await?;
    ensure!(!card.has_buttons());
    desk.minutes_pass(5).await?;
    ensure!(there(desk).len() == 1, "nothing is posted again: {:#?}", there(desk));
    stands(desk, &call, Status::Approved).await
}

/// R27, R29: an answer is lost, and then Slack's history cannot be read for a while: the card is not posted again in
/// the meantime, but found.
#[conversation]
async fn a_lost_post_is_found_when_history_can_be_read_again(desk: &mut Desk) -> Result<()> {
    desk.slack().fail_next("chat.postMessage", Fault::DoneThen500);
    for fault in [
        Fault::RateLimited { retry_after: Some(30) },
        Fault::Status(500),
        Fault::RateLimited { retry_after: None },
    ] {
        desk.slack().fail_next("conversations.history", fault);
    }
    let call = proposes(desk).await?;
    for _ in 0..8 {
        desk.passes(Ttl::from_secs(15)).await?;
    }
    ensure!(there(desk).len() == 1, "it was there all the time: {:#?}", there(desk));
    ensure!(desk.slack().unmet_faults().is_empty());
    approves(desk, &newest(desk)?).await?;
    desk.work_until_idle().await?;
    stands(desk, &call, Status::Approved).await?;
    ends_right(desk, &call, 0, "Bo").await
}

/// R27, R29: history can never be read: after a while the card is posted again rather than kept from people.
#[conversation]
async fn a_history_that_never_answers_keeps_no_card_from_people(desk: &mut Desk) -> Result<()> {
    desk.slack().fail_next("chat.postMessage", Fault::NoAnswer);
    desk.slack().fail_always("conversations.history", Fault::Status(500));
    let call = proposes(desk).await?;
    desk.minutes_pass(10).await?;
    approves(desk, &newest(desk)?).await?;
    desk.work_until_idle().await?;
    stands(desk, &call, Status::Approved).await?;
    ends_right(desk, &call, 0, "Bo").await
}

/// R27, R29: two answers in a row are lost and nothing can be looked up: there may be two copies that nobody
/// corrects, and an alarm says so.
#[conversation]
async fn a_second_lost_answer_is_alarmed(desk: &mut Desk) -> Result<()> {
    History::Unreadable.apply(desk);
    desk.slack().fail_next("chat.postMessage", Fault::DoneThen500);
    desk.slack().fail_next("chat.postMessage", Fault::DoneButNoAnswer);
    let call = proposes(desk).await?;
    desk.work_until_idle().await?;
    desk.minutes_pass(2).await?;
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("something old"), "{}", alarm.text());
    approves(desk, &newest(desk)?).await?;
    desk.work_until_idle().await?;
    stands(desk, &call, Status::Approved).await?;
    ensure!(live(desk).len() == 2, "those that nobody knows of");
    ensure!(there(desk).len() == 3);
    Ok(())
}

/// R11, R27: the process dies at each commit around post and edit. There is one card where posts can be looked up, and
/// at most one copy more where they cannot; a click decides, once.
#[test]
fn killed_around_every_commit_of_the_card() -> Result<()> {
    for history in [History::Readable, History::Unreadable] {
        for (nth, moment) in (0..8).flat_map(|nth| [(nth, Moment::Before), (nth, Moment::After)]) {
            converse(Engine::Sqlite, async |desk| {
                killed_at(desk, history, CrashPoint::nth(nth, moment)).await
            })
            .with_context(|| format!("{history:?} {nth} {moment:?}"))?;
        }
    }
    Ok(())
}

async fn killed_at(desk: &mut Desk, history: History, crash: CrashPoint) -> Result<()> {
    history.apply(desk);
    let call = proposes(desk).await?;
    desk.probe().arm(crash);
    // It fails where the store is gone; where it is not, the crash comes with the click.
    let _ = desk.work_until_idle().await;
    if desk.probe().crashed() {
        desk.restart().await?;
    }
    desk.minutes_pass(2).await.or_else(|fault| if desk.probe().crashed() { Ok(()) } else { Err(fault) })?;
    if desk.probe().crashed() {
        desk.restart().await?;
        desk.minutes_pass(2).await?;
    }
    let copies = there(desk);
    let copies_max = if history == History::Readable { 1 } else { 2 };
    ensure!((1..=copies_max).contains(&copies.len()), "{} copies", copies.len());
    let oldest = Card { message: copies.into_iter().next().context("a card")? };
    desk.person("bo").clicks(&oldest, "Approve").await?;
    let _ = desk.work_until_idle().await;
    if desk.probe().crashed() {
        desk.restart().await?;
        desk.work_until_idle().await?;
        if desk.request(&call.id).await?.status() == Status::WaitingApproval {
            // It could not be kept, which Bo was told, and presses again.
            desk.person("bo").is_whispered("again").await?;
            desk.person("bo").clicks(&oldest, "Approve").await?;
        }
    }
    desk.minutes_pass(2).await?;
    stands(desk, &call, Status::Approved).await?;
    let left: Vec<_> = there(desk).into_iter().filter(|message| !buttons(message).is_empty()).collect();
    ensure!(left.is_empty(), "{left:#?}");
    desk.leaves_messages_unread();
    let events = desk.events(&call.id).await?;
    ensure!(events.iter().filter(|event| event.kind.name() == "approval.decided").count() == 1);
    Ok(())
}
