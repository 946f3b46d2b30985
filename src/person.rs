//! Who people are: accounts on surfaces resolve to exactly one person, or to a refusal.
//!
//! A vote keeps the [`Identity`] it came from; the person is looked up when the decision is taken, so that two
//! accounts joined in between count once, and a role lost in between counts no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{PersonId, Role};
use crate::time::{Timestamp, Ttl};

/// An account somewhere: the realm that vouches for it, and its exact name there. Never a display name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Identity {
    realm: String,
    subject: String,
}

/// Why a text is not an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an identity is a realm and a name in it, such as slack:T024BE7LD/U2CERLKJA or credential/ci-bot")]
pub struct IdentityError;

impl Identity {
    /// An account named `subject` in `realm`.
    ///
    /// # Errors
    /// If either is empty, the realm holds a `/`, or either holds a control character.
    pub fn new(realm: impl Into<String>, subject: impl Into<String>) -> Result<Self, IdentityError> {
        let (realm, subject) = (realm.into(), subject.into());
        let bad = |text: &str| text.is_empty() || text.chars().any(char::is_control);
        if bad(&realm) || bad(&subject) || realm.contains('/') {
            return Err(IdentityError);
        }
        Ok(Self { realm, subject })
    }

    /// A Slack account: the workspace or enterprise that vouches for it, and the user's id there.
    ///
    /// # Errors
    /// If either is empty.
    pub fn slack(team: &str, user: &str) -> Result<Self, IdentityError> {
        if team.is_empty() {
            return Err(IdentityError);
        }
        Self::new(format!("slack:{team}"), user)
    }

    /// Whoever holds a credential.
    ///
    /// # Errors
    /// If the id is empty.
    pub fn credential(id: &str) -> Result<Self, IdentityError> {
        Self::new("credential", id)
    }

    /// Who vouches: `slack:T024BE7LD`, `credential`, `terminal`.
    #[must_use]
    pub fn realm(&self) -> &str {
        &self.realm
    }

    /// The name there.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.realm, self.subject)
    }
}

impl std::str::FromStr for Identity {
    type Err = IdentityError;
    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let (realm, subject) = text.split_once('/').ok_or(IdentityError)?;
        Self::new(realm, subject)
    }
}

impl TryFrom<String> for Identity {
    type Error = IdentityError;
    fn try_from(text: String) -> Result<Self, IdentityError> {
        text.parse()
    }
}

impl From<Identity> for String {
    fn from(identity: Identity) -> Self {
        identity.to_string()
    }
}

/// A person with an account that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Who.
    pub person: PersonId,
    /// What they are called on cards and in the record.
    pub name: String,
    /// What they are.
    pub roles: BTreeSet<Role>,
}

/// Why an account does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "why", content = "detail")]
pub enum NoStanding {
    /// Nobody in the policy has it.
    Unknown,
    /// Two people in the policy have it.
    Ambiguous,
    /// It was deactivated.
    Deactivated,
    /// A guest, restricted to some channels.
    Guest,
    /// A bot or an app, not a person.
    Bot,
    /// From another workspace, homeserver, or a stranger through a shared channel.
    Foreign,
    /// The surface could not tell what it is; never taken for a yes.
    Unreadable(String),
}

/// What an account is worth at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Exactly one person.
    Member(Member),
    /// No vote.
    None(NoStanding),
}

/// What a surface says of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountState {
    /// A person's, in good order.
    Active,
    /// No vote, and why.
    Barred(NoStanding),
}

/// How old facts about accounts may be when a decision rests on them. Slack's rule; short enough that who was
/// removed a minute ago cannot approve.
pub const FACTS_AGE_MAX: Ttl = Ttl::from_secs(60);

/// What the accounts in question are worth, and when that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Electorate {
    /// When the oldest of these facts was read.
    pub as_of: Timestamp,
    /// Each account asked about.
    pub standings: BTreeMap<Identity, Standing>,
}

impl Electorate {
    /// Facts about nobody, for commands that rest on no account.
    #[must_use]
    pub const fn nobody(as_of: Timestamp) -> Self {
        Self { as_of, standings: BTreeMap::new() }
    }

    /// Whether a decision at `now` may rest on this.
    #[must_use]
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        // Facts from the future are of a clock that was set back since: how old they are, nobody knows.
        self.as_of <= now && now.since(self.as_of) <= FACTS_AGE_MAX
    }

    /// What is known of an account; none if it was not asked about.
    #[must_use]
    pub fn standing(&self, identity: &Identity) -> Option<&Standing> {
        self.standings.get(identity)
    }

    /// The person behind an account, if it counts.
    #[must_use]
    pub fn member(&self, identity: &Identity) -> Option<&Member> {
        match self.standings.get(identity) {
            Some(Standing::Member(member)) => Some(member),
            Some(Standing::None(_)) | None => None,
        }
    }
}

/// The people that a policy names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct People {
    people: Vec<KnownPerson>,
}

/// One person as the policy names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownPerson {
    /// Who, what they are called, what they are.
    pub member: Member,
    /// Their accounts.
    pub identities: BTreeSet<Identity>,
}

impl People {
    /// These people and nobody else; an empty list means nobody.
    #[must_use]
    pub const fn new(people: Vec<KnownPerson>) -> Self {
        Self { people }
    }

    /// Exactly one person, or the refusal.
    #[must_use]
    pub fn resolve(&self, identity: &Identity) -> Standing {
        let mut holders = self.people.iter().filter(|known| known.identities.contains(identity));
        match (holders.next(), holders.next()) {
            (None, _) => Standing::None(NoStanding::Unknown),
            (Some(known), None) => Standing::Member(known.member.clone()),
            (Some(_), Some(_)) => Standing::None(NoStanding::Ambiguous),
        }
    }

    /// What an account is worth, given what its surface says of it.
    #[must_use]
    pub fn standing(&self, identity: &Identity, account: &AccountState) -> Standing {
        match account {
            AccountState::Active => self.resolve(identity),
            AccountState::Barred(why) => Standing::None(why.clone()),
        }
    }

    /// The people who have a role, in the order of the policy.
    pub fn with_role<'a>(&'a self, role: &'a Role) -> impl Iterator<Item = &'a KnownPerson> {
        self.people.iter().filter(move |known| known.member.roles.contains(role))
    }

    /// Everybody.
    #[must_use]
    pub fn all(&self) -> &[KnownPerson] {
        &self.people
    }

    /// A person by their id.
    #[must_use]
    pub fn by_id(&self, person: &PersonId) -> Option<&KnownPerson> {
        self.people.iter().find(|known| known.member.person == *person)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(id: &str, identities: &[&str]) -> KnownPerson {
        KnownPerson {
            member: Member {
                person: PersonId::new(id).unwrap(),
                name: id.to_owned(),
                roles: BTreeSet::from([Role::new("admin").unwrap()]),
            },
            identities: identities.iter().map(|text| text.parse().unwrap()).collect(),
        }
    }

    /// R17: an identity that resolves to no person or to two is refused; an empty list means nobody.
    #[test]
    fn exactly_one_person_or_a_refusal() {
        let people = People::new(vec![
            person("bo", &["slack:T1/UBO", "credential/bo"]),
            person("chen", &["slack:T1/UCHEN", "credential/shared"]),
            person("dana", &["credential/shared"]),
        ]);
        let standing = |text: &str| people.resolve(&text.parse().unwrap());
        assert!(matches!(standing("slack:T1/UBO"), Standing::Member(m) if m.person.as_str() == "bo"));
        assert_eq!(
            standing("slack:T2/UBO"),
            Standing::None(NoStanding::Unknown),
            "another workspace's U is another"
        );
        assert_eq!(standing("credential/shared"), Standing::None(NoStanding::Ambiguous));
        assert_eq!(
            People::default().resolve(&"slack:T1/UBO".parse().unwrap()),
            Standing::None(NoStanding::Unknown)
        );
    }
}
