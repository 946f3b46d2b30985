//! Two processes on one SQLite file, as in a rolling restart on one machine: what people do reaches either, over HTTP or on
//! a socket, and there is one decision, one card, and nothing lost.

mod policy;
mod stops;
mod tasks;

use anyhow::{Context as _, Result, bail, ensure};
use placet_tests::fake_slack::{Message, buttons, text_of};
use placet_tests::process::{At, Installation, Running, rest};
use serde_json::{Value, json};

use crate::kill::{record_tells, stale_cards};

/// Deploys with both processes there, and after one was killed.
const DEPLOYS: usize = 24;

/// The deploy during which one of them is killed.
const KILLED_AT: usize = 9;

/// The deploy before which it is started again.
const BACK_AT: usize = 15;

/// How often each step is tried: about half a minute.
const TRIES: usize = 6_000;

/// How a click comes.
#[derive(Debug, Clone, Copy)]
enum Way {
    Http(At),
    /// To whichever has the socket whose turn it is.
    Socket,
}

/// Two processes.
struct Two {
    place: Installation,
    token: String,
    running: [Option<Running>; 2],
}

impl Two {
    async fn start() -> Result<Self> {
        Self::start_with(|_| Ok(())).await
    }

    /// With something else in the files.
    async fn start_with(lays_out: impl FnOnce(&Installation) -> Result<()>) -> Result<Self> {
        let place = Installation::new(env!("CARGO_BIN_EXE_placet-under-test")).await?;
        lays_out(&place)?;
        let token = place.token("agent", "propose,execute")?;
        place.is_shared()?;
        let running = [Some(place.serves_at(At::First).await?), Some(place.serves_at(At::Beside).await?)];
        place.slack.has_sockets(2).await?;
        Ok(Self { place, token, running })
    }

    /// The one that is asked, if it runs; else the other.
    const fn alive(&self, at: At) -> At {
        let [first, beside] = &self.running;
        match at {
            At::First if first.is_none() => At::Beside,
            At::Beside if beside.is_none() => At::First,
            at => at,
        }
    }

    async fn asks(&self, at: At, path: &str, body: Option<&Value>) -> Result<Value> {
        let (status, answer) = self
            .place
            .asks_at(self.alive(at), &self.token, (path, body), None)
            .await
            .with_context(|| format!("{path}: no answer: {}", self.place.log().unwrap_or_default()))?;
        ensure!(status < 300, "{path}: {status} {answer}");
        Ok(answer)
    }

    /// The cards of one deploy.
    fn cards(&self, tag: &str) -> Vec<Message> {
        let all = self.place.slack.messages(&self.place.ops).into_iter();
        // A message with replies is the parent of its own thread.
        let is_reply = |message: &Message| message.thread_ts.as_ref().is_some_and(|ts| *ts != message.ts);
        all.filter(|card| !is_reply(card) && text_of(card).contains(tag)).collect()
    }

    /// Its card, once it reads like this.
    async fn card(&self, tag: &str, words: &str) -> Result<Message> {
        for _ in 0..TRIES {
            if let Some(card) = self.cards(tag).into_iter().find(|card| text_of(card).contains(words)) {
                return Ok(card);
            }
            rest().await;
        }
        let cards: Vec<_> = self.cards(tag).iter().map(text_of).collect();
        bail!("no card of {tag} says {words:?}: {cards:#?}\n{}", self.place.log()?)
    }

    /// Somebody presses Approve, and what Slack sends for it comes this way.
    async fn approves(&self, name: &str, card: &Message, way: Way) -> Result<()> {
        let slack = &self.place.slack;
        let all = buttons(card);
        let button = all.iter().find(|button| button.text.starts_with("Approve")).context("a button")?;
        let click = slack.signed(&slack.click_payload(&slack.person(name), card, button));
        match way {
            Way::Http(at) => {
                let status = self.place.delivers_to(self.alive(at), &click).await;
                ensure!(status == Some(200), "{way:?}: {status:?}");
            }
            Way::Socket => {
                let envelope = slack.sends_envelope(&click)?;
                slack.acknowledged(&envelope).await?;
            }
        }
        Ok(())
    }

    /// Releases one deploy by two people, each of whom comes another way, and runs it once.
    async fn deploys(&self, number: usize) -> Result<()> {
        let tag = format!("tag{number:03}");
        let call = json!({"tool": "deploy", "args": {"app": "api", "tag": tag}});
        let proposal = json!({"tool": "deploy", "args": call["args"], "task": "release", "reason": "due"});
        let at = At::turn(number);
        let request = self.asks(at, "/v1/requests", Some(&proposal)).await?;
        let id = request["id"].as_str().context("an id")?.to_owned();
        let card = self.card(&tag, &tag).await?;
        let ways = [Way::Http(at), Way::Socket, Way::Http(at.other()), Way::Socket];
        self.approves("bo", &card, ways[number % 4]).await?;
        let card = self.card(&tag, "1 of 2").await?;
        let wait = format!("/v1/requests/{id}?wait=20s");
        // Whoever waits at the other process learns of it too.
        let (waited, clicked) = tokio::join!(
            self.asks(at.other(), &wait, None),
            self.approves("chen", &card, ways[(number + 1) % 4])
        );
        clicked?;
        let waited = waited?;
        ensure!(waited["status"] == "approved", "{waited}");
        self.card(&tag, "Approved").await?;
        let claim = |key: usize| {
            let mut claim = call.clone();
            claim["key"] = format!("{key:0>40}").into();
            claim
        };
        let path = format!("/v1/requests/{id}/claim");
        let (one, other) = (claim(number + 1), claim(number + 1_000));
        // Both processes are asked for it in the same moment; one gets it.
        let (here, there) = tokio::join!(
            self.place.asks_at(self.alive(at), &self.token, (&path, Some(&one)), None),
            self.place.asks_at(self.alive(at.other()), &self.token, (&path, Some(&other)), None)
        );
        let answers = [(here.context("an answer")?, one), (there.context("an answer")?, other)];
        let claimed: Vec<_> = answers.iter().filter(|((status, _), _)| *status == 200).collect();
        let [((_, claimed), asked)] = claimed[..] else { bail!("not claimed once: {answers:?}") };
        let report =
            json!({"claim": claimed["claim"], "key": asked["key"], "status": "succeeded", "duration_ms": 1});
        self.asks(at.other(), &format!("/v1/requests/{id}/outcome"), Some(&report)).await?;
        Ok(())
    }
}

/// R11, R24, R29, R30: two processes on one file take clicks and envelopes in turn; one of them is killed in the middle, and
/// is started again later: each deploy is decided once and runs once, has one card, and nothing is lost.
#[test]
fn two_processes_share_one_file() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut two = Two::start().await?;
        for number in 0..DEPLOYS {
            if number == KILLED_AT {
                // A card of its own may be on its way to Slack in this moment.
                let left = json!({"tool": "delete_file", "args": {"path": "left.txt"}, "task": "clean up", "reason": "old"});
                two.asks(At::First, "/v1/requests", Some(&left)).await?;
                two.running[0].take().context("it runs")?.kill();
                two.place.slack.has_sockets(1).await?;
            }
            if number == BACK_AT {
                two.running[0] = Some(two.place.serves_at(At::First).await?);
                two.place.slack.has_sockets(2).await?;
            }
            two.deploys(number).await.with_context(|| format!("deploy {number}"))?;
        }
        // What the killed one had in its hands was taken over once its lease was over.
        let left = two.card("left.txt", "left.txt").await?;
        two.approves("bo", &left, Way::Socket).await?;
        two.card("left.txt", "Approved").await?;
        ensure!(stale_cards(&two.place).await == 0, "a card can still be pressed");
        for number in 0..DEPLOYS {
            let cards: Vec<_> = two.cards(&format!("tag{number:03}")).iter().map(text_of).collect();
            ensure!(cards.len() == 1, "one card for deploy {number}, not {cards:#?}");
        }
        // The killed one may have posted it without having been able to say so.
        ensure!(two.cards("left.txt").len() <= 2);
        let wrong: Vec<_> = two.place.slack.refused().into_iter().filter(|why| why.starts_with("socket")).collect();
        ensure!(wrong.is_empty(), "{wrong:#?}");
        two.running = [None, None];
        let told = record_tells(&two.place, |approval, counts| {
            let runs = usize::from(approval.proposal.call.tool.as_str() == "deploy");
            ensure!(counts == [1, runs, runs], "decided, claimed, executed: {counts:?} of {}", approval.id);
            Ok(())
        });
        ensure!(told.await? == DEPLOYS + 1, "one request for each proposal");
        Ok(())
    })
}

/// R30, R32: the same click comes to both processes and on a socket in the same moment, as after a lost answer: it is one
/// vote, and one decision.
#[test]
fn one_click_to_both_is_one_vote() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut two = Two::start().await?;
        for number in 0..8 {
            let file = format!("file{number}.txt");
            let proposal =
                json!({"tool": "delete_file", "args": {"path": file}, "task": "clean up", "reason": "old"});
            two.asks(At::turn(number), "/v1/requests", Some(&proposal)).await?;
            let card = two.card(&file, &file).await?;
            let slack = &two.place.slack;
            let all = buttons(&card);
            let button = all.iter().find(|button| button.text.starts_with("Approve")).context("a button")?;
            let click = slack.signed(&slack.click_payload(&slack.person("bo"), &card, button));
            let envelope = slack.sends_envelope(&click)?;
            let (one, other, acknowledged) = tokio::join!(
                two.place.delivers_to(At::First, &click),
                two.place.delivers_to(At::Beside, &click),
                slack.acknowledged(&envelope),
            );
            acknowledged?;
            ensure!((one, other) == (Some(200), Some(200)), "{one:?} {other:?}");
            two.card(&file, "Approved").await?;
            ensure!(two.cards(&file).len() == 1);
            ensure!(slack.ephemerals(&slack.person("bo")).is_empty(), "nobody is told anything");
        }
        two.running = [None, None];
        let told = record_tells(&two.place, |approval, [decided, ..]| {
            ensure!(decided == 1 && approval.votes.len() == 1, "{} of {}", approval.votes.len(), approval.id);
            Ok(())
        });
        ensure!(told.await? == 8);
        Ok(())
    })
}

/// R47: a credential that is revoked through one process is worth nothing at the other.
#[test]
fn what_one_revokes_the_other_refuses() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let two = Two::start().await?;
        let reads = async |at| {
            two.place
                .asks_at(at, &two.token, ("/v1/requests/00000000-0000-7000-8000-000000000000", None), None)
                .await
        };
        for at in [At::First, At::Beside, At::First, At::Beside] {
            ensure!(reads(at).await.context("an answer")?.0 == 404);
        }
        two.place.runs(&["token", "revoke", "--config", "placet.toml", "agent"])?;
        for at in [At::First, At::Beside] {
            ensure!(reads(at).await.context("an answer")?.0 == 401);
        }
        Ok(())
    })
}
