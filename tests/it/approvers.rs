//! Who must say yes, and in which order: groups, stages, ladders.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// What a level says in the desk's policy, and what it says in a conversation.
const CRITICAL: &str = "[levels.critical]\ntier = \"approve\"\nrole = \"admin\"\ncount = 2\n";

/// R17, R18: two admins and somebody of finance, all at once; whoever has two accounts is one person, also on two
/// surfaces, and the last to come completes it.
#[conversation]
async fn two_groups_decide_together_and_two_accounts_are_one_person(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replace(
            CRITICAL,
            "[levels.critical]\ntier = \"approve\"\nstages = [[{ role = \"admin\", count = 2 }, { role = \"finance\", \
             count = 1 }]]\n",
        )
    })
    .await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    // The same person once more, by the other account: one vote.
    let console = desk.holder("bo-console");
    console.reads(&call.id).await?.expect(200)?;
    let again = console.post("/approvals", &json!({"requestId": call.id, "approved": true})).await?;
    ensure!(again.code() == "already_voted", "{}", again.text());
    desk.person("fay").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "2 admins (1 of 2 so far)").await?;
    ensure!(card.has_buttons(), "an admin is still missing:\n{}", card.text());
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Fay").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; yes fay; yes chen; approved Bo, Fay, Chen; claimed; succeeded",
    )
    .await
}

/// R18: first the team, then finance: finance's yes does not count before the team's, and the card says who is asked.
#[conversation]
async fn finance_is_asked_after_the_team(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replace(
            CRITICAL,
            "[levels.critical]\ntier = \"approve\"\nstages = [[{ role = \"admin\", count = 1 }], [{ role = \"finance\", \
             count = 1 }]]\n",
        )
    })
    .await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("admin"), "{}", card.text());
    desk.person("fay").clicks(&card, "Approve").await?;
    desk.person("fay").is_whispered("Only").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "finance").await?;
    ensure!(card.has_buttons());
    // The next stage's people may not have looked yet.
    desk.ops().skims();
    desk.person("fay").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked fay approve: wrong_role; yes bo; yes fay; approved Bo, Fay",
    )
    .await
}

/// R10, R16: nobody decides; first the operators may, then finance too, each once, across a restart; the deadline does
/// not move.
#[conversation]
async fn a_ladder_is_climbed_twice_across_a_restart(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replace(
            "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n",
            "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\nescalation = [{ after = \"5m\", to = [\"operator\"] }, { \
             after = \"15m\", to = [\"finance\"] }]\n",
        )
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("sam").clicks(&card, "Approve").await?;
    desk.person("sam").is_whispered("Only").await?;
    desk.passes(Ttl::from_mins(5)).await?;
    let told = desk.ops().next_card().await?;
    ensure!(told.text().contains("operator"), "{}", told.text());
    desk.restart().await?;
    desk.passes(Ttl::from_mins(10)).await?;
    let told = desk.ops().next_card().await?;
    ensure!(told.text().contains("finance"), "{}", told.text());
    desk.alarms().skims();
    desk.person("fay").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.work_until_idle().await?;
    desk.ops().skims();
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked sam approve: wrong_role; escalated 1; alarm waits_long; escalated 2; \
         yes fay; approved Fay; claimed; succeeded",
    )
    .await
}

/// R10: no worker runs, and still who is due is asked, and who is late is late.
#[conversation]
async fn deadlines_hold_without_a_worker(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replace(
            "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n",
            "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\nescalation = [{ after = \"5m\", to = [\"operator\"] }]\n",
        )
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let late = desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    desk.ops().next_card().await?;
    desk.ops().next_card().await?;
    // Fresh facts about Sam, so that a vote is decided in the commit that keeps it.
    desk.has_credential("sam-console", "acme", &[placet::ports::Scope::Decide]).await?;
    let console = desk.holder("sam-console");
    desk.clock().passes(Ttl::from_mins(6));
    console.reads(&call.id).await?.expect(200)?;
    console.post("/approvals", &json!({"requestId": call.id, "approved": true})).await?.expect(200)?;
    desk.clock().passes(Ttl::from_mins(30));
    console.reads(&late.id).await?.expect(200)?;
    let answer = console.post("/approvals", &json!({"requestId": late.id, "approved": true})).await?;
    ensure!(answer.status == 404 || answer.code() == "too_late", "{}", answer.text());
    desk.work_until_idle().await?;
    desk.ops().skims();
    desk.alarms().skims();
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; escalated 1; yes sam; approved Sam; expired unused",
    )
    .await
}

/// R10: who is asked is reminded, once for each span, as long as nobody has decided.
#[conversation]
async fn who_is_asked_is_reminded(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replace(
            "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n",
            "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\nremind_after = [\"4m\", \"8m\"]\n",
        )
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(4)).await?;
    let told = desk.ops().next_card().await?;
    ensure!(told.text().contains("still waits"), "{}", told.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.passes(Ttl::from_mins(5)).await?;
    ensure!(desk.ops().messages().len() == 2, "nobody is reminded of what is decided");
    desk.reads(&call.id, "proposed; checked approve; asked; reminded 1; yes bo; approved Bo").await
}

/// R18: where it takes two to reject, one no among two admins ends nothing, is on the card, and is nobody's yes; a second
/// one, of anybody who is asked, ends it. Somebody who is not asked has no no either.
#[conversation]
async fn it_takes_two_to_reject(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace(CRITICAL, &format!("{CRITICAL}denials_to_reject = 2\n"))).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "not on a Monday").await?;
    let card = desk.ops().expect_update(&card, "Bo said no").await?;
    ensure!(card.has_buttons() && card.text().contains("not on a Monday"), "{}", card.text());
    // The same person once more, by the other account, is still one no.
    let console = desk.holder("bo-console");
    let again = console.post("/approvals", &json!({"requestId": call.id, "approved": false})).await?;
    ensure!(again.code() == "already_voted", "{}", again.text());
    desk.person("vic").denies(&card, "nor me").await?;
    desk.person("vic").is_whispered("Only").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.person("dana").denies(&card, "after the audit").await?;
    let card = desk.ops().expect_update(&card, "Denied").await?;
    ensure!(
        card.text().contains("not on a Monday") && card.text().contains("after the audit"),
        "{}",
        card.text()
    );
    let told = desk.agent().reads(&call.id).await?.expect(200)?.json()?;
    ensure!(told["decision"] == "denied by user: after the audit", "{told}");
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; no bo; blocked vic deny: wrong_role; yes chen; blocked agent claim: not_approved; \
         no dana; denied Bo, Dana",
    )
    .await
}

/// R18: one no below the threshold does not keep two others from saying yes.
#[conversation]
async fn one_no_below_the_threshold_is_outvoted(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace(CRITICAL, &format!("{CRITICAL}denials_to_reject = 2\n"))).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "I would wait").await?;
    desk.ops().expect_update(&card, "Bo said no").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Chen said yes").await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "ran").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; no bo; yes chen; yes dana; approved Chen, Dana; claimed; succeeded",
    )
    .await
}

/// R16, R17, R18: somebody stands in for finance at the second stage: not before it is asked, and not as two people, once
/// for the team and once for finance.
#[conversation]
async fn a_stand_in_takes_the_second_stage(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        let stages = "[levels.critical]\ntier = \"approve\"\nstages = [[{ role = \"admin\", count = 1 }], [{ role = \
                      \"finance\", count = 1 }]]\n";
        let policy = policy.replace(CRITICAL, stages);
        // Fay is away today, and has left it to Dana, who is an admin too, and to nobody else.
        let away = "id = \"fay\"\naway = [{ from = 2026-11-30, until = 2026-12-01, stand_in = \"dana\" }]\n";
        policy.replace("id = \"fay\"\n", away)
    })
    .await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "finance").await?;
    ensure!(card.has_buttons(), "one person is not two:\n{}", card.text());
    desk.ops().skims();
    desk.person("dana").clicks(&card, "Approve").await?;
    desk.person("dana").is_whispered("counts once").await?;
    desk.person("fay").clicks(&card, "Approve").await?;
    desk.person("fay").is_whispered("away").await?;
    // Another admin takes Dana's place in the team, so that hers is free for finance.
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(card.text().contains("Dana for Fay"), "{}", card.text());
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "ran").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes dana; blocked fay approve: no_standing; yes bo; approved Dana, Bo; claimed; \
         succeeded",
    )
    .await
}
