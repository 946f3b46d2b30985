//! Facts: read outside, dated, and handed to the decision as data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::{join_all, join3};

use crate::approval::{Approval, Command, Facts, Inside, Requester};
use crate::gate::Gate;
use crate::id::{Role, TenantId};
use crate::person::{Concern, Electorate, FACTS_AGE_MAX, Identity, Rolls, Standing};
use crate::policy::{Asker, Circumstances, Policy};
use crate::ports::{Account, Clock, Directory, Members, OnCall};
use crate::time::{Timestamp, Ttl};

/// How old facts may be when they are fetched for a decision: half of what the decision allows, so that they are
/// still fresh when it is taken.
const FETCH_AGE_MAX: Ttl = Ttl::from_secs(30);

impl Gate {
    /// The facts for a command, fetched where they are not at hand.
    pub(super) async fn facts(&self, approval: &Approval, command: &Command) -> Facts {
        let policy = self.policy_of(&approval.tenant);
        let directory = self.directory_for(&approval.tenant);
        self.outside(&policy, &*directory).facts(approval, command).await
    }

    /// The facts for a command, if all are at hand and fresh; never waits.
    pub(super) fn facts_at_hand(&self, approval: &Approval, command: &Command) -> Option<Facts> {
        let policy = self.policy_of(&approval.tenant);
        let directory = self.directory_for(&approval.tenant);
        self.outside(&policy, &*directory).facts_at_hand(approval, command)
    }

    /// Who asks, as the policy knows them now: groups and schedules are read where the policy has any.
    pub async fn asker(&self, tenant: &TenantId, requester: &Requester) -> Asker {
        let policy = self.policy_of(tenant);
        let directory = self.directory_for(tenant);
        self.outside(&policy, &*directory).asker(requester).await
    }

    /// What an account is worth now to a tenant by this policy, as far as these roles go.
    pub(super) async fn standing(
        &self,
        (tenant, policy): (&TenantId, &Policy),
        identity: &Identity,
        roles: &[Role],
    ) -> Standing {
        let wanted: BTreeSet<Role> = roles.iter().cloned().collect();
        let now = self.parts.clock.now();
        let concern = policy.people().concern(identity, &wanted, now);
        let directory = self.directory_for(tenant);
        let rolls = self.outside(policy, &*directory).read(&concern, wanted).await;
        policy.standing(identity, &rolls, now)
    }

    /// What vouches for accounts where a tenant's people decide.
    fn directory_for(&self, tenant: &TenantId) -> Arc<dyn Directory> {
        self.parts.directory.for_tenant(tenant).unwrap_or_else(|| Arc::clone(&self.parts.directory))
    }

    fn outside<'a>(&'a self, policy: &'a Policy, directory: &'a dyn Directory) -> Outside<'a> {
        let parts = &self.parts;
        Outside { policy, clock: &*parts.clock, directory, on_call: &*parts.on_call }
    }
}

/// Where facts come from.
struct Outside<'a> {
    policy: &'a Policy,
    clock: &'a dyn Clock,
    directory: &'a dyn Directory,
    on_call: &'a dyn OnCall,
}

/// What facts are fetched for.
struct Question {
    identities: Vec<Identity>,
    wanted: BTreeSet<Role>,
    concern: Concern,
}

impl Outside<'_> {
    async fn facts(&self, approval: &Approval, command: &Command) -> Facts {
        let question = self.question(approval, command);
        let rolls = self.read(&question.concern, question.wanted.clone()).await;
        self.made(approval, command, (&question, &rolls))
    }

    fn facts_at_hand(&self, approval: &Approval, command: &Command) -> Option<Facts> {
        let question = self.question(approval, command);
        let Concern { accounts, groups, schedules } = &question.concern;
        let accounts = accounts.iter().map(|identity| {
            Some((identity.clone(), self.directory.account_at_hand(identity, FACTS_AGE_MAX)?))
        });
        let groups = groups
            .iter()
            .map(|group| Some((group.clone(), self.directory.members_at_hand(group, FACTS_AGE_MAX)?)));
        let schedules = schedules.iter().map(|(name, schedule)| {
            Some((name.clone(), self.on_call.on_call_at_hand(schedule, FACTS_AGE_MAX)?))
        });
        let read = Read {
            accounts: accounts.collect::<Option<_>>()?,
            groups: groups.collect::<Option<_>>()?,
            on_call: schedules.collect::<Option<_>>()?,
        };
        let rolls = read.rolls(question.wanted.clone(), self.clock.now());
        Some(self.made(approval, command, (&question, &rolls)))
    }

    async fn asker(&self, requester: &Requester) -> Asker {
        let now = self.clock.now();
        let people = self.policy.people();
        // A rule may look at any of them.
        let given = people.groups().iter().flat_map(|group| group.roles.iter().cloned());
        let roles: BTreeSet<Role> =
            given.chain(people.schedules().iter().map(|schedule| schedule.role.clone())).collect();
        let mut concern = Concern::default();
        for identity in &requester.identities {
            concern.add(people.concern(identity, &roles, now));
        }
        let needs_reading = !concern.groups.is_empty()
            || !concern.schedules.is_empty()
            || people.names_any(&requester.identities);
        let rolls =
            if needs_reading { self.read(&concern, BTreeSet::new()).await } else { Rolls::empty(now) };
        self.policy.asker(requester, &rolls, now)
    }

    /// Whose word an answer to a command rests on, and what must be read to know what it is worth.
    fn question(&self, approval: &Approval, command: &Command) -> Question {
        let identities = approval.voices(command);
        let wanted = wanted(self.policy, approval);
        let now = self.clock.now();
        let mut concern = Concern::default();
        for identity in &identities {
            concern.add(self.policy.people().concern(identity, &wanted, now));
        }
        Question { identities, wanted, concern }
    }

    /// Reads everything at once.
    async fn read(&self, concern: &Concern, wanted: BTreeSet<Role>) -> Rolls {
        let accounts = concern
            .accounts
            .iter()
            .map(async |identity| (identity.clone(), self.directory.account(identity, FETCH_AGE_MAX).await));
        let groups = concern
            .groups
            .iter()
            .map(async |group| (group.clone(), self.directory.members(group, FETCH_AGE_MAX).await));
        let schedules = concern.schedules.iter().map(async |(name, schedule)| {
            (name.clone(), self.on_call.on_call(schedule, FETCH_AGE_MAX).await)
        });
        let (accounts, groups, on_call) =
            join3(join_all(accounts), join_all(groups), join_all(schedules)).await;
        Read { accounts, groups, on_call }.rolls(wanted, self.clock.now())
    }

    fn made(&self, approval: &Approval, command: &Command, (question, rolls): (&Question, &Rolls)) -> Facts {
        let policy = self.policy;
        let now = self.clock.now();
        let mut standings: BTreeMap<Identity, Standing> = question
            .identities
            .iter()
            .map(|identity| (identity.clone(), policy.standing(identity, rolls, now)))
            .collect();
        // Who is behind it is barred from deciding whatever became of their accounts, so that those are only looked up.
        for identity in approval.proposal.behind().filter(|_| command.rests_on_accounts()) {
            standings.entry(identity.clone()).or_insert_with(|| policy.people().behind(identity));
        }
        let claims = matches!(command, Command::Claim(_));
        // The level stays that of when it was asked about: that night has fallen since makes no policy stricter. What is
        // forbidden, and what is frozen, is looked at as of now.
        let own = approval.verdict.as_deref().and_then(|verdict| verdict.circumstances.clone());
        let own = own.unwrap_or_else(|| Circumstances::at(approval.opened_at));
        let today = Circumstances { at: now, ..own.clone() };
        let proposal = &approval.proposal;
        // A freeze that another policy has brought since was known to nobody who was asked.
        let same = approval.verdict.as_deref().is_some_and(|v| v.policy.digest == policy.version().digest);
        let knew = same.then_some(&own);
        Facts {
            electorate: Electorate { as_of: rolls.as_of, standings },
            stewards: policy.stewards().to_vec(),
            glass_breakers: policy.glass_breakers().to_vec(),
            frozen: claims.then(|| policy.frozen(proposal, knew, now)).flatten(),
            inside: Inside::default(),
            forbidden: claims.then(|| policy.forbids(proposal, &today)).flatten(),
            today: claims.then(|| Arc::new(policy.judge(proposal, &own))),
        }
    }
}

/// What came back.
struct Read {
    accounts: Vec<(Identity, Account)>,
    groups: Vec<(Identity, Members)>,
    on_call: Vec<(String, Members)>,
}

impl Read {
    /// All of it, dated by the oldest; by now, where nothing was asked.
    fn rolls(self, wanted: BTreeSet<Role>, now: Timestamp) -> Rolls {
        let accounts = self.accounts.iter().map(|(_, account)| account.as_of);
        let groups = self.groups.iter().map(|(_, members)| members.as_of);
        let on_call = self.on_call.iter().map(|(_, members)| members.as_of);
        let as_of = accounts.chain(groups).chain(on_call).min().unwrap_or(now);
        Rolls {
            as_of,
            names: self
                .accounts
                .iter()
                .filter_map(|(identity, account)| Some((identity.clone(), account.name.clone()?)))
                .collect(),
            accounts: self
                .accounts
                .into_iter()
                .map(|(identity, account)| (identity, account.state))
                .collect(),
            groups: self.groups.into_iter().map(|(group, members)| (group, members.members)).collect(),
            on_call: self.on_call.into_iter().map(|(name, members)| (name, members.members)).collect(),
            wanted,
        }
    }
}

/// The roles that matter to a request: those its terms ask for, now or when it escalates, those of stewards, and of
/// whoever may decide alone.
fn wanted(policy: &Policy, approval: &Approval) -> BTreeSet<Role> {
    let terms = approval.verdict.iter().filter_map(|verdict| verdict.terms.as_ref());
    let asked = terms.flat_map(|terms| {
        let groups = terms.stages.iter().flat_map(|stage| stage.groups.iter().map(|group| &group.role));
        groups.chain(terms.escalation.iter().flat_map(|step| &step.to))
    });
    asked.chain(policy.stewards()).chain(policy.glass_breakers()).cloned().collect()
}

#[cfg(test)]
mod tests;
