//! An application is built, used over HTTP, dropped, and built again on the same file.

use std::path::Path;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use placet::agent::Phase;
use placet::agent::RunState;
use placet::approval::{Requester, Status};
use placet::id::{CredentialId, SessionId};
use placet::person::Identity;
use placet::ports::store::Scope;
use placet::ports::{AgentStore as _, RequestQuery, RequestStore as _};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{settings_in, tenant};
use crate::commands::token::{Expiry, Registrar, Wish};
use crate::settings::Settings;
use crate::{App, OsEntropy, Outside, SystemClock, all_events};

const SETTINGS: &str = r#"
data = "placet.db"
policy = "policy.toml"
[http]
path_prefix = "/placet"
[grants]
key = { env = "GRANT_KEY" }
[agent]
tenant = "acme"
workspace = "workspace"
"#;

/// Bo decides over the API; nobody else does.
fn policy() -> String {
    let solo = placet::policy::Policy::builtin_text();
    let team = solo
        .replace("profile = \"solo\"", "profile = \"team\"")
        .replace("version = \"builtin\"", "version = \"t\"");
    team.replace("terminal = [\"owner\"]\ncredentials = [\"owner\"]", "credentials = [\"bo-console\"]")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("workspace/demo-notes")).unwrap();
    std::fs::write(folder.path().join("workspace/demo-notes/scratch.txt"), "scratch").unwrap();
    std::fs::write(folder.path().join("policy.toml"), policy()).unwrap();
    folder
}

fn settings(folder: &Path) -> Settings {
    settings_in(folder, SETTINGS)
}

async fn app(folder: &Path) -> App {
    App::build(&settings(folder), Outside::machine()).await.unwrap()
}

async fn token(app: &App, name: &str, scopes: &[Scope]) -> String {
    let policies = app.gate.policies();
    let registrar = Registrar {
        store: &app.store,
        clock: &SystemClock,
        entropy: &OsEntropy,
        policies: &policies,
        tenant: None,
    };
    let wish = Wish {
        name: CredentialId::new(name).unwrap(),
        tenant: Some(tenant("acme")),
        agent: None,
        scopes: scopes.to_vec(),
        expires: Expiry::Never,
        acts_for_others: false,
    };
    registrar.create(wish).await.unwrap().token
}

async fn asks(app: &App, method: &str, path: &str, token: &str, body: Option<Value>) -> (StatusCode, Value) {
    let request = Request::builder()
        .method(method)
        .uri(format!("/placet{path}"))
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .header("idempotency-key", format!("{method}{path}"));
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let answer = app.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
    let status = answer.status();
    let bytes = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes))))
}

#[tokio::test]
async fn what_was_proposed_before_a_restart_is_decided_and_claimed_after_it() {
    let folder = folder();
    let (agent, bo, id);
    {
        let app = app(folder.path()).await;
        agent = token(&app, "agent", &[Scope::Propose, Scope::Execute]).await;
        bo = token(&app, "bo-console", &[Scope::Decide]).await;
        let call = json!({
            "tool": "delete_file", "args": {"path": "x"}, "task": "clean up", "reason": "old",
            "run": {"id": "r", "step": "s"},
        });
        let (status, made) = asks(&app, "POST", "/v1/requests", &agent, Some(call)).await;
        assert_eq!(status, StatusCode::CREATED, "{made}");
        id = made["id"].as_str().unwrap().to_owned();
        let (_, metrics) = asks(&app, "GET", "/metrics", &agent, None).await;
        assert!(metrics.as_str().unwrap().contains("placet_"), "{metrics}");
    }
    let app = app(folder.path()).await;
    let (status, card) = asks(&app, "GET", &format!("/v1/requests/{id}?view=card"), &bo, None).await;
    assert_eq!(status, StatusCode::OK, "{card}");
    let vote = json!({"requestId": id, "approved": true, "reason": "fine"});
    let (status, decided) = asks(&app, "POST", "/approvals", &bo, Some(vote)).await;
    assert_eq!(status, StatusCode::OK, "{decided}");
    let claim = json!({"tool": "delete_file", "args": {"path": "x"}, "key": "0f".repeat(16)});
    let (status, claimed) =
        asks(&app, "POST", &format!("/v1/requests/{id}/claim"), &agent, Some(claim)).await;
    assert_eq!(status, StatusCode::OK, "{claimed}");
    assert!(claimed["grant"].as_str().is_some_and(|grant| grant.starts_with("placet1.")), "{claimed}");
    // The policy is the same as before the restart: noted once for the tenant.
    let loads = all_events(&app.store, Some(&tenant("acme")), &["policy.loaded"]).await.unwrap();
    assert_eq!(loads.len(), 1);
}

/// R11: the process is gone while a run waits for people; another one goes on with it, and nothing runs twice.
#[tokio::test]
async fn a_waiting_run_survives() {
    let folder = folder();
    let scratch = folder.path().join("workspace/demo-notes/scratch.txt");
    let (bo, session): (String, SessionId);
    {
        let app = app(folder.path()).await;
        bo = token(&app, "bo-console", &[Scope::Decide]).await;
        let requester = Requester {
            credential: CredentialId::new("agent").unwrap(),
            identities: vec![Identity::credential("agent").unwrap()],
            shown_as: "agent".to_owned(),
        };
        let agent = app.agent.clone().unwrap();
        let begun = agent.begin(&tenant("acme"), None, requester, "clean up old files").await.unwrap();
        session = begun.row.session.clone();
        let work = tokio::spawn(async move { agent.resume(begun.row).await.map(|_| ()) });
        until(async || waiting(&app).await.is_some()).await;
        work.abort();
        let _aborted = work.await;
        app.store.close();
    }
    let app = app(folder.path()).await;
    assert!(scratch.exists());
    let id = waiting(&app).await.unwrap();
    // The run shows the call to its own caller only: whoever decides reads it first.
    let vote = json!({"requestId": id, "approved": true});
    let (status, unread) = asks(&app, "POST", "/approvals", &bo, Some(vote.clone())).await;
    assert_eq!((status, &unread["code"]), (StatusCode::FORBIDDEN, &json!("not_shown_in_full")), "{unread}");
    let (status, card) = asks(&app, "GET", &format!("/v1/requests/{id}"), &bo, None).await;
    assert_eq!(status, StatusCode::OK, "{card}");
    let (status, decided) = asks(&app, "POST", "/approvals", &bo, Some(vote)).await;
    assert_eq!(status, StatusCode::OK, "{decided}");
    until(async || {
        let run = app.store.last_run(&tenant("acme"), &session).await.unwrap().unwrap();
        run.finished
    })
    .await;
    assert!(!scratch.exists());
    let run = app.store.last_run(&tenant("acme"), &session).await.unwrap().unwrap();
    assert_eq!(RunState::of(&run).unwrap().phase, Phase::Done);
    let executed = all_events(&app.store, None, &["tool.executed"]).await.unwrap();
    let deletions = executed.iter().filter(|(_, event)| event.request == Some(id)).count();
    assert_eq!(deletions, 1);
}

async fn waiting(app: &App) -> Option<placet::id::RequestId> {
    let query = RequestQuery {
        tenant: Some(tenant("acme")),
        statuses: vec![Status::WaitingApproval],
        limit: 1,
        ..RequestQuery::default()
    };
    app.store.list(query).await.unwrap().first().map(|approval| approval.id)
}

/// Looks until it is so; the runtime has other tasks to get on with in between.
async fn until(so: impl AsyncFn() -> bool) {
    for _ in 0..100_000 {
        if so().await {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("it never came to that");
}

/// Two on one file would each think that they are alone.
#[tokio::test]
async fn a_second_server_on_the_same_file_does_not_start() {
    let folder = folder();
    let first = app(folder.path()).await;
    let second = App::build(&settings(folder.path()), Outside::machine()).await;
    let told = second.err().unwrap().to_string();
    assert!(told.contains("another server"), "{told}");
    drop(first);
    let _third = app(folder.path()).await;
}

#[tokio::test]
async fn a_policy_that_is_wrong_keeps_the_server_from_starting() {
    let folder = folder();
    std::fs::write(
        folder.path().join("policy.toml"),
        policy().replace("tools = [\"delete_file\"]", "tolls = []"),
    )
    .unwrap();
    let told = format!("{:#}", App::build(&settings(folder.path()), Outside::machine()).await.err().unwrap());
    assert!(told.contains("unknown key `tolls`") && told.contains("policy.toml:"), "{told}");
    assert!(!folder.path().join("placet.db").exists(), "nothing was touched");
}
