//! Putting policies in force: on record first, then for everybody at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use placet::gate::PolicyShelf;
use placet::id::TenantId;
use placet::ports::{Clock, CredentialStore as _, StoreError};
use placet_http::PolicyHealth;
use placet_store::SqliteStore;

use crate::record::{Policies, note_policies};
use crate::settings::Settings;

/// What policies are put in force with. Cheap to clone.
#[derive(Clone)]
pub(super) struct Force {
    pub(super) settings: Arc<Settings>,
    pub(super) store: SqliteStore,
    pub(super) shelf: Arc<PolicyShelf>,
    pub(super) health: Arc<PolicyHealth>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Force {
    /// Puts them in force. `by` says who or what brought them.
    ///
    /// # Errors
    /// [`StoreError`]; they are not in force then.
    pub(super) async fn put(&self, policies: &Policies, by: &str) -> Result<(), StoreError> {
        note_policies(&self.store, policies, by, self.tenants().await?).await?;
        self.shelf.replace(policies.set.clone());
        let version = policies.set.installation().version();
        tracing::info!(policy.label = %version.label, policy.digest = %version.digest, by, "a new policy is in force");
        let now = self.clock.now();
        self.health.change(|standing| standing.loaded_at = Some(now));
        Ok(())
    }

    /// Everybody in whose record it stands which policy is in force.
    pub(super) async fn tenants(&self) -> Result<Vec<TenantId>, StoreError> {
        tenants(&self.settings, &self.store).await
    }
}

/// The tenants that there are: those of the settings, and those of credentials. First the one whose people agree to
/// changes: its record has a change before any other's has it, and is the one that is asked at the next start.
pub(super) async fn tenants(settings: &Settings, store: &SqliteStore) -> Result<Vec<TenantId>, StoreError> {
    let mut tenants: BTreeSet<TenantId> = settings.tenants().into_iter().cloned().collect();
    tenants.extend(store.credentials(None).await?.into_iter().map(|row| row.tenant));
    let first = settings.policy_tenant().cloned();
    let rest = tenants.into_iter().filter(|tenant| Some(tenant) != first.as_ref());
    Ok(first.clone().into_iter().chain(rest).collect())
}
