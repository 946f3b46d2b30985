//! Tasks given in a chat, while two processes share one file: each is worked on by one of them, in the order of its thread,
//! and by the other once that one is gone.

use anyhow::{Context as _, Result, bail, ensure};
use placet_tests::fake_slack::{BOT_USER_ID, Message, Told, text_of};
use placet_tests::process::{At, rest};

use super::{TRIES, Two};

/// Where people ask.
const ROOM: &str = "general";

/// What is logged when a task changes hands.
const TAKEN_UP: &str = "a task is taken up";

/// How often a thing is looked at that must not happen: several leases.
const LOOKS: usize = 2_000;

impl Two {
    /// Somebody asks the bot, in this thread or in one that begins here, and Slack tells this process.
    async fn is_asked(&self, at: At, (name, text): (&str, &str), thread: Option<&str>) -> Result<Told> {
        let slack = &self.place.slack;
        let told = slack.mention(&slack.person(name), ROOM, text, thread)?;
        let status = self.place.delivers_event_to(at, &told.delivery).await;
        ensure!(status == Some(200), "{text:?}: {status:?}");
        Ok(told)
    }

    /// The bot's answers in the thread, oldest first, without what Placet itself says there of the call.
    fn said(&self, thread: &str) -> Vec<Message> {
        let is_answer = |message: &Message| {
            message.thread_ts.as_deref() == Some(thread)
                && message.user == BOT_USER_ID
                && !text_of(message).contains("(delete_file)")
        };
        self.place.slack.messages(ROOM).into_iter().filter(is_answer).collect()
    }

    /// That message of the bot's in the thread, once it reads like this.
    async fn says(&self, thread: &str, (nth, words): (usize, &str)) -> Result<Message> {
        for _ in 0..TRIES {
            if let Some(message) = self.said(thread).into_iter().nth(nth)
                && text_of(&message).contains(words)
            {
                return Ok(message);
            }
            rest().await;
        }
        let said: Vec<_> = self.said(thread).iter().map(text_of).collect();
        bail!("no message {nth} says {words:?}: {said:#?}\n{}", self.place.log()?)
    }

    fn a_scratch_file(&self) -> Result<std::path::PathBuf> {
        let file = self.place.folder().join("workspace/demo-notes/scratch.txt");
        std::fs::write(&file, "nothing but temporary notes")?;
        Ok(file)
    }
}

/// R11, R13: a server took a task, asked people, and is gone. The other one takes the task up where it stands: the click
/// reaches it, the run goes on, and the thread's message follows it to its end.
#[test]
fn the_task_of_a_server_that_is_gone_is_taken_up() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut two = Two::start().await?;
        let file = two.a_scratch_file()?;
        let asked = two.is_asked(At::First, ("ana", "please clean up"), None).await?;
        two.says(&asked.ts, (0, "waits for approval")).await?;
        let card = two.card("scratch.txt", "scratch.txt").await?;
        two.running[0].take().context("it runs")?.kill();
        two.approves("bo", &card, super::Way::Http(At::Beside)).await?;
        two.says(&asked.ts, (0, "I have deleted demo-notes/scratch.txt")).await?;
        ensure!(!file.exists());
        two.place.logs(TAKEN_UP).await?;
        Ok(())
    })
}

/// R13: a second mention in the thread comes to the server that does not work there. It is kept, waits for its turn, and is
/// answered after the first; while both servers live, each task stays in the hands that it is in.
#[test]
fn a_mention_that_reaches_the_other_server_waits_for_its_turn() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let two = Two::start().await?;
        two.a_scratch_file()?;
        let asked = two.is_asked(At::First, ("ana", "please clean up"), None).await?;
        two.says(&asked.ts, (0, "waits for approval")).await?;
        two.is_asked(At::Beside, ("chen", "what can you do?"), Some(&asked.ts)).await?;
        for _ in 0..LOOKS {
            let said: Vec<_> = two.said(&asked.ts).iter().map(text_of).collect();
            ensure!(said.len() == 1, "it waits for its turn: {said:#?}");
            rest().await;
        }
        ensure!(!two.place.log()?.contains(TAKEN_UP), "each stays where it is: {}", two.place.log()?);
        let card = two.card("scratch.txt", "scratch.txt").await?;
        two.approves("bo", &card, super::Way::Http(At::Beside)).await?;
        two.says(&asked.ts, (0, "I have deleted demo-notes/scratch.txt")).await?;
        two.says(&asked.ts, (1, "I play a script")).await?;
        Ok(())
    })
}

/// R11, R13: the order of a thread outlives the server that worked there: what it had is taken up first, and what waited at
/// the other one comes after.
#[test]
fn the_order_of_a_thread_outlives_a_server() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut two = Two::start().await?;
        two.a_scratch_file()?;
        let asked = two.is_asked(At::First, ("ana", "please clean up"), None).await?;
        two.says(&asked.ts, (0, "waits for approval")).await?;
        two.is_asked(At::Beside, ("chen", "what can you do?"), Some(&asked.ts)).await?;
        two.is_asked(At::First, ("dana", "what can you do?"), Some(&asked.ts)).await?;
        two.running[0].take().context("it runs")?.kill();
        let card = two.card("scratch.txt", "scratch.txt").await?;
        two.approves("bo", &card, super::Way::Http(At::Beside)).await?;
        two.says(&asked.ts, (0, "I have deleted demo-notes/scratch.txt")).await?;
        for nth in [1, 2] {
            two.says(&asked.ts, (nth, "I play a script")).await?;
        }
        let said: Vec<_> = two.said(&asked.ts).iter().map(text_of).collect();
        ensure!(said.len() == 3, "one answer to each: {said:#?}");
        Ok(())
    })
}
