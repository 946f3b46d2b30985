//! `placet serve`: the server, until it is told to stop.

use std::sync::Arc;

use tokio::net::TcpListener;

#[cfg(unix)]
use crate::policies::PolicyWatch;
use crate::settings::Settings;
use crate::telemetry;
use crate::wire::{App, Outside};

/// Runs the server until the process is asked to stop. `take_policy` puts the policy's files in force though somebody's
/// yes is wanted to that.
///
/// # Errors
/// It could not be started.
pub async fn run(settings: Settings, take_policy: bool) -> anyhow::Result<()> {
    telemetry::log(&settings.log, Arc::new(settings.redactor()))?;
    let listener = TcpListener::bind(settings.http.listen).await.map_err(|fault| {
        let address = settings.http.listen;
        anyhow::anyhow!(
            "cannot listen on {address}: {fault}; stop what has it, or name another address in the settings \
             ([http] listen = \"127.0.0.1:8788\")"
        )
    })?;
    let app = App::build(&settings, Outside { take_policy, ..Outside::machine() }).await?;
    #[cfg(unix)]
    let door = open_door(&settings, &app);
    #[cfg(unix)]
    let rereading = tokio::spawn(asked_to_read_again(Arc::clone(&app.policies)));
    let serving = Box::pin(app.run(listener, asked_to_stop()));
    #[cfg(unix)]
    {
        match door {
            Some(door) => tokio::select! {
                () = serving => {}
                () = door.answer() => {}
            },
            None => serving.await,
        }
        rereading.abort();
    }
    #[cfg(not(unix))]
    serving.await;
    Ok(())
}

/// Has the policy read again at each SIGHUP.
#[cfg(unix)]
async fn asked_to_read_again(policies: Arc<PolicyWatch>) {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()) {
        Ok(mut signal) => {
            while signal.recv().await.is_some() {
                tracing::info!("SIGHUP: the policy is read again");
                policies.ask();
            }
        }
        Err(fault) => tracing::error!(error = %fault, "SIGHUP cannot be heard"),
    }
}

/// The way in for commands on this machine. The server works without it; then commands have to wait until it stops.
#[cfg(unix)]
fn open_door(settings: &Settings, app: &App) -> Option<crate::door::Door> {
    let tenant = settings.only_tenant().cloned();
    let parts = (app.gate.clone(), app.store.clone(), Arc::clone(&app.policies));
    match crate::door::Door::open(&settings.data, parts, tenant) {
        Ok(door) => Some(door),
        Err(fault) => {
            tracing::warn!(error = %fault, "commands such as `placet token` cannot reach this server while it runs");
            None
        }
    }
}

/// Ends when the process is asked to stop: Ctrl-C, or SIGTERM where there is such a thing.
async fn asked_to_stop() {
    let interrupted = async {
        if let Err(fault) = tokio::signal::ctrl_c().await {
            tracing::error!(error = %fault, "Ctrl-C cannot be heard");
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(fault) => {
                tracing::error!(error = %fault, "SIGTERM cannot be heard");
                std::future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}
