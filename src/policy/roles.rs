//! `[roles]`: what roles are for besides approving.

use super::diagnostic::{Report, Span};
use super::levels::role;
use super::reader::{At, Keys, Table};
use super::rule::Policy;
use crate::id::Role;

/// The keys of `[roles]`.
pub(super) const KEYS: &Keys = &[
    ("stewards", "who may revoke what others approved, and settle an outcome that nobody knows"),
    ("break_glass", "who may decide alone in an emergency"),
    ("auditors", "who may query the audit, export it, and ask for a digest"),
    ("names", "roles that exist even while nobody has them"),
];

/// `[roles]` as it was read.
#[derive(Debug, Default)]
pub(super) struct RolesRead {
    /// Who may revoke and settle.
    pub(super) stewards: Vec<At<Role>>,
    /// Where that is said; none where it is not.
    pub(super) stewards_span: Option<Span>,
    /// Who may decide alone in an emergency.
    pub(super) break_glass: Vec<At<Role>>,
    /// Who may query the audit.
    pub(super) auditors: Vec<At<Role>>,
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
        let auditors = roles("auditors", report);
        let names = roles("names", report);
        let stewards_span = table.key_span("stewards");
        let narrows_glass = table.key_span("break_glass").is_some();
        table.finish(&[KEYS], "[roles]", report);
        Self { stewards, stewards_span, break_glass, auditors, narrows_glass, names, span }
    }
}

impl Policy {
    /// The roles that may revoke what others approved and settle an outcome that nobody knows; empty means nobody.
    #[must_use]
    pub fn stewards(&self) -> &[Role] {
        &self.stewards
    }

    /// The roles that may query the audit, export it and ask for a digest, beside the stewards; empty means nobody else.
    #[must_use]
    pub fn auditors(&self) -> &[Role] {
        &self.auditors
    }

    /// The roles that may decide alone in an emergency; empty means nobody.
    #[must_use]
    pub fn glass_breakers(&self) -> &[Role] {
        &self.glass_breakers
    }
}
