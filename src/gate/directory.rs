//! One directory made of several, by who vouches for an account.

mod answers;

use std::sync::Arc;

use async_trait::async_trait;

use crate::id::TenantId;
use crate::person::{AccountState, Identity, NoStanding, OnCallSchedule};
use crate::ports::{Account, Clock, CredentialStore, Directory, Members, OnCall};
use crate::time::Ttl;

pub use answers::{Answer, Answers};

/// Asks the directory that is responsible for an account's realm. A realm without one bars the account.
pub struct Directories {
    clock: Arc<dyn Clock>,
    by_realm: Vec<Entry>,
    /// For whose decisions it is asked; none before that is known.
    tenant: Option<TenantId>,
}

/// Who vouches for a realm.
#[derive(Clone)]
struct Entry {
    realm: String,
    /// Whose decisions it vouches for alone: a workspace belongs to one tenant, and to every other its accounts are foreign.
    tenant: Option<TenantId>,
    directory: Arc<dyn Directory>,
}

impl Directories {
    /// None yet: every account is barred.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, by_realm: Vec::new(), tenant: None }
    }

    /// Adds the one for a realm, and for realms that begin with its name and a colon.
    #[must_use]
    pub fn with(mut self, realm: impl Into<String>, directory: Arc<dyn Directory>) -> Self {
        self.by_realm.push(Entry { realm: realm.into(), tenant: None, directory });
        self
    }

    /// The same for one tenant's decisions alone.
    #[must_use]
    pub fn with_for(
        mut self,
        tenant: TenantId,
        realm: impl Into<String>,
        directory: Arc<dyn Directory>,
    ) -> Self {
        self.by_realm.push(Entry { realm: realm.into(), tenant: Some(tenant), directory });
        self
    }

    fn responsible(&self, identity: &Identity) -> Option<&Arc<dyn Directory>> {
        let realm = identity.realm();
        let family = realm.split(':').next().unwrap_or(realm);
        let of = |name: &str| {
            let vouches = |entry: &&Entry| {
                let others = self.tenant.as_ref().zip(entry.tenant.as_ref());
                entry.realm == name && others.is_none_or(|(asks, own)| asks == own)
            };
            self.by_realm.iter().find(vouches).map(|entry| &entry.directory)
        };
        of(realm).or_else(|| of(family))
    }

    fn nobody_knows(&self, identity: &Identity) -> Account {
        let why = format!("nothing is configured that could vouch for {} accounts", identity.realm());
        Account {
            state: AccountState::Barred(NoStanding::Unreadable(why)),
            name: None,
            as_of: self.clock.now(),
        }
    }
}

/// For realms that have no groups, and those that nothing is configured for.
fn unreadable(clock: &dyn Clock, group: &Identity) -> Members {
    Members { members: Err(format!("nothing can read groups of {}", group.realm())), as_of: clock.now() }
}

#[async_trait]
impl Directory for Directories {
    fn for_tenant(&self, tenant: &TenantId) -> Option<Arc<dyn Directory>> {
        Some(Arc::new(Self {
            clock: Arc::clone(&self.clock),
            by_realm: self.by_realm.clone(),
            tenant: Some(tenant.clone()),
        }))
    }

    async fn account(&self, identity: &Identity, age_max: Ttl) -> Account {
        match self.responsible(identity) {
            Some(directory) => directory.account(identity, age_max).await,
            None => self.nobody_knows(identity),
        }
    }

    fn account_at_hand(&self, identity: &Identity, age_max: Ttl) -> Option<Account> {
        match self.responsible(identity) {
            Some(directory) => directory.account_at_hand(identity, age_max),
            None => Some(self.nobody_knows(identity)),
        }
    }

    async fn members(&self, group: &Identity, age_max: Ttl) -> Members {
        match self.responsible(group) {
            Some(directory) => directory.members(group, age_max).await,
            None => unreadable(&*self.clock, group),
        }
    }

    fn members_at_hand(&self, group: &Identity, age_max: Ttl) -> Option<Members> {
        match self.responsible(group) {
            Some(directory) => directory.members_at_hand(group, age_max),
            None => Some(unreadable(&*self.clock, group)),
        }
    }
}

/// For accounts that the machine itself vouches for: whoever sits at the terminal, the script of a test.
pub struct Trusted {
    clock: Arc<dyn Clock>,
}

impl Trusted {
    /// By this clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }
}

#[async_trait]
impl Directory for Trusted {
    async fn account(&self, _identity: &Identity, _age_max: Ttl) -> Account {
        Account { state: AccountState::Active, name: None, as_of: self.clock.now() }
    }

    fn account_at_hand(&self, _identity: &Identity, _age_max: Ttl) -> Option<Account> {
        Some(Account { state: AccountState::Active, name: None, as_of: self.clock.now() })
    }

    async fn members(&self, group: &Identity, _age_max: Ttl) -> Members {
        unreadable(&*self.clock, group)
    }

    fn members_at_hand(&self, group: &Identity, _age_max: Ttl) -> Option<Members> {
        Some(unreadable(&*self.clock, group))
    }
}

/// Where nothing is configured that keeps schedules: who is on call cannot be read.
pub struct NoOnCall {
    clock: Arc<dyn Clock>,
}

impl NoOnCall {
    /// By this clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }

    fn nobody_knows(&self) -> Members {
        let why = "nothing is configured that could tell who is on call".to_owned();
        Members { members: Err(why), as_of: self.clock.now() }
    }
}

#[async_trait]
impl OnCall for NoOnCall {
    async fn on_call(&self, _schedule: &OnCallSchedule, _age_max: Ttl) -> Members {
        self.nobody_knows()
    }

    fn on_call_at_hand(&self, _schedule: &OnCallSchedule, _age_max: Ttl) -> Option<Members> {
        Some(self.nobody_knows())
    }
}

/// For whoever holds a credential: in good order until it expires or is revoked.
pub struct CredentialDirectory {
    clock: Arc<dyn Clock>,
    store: Arc<dyn CredentialStore>,
}

impl CredentialDirectory {
    /// Over this store.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, store: Arc<dyn CredentialStore>) -> Self {
        Self { clock, store }
    }
}

#[async_trait]
impl Directory for CredentialDirectory {
    async fn account(&self, identity: &Identity, _age_max: Ttl) -> Account {
        let as_of = self.clock.now();
        let barred = |why| Account { state: AccountState::Barred(why), name: None, as_of };
        match self.store.credentials(None).await {
            Err(fault) => barred(NoStanding::Unreadable(fault.to_string())),
            Ok(rows) => {
                let mut named = rows.iter().filter(|row| row.id.as_str() == identity.subject());
                match (named.next(), named.next()) {
                    (None, _) => barred(NoStanding::Unknown),
                    // One name in two tenants: whose it is cannot be told, nor whether it was revoked.
                    (Some(_), Some(_)) => barred(NoStanding::Ambiguous),
                    (Some(row), None) if row.is_valid(as_of) => {
                        Account { state: AccountState::Active, name: None, as_of }
                    }
                    (Some(_), None) => barred(NoStanding::Deactivated),
                }
            }
        }
    }

    fn account_at_hand(&self, _identity: &Identity, _age_max: Ttl) -> Option<Account> {
        None
    }

    async fn members(&self, group: &Identity, _age_max: Ttl) -> Members {
        unreadable(&*self.clock, group)
    }

    fn members_at_hand(&self, group: &Identity, _age_max: Ttl) -> Option<Members> {
        Some(unreadable(&*self.clock, group))
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;
    use crate::call::ContentHash;
    use crate::id::{AgentId, CredentialId};
    use crate::ports::{CredentialRow, StoreError};
    use crate::time::Timestamp;

    struct Rows(Vec<CredentialRow>);

    #[async_trait]
    impl CredentialStore for Rows {
        async fn add_credential(&self, _: CredentialRow) -> Result<(), StoreError> {
            Ok(())
        }
        async fn credential(&self, _: ContentHash) -> Result<Option<CredentialRow>, StoreError> {
            Ok(None)
        }
        async fn credentials(&self, _: Option<&TenantId>) -> Result<Vec<CredentialRow>, StoreError> {
            Ok(self.0.clone())
        }
        async fn revoke_credential(&self, _: &TenantId, _: &CredentialId) -> Result<bool, StoreError> {
            Ok(false)
        }
    }

    struct Noon;

    #[async_trait]
    impl Clock for Noon {
        fn now(&self) -> Timestamp {
            Timestamp::from_secs(43_200)
        }
        async fn sleep_until(&self, _: Timestamp) {}
    }

    fn row(tenant: &str, revoked_at: Option<Timestamp>) -> CredentialRow {
        CredentialRow {
            id: CredentialId::new("zed").unwrap(),
            tenant: TenantId::new(tenant).unwrap(),
            agent: AgentId::new("zed").unwrap(),
            scopes: Vec::new(),
            may_act_for_others: false,
            secret_hash: ContentHash::of(tenant.as_bytes()),
            created_at: Timestamp::from_secs(0),
            expires_at: None,
            revoked_at,
        }
    }

    fn state(rows: Vec<CredentialRow>) -> AccountState {
        let directory = CredentialDirectory::new(Arc::new(Noon), Arc::new(Rows(rows)));
        let identity = Identity::credential("zed").unwrap();
        directory.account(&identity, Ttl::from_secs(60)).now_or_never().unwrap().state
    }

    /// A revoked credential does not live on as another tenant's of its name.
    #[test]
    fn a_name_that_two_tenants_have_is_nobodys() {
        let revoked = Some(Timestamp::from_secs(10));
        assert_eq!(state(Vec::new()), AccountState::Barred(NoStanding::Unknown));
        assert_eq!(state(vec![row("acme", None)]), AccountState::Active);
        assert_eq!(state(vec![row("acme", revoked)]), AccountState::Barred(NoStanding::Deactivated));
        let two = state(vec![row("aaa", None), row("acme", revoked)]);
        assert_eq!(two, AccountState::Barred(NoStanding::Ambiguous));
    }
}
