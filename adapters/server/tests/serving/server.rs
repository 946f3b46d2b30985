//! A server of the program as it is shipped, in a folder of its own, and what it says in its log.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use placet::time::{Clock as _, Ttl};
use placet_server::SystemClock;
use serde_json::Value;

pub(crate) const PLACET: &str = env!("CARGO_BIN_EXE_placet");

/// How long it is looked whether something has come to be.
const PATIENCE: Ttl = Ttl::from_secs(60);

/// A running server; killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command, done to its end.
pub(crate) fn placet(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(PLACET).args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// A command that does what it says; what it prints.
pub(crate) fn told(folder: &Path, arguments: &[&str]) -> String {
    let output = placet(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A new credential's token.
pub(crate) fn token(folder: &Path, name: &str, scopes: &str) -> String {
    let made = [
        "token",
        "create",
        "--config",
        "placet.toml",
        "--tenant",
        "acme",
        "--name",
        name,
        "--scopes",
        scopes,
    ];
    told(folder, &made).trim_end().to_owned()
}

impl Server {
    /// Starts one by the settings of a folder, which say nothing of `[http]` yet, and waits until it is there.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = std::fs::read_to_string(folder.join("placet.toml")).unwrap();
        let (own, _) = settings.split_once("[http]").unwrap_or((&settings, ""));
        let settings = format!("{own}[http]\nlisten = \"127.0.0.1:{port}\"\n");
        std::fs::write(folder.join("placet.toml"), settings).unwrap();
        let log = folder.join(format!("log-{port}"));
        let mut serve = Command::new(PLACET);
        serve.args(["serve", "--config", "placet.toml"]).args(arguments).current_dir(folder);
        serve.env("SIGNING", "the right secret").env("BOT", "xoxb-1");
        let child = serve.stdin(Stdio::null()).stderr(File::create(&log).unwrap()).spawn().unwrap();
        let server = Self { child, port, log };
        server.waits("readiness", || {
            server.ask(("GET", "/readyz"), "", "").is_some_and(|(status, _)| status == 200)
        });
        server
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it said so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until its log has this; gives the line.
    pub(crate) fn says(&self, wanted: &str) -> String {
        self.waits(wanted, || self.log().contains(wanted));
        self.log().lines().find(|line| line.contains(wanted)).unwrap().to_owned()
    }

    /// Waits until something is so.
    pub(crate) fn waits(&self, what: &str, is_so: impl Fn() -> bool) {
        let until = SystemClock.now() + PATIENCE;
        while !is_so() {
            assert!(SystemClock.now() < until, "{what} did not come: {}", self.log());
            std::thread::yield_now();
        }
    }

    /// An answer of its interface; none where nobody answers.
    pub(crate) fn ask(&self, (method, path): (&str, &str), token: &str, body: &str) -> Option<(u16, String)> {
        let more = format!(
            "authorization: Bearer {token}\r\ncontent-type: application/json\r\nidempotency-key: k\r\n"
        );
        self.sends((method, path), &more, body)
    }

    /// An answer to a call with these header lines.
    pub(crate) fn sends(
        &self,
        (method, path): (&str, &str),
        headers: &str,
        body: &str,
    ) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let length = body.len();
        let ask = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(ask.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.get(9..12)?.parse().ok()?, body.to_owned()))
    }

    /// The answer as JSON, of this status.
    pub(crate) fn json(&self, ask: (&str, &str), token: &str, (status, body): (u16, &str)) -> Value {
        let (got, told) = self.ask(ask, token, body).unwrap();
        assert_eq!(got, status, "{told}");
        serde_json::from_str(&told).unwrap()
    }
}
