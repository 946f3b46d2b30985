//! What is told of a confidential call to who may not read it: where it stands, and nothing that it holds or that anybody said of
//! it; whether or not anybody is asked about it, and whatever an edit makes of it.

use anyhow::{Result, ensure};
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

use super::confidential::{SECRET, confidential, holds_it};

/// R51, R46, R33: nobody's words about it are told to who may not read it: not what was asked, answered, noted or given as a
/// reason, in the channel, in what a command shows of it, or in why. Who may read it reads them.
#[conversation]
async fn nobodys_words_about_it_are_told_to_who_may_not_read_it(desk: &mut Desk) -> Result<()> {
    desk.has_policy(confidential).await?;
    desk.leaves_messages_unread();
    let call = desk.agent().proposes("delete_file", json!({"path": SECRET})).await?;
    let card = desk.ops().next_card().await?;
    let code = desk.request(&call.id).await?.code;
    let details = desk.person("bo").opens(&card, "Details").await?;
    let view = desk.person("bo").presses_in(&details, "Ask").await?;
    desk.person("bo").fills(&view, &[("Question", &format!("is {SECRET} a person?"))]).await?;
    let answers = format!("/v1/requests/{}/answer", call.id);
    desk.agent().post(&answers, &json!({"answer": format!("yes, {SECRET}")})).await?.expect(200)?;
    desk.work_until_idle().await?;
    is_told_without(desk, code.as_str()).await?;
    desk.person("bo").denies(&card, &format!("{SECRET} stays")).await?;
    let card = desk.ops().expect_update(&card, "Denied").await?;
    ensure!(card.text().contains("Bo"), "{}", card.text());
    is_told_without(desk, code.as_str()).await?;
    let leaked: Vec<_> = desk.ops().messages().into_iter().filter(holds_it).collect();
    ensure!(leaked.is_empty(), "{leaked:#?}");
    let why = desk.person("sam").asks(&format!("why {code}")).await?;
    for words in ["a person?", "yes,", "stays"] {
        ensure!(why.text().contains(words), "{words:?} is missing: {}", why.text());
    }
    Ok(())
}

/// Somebody who may not read it is told of it by what a command shows and by why, and of nothing that it holds.
async fn is_told_without(desk: &Desk, code: &str) -> Result<()> {
    for verb in ["show", "why"] {
        let answer = desk.person("vic").asks(&format!("{verb} {code}")).await?;
        ensure!(answer.text().contains("delete_file"), "/placet {verb}: {}", answer.text());
        ensure!(!holds_it(&answer.message), "/placet {verb} tells of it: {}", answer.text());
        ensure!(!answer.text().contains("SHA-256"), "arguments could be tried against it: {}", answer.text());
    }
    Ok(())
}

/// It is told of to who may not read it without what it holds, and read by whoever would decide it and who looks after the
/// installation, where this text of the policy makes that nobody is asked about it.
async fn is_confidential_unasked(desk: &Desk, from: &str, to: &str) -> Result<()> {
    desk.has_policy(|policy| {
        confidential(policy)
            .replacen(from, to, 1)
            .replace("stewards = [\"operator\"]", "stewards = [\"operator\"]\nauditors = [\"finance\"]")
    })
    .await?;
    let body = json!({"tool": "delete_file", "args": {"path": SECRET}, "task": SECRET, "reason": SECRET});
    let call = desk.agent().proposes_with("secret", body).await?;
    let code = desk.request(&call.id).await?.code;
    is_told_without(desk, code.as_str()).await?;
    let audit = desk.person("fay").asks("audit").await?;
    ensure!(audit.text().contains(code.as_str()) && !holds_it(&audit.message), "{}", audit.text());
    for reader in ["bo", "sam"] {
        let shown = desk.person(reader).asks(&format!("show {code}")).await?;
        ensure!(holds_it(&shown.message), "{reader} may read it: {}", shown.text());
    }
    desk.leaves_messages_unread();
    Ok(())
}

const WHY: &str = "because = \"It is about people.\"\n";

/// R51, R33: where it is forbidden.
#[conversation]
async fn it_is_confidential_where_it_is_forbidden(desk: &mut Desk) -> Result<()> {
    let forbid = "[[forbid]]\nname = \"people\"\ntools = [\"delete_*\"]\nwhen = 'args.path.startsWith(\"sever\")'\nbecause = \
                  \"Not this week.\"\n\n[[forbid]]\n";
    is_confidential_unasked(desk, "[[forbid]]\n", forbid).await
}

/// R51, R33: where it runs at once.
#[conversation]
async fn it_is_confidential_where_it_runs_at_once(desk: &mut Desk) -> Result<()> {
    is_confidential_unasked(desk, WHY, &format!("{WHY}tier = \"auto\"\n")).await
}

/// R51, R33: where it runs at once and is seen afterwards.
#[conversation]
async fn it_is_confidential_where_it_is_seen_afterwards(desk: &mut Desk) -> Result<()> {
    is_confidential_unasked(desk, WHY, &format!("{WHY}tier = \"suggest\"\n")).await
}

/// R51, R45, R33: where the policy only looks on.
#[conversation]
async fn it_is_confidential_where_it_is_looked_on_at(desk: &mut Desk) -> Result<()> {
    is_confidential_unasked(desk, "version = \"desk\"\n", "version = \"desk\"\nshadow = true\n").await
}

/// What is made by an edit of a call that is confidential by its arguments, into one that is not by its own and is of this level,
/// and its request's code.
async fn edited(desk: &Desk, level: &str) -> Result<(Card, String)> {
    desk.has_policy(|policy| {
        let rule = format!(
            "{WHY}may_edit = true\nconfidential = true\n\n[[rule]]\nname = \"public\"\ntools = [\"delete_*\"]\nwhen = \
             'args.path.startsWith(\"public/\")'\nlevel = \"{level}\"\nbecause = \"Anybody may read it.\"\n"
        );
        confidential(policy)
            .replacen("data_level == \"restricted\"", "args.path.startsWith(\"hr/\")", 1)
            .replacen(&format!("{WHY}confidential = true\n"), &rule, 1)
    })
    .await?;
    let args = json!({"path": format!("hr/{SECRET}.pdf")});
    let body = json!({"tool": "delete_file", "args": args, "task": SECRET, "reason": SECRET});
    let call = desk.agent().proposes_with("secret", body).await?;
    let card = desk.ops().next_card().await?;
    let edited = desk.holder("bo-console").edits(&call, json!({"path": "public/a.txt"})).await?;
    let card = desk.ops().expect_update(&card, "Replaced").await?;
    Ok((card, desk.request(&edited.id).await?.code.to_string()))
}

/// R51, R39: what an edit makes of it stays confidential, whatever its arguments are now: its card shows neither the old ones nor
/// the new, and who decides reads both.
#[conversation]
async fn an_edit_does_not_take_it_out_of_confidence(desk: &mut Desk) -> Result<()> {
    let (_, code) = edited(desk, "high").await?;
    let card = desk.ops().next_card().await?;
    ensure!(!card.text().contains("public/") && card.text().contains("Confidential"), "{}", card.text());
    desk.person("vic").clicks(&card, "Details").await?;
    desk.person("vic").is_shown_nothing("admins").await?;
    let details = desk.person("chen").opens(&card, "Details").await?;
    let text = details.text();
    ensure!(text.contains("public/a.txt") && text.contains(&format!("hr/{SECRET}")), "{text}");
    desk.person("chen").submits(&details, &[]).await?;
    desk.ops().expect_update(&card, "Approved").await?;
    is_told_without(desk, &code).await?;
    let leaked: Vec<_> = desk.ops().messages().into_iter().filter(holds_it).collect();
    ensure!(leaked.is_empty(), "{leaked:#?}");
    desk.leaves_messages_unread();
    Ok(())
}

/// R51, R39: also where nobody is asked about what the edit made of it: who could read the old one reads it.
#[conversation]
async fn an_edit_that_runs_at_once_stays_confidential(desk: &mut Desk) -> Result<()> {
    let (card, code) = edited(desk, "low").await?;
    ensure!(!holds_it(&card.message), "{}", card.text());
    is_told_without(desk, &code).await?;
    let shown = desk.person("sam").asks(&format!("show {code}")).await?;
    ensure!(shown.text().contains("public/a.txt"), "{}", shown.text());
    desk.leaves_messages_unread();
    Ok(())
}

/// R51, R41: what one person decided alone about it is reviewed from its card, and stays open until then; nobody is told the reason
/// or an argument by it, nor by the dialog where they may not read it.
#[conversation]
async fn what_one_person_decided_alone_about_it_is_reviewed_on_its_card(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        confidential(policy).replace("[roles]\n", "[roles]\nbreak_glass = [\"operator\"]\n")
    })
    .await?;
    let body = json!({"tool": "delete_file", "args": {"path": SECRET}, "task": SECRET, "reason": SECRET});
    let call = desk.agent().proposes_with("secret", body).await?;
    let card = desk.ops().next_card().await?;
    let details = desk.person("sam").opens(&card, "Details").await?;
    let view = desk.person("sam").presses_in(&details, "Break glass").await?;
    desk.person("sam").fills(&view, &[("Reason", &format!("{SECRET} burns"))]).await?;
    for told in [desk.alarms().next_card().await?, desk.ops().next_card().await?] {
        ensure!(told.text().contains("Sam") && !holds_it(&told.message), "{}", told.text());
    }
    let card = desk.ops().expect_update(&card, "Sam alone, in an emergency").await?;
    ensure!(card.button("Review").is_ok(), "{}", card.text());
    let blind = desk.person("vic").opens(&card, "Review").await?;
    ensure!(blind.text().contains("delete_file") && !blind.text().contains(SECRET), "{}", blind.text());
    desk.agent().runs(&call).await?;
    let card = desk.ops().expect_update(&card, "nobody else has reviewed").await?;
    let view = desk.person("chen").opens(&card, "Review").await?;
    ensure!(view.text().contains(SECRET), "who may read it reviews what they read: {}", view.text());
    desk.person("chen").fills(&view, &[("Note", &format!("{SECRET} is gone"))]).await?;
    let card = desk.ops().expect_update(&card, "reviewed by Chen").await?;
    ensure!(!card.has_buttons(), "{}", card.text());
    let leaked: Vec<_> = desk.ops().messages().into_iter().filter(holds_it).collect();
    ensure!(leaked.is_empty(), "{leaked:#?}");
    desk.leaves_messages_unread();
    Ok(())
}
