//! `placet policy test`.

use std::io::Write;
use std::path::Path;

use placet::policy::{CaseTable, shown};
use serde_json::json;

use super::{Form, Source, json, not_taken, text, without_own};

/// Asks the policies about every case; false if one is not as expected, or if the policies or the table are not taken.
pub(super) fn run(path: &Path, source: &Source, form: Form, out: &mut dyn Write) -> anyhow::Result<bool> {
    let file = path.display().to_string();
    let table = match CaseTable::parse(&text(path)?, &file) {
        Ok(table) => table,
        Err(errors) => return wrong_table(&errors, form, out),
    };
    let policies = match named(&table, path, source).read()? {
        Ok(policies) => policies,
        Err(errors) => return not_taken(&errors, form, out),
    };
    let results = match table.run(&policies) {
        Ok(results) => results,
        Err(errors) => return wrong_table(&errors, form, out),
    };
    let notes: Vec<String> =
        table.named_tenants().iter().filter_map(|tenant| without_own(tenant, &policies)).collect();
    let wrong = results.iter().filter(|result| !result.differences.is_empty()).count();
    if form.json {
        json(out, &json!({ "cases": results, "differ": wrong, "notes": notes }))?;
        return Ok(wrong == 0);
    }
    for note in &notes {
        writeln!(out, "note: {note}\n")?;
    }
    for result in results.iter().filter(|result| !result.differences.is_empty()) {
        writeln!(out, "not as expected: {}\n --> {file}:{}", result.name, result.line)?;
        for difference in &result.differences {
            writeln!(out, "  - {}: {}", difference.what, shown(&difference.before))?;
            writeln!(out, "  + {}: {}", difference.what, shown(&difference.after))?;
        }
        writeln!(out)?;
    }
    let cases = if results.len() == 1 { "1 case".to_owned() } else { format!("{} cases", results.len()) };
    match (wrong, results.len()) {
        (0, 1) => writeln!(out, "{cases}, as expected")?,
        (0, _) => writeln!(out, "{cases}, all as expected")?,
        _ => writeln!(out, "{cases}, {wrong} not as expected (- is expected, + is what the policy says)")?,
    }
    Ok(wrong == 0)
}

/// The policies that the command names, else those that the table does, from its own folder.
fn named(table: &CaseTable, path: &Path, source: &Source) -> Source {
    if !source.is_empty() {
        return source.clone();
    }
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    Source {
        policy: table.policy.as_ref().map(|policy| folder.join(policy)),
        tenant: table
            .tenants
            .iter()
            .map(|(tenant, file)| format!("{tenant}={}", folder.join(file).display()))
            .collect(),
        config: None,
    }
}

fn wrong_table(
    errors: &placet::policy::TableErrors,
    form: Form,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    if form.json {
        json(out, &json!({ "diagnostics": errors.diagnostics }))?;
    } else {
        writeln!(out, "{errors}")?;
    }
    Ok(false)
}
