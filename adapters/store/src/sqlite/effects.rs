//! What a decision rests on inside the transaction, and everything that it writes there.

use placet::approval::{Approval, Effects, Inside, Proposal, Wants};
use placet::card::row::CardRow;
use placet::id::TenantId;
use placet::policy::Place;
use placet::ports::StoreError;
use placet::time::Timestamp;

use crate::sqlite::batch::Batch;
use crate::sqlite::table::{card, hold, inbox, remembered, request};

/// Reads what is asked for, and nothing else.
pub(crate) fn inside(
    batch: &Batch<'_>,
    wants: Wants,
    (tenant, proposal): (&TenantId, &Proposal),
) -> Result<Inside, StoreError> {
    let holds = if wants.holds { hold::covering(batch.connection, tenant, proposal)? } else { Vec::new() };
    let remembered = match wants.remembered {
        Some(scope) => remembered::find(batch.connection, tenant, scope)?,
        None => None,
    };
    Ok(Inside { holds, remembered })
}

/// Writes what became of a request that is there. The cards that it has are not touched.
pub(crate) fn write(
    batch: &mut Batch<'_>,
    before: &Approval,
    effects: &Effects,
    now: Timestamp,
) -> Result<(), StoreError> {
    if let Some(next) = &effects.next {
        request::update(batch.connection, before.version, next)?;
        batch.changed(&next.tenant, next.id);
        post(batch, next, &effects.places, now)?;
    }
    write_beside(batch, effects, now)
}

/// Writes a new request. False if its id is there already; nothing is written then.
pub(crate) fn write_new(
    batch: &mut Batch<'_>,
    approval: &Approval,
    effects: &Effects,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if !request::insert(batch.connection, approval)? {
        return Ok(false);
    }
    batch.changed(&approval.tenant, approval.id);
    post(batch, approval, &effects.places, now)?;
    write_beside(batch, effects, now)?;
    Ok(true)
}

/// Everything that is not the request's own row: the record, messages, what other requests are to do, what is remembered.
fn write_beside(batch: &mut Batch<'_>, effects: &Effects, now: Timestamp) -> Result<(), StoreError> {
    batch.append(&effects.events)?;
    batch.send(&effects.messages, now)?;
    for inbound in &effects.inbound {
        if inbox::insert(batch.connection, inbound)? {
            batch.wrote("inbox.hand_on");
            batch.work();
        }
    }
    if let Some(remembered) = &effects.remembered {
        remembered::insert(batch.connection, remembered)?;
        batch.wrote("remembered.add");
    }
    Ok(())
}

/// The request's card is wanted in these places; where there is one, it stays.
fn post(
    batch: &mut Batch<'_>,
    approval: &Approval,
    places: &[Place],
    now: Timestamp,
) -> Result<(), StoreError> {
    for place in places {
        let (tenant, revision) = (approval.tenant.clone(), approval.revision);
        let row = CardRow::wanted(tenant, approval.id, place.clone(), revision, now);
        card::insert(batch.connection, &row)?;
        batch.work();
    }
    Ok(())
}
