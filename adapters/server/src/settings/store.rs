//! How the database is opened.

use super::problem::Report;
use super::reader::Section;

/// `[store]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoreSettings {
    /// Whether other servers on this machine may have the same file, all of them with this setting. It costs a look at the
    /// file every second and one for each credential, and takes longer to go on after a crash; so it is for rolling
    /// restarts, and off otherwise.
    pub shared: bool,
}

impl StoreSettings {
    pub(super) fn read(table: Option<Section<'_>>, report: &mut Report<'_>) -> Self {
        let Some(mut table) = table else { return Self::default() };
        let shared = table.boolean("shared", report).unwrap_or_default();
        table.finish(report);
        Self { shared }
    }
}
