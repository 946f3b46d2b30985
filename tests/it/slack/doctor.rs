//! The doctor, at an installation with one fault after the other.

mod people;

use anyhow::{Context as _, Result, ensure};
use axum::Router;
use insta::assert_snapshot;
use placet_server::Settings;
use placet_server::commands::doctor::{Finding, Health, Reach, as_table, code};
use placet_server::settings::{PolicySource, SlackSettings};
use placet_tests::fake_slack::{APP_TOKEN, Fault};
use placet_tests::{Desk, conversation};
use tokio::net::TcpListener;

/// Everything that the app may be granted.
const ALL_SCOPES: [&str; 12] = [
    "chat:write",
    "commands",
    "users:read",
    "usergroups:read",
    "app_mentions:read",
    "im:write",
    "im:history",
    "files:write",
    "channels:history",
    "groups:history",
    "channels:read",
    "groups:read",
];

/// The findings, without how much room this machine has.
async fn findings(desk: &Desk, reach: &Reach) -> Result<Vec<Finding>> {
    findings_with(desk, reach, |_| {}).await
}

/// The same, as if the settings were others.
async fn findings_with(
    desk: &Desk,
    reach: &Reach,
    change: impl FnOnce(&mut Settings),
) -> Result<Vec<Finding>> {
    let mut findings = desk.is_examined_with(reach, change).await?;
    findings.retain(|finding| finding.check != "free space");
    for finding in &mut findings {
        let folder = desk.folder().display().to_string();
        finding.seen = finding.seen.replace(&format!("{folder}/"), "");
    }
    Ok(findings)
}

/// The one finding that is not in order, but for the way in, which nobody can see from here.
async fn fault(desk: &Desk) -> Result<Finding> {
    fault_with(desk, |_| {}).await
}

/// The same, as if the settings were others.
async fn fault_with(desk: &Desk, change: impl FnOnce(&mut Settings)) -> Result<Finding> {
    let found = findings_with(desk, &Reach::default(), change).await?;
    for secret in ["xoxb", &"07".repeat(32), placet_tests::desk::SIGNING_SECRET] {
        ensure!(!as_table(&found).contains(secret), "a secret is told: {}", as_table(&found));
    }
    let mut bad =
        found.into_iter().filter(|finding| finding.health != Health::Ok && finding.check != "slack way in");
    let fault = bad.next().context("nothing is wrong")?;
    ensure!(bad.next().is_none(), "more than one thing is wrong");
    Ok(fault)
}

fn told(fault: &Finding) -> String {
    as_table(std::slice::from_ref(fault))
}

/// Serves a router for as long as the test goes on; gives its address.
async fn serves(router: Router) -> Result<url::Url> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?).parse()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

/// R30: where everything is as it should be the doctor says so, way in and sample cards included, and nobody sees anything
/// of it.
#[conversation]
async fn a_sound_installation_is_called_sound(desk: &mut Desk) -> Result<()> {
    desk.slack().set_scopes(&ALL_SCOPES);
    let base = serves(desk.app()?.router.clone()).await?;
    let reach = Reach { base: Some(base.clone()), validate_cards: true };
    let mut found = findings(desk, &reach).await?;
    for finding in &mut found {
        finding.seen =
            finding.seen.replace(base.as_str().trim_end_matches('/'), "https://placet.example.org");
        if finding.check == "policy" {
            "desk".clone_into(&mut finding.seen);
        }
    }
    assert_snapshot!(as_table(&found));
    ensure!(code(&found) == 0);
    ensure!(desk.ops().messages().is_empty() && desk.slack().unread().is_empty());
    // Where nobody says what Slack calls, that is said, and is no fault.
    let unseen = findings(desk, &Reach::default()).await?;
    ensure!(code(&unseen) == 1, "{}", as_table(&unseen));
    Ok(())
}

/// R30: each fault is named, with what does not work and what to do, and nothing else is.
#[conversation]
async fn each_fault_is_named_with_what_to_do(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("conversations.history", "not_in_channel");
    desk.expects_refusal("conversations.history", "channel_not_found");
    desk.expects_refusal("auth.test", "token_revoked");
    desk.expects_refusal("users.info", "missing_scope");
    let mut all = Vec::new();
    desk.slack().set_scopes(&ALL_SCOPES);

    for vital in ["chat:write", "users:read"] {
        let rest: Vec<&str> = ALL_SCOPES.into_iter().filter(|scope| *scope != vital).collect();
        desk.slack().set_scopes(&rest);
        all.push(fault(desk).await?);
        ensure!(all.last().is_some_and(|fault| fault.health == Health::Wrong));
    }
    let rest: Vec<&str> = ALL_SCOPES.into_iter().filter(|scope| *scope != "commands").collect();
    desk.slack().set_scopes(&rest);
    all.push(fault(desk).await?);
    ensure!(all.last().is_some_and(|fault| fault.health == Health::Warning), "the main job goes on without");
    desk.slack().set_scopes(&ALL_SCOPES);

    for ahead in [90, -90, 400] {
        desk.slack().set_clock_ahead(ahead);
        all.push(fault(desk).await?);
    }
    desk.slack().set_clock_ahead(0);

    desk.slack().set_bot_in_channel("alarms", false);
    all.push(fault(desk).await?);
    desk.slack().set_bot_in_channel("alarms", true);
    desk.slack().archive("alarms");
    all.push(fault(desk).await?);
    desk.slack().unarchive("alarms");
    desk.has_slack_settings("[slack.channels.C0NOWHERE]\nlanguage = \"en\"\n").await?;
    all.push(fault(desk).await?);
    desk.has_slack_settings("").await?;

    for broken in [
        Fault::Code("invalid_auth"),
        Fault::RateLimited { retry_after: Some(30) },
        Fault::NoAnswer,
        Fault::Status(503),
    ] {
        desk.slack().fail_next("auth.test", broken);
        all.push(fault(desk).await?);
    }
    desk.slack().revoke_token();
    all.push(fault(desk).await?);
    assert_snapshot!(all.iter().map(told).collect::<Vec<_>>().join("\n"));
    Ok(())
}

/// R30: what is wrong in the settings or on this machine is named as well.
#[conversation]
async fn faults_of_the_house_are_named(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("auth.test", "invalid_auth");
    desk.expects_refusal("apps.connections.open", "invalid_auth");
    desk.slack().set_scopes(&ALL_SCOPES);
    let broken = desk.folder().join("broken.toml");
    std::fs::write(&broken, "version = 7\n")?;
    let in_slack = |change: fn(&mut SlackSettings)| {
        move |settings: &mut Settings| settings.slack.iter_mut().for_each(change)
    };
    let all = [
        fault_with(desk, |settings| {
            settings.data = settings.data.with_file_name("nowhere").join("placet.db")
        })
        .await?,
        fault_with(desk, |settings| settings.policy.installation = PolicySource::File(broken)).await?,
        fault_with(desk, in_slack(|slack| "T0OTHER001".clone_into(&mut slack.team))).await?,
        fault_with(desk, in_slack(|slack| slack.bot_token = "xoxb-of-another-app".into())).await?,
        fault_with(desk, in_slack(|slack| slack.ways_in.app_token = Some("xapp-of-another-app".into())))
            .await?,
    ];
    ensure!(all.iter().all(|fault| fault.health == Health::Wrong));
    assert_snapshot!(all.iter().map(told).collect::<Vec<_>>().join("\n"));
    let over_sockets = |settings: &mut Settings| {
        for slack in &mut settings.slack {
            slack.ways_in.app_token = Some(APP_TOKEN.into());
            slack.ways_in.signing_secret = None;
        }
        settings.grants = None;
    };
    let found = findings_with(desk, &Reach::default(), over_sockets).await?;
    ensure!(code(&found) == 0, "{}", as_table(&found));
    for words in ["Slack gives an address for one", "over sockets only", "get no signed grants"] {
        ensure!(as_table(&found).contains(words), "{words:?} is missing in\n{}", as_table(&found));
    }
    Ok(())
}

/// R30: whether the app is in a channel is not told without a scope for it, and never guessed.
#[conversation]
async fn what_is_not_told_is_not_guessed(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("conversations.history", "missing_scope");
    desk.expects_refusal("conversations.info", "missing_scope");
    let rest: Vec<&str> = ALL_SCOPES
        .into_iter()
        .filter(|scope| !scope.starts_with("channels:") && !scope.starts_with("groups:"))
        .collect();
    desk.slack().set_scopes(&rest);
    let found = findings(desk, &Reach::default()).await?;
    let channels: Vec<_> =
        found.iter().filter(|finding| finding.check.starts_with("slack channel ")).collect();
    ensure!(channels.len() == 2, "{}", as_table(&found));
    for channel in channels {
        ensure!(
            channel.health == Health::Warning && channel.seen.contains("is not told without"),
            "{channel:?}"
        );
    }
    Ok(())
}

/// R30: the address that Slack calls is called as Slack would: another secret, another server and none at all are told apart.
#[conversation]
async fn the_way_in_is_tried(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("conversations.info", "missing_scope");
    let way_in = async |base: url::Url| -> Result<Finding> {
        let reach = Reach { base: Some(base), validate_cards: false };
        let found = findings(desk, &reach).await?;
        found.into_iter().find(|finding| finding.check == "slack way in").context("the way in")
    };
    let placet = serves(desk.app()?.router.clone()).await?;
    ensure!(way_in(placet).await?.health == Health::Ok);
    let elsewhere = serves(Router::new()).await?;
    let found = way_in(elsewhere).await?;
    ensure!(found.health == Health::Wrong && found.seen.contains("404 unsigned, 404 signed"), "{found:?}");
    let refusing = Router::new().fallback(|| async { axum::http::StatusCode::UNAUTHORIZED });
    let found = way_in(serves(refusing).await?).await?;
    ensure!(
        found.health == Health::Wrong && found.seen.contains("does not take what signing_secret signs"),
        "{found:?}"
    );
    let found = way_in("http://127.0.0.1:1".parse()?).await?;
    ensure!(found.health == Health::Wrong && found.seen.contains("cannot be reached"), "{found:?}");
    Ok(())
}
