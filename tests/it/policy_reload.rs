//! A changed policy takes force without a restart; a wrong one changes nothing, and is told to whoever looks after it.

use anyhow::{Context as _, Result, ensure};
use axum::http::Method;
use placet::record::EventKind;
use placet_server::Look;
use placet_tests::http::Ask;
use placet_tests::process::Installation;
use placet_tests::{Desk, conversation};
use serde_json::{Value, json};

/// A level that no policy knows.
fn wrong(policy: String) -> String {
    policy.replacen("[levels.low]", "[levels.lowest]", 1)
}

fn right_again(policy: String) -> String {
    policy.replacen("[levels.lowest]", "[levels.low]", 1)
}

/// Deployments are graded high from now on: one admin is enough.
fn laxer(policy: String) -> String {
    let deploys = "name = \"deploys\"\ntools = [\"deploy\"]\nlevel = ";
    policy.replacen(&format!("{deploys}\"critical\""), &format!("{deploys}\"high\""), 1)
}

async fn ready(desk: &Desk) -> Result<Value> {
    desk.sends(Ask::new(Method::GET, "/readyz")).await?.expect(200)?.json()
}

async fn metrics(desk: &Desk) -> Result<String> {
    Ok(desk.sends(Ask::new(Method::GET, "/metrics")).await?.expect(200)?.text())
}

/// R14, R20: the file is changed, and the next call is judged by what it says now; the record tells what changed.
#[conversation]
async fn a_changed_file_takes_force_without_a_restart(desk: &mut Desk) -> Result<()> {
    let before = ready(desk).await?;
    desk.changes_policy(laxer).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await?;
    let loads = desk.notes("policy.loaded").await?;
    let EventKind::PolicyLoaded { digest, by, changes, text, .. } =
        &loads.last().context("a policy on record")?.kind
    else {
        anyhow::bail!("{loads:?}")
    };
    ensure!(loads.len() == 2 && by.as_deref() == Some("a change of the file"), "{by:?}");
    ensure!(*changes == ["rule deploys: changed (level)"], "{changes:?}");
    ensure!(text.contains("name = \"deploys\""), "the text is there to be read later");
    let now = ready(desk).await?;
    ensure!(now["policy"]["in_force"]["digest"] == digest.to_string(), "{now}");
    ensure!(now["policy"]["in_force"] != before["policy"]["in_force"]);
    ensure!(metrics(desk).await?.contains(&format!("digest=\"{digest}\"}} 1")));
    Ok(())
}

/// R14: a wrong policy changes nothing; it is on record, in `/readyz` and on `/metrics`, and operators are told once.
#[conversation]
async fn a_wrong_file_changes_nothing(desk: &mut Desk) -> Result<()> {
    let before = ready(desk).await?;
    desk.changes_policy(wrong).await?;
    let told = desk.alarms().next_card().await?;
    let text = told.text();
    ensure!(text.contains("A new policy is not in force") && text.contains("unknown key `lowest`"), "{text}");
    let now = ready(desk).await?;
    ensure!(now["status"] == "ready" && now["policy"]["in_force"] == before["policy"]["in_force"], "{now}");
    let refused = &now["policy"]["refused"];
    ensure!(
        refused["errors_count"] == 1 && refused["digest"].is_string() && refused["since"].is_string(),
        "{now}"
    );
    ensure!(metrics(desk).await?.contains("\nplacet_policy_refused 1\n"));
    // Looked at again and asked to look again: nothing new is said of the same text.
    desk.changes_policy(|same| same).await?;
    desk.app()?.policies.look(Look::Asked).await?;
    desk.restart().await?;
    let after = ready(desk).await?;
    ensure!(
        after["policy"]["in_force"] == before["policy"]["in_force"],
        "a restart goes on as before: {after}"
    );
    ensure!(after["policy"]["refused"]["errors_count"] == 1, "{after}");
    let refusals = desk.notes("policy.refused").await?;
    let [EventKind::PolicyRefused { errors, text, .. }] =
        refusals.iter().map(|event| &event.kind).collect::<Vec<_>>()[..]
    else {
        anyhow::bail!("{refusals:?}")
    };
    ensure!(errors.contains("policy.toml:") && errors.contains("-->") && text.contains("lowest"), "{errors}");
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo").await?;
    desk.changes_policy(right_again).await?;
    let mended = ready(desk).await?;
    ensure!(mended["policy"].get("refused").is_none(), "{mended}");
    ensure!(metrics(desk).await?.contains("\nplacet_policy_refused 0\n"));
    Ok(())
}

/// R14: the log of the shipped program has a line that names the file, the line and the column of what is wrong, and says
/// that the policy before stays in force; with the caret beneath. A restart goes on with the policy before as well, and
/// says it again.
#[test]
fn a_wrong_file_is_a_line_of_the_log() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let place = Installation::new(env!("CARGO_BIN_EXE_placet-under-test")).await?;
        let file = place.folder().join("policy.toml");
        let right = std::fs::read_to_string(&file)?;
        let running = place.serves().await?;
        let line = right.lines().position(|line| line == "[levels.low]").context("a level")? + 1;
        std::fs::write(&file, wrong(right))?;
        running.hangs_up()?;
        let wrong_line = "a policy is not taken, and the one before stays in force: ";
        let logged = place.logs(wrong_line).await?;
        let (before, told) = logged.split_once(wrong_line).context("what is wrong")?;
        ensure!(before.contains("ERROR"), "{logged}");
        ensure!(told.contains(&format!("policy.toml:{line}:9: unknown key `lowest`")), "{logged}");
        let caret = place.logs("^").await?;
        ensure!(caret.trim() == "|         ^^^^^^", "{}", place.log()?);
        ensure!(place.log()?.contains(&format!("{line} | [levels.lowest]\n")), "{}", place.log()?);
        let (_, answer) = place.asks("", "/readyz", None, None).await.context("an answer")?;
        ensure!(answer["policy"]["refused"]["errors_count"] == 1, "{answer}");
        ensure!(answer["policy"]["in_force"]["label"] == "desk", "{answer}");
        drop(running);
        ensure!(place.log()?.matches(wrong_line).count() == 1, "{}", place.log()?);
        let running = place.serves().await?;
        ensure!(place.log()?.matches(wrong_line).count() == 2, "{}", place.log()?);
        drop(running);
        Ok(())
    })
}

/// R14: a file that is still being written is not read, and one that is gone is no policy.
#[conversation]
async fn a_file_counts_once_it_is_whole(desk: &mut Desk) -> Result<()> {
    let before = ready(desk).await?["policy"]["in_force"].clone();
    let policies = desk.app()?.policies.clone();
    desk.writes_policy(laxer)?;
    policies.look(Look::Routine).await?;
    ensure!(ready(desk).await?["policy"]["in_force"] == before, "it may be half of it");
    desk.writes_policy(|policy| format!("{policy}# the rest\n"))?;
    policies.look(Look::Routine).await?;
    ensure!(ready(desk).await?["policy"]["in_force"] == before, "it was");
    policies.look(Look::Asked).await?;
    let now = ready(desk).await?["policy"]["in_force"].clone();
    ensure!(now != before, "somebody says that it is whole");
    std::fs::remove_file(desk.folder().join("policy.toml"))?;
    policies.look(Look::Routine).await?;
    ensure!(ready(desk).await?["policy"].get("refused").is_none(), "an editor puts another in its place");
    policies.look(Look::Routine).await?;
    let gone = ready(desk).await?;
    ensure!(gone["policy"]["in_force"] == now && gone["policy"]["refused"]["digest"].is_null(), "{gone}");
    let told = desk.alarms().next_card().await?.text();
    ensure!(told.contains("cannot be read: no such file"), "{told}");
    Ok(())
}

/// R14, R29: what the new file forbids is taken back, whether people are still asked or have said yes already, and the
/// cards say so.
#[conversation]
async fn a_stricter_file_takes_back_what_waits_and_what_was_approved(desk: &mut Desk) -> Result<()> {
    let approved = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let first = desk.ops().next_card().await?;
    desk.person("bo").clicks(&first, "Approve").await?;
    desk.ops().expect_update(&first, "Approved").await?;
    let waiting = desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let second = desk.ops().next_card().await?;
    desk.changes_policy(|policy| {
        let forbid = "[[forbid]]\nname = \"no deletes\"\ntools = [\"delete_*\"]\nwhen = \"args.path != ''\"\nbecause = \"Nothing is deleted this week.\"\n\n";
        policy.replacen("[[forbid]]\n", &format!("{forbid}[[forbid]]\n"), 1)
    })
    .await?;
    for card in [&first, &second] {
        let card = desk.ops().expect_update(card, "Nothing is deleted this week.").await?;
        ensure!(!card.has_buttons(), "{}", card.text());
    }
    let claim = desk.agent().tries_to_claim(&approved, &"1".repeat(40)).await?;
    ensure!(claim.status == 409 && claim.code() == "not_approved", "{}", claim.text());
    let told = desk.agent().reads(&waiting.id).await?.expect(200)?;
    ensure!(told.text().contains("denied by policy: Nothing is deleted this week."), "{}", told.text());
    desk.reads(&waiting.id, "proposed; checked approve; asked; rejudged").await
}
