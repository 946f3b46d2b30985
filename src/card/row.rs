//! The bookkeeping of cards: per request and place, what is wanted, what is there, and who is at work on it.
//!
//! Cards are reconciled, not sent. A row says which revision people should see; messages say which they do see; the
//! worker closes the difference, one leased attempt at a time.

use serde::{Deserialize, Serialize};

use crate::id::{AttemptId, RequestId, TenantId};
use crate::inbound::MessageRef;
use crate::policy::Place;
use crate::time::Timestamp;

/// A request's card in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardRow {
    /// Whose.
    pub tenant: TenantId,
    /// Of which request.
    pub request: RequestId,
    /// Where.
    pub place: Place,
    /// The revision of the request that people should see.
    pub wanted: u64,
    /// How often what it shows beside the request has changed: a stop that covers the call was placed, or lifted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub redraws: u64,
    /// The messages there are; normally one, more after an answer was lost.
    pub messages: Vec<CardMessage>,
    /// The attempt under way, or given up.
    pub attempt: Option<Attempt>,
    /// How often it was tried in vain since it last worked.
    pub tries: u32,
    /// Since when it does not work: the first try in vain since it last worked, or was put off by the surface.
    pub failing_since: Option<Timestamp>,
    /// Not before then.
    pub next_try_at: Timestamp,
    /// A new card is not posted before then, because others may be gathered on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_back_until: Option<Timestamp>,
    /// Nothing is tried any more, and why.
    pub given_up: Option<String>,
}

/// A message that shows the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardMessage {
    /// Which.
    pub message: MessageRef,
    /// The revision it was last known to show.
    pub revision: u64,
    /// Which of the row's redraws that was.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub redraws: u64,
}

/// One try to post or edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its id; for a post it travels in the message's metadata.
    pub id: AttemptId,
    /// The message it edits; none for a post.
    pub edits: Option<MessageRef>,
    /// The revision it shows.
    pub revision: u64,
    /// Which of the row's redraws that is, as it was before what it shows was read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub redraws: u64,
    /// Since when.
    pub since: Timestamp,
    /// When somebody else may take over.
    pub lease_until: Timestamp,
}

impl CardRow {
    /// A row for a card that is not there yet.
    #[must_use]
    pub const fn wanted(
        tenant: TenantId,
        request: RequestId,
        place: Place,
        revision: u64,
        now: Timestamp,
    ) -> Self {
        Self {
            tenant,
            request,
            place,
            wanted: revision,
            redraws: 0,
            messages: Vec::new(),
            attempt: None,
            tries: 0,
            failing_since: None,
            next_try_at: now,
            kept_back_until: None,
            given_up: None,
        }
    }

    /// Whether people see less than they should.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.given_up.is_none()
            && (self.messages.is_empty() || self.messages.iter().any(|shown| self.is_old(shown)))
    }

    /// Whether this message shows less than people should see.
    #[must_use]
    pub const fn is_old(&self, shown: &CardMessage) -> bool {
        shown.revision < self.wanted || shown.redraws < self.redraws
    }

    /// People should see this revision from now on. What was given up is tried again once for it: whatever stood in
    /// the way may be gone.
    pub fn want(&mut self, revision: u64, now: Timestamp) {
        self.wanted = revision;
        self.try_anew(now);
    }

    /// People should see it drawn anew, though the request is as it was. Whatever is under way may have been drawn before.
    pub fn redraw(&mut self, now: Timestamp) {
        self.redraws += 1;
        self.try_anew(now);
    }

    fn try_anew(&mut self, now: Timestamp) {
        self.next_try_at = now;
        if self.given_up.take().is_some() {
            self.tries = 0;
            self.failing_since = None;
        }
    }

    /// When there is next something to do; none when there is not.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        if !self.is_behind() {
            return None;
        }
        let kept_back = self.kept_back_until.filter(|_| self.messages.is_empty());
        let next = kept_back.map_or(self.next_try_at, |until| until.max(self.next_try_at));
        Some(self.attempt.as_ref().map_or(next, |attempt| attempt.lease_until.max(next)))
    }

    /// Applies one step; false where the row has moved on and the step no longer fits.
    #[must_use]
    pub fn apply(&mut self, step: &CardStep, now: Timestamp) -> bool {
        let owns = |row: &Self, id: AttemptId| row.attempt.as_ref().is_some_and(|attempt| attempt.id == id);
        match step {
            CardStep::Begin(attempt) => {
                let free = self.attempt.as_ref().is_none_or(|other| now >= other.lease_until);
                if !free || !self.is_behind() {
                    return false;
                }
                self.attempt = Some(attempt.clone());
            }
            CardStep::Done { attempt, message } => {
                let own = self.attempt.as_ref().filter(|own| own.id == *attempt);
                let Some(shows) = own.map(|own| (own.revision, own.redraws)) else {
                    // The lease lapsed and somebody else took over; what was posted is still a message there.
                    self.adopt(message, (0, 0));
                    return true;
                };
                self.adopt(message, shows);
                self.attempt = None;
                self.tries = 0;
                self.failing_since = None;
                self.next_try_at = now;
            }
            CardStep::Retry { attempt, at, sure } => {
                if !owns(self, *attempt) {
                    return false;
                }
                self.tries += 1;
                self.failing_since.get_or_insert(now);
                self.next_try_at = *at;
                if *sure {
                    self.attempt = None;
                } else if let Some(own) = &mut self.attempt {
                    own.lease_until = now;
                }
            }
            CardStep::Wait { attempt, at } => {
                if !owns(self, *attempt) {
                    return false;
                }
                self.failing_since.get_or_insert(now);
                self.next_try_at = *at;
                self.attempt = None;
            }
            CardStep::Gone { attempt, message } => {
                if !owns(self, *attempt) {
                    return false;
                }
                self.messages.retain(|shown| shown.message != *message);
                self.attempt = None;
                self.tries += 1;
                self.failing_since.get_or_insert(now);
                self.next_try_at = now;
            }
            CardStep::Forget { attempt } => {
                if !owns(self, *attempt) {
                    return false;
                }
                self.attempt = None;
            }
            CardStep::GiveUp { why } => {
                self.attempt = None;
                self.given_up = Some(why.clone());
            }
            CardStep::Adopt(message) => self.adopt(message, (0, 0)),
        }
        true
    }

    /// Takes a message as one that shows this card, at least at this revision and redraw.
    fn adopt(&mut self, message: &MessageRef, (revision, redraws): (u64, u64)) {
        match self.messages.iter_mut().find(|shown| shown.message == *message) {
            Some(shown) => {
                shown.revision = shown.revision.max(revision);
                shown.redraws = shown.redraws.max(redraws);
            }
            None => self.messages.push(CardMessage { message: message.clone(), revision, redraws }),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A step of a card in one place; committed together with the command that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardMove {
    /// Where.
    pub place: Place,
    /// What.
    pub step: CardStep,
}

/// A step of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardStep {
    /// Somebody is about to try; before anything is sent.
    Begin(Attempt),
    /// The surface acknowledged it.
    Done {
        /// Which attempt.
        attempt: AttemptId,
        /// The message.
        message: MessageRef,
    },
    /// It did not work, or nobody knows.
    Retry {
        /// Which attempt.
        attempt: AttemptId,
        /// Not before then.
        at: Timestamp,
        /// Whether it surely was not done; else the attempt stays on record, to be looked up.
        sure: bool,
    },
    /// It surely was not done, and the surface has named the time when it can be: many are waiting, and nothing failed.
    Wait {
        /// Which attempt.
        attempt: AttemptId,
        /// Not before then.
        at: Timestamp,
    },
    /// The message it wanted to edit is no longer there, or can no longer be edited.
    Gone {
        /// Which attempt.
        attempt: AttemptId,
        /// Which message.
        message: MessageRef,
    },
    /// A lapsed attempt was looked up, and is not there.
    Forget {
        /// Which attempt.
        attempt: AttemptId,
    },
    /// Nothing is tried any more.
    GiveUp {
        /// Why.
        why: String,
    },
    /// Somebody acted on a copy that is not on record.
    Adopt(MessageRef),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> CardRow {
        let place = Place { surface: "slack".parse().unwrap(), channel: "C1".to_owned(), thread: None };
        let (tenant, request) = ("acme".parse().unwrap(), RequestId::from_bytes([1; 16]));
        CardRow::wanted(tenant, request, place, 1, Timestamp::from_secs(0))
    }

    fn tries(row: &mut CardRow, secs: i64) -> AttemptId {
        let (id, now) = (AttemptId::from_bytes([2; 16]), Timestamp::from_secs(secs));
        let lease_until = Timestamp::from_secs(secs + 60);
        let (revision, redraws) = (row.wanted, row.redraws);
        let attempt = Attempt { id, edits: None, revision, redraws, since: now, lease_until };
        assert!(row.apply(&CardStep::Begin(attempt), now));
        id
    }

    /// R29: being put off is no try in vain; but since when people wait is known whatever it was, until it works.
    #[test]
    fn since_when_it_does_not_work_is_counted_from_the_first_time() {
        let mut row = row();
        let at = Timestamp::from_secs;
        for secs in [10, 20, 30] {
            let attempt = tries(&mut row, secs);
            assert!(row.apply(&CardStep::Wait { attempt, at: at(secs + 5) }, at(secs)));
            assert_eq!((row.tries, row.failing_since, row.due()), (0, Some(at(10)), Some(at(secs + 5))));
        }
        let attempt = tries(&mut row, 40);
        assert!(row.apply(&CardStep::Retry { attempt, at: at(41), sure: true }, at(40)));
        assert_eq!((row.tries, row.failing_since), (1, Some(at(10))));
        let attempt = tries(&mut row, 50);
        let message = MessageRef { channel: "C1".to_owned(), id: "1.1".to_owned() };
        assert!(row.apply(&CardStep::Done { attempt, message }, at(50)));
        assert_eq!((row.tries, row.failing_since, row.due()), (0, None, None));
        assert!(!row.apply(&CardStep::Wait { attempt, at: at(60) }, at(50)), "nobody waits for what is done");
    }

    /// R29, R44: what was under way when the card was to be drawn anew shows what was before, and is drawn once more; the
    /// edit after it is enough.
    #[test]
    fn what_was_under_way_is_drawn_once_more() {
        let mut row = row();
        let at = Timestamp::from_secs;
        let message = MessageRef { channel: "C1".to_owned(), id: "1.1".to_owned() };
        let attempt = tries(&mut row, 10);
        row.redraw(at(11));
        assert!(row.apply(&CardStep::Done { attempt, message: message.clone() }, at(12)));
        assert_eq!((row.is_behind(), row.due()), (true, Some(at(12))));
        let attempt = tries(&mut row, 13);
        assert!(row.apply(&CardStep::Done { attempt, message: message.clone() }, at(14)));
        assert_eq!((row.is_behind(), row.due()), (false, None));
        row.redraw(at(15));
        assert_eq!((row.is_behind(), row.due()), (true, Some(at(15))));
        // One that somebody else adopts meanwhile is not known to show anything.
        row.redraw(at(15));
        assert!(row.apply(&CardStep::Adopt(message), at(16)) && row.is_behind());
        assert!(
            !serde_json::to_string(&self::row()).unwrap().contains("redraws"),
            "rows of before are read as they were"
        );
    }
}
