//! The card cannot be edited, or nobody knows whether it was.

use anyhow::{Context as _, Result, ensure};
use placet::approval::Status;
use placet_tests::fake_slack::Fault;
use placet_tests::{Desk, conversation};

use super::{
    FAULTS, approves, ends_right, for_each, is_alarmed, is_slow, live, proposes, stands, there,
    votes_at_console,
};

/// Answers after which Slack will not take an edit of this message any more.
fn is_final(fault: &Fault) -> bool {
    matches!(fault, Fault::Code("message_not_found"))
}

/// R27, R29, R30: the edit after the decision goes wrong in every way there is, in the middle of which the process may
/// be killed. The click has decided at once, the call runs, and the card ends as the record.
#[test]
fn a_click_never_waits_on_a_card_that_cannot_be_edited() -> Result<()> {
    for killed in [false, true] {
        for_each(FAULTS, async |desk, fault| {
            let call = proposes(desk).await?;
            let card = desk.ops().next_card().await?;
            desk.slack().fail_next("chat.update", fault.clone());
            desk.person("bo").clicks(&card, "Approve").await?;
            desk.work_until_idle().await?;
            stands(desk, &call, Status::Approved).await?;
            if killed {
                desk.restart().await?;
                desk.work_until_idle().await?;
            }
            desk.agent().runs(&call).await?;
            desk.ran_times(&call, 1)?;
            // A message that Slack says is not there is left as it is, and the outcome posted anew.
            ends_right(desk, &call, usize::from(is_final(fault)), "Bo").await?;
            ensure!(there(desk).len() == 1 + usize::from(is_final(fault)), "posted anew once at most");
            Ok(())
        })?;
    }
    Ok(())
}

/// R5, R29: no edit works for a quarter of an hour. The vote decides, the call runs; an alarm says that people may
/// see something old; and once Slack works again the card ends right.
#[test]
fn edits_fail_for_a_long_time() -> Result<()> {
    let quick = FAULTS.into_iter().filter(|fault| !is_slow(fault) && !is_final(fault));
    for_each(quick, async |desk, fault| {
        let call = proposes(desk).await?;
        desk.ops().next_card().await?;
        desk.slack().fail_always("chat.update", fault.clone());
        votes_at_console(desk, &call, true).await?;
        stands(desk, &call, Status::Approved).await?;
        desk.minutes_pass(5).await?;
        desk.agent().runs(&call).await?;
        desk.minutes_pass(10).await?;
        ensure!(is_alarmed(desk, &call).await?, "it is alarmed");
        let alarms: Vec<_> = desk.alarms().messages().into_iter().map(|alarm| alarm.text).collect();
        ensure!(alarms.iter().any(|alarm| alarm.contains("corrected")), "{alarms:?}");
        desk.ran_times(&call, 1)?;
        ends_right(desk, &call, 0, "a.txt").await?;
        ensure!(there(desk).len() == 1, "nothing is posted anew");
        Ok(())
    })
}

/// R27, R29: somebody deletes the card's message: the outcome is posted anew, once, and kept right after that.
#[conversation]
async fn a_deleted_card_is_replaced_by_the_outcome_once(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.update", "message_not_found");
    let call = proposes(desk).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().delete_message(&card.message);
    votes_at_console(desk, &call, true).await?;
    let outcome = desk.ops().next_card().await?;
    ensure!(outcome.text().contains("Approved") && !outcome.has_buttons(), "{}", outcome.text());
    desk.agent().runs(&call).await?;
    let outcome = desk.ops().expect_update(&outcome, "ran").await?;
    ensure!(!outcome.has_buttons());
    desk.minutes_pass(10).await?;
    ensure!(there(desk).len() == 1, "once");
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; succeeded").await
}

/// R27, R29: Slack no longer takes edits of old messages: the outcome is posted anew, and no edit is tried for ever.
#[conversation]
async fn a_card_whose_edit_window_is_closed(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.update", "edit_window_closed");
    desk.slack().set_edit_window(Some(60_000));
    let call = proposes(desk).await?;
    let card = desk.ops().next_card().await?;
    desk.minutes_pass(5).await?;
    approves(desk, &card).await?;
    let outcome = desk.ops().next_card().await?;
    ensure!(outcome.text().contains("Approved") && !outcome.has_buttons(), "{}", outcome.text());
    desk.minutes_pass(4).await?;
    ensure!(live(desk).len() == 1, "the one that cannot be edited");
    ensure!(desk.slack().calls_of("chat.update").len() == 1, "final is final");
    // Whoever presses the dead buttons is told what was decided.
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.person("chen").is_whispered("Bo").await?;
    let status = desk.request(&call.id).await?.status();
    ensure!(status == Status::Approved, "{status}");
    desk.ops().skims();
    Ok(())
}

/// R29: the channel is archived between card and decision: nothing can be corrected and an alarm says so; when it
/// is open again, the next change corrects the card.
#[conversation]
async fn an_archived_channel_is_alarmed(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.update", "is_archived");
    let call = proposes(desk).await?;
    let card = desk.ops().next_card().await?;
    let ops = desk.slack().channel("ops");
    desk.slack().archive(&ops);
    votes_at_console(desk, &call, true).await?;
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("corrected"), "{}", alarm.text());
    desk.minutes_pass(4).await?;
    ensure!(desk.slack().calls_of("chat.update").len() == 1, "final is final");
    desk.slack().unarchive(&ops);
    desk.agent().runs(&call).await?;
    let card = desk.ops().expect_update(&card, "ran").await.context("after it is open again")?;
    ensure!(!card.has_buttons());
    Ok(())
}
