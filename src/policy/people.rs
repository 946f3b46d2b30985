//! `[[people]]`: who there is, by which accounts, and what they are.

use std::collections::BTreeSet;

use chrono_tz::Tz;

use super::absence::{AbsenceRead, check_stand_ins};
use super::diagnostic::{Report, Span};
use super::groups::groups;
use super::levels::role;
use super::on_call::schedules;
use super::reader::{At, Keys, Table};
use crate::id::{PersonId, Role};
use crate::person::{
    Identity, IdentityError, KnownGroup, KnownPerson, Member, OnCallSchedule, OnCallSource, People,
};

/// The keys of `[[people]]`.
pub(super) const KEYS: &Keys = &[
    ("id", "who, in the policy and in the record"),
    ("name", "what they are called on cards"),
    ("roles", "what they are"),
    ("team", "their team, which rules can look at"),
    ("away", "when they decide nothing, and who stands in"),
    ("slack", "their accounts on Slack: the ids of workspace and user"),
    ("matrix", "their accounts on Matrix, by their full ids"),
    ("console", "their logins at the console"),
    ("email", "their mail addresses, by which calendars name people"),
    ("pagerduty", "their ids at PagerDuty, by which schedules name people"),
    ("credentials", "the ids of their credentials"),
    ("terminal", "their names at the terminal of the machine itself"),
    ("accounts", "accounts of any realm"),
];

/// The people as they were read, with their groups and schedules.
#[derive(Debug, Clone, Default)]
pub(super) struct PeopleRead {
    pub(super) people: Vec<KnownPerson>,
    /// Whether everybody in the file could be read; else nothing can be said of who is missing.
    pub(super) complete: bool,
    groups: Vec<KnownGroup>,
    schedules: Vec<OnCallSchedule>,
    ids: Vec<At<PersonId>>,
    accounts: Vec<(At<Identity>, PersonId)>,
}

impl PeopleRead {
    /// Everything about people that the document has, with times in this zone.
    /// A tenant's add to those of the installation.
    pub(super) fn read(
        document: &mut Table<'_>,
        (zone, ground): (Tz, Option<&Self>),
        report: &mut Report<'_>,
    ) -> Self {
        let tables = document.tables("people", report);
        let mut read = ground.map_or_else(Self::default, Self::beneath);
        let before = read.people.len();
        let written = before + tables.len();
        let mut absences = Vec::new();
        for table in tables {
            read.person(table, (zone, &mut absences), report);
        }
        let ids: Vec<&PersonId> = read.people.iter().map(|known| &known.member.person).collect();
        check_stand_ins(&absences, &ids, report);
        let (groups, all_groups) = groups(document.tables("groups", report), report);
        let (schedules, all_schedules) =
            schedules(document.tables("on_call", report), (zone, &read.people), report);
        for schedule in &schedules {
            if read.schedules.iter().any(|other| other.name == schedule.name) {
                let message = format!("the installation has a schedule `{}`", schedule.name);
                let span = document.key_span("on_call").unwrap_or(0..0);
                report.error(span, message, "give the tenant's another name");
            }
        }
        read.groups.extend(groups);
        read.schedules.extend(schedules);
        read.complete = read.people.len() == written && all_groups && all_schedules;
        read
    }

    /// What a tenant's people are added to: the same, without where it stands, which is another file.
    fn beneath(&self) -> Self {
        let accounts =
            self.accounts.iter().map(|(at, person)| (At::new(at.value.clone(), 0..0), person.clone()));
        Self { ids: Vec::new(), accounts: accounts.collect(), ..self.clone() }
    }

    /// What a policy keeps of it.
    pub(super) fn into_people(self) -> People {
        People::new(self.people).with_groups(self.groups).with_schedules(self.schedules)
    }

    fn person(
        &mut self,
        mut table: Table<'_>,
        (zone, absences): (Tz, &mut Vec<AbsenceRead>),
        report: &mut Report<'_>,
    ) {
        let span = table.span();
        let id = table.string("id", report);
        let name = table.string("name", report);
        let roles = table.strings("roles", report);
        let team = table.string("team", report);
        let away = AbsenceRead::list(&mut table, zone, report);
        let identities = identities(&mut table, report);
        for key in ["id", "name"] {
            if table.key_span(key).is_none() {
                report.error(span.clone(), format!("a person needs `{key}`"), "");
            }
        }
        table.finish(&[KEYS], "[[people]]", report);
        let roles = roles.map_or_else(Vec::new, |roles| roles.value);
        let roles: BTreeSet<Role> =
            roles.into_iter().filter_map(|text| role(text, report)).map(|at| at.value).collect();
        let Some(id) = id else { return };
        let person = match PersonId::new(&id.value) {
            Ok(person) => person,
            Err(error) => return report.error(id.span, error.to_string(), ""),
        };
        if id.value.contains('/') {
            let message = format!("a person's id has no `/`: `{person}`");
            return report.error(id.span, message, "accounts have one, and a person is more than an account");
        }
        if let Some(first) = self.ids.iter().find(|at| at.value == person) {
            let help = format!("the first is on line {}", report.line(&first.span));
            report.error(id.span, format!("there are two people `{person}`"), help);
            return;
        }
        if self.people.iter().any(|known| known.member.person == person) {
            let message = format!("the installation has a person `{person}`");
            return report.error(id.span, message, "a tenant adds people of its own, by ids of their own");
        }
        self.ids.push(At::new(person.clone(), id.span));
        for identity in &identities {
            if let Some((_, other)) =
                self.accounts.iter().find(|(at, other)| at.value == identity.value && *other != person)
            {
                let message =
                    format!("{} is the account of two people: {other} and {person}", identity.value);
                report.error(
                    identity.span.clone(),
                    message,
                    "an account belongs to exactly one person, else it counts for nobody",
                );
            }
        }
        self.accounts.extend(identities.iter().map(|identity| (identity.clone(), person.clone())));
        let name = name.map(|name| name.value).filter(|name| !name.trim().is_empty());
        let team = team.map(|team| team.value).filter(|team| !team.trim().is_empty());
        let known_away = away.iter().map(|absence| absence.absence.clone()).collect();
        absences.extend(away.into_iter().map(|absence| absence.of(person.clone())));
        self.people.push(KnownPerson {
            member: Member {
                name: name.unwrap_or_else(|| person.to_string()),
                person,
                roles,
                stands_in_for: Vec::new(),
            },
            identities: identities.into_iter().map(|identity| identity.value).collect(),
            team,
            away: known_away,
        });
    }

    /// Whether somebody has the role, or is given it by a group or a schedule.
    pub(super) fn have(&self, role: &Role) -> bool {
        self.roles().contains(role)
    }

    /// Every role that somebody has, or that a group or a schedule gives.
    pub(super) fn roles(&self) -> BTreeSet<&Role> {
        let own = self.people.iter().flat_map(|known| &known.member.roles);
        let grouped = self.groups.iter().flat_map(|group| &group.roles);
        own.chain(grouped).chain(self.schedules.iter().map(|schedule| &schedule.role)).collect()
    }

    /// Whether who has the role is kept outside the policy, so that nobody can tell from it how many there are.
    pub(super) fn is_open(&self, role: &Role) -> bool {
        let outside = |schedule: &&OnCallSchedule| !matches!(schedule.source, OnCallSource::Rota { .. });
        self.groups.iter().any(|group| group.roles.contains(role))
            || self.schedules.iter().filter(outside).any(|schedule| schedule.role == *role)
    }

    /// Every role that is kept outside the policy.
    pub(super) fn open_roles(&self) -> BTreeSet<Role> {
        self.roles().into_iter().filter(|role| self.is_open(role)).cloned().collect()
    }

    /// Who has roles and no account, with where they are named.
    pub(super) fn without_account(&self) -> impl Iterator<Item = (&str, &Span)> {
        let mute = |known: &&KnownPerson| {
            known.identities.iter().all(Identity::only_names) && !known.member.roles.is_empty()
        };
        self.people.iter().filter(mute).filter_map(|known| {
            let at = self.ids.iter().find(|at| at.value == known.member.person)?;
            Some((known.member.name.as_str(), &at.span))
        })
    }

    /// Whether somebody has the person's roles while they are away.
    pub(super) fn has_stand_in(&self, person: &PersonId) -> bool {
        let known = self.people.iter().find(|known| known.member.person == *person);
        known.is_some_and(|known| known.away.iter().any(|absence| absence.stand_in.is_some()))
    }

    /// How many have the role at the same time, where only rotas give it; none where others have it too.
    pub(super) fn at_once(&self, role: &Role) -> Option<usize> {
        let own = self.people.iter().any(|known| known.member.roles.contains(role));
        let turns = self.schedules.iter().filter(|schedule| schedule.role == *role).count();
        (turns > 0 && !own && !self.is_open(role)).then_some(turns)
    }

    /// Everybody, with the role of every rota that they take turns in.
    pub(super) fn at_their_turn(&self) -> Vec<KnownPerson> {
        let mut everybody = self.people.clone();
        for schedule in &self.schedules {
            let OnCallSource::Rota { people, .. } = &schedule.source else { continue };
            for known in everybody.iter_mut().filter(|known| people.contains(&known.member.person)) {
                known.member.roles.insert(schedule.role.clone());
            }
        }
        everybody
    }
}

/// The accounts of one person, from every key that names some.
fn identities(table: &mut Table<'_>, report: &mut Report<'_>) -> Vec<At<Identity>> {
    let mut found = Vec::new();
    let mut add = |key: &'static str,
                   of: fn(&str) -> Result<Identity, IdentityError>,
                   help: &str,
                   report: &mut Report<'_>| {
        for text in table.strings(key, report).map_or_else(Vec::new, |texts| texts.value) {
            match of(&text.value) {
                Ok(identity) => found.push(At::new(identity, text.span)),
                Err(IdentityError) => {
                    report.error(text.span, format!("`{}` names no account in `{key}`", text.value), help)
                }
            }
        }
    };
    add(
        "slack",
        slack,
        "a Slack account is the ids of workspace and user, such as \"T024BE7LD/U2CERLKJA\"; a name can be anybody's",
        report,
    );
    add("matrix", Identity::matrix, "a Matrix account is its full id, such as \"@bo:example.org\"", report);
    add("console", Identity::console, "a login at the console", report);
    add(
        "email",
        Identity::email,
        "a mail address, such as \"bo@example.org\": calendars name people by it",
        report,
    );
    add(
        "pagerduty",
        Identity::pagerduty,
        "the id of a user of PagerDuty, such as \"PXPGF42\": the end of their page's address",
        report,
    );
    add(
        "credentials",
        Identity::credential,
        "the id of a credential, as `placet token list` shows it",
        report,
    );
    add(
        "terminal",
        |name| Identity::new("terminal", name),
        "a name at the terminal of the machine itself",
        report,
    );
    add("accounts", |text| text.parse(), "realm and name, such as \"script/ana\"", report);
    found
}

/// `T024BE7LD/U2CERLKJA`: ids, which Slack never gives to somebody else; not names, which anybody can take.
/// <https://api.slack.com/changelog/2016-08-11-user-id-format-changes>
fn slack(text: &str) -> Result<Identity, IdentityError> {
    slack_ids(text, &['U', 'W'])
}

/// The ids of a workspace and of something in it, which begins with one of these letters.
pub(super) fn slack_ids(text: &str, kinds: &[char]) -> Result<Identity, IdentityError> {
    let (team, name) = text.split_once('/').ok_or(IdentityError)?;
    let id = |id: &str, kinds: &[char]| {
        id.starts_with(kinds)
            && id.len() >= 2
            && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    if !id(team, &['T', 'E']) || !id(name, kinds) {
        return Err(IdentityError);
    }
    Identity::slack(team, name)
}
