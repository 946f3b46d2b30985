//! Many people at once.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use futures::future::join_all;
use placet::approval::Status;
use placet::time::Ttl;
use placet_tests::desk::{Desk, Engine, converse_seeded};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::json;

/// How many people click at once.
const PEOPLE: usize = 50;

/// R18, R21, R32: fifty different signed people click at once through the router, approve and deny mixed,
/// unauthorised and expired among them: one decision, one set of trace events, everybody else told what was decided
/// and by whom. Over 100 seeds; in every tenth the time is over when they click, and nobody decides.
#[test]
fn fifty_people_click_at_once_over_100_seeds() -> Result<()> {
    for seed in 0..100 {
        converse_seeded(Engine::Sqlite, seed, async |desk| {
            desk.leaves_messages_unread();
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            desk.employs(PEOPLE).await?;
            let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
            let card = desk.ops().next_card().await?;
            let mut order: Vec<usize> = (0..PEOPLE).collect();
            for place in (1..PEOPLE).rev() {
                order.swap(place, usize::try_from(random.next_u64() % (place as u64 + 1))?);
            }
            let names: Vec<String> = order.iter().map(|number| format!("crowd{number:02}")).collect();
            let viewers: Vec<String> = order
                .iter()
                .filter(|number| *number % 5 == 4)
                .map(|number| format!("crowd{number:02}"))
                .collect();
            // Dialogs for a no are opened beforehand, so that the votes themselves come at once.
            let mut dialogs = Vec::new();
            for (name, number) in names.iter().zip(&order) {
                let view = if number % 3 == 0 {
                    desk.person(name).clicks(&card, "Deny").await?;
                    Some(desk.person(name).sees_dialog().await?)
                } else {
                    None
                };
                dialogs.push(view);
            }
            let too_late = seed % 10 == 9;
            if too_late {
                desk.clock().passes(Ttl::from_mins(30));
            }
            let clicks = names.iter().zip(&dialogs).map(async |(name, dialog)| match dialog {
                Some(view) => {
                    let (block, action) = placet_tests::people::text_input(view)?;
                    desk.person(name).submits(view, &[(&block, &action, "no")]).await
                }
                None => desk.person(name).clicks(&card, "Approve").await,
            });
            for click in join_all(clicks).await {
                click?;
            }
            desk.work_until_idle().await?;
            let request = desk.request(&call.id).await?;
            if too_late {
                ensure!(
                    request.status() == Status::Expired && request.votes.is_empty(),
                    "{}",
                    request.status()
                );
                let events = desk.events(&call.id).await?;
                ensure!(events.iter().all(|event| event.kind.name() != "approval.decided"));
                let told = told(desk, &names, &["has expired", "The time to decide this is over"]);
                ensure!(told.len() == PEOPLE, "{} of {PEOPLE} are told that it is too late", told.len());
                return Ok(());
            }
            ensure!(matches!(request.status(), Status::Approved | Status::Rejected), "{}", request.status());
            let events = desk.events(&call.id).await?;
            let count = |name: &str| events.iter().filter(|event| event.kind.name() == name).count();
            ensure!(
                count("approval.decided") == 1 && count("vote.cast") == 1,
                "one decision, one vote that made it"
            );
            let decided_by = request.votes.first().context("a vote")?.name.clone();
            let what = if request.status() == Status::Approved { "approved" } else { "denied" };
            let decided = format!("{decided_by} {what} this already");
            let mut told = told(desk, &names, &[&decided]);
            // Who may not decide at all may have been told so, before there was a decision to tell of.
            told.extend(self::told(desk, &viewers, &["Only"]));
            ensure!(told.len() == PEOPLE - 1, "{} of {} are told", told.len(), PEOPLE - 1);
            Ok(())
        })
        .with_context(|| format!("seed {seed}"))?;
    }
    Ok(())
}

/// Who of these was whispered something that contains one of these texts.
fn told(desk: &Desk, names: &[String], words: &[&str]) -> BTreeSet<String> {
    let was_told = |name: &&String| {
        let user = desk.person(name).user();
        let whispers = desk.slack().ephemerals(&user);
        whispers.iter().any(|whisper| {
            let text = placet_tests::fake_slack::text_of(whisper);
            words.iter().any(|words| text.contains(words))
        })
    };
    names.iter().filter(was_told).cloned().collect()
}
