//! Whether the votes suffice: distinct people, groups of a stage, stages in order.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::approval::state::{Decision, Vote};
use crate::approval::{Proposal, Refusal, seats};
use crate::id::{PersonId, Role};
use crate::person::{Electorate, Identity, Member};
use crate::policy::{EscalationStep, Group, Terms};

/// How the votes stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The first stage that is not full; the number of stages when all are.
    pub stage: u32,
    /// How many stages there are.
    pub stages: u32,
    /// What that stage asks for, and has.
    pub needs: Vec<Need>,
    /// Distinct people whose no counts.
    pub denials: u32,
    /// Accounts whose votes no longer count.
    pub lapsed: Vec<Identity>,
}

/// What one group asks for, and has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// Which role.
    pub role: Role,
    /// How many.
    pub count: u32,
    /// How many it has.
    pub have: u32,
}

/// Who is asked: the people of the stages, and since the escalation steps that were taken, those of other roles as well.
/// Those may take any place of the stage that is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The terms.
    pub(crate) terms: &'a Terms,
    /// How many escalation steps were taken.
    pub(crate) escalations: u32,
}

impl<'a> Asked<'a> {
    /// The steps that were taken.
    pub(crate) fn steps(&self) -> &'a [EscalationStep] {
        let taken = self.terms.escalation.len().min(self.escalations as usize);
        self.terms.escalation.get(..taken).unwrap_or_default()
    }

    /// The roles that are asked beside those of the stages.
    pub(crate) fn as_well(&self) -> impl Iterator<Item = &'a Role> + use<'a> {
        self.steps().iter().flat_map(|step| &step.to)
    }

    /// The roles whose people may say yes at this stage, each once.
    pub(crate) fn roles_at(&self, stage: u32) -> Vec<Role> {
        let mut roles: Vec<Role> = Vec::new();
        for role in roles_of_stage(self.terms, stage).chain(self.as_well()) {
            if !roles.contains(role) {
                roles.push(role.clone());
            }
        }
        roles
    }

    /// The roles whose people may say yes at any stage, each once.
    pub(crate) fn roles(&self) -> Vec<Role> {
        let stages = u32::try_from(self.terms.stages.len()).unwrap_or(u32::MAX);
        let mut roles: Vec<Role> = (0..stages).flat_map(|stage| self.roles_at(stage)).collect();
        roles.sort();
        roles.dedup();
        roles
    }

    /// Whether somebody of these roles is asked at this stage.
    pub(super) fn asks(&self, member: &Member, stage: u32) -> bool {
        roles_of_stage(self.terms, stage).chain(self.as_well()).any(|role| member.roles.contains(role))
    }

    /// The roles for which a yes at this stage counts: their own, and for who is asked by an escalation step, those of
    /// the stage as well.
    pub(super) fn counts_for(&self, member: &Member, stage: u32) -> BTreeSet<Role> {
        let asked = self.roles();
        self.worth(member, stage).into_iter().filter(|role| asked.contains(role)).collect()
    }

    /// The same with all roles that they have.
    fn worth(&self, member: &Member, stage: u32) -> BTreeSet<Role> {
        let mut roles = member.roles.clone();
        if self.as_well().any(|role| member.roles.contains(role)) {
            roles.extend(roles_of_stage(self.terms, stage).cloned());
        }
        roles
    }
}

/// A vote with the person it is worth now.
struct Counted<'a> {
    vote: &'a Vote,
    person: PersonId,
    roles: BTreeSet<Role>,
}

impl Tally {
    /// Counts the votes by what their accounts are worth now.
    #[must_use]
    pub(crate) fn of(
        asked: &Asked<'_>,
        votes: &[Vote],
        electorate: &Electorate,
        proposal: &Proposal,
    ) -> Self {
        let mut lapsed = Vec::new();
        let mut counted = Vec::new();
        for vote in votes {
            match electorate.member(&vote.identity) {
                Some(member)
                    if eligible(asked, member, vote.stage)
                        && barred(asked.terms, member, proposal, electorate).is_none() =>
                {
                    counted.push(Counted {
                        vote,
                        person: member.person.clone(),
                        roles: asked.worth(member, vote.stage),
                    });
                }
                Some(_) | None => lapsed.push(vote.identity.clone()),
            }
        }
        count(asked.terms, &counted, lapsed)
    }

    /// Counts the votes as they stood when they were given, for showing only.
    #[must_use]
    pub fn as_voted(terms: &Terms, votes: &[Vote]) -> Self {
        let counted: Vec<_> = votes
            .iter()
            .map(|vote| Counted { vote, person: vote.person.clone(), roles: vote.roles.clone() })
            .collect();
        count(terms, &counted, Vec::new())
    }

    /// Whether every stage is full.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.stage >= self.stages
    }
}

/// The roles that a stage asks for.
pub(super) fn roles_of_stage(terms: &Terms, stage: u32) -> impl Iterator<Item = &Role> {
    terms
        .stages
        .get(stage as usize)
        .into_iter()
        .flat_map(|stage| stage.groups.iter().map(|group| &group.role))
}

fn eligible(asked: &Asked<'_>, member: &Member, stage: u32) -> bool {
    (0..=stage).any(|stage| asked.asks(member, stage))
}

/// Why the own vote of this person does not count, if they are behind the request: they asked for it, or changed it.
pub(super) fn barred(
    terms: &Terms,
    member: &Member,
    proposal: &Proposal,
    electorate: &Electorate,
) -> Option<Refusal> {
    let is_theirs = |identity: &Identity| {
        electorate.member(identity).is_some_and(|behind| behind.person == member.person)
    };
    if terms.requester_may_approve {
        None
    } else if proposal.requester.identities.iter().any(is_theirs) {
        Some(Refusal::OwnRequest)
    } else {
        proposal.edited.as_ref().filter(|edited| edited.editors().any(is_theirs)).map(|_| Refusal::OwnEdit)
    }
}

fn count(terms: &Terms, votes: &[Counted<'_>], lapsed: Vec<Identity>) -> Tally {
    let deniers: BTreeSet<_> =
        votes.iter().filter(|c| c.vote.decision == Decision::Deny).map(|c| c.person.clone()).collect();
    let stages = u32::try_from(terms.stages.len()).unwrap_or(u32::MAX);
    let mut current = stages;
    let mut needs = Vec::new();
    for (index, stage) in (0..).zip(&terms.stages) {
        let groups = groups_up_to(terms, index);
        let filled = fill(&groups, &people_up_to(votes, &deniers, index));
        if groups.iter().zip(&filled).any(|(group, have)| *have < group.count) {
            current = index;
            let here = filled.into_iter().skip(groups.len() - stage.groups.len());
            needs = stage
                .groups
                .iter()
                .zip(here)
                .map(|(group, have)| Need { role: group.role.clone(), count: group.count, have })
                .collect();
            break;
        }
    }
    Tally { stage: current, stages, needs, denials: u32::try_from(deniers.len()).unwrap_or(u32::MAX), lapsed }
}

/// The groups of a stage and of all before it. They are filled together: who decided an earlier stage may be needed
/// in this one, once somebody else can take the place there. Nobody counts twice.
fn groups_up_to(terms: &Terms, stage: u32) -> Vec<Group> {
    seats::groups(&terms.stages[..terms.stages.len().min(stage as usize + 1)])
}

/// The people who said yes up to a stage, each once.
fn people_up_to<'a>(
    votes: &'a [Counted<'_>],
    deniers: &BTreeSet<PersonId>,
    stage: u32,
) -> Vec<(&'a PersonId, &'a BTreeSet<Role>)> {
    let mut people: Vec<(&PersonId, &BTreeSet<Role>)> = Vec::new();
    for c in votes.iter().filter(|c| c.vote.decision == Decision::Approve && c.vote.stage <= stage) {
        if !deniers.contains(&c.person) && people.iter().all(|(person, _)| **person != c.person) {
            people.push((&c.person, &c.roles));
        }
    }
    people
}

/// Whether this person's yes would take a place that is still open at this stage, by itself or by letting somebody
/// else move to where they are needed.
pub(super) fn would_help(
    asked: &Asked<'_>,
    votes: &[Vote],
    electorate: &Electorate,
    (member, stage): (&Member, u32),
) -> bool {
    let standing: Vec<(&PersonId, BTreeSet<Role>)> = votes
        .iter()
        .filter(|vote| vote.decision == Decision::Approve && vote.stage <= stage)
        .filter_map(|vote| Some((electorate.member(&vote.identity)?, vote.stage)))
        .filter(|(other, _)| other.person != member.person)
        .map(|(other, stage)| (&other.person, asked.worth(other, stage)))
        .collect();
    let standing: Vec<_> = standing.iter().map(|(person, roles)| (*person, roles)).collect();
    let own = asked.worth(member, stage);
    let groups = groups_up_to(asked.terms, stage);
    let places = |people: &[(&PersonId, &BTreeSet<Role>)]| -> u32 { fill(&groups, people).iter().sum() };
    let with: Vec<_> = standing.iter().copied().chain([(&member.person, &own)]).collect();
    places(&with) > places(&standing)
}

/// How many places of each group these people take.
fn fill(groups: &[Group], people: &[(&PersonId, &BTreeSet<Role>)]) -> Vec<u32> {
    let roles: Vec<_> = people.iter().map(|(_, roles)| *roles).collect();
    let taken = |seated: Vec<usize>| u32::try_from(seated.len()).unwrap_or(u32::MAX);
    seats::fill(groups, &roles).into_iter().map(taken).collect()
}
