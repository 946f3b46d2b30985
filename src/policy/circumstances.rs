//! What a verdict rests on besides the proposal: the time, who asks, and what happened lately. It goes on record with
//! the verdict, so that the same policy gives the same verdict again from the record alone.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::id::{PersonId, Role, TenantId};
use crate::time::{Timestamp, Ttl};

/// What a verdict rests on besides the proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circumstances {
    /// The time.
    pub at: Timestamp,
    /// Whose call it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<TenantId>,
    /// Who asks, by the credential or the signed chat event.
    #[serde(default)]
    pub requester: Asker,
    /// What happened lately. All zeros where the policy looks at none of it.
    #[serde(default)]
    pub recent: Recent,
}

/// Who asks, as far as the policy knows them. With several accounts (a credential that acts for somebody) the first
/// that is a person counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Asker {
    /// The person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
    /// Their roles at that time.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub roles: BTreeSet<Role>,
    /// Whether they may have had more: a group or a schedule that could give them one could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub roles_unread: bool,
    /// Their team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// How far back [`Recent`] looks.
pub const RECENT: Ttl = Ttl::from_mins(60);

/// What the same agent of the same tenant proposed within [`RECENT`] before this call; this call is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Recent {
    /// Calls of the same tool on the same server.
    pub calls: u32,
    /// The very same call.
    pub same: u32,
    /// The very same call, and people said no.
    pub denied: u32,
    /// Cards that it had posted.
    pub cards: u32,
}

impl Circumstances {
    /// At this time, with nobody known, no tenant and nothing lately.
    #[must_use]
    pub fn at(at: Timestamp) -> Self {
        Self { at, tenant: None, requester: Asker::default(), recent: Recent::default() }
    }
}
