//! The emergency stop.

use anyhow::{Result, ensure};
use placet::approval::Actor;
use placet::hold::HoldScope;
use placet::ports::Scope;
use placet_tests::desk::TENANT;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R44: calls are stopped between approval and claim; nothing is claimed, over a restart too, and operators are told; lifted
/// again, it runs once.
#[conversation]
async fn nothing_starts_between_a_stop_and_its_end(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let harmless = desk.agent().proposes("get_time", json!({})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let bo = desk.holder("bo-console").post("/v1/stops", &json!({"scope": "tenant", "reason": "r"})).await?;
    ensure!(bo.code() == "not_allowed", "an admin is no operator here: {}", bo.text());
    let stop = desk.holder("manager").stops(json!({"scope": "tenant", "reason": "an incident"})).await?;
    let told = desk.alarms().next_card().await?;
    ensure!(told.text().contains("an incident"), "{}", told.text());
    desk.restart().await?;
    for call in [&call, &harmless] {
        let claim = desk.agent().tries_to_claim(call, &"7".repeat(40)).await?;
        ensure!(claim.status == 409 && claim.code() == "held", "{}", claim.text());
        ensure!(claim.text().contains("an incident"), "{}", claim.text());
    }
    ensure!(desk.holder("audit").get("/v1/stops").await?.json()?["stops"][0]["id"] == stop.as_str());
    desk.holder("manager").lifts(&stop).await?.expect(200)?;
    desk.agent().runs(&call).await?;
    desk.agent().runs(&harmless).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; approved Bo; blocked agent claim: held; claimed; succeeded",
    )
    .await
}

/// R44: one tool is stopped, and only that.
#[conversation]
async fn a_stop_of_a_tool_stops_no_other(desk: &mut Desk) -> Result<()> {
    let stop = desk
        .holder("manager")
        .stops(json!({"scope": "tool", "name": "read_file", "reason": "leaks"}))
        .await?;
    let _ = desk.alarms().next_card().await?;
    let read = desk.agent().proposes("read_file", json!({"path": "a.txt"})).await?;
    let claim = desk.agent().tries_to_claim(&read, &"7".repeat(40)).await?;
    ensure!(claim.code() == "held", "{}", claim.text());
    let add = desk.agent().proposes("add", json!({"a": 1, "b": 2})).await?;
    desk.agent().runs(&add).await?;
    desk.holder("manager").lifts(&stop).await?.expect(200)?;
    desk.agent().runs(&read).await?;
    desk.ran_times(&read, 1)
}

/// R44: one agent is stopped, whatever it asks, and no other; a stop of everything holds another tenant's calls too, and
/// nobody of a tenant lifts it.
#[conversation]
async fn a_stop_of_an_agent_and_one_of_everything(desk: &mut Desk) -> Result<()> {
    let propose = [Scope::Propose, Scope::Execute];
    desk.has_credential("second", TENANT, &propose).await?;
    desk.has_credential("elsewhere", "globex", &propose).await?;
    let ask = json!({"scope": "agent", "name": "agent", "reason": "it runs wild"});
    let stop = desk.holder("manager").stops(ask).await?;
    ensure!(desk.alarms().next_card().await?.text().contains("it runs wild"));
    let held = desk.agent().proposes("add", json!({"a": 1, "b": 2})).await?;
    let claim = desk.agent().tries_to_claim(&held, &"7".repeat(40)).await?;
    ensure!(claim.code() == "held" && claim.text().contains("it runs wild"), "{}", claim.text());
    let free = desk.holder("second").proposes("add", json!({"a": 1, "b": 2})).await?;
    desk.holder("second").runs(&free).await?;
    desk.holder("manager").lifts(&stop).await?.expect(200)?;
    desk.agent().runs(&held).await?;

    let why = (Actor::Placet, "an emergency".to_owned());
    let everything = desk.app()?.gate.hold(None, HoldScope::All, why).await?.hold;
    ensure!(desk.alarms().next_card().await?.text().contains("an emergency"));
    desk.restart().await?;
    let mut calls = Vec::new();
    for name in ["agent", "second", "elsewhere"] {
        let call = desk.holder(name).proposes("add", json!({"a": 3, "b": 4})).await?;
        let claim = desk.holder(name).tries_to_claim(&call, &"8".repeat(40)).await?;
        ensure!(claim.code() == "held", "{name}: {}", claim.text());
        calls.push((name, call));
    }
    let lifted = desk.holder("manager").lifts(&everything.id.to_string()).await?;
    ensure!(lifted.status == 404, "{}", lifted.text());
    desk.app()?.gate.lift(None, everything.id, Actor::Placet).await?;
    for (name, call) in &calls {
        desk.holder(name).runs(call).await?;
    }
    Ok(())
}
