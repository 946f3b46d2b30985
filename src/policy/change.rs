//! `[change]`: whose yes a change of the policy itself needs.

use super::diagnostic::{Report, Span};
use super::levels::role;
use super::reader::{At, Table};
use super::rule::Policy;
use super::settings::COUNT_MAX;
use crate::id::Role;

/// Whose yes a change of the policy needs before it takes force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeTerms {
    /// People of this role.
    pub role: Role,
    /// So many of them, at least 1.
    pub count: u32,
}

/// `[change]` as it was read.
#[derive(Debug)]
pub(super) struct ChangeRead {
    pub(super) role: At<Role>,
    pub(super) count: u32,
    /// Where the count is said, else the role.
    pub(super) count_span: Span,
}

impl ChangeRead {
    pub(super) fn read(table: Option<Table<'_>>, report: &mut Report<'_>) -> Option<Self> {
        let mut table = table?;
        let span = table.span();
        let named = table.string("role", report);
        let count = table.count("count", COUNT_MAX, report);
        let missing = table.key_span("role").is_none();
        table.finish("[change]", report);
        if missing {
            let help = "such as role = \"admin\"; without [change] a new policy takes force at once";
            report.error(span, "[change] needs a `role`: whose yes a new policy takes", help);
        }
        let role = role(named?, report)?;
        let count_span = count.as_ref().map_or_else(|| role.span.clone(), |at| at.span.clone());
        Some(Self { count: count.map_or(1, |at| at.value), count_span, role })
    }

    pub(super) fn terms(&self) -> ChangeTerms {
        ChangeTerms { role: self.role.value.clone(), count: self.count }
    }
}

impl Policy {
    /// Whose yes a change of the policy needs before it takes force; none where it takes force at once.
    #[must_use]
    pub const fn change(&self) -> Option<&ChangeTerms> {
        self.change.as_ref()
    }
}
