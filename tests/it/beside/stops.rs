//! A stop, while two processes share one file and each of them draws cards.

use anyhow::{Context as _, Result, bail};
use placet_tests::fake_slack::text_of;
use placet_tests::process::{At, rest};
use serde_json::json;

use super::{TRIES, Two};

/// What cards say of a stop.
const STOPPED: &str = "Calls like this one were stopped";

impl Two {
    /// Waits until the card of this file says so, or says so no more.
    async fn says_stopped(&self, file: &str, stopped: bool) -> Result<()> {
        for _ in 0..TRIES {
            let mut cards = self.cards(file).into_iter();
            if cards.next().is_some_and(|card| text_of(&card).contains(STOPPED) == stopped) {
                return Ok(());
            }
            rest().await;
        }
        bail!("the card of {file} does not follow (stopped: {stopped})\n{}", self.place.log()?)
    }
}

/// R44, R29: whichever process is told of a stop, or of its end, and whichever has posted a card, the card follows.
#[test]
fn cards_follow_a_stop_at_either_process() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let two = Two::start().await?;
        let manager = two.place.token("manager", "manage")?;
        for at in [At::First, At::Beside] {
            let body = |file: &str| {
                json!({"tool": "delete_file", "args": {"path": file}, "task": "clean up", "reason": "old"})
            };
            let files = [format!("{at:?}-one.txt"), format!("{at:?}-two.txt")];
            two.asks(At::First, "/v1/requests", Some(&body(&files[0]))).await?;
            two.asks(At::Beside, "/v1/requests", Some(&body(&files[1]))).await?;
            for file in &files {
                two.says_stopped(file, false).await?;
            }
            let stop = json!({"scope": "tenant", "reason": "an incident"});
            let (status, stop) =
                two.place.asks_at(at, &manager, ("/v1/stops", Some(&stop)), None).await.context("an answer")?;
            anyhow::ensure!(status == 200, "{status} {stop}");
            for file in &files {
                two.says_stopped(file, true).await?;
            }
            let id = stop["id"].as_str().context("an id")?;
            two.place.runs(&["lift", "--config", "placet.toml", id])?;
            for file in &files {
                two.says_stopped(file, false).await?;
            }
        }
        Ok(())
    })
}
