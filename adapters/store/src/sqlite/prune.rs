//! What is dropped once it can be of no more use.

use placet::ports::StoreError;
use placet::time::{Timestamp, Ttl};

use crate::sqlite::batch::Batch;
use crate::sqlite::table;

/// How often to look, by the clock; it happens with somebody's write.
const PRUNE_EVERY: Ttl = Ttl::from_mins(10);

/// Rows of one table that are dropped at once, so that no commit grows long.
pub(crate) const PRUNE_ROWS_MAX: u32 = 1000;

/// How long an answer can be asked for again.
const COMMAND_KEPT: Ttl = Ttl::from_mins(24 * 60);

/// How long a delivery that was worked off is known: longer than any chat service delivers again.
const DELIVERY_KEPT: Ttl = Ttl::from_mins(3 * 24 * 60);

/// How long a message that was given up, or a delivery that nobody can read, can be looked at.
const DROPPED_KEPT: Ttl = Ttl::from_mins(30 * 24 * 60);

/// Whether it is time to look, and if so, that it was done now.
pub(crate) fn is_due(last: &mut Option<Timestamp>, now: Timestamp) -> bool {
    let due = last.is_none_or(|last| now.since(last) >= PRUNE_EVERY);
    if due {
        *last = Some(now);
    }
    due
}

/// Drops what is old. Whether there may be more of it.
pub(crate) fn run(batch: &mut Batch<'_>) -> Result<bool, StoreError> {
    let now = batch.now();
    let dropped = [
        table::command::prune(batch.connection, now - COMMAND_KEPT)?,
        table::inbox::prune(batch.connection, now - DELIVERY_KEPT, now - DROPPED_KEPT)?,
        table::outbox::prune(batch.connection, now - DROPPED_KEPT)?,
        table::task::prune(batch.connection, now - DELIVERY_KEPT)?,
    ];
    if dropped.iter().any(|rows| *rows > 0) {
        batch.wrote("prune");
    }
    Ok(dropped.iter().any(|rows| *rows >= PRUNE_ROWS_MAX as usize))
}
