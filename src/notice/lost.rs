//! A message that was given up: what it was, who was not reached, and why.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Message, Notice, Recipient};
use crate::person::Identity;
use crate::policy::Place;

/// A message that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// What kind of message it was ([`Notice::name`]).
    pub notice: String,
    /// Who was not reached.
    pub to: Unreached,
    /// What they are called, where the policy knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why.
    pub why: String,
    /// Which question of the request it asked, from 1; none where it asked none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<u32>,
}

/// Who was not reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreached {
    /// One account.
    Account(Identity),
    /// Everybody in a place.
    Place(Place),
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(identity) => identity.fmt(f),
            Self::Place(place) => write!(f, "{}/{}", place.surface, place.channel),
        }
    }
}

impl Lost {
    /// Of a message that is given up; none where nobody has to know. A whisper about a click is worth nothing later, and whoever
    /// clicks could make as many as they like; what operators are told stands in the log besides, and who a message for several
    /// roles goes to is found out before anybody is told; those who asked in a thread are told directly where it is gone.
    #[must_use]
    pub fn of(message: &Message, why: &str) -> Option<Self> {
        if matches!(message.notice, Notice::Refused { .. }) {
            return None;
        }
        let to = match &message.to {
            Recipient::Account(reply) => Unreached::Account(reply.identity.clone()),
            Recipient::Directly(identity) => Unreached::Account(identity.clone()),
            Recipient::Place(place) => Unreached::Place(Place { thread: None, ..place.clone() }),
            Recipient::Operators | Recipient::Roles(_) | Recipient::Askers(_) => return None,
        };
        let question = match message.notice {
            Notice::Question { number, .. } => Some(number),
            _ => None,
        };
        Some(Self { notice: message.notice.name().to_owned(), to, name: None, why: why.to_owned(), question })
    }
}
