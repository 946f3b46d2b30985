//! The worker: works off what was committed. It holds nothing of its own; any number may run, and any may die.

use std::sync::Arc;

use futures::future::{Either, join_all, select};

use crate::approval::{Command, Facts, Order, Refusal};
use crate::gate::Gate;
use crate::gate::wake::REREAD_EVERY;
use crate::inbound::Inbound;
use crate::notice::Recipient;
use crate::ports::{OutboxRow, StoreError};
use crate::time::Ttl;

/// How much of each kind one step takes: enough to fill a commit, few enough that nothing waits long behind it.
const AT_ONCE: u32 = 64;

/// How long a taken message is one worker's own: longer than any surface's request time-out.
const MESSAGE_LEASE: Ttl = Ttl::from_secs(60);

/// How long the worker rests after the store failed.
const REST_AFTER_FAULT: Ttl = Ttl::from_secs(1);

/// What a step of the worker did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// How many things it worked off.
    pub done: usize,
}

/// The kinds of work; each goes on by itself, so that a surface that hangs holds up no decision.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Inbox,
    Time,
    Cards,
    Messages,
    Digests,
}

/// Digests come before messages, which they become.
const KINDS: [Kind; 5] = [Kind::Inbox, Kind::Time, Kind::Cards, Kind::Digests, Kind::Messages];

impl Gate {
    /// Works off everything that is due now, once. Tests call it until nothing is done any more.
    ///
    /// # Errors
    /// [`StoreError`] if the store does not answer; what was begun goes on with the next step.
    pub async fn step(&self) -> Result<Progress, StoreError> {
        let mut done = 0;
        for kind in KINDS {
            done += self.step_kind(kind).await?;
        }
        Ok(Progress { done })
    }

    /// Works until `stop` is there: woken by commits, and by time.
    pub async fn work(&self, stop: impl Future<Output = ()>) {
        let lanes = Box::pin(join_all(KINDS.map(|kind| self.lane(kind))));
        match select(lanes, Box::pin(stop)).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    }

    async fn lane(&self, kind: Kind) {
        let clock = Arc::clone(&self.parts.clock);
        loop {
            let woken = self.parts.wakes.for_worker();
            let rest = match self.step_kind(kind).await {
                Ok(done) if done > 0 => continue,
                Ok(_) => self.rest().await,
                Err(fault) => {
                    tracing::error!(error = %fault, work = ?kind, "the worker could not go on");
                    REST_AFTER_FAULT
                }
            };
            let pause = clock.sleep_until(clock.now() + rest);
            match select(woken, pause).await {
                Either::Left(_) | Either::Right(_) => {}
            }
        }
    }

    /// Until when there is surely nothing to do, unless a hint comes.
    async fn rest(&self) -> Ttl {
        let now = self.parts.clock.now();
        match self.parts.store.next_due().await {
            // Something due that this lane cannot take (another works on it): look again soon, not at once.
            Ok(Some(at)) => at.since(now).clamp(Ttl::from_millis(50), REREAD_EVERY),
            Ok(None) => REREAD_EVERY,
            Err(_) => REST_AFTER_FAULT,
        }
    }

    async fn step_kind(&self, kind: Kind) -> Result<usize, StoreError> {
        let now = self.parts.clock.now();
        let store = &self.parts.store;
        match kind {
            Kind::Inbox => {
                let items = store.undone(AT_ONCE).await?;
                let done = join_all(items.into_iter().map(|inbound| self.work_off(inbound))).await;
                Ok(done.into_iter().filter(|done| *done).count())
            }
            Kind::Time => {
                let due = store.due(now, AT_ONCE).await?;
                let ticks = due.iter().map(|(tenant, id)| {
                    store.execute(Order::new(tenant.clone(), *id, Command::Tick, Facts::none(now)))
                });
                join_all(ticks).await.into_iter().collect::<Result<Vec<_>, _>>().map(|ticks| ticks.len())
            }
            Kind::Cards => {
                let redrawn = store.redraw_held(AT_ONCE).await?;
                let rows = store.cards_due(now, AT_ONCE).await?;
                let steps = join_all(rows.iter().map(|row| self.reconcile(row))).await;
                let mut done = redrawn;
                for step in steps {
                    match step {
                        Ok(()) => done += 1,
                        Err(StoreError::CardMoved) => {}
                        Err(fault) => return Err(fault),
                    }
                }
                Ok(done)
            }
            Kind::Digests => self.tell_digests().await,
            Kind::Messages => {
                let rows = store.take_messages(now, now + MESSAGE_LEASE, AT_ONCE).await?;
                let count = rows.len();
                let told = by_recipient(rows).into_iter().map(|rows| async move {
                    for row in rows {
                        self.tell(row).await?;
                    }
                    Ok(())
                });
                join_all(told).await.into_iter().collect::<Result<(), StoreError>>()?;
                Ok(count)
            }
        }
    }

    /// Decides one delivery with facts fetched for it. False where it has to wait.
    async fn work_off(&self, inbound: Inbound) -> bool {
        let delivery = inbound.delivery.clone();
        let order = Order::of(inbound, Facts::none(self.parts.clock.now()));
        match self.order(order).await {
            Ok((_, Err(Refusal::FactsStale))) => false,
            Ok(_) => true,
            Err(StoreError::NotFound) => self.parts.store.discard(&delivery).await.is_ok(),
            Err(fault) => {
                tracing::error!(error = %fault, "a delivery could not be worked off; it is tried again");
                false
            }
        }
    }
}

/// Messages by the one person who gets them: they read them in the order in which things happened, and nobody waits for
/// another's. In a channel each stands under its own card, in no order.
fn by_recipient(rows: Vec<OutboxRow>) -> Vec<Vec<OutboxRow>> {
    let mut all: Vec<Vec<OutboxRow>> = Vec::new();
    for row in rows {
        let is_direct = matches!(row.message.to, Recipient::Directly(_) | Recipient::Askers(_));
        let mut same = all.iter_mut().filter(|_| is_direct);
        match same.find(|rows| rows.iter().any(|other| other.message.to == row.message.to)) {
            Some(rows) => rows.push(row),
            None => all.push(vec![row]),
        }
    }
    all
}
