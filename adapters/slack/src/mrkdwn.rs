//! Block Kit objects, built so that no text can become markup.
//!
//! What always holds: text goes into `plain_text` objects and `rich_text` elements, which Slack does not interpret;
//! the one type that makes a `mrkdwn` object, [`Mrkdwn`], escapes everything but its own markup. Every builder cuts
//! its text to Slack's limit on a character boundary and marks the cut with `…`; who must show the whole splits it
//! first ([`crate::limits::split`]).
//!
//! Sources: <https://docs.slack.dev/messaging/formatting-message-text>,
//! <https://docs.slack.dev/reference/block-kit>.

mod choice;

use serde_json::{Value, json};

use crate::limits;

pub use choice::{Choice, ChoiceInput, choice_input, fits_input, overflow, with_initial};

/// Escapes the three characters that have a meaning in mrkdwn, and in the fallback `text`.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The text that [`escape`] was given.
pub fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Text of a `mrkdwn` object: everything in it is escaped except what these methods put around it.
///
/// For Placet's own sentences only. Words of agents and of people outside go into [`plain_text`] or
/// [`preformatted`]: `*`, `_`, `~` and backticks cannot be escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mrkdwn(String);

impl Mrkdwn {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Text, escaped.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.push_str(&escape(text));
        self
    }

    /// A mention of a user. An id that is not of Slack's form stands as escaped text.
    #[must_use]
    pub fn user(mut self, id: &str) -> Self {
        if is_id(id) {
            self.0.push_str(&format!("<@{id}>"));
            return self;
        }
        self.text(id)
    }

    /// A mention of a user group. An id that is not of Slack's form stands as escaped text.
    #[must_use]
    pub fn group(mut self, id: &str) -> Self {
        if is_id(id) {
            self.0.push_str(&format!("<!subteam^{id}>"));
            return self;
        }
        self.text(id)
    }

    /// A channel by its name. An id that is not of Slack's form stands as escaped text.
    #[must_use]
    pub fn channel(mut self, id: &str) -> Self {
        if is_id(id) {
            self.0.push_str(&format!("<#{id}>"));
            return self;
        }
        self.text(id)
    }

    /// A time in the reader's zone. `at_secs` is seconds since the epoch, `format` Slack's tokens such as
    /// `{time}`; `fallback` is what old clients show.
    #[must_use]
    pub fn date(mut self, at_secs: i64, format: &'static str, fallback: &str) -> Self {
        let fallback = escape(fallback).replace('|', "/");
        self.0.push_str(&format!("<!date^{at_secs}^{format}|{fallback}>"));
        self
    }

    /// The finished mrkdwn source.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text object, not linking addresses or names by itself.
    pub fn object(&self) -> Value {
        json!({ "type": "mrkdwn", "text": self.0, "verbatim": true })
    }
}

/// Whether this has the form of an id that Slack gives: capitals and digits.
pub(crate) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// A `plain_text` object of at most `units_max` units, without turning `:names:` into pictures.
pub fn plain_text(text: &str, units_max: usize) -> Value {
    json!({ "type": "plain_text", "text": limits::shorten(&filled(text), units_max), "emoji": false })
}

/// Slack refuses empty text; a dash stands for it.
fn filled(text: &str) -> String {
    if text.trim().is_empty() { "–".to_owned() } else { text.to_owned() }
}

/// A header block.
pub fn header(text: &str) -> Value {
    json!({ "type": "header", "text": plain_text(text, limits::HEADER_UNITS_MAX) })
}

/// A section of plain text.
pub fn section(text: &str) -> Value {
    json!({ "type": "section", "text": plain_text(text, limits::SECTION_UNITS_MAX) })
}

/// A section of Placet's own mrkdwn. The caller keeps it within [`limits::SECTION_UNITS_MAX`].
pub fn section_mrkdwn(text: &Mrkdwn) -> Value {
    json!({ "type": "section", "text": text.object() })
}

/// A section of label and value pairs, all plain text. Those beyond Slack's ten pairs' halves are left out.
pub fn section_fields(fields: &[(&str, &str)]) -> Value {
    let objects: Vec<Value> = fields
        .iter()
        .take(limits::SECTION_FIELDS_MAX)
        .map(|(label, value)| plain_text(&format!("{label}\n{value}"), limits::SECTION_FIELD_UNITS_MAX))
        .collect();
    json!({ "type": "section", "fields": objects })
}

/// A line of small print. Texts beyond Slack's ten are left out.
pub fn context(texts: &[&str]) -> Value {
    let elements: Vec<Value> = texts
        .iter()
        .take(limits::CONTEXT_ELEMENTS_MAX)
        .map(|text| plain_text(text, limits::CONTEXT_UNITS_MAX))
        .collect();
    json!({ "type": "context", "elements": elements })
}

/// A line of small print in Placet's own mrkdwn.
pub fn context_mrkdwn(text: &Mrkdwn) -> Value {
    json!({ "type": "context", "elements": [text.object()] })
}

/// A rule between blocks.
pub fn divider() -> Value {
    json!({ "type": "divider" })
}

/// A row of buttons and other elements, under a `block_id` that is unique in its message.
pub fn actions(block_id: &str, elements: Vec<Value>) -> Value {
    json!({ "type": "actions", "block_id": block_id, "elements": elements })
}

/// How a button looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ButtonStyle {
    /// As all others.
    Plain,
    /// Green: at most one in a set.
    Primary,
    /// Red.
    Danger,
}

/// A button. It never has an address: a link preview would press it.
pub fn button(action_id: &str, text: &str, value: &str, style: ButtonStyle) -> Value {
    let mut button = json!({
        "type": "button",
        "action_id": action_id,
        "text": plain_text(text, limits::BUTTON_TEXT_UNITS_MAX),
        "value": value,
    });
    match style {
        ButtonStyle::Plain => {}
        ButtonStyle::Primary => button["style"] = "primary".into(),
        ButtonStyle::Danger => button["style"] = "danger".into(),
    }
    button
}

/// Asks once more before a button counts. All four texts are plain.
pub fn with_confirm(mut button: Value, title: &str, text: &str, buttons: (&str, &str)) -> Value {
    button["confirm"] = json!({
        "title": plain_text(title, limits::CONFIRM_TITLE_UNITS_MAX),
        "text": plain_text(text, limits::CONFIRM_TEXT_UNITS_MAX),
        "confirm": plain_text(buttons.0, limits::CONFIRM_BUTTON_UNITS_MAX),
        "deny": plain_text(buttons.1, limits::CONFIRM_BUTTON_UNITS_MAX),
    });
    button
}

/// Text exactly as it stands, in fixed width. Backticks, links and mentions in it stay text.
pub fn preformatted(text: &str) -> Value {
    rich_text(vec![preformatted_element(text)])
}

/// The element inside [`preformatted`], for a `rich_text` block of several.
pub fn preformatted_element(text: &str) -> Value {
    json!({ "type": "rich_text_preformatted", "elements": [rich_text_text(text)] })
}

/// A quotation: somebody's words, marked as such.
pub fn quote_element(text: &str) -> Value {
    json!({ "type": "rich_text_quote", "elements": [rich_text_text(text)] })
}

/// A line of text pieces, bold or not.
pub fn line_element(pieces: &[(&str, bool)]) -> Value {
    let elements: Vec<Value> = pieces
        .iter()
        .map(|(text, bold)| {
            let mut element = rich_text_text(text);
            if *bold {
                element["style"] = json!({ "bold": true });
            }
            element
        })
        .collect();
    json!({ "type": "rich_text_section", "elements": elements })
}

/// One text element of a `rich_text` block.
pub fn rich_text_text(text: &str) -> Value {
    json!({ "type": "text", "text": if text.is_empty() { " " } else { text } })
}

/// A time in the reader's zone as an element of a `rich_text` line. `format` is Slack's tokens.
pub fn date_element(at_secs: i64, format: &'static str, fallback: &str) -> Value {
    json!({ "type": "date", "timestamp": at_secs, "format": format, "fallback": fallback })
}

/// A `rich_text` block of these elements.
pub fn rich_text(elements: Vec<Value>) -> Value {
    json!({ "type": "rich_text", "elements": elements })
}

/// A field to write text in, of a modal.
#[derive(Debug, Clone, Copy)]
pub struct TextInput<'a> {
    /// Unique within the view; names the field in the submission.
    pub block_id: &'a str,
    /// Names the element in the submission.
    pub action_id: &'a str,
    /// What stands above the field.
    pub label: &'a str,
    /// What stands below the field.
    pub hint: Option<&'a str>,
    /// What stands in the field while it is empty.
    pub placeholder: Option<&'a str>,
    /// The most characters that may be written; at most [`limits::TEXT_INPUT_LENGTH_MAX`].
    pub length_max: usize,
    /// Several lines.
    pub multiline: bool,
    /// May stay empty.
    pub optional: bool,
}

/// The input block for `input`.
pub fn input(input: &TextInput<'_>) -> Value {
    let mut element = json!({
        "type": "plain_text_input",
        "action_id": input.action_id,
        "multiline": input.multiline,
        "max_length": input.length_max.clamp(1, limits::TEXT_INPUT_LENGTH_MAX),
    });
    if let Some(placeholder) = input.placeholder {
        element["placeholder"] = plain_text(placeholder, limits::PLACEHOLDER_UNITS_MAX);
    }
    let mut block = json!({
        "type": "input",
        "block_id": input.block_id,
        "label": plain_text(input.label, limits::INPUT_LABEL_UNITS_MAX),
        "element": element,
        "optional": input.optional,
    });
    if let Some(hint) = input.hint {
        block["hint"] = plain_text(hint, limits::INPUT_HINT_UNITS_MAX);
    }
    block
}

/// A dialog.
#[derive(Debug, Clone)]
pub struct Modal<'a> {
    /// Which dialog this is: comes back with the submission.
    pub callback_id: &'a str,
    /// An opaque id, never data: comes back with the submission.
    pub private_metadata: &'a str,
    /// The title; Slack shows 24 units.
    pub title: &'a str,
    /// The button that submits; needed where there is an input.
    pub submit: Option<&'a str>,
    /// The button that closes.
    pub close: &'a str,
    /// The content.
    pub blocks: Vec<Value>,
}

/// The view of `modal`.
pub fn modal_view(modal: Modal<'_>) -> Value {
    let mut view = json!({
        "type": "modal",
        "callback_id": modal.callback_id,
        "title": plain_text(modal.title, limits::VIEW_TITLE_UNITS_MAX),
        "close": plain_text(modal.close, limits::VIEW_BUTTON_UNITS_MAX),
        "blocks": modal.blocks,
    });
    if !modal.private_metadata.is_empty() {
        view["private_metadata"] = modal.private_metadata.into();
    }
    if let Some(submit) = modal.submit {
        view["submit"] = plain_text(submit, limits::VIEW_BUTTON_UNITS_MAX);
    }
    view
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOSTILE: &str = "<!channel> <@U1> <!subteam^S1> <http://evil.example|ok> `x` *b* &lt; a&b";

    #[test]
    fn escaping_leaves_no_markup_and_loses_nothing() {
        let escaped = escape(HOSTILE);
        assert!(!escaped.contains(['<', '>']));
        assert_eq!(unescape(&escaped), HOSTILE);
        assert_eq!(escape("a & b"), "a &amp; b");
    }

    #[test]
    fn mrkdwn_keeps_only_its_own_markup() {
        let line = Mrkdwn::new().text("Hi <!here> ").user("U123").text(" ").user("U1> <!channel").date(
            1_531_420_618,
            "{time}",
            "18:36|>UTC",
        );
        assert_eq!(
            line.as_str(),
            "Hi &lt;!here&gt; <@U123> U1&gt; &lt;!channel<!date^1531420618^{time}|18:36/&gt;UTC>"
        );
        assert_eq!(line.object()["verbatim"], true);
    }

    /// R28: no mention, link or markup of an agent is interpreted.
    #[test]
    fn agent_text_is_never_in_a_mrkdwn_object() {
        let blocks = [
            header(HOSTILE),
            section(HOSTILE),
            section_fields(&[(HOSTILE, HOSTILE)]),
            context(&[HOSTILE]),
            preformatted(HOSTILE),
            rich_text(vec![quote_element(HOSTILE), line_element(&[(HOSTILE, true)])]),
            actions("b", vec![button("a", HOSTILE, "v", ButtonStyle::Primary)]),
        ];
        for block in &blocks {
            assert!(!block.to_string().contains("mrkdwn"), "{block}");
        }
        assert_eq!(limits::check_message(&json!({ "text": "t", "blocks": blocks })), []);
    }

    #[test]
    fn empty_text_is_filled() {
        for block in [header(""), section(" "), context(&["\n"]), preformatted("")] {
            assert_eq!(limits::check_message(&json!({ "text": "t", "blocks": [block] })), []);
        }
    }

    proptest! {
        #[test]
        fn any_text_fits_every_builder(text in "(\\PC|[&<>\u{1F600}]){0,400}", times in 1usize..12) {
            let text = text.repeat(times);
            let button = button("a", &text, "v", ButtonStyle::Danger);
            let blocks = vec![
                header(&text),
                section(&text),
                section_fields(&[(&text, &text)]),
                context(&[&text]),
                actions("b", vec![with_confirm(button, &text, &text, (&text, &text))]),
                input(&TextInput {
                    block_id: "i", action_id: "i", label: &text, hint: Some(&text),
                    placeholder: Some(&text), length_max: 9_000, multiline: true, optional: true,
                }),
            ];
            let view = modal_view(Modal {
                callback_id: "c", private_metadata: "p", title: &text, submit: Some(&text), close: &text, blocks,
            });
            prop_assert_eq!(limits::check_view(&view), []);
        }
    }
}
