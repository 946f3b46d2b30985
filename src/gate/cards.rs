//! Cards are reconciled: a row says what people should see, the worker makes it so, one leased attempt at a time.

use crate::approval::{Approval, Command, Delivery, Facts, Order, Rendering};
use crate::card::CardView;
use crate::card::row::{Attempt, CardMove, CardRow, CardStep};
use crate::gate::Gate;
use crate::id::AttemptId;
use crate::inbound::MessageRef;
use crate::ports::{StoreError, Surface, SurfaceError};
use crate::time::{Timestamp, Ttl};

/// How long an attempt is its worker's own: longer than any surface's request time-out.
pub(super) const CARD_LEASE: Ttl = Ttl::from_secs(60);

/// How long people may see less than they should before an alarm goes out, counted from the first try that came to
/// nothing. A span and no number of tries: where dozens of cards go to one channel at once, a surface puts the last of
/// them off again and again, and in a minute all are there.
const ALARM_AFTER: Ttl = Ttl::from_mins(2);

/// How long something is tried in vain before nothing more is tried.
const GIVE_UP_AFTER: Ttl = Ttl::from_mins(24 * 60);

/// The first pause after a try in vain.
const PAUSE_MIN: Ttl = Ttl::from_secs(1);

/// The longest pause.
const PAUSE_MAX: Ttl = Ttl::from_mins(5);

/// How long after a post was begun whose answer was lost it is looked for, before it is posted again: its lease, and a
/// while. A surface that cannot be read must not keep a card from people for good.
const LOOK_UP_FOR: Ttl = Ttl::from_mins(3);

/// Whether an attempt that came to nothing is over for sure.
#[derive(Clone, Copy)]
enum Sure {
    /// As the surface says.
    BySurface,
    /// It is not: the surface spoke of another call.
    No,
}

/// A post whose answer was lost: it may be there.
fn lost_post(row: &CardRow) -> Option<&Attempt> {
    row.attempt.as_ref().filter(|attempt| attempt.edits.is_none())
}

/// Says that people may see nothing, or something old; alarmed once per request.
fn undeliverable(row: &CardRow, why: String) -> Command {
    Command::Deliver(Delivery { surface: row.place.surface.clone(), failure: Some(why) })
}

/// The pause after `tries` tries in vain.
pub(super) fn pause(tries: u32) -> Ttl {
    let doubled = PAUSE_MIN.as_millis().saturating_mul(1 << tries.min(20));
    Ttl::from_millis(doubled).min(PAUSE_MAX)
}

impl Gate {
    /// Closes the difference of one card row, one message at a time.
    pub(super) async fn reconcile(&self, row: &CardRow) -> Result<(), StoreError> {
        // A workspace may have been given to another tenant since the row was made.
        let serving = self.surface(&row.place.surface).filter(|surface| surface.serves(&row.tenant));
        let Some(surface) = serving else {
            let why = format!("no surface named {} is configured for this tenant", row.place.surface);
            return self.give_up(row, why, true).await;
        };
        if let Some(lapsed) = lost_post(row)
            && self.parts.clock.now().since(lapsed.since) < LOOK_UP_FOR
        {
            match surface.find(&row.place, lapsed.id, lapsed.since).await {
                Some(Ok(Some(message))) => return self.found(row, lapsed.id, message).await,
                Some(Ok(None)) => {
                    return self.advance(row, CardStep::Forget { attempt: lapsed.id }, Command::Tick).await;
                }
                // Whether it is there stays open until it can be looked up: the attempt is kept.
                Some(Err(fault @ (SurfaceError::Later { .. } | SurfaceError::Unknown { .. }))) => {
                    return self.failed(row, lapsed.id, &fault, Sure::No).await;
                }
                // It cannot look, whatever the reason: as where a surface never can.
                Some(Err(SurfaceError::Never { .. } | SurfaceError::Gone { .. })) | None => {}
            }
        }
        let card = self.card(row, surface.as_ref()).await?;
        let approval = &card.approval;
        let behind = row.messages.iter().find(|shown| row.is_old(shown)).map(|shown| shown.message.clone());
        match behind {
            Some(message) => self.edit_card(row, surface.as_ref(), &card, message).await,
            None if card.is_open() || approval.card_delivered || row.attempt.is_some() => {
                self.post(row, surface.as_ref(), &card).await
            }
            // It is over, and nobody ever saw it: there is nothing to put right.
            None => {
                let expired = matches!(approval.state, crate::approval::State::Expired(_));
                self.give_up(row, "it was over before it could be posted".to_owned(), expired).await
            }
        }
    }

    async fn post(&self, row: &CardRow, surface: &dyn Surface, card: &Card) -> Result<(), StoreError> {
        let view = &card.view;
        let attempt = self.begin(row, surface, card, None).await?;
        match surface.post(&row.place, view, attempt).await {
            Ok(message) => self.found(row, attempt, message).await,
            // Somebody must change something, which the alarm asks for; while people are asked it is worth another
            // try, or they would never see what waits for them.
            Err(SurfaceError::Never { why })
                if card.is_open() && failing_for(row, self.parts.clock.now()) < GIVE_UP_AFTER =>
            {
                let at = self.parts.clock.now() + PAUSE_MAX;
                let retry = CardStep::Retry { attempt, at, sure: true };
                self.advance(row, retry, undeliverable(row, why)).await
            }
            Err(fault) => self.failed(row, attempt, &fault, Sure::BySurface).await,
        }
    }

    async fn edit_card(
        &self,
        row: &CardRow,
        surface: &dyn Surface,
        card: &Card,
        message: MessageRef,
    ) -> Result<(), StoreError> {
        let attempt = self.begin(row, surface, card, Some(message.clone())).await?;
        match surface.edit(&message, &card.view).await {
            Ok(()) => self.advance(row, CardStep::Done { attempt, message }, Command::Tick).await,
            Err(SurfaceError::Gone { why }) => {
                tracing::warn!(approval.id = %row.request, reason = why, "a card can no longer be edited");
                self.advance(row, CardStep::Gone { attempt, message }, Command::Tick).await
            }
            Err(fault) => self.failed(row, attempt, &fault, Sure::BySurface).await,
        }
    }

    /// Puts the attempt and what it will show on record before anything is sent.
    async fn begin(
        &self,
        row: &CardRow,
        surface: &dyn Surface,
        card: &Card,
        edits: Option<MessageRef>,
    ) -> Result<AttemptId, StoreError> {
        let view = &card.view;
        let now = self.parts.clock.now();
        let id = AttemptId::mint(now, &*self.parts.entropy);
        let full = view.call.redacted == 0 && surface.shows_all(view);
        let rendering = rendering(view, surface, full);
        // The row was read before the stops were: one that was placed since is drawn with the next attempt.
        let (revision, redraws) = (view.revision, row.redraws);
        let lease_until = now + CARD_LEASE;
        let attempt = Attempt { id, edits, revision, redraws, since: now, lease_until };
        self.advance(row, CardStep::Begin(attempt), Command::Show(rendering)).await?;
        for (part, approval) in view.parts.iter().zip(&card.parts) {
            let full = part.call.redacted == 0 && surface.shows_all_of(view, part);
            let rendering = self::rendering(part, surface, full);
            if part.is_waiting() && !approval.renderings.contains(&rendering) {
                self.tell_part(approval, Command::Show(rendering)).await?;
            }
        }
        Ok(id)
    }

    /// The card of this row as it is to be shown, with the parts that others have of it.
    async fn card(&self, row: &CardRow, surface: &dyn Surface) -> Result<Card, StoreError> {
        let approval = self.parts.store.load(&row.tenant, row.request).await?;
        let mut parts = Vec::new();
        // Where a step of one of them asks on a surface that shows each by itself, it shows that one alone.
        let gathered = if surface.gathers() { &approval.gathered[..] } else { &[] };
        for part in gathered {
            parts.push(self.parts.store.load(&row.tenant, *part).await?);
        }
        let mut view = self.view_as_stopped(&approval).await?;
        for part in &parts {
            view.parts.push(self.view_as_stopped(part).await?);
        }
        Ok(Card { approval, parts, view })
    }

    /// Something for the record of a request that has a part of a card.
    async fn tell_part(&self, part: &Approval, command: Command) -> Result<(), StoreError> {
        let facts = Facts::none(self.parts.clock.now());
        self.parts.store.execute(Order::new(part.tenant.clone(), part.id, command, facts)).await.map(|_| ())
    }

    async fn found(&self, row: &CardRow, attempt: AttemptId, message: MessageRef) -> Result<(), StoreError> {
        let delivered = Delivery { surface: row.place.surface.clone(), failure: None };
        // The parts first: should this stop here, the message is found again, and they are told again.
        if let Some(surface) = self.surface(&row.place.surface) {
            let card = self.card(row, surface.as_ref()).await?;
            let shown = |part: &&Approval| {
                let here = |shown: &Rendering| shown.surface == row.place.surface && shown.viewer.is_none();
                !part.card_delivered && part.renderings.iter().any(here)
            };
            for part in card.parts.iter().filter(shown) {
                self.tell_part(part, Command::Deliver(delivered.clone())).await?;
            }
        }
        self.advance(row, CardStep::Done { attempt, message }, Command::Deliver(delivered)).await
    }

    async fn failed(
        &self,
        row: &CardRow,
        attempt: AttemptId,
        fault: &SurfaceError,
        sure: Sure,
    ) -> Result<(), StoreError> {
        let now = self.parts.clock.now();
        tracing::warn!(
            approval.id = %row.request, surface = %row.place.surface, tries = row.tries + 1, error = %fault,
            "a card was not delivered"
        );
        let by_surface = matches!(sure, Sure::BySurface);
        let (after, sure) = match fault {
            SurfaceError::Never { why } => return self.give_up(row, why.clone(), true).await,
            SurfaceError::Later { after, .. } => (*after, by_surface),
            // A new message cannot be gone: the surface said something that makes no sense, and may later.
            SurfaceError::Gone { .. } => (None, by_surface),
            SurfaceError::Unknown { .. } => (None, false),
        };
        let failing_for = failing_for(row, now);
        if failing_for >= GIVE_UP_AFTER {
            return self.give_up(row, fault.to_string(), true).await;
        }
        // Of two posts whose answers were lost only the last can be looked up: there may be a copy that nobody corrects.
        let lost_again = !sure && lost_post(row).is_some_and(|lost| lost.id != attempt);
        let command = if failing_for >= ALARM_AFTER || lost_again {
            undeliverable(row, fault.to_string())
        } else {
            Command::Tick
        };
        let at = retry_at(now + after.unwrap_or_else(|| pause(row.tries)), now);
        let step = match after {
            Some(_) if sure => CardStep::Wait { attempt, at },
            Some(_) | None => CardStep::Retry { attempt, at, sure },
        };
        self.advance(row, step, command).await
    }

    async fn give_up(&self, row: &CardRow, why: String, alarm: bool) -> Result<(), StoreError> {
        let command = if alarm { undeliverable(row, why.clone()) } else { Command::Tick };
        self.advance(row, CardStep::GiveUp { why }, command).await
    }

    async fn advance(&self, row: &CardRow, step: CardStep, command: Command) -> Result<(), StoreError> {
        let mut order =
            Order::new(row.tenant.clone(), row.request, command, Facts::none(self.parts.clock.now()));
        order.card = Some(CardMove { place: row.place.clone(), step });
        self.parts.store.execute(order).await.map(|_| ())
    }
}

/// A card and everything that stands on it.
struct Card {
    approval: Approval,
    parts: Vec<Approval>,
    view: CardView,
}

impl Card {
    /// Whether anybody may still have something to do with it.
    fn is_open(&self) -> bool {
        self.approval.is_open() || self.parts.iter().any(Approval::is_open)
    }
}

/// What goes on record before it is shown.
fn rendering(view: &CardView, surface: &dyn Surface, full: bool) -> Rendering {
    let shown = view.shown(surface.name(), full);
    Rendering { shown, surface: surface.name().clone(), full, viewer: None, covers: view.covers }
}

/// How long it has been tried in vain.
fn failing_for(row: &CardRow, now: Timestamp) -> Ttl {
    row.failing_since.map_or(Ttl::from_secs(0), |since| now.since(since))
}

/// Never at once again: a surface that says "retry after 0" would be asked in a loop.
fn retry_at(at: Timestamp, now: Timestamp) -> Timestamp {
    at.max(now + PAUSE_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_five_minutes() {
        assert_eq!(pause(0), Ttl::from_secs(1));
        assert_eq!(pause(3), Ttl::from_secs(8));
        assert_eq!(pause(63), PAUSE_MAX);
    }
}
