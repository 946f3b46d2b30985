//! `[[groups]]`: groups on a surface whose members have roles.

use std::collections::BTreeSet;

use super::diagnostic::Report;
use super::levels::role;
use super::people::slack_ids;
use super::reader::{At, Keys, Table};
use crate::id::Role;
use crate::person::{Identity, IdentityError, KnownGroup};

/// The most power that a Matrix room gives somebody who did not make it.
/// <https://spec.matrix.org/v1.16/client-server-api/#mroompower_levels>
const POWER_LEVEL_MAX: u32 = 100;

/// User groups of one workspace: Slack lets their members be read 20 times a minute, and each is read twice a minute, since
/// facts are fetched again at half a minute and decide nothing at a whole one.
const SLACK_GROUPS_MAX: usize = 10;

/// The keys of `[[groups]]`.
pub(super) const KEYS: &Keys = &[
    ("slack", "a user group of Slack: the ids of workspace and group"),
    ("matrix_room", "a room of Matrix, by its id"),
    ("power_level_min", "how much power in the room it takes; left out: being in it"),
    ("roles", "what its members are"),
];

/// The groups, and whether all of them could be read.
pub(super) fn groups(tables: Vec<Table<'_>>, report: &mut Report<'_>) -> (Vec<KnownGroup>, bool) {
    let written = tables.len();
    let mut read: Vec<At<KnownGroup>> = Vec::new();
    for table in tables {
        let Some(group) = group(table, report) else { continue };
        if let Some(first) = read.iter().find(|other| other.value.group == group.value.group) {
            let help = format!("the first is on line {}; put all its roles there", report.line(&first.span));
            report.error(group.span.clone(), format!("{} stands here twice", group.value.group), help);
        }
        let realm = group.value.group.realm();
        let others = read.iter().filter(|other| other.value.group.realm() == realm).count();
        if realm.starts_with("slack:") && others == SLACK_GROUPS_MAX {
            let message = format!("more than {SLACK_GROUPS_MAX} user groups of one workspace");
            let help = "Slack lets no more be read in time, and nobody could decide anything; give several roles to one \
                        group, or name the people";
            report.error(group.span.clone(), message, help);
        }
        read.push(group);
    }
    let is_complete = read.len() == written;
    (read.into_iter().map(|group| group.value).collect(), is_complete)
}

fn group(mut table: Table<'_>, report: &mut Report<'_>) -> Option<At<KnownGroup>> {
    let span = table.span();
    let slack = table.string("slack", report);
    let room = table.string("matrix_room", report);
    let power = table.count("power_level_min", POWER_LEVEL_MAX, report);
    let roles = table.strings("roles", report);
    let power_span = table.key_span("power_level_min");
    let has_roles = table.key_span("roles").is_some();
    let which = [table.key_span("slack"), table.key_span("matrix_room")];
    table.finish(&[KEYS], "[[groups]]", report);
    match which {
        [Some(_), Some(room)] => {
            report.error(
                room,
                "a group is one on Slack or one on Matrix, not both",
                "write two of [[groups]]",
            );
            return None;
        }
        [None, None] => {
            let help = "slack = \"T024BE7LD/S0614TZR7\", or matrix_room = \"!ops:example.org\"";
            report.error(span, "a group needs `slack` or `matrix_room`", help);
            return None;
        }
        [Some(_), None] if let Some(span) = power_span => {
            report.error(span, "`power_level_min` means nothing for a group on Slack", "take it out");
        }
        _ => {}
    }
    let group = match (slack, room) {
        (Some(slack), _) => slack_group(slack, report)?,
        (None, Some(room)) => matrix_group(room, power.map(|power| power.value), report)?,
        (None, None) => return None,
    };
    let listed: Vec<At<String>> = roles.map_or_else(Vec::new, |roles| roles.value);
    let is_empty = listed.is_empty();
    let roles: BTreeSet<Role> =
        listed.into_iter().filter_map(|text| role(text, report)).map(|role| role.value).collect();
    if is_empty || !has_roles {
        report.error(group.span.clone(), "a group needs `roles`: without any it says nothing", "");
        return None;
    }
    Some(At::new(KnownGroup { group: group.value, roles }, group.span))
}

fn slack_group(text: At<String>, report: &mut Report<'_>) -> Option<At<Identity>> {
    match slack_ids(&text.value, &['S']) {
        Ok(group) => Some(At::new(group, text.span)),
        Err(IdentityError) => {
            let message = format!("`{}` names no user group", text.value);
            let help =
                "the ids of workspace and group, such as \"T024BE7LD/S0614TZR7\"; a name can be anybody's";
            report.error(text.span, message, help);
            None
        }
    }
}

/// Whoever has so much power in a room: `matrix/!ops:example.org/50`. Without a level, everybody in it.
fn matrix_group(room: At<String>, power: Option<u32>, report: &mut Report<'_>) -> Option<At<Identity>> {
    let is_id =
        room.value.starts_with('!') && room.value.len() > 1 && !room.value.contains(char::is_whitespace);
    let group = is_id.then(|| Identity::new("matrix", format!("{}/{}", room.value, power.unwrap_or(0))).ok());
    let Some(Some(group)) = group else {
        let message = format!("`{}` is no id of a room", room.value);
        report.error(
            room.span,
            message,
            "such as \"!ops:example.org\": an alias can be moved to another room",
        );
        return None;
    };
    report.warning(
        room.span.clone(),
        "nothing reads Matrix rooms yet: until something does, no account on Matrix has a vote here",
        "a group that cannot be read is never taken for an empty one",
    );
    Some(At::new(group, room.span))
}
