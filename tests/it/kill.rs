//! Kill -9 on the real program, at any moment between proposal and outcome.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::buttons;
use placet_tests::process::{Installation, Running, rest};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use tokio::sync::Mutex;

/// How many seeds.
const SEEDS: u64 = 200;

/// How long after the beginning of a conversation the kill comes at the latest: about as long as one takes.
const KILL_WITHIN_MS: u64 = 90;

/// How often each step is tried while the process comes back.
const TRIES: usize = 1500;

/// R11, R24: killed at a random moment of each of 200 conversations and started again, every one of them ends the
/// same: one request, one decision, one run, and a card that says so.
#[test]
fn killed_at_any_moment_over_200_seeds() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let place = Installation::new(env!("CARGO_BIN_EXE_placet-under-test")).await?;
        let token = place.token("agent", "propose,execute")?;
        let process = Mutex::new(Some(place.serves().await?));
        for seed in 0..SEEDS {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let moment = Duration::from_millis(random.next_u64() % KILL_WITHIN_MS);
            let (told, _) =
                tokio::try_join!(conversation(&place, &token, seed), killed(&place, &process, moment))
                    .with_context(|| {
                        format!("seed {seed}, killed after {moment:?}: {}", place.log().unwrap_or_default())
                    })?;
            ensure!(told == 1, "seed {seed}: the tool ran {told} times");
        }
        // One more start: what the last kill left is put right, and at most one copy of a card stays behind.
        let stale = stale_copies(&place).await?;
        ensure!(stale <= 1, "{stale} cards still have something to press");
        drop(process.lock().await.take());
        Ok(())
    })
}

/// Kills the process after a while, and starts it again.
async fn killed(place: &Installation, process: &Mutex<Option<Running>>, moment: Duration) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the moment of the kill is in the machine's own time")]
    tokio::time::sleep(moment).await;
    let mut process = process.lock().await;
    if let Some(running) = process.take() {
        running.kill();
    }
    *process = Some(place.serves().await?);
    Ok(())
}

/// One conversation, each step of which is tried until it is answered, as clients do. Gives how often the tool ran.
async fn conversation(place: &Installation, token: &str, seed: u64) -> Result<usize> {
    let args = json!({"path": format!("file-{seed}.txt")});
    let proposal = json!({"tool": "delete_file", "args": args, "task": "clean up", "reason": "old"});
    let key = format!("seed-{seed}");
    let request = until(async || {
        place
            .asks(token, "/v1/requests", Some(&proposal), Some(&key))
            .await
            .filter(|(status, _)| *status < 300)
    })
    .await
    .context("no proposal was taken")?;
    let id = request["id"].as_str().context("an id")?.to_owned();
    approve(place, token, &id, seed).await?;
    let attempt = format!("{seed:0>40}");
    let claim = json!({"tool": "delete_file", "args": args, "key": attempt});
    let path = format!("/v1/requests/{id}/claim");
    let claimed = until(async || {
        place.asks(token, &path, Some(&claim), None).await.filter(|(status, _)| *status == 200)
    })
    .await
    .context("no claim was given")?;
    let ran = 1;
    let report = json!({"claim": claimed["claim"], "key": attempt, "status": "succeeded", "duration_ms": 1});
    let path = format!("/v1/requests/{id}/outcome");
    until(async || place.asks(token, &path, Some(&report), None).await.filter(|(status, _)| *status == 200))
        .await
        .context("no report was taken")?;
    // Nobody else gets it, whoever asks.
    let again = json!({"tool": "delete_file", "args": args, "key": format!("{:0>40}", seed + 1_000_000)});
    let path = format!("/v1/requests/{id}/claim");
    let refused = until(async || {
        place.asks(token, &path, Some(&again), None).await.filter(|(status, _)| *status < 500)
    })
    .await
    .context("no answer")?;
    ensure!(refused["code"] == "already_claimed", "{refused}");
    Ok(ran)
}

/// Somebody looks for a card of this request that can be pressed, and presses, until it is decided. A click whose
/// answer was lost is delivered again by Slack, or pressed again by the person.
async fn approve(place: &Installation, token: &str, id: &str, seed: u64) -> Result<()> {
    let path = format!("/v1/requests/{id}");
    let words = format!("file-{seed}.txt");
    for _ in 0..TRIES {
        if let Some((200, request)) = place.asks(token, &path, None, None).await
            && request["status"] != "waiting_approval"
        {
            ensure!(request["status"] == "approved", "{request}");
            return Ok(());
        }
        let card = place.slack.messages(&place.ops).into_iter().rev().find(|message| {
            placet_tests::fake_slack::text_of(message).contains(&words)
                && buttons(message).iter().any(|button| button.text.starts_with("Approve"))
        });
        if let Some(card) = card {
            let button = buttons(&card).into_iter().find(|button| button.text.starts_with("Approve"));
            let button = button.context("a button")?;
            let payload = place.slack.click_payload(&place.slack.person("bo"), &card, &button);
            let _ = place.delivers(&place.slack.signed(&payload)).await;
        }
        rest().await;
    }
    anyhow::bail!("it is never approved")
}

async fn until(step: impl AsyncFn() -> Option<(u16, Value)>) -> Option<Value> {
    for _ in 0..TRIES {
        if let Some((_, answer)) = step().await {
            return Some(answer);
        }
        rest().await;
    }
    None
}

/// How many cards still have buttons once everything had time to settle.
async fn stale_copies(place: &Installation) -> Result<usize> {
    let mut stale = 0;
    for _ in 0..TRIES {
        stale =
            place.slack.messages(&place.ops).iter().filter(|message| !buttons(message).is_empty()).count();
        if stale == 0 {
            break;
        }
        rest().await;
    }
    Ok(stale)
}
