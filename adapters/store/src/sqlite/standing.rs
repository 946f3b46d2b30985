//! What stands beside the requests: holds and remembered yeses, placed and taken back with their events.

use std::collections::BTreeSet;

use placet::hold::{Hold, Lifted};
use placet::id::{HoldId, RequestId, TenantId};
use placet::ports::StoreError;
use placet::record::{Event, EventKind};
use placet::remembered::Forgotten;

use crate::sqlite::batch::Batch;
use crate::sqlite::fault::inconsistent;
use crate::sqlite::order;
use crate::sqlite::table::{event, hold, remembered, request};

/// Places a hold, unless the very same stands.
pub(crate) fn place(batch: &mut Batch<'_>, mut placed: Hold) -> Result<Hold, StoreError> {
    if let Some(standing) = hold::same(batch.connection, &placed)? {
        return Ok(standing);
    }
    if let Some(known) = hold::by_id(batch.connection, placed.id)? {
        // Asked again after it was lifted: it was placed, and that was all that was asked.
        let same = (&known.tenant, &known.scope) == (&placed.tenant, &placed.scope);
        return if same { Ok(known) } else { Err(inconsistent("hold", placed.id, "its id is another's")) };
    }
    (placed.since, placed.lifted) = (batch.now(), None);
    hold::insert(batch.connection, &placed)?;
    let now = placed.since;
    for tenant in told(batch, placed.tenant.as_ref())? {
        let kind = EventKind::HoldPlaced { hold: placed.clone() };
        batch.append(&[Event { tenant: tenant.clone(), request: None, at: now, kind }])?;
        if tenant != TenantId::installation() {
            batch.send(&[placed.announcement(tenant)], now)?;
        }
    }
    batch.work();
    batch.wrote("hold.place");
    Ok(placed)
}

/// Lifts a hold; a tenant only its own. False if there is none of that id that stands.
pub(crate) fn lift(
    batch: &mut Batch<'_>,
    tenant: Option<&TenantId>,
    (id, mut lifted): (HoldId, Lifted),
) -> Result<bool, StoreError> {
    let own = |hold: &Hold| tenant.is_none_or(|tenant| hold.tenant.as_ref() == Some(tenant));
    let found = hold::by_id(batch.connection, id)?;
    let Some(mut standing) = found.filter(|hold| hold.stands() && own(hold)) else { return Ok(false) };
    lifted.at = batch.now();
    standing.lifted = Some(lifted.clone());
    hold::update(batch.connection, &standing)?;
    for tenant in told(batch, standing.tenant.as_ref())? {
        let kind = EventKind::HoldLifted { hold: id, lifted: lifted.clone() };
        batch.append(&[Event { tenant, request: None, at: lifted.at, kind }])?;
    }
    batch.work();
    batch.wrote("hold.lift");
    Ok(true)
}

/// Goes on with having cards drawn anew that a hold changes. Gives how many requests were looked at.
pub(crate) fn redraw(batch: &mut Batch<'_>, limit: u32) -> Result<usize, StoreError> {
    let Some(redraws) = hold::redraws(batch.connection)? else { return Ok(0) };
    let covered = hold::covered(batch.connection, &redraws, limit)?;
    let left = covered.last().filter(|_| covered.len() == limit as usize);
    hold::redrawn(batch.connection, &redraws, left.map(|(id, _)| *id))?;
    let mut owners = BTreeSet::new();
    for (id, tenant) in &covered {
        match request::load(batch.connection, tenant, *id) {
            Ok(approval) => drop(owners.insert(approval.card_owner())),
            // Whoever does something about it is told; it must hold up no other card.
            Err(fault @ StoreError::Inconsistent { .. }) => {
                tracing::error!(approval.id = %id, error = %fault, "its card cannot tell of a stop");
            }
            Err(fault) => return Err(fault),
        }
    }
    for owner in owners {
        order::redraw(batch, owner)?;
    }
    batch.wrote("card.redraw");
    Ok(covered.len().max(1))
}

/// In whose record a hold is told: its tenant's, or that of everybody who has one; where nobody has one yet, in the
/// installation's own, so that it is told somewhere.
fn told(batch: &Batch<'_>, tenant: Option<&TenantId>) -> Result<Vec<TenantId>, StoreError> {
    if let Some(tenant) = tenant {
        return Ok(vec![tenant.clone()]);
    }
    let everybody = event::tenants(batch.connection)?;
    Ok(if everybody.is_empty() { vec![TenantId::installation()] } else { everybody })
}

/// Takes a remembered yes back. False if there is none of that id in the tenant that stands.
pub(crate) fn forget(
    batch: &mut Batch<'_>,
    tenant: &TenantId,
    (scope, mut forgotten): (RequestId, Forgotten),
) -> Result<bool, StoreError> {
    let now = batch.now();
    let found = remembered::find(batch.connection, tenant, scope)?;
    let Some(mut standing) = found.filter(|remembered| remembered.stands(now)) else { return Ok(false) };
    forgotten.at = now;
    standing.forgotten = Some(forgotten.clone());
    remembered::update(batch.connection, &standing)?;
    // The tenant's, not the request's: that one may be long over, and its own record tells it whole.
    let kind = EventKind::Forgotten { scope, forgotten };
    batch.append(&[Event { tenant: tenant.clone(), request: None, at: now, kind }])?;
    batch.wrote("remembered.forget");
    Ok(true)
}
