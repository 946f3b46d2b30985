//! Shows the fake's sockets to the official client and fails on whatever that does not take for Slack:
//! `socket-mode-judged CLIENT PACKAGES`. `tests/judges/socket` calls it.

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use placet::time::Clock as _;
use placet_server::SystemClock;
use placet_tests::fake_slack::{APP_TOKEN, FakeSlack};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

/// The exit code by which the client says that it was refused.
const REFUSED: i32 = 3;

/// How long a client may take to end.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let client = arguments.next().context("the client's script")?;
    let packages = arguments.next().context("the folder of its packages")?;
    let clock = SystemClock;
    let slack = FakeSlack::start(Arc::new(move || clock.now().as_millis())).await?;
    let starts = |token: &str| -> Result<Child> {
        Ok(Command::new("node")
            .arg(&client)
            .env("PACKAGES", &packages)
            .env("API_URL", slack.base_url())
            .env("APP_TOKEN", token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?)
    };

    let (ended, said) = end(&mut starts("xapp-1-A0FAKEAPP1-1-other")?).await?;
    ensure!(ended.code() == Some(REFUSED), "a token that is not the app's opens no socket: {said:?}");
    ensure!(said.contains(&json!({ "refused": "invalid_auth" })), "{said:?}");

    let mut child = starts(APP_TOKEN)?;
    slack.has_sockets(1).await?;
    envelopes_are_answered(&slack).await?;
    for (moves, reason) in ["warning", "refresh_requested"].into_iter().enumerate() {
        slack.asks_to_move(reason)?;
        slack.has_opened_sockets(moves + 2).await?;
        slack.has_sockets(1).await?;
        envelopes_are_answered(&slack).await?;
    }
    slack.breaks_socket()?;
    slack.has_opened_sockets(4).await?;
    delivered_again(&slack).await?;

    drop(child.stdin.take());
    let (ended, said) = end(&mut child).await?;
    ensure!(ended.success(), "the client ended with {ended}: {said:?}");
    slack.has_sockets(0).await?;
    let greetings = said.iter().filter(|line| line["met"] == "hello").count();
    ensure!(greetings == 4, "greeted {greetings} times: {said:#?}");
    // It says in two lines that the socket broke off which the fake broke off.
    let complaints: Vec<_> =
        said.iter().filter(|line| !line["warning"].is_null() || !line["error"].is_null()).collect();
    let about_the_break =
        |line: &&&Value| line["error"].as_str().unwrap_or_default().starts_with("WebSocket error");
    let expected = complaints.iter().filter(about_the_break).count();
    ensure!(complaints.len() == expected && expected <= 2, "the client complains: {complaints:#?}");
    let again = said.iter().filter(|line| line["retry"] == 1).count();
    ensure!(again == 1, "a second delivery says that it is one: {said:#?}");
    let refused: Vec<_> = slack.refused().into_iter().filter(|why| why.starts_with("socket")).collect();
    ensure!(refused.is_empty(), "the fake refuses what the official client says: {refused:#?}");
    says(&format!("the official client takes the fake for Slack: {} things met\n", said.len()))
}

/// One envelope of each kind, and the answers in their acknowledgements.
async fn envelopes_are_answered(slack: &FakeSlack) -> Result<()> {
    let bo = slack.person("bo");
    let click = slack.sends_payload("interactive", json!({ "type": "block_actions", "user": { "id": bo } }));
    ensure!(slack.acknowledged(&click).await? == json!({ "response_action": "clear" }));
    slack.channel("ops");
    let typed = slack.signed(&slack.slash_payload(&bo, "ops", "/placet", "pending")?);
    let typed = slack.sends_envelope(&typed)?;
    ensure!(slack.acknowledged(&typed).await? == json!({ "text": "heard pending" }));
    let event = slack.sends_payload("events_api", mention("hello"));
    ensure!(slack.acknowledged(&event).await? == Value::Null);
    for envelope in [click, typed, event] {
        ensure!(slack.deliveries(&envelope) == 1, "each is delivered once");
    }
    Ok(())
}

/// An event whose acknowledgement is lost comes again, and is acknowledged.
async fn delivered_again(slack: &FakeSlack) -> Result<()> {
    slack.loses_acknowledgements(1);
    let event = slack.sends_payload("events_api", mention("again"));
    slack.has_lost_acknowledgements().await?;
    slack.delivers_unanswered_again();
    slack.acknowledged(&event).await?;
    ensure!(slack.deliveries(&event) == 2);
    Ok(())
}

fn mention(text: &str) -> Value {
    json!({ "type": "event_callback", "event_id": "Ev1", "event": { "type": "app_mention", "text": text } })
}

/// The client's end, and what it said until then.
async fn end(child: &mut Child) -> Result<(ExitStatus, Vec<Value>)> {
    let mut said = String::new();
    let mut output = child.stdout.take().context("its output")?;
    #[expect(clippy::disallowed_methods, reason = "real time: a client that never ends fails, not hangs")]
    let ended = tokio::time::timeout(PATIENCE, output.read_to_string(&mut said)).await;
    ended.context("the client does not end")??;
    // Waiting closes its input, which it would take for a sign to end.
    let ended = child.wait().await?;
    let lines = said.lines().map(serde_json::from_str);
    Ok((ended, lines.collect::<Result<_, _>>().with_context(|| format!("not JSON: {said}"))?))
}

/// Says how it went, to whoever looks on.
fn says(text: &str) -> Result<()> {
    use std::io::Write as _;
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
