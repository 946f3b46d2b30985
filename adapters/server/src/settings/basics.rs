//! What a command needs of the settings that only looks after the database: where it is, by which policy, and whose.
//! No secret is looked up, so that such a command runs where the server's secrets are not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use placet::id::TenantId;

use super::problem::Report;
use super::reader::Section;
use super::section::tenant;
use super::{PolicySettings, SettingsErrors, folder_of, parsed, slack, text_of};

/// The part of the settings without secrets.
#[derive(Debug, Clone)]
pub struct Basics {
    /// The database.
    pub data: PathBuf,
    /// The policies.
    pub policy: PolicySettings,
    /// The tenants that the settings name.
    tenants: BTreeSet<TenantId>,
}

impl Basics {
    /// Reads them from a file of settings; what else stands there is not looked at.
    ///
    /// # Errors
    /// [`SettingsErrors`] with everything that was found.
    pub fn load(file: &Path) -> Result<Self, SettingsErrors> {
        let (shown, text) = text_of(file)?;
        parsed(&text, &shown, |root, report| Self::read(root, folder_of(file), report))
    }

    fn read(mut root: Section<'_>, folder: &Path, report: &mut Report<'_>) -> Option<Self> {
        let data = root.needed("data", "\"placet.db\"", report);
        let policy = PolicySettings::read(&mut root, folder, report);
        let mut tenants = BTreeSet::new();
        for mut slack in slack::tables(&mut root, report).unwrap_or_default() {
            tenants.extend(tenant(&mut slack, report));
        }
        if let Some(mut matrix) = root.section("matrix", report) {
            tenants.extend(tenant(&mut matrix, report));
        }
        if let Some(mut agent) = root.section("agent", report)
            && agent.boolean("enabled", report).unwrap_or(true)
        {
            tenants.extend(tenant(&mut agent, report));
        }
        Some(Self { data: folder.join(data?.value), policy: policy?, tenants })
    }

    /// The tenant that is meant where none is named: the only one.
    #[must_use]
    pub fn only_tenant(&self) -> Option<&TenantId> {
        let named = self.tenants.iter().chain(self.policy.tenants.keys()).chain(&self.policy.agreed_in);
        let named: BTreeSet<&TenantId> = named.collect();
        named.first().copied().filter(|_| named.len() == 1)
    }

    /// What to know about a tenant that nothing in the settings serves; none where something does, or where the settings
    /// name no tenant and everything goes over the API.
    #[must_use]
    pub fn unserved(&self, tenant: &TenantId) -> Option<String> {
        if self.tenants.is_empty() || self.tenants.contains(tenant) {
            return None;
        }
        let known: Vec<&str> = self.tenants.iter().map(TenantId::as_str).collect();
        Some(format!(
            "no surface of the settings serves the tenant {tenant} (they name {}): its requests get no card, and are \
             decided over the API or not at all",
            known.join(", ")
        ))
    }
}
