//! One-off messages: what one account or the operators are told, once. They go through the outbox.

use serde::{Deserialize, Serialize};

use crate::approval::{Alarm, Refusal};
use crate::id::{RequestId, ShortCode, TenantId};
use crate::inbound::ReplyTo;

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

/// Who gets a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// One account, unseen by others.
    Account(ReplyTo),
    /// Whoever looks after the installation, in the channel that the config names.
    Operators,
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
}
