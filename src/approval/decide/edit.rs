//! An edit before the decision: a new request takes the place of this one, and its votes begin anew. Who edited is behind
//! the new one as who asked is: of what they made, others than they must say that it may run, unless the policy lets who
//! asks approve.

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
        // Who changed it may change it again: that is no vote.
        match barred(asked.terms, member, &self.proposal, &facts.electorate) {
            None | Some(Refusal::OwnEdit) => {}
            Some(own) => return Err(own),
        }
        let (why, by) = (RevokedWhy::Superseded { by }, Actor::Account(identity.clone()));
        draft.add(EventKind::Revoked { why, by, name: Some(member.name.clone()), reason: None })?;
        Ok(())
    }
}
