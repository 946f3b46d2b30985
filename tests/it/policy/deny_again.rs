//! What was denied a moment ago.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::delete;

/// R10 and fatigue: the same call, denied a moment ago, is denied again with that reason and nobody is asked; marked as
/// asking again it gets a card that tells what happened; and after a while it is asked about as new.
#[conversation]
async fn what_was_denied_a_moment_ago_is_denied_again(desk: &mut Desk) -> Result<()> {
    let first = desk.agent().proposes_with("first", delete("a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "still needed").await?;
    desk.ops().expect_update(&card, "still needed").await?;
    let second = desk.agent().proposes_with("second", delete("a.txt", "run-2", 1)).await?;
    let told = desk.agent().reads(&second.id).await?.expect(200)?.json()?;
    let again = "denied by user: still needed (said of the same call a moment ago; nobody was asked again)";
    ensure!(told["status"] == "rejected" && told["decision"] == again, "nobody said it again: {told}");
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().len() == 1, "nobody is asked again");
    let listed = desk.holder("audit").get("/approvals").await?.expect(200)?.json()?;
    let again = &listed["approvals"][1];
    ensure!(again["by"] == "earlier" && again["of"] == first.id.as_str(), "{again}");

    let other = desk.agent().proposes_with("other", delete("b.txt", "run-2", 2)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "this one too").await?;
    desk.ops().expect_update(&card, "this one too").await?;
    desk.reads(&other.id, "proposed; checked approve; asked; no bo; denied Bo").await?;

    let mut body = delete("a.txt", "run-2", 3);
    body["ask_again"] = json!(true);
    let third = desk.agent().proposes_with("third", body).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("still needed"), "the card tells what happened before:\n{}", card.text());
    let read = desk.holder("bo-console").looks_at(&third).await?;
    ensure!(
        read["asked_before"]["how"] == "denied" && read["asked_before"]["reason"] == "still needed",
        "{read}"
    );
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&third).await?;
    desk.ops().expect_update(&card, "Bo").await?;

    desk.passes(Ttl::from_mins(11)).await?;
    let later = desk.agent().proposes_with("later", delete("b.txt", "run-3", 1)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(!card.text().contains("this one too"), "a no is not for ever:\n{}", card.text());
    desk.agent().withdraws(&later).await?.expect(200)?;
    desk.ops().expect_update(&card, "Withdrawn").await?;
    desk.reads(&second.id, "proposed; checked approve; rejected").await
}

/// Fatigue: a person who may decide wants the call asked about again: the next proposal has a card that tells what happened
/// before; nobody else can have that, and it is no yes.
#[conversation]
async fn a_person_has_it_asked_again(desk: &mut Desk) -> Result<()> {
    let first = desk.agent().proposes_with("first", delete("a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    let chen = desk.holder("chen-console");
    let early = chen.does(&first, "ask-again", json!({})).await?;
    ensure!(early.code() == "out_of_order", "nobody has said no yet: {}", early.text());
    desk.person("bo").denies(&card, "not before noon").await?;
    desk.ops().expect_update(&card, "not before noon").await?;
    let second = desk.agent().proposes_with("second", delete("a.txt", "run-2", 1)).await?;
    ensure!(desk.request(&second.id).await?.status() == placet::approval::Status::Rejected);
    let vic = desk.holder("vic-console").does(&second, "ask-again", json!({})).await?;
    ensure!(vic.code() == "not_allowed", "{}", vic.text());
    // On the no that was repeated it is about the one that people said.
    chen.does(&second, "ask-again", json!({})).await?.expect(200)?;
    let third = desk.agent().proposes_with("third", delete("a.txt", "run-2", 2)).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("not before noon"), "{}", card.text());
    let claim = desk.agent().tries_to_claim(&third, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.person("dana").denies(&card, "nor after").await?;
    desk.ops().expect_update(&card, "nor after").await?;
    let fourth = desk.agent().proposes_with("fourth", delete("a.txt", "run-2", 3)).await?;
    let told = desk.agent().reads(&fourth.id).await?.expect(200)?.json()?;
    ensure!(told["decision"].as_str().is_some_and(|told| told.contains("nor after")), "{told}");
    desk.reads(
        &first.id,
        "proposed; checked approve; asked; refused chen: out_of_order; no bo; denied Bo; blocked vic ask_anew: not_allowed; to be asked \
         again chen",
    )
    .await
}

/// R17, R25, R44: who looks after all by the policy revokes with a credential of their own; nobody else's does.
#[conversation]
async fn a_steward_revokes_with_their_own_credential(desk: &mut Desk) -> Result<()> {
    desk.has_credential("sam-console", placet_tests::desk::TENANT, &[placet::ports::Scope::Decide]).await?;
    let call = desk.agent().proposes_with("first", delete("a.txt", "run-1", 1)).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let chen = desk.holder("chen-console").does(&call, "revoke", json!({"reason": "no"})).await?;
    ensure!(chen.code() == "not_allowed", "{}", chen.text());
    desk.holder("sam-console")
        .does(&call, "revoke", json!({"reason": "the disk is not full"}))
        .await?
        .expect(200)?;
    desk.ops().expect_update(&card, "the disk is not full").await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    Ok(())
}
