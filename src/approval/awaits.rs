//! Whether somebody's word is waited for.

use crate::approval::Approval;
use crate::approval::command::Facts;
use crate::approval::quorum::barred;
use crate::approval::state::State;
use crate::person::Identity;
use crate::time::Timestamp;

impl Approval {
    /// Whether a yes of this account would count now: people are asked, they are among those who are asked at this stage,
    /// are not behind it, and have not said anything yet. What they must have seen before, and whether they must give a
    /// reason, is not looked at.
    #[must_use]
    pub fn awaits(&self, identity: &Identity, facts: &Facts, now: Timestamp) -> bool {
        let State::WaitingApproval(waiting) = &self.state else { return false };
        let (Some(asked), Ok(member)) = (self.asked(), self.member(identity, facts, now)) else {
            return false;
        };
        if waiting.until <= now || self.covered(facts, now).is_err() {
            return false;
        }
        let Some(tally) = self.tally(&facts.electorate) else { return false };
        let has_voted = self.votes.iter().any(|vote| {
            !tally.lapsed.contains(&vote.identity)
                && facts.electorate.member(&vote.identity).is_some_and(|other| other.person == member.person)
        });
        !has_voted
            && self.is_asked(&asked, member, (tally.stage, facts))
            && barred(asked.terms, member, &self.proposal, &facts.electorate).is_none()
    }
}
