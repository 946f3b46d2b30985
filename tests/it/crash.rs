//! The process dies at every commit of a whole conversation, before and after it. Each time it ends the same.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};
use placet::approval::{OutcomeKind, State};
use placet::time::Ttl;
use placet_store::Moment;
use placet_tests::crash::CrashPoint;
use placet_tests::desk::{Desk, Engine, converse};
use placet_tests::fake_slack::{Message, buttons};
use placet_tests::{Answer, Call, Card};
use serde_json::json;

/// How often a step is tried: a death, a restart, and what was under way then.
const TRIES: usize = 8;

/// R11, R24: from proposal to outcome, a death at any commit changes nothing but time. Visited = all: every boundary
/// that the undisturbed conversation passes is died at, before and after it.
#[test]
fn a_death_at_any_commit_of_a_conversation_changes_nothing() -> Result<()> {
    dies_everywhere("a call that is approved and runs", conversation)
}

/// R21: the executor dies after its claim, and Placet at any commit around it: the outcome is unknown, somebody
/// settles it, and nothing is tried again.
#[test]
fn a_death_at_any_commit_around_a_dead_executor_changes_nothing() -> Result<()> {
    dies_everywhere("a call whose executor dies", abandoned)
}

#[expect(clippy::print_stdout, reason = "a run says where it died, and that it was everywhere")]
fn dies_everywhere(name: &str, conversation: impl AsyncFn(&Desk) -> Result<()>) -> Result<()> {
    let never = CrashPoint::nth(usize::MAX, Moment::Before);
    let mut all = BTreeMap::new();
    converse(Engine::Sqlite, async |desk| {
        desk.leaves_messages_unread();
        desk.probe().arm(never);
        conversation(desk).await?;
        all = desk.probe().passed();
        Ok(())
    })?;
    let sides = |boundary| [(boundary, Moment::Before), (boundary, Moment::After)];
    let (mut visited, mut deaths) = (BTreeSet::new(), 0);
    for (boundary, nth) in all.iter().flat_map(|(boundary, times)| (0..*times).map(|nth| (*boundary, nth))) {
        for (_, moment) in sides(boundary) {
            converse(Engine::Sqlite, async |desk| {
                desk.leaves_messages_unread();
                desk.probe().arm(CrashPoint::at(boundary, nth, moment));
                conversation(desk).await?;
                let died = desk.probe().visited();
                deaths += usize::from(!died.is_empty());
                visited.extend(died.into_keys());
                Ok(())
            })
            .with_context(|| format!("a death {moment:?} commit {nth} with {boundary} of {name}"))?;
        }
    }
    let missed: Vec<_> =
        all.keys().flat_map(|boundary| sides(*boundary)).filter(|point| !visited.contains(point)).collect();
    println!(
        "{name}: {deaths} deaths, at {} boundaries: {:?}; visited = all: {}",
        all.len(),
        all.keys(),
        missed.is_empty()
    );
    ensure!(missed.is_empty(), "never died at {missed:?}");
    Ok(())
}

async fn proposed_and_approved(desk: &Desk) -> Result<Call> {
    let body = json!({
        "tool": "delete_file", "args": {"path": "a.txt"}, "task": "clean up", "reason": "old",
    });
    let answer = insist(desk, async || desk.agent().tries_to_propose(Some("key"), &body).await).await?;
    let id = answer.json()?["id"].as_str().context("an id")?.to_owned();
    let call = Call { id, tool: "delete_file".into(), args: body["args"].clone(), agent: "agent".into() };
    approve(desk, &call).await?;
    Ok(call)
}

async fn abandoned(desk: &Desk) -> Result<()> {
    let call = proposed_and_approved(desk).await?;
    let key = "k".repeat(40);
    insist(desk, async || desk.agent().tries_to_claim(&call, &key).await).await?;
    desk.clock().passes(Ttl::from_mins(2));
    settle(desk).await?;
    let other = desk.agent().tries_to_claim(&call, &"o".repeat(40)).await?;
    ensure!(!other.status.is_success(), "nothing is tried again: {}", other.text());
    let settled = json!({"status": "failed", "reason": "looked: the file is there"});
    let path = format!("/v1/requests/{}/settle", call.id);
    for _ in 0..TRIES {
        // A settlement whose answer was lost is refused the second time: it is settled already.
        let answer = desk.holder("manager").post(&path, &settled).await?;
        if !desk.revives().await? || answer.code() == "already_finished" {
            break;
        }
    }
    settle(desk).await?;
    let request = desk.request(&call.id).await?;
    let State::Executed(executed) = &request.state else { anyhow::bail!("{}", request.status()) };
    ensure!(executed.settled_by.is_some() && executed.outcome.kind == OutcomeKind::Failed, "{executed:?}");
    let claims = desk.events(&call.id).await?;
    ensure!(claims.iter().filter(|event| event.kind.name() == "approval.claimed").count() == 1);
    Ok(())
}

async fn conversation(desk: &Desk) -> Result<()> {
    let call = proposed_and_approved(desk).await?;
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
