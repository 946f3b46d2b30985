//! `[[people]]`: who there is, by which accounts, and what they are.

use std::collections::BTreeSet;

use super::diagnostic::Report;
use super::levels::role;
use super::reader::{At, Table};
use crate::id::{PersonId, Role};
use crate::person::{Identity, IdentityError, KnownPerson, Member};

/// The people as they were read.
#[derive(Debug, Default)]
pub(super) struct PeopleRead {
    pub(super) people: Vec<KnownPerson>,
    /// Whether everybody in the file could be read; else nothing can be said of who is missing.
    pub(super) complete: bool,
    ids: Vec<At<PersonId>>,
    accounts: Vec<(At<Identity>, PersonId)>,
}

impl PeopleRead {
    pub(super) fn read(tables: Vec<Table<'_>>, report: &mut Report<'_>) -> Self {
        let mut read = Self::default();
        let written = tables.len();
        for table in tables {
            read.person(table, report);
        }
        read.complete = read.people.len() == written;
        read
    }

    fn person(&mut self, mut table: Table<'_>, report: &mut Report<'_>) {
        let span = table.span();
        let id = table.string("id", report);
        let name = table.string("name", report);
        let roles = table.strings("roles", report);
        let identities = identities(&mut table, report);
        for key in ["id", "name"] {
            if table.key_span(key).is_none() {
                report.error(span.clone(), format!("a person needs `{key}`"), "");
            }
        }
        table.finish("[[people]]", report);
        let roles = roles.map_or_else(Vec::new, |roles| roles.value);
        let roles: BTreeSet<Role> =
            roles.into_iter().filter_map(|text| role(text, report)).map(|at| at.value).collect();
        let Some(id) = id else { return };
        let person = match PersonId::new(&id.value) {
            Ok(person) => person,
            Err(error) => return report.error(id.span, error.to_string(), ""),
        };
        if let Some(first) = self.ids.iter().find(|at| at.value == person) {
            let help = format!("the first is on line {}", report.line(&first.span));
            report.error(id.span, format!("there are two people `{person}`"), help);
            return;
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
        self.people.push(KnownPerson {
            member: Member {
                name: name.unwrap_or_else(|| person.to_string()),
                person,
                roles,
                stands_in_for: Vec::new(),
            },
            identities: identities.into_iter().map(|identity| identity.value).collect(),
            team: None,
            away: Vec::new(),
        });
    }

    /// Whether somebody has the role.
    pub(super) fn have(&self, role: &Role) -> bool {
        self.people.iter().any(|known| known.member.roles.contains(role))
    }

    /// Every role that somebody has.
    pub(super) fn roles(&self) -> BTreeSet<&Role> {
        self.people.iter().flat_map(|known| &known.member.roles).collect()
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
    let (team, user) = text.split_once('/').ok_or(IdentityError)?;
    let id = |id: &str, kinds: &[char]| {
        id.starts_with(kinds)
            && id.len() >= 3
            && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    if !id(team, &['T', 'E']) || !id(user, &['U', 'W']) {
        return Err(IdentityError);
    }
    Identity::slack(team, user)
}
