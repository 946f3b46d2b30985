//! What the agents talk to: Placet as `placet serve` runs it, and a handler that does nothing.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Result, ensure};
use axum::http::StatusCode;
use axum::routing::post;
use placet::approval::Status;
use placet::id::{AgentId, CredentialId, TenantId};
use placet::ports::{CredentialRow, CredentialStore as _, RequestStore as _, Scope};
use placet::time::Clock as _;
use placet_server::settings::{PolicySource, Secrets};
use placet_server::{App, OsEntropy, Outside, Settings, SystemClock};
use placet_store::SqliteStore;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::load::{self, Measured, Script};
use crate::{AGENTS, WARM_UP};

/// Placet's database within the folder.
pub(crate) const DATABASE: &str = "placet.db";

/// What is looked up runs unasked; all else is asked of people.
const POLICY: &str = r#"
version = "bench"

[levels.low]
tier = "auto"

[levels.high]
tier = "approve"
role = "admin"

[[rule]]
name = "reads"
tools = ["get_*"]
level = "low"

[default]
level = "high"
role = "admin"
because = "No rule of the policy knows this tool."

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
credentials = ["bo-console"]
"#;

/// What Placet did.
pub(crate) struct Placet {
    pub(crate) load: Measured,
    /// Proposals per commit, whoever else had a part in the commit not counted.
    pub(crate) mean_batch: f64,
}

/// Placet under load. Ends only if every proposal is in the database, approved.
pub(crate) fn placet(folder: &Path, each: usize) -> Result<Placet> {
    let secrets = Secrets::new(folder, &|_| None);
    let mut settings =
        Settings::parse(&format!("data = \"{DATABASE}\"\npolicy = \"builtin\""), "placet.toml", secrets)?;
    settings.policy = PolicySource::Text { name: "policy.toml".to_owned(), text: POLICY.to_owned() }.into();
    runtime()?.block_on(async {
        let app = App::build(&settings, Outside::machine()).await?;
        let tokens = credentials(&app.store).await?;
        let store = app.store.clone();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = Box::pin(app.run(listener, async {
            let _ = stopped.await;
        }));
        let (measured, ()) = tokio::join!(measured(address, &store, (tokens, each), stop), serving);
        measured
    })
}

async fn measured(
    address: SocketAddr,
    store: &SqliteStore,
    (tokens, each): (Vec<String>, usize),
    stop: oneshot::Sender<()>,
) -> Result<Placet> {
    under_load(address, load::scripts(&tokens, 0..WARM_UP)).await?;
    let scripts = load::scripts(&tokens, WARM_UP..WARM_UP + each);
    let before = store.stats();
    let load = under_load(address, scripts).await?;
    let commits = store.stats().since(&before).commits;
    let counts = store.counts().await?;
    let all = (AGENTS * (WARM_UP + each)) as u64;
    let stored: u64 = counts.iter().map(|(_, count)| count).sum();
    let approved = counts.iter().find(|(status, _)| *status == Status::Approved).map(|(_, count)| *count);
    ensure!(
        stored == all && approved == Some(all),
        "{all} proposals were answered, and these are there: {counts:?}"
    );
    drop(stop);
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    let mean_batch = (AGENTS * each) as f64 / commits.max(1) as f64;
    Ok(Placet { load, mean_batch })
}

/// One credential for each agent; gives their tokens.
async fn credentials(store: &SqliteStore) -> Result<Vec<String>> {
    let mut tokens = Vec::with_capacity(AGENTS);
    for agent in 0..AGENTS {
        let token = placet_http::new_token(&OsEntropy);
        let row = CredentialRow {
            id: CredentialId::new(format!("agent-{agent:02}"))?,
            tenant: TenantId::new("acme")?,
            agent: AgentId::new(format!("agent-{agent:02}"))?,
            scopes: vec![Scope::Propose],
            may_act_for_others: false,
            secret_hash: placet_http::token_hash(&token),
            created_at: SystemClock.now(),
            expires_at: None,
            revoked_at: None,
        };
        store.add_credential(row).await?;
        tokens.push(token);
    }
    Ok(tokens)
}

/// A handler that does nothing, under the same load.
pub(crate) fn empty(each: usize) -> Result<Measured> {
    runtime()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = axum::Router::new().route("/v1/requests", post(async || StatusCode::CREATED));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        let tokens = vec!["plt_nobody".to_owned(); AGENTS];
        under_load(address, load::scripts(&tokens, 0..WARM_UP)).await?;
        let measured = under_load(address, load::scripts(&tokens, WARM_UP..WARM_UP + each)).await?;
        serving.abort();
        Ok(measured)
    })
}

/// The agents on a thread of their own.
async fn under_load(address: SocketAddr, scripts: Vec<Script>) -> Result<Measured> {
    tokio::task::spawn_blocking(move || load::run(address, scripts)).await?
}

/// As the program has it.
fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}
