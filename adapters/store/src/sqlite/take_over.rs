//! What a dead process left in its hands is anybody's: for a start that surely is the only one at work.

use placet::ports::StoreError;

use crate::sqlite::batch::Batch;
use crate::sqlite::table::{card, outbox, task};

/// Ends every lease on cards, messages and tasks.
pub(crate) fn run(batch: &mut Batch<'_>) -> Result<(), StoreError> {
    let now = batch.now();
    let mut ended = outbox::end_leases(batch.connection, now)? + task::let_go(batch.connection, None)?;
    for mut row in card::later(batch.connection, now)? {
        let before: Vec<_> = row.messages.iter().map(|shown| shown.message.clone()).collect();
        if let Some(attempt) = row.attempt.as_mut().filter(|attempt| attempt.lease_until > now) {
            attempt.lease_until = now;
            card::update(batch.connection, &before, &row)?;
            ended += 1;
        }
    }
    if ended > 0 {
        batch.wrote("take_over");
        batch.work();
    }
    Ok(())
}
