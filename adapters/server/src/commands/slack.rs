//! `placet slack`: for whoever sets the Slack app up.

mod manifest;

use std::io::Write;

use clap::Subcommand;

use manifest::Ways;
pub(crate) use manifest::{EVENTS_PATH, SCOPES, Scope, base_url};

/// What can be done.
#[derive(Debug, Clone, Subcommand)]
pub enum SlackCommand {
    /// Print the manifest that Slack makes the app of ("Create New App", "From a manifest").
    Manifest {
        /// Where Slack reaches this server: scheme and host, such as <https://placet.example.org>.
        #[arg(long, value_name = "URL", conflicts_with = "socket")]
        url: Option<String>,
        /// What stands before every path there, as `path_prefix` in the settings, such as `/placet`.
        #[arg(long, value_name = "PATH", requires = "url")]
        path_prefix: Option<String>,
        /// For Socket Mode: Placet connects to Slack, and needs no address that Slack reaches.
        #[arg(long)]
        socket: bool,
    },
}

/// It is not said how Slack's calls come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "how do Slack's calls come in? Say --url https://placet.example.org, the address at which Slack reaches this server, or \
     --socket for Socket Mode, which needs no address"
)]
pub struct NoWay;

/// Does it.
///
/// # Errors
/// The address is none that Slack takes, or `out` cannot be written.
pub fn run(command: &SlackCommand, out: &mut dyn Write) -> anyhow::Result<()> {
    let SlackCommand::Manifest { url, path_prefix, socket } = command;
    let ways = match (url, socket) {
        (Some(url), _) => Ways::Http { base: base_url(url, path_prefix.as_deref())? },
        (None, true) => Ways::Socket,
        (None, false) => return Err(NoWay.into()),
    };
    out.write_all(manifest::text(&ways).as_bytes())?;
    Ok(())
}
