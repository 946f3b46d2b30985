//! Kill -9 on the real program, at any moment between proposal and outcome.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use placet::approval::{Approval, OutcomeKind, State};
use placet::ports::{EventQuery, RequestQuery, RequestStore as _};
use placet::record::Seq;
use placet_tests::fake_slack::{Message, buttons, text_of};
use placet_tests::people::text_input;
use placet_tests::process::{Installation, Running, rest};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use tokio::sync::Mutex;

/// How many seeds with an executor outside.
const SEEDS: u64 = 200;

/// How many seeds with Placet's own agent and executor.
const CHAT_SEEDS: u64 = 24;

/// How long after the beginning of a conversation the kill comes at the latest: about as long as one takes.
const KILL_WITHIN_MS: u64 = 90;

/// How often each step is tried while the process comes back.
const TRIES: usize = 1500;

/// An installation whose process is killed and started again.
struct Killing {
    place: Installation,
    process: Mutex<Option<Running>>,
    landed: AtomicUsize,
}

impl Killing {
    async fn new() -> Result<Self> {
        let place = Installation::new(env!("CARGO_BIN_EXE_placet-under-test")).await?;
        Ok(Self { place, process: Mutex::new(None), landed: AtomicUsize::new(0) })
    }

    async fn starts(&self) -> Result<()> {
        *self.process.lock().await = Some(self.place.serves().await?);
        Ok(())
    }

    /// Kills the process after a while, and starts it again.
    async fn kills(&self, moment: Duration, over: &AtomicBool) -> Result<()> {
        #[expect(clippy::disallowed_methods, reason = "the moment of the kill is in the machine's own time")]
        tokio::time::sleep(moment).await;
        let mut process = self.process.lock().await;
        if !over.load(Ordering::SeqCst) {
            self.landed.fetch_add(1, Ordering::SeqCst);
        }
        if let Some(running) = process.take() {
            running.kill();
        }
        *process = Some(self.place.serves().await?);
        Ok(())
    }

    async fn ends(&self) {
        drop(self.process.lock().await.take());
    }

    /// A card that somebody could decide on; what is only to be settled has a button, too.
    fn pressable(&self, words: &str) -> Option<Message> {
        let cards = self.place.slack.messages(&self.place.ops).into_iter().rev();
        let is_asked = |card: &Message| buttons(card).iter().any(|button| button.text.starts_with("Deny"));
        cards.into_iter().find(|card| is_asked(card) && text_of(card).contains(words))
    }

    async fn presses(&self, card: &Message, text: &str) -> Result<()> {
        let button =
            buttons(card).into_iter().find(|button| button.text.starts_with(text)).context("a button")?;
        let payload = self.place.slack.click_payload(&self.place.slack.person("bo"), card, &button);
        // An answer that is lost shows by the card, which can be pressed again.
        let _ = self.place.delivers(&self.place.slack.signed(&payload)).await;
        Ok(())
    }

    async fn denies(&self, card: &Message) -> Result<()> {
        self.presses(card, "Deny").await?;
        let bo = self.place.slack.person("bo");
        for view in self.place.slack.views(&bo).into_iter().filter(|view| view.is_open) {
            let (block, action) = text_input(&view)?;
            let payload = self.place.slack.submit_payload(&bo, &view, &[(&block, &action, "keep it")])?;
            if self.place.delivers(&self.place.slack.signed(&payload)).await == Some(200) {
                self.place.slack.answer_submission(&view, 200, "")?;
            }
        }
        Ok(())
    }
}

/// R11, R21, R24: killed at a random moment of each of 200 conversations and started again, every one ends the same:
/// one request, one decision, one claim, one outcome, and a card that says so. In every fourth the executor dies too
/// and never reports: its outcome is unknown, and nothing is tried again.
#[test]
fn killed_at_any_moment_over_200_seeds() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let killing = Killing::new().await?;
        let token = killing.place.token("agent", "propose,execute")?;
        killing.starts().await?;
        let mut silent = Vec::new();
        for seed in 0..SEEDS {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let moment = Duration::from_millis(random.next_u64() % KILL_WITHIN_MS);
            let over = AtomicBool::new(false);
            let reports = seed % 4 != 3;
            let told = async {
                let id = conversation(&killing, &token, (seed, reports)).await?;
                over.store(true, Ordering::SeqCst);
                Ok(id)
            };
            let (id, ()) = tokio::try_join!(told, killing.kills(moment, &over)).with_context(|| {
                format!("seed {seed}, killed after {moment:?}: {}", killing.place.log().unwrap_or_default())
            })?;
            if !reports {
                silent.push((seed, id));
            }
        }
        for (seed, id) in &silent {
            let path = format!("/v1/requests/{id}");
            let known = until(async || {
                let read = killing.place.asks(&token, &path, None, None).await;
                read.filter(|(_, request)| request["status"] == "executed")
            });
            let request = known.await.context("its lease never lapsed")?;
            ensure!(request["outcome"]["status"] == "unknown", "seed {seed}: {request}");
            let again = claim(*seed, &format!("{:0>40}", seed + 2_000_000));
            let (status, refused) = killing
                .place
                .asks(&token, &format!("{path}/claim"), Some(&again), None)
                .await
                .context("an answer")?;
            ensure!(status == 409 && refused["code"] == "already_claimed", "{refused}");
        }
        let stale = stale_cards(&killing.place).await;
        ensure!(stale <= 1, "{stale} cards still have something to press");
        killing.ends().await;
        let landed = killing.landed.load(Ordering::SeqCst);
        println!("{landed} of {SEEDS} kills landed within their conversation");
        ensure!(landed * 2 > usize::try_from(SEEDS)?, "most kills must land within a conversation: {landed}");
        let told = record_tells(&killing.place, |approval, counts| {
            ensure!(counts == [1, 1, 1], "decided, claimed, executed: {counts:?} of {}", approval.id);
            Ok(())
        });
        ensure!(told.await? == usize::try_from(SEEDS)?, "one request for each seed");
        Ok(())
    })
}

/// R3, R11, R24: Placet's own agent and executor are killed in the middle of a run. The run goes on and ends; no tool
/// ran twice, and what nobody knows is not tried again.
#[test]
fn killed_while_its_own_agent_works_over_seeds() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let killing = Killing::new().await?;
        let token = killing.place.token("agent", "propose,execute")?;
        killing.starts().await?;
        for seed in 0..CHAT_SEEDS {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let moment = Duration::from_millis(random.next_u64() % 150);
            run(&killing, &token, (seed, moment)).await.with_context(|| {
                format!("seed {seed}, killed after {moment:?}: {}", killing.place.log().unwrap_or_default())
            })?;
        }
        killing.ends().await;
        println!("{} of {CHAT_SEEDS} kills landed within a run", killing.landed.load(Ordering::SeqCst));
        record_tells(&killing.place, |approval, [_, claimed, executed]| {
            ensure!(claimed == 1 && executed == 1 || claimed == 0 && executed == 0, "{}", approval.id);
            if let State::Executed(executed) = &approval.state {
                let tool = &approval.proposal.call.tool;
                ensure!(
                    executed.outcome.kind != OutcomeKind::Failed,
                    "{tool} was run again: {:?}",
                    executed.outcome
                );
            }
            Ok(())
        })
        .await?;
        Ok(())
    })
}

/// One run of the agent, killed on its way: approved in even seeds, denied in odd ones.
async fn run(killing: &Killing, token: &str, (seed, moment): (u64, Duration)) -> Result<()> {
    let place = &killing.place;
    let notes = place.folder().join("workspace/demo-notes");
    let (scratch, note) = (notes.join("scratch.txt"), notes.join("cleanup-note.md"));
    std::fs::write(&scratch, "temporary notes, nothing refers to them\n")?;
    let _ = std::fs::remove_file(&note);
    let task = json!({"text": "Please clean up old files in the project."});
    let mut session = String::new();
    let began = place.streams(token, ("/chat", Some(&task)), |frame| {
        let data = frame.lines().find_map(|line| line.strip_prefix("data:"));
        let event: Value = data.and_then(|data| serde_json::from_str(data.trim()).ok()).unwrap_or_default();
        event["sessionId"].as_str().map(|id| id.clone_into(&mut session)).is_some()
    });
    ensure!(began.await, "the run did not begin");
    let over = AtomicBool::new(false);
    let path = format!("/chat/{session}/events");
    let watched = async {
        for _ in 0..TRIES {
            let ended = place.streams(token, (&path, None), |frame| {
                frame.contains("event: done")
                    || frame.contains("event: error")
                    || frame.contains("event:done")
            });
            if ended.await {
                over.store(true, Ordering::SeqCst);
                return Ok(());
            }
            rest().await;
        }
        bail!("the run never ended")
    };
    let pressed = async {
        while !over.load(Ordering::SeqCst) {
            if let Some(card) = killing.pressable("scratch.txt") {
                if seed % 2 == 0 {
                    killing.presses(&card, "Approve").await?
                } else {
                    killing.denies(&card).await?
                }
            }
            rest().await;
        }
        Ok(())
    };
    tokio::try_join!(watched, pressed, killing.kills(moment, &over))?;
    if seed % 2 == 1 {
        ensure!(scratch.exists(), "a denied file is still there");
        let text = std::fs::read_to_string(&note).unwrap_or_default();
        let written = text.matches("I would have deleted").count();
        ensure!(written <= 1, "the note was written {written} times");
    }
    Ok(())
}

fn claim(seed: u64, key: &str) -> Value {
    json!({"tool": "delete_file", "args": {"path": format!("file-{seed}.txt")}, "key": key})
}

/// One conversation, each step of which is tried until it is answered, as clients do. Gives the request's id.
async fn conversation(killing: &Killing, token: &str, (seed, reports): (u64, bool)) -> Result<String> {
    let place = &killing.place;
    let args = json!({"path": format!("file-{seed}.txt")});
    let proposal = json!({"tool": "delete_file", "args": args, "task": "clean up", "reason": "old"});
    let key = format!("seed-{seed}");
    let request = until(async || {
        let asked = place.asks(token, "/v1/requests", Some(&proposal), Some(&key)).await;
        asked.filter(|(status, _)| *status < 300)
    });
    let request = request.await.context("no proposal was taken")?;
    let id = request["id"].as_str().context("an id")?.to_owned();
    // Who waits is answered when it is decided, also when the wait was cut off by the kill and begun again.
    let wait = format!("/v1/requests/{id}?wait=15s");
    let waited = until(async || {
        let polled = place.asks(token, &wait, None, None).await;
        polled.filter(|(status, request)| *status == 200 && request["status"] != "waiting_approval")
    });
    let (decided, waited) = tokio::join!(approve(killing, token, &id, seed), waited);
    decided?;
    ensure!(waited.context("the wait was never answered")?["status"] == "approved");
    let (path, attempt) = (format!("/v1/requests/{id}/claim"), format!("{seed:0>40}"));
    let answered = async |body: Value| {
        until(async || place.asks(token, &path, Some(&body), None).await.filter(|(status, _)| *status < 500))
            .await
    };
    let claimed = answered(claim(seed, &attempt)).await.context("no answer to the claim")?;
    ensure!(claimed["call"]["args"] == args, "not the call that was approved: {claimed}");
    // The same attempt asks again, as if the answer had been lost; then somebody else asks.
    let again = answered(claim(seed, &attempt)).await.context("no answer")?;
    ensure!(again["claim"] == claimed["claim"], "another claim for the same attempt: {again}");
    let other = answered(claim(seed, &format!("{:0>40}", seed + 1_000_000))).await.context("no answer")?;
    ensure!(other["code"] == "already_claimed", "{other}");
    if reports {
        let report =
            json!({"claim": claimed["claim"], "key": attempt, "status": "succeeded", "duration_ms": 1});
        let path = format!("/v1/requests/{id}/outcome");
        until(async || {
            place.asks(token, &path, Some(&report), None).await.filter(|(status, _)| *status == 200)
        })
        .await
        .context("no report was taken")?;
    }
    Ok(id)
}

/// Somebody looks for a card of this request that can be pressed, and presses, until it is decided. A click whose
/// answer was lost is pressed again.
async fn approve(killing: &Killing, token: &str, id: &str, seed: u64) -> Result<()> {
    let path = format!("/v1/requests/{id}");
    let words = format!("file-{seed}.txt");
    for _ in 0..TRIES {
        if let Some((200, request)) = killing.place.asks(token, &path, None, None).await
            && request["status"] != "waiting_approval"
        {
            ensure!(request["status"] == "approved", "{request}");
            return Ok(());
        }
        if let Some(card) = killing.pressable(&words) {
            killing.presses(&card, "Approve").await?;
        }
        rest().await;
    }
    bail!("it is never approved")
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
pub(crate) async fn stale_cards(place: &Installation) -> usize {
    let mut stale = 0;
    for _ in 0..TRIES {
        // What nobody knows the outcome of can be settled on its record.
        let decides =
            |message: &Message| buttons(message).iter().any(|button| !button.text.starts_with("Settle"));
        stale = place.slack.messages(&place.ops).iter().filter(|message| decides(message)).count();
        if stale == 0 {
            break;
        }
        rest().await;
    }
    stale
}

/// Reads every request with its record: it must rebuild, and hold so many decisions, claims and outcomes as said.
/// Gives how many requests there are.
pub(crate) async fn record_tells(
    place: &Installation,
    holds: impl Fn(&Approval, [usize; 3]) -> Result<()>,
) -> Result<usize> {
    let store = place.store()?;
    let query = RequestQuery { limit: 10_000, ..RequestQuery::default() };
    let requests = store.list(query).await?;
    for stored in &requests {
        let query = EventQuery {
            tenant: None,
            request: Some(stored.id),
            after: Seq(0),
            types: Vec::new(),
            limit: 1000,
        };
        let events: Vec<_> = store.events(query).await?.into_iter().map(|(_, event)| event).collect();
        let rebuilt = Approval::rebuild(&events)?.context("a request without events")?;
        ensure!(
            Approval { version: stored.version, ..rebuilt } == *stored,
            "the record does not tell {}",
            stored.id
        );
        let count = |name: &str| events.iter().filter(|event| event.kind.name() == name).count();
        holds(stored, ["approval.decided", "approval.claimed", "tool.executed"].map(count))?;
    }
    store.close();
    Ok(requests.len())
}
