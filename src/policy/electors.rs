//! Who could decide, as far as the policy alone can tell: for the checks when it is read, and for looking back.

use std::collections::{BTreeMap, BTreeSet};

use super::people::PeopleRead;
use super::rule::Policy;
use super::verdict::{Group, Terms};
use crate::approval::{Proposal, seats};
use crate::id::{PersonId, Role};
use crate::person::{
    AccountState, Identity, KnownPerson, OnCallSchedule, OnCallSource, People, Rolls, Standing,
};
use crate::time::Timestamp;

/// Somebody who could decide.
#[derive(Debug, Clone)]
pub(super) struct Elector {
    pub(super) person: PersonId,
    pub(super) name: String,
    pub(super) roles: BTreeSet<Role>,
}

/// Everybody who could decide.
#[derive(Debug, Clone)]
pub(super) struct Electors {
    pub(super) people: Vec<Elector>,
    /// Roles that groups and schedules outside give: nobody can tell from the policy who has them.
    open: BTreeSet<Role>,
}

impl Electors {
    /// At one time or another: whoever has an account, with every role that they ever have.
    pub(super) fn ever(read: &PeopleRead) -> Self {
        let reachable = |known: &KnownPerson| !known.identities.iter().all(Identity::only_names);
        let people = read.at_their_turn().into_iter().filter(reachable).map(|known| Elector {
            person: known.member.person,
            name: known.member.name,
            roles: known.member.roles,
        });
        Self { people: people.collect(), open: read.open_roles() }
    }

    /// At one moment: without who is away, with who stands in for them and whose turn it is.
    pub(super) fn at(people: &People, now: Timestamp) -> Self {
        let open = Self::open(people);
        let nobody_outside = nobody_outside(people, now);
        let mut found = BTreeMap::new();
        for known in people.all() {
            let accounts = known.identities.iter().filter(|account| !account.only_names());
            let standing = accounts.map(|account| people.standing(account, &nobody_outside, now));
            let member = standing.into_iter().find_map(|standing| match standing {
                Standing::Member(member) => Some(member),
                Standing::None(_) => None,
            });
            if let Some(member) = member {
                let elector =
                    Elector { person: member.person.clone(), name: member.name, roles: member.roles };
                found.entry(member.person).or_insert(elector);
            }
        }
        Self { people: found.into_values().collect(), open }
    }

    /// Roles that groups and schedules outside give.
    pub(super) fn open(people: &People) -> BTreeSet<Role> {
        let grouped = people.groups().iter().flat_map(|group| group.roles.iter().cloned());
        grouped.chain(outside(people).map(|schedule| schedule.role.clone())).collect()
    }

    /// Who could decide a call under these terms: not who is behind it, unless they may.
    pub(super) fn of_call(people: &People, proposal: &Proposal, terms: &Terms, now: Timestamp) -> Self {
        let mut electors = Self::at(people, now);
        if !terms.requester_may_approve {
            for identity in proposal.behind() {
                if let Standing::Member(behind) = people.behind(identity) {
                    electors = electors.without(&behind.person);
                }
            }
        }
        electors
    }

    /// The same without one person.
    pub(super) fn without(&self, person: &PersonId) -> Self {
        let others = self.people.iter().filter(|elector| elector.person != *person);
        Self { people: others.cloned().collect(), open: self.open.clone() }
    }

    /// Whether the policy alone cannot tell who has the role.
    pub(super) fn is_open(&self, role: &Role) -> bool {
        self.open.contains(role)
    }

    /// How many have a role.
    pub(super) fn count(&self, role: &Role) -> usize {
        self.people.iter().filter(|elector| elector.roles.contains(role)).count()
    }

    /// Whether distinct people can fill every place, over all stages together, once everybody is asked who ever is.
    pub(super) fn can_fill(&self, terms: &Terms) -> bool {
        let later: BTreeSet<&Role> = terms.escalation.iter().flat_map(|step| &step.to).collect();
        if later.iter().any(|role| self.is_open(role)) {
            return true;
        }
        let groups = self.closed_groups(terms);
        // Whoever is asked later may fill any place.
        let all: BTreeSet<Role> = groups.iter().map(|group| group.role.clone()).collect();
        let joins = |elector: &&Elector| elector.roles.iter().any(|role| later.contains(role));
        let roles: Vec<&BTreeSet<Role>> =
            self.people.iter().map(|elector| if joins(&elector) { &all } else { &elector.roles }).collect();
        let seated = seats::fill(&groups, &roles);
        groups.iter().zip(seated).all(|(group, seated)| seated.len() >= group.count as usize)
    }

    /// The groups that only people of the policy can fill.
    pub(super) fn closed_groups(&self, terms: &Terms) -> Vec<Group> {
        let groups = seats::groups(&terms.stages);
        groups.into_iter().filter(|group| !self.is_open(&group.role)).collect()
    }

    /// Everybody who is asked, sooner or later.
    pub(super) fn asked<'a>(&'a self, terms: &'a Terms) -> impl Iterator<Item = &'a Elector> {
        let roles: BTreeSet<&Role> = terms
            .stages
            .iter()
            .flat_map(|stage| stage.groups.iter().map(|group| &group.role))
            .chain(terms.escalation.iter().flat_map(|step| &step.to))
            .collect();
        self.people.iter().filter(move |elector| elector.roles.iter().any(|role| roles.contains(role)))
    }
}

impl Policy {
    /// Whether there are people now who could approve a call under these terms: not who asked for it or changed it, unless
    /// they may. Where groups and schedules outside say who has a role, there may be.
    #[must_use]
    pub fn can_be_approved(&self, proposal: &Proposal, terms: &Terms, now: Timestamp) -> bool {
        Electors::of_call(self.people(), proposal, terms, now).can_fill(terms)
    }
}

/// As if every account were in order and nobody were in any group or on call by a schedule outside: what the policy
/// alone says.
pub(super) fn nobody_outside(people: &People, now: Timestamp) -> Rolls {
    let accounts = people.all().iter().flat_map(|known| &known.identities);
    Rolls {
        as_of: now,
        accounts: accounts.map(|account| (account.clone(), AccountState::Active)).collect(),
        names: BTreeMap::new(),
        groups: people.groups().iter().map(|group| (group.group.clone(), Ok(BTreeSet::new()))).collect(),
        on_call: outside(people).map(|schedule| (schedule.name.clone(), Ok(BTreeSet::new()))).collect(),
        wanted: BTreeSet::new(),
    }
}

/// Schedules that are kept outside the policy.
fn outside(people: &People) -> impl Iterator<Item = &OnCallSchedule> {
    people.schedules().iter().filter(|schedule| !matches!(schedule.source, OnCallSource::Rota { .. }))
}
