//! What Slack asks before it sends what cannot be taken back: in Details.

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::View;
use placet_tests::{Desk, conversation};
use serde_json::{Value, json};

/// What is asked before the button of this id is pressed.
fn asked_first<'v>(view: &'v View, action_id: &str) -> Result<&'v Value> {
    let blocks = view.view["blocks"].as_array().context("blocks")?;
    let mut elements = blocks.iter().flat_map(|block| block["elements"].as_array().into_iter().flatten());
    let button = elements.find(|element| element["action_id"] == action_id).context("no such button")?;
    Ok(&button["confirm"])
}

fn says(confirm: &Value, title: &str, text: &str, (yes, no): (&str, &str)) -> Result<()> {
    for (name, expected) in [("title", title), ("text", text), ("confirm", yes), ("deny", no)] {
        let said = confirm[name]["text"].as_str().unwrap_or_default();
        ensure!(said == expected, "the {name} says {said:?}, not {expected:?}");
        ensure!(confirm[name]["type"] == "plain_text", "{}", confirm[name]);
    }
    Ok(())
}

/// R41, R44, R42: before a call is released by one person alone, and before an agent is stopped, Slack asks once more, and says
/// what will happen, to each in their own language; nothing else in Details asks.
#[conversation]
async fn what_one_person_does_alone_is_asked_once_more(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace("[roles]\n", "[roles]\nbreak_glass = [\"operator\"]\n")).await?;
    desk.slack().set_locale(&desk.person("dana").user(), "zh-CN");
    desk.agent().proposes("deploy", json!({"app": "api", "tag": "hotfix"})).await?;
    let card = desk.ops().next_card().await?;

    let details = desk.person("sam").opens(&card, "Details").await?;
    says(
        asked_first(&details, "placet_break_glass")?,
        "Decide this alone?",
        "Only in an emergency: your yes alone lets it run. Everybody concerned is told at once, and it stays open until another person has reviewed it.",
        ("Go on", "Back"),
    )?;
    says(
        asked_first(&details, "placet_freeze")?,
        "Freeze this agent?",
        "Nothing of this agent is started until somebody lifts it again, whatever was approved or will be. What runs already goes on.",
        ("Go on", "Back"),
    )?;
    ensure!(asked_first(&details, "placet_ask")?.is_null(), "a question does no harm");

    // Her language is known from what she did before: a dialog waits for no look-up.
    desk.person("dana").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    let details = desk.person("dana").opens(&card, "Details").await?;
    says(
        asked_first(&details, "placet_break_glass")?,
        "要独自决定吗？",
        "仅限紧急情况：只凭你一人同意即可执行。所有相关人员会立即得到通知，并须由另一人事后复核。",
        ("继续", "返回"),
    )?;
    says(
        asked_first(&details, "placet_freeze")?,
        "冻结此智能体？",
        "在有人解除之前，无论已批准还是将批准，此智能体的任何调用都不会开始执行。已在执行的会继续。",
        ("继续", "返回"),
    )
}
