//! A policy that takes force while facts are read: what was read, and what was judged by them, belongs to the one before.

use anyhow::{Result, ensure};
use futures::future::join;
use placet_tests::fake_oncall::Held;
use placet_tests::http::Answer;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// PagerDuty's user who is Bo, and one who is Ana, for whom the agent asks.
const BO: &str = "PBO0001";
const ANA: &str = "PANA001";

/// Whoever is on call by PagerDuty decides what is graded high. Bo is; whether Ana is must be read too, for the agent asks
/// with an account of hers.
async fn by_pagerduty(desk: &Desk) -> Result<()> {
    desk.pagerduty().puts_on_call(("PESCAL1", 1), BO, None);
    desk.has_policy(|policy| {
        let high = "[levels.high]\ntier = \"approve\"\nrole = ";
        let policy =
            policy.replace(&format!("{high}\"admin\"\n"), &format!("{high}\"on_call\"\nmay_edit = true\n"));
        let policy = policy.replace("id = \"bo\"\n", &format!("id = \"bo\"\npagerduty = [\"{BO}\"]\n"));
        let policy = policy.replace("id = \"ana\"\n", &format!("id = \"ana\"\npagerduty = [\"{ANA}\"]\n"));
        let policy = policy.replace("[\"ana-console\"]", "[\"ana-console\", \"agent\"]");
        format!("{policy}\n[[on_call]]\nname = \"pager\"\nrole = \"on_call\"\npagerduty = \"PESCAL1\"\n")
    })
    .await
}

/// Nothing is deleted any more.
fn without_deletes(policy: String) -> String {
    let forbid = "[[forbid]]\nname = \"no deletes\"\ntools = [\"delete_*\"]\nwhen = \"args.path != ''\"\nbecause = \"Nothing is deleted this week.\"\n\n";
    policy.replacen("[[forbid]]\n", &format!("{forbid}[[forbid]]\n"), 1)
}

/// By PagerDuty Bo is nobody any more.
fn without_bo(policy: String) -> String {
    policy.replace(&format!("pagerduty = [\"{BO}\"]\n"), "")
}

/// Somebody waits for PagerDuty, and meanwhile the policy becomes another.
async fn meanwhile(
    desk: &Desk,
    held: &Held,
    waits: impl Future<Output = Result<Answer>>,
    change: impl FnOnce(String) -> String,
) -> Result<Answer> {
    let (answer, changed) = join(waits, async {
        held.is_asked().await;
        let changed = desk.changes_policy(change).await;
        held.lets_go();
        changed
    })
    .await;
    changed?;
    answer
}

/// R14: what is proposed is judged by the policy that is in force when it is kept, not by the one that was when Placet began
/// to read who asks.
#[conversation]
async fn a_proposal_is_judged_by_the_policy_that_took_force_meanwhile(desk: &mut Desk) -> Result<()> {
    by_pagerduty(desk).await?;
    let held = desk.pagerduty().is_held();
    let body = json!({"tool": "delete_file", "args": {"path": "a.txt"}, "task": "t", "reason": "r"});
    let agent = desk.agent();
    let answer = meanwhile(desk, &held, agent.tries_to_propose(Some("key"), &body), without_deletes).await?;
    let told = answer.json()?;
    ensure!(told["status"] == "rejected", "{told}");
    ensure!(told["decision"] == "denied by policy: Nothing is deleted this week.", "{told}");
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().is_empty(), "nobody is asked");
    desk.reads(told["id"].as_str().unwrap_or_default(), "proposed; checked forbid; rejected").await
}

/// R7, R17: a vote counts for what its giver is by the policy in force when it is counted.
#[conversation]
async fn a_vote_counts_by_the_policy_that_took_force_meanwhile(desk: &mut Desk) -> Result<()> {
    by_pagerduty(desk).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.holder("bo-console");
    bo.looks_at(&call).await?;
    desk.clock().passes(placet::time::Ttl::from_secs(61));
    let held = desk.pagerduty().is_held();
    let yes = json!({"requestId": call.id, "approved": true});
    let answer = meanwhile(desk, &held, bo.post("/approvals", &yes), without_bo).await?;
    ensure!(answer.code() == "wrong_role", "{} {}", answer.status, answer.text());
    let request = desk.request(&call.id).await?;
    ensure!(request.votes.is_empty(), "{:?}", request.votes);
    let card = desk.ops().expect_update(&card, "none yet").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("on_call").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo approve: wrong_role; blocked bo approve: wrong_role",
    )
    .await
}

/// R7, R14: a claim is looked at by the policy in force when it is given: what that forbids is not started.
#[conversation]
async fn a_claim_is_looked_at_by_the_policy_that_took_force_meanwhile(desk: &mut Desk) -> Result<()> {
    by_pagerduty(desk).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.clock().passes(placet::time::Ttl::from_secs(61));
    let held = desk.pagerduty().is_held();
    let (agent, key) = (desk.agent(), "1".repeat(40));
    let claim = meanwhile(desk, &held, agent.tries_to_claim(&call, &key), without_bo).await?;
    ensure!(claim.code() == "approver_lapsed", "{} {}", claim.status, claim.text());
    desk.ran_times(&call, 0)
}

/// R39, R17: nor is an edit judged by the policy of before, or taken from somebody who may not edit by now.
#[conversation]
async fn an_edit_is_judged_by_the_policy_that_took_force_meanwhile(desk: &mut Desk) -> Result<()> {
    by_pagerduty(desk).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.clock().passes(placet::time::Ttl::from_secs(61));
    let held = desk.pagerduty().is_held();
    let (bo, args) = (desk.holder("bo-console"), json!({"args": {"path": "b.txt"}}));
    let answer = meanwhile(desk, &held, bo.does(&call, "edit", args), without_bo).await?;
    ensure!(answer.code() == "wrong_role", "{} {}", answer.status, answer.text());
    let request = desk.request(&call.id).await?;
    ensure!(request.is_open(), "{:?}", request.state);
    desk.ops().expect_update(&card, "none yet").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; blocked bo supersede: wrong_role").await
}

/// R44, R17: a stop is lifted by who may lift it by the policy in force when it is lifted.
#[conversation]
async fn a_stop_is_lifted_by_the_policy_that_took_force_meanwhile(desk: &mut Desk) -> Result<()> {
    by_pagerduty(desk).await?;
    desk.has_policy(|policy| {
        policy.replace("stewards = [\"operator\"]", "stewards = [\"operator\", \"on_call\"]")
    })
    .await?;
    let stop = desk.holder("manager").stops(json!({"scope": "tenant", "reason": "an incident"})).await?;
    desk.alarms().next_card().await?;
    let held = desk.pagerduty().is_held();
    let answer = meanwhile(desk, &held, desk.holder("bo-console").lifts(&stop), without_bo).await?;
    ensure!(answer.code() == "not_allowed", "{} {}", answer.status, answer.text());
    let stops = desk.holder("audit").get("/v1/stops").await?.expect(200)?.json()?;
    ensure!(stops["stops"][0]["id"] == stop.as_str(), "{stops}");
    Ok(())
}
