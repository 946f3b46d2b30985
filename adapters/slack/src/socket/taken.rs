//! The envelopes that came lately, so that one that is delivered again is answered as before and not acted on twice.
//!
//! This spares people a needless "press again"; it is not what makes a vote count once. That is the delivery's row in
//! the store, which also holds where the second delivery reaches another process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Envelopes that are remembered: far more than Slack delivers again at the same time.
const ENVELOPES_MAX: usize = 512;

/// The longest acknowledgement that is kept, in bytes: a dialog that is shown anew may be larger, and is made anew.
const ACKNOWLEDGEMENT_BYTES_MAX: usize = 16 * 1024;

/// What is known of an envelope.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It has not come before.
    New,
    /// It came before, and is being worked on.
    UnderWay,
    /// It came before; this was the acknowledgement.
    Answered(String),
}

/// Envelopes by id; none stands for an answer that is not there yet.
#[derive(Debug, Default)]
pub(super) struct Taken(Mutex<Lately>);

#[derive(Debug, Default)]
struct Lately {
    by_id: HashMap<String, Option<String>>,
    in_order: VecDeque<String>,
}

/// An envelope that is being worked on. Dropped without an answer, it is given back: the next delivery is like the first.
pub(super) struct UnderWay {
    taken: Arc<Taken>,
    id: String,
    acknowledgement: Option<String>,
}

impl UnderWay {
    pub(super) fn of(taken: &Arc<Taken>, id: &str) -> Self {
        Self { taken: Arc::clone(taken), id: id.to_owned(), acknowledgement: None }
    }

    /// It was answered; none means that it could not be kept. Gives the acknowledgement back.
    pub(super) fn answered(mut self, acknowledgement: Option<String>) -> Option<String> {
        self.acknowledgement.clone_from(&acknowledgement);
        acknowledgement
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.taken.answered(&self.id, self.acknowledgement.as_deref());
    }
}

impl Taken {
    /// An envelope came.
    pub(super) fn came(&self, id: &str) -> Seen {
        let mut lately = self.lately();
        match lately.by_id.get(id) {
            Some(Some(acknowledgement)) => return Seen::Answered(acknowledgement.clone()),
            Some(None) => return Seen::UnderWay,
            None => {}
        }
        if lately.in_order.len() >= ENVELOPES_MAX
            && let Some(oldest) = lately.in_order.pop_front()
        {
            lately.by_id.remove(&oldest);
        }
        lately.by_id.insert(id.to_owned(), None);
        lately.in_order.push_back(id.to_owned());
        Seen::New
    }

    /// It was answered; none means that it could not be kept, and the next delivery is like the first.
    pub(super) fn answered(&self, id: &str, acknowledgement: Option<&str>) {
        let mut lately = self.lately();
        match acknowledgement.filter(|text| text.len() <= ACKNOWLEDGEMENT_BYTES_MAX) {
            Some(text) => {
                if let Some(kept) = lately.by_id.get_mut(id) {
                    *kept = Some(text.to_owned());
                }
            }
            None => {
                lately.by_id.remove(id);
                lately.in_order.retain(|other| other != id);
            }
        }
    }

    fn lately(&self) -> MutexGuard<'_, Lately> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R30: an envelope acts once, and what could not be kept acts with the next delivery.
    #[test]
    fn an_envelope_is_answered_alike_each_time() {
        let taken = Taken::default();
        assert_eq!(taken.came("one"), Seen::New);
        assert_eq!(taken.came("one"), Seen::UnderWay);
        taken.answered("one", Some("yes"));
        assert_eq!(taken.came("one"), Seen::Answered("yes".to_owned()));
        assert_eq!(taken.came("two"), Seen::New);
        taken.answered("two", None);
        assert_eq!(taken.came("two"), Seen::New);
        taken.answered("two", Some(&"x".repeat(ACKNOWLEDGEMENT_BYTES_MAX + 1)));
        assert_eq!(taken.came("two"), Seen::New);
    }

    /// R30: what is broken off with its socket acts with the next delivery.
    #[test]
    fn an_envelope_that_is_broken_off_is_given_back() {
        let taken = Arc::new(Taken::default());
        assert_eq!(taken.came("one"), Seen::New);
        let under_way = UnderWay::of(&taken, "one");
        assert_eq!(taken.came("one"), Seen::UnderWay);
        drop(under_way);
        assert_eq!(taken.came("one"), Seen::New);
        UnderWay::of(&taken, "one").answered(Some("yes".to_owned()));
        assert_eq!(taken.came("one"), Seen::Answered("yes".to_owned()));
    }

    /// R30: only so many are remembered.
    #[test]
    fn the_oldest_are_forgotten() {
        let taken = Taken::default();
        for number in 0..=ENVELOPES_MAX {
            assert_eq!(taken.came(&number.to_string()), Seen::New);
        }
        assert_eq!(taken.came("0"), Seen::New);
        assert_eq!(taken.came(&ENVELOPES_MAX.to_string()), Seen::UnderWay);
        assert_eq!(taken.lately().by_id.len(), ENVELOPES_MAX);
        assert_eq!(taken.lately().in_order.len(), ENVELOPES_MAX);
    }
}
