//! User groups, as `usergroups.users.list` tells of them.

use serde_json::json;

use super::super::people::Kind;
use super::{Answer, Refusal, State, need_scope, text};

/// Who is in a group. Closed accounts are in none; a group that is disabled is found only by who asks for those, and a
/// token for a whole enterprise says which workspace is meant.
pub(super) fn users_list(state: &State, arguments: &serde_json::Value) -> Answer {
    need_scope(state, &["usergroups:read"])?;
    if state.is_org_wide && text(arguments, "team_id").is_none() {
        return Err(Refusal::code("missing_argument"));
    }
    let id = text(arguments, "usergroup").ok_or_else(|| Refusal::code("missing_argument"))?;
    let group = state.groups.get(id).ok_or_else(|| Refusal::code("no_such_subteam"))?;
    if group.is_disabled && text(arguments, "include_disabled") != Some("true") {
        return Err(Refusal::code("no_such_subteam"));
    }
    if group.is_unreadable {
        return Err(Refusal::code("internal_error"));
    }
    let is_open = |user: &&String| {
        state
            .people
            .get(*user)
            .is_some_and(|person| !matches!(person.kind, Kind::Deactivated | Kind::Unknown))
    };
    let users: Vec<&String> = group.members.iter().filter(is_open).collect();
    Ok(json!({ "users": users }))
}
