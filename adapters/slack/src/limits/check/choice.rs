//! Choices, and what stands in a field at first.

use serde_json::Value;

use super::{Check, elements};
use crate::limits::{
    Fault, OPTION_TEXT_UNITS_MAX, OPTION_VALUE_UNITS_MAX, OVERFLOW_OPTIONS_MAX, OVERFLOW_OPTIONS_MIN,
    RADIO_OPTIONS_MAX, SELECT_OPTIONS_MAX, escaped_len,
};

impl Check {
    /// What stands in a text input at first must be as short as what may be written into it.
    pub(super) fn initial(&mut self, path: &str, text: &Value, length_max: usize) {
        if let Some(text) = text.as_str() {
            self.at_most(&format!("{path}/initial_value"), escaped_len(text), length_max);
        }
    }

    /// The options of a menu or a group.
    pub(super) fn choice(&mut self, path: &str, element: &Value) {
        let (min, max) = match element["type"].as_str() {
            Some("overflow") => (OVERFLOW_OPTIONS_MIN, OVERFLOW_OPTIONS_MAX),
            Some("radio_buttons" | "checkboxes") => (1, RADIO_OPTIONS_MAX),
            Some("static_select") => (1, SELECT_OPTIONS_MAX),
            _ => return,
        };
        let path = format!("{path}/options");
        let options = elements(&element["options"]);
        if options.len() < min {
            self.report(&path, Fault::Missing);
        }
        self.at_most(&path, options.len(), max);
        for (at, option) in options.iter().enumerate() {
            self.text(&format!("{path}/{at}/text"), &option["text"], OPTION_TEXT_UNITS_MAX);
            match option["value"].as_str() {
                Some(value) => {
                    self.at_most(&format!("{path}/{at}/value"), escaped_len(value), OPTION_VALUE_UNITS_MAX);
                }
                None => self.report(&format!("{path}/{at}/value"), Fault::Missing),
            }
            if element["type"] == "overflow" && option["text"]["type"] != "plain_text" {
                self.report(&format!("{path}/{at}/text"), Fault::Invalid);
            }
        }
        let initial = &element["initial_option"];
        if !initial.is_null() && !options.contains(initial) {
            self.report(&format!("{path}/initial_option"), Fault::Invalid);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::limits::{check_message, check_view};

    fn option(value: usize) -> serde_json::Value {
        json!({ "text": { "type": "plain_text", "text": "t" }, "value": "v".repeat(value) })
    }

    fn paths(found: Vec<crate::limits::Violation>) -> Vec<String> {
        found.into_iter().map(|violation| violation.path).collect()
    }

    #[test]
    fn choices_are_bounded() {
        let menu = |options: Vec<serde_json::Value>| {
            let menu = json!({ "type": "overflow", "action_id": "a", "options": options });
            paths(check_message(
                &json!({ "text": "t", "blocks": [{ "type": "actions", "elements": [menu] }] }),
            ))
        };
        assert!(menu(vec![option(150); 5]).is_empty());
        let at = "/blocks/0/elements/0/options";
        assert_eq!(menu(vec![option(1); 6]), [at]);
        assert_eq!(menu(vec![option(1)]), [at]);
        assert_eq!(menu(vec![option(1), option(151)]), [format!("{at}/1/value")]);
        let marked = json!({ "text": { "type": "mrkdwn", "text": "t" }, "value": "v" });
        assert_eq!(menu(vec![option(1), marked]), [format!("{at}/1/text")]);
    }

    #[test]
    fn what_stands_in_a_field_at_first_is_bounded_as_what_is_written() {
        let view = |initial: &str| {
            let element = json!({ "type": "plain_text_input", "max_length": 10, "initial_value": initial });
            let label = json!({ "type": "plain_text", "text": "l" });
            let title = json!({ "type": "plain_text", "text": "t" });
            let input = json!({ "type": "input", "label": label, "element": element });
            paths(check_view(&json!({ "type": "modal", "title": title, "submit": title, "blocks": [input] })))
        };
        assert!(view("0123456789").is_empty());
        assert_eq!(view("01234567890"), ["/blocks/0/element/initial_value"]);
        assert_eq!(view("&&&"), ["/blocks/0/element/initial_value"], "counted as it is escaped");
    }
}
