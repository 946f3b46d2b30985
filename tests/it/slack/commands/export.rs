//! R33: the audit as a file, to who asked and to nobody else.

use anyhow::{Context as _, Result, ensure};
use placet_tests::{Desk, conversation};
use serde_json::{Value, json};

use super::{asks, is_told, with_auditors};

/// R33: an auditor gets the audit as CSV or JSON lines in their direct message, redacted, with no formula in it; who is none
/// gets nothing; and where the app may not send files, it says which scope it lacks.
#[conversation(sockets)]
async fn an_audit_is_exported_to_who_asked(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("files.getUploadURLExternal", "missing_scope");
    with_auditors(desk).await?;
    let secret = format!("xoxb-{}", "123456789012-".repeat(2) + "abcdefABCDEF123456789012");
    for number in 0..3 {
        let args = json!({"path": format!("=cmd|{number}"), "token": secret});
        let body = json!({"tool": "read_file", "args": args, "run": {"id": "r", "step": number.to_string()},
            "task": "=HYPERLINK(\"https://evil.example\")", "reason": "r"});
        desk.agent().proposes_with(&number.to_string(), body).await?;
    }
    is_told(desk, "vic", "audit export:csv", &["Only", "finance"]).await?;
    ensure!(desk.slack().calls_of("files.getUploadURLExternal").is_empty(), "nothing is made for them");
    is_told(desk, "fay", "audit tool:nothing export:csv", &["Nothing is found"]).await?;

    let fay = desk.person("fay").user();
    let direct = format!("D{}", &fay[1..]);
    is_told(desk, "fay", "audit export:csv", &["3 requests", "direct messages"]).await?;
    let file = desk.slack().next_message(&direct).await?.files.pop().context("a file")?;
    ensure!(file.name == "placet-audit-acme.csv", "{}", file.name);
    let text = String::from_utf8(file.content)?;
    ensure!(text.starts_with("request,code,tenant,") && text.contains("\"'=HYPERLINK("), "{text}");
    ensure!(!text.contains(&secret), "{text}");

    is_told(desk, "sam", "audit export:jsonl tool:read_file", &["3 requests"]).await?;
    let direct = format!("D{}", &desk.person("sam").user()[1..]);
    let file = desk.slack().next_message(&direct).await?.files.pop().context("a file")?;
    let text = String::from_utf8(file.content)?;
    let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    ensure!(lines.len() == 3 && lines.iter().all(|line| line["tool"] == "read_file"), "{text}");
    ensure!(!text.contains(&secret), "{text}");

    desk.slack().set_scopes(&["chat:write", "commands", "users:read", "im:write"]);
    is_told(desk, "fay", "audit export:csv", &["scope files:write", "installs the app again"]).await?;
    let again = asks(desk, "fay", "audit").await?;
    ensure!(again.text().contains("read_file"), "the answer itself needs no such scope");
    Ok(())
}
