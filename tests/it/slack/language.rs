//! The languages of readers and of channels.

use anyhow::{Context as _, Result, ensure};
use insta::assert_snapshot;
use placet_tests::fake_slack::View;
use placet_tests::people::text_input;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// Whether a dialog is in Chinese, by what stands around it.
fn is_chinese(view: &View) -> bool {
    let around = ["title", "submit", "close"].map(|member| view.view[member]["text"].as_str());
    around.into_iter().flatten().all(|text| ["完整调用", "拒绝", "批准", "取消", "关闭"].contains(&text))
}

/// Gives a channel Chinese, and the people of the desk profiles in these languages.
async fn speaks(desk: &Desk, channel: Option<&str>, people: &[(&str, &str)]) -> Result<()> {
    for (name, locale) in people {
        desk.slack().set_locale(&desk.slack().person(name), locale);
    }
    if let Some(channel) = channel {
        let lines = format!("[slack.channels.{channel}]\nlanguage = \"zh-Hans\"\n");
        desk.has_slack_settings(&lines).await?;
    }
    Ok(())
}

/// R42: the whole of the main path in a Chinese channel: the card asks, counts, and becomes the record in Chinese, whatever
/// language its clickers read; a yes is worth as much as in any other.
#[conversation]
async fn a_channel_reads_its_cards_in_its_language(desk: &mut Desk) -> Result<()> {
    let ops = desk.ops().id().to_owned();
    speaks(desk, Some(&ops), &[("chen", "zh-CN")]).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    assert_snapshot!("the_card_asks", card.text());
    desk.person("bo").clicks(&card, "批准").await?;
    let card = desk.ops().expect_update(&card, "已批准 1/2").await?;
    desk.person("chen").clicks(&card, "批准").await?;
    let card = desk.ops().expect_update(&card, "✅ 已批准").await?;
    ensure!(!card.has_buttons(), "an approved card has nothing to press:\n{}", card.text());
    desk.agent().runs(&call).await?;
    let card = desk.ops().expect_update(&card, "成功").await?;
    assert_snapshot!("the_card_is_the_record", card.text());
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; yes chen; approved Bo, Chen; claimed; succeeded",
    )
    .await
}

/// R42: in an English channel somebody whose profile is Chinese is whispered to and asked in Chinese; the card, which all
/// read, stays as it is, and others are told in English.
#[conversation]
async fn one_reader_is_told_in_their_own_language(desk: &mut Desk) -> Result<()> {
    speaks(desk, None, &[("vic", "zh-CN"), ("chen", "zh_TW"), ("fay", "de-DE")]).await?;
    desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("none yet"), "{}", card.text());
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("只有管理员可以决定").await?;
    desk.person("sam").clicks(&card, "Approve").await?;
    desk.person("sam").is_whispered("Only admins decide this").await?;
    // Of a language that there is not, the channel's decides.
    desk.person("fay").clicks(&card, "Approve").await?;
    desk.person("fay").is_whispered("Only admins decide this").await?;
    // Chen is known by her vote: her dialogs are in her language from then on.
    desk.person("chen").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("chen").clicks(&card, "Details").await?;
    let view = desk.person("chen").sees_dialog().await?;
    ensure!(is_chinese(&view), "{}", view.view);
    let view = desk.person("chen").presses(&view, "placet_deny").await?;
    ensure!(is_chinese(&view), "{}", view.view);
    let (block, action) = text_input(&view)?;
    desk.person("chen").submits(&view, &[(&block, &action, "先不要")]).await?;
    let card = desk.ops().expect_update(&card, "Denied").await?;
    ensure!(card.text().contains("先不要"), "{}", card.text());
    Ok(())
}

/// R42, R30: nothing is asked before a dialog opens: whose language is not known yet, gets the channel's; and a dialog keeps
/// its language from page to page, also once the reader's own is known.
#[conversation]
async fn a_dialog_opens_at_once_and_keeps_its_language(desk: &mut Desk) -> Result<()> {
    let ops = desk.ops().id().to_owned();
    speaks(desk, Some(&ops), &[("bo", "en-US")]).await?;
    let long = json!({"path": "a.txt", "content": "one line of many\n".repeat(4_000)});
    let call = desk.agent().proposes("delete_file", long).await?;
    let card = desk.ops().next_card().await?;
    let asked = desk.slack().calls_of("users.info").len();
    desk.person("bo").clicks(&card, "详情").await?;
    let mut view = desk.person("bo").sees_dialog().await?;
    ensure!(desk.slack().calls_of("users.info").len() == asked, "nothing is asked before it opens");
    ensure!(is_chinese(&view), "{}", view.view);
    // Meanwhile he decides something else, and his language becomes known.
    desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let other = desk.ops().next_card().await?;
    desk.person("bo").clicks(&other, "批准").await?;
    desk.ops().expect_update(&other, "✅ 已批准").await?;
    desk.person("bo").clicks(&other, "批准").await?;
    desk.person("bo").is_whispered("approved this already").await?;
    let mut pages = 1;
    while view.view["submit"].is_null() {
        view = desk.person("bo").presses(&view, "placet_page_next").await?;
        ensure!(is_chinese(&view), "{}", view.view);
        pages += 1;
    }
    ensure!(pages > 2, "{pages}");
    let (block, action) = text_input(&view)?;
    desk.person("bo").submits(&view, &[(&block, &action, "read it all")]).await?;
    desk.ops().expect_update(&card, "read it all").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "成功").await?;
    desk.ops().skims();
    desk.ran_times(&call, 1)
}

/// R42: what does not depend on who reads: the record of a request on two languages says the same, and `language` of the
/// settings is that of the workspace.
#[conversation]
async fn the_record_knows_no_language(desk: &mut Desk) -> Result<()> {
    let mut shown = Vec::new();
    for lines in ["language = \"en\"\n", "language = \"zh-Hans\"\n"] {
        desk.has_slack_settings(lines).await?;
        let call =
            desk.agent().proposes("delete_file", json!({"path": format!("{}.txt", shown.len())})).await?;
        let card = desk.ops().next_card().await?;
        let yes = if shown.is_empty() { "Approve" } else { "批准" };
        let button = card.button(yes)?;
        desk.person("bo").clicks(&card, yes).await?;
        desk.ops().expect_update(&card, "Bo").await?;
        desk.agent().runs(&call).await?;
        desk.work_until_idle().await?;
        let events = desk.events(&call.id).await?;
        let kinds: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
        shown.push((kinds.join(" "), button.value.len()));
        desk.ops().skims();
    }
    let (first, second) = (shown.first().context("one")?, shown.get(1).context("two")?);
    ensure!(first == second, "{shown:#?}");
    Ok(())
}
