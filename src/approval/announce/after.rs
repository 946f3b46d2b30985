//! What is said once a request is decided: what came of the call under its card, and to who asked what became of it.
//!
//! It is said where people were asked. What ran unasked (by the policy, or by a remembered yes) has no card to say it
//! under, and whoever asked did not wait for anybody.

use super::Announced;
use crate::agent::task::Thread;
use crate::approval::{Actor, ApprovedBy, Decision, RejectedBy, RevokedWhy, State};
use crate::notice::{Message, Notice, Ran, Recipient, Told};
use crate::person::Identity;
use crate::policy::Place;
use crate::record::EventKind;

impl Announced<'_> {
    /// What is said on account of this, if it ends a stage of the request's life.
    pub(super) fn after(&self, kind: &EventKind) -> Vec<Message> {
        if let Some(ran) = self.ran(kind) {
            let notice = Notice::Ran {
                request: self.next.id,
                code: self.next.code.clone(),
                tool: self.next.proposal.call.full_name(),
                ran,
            };
            let places = self.next.places().into_iter().map(Recipient::Place);
            // Who asked is told once of what stands on one card, and in the thread they asked in it is told already.
            let told = self.next.shares.is_some() || self.origin().is_some();
            let askers = if told { Vec::new() } else { self.to_askers(None) };
            let to = places.chain(askers);
            return to.map(|to| self.to(to, notice.clone())).collect();
        }
        let Some((what, own)) = self.told(kind) else { return Vec::new() };
        let notice = Notice::Told {
            request: self.next.id,
            code: self.next.code.clone(),
            tool: self.next.proposal.call.full_name(),
            what,
        };
        let askers = self.to_askers(own.as_ref());
        let to = match self.origin() {
            Some(origin) if !askers.is_empty() => vec![Recipient::Place(origin)],
            Some(_) | None => askers,
        };
        to.into_iter().map(|to| self.to(to, notice.clone())).collect()
    }

    /// The thread that the task came from, where the policy lets its card stand there.
    fn origin(&self) -> Option<Place> {
        let thread = self.next.proposal.thread.as_ref()?;
        let in_it =
            |place: &Place| place.thread.as_ref() == Some(&thread.id) && place.channel == thread.channel;
        self.next.places().into_iter().find(in_it)
    }

    fn ran(&self, kind: &EventKind) -> Option<Ran> {
        let State::Executed(executed) = &self.next.state else { return None };
        let was_asked = match &executed.by {
            ApprovedBy::Votes | ApprovedBy::Timeout | ApprovedBy::BreakGlass { .. } => true,
            ApprovedBy::Policy | ApprovedBy::Remembered { .. } => false,
        };
        match kind {
            EventKind::Executed { outcome, late, .. } if was_asked => {
                Some(Ran { late: *late, ..Ran::of(outcome) })
            }
            EventKind::Settled { outcome, .. } if was_asked => {
                Some(Ran { settled: true, ..Ran::of(outcome) })
            }
            _ => None,
        }
    }

    /// What who asked is told, and whose doing it was: nobody is told what they did themselves.
    fn told(&self, kind: &EventKind) -> Option<(Told, Option<Identity>)> {
        // What stands on another's card is told of on account of that one.
        let asked = self.next.asked().is_some() && self.next.shares.is_none();
        if !asked || self.before.is_none() {
            return None;
        }
        let told = match kind {
            EventKind::Decided { decision: Decision::Approve, approved_by: Some(by), people, .. } => {
                let own = match by {
                    ApprovedBy::BreakGlass { by, .. } => Some(by.clone()),
                    _ => None,
                };
                (Told::Approved { by: people.clone() }, own)
            }
            EventKind::Decided {
                decision: Decision::Deny,
                rejected_by: Some(RejectedBy::Votes { .. }),
                people,
                reason,
                ..
            } => (Told::Denied { by: people.clone(), reason: reason.clone() }, None),
            EventKind::Expired { how } => (Told::Expired { how: *how }, None),
            EventKind::Revoked { why, by, name, reason } => {
                let who = || name.clone().unwrap_or_else(|| by.to_string());
                let told = match why {
                    // The agent knows.
                    RevokedWhy::Withdrawn => return None,
                    RevokedWhy::Revoked => Told::Revoked { by: who(), reason: reason.clone() },
                    RevokedWhy::Superseded { .. } => Told::Edited { by: who() },
                    RevokedWhy::Rejudged { .. } => Told::Stricter,
                    RevokedWhy::Forgotten { .. } => Told::Forgotten,
                };
                let own = match by {
                    Actor::Account(identity) => Some(identity.clone()),
                    _ => None,
                };
                (told, own)
            }
            _ => return None,
        };
        Some(told)
    }

    /// Who asked, each directly, or together where they asked in a thread.
    fn to_askers(&self, own: Option<&Identity>) -> Vec<Recipient> {
        let askers: Vec<_> = self.askers(own).collect();
        if !askers.is_empty() && Thread::is_asked_in(&self.next.proposal.requester.credential) {
            return vec![Recipient::Askers(askers)];
        }
        askers.into_iter().map(Recipient::Directly).collect()
    }

    /// The accounts of who asked that a chat can reach, but not who did it.
    fn askers<'a>(&'a self, own: Option<&'a Identity>) -> impl Iterator<Item = Identity> + 'a {
        let reached = |identity: &&Identity| identity.is_in_chat();
        let identities = self.next.proposal.requester.identities.iter().filter(reached);
        identities.filter(move |identity| own != Some(*identity)).cloned()
    }
}
