//! One client's program.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::Client;

/// The programs.
const PEOPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/people");

/// What a program writes beside its answers.
const COMPLAINTS: &str = "complaints";

/// How long a program may take for one command: longer than a person waits for what is to come.
const ANSWER_SECONDS_MAX: u64 = 120;

/// How much of what a program complained of stands in an error.
const COMPLAINT_CHARACTERS_MAX: usize = 2000;

/// A running program; ends when it is dropped, and by itself when its input does.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// Its keys, where it keeps them in files, and what it complained of.
    folder: tempfile::TempDir,
    number: u64,
}

impl Process {
    pub(super) fn start(client: Client) -> Result<Self> {
        let variable = |name: &str| {
            std::env::var(name).with_context(|| {
                format!(
                    "{name} is not set, and says where people's clients are: tests/homeserver/run sets it"
                )
            })
        };
        let clients = variable("PLACET_HOMESERVER_CLIENTS")?;
        let (program, arguments) = match client {
            // `-P`: the script, which has the name of the client, is not taken for it.
            Client::Nio => (PathBuf::from(&clients).join("python/bin/python"), ["-P", "nio.py"].as_slice()),
            Client::Js => (PathBuf::from(variable("PLACET_HOMESERVER_NODE")?), ["js.mjs"].as_slice()),
        };
        let folder = tempfile::Builder::new().prefix("placet-person-").tempdir()?;
        let complaints = std::fs::File::create(folder.path().join(COMPLAINTS))?;
        let mut child = Command::new(&program)
            .args(arguments)
            .arg(folder.path())
            .current_dir(PEOPLE)
            .env("PLACET_HOMESERVER_CLIENTS", &clients)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(complaints)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} does not start", program.display()))?;
        let input = child.stdin.take().context("no input of it")?;
        let output = BufReader::new(child.stdout.take().context("no output of it")?).lines();
        Ok(Self { child, input, output, folder, number: 0 })
    }

    /// Has it do something, and gives its answer.
    pub(super) async fn told(&mut self, what: &str, named: Value) -> Result<Value> {
        self.number += 1;
        let mut command = named;
        command["id"] = json!(self.number);
        command["do"] = json!(what);
        let answering = self.answered(format!("{command}\n"));
        #[expect(
            clippy::disallowed_methods,
            reason = "another process is waited for, in the machine's own time"
        )]
        let answered = tokio::time::timeout(Duration::from_secs(ANSWER_SECONDS_MAX), answering).await;
        let line = match answered {
            Ok(Ok(Some(line))) => line,
            Ok(Ok(None)) => bail!("its client ended at {what}: {}", self.complaint()),
            Ok(Err(error)) => return Err(error).with_context(|| format!("{what}: {}", self.complaint())),
            Err(_) => bail!("no answer to {what} within {ANSWER_SECONDS_MAX} s: {}", self.complaint()),
        };
        let mut answer: Value =
            serde_json::from_str(&line).with_context(|| format!("no answer to {what}: {line}"))?;
        // One whose wait was broken off leaves an answer behind, which would be taken for the next one's.
        ensure!(answer["id"] == self.number, "an answer to an earlier command than {what}");
        match answer["error"].as_str() {
            Some(error) => bail!("{what}: {error}"),
            None => Ok(answer["ok"].take()),
        }
    }

    async fn answered(&mut self, line: String) -> Result<Option<String>> {
        if let Some(status) = self.child.try_wait()? {
            bail!("its client has ended with {status}");
        }
        self.input.write_all(line.as_bytes()).await?;
        self.input.flush().await?;
        Ok(self.output.next_line().await?)
    }

    /// The end of what it complained of.
    fn complaint(&self) -> String {
        let all = std::fs::read(self.folder.path().join(COMPLAINTS)).unwrap_or_default();
        let all = String::from_utf8_lossy(&all);
        let begin = all.chars().count().saturating_sub(COMPLAINT_CHARACTERS_MAX);
        all.chars().skip(begin).collect()
    }
}
