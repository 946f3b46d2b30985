//! What happens after a decision: what came of the call stands under its card, and who asked is told.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::{Fault, TEAM_ID, active_markup};
use placet_tests::{Call, Card, Desk, conversation};
use serde_json::{Value, json};

/// A deletion that Ana has asked a gateway for.
async fn ana_asks(desk: &Desk) -> Result<Call> {
    if desk.token("gateway").is_err() {
        desk.has_gateway("gateway").await?;
    }
    let ana = desk.person("ana").user();
    let body = json!({
        "tool": "delete_file",
        "args": {"path": format!("{}.txt", desk.next_number())},
        "task": "clean up old files in the project",
        "reason": "nobody needs it",
        "on_behalf_of": format!("slack:{TEAM_ID}/{ana}"),
    });
    desk.holder("gateway").proposes_with(&format!("ana-{}", desk.next_number()), body).await
}

/// A deletion that Bo has approved, and its card.
async fn approved(desk: &Desk) -> Result<(Call, Card)> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    Ok((call, card))
}

/// Claims, runs, and reports with what a tool said.
async fn runs_and_says(desk: &Desk, call: &Call, said: Value) -> Result<()> {
    let claimed = desk.agent().claims(call).await?;
    desk.ran(&call.tool, &claimed.answer["call"]["args"]);
    let mut body = json!({"claim": claimed.claim, "key": claimed.key, "duration_ms": 200});
    for (name, value) in said.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    desk.agent().post(&format!("/v1/requests/{}/outcome", call.id), &body).await?.expect(200)?;
    Ok(())
}

/// R21, R29, R30: what came of a call stands in the thread of its card, once, also over a restart.
#[conversation]
async fn the_result_stands_under_the_card(desk: &mut Desk) -> Result<()> {
    let (call, card) = approved(desk).await?;
    desk.agent().runs(&call).await?;
    let told = desk.ops().next_outcome().await?;
    ensure!(told.message.thread_ts.as_deref() == Some(&card.message.ts), "{:?}", told.message);
    for words in ["ran, ok", "0.2 s", "{\"ok\":true}"] {
        ensure!(told.text().contains(words), "{words:?} is missing:\n{}", told.text());
    }
    ensure!(active_markup(&told.message).is_empty(), "nobody is mentioned: {:?}", told.message);
    let card = desk.ops().expect_update(&card, "ok, 0.2 s").await?;
    ensure!(!card.has_buttons());
    desk.restart().await?;
    desk.minutes_pass(5).await?;
    ensure!(desk.slack().outcomes().len() == 1, "once");
    Ok(())
}

/// R28: what a tool returned is no markup, is redacted before it is cut, and is short.
#[conversation]
async fn what_a_tool_returned_is_shown_safely(desk: &mut Desk) -> Result<()> {
    let (call, _card) = approved(desk).await?;
    let token = "xoxb-1234567890-abcdefghijklmnop";
    let result =
        format!("<!channel> <@U000000ANA> <https://evil.example|ok>\n{token}\n{}", "é".repeat(5_000));
    runs_and_says(desk, &call, json!({"status": "succeeded", "result": result})).await?;
    let told = desk.ops().next_outcome().await?;
    let active = active_markup(&told.message);
    ensure!(active.is_empty(), "{active:?}");
    let text = told.text();
    ensure!(text.contains("<!channel>") && text.contains("characters left out"), "{text}");
    let whole = format!("{:?}", told.message);
    ensure!(!whole.contains("abcdefghijklmnop"), "a secret is hidden: {text}");
    desk.ops().skims();
    Ok(())
}

/// R21, R29: a call that failed says so under its card, with the error.
#[conversation]
async fn a_failure_says_why(desk: &mut Desk) -> Result<()> {
    let (call, card) = approved(desk).await?;
    runs_and_says(desk, &call, json!({"status": "failed", "error": "<!here> no such file"})).await?;
    let told = desk.ops().next_outcome().await?;
    ensure!(told.text().contains("Error: <!here> no such file"), "{}", told.text());
    ensure!(active_markup(&told.message).is_empty(), "{:?}", told.message);
    desk.ops().expect_update(&card, "failed").await?;
    Ok(())
}

/// R21, R41: nobody knows how it ended: those who look after such things, and who approved, are called under the card;
/// once somebody settles it, that stands there too.
#[conversation]
async fn an_unknown_outcome_calls_those_who_must_look(desk: &mut Desk) -> Result<()> {
    let (call, card) = approved(desk).await?;
    desk.agent().claims(&call).await?;
    desk.passes(Ttl::from_mins(2)).await?;
    let told = desk.ops().next_outcome().await?;
    ensure!(told.text().contains("nobody knows how it ended"), "{}", told.text());
    ensure!(told.message.thread_ts.as_deref() == Some(&card.message.ts), "{:?}", told.message);
    let active = active_markup(&told.message).join(" ");
    for name in ["bo", "sam"] {
        ensure!(active.contains(&desk.person(name).user()), "{name} is not mentioned: {active}");
    }
    ensure!(!active.contains(&desk.person("chen").user()), "others are left alone: {active}");
    desk.alarms().skims();
    let settle = json!({"status": "succeeded", "reason": "looked: the file is gone"});
    desk.holder("manager").post(&format!("/v1/requests/{}/settle", call.id), &settle).await?.expect(200)?;
    let told = desk.ops().next_outcome().await?;
    ensure!(told.text().contains("Settled by hand"), "{}", told.text());
    desk.ops().expect_update(&card, "settled by hand").await?;
    Ok(())
}

/// R29, R30: the answer to the reply is lost, or the process dies after it: it is looked up, and not said again.
#[conversation]
async fn what_may_have_been_said_is_not_said_again(desk: &mut Desk) -> Result<()> {
    let (call, _card) = approved(desk).await?;
    desk.slack().fail_next("chat.postMessage", Fault::DoneButNoAnswer);
    desk.agent().runs(&call).await?;
    desk.minutes_pass(3).await?;
    let outcomes = desk.slack().outcomes();
    ensure!(outcomes.len() == 1, "{outcomes:#?}");
    desk.ops().skims();
    Ok(())
}

/// R29, R30: somebody deleted the card: what came of the call stands under the one that is posted anew.
#[conversation]
async fn the_result_follows_a_card_that_is_posted_anew(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.update", "message_not_found");
    let (call, card) = approved(desk).await?;
    desk.slack().delete_message(&card.message);
    desk.agent().runs(&call).await?;
    let anew = desk.ops().next_card().await?;
    desk.minutes_pass(1).await?;
    let told = desk.ops().next_outcome().await?;
    ensure!(told.message.thread_ts.as_deref() == Some(&anew.message.ts), "{:?}", told.message);
    Ok(())
}

/// R8, R27, R30: who asked for it in Slack is told directly when it is decided and what came of it: one message each.
#[conversation]
async fn who_asked_is_told_what_became_of_it(desk: &mut Desk) -> Result<()> {
    let call = ana_asks(desk).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("ana").is_told("approved by Bo").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let gateway = desk.holder("gateway");
    let claimed = gateway.claims(&call).await?;
    desk.ran(&call.tool, &claimed.answer["call"]["args"]);
    gateway.reports(&call, &claimed, "succeeded").await?.expect(200)?;
    let told = desk.person("ana").is_told("ran, ok").await?;
    ensure!(told.text().contains("{\"ok\":true}"), "{}", told.text());
    ensure!(desk.slack().messages(&told.message.channel).len() == 2, "one message each");
    desk.ops().skims();
    Ok(())
}

/// R8, R10, R25, R30: a no comes with its reason; so do an end by time and a revoke.
#[conversation]
async fn who_asked_is_told_why_it_does_not_run(desk: &mut Desk) -> Result<()> {
    ana_asks(desk).await?;
    let card = desk.ops().next_card().await?;
    desk.person("chen").denies(&card, "still needed").await?;
    let told = desk.person("ana").is_told("denied by Chen").await?;
    ensure!(told.text().contains("Reason: still needed"), "{}", told.text());
    desk.ops().expect_update(&card, "still needed").await?;

    let call = ana_asks(desk).await?;
    let card = desk.ops().next_card().await?;
    let path = format!("/v1/requests/{}/revoke", call.id);
    desk.holder("manager").post(&path, &json!({"reason": "wrong file"})).await?.expect(200)?;
    let told = desk.person("ana").is_told("revoked by manager").await?;
    ensure!(told.text().contains("wrong file"), "{}", told.text());
    desk.ops().expect_update(&card, "wrong file").await?;

    ana_asks(desk).await?;
    let card = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(30)).await?;
    desk.person("ana").is_told("expired: nobody answered").await?;
    desk.ops().expect_update(&card, "nobody answered").await?;
    desk.alarms().skims();
    Ok(())
}

/// R27: what people had said of a call that came to nothing stands on its record.
#[conversation]
async fn the_record_says_who_had_said_what(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.passes(Ttl::from_mins(30)).await?;
    let card = desk.ops().expect_update(&card, "Expired").await?;
    ensure!(card.text().contains("Bo said yes"), "{}", card.text());
    desk.agent().proposes("deploy", json!({"app": "api", "tag": "v43"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("chen").denies(&card, "not today").await?;
    let card = desk.ops().expect_update(&card, "not today").await?;
    ensure!(card.text().contains("Bo said yes"), "{}", card.text());
    desk.alarms().skims();
    Ok(())
}
