//! `placet stop|lift|stops` and `placet remembered|forget`: what keeps calls from running though somebody approved them,
//! and what lets them run though nobody is asked.
//!
//! They go through the server where one runs. Where none does, they write to the database themselves: what is stopped
//! stays so with the next start.

use std::io::Write;
use std::path::Path;

use anyhow::{anyhow, bail, ensure};
use clap::Args;
use placet::approval::Actor;
use placet::gate::{Gate, HoldError, Placed};
use placet::hold::{Hold, HoldScope};
use placet::id::{AgentId, HoldId, RequestId, RunId, TenantId};
use placet::ports::{HoldQuery, RememberedQuery};
use placet::remembered::Remembered;
use serde::{Deserialize, Serialize};

use super::columns::{one_line, table};

/// Rows that one command shows.
const SHOWN_MAX: u32 = 1000;

/// Which calls are stopped, and why.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true).args(["all", "tenant", "agent", "tool"])))]
pub struct Stop {
    /// All calls of everybody.
    #[arg(long, conflicts_with_all = ["tenant", "agent", "tool", "run"])]
    pub all: bool,
    /// Calls of this tenant; with another of these, only those of them.
    #[arg(long)]
    pub tenant: Option<TenantId>,
    /// Calls of this agent.
    #[arg(long, conflicts_with = "tool")]
    pub agent: Option<AgentId>,
    /// Calls of one run of that agent.
    #[arg(long, requires = "agent")]
    pub run: Option<RunId>,
    /// Calls of this tool; with its server before it, where it has one (mail/send_message).
    #[arg(long)]
    pub tool: Option<String>,
    /// Why: everybody whose call is stopped reads it.
    #[arg(long)]
    pub reason: String,
}

/// What is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// Stop calls.
    Stop(Stop),
    /// Let them go on.
    Lift(HoldId),
    /// Show what is stopped.
    Stops {
        /// Of this tenant, with what stops everybody.
        tenant: Option<TenantId>,
        /// Also what was lifted.
        lifted: bool,
    },
    /// Show what was remembered.
    Remembered {
        /// Of this tenant.
        tenant: TenantId,
        /// Also what has ended.
        ended: bool,
    },
    /// Take back what was remembered.
    Forget {
        /// Of this tenant.
        tenant: TenantId,
        /// Which.
        id: RequestId,
        /// Why.
        reason: Option<String>,
    },
}

/// What is answered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It was done; a sentence about it.
    Done(String),
    /// Calls are stopped.
    Stopped {
        /// A sentence about it.
        told: String,
        /// What may be wrong with it.
        warning: Option<String>,
        /// What lifts it again.
        id: HoldId,
    },
    /// What there is.
    Table(String),
    /// There is nothing; a sentence about that.
    Nothing(String),
    /// It was not done, and why.
    Refused(String),
}

impl Answer {
    /// Writes what was asked for to `out`, and a sentence about what was done to `notes`. `config` is what the command
    /// was given.
    ///
    /// # Errors
    /// It was not done, or `out` or `notes` cannot be written.
    pub fn write(self, config: &Path, out: &mut dyn Write, notes: &mut dyn Write) -> anyhow::Result<()> {
        match self {
            Self::Done(sentence) | Self::Nothing(sentence) => writeln!(notes, "{sentence}")?,
            Self::Stopped { told, warning, id } => {
                if let Some(warning) = warning {
                    writeln!(notes, "warning: {}", one_line(&warning))?;
                }
                let config = config.display();
                writeln!(notes, "{told} Let it go on with `placet lift --config {config} {id}`.")?;
            }
            Self::Table(table) => out.write_all(table.as_bytes())?,
            Self::Refused(why) => bail!(why),
        }
        Ok(())
    }
}

/// Does what is asked. Whoever may use the command owns the database, so that the gate is asked in Placet's own name.
pub async fn answer(gate: &Gate, ask: Ask) -> Answer {
    done(gate, ask).await.unwrap_or_else(|error| Answer::Refused(format!("{error:#}")))
}

async fn done(gate: &Gate, ask: Ask) -> anyhow::Result<Answer> {
    Ok(match ask {
        Ask::Stop(stop) => {
            ensure!(!stop.reason.trim().is_empty(), "say why with --reason: whose call is stopped reads it");
            let tenant = stop.tenant.clone();
            let scope = stop.scope()?;
            let placed = gate.hold(tenant.as_ref(), scope, (Actor::Placet, stop.reason.clone())).await?;
            stopped(&placed, &stop.reason)
        }
        Ask::Lift(id) => match gate.lift(None, id, Actor::Placet).await {
            Ok(()) => Answer::Done(format!(
                "Lifted: {id}. What was approved and is still good can be claimed again."
            )),
            Err(HoldError::NotThere) => bail!("there is no stop {id} that stands; `placet stops` shows all"),
            Err(fault) => return Err(fault.into()),
        },
        Ask::Stops { tenant, lifted } => {
            let query =
                HoldQuery { tenant: tenant.clone(), only_standing: !lifted, before: None, limit: SHOWN_MAX };
            let holds = gate.store().holds(query).await?;
            let of = tenant.map_or_else(String::new, |tenant| format!(" of the tenant {tenant}"));
            match holds.is_empty() {
                true if lifted => Answer::Nothing(format!("Nothing{of} was ever stopped.")),
                true => Answer::Nothing(format!("Nothing{of} is stopped.")),
                false => Answer::Table(stops(&holds)),
            }
        }
        Ask::Remembered { tenant, ended } => {
            let standing_at = (!ended).then(|| gate.clock().now());
            let query = RememberedQuery {
                tenant: tenant.clone(),
                session: None,
                standing_at,
                before: None,
                limit: SHOWN_MAX,
            };
            let all = gate.store().remembered(query).await?;
            match all.is_empty() {
                true if ended => Answer::Nothing(format!("Nothing was ever remembered for {tenant}.")),
                true => Answer::Nothing(format!("Nothing is remembered for {tenant}.")),
                false => Answer::Table(remembered(&all, gate)),
            }
        }
        Ask::Forget { tenant, id, reason } => match gate.forget((&tenant, id), Actor::Placet, reason).await {
            Ok(revoked) => {
                let revoked = match revoked {
                    0 => "none was approved by it and not yet run".to_owned(),
                    1 => "one that was approved by it and not yet run is revoked".to_owned(),
                    more => format!("{more} that were approved by it and not yet run are revoked"),
                };
                Answer::Done(format!(
                    "Forgotten: {id}. Calls that look alike are asked about again; {revoked}."
                ))
            }
            Err(HoldError::NotThere) => {
                bail!("nothing of the name {id} is remembered for {tenant}; `placet remembered` shows all")
            }
            Err(fault) => return Err(fault.into()),
        },
    })
}

impl Stop {
    fn scope(&self) -> anyhow::Result<HoldScope> {
        Ok(match (&self.agent, &self.run, &self.tool) {
            (Some(agent), Some(run), _) => HoldScope::Run { agent: agent.clone(), run: run.clone() },
            (Some(agent), None, _) => HoldScope::Agent(agent.clone()),
            (None, _, Some(tool)) => {
                HoldScope::tool(tool).map_err(|error| anyhow!("--tool is no tool's name: {error}"))?
            }
            (None, _, None) => HoldScope::All,
        })
    }
}

/// What is told of a stop that was placed, or that stood before for a reason of its own.
fn stopped(placed: &Placed, reason: &str) -> Answer {
    let Placed { hold, stood, doubt } = placed;
    let what = covered(hold);
    let told = if *stood {
        let by = hold.name.clone().unwrap_or_else(|| hold.by.to_string());
        let kept = if hold.reason == reason { "" } else { "; the reason from then stays" };
        let (since, then) = (hold.since.to_minute_utc(), one_line(&hold.reason));
        format!("Stopped before, since {since} by {by}: {what} ({then}){kept}.")
    } else {
        format!("Stopped: {what}. Nothing of it is claimed any more; what runs already is not broken off.")
    };
    Answer::Stopped { told, warning: doubt.as_ref().map(ToString::to_string), id: hold.id }
}

/// What a stop covers, in words.
fn covered(hold: &Hold) -> String {
    let what = match &hold.scope {
        HoldScope::All => "all calls".to_owned(),
        HoldScope::Agent(agent) => format!("calls of the agent {agent}"),
        HoldScope::Tool(name) => format!("calls of {name}"),
        HoldScope::Run { agent, run } => format!("calls of the run {run} of {agent}"),
    };
    match &hold.tenant {
        Some(tenant) => format!("{what} of the tenant {tenant}"),
        None => format!("{what} of everybody"),
    }
}

fn stops(holds: &[Hold]) -> String {
    let line = |hold: &Hold| {
        let state = match &hold.lifted {
            None => "stands".to_owned(),
            Some(lifted) => format!("lifted {}", lifted.at.to_minute_utc()),
        };
        let by = hold.name.clone().unwrap_or_else(|| hold.by.to_string());
        let since = hold.since.to_minute_utc();
        [hold.id.to_string(), state, since, one_line(&by), one_line(&covered(hold)), one_line(&hold.reason)]
    };
    let lines: Vec<_> = holds.iter().map(line).collect();
    table(["ID", "STATE", "SINCE", "BY", "WHAT", "REASON"], &lines)
}

fn remembered(all: &[Remembered], gate: &Gate) -> String {
    let now = gate.clock().now();
    let line = |yes: &Remembered| {
        let state = match &yes.forgotten {
            _ if yes.stands(now) => format!("until {}", yes.until.to_minute_utc()),
            Some(forgotten) => format!("forgotten {}", forgotten.at.to_minute_utc()),
            None => format!("ended {}", yes.until.to_minute_utc()),
        };
        let tool = match &yes.server {
            Some(server) => format!("{server}/{}", yes.tool),
            None => yes.tool.to_string(),
        };
        let pattern = gate.redactor().redact_text(&yes.pattern.to_string()).text;
        let calls = one_line(&format!("{tool} {pattern}"));
        let [agent, session] = [yes.agent.as_str(), yes.session.as_str()].map(one_line);
        [yes.id.to_string(), state, calls, agent, session, one_line(&yes.names.join(" and "))]
    };
    let lines: Vec<_> = all.iter().map(line).collect();
    table(["ID", "STATE", "CALLS", "AGENT", "SESSION", "BY"], &lines)
}
