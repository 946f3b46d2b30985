//! Answers of polls.

use std::collections::BTreeMap;

use matrix_sdk::ruma::{EventId, OwnedUserId, RoomId};
use placet::approval::Decision;
use placet::id::RequestId;

use super::{Left, MatrixInbound};
use crate::event::What;
use crate::reader::Confirmed;
use crate::render::poll::answered;

/// What an answer says of this request; nothing where it takes the last one back, or is about another: where it was put is
/// the homeserver's word, and what it says is the person's own.
pub(super) fn decision(answers: &[String], request: RequestId) -> Option<Decision> {
    let (decision, of) = answered(answers.first()?)?;
    (of == request).then_some(decision)
}

/// The last answer of each account, oldest first.
pub(super) fn last_of_each(acts: Vec<Confirmed>) -> Vec<Confirmed> {
    let mut last: BTreeMap<OwnedUserId, (usize, Confirmed)> = BTreeMap::new();
    for (place, act) in acts.into_iter().enumerate() {
        if matches!(act.act().what, What::PollAnswer { .. }) {
            last.insert(act.act().sender.clone(), (place, act));
        }
    }
    let mut each: Vec<_> = last.into_values().collect();
    each.sort_by_key(|(place, _)| *place);
    each.into_iter().map(|(_, act)| act).collect()
}

impl MatrixInbound {
    /// The signs of the card that a poll's answer is about: as the answer says, or, where it takes the last one back, of all
    /// cards of the room on which somebody has decided.
    pub(super) async fn reads_answer(&self, room: &RoomId, event: &EventId) -> Result<(), Left> {
        let Some(confirmed) = self.0.reader.again(room, event).await? else { return Ok(()) };
        let What::PollAnswer { answers, .. } = &confirmed.act().what else { return Ok(()) };
        let Some((_, request)) = answers.first().and_then(|answer| answered(answer)) else {
            return self.reads_room(room, true).await;
        };
        let Some(approval) = self.load(request).await? else { return Ok(()) };
        for card in self.cards_in(&approval, room).await? {
            self.reads_signs(&approval, room, &card).await?;
        }
        Ok(())
    }
}
