//! `placet policy …`: for whoever writes policies, at a desk and in CI.
//!
//! Exit codes: 0 all is well, 1 something was found (an error in a policy, a verdict that is not as expected, a verdict
//! that would change), 2 the command cannot be done (a file is not there, or the record cannot be read). With `--json` the
//! answer is one JSON document on standard output.

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

use super::config::{Config, named_or_here};
use crate::settings::Basics;

/// What a command's help says of its exit codes, so that CI can go by them.
const EXIT_CODES: &str = "Exit codes: 0 all is well; 1 something was found: an error in a policy, a verdict that is not as expected, \
                          would change, or does not come out again by the policy that gave it; 2 it cannot be done: a file is \
                          not there, or the record cannot be read.";

/// For whoever writes policies.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Check policies as the server does when it reads them: with --config together with the settings, whose secrets are
    /// not looked up.
    #[command(after_help = EXIT_CODES)]
    Check {
        /// Which.
        #[command(flatten)]
        source: Source,
        /// How to say it.
        #[command(flatten)]
        form: Form,
    },
    /// Say what a policy says of one call, and why.
    #[command(after_help = EXIT_CODES)]
    Explain {
        /// The call, as the API takes proposals: tool, server, args, and so on; `-` reads standard input.
        #[arg(value_name = "CALL.json")]
        call: PathBuf,
        /// By which policies.
        #[command(flatten)]
        source: SourceOf,
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
    #[command(after_help = EXIT_CODES)]
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
    #[command(after_help = EXIT_CODES)]
    Replay {
        /// The settings: they name the database, and the policy if no other is named.
        #[command(flatten)]
        config: Config,
        /// How far back.
        #[arg(long, value_name = "SPAN", default_value = "30d")]
        since: Ttl,
        /// Until when, such as 2026-12-01T00:00:00+01:00; until now, if it is not said.
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
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
    #[command(after_help = EXIT_CODES)]
    Shadow {
        /// The settings: they name the database.
        #[command(flatten)]
        config: Config,
        /// How far back.
        #[arg(long, value_name = "SPAN", default_value = "7d")]
        since: Ttl,
        /// Until when, such as 2026-12-01T00:00:00+01:00; until now, if it is not said.
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
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
    /// A tenant's file on top of it; can be given several times. The settings name those of theirs.
    #[arg(long, value_name = "NAME=FILE", requires = "policy", conflicts_with = "config")]
    pub tenant: Vec<String>,
    /// The settings, which name the policies. Where no policy is named either: what PLACET_CONFIG names, else
    /// ./placet.toml.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Where policies are, and of whose calls is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct SourceOf {
    /// The policy's file.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    pub policy: Option<PathBuf>,
    /// Whose call it is, if the call does not say; with =FILE, that is the tenant's file on top of the policy, and can be
    /// given several times. Left out: nobody's, so that the installation's policy alone holds.
    #[arg(long, value_name = "NAME[=FILE]")]
    pub tenant: Vec<String>,
    /// The settings, which name the policies. Where no policy is named either: what PLACET_CONFIG names, else
    /// ./placet.toml.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

impl SourceOf {
    /// Where policies are, and the tenant that is named: by itself, or as the only one with a file.
    fn split(&self) -> anyhow::Result<(Source, Option<TenantId>)> {
        let (files, names): (Vec<_>, Vec<_>) = self.tenant.iter().partition(|named| named.contains('='));
        if let (Some(file), Some(_)) = (files.first(), &self.config) {
            return Err(wrong_use(format!(
                "--tenant {file}: the settings name the tenants' files; say only whose call it is, such as --tenant acme"
            )));
        }
        let tenant = match (names.as_slice(), files.as_slice()) {
            ([name], _) => Some((*name).clone()),
            ([], [file]) => file.split_once('=').map(|(name, _)| name.to_owned()),
            ([], _) => None,
            ([_, ..], _) => return Err(wrong_use("a call is one tenant's: give one --tenant NAME")),
        };
        let source = Source {
            policy: self.policy.clone(),
            tenant: files.into_iter().cloned().collect(),
            config: self.config.clone(),
        };
        Ok((source, tenant.map(|name| tenant_name(&name)).transpose()?))
    }
}

/// How the answer is given.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Form {
    /// As one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// The command cannot be done as it was written.
fn wrong_use(message: impl Into<String>) -> anyhow::Error {
    anyhow::Error::msg(message.into())
}

/// The exit code of a command that was used wrongly, or could not be done: that of the command line's own errors. What
/// could not be looked at must not pass for something that was found.
const NOT_DONE: u8 = 2;

/// Does it. Why it could not be done is said on `notes`.
///
/// # Errors
/// `notes` cannot be written.
pub fn run(command: &PolicyCommand, out: &mut dyn Write, notes: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let done = match command {
        PolicyCommand::Check { source, form } => check::run(source, *form, out),
        PolicyCommand::Explain { call, source, at, person, form } => explain::run(
            &explain::Ask { call, source, at: at.as_deref(), person: person.as_deref() },
            *form,
            out,
        ),
        PolicyCommand::Test { table, source, form } => table::run(table, source, *form, out),
        PolicyCommand::Replay { config, since, until, policy, tenant, form } => {
            let source = Source { policy: policy.clone(), tenant: tenant.clone(), config: None };
            past::replay((&config.file()?, *since, until.as_deref()), &source, *form, out)
        }
        PolicyCommand::Shadow { config, since, until, form } => {
            past::shadow((&config.file()?, *since, until.as_deref()), *form, out)
        }
    };
    match done {
        Ok(true) => Ok(ExitCode::SUCCESS),
        Ok(false) => Ok(ExitCode::FAILURE),
        Err(error) => {
            writeln!(notes, "placet: {error:#}")?;
            Ok(ExitCode::from(NOT_DONE))
        }
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
            (None, _) if !self.tenant.is_empty() => {
                Err(wrong_use("--tenant NAME=FILE stands on top of a policy: name that with --policy FILE"))
            }
            (None, _) => match self.settings() {
                Some(config) => of_settings(&config),
                None => Err(wrong_use(
                    "which policy? Name it with --policy FILE, or the settings with --config FILE or in PLACET_CONFIG; \
                     where none of them is given, ./placet.toml is read, and there is none here",
                )),
            },
        }
    }

    /// The settings that name the policies; none where a policy is named, or nothing is and nothing lies here.
    fn settings(&self) -> Option<PathBuf> {
        if self.policy.is_some() { None } else { named_or_here(self.config.as_deref()) }
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
    Ok((tenant_name(name)?, file(Path::new(path))?))
}

fn tenant_name(name: &str) -> anyhow::Result<TenantId> {
    TenantId::new(name)
        .map_err(|error| wrong_use(format!("`{name}` in --tenant is no tenant's name: {error}")))
}

/// What to know where a tenant is named that has no policy of its own among others that have.
fn without_own(tenant: &TenantId, policies: &PolicySet) -> Option<String> {
    let known: Vec<&str> = policies.tenants().map(|(known, _)| known.as_str()).collect();
    if known.is_empty() || known.contains(&tenant.as_str()) {
        return None;
    }
    Some(format!(
        "the tenant {tenant} has no policy of its own here, so that the installation's holds; there are files of {}",
        known.join(", ")
    ))
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
