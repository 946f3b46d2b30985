//! The emergency stop, from a card.

use anyhow::{Context as _, Result, ensure};
use placet::ports::Scope;
use placet_store::Moment;
use placet_tests::crash::CrashPoint;
use placet_tests::desk::TENANT;
use placet_tests::fake_slack::{SubmissionOutcome, text_of};
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

const WHY: [(&str, &str); 1] = [("Reason", "it deletes what it should not")];

/// R44: an operator freezes the agent from Details; nothing of it is started, whatever was approved; the dialog says how that is
/// lifted. Who may not is told who can, and leaves a mark in the record; doing it twice is doing it once.
#[conversation(sockets)]
async fn an_agent_is_frozen_from_details(desk: &mut Desk) -> Result<()> {
    let approved = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let first = desk.ops().next_card().await?;
    desk.person("bo").clicks(&first, "Approve").await?;
    desk.ops().expect_update(&first, "Approved").await?;
    desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let card = desk.ops().next_card().await?;

    let details = desk.person("bo").opens(&card, "Details").await?;
    let view = desk.person("bo").presses_in(&details, "Freeze").await?;
    desk.person("bo").is_told_in_dialog(&view, &WHY, "Only operators may do this. Sam can.").await?;
    ensure!(desk.blocked_in(placet_tests::desk::TENANT).await? == 1, "the attempt is on record");

    let details = desk.person("sam").opens(&card, "Details").await?;
    let other = desk.person("sam").opens(&card, "Details").await?;
    let view = desk.person("sam").presses_in(&details, "Freeze").await?;
    ensure!(view.text().contains("the agent agent"), "{}", view.text());
    desk.restart().await?;
    let SubmissionOutcome::Updated(told) = desk.person("sam").fills(&view, &WHY).await? else {
        anyhow::bail!("the dialog says what became of it")
    };
    desk.person("sam").sees_dialog().await?;
    let id = told
        .text()
        .split("placet lift ")
        .nth(1)
        .context("how to lift it")?
        .split('”')
        .next()
        .map(str::to_owned);
    let id = id.context("an id")?;
    ensure!(told.text().contains("is frozen"), "{}", told.text());
    // What is asked while it stands says so: nobody is asked in the belief that a yes starts it.
    desk.agent().proposes("delete_file", json!({"path": "c.txt"})).await?;
    let asked = desk.ops().next_card().await?;
    ensure!(asked.text().contains("Calls like this one were stopped"), "{}", asked.text());
    ensure!(asked.text().contains("nothing starts before that stop is lifted"), "{}", asked.text());
    let held = desk.agent().tries_to_claim(&approved, &"k".repeat(40)).await?;
    ensure!(held.code() == "held", "{}", held.text());

    let view = desk.person("sam").presses_in(&other, "Freeze").await?;
    let SubmissionOutcome::Updated(again) = desk.person("sam").fills(&view, &WHY).await? else {
        anyhow::bail!("the dialog says that it stood")
    };
    desk.person("sam").sees_dialog().await?;
    ensure!(again.text().contains("frozen already, by Sam"), "{}", again.text());
    ensure!(again.text().contains(&id), "the same stop: {}", again.text());
    desk.work_until_idle().await?;
    desk.alarms().skims();
    desk.agent().get("/v1/stops").await?;
    let lifted = desk.holder("manager").deletes(&format!("/v1/stops/{id}")).await?;
    lifted.expect(200)?;
    desk.agent().runs(&approved).await?;
    desk.ops().expect_update(&first, "ran").await?;
    desk.work_until_idle().await?;
    desk.ops().skims();
    desk.ran_times(&approved, 1)
}

/// What cards say of a stop.
const STOPPED: &str = "Calls like this one were stopped";

/// What a card reads now, whoever has looked at it.
async fn now_reads(desk: &Desk, card: &Card) -> Result<String> {
    desk.work_until_idle().await?;
    let message = desk.slack().message(&card.message.channel, &card.message.ts).context("the card")?;
    Ok(text_of(&message))
}

/// R44, R29: a card that is there already says that calls like its own are stopped, whether people are still asked or it is
/// approved and has not begun; once that is lifted it says so no more. One that the stop does not cover is left alone.
#[conversation]
async fn cards_that_are_there_follow_a_stop_and_its_end(desk: &mut Desk) -> Result<()> {
    desk.has_credential("second", TENANT, &[Scope::Propose, Scope::Execute]).await?;
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let approved = desk.ops().next_card().await?;
    desk.person("bo").clicks(&approved, "Approve").await?;
    desk.ops().expect_update(&approved, "Approved").await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let waiting = desk.ops().next_card().await?;
    desk.holder("second").proposes("delete_file", json!({"path": "c.txt"})).await?;
    let other = desk.ops().next_card().await?;
    desk.work_until_idle().await?;
    let edits = desk.slack().calls_of("chat.update").len();

    let what = json!({"scope": "agent", "name": "agent", "reason": "it deletes too much"});
    let stop = desk.holder("manager").stops(what).await?;
    desk.alarms().next_card().await?;
    for card in [&approved, &waiting] {
        let told = desk.ops().expect_update(card, STOPPED).await?;
        ensure!(told.text().contains("it deletes too much"), "{}", told.text());
    }
    ensure!(!now_reads(desk, &other).await?.contains(STOPPED), "it is another agent’s");
    ensure!(desk.slack().calls_of("chat.update").len() == edits + 2, "each once, and no other");
    let details = desk.person("bo").opens(&waiting, "Details").await?;
    ensure!(details.text().contains(STOPPED), "{}", details.text());
    let code = desk.request(&call.id).await?.code;
    let shown = desk.person("sam").asks(&format!("show {code}")).await?;
    ensure!(shown.text().contains(STOPPED), "{}", shown.text());
    // A yes counts as before, and its record says that it starts nothing.
    desk.person("bo").clicks(&waiting, "Approve").await?;
    let told = desk.ops().expect_update(&waiting, "Approved").await?;
    ensure!(told.text().contains(STOPPED), "{}", told.text());

    desk.holder("manager").lifts(&stop).await?.expect(200)?;
    for card in [&approved, &waiting] {
        let text = now_reads(desk, card).await?;
        ensure!(text.contains("Approved") && !text.contains("stopped"), "{text}");
    }
    desk.ops().skims();
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&waiting, "ran").await?;
    Ok(())
}

/// R44, R29: the process dies once the stop is there, or once it is lifted, and before any card follows: the next one sees
/// to it.
#[conversation]
async fn cards_follow_a_stop_over_a_death(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.work_until_idle().await?;
    let dies = CrashPoint::nth(0, Moment::After);
    desk.probe().arm(dies);
    let what = json!({"scope": "tenant", "reason": "an incident"});
    drop(desk.holder("manager").stops(what).await);
    ensure!(desk.revives().await?, "it died");
    ensure!(now_reads(desk, &card).await?.contains(STOPPED), "the card says so");
    desk.alarms().next_card().await?;
    let stops = desk.holder("manager").get("/v1/stops").await?.json()?;
    let stop = stops["stops"][0]["id"].as_str().context("the stop stands")?;
    desk.work_until_idle().await?;
    desk.probe().arm(dies);
    // Whether an answer comes does not matter: it is lifted, and nothing more is done.
    drop(desk.holder("manager").lifts(stop).await);
    ensure!(desk.revives().await?, "it died");
    ensure!(!now_reads(desk, &card).await?.contains(STOPPED), "the card no longer says so");
    desk.ops().skims();
    Ok(())
}

/// R44, R29: more cards than one look takes up follow all the same, each once.
#[conversation]
async fn many_cards_follow_a_stop(desk: &mut Desk) -> Result<()> {
    const CARDS: usize = 70;
    let mut cards = Vec::new();
    for number in 0..CARDS {
        let body = json!({
            "tool": "delete_file", "args": {"path": format!("{number}.txt")}, "task": "t", "reason": "r",
        });
        desk.has_credential(&format!("agent{number}"), TENANT, &[Scope::Propose]).await?;
        desk.holder(&format!("agent{number}")).proposes_with("key", body).await?;
        cards.push(desk.ops().next_card().await?);
    }
    desk.work_until_idle().await?;
    let before = desk.slack().calls_of("chat.update").len();
    desk.holder("manager").stops(json!({"scope": "tool", "name": "delete_file", "reason": "leaks"})).await?;
    // Slack takes fifty edits a minute; the others follow when they may.
    desk.work_until_idle().await?;
    desk.minutes_pass(3).await?;
    for card in &cards {
        ensure!(now_reads(desk, card).await?.contains(STOPPED), "{}", card.text());
    }
    ensure!(desk.slack().calls_of("chat.update").len() == before + CARDS, "each once");
    desk.ops().skims();
    desk.alarms().skims();
    Ok(())
}
