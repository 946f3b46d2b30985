//! `shadow`: calls that are graded and not held up, so that a team sees what it would be asked before it is.
//!
//! What is forbidden is forbidden also here. A tenant may look on too, but only where nothing that the installation
//! has fixed speaks for asking.

use toml::de::DeValue;

use super::diagnostic::{Report, Span};
use super::pattern::{Calls, Pattern};
use super::reader::{At, Keys, Table};
use super::rule::Policy;
use crate::call::ToolCall;

/// The keys of `[shadow]`.
pub(super) const KEYS: &Keys = &[
    ("tools", "patterns over the tools' names: these are graded, and nobody is asked"),
    ("servers", "patterns over the names of the tools' servers; left out: any"),
];

/// Where the policy only looks on.
#[derive(Debug, Clone, Default)]
pub struct Shadowing {
    /// By the installation's file.
    pub(super) everywhere: Scope,
    /// By the tenant's own.
    pub(super) own: Scope,
}

/// Which calls.
#[derive(Debug, Clone, Default)]
pub(super) enum Scope {
    /// None.
    #[default]
    Nothing,
    /// All.
    Everything,
    /// These.
    Only(Calls),
}

impl Scope {
    fn covers(&self, call: &ToolCall) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Only(calls) => calls.matches(call),
        }
    }
}

impl Shadowing {
    /// Whether the installation only looks on at this call.
    #[must_use]
    pub fn covers(&self, call: &ToolCall) -> bool {
        self.everywhere.covers(call)
    }

    /// Whether the tenant only looks on at this call; that does not count where something that the installation has
    /// fixed took part in the verdict.
    #[must_use]
    pub fn is_own(&self, call: &ToolCall) -> bool {
        self.own.covers(call)
    }

    /// Whether it looks on at anything.
    #[must_use]
    pub const fn is_off(&self) -> bool {
        matches!((&self.everywhere, &self.own), (Scope::Nothing, Scope::Nothing))
    }
}

/// `shadow` as it was read, with where it stands.
pub(super) fn read(table: &mut Table<'_>, report: &mut Report<'_>) -> Option<At<Scope>> {
    let value = table.get("shadow")?;
    let span = table.key_span("shadow").unwrap_or_else(|| value.span());
    let scope = match value.get_ref() {
        DeValue::Boolean(false) => Scope::Nothing,
        DeValue::Boolean(true) => Scope::Everything,
        DeValue::Table(entries) => Scope::Only(calls(Table::new(entries, span.clone()), report)?),
        _ => {
            let help = "`shadow = true` for every tool, or [shadow] tools = [\"deploy\"] for some";
            report.error(value.span(), "`shadow` is true, false or a table", help);
            return None;
        }
    };
    let which = match &scope {
        Scope::Nothing => None,
        Scope::Everything => Some("calls are graded, and nobody is asked"),
        Scope::Only(_) => Some("calls of these tools are graded, and nobody is asked"),
    };
    if let Some(which) = which {
        let message = format!("{which}: only what is forbidden is held up");
        report.warning(span.clone(), message, "take `shadow` out to be asked");
    }
    Some(At::new(scope, span))
}

fn calls(mut table: Table<'_>, report: &mut Report<'_>) -> Option<Calls> {
    let span: Span = table.span();
    let tools = table.strings("tools", report);
    let servers = table.strings("servers", report);
    let missing = table.key_span("tools").is_none();
    table.finish(&[KEYS], "[shadow]", report);
    if missing {
        report.error(span, "[shadow] needs `tools`", "`shadow = true` is for every tool");
    }
    let mut patterns = |listed: At<Vec<At<String>>>| {
        listed.value.into_iter().filter_map(|text| Pattern::read(text, report)).collect::<Vec<_>>()
    };
    Some(Calls { tools: patterns(tools?), servers: servers.map(&mut patterns) })
}

impl Policy {
    /// Where the policy only looks on.
    #[must_use]
    pub const fn shadowing(&self) -> &Shadowing {
        &self.shadowing
    }
}
