//! The real program as a process of its own, to be killed at any moment.

use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use placet::time::Clock as _;
use placet_server::SystemClock;
use serde_json::Value;

use crate::desk::{SIGNING_SECRET, TENANT};
use crate::fake_slack::{APP_TOKEN, FakeSlack, TEAM_ID, TOKEN};
use crate::policy::desk_policy;

/// How long a process may take to answer, and an answer to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// An installation in a folder: config, policy, database, and a fake workspace at the machine's own time.
pub struct Installation {
    folder: tempfile::TempDir,
    program: PathBuf,
    port: u16,
    /// Where a second process listens, if there is one.
    port_beside: u16,
    /// The workspace.
    pub slack: FakeSlack,
    /// The channel where cards go.
    pub ops: String,
    /// The channel where alarms go.
    pub alarms: String,
    http: reqwest::Client,
}

/// One of two processes on one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The one that listens where the settings say.
    First,
    /// The other.
    Beside,
}

impl At {
    /// They take turns.
    #[must_use]
    pub const fn turn(number: usize) -> Self {
        if number.is_multiple_of(2) { Self::First } else { Self::Beside }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Beside,
            Self::Beside => Self::First,
        }
    }
}

/// A running process; killed when it is dropped.
pub struct Running(Child);

impl Running {
    /// Kill -9.
    pub fn kill(mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Tells it by a signal to read its policy again.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn hangs_up(&self) -> Result<()> {
        let told = Command::new("kill").args(["-HUP", &self.id().to_string()]).status()?;
        ensure!(told.success(), "the signal could not be sent: {told}");
        Ok(())
    }

    /// The id by which somebody else may kill it.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Installation {
    /// A fresh one, not running yet.
    ///
    /// # Errors
    /// If it cannot be laid out.
    pub async fn new(program: &str) -> Result<Self> {
        let clock = SystemClock;
        let slack = FakeSlack::start(Arc::new(move || clock.now().as_millis())).await?;
        slack.set_signing_secret(SIGNING_SECRET);
        // Its time is the machine's: processes that are killed know nothing of turns before, and nobody waits for theirs here.
        slack.limit_rates(false);
        let (ops, alarms) = (slack.channel("ops"), slack.channel("alarms"));
        for name in ["ana", "bo", "chen", "dana", "fay", "vic", "sam"] {
            slack.person(name);
        }
        let folder = tempfile::tempdir()?;
        let free = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
        let [port, port_beside] = [free[0].local_addr()?.port(), free[1].local_addr()?.port()];
        drop(free);
        let url = slack.base_url();
        std::fs::write(folder.path().join("policy.toml"), desk_policy(&ops))?;
        std::fs::write(
            folder.path().join("placet.toml"),
            format!(
                r#"data = "placet.db"
policy = "policy.toml"
lease = "3s"

[http]
listen = "127.0.0.1:{port}"

[slack]
api_url = "{url}"
signing_secret = {{ env = "SIGNING_SECRET" }}
bot_token = {{ env = "BOT_TOKEN" }}
team = "{TEAM_ID}"
tenant = "{TENANT}"
channel = "{ops}"
ops_channel = "{alarms}"
post_interval = "0s"

[agent]
model = "scripted"
workspace = "workspace"
tenant = "{TENANT}"
"#
            ),
        )?;
        std::fs::create_dir_all(folder.path().join("workspace/demo-notes"))?;
        #[expect(clippy::disallowed_methods, reason = "a test's own client, on loopback only")]
        let http = reqwest::Client::new();
        Ok(Self { folder, program: program.into(), port, port_beside, slack, ops, alarms, http })
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("SIGNING_SECRET", SIGNING_SECRET)
            .env("BOT_TOKEN", TOKEN)
            .env("APP_TOKEN", APP_TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command
    }

    /// Runs a command to its end; gives what it printed.
    ///
    /// # Errors
    /// If it fails.
    pub fn runs(&self, arguments: &[&str]) -> Result<String> {
        let output = self.command(arguments).stderr(Stdio::piped()).output()?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "{arguments:?} failed: {out}{err}");
        Ok(out.into_owned())
    }

    /// Makes a credential by the command for it.
    ///
    /// # Errors
    /// If none is printed.
    pub fn token(&self, name: &str, scopes: &str) -> Result<String> {
        let arguments = [
            "token",
            "create",
            "--config",
            "placet.toml",
            "--name",
            name,
            "--tenant",
            TENANT,
            "--scopes",
            scopes,
        ];
        let printed = self.runs(&arguments)?;
        let word = printed.split_whitespace().find(|word| word.starts_with("plt_"));
        Ok(word.with_context(|| format!("no token in: {printed}"))?.to_owned())
    }

    /// Starts the server and waits until it answers.
    ///
    /// # Errors
    /// If it does not.
    pub async fn serves(&self) -> Result<Running> {
        self.serves_at(At::First).await
    }

    /// Has several processes serve the same file, each of them with a socket of its own as well.
    ///
    /// # Errors
    /// If the settings cannot be written.
    pub fn is_shared(&self) -> Result<()> {
        let file = self.folder.path().join("placet.toml");
        let settings = std::fs::read_to_string(&file)?
            .replace("[slack]\n", "[slack]\napp_token = { env = \"APP_TOKEN\" }\nsocket_connections = 1\n");
        Ok(std::fs::write(file, format!("{settings}\n[store]\nshared = true\n"))?)
    }

    /// As [`Installation::serves`], for one of two processes.
    ///
    /// # Errors
    /// If it does not answer.
    pub async fn serves_at(&self, at: At) -> Result<Running> {
        let log =
            std::fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("log"))?;
        let listen = format!("127.0.0.1:{}", self.port_of(at));
        let mut serve = self.command(&["serve", "--config", "placet.toml", "--listen", &listen]);
        let mut child = serve.stdout(Stdio::null()).stderr(log).spawn()?;
        for _ in 0..2000 {
            if let Some(status) = child.try_wait()? {
                bail!("it ended with {status}: {}", self.log()?);
            }
            if self
                .http
                .get(self.url_at(at, "/readyz"))
                .send()
                .await
                .is_ok_and(|answer| answer.status().is_success())
            {
                return Ok(Running(child));
            }
            rest().await;
        }
        let _ = child.kill();
        bail!("it does not answer: {}", self.log()?)
    }

    /// The line of its log that has these words, once it is there.
    ///
    /// # Errors
    /// If it does not come.
    pub async fn logs(&self, words: &str) -> Result<String> {
        for _ in 0..2000 {
            if let Some(line) = self.log()?.lines().find(|line| line.contains(words)) {
                return Ok(line.to_owned());
            }
            rest().await;
        }
        bail!("no line has {words:?}: {}", self.log()?)
    }

    /// What it logged.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn log(&self) -> Result<String> {
        let mut log = String::new();
        std::fs::File::open(self.folder.path().join("log"))?.read_to_string(&mut log)?;
        Ok(log)
    }

    /// An address of it.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        self.url_at(At::First, path)
    }

    fn url_at(&self, at: At, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port_of(at))
    }

    const fn port_of(&self, at: At) -> u16 {
        match at {
            At::First => self.port,
            At::Beside => self.port_beside,
        }
    }

    /// Asks once; none where no answer came.
    pub async fn asks(
        &self,
        token: &str,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> Option<(u16, Value)> {
        self.asks_at(At::First, token, (path, body), key).await
    }

    /// As [`Installation::asks`], of one of two processes.
    pub async fn asks_at(
        &self,
        at: At,
        token: &str,
        (path, body): (&str, Option<&Value>),
        key: Option<&str>,
    ) -> Option<(u16, Value)> {
        let url = self.url_at(at, path);
        let mut request = match body {
            Some(body) => self.http.post(url).json(body),
            None => self.http.get(url),
        };
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let answer = request.bearer_auth(token).timeout(PATIENCE).send().await.ok()?;
        let status = answer.status().as_u16();
        let body = answer.bytes().await.ok()?;
        Some((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }

    /// Opens a stream of events and gives each to `take` until it has what it wants. False where the stream ended or
    /// could not be opened.
    pub async fn streams(
        &self,
        token: &str,
        (path, body): (&str, Option<&Value>),
        mut take: impl FnMut(&str) -> bool,
    ) -> bool {
        let request = match body {
            Some(body) => self.http.post(self.url(path)).json(body),
            None => self.http.get(self.url(path)),
        };
        let Ok(mut answer) = request.bearer_auth(token).timeout(PATIENCE).send().await else { return false };
        if !answer.status().is_success() {
            return false;
        }
        let mut rest = String::new();
        while let Ok(Some(chunk)) = answer.chunk().await {
            rest.push_str(&String::from_utf8_lossy(&chunk));
            while let Some((frame, after)) = rest.split_once("\n\n") {
                let wanted = take(frame);
                rest = after.to_owned();
                if wanted {
                    return true;
                }
            }
        }
        false
    }

    /// The store, once nothing runs on it any more.
    ///
    /// # Errors
    /// If something does.
    pub fn store(&self) -> Result<placet_store::SqliteStore> {
        let options = placet_store::Options::new(Arc::new(SystemClock), Arc::new(placet_server::OsEntropy));
        Ok(placet_store::SqliteStore::open(self.folder.path().join("placet.db"), options)?)
    }

    /// Delivers what Slack signed, once; none where no answer came.
    pub async fn delivers(&self, delivery: &crate::fake_slack::Delivery) -> Option<u16> {
        self.delivers_to(At::First, delivery).await
    }

    /// As [`Installation::delivers`], to one of two processes.
    pub async fn delivers_to(&self, at: At, delivery: &crate::fake_slack::Delivery) -> Option<u16> {
        self.brings("/slack/interactivity", at, delivery).await
    }

    /// The same for an event.
    pub async fn delivers_event_to(&self, at: At, delivery: &crate::fake_slack::Delivery) -> Option<u16> {
        self.brings("/slack/events", at, delivery).await
    }

    async fn brings(&self, path: &str, at: At, delivery: &crate::fake_slack::Delivery) -> Option<u16> {
        let mut request = self.http.post(self.url_at(at, path)).body(delivery.body.clone());
        for (name, value) in &delivery.headers {
            request = request.header(*name, value);
        }
        Some(request.timeout(PATIENCE).send().await.ok()?.status().as_u16())
    }
}

/// A moment: the processes of these tests live in the machine's own time.
pub async fn rest() {
    #[expect(
        clippy::disallowed_methods,
        reason = "another process has to be waited for, in the machine's own time"
    )]
    tokio::time::sleep(Duration::from_millis(5)).await;
}
