//! The program as it is shipped: its exit codes, what it prints, and commands while a server runs.

#![expect(clippy::unwrap_used, reason = "tests, and what they share")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const PLACET: &str = env!("CARGO_BIN_EXE_placet");

/// How often the server is asked whether it is there yet.
const TRIES: u32 = 100_000;

fn placet(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(PLACET).args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// R12.
#[test]
fn the_demonstration_ends_well() {
    let folder = tempfile::tempdir().unwrap();
    let output = placet(folder.path(), &["demo", "--scripted"]);
    let told = text(&output.stdout);
    assert!(output.status.success(), "{told}{}", text(&output.stderr));
    assert!(told.contains("\n[1] event: text_delta\n{"));
    assert!(told.contains("the deletion was approved, the file is gone"));
    assert!(told.contains("the deletion was denied, the file is still there, and a note"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it leaves nothing behind");
}

#[test]
fn nobody_at_the_terminal_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let output = placet(folder.path(), &["demo"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

/// Ctrl-C ends the demonstration, and nothing of it is left.
#[cfg(unix)]
#[test]
fn an_interrupted_demonstration_cleans_up() {
    use std::io::{BufRead as _, BufReader};

    let folder = tempfile::tempdir().unwrap();
    let mut demo = Command::new(PLACET);
    demo.arg("demo").env("TMPDIR", folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut demo = demo.spawn().unwrap();
    let _keys = demo.stdin.take();
    let mut told = BufReader::new(demo.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("── Delete") {
        line.clear();
        assert_ne!(told.read_line(&mut line).unwrap(), 0, "no card");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(Command::new("kill").args(["-INT", &demo.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    told.read_to_string(&mut rest).unwrap();
    assert!(
        rest.contains("Interrupted: nothing more is done, and the temporary folder is removed."),
        "{rest}"
    );
    assert_eq!(demo.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_is_wrong_is_said_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = placet(folder.path(), &["serve", "--config", "nowhere.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).starts_with("placet: nowhere.toml: the settings cannot be read: no such file")
    );
    assert_eq!(placet(folder.path(), &["frobnicate"]).status.code(), Some(2));

    std::fs::write(folder.path().join("placet.toml"), "data = \"p.db\"\npolicy = \"policy.toml\"\n").unwrap();
    std::fs::write(folder.path().join("policy.toml"), "version = \"1\"\nlevls = 3\n").unwrap();
    for command in ["serve", "check"] {
        let output = placet(folder.path(), &[command, "--config", "placet.toml"]);
        assert_eq!(output.status.code(), Some(1));
        let told = text(&output.stderr);
        assert!(told.contains("policy.toml:2:1") && told.contains("did you mean `levels`?"), "{told}");
    }
}

#[test]
fn a_good_installation_is_checked_and_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("placet.toml"), "data = \"p.db\"\npolicy = \"builtin\"\n").unwrap();
    let output = placet(folder.path(), &["check", "--config", "placet.toml"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("profile   solo") && told.contains("talks to  nobody"), "{told}");
    assert!(!told.contains("warning"), "the owner decides with a credential of that name: {told}");
}

/// What the settings and the policy name must be there: both commands say what is not, and what to do.
#[test]
fn what_is_named_and_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let settings = "data = \"nowhere/p.db\"\npolicy = \"policy.toml\"\n[slack]\nsigning_secret = { env = \"SIGNING\" }\n\
                    bot_token = { env = \"BOT\" }\nteam = \"T024BE7LD\"\ntenant = \"acme\"\nchannel = \"C024BE91L\"\n\
                    [agent]\ntenant = \"acme\"\nworkspace = \"gone\"\n[http]\nlisten = \"127.0.0.1:0\"\n";
    let policy = "version = \"1\"\nplaces = [{ surface = \"pager\", channel = \"x\" }]\n[levels.high]\n\
                  places = [{ surface = \"slack\", channel = \"#ops\" }, { surface = \"slack\", channel = \"C024BE91L\" }]\n\
                  [[people]]\nid = \"bo\"\nname = \"Bo\"\nroles = [\"admin\"]\ncredentials = [\"bo\"]\n";
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    std::fs::write(folder.path().join("policy.toml"), policy).unwrap();
    for command in ["serve", "check"] {
        let mut run = Command::new(PLACET);
        run.args([command, "--config", "placet.toml"]).current_dir(folder.path());
        let output = run.env("SIGNING", "s").env("BOT", "xoxb-1").stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        for wanted in [
            "error: there is no surface `pager` in the settings\n --> policy.toml:2:23",
            "error: `#ops` is not a channel's id in Slack\n --> policy.toml:4:42",
            "data: there is no folder nowhere; make it (mkdir -p nowhere)",
            "agent.workspace: there is no folder gone; make it",
        ] {
            assert!(told.contains(wanted), "{command}: {wanted}: {told}");
        }
        // Nothing reads as if all were well.
        assert!(!told.contains("listens   "), "{told}");
        assert_eq!(told.ends_with("4 errors: the server would not start\n"), command == "check", "{told}");
    }
}

/// How Slack's calls come in is to be said: both ways are named to whoever says neither.
#[test]
fn a_manifest_without_a_way_in_is_told_both() {
    let folder = tempfile::tempdir().unwrap();
    let output = placet(folder.path(), &["slack", "manifest"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(told.contains("--url https://") && told.contains("--socket"), "{told}");
    assert!(placet(folder.path(), &["slack", "manifest", "--socket"]).status.success());
}

/// A server that is killed when the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn get(port: u16, path: &str, token: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let ask = format!(
        "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// R47, and house rule: commands that write while the server runs go through it.
#[test]
fn tokens_are_made_and_revoked_with_and_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = format!("data = \"p.db\"\npolicy = \"builtin\"\n[http]\nlisten = \"127.0.0.1:{port}\"\n");
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    let token = |arguments: &[&str]| {
        let mut all = vec!["token", arguments[0], "--config", "placet.toml"];
        all.extend(&arguments[1..]);
        placet(folder.path(), &all)
    };
    let made = |name: &str| {
        let output = token(&["create", "--name", name, "--tenant", "acme", "--scopes", "audit, manage"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stderr).starts_with(&format!("This is the token of {name} (tenant acme)")));
        let told = text(&output.stdout);
        assert_eq!(told.lines().count(), 1, "the token alone: {told}");
        told.trim_end().to_owned()
    };
    let before = made("before");

    let mut serve = Command::new(PLACET);
    serve.args(["serve", "--config", "placet.toml"]).current_dir(folder.path());
    let server = Server(serve.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let ready = (0..TRIES).any(|_| {
        std::thread::yield_now();
        get(port, "/readyz", "").is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
    });
    assert!(ready);
    let during = made("during");
    for token in [&before, &during] {
        let answer = get(port, "/approvals", token).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    let table = text(&token(&["list"]).stdout);
    assert!(table.contains("before") && table.contains("during") && !table.contains("plt_"), "{table}");
    let again = token(&["create", "--name", "during", "--tenant", "acme", "--scopes", "audit"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("never given twice"));

    assert!(token(&["revoke", "--name", "before"]).status.success());
    let answer = get(port, "/approvals", &before).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "a revocation holds at once: {answer}");
    drop(server);
    // The socket of a server that was killed is no server.
    assert!(folder.path().join("p.db.sock").exists());
    assert!(text(&token(&["list"]).stdout).contains("revoked"));
}

/// R47: credentials are looked after where the server's secrets are not, and a tenant that gets no cards is named.
#[test]
fn tokens_need_no_other_secret() {
    let folder = tempfile::tempdir().unwrap();
    let settings = "data = \"p.db\"\npolicy = \"builtin\"\n[slack]\nsigning_secret = { env = \"NOT_SET\" }\n\
                    bot_token = { file = \"nowhere\" }\nteam = \"T024BE7LD\"\ntenant = \"acme\"\n\
                    channel = \"C024BE91L\"\n[grants]\nkey = { env = \"NOT_SET\" }\n";
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    let token = |arguments: &[&str]| {
        let output = placet(folder.path(), &[&["token"], arguments, &["--config", "placet.toml"]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let (_, told) = token(&["create", "--name", "a", "--scopes", "audit"]);
    assert!(told.contains("tenant acme") && !told.contains("warning"), "{told}");
    let (_, told) = token(&["create", "--name", "b", "--scopes", "audit", "--tenant", "other"]);
    assert!(told.contains("warning: no surface of the settings serves the tenant other"), "{told}");
    assert!(token(&["list"]).0.contains("other"));
    token(&["revoke", "b"]);
}

/// Whoever read the first lines and closed the pipe got what they wanted.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("placet.toml"), "data = \"p.db\"\npolicy = \"builtin\"\n").unwrap();
    let (reading, writing) = std::io::pipe().unwrap();
    drop(reading);
    let mut list = Command::new(PLACET);
    list.args(["token", "list", "--config", "placet.toml"]).current_dir(folder.path());
    let output = list.stdout(writing).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

/// R44: calls are stopped and let go on by commands, with and without a server; what is stopped is shown.
#[test]
fn calls_are_stopped_with_and_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = format!("data = \"p.db\"\npolicy = \"builtin\"\n[http]\nlisten = \"127.0.0.1:{port}\"\n");
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    let run = |arguments: &[&str]| placet(folder.path(), &[arguments, &["--config", "placet.toml"]].concat());
    let stops = || text(&run(&["stops"]).stdout);
    assert_eq!(run(&["stop", "--reason", "nobody says what"]).status.code(), Some(2));
    let output = run(&["stop", "--tenant", "acme", "--agent", "bot", "--reason", "it runs wild"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("Stopped: calls of the agent bot of the tenant acme."),
        "{}",
        text(&output.stderr)
    );
    assert!(stops().contains("calls of the agent bot of the tenant acme  it runs wild"), "{}", stops());

    let mut serve = Command::new(PLACET);
    serve.args(["serve", "--config", "placet.toml"]).current_dir(folder.path());
    let server = Server(serve.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let ready = (0..TRIES).any(|_| {
        std::thread::yield_now();
        get(port, "/readyz", "").is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
    });
    assert!(ready);
    let output = run(&["stop", "--all", "--reason", "an emergency"]);
    assert!(text(&output.stderr).starts_with("Stopped: all calls of everybody."), "{}", text(&output.stderr));
    let again = text(&run(&["stop", "--all", "--reason", "another"]).stderr);
    assert!(
        again.starts_with("Stopped before, since ") && again.contains("(an emergency); the reason"),
        "{again}"
    );
    let shown = stops();
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(shown.starts_with("ID ") && !shown.contains("another"), "{shown}");
    for line in shown.lines().skip(1) {
        let id = line.split_whitespace().next().unwrap();
        let output = run(&["lift", id]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&run(&["lift", id]).stderr).contains("there is no stop"));
    }
    assert_eq!((stops(), text(&run(&["stops"]).stderr)), (String::new(), "Nothing is stopped.\n".to_owned()));
    assert_eq!(text(&run(&["stops", "--lifted"]).stdout).matches("lifted 2").count(), 2);
    let output = run(&["remembered", "--tenant", "acme"]);
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "Nothing is remembered for acme.\n");
    for (wrong, told) in [
        (["lift", "zzz"], "a stop's id must be a UUID such as"),
        (["forget", "zzz"], "a request's id must be a UUID such as"),
    ] {
        let output = run(&wrong);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
    let unknown = "01a22cc1-5f00-7143-8c07-b2bdb67be349";
    let output = run(&["forget", unknown, "--tenant", "acme"]);
    assert!(text(&output.stderr).contains("is remembered for acme"), "{}", text(&output.stderr));
    drop(server);
}

/// R44: a stop covers exactly what it names: a pattern is refused with the tools that it means, a name that nobody knows
/// is said to be one, and so is a tool of a server that is named without it.
#[test]
fn a_stop_says_what_it_does_not_cover() {
    let folder = tempfile::tempdir().unwrap();
    let policy = format!(
        "{}\n[tools.\"mail/send_message\"]\nreversible = false\n",
        placet::policy::Policy::builtin_text()
    );
    std::fs::write(folder.path().join("policy.toml"), policy).unwrap();
    std::fs::write(folder.path().join("placet.toml"), "data = \"p.db\"\npolicy = \"policy.toml\"\n").unwrap();
    let run = |arguments: &[&str]| placet(folder.path(), &[arguments, &["--config", "placet.toml"]].concat());
    let stop = |arguments: &[&str]| {
        let output = run(&[&["stop", "--reason", "x"], arguments].concat());
        (output.status.code(), text(&output.stderr))
    };
    run(&["token", "create", "--name", "cleaner", "--tenant", "acme", "--scopes", "propose"]);
    for pattern in ["delete_*", "{delete,write}_*"] {
        let (code, told) = stop(&["--tool", pattern]);
        assert_eq!(code, Some(1), "{told}");
        assert!(
            told.contains("is a pattern; name each tool in full") && told.contains("delete_file"),
            "{told}"
        );
    }
    assert_eq!(text(&run(&["stops"]).stderr), "Nothing is stopped.\n");
    for (wrong, warning) in [
        (
            ["--tool", "delte_file"],
            "warning: no tool `delte_file` is known here, so that this may cover nothing; did you \
                                    mean `delete_file`?",
        ),
        (
            ["--tool", "send_message"],
            "it does not cover mail/send_message: a tool of a server is named with it",
        ),
        (["--agent", "claener"], "no agent `claener` is known here"),
        (["--tenant", "nope"], "no tenant `nope` is known here"),
    ] {
        let (code, told) = stop(&wrong);
        assert_eq!(code, Some(0), "{told}");
        assert!(told.contains(warning), "{told}");
        let (first, rest) = told.split_once('\n').unwrap();
        assert!(first.starts_with("warning: ") && rest.starts_with("Stopped: "), "{told}");
    }
    for right in [
        ["--tool", "delete_file"],
        ["--tool", "mail/send_message"],
        ["--agent", "cleaner"],
        ["--tenant", "acme"],
    ] {
        let (code, told) = stop(&right);
        assert_eq!(code, Some(0));
        assert!(told.starts_with("Stopped: "), "{told}");
        assert!(told.contains("`placet lift --config placet.toml 0"), "{told}");
    }
    // Where the policy is wrong, calls can be stopped all the same.
    std::fs::write(folder.path().join("policy.toml"), "versoin = 3\n").unwrap();
    assert_eq!(stop(&["--all"]).0, Some(0));
}

/// R14: SIGHUP has the policy read again; a wrong one leaves the server as it was.
#[cfg(unix)]
#[test]
fn a_signal_has_the_policy_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = format!(
        "data = \"p.db\"\npolicy = \"policy.toml\"\npolicy_poll = \"10m\"\n[http]\nlisten = \"127.0.0.1:{port}\"\n"
    );
    let policy = |version: &str| {
        format!(
            "version = \"{version}\"\n[[people]]\nid = \"bo\"\nname = \"Bo\"\nroles = [\"admin\"]\ncredentials = [\"bo\"]\n"
        )
    };
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    std::fs::write(folder.path().join("policy.toml"), policy("one")).unwrap();
    let mut serve = Command::new(PLACET);
    serve.args(["serve", "--config", "placet.toml"]).current_dir(folder.path());
    let server = Server(serve.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let becomes = |wanted: &str| {
        let so = (0..TRIES).any(|_| {
            std::thread::yield_now();
            get(port, "/readyz", "").is_some_and(|answer| answer.contains(wanted))
        });
        assert!(so, "{wanted}: {:?}", get(port, "/readyz", ""));
    };
    let hangs_up = || {
        let told = Command::new("kill").args(["-HUP", &server.0.id().to_string()]).status();
        assert!(told.unwrap().success());
    };
    becomes("\"label\":\"one\"");
    std::fs::write(folder.path().join("policy.toml"), policy("two")).unwrap();
    hangs_up();
    becomes("\"label\":\"two\"");
    std::fs::write(folder.path().join("policy.toml"), "versoin = 3\n").unwrap();
    hangs_up();
    becomes("\"errors_count\"");
    becomes("\"label\":\"two\"");
}
