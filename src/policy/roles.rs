//! `[roles]`: what roles are for besides approving.

use super::diagnostic::{Report, Span};
use super::levels::role;
use super::reader::{At, Table};
use super::rule::Policy;
use crate::id::Role;

/// `[roles]` as it was read.
#[derive(Debug, Default)]
pub(super) struct RolesRead {
    /// Who may revoke and settle.
    pub(super) stewards: Vec<At<Role>>,
    /// Who may decide alone in an emergency.
    pub(super) break_glass: Vec<At<Role>>,
    /// Whether `break_glass` is said at all.
    pub(super) narrows_glass: bool,
    /// Roles that exist even while nobody has them.
    pub(super) names: Vec<At<Role>>,
    /// Where the table stands.
    pub(super) span: Option<Span>,
}

impl RolesRead {
    pub(super) fn read(table: Option<Table<'_>>, report: &mut Report<'_>) -> Self {
        let Some(mut table) = table else { return Self::default() };
        let span = Some(table.span());
        let mut roles = |key, report: &mut Report<'_>| -> Vec<At<Role>> {
            let texts = table.strings(key, report).map_or_else(Vec::new, |texts| texts.value);
            texts.into_iter().filter_map(|text| role(text, report)).collect()
        };
        let stewards = roles("stewards", report);
        let break_glass = roles("break_glass", report);
        let names = roles("names", report);
        let narrows_glass = table.key_span("break_glass").is_some();
        table.finish("[roles]", report);
        Self { stewards, break_glass, narrows_glass, names, span }
    }
}

impl Policy {
    /// The roles that may revoke what others approved and settle an outcome that nobody knows; empty means nobody.
    #[must_use]
    pub fn stewards(&self) -> &[Role] {
        &self.stewards
    }

    /// The roles that may decide alone in an emergency; empty means nobody.
    #[must_use]
    pub fn glass_breakers(&self) -> &[Role] {
        &self.glass_breakers
    }
}
