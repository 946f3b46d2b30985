//! Break-glass: one person decides alone in an emergency, and another reviews it afterwards.
//!
//! It stands in for the people who would be asked, and for nothing else: who decides alone must have been shown the whole
//! call, from where the rule wants a yes to come, as for any yes; and what is forbidden, held or frozen is refused at the
//! claim as for any approval.

use crate::approval::command::{Alone, Facts};
use crate::approval::decide::Draft;
use crate::approval::state::{ApprovedBy, Decision};
use crate::approval::{Alarm, Approval, Refusal};
use crate::person::{Identity, Member};
use crate::record::EventKind;

impl Approval {
    pub(super) fn break_glass(&self, draft: &mut Draft, alone: &Alone, facts: &Facts) -> Result<(), Refusal> {
        let (now, terms) = (draft.now(), self.terms()?);
        let Alone { identity, reason, surface, assurance, shown } = alone;
        let member = self.member(identity, facts, now)?;
        if !member.roles.iter().any(|role| facts.glass_breakers.contains(role)) {
            return Err(Refusal::NotAllowed { needs: facts.glass_breakers.clone() });
        }
        if self.is_behind(member, facts) {
            return Err(Refusal::OwnRequest);
        }
        if *assurance < terms.assurance {
            return Err(Refusal::LowAssurance { needs: terms.assurance });
        }
        let mut seen = self.seen(*shown, surface, identity);
        if !terms.partial_view_may_approve && !seen.any(|rendering| rendering.full) {
            return Err(Refusal::NotShownInFull);
        }
        if reason.trim().is_empty() {
            return Err(Refusal::ReasonRequired { decision: Decision::Approve });
        }
        let by = ApprovedBy::BreakGlass {
            by: identity.clone(),
            person: member.person.clone(),
            name: member.name.clone(),
            reason: reason.clone(),
            surface: Some(surface.clone()),
            assurance: *assurance,
            shown: *shown,
        };
        draft
            .add(EventKind::Decided {
                decision: Decision::Approve,
                approved_by: Some(by),
                rejected_by: None,
                people: vec![member.name.clone()],
                reason: Some(reason.clone()),
                claim_until: Some(now + terms.valid_for),
            })?
            .add(EventKind::AlarmRaised { alarm: Alarm::GlassBroken })?;
        Ok(())
    }

    /// Somebody who could have decided it looks at what one person decided alone.
    pub(super) fn review(
        &self,
        draft: &mut Draft,
        (identity, note): (&Identity, Option<&str>),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let (Some(glass), Some(asked)) = (&self.glass, self.asked()) else { return Err(Refusal::FactsStale) };
        let reviewer = self.member(identity, facts, draft.now())?;
        let breaker = facts.electorate.member(&glass.by).map(|member| &member.person);
        let own =
            *identity == glass.by || reviewer.person == glass.person || breaker == Some(&reviewer.person);
        if own || self.is_behind(reviewer, facts) {
            return Err(Refusal::OwnRequest);
        }
        let mut needs = asked.roles();
        needs.extend(facts.stewards.iter().filter(|role| !needs.contains(role)).cloned().collect::<Vec<_>>());
        if !reviewer.roles.iter().any(|role| needs.contains(role)) {
            return Err(Refusal::NotAllowed { needs });
        }
        if self.awaits_review() {
            draft.add(EventKind::Reviewed {
                by: identity.clone(),
                name: reviewer.name.clone(),
                note: note.map(ToOwned::to_owned),
            })?;
        }
        Ok(())
    }

    /// Whether this is a person behind the request, whatever the terms let them do.
    fn is_behind(&self, member: &Member, facts: &Facts) -> bool {
        let mut people = self.proposal.behind().filter_map(|identity| facts.electorate.member(identity));
        people.any(|behind| behind.person == member.person)
    }
}
