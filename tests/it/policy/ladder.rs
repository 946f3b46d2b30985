//! Ladders: who is asked as well where nobody decides, and where they are told.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// What a level says in the desk's policy.
const HIGH: &str = "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n";

/// High calls climb this ladder from now on; the rest is added to the policy.
async fn climbs(desk: &Desk, steps: &str, more: &str) -> Result<()> {
    desk.has_policy(|policy| format!("{}\n{more}\n", policy.replace(HIGH, &format!("{HIGH}{steps}\n")))).await
}

/// R40, R10: nobody answers, and the step asks whoever is on call then: not who was when the card was posted, and not who
/// is once the next one has taken over.
#[conversation]
async fn a_step_asks_who_is_on_call_then(desk: &mut Desk) -> Result<()> {
    // Vic has it until ten past three in Berlin, ten minutes from now; then Sam, and a day later Vic again.
    climbs(
        desk,
        "escalation = [{ after = \"15m\", to = [\"on_call\"] }]",
        "[calendar]\nzone = \"Europe/Berlin\"\n[[on_call]]\nname = \"days\"\nrole = \"on_call\"\nrota = { people = \
         [\"vic\", \"sam\"], first = 2026-11-29, at = \"15:10\", every_days = 1 }",
    )
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("admin").await?;
    desk.passes(Ttl::from_mins(15)).await?;
    desk.alarms().skims();
    let told = desk.ops().next_card().await?;
    ensure!(told.text().contains("on_call may decide it as well"), "{}", told.text());
    let card = desk.ops().expect_update(&card, "on_call may decide as well").await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("Only").await?;
    desk.person("sam").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Sam").await?;
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked vic approve: wrong_role; alarm waits_long; escalated 1; blocked vic \
         approve: wrong_role; yes sam; approved Sam; claimed; succeeded",
    )
    .await
}

/// R40, R7: a yes that came through a step is worth what its giver is at the claim: who is no longer on call by then has
/// approved nothing.
#[conversation]
async fn a_yes_through_a_step_ends_with_the_turn(desk: &mut Desk) -> Result<()> {
    climbs(
        desk,
        "escalation = [{ after = \"5m\", to = [\"on_call\"] }]",
        "[calendar]\nzone = \"Europe/Berlin\"\n[[on_call]]\nname = \"days\"\nrole = \"on_call\"\nrota = { people = \
         [\"vic\", \"sam\"], first = 2026-11-29, at = \"15:10\", every_days = 1 }",
    )
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.passes(Ttl::from_mins(6)).await?;
    desk.ops().skims();
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.passes(Ttl::from_mins(5)).await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "approver_lapsed", "{}", claim.text());
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; escalated 1; yes vic; approved Vic; blocked agent claim: approver_lapsed",
    )
    .await
}

/// R16, R29, R32: the step shows the card in another channel too, though Placet was started again before. It is one
/// request: decided in one of them, both tell of it, also where Placet dies between the click and the edits, and both
/// tell how it ended.
#[conversation]
async fn a_step_shows_the_card_in_another_channel(desk: &mut Desk) -> Result<()> {
    let money = desk.channel("money").id().to_owned();
    let step = format!(
        "escalation = [{{ after = \"5m\", to = [\"finance\"], places = [{{ surface = \"slack\", channel = \"{money}\" }}] }}]"
    );
    climbs(desk, &step, "").await?;
    let money = desk.channel("money");
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let first = desk.ops().next_card().await?;
    ensure!(money.messages().is_empty(), "not before its time");
    desk.restart().await?;
    desk.passes(Ttl::from_mins(5)).await?;
    let (one, other) = (money.next_card().await?, money.next_card().await?);
    let (second, told) = if one.has_buttons() { (one, other) } else { (other, one) };
    ensure!(told.text().contains("finance may decide it as well"), "{}", told.text());
    ensure!(desk.ops().messages().len() == 1, "told where the step's people look, and there alone");
    desk.ops().expect_update(&first, "finance may decide as well").await?;

    desk.person("fay").clicks(&second, "Approve").await?;
    desk.restart().await?;
    for (channel, card) in [(desk.ops(), &first), (desk.channel("money"), &second)] {
        let card = channel.expect_update(card, "Approved").await?;
        ensure!(!card.has_buttons() && card.text().contains("Fay"), "{}", card.text());
    }
    // A click that was on its way on the other one changes nothing.
    let deny = first.button("Deny")?;
    desk.person("bo").forges(&first, &deny).await?;
    let dialog = desk.person("bo").sees_dialog().await?;
    let (block, action) = placet_tests::people::text_input(&dialog)?;
    desk.person("bo").submits(&dialog, &[(&block, &action, "wait")]).await?;
    desk.person("bo").is_whispered("Fay").await?;
    desk.agent().runs(&call).await?;
    for (channel, card) in [(desk.ops(), &first), (desk.channel("money"), &second)] {
        channel.expect_update(card, "ran").await?;
    }
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; escalated 1; yes fay; approved Fay; refused bo: already_decided; claimed; \
         succeeded",
    )
    .await
}
