//! What accounts are worth: `users.info`, kept for as long as a decision may rest on it.
//!
//! What always holds: an account that cannot be read is barred as unreadable, with what to do; nothing stands in for the
//! answer. An answer is dated by when it was asked for, not by when it came. At most one call per account is under way;
//! who comes in between waits for the same answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use placet::person::{AccountState, FACTS_AGE_MAX, Identity, NoStanding};
use placet::ports::{Account, Clock, Directory, Members};
use placet::time::{Timestamp, Ttl};

use crate::api::{ApiError, SlackApi};
use crate::identity::{self, Home};

/// Accounts that are remembered; the oldest answers are forgotten when there are more.
const ACCOUNTS_MAX: usize = 10_000;

/// How long Slack is left alone where it asks to slow down without naming a time.
const UNNAMED_PAUSE: Ttl = Ttl::from_secs(10);

/// The directory of one workspace, for the realm family `slack`: an account of another workspace is told to be foreign.
/// Cheap to clone.
#[derive(Clone)]
pub struct SlackDirectory(Arc<Parts>);

struct Parts {
    api: SlackApi,
    home: Home,
    clock: Arc<dyn Clock>,
    known: Mutex<HashMap<String, Entry>>,
    /// Until when Slack is not asked.
    quiet_until: Mutex<Timestamp>,
}

/// One account: the last answer, and the lock of whoever asks.
#[derive(Default)]
struct Entry {
    /// What Slack said last, if that could be read.
    last: Option<Account>,
    /// How often an answer came, of any kind, and the last one: for those who waited while it was asked for.
    round: u64,
    latest: Option<Account>,
    asking: Arc<tokio::sync::Mutex<()>>,
}

impl SlackDirectory {
    /// Over this API, for the accounts of this workspace.
    #[must_use]
    pub fn new(api: SlackApi, home: Home, clock: Arc<dyn Clock>) -> Self {
        let quiet_until = Mutex::new(Timestamp::from_millis(i64::MIN));
        Self(Arc::new(Parts { api, home, clock, known: Mutex::default(), quiet_until }))
    }

    /// Forgets an account, because something was heard of it.
    pub fn forget(&self, user_id: &str) {
        self.0.known().remove(user_id);
    }
}

impl Parts {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user id, if the account is one that this workspace can know of.
    fn user<'a>(&self, identity: &'a Identity) -> Option<&'a str> {
        let workspace = identity.realm().strip_prefix("slack:")?;
        // Within an enterprise `users.info` tells whether the other workspace is a sibling.
        let is_near = workspace == self.home.team_id || self.home.enterprise_id.is_some();
        is_near.then(|| identity.subject())
    }

    fn fresh(&self, user: &str, age_max: Ttl) -> Option<Account> {
        let now = self.clock.now();
        let last = self.known().get(user)?.last.clone()?;
        (now.since(last.as_of) <= age_max).then_some(last)
    }

    /// The lock of whoever asks about this account, and the round it is in; old entries make room. None where more
    /// people than can be remembered act within a minute: then nothing is shared.
    fn asking(&self, user: &str) -> Option<(Arc<tokio::sync::Mutex<()>>, u64)> {
        let now = self.clock.now();
        let mut known = self.known();
        if known.len() >= ACCOUNTS_MAX && !known.contains_key(user) {
            let is_young = |entry: &Entry| {
                entry.last.as_ref().is_some_and(|last| now.since(last.as_of) <= FACTS_AGE_MAX)
            };
            known.retain(|_, entry| is_young(entry) || Arc::strong_count(&entry.asking) > 1);
            (known.len() < ACCOUNTS_MAX).then_some(())?;
        }
        let entry = known.entry(user.to_owned()).or_default();
        Some((Arc::clone(&entry.asking), entry.round))
    }

    /// What somebody else was told while this one waited, good or bad.
    fn told_meanwhile(&self, user: &str, round: u64) -> Option<Account> {
        let known = self.known();
        let entry = known.get(user)?;
        (entry.round != round).then(|| entry.latest.clone()).flatten()
    }

    /// Asks, and keeps the answer.
    async fn ask_and_keep(&self, user: &str) -> Account {
        let account = self.ask(user).await;
        if let Some(entry) = self.known().get_mut(user) {
            let is_readable = !matches!(&account.state, AccountState::Barred(NoStanding::Unreadable(_)));
            // What could not be read is nothing to rest on: the next one asks again.
            entry.last = is_readable.then(|| account.clone());
            entry.latest = Some(account.clone());
            entry.round += 1;
        }
        account
    }

    async fn ask(&self, user: &str) -> Account {
        let as_of = self.clock.now();
        let quiet_until = *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
        if quiet_until > as_of {
            return unreadable("Slack asks to slow down: try again in a minute", as_of);
        }
        match self.api.users_info(user).await {
            Ok(object) => Account { state: state(&identity::account(&object, user, &self.home)), as_of },
            Err(fault) => {
                if let ApiError::RateLimited { retry_after } = &fault {
                    let pause = retry_after.map_or(UNNAMED_PAUSE, |secs| Ttl::from_secs(secs.into()));
                    let mut quiet_until = self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
                    *quiet_until = (*quiet_until).max(self.clock.now() + pause);
                }
                tracing::warn!(error = %fault, "Slack does not tell what an account is");
                unreadable(&remedy(&fault), as_of)
            }
        }
    }
}

#[async_trait]
impl Directory for SlackDirectory {
    async fn account(&self, identity: &Identity, age_max: Ttl) -> Account {
        let parts = &self.0;
        let Some(user) = parts.user(identity) else { return foreign(parts.clock.now()) };
        if let Some(known) = parts.fresh(user, age_max) {
            return known;
        }
        let Some((asking, round)) = parts.asking(user) else { return parts.ask(user).await };
        let _turn = asking.lock().await;
        match parts.told_meanwhile(user, round) {
            Some(told) => told,
            None => parts.ask_and_keep(user).await,
        }
    }

    fn account_at_hand(&self, identity: &Identity, age_max: Ttl) -> Option<Account> {
        match self.0.user(identity) {
            Some(user) => self.0.fresh(user, age_max),
            None => Some(foreign(self.0.clock.now())),
        }
    }

    async fn members(&self, group: &Identity, _age_max: Ttl) -> Members {
        Members { members: Err(format!("{group} cannot be read")), as_of: self.0.clock.now() }
    }

    fn members_at_hand(&self, _group: &Identity, _age_max: Ttl) -> Option<Members> {
        None
    }
}

const fn foreign(as_of: Timestamp) -> Account {
    Account { state: AccountState::Barred(NoStanding::Foreign), as_of }
}

fn unreadable(why: &str, as_of: Timestamp) -> Account {
    Account { state: AccountState::Barred(NoStanding::Unreadable(why.to_owned())), as_of }
}

/// What Slack says of an account, as far as votes are concerned.
fn state(account: &identity::Account) -> AccountState {
    use identity::Account as Of;
    AccountState::Barred(match account {
        Of::Active(_) => return AccountState::Active,
        Of::Deactivated => NoStanding::Deactivated,
        Of::Bot | Of::AppUser | Of::WorkflowBot => NoStanding::Bot,
        Of::Guest { .. } => NoStanding::Guest,
        Of::Stranger | Of::ForeignTeam { .. } => NoStanding::Foreign,
        Of::Unreadable => NoStanding::Unreadable("Slack's answer about it cannot be understood".to_owned()),
    })
}

/// Why it could not be read, and what to do.
fn remedy(fault: &ApiError) -> String {
    match fault {
        ApiError::Auth { needed: Some(scope), .. } => {
            format!("the Slack app needs the scope {scope}: ask whoever set it up")
        }
        ApiError::Auth { needed: None, .. } => {
            "Slack refuses the bot's token: ask whoever set up the app".to_owned()
        }
        ApiError::RateLimited { .. } | ApiError::Unavailable | ApiError::Unknown => {
            "Slack does not answer at the moment".to_owned()
        }
        ApiError::Gone { code }
        | ApiError::NoPlace { code }
        | ApiError::TooLarge { code, .. }
        | ApiError::TriggerExpired { code }
        | ApiError::Other { code } => format!("Slack says {code}"),
    }
}

#[cfg(test)]
mod tests;
