//! Choices: the menu behind a card's buttons, and fields of a dialog in which one of several is chosen.
//!
//! Sources: <https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element>,
//! <https://docs.slack.dev/reference/block-kit/block-elements/radio-button-group-element>.

use serde_json::{Value, json};

use super::plain_text;
use crate::limits;

/// One of several that can be chosen.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// What it says.
    pub text: &'a str,
    /// What comes back when it is chosen.
    pub value: &'a str,
}

fn options(choices: &[Choice<'_>]) -> Vec<Value> {
    let option = |choice: &Choice<'_>| json!({ "text": plain_text(choice.text, limits::OPTION_TEXT_UNITS_MAX), "value": choice.value });
    choices.iter().map(option).collect()
}

/// A menu behind three dots. Slack takes two to five choices in one.
pub fn overflow(action_id: &str, choices: &[Choice<'_>]) -> Value {
    json!({ "type": "overflow", "action_id": action_id, "options": options(choices) })
}

/// A field in which one of several is chosen.
#[derive(Debug, Clone, Copy)]
pub struct ChoiceInput<'a> {
    /// Unique within the view; names the field in the submission.
    pub block_id: &'a str,
    /// Names the element in the submission.
    pub action_id: &'a str,
    /// What stands above the field.
    pub label: &'a str,
    /// What there is to choose from.
    pub choices: &'a [Choice<'a>],
    /// The value of the one that is chosen at first; none leaves it open.
    pub chosen: Option<&'a str>,
}

/// The input block for `input`.
pub fn choice_input(input: &ChoiceInput<'_>) -> Value {
    let options = options(input.choices);
    let chosen = options.iter().find(|option| option["value"].as_str() == input.chosen).cloned();
    let mut element = json!({ "type": "radio_buttons", "action_id": input.action_id, "options": options });
    if let Some(chosen) = chosen.filter(|_| input.chosen.is_some()) {
        element["initial_option"] = chosen;
    }
    json!({
        "type": "input",
        "block_id": input.block_id,
        "label": plain_text(input.label, limits::INPUT_LABEL_UNITS_MAX),
        "element": element,
        "optional": false,
    })
}

/// A text input with what stands in it at first, exactly as it is: what nobody touches comes back the same. The caller sees to
/// it that it fits ([`fits_input`]).
pub fn with_initial(mut input: Value, text: &str) -> Value {
    if !text.is_empty() {
        input["element"]["initial_value"] = text.into();
    }
    input
}

/// Whether a text can stand in an input whole.
pub fn fits_input(text: &str) -> bool {
    limits::escaped_len(text) <= limits::TEXT_INPUT_LENGTH_MAX
}
