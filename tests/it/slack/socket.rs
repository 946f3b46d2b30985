//! Socket Mode: sockets that Placet opens, in place of an address that Slack can reach.

use anyhow::{Context as _, Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::Delivery;
use placet_tests::{Card, Desk, Person, Transport, conversation};
use serde_json::{Value, json};

/// What Slack sends for a press of this button.
fn press(person: Person<'_>, desk: &Desk, card: &Card, button: &str) -> Result<Delivery> {
    let payload = desk.slack().click_payload(&person.user(), &card.message, &card.button(button)?);
    Ok(desk.slack().signed(&payload))
}

/// Slack refused nothing of what Placet said on its sockets.
fn nothing_was_wrong(desk: &Desk) -> Result<()> {
    let wrong: Vec<_> = desk.slack().refused().into_iter().filter(|why| why.starts_with("socket")).collect();
    ensure!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

/// How many sockets Placet says it has.
async fn sockets(desk: &Desk) -> Result<Value> {
    Ok(desk.holder("audit").get("/readyz").await?.json()?["sockets"]["slack"].clone())
}

/// Waits until Placet knows that it has so many.
async fn knows_of(desk: &Desk, count: usize) -> Result<()> {
    for _ in 0..2_000 {
        if sockets(desk).await? == count {
            return Ok(());
        }
        placet_tests::process::rest().await;
    }
    anyhow::bail!("Placet says that it has {} sockets, not {count}", sockets(desk).await?)
}

/// R30: while Slack moves a socket and people go on clicking, every click is taken, on the old socket or on the new one,
/// each acts once, and there is no moment without a socket.
#[conversation]
async fn a_moved_socket_leaves_no_gap(desk: &mut Desk) -> Result<()> {
    desk.comes_by(Transport::Sockets(1)).await?;
    knows_of(desk, 1).await?;
    for (round, reason) in ["warning", "refresh_requested", "warning"].into_iter().enumerate() {
        // A socket that lives for a moment only would be opened again after a pause.
        desk.passes(Ttl::from_secs(31)).await?;
        let mut cards = Vec::new();
        for file in 0..4 {
            let path = format!("{round}-{file}.txt");
            let call = desk.agent().proposes("delete_file", json!({ "path": path })).await?;
            cards.push((call, desk.ops().next_card().await?));
        }
        let opened = desk.slack().sockets_opened();
        let before = desk.slack().sends_envelope(&press(desk.person("bo"), desk, &cards[0].1, "Approve")?)?;
        desk.slack().asks_to_move(reason)?;
        let at_once =
            desk.slack().sends_envelope(&press(desk.person("bo"), desk, &cards[1].1, "Approve")?)?;
        desk.slack().has_opened_sockets(opened + 1).await?;
        ensure!(desk.slack().sockets() == 2, "the next socket is there before the old one ends");
        let mut envelopes = vec![before, at_once];
        // One of them comes on the socket that ends.
        for (_, card) in &cards[2..] {
            envelopes.push(desk.slack().sends_envelope(&press(desk.person("bo"), desk, card, "Approve")?)?);
        }
        for envelope in &envelopes {
            desk.slack().acknowledged(envelope).await?;
            ensure!(desk.slack().deliveries(envelope) == 1, "none is lost");
        }
        desk.passes(Ttl::from_secs(10)).await?;
        ensure!(desk.slack().ends_sockets() == 1);
        desk.slack().has_sockets(1).await?;
        for (call, card) in &cards {
            desk.ops().expect_update(card, "Approved").await?;
            desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await?;
        }
    }
    knows_of(desk, 1).await?;
    nothing_was_wrong(desk)
}

/// R30, R18: with several connections each envelope comes on any of them: two people's votes count together, whichever
/// way each came.
#[conversation]
async fn any_socket_will_do(desk: &mut Desk) -> Result<()> {
    desk.comes_by(Transport::Sockets(3)).await?;
    knows_of(desk, 3).await?;
    for number in 0..3 {
        let call =
            desk.agent().proposes("deploy", json!({"app": "api", "tag": format!("v{number}")})).await?;
        let card = desk.ops().next_card().await?;
        desk.person("bo").clicks(&card, "Approve").await?;
        let card = desk.ops().expect_update(&card, "1 of 2").await?;
        desk.person("vic").clicks(&card, "Approve").await?;
        desk.person("vic").is_whispered("admin").await?;
        desk.person("chen").clicks(&card, "Approve").await?;
        desk.ops().expect_update(&card, "Approved").await?;
        desk.reads(&call.id, "proposed; checked approve; asked; yes bo; blocked vic approve: wrong_role; yes chen; approved Bo, Chen").await?;
    }
    nothing_was_wrong(desk)
}

/// R30: an acknowledgement is lost, and Slack delivers the envelope again, on another connection: it is acknowledged, and
/// acts once. So it does where the process that took it first is gone.
#[conversation]
async fn a_lost_acknowledgement_decides_once(desk: &mut Desk) -> Result<()> {
    desk.comes_by(Transport::Sockets(2)).await?;
    for restarts in [false, true] {
        let args = json!({"app": "api", "tag": format!("restarted {restarts}")});
        let call = desk.agent().proposes("deploy", args).await?;
        let card = desk.ops().next_card().await?;
        desk.slack().loses_acknowledgements(1);
        let envelope = desk.slack().sends_envelope(&press(desk.person("bo"), desk, &card, "Approve")?)?;
        desk.slack().delivered(&envelope, 1).await?;
        let card = desk.while_working(desk.slack().next_edit(&card.message)).await??;
        let card = Card { message: card };
        ensure!(card.text().contains("1 of 2"), "{}", card.text());
        ensure!(!desk.slack().is_acknowledged(&envelope));
        if restarts {
            // What was not acknowledged waits for the next socket.
            desk.restart().await?;
        } else {
            desk.slack().delivers_unanswered_again();
        }
        desk.slack().acknowledged(&envelope).await?;
        ensure!(desk.slack().deliveries(&envelope) >= 2);
        desk.person("chen").clicks(&card, "Approve").await?;
        desk.ops().expect_update(&card, "Approved").await?;
        desk.reads(&call.id, "proposed; checked approve; asked; yes bo; yes chen; approved Bo, Chen").await?;
    }
    nothing_was_wrong(desk)
}

/// R30: the acknowledgement of a button that opens a dialog is lost: delivered again it opens no second one, and nobody is
/// told that the first came too late.
#[conversation]
async fn a_dialog_opens_once(desk: &mut Desk) -> Result<()> {
    desk.comes_by(Transport::Sockets(1)).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().loses_acknowledgements(1);
    let envelope = desk.slack().sends_envelope(&press(desk.person("bo"), desk, &card, "Deny")?)?;
    let view = desk.person("bo").sees_dialog().await?;
    desk.slack().delivers_unanswered_again();
    desk.slack().acknowledged(&envelope).await?;
    let (block, action) = placet_tests::people::text_input(&view)?;
    desk.person("bo").submits(&view, &[(&block, &action, "still needed")]).await?;
    desk.ops().expect_update(&card, "still needed").await?;
    ensure!(desk.slack().calls_of("views.open").len() == 1);
    desk.reads(&call.id, "proposed; checked approve; asked; no bo; denied Bo").await?;
    nothing_was_wrong(desk)
}

/// R30: what cannot be read, or is of a kind that Placet does not know, is acknowledged, or Slack would deliver it for ever;
/// and the socket goes on.
#[conversation]
async fn what_cannot_be_read_is_acknowledged(desk: &mut Desk) -> Result<()> {
    desk.comes_by(Transport::Sockets(1)).await?;
    let strange = [
        ("interactive", json!("not an object")),
        ("interactive", json!({})),
        ("slash_commands", json!([])),
        ("slash_commands", json!({"text": 7})),
        ("events_api", json!(null)),
        ("events_api", json!({"type": "url_verification"})),
        ("workflow_steps", json!({"new": true})),
    ];
    for (kind, payload) in strange {
        let envelope = desk.slack().sends_payload(kind, payload);
        ensure!(desk.slack().acknowledged(&envelope).await? == Value::Null);
        ensure!(desk.slack().deliveries(&envelope) == 1);
    }
    ensure!(desk.slack().sockets_opened() == 1, "the socket is the first one still");
    nothing_was_wrong(desk)
}

/// R30: a socket that breaks off is opened again, and what it did not acknowledge comes on the next; one that has gone
/// silent is found out by asking it for a sign of life.
#[conversation]
async fn a_socket_that_fails_is_replaced(desk: &mut Desk) -> Result<()> {
    desk.comes_by(Transport::Sockets(1)).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().breaks_socket()?;
    desk.slack().has_opened_sockets(2).await?;
    desk.slack().freezes_socket()?;
    let envelope = desk.slack().sends_envelope(&press(desk.person("bo"), desk, &card, "Approve")?)?;
    // It is asked after twenty seconds of silence, and given up after ten more.
    for _ in 0..5 {
        desk.passes(Ttl::from_secs(11)).await?;
        placet_tests::process::rest().await;
    }
    desk.slack().has_opened_sockets(3).await?;
    while !desk.slack().is_acknowledged(&envelope) {
        desk.slack().delivers_unanswered_again();
        placet_tests::process::rest().await;
    }
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await?;
    nothing_was_wrong(desk)
}

/// R30: Socket Mode is turned off in the app's settings: Placet says that it has no socket, and has one again once it is
/// turned on.
#[conversation]
async fn sockets_that_are_turned_off_come_back(desk: &mut Desk) -> Result<()> {
    desk.comes_by(Transport::Sockets(2)).await?;
    knows_of(desk, 2).await?;
    desk.slack().turns_sockets(false);
    knows_of(desk, 0).await?;
    desk.slack().turns_sockets(true);
    desk.passes(Ttl::from_secs(61)).await?;
    desk.slack().has_sockets(2).await?;
    knows_of(desk, 2).await?;
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    nothing_was_wrong(desk)
}

/// R30, R32: where everything comes on sockets, no address of Slack's is mounted; nothing can be sent there.
#[conversation]
async fn without_a_signing_secret_nothing_comes_over_http(desk: &mut Desk) -> Result<()> {
    use placet_tests::http::Ask;
    desk.comes_by(Transport::Sockets(1)).await?;
    for path in ["/slack/interactivity", "/slack/commands", "/slack/events"] {
        let delivery = desk.slack().signed("payload=%7B%7D");
        let mut ask = Ask::new(axum::http::Method::POST, path).body(delivery.body.clone());
        for (name, value) in &delivery.headers {
            ask = ask.header(name, value)?;
        }
        desk.sends(ask).await?.expect(404)?;
    }
    desk.comes_by(Transport::Http).await?;
    ensure!(sockets(desk).await?.is_null(), "nobody speaks of sockets where there are none");
    Ok(())
}

/// R11, R29, R30: Placet is started again with cards that wait; the clicks work, and who presses a button of a call that is
/// over meanwhile, decided or run out, is told what became of it.
#[conversation(sockets)]
async fn a_click_after_a_restart_is_answered_rightly(desk: &mut Desk) -> Result<()> {
    let mut cards = Vec::new();
    for file in ["waits.txt", "denied.txt", "revoked.txt"] {
        let call = desk.agent().proposes("delete_file", json!({ "path": file })).await?;
        cards.push((call, desk.ops().next_card().await?));
    }
    let [waits, denied, revoked] = &cards[..] else { anyhow::bail!("three") };
    desk.person("chen").denies(&denied.1, "still needed").await?;
    desk.ops().expect_update(&denied.1, "still needed").await?;
    let path = format!("/v1/requests/{}/revoke", revoked.0.id);
    desk.holder("manager").post(&path, &json!({"reason": "wrong file"})).await?.expect(200)?;
    desk.ops().expect_update(&revoked.1, "wrong file").await?;
    desk.restart().await?;
    // Their clients still show the cards as they were.
    desk.person("bo").clicks(&denied.1, "Approve").await?;
    desk.person("bo").is_whispered("Chen denied this already").await?;
    desk.person("bo").clicks(&revoked.1, "Approve").await?;
    desk.person("bo").is_whispered("back already").await?;
    desk.person("bo").clicks(&waits.1, "Approve").await?;
    desk.ops().expect_update(&waits.1, "Approved").await?;
    desk.agent().runs(&waits.0).await?;
    desk.ops().expect_update(&waits.1, "Bo").await?;
    let expired = desk.agent().proposes("delete_file", json!({ "path": "expired.txt" })).await?;
    let card = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(10)).await?;
    desk.alarms().next_card().await?;
    desk.restart().await?;
    desk.passes(Ttl::from_mins(20)).await?;
    desk.ops().expect_update(&card, "nobody answered").await?;
    desk.restart().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("This has expired").await?;
    for (call, ended) in [
        (&denied.0, "no chen; denied Chen; refused bo: already_decided"),
        (&revoked.0, "revoked manager; refused bo: already_decided"),
        (&waits.0, "yes bo; approved Bo; claimed; succeeded"),
        (&expired, "alarm waits_long; expired unanswered; refused bo: already_decided"),
    ] {
        desk.reads(&call.id, &format!("proposed; checked approve; asked; {ended}")).await?;
    }
    let claim = desk.agent().tries_to_claim(&expired, &"9".repeat(40)).await.context("a claim")?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    nothing_was_wrong(desk)
}
