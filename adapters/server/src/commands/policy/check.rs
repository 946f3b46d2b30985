//! `placet policy check`.

use std::io::Write;
use std::path::Path;

use placet::policy::{Policy, PolicyErrors, PolicySet};
use serde_json::{Value, json};

use super::{Form, Source, json, not_taken, wrong_use};
use crate::settings::Settings;
use crate::soundness::{Flaw, Soundness};

/// Says what is wrong with the policies; false if they are not taken. Warnings are shown and are no reason to fail.
pub(super) fn run(source: &Source, form: Form, out: &mut dyn Write) -> anyhow::Result<bool> {
    let read = match source.settings() {
        Some(config) => beside_settings(&config)?,
        None => source.read()?.map(|policies| (policies, Soundness::default())),
    };
    let (policies, found) = match read {
        Ok(read) => read,
        Err(errors) => return not_taken(&errors, form, out),
    };
    if !found.errors.is_empty() {
        return unsound(&found, form, out);
    }
    let besides: Vec<&String> = besides(&found, &policies).collect();
    if form.json {
        let tenants: Value = policies
            .tenants()
            .map(|(tenant, policy)| (tenant.to_string(), version(policy)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let diagnostics = warnings(&policies).map(|warning| json!(warning));
        let plain = besides.iter().map(|told| json!({ "severity": "warning", "message": told }));
        let diagnostics: Vec<Value> = diagnostics.chain(plain).collect();
        let answer = json!({
            "taken": true,
            "diagnostics": diagnostics,
            "policy": version(policies.installation()),
            "tenants": tenants,
        });
        json(out, &answer)?;
        return Ok(true);
    }
    for warning in warnings(&policies) {
        writeln!(out, "{warning}\n")?;
    }
    for warning in besides {
        writeln!(out, "warning: {warning}\n")?;
    }
    let installation = policies.installation();
    writeln!(out, "policy {} is taken ({})", installation.version().label, installation.version().digest)?;
    for (tenant, policy) in policies.tenants() {
        writeln!(out, "tenant {tenant}: {} is taken ({})", policy.version().label, policy.version().digest)?;
    }
    Ok(true)
}

/// Reads the policies that the settings name, and looks at both together, as the server does; secrets are not looked up.
fn beside_settings(config: &Path) -> anyhow::Result<Result<(PolicySet, Soundness), PolicyErrors>> {
    let settings = Settings::load_without_secrets(config).map_err(|error| wrong_use(error.to_string()))?;
    let texts = settings.policy.read_texts().map_err(|error| wrong_use(format!("{error:#}")))?;
    let policies = match texts.parse() {
        Ok(policies) => policies,
        Err(errors) => return Ok(Err(errors)),
    };
    let found = Soundness::of(&settings, (&texts, &policies), &[])?;
    Ok(Ok((policies, found)))
}

/// What is wrong between the policies and the settings.
fn unsound(found: &Soundness, form: Form, out: &mut dyn Write) -> anyhow::Result<bool> {
    if form.json {
        let diagnostics: Vec<Value> = found.errors.iter().map(Flaw::json).collect();
        json(out, &json!({ "taken": false, "diagnostics": diagnostics }))?;
        return Ok(false);
    }
    for flaw in &found.errors {
        writeln!(out, "{flaw}\n")?;
    }
    let errors = found.errors.len();
    let plural = if errors == 1 { "" } else { "s" };
    writeln!(out, "the policy is not taken with these settings: {errors} error{plural}")?;
    Ok(false)
}

/// Warnings that only the settings give rise to.
fn besides<'a>(found: &'a Soundness, policies: &PolicySet) -> impl Iterator<Item = &'a String> {
    let own: Vec<String> = warnings(policies).map(ToString::to_string).collect();
    found.warnings.iter().filter(move |warning| !own.contains(warning))
}

/// The warnings of all files, each once: a tenant's policy has those of the installation's too.
fn warnings(policies: &PolicySet) -> impl Iterator<Item = &placet::policy::Diagnostic> {
    let mut seen = Vec::new();
    let tenants = policies.tenants().flat_map(|(_, policy)| policy.warnings());
    policies.installation().warnings().iter().chain(tenants).filter(move |warning| {
        let is_new = !seen.contains(warning);
        seen.push(*warning);
        is_new
    })
}

fn version(policy: &Policy) -> Value {
    let version = policy.version();
    json!({ "label": version.label, "digest": version.digest })
}
