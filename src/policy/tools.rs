//! `[tools]`: what the policy knows of each tool.

use std::collections::BTreeMap;

use super::diagnostic::Report;
use super::reader::Table;
use crate::call::ToolCall;

/// What the policy says of a tool in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) title: Option<String>,
    pub(super) effect: Option<String>,
    pub(super) leading_args: Vec<String>,
}

/// What the policy knows of tools.
#[derive(Debug, Clone, Default)]
pub(super) struct Tools {
    words: BTreeMap<String, Words>,
}

impl Tools {
    pub(super) fn read(table: Option<Table<'_>>, report: &mut Report<'_>) -> Self {
        Self { words: table.map_or_else(BTreeMap::new, |table| words(&table, report)) }
    }

    /// The words for a tool, by its name with its server, else without.
    pub(super) fn words(&self, call: &ToolCall) -> Option<&Words> {
        self.words.get(&call.full_name()).or_else(|| self.words.get(call.tool.as_str()))
    }
}

fn words(table: &Table<'_>, report: &mut Report<'_>) -> BTreeMap<String, Words> {
    let mut tools = BTreeMap::new();
    for (name, value) in table.entries() {
        let Some(mut tool) = Table::of(value, report, name.value) else { continue };
        let title = tool.string("title", report);
        let effect = tool.string("effect", report);
        let leading = tool.strings("leading_args", report).map_or_else(Vec::new, |names| names.value);
        tool.finish(&format!("[tools.{:?}]", name.value), report);
        if let Some(title) = &title
            && !is_template(&title.value)
        {
            let message = "the title's braces do not fit together";
            report.error(title.span.clone(), message, "`{path}` stands for the argument `path`");
        }
        let words = Words {
            title: title.map(|title| title.value),
            effect: effect.map(|effect| effect.value),
            leading_args: leading.into_iter().map(|name| name.value).collect(),
        };
        tools.insert(name.value.to_owned(), words);
    }
    tools
}

/// Whether every brace opens and closes around a name.
fn is_template(text: &str) -> bool {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { return false };
        if before.contains('}') || name.is_empty() || name.contains('{') {
            return false;
        }
        rest = tail;
    }
    !text.trim().is_empty() && !rest.contains('}')
}
