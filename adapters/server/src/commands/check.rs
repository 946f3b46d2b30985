//! `placet check`: the settings and the policy, without starting anything.

use std::io::Write;

use placet::id::TenantId;
use placet::person::OnCallSource;
use placet::policy::Policy;

use crate::settings::{Settings, host};
use crate::soundness::Soundness;

/// Says what would be done with these settings, and what is wrong with them. False if the server would not start.
///
/// # Errors
/// The policy is not taken, or `out` cannot be written.
pub fn run(settings: &Settings, out: &mut dyn Write) -> anyhow::Result<bool> {
    let texts = settings.policy.read_texts()?;
    let policies = texts.parse()?;
    let found = Soundness::of(settings, (&texts, &policies), &[])?.with_folders(settings);
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
        writeln!(out, "{error}\n")?;
    }
    // What would be done is no news where nothing would be.
    if !found.errors.is_empty() {
        let s = if found.errors.len() == 1 { "" } else { "s" };
        writeln!(out, "{} error{s}: the server would not start", found.errors.len())?;
        return Ok(false);
    }
    shown(None, policies.installation(), out)?;
    for (tenant, policy) in policies.tenants() {
        shown(Some(tenant), policy, out)?;
    }
    writeln!(out, "database  {}", settings.data.display())?;
    writeln!(out, "listens   {}{}", settings.http.listen, settings.http.path_prefix)?;
    if settings.slack.is_empty() {
        writeln!(out, "slack     not configured")?;
    }
    for slack in &settings.slack {
        writeln!(out, "slack     workspace {}, tenant {}, as {}", slack.team, slack.tenant, slack.name)?;
    }
    if let Some(matrix) = &settings.matrix {
        let account = &matrix.settings;
        writeln!(out, "matrix    {}, tenant {}, room {}", account.user, account.tenant, account.room)?;
    }
    writeln!(out, "grants    {}", if settings.grants.is_some() { "signed" } else { "none are given" })?;
    match &settings.agent {
        Some(agent) => writeln!(out, "agent     {} in {}", agent.name, agent.workspace.display())?,
        None => writeln!(out, "agent     none of its own")?,
    }
    let mut hosts = settings.hosts();
    for policy in policies.tenants().map(|(_, policy)| policy).chain([policies.installation()]) {
        hosts.extend(policy.schedules().iter().filter_map(|schedule| calendar_host(&schedule.source)));
    }
    hosts.sort();
    hosts.dedup();
    writeln!(out, "talks to  {}", if hosts.is_empty() { "nobody".to_owned() } else { hosts.join(", ") })?;
    Ok(true)
}

/// The host of a calendar; the rest of its address may be a secret.
fn calendar_host(source: &OnCallSource) -> Option<String> {
    match source {
        OnCallSource::Calendar { url } => host(&url.parse().ok()?),
        OnCallSource::Rota { .. } | OnCallSource::PagerDuty { .. } => None,
    }
}

/// A policy in a few lines: the installation's, or what a tenant's file makes of it.
fn shown(tenant: Option<&TenantId>, policy: &Policy, out: &mut dyn Write) -> std::io::Result<()> {
    let version = policy.version();
    if let Some(tenant) = tenant {
        writeln!(out, "tenant    {tenant}, with a policy of its own")?;
    }
    writeln!(out, "policy    {} ({})", version.label, version.digest)?;
    writeln!(out, "people    {}", policy.people().all().len())?;
    writeln!(out, "profile   {}", if policy.is_solo() { "solo: who asks may approve" } else { "team" })
}
