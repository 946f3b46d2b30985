//! Why a policy says what it says of one call: every rule that is about its tool, what became of it, and who could
//! approve.

use serde::Serialize;

use super::case::Case;
use super::circumstances::Circumstances;
use super::electors::{Electors, nobody_outside};
use super::rule::{Policy, Rule, Rules};
use super::summary::Summary;
use super::verdict::{Level, RuleKind, Tier, Verdict};
use crate::approval::Proposal;
use crate::id::{PersonId, Role};
use crate::person::Standing;
use crate::time::Timestamp;

/// A verdict with all that led to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The verdict.
    pub verdict: Verdict,
    /// What it says, by name.
    pub summary: Summary,
    /// Every rule that is about the tool, in the order in which they are looked at.
    pub rules: Vec<Considered>,
    /// Who could approve, stage by stage; empty where nobody is asked.
    pub voters: Vec<StageVoters>,
    /// What to know besides.
    pub notes: Vec<String>,
}

/// What became of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Considered {
    /// Its name.
    pub rule: String,
    /// Its kind.
    pub kind: RuleKind,
    /// Why it is there.
    pub because: String,
    /// Its condition; none where it has none.
    pub when: Option<String>,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What became of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "why")]
pub enum Outcome {
    /// It matched, and counts.
    Matches,
    /// Its condition is not true here.
    NotHere,
    /// Its condition cannot be told here; it is taken in the stricter way.
    CannotTell(String),
    /// It matched, but an earlier rule did too: that one.
    TooLate(String),
    /// It was not looked at: the call is forbidden.
    NotAsked,
}

/// Who could approve in one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageVoters {
    /// How many of each role.
    pub groups: Vec<(u32, Role)>,
    /// Who of the policy's people has one of these roles then.
    pub people: Vec<(PersonId, String)>,
    /// Roles of which groups or schedules outside the policy say who has them.
    pub outside: Vec<Role>,
}

impl Policy {
    /// Why it says what it says of a call.
    #[must_use]
    pub fn explain(&self, proposal: &Proposal, circumstances: &Circumstances) -> Explanation {
        let verdict = self.judge(proposal, circumstances);
        let seen = self.seen(&proposal.call);
        let cases = seen.cases(self, proposal, circumstances);
        let ground = cases.ground.as_ref();
        let mut rules = ground.map_or_else(Vec::new, |(ground, case)| about(&ground.policy.forbids, case));
        rules.extend(about(&self.forbids, &cases.own));
        let forbidden = verdict.tier == Tier::Forbid
            && verdict.rules.first().is_some_and(|hit| hit.kind == RuleKind::Forbid);
        let mut graded = about(&self.rules, &cases.own);
        let mut raises = Vec::new();
        if let Some((ground, case)) = ground {
            graded.extend(about(&ground.rules, case));
            raises.extend(about(&ground.policy.raises, case));
        }
        first_counts(&mut graded);
        // A fixed rule of the installation counts whatever stands before it.
        for rule in &mut graded {
            let counts = verdict.rules.iter().any(|hit| hit.rule == rule.rule);
            if counts && matches!(rule.outcome, Outcome::TooLate(_)) {
                rule.outcome = Outcome::Matches;
            }
        }
        raises.extend(about(&self.raises, &cases.own));
        if forbidden {
            for rule in graded.iter_mut().chain(&mut raises) {
                rule.outcome = Outcome::NotAsked;
            }
        }
        rules.extend(graded);
        rules.extend(raises);
        let mut notes = Vec::new();
        if !forbidden && !self.is_graded(&rules) {
            notes.push(format!("no rule matches: the default holds, level {}", self.default_level()));
        }
        if let Some(shadow) = &verdict.shadow {
            notes.push(format!("the policy only looks on here: it would have been {}", shadow.tier));
        }
        if verdict.always_ask {
            notes.push("people are asked whatever was remembered".to_owned());
        }
        let voters = self.voters(proposal, &verdict, circumstances.at, &mut notes);
        Explanation { summary: Summary::of(&verdict), verdict, rules, voters, notes }
    }

    fn is_graded(&self, rules: &[Considered]) -> bool {
        rules.iter().any(|rule| rule.kind == RuleKind::Rule && rule.outcome == Outcome::Matches)
    }

    fn default_level(&self) -> Level {
        self.default.level
    }

    fn voters(
        &self,
        proposal: &Proposal,
        verdict: &Verdict,
        at: Timestamp,
        notes: &mut Vec<String>,
    ) -> Vec<StageVoters> {
        let Some(terms) = verdict.terms.as_ref().or_else(|| verdict.shadow.as_ref()?.terms.as_ref()) else {
            return Vec::new();
        };
        let mut electors = Electors::at(self.people(), at);
        let rolls = nobody_outside(self.people(), at);
        for identity in &proposal.requester.identities {
            if let Standing::Member(asker) = self.people().standing(identity, &rolls, at)
                && !terms.requester_may_approve
                && electors.people.iter().any(|elector| elector.person == asker.person)
            {
                notes.push(format!("{} asks, and so does not approve", asker.name));
                electors = electors.without(&asker.person);
            }
        }
        if !electors.can_fill(terms) {
            notes.push("too few people are there who may approve: nobody could answer".to_owned());
        }
        let voters = terms.stages.iter().map(|stage| {
            let roles: Vec<&Role> = stage.groups.iter().map(|group| &group.role).collect();
            let has_one =
                |has: &std::collections::BTreeSet<Role>| roles.iter().any(|role| has.contains(*role));
            let people = electors.people.iter().filter(|elector| has_one(&elector.roles));
            StageVoters {
                groups: stage.groups.iter().map(|group| (group.count, group.role.clone())).collect(),
                people: people.map(|elector| (elector.person.clone(), elector.name.clone())).collect(),
                outside: roles
                    .iter()
                    .filter(|role| electors.is_open(role))
                    .map(|role| (*role).clone())
                    .collect(),
            }
        });
        voters.collect()
    }
}

/// Every rule of a kind that is about the call's tool, by itself.
fn about<S>(rules: &Rules<S>, case: &Case<'_>) -> Vec<Considered> {
    let considered = |rule: &Rule<S>| Considered {
        rule: rule.hit.rule.clone(),
        kind: rule.hit.kind,
        because: rule.hit.because.clone(),
        when: rule.when.as_ref().map(|when| when.text().to_owned()),
        outcome: match rule.when.as_ref().map_or(Ok(true), |when| when.holds(case)) {
            Ok(true) => Outcome::Matches,
            Ok(false) => Outcome::NotHere,
            Err(why) => Outcome::CannotTell(why),
        },
    };
    rules.about(case.call()).map(considered).collect()
}

/// Of rules that grade, the first that matches counts.
fn first_counts(rules: &mut [Considered]) {
    let mut first: Option<String> = None;
    for rule in rules {
        match (&rule.outcome, &first) {
            (Outcome::Matches | Outcome::CannotTell(_), Some(first)) => {
                rule.outcome = Outcome::TooLate(first.clone());
            }
            (Outcome::Matches, None) => first = Some(rule.rule.clone()),
            _ => {}
        }
    }
}
