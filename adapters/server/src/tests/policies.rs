//! What is on record is judged again while the server runs that wrote it.

use std::path::Path;

use placet::policy::{PolicySet, suppose};
use placet::ports::{Clock as _, RequestQuery};
use placet::record::EventKind;
use serde_json::{Value, json};

use super::{settings_in, tenant};
use crate::commands::Config;
use crate::commands::policy::{Form, PolicyCommand, run};
use crate::{App, Look, Outside, SystemClock, all_events};

const SETTINGS: &str = "data = \"placet.db\"\npolicy = \"policy.toml\"\n[http]\nlisten = \"127.0.0.1:0\"\n[agent]\ntenant = \"acme\"\nworkspace = \"workspace\"\n";

const POLICY: &str = r#"version = "1"

[[rule]]
name = "reads"
tools = ["read_*", "get_*", "add"]
level = "low"

[[rule]]
name = "small payments"
tools = ["pay"]
when = "args.amount < 100"
level = "low"

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
credentials = ["bo-console"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin"]
credentials = ["chen-console"]

[roles]
stewards = ["admin"]
"#;

fn folder(policy: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("workspace")).unwrap();
    std::fs::write(folder.path().join("policy.toml"), policy).unwrap();
    std::fs::write(folder.path().join("placet.toml"), SETTINGS).unwrap();
    folder
}

/// A server that took some proposals, and still runs.
async fn served(folder: &Path, calls: &[Value]) -> App {
    let app = App::build(&settings_in(folder, SETTINGS), Outside::machine()).await.unwrap();
    let policies: PolicySet = app.gate.policies();
    for call in calls {
        let supposed = suppose(call.as_object().unwrap(), &policies, SystemClock.now()).unwrap();
        app.gate.propose(&tenant("acme"), supposed.proposal, None, false).await.unwrap();
    }
    app
}

fn answered(command: &PolicyCommand) -> (String, Value) {
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    let code = run(command, &mut out, &mut notes).unwrap();
    let told = String::from_utf8(out).unwrap();
    assert_eq!(notes, b"", "{told}");
    (format!("{code:?}"), serde_json::from_str(&told).unwrap())
}

fn replay(folder: &Path, policy: Option<&str>) -> PolicyCommand {
    PolicyCommand::Replay {
        config: Config { config: Some(folder.join("placet.toml")) },
        since: "30d".parse().unwrap(),
        until: None,
        policy: policy.map(|policy| folder.join(policy)),
        tenant: Vec::new(),
        form: Form { json: true },
    }
}

/// R20: the record of a server that runs gives every verdict again; another policy changes some of them.
#[tokio::test]
async fn the_record_is_judged_again_while_the_server_runs() {
    let folder = folder(POLICY);
    let calls = [
        json!({"tool": "read_file", "args": {"path": "x"}}),
        json!({"tool": "pay", "args": {"amount": 5}}),
        json!({"tool": "pay", "args": {"amount": 7000}}),
        json!({"tool": "merge", "args": {}}),
    ];
    let _serving = served(folder.path(), &calls).await;
    let (code, same) = answered(&replay(folder.path(), None));
    assert_eq!(
        (same["replay"]["judged"].clone(), same["unrepeated"].clone()),
        (json!(4), json!([])),
        "{same}"
    );
    assert_eq!(same["replay"]["changes"], json!([]), "{same}");
    assert_eq!(code, format!("{:?}", std::process::ExitCode::SUCCESS));
    std::fs::write(folder.path().join("other.toml"), POLICY.replace("< 100", "< 10000")).unwrap();
    let (code, other) = answered(&replay(folder.path(), Some("other.toml")));
    assert_eq!(other["replay"]["changes"].as_array().unwrap().len(), 1, "{other}");
    assert_eq!(other["replay"]["changes"][0]["tier"], json!(["approve", "auto"]));
    assert_eq!(
        (other["replay"]["before"]["cards"].clone(), other["replay"]["after"]["cards"].clone()),
        (json!(2), json!(1))
    );
    assert_eq!(code, format!("{:?}", std::process::ExitCode::FAILURE));
}

/// R45: what a policy that only looks on would have asked is told from the record.
#[tokio::test]
async fn what_was_only_looked_on_at_is_told() {
    let folder = folder(&format!("{POLICY}\n[shadow]\ntools = [\"pay\"]\n"));
    let calls = [json!({"tool": "read_file"}), json!({"tool": "pay", "args": {"amount": 7000}})];
    let _serving = served(folder.path(), &calls).await;
    let shadow = PolicyCommand::Shadow {
        config: Config { config: Some(folder.path().join("placet.toml")) },
        since: "7d".parse().unwrap(),
        until: None,
        form: Form { json: true },
    };
    let (_, told) = answered(&shadow);
    assert_eq!(
        (told["calls"].clone(), told["cards"]["cards"].clone(), told["tools"].clone()),
        (json!(1), json!(1), json!([["pay", 1]])),
        "{told}"
    );
}

/// Writes another policy, lets the server look at it, and gives how many were asked about so far, and what was refused.
async fn changed(folder: &Path, app: &App, policy: &str) -> (usize, Vec<String>) {
    std::fs::write(folder.join("policy.toml"), policy).unwrap();
    app.policies.look(Look::Asked).await.unwrap();
    let asked = app.gate.store().list(RequestQuery { limit: 10, ..RequestQuery::default() }).await.unwrap();
    let events = all_events(&app.store, Some(&tenant("acme")), &["policy.refused"]).await.unwrap();
    let refused = events.into_iter().filter_map(|(_, event)| match event.kind {
        EventKind::PolicyRefused { errors, .. } => Some(errors),
        _ => None,
    });
    (asked.len(), refused.collect())
}

/// R28, R54: a change that cannot be shown whole is asked of nobody and stays out, with the reason on record.
#[tokio::test]
async fn a_change_that_cannot_be_shown_whole_is_not_asked() {
    let before = format!("{POLICY}\n[change]\nrole = \"admin\"\n");
    let folder = folder(&before);
    let app = served(folder.path(), &[]).await;
    let in_force = app.gate.policies().of(&tenant("acme")).version().clone();
    let tools: String = (0..150).map(|n| format!("[tools.t{n}]\ntitle = \"T\"\n")).collect();
    let (asked, refused) = changed(folder.path(), &app, &format!("{before}{tools}")).await;
    assert_eq!((asked, refused.len()), (0, 1), "too many things");
    assert!(
        refused[0].contains("too large to be shown whole (it changes more than 100 things)"),
        "{refused:?}"
    );
    let comment = format!("# {}\n", "x".repeat(100)).repeat(700);
    let (asked, refused) = changed(folder.path(), &app, &format!("{comment}{before}")).await;
    assert_eq!((asked, refused.len()), (0, 2), "too long a diff");
    assert!(refused[1].contains("at most 60000 are shown); make it in smaller steps"), "{refused:?}");
    let (asked, refused) = changed(folder.path(), &app, &format!("# A word.\n{before}")).await;
    assert_eq!((asked, refused.len()), (1, 2), "what fits is asked");
    assert_eq!(app.gate.policies().of(&tenant("acme")).version(), &in_force);
}
