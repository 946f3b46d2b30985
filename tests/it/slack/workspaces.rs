//! Several workspaces behind one address: each has its own tenant, and nothing of one reaches another.

use anyhow::{Context as _, Result, ensure};
use axum::http::{Method, StatusCode};
use placet::ports::Scope;
use placet_tests::desk::SIGNING_SECRET;
use placet_tests::fake_slack::{FakeSlack, Kind, Message, TEAM_ID, buttons, text_of};
use placet_tests::http::Ask;
use placet_tests::{Call, Desk, Transport, conversation};
use serde_json::json;

const OTHER_TEAM: &str = "T0OTHER001";
const OTHER: &str = "globex";

/// A second workspace, of a second tenant; there too is a user with the id that Bo has in the first, and it is Gil.
async fn two_workspaces(desk: &Desk, secret: &str) -> Result<FakeSlack> {
    let other = desk.another_slack(OTHER_TEAM).await?;
    let north = other.channel("north");
    desk.serves_too(&other, (OTHER_TEAM, OTHER, "emea"), (&north, secret));
    has_people(desk, &other, &north).await?;
    Ok(other)
}

/// The same, and both come on sockets, each on those of its own app.
async fn two_workspaces_on_sockets(desk: &Desk) -> Result<FakeSlack> {
    let other = desk.another_slack(OTHER_TEAM).await?;
    let north = other.channel("north");
    desk.serves_too_on_sockets(&other, (OTHER_TEAM, OTHER, "emea"), &north);
    has_people(desk, &other, &north).await?;
    desk.comes_by(Transport::Sockets(1)).await?;
    other.has_sockets(2).await?;
    Ok(other)
}

async fn has_people(desk: &Desk, other: &FakeSlack, north: &str) -> Result<()> {
    let gil = other.person("bo");
    ensure!(gil == desk.person("bo").user(), "the same id in both");
    let policy = format!(
        "version = \"globex-1\"\nplaces = [{{ surface = \"slack-emea\", channel = \"{north}\" }}]\n\n[[people]]\n\
         id = \"globex-gil\"\nname = \"Gil\"\nroles = [\"admin\", \"operator\"]\nslack = [\"{OTHER_TEAM}/{gil}\"]\n"
    );
    desk.has_tenant_policies(&[(OTHER, &policy)]).await?;
    desk.has_credential("globex-agent", OTHER, &[Scope::Propose, Scope::Execute]).await
}

async fn proposes(desk: &Desk, agent: &str, path: &str) -> Result<Call> {
    desk.holder(agent).proposes("delete_file", json!({ "path": path })).await
}

/// Somebody presses a button of a message in a workspace; gives the answer's status.
async fn presses(
    desk: &Desk,
    slack: &FakeSlack,
    user: &str,
    message: &Message,
    text: &str,
) -> Result<StatusCode> {
    let all = buttons(message);
    let button = all.iter().find(|button| button.text.starts_with(text));
    let Some(button) = button else { anyhow::bail!("no button {text} on {}", text_of(message)) };
    let delivery = slack.signed(&slack.click_payload(user, message, button));
    Ok(desk.delivers(&delivery).await?.status)
}

/// Somebody is told, where no such channel is, that there is no such request.
async fn is_told_directly(desk: &Desk, slack: &FakeSlack, user: &str) -> Result<()> {
    let told = desk.while_working(slack.next_message(&format!("D{}", &user[1..]))).await??;
    ensure!(text_of(&told).contains("There is no such request"), "{}", text_of(&told));
    Ok(())
}

async fn status_of(desk: &Desk, agent: &str, call: &Call) -> Result<String> {
    let answer = desk.holder(agent).reads(&call.id).await?.expect(200)?.json()?;
    Ok(answer["status"].as_str().unwrap_or_default().to_owned())
}

/// R19, R49: clicks, cards and people of two workspaces with two tenants do not mix; the same user id in both is two
/// people; each is whispered to where they are.
#[conversation]
async fn two_workspaces_do_not_mix(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.postEphemeral", "channel_not_found");
    let other = two_workspaces(desk, "OTHER_SIGNING_SECRET").await?;
    let bo = desk.person("bo").user();
    let theirs = proposes(desk, "globex-agent", "theirs.txt").await?;
    let there = desk.while_working(other.next_message("north")).await??;
    let own = proposes(desk, "agent", "own.txt").await?;
    let card = desk.ops().next_card().await?;
    ensure!(text_of(&there).contains("theirs.txt") && card.text().contains("own.txt"));
    ensure!(other.messages("north").len() == 1 && desk.ops().messages().len() == 1);

    // Bo presses, here, what stands there; and Gil, there, what stands here.
    ensure!(presses(desk, desk.slack(), &bo, &there, "Approve").await? == StatusCode::OK);
    is_told_directly(desk, desk.slack(), &bo).await?;
    ensure!(presses(desk, &other, &bo, &card.message, "Approve").await? == StatusCode::OK);
    is_told_directly(desk, &other, &bo).await?;
    ensure!(status_of(desk, "globex-agent", &theirs).await? == "waiting_approval");
    ensure!(status_of(desk, "agent", &own).await? == "waiting_approval");

    // Gil comes into a channel that is shared with the first workspace: there he is of elsewhere.
    let guest = desk.slack().person_of("gil", Kind::Foreign(OTHER_TEAM.to_owned()));
    other.person("gil");
    ensure!(presses(desk, desk.slack(), &guest, &card.message, "Approve").await? == StatusCode::OK);
    desk.person("gil").is_whispered("Accounts from elsewhere decide nothing here").await?;

    ensure!(presses(desk, &other, &bo, &there, "Approve").await? == StatusCode::OK);
    let approved = desk.while_working(other.message_reads(&there.channel, &there.ts, "Approved")).await??;
    ensure!(
        text_of(&approved).contains("Gil") && !text_of(&approved).contains("Bo"),
        "{}",
        text_of(&approved)
    );
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(card.text().contains("Bo") && !card.text().contains("Gil"), "{}", card.text());
    desk.holder("globex-agent").runs(&theirs).await?;
    desk.agent().runs(&own).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    Ok(())
}

/// R49: the signature decides whose a call is, never the body: signed by one workspace and naming another, or none that
/// is known, it reaches nobody.
#[conversation]
async fn a_body_that_names_another_workspace_is_refused(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.postEphemeral", "channel_not_found");
    let other = two_workspaces(desk, "OTHER_SIGNING_SECRET").await?;
    let bo = desk.person("bo").user();
    let theirs = proposes(desk, "globex-agent", "theirs.txt").await?;
    let there = desk.while_working(other.next_message("north")).await??;
    let button = buttons(&there).into_iter().find(|button| button.text == "Approve");
    let Some(button) = button else { anyhow::bail!("no button") };
    for team in [OTHER_TEAM, "T0UNKNOWN1"] {
        let body = desk.slack().click_payload(&bo, &there, &button).replace(TEAM_ID, team);
        let status = desk.delivers(&desk.slack().signed(&body)).await?.status;
        // One that is not known may be a person's own, in a shared channel: it is told by who they are.
        let expected = if team == OTHER_TEAM { StatusCode::FORBIDDEN } else { StatusCode::OK };
        ensure!(status == expected, "{team}: {status}");
    }
    // An event says itself for which installation it is.
    let mut event = desk.slack().home_opened(&bo);
    event.body = event.body.replace(TEAM_ID, "T0UNKNOWN1");
    let event = desk.slack().signed_event(&event.body);
    desk.delivers_event(&event).await?;
    desk.work_until_idle().await?;
    ensure!(desk.slack().home(&bo).is_err() && other.home(&bo).is_err(), "nobody's home was published");
    ensure!(status_of(desk, "globex-agent", &theirs).await? == "waiting_approval");
    desk.leaves_messages_unread();
    Ok(())
}

/// R49: two workspaces that share one app, and its secret: the workspace that the signed body names is the one.
#[conversation]
async fn one_app_in_two_workspaces_is_told_by_team(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.postEphemeral", "channel_not_found");
    let other = two_workspaces(desk, "SIGNING_SECRET").await?;
    other.set_signing_secret(SIGNING_SECRET);
    let bo = desk.person("bo").user();
    let theirs = proposes(desk, "globex-agent", "theirs.txt").await?;
    let there = desk.while_working(other.next_message("north")).await??;
    let body = other.click_payload(&bo, &there, &buttons(&there)[0]).replace(TEAM_ID, "T0UNKNOWN1");
    let status = desk.delivers(&other.signed(&body)).await?.status;
    ensure!(status == StatusCode::FORBIDDEN, "{status}");
    ensure!(presses(desk, desk.slack(), &bo, &there, "Approve").await? == StatusCode::OK);
    is_told_directly(desk, desk.slack(), &bo).await?;
    ensure!(presses(desk, &other, &bo, &there, "Approve").await? == StatusCode::OK);
    desk.while_working(other.message_reads(&there.channel, &there.ts, "Approved")).await??;
    ensure!(status_of(desk, "globex-agent", &theirs).await? == "approved");
    let told = other.mention(&bo, "north", "clean up", None)?;
    desk.delivers_event(&told.delivery).await?;
    let answer = desk.while_working(other.next_message("north")).await??;
    ensure!(text_of(&answer).contains("No agent works for this workspace"), "{}", text_of(&answer));
    Ok(())
}

/// Somebody types a command in a workspace, and reads the answer.
async fn asks(desk: &Desk, slack: &FakeSlack, (user, channel): (&str, &str), text: &str) -> Result<String> {
    let typed = slack.signed(&slack.slash_payload(user, channel, "/placet", text)?);
    let mut ask = Ask::new(Method::POST, "/slack/commands").body(typed.body.clone());
    for (name, value) in &typed.headers {
        ask = ask.header(name, value)?;
    }
    let answer = desk.sends(ask).await?.expect(200)?;
    slack.answer_command(user, channel, answer.status.as_u16(), &answer.text())?;
    Ok(text_of(&desk.while_working(slack.next_ephemeral(user)).await??))
}

/// R19, R33, R49: whoever may read the audit of one tenant finds nothing of another in it, by a filter, a word, a code or an
/// id, nor in its export: it is told in the words in which it would be if it never was.
#[conversation]
async fn an_audit_tells_nothing_of_another_tenant(desk: &mut Desk) -> Result<()> {
    let other = two_workspaces(desk, "OTHER_SIGNING_SECRET").await?;
    let theirs = proposes(desk, "globex-agent", "theirs.txt").await?;
    let own = proposes(desk, "agent", "own.txt").await?;
    desk.work_until_idle().await?;
    let code_of = async |agent: &str, call: &Call| -> Result<String> {
        let read = desk.holder(agent).reads(&call.id).await?.expect(200)?.json()?;
        Ok(read["code"].as_str().context("a code")?.to_owned())
    };
    let (their_code, own_code) = (code_of("globex-agent", &theirs).await?, code_of("agent", &own).await?);
    let (ops, sam, gil) = (desk.ops().id().to_owned(), desk.person("sam").user(), desk.person("bo").user());
    let north = other.channel("north");
    let sides = [
        (
            desk.slack(),
            (sam.as_str(), ops.as_str()),
            ("acme", "own.txt", &own_code),
            ("theirs.txt", &their_code, &theirs),
        ),
        (
            &other,
            (gil.as_str(), north.as_str()),
            (OTHER, "theirs.txt", &their_code),
            ("own.txt", &own_code, &own),
        ),
    ];
    for (slack, reader, (tenant, path, code), (foreign, foreign_code, foreign_call)) in sides {
        for text in [
            "audit",
            "audit tool:delete_file",
            "audit state:pending",
            "audit delete",
            "audit since:7d",
            "pending",
        ] {
            let told = asks(desk, slack, reader, text).await?;
            ensure!(told.contains(path) && told.contains(code), "{tenant}, {text}: {told}");
            ensure!(!told.contains(foreign) && !told.contains(foreign_code), "{tenant}, {text}: {told}");
        }
        let told = asks(desk, slack, reader, &format!("audit {foreign}")).await?;
        ensure!(told.contains("Nothing is found"), "{tenant}: {told}");
        for verb in ["show", "why"] {
            for name in [foreign_code.as_str(), foreign_call.id.as_str()] {
                let told = asks(desk, slack, reader, &format!("{verb} {name}")).await?;
                ensure!(told.contains("There is no such request"), "{tenant}, {verb} {name}: {told}");
            }
        }
        let told = asks(desk, slack, reader, "audit export:jsonl").await?;
        ensure!(told.contains("One request"), "{tenant}: {told}");
        let direct = format!("D{}", &reader.0[1..]);
        let file = desk.while_working(slack.next_message(&direct)).await??.files.pop().context("a file")?;
        let text = String::from_utf8(file.content)?;
        ensure!(text.contains(path) && !text.contains(foreign), "{tenant}: {text}");
        ensure!(file.name == format!("placet-audit-{tenant}.jsonl"), "{}", file.name);
    }
    desk.leaves_messages_unread();
    Ok(())
}

/// R49, R30: on sockets too each workspace's calls are its own. What comes on the socket of one and is for the other, or for one that
/// nobody knows, is acknowledged, and reaches nobody: not the other, whose socket it did not come on, and not whoever has the same
/// id here.
#[conversation]
async fn two_workspaces_on_sockets_do_not_mix(desk: &mut Desk) -> Result<()> {
    let other = two_workspaces_on_sockets(desk).await?;
    let bo = desk.person("bo").user();
    let theirs = proposes(desk, "globex-agent", "theirs.txt").await?;
    let there = desk.while_working(other.next_message("north")).await??;
    let button = buttons(&there).into_iter().find(|button| button.text == "Approve");
    let Some(button) = button else { anyhow::bail!("no button") };

    // Pressed there, and delivered here; typed and opened likewise.
    let astray = |body: &str| body.replace(TEAM_ID, OTHER_TEAM);
    let click = astray(&desk.slack().click_payload(&bo, &there, &button));
    let general = desk.channel("general").id().to_owned();
    let typed = astray(&desk.slack().slash_payload(&bo, &general, "/placet", "whoami")?);
    for body in [click, typed] {
        let answer = desk.delivers(&desk.slack().signed(&body)).await?;
        ensure!(answer.status == StatusCode::OK && answer.text().is_empty(), "{}", answer.text());
    }
    for team in [OTHER_TEAM, "T0UNKNOWN1"] {
        let event = desk.slack().home_opened(&bo).body.replace(TEAM_ID, team);
        desk.delivers_event(&desk.slack().signed_event(&event)).await?;
    }
    desk.work_until_idle().await?;
    ensure!(status_of(desk, "globex-agent", &theirs).await? == "waiting_approval");
    ensure!(desk.slack().home(&bo).is_err() && other.home(&bo).is_err(), "nobody's home was published");
    let told: Vec<_> = desk.slack().unread().into_iter().chain(other.unread()).collect();
    ensure!(told.is_empty(), "somebody was told: {told:?}");
    for slack in [desk.slack(), &other] {
        ensure!(slack.calls_of("users.info").is_empty(), "nobody was looked up");
    }

    // Each of them is itself on its own.
    let envelope = other.sends_envelope(&other.signed(&other.click_payload(&bo, &there, &button)))?;
    other.acknowledged(&envelope).await?;
    let approved = desk.while_working(other.message_reads(&there.channel, &there.ts, "Approved")).await??;
    ensure!(text_of(&approved).contains("Gil"), "{}", text_of(&approved));
    let own = proposes(desk, "agent", "own.txt").await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    ensure!(status_of(desk, "agent", &own).await? == "approved");
    Ok(())
}
