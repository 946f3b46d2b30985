//! `[tools.schemas]`: what tools outside take, each as a file with a JSON Schema.

use std::collections::BTreeMap;
use std::path::Path;

use placet::id::{ServerName, ToolName};
use placet_schemas::{SCHEMA_BYTES_MAX, ToolSchema};

use super::problem::{Report, cause};
use super::reader::Section;

/// The most schemas: more tools than anybody names one by one.
const SCHEMAS_MAX: usize = 500;

/// Reads them all, so that a schema that cannot be used is told when Placet starts, and not when somebody edits.
pub(super) fn read(
    table: Option<Section<'_>>,
    folder: &Path,
    report: &mut Report<'_>,
) -> BTreeMap<String, ToolSchema> {
    let Some(table) = table else { return BTreeMap::new() };
    let (span, path) = (table.span(), table.path(""));
    let files = table.texts(report);
    if files.len() > SCHEMAS_MAX {
        let message = format!("there are {} of them", files.len());
        report.add(&span, &path, message, format!("name at most {SCHEMAS_MAX}"));
        return BTreeMap::new();
    }
    let mut schemas = BTreeMap::new();
    for (tool, file) in files {
        let key = format!("{path}.\"{}\"", tool.value);
        if !is_tool(&tool.value) {
            let message = "this is no name of one tool";
            report.add(
                &tool.span,
                &key,
                message,
                "such as \"mail/send\", or \"deploy\" where it has no server",
            );
            continue;
        }
        match schema(&folder.join(&file.value)) {
            Ok(schema) => {
                schemas.insert(tool.value, schema);
            }
            Err(why) => {
                let message = format!("{} cannot be used: {why}", file.value);
                report.add(
                    &file.span,
                    &key,
                    message,
                    "name a file with the JSON Schema of the tool's arguments",
                );
            }
        }
    }
    schemas
}

/// Whether it is a tool's full name, as cards and the policy write it.
fn is_tool(name: &str) -> bool {
    let named = |tool: &str| ToolName::new(tool).is_ok() && !tool.contains(['*', '?', '[', '{']);
    match name.split_once('/') {
        Some(("", tool)) => tool.contains('/') && named(tool),
        Some((server, tool)) => ServerName::new(server).is_ok() && named(tool),
        None => named(name),
    }
}

fn schema(file: &Path) -> Result<ToolSchema, String> {
    let metadata = std::fs::metadata(file).map_err(|fault| cause(&fault))?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    // Not a byte more is read than is taken.
    if usize::try_from(metadata.len()).map_or(true, |bytes| bytes > SCHEMA_BYTES_MAX) {
        return Err(format!("it has {} bytes, and a schema may have {SCHEMA_BYTES_MAX}", metadata.len()));
    }
    let text = std::fs::read(file).map_err(|fault| cause(&fault))?;
    ToolSchema::parse(&text).map_err(|fault| fault.to_string())
}
