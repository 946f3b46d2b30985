//! What happens with a yes or a no while people are asked.

use crate::approval::command::{Ballot, Facts};
use crate::approval::decide::{Draft, drop_lapsed};
use crate::approval::quorum::{barred, roles_of_stage, would_help};
use crate::approval::state::{ApprovedBy, Decision, RejectedBy, Vote, Waiting};
use crate::approval::{Approval, Refusal};
use crate::id::Role;
use crate::person::{Identity, Member};
use crate::policy::Terms;
use crate::record::EventKind;

impl Approval {
    pub(super) fn vote(
        &self,
        draft: &mut Draft,
        waiting: &Waiting,
        ballot: &Ballot,
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let now = draft.now();
        if now >= waiting.until {
            return Err(Refusal::TooLate);
        }
        let terms = self.terms()?;
        self.covered(facts, now)?;
        let member = self.member(&ballot.identity, facts, now)?;
        let standing = self.tally(&facts.electorate).ok_or(Refusal::FactsStale)?;
        let stage = self.may_vote(terms, member, ballot, (standing.stage, facts))?;
        let said = self.votes.iter().find(|vote| {
            !standing.lapsed.contains(&vote.identity)
                && facts.electorate.member(&vote.identity).is_some_and(|other| other.person == member.person)
        });
        if said.is_some_and(|vote| vote.decision == ballot.decision) {
            return Err(Refusal::AlreadyVoted { decision: ballot.decision });
        }
        drop_lapsed(draft, &standing)?;
        if let Some(earlier) = said {
            draft.add(EventKind::TakenBack { identity: earlier.identity.clone() })?;
        }
        draft.add(EventKind::Voted {
            vote: Vote {
                identity: ballot.identity.clone(),
                person: member.person.clone(),
                name: member.name.clone(),
                decision: ballot.decision,
                note: ballot.note.clone(),
                at: now,
                stage,
                surface: ballot.surface.clone(),
                assurance: ballot.assurance,
                shown: ballot.shown,
                digest: self.digest,
                remember: ballot.remember,
                covers: 0,
                stands_in_for: member.stands_in_for.clone(),
            },
        })?;
        self.conclude(draft, terms, ballot, facts)
    }

    /// Whether this person may say this now, and for which stage it counts.
    fn may_vote(
        &self,
        terms: &Terms,
        member: &Member,
        ballot: &Ballot,
        (stage, facts): (u32, &Facts),
    ) -> Result<u32, Refusal> {
        let in_stage = |stage: u32| roles_of_stage(terms, stage).any(|role| member.roles.contains(role));
        // A no may come from anybody who is asked at any stage; a yes from who is asked now, or whose yes lets somebody
        // who decided an earlier stage count here.
        let stages = u32::try_from(terms.stages.len()).unwrap_or(u32::MAX);
        let counts_for = match ballot.decision {
            Decision::Approve => {
                let helps = would_help(terms, &self.votes, &facts.electorate, (member, stage));
                (in_stage(stage) || helps).then_some(stage)
            }
            Decision::Deny => (stage..stages).chain(0..stage).find(|stage| in_stage(*stage)),
        };
        let Some(counts_for) = counts_for else {
            let mut needs: Vec<Role> = roles_of_stage(terms, stage).cloned().collect();
            needs.dedup();
            return Err(Refusal::WrongRole { needs });
        };
        let own = barred(terms, member, &self.proposal.requester, &facts.electorate);
        if own {
            return Err(Refusal::OwnRequest);
        }
        if ballot.decision == Decision::Approve && !terms.partial_view_may_approve && !self.was_shown(ballot)
        {
            return Err(Refusal::NotShownInFull);
        }
        let reason_needed = match ballot.decision {
            Decision::Approve => terms.reason_for_yes,
            Decision::Deny => terms.reason_for_no,
        };
        if reason_needed && ballot.note.as_deref().is_none_or(|note| note.trim().is_empty()) {
            return Err(Refusal::ReasonRequired { decision: ballot.decision });
        }
        Ok(counts_for)
    }

    /// Whether a full rendering that this account saw is on record, under the digest that came with the vote.
    fn was_shown(&self, ballot: &Ballot) -> bool {
        ballot.shown.is_some_and(|shown| {
            self.renderings.iter().any(|rendering| {
                rendering.full
                    && rendering.shown == shown
                    && rendering.surface == ballot.surface
                    && rendering.viewer.as_ref().is_none_or(|viewer| *viewer == ballot.identity)
            })
        })
    }

    /// Decides, if the votes now suffice.
    fn conclude(
        &self,
        draft: &mut Draft,
        terms: &Terms,
        ballot: &Ballot,
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let Some(tally) = draft.approval().tally(&facts.electorate) else { return Err(Refusal::FactsStale) };
        let people = |decision: Decision| -> Vec<String> {
            let votes = draft.approval().votes.iter();
            votes.filter(|vote| vote.decision == decision).map(|vote| vote.name.clone()).collect()
        };
        let decided = if tally.denials >= terms.denials_to_reject.max(1) {
            EventKind::Decided {
                decision: Decision::Deny,
                approved_by: None,
                rejected_by: Some(RejectedBy::Votes { reason: ballot.note.clone() }),
                people: people(Decision::Deny),
                reason: ballot.note.clone(),
                claim_until: None,
            }
        } else if tally.is_complete() {
            EventKind::Decided {
                decision: Decision::Approve,
                approved_by: Some(ApprovedBy::Votes),
                rejected_by: None,
                people: people(Decision::Approve),
                reason: ballot.note.clone(),
                claim_until: Some(draft.now() + terms.valid_for),
            }
        } else {
            return Ok(());
        };
        draft.add(decided)?;
        Ok(())
    }

    pub(super) fn take_back(
        &self,
        draft: &mut Draft,
        identity: &Identity,
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let member = self.member(identity, facts, draft.now())?;
        let mut own =
            self.votes.iter().filter(|vote| vote.identity == *identity || vote.person == member.person);
        let vote = own.next().ok_or(Refusal::NoVote)?;
        draft.add(EventKind::TakenBack { identity: vote.identity.clone() })?;
        Ok(())
    }
}
