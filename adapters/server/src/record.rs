//! What the server itself puts on record: which policy took force, and which did not.

use std::sync::Arc;

use placet::id::TenantId;
use placet::policy::{Policy, PolicyFile, PolicySet, changes};
use placet::ports::{EventQuery, RequestStore, StoreError};
use placet::record::{Event, EventKind, Seq};

use crate::settings::{PolicyTexts, PolicyUnit};

/// Events that are read at once.
const AT_ONCE: u32 = 1000;

/// The type of the events that say which policy is in force.
const LOADED: &str = "policy.loaded";

/// Policies that are read at once: each may be a megabyte.
const POLICIES_AT_ONCE: u32 = 16;

/// The policies of all tenants as texts, with what was read from them.
#[derive(Debug, Clone)]
pub struct Policies {
    /// The texts.
    pub texts: PolicyTexts,
    /// What was read from them.
    pub set: PolicySet,
}

/// The texts of one tenant's policy, as they stand in its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The installation's.
    pub text: String,
    /// The tenant's own on top of it, where there is one.
    pub tenant_text: Option<String>,
}

impl Policies {
    /// The event that says that a tenant's policy took force, where it is another than `before`.
    fn loaded(&self, tenant: &TenantId, before: Option<&Recorded>, by: &str) -> Option<EventKind> {
        let policy = self.set.of(tenant);
        let own = self.texts.tenants.get(tenant).map(|file| file.text.as_str());
        let text = self.texts.installation.text.as_str();
        if before.is_some_and(|before| before.text == text && before.tenant_text.as_deref() == own) {
            return None;
        }
        let version = policy.version();
        Some(EventKind::PolicyLoaded {
            label: version.label.clone(),
            digest: version.digest,
            text: text.to_owned(),
            tenant_text: own.map(ToOwned::to_owned),
            by: Some(by.to_owned()),
            changes: before.map(|before| all_changes(before, text, own)).unwrap_or_default(),
        })
    }
}

/// What changed for a tenant; what changed in its own file is told as such.
fn all_changes(before: &Recorded, text: &str, own: Option<&str>) -> Vec<String> {
    let mut lines = changes(&before.text, text);
    let own = changes(before.tenant_text.as_deref().unwrap_or_default(), own.unwrap_or_default());
    lines.extend(own.into_iter().map(|line| format!("tenant's own: {line}")));
    lines
}

/// Notes in each tenant's record which policy is in force for it, unless it is the one that is there last. Its text goes
/// along, so that what it judged can be read later by whoever has nothing but the record. `by` says who or what brought
/// it.
///
/// # Errors
/// [`StoreError`]; what was noted by then stands, and the rest is noted when this is called again.
pub async fn note_policies(
    store: &dyn RequestStore,
    policies: &Policies,
    by: &str,
    tenants: impl IntoIterator<Item = TenantId>,
) -> Result<(), StoreError> {
    for tenant in tenants {
        // Another server on the same file may note the same at the same moment: it stands there once.
        loop {
            let (before, read) = last_loaded_at(store, &tenant).await?;
            let Some(kind) = policies.loaded(&tenant, before.as_ref(), by) else { break };
            if store.note_next(tenant.clone(), kind, (vec![LOADED], read)).await? {
                break;
            }
        }
    }
    Ok(())
}

/// The policy that took force last for a tenant, by its record; none where none ever did.
///
/// # Errors
/// [`StoreError`].
pub async fn last_loaded(
    store: &dyn RequestStore,
    tenant: &TenantId,
) -> Result<Option<Recorded>, StoreError> {
    Ok(last_loaded_at(store, tenant).await?.0)
}

/// The same, with how far the record was read for it.
async fn last_loaded_at(
    store: &dyn RequestStore,
    tenant: &TenantId,
) -> Result<(Option<Recorded>, Seq), StoreError> {
    let (mut last, mut after) = (None, Seq(0));
    loop {
        let query = EventQuery {
            tenant: Some(tenant.clone()),
            request: None,
            after,
            types: vec![LOADED],
            limit: POLICIES_AT_ONCE,
        };
        let read = store.events(query).await?;
        let full = read.len() == POLICIES_AT_ONCE as usize;
        for (seq, event) in read {
            after = seq;
            if let EventKind::PolicyLoaded { text, tenant_text, .. } = event.kind {
                last = Some(Recorded { text, tenant_text });
            }
        }
        if !full {
            return Ok((last, after));
        }
    }
}

impl Policies {
    /// Checks texts as a whole.
    ///
    /// # Errors
    /// [`placet::policy::PolicyErrors`] with everything that was found.
    pub fn of(texts: PolicyTexts) -> Result<Self, placet::policy::PolicyErrors> {
        let set = texts.parse()?;
        Ok(Self { texts, set })
    }

    /// The policy that one file makes, with those that it rests on.
    #[must_use]
    pub fn policy(&self, unit: &PolicyUnit) -> Arc<Policy> {
        match unit {
            PolicyUnit::Installation => Arc::clone(self.set.installation()),
            PolicyUnit::Tenant(tenant) => self.set.of(tenant),
        }
    }

    /// One text for everybody.
    ///
    /// # Errors
    /// As [`Policies::of`].
    pub fn alone(text: &str, name: &str) -> Result<Self, placet::policy::PolicyErrors> {
        let installation = PolicyFile { text: text.to_owned(), name: name.to_owned() };
        Self::of(PolicyTexts { installation, tenants: std::collections::BTreeMap::new() })
    }
}

/// All events of these types, in order; of all types where none is named.
///
/// # Errors
/// [`StoreError`].
pub async fn all_events(
    store: &dyn RequestStore,
    tenant: Option<&TenantId>,
    types: &[&'static str],
) -> Result<Vec<(Seq, Event)>, StoreError> {
    let mut all: Vec<(Seq, Event)> = Vec::new();
    loop {
        let after = all.last().map_or(Seq(0), |(seq, _)| *seq);
        let query = EventQuery {
            tenant: tenant.cloned(),
            request: None,
            after,
            types: types.to_vec(),
            limit: AT_ONCE,
        };
        let read = store.events(query).await?;
        let full = read.len() == AT_ONCE as usize;
        all.extend(read);
        if !full {
            return Ok(all);
        }
    }
}
