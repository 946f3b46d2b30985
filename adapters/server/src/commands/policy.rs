//! `placet policy …`: for whoever writes policies, at a desk and in CI.
//!
//! Exit codes: 0 all is well, 1 something was found (an error in a policy, a verdict that is not as expected, a verdict
//! that would change), 2 the command cannot be done as it was written (a file that is not there, for one). With `--json`
//! the answer is one JSON document on standard output.

mod check;
mod explain;
mod past;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use placet::id::TenantId;
use placet::policy::{PolicyErrors, PolicyFile, PolicySet};
use placet::time::Ttl;

use crate::settings::Basics;

/// For whoever writes policies.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Check policies as the server does when it reads them.
    Check {
        /// Which.
        #[command(flatten)]
        source: Source,
        /// How to say it.
        #[command(flatten)]
        form: Form,
    },
    /// Say what a policy says of one call, and why.
    Explain {
        /// The call, as the API takes proposals: tool, server, args, and so on; `-` reads standard input.
        #[arg(value_name = "CALL.json")]
        call: PathBuf,
        /// By which policies.
        #[command(flatten)]
        source: Source,
        /// When, such as 2026-11-30T10:00:00+01:00; now, if neither this nor the call says so.
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// The person who asks, by their id in the policy.
        #[arg(long = "as", value_name = "PERSON")]
        person: Option<String>,
        /// How to say it.
        #[command(flatten)]
        form: Form,
    },
    /// Ask a policy about a table of calls, and compare with what is expected.
    Test {
        /// The table; config/policy.tests.toml is one to start from.
        #[arg(value_name = "TABLE.toml")]
        table: PathBuf,
        /// By which policies; by those that the table names, if none is named here.
        #[command(flatten)]
        source: Source,
        /// How to say it.
        #[command(flatten)]
        form: Form,
    },
    /// Judge what is on record again, and say what another policy would have changed. Only reads; a server may run.
    Replay {
        /// The settings: they name the database, and the policy if no other is named.
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
        /// How far back.
        #[arg(long, value_name = "SPAN", default_value = "30d")]
        since: Ttl,
        /// The other policy.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// A tenant's file on top of it; can be given several times.
        #[arg(long, value_name = "NAME=FILE", requires = "policy")]
        tenant: Vec<String>,
        /// How to say it.
        #[command(flatten)]
        form: Form,
    },
    /// Say what would have been asked while the policy only looked on (`shadow`). Only reads; a server may run.
    Shadow {
        /// The settings: they name the database.
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
        /// How far back.
        #[arg(long, value_name = "SPAN", default_value = "7d")]
        since: Ttl,
        /// How to say it.
        #[command(flatten)]
        form: Form,
    },
}

/// Where policies are.
#[derive(Debug, Clone, Default, Args)]
pub struct Source {
    /// The policy's file.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    pub policy: Option<PathBuf>,
    /// A tenant's file on top of it; can be given several times.
    #[arg(long, value_name = "NAME=FILE", requires = "policy")]
    pub tenant: Vec<String>,
    /// The settings, which name the policies.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// How the answer is given.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Form {
    /// As one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// A command that cannot be done as it was written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUse(pub String);

/// The command cannot be done as it was written.
fn wrong_use(message: impl Into<String>) -> anyhow::Error {
    WrongUse(message.into()).into()
}

/// The exit code of a command that was used wrongly: that of the command line's own errors.
const USED_WRONGLY: u8 = 2;

/// Does it. What is wrong with the command's use is said on `notes`.
///
/// # Errors
/// `out` or `notes` cannot be written, or the database cannot be read.
pub fn run(command: &PolicyCommand, out: &mut dyn Write, notes: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let done = match command {
        PolicyCommand::Check { source, form } => check::run(source, *form, out),
        PolicyCommand::Explain { call, source, at, person, form } => explain::run(
            &explain::Ask { call, source, at: at.as_deref(), person: person.as_deref() },
            *form,
            out,
        ),
        PolicyCommand::Test { table, source, form } => table::run(table, source, *form, out),
        PolicyCommand::Replay { config, since, policy, tenant, form } => {
            let source = Source { policy: policy.clone(), tenant: tenant.clone(), config: None };
            past::replay(config, *since, &source, *form, out)
        }
        PolicyCommand::Shadow { config, since, form } => past::shadow(config, *since, *form, out),
    };
    match done {
        Ok(true) => Ok(ExitCode::SUCCESS),
        Ok(false) => Ok(ExitCode::FAILURE),
        Err(error) if error.is::<WrongUse>() => {
            writeln!(notes, "placet: {error}")?;
            Ok(ExitCode::from(USED_WRONGLY))
        }
        Err(error) => Err(error),
    }
}

impl Source {
    /// Reads and checks them; the inner error is what was found in them.
    fn read(&self) -> anyhow::Result<Result<PolicySet, PolicyErrors>> {
        match (&self.policy, &self.config) {
            (Some(policy), _) => {
                let tenants: Vec<_> =
                    self.tenant.iter().map(|named| tenant(named)).collect::<anyhow::Result<_>>()?;
                Ok(PolicySet::parse(&file(policy)?, &tenants))
            }
            (None, Some(config)) => of_settings(config),
            (None, None) => {
                Err(wrong_use("which policy? Name it with --policy FILE, or the settings with --config FILE"))
            }
        }
    }

    /// Whether nothing is named.
    const fn is_empty(&self) -> bool {
        self.policy.is_none() && self.config.is_none()
    }
}

/// Those that the settings name.
fn of_settings(config: &Path) -> anyhow::Result<Result<PolicySet, PolicyErrors>> {
    let basics = Basics::load(config).map_err(|error| wrong_use(error.to_string()))?;
    let texts = basics.policy.read_texts().map_err(|error| wrong_use(format!("{error:#}")))?;
    Ok(texts.parse())
}

/// A policy's file.
fn file(path: &Path) -> anyhow::Result<PolicyFile> {
    Ok(PolicyFile { text: text(path)?, name: path.display().to_string() })
}

/// A file's text; `-` is standard input.
fn text(path: &Path) -> anyhow::Result<String> {
    let read = if path == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    read.map_err(|error| wrong_use(format!("{} cannot be read: {error}", path.display())))
}

/// `acme=acme.toml`.
fn tenant(named: &str) -> anyhow::Result<(TenantId, PolicyFile)> {
    let (name, path) = named.split_once('=').ok_or_else(|| {
        wrong_use(format!("--tenant takes a name and a file, such as acme=acme.toml; not `{named}`"))
    })?;
    let tenant = TenantId::new(name)
        .map_err(|error| wrong_use(format!("`{name}` in --tenant is no tenant's name: {error}")))?;
    Ok((tenant, file(Path::new(path))?))
}

/// Writes an answer as one JSON document.
fn json(out: &mut dyn Write, answer: &serde_json::Value) -> anyhow::Result<()> {
    serde_json::to_writer_pretty(&mut *out, answer)?;
    writeln!(out)?;
    Ok(())
}

/// What was found in policies that are not taken.
fn not_taken(errors: &PolicyErrors, form: Form, out: &mut dyn Write) -> anyhow::Result<bool> {
    if form.json {
        json(out, &serde_json::json!({ "taken": false, "diagnostics": errors.diagnostics }))?;
    } else {
        writeln!(out, "{errors}")?;
    }
    Ok(false)
}
