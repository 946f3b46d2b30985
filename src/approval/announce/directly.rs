//! Who is asked is told directly, where the policy says so: when a card is posted, when their stage begins, and when they are
//! asked because nobody else decided.

use super::Announced;
use crate::approval::{Approval, State};
use crate::id::Role;
use crate::notice::{Message, Notice, Recipient};
use crate::record::EventKind;

impl Announced<'_> {
    /// What is said to those who are asked from now on, once for everybody: who they are is found out when it is sent.
    pub(super) fn directly(&self) -> Option<Message> {
        let State::WaitingApproval(waiting) = &self.next.state else { return None };
        let verdict = self.next.verdict.as_deref()?;
        let terms = verdict.terms.as_ref().filter(|terms| terms.tell_directly)?;
        if !self.next.has_card() {
            return None;
        }
        let mut roles: Vec<Role> = Vec::new();
        for role in self.newly_asked() {
            if !roles.contains(&role) {
                roles.push(role);
            }
        }
        if roles.is_empty() {
            return None;
        }
        let notice = Notice::AskedDirectly {
            request: self.next.id,
            code: self.next.code.clone(),
            tool: self.next.proposal.call.full_name(),
            level: verdict.level,
            place: terms.places.first().cloned(),
            until: waiting.until,
        };
        Some(self.to(Recipient::Roles(roles), notice))
    }

    fn newly_asked(&self) -> Vec<Role> {
        let Some(asked) = self.next.asked() else { return Vec::new() };
        let is_new = self.events.iter().any(|event| matches!(event.kind, EventKind::Requested { .. }));
        let now = self.next.tally_as_voted();
        let before = self.before.and_then(Approval::tally_as_voted);
        let begun = match (&before, &now) {
            (Some(before), Some(now)) => now.stage > before.stage,
            _ => is_new,
        };
        let of_stage = now.filter(|_| begun).map(|tally| tally.needs).unwrap_or_default();
        let steps = self.events.iter().filter_map(|event| match event.kind {
            EventKind::Escalated { step } => asked.terms.escalation.get((step as usize).checked_sub(1)?),
            _ => None,
        });
        let as_well = steps.flat_map(|step| step.to.iter().cloned());
        of_stage.into_iter().map(|need| need.role).chain(as_well).collect()
    }
}
