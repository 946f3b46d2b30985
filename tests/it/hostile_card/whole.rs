//! The whole is shown, and a yes rests on it.

use anyhow::{Context as _, Result, ensure};
use placet::approval::Status;
use placet_tests::people::text_input;
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

use super::{
    HOSTILE, approve_button, hold_the_whole, hostile, hostile_name, hostile_server, is_inert, proposal,
    reads_all, value_of_a_full_card,
};

/// R15, R27, R28: ten kilobytes of arguments and every other field full of mentions, links, backticks and characters
/// that do not show. The card posts at the first try, says how much of it is shown, has no button to approve, and
/// nothing on it is active; Details shows every character; a yes without the whole seen is refused, one after it counts,
/// with its note.
#[conversation]
async fn a_hostile_call_is_read_whole_before_it_is_approved(desk: &mut Desk) -> Result<()> {
    let body = proposal();
    let call = desk.agent().proposes_with("key", body.clone()).await?;
    let card = desk.ops().next_card().await?;
    ensure!(desk.slack().calls_of("chat.postMessage").len() == 1, "at the first try");
    ensure!(card.text().contains("lines shown"), "it says that it is cut:\n{}", card.text());
    ensure!(card.button("Approve").is_err(), "no yes on it");
    // A client that was changed sends a yes: with what the card showed, then with what a full card would have shown.
    let full = value_of_a_full_card(desk, &card, &call.id).await?;
    for value in [card.button("Deny")?.value, full.clone()] {
        desk.person("bo").forges(&card, &approve_button(&value)).await?;
        desk.person("bo").is_whispered("open Details").await?;
    }
    let pages = reads_all(desk, "bo", &card).await?;
    ensure!(pages.len() > 1, "it is long");
    hold_the_whole(&pages, &body)?;
    // What Bo has read, Chen has not.
    desk.person("chen").forges(&card, &approve_button(&full)).await?;
    desk.person("chen").is_whispered("open Details").await?;
    let request = desk.request(&call.id).await?;
    ensure!(request.status() == Status::WaitingApproval, "{}", request.status());
    let last = pages.last().context("a page")?;
    let (block, action) = text_input(last)?;
    desk.person("bo").submits(last, &[(&block, &action, "read it all")]).await?;
    let card = desk.ops().expect_update(&card, "read it all").await?;
    ensure!(!card.has_buttons());
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    is_inert(desk)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo approve: not_shown_in_full; \
         blocked chen approve: not_shown_in_full; yes bo; approved Bo; claimed; succeeded",
    )
    .await
}

/// R28, R30: every other end of such a card is as inert: denied with a reason, and the agent reads the reason.
#[conversation]
async fn a_hostile_call_is_denied(desk: &mut Desk) -> Result<()> {
    let mut body = proposal();
    body["server"] = json!(hostile_server(200));
    let call = desk.agent().proposes_with("key", body).await?;
    let card = desk.ops().next_card().await?;
    desk.person("vic").denies(&card, HOSTILE.trim()).await?;
    desk.person("vic").is_whispered("admin").await?;
    desk.person("bo").denies(&card, &format!("no {}", hostile(300))).await?;
    let card = desk.ops().expect_update(&card, "Denied").await?;
    ensure!(!card.has_buttons());
    let answer = desk.agent().reads(&call.id).await?.expect(200)?.text();
    ensure!(answer.contains("denied by user: no "), "{answer}");
    is_inert(desk)
}

/// R28, R29: it waits long, runs and fails with a hostile error: alarm and record are as inert.
#[conversation]
async fn a_hostile_call_is_alarmed_and_fails(desk: &mut Desk) -> Result<()> {
    let body = proposal();
    let call = desk.agent().proposes_with("key", body.clone()).await?;
    let card = desk.ops().next_card().await?;
    desk.minutes_pass(11).await?;
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("delete_"), "{}", alarm.text());
    let pages = reads_all(desk, "bo", &card).await?;
    desk.person("bo").submits(pages.last().context("a page")?, &[]).await?;
    desk.work_until_idle().await?;
    let claimed = desk.agent().claims(&call).await?;
    let failed = json!({"claim": claimed.claim, "key": claimed.key, "status": "failed", "duration_ms": 1,
        "error": hostile(3_000)});
    desk.agent().post(&format!("/v1/requests/{}/outcome", call.id), &failed).await?.expect(200)?;
    let card = desk.ops().expect_update(&card, "failed").await?;
    ensure!(!card.has_buttons());
    is_inert(desk)
}

/// R27, R28: each field alone is as long as it may be. Whatever it is, Slack takes the card at the first try, and
/// Details shows the whole.
#[test]
fn each_field_alone_as_long_as_it_may_be() -> Result<()> {
    let plain = json!({"tool": "delete_file", "args": {"path": "a.txt"}, "task": "t", "reason": "r",
        "preview": "p", "if_denied": "d", "evidence": [{"id": "e", "title": "t", "uri": "u", "excerpt": "x"}]});
    let evidence =
        json!({"id": hostile(300), "title": hostile(300), "uri": hostile(2_000), "excerpt": hostile(4_000)});
    let many: serde_json::Map<_, _> =
        (0..300).map(|number| (format!("{number} {HOSTILE}"), json!(hostile(20)))).collect();
    let longest = [
        ("tool", json!(format!("delete_{}", hostile_name(193)))),
        ("server", json!(hostile_server(200))),
        ("args", json!({"path": hostile(30_000)})),
        ("args", json!({hostile(10_000): "x"})),
        ("args", json!({"path": "\u{200b}a".repeat(5_000)})),
        ("args", json!({"path": "\n".repeat(10_000)})),
        ("args", json!({"path": vec!["<"; 5_000]})),
        ("args", json!(many)),
        ("task", json!(hostile(2_000))),
        ("reason", json!(hostile(4_000))),
        ("evidence", json!(vec![evidence; 20])),
        ("preview", json!(hostile(64 * 1024))),
        ("if_denied", json!(hostile(2_000))),
    ];
    for (field, value) in longest {
        placet_tests::converse(placet_tests::Engine::Sqlite, async |desk| {
            let mut body = plain.clone();
            body[field] = value;
            let call = desk.agent().proposes_with("key", body.clone()).await?;
            let card = desk.ops().next_card().await?;
            let pages = reads_all(desk, "bo", &card).await?;
            hold_the_whole(&pages, &body)?;
            desk.person("bo").submits(pages.last().context("a page")?, &[]).await?;
            let card = desk.ops().expect_update(&card, "Approved").await?;
            ensure!(!card.has_buttons());
            is_inert(desk)?;
            desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await
        })
        .with_context(|| format!("the longest {field}"))?;
    }
    Ok(())
}

/// R27, R28: a call that no number of pages shows whole: nobody can approve it here, and a no is still possible.
#[conversation]
async fn a_call_too_long_to_be_shown_is_only_denied(desk: &mut Desk) -> Result<()> {
    // Each sign takes three bytes of arguments and thirteen on a page, twice: as JSON, and line by line.
    let args = json!({"path": format!("\n{}", "\u{ad}a".repeat(85_000))});
    let call = desk.agent().proposes("delete_file", args).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Approve").is_err());
    desk.person("bo").clicks(&card, "Details").await?;
    let first = desk.person("bo").sees_dialog().await?;
    ensure!(first.text().contains("longer than can be shown"), "{}", first.title());
    let last = desk.person("bo").presses(&first, "placet_page_next").await?;
    ensure!(last.view["submit"].is_null(), "no yes:\n{}", last.title());
    let full = value_of_a_full_card(desk, &card, &call.id).await?;
    desk.person("bo").forges(&card, &approve_button(&full)).await?;
    desk.person("bo").is_whispered("open Details").await?;
    let dialog = desk.person("bo").presses(&last, "placet_deny").await?;
    let (block, action) = text_input(&dialog)?;
    desk.person("bo").submits(&dialog, &[(&block, &action, "nobody can read this")]).await?;
    desk.ops().expect_update(&card, "nobody can read this").await?;
    is_inert(desk)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo approve: not_shown_in_full; no bo; denied Bo",
    )
    .await
}

/// R17, R28: buttons with values that Placet never wrote decide nothing.
#[conversation]
async fn values_that_placet_never_wrote_decide_nothing(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let own = card.button("Approve")?.value;
    let mut other: Vec<_> = own.split('/').map(str::to_owned).collect();
    *other.get_mut(3).context("a digest")? = "0".repeat(64);
    let forged =
        [String::new(), "approve".to_owned(), own.replacen('1', "2", 1), format!("{own}/x"), other.join("/")];
    for value in forged {
        desk.person("bo").forges(&card, &approve_button(&value)).await?;
        desk.work_until_idle().await?;
        let status = desk.request(&call.id).await?.status();
        ensure!(status == Status::WaitingApproval, "{value:?} decides: {status}");
    }
    let bo = desk.person("bo").user();
    ensure!(!desk.slack().ephemerals(&bo).is_empty(), "it is told");
    desk.person("bo").clicks(&Card { message: card.message.clone() }, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    Ok(())
}
