//! A call that nobody proposed, for explaining a policy and for its tables: the fields of a proposal as the API takes
//! them, and the circumstances.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::circumstances::{Asker, Circumstances, Recent};
use super::diagnostic::nearest;
use super::electors::nobody_outside;
use super::set::PolicySet;
use crate::approval::{Proposal, Requester, RunStep};
use crate::call::{CanonicalArgs, ToolCall};
use crate::id::{
    AgentId, CredentialId, PersonId, Role, RunId, ServerName, SessionId, StepId, TenantId, ToolName,
};
use crate::person::Identity;
use crate::time::Timestamp;

/// A supposed call.
#[derive(Debug, Clone)]
pub struct Supposed {
    /// Whose policy it is about.
    pub tenant: TenantId,
    /// What would be proposed.
    pub proposal: Proposal,
    /// In which circumstances.
    pub circumstances: Circumstances,
}

/// Every field, and what it is.
pub(super) const FIELDS: [(&str, &str); 22] = [
    ("tool", "the tool"),
    ("server", "its server; left out for the tools that Placet itself brings"),
    ("args", "its arguments"),
    ("tenant", "whose policy it is about"),
    ("agent", "the agent that asks"),
    ("credential", "the credential that it uses"),
    ("as", "the person behind it, by their id in the policy"),
    ("roles", "roles of who asks, besides those that the policy gives the person"),
    ("team", "the team of who asks, if the policy does not say"),
    ("at", "when, such as 2026-11-30T10:00:00+01:00"),
    ("recent", "what happened within the last hour: calls, same, denied, cards"),
    ("session", "the conversation"),
    ("run", "the run and its step: id, step"),
    ("task", "the task it serves, as the agent says"),
    ("reason", "why, as the agent says"),
    ("preview", "what would change, as the agent says"),
    ("if_denied", "what happens on a no, as the agent says"),
    // Taken, as they are part of a proposal, and looked at by no rule.
    ("evidence", "what it is based on"),
    ("prompt_version", "the agent's instructions"),
    ("place", "where the agent would like the card"),
    ("thread", "the thread that the task came from"),
    ("timeout", "the agent's own limit"),
];

/// A field that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {message}")]
pub struct SupposeError {
    /// Which.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl SupposeError {
    fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.to_owned(), message: message.into(), help: String::new() }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

/// Reads a supposed call, for the policies that it is about. `now` is when it happens where it does not say.
///
/// # Errors
/// The first field that cannot be meant.
pub fn suppose(
    fields: &Map<String, Value>,
    policies: &PolicySet,
    now: Timestamp,
) -> Result<Supposed, SupposeError> {
    for name in fields.keys() {
        if !FIELDS.iter().any(|(known, _)| known == name) {
            let near = nearest(name, FIELDS.iter().map(|(known, _)| *known));
            let help = near.map_or_else(String::new, |near| format!("did you mean `{near}`?"));
            return Err(SupposeError::new(name, "there is no such field").with_help(help));
        }
    }
    let fields = Fields(fields);
    let named_tenant = fields.parsed("tenant", str::parse::<TenantId>)?;
    let tenant = match named_tenant.clone() {
        Some(tenant) => tenant,
        None => TenantId::new("default").map_err(|error| SupposeError::new("tenant", error.to_string()))?,
    };
    let at = fields.time("at")?.unwrap_or(now);
    let args = fields.0.get("args").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    let named = fields.parsed("credential", str::parse::<CredentialId>)?;
    let agent = fields.parsed("agent", str::parse::<AgentId>)?;
    let or = |field: &str, error: &dyn std::fmt::Display| SupposeError::new(field, error.to_string());
    let proposal = Proposal {
        call: ToolCall {
            agent: agent
                .map_or_else(|| "agent".parse::<AgentId>().map_err(|error| or("agent", &error)), Ok)?,
            server: fields.parsed("server", str::parse::<ServerName>)?,
            tool: fields
                .parsed("tool", str::parse::<ToolName>)?
                .ok_or_else(|| SupposeError::new("tool", "a call is of a tool"))?,
            tool_schema_hash: None,
            args: CanonicalArgs::from_value(&args).map_err(|error| or("args", &error))?,
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: named.map_or_else(
                || CredentialId::new("credential").map_err(|error| or("credential", &error)),
                Ok,
            )?,
            identities: Vec::new(),
            shown_as: String::new(),
        },
        run: fields.run()?,
        session: fields.parsed("session", str::parse::<SessionId>)?,
        task: fields.text("task")?.unwrap_or_default().to_owned(),
        reason: fields.text("reason")?.unwrap_or_default().to_owned(),
        evidence: Vec::new(),
        preview: fields.text("preview")?.map(ToOwned::to_owned),
        if_denied: fields.text("if_denied")?.map(ToOwned::to_owned),
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    };
    let mut supposed = Supposed {
        tenant,
        proposal,
        circumstances: Circumstances { tenant: named_tenant, ..Circumstances::at(at) },
    };
    supposed.asks(&fields, policies)?;
    supposed.circumstances.recent = fields.recent()?;
    Ok(supposed)
}

impl Supposed {
    /// Lets a person of the policy ask, as far as it knows them.
    fn asks(&mut self, fields: &Fields<'_>, policies: &PolicySet) -> Result<(), SupposeError> {
        let at = self.circumstances.at;
        let mut asker = Asker::default();
        if let Some(person) = fields.parsed("as", str::parse::<PersonId>)? {
            let policy = policies.of(&self.tenant);
            let people = policy.people();
            let Some(known) = people.by_id(&person) else {
                let near =
                    nearest(person.as_str(), people.all().iter().map(|known| known.member.person.as_str()));
                let help = near.map_or_else(String::new, |near| format!("did you mean `{near}`?"));
                return Err(
                    SupposeError::new("as", format!("the policy has no person `{person}`")).with_help(help)
                );
            };
            self.proposal.requester.identities = known.identities.iter().cloned().collect();
            self.proposal.requester.shown_as.clone_from(&known.member.name);
            let own = Requester {
                identities: known.identities.iter().cloned().collect::<Vec<Identity>>(),
                ..self.proposal.requester.clone()
            };
            asker = people.asker(&own, &nobody_outside(people, at), at);
            asker.person = Some(person);
            asker.team.clone_from(&known.team);
            asker.roles.extend(known.member.roles.iter().cloned());
        }
        asker.roles.extend(fields.roles()?);
        asker.team = asker.team.or(fields.text("team")?.map(ToOwned::to_owned));
        self.circumstances.requester = asker;
        Ok(())
    }
}

/// Whether all that a time lacks is its zone.
fn is_time_without_zone(text: &str) -> bool {
    let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    forms.iter().any(|form| chrono::NaiveDateTime::parse_from_str(text, form).is_ok())
}

struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn text(&self, name: &str) -> Result<Option<&'a str>, SupposeError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(SupposeError::new(name, "this is a string")),
        }
    }

    fn parsed<T, E: std::fmt::Display>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, SupposeError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        parse(text).map(Some).map_err(|error| SupposeError::new(name, error.to_string()))
    }

    fn time(&self, name: &str) -> Result<Option<Timestamp>, SupposeError> {
        self.parsed(name, |text| {
            chrono::DateTime::parse_from_rfc3339(text)
                .map(|at| Timestamp::from_millis(at.timestamp_millis()))
                .map_err(|error| {
                    let such = "such as 2026-11-30T10:00:00+01:00";
                    if is_time_without_zone(text) {
                        return format!("the time zone is missing at its end: Z, or +01:00; {such}");
                    }
                    format!("this is no time: {error}; {such}")
                })
        })
    }

    fn roles(&self) -> Result<BTreeSet<Role>, SupposeError> {
        let list = match self.0.get("roles") {
            None | Some(Value::Null) => return Ok(BTreeSet::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(SupposeError::new("roles", "this is a list of roles")),
        };
        let role = |item: &Value| {
            let text = item.as_str().ok_or_else(|| SupposeError::new("roles", "a role is a string"))?;
            Role::new(text).map_err(|error| SupposeError::new("roles", error.to_string()))
        };
        list.iter().map(role).collect()
    }

    fn object(&self, name: &str) -> Result<Option<&'a Map<String, Value>>, SupposeError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(fields)),
            Some(_) => Err(SupposeError::new(name, "this is a table of fields")),
        }
    }

    fn recent(&self) -> Result<Recent, SupposeError> {
        let Some(fields) = self.object("recent")? else { return Ok(Recent::default()) };
        if let Some(name) =
            fields.keys().find(|name| !["calls", "same", "denied", "cards"].contains(&name.as_str()))
        {
            return Err(SupposeError::new(
                "recent",
                format!("there is no `{name}`: calls, same, denied, cards"),
            ));
        }
        let count = |name: &str| match fields.get(name) {
            None => Ok(0),
            Some(value) => value
                .as_u64()
                .and_then(|count| u32::try_from(count).ok())
                .ok_or_else(|| SupposeError::new("recent", format!("`{name}` is a whole number from 0"))),
        };
        Ok(Recent {
            calls: count("calls")?,
            same: count("same")?,
            denied: count("denied")?,
            cards: count("cards")?,
        })
    }

    fn run(&self) -> Result<Option<RunStep>, SupposeError> {
        let Some(run) = self.object("run")? else { return Ok(None) };
        let run = Fields(run);
        let (id, step) = (run.parsed("id", str::parse::<RunId>)?, run.parsed("step", str::parse::<StepId>)?);
        match (id, step) {
            (Some(run), Some(step)) => Ok(Some(RunStep { run, step })),
            _ => Err(SupposeError::new("run", "a run has an `id` and a `step`")),
        }
    }
}
