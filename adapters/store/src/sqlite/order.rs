//! Running an order, inside the transaction: load, weigh, write.

use placet::approval::{Change, Committed, Order, Refusal, Wants, commit};
use placet::card::row::{CardRow, CardStep};
use placet::id::RequestId;
use placet::inbound::{Located, MessageRef};
use placet::ports::StoreError;
use placet::time::Timestamp;

use crate::probe::{of_command, of_step};
use crate::sqlite::around::{self, Subject};
use crate::sqlite::batch::Batch;
use crate::sqlite::effects;
use crate::sqlite::table::{card, command, inbox, request};

/// Runs an order whole or not at all.
pub(crate) fn run(batch: &mut Batch<'_>, order: &Order) -> Result<Committed, StoreError> {
    if let Some(id) = order.command_id
        && let Some(first) = command::find(batch.connection, id, (&order.tenant, order.id))?
    {
        return Ok(first);
    }
    let current = request::load(batch.connection, &order.tenant, order.id)?;
    if let Some(inbound) = &order.inbound
        && inbox::is_done(batch.connection, &inbound.delivery)? == Some(true)
    {
        // Delivered again: what it asked was answered the first time.
        return Ok(Committed { approval: current, result: Ok(Change::Unchanged) });
    }
    // Time never runs backwards within a request, also where the machine's clock was set back.
    let now = batch.now().max(current.last_event_at);
    let wants = Wants::of(&current, &order.command);
    let subject = Subject {
        tenant: &current.tenant,
        proposal: &current.proposal,
        digest: current.digest,
        guards: None,
    };
    let around = around::read(batch, &wants, &subject, now)?;
    let effects = commit::weigh(&current, order, &around, now);
    let stale = matches!(effects.result, Err(Refusal::FactsStale));
    if effects.next.is_some() || !effects.messages.is_empty() {
        batch.wrote(if effects.result.is_ok() { of_command(&order.command) } else { "execute.refused" });
    }
    effects::write(batch, &current, &effects, now)?;
    let approval = effects.next.as_ref().unwrap_or(&current);
    if !stale {
        let raised = (approval.revision > current.revision).then_some(approval.revision);
        cards(batch, order, approval.gathered_on, (raised, now))?;
        if let Some(leader) = approval.gathered_on {
            adopt_for(batch, order, leader, now)?;
        }
    }
    deliver(batch, order, stale)?;
    // What was refused or changed nothing is decided again when it is asked again: that does no harm.
    let moved = effects.result == Ok(Change::Changed) || order.card.is_some();
    if let Some(id) = order.command_id.filter(|_| moved && !stale) {
        command::insert(batch.connection, id, approval, (&effects.result, now))?;
    }
    let approval = effects.next.unwrap_or(current);
    Ok(Committed { approval, result: effects.result })
}

/// The delivery's row is there after the commit, and done unless the facts were stale.
fn deliver(batch: &mut Batch<'_>, order: &Order, stale: bool) -> Result<(), StoreError> {
    let Some(inbound) = &order.inbound else { return Ok(()) };
    if inbox::insert(batch.connection, inbound)? && stale {
        batch.wrote("inbox.deliver");
        batch.work();
    }
    if !stale {
        let now = batch.now();
        inbox::done(batch.connection, &inbound.delivery, now)?;
        batch.wrote("inbox.done");
    }
    Ok(())
}

/// A row with what is to be compared when it is written.
struct Touched {
    row: CardRow,
    before: Vec<MessageRef>,
    touched: bool,
}

fn rows_of(batch: &Batch<'_>, request: RequestId) -> Result<Vec<Touched>, StoreError> {
    let rows = card::of_request(batch.connection, request)?;
    let untouched = |row: CardRow| Touched {
        before: row.messages.iter().map(|shown| shown.message.clone()).collect(),
        row,
        touched: false,
    };
    Ok(rows.into_iter().map(untouched).collect())
}

/// Every card of a request that was changed beside another wants what people should see now.
pub(crate) fn raise(
    batch: &mut Batch<'_>,
    request: RequestId,
    (raised, now): (Option<u64>, Timestamp),
) -> Result<(), StoreError> {
    if raised.is_none() {
        return Ok(());
    }
    let rows = rows_of(batch, request)?;
    keep(batch, rows, (raised, now))
}

/// Every card of a request is drawn anew, though the request is as it was.
pub(crate) fn redraw(batch: &mut Batch<'_>, request: RequestId) -> Result<(), StoreError> {
    let now = batch.now();
    let mut rows = match rows_of(batch, request) {
        Err(fault @ StoreError::Inconsistent { .. }) => {
            tracing::error!(approval.id = %request, error = %fault, "a card cannot be drawn anew");
            return Ok(());
        }
        rows => rows?,
    };
    for touched in &mut rows {
        touched.row.redraw(now);
        touched.touched = true;
    }
    keep(batch, rows, (None, now))
}

/// Writes what was touched, and what is to show another revision.
fn keep(
    batch: &mut Batch<'_>,
    rows: Vec<Touched>,
    (raised, now): (Option<u64>, Timestamp),
) -> Result<(), StoreError> {
    for mut touched in rows {
        if let Some(revision) = raised {
            touched.row.want(revision, now);
            touched.touched = true;
        }
        if touched.touched {
            card::update(batch.connection, &touched.before, &touched.row)?;
            batch.work();
        }
    }
    Ok(())
}

/// Everything that an order does to the request's card rows.
fn cards(
    batch: &mut Batch<'_>,
    order: &Order,
    gathered_on: Option<RequestId>,
    (raised, now): (Option<u64>, Timestamp),
) -> Result<(), StoreError> {
    let acted_on = order.inbound.as_ref().and_then(|inbound| inbound.message.as_ref());
    if order.card.is_none() && acted_on.is_none() && raised.is_none() {
        return Ok(());
    }
    let mut rows = rows_of(batch, order.id)?;
    if let Some(step) = &order.card {
        let own =
            rows.iter_mut().find(|touched| touched.row.place == step.place).ok_or(StoreError::CardMoved)?;
        if !own.row.apply(&step.step, now) {
            return Err(StoreError::CardMoved);
        }
        own.touched = true;
        batch.wrote(of_step(&step.step));
    }
    // A press on the part of a card is one on the card of the request that has it.
    if let Some(located) = acted_on.filter(|_| gathered_on.is_none()) {
        adopt(batch, order, located, (&mut rows, now))?;
    }
    keep(batch, rows, (raised, now))
}

/// Somebody acted on a part of a card, which is the card of another request.
fn adopt_for(
    batch: &mut Batch<'_>,
    order: &Order,
    leader: RequestId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let acted_on = order.inbound.as_ref().and_then(|inbound| inbound.message.as_ref());
    let Some(located) = acted_on else { return Ok(()) };
    let mut rows = rows_of(batch, leader)?;
    adopt(batch, order, located, (&mut rows, now))?;
    keep(batch, rows, (None, now))
}

/// Somebody acted on a message that is nobody's card: a copy whose answer was lost. It is one from now on, so that it
/// is edited with the others.
fn adopt(
    batch: &mut Batch<'_>,
    order: &Order,
    located: &Located,
    (rows, now): (&mut [Touched], Timestamp),
) -> Result<(), StoreError> {
    if card::on_surface(batch.connection, &order.tenant, located)?.is_some() {
        return Ok(());
    }
    let position = rows
        .iter()
        .position(|touched| {
            touched.row.place.surface == located.surface
                && touched.row.place.channel == located.message.channel
        })
        .or_else(|| rows.iter().position(|touched| touched.row.place.surface == located.surface));
    if let Some(touched) = position.and_then(|position| rows.get_mut(position))
        && touched.row.apply(&CardStep::Adopt(located.message.clone()), now)
    {
        touched.touched = true;
        batch.wrote("card.adopt");
    }
    Ok(())
}
