//! Who clicks: every kind of account that Slack knows, and what is heard of accounts that change.

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::{ENTERPRISE_ID, Kind, TEAM_ID};
use placet_tests::people::text_input;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R17: users.info's kinds of account × click: accepted, or refused with its own sentence, and recorded.
#[conversation]
async fn every_kind_of_account_clicks(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("users.info", "user_not_found");
    let foreign = Kind::Foreign("T0OTHER".to_owned());
    let kinds = [
        (Kind::Member, None),
        (Kind::Admin, None),
        (Kind::Deactivated, Some("This account is deactivated")),
        (Kind::Bot, Some("Bots and apps decide nothing here")),
        (Kind::AppUser, Some("Bots and apps decide nothing here")),
        (Kind::WorkflowBot, Some("Bots and apps decide nothing here")),
        (Kind::Guest, Some("Guests decide nothing here")),
        (Kind::SingleChannelGuest, Some("Guests decide nothing here")),
        (Kind::Stranger, Some("Accounts from elsewhere decide nothing here")),
        (foreign, Some("Accounts from elsewhere decide nothing here")),
        (Kind::Unknown, Some("could not be checked just now")),
    ];
    let dana = desk.person("dana").user();
    for (number, (kind, refused)) in kinds.into_iter().enumerate() {
        let call = desk.agent().proposes("delete_file", json!({ "path": format!("{number}.txt") })).await?;
        let card = desk.ops().next_card().await?;
        desk.slack().set_kind(&dana, kind.clone());
        // What was known of the account is a minute old by then.
        desk.passes(placet::time::Ttl::from_secs(61)).await?;
        desk.person("dana").clicks(&card, "Approve").await?;
        let events = match refused {
            None => {
                desk.ops().expect_update(&card, "Approved").await?;
                desk.events(&call.id).await?
            }
            Some(sentence) => {
                desk.person("dana").is_whispered(sentence).await.with_context(|| format!("{kind:?}"))?;
                let events = desk.events(&call.id).await?;
                desk.person("bo").denies(&card, "over").await?;
                desk.ops().expect_update(&card, "over").await?;
                events
            }
        };
        let record = serde_json::to_string(&events)?;
        let expected = if refused.is_some() { "no_standing" } else { "Dana" };
        ensure!(record.contains(expected), "{kind:?}: {record}");
    }
    // What was approved was not started, and has expired by now.
    desk.work_until_idle().await?;
    desk.ops().skims();
    Ok(())
}

/// R17: an account that is closed, and a group that somebody leaves, count no more from the event on: not only when what
/// was known of them is a minute old.
#[conversation]
async fn what_is_heard_of_an_account_counts_at_once(desk: &mut Desk) -> Result<()> {
    let group = desk.slack().user_group("deciders", &["dana"]);
    desk.has_policy(|policy| {
        let policy = policy.replace("\"Dana\"\nroles = [\"admin\"]", "\"Dana\"\nroles = [\"member\"]");
        format!("{policy}\n[[groups]]\nslack = \"{TEAM_ID}/{group}\"\nroles = [\"admin\"]\n")
    })
    .await?;
    let (bo, dana) = (desk.person("bo").user(), desk.person("dana").user());
    desk.agent().proposes("deploy", json!({"app": "api"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.slack().set_kind(&bo, Kind::Deactivated);
    desk.slack().leave_group(&group, &dana);
    for event in [
        json!({ "type": "user_change", "user": { "id": bo, "deleted": true } }),
        json!({ "type": "subteam_members_changed", "subteam_id": group, "removed_users": [dana] }),
    ] {
        desk.delivers_event(&desk.slack().event(event)).await?;
    }
    desk.person("bo").clicks(&card, "Take my vote back").await?;
    desk.person("bo").is_whispered("deactivated").await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    desk.person("dana").is_whispered("admin").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    Ok(())
}

/// R17, R49: an app that is installed for a whole enterprise: payloads name no team, and its people decide, also in a
/// dialog; the home and the bot know them too.
#[conversation]
async fn an_enterprise_has_no_team(desk: &mut Desk) -> Result<()> {
    desk.slack().set_org_wide(true);
    desk.has_slack_settings(&format!("enterprise = \"{ENTERPRISE_ID}\"")).await?;
    desk.has_policy(|policy| policy.replace(&format!("{TEAM_ID}/"), &format!("{ENTERPRISE_ID}/"))).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.person("bo").user();
    desk.delivers_event(&desk.slack().home_opened(&bo)).await?;
    let home = desk.while_working(desk.slack().home_reads(&bo, "a.txt")).await??;
    ensure!(home.contains(&format!("{ENTERPRISE_ID}/{bo}")), "{home}");
    desk.person("bo").clicks(&card, "Deny").await?;
    let view = desk.person("bo").sees_dialog().await?;
    let (block, action) = text_input(&view)?;
    desk.person("bo").submits(&view, &[(&block, &action, "still needed")]).await?;
    desk.ops().expect_update(&card, "still needed").await?;
    let record = serde_json::to_string(&desk.events(&call.id).await?)?;
    ensure!(record.contains(&format!("slack:{ENTERPRISE_ID}/{bo}")), "{record}");
    let told = desk.slack().mention(&bo, "general", "what can you do?", None)?;
    desk.delivers_event(&told.delivery).await?;
    let answer = desk.channel("general").next_card().await?;
    ensure!(!answer.text().contains("policy"), "{}", answer.text());
    desk.leaves_messages_unread();
    Ok(())
}

/// R17, R49: somebody of another workspace clicks in a channel that is shared with them: the dialog is the installed
/// workspace's, and they decide nothing.
#[conversation]
async fn in_a_shared_channel_others_decide_nothing(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let user = desk.slack().person_of("guest", Kind::Foreign("T0OTHER".to_owned()));
    desk.person("guest").clicks(&card, "Approve").await?;
    desk.person("guest").is_whispered("Accounts from elsewhere decide nothing here").await?;
    desk.person("guest").clicks(&card, "Deny").await?;
    let view = desk.person("guest").sees_dialog().await?;
    let (block, action) = text_input(&view)?;
    desk.person("guest").submits(&view, &[(&block, &action, "no")]).await?;
    desk.person("guest").is_whispered("Accounts from elsewhere decide nothing here").await?;
    let told = desk.slack().mention(&user, "general", "clean up", None)?;
    desk.delivers_event(&told.delivery).await?;
    let answer = desk.channel("general").next_card().await?;
    ensure!(answer.text().contains("accounts from elsewhere"), "{}", answer.text());
    let record = serde_json::to_string(&desk.events(&call.id).await?)?;
    ensure!(record.contains("slack:T0OTHER/") && record.contains("no_standing"), "{record}");
    ensure!(card.has_buttons());
    Ok(())
}

/// R17, R49: an account of another workspace that has the same id as one that may decide is another person's: it decides
/// nothing, by the card or by a dialog that was opened for the other.
#[conversation(sockets)]
async fn the_same_id_of_elsewhere_is_somebody_else(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.person("bo").user();
    // In a shared channel the payload names the workspace of the channel's app, and beside it the user's own.
    let elsewhere = |payload: String| {
        let own = format!("%22team_id%22%3A%22{TEAM_ID}%22");
        payload.replace(&own, "%22team_id%22%3A%22T0OTHER%22")
    };
    let clicked = desk.slack().click_payload(&bo, &card.message, &card.button("Approve")?);
    let click = elsewhere(clicked.clone());
    ensure!(click != clicked && click.contains(TEAM_ID), "of elsewhere, in this workspace: {click}");
    desk.delivers(&desk.slack().signed(&click)).await?.expect(200)?;
    desk.person("bo").is_whispered("Accounts from elsewhere decide nothing here").await?;
    let view = desk.person("bo").opens(&card, "Deny").await?;
    let (block, action) = text_input(&view)?;
    let submitted = desk.slack().submit_payload(&bo, &view, &[(&block, &action, "no")])?;
    desk.delivers(&desk.slack().signed(&elsewhere(submitted))).await?.expect(200)?;
    let blocked =
        format!("proposed; checked approve; asked; blocked slack:T0OTHER/{bo} approve: no_standing");
    desk.reads(&call.id, &blocked).await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    Ok(())
}
