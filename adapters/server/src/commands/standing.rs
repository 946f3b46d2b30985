//! `placet stop|lift|stops` and `placet remembered|forget`: what keeps calls from running though somebody approved them,
//! and what lets them run though nobody is asked.
//!
//! They go through the server where one runs. Where none does, they write to the database themselves: what is stopped
//! stays so with the next start.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::{bail, ensure};
use clap::Args;
use placet::approval::Actor;
use placet::gate::{Gate, HoldError};
use placet::hold::{Hold, HoldScope};
use placet::id::{AgentId, HoldId, RequestId, RunId, TenantId};
use placet::ports::RememberedQuery;
use placet::remembered::Remembered;
use serde::{Deserialize, Serialize};

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
    /// What there is.
    Table(String),
    /// It was not done, and why.
    Refused(String),
}

impl Answer {
    /// Writes what was asked for to `out`, and a sentence about what was done to `notes`.
    ///
    /// # Errors
    /// It was not done, or `out` or `notes` cannot be written.
    pub fn write(self, out: &mut dyn Write, notes: &mut dyn Write) -> anyhow::Result<()> {
        match self {
            Self::Done(sentence) => writeln!(notes, "{sentence}")?,
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
            let held = gate.hold(tenant.as_ref(), stop.scope(), (Actor::Placet, stop.reason)).await?;
            Answer::Done(format!(
                "Stopped: {}. Nothing of it is claimed any more; what runs already is not broken off. Let it go on with \
                 `placet lift {}`.",
                covered(&held),
                held.id
            ))
        }
        Ask::Lift(id) => match gate.lift(None, id, Actor::Placet).await {
            Ok(()) => Answer::Done(format!(
                "Lifted: {id}. What was approved and is still good can be claimed again."
            )),
            Err(HoldError::NotThere) => bail!("there is no stop {id} that stands; `placet stops` shows all"),
            Err(fault) => return Err(fault.into()),
        },
        Ask::Stops { tenant, lifted } => {
            Answer::Table(stops(&gate.store().holds(tenant.as_ref(), !lifted, SHOWN_MAX).await?)?)
        }
        Ask::Remembered { tenant, ended } => {
            let standing_at = (!ended).then(|| gate.clock().now());
            let query = RememberedQuery { tenant, session: None, standing_at, limit: SHOWN_MAX };
            Answer::Table(remembered(&gate.store().remembered(query).await?, gate)?)
        }
        Ask::Forget { tenant, id, reason } => match gate.forget((&tenant, id), Actor::Placet, reason).await {
            Ok(revoked) => Answer::Done(format!(
                "Forgotten: {id}. Calls that look alike are asked about again; {revoked} that were approved by it and not \
                 yet run are revoked."
            )),
            Err(HoldError::NotThere) => {
                bail!("nothing of the name {id} is remembered for {tenant}; `placet remembered` shows all")
            }
            Err(fault) => return Err(fault.into()),
        },
    })
}

impl Stop {
    fn scope(&self) -> HoldScope {
        match (&self.agent, &self.run, &self.tool) {
            (Some(agent), Some(run), _) => HoldScope::Run { agent: agent.clone(), run: run.clone() },
            (Some(agent), None, _) => HoldScope::Agent(agent.clone()),
            (None, _, Some(tool)) => HoldScope::Tool(tool.clone()),
            (None, _, None) => HoldScope::All,
        }
    }
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

fn stops(holds: &[Hold]) -> anyhow::Result<String> {
    let mut table = String::new();
    for hold in holds {
        let state = match &hold.lifted {
            None => "stands".to_owned(),
            Some(lifted) => format!("lifted {}", lifted.at.to_minute_utc()),
        };
        let by = hold.name.clone().unwrap_or_else(|| hold.by.to_string());
        let since = hold.since.to_minute_utc();
        writeln!(
            table,
            "{}  {state}  since {since} by {by}  {}  {}",
            hold.id,
            covered(hold),
            line(&hold.reason)
        )?;
    }
    Ok(table)
}

fn remembered(all: &[Remembered], gate: &Gate) -> anyhow::Result<String> {
    let now = gate.clock().now();
    let mut table = String::new();
    for yes in all {
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
        writeln!(
            table,
            "{}  {state}  {tool} {}  agent {} in session {}  by {}",
            yes.id,
            line(&pattern),
            yes.agent,
            yes.session,
            yes.names.join(" and ")
        )?;
    }
    Ok(table)
}

/// Text of others on one line of a terminal: nothing in it that a terminal would obey.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
