//! Accounts of every kind, as `users.info` tells of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::state::{ENTERPRISE_ID, TEAM_ID};

/// What an account is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A full member of the workspace.
    Member,
    /// A full member who administers the workspace, and owns it.
    Admin,
    /// Closed.
    Deactivated,
    /// A bot.
    Bot,
    /// The user of an app.
    AppUser,
    /// The bot of a workflow.
    WorkflowBot,
    /// A guest in several channels.
    Guest,
    /// A guest in one channel.
    SingleChannelGuest,
    /// Seen through a shared channel.
    Stranger,
    /// A member of this other workspace.
    Foreign(String),
    /// `users.info` does not find it.
    Unknown,
}

/// A user group.
#[derive(Debug, Default)]
pub(super) struct UserGroup {
    pub(super) members: BTreeSet<String>,
    pub(super) is_disabled: bool,
    /// Slack fails whenever it is asked about this group.
    pub(super) is_unreadable: bool,
}

pub(super) struct Person {
    pub(super) name: String,
    /// The language of the profile, as Slack writes it.
    pub(super) locale: String,
    pub(super) kind: Kind,
}

impl Person {
    /// The workspace of the account.
    pub(super) fn team_id(&self, is_org_wide: bool) -> &str {
        match &self.kind {
            Kind::Foreign(team_id) => team_id,
            Kind::Stranger => "T0STRANGER",
            _ if is_org_wide => ENTERPRISE_ID,
            _ => TEAM_ID,
        }
    }

    /// The `user` object; Slack says less of closed accounts and of strangers.
    pub(super) fn as_json(&self, id: &str, is_org_wide: bool) -> Value {
        let mut user = json!({
            "id": id,
            "team_id": self.team_id(is_org_wide),
            "name": self.name,
            "deleted": self.kind == Kind::Deactivated,
            "real_name": self.name,
            "profile": { "real_name": self.name, "display_name": self.name, "team": self.team_id(is_org_wide) },
            "is_bot": matches!(self.kind, Kind::Bot | Kind::WorkflowBot),
            "is_app_user": self.kind == Kind::AppUser,
            "updated": 1_793_000_000,
        });
        match self.kind {
            Kind::Deactivated => return user,
            Kind::Stranger => user["is_stranger"] = true.into(),
            Kind::WorkflowBot => user["is_workflow_bot"] = true.into(),
            _ => {}
        }
        user["is_restricted"] = matches!(self.kind, Kind::Guest | Kind::SingleChannelGuest).into();
        user["is_ultra_restricted"] = (self.kind == Kind::SingleChannelGuest).into();
        user["is_admin"] = (self.kind == Kind::Admin).into();
        user["is_owner"] = (self.kind == Kind::Admin).into();
        user["tz"] = "Europe/Berlin".into();
        user["tz_offset"] = 3_600.into();
        user["locale"] = self.locale.as_str().into();
        user
    }
}
