//! Who waits is woken: by a decision, and after a restart; what was read is not read twice, and nothing is missed.

use anyhow::{Context as _, Result, ensure};
use futures::future::join;
use placet::time::Ttl;
use placet_tests::http::Ask;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R4, R5: a long poll is woken by the decision, not by its end.
#[conversation]
async fn a_long_poll_is_woken_by_the_decision(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let began = placet::time::Clock::now(desk.clock());
    let path = format!("/v1/requests/{}?wait=25s", call.id);
    let agent = desk.agent();
    let (polled, decided) = join(agent.get(&path), async {
        desk.person("bo").clicks(&card, "Approve").await?;
        desk.work_until_idle().await
    })
    .await;
    decided?;
    let polled = polled?.expect(200)?.json()?;
    ensure!(polled["status"] == "approved", "{polled}");
    let waited = placet::time::Clock::now(desk.clock()).since(began);
    ensure!(waited < Ttl::from_secs(25), "it was woken, not timed out: {waited}");
    desk.ops().expect_update(&card, "Approved").await?;
    Ok(())
}

/// R11: a long poll that the restart cut off is asked again, and answered at once with what was decided meanwhile.
#[conversation]
async fn a_long_poll_outlives_the_process(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let path = format!("/v1/requests/{}?wait=25s", call.id);
    desk.restart().await?;
    let agent = desk.agent();
    let (polled, decided) = join(agent.get(&path), async {
        desk.person("bo").denies(&card, "not now").await?;
        desk.work_until_idle().await
    })
    .await;
    decided?;
    let polled = polled?.expect(200)?.json()?;
    ensure!(polled["decision"] == "denied by user: not now", "{polled}");
    desk.ops().expect_update(&card, "not now").await?;
    Ok(())
}

/// R4, R35: a stream that is taken up again by `Last-Event-ID`, after a restart, goes on where it was.
#[conversation]
async fn a_chat_is_taken_up_where_it_was(desk: &mut Desk) -> Result<()> {
    std::fs::write(desk.folder().join("workspace/demo-notes/scratch.txt"), "old")?;
    let mut chat = desk.chats("clean up old files in the project").await?;
    let asked = desk.while_working(chat.until("approval_request")).await??;
    let session = asked["sessionId"].as_str().context("a session")?.to_owned();
    let (last, _) = chat.events.last().context("an event")?.clone();
    let before: Vec<_> = chat.events.iter().map(|(id, _)| id.clone()).collect();
    let card = desk.ops().next_card().await?;
    drop(chat);
    desk.restart().await?;
    desk.resumes().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let path = format!("/chat/{session}/events");
    let again = Ask::new(axum::http::Method::GET, path).header("last-event-id", &last)?;
    let mut chat = desk.streams(again).await?;
    desk.while_working(chat.until("done")).await??;
    let ids: Vec<_> = chat.events.iter().map(|(id, _)| id.clone()).collect();
    ensure!(ids.iter().all(|id| !before.contains(id)), "read twice: {ids:?} after {before:?}");
    let kinds: Vec<_> = chat.events.iter().filter_map(|(_, event)| event["type"].as_str()).collect();
    ensure!(kinds.starts_with(&["approval_result", "tool_result"]), "{kinds:?}");
    ensure!(!desk.folder().join("workspace/demo-notes/scratch.txt").exists(), "it ran, once, after the yes");
    desk.work_until_idle().await?;
    desk.ops().skims();
    Ok(())
}
