//! One-off messages: what one account or the operators are told, once. They go through the outbox.

use serde::{Deserialize, Serialize};

use crate::approval::{Alarm, Refusal};
use crate::card::Redactor;
use crate::id::{RequestId, Role, ShortCode, TenantId};
use crate::inbound::ReplyTo;
use crate::policy::Place;
use crate::record::EventKind;
use crate::time::Timestamp;

/// The most characters of a reason in a message to the operators: log and record have it in full.
const WHY_CHARS_MAX: usize = 500;

/// A message and who gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Whose.
    pub tenant: TenantId,
    /// Who gets it.
    pub to: Recipient,
    /// What it says; the words come from the catalogue when it is sent.
    pub notice: Notice,
}

impl Message {
    /// What the operators are told of an event that belongs to no request: the store sends it with the event.
    #[must_use]
    pub fn about(tenant: &TenantId, kind: &EventKind) -> Option<Self> {
        let EventKind::PolicyRefused { errors, .. } = kind else { return None };
        let why: String = errors.lines().next().unwrap_or_default().chars().take(WHY_CHARS_MAX).collect();
        let notice = Notice::PolicyNotInForce { why };
        Some(Self { tenant: tenant.clone(), to: Recipient::Operators, notice })
    }
}

/// Who gets a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// One account, unseen by others.
    Account(ReplyTo),
    /// Whoever looks after the installation, in the channel that the config names.
    Operators,
    /// Everybody in a place where the card is: as an answer to it, where the surface has threads.
    Place(Place),
}

impl Notice {
    /// Hides secrets in what agents and people wrote: messages are a sink like every other.
    pub fn redact(&mut self, redactor: &Redactor) {
        let hide = |text: &mut String| *text = redactor.redact_text(text).text;
        match self {
            Self::Refused { .. } => {}
            Self::Alarm { tool, .. }
            | Self::Reminder { tool, .. }
            | Self::Escalated { tool, .. }
            | Self::StageAsked { tool, .. } => hide(tool),
            Self::GlassBroken { tool, reason, .. } => {
                hide(tool);
                hide(reason);
            }
            Self::Held { what, reason } => {
                hide(what);
                hide(reason);
            }
            Self::PolicyNotInForce { why } => hide(why),
        }
    }
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "notice")]
pub enum Notice {
    /// What somebody wanted was refused.
    Refused {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// What they wanted.
        command: String,
        /// Why not.
        refusal: Refusal,
    },
    /// An operator must look.
    Alarm {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// At what.
        alarm: Alarm,
    },
    /// Those who are asked are reminded.
    Reminder {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// Until when they may decide.
        until: Timestamp,
    },
    /// Others are asked as well, because nobody decided.
    Escalated {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// Who may decide as well.
        to: Vec<Role>,
        /// Until when.
        until: Timestamp,
    },
    /// The people of the next stage are asked now.
    StageAsked {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// Which stage, from 1, of how many.
        stage: (u32, u32),
        /// Who is asked.
        to: Vec<Role>,
        /// Until when.
        until: Timestamp,
    },
    /// Somebody decided alone, in an emergency.
    GlassBroken {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// Who.
        by: String,
        /// Why.
        reason: String,
    },
    /// Calls are stopped: by a person, or because an agent asked for more cards than the policy lets it.
    Held {
        /// Which, in words.
        what: String,
        /// Why.
        reason: String,
    },
    /// A policy was not taken, or waits for somebody's yes; the one before stays in force.
    PolicyNotInForce {
        /// Why, in a sentence.
        why: String,
    },
}
