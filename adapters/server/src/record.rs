//! What the server itself puts on record: which policy took force.

use placet::call::PolicyDigest;
use placet::id::TenantId;
use placet::policy::Policy;
use placet::ports::{EventQuery, RequestStore, StoreError};
use placet::record::{Event, EventKind, Seq};

/// Events that are read at once.
const AT_ONCE: u32 = 1000;

/// Notes in each tenant's record that this policy took force, unless it is the one that is there last. Its text goes
/// along, so that what it judged can be read later by whoever has nothing but the record.
///
/// # Errors
/// [`StoreError`].
pub async fn note_policy(
    store: &dyn RequestStore,
    policy: &Policy,
    tenants: impl IntoIterator<Item = TenantId>,
) -> Result<(), StoreError> {
    let version = policy.version();
    for tenant in tenants {
        if last_loaded(store, &tenant).await? == Some(version.digest) {
            continue;
        }
        let kind = EventKind::PolicyLoaded {
            label: version.label.clone(),
            digest: version.digest,
            text: policy.text().to_owned(),
            by: None,
            changes: Vec::new(),
        };
        store.note(tenant, kind).await?;
    }
    Ok(())
}

async fn last_loaded(
    store: &dyn RequestStore,
    tenant: &TenantId,
) -> Result<Option<PolicyDigest>, StoreError> {
    let events = all_events(store, Some(tenant), &["policy.loaded"]).await?;
    Ok(events.into_iter().rev().find_map(|(_, event)| match event.kind {
        EventKind::PolicyLoaded { digest, .. } => Some(digest),
        _ => None,
    }))
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
