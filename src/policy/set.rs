//! The policies of all tenants: what the installation says, and what a tenant's own file makes of it.
//!
//! Everything else asks [`PolicySet::of`], and gets one complete policy: the two files are merged when they are read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::diagnostic::PolicyErrors;
use super::rule::Policy;
use crate::id::TenantId;

/// The text of a policy file, and what diagnostics call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFile {
    /// What it holds.
    pub text: String,
    /// Its name, for diagnostics.
    pub name: String,
}

/// The policies in force, for every tenant one. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PolicySet {
    installation: Arc<Policy>,
    tenants: Arc<BTreeMap<TenantId, Arc<Policy>>>,
}

impl PolicySet {
    /// One policy for everybody.
    #[must_use]
    pub fn alone(policy: Policy) -> Self {
        Self { installation: Arc::new(policy), tenants: Arc::default() }
    }

    /// Reads the installation's file and those of tenants, and checks each tenant's against it.
    ///
    /// # Errors
    /// [`PolicyErrors`] with everything that was found in any of them; none of them takes force then.
    pub fn parse(
        installation: &PolicyFile,
        tenants: &[(TenantId, PolicyFile)],
    ) -> Result<Self, PolicyErrors> {
        let installation_policy = Arc::new(Policy::parse(&installation.text, &installation.name)?);
        let mut merged = BTreeMap::new();
        let mut found = Vec::new();
        for (tenant, file) in tenants {
            match Policy::parse_tenant(installation, tenant, file) {
                Ok(policy) => {
                    merged.insert(tenant.clone(), Arc::new(policy));
                }
                Err(errors) => found.extend(errors.diagnostics),
            }
        }
        if !found.is_empty() {
            return Err(PolicyErrors { diagnostics: found });
        }
        Ok(Self { installation: installation_policy, tenants: Arc::new(merged) })
    }

    /// The policy of a tenant: its own, else the installation's.
    #[must_use]
    pub fn of(&self, tenant: &TenantId) -> Arc<Policy> {
        Arc::clone(self.tenants.get(tenant).unwrap_or(&self.installation))
    }

    /// The installation's, for what belongs to no tenant.
    #[must_use]
    pub const fn installation(&self) -> &Arc<Policy> {
        &self.installation
    }

    /// Tenants with a file of their own.
    pub fn tenants(&self) -> impl Iterator<Item = (&TenantId, &Arc<Policy>)> {
        self.tenants.iter()
    }
}
