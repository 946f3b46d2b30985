//! Everything that a decision writes inside the transaction.

use placet::approval::{Also, Approval, Effects};
use placet::card::row::CardRow;
use placet::policy::Place;
use placet::ports::StoreError;
use placet::time::Timestamp;

use crate::sqlite::batch::Batch;
use crate::sqlite::table::{card, inbox, remembered, request};
use crate::sqlite::{order, standing};

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
    if let Some(hold) = &effects.hold {
        standing::place(batch, hold.clone())?;
        batch.work();
    }
    if let Some(also) = &effects.also {
        write_also(batch, also, now)?;
    }
    Ok(())
}

/// Writes what became of another request, and has its cards show it.
pub(crate) fn write_also(batch: &mut Batch<'_>, also: &Also, now: Timestamp) -> Result<(), StoreError> {
    let Also { before, effects } = also;
    write(batch, before, effects, now)?;
    let raised = effects.next.as_ref().map(|next| next.revision).filter(|after| *after > before.revision);
    order::raise(batch, before.id, (raised, now))
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
        let mut row = CardRow::wanted(tenant, approval.id, place.clone(), revision, now);
        row.kept_back_until = approval.gathers_until();
        card::insert(batch.connection, &row)?;
        batch.work();
    }
    Ok(())
}
