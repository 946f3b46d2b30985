//! Confidential calls: in a shared channel the tool and its level alone; the arguments in Details, for those who decide.

use anyhow::{Context as _, Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::Message;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// What only those may read who decide.
pub(super) const SECRET: &str = "severance-4711";

/// Deletions of what is restricted are confidential.
pub(super) fn confidential(policy: String) -> String {
    let policy = policy.replacen(
        "[[rule]]\nname = \"deletes\"",
        "[[rule]]\nname = \"restricted\"\ntools = [\"delete_*\"]\nwhen = 'data_level == \"restricted\"'\nlevel = \"high\"\nbecause = \
         \"It is about people.\"\nconfidential = true\n\n[[rule]]\nname = \"deletes\"",
        1,
    );
    policy.replacen("[tools.delete_file]\n", "[tools.delete_file]\ndata_level = \"restricted\"\n", 1)
}

pub(super) fn holds_it(message: &Message) -> bool {
    format!("{message:?}").contains(SECRET)
}

/// R51, R28, R17: nothing of the arguments stands in the channel, before or after; Details opens for who decides and for
/// nobody else; and a yes is given there, on seeing the whole.
#[conversation]
async fn a_confidential_call_is_read_by_who_decides(desk: &mut Desk) -> Result<()> {
    desk.has_policy(confidential).await?;
    let body = json!({
        "tool": "delete_file",
        "args": {"path": format!("{SECRET}.pdf")},
        "task": format!("remove {SECRET}"),
        "reason": format!("{SECRET} is over"),
        "evidence": [{"id": "1", "title": SECRET, "excerpt": SECRET}],
        "preview": SECRET,
        "if_denied": SECRET,
    });
    let call = desk.agent().proposes_with("secret", body).await?;
    let card = desk.ops().next_card().await?;
    for words in ["delete_file", "HIGH", "It is about people.", "Confidential", "admins", "restricted"] {
        ensure!(card.text().contains(words), "{words:?} is missing on the card:\n{}", card.text());
    }
    ensure!(card.button("Approve").is_err(), "a yes is given in Details alone:\n{}", card.text());
    desk.person("vic").clicks(&card, "Details").await?;
    desk.person("vic").is_shown_nothing("admins").await?;
    desk.person("bo").clicks(&card, "Details").await?;
    let view = desk.person("bo").sees_dialog().await?;
    ensure!(view.text().contains(SECRET), "{}", view.text());
    desk.person("bo").submits(&view, &[]).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    let card = desk.ops().expect_update(&card, "ok, 0.2 s").await?;
    ensure!(!card.has_buttons());
    let told = desk.ops().next_outcome().await?;
    ensure!(told.text().contains("ran, ok") && !told.text().contains("{\"ok\":true}"), "{}", told.text());
    let leaked: Vec<_> = desk.ops().messages().into_iter().filter(holds_it).collect();
    ensure!(leaked.is_empty(), "{leaked:#?}");
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; succeeded").await
}

/// R51, R8: a no can be said from the card; and who looks after the installation may read it as well.
#[conversation]
async fn a_steward_may_read_it_and_a_no_needs_no_reading(desk: &mut Desk) -> Result<()> {
    desk.has_policy(confidential).await?;
    desk.agent().proposes("delete_file", json!({"path": SECRET})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("sam").clicks(&card, "Details").await?;
    let view = desk.person("sam").sees_dialog().await?;
    ensure!(view.text().contains(SECRET), "{}", view.text());
    desk.person("bo").denies(&card, "not now").await?;
    let card = desk.ops().expect_update(&card, "Denied").await?;
    ensure!(!holds_it(&card.message) && !card.text().contains("not now"), "{:?}", card.message);
    Ok(())
}

/// R51, R16: what is confidential can go to a private place instead, where it is shown whole.
#[conversation]
async fn a_confidential_call_can_go_to_a_private_place(desk: &mut Desk) -> Result<()> {
    let private = desk.slack().private_channel("people-only");
    desk.has_policy(|policy| {
        confidential(policy).replacen("confidential = true\n", &format!("channel = \"slack/{private}\"\n"), 1)
    })
    .await?;
    desk.agent().proposes("delete_file", json!({"path": SECRET})).await?;
    let card = desk.channel("people-only").next_card().await?;
    ensure!(holds_it(&card.message) && card.button("Approve").is_ok(), "{}", card.text());
    desk.person("bo").denies(&card, "not now").await?;
    desk.channel("people-only").expect_update(&card, "not now").await?;
    ensure!(desk.ops().messages().is_empty(), "nothing of it stands in the shared channel");
    Ok(())
}

/// R51, R21, R41: whoever opens a dialog on such a card, or from Details that were open when they lost the right, reads which
/// tool and which level, and nothing of the arguments; who may read it reads them. What must still be done is done there.
#[conversation]
async fn a_dialog_shows_no_argument_to_who_may_not_read_it(desk: &mut Desk) -> Result<()> {
    desk.has_policy(confidential).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": SECRET})).await?;
    let card = desk.ops().next_card().await?;
    let details = desk.person("bo").opens(&card, "Details").await?;
    let denial = desk.person("vic").opens(&card, "Deny").await?;
    ensure!(!denial.view.to_string().contains(SECRET), "{}", denial.text());
    let asking = desk.person("bo").presses_in(&details, "Ask").await?;
    ensure!(asking.text().contains(SECRET), "who may read it does: {}", asking.text());
    let open = [
        ("Ask", desk.person("chen").opens(&card, "Details").await?),
        ("Freeze", desk.person("chen").opens(&card, "Details").await?),
    ];
    desk.has_policy(|policy| {
        let chen = policy.find("name = \"Chen\"").unwrap_or_default();
        let (before, after) = policy.split_at(chen);
        format!("{before}{}", after.replacen("\"admin\"", "\"viewer\"", 1))
    })
    .await?;
    let code = desk.requests().await?.first().context("a request")?.code.clone();
    for (sheet, details) in open {
        let view = desk.person("chen").presses_in(&details, sheet).await?;
        let words = ["delete_file", "high", code.as_str()];
        ensure!(words.iter().all(|word| view.text().contains(word)), "{sheet}: {}", view.text());
        ensure!(!view.view.to_string().contains(SECRET), "{sheet}: {}", view.text());
    }
    let view = desk.person("dana").opens(&card, "Details").await?;
    desk.person("dana").submits(&view, &[]).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().claims(&call).await?;
    desk.passes(Ttl::from_mins(2)).await?;
    desk.alarms().next_card().await?;
    let card = desk.ops().expect_update(&card, "Nobody knows").await?;
    let view = desk.person("vic").opens(&card, "Settle").await?;
    ensure!(view.text().contains("delete_file") && view.text().contains("high"), "{}", view.text());
    ensure!(!view.view.to_string().contains(SECRET), "{}", view.text());
    let view = desk.person("sam").opens(&card, "Settle").await?;
    ensure!(view.text().contains(SECRET), "who looks after the installation reads it: {}", view.text());
    let found = [("How it ended", "It ran, ok"), ("Reason", "looked: it is gone")];
    desk.person("sam").fills(&view, &found).await?;
    let card = desk.ops().expect_update(&card, "settled by Sam").await?;
    ensure!(!holds_it(&card.message), "{:?}", card.message);
    Ok(())
}

/// R51, R30: the home of somebody who may decide it shows what it is about; that of somebody who said something about it, and
/// may no longer read it, shows the tool alone.
#[conversation]
async fn a_home_shows_no_argument_to_who_may_not_read_it(desk: &mut Desk) -> Result<()> {
    desk.has_policy(confidential).await?;
    desk.agent().proposes("delete_file", json!({"path": SECRET})).await?;
    let card = desk.ops().next_card().await?;
    let dana = desk.person("dana").user();
    let home = async |words: &str| -> Result<String> {
        desk.delivers_event(&desk.slack().home_opened(&dana)).await?;
        desk.while_working(desk.slack().home_reads(&dana, words)).await?
    };
    ensure!(home("Your roles").await?.contains(SECRET), "who may decide it may read it");
    desk.person("dana").denies(&card, "not now").await?;
    desk.ops().expect_update(&card, "Denied").await?;
    ensure!(home("You decided lately").await?.contains(SECRET));
    desk.has_policy(|policy| {
        let dana = policy.find("name = \"Dana\"").unwrap_or_default();
        let (before, after) = policy.split_at(dana);
        format!("{before}{}", after.replacen("\"admin\"", "\"viewer\"", 1))
    })
    .await?;
    let shown = home("viewer").await?;
    ensure!(shown.contains("You decided lately") && shown.contains("delete_file"), "{shown}");
    ensure!(!shown.contains(SECRET), "{shown}");
    Ok(())
}
