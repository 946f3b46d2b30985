//! Putting policies in force: on record first, then for everybody at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use placet::gate::PolicyShelf;
use placet::id::TenantId;
use placet::policy::{Policy, PolicySet, PolicyVersion};
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
        self.follow(policies, by);
        Ok(())
    }

    /// Puts in force here what is on record already.
    pub(super) fn follow(&self, policies: &Policies, by: &str) {
        let before = self.shelf.now();
        self.shelf.replace(policies.set.clone());
        log_changes(&before, &policies.set, by);
        let now = self.clock.now();
        self.health.change(|standing| standing.loaded_at = Some(now));
    }

    /// Everybody in whose record it stands which policy is in force.
    pub(super) async fn tenants(&self) -> Result<Vec<TenantId>, StoreError> {
        tenants(&self.settings, &self.store).await
    }
}

/// Says what is in force now and was not before: the installation's policy, which is everybody's, and each tenant's own.
fn log_changes(before: &PolicySet, now: &PolicySet, by: &str) {
    let installation = now.installation().version();
    let is_new = before.installation().version() != installation;
    if is_new {
        let PolicyVersion { label, digest } = installation;
        tracing::info!(policy.label = %label, policy.digest = %digest, by, "a new policy is in force");
    }
    let own = |set: &PolicySet| -> BTreeMap<TenantId, (PolicyVersion, Option<String>)> {
        let text = |policy: &Policy| Policy::texts_of(policy.text()).map(|(_, _, own)| own.to_owned());
        let each = set.tenants();
        each.map(|(tenant, policy)| (tenant.clone(), (policy.version().clone(), text(policy)))).collect()
    };
    let (before, now) = (own(before), own(now));
    for (tenant, (PolicyVersion { label, digest }, text)) in &now {
        if before.get(tenant).is_none_or(|(_, before)| before != text) {
            tracing::info!(
                %tenant,
                policy.label = %label,
                policy.digest = %digest,
                by,
                "a new policy of a tenant's own is in force"
            );
        }
    }
    for tenant in before.keys().filter(|tenant| !now.contains_key(*tenant)) {
        tracing::info!(%tenant, by, "a tenant has no policy of its own any more: the installation's holds");
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
