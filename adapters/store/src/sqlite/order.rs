//! Running an order, inside the transaction: load, weigh, write.

use placet::approval::{Change, Committed, Inside, Order, Refusal, commit};
use placet::card::row::{CardRow, CardStep};
use placet::inbound::{Located, MessageRef};
use placet::ports::StoreError;
use placet::time::Timestamp;

use crate::probe::{of_command, of_step};
use crate::sqlite::batch::Batch;
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
    let effects = commit::weigh(&current, order, Inside::default(), now);
    let stale = matches!(effects.result, Err(Refusal::FactsStale));
    if let Some(next) = &effects.next {
        request::update(batch.connection, current.version, next)?;
        batch.changed(&next.tenant, next.id);
    }
    if effects.next.is_some() || !effects.messages.is_empty() {
        batch.wrote(if effects.result.is_ok() { of_command(&order.command) } else { "execute.refused" });
    }
    batch.append(&effects.events)?;
    batch.send(&effects.messages, now)?;
    let approval = effects.next.as_ref().unwrap_or(&current);
    if !stale {
        let raised = (approval.revision > current.revision).then_some(approval.revision);
        cards(batch, order, (raised, now))?;
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

/// Everything that an order does to the request's card rows.
fn cards(
    batch: &mut Batch<'_>,
    order: &Order,
    (raised, now): (Option<u64>, Timestamp),
) -> Result<(), StoreError> {
    let acted_on = order.inbound.as_ref().and_then(|inbound| inbound.message.as_ref());
    if order.card.is_none() && acted_on.is_none() && raised.is_none() {
        return Ok(());
    }
    let mut rows: Vec<Touched> = card::of_request(batch.connection, order.id)?
        .into_iter()
        .map(|row| Touched {
            before: row.messages.iter().map(|shown| shown.message.clone()).collect(),
            row,
            touched: false,
        })
        .collect();
    if let Some(step) = &order.card {
        let own =
            rows.iter_mut().find(|touched| touched.row.place == step.place).ok_or(StoreError::CardMoved)?;
        if !own.row.apply(&step.step, now) {
            return Err(StoreError::CardMoved);
        }
        own.touched = true;
        batch.wrote(of_step(&step.step));
    }
    if let Some(located) = acted_on {
        adopt(batch, order, located, (&mut rows, now))?;
    }
    for touched in &mut rows {
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
