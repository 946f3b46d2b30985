//! The commands of the program.

pub mod check;
pub mod demo;
pub mod serve;
pub mod token;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use placet_store::{Access, Options, SqliteStore};

use crate::clock::SystemClock;
use crate::entropy::OsEntropy;
use crate::settings::Settings;
use token::{Ask, Registrar, TokenCommand};

/// Stands between AI agents and their tools.
#[derive(Debug, Parser)]
#[command(name = "placet", version, about, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server.
    Serve(Config),
    /// Show the main job on this machine: an agent, a risky call, your yes or no. No keys, no network.
    Demo {
        /// Nobody is asked: one deletion is approved with a reason, one is denied.
        #[arg(long)]
        scripted: bool,
    },
    /// Look after the credentials of agents and executors.
    #[command(subcommand)]
    Token(token::TokenCommand),
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
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Where even standard error is closed, the exit code has to do.
            let _closed = writeln!(std::io::stderr(), "placet: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Does what a command says. False if it found what it was to find out to be wrong.
async fn run(command: Command, out: &mut (dyn Write + Send)) -> anyhow::Result<bool> {
    match command {
        Command::Serve(config) => {
            serve::run(Settings::load(&config.config)?).await?;
            Ok(true)
        }
        Command::Check(config) => check::run(&Settings::load(&config.config)?, out),
        Command::Token(command) => token(command, out).await.map(|()| true),
        Command::Demo { scripted: true } => demo::run(demo::Answers::Scripted, out).await,
        Command::Demo { scripted: false } => demo::run(demo::Answers::here(), out).await,
    }
}

/// Does it here where no server has the database, else through the server that has it.
async fn token(command: TokenCommand, out: &mut (dyn Write + Send)) -> anyhow::Result<()> {
    let settings = Settings::load(&command.config().config)?;
    let policy = settings.policy.read()?;
    let options = Options::new(Arc::new(SystemClock), Arc::new(OsEntropy)).with_access(Access::Command);
    let ask = Ask::from(command);
    let answer = match SqliteStore::open(settings.data.as_path(), options) {
        Ok(store) => {
            let registrar = Registrar {
                store: &store,
                clock: &SystemClock,
                entropy: &OsEntropy,
                policy: &policy,
                tenant: settings.only_tenant(),
            };
            registrar.answer(ask).await
        }
        Err(fault) => match through_server(&settings, &ask).await? {
            Some(answer) => answer,
            None => return Err(fault.into()),
        },
    };
    answer.write(out)
}

#[cfg(unix)]
async fn through_server(settings: &Settings, ask: &Ask) -> anyhow::Result<Option<token::Answer>> {
    crate::door::ask(&settings.data, ask, &SystemClock).await
}

#[cfg(not(unix))]
#[expect(clippy::unused_async, reason = "as where there are sockets in the file system")]
async fn through_server(_settings: &Settings, _ask: &Ask) -> anyhow::Result<Option<token::Answer>> {
    Ok(None)
}
