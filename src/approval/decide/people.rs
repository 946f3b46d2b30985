//! Who people are, and what they may do beside voting.

use crate::approval::command::{Actor, Facts};
use crate::approval::decide::Draft;
use crate::approval::quorum::barred;
use crate::approval::state::{
    Approved, ApprovedBy, Decision, Executed, Executing, RejectedBy, RevokedWhy, State,
};
use crate::approval::{Approval, Refusal};
use crate::person::{Identity, Member, NoStanding, Standing};
use crate::record::EventKind;
use crate::time::Timestamp;

impl Approval {
    /// Somebody who may takes it back before it runs.
    pub(super) fn revoke(
        &self,
        draft: &mut Draft,
        (by, reason): (&Actor, Option<&str>),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let name = self.steward(by, facts, draft.now)?;
        let (why, by, reason) = (RevokedWhy::Revoked, by.clone(), reason.map(ToOwned::to_owned));
        draft.add(EventKind::Revoked { why, by, name, reason })?;
        Ok(())
    }

    /// Too late to take it back: whoever runs it is told at the next heartbeat.
    pub(super) fn request_stop(
        &self,
        draft: &mut Draft,
        executing: &Executing,
        (by, reason): (&Actor, Option<&str>),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        self.steward(by, facts, draft.now)?;
        if executing.stop.is_none() {
            let reason = reason.map(ToOwned::to_owned);
            draft.add(EventKind::StopRequested { by: by.clone(), reason })?;
        }
        Ok(())
    }

    /// Facts that are fresh and cover everybody on whom a decision rests.
    pub(in crate::approval) fn covered(&self, facts: &Facts, now: Timestamp) -> Result<(), Refusal> {
        if !facts.electorate.is_fresh(now) {
            return Err(Refusal::FactsStale);
        }
        for account in self.accounts() {
            match facts.electorate.standing(account) {
                None => return Err(Refusal::FactsStale),
                // A surface that cannot tell must not cost anybody their vote: nothing is decided until it can.
                Some(Standing::None(NoStanding::Unreadable(why))) => {
                    return Err(Refusal::NoStanding(NoStanding::Unreadable(why.clone())));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The person behind an account, by fresh facts.
    pub(in crate::approval) fn member<'a>(
        &self,
        identity: &Identity,
        facts: &'a Facts,
        now: Timestamp,
    ) -> Result<&'a Member, Refusal> {
        if !facts.electorate.is_fresh(now) {
            return Err(Refusal::FactsStale);
        }
        match facts.electorate.standing(identity) {
            None => Err(Refusal::FactsStale),
            Some(Standing::None(why)) => Err(Refusal::NoStanding(why.clone())),
            Some(Standing::Member(member)) => Ok(member),
        }
    }

    /// Somebody who may decide it, or looks after all, wants the very same call asked about again, although people said no:
    /// not who is behind it, whose asking is what people said no to.
    pub(super) fn ask_anew(
        &self,
        draft: &mut Draft,
        identity: &Identity,
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let asked = self.asked().ok_or(Refusal::FactsStale)?;
        let member = self.member(identity, facts, draft.now())?;
        let mut needs = asked.roles();
        needs.extend(facts.stewards.iter().filter(|role| !needs.contains(role)).cloned().collect::<Vec<_>>());
        if !member.roles.iter().any(|role| needs.contains(role)) {
            return Err(Refusal::NotAllowed { needs });
        }
        if let Some(own) = barred(asked.terms, member, &self.proposal, &facts.electorate) {
            return Err(own);
        }
        if self.ask_anew.is_none() {
            draft.add(EventKind::AskedAnew { by: identity.clone(), name: member.name.clone() })?;
        }
        Ok(())
    }

    /// Whoever may revoke, settle and break glass: a managing credential, Placet, or a person with such a role.
    pub(super) fn steward(
        &self,
        by: &Actor,
        facts: &Facts,
        now: Timestamp,
    ) -> Result<Option<String>, Refusal> {
        match by {
            Actor::Manager(_) | Actor::Placet => Ok(None),
            Actor::Account(identity) => {
                let member = self.member(identity, facts, now)?;
                if member.roles.iter().any(|role| facts.stewards.contains(role)) {
                    Ok(Some(member.name.clone()))
                } else {
                    Err(Refusal::NotAllowed { needs: facts.stewards.clone() })
                }
            }
            Actor::Agent(_) | Actor::Executor(_) => {
                Err(Refusal::NotAllowed { needs: facts.stewards.clone() })
            }
        }
    }

    /// The names of those whose votes these accounts gave.
    pub(super) fn names_of(&self, accounts: &[Identity]) -> Vec<String> {
        self.votes
            .iter()
            .filter(|vote| accounts.contains(&vote.identity))
            .map(|vote| vote.name.clone())
            .collect()
    }

    /// Who decided, by name; empty where no person did.
    #[must_use]
    pub fn decided_by(&self) -> Vec<String> {
        let names = |decision| {
            self.votes
                .iter()
                .filter(move |vote| vote.decision == decision)
                .map(|vote| vote.name.clone())
                .collect()
        };
        match &self.state {
            State::Rejected(rejected) if matches!(rejected.by, RejectedBy::Votes { .. }) => {
                names(Decision::Deny)
            }
            State::Approved(Approved { by, .. })
            | State::Executing(Executing { by, .. })
            | State::Executed(Executed { by, .. }) => match by {
                ApprovedBy::Votes => names(Decision::Approve),
                ApprovedBy::BreakGlass { name, .. } => vec![name.clone()],
                ApprovedBy::Remembered { names, .. } => names.clone(),
                ApprovedBy::Policy | ApprovedBy::Timeout => Vec::new(),
            },
            State::Revoked(revoked) => revoked.name.iter().cloned().collect(),
            State::Proposed
            | State::PolicyChecking
            | State::WaitingApproval(_)
            | State::Rejected(_)
            | State::Expired(_) => Vec::new(),
        }
    }
}
