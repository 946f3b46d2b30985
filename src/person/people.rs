//! The people that a policy names, and what an account is worth at one moment.
//!
//! What always holds: an account counts for exactly one person or for nobody; what could not be read gives nothing,
//! and nothing else is asked in its place; who is away decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    AccountState, Identity, KnownGroup, KnownPerson, Member, NoStanding, OnCallSchedule, OnCallSource, Rolls,
    Standing,
};
use crate::approval::Requester;
use crate::id::{PersonId, Role};
use crate::policy::Asker;
use crate::time::Timestamp;

/// The most characters of what an account calls itself: a longer one is no name, and would fill the card.
const NAME_CHARS_MAX: usize = 80;

/// The people that a policy names, the groups whose members have roles, and the schedules of who is on call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct People {
    people: Vec<KnownPerson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<KnownGroup>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    schedules: Vec<OnCallSchedule>,
}

/// What must be read outside before it can be said what accounts are worth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Concern {
    /// Accounts whose state matters.
    pub accounts: BTreeSet<Identity>,
    /// Groups they may be in.
    pub groups: BTreeSet<Identity>,
    /// Schedules, kept outside the policy, that may name them; by name.
    pub schedules: BTreeMap<String, OnCallSchedule>,
}

impl Concern {
    /// This as well.
    pub fn add(&mut self, more: Self) {
        self.accounts.extend(more.accounts);
        self.groups.extend(more.groups);
        self.schedules.extend(more.schedules);
    }
}

impl People {
    /// These people and nobody else; an empty list means nobody.
    #[must_use]
    pub const fn new(people: Vec<KnownPerson>) -> Self {
        Self { people, groups: Vec::new(), schedules: Vec::new() }
    }

    /// The same with these groups.
    #[must_use]
    pub fn with_groups(mut self, groups: Vec<KnownGroup>) -> Self {
        self.groups = groups;
        self
    }

    /// The same with these schedules.
    #[must_use]
    pub fn with_schedules(mut self, schedules: Vec<OnCallSchedule>) -> Self {
        self.schedules = schedules;
        self
    }

    /// These and more.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.people.extend(more.people);
        self.groups.extend(more.groups);
        self.schedules.extend(more.schedules);
        self
    }

    /// Exactly one of the people named, or the refusal: by the policy alone, whatever is known outside of the account
    /// and of its groups.
    #[must_use]
    pub fn resolve(&self, identity: &Identity) -> Standing {
        match self.holder(identity) {
            Ok(known) => Standing::Member(known.member.clone()),
            Err(why) => Standing::None(why),
        }
    }

    /// Who stands behind an account, whatever it is worth: the person named, else a person of its own. Without roles.
    #[must_use]
    pub fn behind(&self, identity: &Identity) -> Standing {
        match self.holder(identity) {
            Ok(known) => Standing::Member(Member { roles: BTreeSet::new(), ..known.member.clone() }),
            Err(NoStanding::Unknown) => own_person(identity, None, BTreeSet::new()),
            Err(why) => Standing::None(why),
        }
    }

    /// What must be read outside to say what an account is worth to a decision that asks for these roles.
    #[must_use]
    pub fn concern(&self, identity: &Identity, wanted: &BTreeSet<Role>, now: Timestamp) -> Concern {
        let mut concern = Concern::default();
        concern.accounts.insert(identity.clone());
        concern.groups.extend(self.groups_near(identity).map(|group| group.group.clone()));
        let Ok(known) = self.holder(identity) else { return concern };
        for one in self.answers_for(known, now) {
            for account in &one.identities {
                let gives = |group: &&KnownGroup| !group.roles.is_disjoint(wanted);
                let groups: Vec<_> = self.groups_near(account).filter(gives).collect();
                if !groups.is_empty() {
                    concern.accounts.insert(account.clone());
                    concern.groups.extend(groups.into_iter().map(|group| group.group.clone()));
                }
            }
            let schedules = self
                .schedules
                .iter()
                .filter(|schedule| wanted.contains(&schedule.role) && may_be_named(one, &schedule.source));
            concern.schedules.extend(schedules.map(|schedule| (schedule.name.clone(), schedule.clone())));
        }
        concern
    }

    /// What an account is worth now, by what was read outside. What its surface says of it comes first; then exactly
    /// one person has it; then they are not away. A group of the account's realm that could not be read leaves nobody
    /// of that realm a vote: who is in it, or was taken out of it, is not known.
    #[must_use]
    pub fn standing(&self, identity: &Identity, rolls: &Rolls, now: Timestamp) -> Standing {
        match rolls.accounts.get(identity) {
            Some(AccountState::Active) => {}
            Some(AccountState::Barred(why)) => return Standing::None(why.clone()),
            None => return unreadable(format!("{identity} was not asked about")),
        }
        let known = match self.holder(identity) {
            Ok(known) if known.is_away(now) => return Standing::None(NoStanding::Away),
            Ok(known) => Some(known),
            Err(NoStanding::Unknown) => None,
            Err(why) => return Standing::None(why),
        };
        for group in self.groups_near(identity) {
            match rolls.groups.get(&group.group) {
                Some(Ok(_)) => {}
                Some(Err(why)) => return unreadable(format!("who is in {}: {why}", group.group)),
                None => return unreadable(format!("nobody asked who is in {}", group.group)),
            }
        }
        match known {
            Some(known) => self.member(known, rolls, now),
            None => self.stranger(identity, rolls),
        }
    }

    /// Who asks, by the first account behind it that is somebody's; and whether a group or a schedule that could give
    /// them a role could not be read. An account that is out of order, or that could not be read, is nobody's word: who
    /// asks by it may be anybody, which is as if it could not be read.
    #[must_use]
    pub fn asker(&self, requester: &Requester, rolls: &Rolls, now: Timestamp) -> Asker {
        let is_barred =
            |identity: &Identity| matches!(rolls.accounts.get(identity), Some(AccountState::Barred(_)));
        let anybody = || Asker { roles_unread: true, ..Asker::default() };
        let mut known = requester
            .identities
            .iter()
            .filter_map(|identity| Some((identity, self.holder(identity).ok()?)))
            .peekable();
        if let Some((_, first)) = known.peek().copied() {
            if known.any(|(identity, _)| is_barred(identity)) {
                return anybody();
            }
            let Worth { roles, unread, .. } = self.roles(first, rolls, now);
            return Asker {
                person: Some(first.member.person.clone()),
                roles,
                roles_unread: !unread.is_empty(),
                team: first.team.clone(),
            };
        }
        let mut worth = Worth::default();
        for identity in &requester.identities {
            for group in self.groups_near(identity) {
                worth.by_group(identity, group, rolls);
            }
        }
        let nobody = Asker { roles_unread: !worth.unread.is_empty(), ..Asker::default() };
        let in_a_group =
            requester.identities.iter().find_map(|identity| match self.stranger(identity, rolls) {
                Standing::Member(member) => Some((identity, member)),
                Standing::None(_) => None,
            });
        match in_a_group {
            Some((identity, _)) if is_barred(identity) => anybody(),
            Some((_, member)) => Asker { person: Some(member.person), roles: member.roles, ..nobody },
            None => nobody,
        }
    }

    /// Whether any of these accounts is somebody's in the policy, so that what it is worth must be read.
    #[must_use]
    pub fn names_any(&self, identities: &[Identity]) -> bool {
        identities.iter().any(|identity| self.holder(identity).is_ok())
    }

    /// The people who have a role of their own, in the order of the policy.
    pub fn with_role<'a>(&'a self, role: &'a Role) -> impl Iterator<Item = &'a KnownPerson> {
        self.people.iter().filter(move |known| known.member.roles.contains(role))
    }

    /// Everybody.
    #[must_use]
    pub fn all(&self) -> &[KnownPerson] {
        &self.people
    }

    /// The groups whose members have roles.
    #[must_use]
    pub fn groups(&self) -> &[KnownGroup] {
        &self.groups
    }

    /// The schedules of who is on call.
    #[must_use]
    pub fn schedules(&self) -> &[OnCallSchedule] {
        &self.schedules
    }

    /// A person by their id.
    #[must_use]
    pub fn by_id(&self, person: &PersonId) -> Option<&KnownPerson> {
        self.people.iter().find(|known| known.member.person == *person)
    }

    /// Exactly one person has it.
    fn holder(&self, identity: &Identity) -> Result<&KnownPerson, NoStanding> {
        let mut holders = self.people.iter().filter(|known| known.identities.contains(identity));
        match (holders.next(), holders.next()) {
            (None, _) => Err(NoStanding::Unknown),
            (Some(known), None) => Ok(known),
            (Some(_), Some(_)) => Err(NoStanding::Ambiguous),
        }
    }

    /// The groups that an account may be in: those of its realm, and those of its whole family.
    fn groups_near<'a>(&'a self, identity: &'a Identity) -> impl Iterator<Item = &'a KnownGroup> {
        self.groups.iter().filter(move |group| {
            group.group.realm() == identity.realm() || group.group.realm() == identity.family()
        })
    }

    /// Somebody, and everybody who is away and has left it to them, over others who are away too.
    fn answers_for<'a>(&'a self, known: &'a KnownPerson, now: Timestamp) -> Vec<&'a KnownPerson> {
        let mut found = vec![known];
        let mut next = 0;
        while let Some(one) = found.get(next).copied() {
            next += 1;
            let more = self.people.iter().filter(|other| {
                other.stand_ins(now).any(|stand_in| *stand_in == one.member.person)
                    && found.iter().all(|seen| seen.member.person != other.member.person)
            });
            let more: Vec<_> = more.collect();
            found.extend(more);
        }
        found
    }

    fn member(&self, known: &KnownPerson, rolls: &Rolls, now: Timestamp) -> Standing {
        let Worth { roles, stands_in_for, unread } = self.roles(known, rolls, now);
        if !unread.is_empty() && roles.is_disjoint(&rolls.wanted) {
            return unreadable(unread.into_iter().collect::<Vec<_>>().join("; "));
        }
        let Member { person, name, .. } = known.member.clone();
        Standing::Member(Member { person, name, roles, stands_in_for })
    }

    fn roles(&self, known: &KnownPerson, rolls: &Rolls, now: Timestamp) -> Worth {
        let mut worth = Worth::default();
        for one in self.answers_for(known, now) {
            if one.member.person != known.member.person {
                worth.stands_in_for.push(one.member.name.clone());
            }
            worth.roles.extend(one.member.roles.iter().cloned());
            for account in &one.identities {
                for group in self.groups_near(account) {
                    worth.by_group(account, group, rolls);
                }
            }
            for schedule in &self.schedules {
                worth.by_schedule(one, schedule, rolls, now);
            }
        }
        worth
    }

    /// An account that nobody in the policy has, but that is in a group: a person of its own.
    fn stranger(&self, identity: &Identity, rolls: &Rolls) -> Standing {
        let mut roles = BTreeSet::new();
        for group in self.groups_near(identity) {
            if rolls
                .groups
                .get(&group.group)
                .is_some_and(|members| members.as_ref().is_ok_and(|members| members.contains(identity)))
            {
                roles.extend(group.roles.iter().cloned());
            }
        }
        if roles.is_empty() {
            return Standing::None(NoStanding::Unknown);
        }
        own_person(identity, rolls.names.get(identity).map(String::as_str), roles)
    }
}

/// What somebody's roles are, and what could not be read about them.
#[derive(Default)]
struct Worth {
    roles: BTreeSet<Role>,
    stands_in_for: Vec<String>,
    unread: BTreeSet<String>,
}

impl Worth {
    fn by_group(&mut self, account: &Identity, group: &KnownGroup, rolls: &Rolls) {
        match rolls.groups.get(&group.group) {
            Some(Ok(members)) if members.contains(account) => match rolls.accounts.get(account) {
                Some(AccountState::Active) => self.roles.extend(group.roles.iter().cloned()),
                Some(AccountState::Barred(NoStanding::Unreadable(why))) => {
                    self.unread.insert(format!("{account}: {why}"));
                }
                Some(AccountState::Barred(_)) | None => {}
            },
            Some(Err(why)) => {
                self.unread.insert(format!("who is in {}: {why}", group.group));
            }
            Some(Ok(_)) | None => {}
        }
    }

    fn by_schedule(&mut self, one: &KnownPerson, schedule: &OnCallSchedule, rolls: &Rolls, now: Timestamp) {
        let is_on_call = match &schedule.source {
            OnCallSource::Rota { people, handover } => handover.turn(people, now) == Some(&one.member.person),
            OnCallSource::Calendar { .. } | OnCallSource::PagerDuty { .. } => {
                match rolls.on_call.get(&schedule.name) {
                    Some(Ok(named)) => !named.is_disjoint(&one.identities),
                    Some(Err(why)) => {
                        if may_be_named(one, &schedule.source) {
                            self.unread.insert(format!("who is on call by {}: {why}", schedule.name));
                        }
                        false
                    }
                    None => false,
                }
            }
        };
        if is_on_call {
            self.roles.insert(schedule.role.clone());
        }
    }
}

impl KnownPerson {
    /// Whether they are away.
    #[must_use]
    pub fn is_away(&self, now: Timestamp) -> bool {
        self.away.iter().any(|absence| absence.from <= now && now < absence.until)
    }

    /// Who stands in for them now.
    fn stand_ins(&self, now: Timestamp) -> impl Iterator<Item = &PersonId> {
        self.away
            .iter()
            .filter(move |absence| absence.from <= now && now < absence.until)
            .filter_map(|absence| absence.stand_in.as_ref())
    }
}

/// Whether somebody has an account by which a schedule could name them.
fn may_be_named(one: &KnownPerson, source: &OnCallSource) -> bool {
    let realms: &[&str] = match source {
        OnCallSource::Rota { .. } => &[],
        OnCallSource::Calendar { .. } => &["email"],
        OnCallSource::PagerDuty { .. } => &["email", "pagerduty"],
    };
    one.identities.iter().any(|identity| realms.contains(&identity.realm()))
}

/// The person of an account that nobody in the policy has. Ids of people in the policy hold no `/`. They are called what
/// their account is, beside its id: anybody can call themselves what somebody else is called.
fn own_person(identity: &Identity, called: Option<&str>, roles: BTreeSet<Role>) -> Standing {
    let line = called.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    let name = match line.filter(|name| !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX) {
        Some(name) => format!("{name} ({})", identity.subject()),
        None => identity.subject().to_owned(),
    };
    match PersonId::new(identity.to_string()) {
        Ok(person) => Standing::Member(Member { person, name, roles, stands_in_for: Vec::new() }),
        Err(_) => Standing::None(NoStanding::Unknown),
    }
}

const fn unreadable(why: String) -> Standing {
    Standing::None(NoStanding::Unreadable(why))
}
