//! The main job: propose, card, signed click, claim, run once, and the card becomes the record.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R7, R21, R22, R24, R27, R29, R30: one yes releases one call, once, with exactly those arguments.
#[conversation(sockets)]
async fn one_yes_releases_one_call(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "demo-notes/scratch.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let text = card.text();
    for words in
        ["Delete demo-notes/scratch.txt", "HIGH", "clean up old files", "Deleting cannot be undone", "admin"]
    {
        ensure!(text.contains(words), "{words:?} is missing on the card:\n{text}");
    }
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(!card.has_buttons(), "an approved card has nothing to press:\n{}", card.text());
    desk.agent().runs(&call).await?;
    let card = desk.ops().expect_update(&card, "Bo").await?;
    ensure!(!card.has_buttons());
    desk.ran_times(&call, 1)?;
    let again = desk.agent().tries_to_claim(&call, &"9".repeat(40)).await?;
    ensure!(again.status == 409 && again.code() == "already_claimed", "{}", again.text());
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; succeeded; blocked agent claim: already_claimed").await
}

/// R8, R27, R30: a no with a reason; the agent reads the reason and no name.
#[conversation(sockets)]
async fn a_no_comes_with_its_reason(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("chen").denies(&card, "still needed").await?;
    let card = desk.ops().expect_update(&card, "still needed").await?;
    ensure!(!card.has_buttons());
    let answer = desk.agent().reads(&call.id).await?.expect(200)?;
    ensure!(answer.text().contains("denied by user: still needed"), "{}", answer.text());
    ensure!(!answer.text().contains("Chen"), "names are not for the agent: {}", answer.text());
    let claim = desk.agent().tries_to_claim(&call, &"9".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; no chen; denied Chen; blocked agent claim: not_approved",
    )
    .await
}

/// R18: two distinct people release one deploy.
#[conversation(sockets)]
async fn two_people_release_one_deploy(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("already").await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("admin").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.work_until_idle().await?;
    desk.ops().expect_update(&card, "Chen").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; blocked vic approve: wrong_role; yes chen; approved Bo, Chen; claimed; succeeded").await
}

/// R1: auto runs at once and asks nobody; forbid never runs.
#[conversation]
async fn harmless_calls_interrupt_nobody(desk: &mut Desk) -> Result<()> {
    let read = desk.agent().proposes("read_file", json!({"path": "a.txt"})).await?;
    desk.agent().runs(&read).await?;
    desk.ran_times(&read, 1)?;
    let note = desk.agent().proposes("write_note", json!({"text": "x"})).await?;
    desk.agent().runs(&note).await?;
    let never = desk.agent().proposes("drop_table", json!({"table": "users"})).await?;
    let claim = desk.agent().tries_to_claim(&never, &"9".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    let answer = desk.agent().reads(&never.id).await?;
    ensure!(
        answer.text().contains("denied by policy: Tables are dropped by migrations only."),
        "{}",
        answer.text()
    );
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().is_empty(), "nobody is asked");
    desk.reads(&read.id, "proposed; checked auto; claimed; succeeded").await?;
    desk.reads(&never.id, "proposed; checked forbid; rejected; blocked agent claim: not_approved").await
}

/// R10, R29: nobody answers; it is a no by time, alarmed before, the card says so, and the next card that it is the second.
#[conversation]
async fn silence_is_a_no_and_is_said(desk: &mut Desk) -> Result<()> {
    let args = json!({"path": "a.txt"});
    let call = desk.agent().proposes("delete_file", args.clone()).await?;
    let card = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(10)).await?;
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("delete_file"), "{}", alarm.text());
    desk.passes(Ttl::from_mins(20)).await?;
    let card = desk.ops().expect_update(&card, "nobody answered").await?;
    ensure!(!card.has_buttons());
    let answer = desk.agent().reads(&call.id).await?;
    ensure!(answer.text().contains("denied: approval timed out"), "{}", answer.text());
    desk.reads(&call.id, "proposed; checked approve; asked; alarm waits_long; expired unanswered").await?;
    desk.agent().proposes("delete_file", args).await?;
    let second = desk.ops().next_card().await?;
    ensure!(
        second.text().contains("second time"),
        "the second card says that it is the second:\n{}",
        second.text()
    );
    Ok(())
}

/// R25, R29: a revoke made elsewhere shows on the card, which has no buttons any more.
#[conversation(sockets)]
async fn a_revoke_shows_everywhere(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let path = format!("/v1/requests/{}/revoke", call.id);
    desk.agent().post(&path, &json!({})).await?.expect(403)?;
    desk.holder("manager").post(&path, &json!({"reason": "wrong file"})).await?.expect(200)?;
    let card = desk.ops().expect_update(&card, "wrong file").await?;
    ensure!(!card.has_buttons());
    desk.reads(&call.id, "proposed; checked approve; asked; revoked manager").await
}

/// R11: the process is killed while the card waits; another one takes the click, and the call runs once.
#[conversation(sockets)]
async fn a_card_outlives_the_process(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.restart().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    desk.restart().await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; succeeded").await
}

/// R21: the executor dies: nobody knows, an operator is told, somebody settles; nothing is retried by itself.
#[conversation]
async fn an_unknown_outcome_is_settled_by_somebody(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().claims(&call).await?;
    desk.passes(Ttl::from_mins(2)).await?;
    let alarm = desk.alarms().next_card().await?;
    ensure!(alarm.text().contains("delete_file"), "{}", alarm.text());
    desk.ops().expect_update(&card, "Nobody knows").await?;
    let settle = json!({"status": "succeeded", "reason": "looked: the file is gone"});
    let path = format!("/v1/requests/{}/settle", call.id);
    desk.agent().post(&path, &settle).await?.expect(403)?;
    desk.holder("manager").post(&path, &settle).await?.expect(200)?;
    desk.work_until_idle().await?;
    desk.ops().skims();
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; unknown; alarm outcome_unknown; settled manager succeeded").await
}

/// R14: a policy that became stricter while nobody was at work is obeyed by the next start, whatever was approved before.
#[conversation]
async fn a_stricter_policy_stops_what_was_approved(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let harmless = desk.agent().proposes("read_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.has_policy(|policy| {
        let stricter =
            policy.replace("tools = [\"get_*\", \"read_*\", \"add\"]", "tools = [\"get_*\", \"add\"]");
        stricter.replacen("role = \"admin\"\n", "role = \"admin\"\ncount = 2\n", 1)
    })
    .await?;
    for call in [&call, &harmless] {
        let claim = desk.agent().tries_to_claim(call, &"1".repeat(40)).await?;
        ensure!(claim.code() == "not_approved", "{}: {}", call.tool, claim.text());
    }
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; approved Bo; rejudged; blocked agent claim: not_approved",
    )
    .await?;
    desk.ops().expect_update(&card, "stricter").await?;
    Ok(())
}

/// R16: where people are asked is the policy's; an agent that would like its card elsewhere is on
/// record with it, and moves nothing.
#[conversation]
async fn an_agents_wish_for_a_place_moves_no_card(desk: &mut Desk) -> Result<()> {
    let elsewhere = desk.slack().channel("quiet");
    for wish in [elsewhere.as_str(), "#quiet", "slack/quiet", "nowhere"] {
        let body = json!({
            "tool": "delete_file",
            "args": {"path": format!("{wish}.txt")},
            "task": "clean up old files in the project",
            "reason": "nobody needs it",
            "place": wish,
        });
        let call = desk.agent().proposes_with(&format!("wish {wish}"), body).await?;
        let card = desk.ops().next_card().await?;
        ensure!(card.text().contains(&format!("{wish}.txt")), "{}", card.text());
        let request = desk.request(&call.id).await?;
        ensure!(request.proposal.place.as_deref() == Some(wish));
        let places =
            request.verdict.as_ref().and_then(|verdict| verdict.terms.as_ref()).map(|terms| &terms.places);
        ensure!(
            places.is_some_and(|places| places.iter().all(|place| place.channel != elsewhere)),
            "{places:?}"
        );
        desk.person("bo").denies(&card, "not needed").await?;
        desk.ops().expect_update(&card, "not needed").await?;
    }
    let posts = desk.slack().calls_of("chat.postMessage");
    ensure!(
        posts.len() == 4 && posts.iter().all(|post| post["channel"] == posts[0]["channel"]),
        "{posts:#?}"
    );
    ensure!(posts[0]["channel"] != elsewhere.as_str());
    Ok(())
}
