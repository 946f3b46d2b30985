//! Whether Slack knows whom the policy names: an account that is closed or mistyped decides nothing, and a group that is not
//! there gives nobody a role, which otherwise shows only once somebody is needed.

use placet::person::Identity;
use placet_slack::api::{ApiError, SlackApi};
use placet_slack::identity::{Account, Home, account};

use super::Finding;
use super::slack::{Ground, refused};

/// Accounts that are asked about: what Slack lets ask in a minute, with room for the server's own questions.
const ACCOUNTS_MAX: usize = 60;

/// Groups that are asked about: what Slack lets ask in a minute is twenty.
const GROUPS_MAX: usize = 15;

/// Looks at everybody of this workspace whom the policy of its tenant names, and at the groups.
pub(super) async fn examine(ground: &Ground<'_>, api: &SlackApi) -> Vec<Finding> {
    let Some(policies) = ground.policies else { return Vec::new() };
    let policy = policies.of(&ground.slack.tenant);
    let mut accounts: Vec<(&Identity, &str)> = Vec::new();
    for known in policy.people().all() {
        let here = known.identities.iter().filter(|identity| ground.is_here(identity));
        accounts.extend(here.map(|identity| (identity, known.member.name.as_str())));
    }
    let groups: Vec<&Identity> =
        policy.groups().iter().map(|known| &known.group).filter(|group| ground.is_here(group)).collect();
    let mut findings = Vec::new();
    for (identity, name) in accounts.iter().take(ACCOUNTS_MAX) {
        match ground.person(api, (identity, name)).await {
            Seen::Good => {}
            Seen::Bad(finding) => findings.push(finding),
            // That the scope is missing, or Slack does not answer, is told once.
            Seen::Untold(finding) => {
                findings.extend(finding);
                break;
            }
        }
    }
    for group in groups.iter().take(GROUPS_MAX) {
        match ground.group(api, group).await {
            Seen::Good => {}
            Seen::Bad(finding) => findings.push(finding),
            Seen::Untold(finding) => {
                findings.extend(finding);
                return findings;
            }
        }
    }
    let left = (accounts.len().saturating_sub(ACCOUNTS_MAX), groups.len().saturating_sub(GROUPS_MAX));
    if findings.is_empty() && accounts.len() + groups.len() > 0 {
        let (people, groups) = (accounts.len() - left.0, groups.len() - left.1);
        let mut seen = format!("Slack knows whom the policy names: accounts {people}, user groups {groups}");
        if left != (0, 0) {
            seen.push_str(&format!("\nnot looked at: accounts {}, user groups {}", left.0, left.1));
        }
        findings.push(Finding::ok(ground.check("people"), seen));
    }
    findings
}

/// What was seen of one.
enum Seen {
    Good,
    Bad(Finding),
    /// Slack does not tell; with what to say of that where nothing else says it.
    Untold(Option<Finding>),
}

impl Ground<'_> {
    fn is_here(&self, identity: &Identity) -> bool {
        let ids = [Some(&self.slack.team), self.slack.enterprise.as_ref()];
        let realm = identity.realm().strip_prefix("slack:");
        ids.into_iter().flatten().any(|id| Some(id.as_str()) == realm)
    }

    async fn person(&self, api: &SlackApi, (identity, name): (&Identity, &str)) -> Seen {
        let id = identity.subject();
        let home = Home { team_id: self.slack.team.clone(), enterprise_id: self.slack.enterprise.clone() };
        let why = match api.users_info(id).await {
            Ok(user) => match account(&user, id, &home) {
                Account::Active(_) => return Seen::Good,
                Account::Deactivated => "the account is closed",
                Account::Bot | Account::AppUser | Account::WorkflowBot => "the account is a bot's",
                Account::Guest { .. } => "the account is a guest's",
                Account::Stranger | Account::ForeignTeam { .. } => "the account is another workspace's",
                Account::Unreadable => "what Slack says of the account cannot be read",
            },
            Err(ApiError::Other { code }) if code == "user_not_found" || code == "user_not_visible" => {
                "Slack knows no such account"
            }
            Err(ApiError::Auth { needed: Some(_), .. }) => return Seen::Untold(None),
            Err(fault) => {
                return Seen::Untold(Some(refused(&self.check("people"), "bot_token", &fault)));
            }
        };
        Seen::Bad(Finding::warning(
            self.check(&format!("person {id}")),
            format!("{why}: {name}, whom the policy names, decides nothing with it"),
            "correct the id in [[people]] (in Slack: the profile, \"Copy member ID\"), or take it out",
        ))
    }

    async fn group(&self, api: &SlackApi, group: &Identity) -> Seen {
        let id = group.subject();
        let check = self.check(&format!("group {id}"));
        match api.usergroup_users(id, &self.slack.team).await {
            Ok(users) if users.is_empty() => Seen::Bad(Finding::warning(
                check,
                "nobody is in it: nobody has the roles that the policy gives it",
                "add people to it in Slack (\"People\", \"User groups\")",
            )),
            Ok(_) => Seen::Good,
            Err(ApiError::Other { code }) if code == "no_such_subteam" || code == "subteam_not_found" => {
                Seen::Bad(Finding::wrong(
                    check,
                    "Slack knows no such user group, or it is disabled: nobody has the roles that the policy gives it",
                    "correct the id in [[groups]] (it begins with S; \"People\", \"User groups\", \"Copy group ID\"), or enable it",
                ))
            }
            Err(ApiError::Auth { needed: Some(_), .. }) => Seen::Untold(None),
            Err(fault) => Seen::Untold(Some(refused(&check, "bot_token", &fault))),
        }
    }
}
