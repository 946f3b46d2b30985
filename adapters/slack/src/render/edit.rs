//! The dialog in which somebody changes the arguments: a field for each that fits one. What nobody touches comes back as it is,
//! a hidden secret among it; what cannot be changed here says why, and stays what it is.

use placet::call::ArgsError;
use placet::call::canonical::parse_json_strict;
use placet::card::{Redactor, as_meant, visible_line};
use placet::ports::Mismatch;
use placet::ports::schemas::{Kind, Misfit, Step};
use placet::text::{DialogText, Markup, Texts};
use serde_json::{Map, Value};

use super::pieces;
use super::sheet::{Frame, Sheet};
use crate::limits::{self, TEXT_INPUT_LENGTH_MAX};
use crate::mrkdwn::{
    Choice, ChoiceInput, TextInput, choice_input, context, fits_input, input, section, with_initial,
};

/// Fields there may be: what a person still reads through, with room for what stands around them.
const FIELDS_MAX: usize = 40;
/// Room for the name of an argument above its field, in units.
const NAME_UNITS_MAX: usize = 200;
/// Room beneath a field for what is wrong with it, in units: a few sentences.
const ERROR_UNITS_MAX: usize = 600;
/// What begins the id of a field's block, and of the element in it; the number of the argument follows.
const FIELD: &str = "placet_arg_";

/// What stands in the field of an argument.
enum Field {
    /// Text, as it is.
    Text(String),
    /// A number, or anything else as JSON.
    Json { text: String, number: bool },
    /// Yes or no.
    Choice(bool),
    /// None: it is too long for one.
    TooLong(usize),
}

impl Field {
    fn of(shown: &Value) -> Self {
        let (text, is_text) = match shown {
            Value::String(text) => (text.clone(), true),
            Value::Bool(chosen) => return Self::Choice(*chosen),
            other => (serde_json::to_string_pretty(other).unwrap_or_default(), false),
        };
        match (fits_input(&text), is_text) {
            (false, _) => Self::TooLong(text.chars().count()),
            (true, true) => Self::Text(text),
            (true, false) => Self::Json { text, number: shown.is_number() },
        }
    }
}

/// What is wrong with what was entered, and beside which field that stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The block of the field.
    pub(crate) block: String,
    /// What is wrong, for whoever entered it.
    pub(crate) text: String,
}

fn block_of(number: usize) -> String {
    format!("{FIELD}{number}")
}

/// The arguments as their fields show them, in an order that is the same as long as the request lives.
fn shown(args: &Value, redactor: &Redactor) -> (Vec<(String, Value)>, u32) {
    let (shown, hidden) = redactor.redact_value(args);
    let all = shown.as_object().into_iter().flatten();
    (all.map(|(name, value)| (name.clone(), value.clone())).collect(), hidden)
}

/// The block of the first field, where what is about all of them is told; none where there is no field.
pub(crate) fn first_block(args: &Value, redactor: &Redactor) -> Option<String> {
    let (all, _) = shown(args, redactor);
    let mut fields = all.iter().take(FIELDS_MAX).map(|(_, value)| Field::of(value)).enumerate();
    fields.find(|(_, field)| !matches!(field, Field::TooLong(_))).map(|(number, _)| block_of(number))
}

/// The same with what stands in a field for text as JSON, where the tool takes no text there and it was changed: somebody who
/// mends `"three"` writes `3`, and a field for text holds nothing else. None where that changes nothing.
pub(crate) fn as_taken(meant: &Value, before: &Value, mismatches: &[Mismatch]) -> Option<Value> {
    let mut taken = meant.clone();
    for mismatch in mismatches {
        let ([Step::Name(name)], Misfit::Kind(kinds)) = (&*mismatch.at, &mismatch.what) else { continue };
        let Some(text) = meant[name].as_str().filter(|_| meant[name] != before[name]) else { continue };
        if let (false, Ok(value)) = (kinds.contains(&Kind::Text), parse_json_strict(text.as_bytes())) {
            taken[name] = value;
        }
    }
    (taken != *meant).then_some(taken)
}

/// What the tool does not take, each beside the field of its argument; what has no field of its own, beside the first. What
/// is beside the same field stands there together.
pub(crate) fn mismatched(
    (args, redactor): (&Value, &Redactor),
    mismatches: &[Mismatch],
    texts: &Texts,
) -> Vec<Wrong> {
    let (all, _) = shown(args, redactor);
    let first = first_block(args, redactor);
    let field_of = |argument: &str| {
        let fields = all.iter().take(FIELDS_MAX).enumerate();
        let mut fields = fields.filter(|(_, (_, value))| !matches!(Field::of(value), Field::TooLong(_)));
        fields.find(|(_, (name, _))| name == argument).map(|(number, _)| block_of(number))
    };
    let mut told: Vec<Wrong> = Vec::new();
    for mismatch in mismatches {
        let own = mismatch.argument().and_then(field_of);
        let text = match (&own, mismatch.argument()) {
            (None, Some(_)) => texts.mismatch_elsewhere(mismatch, &Markup::PLAIN),
            (Some(_) | None, _) => texts.mismatch(mismatch, &Markup::PLAIN),
        };
        let Some(block) = own.or_else(|| first.clone()) else { continue };
        match told.iter_mut().find(|wrong| wrong.block == block) {
            Some(wrong) => wrong.text = format!("{} {text}", wrong.text),
            None => told.push(Wrong { block, text }),
        }
    }
    for wrong in &mut told {
        // The name of an argument can be a secret as well.
        wrong.text = redactor.redact_text(&wrong.text).text;
        wrong.text = limits::shorten(&wrong.text, ERROR_UNITS_MAX);
    }
    told
}

/// The dialog. Without anything to change it cannot be submitted.
pub(crate) fn view(frame: &Frame<'_>, (args, known): (&Value, bool), redactor: &Redactor) -> Value {
    let texts = frame.texts;
    let (all, hidden) = shown(args, redactor);
    let can = first_block(args, redactor).is_some();
    let intro = if can { DialogText::EditIntro } else { DialogText::EditNothing };
    let mut blocks = vec![context(&[&texts.dialog(intro)])];
    blocks.extend(pieces::small_print(&pieces::remarks(frame.view, texts)));
    if hidden > 0 && can {
        blocks.push(context(&[&texts.dialog(DialogText::EditHidden)]));
    }
    if !known && can {
        blocks.push(context(&[&texts.schema_unknown()]));
    }
    for (number, (name, value)) in all.iter().take(FIELDS_MAX).enumerate() {
        blocks.push(field(number, name, value, texts));
    }
    let more = all.len().saturating_sub(FIELDS_MAX);
    if more > 0 {
        blocks.push(context(&[&texts.edit_more(more)]));
    }
    frame.modal(Sheet::Edit, (DialogText::EditTitle, can.then_some(DialogText::EditSubmit)), blocks)
}

fn field(number: usize, name: &str, value: &Value, texts: &Texts) -> Value {
    let name = limits::shorten(visible_line(name).as_str(), NAME_UNITS_MAX);
    let block_id = block_of(number);
    let written = |label: &str, text: &str, multiline: bool, optional: bool| {
        let field = input(&TextInput {
            block_id: &block_id,
            action_id: &block_id,
            label,
            hint: None,
            placeholder: None,
            length_max: TEXT_INPUT_LENGTH_MAX,
            multiline,
            optional,
        });
        with_initial(field, text)
    };
    match Field::of(value) {
        Field::Text(text) => written(&name, &text, true, true),
        Field::Json { text, number: true } => written(&name, &text, false, false),
        Field::Json { text, number: false } => {
            let label = format!("{name} ({})", texts.dialog(DialogText::EditAsJson));
            written(&label, &text, true, false)
        }
        Field::Choice(chosen) => {
            let (yes, no) = (texts.dialog(DialogText::EditTrue), texts.dialog(DialogText::EditFalse));
            choice_input(&ChoiceInput {
                block_id: &block_id,
                action_id: &block_id,
                label: &name,
                choices: &[Choice { text: &yes, value: "true" }, Choice { text: &no, value: "false" }],
                chosen: Some(if chosen { "true" } else { "false" }),
            })
        }
        Field::TooLong(characters) => section(&texts.edit_too_long(&name, characters)),
    }
}

/// The arguments that are meant by what was entered: strict JSON where it is JSON, of the kind that was there, with what was
/// left alone as it was. Where it is known what the tool takes, that says of which kind it may be. `entered` gives what stands in the field of a block.
pub(crate) fn meant<'a>(
    (args, redactor): (&Value, &Redactor),
    entered: impl Fn(&str, &str) -> Option<&'a str>,
    known: bool,
    texts: &Texts,
) -> Result<Value, Vec<Wrong>> {
    let (all, _) = shown(args, redactor);
    let (mut sent, mut wrong) = (Map::new(), Vec::new());
    for (number, (name, value)) in all.iter().enumerate() {
        let block = block_of(number);
        let written = if number < FIELDS_MAX { entered(&block, &block) } else { None };
        let one =
            if number < FIELDS_MAX { value_of(value, written, known, texts) } else { Ok(value.clone()) };
        match one {
            Ok(one) => drop(sent.insert(name.clone(), one)),
            Err(text) => wrong.push(Wrong { block, text }),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    // As a whole, as they were redacted: what is a secret may be one only beside what names it.
    as_meant(&Value::Object(sent), args, redactor).map_err(|stray| {
        let number =
            all.iter().position(|(name, _)| Some(name) == stray.argument.as_ref()).unwrap_or_default();
        vec![Wrong { block: block_of(number), text: texts.dialog(DialogText::EditMark) }]
    })
}

/// What was written into the field of an argument that was shown like this.
fn value_of(shown: &Value, written: Option<&str>, known: bool, texts: &Texts) -> Result<Value, String> {
    match Field::of(shown) {
        Field::TooLong(_) => Ok(shown.clone()),
        // Slack sends nothing for an empty field.
        Field::Text(text) => {
            let written = written.unwrap_or_default();
            let untouched = written == text || written == text.replace("\r\n", "\n");
            Ok(if untouched { shown.clone() } else { Value::String(written.to_owned()) })
        }
        Field::Choice(chosen) => Ok(Value::Bool(written.map_or(chosen, |written| written == "true"))),
        Field::Json { text, number } => {
            let written = written.unwrap_or_default();
            if written == text {
                return Ok(shown.clone());
            }
            let value = parse_json_strict(written.as_bytes()).map_err(|fault| why(&fault, number, texts))?;
            if number && !known && !value.is_number() {
                return Err(texts.dialog(DialogText::EditNotNumber));
            }
            Ok(value)
        }
    }
}

fn why(fault: &ArgsError, number: bool, texts: &Texts) -> String {
    match fault {
        ArgsError::DuplicateKey { .. } => texts.dialog(DialogText::EditTwice),
        ArgsError::NumberTooLarge { .. } | ArgsError::NumberInexact { .. } => {
            texts.dialog(DialogText::EditLossy)
        }
        ArgsError::Syntax { .. } | ArgsError::TrailingBytes { .. } if number => {
            texts.dialog(DialogText::EditNotNumber)
        }
        ArgsError::Syntax { reason, .. } => texts.edit_not_json(reason, &Markup::PLAIN),
        other => texts.edit_not_json(&other.to_string(), &Markup::PLAIN),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixtures::{HOSTILE, proposal, terms, view as view_of, waiting_for};
    use crate::limits::check_view;

    fn texts() -> &'static Texts {
        Texts::english()
    }

    fn dialog(args: &Value) -> Value {
        let card = view_of(&waiting_for(proposal(args), terms()));
        let frame = Frame { view: &card, reference: "r", texts: texts() };
        view(&frame, (args, true), &Redactor::new())
    }

    /// What comes back when nobody touches a field: what stood in it at first.
    fn untouched(dialog: &Value) -> Vec<(String, Option<String>)> {
        let inputs = dialog["blocks"].as_array().unwrap().iter().filter(|block| block["type"] == "input");
        let one = |block: &Value| {
            let element = &block["element"];
            let stands = element["initial_value"].as_str().or(element["initial_option"]["value"].as_str());
            (block["block_id"].as_str().unwrap().to_owned(), stands.map(str::to_owned))
        };
        inputs.map(one).collect()
    }

    /// R39, R28: whatever the arguments are, the dialog keeps to Slack's limits, and what nobody touches comes back as it was:
    /// secrets, odd characters, numbers and all.
    #[test]
    fn what_nobody_touches_comes_back_as_it_was() {
        let many: Map<String, Value> =
            (0..60).map(|number| (format!("a{number:02}"), json!(number))).collect();
        let cases = [
            json!({}),
            json!({ "text": "", "lines": "a\nb\r\n", "space": "  x ", "hostile": HOSTILE }),
            json!({ "n": 1, "f": 0.5, "e": 1e-7, "big": 9_007_199_254_740_991_i64, "no": false, "null": null }),
            json!({ "list": [1, { "b": [] }], "password": "hunter2", "o": { "token": "abcdefgh", "x": 1 } }),
            json!({ "name": "API_KEY", "value": "abcdefgh", "ghp_0123456789abcdefghijklmnopqrstuvwxyzABCD": "x" }),
            json!({ "long": "x".repeat(3_001), "wide": "&".repeat(700), "just": "y".repeat(3_000) }),
            json!({ HOSTILE: 1, "b".repeat(4_000): 2 }),
            Value::Object(many),
        ];
        for args in cases {
            let dialog = dialog(&args);
            assert_eq!(check_view(&dialog), [], "{args}");
            let fields = untouched(&dialog);
            let entered = |block: &str, _: &str| {
                fields.iter().find(|(id, _)| id == block).and_then(|(_, stands)| stands.as_deref())
            };
            assert_eq!(meant((&args, &Redactor::new()), entered, false, texts()).unwrap(), args);
            assert_eq!(dialog["submit"].is_null(), fields.is_empty(), "{args}");
        }
    }

    #[test]
    fn secrets_stand_in_no_dialog() {
        let dialog = dialog(&json!({ "password": "hunter2", "o": { "token": "abcdefgh" } })).to_string();
        assert!(!dialog.contains("hunter2") && !dialog.contains("abcdefgh"), "{dialog}");
    }
}
