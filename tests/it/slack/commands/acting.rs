//! What is done by command: take back, settle, stop and let go on, ask again; and pages that outlive what changes.

use anyhow::{Result, ensure};
use placet::approval::{OutcomeKind, State, Status};
use placet::time::Ttl;
use placet_tests::fake_slack::Kind;
use placet_tests::people::text_input;
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::{asks, is_told, with_auditors};

/// R25: a steward takes a request back, by what was typed or in a dialog; an admin who is none does not, and is told who may.
#[conversation(sockets)]
async fn a_steward_takes_a_request_back(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    let mut cards = Vec::new();
    for number in 0..2 {
        let call = desk.agent().proposes("delete_file", json!({"path": format!("{number}.txt")})).await?;
        desk.clock().passes(Ttl::from_secs(2));
        let code = desk.request(&call.id).await?.code.to_string();
        cards.push((desk.ops().next_card().await?, code, call));
    }
    let (card, code, call) = &cards[0];
    is_told(desk, "bo", &format!("revoke {code} no"), &["Only operators", "Sam can"]).await?;
    ensure!(desk.request(&call.id).await?.status() == Status::WaitingApproval);
    is_told(desk, "eve", &format!("revoke {code} no"), &["not in the policy"]).await?;
    ensure!(desk.blocked_in("acme").await? >= 1, "the attempt is noted");
    is_told(desk, "sam", &format!("revoke {code} an incident"), &[code, "taken back"]).await?;
    desk.ops().expect_update(card, "an incident").await?;
    is_told(desk, "sam", &format!("revoke {code} again"), &["took this back already"]).await?;
    is_told(desk, "sam", "revoke 000000 x", &["no such request"]).await?;

    let (card, code, _) = &cards[1];
    desk.person("sam").types(&format!("revoke {code}")).await?;
    let dialog = desk.person("sam").sees_dialog().await?;
    let (block, action) = text_input(&dialog)?;
    desk.person("sam").submits(&dialog, &[(&block, &action, "not needed")]).await?;
    let said = desk.person("sam").reads().await?;
    ensure!(said.text().contains("taken back"), "{}", said.text());
    desk.ops().expect_update(card, "not needed").await?;
    Ok(())
}

/// R21: an outcome that nobody knows is found, and settled with how one knows, by what was typed or in a dialog.
#[conversation(sockets)]
async fn an_unknown_outcome_is_settled_in_chat(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    let mut calls = Vec::new();
    for number in 0..2 {
        let call = desk.agent().proposes("read_file", json!({"path": format!("{number}.txt")})).await?;
        desk.agent().claims(&call).await?;
        calls.push((desk.request(&call.id).await?.code.to_string(), call));
    }
    desk.passes(Ttl::from_mins(5)).await?;
    desk.alarms().skims();
    let found = asks(desk, "sam", "audit state:unknown").await?.text();
    ensure!(calls.iter().all(|(code, _)| found.contains(code.as_str())), "{found}");
    let (code, call) = &calls[0];
    is_told(desk, "vic", &format!("settle {code} ok I saw it"), &["Only operators"]).await?;
    is_told(desk, "sam", &format!("settle {code} ok the file is gone"), &[code, "settled", "ok"]).await?;
    let settled = desk.request(&call.id).await?;
    let State::Executed(executed) = &settled.state else { anyhow::bail!("{:?}", settled.state) };
    ensure!(executed.outcome.kind == OutcomeKind::Succeeded && executed.settled_by.is_some());
    is_told(desk, "sam", &format!("why {code}"), &["Sam settled it", "the file is gone"]).await?;

    let (code, call) = &calls[1];
    desk.person("sam").types(&format!("settle {code}")).await?;
    let dialog = desk.person("sam").sees_dialog().await?;
    ensure!(dialog.text().contains(code.as_str()), "{}", dialog.text());
    let choice = ("placet_command_outcome", "placet_command_outcome_choice", "failed");
    let reason = ("placet_command_reason", "placet_command_reason_text", "the log says so");
    desk.person("sam").submits(&dialog, &[choice, reason]).await?;
    let said = desk.person("sam").reads().await?;
    ensure!(said.text().contains("settled: it ran, and failed"), "{}", said.text());
    ensure!(desk.request(&call.id).await?.status() == Status::Executed);
    desk.leaves_messages_unread();
    Ok(())
}

/// R44: calls are stopped from chat behind one more question, seen above what is pending, and let go on with a button; who may
/// not is told, and nothing is stopped.
#[conversation(sockets)]
async fn calls_are_stopped_and_let_go_on_from_chat(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("vic").types("freeze tool:delete_file I may not").await?;
    let dialog = desk.person("vic").sees_dialog().await?;
    desk.person("vic").submits(&dialog, &[]).await?;
    let said = desk.person("vic").reads().await?;
    ensure!(said.text().contains("Only operators"), "{}", said.text());
    is_told(desk, "sam", "stops", &["Nothing is stopped"]).await?;

    desk.person("sam").types("freeze").await?;
    let dialog = desk.person("sam").sees_dialog().await?;
    let scope = ("placet_command_scope", "placet_command_scope_choice", "tool");
    let payload = desk.slack().submit_payload(&desk.person("sam").user(), &dialog, &[scope])?;
    let answer = desk.delivers(&desk.slack().signed(&payload)).await?.expect(200)?;
    ensure!(answer.text().contains("Say which agent or tool"), "{}", answer.text());
    let name = ("placet_command_name", "placet_command_name_text", "delete_file");
    desk.person("sam").submits(&dialog, &[scope, name]).await?;
    let confirm = desk.person("sam").sees_dialog().await?;
    ensure!(
        confirm.text().contains("delete_file") && confirm.text().contains("lifts it"),
        "{}",
        confirm.text()
    );
    ensure!(desk.app()?.gate.store().holds(all_holds()).await?.is_empty(), "nothing is stopped yet");
    let (block, action) = text_input(&confirm)?;
    desk.person("sam").submits(&confirm, &[(&block, &action, "an incident")]).await?;
    let said = desk.person("sam").reads().await?;
    ensure!(said.text().contains("Stopped") && said.text().contains("delete_file"), "{}", said.text());
    ensure!(desk.alarms().next_card().await?.text().contains("an incident"));

    is_told(desk, "vic", "pending", &["Stopped", "an incident", "once approved it does not start"]).await?;
    let stops = is_told(desk, "vic", "stops", &["delete_file", "Sam", "an incident"]).await?;
    desk.person("vic").clicks(&stops, "Let it go on").await?;
    let said = desk.person("vic").reads().await?;
    ensure!(said.text().contains("Only operators"), "{}", said.text());
    let stops = asks(desk, "sam", "stops").await?;
    let button = stops.button("Let it go on")?;
    ensure!(button.confirm.is_some(), "it asks once more");
    desk.person("sam").clicks(&stops, "Let it go on").await?;
    let said = desk.person("sam").reads().await?;
    ensure!(said.text().contains("Goes on") && said.text().contains("delete_file"), "{}", said.text());
    desk.person("sam").clicks(&stops, "Let it go on").await?;
    let said = desk.person("sam").reads().await?;
    ensure!(said.text().contains("no longer there"), "{}", said.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "Bo").await?;
    Ok(())
}

/// R44, R19: nobody stops everybody's calls from chat, since no policy gives that right: who looks after a tenant is told what
/// they can stop and who stops the rest, who is nobody is told that, and either attempt is on record. What a dialog carries tells
/// nobody what it stops.
#[conversation]
async fn the_calls_of_everybody_are_not_stopped_from_chat(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    for (name, words) in [
        ("sam", ["placet stop --all", "Nothing was stopped", "/placet freeze tenant"]),
        ("vic", ["placet stop --all", "Nothing was stopped", "/placet freeze tenant"]),
        ("eve", ["not in the policy", "", ""]),
    ] {
        let before = desk.blocked_in("acme").await?;
        is_told(desk, name, "freeze everything an incident", &words).await?;
        ensure!(desk.blocked_in("acme").await? == before + 1, "the attempt of {name} is noted");
    }
    ensure!(desk.app()?.gate.store().holds(all_holds()).await?.is_empty(), "nothing is stopped");
    is_told(desk, "sam", "approve 7Q4K-2M", &["on the card", "/placet show"]).await?;
    is_told(desk, "sam", "lift tool:delete_file", &["buttons of its list", "/placet stops"]).await?;
    desk.person("sam").types("freeze tool:mail/send_all an incident").await?;
    let dialog = desk.person("sam").sees_dialog().await?;
    let carried = dialog.view["private_metadata"].as_str().unwrap_or_default();
    ensure!(!carried.is_empty() && !carried.contains("send_all") && !carried.contains('{'), "{carried}");
    desk.leaves_messages_unread();
    Ok(())
}

fn all_holds() -> placet::ports::HoldQuery {
    placet::ports::HoldQuery { tenant: None, only_standing: true, before: None, limit: 9 }
}

/// R17: an account that is closed, a guest's or a stranger's reads nothing and does nothing, however it was named in the policy;
/// and where Slack cannot say what an account is, it is told so.
#[conversation]
async fn accounts_that_do_not_count_read_nothing(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("users.info", "user_not_found");
    with_auditors(desk).await?;
    let sam = desk.person("sam").user();
    for (kind, words) in [
        (Kind::Deactivated, "deactivated"),
        (Kind::Guest, "Guests"),
        (Kind::Bot, "Bots"),
        (Kind::Stranger, "from elsewhere"),
        (Kind::Unknown, "could not be checked"),
    ] {
        desk.slack().set_kind(&sam, kind.clone());
        desk.clock().passes(Ttl::from_mins(2));
        for text in ["pending", "audit", "whoami", "stops", "revoke 7Q4K-2M x"] {
            // A foreign account comes with its own team, which the policy does not know.
            let said = asks(desk, "sam", text).await?.text();
            ensure!(said.contains(words) || said.contains("not in the policy"), "{kind:?} {text}: {said}");
        }
    }
    Ok(())
}

/// R33: an answer goes where it was asked, as often as Slack takes it there; after that it comes beside, still to nobody else.
#[conversation]
async fn an_answer_comes_also_where_the_address_is_used_up(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    desk.slack().fail_next("response_url", placet_tests::fake_slack::Fault::Code("used_url"));
    is_told(desk, "vic", "pending", &["Nothing waits"]).await?;
    ensure!(desk.slack().calls_of("chat.postEphemeral").len() == 1);
    let private = desk.slack().private_channel("elsewhere");
    desk.slack().set_bot_in_channel(&private, false);
    desk.person("vic").types_in(&private, "pending").await?;
    let said = desk.person("vic").reads().await?;
    ensure!(said.text().contains("Nothing waits") && said.message.channel == private, "{}", said.text());
    Ok(())
}

/// R9, R25: what runs without asking is listed with its exact scope, by whom and until when; who chose it takes it back from the
/// list, what was approved on it is revoked, and who did neither may not.
#[conversation]
async fn what_is_remembered_is_taken_back_from_its_list(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        let policy = policy.replacen("role = \"admin\"\n", "role = \"admin\"\nremember = \"1h\"\n", 1);
        let tool = "leading_args = [\"path\"]\n";
        policy.replace(tool, &format!("{tool}remember = {{ path = \"folder\" }}\n"))
    })
    .await?;
    let propose = async |number: u32| {
        let body = json!({
            "tool": "delete_file",
            "args": {"path": format!("demo-notes/{number}.txt")},
            "run": {"id": "run-1", "step": number.to_string()},
            "session": "session-1",
            "task": "clean up",
            "reason": "r",
        });
        desk.agent().proposes_with(&number.to_string(), body).await
    };
    let first = propose(1).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.holder("bo-console");
    bo.looks_at(&first).await?;
    bo.approves_with(&first, json!({"remember": true})).await?.expect(200)?;
    desk.ops().expect_update(&card, "Approved").await?;
    let covered = propose(2).await?;
    let words = ["Runs without asking", "delete_file path=demo-notes/*", "chosen by Bo", "until"];
    let list = is_told(desk, "vic", "remembered", &words).await?;
    ensure!(list.button("Take it back")?.confirm.is_some(), "it asks once more");
    desk.person("vic").clicks(&list, "Take it back").await?;
    let said = desk.person("vic").reads().await?;
    ensure!(said.text().contains("Only operators"), "{}", said.text());
    let list = asks(desk, "bo", "remembered").await?;
    desk.person("bo").clicks(&list, "Take it back").await?;
    let said = desk.person("bo").reads().await?;
    ensure!(said.text().contains("Asked about again"), "{}", said.text());
    ensure!(desk.request(&covered.id).await?.status() == Status::Revoked);
    is_told(desk, "bo", "remembered", &["Nothing is remembered"]).await?;
    desk.ops().skims();
    desk.leaves_messages_unread();
    Ok(())
}
