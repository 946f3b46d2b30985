//! A change of the policy, while two processes share one file and each of them reads it.

use anyhow::{Context as _, Result, bail, ensure};
use placet::ports::{EventQuery, RequestQuery, RequestStore as _};
use placet::record::Seq;
use placet_tests::fake_slack::Message;
use placet_tests::process::{At, Installation, rest};
use serde_json::Value;

use super::{TRIES, Two, Way};

/// How many changes are made, one after the other: each is a race.
const CHANGES: usize = 6;

/// How often it is looked at what must not come: several looks at the files.
const LOOKS: usize = 1_000;

/// The files are looked at every second, and changes take what this says.
fn lays_out(place: &Installation, change: &str) -> Result<()> {
    let settings = place.folder().join("placet.toml");
    let text = std::fs::read_to_string(&settings)?;
    std::fs::write(settings, format!("policy_poll = \"1s\"\n{text}"))?;
    let policy = place.folder().join("policy.toml");
    let text = std::fs::read_to_string(&policy)?;
    Ok(std::fs::write(policy, format!("{text}\n{change}"))?)
}

impl Two {
    /// The policy has another version from now on, and both processes are told to read it in the same moment.
    fn changes_policy(&self, from: &str, to: &str) -> Result<()> {
        let policy = self.place.folder().join("policy.toml");
        let text = std::fs::read_to_string(&policy)?;
        let text = text.replacen(&format!("version = \"{from}\""), &format!("version = \"{to}\""), 1);
        std::fs::write(policy, text)?;
        self.running.iter().flatten().try_for_each(|running| running.hangs_up())
    }

    /// Both judge by this version.
    async fn both_judge_by(&self, label: &str) -> Result<()> {
        for at in [At::First, At::Beside] {
            let mut tries = 0;
            loop {
                let answer = self.place.asks_at(at, &self.token, ("/readyz", None), None).await;
                let seen: Value = answer.context("an answer")?.1["policy"].clone();
                if seen["in_force"]["label"] == label && seen["waiting_for_a_yes"].as_u64().unwrap_or(0) == 0
                {
                    break;
                }
                tries += 1;
                if tries > TRIES {
                    bail!("{at:?} does not judge by {label}: {seen}\n{}", self.place.log()?);
                }
                rest().await;
            }
        }
        Ok(())
    }

    fn cards_of_change(&self, label: &str) -> Vec<Message> {
        self.cards(&format!("Put the policy {label} in force"))
    }
}

/// What stands in the record of the one tenant: by type, and for the policy's by label.
async fn noted(place: &Installation, name: &'static str) -> Result<Vec<String>> {
    let store = place.store()?;
    let query = EventQuery { tenant: None, request: None, after: Seq(0), types: vec![name], limit: 1000 };
    let events = store.events(query).await?;
    store.close();
    Ok(events.into_iter().map(|(_, event)| format!("{:?}", event.kind)).collect())
}

/// R14, R54: two processes read the same change in the same moment. It is asked about once, on one card; with the yes it
/// takes force in both, is asked about no more, and stands on record once.
#[test]
fn a_change_that_both_read_is_asked_about_once() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut two = Two::start_with(|place| lays_out(place, "[change]\nrole = \"admin\"\n")).await?;
        let mut before = "desk".to_owned();
        for number in 0..CHANGES {
            let label = format!("desk v{number}");
            two.changes_policy(&before, &label)?;
            let card = two.card(&label, &label).await?;
            two.approves("bo", &card, Way::Http(At::turn(number))).await?;
            two.both_judge_by(&label).await.with_context(|| label.clone())?;
            two.card(&label, "ran").await?;
            before = label;
        }
        for _ in 0..LOOKS {
            for number in 0..CHANGES {
                let cards = two.cards_of_change(&format!("desk v{number}"));
                ensure!(cards.len() == 1, "one card for change {number}: {cards:#?}");
            }
            rest().await;
        }
        two.running = [None, None];
        let store = two.place.store()?;
        let requests = store.list(RequestQuery { limit: 100, ..RequestQuery::default() }).await?;
        store.close();
        ensure!(requests.len() == CHANGES, "one request for each: {requests:#?}");
        let loads = noted(&two.place, "policy.loaded").await?;
        ensure!(loads.len() == CHANGES + 1, "{} loads: {loads:#?}", loads.len());
        for unwanted in ["execution.stop_requested", "policy.refused", "approval.revoked"] {
            let found = noted(&two.place, unwanted).await?;
            ensure!(found.is_empty(), "{found:#?}");
        }
        Ok(())
    })
}

/// R14: what takes nobody's yes takes force in both, and stands on record once.
#[test]
fn a_change_that_both_take_is_on_record_once() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut two = Two::start_with(|place| lays_out(place, "")).await?;
        let mut before = "desk".to_owned();
        for number in 0..CHANGES * 3 {
            let label = format!("desk v{number}");
            two.changes_policy(&before, &label)?;
            two.both_judge_by(&label).await.with_context(|| label.clone())?;
            before = label;
        }
        two.running = [None, None];
        let loads = noted(&two.place, "policy.loaded").await?;
        ensure!(loads.len() == CHANGES * 3 + 1, "{} loads: {loads:#?}", loads.len());
        Ok(())
    })
}
