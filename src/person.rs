//! Who people are: accounts on surfaces resolve to exactly one person, or to a refusal.
//!
//! A vote keeps the [`Identity`] it came from; the person is looked up when the decision is taken, so that two
//! accounts joined in between count once, and a role lost in between counts no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

#[cfg(feature = "policy")]
mod people;
#[cfg(feature = "policy")]
mod rota;
#[cfg(test)]
#[cfg(feature = "policy")]
mod tests;

use crate::id::{PersonId, Role};
use crate::time::{Timestamp, Ttl};

#[cfg(feature = "policy")]
pub use people::{Concern, People};
#[cfg(feature = "policy")]
pub(crate) use rota::instant;

/// The most bytes of a Matrix id.
/// <https://spec.matrix.org/v1.16/appendices/#user-identifiers>
const MATRIX_ID_BYTES_MAX: usize = 255;

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

    /// A Matrix account by its full id, `@bo:example.org`. Its homeserver vouches for it, so that its realm is
    /// `matrix:example.org`, and its name there is the whole id.
    /// <https://spec.matrix.org/v1.16/appendices/#user-identifiers>
    ///
    /// # Errors
    /// If it is no full id.
    pub fn matrix(id: &str) -> Result<Self, IdentityError> {
        let (local, server) = id.strip_prefix('@').and_then(|id| id.split_once(':')).ok_or(IdentityError)?;
        if local.is_empty()
            || server.is_empty()
            || id.len() > MATRIX_ID_BYTES_MAX
            || id.contains(char::is_whitespace)
        {
            return Err(IdentityError);
        }
        Self::new(format!("matrix:{server}"), id)
    }

    /// A login at the console.
    ///
    /// # Errors
    /// If it is empty.
    pub fn console(login: &str) -> Result<Self, IdentityError> {
        Self::new("console", login)
    }

    /// A mail address, by which calendars name people. No surface vouches for one: nobody votes with it.
    ///
    /// # Errors
    /// If it is none.
    pub fn email(address: &str) -> Result<Self, IdentityError> {
        let (local, host) = address.rsplit_once('@').ok_or(IdentityError)?;
        if local.is_empty() || host.is_empty() || address.contains(char::is_whitespace) {
            return Err(IdentityError);
        }
        // Calendars write the same address in capitals and without, and nobody gives out two that differ in that only.
        Self::new("email", address.to_lowercase())
    }

    /// A user of PagerDuty by their id there, by which schedules name people. Nobody votes with it.
    ///
    /// # Errors
    /// If it is none.
    pub fn pagerduty(id: &str) -> Result<Self, IdentityError> {
        let fits = |id: &str| id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if id.len() >= 3 && fits(id) { Self::new("pagerduty", id) } else { Err(IdentityError) }
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

    /// The kind of who vouches: `slack` of `slack:T024BE7LD`.
    #[must_use]
    pub fn family(&self) -> &str {
        self.realm.split(':').next().unwrap_or(&self.realm)
    }

    /// Whether schedules name people by it, and nobody can act with it: no surface vouches for one.
    #[must_use]
    pub fn only_names(&self) -> bool {
        matches!(self.realm.as_str(), "email" | "pagerduty")
    }

    /// Whether a chat can tell it something directly.
    #[must_use]
    pub fn is_in_chat(&self) -> bool {
        matches!(self.family(), "slack" | "matrix")
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
    /// What they are: their own roles, those of their groups, of whom they stand in for, and of being on call.
    pub roles: BTreeSet<Role>,
    /// Names of those whose roles they have because they stand in for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stands_in_for: Vec<String>,
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
    /// The policy says that they are away; who stands in for them has their roles.
    Away,
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

/// What was read outside about accounts, groups and who is on call, before a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rolls {
    /// When the oldest of it was read.
    pub as_of: Timestamp,
    /// Accounts that were asked about.
    pub accounts: BTreeMap<Identity, AccountState>,
    /// What accounts are called where they are, for showing those whom the policy does not name.
    pub names: BTreeMap<Identity, String>,
    /// Members of groups that the policy names, or why they cannot be read.
    pub groups: BTreeMap<Identity, Result<BTreeSet<Identity>, String>>,
    /// Who is on call by each schedule kept outside the policy, or why that cannot be read: accounts in any realm (a
    /// mail address, a PagerDuty user), which the policy's people have.
    pub on_call: BTreeMap<String, Result<BTreeSet<Identity>, String>>,
    /// Roles that the decision asks for. Whoever has none of them because something could not be read is told that,
    /// not that they lack the role.
    pub wanted: BTreeSet<Role>,
}

impl Rolls {
    /// Nothing was asked.
    #[must_use]
    pub const fn empty(as_of: Timestamp) -> Self {
        Self {
            as_of,
            accounts: BTreeMap::new(),
            names: BTreeMap::new(),
            groups: BTreeMap::new(),
            on_call: BTreeMap::new(),
            wanted: BTreeSet::new(),
        }
    }
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

/// One person as the policy names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownPerson {
    /// Who, what they are called, what they are.
    pub member: Member,
    /// Their accounts.
    pub identities: BTreeSet<Identity>,
    /// Their team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// When they are away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub away: Vec<Absence>,
}

/// A time in which somebody decides nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// From then.
    pub from: Timestamp,
    /// Until then (exclusive).
    pub until: Timestamp,
    /// Who has their roles meanwhile; none means nobody.
    pub stand_in: Option<PersonId>,
}

/// A group on a surface whose members have roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownGroup {
    /// Which, by the surface's own ids: a Slack user group `slack:T024BE7LD/S0614TZR7`; whoever has so much power in a
    /// Matrix room, `matrix/!ops:example.org/50`.
    pub group: Identity,
    /// What its members are.
    pub roles: BTreeSet<Role>,
}

/// A schedule that says who is on call; whoever is has a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnCallSchedule {
    /// Its name in the policy.
    pub name: String,
    /// What whoever is on call is.
    pub role: Role,
    /// Where it is kept.
    pub source: OnCallSource,
}

/// Where a schedule is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnCallSource {
    /// In the policy: people in turn.
    Rota {
        /// In their order.
        people: Vec<PersonId>,
        /// When turns change.
        handover: Handover,
    },
    /// An iCalendar file (RFC 5545) at an address: whoever an event names that goes on now.
    Calendar {
        /// Where.
        url: String,
    },
    /// PagerDuty: the first level of an escalation policy.
    PagerDuty {
        /// The escalation policy's id.
        escalation_policy: String,
    },
}

/// When turns change, by the clock on the wall of one time zone: a handover at nine stays at nine over daylight
/// saving.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// The day of the first, `2026-11-30`.
    pub first: chrono::NaiveDate,
    /// The time of day, `09:00`.
    pub at: chrono::NaiveTime,
    /// Every so many days.
    pub every_days: u32,
    /// The IANA name of the time zone.
    pub zone: String,
}
