//! Runs one command in the workspace, bounded in time and output, and ended together with what it started.
//!
//! What it started is its process group. A command that puts a child into a session of its own (`setsid`, a daemon)
//! leaves that child running: to find it, Placet would have to become the parent of every orphan of its process, which
//! is no tool's to decide. Whoever approves a command must read it with that in mind, and where it matters, Placet runs
//! in a container or a unit of its own that ends whatever is left.

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::{Either, select};
use placet::call::CanonicalArgs;
use placet::gate::Running;
use placet::id::IdError;
use placet::ports::{Clock, Tool, ToolResult, ToolSpec};
use placet::time::Ttl;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};

use crate::workspace::Workspace;
use crate::{read, spec};

/// How long a command may run.
const RUN_TIME_MAX: Ttl = Ttl::from_secs(60);

/// The most bytes of its output, and as many of its errors, that are kept.
const OUTPUT_BYTES_MAX: usize = 32 * 1024;

/// How long what a command started may hold on to its output after the command has ended.
const DRAIN_TIME_MAX: Ttl = Ttl::from_secs(2);

/// Where programs are looked for: nothing of the environment of Placet itself reaches a command.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Runs a command with `sh -c` in the workspace. The workspace is where it starts, not a wall: a command can do
/// whatever the account of Placet can.
pub struct RunShell {
    spec: ToolSpec,
    workspace: Workspace,
    clock: Arc<dyn Clock>,
    time_max: Ttl,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    command: String,
}

/// What a command wrote.
#[derive(Default)]
struct Written {
    kept: Vec<u8>,
    dropped: usize,
}

/// Ends the whole process group, however its owner goes: also when the run is broken off. What has left the group is
/// not reached.
struct Group(Option<u32>);

impl RunShell {
    /// Within this workspace.
    ///
    /// # Errors
    /// Never, as its name is one.
    pub fn new(workspace: Workspace, clock: Arc<dyn Clock>) -> Result<Self, IdError> {
        let schema = json!({
            "type": "object",
            "properties": {"command": {"type": "string", "description": "For sh -c, started in the workspace."}},
            "required": ["command"], "additionalProperties": false,
        });
        let about = "Runs a shell command in the workspace, for at most a minute, without input. What it leaves running in \
                     its process group is ended with it; what it detaches (setsid) is not, and goes on.";
        Ok(Self { spec: spec("run_shell", about, schema)?, workspace, clock, time_max: RUN_TIME_MAX })
    }

    /// With another limit on the time.
    #[must_use]
    pub fn with_time_max(mut self, time_max: Ttl) -> Self {
        self.time_max = time_max;
        self
    }

    async fn act(&self, args: &CanonicalArgs) -> ToolResult {
        let Args { command } = match read(args) {
            Ok(args) => args,
            Err(failed) => return failed,
        };
        if command.trim().is_empty() || command.contains('\0') {
            return ToolResult::Failed("the command is empty, or holds a zero byte".to_owned());
        }
        let mut child = match self.started(&command) {
            Ok(child) => child,
            Err(error) => return ToolResult::Failed(format!("the command could not be started: {error}")),
        };
        let group = Group(child.id());
        let (out, err) = (Keep::of(child.stdout.take()), Keep::of(child.stderr.take()));
        let limit = self.clock.sleep_until(self.clock.now() + self.time_max);
        let ended = match select(Box::pin(child.wait()), limit).await {
            Either::Left((ended, _)) => Some(ended),
            Either::Right(_) => None,
        };
        // What it left running would hold its output open, and go on without anybody knowing.
        drop(group);
        let _killed = child.start_kill();
        let (out, err) = (self.drained(out).await, self.drained(err).await);
        match ended {
            None => ToolResult::Failed(format!(
                "the command was ended after {}; what it had done by then stays done\n{}{}",
                self.time_max,
                out.text(),
                err.text()
            )),
            Some(Err(error)) => {
                ToolResult::Unknown(format!("how the command ended cannot be known: {error}"))
            }
            Some(Ok(status)) if status.success() => {
                ToolResult::Done(json!({"exit": 0, "stdout": out.text(), "stderr": err.text()}))
            }
            Some(Ok(status)) => {
                ToolResult::Failed(format!("{}\n{}{}", how_it_ended(status), out.text(), err.text()))
            }
        }
    }

    fn started(&self, command: &str) -> std::io::Result<Child> {
        let mut sh = Command::new("/bin/sh");
        sh.arg("-c").arg(command).current_dir(self.workspace.path());
        sh.env_clear().env("PATH", PATH).env("HOME", self.workspace.path()).env("LANG", "C.UTF-8");
        sh.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        #[cfg(unix)]
        sh.process_group(0);
        sh.spawn()
    }

    /// What was written, once everything that could write has ended.
    async fn drained(&self, keep: Keep) -> Written {
        let Keep { reading, written } = keep;
        let limit = self.clock.sleep_until(self.clock.now() + DRAIN_TIME_MAX);
        if let Some(reading) = reading {
            match select(reading, limit).await {
                Either::Left(_) => {}
                Either::Right((_, reading)) => reading.abort(),
            }
        }
        std::mem::take(&mut *written.lock().await)
    }
}

/// A stream that is read to its end, so that the command never waits, and kept up to the limit.
struct Keep {
    reading: Option<tokio::task::JoinHandle<()>>,
    written: Arc<tokio::sync::Mutex<Written>>,
}

impl Keep {
    fn of(stream: Option<impl AsyncRead + Unpin + Send + 'static>) -> Self {
        let written = Arc::new(tokio::sync::Mutex::new(Written::default()));
        let into = Arc::clone(&written);
        let reading = stream.map(|mut stream| {
            tokio::spawn(async move {
                let mut piece = [0_u8; 4096];
                while let Ok(count @ 1..) = stream.read(&mut piece).await {
                    let mut written = into.lock().await;
                    let kept = count.min(OUTPUT_BYTES_MAX - written.kept.len());
                    written.kept.extend_from_slice(&piece[..kept]);
                    written.dropped += count - kept;
                }
            })
        });
        Self { reading, written }
    }
}

impl Written {
    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.kept).into_owned();
        if self.dropped > 0 {
            text.push_str(&format!("\n… ({} bytes more were not kept)\n", self.dropped));
        }
        text
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.0.take().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            // An error means that nothing of the group is left.
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    status
        .code()
        .map_or_else(|| "the command was ended by a signal".to_owned(), |code| format!("exit status {code}"))
}

#[async_trait]
impl Tool for RunShell {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        self.act(running.args()).await
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    use placet::time::Timestamp;

    use super::*;

    /// A clock on which no time passes until somebody says that all of it has.
    #[derive(Default)]
    struct Standing {
        over: AtomicBool,
        told: tokio::sync::Notify,
    }

    #[async_trait]
    impl Clock for Standing {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(0)
        }
        async fn sleep_until(&self, _at: Timestamp) {
            while !self.over.load(SeqCst) {
                self.told.notified().await;
            }
        }
    }

    fn tool(folder: &std::path::Path) -> (RunShell, Arc<Standing>) {
        let clock = Arc::new(Standing::default());
        (RunShell::new(Workspace::open(folder).unwrap(), Arc::clone(&clock) as _).unwrap(), clock)
    }

    fn args(command: &str) -> CanonicalArgs {
        CanonicalArgs::from_value(&json!({ "command": command })).unwrap()
    }

    #[tokio::test]
    async fn a_command_runs_in_the_workspace_with_nothing_of_our_environment() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("here"), "").unwrap();
        let (tool, _) = tool(folder.path());
        let ToolResult::Done(done) = tool.act(&args("ls; env | grep -c CARGO; true")).await else {
            panic!("failed")
        };
        assert_eq!((&done["stdout"], &done["exit"]), (&json!("here\n0\n"), &json!(0)));
        let failed = tool.act(&args("echo no >&2; exit 3")).await;
        assert_eq!(failed, ToolResult::Failed("exit status 3\nno\n".to_owned()));
        assert!(matches!(tool.act(&args("  ")).await, ToolResult::Failed(_)));
    }

    #[tokio::test]
    async fn much_output_is_cut_and_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let (tool, _) = tool(folder.path());
        let ToolResult::Done(done) = tool.act(&args("head -c 1000000 /dev/zero | tr '\\0' x")).await else {
            panic!("failed")
        };
        let out = done["stdout"].as_str().unwrap();
        assert!(out.len() < OUTPUT_BYTES_MAX + 100 && out.contains("bytes more were not kept"));
    }

    /// What a command leaves running in its group ends with it.
    #[tokio::test]
    async fn nothing_goes_on_behind_our_back() {
        let folder = tempfile::tempdir().unwrap();
        let (tool, _) = tool(folder.path());
        let ToolResult::Done(done) = tool.act(&args("sleep 1000 & echo $!")).await else { panic!("failed") };
        let pid = done["stdout"].as_str().unwrap().trim().to_owned();
        assert!(gone(&pid).await, "{pid} still runs");
    }

    #[tokio::test]
    async fn time_is_limited_by_the_clock() {
        let folder = tempfile::tempdir().unwrap();
        let (tool, clock) = tool(folder.path());
        let running =
            tokio::spawn(async move { tool.act(&args("echo $$ > pid; echo begun; sleep 1000")).await });
        let pid = loop {
            if let Ok(pid) = std::fs::read_to_string(folder.path().join("pid"))
                && pid.ends_with('\n')
            {
                break pid.trim().to_owned();
            }
            tokio::task::yield_now().await;
        };
        clock.over.store(true, SeqCst);
        clock.told.notify_waiters();
        clock.told.notify_one();
        let ToolResult::Failed(why) = running.await.unwrap() else { panic!("it ended by itself") };
        assert!(why.starts_with("the command was ended after 1m"), "{why}");
        assert!(gone(&pid).await);
    }

    /// A run that is broken off ends its command.
    #[tokio::test]
    async fn breaking_off_ends_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let (tool, _) = tool(folder.path());
        let running = tokio::spawn(async move { tool.act(&args("sleep 1000 & echo $! > pid; wait")).await });
        let pid = loop {
            if let Ok(pid) = std::fs::read_to_string(folder.path().join("pid"))
                && pid.ends_with('\n')
            {
                break pid.trim().to_owned();
            }
            tokio::task::yield_now().await;
        };
        running.abort();
        assert!(running.await.is_err());
        assert!(gone(&pid).await);
    }

    /// Whether a process ends; one that nobody has reaped counts as ended.
    async fn gone(pid: &str) -> bool {
        for _ in 0..100_000 {
            match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
                Err(_) => return true,
                Ok(stat) if stat.contains(") Z ") => return true,
                Ok(_) => tokio::task::yield_now().await,
            }
        }
        false
    }
}
