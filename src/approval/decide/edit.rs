//! An edit before the decision: a new request takes the place of this one, and its votes begin anew.

use crate::approval::command::{Actor, Facts};
use crate::approval::decide::Draft;
use crate::approval::quorum::barred;
use crate::approval::state::RevokedWhy;
use crate::approval::{Approval, Refusal};
use crate::id::RequestId;
use crate::person::Identity;
use crate::record::EventKind;

impl Approval {
    /// An edited request takes the place of this one, by somebody who could say yes to it now.
    pub(super) fn supersede(
        &self,
        draft: &mut Draft,
        (by, identity): (RequestId, &Identity),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let asked = self.asked().ok_or(Refusal::FactsStale)?;
        if !asked.terms.may_edit {
            return Err(Refusal::MayNotEdit);
        }
        self.covered(facts, draft.now())?;
        let member = self.member(identity, facts, draft.now())?;
        let stage = self.tally(&facts.electorate).ok_or(Refusal::FactsStale)?.stage;
        if !self.is_asked(&asked, member, (stage, facts)) {
            return Err(Refusal::WrongRole { needs: asked.roles_at(stage) });
        }
        if barred(asked.terms, member, &self.proposal.requester, &facts.electorate) {
            return Err(Refusal::OwnRequest);
        }
        let (why, by) = (RevokedWhy::Superseded { by }, Actor::Account(identity.clone()));
        draft.add(EventKind::Revoked { why, by, name: Some(member.name.clone()), reason: None })?;
        Ok(())
    }
}
