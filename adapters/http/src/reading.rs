//! Who reads a confidential call here: the gate says so, by role, as for Details in chat.
//!
//! What always holds: whoever may not read it is shown no argument and nothing of what the tool answered, whatever they ask
//! for; an attempt to read the card is on record.

use placet::approval::{Actor, Approval, Refusal};
use placet::person::NoStanding;
use serde_json::Value;

use crate::credential::Principal;
use crate::parts::App;
use crate::problem::{Problem, refused_vote};
use crate::view;

/// What of an outcome a tool wrote.
const TOOLS_WORDS: [&str; 2] = ["result", "error"];

/// That this caller may read the card of it; else why not, which is on record then.
pub(crate) async fn may_read(app: &App, caller: &Principal, approval: &Approval) -> Result<(), Problem> {
    let identity = caller.identity()?;
    let Err(refusal) = app.gate.may_read(approval, &identity).await else { return Ok(()) };
    // That nobody can tell at the moment is not an attempt.
    if !matches!(refusal, Refusal::NoStanding(NoStanding::Unreadable(_)) | Refusal::FactsStale) {
        let by = Actor::Account(identity);
        app.gate.note_stranger(caller.tenant(), by, "show", &approval.id.to_string()).await;
    }
    Err(refused_vote(approval, &refusal))
}

/// Whether this caller may read the whole of it. Who may not is not blamed for it: they asked for something else.
pub(crate) async fn reads(app: &App, caller: &Principal, approval: &Approval) -> Result<bool, Problem> {
    Ok(app.gate.may_read(approval, &caller.identity()?).await.is_ok())
}

/// How it stands, for whoever did something to it: with the card where they may read that.
pub(crate) async fn card(app: &App, caller: &Principal, approval: &Approval) -> Result<Value, Problem> {
    if reads(app, caller, approval).await? {
        Ok(view::for_people(approval, &app.gate))
    } else {
        Ok(without_words(view::plain_form(approval, app.gate.redactor())))
    }
}

/// How it stands, for people who did not ask for the card.
pub(crate) async fn plain(app: &App, caller: &Principal, approval: &Approval) -> Result<Value, Problem> {
    let form = view::plain_form(approval, app.gate.redactor());
    Ok(if reads(app, caller, approval).await? { form } else { without_words(form) })
}

/// A line of the list: of what its reader may not read, the title is the tool's name.
pub(crate) async fn line(app: &App, caller: &Principal, approval: &Approval) -> Result<Value, Problem> {
    let mut line = view::line(approval, &app.gate);
    if !reads(app, caller, approval).await? {
        line["title"] = line["tool"].clone();
    }
    Ok(line)
}

fn without_words(mut form: Value) -> Value {
    if let Some(outcome) = form.get_mut("outcome").and_then(Value::as_object_mut) {
        outcome.retain(|name, _| !TOOLS_WORDS.contains(&name.as_str()));
    }
    form
}
