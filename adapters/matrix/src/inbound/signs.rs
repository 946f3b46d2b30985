//! The signs on one card: who says what by them now, against what is on record.

use std::collections::BTreeMap;

use matrix_sdk::ruma::{EventId, OwnedUserId, RoomId};
use placet::approval::{Approval, Ballot, Decision, Vote};
use placet::id::DeliveryKey;
use placet::inbound::{Act as Deed, MessageRef};
use placet::ports::Surface as _;

use super::{Left, MatrixInbound, identity, message, poll};
use crate::event::What;
use crate::reader::Confirmed;
use crate::surface::{NO, YES};

/// A yes or a no that lies on a card.
struct Sign {
    of: Confirmed,
    decision: Decision,
    delivery: DeliveryKey,
}

impl MatrixInbound {
    /// Whether a vote was given by something that lies about in a room of this surface.
    pub(super) fn is_sign(&self, vote: &Vote) -> bool {
        vote.surface == *self.name() && vote.sign.is_some()
    }

    /// Reads the signs on a card as they are now, takes back the votes whose signs are gone, and hands on those that are new.
    pub(super) async fn reads_signs(
        &self,
        approval: &Approval,
        room: &RoomId,
        event: &EventId,
    ) -> Result<(), Left> {
        let card = message(room, event);
        let (signs, is_complete) = self.signs_on(approval, room, event).await?;
        // Where not all could be read, what is missing may be there.
        if is_complete {
            let gone = approval.votes.iter().filter(|vote| self.is_sign(vote));
            let gone =
                gone.filter(|vote| !signs.iter().any(|sign| vote.sign.as_ref() == Some(&sign.delivery)));
            for vote in gone.cloned().collect::<Vec<_>>() {
                self.takes_back(approval, &vote, card.clone()).await?;
            }
        }
        for sign in said_now(signs).into_values() {
            let is_known = approval.votes.iter().any(|vote| vote.sign.as_ref() == Some(&sign.delivery));
            if !is_known {
                self.votes(approval, sign, card.clone()).await?;
            }
        }
        Ok(())
    }

    /// All that lies on a card, oldest first, and whether that is all.
    async fn signs_on(
        &self,
        approval: &Approval,
        room: &RoomId,
        event: &EventId,
    ) -> Result<(Vec<Sign>, bool), Left> {
        let reader = &self.0.reader;
        let mut stretch = reader.relations(room, event).await?;
        if let Some(poll) = self.0.matrix.poll_on(&message(room, event)).await? {
            let answers = reader.relations(room, &poll).await?;
            stretch.is_complete &= answers.is_complete;
            stretch.acts.extend(poll::last_of_each(answers.acts));
        }
        let signs = stretch.acts.into_iter().filter_map(|of| {
            let decision = match &of.act().what {
                What::Reaction { key, .. } => reaction(key)?,
                What::PollAnswer { answers, .. } => poll::decision(answers, approval.id)?,
                _ => return None,
            };
            let delivery = self.delivery(&of)?;
            Some(Sign { of, decision, delivery })
        });
        Ok((signs.collect(), stretch.is_complete))
    }

    async fn votes(&self, approval: &Approval, sign: Sign, card: MessageRef) -> Result<(), Left> {
        let account = &sign.of.act().sender;
        let Some(identity) = identity(account) else { return Ok(()) };
        let assurance = match self.0.reader.judge(&sign.of).await? {
            Ok(assurance) => assurance,
            Err(why) => {
                let of = (&sign.of, &sign.delivery);
                return self.is_unproven(of, approval.code.as_str(), &why).await;
            }
        };
        let view = self.0.gate.view(approval);
        let shown = view.shown(self.name(), self.0.matrix.shows_all(&view));
        let ballot = Ballot {
            identity,
            decision: sign.decision,
            note: None,
            surface: self.name().clone(),
            assurance,
            shown: Some(shown),
            remember: false,
            given_on: None,
            sign: Some(sign.delivery.clone()),
        };
        self.delivers(approval, (sign.delivery, account), (card, Deed::Vote(ballot))).await
    }

    async fn takes_back(&self, approval: &Approval, vote: &Vote, card: MessageRef) -> Result<(), Left> {
        let Some(sign) = &vote.sign else { return Ok(()) };
        // A sign that is put there again is another event: each is taken away once.
        let Some(delivery) = self.delivery_of(&format!("gone {sign}")) else { return Ok(()) };
        let Ok(account) = OwnedUserId::try_from(vote.identity.subject()) else { return Ok(()) };
        let act = Deed::TakeBack { identity: vote.identity.clone(), sign: Some(sign.clone()) };
        self.delivers(approval, (delivery, &account), (card, act)).await
    }
}

/// What a reaction says.
fn reaction(key: &str) -> Option<Decision> {
    match key {
        YES => Some(Decision::Approve),
        NO => Some(Decision::Deny),
        _ => None,
    }
}

/// What each account says now: of several signs a no before a yes, and of several the last.
fn said_now(signs: Vec<Sign>) -> BTreeMap<OwnedUserId, Sign> {
    let mut said: BTreeMap<OwnedUserId, Sign> = BTreeMap::new();
    for sign in signs {
        let account = sign.of.act().sender.clone();
        let stays = said
            .get(&account)
            .is_some_and(|other| other.decision == Decision::Deny && sign.decision == Decision::Approve);
        if !stays {
            said.insert(account, sign);
        }
    }
    said
}
