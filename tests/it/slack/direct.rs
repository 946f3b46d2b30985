//! Those who are asked are told directly, where the policy says so.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::{Fault, TEAM_ID};
use placet_tests::{Desk, conversation};
use serde_json::json;

fn tells(policy: String) -> String {
    policy.replacen(
        "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n",
        "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\ntell_directly = true\nescalation = [{ after = \"8m\", to = \
         [\"operator\"] }]\n",
        1,
    )
}

/// R16, R30: each admin is told once, in a message of their own that names the channel; who is asked later is told later;
/// the card stays one.
#[conversation]
async fn who_is_asked_is_told_directly(desk: &mut Desk) -> Result<()> {
    desk.has_policy(tells).await?;
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let ops = desk.ops().id().to_owned();
    for name in ["bo", "chen", "dana"] {
        let told = desk.person(name).is_told("You are asked to decide").await?;
        ensure!(told.message.text.contains(&format!("<#{ops}>")), "{:?}", told.message);
        ensure!(!told.has_buttons() && !told.text().contains("a.txt"), "{}", told.text());
    }
    desk.passes(Ttl::from_mins(8)).await?;
    desk.person("sam").is_told("You are asked to decide").await?;
    desk.person("bo").denies(&card, "still needed").await?;
    desk.ops().expect_update(&card, "still needed").await?;
    for name in ["bo", "chen", "dana", "sam"] {
        let direct = format!("D{}", &desk.person(name).user()[1..]);
        ensure!(desk.slack().messages(&direct).len() == 1, "{name} is told once");
    }
    desk.ops().skims();
    Ok(())
}

/// R16, R17, R18: members of a group are told too; who asked is not, for they may not decide; one whose message fails gets it
/// later, and the others not twice.
#[conversation]
async fn a_groups_members_are_told_and_who_asked_is_not(desk: &mut Desk) -> Result<()> {
    let group = desk.slack().user_group("admins", &["fay"]);
    desk.has_policy(|policy| {
        format!("{}\n[[groups]]\nslack = \"{TEAM_ID}/{group}\"\nroles = [\"admin\"]\n", tells(policy))
    })
    .await?;
    desk.has_gateway("gateway").await?;
    let body = json!({
        "tool": "delete_file",
        "args": {"path": "a.txt"},
        "task": "t",
        "reason": "r",
        "on_behalf_of": format!("slack:{TEAM_ID}/{}", desk.person("bo").user()),
    });
    desk.holder("gateway").proposes_with("bo-asks", body).await?;
    let _card = desk.ops().next_card().await?;
    desk.slack().fail_next("chat.postMessage", Fault::Status(503));
    desk.minutes_pass(2).await?;
    for name in ["chen", "dana", "fay"] {
        let direct = format!("D{}", &desk.person(name).user()[1..]);
        ensure!(desk.slack().messages(&direct).len() == 1, "{name} is told once");
    }
    let bo = format!("D{}", &desk.person("bo").user()[1..]);
    ensure!(desk.slack().messages(&bo).is_empty(), "who asked may not decide");
    desk.slack().heal();
    Ok(())
}

/// R16: what is decided before anybody could be told interrupts nobody.
#[conversation]
async fn nobody_is_told_of_what_is_decided(desk: &mut Desk) -> Result<()> {
    desk.has_policy(tells).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    desk.agent().withdraws(&call).await?.expect(200)?;
    desk.minutes_pass(1).await?;
    let bo = format!("D{}", &desk.person("bo").user()[1..]);
    ensure!(desk.slack().messages(&bo).is_empty(), "it was withdrawn");
    desk.ops().skims();
    Ok(())
}
