//! The process dies at every commit of a whole conversation, before and after it. Each time it ends the same.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use placet::time::Ttl;
use placet_store::Moment;
use placet_tests::crash::CrashPoint;
use placet_tests::desk::{Desk, Engine, converse};
use placet_tests::fake_slack::{Message, buttons};
use placet_tests::{Answer, Call, Card};
use serde_json::json;

/// How often a step is tried: a death, a restart, and what was under way then.
const TRIES: usize = 8;

/// R11, R24: from proposal to outcome, a death at any commit changes nothing but time.
#[test]
fn a_death_at_any_commit_of_a_conversation_changes_nothing() -> Result<()> {
    let mut visited = BTreeSet::new();
    let mut points = 0;
    for moment in [Moment::Before, Moment::After] {
        for nth in 0.. {
            let mut over = false;
            converse(Engine::Sqlite, async |desk| {
                desk.leaves_messages_unread();
                desk.probe().arm(CrashPoint { nth, moment });
                conversation(desk).await?;
                over = !desk.probe().crashed() && desk.crashes() == 0;
                visited.extend(desk.probe().visited().into_keys());
                Ok(())
            })
            .with_context(|| format!("a death {moment:?} commit {nth}"))?;
            if over {
                break;
            }
            points += 1;
        }
    }
    let names: BTreeSet<_> = visited.iter().map(|(name, _)| *name).collect();
    println!("{points} deaths, at {names:?}");
    for boundary in
        ["open.require", "card.begin", "card.done", "execute.approve", "execute.claim", "execute.finish"]
    {
        for moment in [Moment::Before, Moment::After] {
            ensure!(visited.contains(&(boundary, moment)), "no death {moment:?} {boundary}");
        }
    }
    Ok(())
}

async fn conversation(desk: &Desk) -> Result<()> {
    let body = json!({
        "tool": "delete_file", "args": {"path": "a.txt"}, "task": "clean up", "reason": "old",
    });
    let answer = insist(desk, async || desk.agent().tries_to_propose(Some("key"), &body).await).await?;
    let id = answer.json()?["id"].as_str().context("an id")?.to_owned();
    let call = Call { id, tool: "delete_file".into(), args: body["args"].clone(), agent: "agent".into() };
    approve(desk, &call).await?;
    let key = "k".repeat(40);
    let claimed = insist(desk, async || desk.agent().tries_to_claim(&call, &key).await).await?.json()?;
    desk.ran(&call.tool, &claimed["call"]["args"]);
    let report = json!({"claim": claimed["claim"], "key": key, "status": "succeeded"});
    let path = format!("/v1/requests/{}/outcome", call.id);
    insist(desk, async || desk.agent().post(&path, &report).await).await?;
    settle(desk).await?;
    desk.ran_times(&call, 1)?;
    let left: Vec<Message> =
        desk.ops().messages().into_iter().filter(|message| !buttons(message).is_empty()).collect();
    ensure!(left.is_empty(), "{} cards can still be pressed", left.len());
    ensure!(!desk.ops().messages().is_empty(), "somebody saw a card");
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; approved Bo; claimed; succeeded").await
}

/// Asks until it is answered, across deaths.
async fn insist(desk: &Desk, ask: impl AsyncFn() -> Result<Answer>) -> Result<Answer> {
    let mut last = None;
    for _ in 0..TRIES {
        let answer = ask().await?;
        desk.revives().await?;
        if answer.status.is_success() {
            return Ok(answer);
        }
        last = Some(answer);
    }
    anyhow::bail!("never answered: {:?}", last.map(|answer| answer.text()))
}

/// Looks for a card that can be pressed and presses it, until it is decided.
async fn approve(desk: &Desk, call: &Call) -> Result<()> {
    for _ in 0..TRIES {
        settle(desk).await?;
        if desk.request(&call.id).await?.status().name() == "approved" {
            return Ok(());
        }
        let cards = desk.ops().messages();
        if let Some(message) = cards.into_iter().rev().find(|message| !buttons(message).is_empty()) {
            let card = Card { message };
            // A click whose answer is lost is pressed again.
            let _ = desk.person("bo").clicks(&card, "Approve").await;
        }
        desk.revives().await?;
    }
    anyhow::bail!("it is never approved")
}

/// Works until idle, across deaths, and lets the leases of what died lapse.
async fn settle(desk: &Desk) -> Result<()> {
    for _ in 0..TRIES {
        let worked = desk.work_until_idle().await;
        if desk.revives().await? {
            desk.clock().passes(Ttl::from_millis(1));
        } else {
            return worked;
        }
    }
    anyhow::bail!("it dies again and again")
}
