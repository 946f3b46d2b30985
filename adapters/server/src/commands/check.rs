//! `placet check`: the settings and the policy, without starting anything.

use std::io::Write;

use placet::person::OnCallSource;

use crate::settings::{Settings, host};
use crate::soundness::Soundness;

/// Says what would be done with these settings, and what is wrong with them. False if the server would not start.
///
/// # Errors
/// The policy is not taken, or `out` cannot be written.
pub fn run(settings: &Settings, out: &mut dyn Write) -> anyhow::Result<bool> {
    let policy = settings.policy.read()?;
    let found =
        Soundness::of(settings, &policy, false)?.with_places(settings, &policy, &[]).with_folders(settings);
    for warning in &found.warnings {
        writeln!(
            out,
            "{}\n",
            warning
                .strip_prefix("warning: ")
                .map_or_else(|| format!("warning: {warning}"), |_| warning.clone())
        )?;
    }
    for error in &found.errors {
        writeln!(out, "error: {error}\n")?;
    }
    let version = policy.version();
    writeln!(out, "policy    {} ({})", version.label, version.digest)?;
    writeln!(out, "people    {}", policy.people().all().len())?;
    writeln!(out, "profile   {}", if policy.is_solo() { "solo: who asks may approve" } else { "team" })?;
    writeln!(out, "database  {}", settings.data.display())?;
    writeln!(out, "listens   {}{}", settings.http.listen, settings.http.path_prefix)?;
    match &settings.slack {
        Some(slack) => writeln!(out, "slack     workspace {}, tenant {}", slack.team, slack.tenant)?,
        None => writeln!(out, "slack     not configured")?,
    }
    writeln!(out, "grants    {}", if settings.grants.is_some() { "signed" } else { "none are given" })?;
    match &settings.agent {
        Some(agent) => writeln!(out, "agent     {} in {}", agent.name, agent.workspace.display())?,
        None => writeln!(out, "agent     none of its own")?,
    }
    let mut hosts = settings.hosts();
    hosts.extend(policy.schedules().iter().filter_map(|schedule| calendar_host(&schedule.source)));
    hosts.sort();
    hosts.dedup();
    writeln!(out, "talks to  {}", if hosts.is_empty() { "nobody".to_owned() } else { hosts.join(", ") })?;
    Ok(found.errors.is_empty())
}

/// The host of a calendar; the rest of its address may be a secret.
fn calendar_host(source: &OnCallSource) -> Option<String> {
    match source {
        OnCallSource::Calendar { url } => host(&url.parse().ok()?),
        OnCallSource::Rota { .. } | OnCallSource::PagerDuty { .. } => None,
    }
}
