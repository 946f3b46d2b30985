//! The forms that settings have, and every command over each of them: what one command takes, all take.

#![expect(clippy::unwrap_used, reason = "tests, and what they share")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const PLACET: &str = env!("CARGO_BIN_EXE_placet");

/// How often the server is asked whether it is there yet.
const TRIES: u32 = 100_000;

/// Nothing listens there: no command reaches anybody.
const NOBODY: &str = "api_url = \"http://127.0.0.1:1/api/\"\n";

const SIGNED: &str = "signing_secret = { env = \"SIGNING\" }\n";
const OTHER_SIGNED: &str = "signing_secret = { env = \"SIGNING_OTHER\" }\n";
const SOCKETS: &str = "app_token = { env = \"APP\" }\n";

/// A workspace.
fn slack(head: &str, way_in: &str, (team, bot): (&str, &str)) -> String {
    format!(
        "{head}\n{NOBODY}{way_in}bot_token = {{ env = \"{bot}\" }}\nteam = \"{team}\"\ntenant = \"acme\"\n\
         channel = \"C024BE91L\"\n"
    )
}

/// Every form, by its name.
fn forms() -> Vec<(&'static str, String)> {
    let one = ("T024BE7LD", "BOT");
    let other = slack("[[slack]]\nname = \"emea\"", OTHER_SIGNED, ("T0EMEA", "BOT_OTHER"));
    vec![
        ("no Slack", String::new()),
        ("a table", slack("[slack]", SIGNED, one)),
        ("a list of one", slack("[[slack]]", SIGNED, one)),
        ("a list of two", format!("{}{other}", slack("[[slack]]", SIGNED, one))),
        ("sockets", slack("[slack]", SOCKETS, one)),
        ("both ways in", slack("[[slack]]", &format!("{SIGNED}{SOCKETS}"), one)),
        ("a shared file", format!("{}[store]\nshared = true\n", slack("[slack]", SIGNED, one))),
    ]
}

fn program(folder: &Path) -> Command {
    let mut program = Command::new(PLACET);
    program.current_dir(folder).stdin(Stdio::null()).env_remove("PLACET_CONFIG");
    for (name, secret) in [
        ("SIGNING", "8f742231b10e8888abcd99yyyzzz85a5"),
        ("SIGNING_OTHER", "9f742231b10e8888abcd99yyyzzz85a5"),
        ("BOT", "xoxb-1234567890-abcdefghij"),
        ("BOT_OTHER", "xoxb-0987654321-abcdefghij"),
        ("APP", "xapp-1-A1234567890-abcdefghij"),
    ] {
        program.env(name, secret);
    }
    program
}

/// A folder with settings of this form; the port that its server would listen on.
fn installation(form: &str) -> (tempfile::TempDir, u16) {
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let head = "data = \"p.db\"\npolicy = \"builtin\"\npolicy_tenant = \"acme\"\n";
    let settings = format!("{head}[http]\nlisten = \"127.0.0.1:{port}\"\n{form}");
    std::fs::write(folder.path().join("placet.toml"), settings).unwrap();
    (folder, port)
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A server that is killed when the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serves(folder: &Path, port: u16) -> Option<Server> {
    let mut server = program(folder);
    let server = Server(server.arg("serve").stderr(Stdio::null()).spawn().unwrap());
    let answers = || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.starts_with("HTTP/1.1 200").then_some(())
    };
    let there = (0..TRIES).any(|_| {
        std::thread::yield_now();
        answers().is_some()
    });
    there.then_some(server)
}

/// R44, R47, R49: whatever form the settings have, every command takes them, without a server and through one; above all
/// the emergency stop.
#[test]
fn every_command_takes_every_form_of_settings() {
    for (form, text) in forms() {
        let (folder, port) = installation(&text);
        let run = |arguments: &[&str]| program(folder.path()).args(arguments).output().unwrap();
        let right = |arguments: &[&str]| {
            let output = run(arguments);
            assert!(output.status.success(), "{form}: {arguments:?}: {}", told(&output));
            told(&output)
        };
        let all = |name: &str| {
            right(&["token", "create", "--name", name, "--scopes", "propose"]);
            assert!(right(&["token", "list"]).contains(name));
            right(&["token", "revoke", name]);
            assert!(right(&["stop", "--all", "--reason", "an emergency"]).contains("Stopped: all calls"));
            let stops = String::from_utf8(run(&["stops"]).stdout).unwrap();
            let id = stops.lines().nth(1).and_then(|line| line.split_whitespace().next());
            right(&["lift", id.unwrap_or_else(|| panic!("{form}: {stops}"))]);
            assert!(right(&["remembered"]).contains("for acme"), "the only tenant is meant");
            // None of that name: the settings were read, and the tenant was found in them.
            let forgotten = told(&run(&["forget", "01a22cc1-5f00-7143-8c07-b2bdb67be349"]));
            assert!(forgotten.contains("is remembered for acme"), "{form}: {forgotten}");
            right(&["policy", "replay"]);
            right(&["policy", "shadow"]);
        };
        right(&["check"]);
        right(&["policy", "check"]);
        let doctor = told(&run(&["doctor"]));
        assert!(doctor.starts_with("ok       settings"), "{form}: {doctor}");
        all("before");
        let server = serves(folder.path(), port);
        assert!(server.is_some(), "{form}: the server does not start");
        all("during");
    }
}

/// The settings are found without being named: by the environment, else where they lie; and where they are not, it is
/// said how to name them.
#[test]
fn settings_are_found_where_they_lie() {
    let (folder, _) = installation("");
    let elsewhere = tempfile::tempdir().unwrap();
    let named = folder.path().join("placet.toml");
    for command in [&["stops"][..], &["policy", "check"], &["check"], &["policy", "replay"]] {
        let here = program(folder.path()).args(command).output().unwrap();
        let by_name = program(elsewhere.path()).args(command).env("PLACET_CONFIG", &named).output().unwrap();
        let nowhere = program(elsewhere.path()).args(command).output().unwrap();
        assert!(here.status.success(), "{command:?}: {}", told(&here));
        assert!(by_name.status.success(), "{command:?}: {}", told(&by_name));
        assert_eq!(nowhere.status.code(), Some(2), "{command:?}");
        assert!(told(&nowhere).contains("--config FILE"), "{command:?}: {}", told(&nowhere));
    }
    // A command that says how to go on names the file.
    let stopped = program(folder.path()).args(["stop", "--all", "--reason", "x"]).output().unwrap();
    assert!(told(&stopped).contains("`placet lift --config placet.toml "), "{}", told(&stopped));
}
