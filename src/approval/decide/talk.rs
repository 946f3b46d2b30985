//! What is said while people are asked that is neither yes nor no. Nothing of it moves the time to decide.

use crate::approval::command::{Actor, Facts};
use crate::approval::decide::Draft;
use crate::approval::state::State;
use crate::approval::talk::{Addressee, LOOKING_FOR, LOOKING_MAX, Looking, QUESTIONS_MAX};
use crate::approval::{Approval, Refusal};
use crate::id::SurfaceName;
use crate::person::{Identity, Member};
use crate::record::EventKind;

impl Approval {
    /// A question to the agent or to who asked for it, by somebody who may decide it at some stage, or looks after all.
    pub(super) fn ask(
        &self,
        draft: &mut Draft,
        (identity, to): (&Identity, Addressee),
        (text, surface): (&str, Option<&SurfaceName>),
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let name = self.concerned(identity, facts, draft)?.name.clone();
        let State::WaitingApproval(waiting) = &draft.approval().state else { return Ok(()) };
        if waiting.questions.len() >= QUESTIONS_MAX {
            return Err(Refusal::TooManyQuestions);
        }
        let (by, text) = (identity.clone(), text.to_owned());
        draft.add(EventKind::Asked { by, name, to, text, surface: surface.cloned() })?;
        Ok(())
    }

    /// An answer, by whom the question was to. None of them is named: the oldest of theirs that is open is meant.
    pub(super) fn answer(
        &self,
        draft: &mut Draft,
        (by, question): (&Actor, Option<u32>),
        text: &str,
        facts: &Facts,
    ) -> Result<(), Refusal> {
        let (to, name) = match by {
            Actor::Agent(_) | Actor::Placet => (Addressee::Agent, None),
            Actor::Account(identity) => (Addressee::Requester, Some(self.asker(identity, facts)?)),
            Actor::Executor(_) | Actor::Manager(_) => return Err(Refusal::NotAskedOfYou),
        };
        let State::WaitingApproval(waiting) = &draft.approval().state else { return Ok(()) };
        let mut all = (1_u32..).zip(&waiting.questions);
        let found = match question {
            Some(wanted) => all.find(|(number, _)| *number == wanted),
            None => all.find(|(_, question)| question.to == to && question.answer.is_none()),
        };
        let (number, question) = found.ok_or(Refusal::NoOpenQuestion)?;
        if question.to != to {
            return Err(Refusal::NotAskedOfYou);
        }
        if question.answer.is_some() {
            return Err(Refusal::NoOpenQuestion);
        }
        let (by, text) = (by.clone(), text.to_owned());
        draft.add(EventKind::Answered { by, name, question: number, text })?;
        Ok(())
    }

    /// Somebody who may decide it looks, or, if they looked, no longer does.
    pub(super) fn look(&self, draft: &mut Draft, identity: &Identity, facts: &Facts) -> Result<(), Refusal> {
        let now = draft.now();
        let member = self.concerned(identity, facts, draft)?;
        let State::WaitingApproval(waiting) = &draft.approval().state else { return Ok(()) };
        if let Some(looking) = waiting.looking.iter().find(|looking| looking.person == member.person) {
            let by = looking.by.clone();
            draft.add(EventKind::LooksAway { by })?;
            return Ok(());
        }
        let first = waiting.looking.first().filter(|_| waiting.looking.len() >= LOOKING_MAX);
        if let Some(by) = first.map(|looking| looking.by.clone()) {
            draft.add(EventKind::LooksAway { by })?;
        }
        let looking = Looking {
            by: identity.clone(),
            person: member.person.clone(),
            name: member.name.clone(),
            since: now,
            until: now + LOOKING_FOR,
        };
        draft.add(EventKind::Looks { looking })?;
        Ok(())
    }

    /// Somebody who may decide it at some stage, or looks after all.
    fn concerned<'a>(
        &self,
        identity: &Identity,
        facts: &'a Facts,
        draft: &Draft,
    ) -> Result<&'a Member, Refusal> {
        let asked = self.asked().ok_or(Refusal::FactsStale)?;
        let member = self.member(identity, facts, draft.now())?;
        let mut roles = asked.roles();
        if member.roles.iter().any(|role| roles.contains(role) || facts.stewards.contains(role)) {
            return Ok(member);
        }
        roles.dedup();
        Err(Refusal::WrongRole { needs: roles })
    }

    /// The name of who asked for it, if this is they: through the account that is on record, or another of the same person.
    fn asker(&self, identity: &Identity, facts: &Facts) -> Result<String, Refusal> {
        let requester = &self.proposal.requester;
        let member = facts.electorate.member(identity);
        let person = |account: &Identity| facts.electorate.member(account).map(|member| &member.person);
        let same = requester.identities.iter().any(|own| {
            own == identity || (member.is_some() && person(own) == member.map(|member| &member.person))
        });
        if !same {
            return Err(Refusal::NotAskedOfYou);
        }
        Ok(member.map_or_else(|| requester.shown_as.clone(), |member| member.name.clone()))
    }
}
