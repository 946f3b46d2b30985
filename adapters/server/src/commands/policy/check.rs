//! `placet policy check`.

use std::io::Write;

use placet::policy::{Policy, PolicySet};
use serde_json::{Value, json};

use super::{Form, Source, json, not_taken};

/// Says what is wrong with the policies; false if they are not taken. Warnings are shown and are no reason to fail.
pub(super) fn run(source: &Source, form: Form, out: &mut dyn Write) -> anyhow::Result<bool> {
    let policies = match source.read()? {
        Ok(policies) => policies,
        Err(errors) => return not_taken(&errors, form, out),
    };
    if form.json {
        let tenants: Value = policies
            .tenants()
            .map(|(tenant, policy)| (tenant.to_string(), version(policy)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let answer = json!({
            "taken": true,
            "diagnostics": warnings(&policies).collect::<Vec<_>>(),
            "policy": version(policies.installation()),
            "tenants": tenants,
        });
        json(out, &answer)?;
        return Ok(true);
    }
    for warning in warnings(&policies) {
        writeln!(out, "{warning}\n")?;
    }
    let installation = policies.installation();
    writeln!(out, "policy {} is taken ({})", installation.version().label, installation.version().digest)?;
    for (tenant, policy) in policies.tenants() {
        writeln!(out, "tenant {tenant}: {} is taken ({})", policy.version().label, policy.version().digest)?;
    }
    Ok(true)
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
