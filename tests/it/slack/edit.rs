//! Edit before approving, in a dialog.

use anyhow::{Context as _, Result, ensure};
use placet_tests::fake_slack::{Fault, SubmissionOutcome};
use placet_tests::{Call, Card, Desk, conversation};
use serde_json::{Value, json};

const EDITABLE: (&str, &str) = ("tier = \"approve\"\n", "tier = \"approve\"\nmay_edit = true\n");

/// A card of a call that may be changed, with an argument of each kind.
async fn asked(desk: &Desk, args: Value) -> Result<(Call, Card)> {
    desk.has_policy(|policy| policy.replace(EDITABLE.0, EDITABLE.1)).await?;
    let call = desk.agent().proposes("delete_file", args).await?;
    let card = desk.ops().next_card().await?;
    Ok((call, card))
}

fn args() -> Value {
    json!({"path": "notes/*.txt", "depth": 3, "force": true, "skip": ["a", "b"]})
}

/// R39: from the card's menu and from Details, who may changes the arguments, each in a field of its own; the old card says
/// what replaced it, a new one shows what was changed, secrets stay what they are, and the agent runs what people saw. Sent
/// twice it is done once, also when Placet starts again while the dialog is open.
#[conversation(sockets)]
async fn arguments_are_changed_in_a_dialog(desk: &mut Desk) -> Result<()> {
    let (call, card) = asked(desk, args()).await?;
    let bo = desk.person("bo");
    let view = bo.opens_by_choice(&card, "Edit").await?;
    for words in ["path: [____]", "force: ( true | false )", "skip (as JSON)"] {
        ensure!(view.text().contains(words), "{words} is missing in {}", view.text());
    }
    bo.is_told_in_dialog(&view, &[], "Nothing is changed yet").await?;
    desk.restart().await?;
    let change =
        [("path", "notes/old/*.txt"), ("depth", "1"), ("force", "false"), ("skip", "[\"a\", {\"b\": 1}]")];
    let done = bo.fills_twice(&view, &change).await?;
    ensure!(done == SubmissionOutcome::Cleared, "{done:?}");
    let old = desk.ops().expect_update(&card, "Replaced by an edited request").await?;
    ensure!(!old.has_buttons(), "{}", old.text());
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("Bo changed the arguments"), "{}", card.text());
    let requests = desk.requests().await?;
    let edited =
        requests.iter().find(|request| request.id.to_string() != call.id).context("an edited one")?;
    let expected = json!({
        "path": "notes/old/*.txt", "depth": 1, "force": false, "skip": ["a", {"b": 1}]
    });
    ensure!(
        requests.len() == 2 && *edited.proposal.call.args.value() == expected,
        "{}",
        edited.proposal.call.args.value()
    );
    let edited = Call { id: edited.id.to_string(), args: expected, ..call.clone() };
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("You changed this yourself").await?;
    // Who is not behind it approves it, and edits once more from Details before that.
    let details = desk.person("chen").opens(&card, "Details").await?;
    let view = desk.person("chen").presses_in(&details, "Edit").await?;
    ensure!(view.text().contains("Edit before approving"), "{}", view.text());
    desk.person("chen").fills(&view, &[("depth", "2")]).await?;
    desk.ops().expect_update(&card, "Replaced").await?;
    let card = desk.ops().next_card().await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; superseded").await?;
    desk.reads(&edited.id, "proposed; checked approve; asked; blocked bo approve: own_edit; superseded").await
}

/// R39, R23: what is no JSON, holds a key twice, would lose digits, is no number, or bears a secret's mark where none is hidden
/// is told beside its field, and nothing is
/// changed; what is then right is done, and a hidden secret stays what it is.
#[conversation(sockets)]
async fn what_was_written_wrongly_is_told_beside_its_field(desk: &mut Desk) -> Result<()> {
    let mut args = args();
    args["password"] = json!("hunter2");
    let (call, card) = asked(desk, args.clone()).await?;
    let bo = desk.person("bo");
    let view = bo.opens_by_choice(&card, "Edit").await?;
    ensure!(view.text().contains("A hidden secret stays"), "{}", view.text());
    ensure!(!view.view.to_string().contains("hunter2"), "a secret stands in no dialog");
    let wrong = [
        ("skip", "[1,", "This is not JSON"),
        ("skip", "[1] [2]", "This is not JSON"),
        ("skip", "{\"a\": 1, \"a\": 2}", "stands twice"),
        ("skip", "9007199254740993", "would not stay what it is"),
        ("depth", "three", "must be one number"),
        ("depth", "\"3\"", "must be one number"),
        ("depth", "1, \"path\": 2", "must be one number"),
        ("path", "••• (7 characters)", "hides nothing here"),
    ];
    for (label, text, words) in wrong {
        let outcome = bo.fills(&view, &[(label, text)]).await?;
        let SubmissionOutcome::Errors(errors) = outcome else { anyhow::bail!("{label} {text}: {outcome:?}") };
        let block = placet_tests::dialogs::field(&view, label, text)?.0;
        let told = errors.get(&block).with_context(|| format!("{label} {text}: {errors:?}"))?;
        ensure!(errors.len() == 1 && told.contains(words), "{label} {text}: {errors:?}");
    }
    let all = bo.fills(&view, &[("skip", "["), ("depth", "x")]).await?;
    ensure!(
        matches!(&all, SubmissionOutcome::Errors(errors) if errors.len() == 2),
        "each beside its own: {all:?}"
    );
    desk.reads(&call.id, "proposed; checked approve; asked").await?;
    bo.fills(&view, &[("depth", "4")]).await?;
    desk.ops().expect_update(&card, "Replaced").await?;
    desk.ops().next_card().await?;
    args["depth"] = json!(4);
    let kept = desk.requests().await?;
    ensure!(
        kept.iter().any(|request| *request.proposal.call.args.value() == args),
        "the secret is what it was"
    );
    Ok(())
}

/// R39: what the policy forbids is not made; who may not edit is told who can, and leaves a mark in the record.
#[conversation(sockets)]
async fn who_may_not_edit_is_told_in_the_dialog(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replace(EDITABLE.0, EDITABLE.1).replace(
            "[[forbid]]\n",
            "[[forbid]]\nname = \"root\"\ntools = [\"delete_file\"]\nwhen = 'args.path == \"/\"'\nbecause = \"Never all.\"\n\n[[forbid]]\n",
        )
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let view = desk.person("vic").opens_by_choice(&card, "Edit").await?;
    desk.person("vic")
        .is_told_in_dialog(&view, &[("path", "b.txt")], "Only admins decide this. Bo, Chen and Dana can.")
        .await?;
    let view = desk.person("bo").opens_by_choice(&card, "Edit").await?;
    desk.person("bo").is_told_in_dialog(&view, &[("path", "/")], "Never all.").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; blocked vic supersede: wrong_role").await
}

/// R39: who comes too late with the dialog, or with the button, is told what became of it; a trigger that is too old is told as
/// for any dialog.
#[conversation]
async fn an_edit_of_what_is_decided_is_told(desk: &mut Desk) -> Result<()> {
    let (call, card) = asked(desk, json!({"path": "a.txt"})).await?;
    desk.slack().fail_next("views.open", Fault::Code("expired_trigger_id"));
    desk.person("chen").chooses(&card, "Edit").await?;
    desk.person("chen").is_whispered("press the button again").await?;
    let view = desk.person("chen").opens_by_choice(&card, "Edit").await?;
    let details = desk.person("dana").opens(&card, "Details").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let change = [("path", "b.txt")];
    desk.person("chen").is_told_in_dialog(&view, &change, "Bo approved this already").await?;
    desk.person("chen").chooses(&card, "Edit").await?;
    desk.person("chen").is_whispered("Bo approved this already").await?;
    let shown = desk.person("dana").presses_in(&details, "Edit").await?;
    ensure!(shown.text().contains("✅ Approved") && shown.view["submit"].is_null(), "{}", shown.text());
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; approved Bo; refused chen: already_decided",
    )
    .await
}

/// R39: an argument that is too long for a field says so and stays as it is; a call without any that fits has no button to
/// submit; where the policy lets nobody edit, nothing offers it.
#[conversation]
async fn what_cannot_be_changed_here_says_why(desk: &mut Desk) -> Result<()> {
    let long = "x".repeat(3_001);
    let (_, card) = asked(desk, json!({"content": long, "path": "a.txt"})).await?;
    let view = desk.person("bo").opens_by_choice(&card, "Edit").await?;
    ensure!(
        view.text().contains("content cannot be changed here: it has 3001 characters"),
        "{}",
        view.text()
    );
    desk.person("bo").fills(&view, &[("path", "b.txt")]).await?;
    desk.ops().expect_update(&card, "Replaced").await?;
    desk.ops().next_card().await?;
    let kept = desk.requests().await?;
    ensure!(kept.iter().all(|request| request.proposal.call.args.value()["content"] == long.as_str()));
    desk.agent().proposes("delete_file", json!({"content": long})).await?;
    let card = desk.ops().next_card().await?;
    let view = desk.person("bo").opens_by_choice(&card, "Edit").await?;
    ensure!(view.view["submit"].is_null() && view.text().contains("Nothing of this call"), "{}", view.text());
    desk.has_policy(|policy| policy.replace(EDITABLE.1, EDITABLE.0)).await?;
    // What waited is judged anew.
    desk.work_until_idle().await?;
    desk.ops().skims();
    desk.agent().proposes("delete_file", json!({"path": "c.txt"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.choice("Edit").is_err() && card.choice("Ask").is_ok(), "{}", card.text());
    let details = desk.person("bo").opens(&card, "Details").await?;
    ensure!(!details.text().contains("Edit…"), "{}", details.text());
    Ok(())
}

/// What the tool of these conversations takes.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 3},
            "depth": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
            "force": {"type": "boolean"},
            "skip": {"type": "array", "items": {"type": "string"}},
            "age": {"type": "integer"},
        },
        "required": ["path", "mode"],
        "additionalProperties": false,
    })
}

/// R39: what the tool does not take is told beside the field of its argument, deeper in it with the way there, and what has no
/// field beside the first; nothing is changed, and what is then right is done. A number that was proposed as text becomes one.
#[conversation]
async fn what_the_tool_does_not_take_is_told_beside_its_field(desk: &mut Desk) -> Result<()> {
    let mut schema = schema();
    desk.has_schema("delete_file", &schema).await?;
    let mut args = args();
    args["age"] = json!("three");
    let (call, card) = asked(desk, args).await?;
    let bo = desk.person("bo");
    let view = bo.opens_by_choice(&card, "Edit").await?;
    ensure!(!view.text().contains("not known here"), "{}", view.text());
    let change = [("path", "x"), ("depth", "9"), ("skip", "[\"a\", 7]"), ("age", "four")];
    let outcome = bo.fills(&view, &change).await?;
    let SubmissionOutcome::Errors(errors) = outcome else { anyhow::bail!("{outcome:?}") };
    let at = |label: &str, text: &str| -> Result<String> {
        let block = placet_tests::dialogs::field(&view, label, text)?.0;
        errors.get(&block).cloned().with_context(|| format!("beside {label}: {errors:?}"))
    };
    ensure!(at("path", "x")?.contains("fewest characters here are 3"), "{errors:?}");
    ensure!(at("depth", "9")? == "This must be at most 5.", "{errors:?}");
    ensure!(at("skip", "[]")? == "skip[1]: This must be text.", "{errors:?}");
    let first = at("age", "four")?;
    ensure!(
        first.contains("This must be a whole number.") && first.contains("mode is missing"),
        "{errors:?}"
    );
    ensure!(errors.len() == 4, "{errors:?}");
    desk.reads(&call.id, "proposed; checked approve; asked").await?;
    ensure!(desk.requests().await?.len() == 1, "nothing was changed");

    schema["required"] = json!(["path"]);
    desk.has_schema("delete_file", &schema).await?;
    let change = [("path", "b.txt"), ("depth", "null"), ("skip", "[\"a\"]"), ("age", "4")];
    let done = bo.fills(&view, &change).await?;
    ensure!(done == SubmissionOutcome::Cleared, "{done:?}");
    desk.ops().expect_update(&card, "Replaced").await?;
    desk.ops().next_card().await?;
    let expected = json!({"age": 4, "path": "b.txt", "depth": null, "force": true, "skip": ["a"]});
    let kept = desk.requests().await?;
    ensure!(kept.iter().any(|request| *request.proposal.call.args.value() == expected));
    Ok(())
}

/// R39, R42: where it is not known what the tool takes, the dialog says so, and takes what is of the kind that was there.
#[conversation]
async fn an_edit_says_where_no_schema_is_known(desk: &mut Desk) -> Result<()> {
    desk.has_schema("mail/send", &schema()).await?;
    let (_, card) = asked(desk, args()).await?;
    let view = desk.person("bo").opens_by_choice(&card, "Edit").await?;
    ensure!(view.text().contains("What this tool takes is not known here"), "{}", view.text());
    desk.person("bo").fills(&view, &[("path", "x"), ("depth", "9")]).await?;
    desk.ops().expect_update(&card, "Replaced").await?;
    desk.ops().next_card().await?;
    Ok(())
}

/// R39, R13: Placet's own tools say what they take themselves, and nothing of others.
#[conversation]
async fn placets_own_tools_say_what_they_take(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| policy.replace(EDITABLE.0, EDITABLE.1)).await?;
    std::fs::write(desk.folder().join("workspace/demo-notes/scratch.txt"), "old")?;
    let chat = desk.chats("clean up old files in the project").await?;
    let card = desk.ops().next_card().await?;
    let view = desk.person("bo").opens_by_choice(&card, "Edit").await?;
    ensure!(view.text().contains("path: [____]"), "{}", view.text());
    ensure!(!view.text().contains("not known here"), "{}", view.text());
    desk.person("bo").denies(&card, "still needed").await?;
    desk.while_working(chat.until_over()).await??;
    desk.work_until_idle().await?;
    desk.ops().skims();
    // A tool of the same name that runs elsewhere is not held to what Placet's own takes.
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let view = desk.person("bo").opens_by_choice(&card, "Edit").await?;
    ensure!(view.text().contains("not known here"), "{}", view.text());
    Ok(())
}

/// R28, R39: a secret that is one only by what stands beside it (`name` and `value`) is hidden as on the card, and whoever
/// changes something else keeps it.
#[conversation]
async fn a_secret_that_only_the_whole_shows_is_kept(desk: &mut Desk) -> Result<()> {
    let args = json!({"path": "a.txt", "name": "API_KEY", "value": "abcdefgh-4711"});
    let (call, card) = asked(desk, args).await?;
    let bo = desk.person("bo");
    let view = bo.opens_by_choice(&card, "Edit").await?;
    ensure!(!view.view.to_string().contains("abcdefgh-4711"), "{}", view.view);
    let done = bo.fills(&view, &[("path", "b.txt")]).await?;
    ensure!(done == SubmissionOutcome::Cleared, "{done:?}");
    desk.ops().expect_update(&card, "Replaced by an edited request").await?;
    let card = desk.ops().next_card().await?;
    ensure!(!card.text().contains("abcdefgh-4711"), "{}", card.text());
    let requests = desk.requests().await?;
    let edited =
        requests.iter().find(|request| request.id.to_string() != call.id).context("an edited one")?;
    let expected = json!({"path": "b.txt", "name": "API_KEY", "value": "abcdefgh-4711"});
    ensure!(*edited.proposal.call.args.value() == expected, "{}", edited.proposal.call.args.value());
    Ok(())
}
