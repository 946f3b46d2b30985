//! The commands of the program.

pub mod check;
mod columns;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod policy;
pub mod serve;
pub mod slack;
pub mod standing;
pub mod token;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};
pub use config::Config;
use placet::card::Redactor;
use placet::gate::{Directories, Gate, GateParts, GateSettings, NoOnCall, PolicyShelf, Wakes};
use placet::id::{HoldId, RequestId, TenantId};
use placet::policy::{Policy, PolicySet};
use placet::ports::{Clock, NoSchemas};
use placet_store::{Access, Options, SqliteStore};
use serde::{Deserialize, Serialize};

use crate::clock::SystemClock;
use crate::entropy::OsEntropy;
use crate::settings::{Basics, Settings};
use token::{Ask, Registrar, TokenCommand};

/// The exit code of what was interrupted: that of a process that ended by SIGINT.
const INTERRUPTED: u8 = 130;

/// The exit code of what was not said in full: that of the command line's own errors.
const WRONG_USE: u8 = 2;

/// Placet asks people before an AI agent does something risky: in Slack, at the terminal, or over HTTP.
///
/// It stands between agents and their tools. What a policy calls harmless runs at once; anything else waits for a yes of
/// somebody who may give it, runs once with exactly what was approved, and is on record.
#[derive(Debug, Parser)]
#[command(name = "placet", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server.
    Serve {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// Put the policy's files in force though the policy before wants somebody's yes to that (`[change]`): for when
        /// those people are gone. It goes on record.
        #[arg(long)]
        take_policy: bool,
        /// Where to listen, instead of at the address of the settings: for a server that takes over from one that still
        /// runs (`[store] shared = true`).
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<std::net::SocketAddr>,
    },
    /// Show the main job on this machine: an agent, a risky call, your yes or no. No keys, no network.
    Demo {
        /// Nobody is asked: one deletion is approved with a reason, one is denied.
        #[arg(long)]
        scripted: bool,
    },
    /// Stop calls at once: nothing that this covers is started until it is lifted, whatever was approved.
    Stop {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// Which calls.
        #[command(flatten)]
        stop: standing::Stop,
    },
    /// Lift a stop.
    Lift {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// Which, as `placet stops` shows it.
        #[arg(value_name = "ID")]
        id: HoldId,
    },
    /// Show what is stopped.
    Stops {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// For this tenant only.
        #[arg(long)]
        tenant: Option<TenantId>,
        /// Also what was lifted.
        #[arg(long)]
        lifted: bool,
    },
    /// Show which calls run without another card, because people chose so.
    Remembered {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// Of this tenant; left out: the one tenant of the settings.
        #[arg(long)]
        tenant: Option<TenantId>,
        /// Also what has ended.
        #[arg(long)]
        ended: bool,
    },
    /// Take back what was remembered: calls that look alike are asked about again.
    Forget {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// Which, as `placet remembered` shows it.
        #[arg(value_name = "ID")]
        id: RequestId,
        /// Of this tenant; left out: the one tenant of the settings.
        #[arg(long)]
        tenant: Option<TenantId>,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Look after the credentials of agents and executors.
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Check, explain, test and replay policies: for whoever writes them.
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Set up the Slack app.
    #[command(subcommand)]
    Slack(slack::SlackCommand),
    /// Look at everything that an installation rests on, from here to Slack, and say what to do: 0 if all is well, 1 if
    /// something is to be looked at, 2 if something does not work.
    Doctor(doctor::DoctorCommand),
    /// Check the settings and the policy, and say what would be done.
    Check(Config),
}

/// Reads the command line and does what it says.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = std::io::stdout();
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("no runtime")
        .and_then(|runtime| runtime.block_on(run(cli.command, &mut out)));
    match done {
        Ok(code) => code,
        // Whoever read has had enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where even standard error is closed, the exit code has to do.
            let _closed = writeln!(std::io::stderr(), "placet: {error:#}");
            let is_unsaid = error.is::<config::NoSettings>() || error.is::<slack::NoWay>();
            if is_unsaid { ExitCode::from(WRONG_USE) } else { ExitCode::FAILURE }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|fault| fault.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Does what a command says. A failure if it found what it was to find out to be wrong.
async fn run(command: Command, out: &mut (dyn Write + Send)) -> anyhow::Result<ExitCode> {
    let is_right = match command {
        Command::Serve { config, take_policy, listen } => {
            let mut settings = Settings::load(&config.file()?)?;
            settings.http.listen = listen.unwrap_or(settings.http.listen);
            serve::run(settings, take_policy).await?;
            true
        }
        Command::Policy(command) => return policy::run(&command, out, &mut std::io::stderr()),
        Command::Doctor(command) => return doctor::run(&command, Arc::new(SystemClock), out).await,
        Command::Slack(command) => {
            slack::run(&command, out)?;
            true
        }
        Command::Check(config) => check::run(&Settings::load(&config.file()?)?, out)?,
        Command::Stop { config, stop } => {
            stands(&config, |_| Ok(standing::Ask::Stop(stop)), out).await?;
            true
        }
        Command::Lift { config, id } => {
            stands(&config, |_| Ok(standing::Ask::Lift(id)), out).await?;
            true
        }
        Command::Stops { config, tenant, lifted } => {
            stands(&config, |_| Ok(standing::Ask::Stops { tenant, lifted }), out).await?;
            true
        }
        Command::Remembered { config, tenant, ended } => {
            let ask =
                |basics: &Basics| Ok(standing::Ask::Remembered { tenant: meant(tenant, basics)?, ended });
            stands(&config, ask, out).await?;
            true
        }
        Command::Forget { config, id, tenant, reason } => {
            let ask =
                |basics: &Basics| Ok(standing::Ask::Forget { tenant: meant(tenant, basics)?, id, reason });
            stands(&config, ask, out).await?;
            true
        }
        Command::Token(command) => {
            token(command, out, &mut std::io::stderr()).await?;
            true
        }
        Command::Demo { scripted } => {
            let answers = if scripted { demo::Answers::Scripted } else { demo::Answers::here() };
            match until_interrupted(Box::pin(demo::run(answers, out))).await {
                Some(done) => done?,
                None => {
                    writeln!(
                        out,
                        "\nInterrupted: nothing more is done, and the temporary folder is removed."
                    )?;
                    return Ok(ExitCode::from(INTERRUPTED));
                }
            }
        }
    };
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Drops what runs when Ctrl-C is pressed, with all that it cleans up then; none in that case.
async fn until_interrupted<T>(running: impl Future<Output = T>) -> Option<T> {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // It cannot be heard: then it ends the process as it does without this.
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        done = running => Some(done),
        () = interrupted => None,
    }
}

/// The tenant that is named, else the only one.
fn meant(tenant: Option<TenantId>, basics: &Basics) -> anyhow::Result<TenantId> {
    let tenant = tenant.or_else(|| basics.only_tenant().cloned());
    tenant.context(
        "say whose with --tenant, such as --tenant acme: the settings name no tenant, or several, so that none is meant by \
         itself",
    )
}

/// Does it here where no server has the database, else through the server that has it.
async fn stands(
    config: &Config,
    ask: impl FnOnce(&Basics) -> anyhow::Result<standing::Ask>,
    out: &mut (dyn Write + Send),
) -> anyhow::Result<()> {
    let file = config.file()?;
    let basics = Basics::load(&file)?;
    let ask = ask(&basics)?;
    let options = Options::new(Arc::new(SystemClock), Arc::new(OsEntropy)).with_access(Access::Command);
    let answer = match SqliteStore::open(basics.data.as_path(), options) {
        Ok(store) => standing::answer(&bare_gate(store, policies(&basics))?, ask).await,
        Err(fault) => match through_server(&basics.data, &Errand::Standing(ask)).await? {
            Some(Reply::Standing(answer)) => answer,
            Some(Reply::Token(_)) => bail!("the server answered something else"),
            None => return Err(fault.into()),
        },
    };
    answer.write(&file, out, &mut std::io::stderr())
}

/// The policies, for what they name; where they are wrong, that must keep nobody from stopping calls.
fn policies(basics: &Basics) -> Option<PolicySet> {
    basics.policy.read_all().ok()
}

/// A gate without surfaces, directories and people: enough for what is done in Placet's own name.
fn bare_gate(store: SqliteStore, policies: Option<PolicySet>) -> anyhow::Result<Gate> {
    let policies = match policies {
        Some(policies) => policies,
        None => PolicySet::alone(Policy::builtin()?),
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Ok(Gate::new(GateParts {
        store: Arc::new(store),
        clock: Arc::clone(&clock),
        entropy: Arc::new(OsEntropy),
        policy: PolicyShelf::new(policies),
        directory: Arc::new(Directories::new(Arc::clone(&clock))),
        on_call: Arc::new(NoOnCall::new(clock)),
        surfaces: Vec::new(),
        redactor: Arc::new(Redactor::new()),
        signer: None,
        schemas: Arc::new(NoSchemas),
        wakes: Wakes::new(),
        settings: GateSettings::default(),
    }))
}

/// What a command asks of the server that has the database.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errand {
    /// About credentials.
    Token(token::Ask),
    /// About stops and what is remembered.
    Standing(standing::Ask),
}

/// What it answers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// About credentials.
    Token(token::Answer),
    /// About stops and what is remembered.
    Standing(standing::Answer),
}

/// Does it here where no server has the database, else through the server that has it. It takes nothing of the
/// settings but what it needs, and no secret.
async fn token(
    command: TokenCommand,
    out: &mut (dyn Write + Send),
    notes: &mut (dyn Write + Send),
) -> anyhow::Result<()> {
    let basics = Basics::load(&command.config().file()?)?;
    let ask = Ask::try_from(command)?;
    // Who may do what is said by the policy, and only looked at where a credential is made.
    let policies = match &ask {
        Ask::Create(_) => basics.policy.read_all()?,
        Ask::List(_) | Ask::Revoke(_) => PolicySet::alone(Policy::builtin()?),
    };
    let options = Options::new(Arc::new(SystemClock), Arc::new(OsEntropy)).with_access(Access::Command);
    let answer = match SqliteStore::open(basics.data.as_path(), options) {
        Ok(store) => {
            let registrar = Registrar {
                store: &store,
                clock: &SystemClock,
                entropy: &OsEntropy,
                policies: &policies,
                tenant: basics.only_tenant(),
            };
            registrar.answer(ask).await
        }
        Err(fault) => match through_server(&basics.data, &Errand::Token(ask)).await? {
            Some(Reply::Token(answer)) => answer,
            Some(Reply::Standing(_)) => bail!("the server answered something else"),
            None => return Err(fault.into()),
        },
    };
    let unserved = match &answer {
        token::Answer::Made(made) => basics.unserved(&made.tenant),
        _ => None,
    };
    answer.write(out, notes)?;
    if let Some(warning) = unserved {
        writeln!(notes, "warning: {warning}")?;
    }
    Ok(())
}

#[cfg(unix)]
async fn through_server(data: &Path, errand: &Errand) -> anyhow::Result<Option<Reply>> {
    crate::door::ask(data, errand, &SystemClock).await
}

#[cfg(not(unix))]
#[expect(clippy::unused_async, reason = "as where there are sockets in the file system")]
async fn through_server(_data: &Path, _errand: &Errand) -> anyhow::Result<Option<Reply>> {
    Ok(None)
}
