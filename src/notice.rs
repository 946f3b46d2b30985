//! One-off messages: what one account or the operators are told, once. They go through the outbox.

mod after;
mod lost;

use serde::{Deserialize, Serialize};

use crate::approval::{Alarm, Refusal};
use crate::card::Redactor;
use crate::gate::Digest;
use crate::id::{RequestId, Role, ShortCode, TenantId};
use crate::inbound::ReplyTo;
use crate::person::Identity;
use crate::policy::{Level, Place};
use crate::record::EventKind;
use crate::time::Timestamp;

pub use after::{Ran, Told, WORDS_CHARS_MAX};
pub use lost::{Lost, Unreached};

/// The most characters of a reason in a message to the operators: log and record have it in full.
const WHY_CHARS_MAX: usize = 500;

/// A message and who gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Whose.
    pub tenant: TenantId,
    /// Who gets it.
    pub to: Recipient,
    /// Who is mentioned in it, where the surface can. Found when it is sent, by the policy in force then, and never by
    /// anything that an agent wrote; so it is not kept.
    #[serde(skip)]
    pub mentions: Vec<Mention>,
    /// What it says; the words come from the catalogue when it is sent.
    pub notice: Notice,
}

/// Who is mentioned.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mention {
    /// One account.
    Account(Identity),
    /// Everybody in a group of the surface.
    Group(Identity),
}

impl Message {
    /// A message that mentions nobody yet.
    #[must_use]
    pub const fn new(tenant: TenantId, to: Recipient, notice: Notice) -> Self {
        Self { tenant, to, mentions: Vec::new(), notice }
    }

    /// What the operators are told of an event that belongs to no request: the store sends it with the event.
    #[must_use]
    pub fn about(tenant: &TenantId, kind: &EventKind) -> Option<Self> {
        let notice = match kind {
            EventKind::PolicyRefused { errors, .. } => Notice::PolicyNotInForce {
                why: errors.lines().next().unwrap_or_default().chars().take(WHY_CHARS_MAX).collect(),
            },
            EventKind::MessageUndelivered { lost } => Notice::Undelivered { about: None, lost: lost.clone() },
            _ => return None,
        };
        Some(Self::new(tenant.clone(), Recipient::Operators, notice))
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
    /// Everybody who has one of these roles when it is sent, directly, each by a message of their own.
    Roles(Vec<Role>),
    /// One account, directly, on whichever surface reaches it: who asked.
    Directly(Identity),
    /// Those who asked in a thread: there, by one message; each directly where that is not the place for it, or is gone.
    Askers(Vec<Identity>),
}

impl Notice {
    /// What kind it is, for the log.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "refused",
            Self::Alarm { .. } => "alarm",
            Self::Reminder { .. } => "reminder",
            Self::Escalated { .. } => "escalated",
            Self::StageAsked { .. } => "stage_asked",
            Self::GlassBroken { .. } => "glass_broken",
            Self::Question { .. } => "question",
            Self::Answered { .. } => "answered",
            Self::Held { .. } => "held",
            Self::PolicyNotInForce { .. } => "policy_not_in_force",
            Self::Ran { .. } => "ran",
            Self::Told { .. } => "told",
            Self::AskedDirectly { .. } => "asked_directly",
            Self::Digest { .. } => "digest",
            Self::Undelivered { .. } => "undelivered",
            Self::NotAsked { .. } => "not_asked",
        }
    }

    /// The request that it is about; none where it is about none.
    #[must_use]
    pub const fn request(&self) -> Option<RequestId> {
        match self {
            Self::Refused { request, .. }
            | Self::Alarm { request, .. }
            | Self::Reminder { request, .. }
            | Self::Escalated { request, .. }
            | Self::StageAsked { request, .. }
            | Self::GlassBroken { request, .. }
            | Self::Ran { request, .. }
            | Self::Told { request, .. }
            | Self::AskedDirectly { request, .. }
            | Self::Question { request, .. }
            | Self::Answered { request, .. }
            | Self::NotAsked { request, .. } => Some(*request),
            Self::Undelivered { about, .. } => match about {
                Some(about) => Some(about.request),
                None => None,
            },
            Self::Held { .. } | Self::PolicyNotInForce { .. } | Self::Digest { .. } => None,
        }
    }

    /// Takes out what anybody wrote about a confidential call, where others read it than who may read the call.
    pub fn veil(&mut self) {
        // Every kind by its name: a new one must decide.
        match self {
            Self::GlassBroken { reason, .. } => reason.clear(),
            Self::Question { text, .. } | Self::Answered { text, .. } | Self::NotAsked { text, .. } => {
                text.clear();
            }
            // A surface can quote what it did not take.
            Self::Undelivered { lost, .. } => lost.why.clear(),
            Self::Ran { ran, .. } => ran.words = None,
            Self::Told { what: Told::Denied { reason, .. } | Told::Revoked { reason, .. }, .. } => {
                *reason = None;
            }
            // Nobody's words, and nothing of the call but its tool.
            Self::Refused { .. }
            | Self::Alarm { .. }
            | Self::Reminder { .. }
            | Self::Escalated { .. }
            | Self::StageAsked { .. }
            | Self::AskedDirectly { .. }
            | Self::Told {
                what:
                    Told::Approved { .. }
                    | Told::Expired { .. }
                    | Told::Edited { .. }
                    | Told::Stricter
                    | Told::Forgotten,
                ..
            } => {}
            // About no call.
            Self::Held { .. } | Self::PolicyNotInForce { .. } | Self::Digest { .. } => {}
        }
    }

    /// Hides secrets in what agents and people wrote: messages are a sink like every other.
    pub fn redact(&mut self, redactor: &Redactor) {
        let hide = |text: &mut String| *text = redactor.redact_text(text).text;
        match self {
            Self::Refused { .. } => {}
            Self::Alarm { tool, .. }
            | Self::Reminder { tool, .. }
            | Self::Escalated { tool, .. }
            | Self::StageAsked { tool, .. }
            | Self::AskedDirectly { tool, .. } => hide(tool),
            Self::GlassBroken { tool, reason, .. } => {
                hide(tool);
                hide(reason);
            }
            Self::Question { tool, text, .. } | Self::NotAsked { tool, text, .. } => {
                hide(tool);
                hide(text);
            }
            Self::Answered { text, .. } => hide(text),
            Self::Undelivered { about, lost } => {
                about.iter_mut().for_each(|about| hide(&mut about.tool));
                hide(&mut lost.why);
            }
            Self::Held { what, reason } => {
                hide(what);
                hide(reason);
            }
            Self::PolicyNotInForce { why } => hide(why),
            Self::Digest { digest, .. } => {
                digest.iter_mut().flat_map(|digest| &mut digest.tools).for_each(|tool| hide(&mut tool.tool));
            }
            // Its words are redacted where they are put in, before they are cut.
            Self::Ran { tool, .. } => hide(tool),
            Self::Told { tool, what, .. } => {
                hide(tool);
                if let Told::Denied { reason: Some(reason), .. }
                | Told::Revoked { reason: Some(reason), .. } = what
                {
                    hide(reason);
                }
            }
        }
    }
}

/// The request that a message is about, as people know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Which request.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
    /// Which tool.
    pub tool: String,
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
    /// Somebody who is asked about it has a question to who asked for it.
    Question {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// Who asks.
        by: String,
        /// Which question of the request, from 1.
        number: u32,
        /// What they ask.
        text: String,
    },
    /// A question was answered; told to who had asked it.
    Answered {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Who answered; none where it was the agent.
        by: Option<String>,
        /// What.
        text: String,
    },
    /// A question reached nobody; told to who asked it.
    NotAsked {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// What they asked.
        text: String,
    },
    /// A message was given up: somebody was not told.
    Undelivered {
        /// The request that it was about; none where it was about none.
        about: Option<About>,
        /// What it was, who was not reached, and why.
        lost: Lost,
    },
    /// Calls are stopped: by a person, or because an agent asked for more cards than the policy lets it.
    Held {
        /// Which, in words.
        what: String,
        /// Why.
        reason: String,
    },
    /// A call ran, or nobody knows.
    Ran {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// What came of it.
        ran: Ran,
    },
    /// Somebody is asked, and told so directly besides the card.
    AskedDirectly {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// How bad it is.
        level: Level,
        /// Where its card stands; none where there is none.
        place: Option<Place>,
        /// Until when they may decide.
        until: Timestamp,
    },
    /// Who asked is told what became of it.
    Told {
        /// Which request.
        request: RequestId,
        /// What people call it.
        code: ShortCode,
        /// Which tool.
        tool: String,
        /// What.
        what: Told,
    },
    /// What ran without anybody having been asked, within a time.
    Digest {
        /// From then.
        since: Timestamp,
        /// Until then (exclusive).
        until: Timestamp,
        /// What ran: counted when it is sent.
        #[serde(skip)]
        digest: Option<Digest>,
    },
    /// A policy was not taken, or waits for somebody's yes; the one before stays in force.
    PolicyNotInForce {
        /// Why, in a sentence.
        why: String,
    },
}
