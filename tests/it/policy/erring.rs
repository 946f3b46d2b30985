//! Conditions that cannot be evaluated on what an agent sent.

use anyhow::{Context as _, Result, ensure};
use placet::policy::Level;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// Payments: harmless below a hundred, forbidden above a million.
fn payments(policy: String) -> String {
    let policy = policy.replacen(
        "[[rule]]\n",
        "[[rule]]\nname = \"small payments\"\ntools = [\"pay\"]\nwhen = 'amount < 100'\nlevel = \"low\"\nbecause = \
         \"Small change.\"\n\n[[rule]]\n",
        1,
    );
    format!("{policy}\n[tools.pay]\ntitle = \"Pay {{to}}\"\namount = 'args.amount'\n")
}

/// R14, R27: the amount is text that looks like a number. The rule that would let small ones through cannot
/// tell, people are asked, and the card says which rule erred and why.
#[conversation]
async fn a_rule_that_errs_asks_people_and_the_card_says_so(desk: &mut Desk) -> Result<()> {
    desk.has_policy(payments).await?;
    let small = desk.agent().proposes("pay", json!({"to": "Ada", "amount": 20})).await?;
    desk.agent().runs(&small).await?;
    let odd = desk.agent().proposes("pay", json!({"to": "Eve", "amount": "9e9"})).await?;
    let card = desk.ops().next_card().await?;
    let text = card.text();
    for shown in ["rule small payments", "could not be evaluated", "stricter way", "\"9e9\""] {
        ensure!(text.contains(shown), "no {shown} on:\n{text}");
    }
    let claim = desk.agent().tries_to_claim(&odd, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    let request = desk.request(&odd.id).await?;
    let verdict = request.verdict.as_deref().context("a verdict")?;
    ensure!(verdict.level == Level::High, "the default, not the rule's low: {verdict:?}");
    let erred = verdict.rules.iter().find(|hit| hit.rule == "small payments").context("the rule")?;
    ensure!(erred.error.is_some(), "{erred:?}");
    let told = desk.agent().reads(&odd.id).await?.expect(200)?.text();
    ensure!(!told.contains("small payments"), "who asks is not told how to get through: {told}");
    desk.person("bo").denies(&card, "that is no amount").await?;
    desk.ops().expect_update(&card, "that is no amount").await?;
    desk.ran_times(&small, 1)?;
    desk.reads(
        &odd.id,
        "proposed; checked approve; asked; blocked agent claim: not_approved; no bo; denied Bo",
    )
    .await
}

/// R14: what forbids and cannot tell forbids: no yes of anybody lets it run, and the record says that it erred.
#[conversation]
async fn a_forbid_that_errs_denies(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        payments(policy).replacen(
            "[[forbid]]\n",
            "[[forbid]]\nname = \"fortunes\"\ntools = [\"pay\"]\nwhen = 'amount > 1000000'\nbecause = \"Nobody pays that by \
             a bot.\"\n\n[[forbid]]\n",
            1,
        )
    })
    .await?;
    let fine = desk.agent().proposes("pay", json!({"to": "Ada", "amount": 20})).await?;
    desk.agent().runs(&fine).await?;
    for amount in [json!("9e9"), json!(null), json!([20]), json!({"value": 20}), json!("20")] {
        let call = desk.agent().proposes("pay", json!({"to": "Eve", "amount": amount})).await?;
        let told = desk.agent().reads(&call.id).await?.expect(200)?.json()?;
        ensure!(told["status"] == "rejected", "{amount}: {told}");
        ensure!(told["decision"] == "denied by policy: Nobody pays that by a bot.", "{told}");
        let claim = desk.agent().tries_to_claim(&call, &"2".repeat(40)).await?;
        ensure!(claim.code() == "not_approved", "{}", claim.text());
        let request = desk.request(&call.id).await?;
        let hit = request.verdict.as_deref().and_then(|verdict| verdict.rules.first().cloned());
        let hit = hit.context("a rule")?;
        ensure!(hit.rule == "fortunes" && hit.error.is_some(), "{hit:?}");
    }
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().is_empty(), "nobody is asked");
    desk.ran_times(&fine, 1)
}
