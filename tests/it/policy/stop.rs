//! The emergency stop.

use anyhow::{Result, ensure};
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
