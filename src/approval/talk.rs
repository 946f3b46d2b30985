//! What people say about a request that is neither yes nor no: questions, and that somebody is looking.

use serde::{Deserialize, Serialize};

use crate::approval::Actor;
use crate::approval::state::Waiting;
use crate::id::{PersonId, SurfaceName};
use crate::person::Identity;
use crate::record::EventKind;
use crate::time::{Timestamp, Ttl};

/// Questions that a request takes. A call that is unclear after so many is denied, with what would be right as the reason.
pub const QUESTIONS_MAX: usize = 5;

/// How long it stands on the card that somebody is looking. Whoever needs longer says so again.
pub const LOOKING_FOR: Ttl = Ttl::from_mins(10);

/// People that a card names as looking; whoever said so first goes first.
pub const LOOKING_MAX: usize = 4;

/// Who is asked a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Addressee {
    /// The agent, which reads it with the request.
    #[default]
    Agent,
    /// The person who asked for it.
    Requester,
}

/// A question from the card, neither yes nor no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Who asks.
    pub by: Identity,
    /// What they are called.
    pub name: String,
    /// Whom.
    pub to: Addressee,
    /// What.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// Where; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
    /// The answer, once there is one.
    pub answer: Option<GivenAnswer>,
    /// Whether it did not reach whom it was to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// What somebody answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnswer {
    /// Who.
    pub by: Actor,
    /// What they are called, where it is a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In their words.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

/// Somebody says that they are looking, so that two do not do the same work. It is no vote, and holds up nobody's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looking {
    /// Through which account.
    pub by: Identity,
    /// Which person.
    pub person: PersonId,
    /// What they are called.
    pub name: String,
    /// Since when.
    pub since: Timestamp,
    /// Until when, unless they say so again.
    pub until: Timestamp,
}

impl Waiting {
    /// What an event of these changes; none where it cannot follow.
    pub(super) fn talked(&mut self, at: Timestamp, kind: &EventKind) -> Option<()> {
        match kind {
            EventKind::Asked { by, name, to, text, surface } => self.questions.push(Question {
                by: by.clone(),
                name: name.clone(),
                to: *to,
                text: text.clone(),
                at,
                surface: surface.clone(),
                answer: None,
                lost: false,
            }),
            EventKind::Answered { by, name, question, text } => {
                let index = usize::try_from(*question).ok()?.checked_sub(1)?;
                let asked = self.questions.get_mut(index).filter(|asked| asked.answer.is_none())?;
                let (by, name, text) = (by.clone(), name.clone(), text.clone());
                asked.answer = Some(GivenAnswer { by, name, text, at });
            }
            EventKind::Looks { looking } => self.looking.push(looking.clone()),
            EventKind::LooksAway { by } => {
                let before = self.looking.len();
                self.looking.retain(|looking| looking.by != *by);
                (self.looking.len() < before).then_some(())?;
            }
            _ => return None,
        }
        Some(())
    }

    /// A question, by its number from 1, did not reach whom it was to.
    pub(super) fn question_lost(&mut self, question: u32) {
        let index = usize::try_from(question).ok().and_then(|number| number.checked_sub(1));
        if let Some(asked) = index.and_then(|index| self.questions.get_mut(index)) {
            asked.lost = true;
        }
    }
}
