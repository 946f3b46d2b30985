//! What `users.info` says of somebody who clicked: who it is, and whether the account may count at all.
//!
//! What always holds: an identity is (workspace, user id), never a name; anything that is not clearly an active, full
//! member of the home workspace is told apart by kind and never comes out as [`Account::Active`]. Roles are not
//! looked at here.
//!
//! Source: <https://docs.slack.dev/reference/objects/user-object>.

use serde_json::Value;

/// Slack's own bot; it is not marked as one.
const SLACKBOT_ID: &str = "USLACKBOT";

/// A person on Slack: user ids are unique only within a workspace or an enterprise.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlackIdentity {
    /// The workspace id (`T…`), or the enterprise id (`E…`) where a payload names no workspace.
    pub workspace: String,
    /// The user id (`U…` or `W…`).
    pub user: String,
}

/// The workspace whose members may count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The workspace id (`T…`).
    pub team_id: String,
    /// The enterprise (`E…`) that the workspace belongs to; members of its other workspaces count as at home.
    pub enterprise_id: Option<String>,
}

/// The state of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Account {
    /// An active, full member of the home workspace.
    Active(Member),
    /// The account was closed.
    Deactivated,
    /// A bot, Slackbot included.
    Bot,
    /// The user of an app.
    AppUser,
    /// The bot of a workflow.
    WorkflowBot,
    /// A guest.
    Guest {
        /// A guest in one channel only, else in several.
        single_channel: bool,
    },
    /// Somebody from outside, seen through a shared channel.
    Stranger,
    /// A member of another workspace.
    ForeignTeam {
        /// That workspace's id.
        team_id: String,
    },
    /// The answer says too little, contradicts itself or speaks of another user: refuse.
    Unreadable,
}

/// What is known of an active member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Who it is.
    pub identity: SlackIdentity,
    /// The name to show, never to decide by.
    pub display_name: Option<String>,
    /// The zone, as an IANA name.
    pub time_zone: Option<String>,
    /// The language, such as `en-GB`; only there where it was asked for.
    pub locale: Option<String>,
}

/// Judges the `user` object of a `users.info` answer for the user id that was asked.
pub fn account(user: &Value, asked_user_id: &str, home: &Home) -> Account {
    judge(user, asked_user_id, home).unwrap_or(Account::Unreadable)
}

/// `None` where the object cannot be read.
fn judge(user: &Value, asked_user_id: &str, home: &Home) -> Option<Account> {
    let id = user["id"].as_str().filter(|id| *id == asked_user_id)?;
    if flag(user, "deleted")? {
        return Some(Account::Deactivated);
    }
    if flag(user, "is_workflow_bot")? {
        return Some(Account::WorkflowBot);
    }
    if flag(user, "is_bot")? || id == SLACKBOT_ID {
        return Some(Account::Bot);
    }
    if flag(user, "is_app_user")? {
        return Some(Account::AppUser);
    }
    if flag(user, "is_stranger")? {
        return Some(Account::Stranger);
    }
    let single_channel = flag(user, "is_ultra_restricted")?;
    if flag(user, "is_restricted")? || single_channel {
        return Some(Account::Guest { single_channel });
    }
    let team_id = user["team_id"].as_str().filter(|team| !team.is_empty())?;
    if !is_at_home(user, team_id, home) {
        return Some(Account::ForeignTeam { team_id: team_id.to_owned() });
    }
    Some(Account::Active(Member {
        identity: SlackIdentity { workspace: team_id.to_owned(), user: id.to_owned() },
        display_name: display_name(user),
        time_zone: text(&user["tz"]),
        locale: text(&user["locale"]),
    }))
}

/// An absent flag is not set; Slack leaves some out. One of another type than boolean is not readable.
fn flag(user: &Value, name: &str) -> Option<bool> {
    match &user[name] {
        Value::Null => Some(false),
        Value::Bool(set) => Some(*set),
        _ => None,
    }
}

fn is_at_home(user: &Value, team_id: &str, home: &Home) -> bool {
    if team_id == home.team_id {
        return true;
    }
    let Some(enterprise) = home.enterprise_id.as_deref().filter(|id| !id.is_empty()) else {
        return false;
    };
    team_id == enterprise || user["enterprise_user"]["enterprise_id"] == enterprise
}

fn display_name(user: &Value) -> Option<String> {
    let profile = &user["profile"];
    [&profile["display_name"], &profile["real_name"], &user["real_name"], &user["name"]]
        .into_iter()
        .find_map(text)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn home() -> Home {
        Home { team_id: "T1".into(), enterprise_id: None }
    }

    fn user(extra: &Value) -> Value {
        let mut user = json!({ "id": "U1", "team_id": "T1", "name": "ana", "deleted": false, "is_bot": false,
            "is_app_user": false, "is_restricted": false, "is_ultra_restricted": false, "tz": "Europe/Lisbon",
            "profile": { "display_name": "Ana", "real_name": "Ana Example" } });
        for (key, value) in extra.as_object().unwrap() {
            user[key] = value.clone();
        }
        user
    }

    #[test]
    fn a_full_member_is_active() {
        let member = Member {
            identity: SlackIdentity { workspace: "T1".into(), user: "U1".into() },
            display_name: Some("Ana".into()),
            time_zone: Some("Europe/Lisbon".into()),
            locale: None,
        };
        assert_eq!(account(&user(&json!({})), "U1", &home()), Account::Active(member));
    }

    #[test]
    fn every_other_kind_is_told_apart() {
        let guest = |single_channel| Account::Guest { single_channel };
        for (extra, expected) in [
            (json!({ "deleted": true, "is_bot": true }), Account::Deactivated),
            (json!({ "is_bot": true }), Account::Bot),
            (json!({ "is_bot": true, "is_workflow_bot": true }), Account::WorkflowBot),
            (json!({ "is_app_user": true }), Account::AppUser),
            (json!({ "is_restricted": true }), guest(false)),
            (json!({ "is_restricted": true, "is_ultra_restricted": true }), guest(true)),
            (json!({ "is_ultra_restricted": true }), guest(true)),
            (json!({ "is_stranger": true, "team_id": "T2" }), Account::Stranger),
            (json!({ "team_id": "T2" }), Account::ForeignTeam { team_id: "T2".into() }),
            (json!({ "team_id": null }), Account::Unreadable),
            (json!({ "team_id": "" }), Account::Unreadable),
            (json!({ "id": "U2" }), Account::Unreadable),
            (json!({ "id": null }), Account::Unreadable),
            (json!({ "is_restricted": "no" }), Account::Unreadable),
            (json!({ "deleted": 0 }), Account::Unreadable),
        ] {
            assert_eq!(account(&user(&extra), "U1", &home()), expected, "{extra}");
        }
        assert_eq!(account(&Value::Null, "U1", &home()), Account::Unreadable);
        let slackbot = user(&json!({ "id": "USLACKBOT" }));
        assert_eq!(account(&slackbot, "USLACKBOT", &home()), Account::Bot);
    }

    #[test]
    fn members_of_the_home_enterprise_are_at_home() {
        let grid = Home { team_id: "T1".into(), enterprise_id: Some("E1".into()) };
        let sibling = user(&json!({ "team_id": "T2", "enterprise_user": { "enterprise_id": "E1" } }));
        let stranger = user(&json!({ "team_id": "T2", "enterprise_user": { "enterprise_id": "E2" } }));
        let org_wide = user(&json!({ "team_id": "E1" }));
        assert!(matches!(account(&sibling, "U1", &grid), Account::Active(_)));
        assert!(matches!(account(&org_wide, "U1", &grid), Account::Active(_)));
        assert!(matches!(account(&sibling, "U1", &home()), Account::ForeignTeam { .. }));
        assert!(matches!(account(&stranger, "U1", &grid), Account::ForeignTeam { .. }));
    }
}
