//! What happens with a yes or a no while people are asked.

use std::sync::Arc;

use crate::approval::command::{Ballot, Facts};
use crate::approval::decide::{Draft, drop_lapsed};
use crate::approval::quorum::{Asked, barred, would_help};
use crate::approval::state::{ApprovedBy, Decision, RejectedBy, Rendering, Vote};
use crate::approval::{Approval, Refusal, Tally};
use crate::call::ShownDigest;
use crate::id::SurfaceName;
use crate::person::{Identity, Member};
use crate::policy::Terms;
use crate::record::EventKind;
use crate::remembered::Remembered;

impl Approval {
    /// A yes or a no, as it arrived on this request's own card, or on the one that it shares.
    pub(super) fn cast(&self, draft: &mut Draft, ballot: &Ballot, facts: &Facts) -> Result<(), Refusal> {
        let now = draft.now();
        let asked = self.asked().ok_or(Refusal::FactsStale)?;
        self.covered(facts, now)?;
        let member = self.member(&ballot.identity, facts, now)?;
        let standing = self.tally(&facts.electorate).ok_or(Refusal::FactsStale)?;
        let stage = self.may_vote(&asked, member, ballot, (standing.stage, facts))?;
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
                covers: self.covered_by(ballot),
                given_on: ballot.given_on,
                stands_in_for: member.stands_in_for.clone(),
                roles: asked.counts_for(member, stage),
            },
        })?;
        self.conclude(draft, asked.terms, ballot, facts)
    }

    /// Whether this person may say this now, and for which stage it counts.
    fn may_vote(
        &self,
        asked: &Asked<'_>,
        member: &Member,
        ballot: &Ballot,
        (stage, facts): (u32, &Facts),
    ) -> Result<u32, Refusal> {
        let terms = asked.terms;
        // A no may come from anybody who is asked at any stage; a yes from who is asked now, or whose yes lets somebody
        // who decided an earlier stage count here.
        let stages = u32::try_from(terms.stages.len()).unwrap_or(u32::MAX);
        let counts_for = match ballot.decision {
            Decision::Approve => self.is_asked(asked, member, (stage, facts)).then_some(stage),
            Decision::Deny => (stage..stages).chain(0..stage).find(|stage| asked.asks(member, *stage)),
        };
        let Some(counts_for) = counts_for else {
            return Err(Refusal::WrongRole { needs: asked.roles_at(stage) });
        };
        if let Some(own) = barred(terms, member, &self.proposal, &facts.electorate) {
            return Err(own);
        }
        let needs = match ballot.decision {
            Decision::Approve => terms.assurance,
            Decision::Deny => terms.assurance_for_no,
        };
        if ballot.assurance < needs {
            return Err(Refusal::LowAssurance { needs });
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

    /// Whether this person's yes counts for the stage that is asked.
    pub(super) fn is_asked(&self, asked: &Asked<'_>, member: &Member, (stage, facts): (u32, &Facts)) -> bool {
        asked.asks(member, stage) || would_help(asked, &self.votes, &facts.electorate, (member, stage))
    }

    /// Whether a full rendering that this account saw is on record, under the digest that came with the vote. A vote on
    /// the card that this one shares was given on seeing that.
    fn was_shown(&self, ballot: &Ballot) -> bool {
        match ballot.given_on {
            Some(leader) => self.shares == Some(leader),
            None => self.seen_with(ballot).any(|rendering| rendering.full),
        }
    }

    /// How many calls beside this one the card named that this account saw. What is named is part of what has the digest,
    /// so that renderings of one digest name the same; one that was put on record without it names none.
    fn covered_by(&self, ballot: &Ballot) -> u32 {
        self.seen_with(ballot).map(|rendering| rendering.covers).max().unwrap_or_default()
    }

    /// What is on record of what the account saw with which this vote came.
    fn seen_with<'a>(&'a self, ballot: &'a Ballot) -> impl Iterator<Item = &'a Rendering> {
        let own = ballot.shown.filter(|_| ballot.given_on.is_none());
        self.seen(own, &ballot.surface, &ballot.identity)
    }

    /// What is on record of what this account saw there, under the digest that came with what it says.
    pub(super) fn seen<'a>(
        &'a self,
        shown: Option<ShownDigest>,
        surface: &'a SurfaceName,
        viewer: &'a Identity,
    ) -> impl Iterator<Item = &'a Rendering> {
        self.renderings.iter().filter(move |rendering| {
            shown == Some(rendering.shown)
                && rendering.surface == *surface
                && rendering.viewer.as_ref().is_none_or(|one| one == viewer)
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
        let remembered = if tally.is_complete() { self.remembered(draft, &tally) } else { None };
        draft.add(decided)?;
        if let Some(remembered) = remembered {
            draft.add(EventKind::Remembered { remembered: Arc::new(remembered) })?;
        }
        Ok(())
    }

    /// What is remembered from now on: where the policy offers it, and everybody whose yes counts chose it.
    fn remembered(&self, draft: &Draft, tally: &Tally) -> Option<Remembered> {
        let verdict = self.verdict.as_ref().filter(|verdict| !verdict.always_ask)?;
        let offer = verdict.remember.as_ref()?;
        let session = self.proposal.session.clone()?;
        let counts =
            |vote: &&Vote| vote.decision == Decision::Approve && !tally.lapsed.contains(&vote.identity);
        let votes: Vec<&Vote> = draft.approval().votes.iter().filter(counts).collect();
        if votes.is_empty() || votes.iter().any(|vote| !vote.remember || vote.given_on.is_some()) {
            return None;
        }
        let call = &self.proposal.call;
        Some(Remembered {
            id: self.id,
            tenant: self.tenant.clone(),
            agent: call.agent.clone(),
            session,
            server: call.server.clone(),
            tool: call.tool.clone(),
            pattern: offer.pattern.clone(),
            requester: self.proposal.requester.identities.iter().cloned().collect(),
            verdict: Arc::clone(verdict),
            by: votes.iter().map(|vote| vote.identity.clone()).collect(),
            names: votes.iter().map(|vote| vote.name.clone()).collect(),
            roles: self.asked()?.roles(),
            since: draft.now(),
            until: draft.now() + offer.within,
            forgotten: None,
        })
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
