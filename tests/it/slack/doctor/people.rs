//! Whom the policy names and Slack does not know, several workspaces told apart, and the token for sockets.

use anyhow::{Result, ensure};
use placet_server::commands::doctor::{Health, Reach, as_table};
use placet_server::settings::SlackSettings;
use placet_tests::fake_slack::{APP_TOKEN, Fault, Kind, TEAM_ID};
use placet_tests::{Desk, conversation};

use super::{ALL_SCOPES, fault, fault_with, findings};

/// R30, R17: an account that is closed, a guest's, a bot's or not there is named with the person whom the policy gives it to; one in
/// good order is not.
#[conversation]
async fn an_account_that_decides_nothing_is_named(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("users.info", "user_not_found");
    desk.slack().set_scopes(&ALL_SCOPES);
    let chen = desk.person("chen").user();
    for (kind, words) in [
        (Kind::Deactivated, "is closed"),
        (Kind::Guest, "a guest's"),
        (Kind::Bot, "a bot's"),
        (Kind::Unknown, "knows no such account"),
    ] {
        desk.slack().set_kind(&chen, kind);
        let found = fault(desk).await?;
        ensure!(
            found.check == format!("slack person {chen}") && found.health == Health::Warning,
            "{found:?}"
        );
        ensure!(found.seen.contains(words) && found.seen.contains("Chen"), "{found:?}");
        ensure!(found.remedy.is_some_and(|remedy| remedy.contains("[[people]]")));
    }
    desk.slack().set_kind(&chen, Kind::Member);
    let found = findings(desk, &Reach::default()).await?;
    ensure!(as_table(&found).contains("accounts 7, user groups 0"), "{}", as_table(&found));
    // Where Slack does not answer, that is told once.
    desk.slack().fail_always("users.info", Fault::Status(503));
    let found = fault(desk).await?;
    ensure!(found.check == "slack people" && found.health == Health::Wrong, "{found:?}");
    desk.slack().heal();
    Ok(())
}

/// R30, R17: a user group that gives roles, and is not there, is disabled or empty.
#[conversation]
async fn a_group_that_gives_nobody_a_role_is_named(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("usergroups.users.list", "no_such_subteam");
    desk.slack().set_scopes(&ALL_SCOPES);
    let group = desk.slack().user_group("oncall", &["sam"]);
    let gives = |id: &str| format!("\n[[groups]]\nslack = \"{TEAM_ID}/{id}\"\nroles = [\"operator\"]\n");
    desk.has_policy(|policy| format!("{policy}{}", gives(&group))).await?;
    let found = findings(desk, &Reach::default()).await?;
    ensure!(as_table(&found).contains("user groups 1"), "{}", as_table(&found));
    desk.slack().set_group_disabled(&group, true);
    let found = fault(desk).await?;
    ensure!(found.check == format!("slack group {group}") && found.health == Health::Wrong, "{found:?}");
    ensure!(found.seen.contains("no such user group, or it is disabled"), "{found:?}");
    desk.slack().set_group_disabled(&group, false);
    desk.slack().leave_group(&group, &desk.person("sam").user());
    let found = fault(desk).await?;
    ensure!(found.health == Health::Warning && found.seen.contains("nobody is in it"), "{found:?}");
    desk.has_policy(|policy| policy.replace(&gives(&group), &gives("S00NOWHERE"))).await?;
    let found = fault(desk).await?;
    ensure!(found.check == "slack group S00NOWHERE" && found.health == Health::Wrong, "{found:?}");
    ensure!(found.remedy.is_some_and(|remedy| remedy.contains("[[groups]]")));
    Ok(())
}

/// R30, R49: of several workspaces it is said which has the fault, and the other's people are not looked for there.
#[conversation]
async fn several_workspaces_are_told_apart(desk: &mut Desk) -> Result<()> {
    desk.slack().set_scopes(&ALL_SCOPES);
    let other = desk.another_slack("T0OTHER001").await?;
    other.set_scopes(&ALL_SCOPES);
    let north = other.channel("north");
    let gil = other.person("gil");
    desk.serves_too(&other, ("T0OTHER001", "globex", "emea"), (&north, "OTHER_SIGNING_SECRET"));
    let policy = format!(
        "version = \"globex-1\"\nplaces = [{{ surface = \"slack-emea\", channel = \"{north}\" }}]\n\n[[people]]\n\
         id = \"globex-gil\"\nname = \"Gil\"\nroles = [\"admin\"]\nslack = [\"T0OTHER001/{gil}\"]\n"
    );
    desk.has_tenant_policies(&[("globex", &policy)]).await?;
    let bad = async |desk: &Desk| -> Result<Vec<(String, Health)>> {
        let found = findings(desk, &Reach::default()).await?;
        let bad = found.into_iter().filter(|one| one.health != Health::Ok && !one.check.ends_with("way in"));
        Ok(bad.map(|one| (one.check, one.health)).collect())
    };
    ensure!(bad(desk).await?.is_empty(), "{:?}", bad(desk).await?);
    other.set_kind(&gil, Kind::Deactivated);
    ensure!(
        bad(desk).await? == [(format!("slack-emea person {gil}"), Health::Warning)],
        "{:?}",
        bad(desk).await?
    );
    other.set_kind(&gil, Kind::Member);
    other.set_bot_in_channel("north", false);
    ensure!(
        bad(desk).await? == [(format!("slack-emea channel {north}"), Health::Wrong)],
        "{:?}",
        bad(desk).await?
    );
    other.set_bot_in_channel("north", true);
    other.revoke_token();
    ensure!(bad(desk).await? == [("slack-emea token".to_owned(), Health::Wrong)], "{:?}", bad(desk).await?);
    Ok(())
}

/// R30: for Socket Mode, a token without its scope, or that Slack takes no more, or too many questions, each with what to do.
#[conversation]
async fn the_token_for_sockets_is_tried(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("apps.connections.open", "invalid_auth");
    desk.slack().set_scopes(&ALL_SCOPES);
    let sockets = |token: &'static str| {
        move |settings: &mut placet_server::Settings| {
            let set = |slack: &mut SlackSettings| slack.ways_in.app_token = Some(token.into());
            settings.slack.iter_mut().for_each(set);
        }
    };
    let found = fault_with(desk, sockets("xapp-of-another-app")).await?;
    ensure!(found.check == "slack sockets" && found.seen.contains("refuses app_token"), "{found:?}");
    for (broken, words, remedy) in [
        (Fault::Code("token_revoked"), "token_revoked", "set app_token"),
        (Fault::RateLimited { retry_after: Some(30) }, "slow down", "in a minute"),
        (Fault::Status(503), "not available", "slack-status.com"),
    ] {
        desk.slack().fail_next("apps.connections.open", broken);
        let found = fault_with(desk, sockets(APP_TOKEN)).await?;
        ensure!(found.check == "slack sockets" && found.health == Health::Wrong, "{found:?}");
        ensure!(found.seen.contains(words), "{found:?}");
        ensure!(found.remedy.as_ref().is_some_and(|told| told.contains(remedy)), "{found:?}");
    }
    Ok(())
}
