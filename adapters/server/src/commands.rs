//! The commands of the program.

pub mod check;
pub mod demo;
pub mod policy;
pub mod serve;
pub mod token;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use placet::policy::{Policy, PolicySet};
use placet_store::{Access, Options, SqliteStore};

use crate::clock::SystemClock;
use crate::entropy::OsEntropy;
use crate::settings::{Basics, Settings};
use token::{Ask, Registrar, TokenCommand};

/// The exit code of what was interrupted: that of a process that ended by SIGINT.
const INTERRUPTED: u8 = 130;

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
        /// Put the policy's files in force though the policy before wants somebody's yes to that ([change]): for when
        /// those people are gone. It goes on record.
        #[arg(long)]
        take_policy: bool,
    },
    /// Show the main job on this machine: an agent, a risky call, your yes or no. No keys, no network.
    Demo {
        /// Nobody is asked: one deletion is approved with a reason, one is denied.
        #[arg(long)]
        scripted: bool,
    },
    /// Look after the credentials of agents and executors.
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Check, explain, test and replay policies: for whoever writes them.
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Check the settings and the policy, and say what would be done.
    Check(Config),
}

/// Where the settings are.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// The settings; config/placet.example.toml is one to start from.
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
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
            ExitCode::FAILURE
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
        Command::Serve { config, take_policy } => {
            serve::run(Settings::load(&config.config)?, take_policy).await?;
            true
        }
        Command::Policy(command) => return policy::run(&command, out, &mut std::io::stderr()),
        Command::Check(config) => check::run(&Settings::load(&config.config)?, out)?,
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

/// Does it here where no server has the database, else through the server that has it. It takes nothing of the
/// settings but what it needs, and no secret.
async fn token(
    command: TokenCommand,
    out: &mut (dyn Write + Send),
    notes: &mut (dyn Write + Send),
) -> anyhow::Result<()> {
    let basics = Basics::load(&command.config().config)?;
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
        Err(fault) => match through_server(&basics.data, &ask).await? {
            Some(answer) => answer,
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
async fn through_server(data: &Path, ask: &Ask) -> anyhow::Result<Option<token::Answer>> {
    crate::door::ask(data, ask, &SystemClock).await
}

#[cfg(not(unix))]
#[expect(clippy::unused_async, reason = "as where there are sockets in the file system")]
async fn through_server(_data: &Path, _ask: &Ask) -> anyhow::Result<Option<token::Answer>> {
    Ok(None)
}
