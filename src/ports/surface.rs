//! Surfaces show cards and whisper; directories tell what accounts are worth.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use crate::card::CardView;
use crate::id::{AttemptId, SurfaceName, TenantId};
use crate::inbound::MessageRef;
use crate::notice::Message;
use crate::person::{AccountState, Identity, OnCallSchedule};
use crate::policy::Place;
use crate::time::{Timestamp, Ttl};

/// A place where people see cards: Slack, Matrix, the terminal, a script in tests.
#[async_trait]
pub trait Surface: Send + Sync {
    /// Its configured name.
    fn name(&self) -> &SurfaceName;

    /// Whether this tenant's cards may be shown here. A workspace or room belongs to one tenant, and nobody else's
    /// call is posted there, whatever a policy says.
    fn serves(&self, tenant: &TenantId) -> bool;

    /// Whether the message that [`Surface::post`] would make shows the whole call. Pure, and the same as what is
    /// posted: it is put on record before the post.
    fn shows_all(&self, view: &CardView) -> bool;

    /// Whether several requests can stand on one card here, each with buttons of its own. Where they cannot, each has a card
    /// of its own at once, whatever the policy says of gathering.
    fn gathers(&self) -> bool {
        false
    }

    /// As [`Surface::shows_all`], for one of the other requests that have a part of the card (`view.parts`).
    fn shows_all_of(&self, _view: &CardView, _part: &CardView) -> bool {
        false
    }

    /// Posts a new card. The attempt's id travels in the message's metadata.
    ///
    /// # Errors
    /// [`SurfaceError`]; only [`SurfaceError::Unknown`] leaves open whether a message is there now.
    async fn post(
        &self,
        place: &Place,
        view: &CardView,
        attempt: AttemptId,
    ) -> Result<MessageRef, SurfaceError>;

    /// Makes an existing message show this view.
    ///
    /// # Errors
    /// [`SurfaceError`]; [`SurfaceError::Gone`] if the message cannot be edited any more.
    async fn edit(&self, message: &MessageRef, view: &CardView) -> Result<(), SurfaceError>;

    /// Looks for the message of an attempt whose answer was lost. `None` where this surface cannot look.
    ///
    /// # Errors
    /// [`SurfaceError`] if it can look, but could not now.
    async fn find(
        &self,
        place: &Place,
        attempt: AttemptId,
        since: Timestamp,
    ) -> Option<Result<Option<MessageRef>, SurfaceError>>;

    /// Whether this account or group is of this surface, so that it can be told something directly or be mentioned.
    fn reaches(&self, _identity: &Identity) -> bool {
        false
    }

    /// Delivers a one-off message. Where it may have been delivered before, a surface that can look that up does, and
    /// says nothing twice.
    ///
    /// # Errors
    /// [`SurfaceError`].
    async fn tell(&self, message: &Message, telling: &Telling) -> Result<(), SurfaceError>;
}

/// One try to deliver a one-off message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Telling {
    /// The message's number; with `since` nobody else's, ever.
    pub id: i64,
    /// Since when it waits.
    pub since: Timestamp,
    /// Whether it was tried before, so that it may be there.
    pub again: bool,
}

/// Why a surface did not do it. Matched by variant, never by text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// It surely did not happen, and may work later.
    #[error("{surface} did not take it: {why}", surface = "the surface")]
    Later {
        /// Why.
        why: String,
        /// When the surface said to come back, counted from now.
        after: Option<Ttl>,
    },
    /// No answer came: it may have happened.
    #[error("no answer came, it may have happened: {why}")]
    Unknown {
        /// What is known.
        why: String,
    },
    /// The message is not there any more, or cannot be edited any more.
    #[error("the message can no longer be edited: {why}")]
    Gone {
        /// The surface's own word.
        why: String,
    },
    /// It will not work until somebody changes something.
    #[error("it cannot be delivered: {why}")]
    Never {
        /// What, and what to do.
        why: String,
    },
}

/// Who is in a group, and when that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    /// The accounts in it, or why they cannot be read: never an empty group.
    pub members: Result<BTreeSet<Identity>, String>,
    /// When.
    pub as_of: Timestamp,
}

/// Who is on call now, where that is kept outside the policy.
#[async_trait]
pub trait OnCall: Send + Sync {
    /// Who is on call by this schedule, not older than `age_max`: accounts that people of the policy have.
    async fn on_call(&self, schedule: &OnCallSchedule, age_max: Ttl) -> Members;

    /// The same from what is at hand, if it is not older than `age_max`; never waits.
    fn on_call_at_hand(&self, schedule: &OnCallSchedule, age_max: Ttl) -> Option<Members>;
}

/// What an account is, and when that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What its surface says.
    pub state: AccountState,
    /// What it is called there, for showing: whoever has it can change that, so that nothing is decided by it.
    pub name: Option<String>,
    /// When.
    pub as_of: Timestamp,
}

/// What surfaces know of accounts. An account that cannot be read is barred as unreadable: never an error that could
/// be taken for "in good order".
#[async_trait]
pub trait Directory: Send + Sync {
    /// What it knows for the decisions of one tenant, where that differs from tenant to tenant.
    fn for_tenant(&self, _tenant: &TenantId) -> Option<Arc<dyn Directory>> {
        None
    }

    /// What an account is, not older than `age_max`.
    async fn account(&self, identity: &Identity, age_max: Ttl) -> Account;

    /// The same from what is at hand, if it is not older than `age_max`; never waits.
    fn account_at_hand(&self, identity: &Identity, age_max: Ttl) -> Option<Account>;

    /// Who is in a group of the surface, not older than `age_max`. A surface without groups cannot read any.
    async fn members(&self, group: &Identity, age_max: Ttl) -> Members;

    /// The same from what is at hand, if it is not older than `age_max`; never waits.
    fn members_at_hand(&self, group: &Identity, age_max: Ttl) -> Option<Members>;
}
