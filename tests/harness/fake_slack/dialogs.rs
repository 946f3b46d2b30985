//! Filling in dialogs, and what Slack does with the app's answer to a submission.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};

use super::FakeSlack;
use super::clicks::form;
use super::reading::text_of_blocks;
use super::rules;
use super::state::{State, View};

/// Dialogs on top of each other.
const STACK_MAX: usize = 3;

/// What became of a dialog after the app answered.
#[derive(Debug, Clone, PartialEq)]
pub enum SubmissionOutcome {
    /// It closed; the one below shows, if there is one.
    Closed,
    /// The whole stack closed.
    Cleared,
    /// It stays open and shows these errors, by block.
    Errors(BTreeMap<String, String>),
    /// It shows something else.
    Updated(View),
    /// Another dialog lies on top.
    Pushed(View),
    /// The person reads that the app could not be reached; the dialog stays open.
    Trouble,
}

impl FakeSlack {
    /// Somebody closes a dialog.
    pub fn closes(&self, view: &View) {
        self.state().close_view(&view.id);
    }

    /// Takes the app's answer to a submission, as status and body. Fails where Slack would not take the answer.
    pub fn answer_submission(&self, view: &View, status: u16, body: &str) -> Result<SubmissionOutcome> {
        let mut state = self.state();
        ensure!(state.is_open(&view.id), "the dialog is closed already");
        if status != 200 {
            return Ok(SubmissionOutcome::Trouble);
        }
        if body.is_empty() {
            state.close_view(&view.id);
            return Ok(SubmissionOutcome::Closed);
        }
        let answer: Value = serde_json::from_str(body).context("the answer is neither empty nor JSON")?;
        match answer["response_action"].as_str() {
            Some("clear") => {
                view.stack.iter().for_each(|id| state.close_view(id));
                Ok(SubmissionOutcome::Cleared)
            }
            Some("errors") => state.show_errors(view, &answer["errors"]),
            Some("update") => {
                let next = checked(&answer["view"])?;
                state.replace_view(&view.id, next);
                state.shown(&view.id).map(SubmissionOutcome::Updated)
            }
            Some("push") => {
                let next = checked(&answer["view"])?;
                ensure!(view.stack.len() < STACK_MAX, "push_limit_reached");
                let id = state.add_view(&view.user, next, view.stack.clone());
                state.shown(&id).map(SubmissionOutcome::Pushed)
            }
            other => bail!("response_action {other:?} is not one of Slack's"),
        }
    }

    /// Closes a dialog. Gives the body that Slack sends, where the app asked to be told.
    pub fn close_payload(&self, user: &str, view: &View) -> Option<String> {
        let mut state = self.state();
        let shown = state.view_json(&view.id);
        state.close_view(&view.id);
        let mut payload = state.payload("view_closed", user);
        payload["is_cleared"] = false.into();
        let asked = view.view["notify_on_close"] == true;
        payload["view"] = shown;
        asked.then(|| form(&[("payload", &payload.to_string())]))
    }
}

fn checked(view: &Value) -> Result<&Value> {
    let remarks = rules::view(view);
    ensure!(remarks.is_empty(), "Slack refuses the view: {remarks:?}");
    Ok(view)
}

impl View {
    /// The title.
    pub fn title(&self) -> String {
        self.view["title"]["text"].as_str().unwrap_or_default().to_owned()
    }

    /// The dialog as a person reads it.
    pub fn text(&self) -> String {
        let blocks = self.view["blocks"].as_array().map_or(&[][..], Vec::as_slice);
        format!("{}\n{}", self.title(), text_of_blocks(blocks))
    }
}

impl State {
    fn is_open(&self, id: &str) -> bool {
        self.views.iter().any(|view| view.id == id && view.is_open)
    }

    fn shown(&self, id: &str) -> Result<View> {
        self.views.iter().find(|view| view.id == id).cloned().context("no such dialog")
    }

    fn close_view(&mut self, id: &str) {
        for view in self.views.iter_mut().filter(|view| view.id == id) {
            view.is_open = false;
        }
    }

    fn show_errors(&mut self, view: &View, errors: &Value) -> Result<SubmissionOutcome> {
        let errors: BTreeMap<String, String> =
            serde_json::from_value(errors.clone()).context("errors are texts by block")?;
        ensure!(!errors.is_empty(), "no error is shown");
        for block_id in errors.keys() {
            let is_input = |block: &Value| block["type"] == "input" && block["block_id"] == block_id.as_str();
            let blocks = view.view["blocks"].as_array();
            ensure!(blocks.is_some_and(|blocks| blocks.iter().any(is_input)), "no input block {block_id}");
        }
        if let Some(shown) = self.views.iter_mut().find(|shown| shown.id == view.id) {
            shown.errors.clone_from(&errors);
        }
        Ok(SubmissionOutcome::Errors(errors))
    }
}

/// `state.values` of a submission, after the checks that Slack's client makes.
pub(super) fn entered(state: &State, view: &View, values: &[(&str, &str, &str)]) -> Result<Value> {
    let view = state.shown(&view.id)?;
    ensure!(view.is_open, "the dialog is closed");
    ensure!(view.view["submit"].is_object(), "the dialog has no button to submit");
    let mut entered = Map::new();
    let mut used = 0;
    let blocks = view.view["blocks"].as_array().map_or(&[][..], Vec::as_slice);
    for block in blocks.iter().filter(|block| block["type"] == "input") {
        let (element, block_id) = (&block["element"], block["block_id"].as_str().unwrap_or_default());
        let action_id = element["action_id"].as_str().unwrap_or_default();
        let given = values.iter().find(|(block, action, _)| *block == block_id && *action == action_id);
        used += usize::from(given.is_some());
        let initial = element["initial_value"].as_str().or(element["initial_option"]["value"].as_str());
        let text = given.map_or_else(|| initial.unwrap_or_default(), |(_, _, text)| text);
        ensure!(block["optional"] == true || !text.is_empty(), "{block_id} must be filled in");
        let field = fill(element, text).with_context(|| format!("in {block_id}"))?;
        entered.insert(block_id.to_owned(), json!({ action_id: field }));
    }
    ensure!(used == values.len(), "a value is for a field that the dialog does not have");
    Ok(Value::Object(entered))
}

fn fill(element: &Value, text: &str) -> Result<Value> {
    let kind = &element["type"];
    if kind == "plain_text_input" {
        let units = u64::try_from(text.encode_utf16().count())?;
        ensure!(units <= element["max_length"].as_u64().unwrap_or(3_000), "the text is too long");
        let min = element["min_length"].as_u64().unwrap_or(0);
        ensure!(text.is_empty() || units >= min, "the text is too short");
        let value = if text.is_empty() { Value::Null } else { text.into() };
        return Ok(json!({ "type": kind, "value": value }));
    }
    let options = element["options"].as_array().map_or(&[][..], Vec::as_slice);
    let chosen = options.iter().find(|option| option["value"] == text);
    ensure!(text.is_empty() || chosen.is_some(), "{text} is not an option");
    Ok(json!({ "type": kind, "selected_option": chosen }))
}
