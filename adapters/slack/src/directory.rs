//! What accounts are worth, and who is in user groups: `users.info` and `usergroups.users.list`, kept for as long as a
//! decision may rest on them.
//!
//! What always holds: what cannot be read bars, with what to do; nothing stands in for the answer, and a group that
//! cannot be read is never an empty one. An answer is dated by when it was asked for, not by when it came. At most one
//! call per account or group is under way; who comes in between waits for the same answer.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use placet::gate::Answers;
use placet::person::{AccountState, FACTS_AGE_MAX, Identity, NoStanding};
use placet::ports::{Account, Clock, Directory, Members};
use placet::text::Language;
use placet::time::{Timestamp, Ttl};

use crate::api::{ApiError, SlackApi, UNNAMED_PAUSE};
use crate::identity::{self, Home};
use crate::language::Languages;

/// Accounts that are remembered.
const ACCOUNTS_MAX: usize = 10_000;

/// Groups that are remembered: more than any policy names.
const GROUPS_MAX: usize = 1_000;

/// Why nobody is asked while Slack wants to be left alone.
const SLOW_DOWN: &str = "Slack asks to slow down: try again in a minute";

/// The directory of one workspace, for the realm family `slack`: an account of another workspace is told to be foreign.
/// Cheap to clone.
#[derive(Clone)]
pub struct SlackDirectory(Arc<Parts>);

struct Parts {
    api: SlackApi,
    home: Home,
    clock: Arc<dyn Clock>,
    accounts: Answers<Account>,
    groups: Answers<Members>,
    languages: Languages,
    /// Until when Slack is asked neither about accounts nor about groups: limits are per method.
    accounts_quiet: Quiet,
    groups_quiet: Quiet,
}

/// Until when Slack wants to be left alone.
struct Quiet(Mutex<Timestamp>);

impl SlackDirectory {
    /// Over this API, for the accounts of this workspace.
    #[must_use]
    pub fn new(api: SlackApi, home: Home, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Parts {
            api,
            home,
            clock,
            accounts: Answers::new(ACCOUNTS_MAX),
            groups: Answers::new(GROUPS_MAX),
            languages: Languages::default(),
            accounts_quiet: Quiet::new(),
            groups_quiet: Quiet::new(),
        }))
    }

    /// Forgets an account, because something was heard of it.
    pub fn forget(&self, user_id: &str) {
        self.0.accounts.forget(user_id);
        self.0.languages.forget(user_id);
    }

    /// The language that somebody's profile names, if it is known already; never waits.
    #[must_use]
    pub fn language_at_hand(&self, reader: &Identity) -> Option<Language> {
        self.0.user(reader).and_then(|user| self.0.languages.of(user)).flatten()
    }

    /// The same, asked for where it is not known yet. None where it cannot be read, or the catalogue lacks it.
    pub async fn language(&self, reader: &Identity) -> Option<Language> {
        let user = self.0.user(reader)?;
        if self.0.languages.of(user).is_none() {
            // What it says of the account is of no interest here; its language is kept beside.
            let _account = self.account(reader, FACTS_AGE_MAX).await;
        }
        self.language_at_hand(reader)
    }

    /// Forgets who is in a group, because something was heard of it.
    pub fn forget_group(&self, group_id: &str) {
        self.0.groups.forget(group_id);
    }
}

impl Quiet {
    const fn new() -> Self {
        Self(Mutex::new(Timestamp::from_millis(i64::MIN)))
    }

    fn holds(&self, now: Timestamp) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) > now
    }

    /// Leaves Slack alone, if that is what it asks for.
    fn heed(&self, fault: &ApiError, now: Timestamp) {
        if let ApiError::RateLimited { retry_after } = fault {
            let pause = retry_after.map_or(UNNAMED_PAUSE, |secs| Ttl::from_secs(secs.into()));
            let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *until = (*until).max(now + pause);
        }
    }
}

impl Parts {
    /// The user id, if the account is one that this workspace can know of.
    fn user<'a>(&self, identity: &'a Identity) -> Option<&'a str> {
        let workspace = identity.realm().strip_prefix("slack:")?;
        // Within an enterprise `users.info` tells whether the other workspace is a sibling.
        let is_near = workspace == self.home.team_id || self.home.enterprise_id.is_some();
        is_near.then(|| identity.subject())
    }

    /// The group's id, if it is one of this workspace or of its enterprise.
    fn group<'a>(&self, group: &'a Identity) -> Option<&'a str> {
        let workspace = group.realm().strip_prefix("slack:")?;
        let is_own = workspace == self.home.team_id || self.home.enterprise_id.as_deref() == Some(workspace);
        is_own.then(|| group.subject())
    }

    async fn ask_account(&self, user: &str) -> Account {
        let as_of = self.clock.now();
        if self.accounts_quiet.holds(as_of) {
            return unreadable(SLOW_DOWN, as_of);
        }
        match self.api.users_info(user).await {
            Ok(object) => {
                self.languages.learn(user, &object);
                let account = identity::account(&object, user, &self.home);
                let name = match &account {
                    identity::Account::Active(member) => member.display_name.clone(),
                    _ => None,
                };
                Account { state: state(&account), name, as_of }
            }
            Err(fault) => {
                self.accounts_quiet.heed(&fault, self.clock.now());
                tracing::warn!(error = %fault, "Slack does not tell what an account is");
                unreadable(&remedy(&fault), as_of)
            }
        }
    }

    async fn ask_group(&self, group: &Identity) -> Members {
        let as_of = self.clock.now();
        let unread = |why: String| Members { members: Err(why), as_of };
        if self.groups_quiet.holds(as_of) {
            return unread(SLOW_DOWN.to_owned());
        }
        match self.api.usergroup_users(group.subject(), &self.home.team_id).await {
            Ok(users) => {
                let accounts = users.into_iter().map(|user| Identity::new(group.realm(), user));
                match accounts.collect::<Result<BTreeSet<_>, _>>() {
                    Ok(members) => Members { members: Ok(members), as_of },
                    Err(_) => unread("Slack's answer about it cannot be understood".to_owned()),
                }
            }
            Err(fault) => {
                self.groups_quiet.heed(&fault, self.clock.now());
                tracing::warn!(error = %fault, group = group.subject(), "Slack does not tell who is in a group");
                unread(group_remedy(&fault))
            }
        }
    }
}

#[async_trait]
impl Directory for SlackDirectory {
    async fn account(&self, identity: &Identity, age_max: Ttl) -> Account {
        let parts = &self.0;
        match parts.user(identity) {
            Some(user) => parts.accounts.get(user, (age_max, &*parts.clock), parts.ask_account(user)).await,
            None => foreign(parts.clock.now()),
        }
    }

    fn account_at_hand(&self, identity: &Identity, age_max: Ttl) -> Option<Account> {
        let parts = &self.0;
        match parts.user(identity) {
            Some(user) => parts.accounts.fresh(user, age_max, parts.clock.now()),
            None => Some(foreign(parts.clock.now())),
        }
    }

    async fn members(&self, group: &Identity, age_max: Ttl) -> Members {
        let parts = &self.0;
        match parts.group(group) {
            Some(id) => parts.groups.get(id, (age_max, &*parts.clock), parts.ask_group(group)).await,
            None => foreign_group(parts.clock.now()),
        }
    }

    fn members_at_hand(&self, group: &Identity, age_max: Ttl) -> Option<Members> {
        let parts = &self.0;
        match parts.group(group) {
            Some(id) => parts.groups.fresh(id, age_max, parts.clock.now()),
            None => Some(foreign_group(parts.clock.now())),
        }
    }
}

fn foreign_group(as_of: Timestamp) -> Members {
    Members { members: Err("it belongs to another workspace".to_owned()), as_of }
}

const fn foreign(as_of: Timestamp) -> Account {
    Account { state: AccountState::Barred(NoStanding::Foreign), name: None, as_of }
}

fn unreadable(why: &str, as_of: Timestamp) -> Account {
    Account { state: AccountState::Barred(NoStanding::Unreadable(why.to_owned())), name: None, as_of }
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
        ApiError::Unreached(_) | ApiError::RateLimited { .. } | ApiError::Unavailable | ApiError::Unknown => {
            "Slack does not answer at the moment".to_owned()
        }
        ApiError::Gone { code }
        | ApiError::NoPlace { code }
        | ApiError::TooLarge { code, .. }
        | ApiError::TriggerExpired { code }
        | ApiError::Other { code } => format!("Slack says {code}"),
    }
}

/// The same for a group.
fn group_remedy(fault: &ApiError) -> String {
    match fault {
        ApiError::Other { code } if code == "no_such_subteam" => {
            "Slack knows no such user group, or it is disabled: ask whoever keeps the policy".to_owned()
        }
        ApiError::Other { code } if code == "plan_upgrade_required" => {
            "the workspace's plan has no user groups: ask whoever keeps the policy".to_owned()
        }
        fault => remedy(fault),
    }
}

#[cfg(test)]
mod tests;
