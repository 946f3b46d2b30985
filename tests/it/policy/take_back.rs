//! A vote that is taken back before it is decided.

use anyhow::{Result, ensure};
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R18, R29: one of two takes their yes back on the card, as they had given it; the card counts none, nothing can be
/// claimed, and it takes two others to complete it.
#[conversation]
async fn a_yes_is_taken_back_on_the_card(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.button("Take").is_err(), "there is nothing to take back yet");
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    // A message is the same for everybody: who has said nothing is told so.
    desk.person("chen").clicks(&card, "Take my vote back").await?;
    desk.person("chen").is_whispered("no vote on this").await?;
    desk.person("bo").clicks(&card, "Take my vote back").await?;
    let card = desk.ops().expect_update(&card, "none yet").await?;
    ensure!(!card.text().contains("Bo"), "{}", card.text());
    ensure!(desk.request(&call.id).await?.votes.is_empty());
    desk.person("chen").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.person("dana").clicks(&card, "Approve").await?;
    let done = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(!done.has_buttons(), "{}", done.text());
    // Too late: what is decided is revoked, not unsaid. The button is that of the card as it was.
    let take_back = card.button("Take my vote back")?;
    desk.person("chen").forges(&card, &take_back).await?;
    desk.person("chen").is_whispered("approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Dana").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; refused chen: no_vote; taken back bo; yes chen; blocked agent claim: \
         not_approved; yes dana; approved Chen, Dana; refused chen: already_decided; claimed; succeeded",
    )
    .await
}

/// R18: what was said in Slack is taken back over HTTP by the same person, and the other way round; a no can be taken back
/// as long as it takes two to reject; after the decision neither can.
#[conversation]
async fn a_vote_is_taken_back_from_another_account(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replacen("count = 2\n", "count = 2\ndenials_to_reject = 2\n", 1)).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    let bo = desk.holder("bo-console");
    let taken = bo.does(&call, "take-back", json!({})).await?.expect(200)?.json()?;
    ensure!(taken["status"] == "waiting_approval", "{taken}");
    desk.ops().expect_update(&card, "none yet").await?;
    let again = bo.does(&call, "take-back", json!({})).await?;
    ensure!(again.code() == "no_vote", "{}", again.text());

    desk.holder("chen-console").rejects(&call, "not on a Monday").await?;
    let card = desk.ops().expect_update(&card, "not on a Monday").await?;
    desk.person("chen").clicks(&card, "Take my vote back").await?;
    let card = desk.ops().expect_update(&card, "none yet").await?;
    ensure!(!card.text().contains("not on a Monday"), "{}", card.text());
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    desk.holder("dana-console").approves(&call).await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let late = desk.holder("dana-console").does(&call, "take-back", json!({})).await?;
    ensure!(late.status == 404 || late.code() == "already_decided", "{} {}", late.status, late.text());
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; taken back bo; refused bo: no_vote; no chen; taken back chen; yes chen; \
         yes dana; approved Chen, Dana; refused dana: already_decided",
    )
    .await
}

/// R18, R30: Slack delivers the click once more, after the vote was taken back: what is over for who gave it does not count
/// again, and nobody is told of it; a new click is a new vote.
#[conversation(sockets)]
async fn a_yes_that_is_delivered_again_stays_taken_back(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    let payload =
        desk.slack().click_payload(&desk.person("bo").user(), &card.message, &card.button("Approve")?);
    let click = desk.slack().signed(&payload);
    desk.delivers(&click).await?.expect(200)?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("bo").clicks(&card, "Take my vote back").await?;
    let card = desk.ops().expect_update(&card, "none yet").await?;
    for restarts in [false, true] {
        if restarts {
            desk.restart().await?;
        }
        desk.delivers(&click).await?.expect(200)?;
        desk.work_until_idle().await?;
        ensure!(desk.request(&call.id).await?.votes.is_empty(), "it counts again");
    }
    desk.person("chen").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; taken back bo; yes chen; blocked agent claim: not_approved; yes bo; \
         approved Chen, Bo",
    )
    .await
}
