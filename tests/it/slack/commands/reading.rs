//! What is read: pending, one request, why, the audit, a digest, oneself.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::{asks, is_told, turns, with_auditors};

/// R33: what waits is told with since when, until when, for whom, and by its code the whole call, why it is asked, and what
/// happened so far, in order; also by a code that is typed as it was read aloud, and by its id.
#[conversation(sockets)]
async fn a_request_is_read_from_all_sides(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    let code = desk.request(&call.id).await?.code.to_string();
    let words = ["Waiting for a decision", &code, "deploy", "critical", "2 admins", "since", "until"];
    let pending = is_told(desk, "vic", "pending", &words).await?;
    ensure!(!pending.has_buttons(), "{}", pending.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Bo").await?;

    let words = ["v42", "clean up old files", "Decide on its card", "Bo"];
    let shown = is_told(desk, "vic", &format!("show {code}"), &words).await?;
    let names_channel = shown.text().contains(&format!("#{}", desk.ops().id()));
    ensure!(!shown.has_buttons() && names_channel, "{}", shown.text());
    let lower = code.to_lowercase().replace('-', " ");
    is_told(desk, "vic", &format!("show {lower}"), &["v42"]).await?;
    is_told(desk, "vic", &format!("SHOW `{}`", call.id), &["v42"]).await?;

    let words =
        ["rule deploys: It changes what customers use.", "level critical", "policy desk", "asked: 2 admins"];
    let text = is_told(desk, "vic", &format!("why {code}"), &words).await?.text();
    let said = ["proposed it", "The policy said", "People were asked", "Bo said yes"];
    let places: Vec<_> = said.iter().map(|said| text.find(said)).collect();
    ensure!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {text}");
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "ok").await?;
    let words = ["Approved by Bo and Chen", "It ended: it ran, ok"];
    is_told(desk, "vic", &format!("why {code}"), &words).await?;
    is_told(desk, "vic", "pending", &["Nothing waits for a decision."]).await?;
    is_told(desk, "vic", &format!("show {code}"), &["v42", "Chen"]).await?;
    Ok(())
}

/// R33: the audit is narrowed by person, tool, state, time and words; a person is who Slack says, whatever they are called,
/// with everything they had to do with by any of their accounts.
#[conversation]
async fn the_audit_is_narrowed(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    let denied = desk.agent().proposes("delete_file", json!({"path": "attic/old.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "still needed").await?;
    desk.ops().expect_update(&card, "still needed").await?;
    desk.clock().passes(Ttl::from_mins(90));
    let approved = desk.agent().proposes("deploy", json!({"app": "api"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Chen").await?;
    desk.holder("bo-console").approves(&approved).await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let read = desk.agent().proposes("read_file", json!({"path": "cellar.txt"})).await?;
    desk.agent().runs(&read).await?;
    let mut codes = Vec::new();
    for call in [&denied, &approved, &read] {
        codes.push(desk.request(&call.id).await?.code.to_string());
    }
    let bo = desk.person("bo").user();
    let table: &[(String, &[usize])] = &[
        (String::new(), &[2, 1, 0]),
        (format!("who:<@{bo}|somebody-else>"), &[1, 0]),
        (format!("<@{bo}>"), &[1, 0]),
        (format!("who: <@{bo}>"), &[1, 0]),
        (format!("who:<@{}>", desk.person("vic").user()), &[]),
        ("tool:deploy".to_owned(), &[1]),
        ("tool:*_file".to_owned(), &[2, 0]),
        ("state:denied".to_owned(), &[0]),
        ("state:approved,denied".to_owned(), &[1, 0]),
        ("state:ok".to_owned(), &[2]),
        ("state:unknown".to_owned(), &[]),
        ("since:1h".to_owned(), &[2, 1]),
        ("since:7d".to_owned(), &[2, 1, 0]),
        ("tenant:acme tool:deploy".to_owned(), &[1]),
        ("ATTIC".to_owned(), &[0]),
        ("still needed".to_owned(), &[0]),
        ("cellar attic".to_owned(), &[]),
        (format!("who:<@{bo}> state:denied since:2h old.txt"), &[0]),
    ];
    for (filters, expected) in table {
        let text = asks(desk, "fay", &format!("audit {filters}")).await?.text();
        let places: Vec<_> = expected.iter().map(|at| text.find(&codes[*at])).collect();
        ensure!(places.iter().all(Option::is_some) && places.is_sorted(), "{filters}: {text}");
        for (at, code) in codes.iter().enumerate() {
            ensure!(expected.contains(&at) || !text.contains(code.as_str()), "{filters}: {text}");
        }
        ensure!(text.contains("Nothing is found") == expected.is_empty(), "{filters}: {text}");
    }
    is_told(desk, "fay", "audit state:denied", &["Denied", "Bo", "still needed", "high"]).await?;
    is_told(desk, "fay", "audit tenant:globex", &["acme only"]).await?;
    // A steward reads it too.
    is_told(desk, "sam", "audit tool:deploy", &[&codes[1]]).await?;
    Ok(())
}

/// R33: what is typed wrongly gets what was probably meant, and an example, and reaches nobody else.
#[conversation(sockets)]
async fn a_mistake_is_helped(desk: &mut Desk) -> Result<()> {
    let table: [(&str, &[&str]); 12] = [
        ("pendng", &["pendng", "Did you mean pending?", "/placet pending"]),
        ("<!channel> hi", &["There is no command", "<!channel>", "/placet help"]),
        ("show", &["Say which request", "code", "/placet show 7Q4K-2M"]),
        ("why 12", &["12 is no code", "six letters", "/placet why"]),
        ("audit wo:<@U1>", &["no filter wo:", "Did you mean who:?", "who:@bo"]),
        ("audit who:@bo", &["@bo is no person", "pick one", "who:@bo"]),
        ("audit state:maybe", &["maybe is no state", "pending", "state:failed"]),
        ("audit since:yesterday", &["yesterday is no time", "7d", "since:7d"]),
        ("audit export:pdf", &["pdf is no form", "csv", "export:csv"]),
        ("audit tool:a tool:b", &["tool stands there twice", "once", "tool:deploy"]),
        ("settle 7Q4K-2M perhaps", &["settle", "perhaps", "/placet settle"]),
        ("digest soon", &["digest", "soon", "/placet digest 7d"]),
    ];
    desk.slack().person("eve");
    for (typed, words) in table {
        is_told(desk, "eve", typed, words).await?;
    }
    is_told(desk, "vic", "", &["What you can ask", "/placet pending", "/placet audit"]).await?;
    is_told(desk, "vic", "help", &["Only you see the answers"]).await?;
    ensure!(desk.slack().calls_of("chat.postMessage").is_empty(), "nobody else is told");
    Ok(())
}

/// R17: who asks is told who they are to Placet, and what they may.
#[conversation]
async fn everybody_is_told_who_they_are(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    let words = ["Sam", "acme", "Roles: operator", "may read the audit", "may revoke"];
    is_told(desk, "sam", "whoami", &words).await?;
    let words = ["Fay", "finance", "may read the audit", "may not revoke", "operators"];
    is_told(desk, "fay", "whoami", &words).await?;
    is_told(desk, "vic", "whoami", &["Vic", "viewer", "may not read the audit", "finance"]).await?;
    is_told(desk, "eve", "whoami", &["not in the policy"]).await?;
    Ok(())
}

/// R28, R33: nothing that an agent wrote is active in an answer, and what is hidden on the card is hidden here, also from who
/// searches for it.
#[conversation]
async fn hostile_words_are_only_words_and_secrets_stay_hidden(desk: &mut Desk) -> Result<()> {
    const HOSTILE: &str = "<!channel> <@U0EVIL> <https://evil.example|Approve> `x` ```y``` *b* zero\u{200b}width \
        \u{202e}txt.exe\u{202c} p\u{430}ypal";
    with_auditors(desk).await?;
    let secret = format!("xoxb-{}", "123456789012-".repeat(2) + "abcdefABCDEF123456789012");
    let body = json!({
        "tool": "delete_file",
        "args": {"path": HOSTILE, "token": secret, "content": HOSTILE.repeat(160)},
        "run": {"id": "run-1", "step": "1"},
        "task": HOSTILE,
        "reason": HOSTILE,
    });
    let call = desk.agent().proposes_with("1", body).await?;
    let card = desk.ops().next_card().await?;
    let code = desk.request(&call.id).await?.code.to_string();
    for text in ["pending".to_owned(), format!("why {code}"), "audit evil.example".to_owned()] {
        let answer = is_told(desk, "fay", &text, &[&code]).await?.text();
        ensure!(!answer.contains(&secret) && !answer.contains('\u{202e}'), "{answer}");
    }
    // The whole of it, page by page: everything is there, and no secret.
    let mut answer = asks(desk, "fay", &format!("show {code}")).await?;
    let mut read = answer.text();
    while answer.button("Next").is_ok() {
        answer = turns(desk, "fay", &answer, "Next").await?;
        read.push_str(&answer.text());
    }
    ensure!(read.matches("evil.example").count() >= 160, "{}", read.len());
    ensure!(!read.contains(&secret) && !read.contains('\u{202e}'), "a secret is shown");
    is_told(desk, "fay", &format!("audit {secret}"), &["Nothing is found"]).await?;
    is_told(desk, "fay", "audit xoxb-", &["Nothing is found"]).await?;
    desk.agent().withdraws(&call).await?.expect(200)?;
    desk.ops().expect_update(&card, "Withdrawn").await?;
    Ok(())
}

/// R52: what ran unasked is told on demand, by tool, with how to correct it.
#[conversation]
async fn a_digest_tells_what_ran_unasked(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    is_told(desk, "fay", "digest", &["Nothing ran without somebody having been asked"]).await?;
    for number in 0..3 {
        let read = desk.agent().proposes("read_file", json!({"path": format!("{number}.txt")})).await?;
        desk.agent().claims(&read).await?;
    }
    let note = desk.agent().proposes("write_note", json!({"text": "a"})).await?;
    desk.agent().claims(&note).await?;
    let words = ["4 calls", "read_file: 3 (3 at once)", "write_note: 1 (1 announced)", "/placet remembered"];
    is_told(desk, "fay", "digest", &words).await?;
    desk.leaves_messages_unread();
    desk.clock().passes(Ttl::from_mins(3 * 24 * 60));
    is_told(desk, "fay", "digest", &["Nothing ran"]).await?;
    is_told(desk, "sam", "digest 7d", &["read_file: 3"]).await?;
    Ok(())
}
