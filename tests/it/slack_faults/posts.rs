//! The card cannot be posted, or nobody knows whether it was.

use anyhow::{Result, ensure};
use placet::approval::Status;
use placet_tests::fake_slack::Fault;
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::{
    EVERY_RETRY_MINUTES, FAULTS, History, approves, ends_right, for_each, is_alarmed, is_done, is_slow, live,
    newest, no_denial, proposes, stands, there, votes_at_console,
};

/// How many copies may stay uncorrected after one post went wrong.
fn uncorrected_max(fault: &Fault, history: History) -> usize {
    usize::from(is_done(fault) && history == History::Unreadable)
}

/// R5, R27, R29: the card's post goes wrong in every way there is. A vote over the API decides at once, the call runs,
/// and what comes to stand in the channel is the record, without buttons.
#[test]
fn a_vote_never_waits_on_a_card_that_cannot_be_posted() -> Result<()> {
    for history in [History::Readable, History::Unreadable] {
        for_each(FAULTS, async |desk, fault| {
            history.apply(desk);
            desk.slack().fail_next("chat.postMessage", fault.clone());
            let call = proposes(desk).await?;
            desk.work_until_idle().await?;
            stands(desk, &call, Status::WaitingApproval).await?;
            votes_at_console(desk, &call, true).await?;
            stands(desk, &call, Status::Approved).await?;
            desk.agent().runs(&call).await?;
            desk.ran_times(&call, 1)?;
            ends_right(desk, &call, uncorrected_max(fault, history), "a.txt").await
        })?;
    }
    Ok(())
}

/// R27, R29, R30: the card's post goes wrong in every way there is, in the middle of which the process may be killed;
/// then Slack works, a card is there, a click on it decides, and every card but at most one becomes the record.
#[test]
fn a_card_comes_when_slack_works_again_and_decides() -> Result<()> {
    for (history, killed) in
        [(History::Readable, false), (History::Unreadable, false), (History::Readable, true)]
    {
        for_each(FAULTS, async |desk, fault| {
            history.apply(desk);
            desk.slack().fail_next("chat.postMessage", fault.clone());
            let call = proposes(desk).await?;
            desk.work_until_idle().await?;
            if killed {
                desk.restart().await?;
            }
            desk.minutes_pass(EVERY_RETRY_MINUTES).await?;
            let copies = there(desk).len();
            ensure!(copies == 1 + uncorrected_max(fault, history), "{copies} copies");
            approves(desk, &newest(desk)?).await?;
            stands_soon(desk, &call).await?;
            desk.agent().runs(&call).await?;
            desk.ran_times(&call, 1)?;
            ends_right(desk, &call, uncorrected_max(fault, history), "Bo").await
        })?;
    }
    Ok(())
}

async fn stands_soon(desk: &Desk, call: &placet_tests::Call) -> Result<()> {
    desk.work_until_idle().await?;
    stands(desk, call, Status::Approved).await
}

/// R10, R29: no card can be posted for the whole window. It expires as unasked and is alarmed; the agent reads
/// that nobody could be asked; and when Slack works again, no dead card comes with buttons on it.
#[test]
fn what_nobody_could_be_asked_is_no_denial() -> Result<()> {
    let never_done = FAULTS.into_iter().filter(|fault| !is_done(fault) && !is_slow(fault));
    for_each(never_done, async |desk, fault| {
        desk.slack().fail_always("chat.postMessage", fault.clone());
        let call = proposes(desk).await?;
        desk.minutes_pass(31).await?;
        stands(desk, &call, Status::Expired).await?;
        let answer = desk.agent().reads(&call.id).await?.expect(200)?.text();
        ensure!(answer.contains("not asked: nobody could be reached"), "{answer}");
        ensure!(is_alarmed(desk, &call).await?, "it is alarmed");
        desk.slack().heal();
        desk.minutes_pass(10).await?;
        ensure!(live(desk).is_empty(), "a dead card has nothing to press: {:#?}", live(desk));
        let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
        ensure!(claim.status == 409, "{}", claim.text());
        desk.leaves_messages_unread();
        no_denial(desk, &call).await
    })
}

/// R10, R29: the posts are done but their answers lost, for the whole window: people may have seen a card. Where it
/// can be looked up it counts as delivered; where it cannot, the alarm says so. No copy is left with buttons where
/// Slack tells of it.
#[test]
fn answers_lost_for_the_whole_window() -> Result<()> {
    for history in [History::Readable, History::Unreadable] {
        for_each([Fault::DoneThen500, Fault::DoneButNoAnswer], async |desk, fault| {
            history.apply(desk);
            desk.slack().fail_always("chat.postMessage", fault.clone());
            let call = proposes(desk).await?;
            desk.minutes_pass(31).await?;
            stands(desk, &call, Status::Expired).await?;
            let answer = desk.agent().reads(&call.id).await?.expect(200)?.text();
            match history {
                History::Readable => ensure!(answer.contains("denied: approval timed out"), "{answer}"),
                History::Unreadable => {
                    ensure!(answer.contains("not asked"), "{answer}");
                    ensure!(is_alarmed(desk, &call).await?, "it is alarmed");
                }
            }
            ends_right(desk, &call, 0, "a.txt").await
        })?;
    }
    Ok(())
}

/// R10, R29: Slack is down for the whole window, from before the call is proposed.
#[conversation]
async fn slack_is_down_for_the_whole_window(desk: &mut Desk) -> Result<()> {
    desk.slack().down();
    let call = proposes(desk).await?;
    desk.minutes_pass(15).await?;
    desk.restart().await?;
    desk.minutes_pass(16).await?;
    let answer = desk.agent().reads(&call.id).await?.expect(200)?.text();
    ensure!(answer.contains("not asked: nobody could be reached"), "{answer}");
    desk.slack().up()?;
    desk.minutes_pass(10).await?;
    ensure!(there(desk).is_empty(), "nobody saw it, so there is nothing to put right");
    let alarms: Vec<_> = desk.alarms().messages().into_iter().map(|alarm| alarm.text).collect();
    ensure!(alarms.iter().any(|alarm| alarm.contains("could not be delivered")), "{alarms:?}");
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; no card on slack; alarm card_undeliverable; alarm waits_long; \
         expired unasked",
    )
    .await
}

/// R29: Slack is down when the call is decided over the API, and comes back: nobody saw a card, and none comes.
#[conversation]
async fn decided_while_slack_was_down(desk: &mut Desk) -> Result<()> {
    desk.slack().down();
    let call = proposes(desk).await?;
    desk.work_until_idle().await?;
    votes_at_console(desk, &call, true).await?;
    stands(desk, &call, Status::Approved).await?;
    desk.agent().runs(&call).await?;
    desk.slack().up()?;
    desk.minutes_pass(10).await?;
    ensure!(live(desk).is_empty());
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; succeeded").await
}

/// R27, R29: the bot is not in the channel. An alarm says so at once; somebody invites it, and the card comes while
/// there is still time.
#[conversation]
async fn the_bot_is_invited_while_the_request_waits(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.postMessage", "not_in_channel");
    let ops = desk.slack().channel("ops");
    desk.slack().set_bot_in_channel(&ops, false);
    let call = proposes(desk).await?;
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("could not be delivered"), "{}", alarm.text());
    desk.slack().set_bot_in_channel(&ops, true);
    desk.minutes_pass(5).await?;
    let card = desk.ops().next_card().await?;
    approves(desk, &card).await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; no card on slack; alarm card_undeliverable; yes bo; approved Bo",
    )
    .await
}

/// R27, R32: a post hangs. Meanwhile a vote over the API decides that request, and a click decides another: no decision
/// stands behind a call of Slack's.
#[conversation]
async fn decisions_are_taken_while_a_post_hangs(desk: &mut Desk) -> Result<()> {
    let warm = proposes(desk).await?;
    desk.person("bo").clicks(&desk.ops().next_card().await?, "Approve").await?;
    desk.work_until_idle().await?;
    stands(desk, &warm, Status::Approved).await?;
    let other = desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().fail_next("chat.postMessage", Fault::Hang);
    let hanging = desk.agent().proposes("delete_file", json!({"path": "c.txt"})).await?;
    let talk = async {
        desk.slack().called("chat.postMessage", 3).await?;
        votes_at_console(desk, &hanging, true).await?;
        stands(desk, &hanging, Status::Approved).await?;
        // What Bo's account is was read a moment ago, so the click is decided in the commit that keeps it.
        desk.person("bo").clicks(&card, "Approve").await?;
        stands(desk, &other, Status::Approved).await
    };
    tokio::select! {
        biased;
        talked = talk => talked?,
        worked = desk.work_until_idle() => anyhow::bail!("it does not hang: {worked:?}"),
    }
    // The worker was stopped in the middle of it: another one takes over when the lease is over.
    desk.minutes_pass(EVERY_RETRY_MINUTES).await?;
    ensure!(live(desk).is_empty(), "{:#?}", live(desk));
    no_denial(desk, &hanging).await
}
