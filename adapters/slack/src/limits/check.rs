//! The check of a message or a view against the table of limits, before it is sent.

mod choice;

use std::collections::HashSet;

use serde_json::Value;

use super::{
    ACTIONS_ELEMENTS_MAX, BUTTON_TEXT_UNITS_MAX, BUTTON_URL_UNITS_MAX, BUTTON_VALUE_UNITS_MAX,
    CONFIRM_BUTTON_UNITS_MAX, CONFIRM_TEXT_UNITS_MAX, CONFIRM_TITLE_UNITS_MAX, CONTEXT_ELEMENTS_MAX,
    CONTEXT_UNITS_MAX, Fault, HEADER_UNITS_MAX, ID_UNITS_MAX, INPUT_HINT_UNITS_MAX, INPUT_LABEL_UNITS_MAX,
    MARKDOWN_UNITS_MAX, MESSAGE_BLOCKS_BYTES_MAX, MESSAGE_BLOCKS_MAX, PLACEHOLDER_UNITS_MAX,
    PRIVATE_METADATA_UNITS_MAX, SECTION_FIELD_UNITS_MAX, SECTION_FIELDS_MAX, SECTION_UNITS_MAX,
    TABLE_COLUMNS_MAX, TABLE_ROWS_MAX, TABLE_UNITS_MAX, TEXT_INPUT_LENGTH_MAX, TEXT_UNITS_MAX,
    VIEW_BLOCKS_MAX, VIEW_BUTTON_UNITS_MAX, VIEW_TITLE_UNITS_MAX, Violation, escaped_len, utf16_len,
};

/// Every limit that the message `{text, blocks}` violates; other members are not looked at.
pub fn check_message(message: &Value) -> Vec<Violation> {
    let mut check = Check::default();
    match message["text"].as_str() {
        // Already escaped by its author: counted as it stands.
        Some(text) => check.at_most("/text", utf16_len(text), TEXT_UNITS_MAX),
        None => check.report("/text", Fault::Missing),
    }
    check.blocks(&message["blocks"], MESSAGE_BLOCKS_MAX);
    if !message["blocks"].is_null() {
        check.at_most("/blocks", message["blocks"].to_string().len(), MESSAGE_BLOCKS_BYTES_MAX);
    }
    check.found
}

/// Every limit that the modal `view` violates.
pub fn check_view(view: &Value) -> Vec<Violation> {
    let mut check = Check::default();
    // A home has none.
    if view["type"] != "home" {
        check.text("/title", &view["title"], VIEW_TITLE_UNITS_MAX);
    }
    check.optional_text("/close", &view["close"], VIEW_BUTTON_UNITS_MAX);
    check.optional_text("/submit", &view["submit"], VIEW_BUTTON_UNITS_MAX);
    check.optional_string("/callback_id", &view["callback_id"], ID_UNITS_MAX);
    check.optional_string("/private_metadata", &view["private_metadata"], PRIVATE_METADATA_UNITS_MAX);
    if elements(&view["blocks"]).is_empty() {
        check.report("/blocks", Fault::Missing);
    }
    check.blocks(&view["blocks"], VIEW_BLOCKS_MAX);
    let has_input = elements(&view["blocks"]).iter().any(|block| block["type"] == "input");
    if has_input && view["submit"].is_null() {
        check.report("/submit", Fault::Missing);
    }
    check.found
}

#[derive(Default)]
struct Check {
    found: Vec<Violation>,
    ids: HashSet<(&'static str, String)>,
    markdown_units: usize,
}

fn elements(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

impl Check {
    fn report(&mut self, path: &str, fault: Fault) {
        self.found.push(Violation { path: path.to_owned(), fault });
    }

    fn at_most(&mut self, path: &str, found: usize, max: usize) {
        if found > max {
            self.report(path, Fault::Exceeds { found, max });
        }
    }

    /// A text object: mrkdwn is escaped already and counted as it stands.
    fn text(&mut self, path: &str, object: &Value, max: usize) {
        let Some(text) = object["text"].as_str().filter(|text| !text.is_empty()) else {
            return self.report(path, Fault::Missing);
        };
        match object["type"].as_str() {
            Some("plain_text") => self.at_most(path, escaped_len(text), max),
            Some("mrkdwn") => self.at_most(path, utf16_len(text), max),
            _ => self.report(path, Fault::Invalid),
        }
    }

    fn optional_text(&mut self, path: &str, object: &Value, max: usize) {
        if !object.is_null() {
            self.text(path, object, max);
        }
    }

    fn optional_string(&mut self, path: &str, string: &Value, max: usize) {
        match string {
            Value::Null => {}
            Value::String(string) => self.at_most(path, escaped_len(string), max),
            _ => self.report(path, Fault::Invalid),
        }
    }

    /// An id that may stand once in a message or view.
    fn id(&mut self, path: &str, kind: &'static str, id: &Value) {
        self.optional_string(path, id, ID_UNITS_MAX);
        if let Some(id) = id.as_str()
            && !self.ids.insert((kind, id.to_owned()))
        {
            self.report(path, Fault::Duplicate);
        }
    }

    fn blocks(&mut self, blocks: &Value, max: usize) {
        let list = elements(blocks);
        self.at_most("/blocks", list.len(), max);
        for (at, block) in list.iter().enumerate() {
            self.block(&format!("/blocks/{at}"), block);
        }
        self.at_most("/blocks", self.markdown_units, MARKDOWN_UNITS_MAX);
    }

    fn block(&mut self, path: &str, block: &Value) {
        self.id(&format!("{path}/block_id"), "block", &block["block_id"]);
        match block["type"].as_str() {
            Some("header") => self.text(&format!("{path}/text"), &block["text"], HEADER_UNITS_MAX),
            Some("section") => self.section(path, block),
            Some("context") => self.context(path, block),
            Some("actions") => self.actions(path, block),
            Some("input") => self.input(path, block),
            Some("rich_text") => self.rich_text(path, &block["elements"]),
            Some("markdown") => self.markdown_units += block["text"].as_str().map_or(0, utf16_len),
            Some("table") => self.table(path, block),
            Some("divider" | "image") => {}
            _ => self.report(path, Fault::Invalid),
        }
    }

    fn section(&mut self, path: &str, block: &Value) {
        let fields = elements(&block["fields"]);
        if fields.is_empty() || !block["text"].is_null() {
            self.text(&format!("{path}/text"), &block["text"], SECTION_UNITS_MAX);
        }
        self.at_most(&format!("{path}/fields"), fields.len(), SECTION_FIELDS_MAX);
        for (at, field) in fields.iter().enumerate() {
            self.text(&format!("{path}/fields/{at}"), field, SECTION_FIELD_UNITS_MAX);
        }
        if !block["accessory"].is_null() {
            self.element(&format!("{path}/accessory"), &block["accessory"]);
        }
    }

    fn context(&mut self, path: &str, block: &Value) {
        let list = self.counted(path, block, CONTEXT_ELEMENTS_MAX);
        for (at, element) in list.iter().enumerate().filter(|(_, element)| element["type"] != "image") {
            self.text(&format!("{path}/elements/{at}"), element, CONTEXT_UNITS_MAX);
        }
    }

    fn actions(&mut self, path: &str, block: &Value) {
        let list = self.counted(path, block, ACTIONS_ELEMENTS_MAX);
        for (at, element) in list.iter().enumerate() {
            self.element(&format!("{path}/elements/{at}"), element);
        }
    }

    fn counted<'b>(&mut self, path: &str, block: &'b Value, max: usize) -> &'b [Value] {
        let list = elements(&block["elements"]);
        if list.is_empty() {
            self.report(&format!("{path}/elements"), Fault::Missing);
        }
        self.at_most(&format!("{path}/elements"), list.len(), max);
        list
    }

    fn element(&mut self, path: &str, element: &Value) {
        self.id(&format!("{path}/action_id"), "action", &element["action_id"]);
        self.optional_text(&format!("{path}/placeholder"), &element["placeholder"], PLACEHOLDER_UNITS_MAX);
        if element["type"] == "button" {
            self.text(&format!("{path}/text"), &element["text"], BUTTON_TEXT_UNITS_MAX);
            self.optional_string(&format!("{path}/value"), &element["value"], BUTTON_VALUE_UNITS_MAX);
            self.optional_string(&format!("{path}/url"), &element["url"], BUTTON_URL_UNITS_MAX);
            if !matches!(element["style"].as_str(), None | Some("primary" | "danger")) {
                self.report(&format!("{path}/style"), Fault::Invalid);
            }
        }
        if let Some(length) = element["max_length"].as_u64() {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            self.at_most(&format!("{path}/max_length"), length, TEXT_INPUT_LENGTH_MAX);
            self.initial(path, &element["initial_value"], length);
        }
        self.choice(path, element);
        let confirm = &element["confirm"];
        if !confirm.is_null() {
            self.text(&format!("{path}/confirm/title"), &confirm["title"], CONFIRM_TITLE_UNITS_MAX);
            self.text(&format!("{path}/confirm/text"), &confirm["text"], CONFIRM_TEXT_UNITS_MAX);
            self.text(&format!("{path}/confirm/confirm"), &confirm["confirm"], CONFIRM_BUTTON_UNITS_MAX);
            self.text(&format!("{path}/confirm/deny"), &confirm["deny"], CONFIRM_BUTTON_UNITS_MAX);
        }
    }

    fn input(&mut self, path: &str, block: &Value) {
        self.text(&format!("{path}/label"), &block["label"], INPUT_LABEL_UNITS_MAX);
        self.optional_text(&format!("{path}/hint"), &block["hint"], INPUT_HINT_UNITS_MAX);
        self.element(&format!("{path}/element"), &block["element"]);
    }

    /// Rich text has no limit of its own, but no empty texts.
    fn rich_text(&mut self, path: &str, list: &Value) {
        for (at, element) in elements(list).iter().enumerate() {
            let path = format!("{path}/elements/{at}");
            if element["type"] == "text" && element["text"].as_str().is_none_or(str::is_empty) {
                self.report(&format!("{path}/text"), Fault::Missing);
            }
            self.rich_text(&path, &element["elements"]);
        }
    }

    fn table(&mut self, path: &str, block: &Value) {
        let rows = elements(&block["rows"]);
        self.at_most(&format!("{path}/rows"), rows.len(), TABLE_ROWS_MAX);
        let widest = rows.iter().map(|row| elements(row).len()).max().unwrap_or(0);
        self.at_most(&format!("{path}/rows"), widest, TABLE_COLUMNS_MAX);
        let units = rows.iter().flat_map(elements).map(cell_units).sum();
        self.at_most(path, units, TABLE_UNITS_MAX);
    }
}

/// All text within a cell, raw or rich.
fn cell_units(cell: &Value) -> usize {
    cell["text"].as_str().map_or(0, escaped_len)
        + elements(&cell["elements"]).iter().map(cell_units).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(units: usize) -> Value {
        json!({ "type": "plain_text", "text": "x".repeat(units) })
    }

    fn message(block: Value) -> Value {
        json!({ "text": "fallback", "blocks": [block] })
    }

    /// Checks that `block(n)` is sound at `max` and reported at `max + 1`.
    fn bounds(max: usize, block: impl Fn(usize) -> Value) {
        assert_eq!(check_view(&in_view(block(max))), [], "at {max}");
        let found = check_view(&in_view(block(max + 1)));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].fault, Fault::Exceeds { found: max + 1, max });
    }

    fn in_view(block: Value) -> Value {
        json!({ "type": "modal", "title": plain(5), "submit": plain(5), "blocks": [block] })
    }

    #[test]
    fn each_limit_holds_to_the_unit() {
        let button = |mut extra: Value| {
            extra["type"] = "button".into();
            if extra["text"].is_null() {
                extra["text"] = plain(3);
            }
            json!({ "type": "actions", "elements": [extra] })
        };
        let confirm = |title, text, yes| {
            button(json!({ "confirm":
                { "title": plain(title), "text": plain(text), "confirm": plain(yes), "deny": plain(1) } }))
        };
        let input = |label, hint, placeholder, length| {
            json!({ "type": "input", "label": plain(label), "hint": plain(hint), "element":
                { "type": "plain_text_input", "placeholder": plain(placeholder), "max_length": length } })
        };
        bounds(150, |n| json!({ "type": "header", "text": plain(n) }));
        bounds(3_000, |n| json!({ "type": "section", "text": plain(n) }));
        bounds(2_000, |n| json!({ "type": "section", "fields": [plain(n)] }));
        bounds(10, |n| json!({ "type": "section", "fields": vec![plain(1); n] }));
        bounds(10, |n| json!({ "type": "context", "elements": vec![plain(1); n] }));
        bounds(
            25,
            |n| json!({ "type": "actions", "elements": vec![json!({ "type": "button", "text": plain(1) }); n] }),
        );
        bounds(75, |n| button(json!({ "text": plain(n) })));
        bounds(2_000, |n| button(json!({ "value": "v".repeat(n) })));
        bounds(3_000, |n| button(json!({ "url": "u".repeat(n) })));
        bounds(255, |n| button(json!({ "action_id": "a".repeat(n) })));
        bounds(255, |n| json!({ "type": "divider", "block_id": "b".repeat(n) }));
        bounds(100, |n| confirm(n, 1, 1));
        bounds(300, |n| confirm(1, n, 1));
        bounds(30, |n| confirm(1, 1, n));
        bounds(2_000, |n| input(n, 1, 1, 1));
        bounds(2_000, |n| input(1, n, 1, 1));
        bounds(150, |n| input(1, 1, n, 1));
        bounds(3_000, |n| input(1, 1, 1, n));
        bounds(12_000, |n| json!({ "type": "markdown", "text": "m".repeat(n) }));
        let cell = |n: usize| json!({ "type": "raw_text", "text": "c".repeat(n) });
        bounds(100, |n| json!({ "type": "table", "rows": vec![json!([cell(1)]); n] }));
        bounds(20, |n| json!({ "type": "table", "rows": [vec![cell(1); n]] }));
        bounds(10_000, |n| json!({ "type": "table", "rows": [[cell(n)]] }));
    }

    #[test]
    fn the_whole_message_is_bounded() {
        let dividers = |n| json!({ "text": "t", "blocks": vec![json!({ "type": "divider" }); n] });
        assert_eq!(check_message(&dividers(50)), []);
        assert_eq!(check_message(&dividers(51)).len(), 1);
        let text = |n| json!({ "text": "t".repeat(n) });
        assert_eq!(check_message(&text(4_000)), []);
        assert_eq!(check_message(&text(4_001)).len(), 1);
        let code = json!({ "type": "rich_text", "elements": [{ "type": "rich_text_preformatted",
            "elements": [{ "type": "text", "text": "x".repeat(10_000) }] }] });
        assert!(matches!(check_message(&message(code))[0].fault, Fault::Exceeds { max: 10_000, .. }));
    }

    #[test]
    fn units_are_of_the_escaped_text() {
        let text = json!({ "type": "plain_text", "text": "<".repeat(38) });
        assert_eq!(
            check_message(&message(json!({ "type": "header", "text": text })))[0].fault,
            Fault::Exceeds { found: 152, max: 150 }
        );
        let faces = json!({ "type": "plain_text", "text": "\u{1F600}".repeat(75) });
        assert_eq!(check_message(&message(json!({ "type": "header", "text": faces }))), []);
    }

    #[test]
    fn what_is_missing_twice_or_unknown_is_reported() {
        let button = json!({ "type": "button", "action_id": "a", "text": plain(1), "style": "loud" });
        let blocks = json!([
            { "type": "actions", "block_id": "b", "elements": [button] },
            { "type": "actions", "block_id": "b", "elements": [{ "type": "button", "action_id": "a", "text": plain(1) }] },
            { "type": "carousel" },
            { "type": "header", "text": { "type": "plain_text", "text": "" } },
            { "type": "rich_text", "elements": [{ "type": "rich_text_section",
                "elements": [{ "type": "text", "text": "" }] }] },
        ]);
        let found: Vec<String> =
            check_message(&json!({ "blocks": blocks })).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "/text: missing",
                "/blocks/0/elements/0/style: not valid",
                "/blocks/1/block_id: used twice",
                "/blocks/1/elements/0/action_id: used twice",
                "/blocks/2: not valid",
                "/blocks/3/text: missing",
                "/blocks/4/elements/0/elements/0/text: missing",
            ]
        );
    }

    #[test]
    fn a_view_with_an_input_needs_submit_and_short_titles() {
        let mut view = in_view(json!({ "type": "input", "label": plain(1),
            "element": { "type": "plain_text_input" } }));
        view["submit"] = Value::Null;
        view["title"] = plain(25);
        view["close"] = plain(25);
        view["private_metadata"] = "p".repeat(3_001).into();
        view["callback_id"] = "c".repeat(256).into();
        let paths: Vec<String> = check_view(&view).into_iter().map(|violation| violation.path).collect();
        assert_eq!(paths, ["/title", "/close", "/callback_id", "/private_metadata", "/submit"]);
    }
}
