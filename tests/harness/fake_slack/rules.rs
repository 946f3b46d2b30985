//! What Slack takes of Block Kit, written down independently of the code under test.
//!
//! Strict where Slack is: missing and unknown members, unknown types, empty texts, lengths and counts. Lengths are
//! UTF-16 units of what Slack stores: `&`, `<` and `>` of plain text count as entities.

use std::collections::BTreeSet;

use serde_json::Value;

mod element;
mod rich;

/// The remarks on the blocks of a message; none if Slack takes them.
pub(super) fn message(blocks: &Value) -> Vec<String> {
    let mut judge = Judge { surface: Surface::Message, ..Judge::default() };
    judge.blocks(blocks, 50);
    judge.remarks
}

/// Undocumented; measured: 13,297 characters of markdown alone, 13,171 with one divider.
pub(super) fn is_too_long(blocks: &Value) -> bool {
    !blocks.is_null() && blocks.to_string().encode_utf16().count() > 13_171
}

/// The remarks on a modal view.
pub(super) fn view(view: &Value) -> Vec<String> {
    let mut judge = Judge { surface: Surface::Modal, ..Judge::default() };
    let optional = [
        "close",
        "submit",
        "private_metadata",
        "callback_id",
        "clear_on_close",
        "notify_on_close",
        "external_id",
        "submit_disabled",
    ];
    if !judge.object("/view", view, &["type", "title", "blocks"], &optional) {
        return judge.remarks;
    }
    if view["type"] != "modal" {
        judge.remark("unsupported type", "/view/type");
    }
    judge.plain("/view/title", &view["title"], 24);
    judge.optional_plain("/view/close", &view["close"], 24);
    judge.optional_plain("/view/submit", &view["submit"], 24);
    judge.optional_string("/view/private_metadata", &view["private_metadata"], 3_000);
    judge.optional_string("/view/callback_id", &view["callback_id"], 255);
    judge.optional_string("/view/external_id", &view["external_id"], 255);
    judge.blocks(&view["blocks"], 100);
    let has_input =
        view["blocks"].as_array().is_some_and(|list| list.iter().any(|block| block["type"] == "input"));
    if has_input && view["submit"].is_null() {
        judge.remark("missing required field: submit", "/view");
    }
    judge.remarks
}

/// What Slack says of somebody's home.
pub(super) fn home(view: &Value) -> Vec<String> {
    let mut judge = Judge { surface: Surface::Modal, ..Judge::default() };
    if !judge.object("/view", view, &["type", "blocks"], &["private_metadata", "callback_id", "external_id"])
    {
        return judge.remarks;
    }
    if view["type"] != "home" {
        judge.remark("unsupported type", "/view/type");
    }
    judge.optional_string("/view/private_metadata", &view["private_metadata"], 3_000);
    judge.optional_string("/view/callback_id", &view["callback_id"], 255);
    judge.optional_string("/view/external_id", &view["external_id"], 255);
    judge.blocks(&view["blocks"], 100);
    judge.remarks
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Surface {
    #[default]
    Message,
    Modal,
}

#[derive(Default)]
struct Judge {
    surface: Surface,
    remarks: Vec<String>,
    block_ids: BTreeSet<String>,
    action_ids: BTreeSet<String>,
    markdown: usize,
    tables: usize,
}

fn stored_units(plain: &str) -> usize {
    let mut units = plain.encode_utf16().count();
    for (at, character) in plain.char_indices() {
        let rest = &plain[at..];
        units += match character {
            '&' if rest.starts_with("&amp;") || rest.starts_with("&lt;") || rest.starts_with("&gt;") => 0,
            '&' => 4,
            '<' | '>' => 3,
            _ => 0,
        };
    }
    units
}

impl Judge {
    fn remark(&mut self, what: &str, path: &str) {
        self.remarks.push(format!("{what} [json-pointer:{path}]"));
    }

    /// Whether this is an object; its members are checked by name.
    fn object(&mut self, path: &str, value: &Value, required: &[&str], optional: &[&str]) -> bool {
        let Some(members) = value.as_object() else {
            self.remark("must provide an object", path);
            return false;
        };
        for name in required {
            if members.get(*name).is_none_or(Value::is_null) {
                self.remark(&format!("missing required field: {name}"), path);
            }
        }
        for name in members.keys() {
            if !required.contains(&name.as_str()) && !optional.contains(&name.as_str()) {
                self.remark(&format!("invalid additional property: {name}"), path);
            }
        }
        true
    }

    fn length(&mut self, path: &str, units: usize, max: usize) {
        if units == 0 {
            self.remark("must be more than 0 characters", path);
        } else if units > max {
            self.remark(&format!("must be less than {} characters", max + 1), path);
        }
    }

    fn list<'v>(&mut self, path: &str, value: &'v Value, max: usize) -> &'v [Value] {
        let Some(list) = value.as_array() else {
            self.remark("must provide an array", path);
            return &[];
        };
        if list.is_empty() {
            self.remark("no fewer than 1 items allowed", path);
        } else if list.len() > max {
            self.remark(&format!("no more than {max} items allowed"), path);
        }
        list
    }

    fn optional_string(&mut self, path: &str, value: &Value, max: usize) {
        match value {
            Value::Null => {}
            Value::String(text) if text.encode_utf16().count() > max => {
                self.remark(&format!("must be less than {} characters", max + 1), path);
            }
            Value::String(_) => {}
            _ => self.remark("must provide a string", path),
        }
    }

    fn optional_flag(&mut self, path: &str, value: &Value) {
        if !matches!(value, Value::Null | Value::Bool(_)) {
            self.remark("must provide a boolean", path);
        }
    }

    fn plain(&mut self, path: &str, value: &Value, max: usize) {
        if value["type"] == "plain_text" {
            self.text(path, value, max);
        } else {
            self.remark("must be of type plain_text", path);
        }
    }

    fn optional_plain(&mut self, path: &str, value: &Value, max: usize) {
        if !value.is_null() {
            self.plain(path, value, max);
        }
    }

    fn text(&mut self, path: &str, value: &Value, max: usize) {
        let (units, allowed): (fn(&str) -> usize, &[&str]) = match value["type"].as_str() {
            Some("plain_text") => (stored_units, &["emoji"]),
            // Its author has escaped it.
            Some("mrkdwn") => (|text| text.encode_utf16().count(), &["verbatim"]),
            _ => return self.remark("failed to match all allowed schemas", path),
        };
        if self.object(path, value, &["type", "text"], allowed) {
            self.optional_flag(path, &value[allowed[0]]);
            match value["text"].as_str() {
                Some(text) => self.length(&format!("{path}/text"), units(text), max),
                None => self.remark("must provide a string", &format!("{path}/text")),
            }
        }
    }

    fn blocks(&mut self, blocks: &Value, max: usize) {
        // A message may have none, and Slack takes an empty list there.
        if self.surface == Surface::Message
            && (blocks.is_null() || blocks.as_array().is_some_and(Vec::is_empty))
        {
            return;
        }
        for (at, block) in self.list("/blocks", blocks, max).iter().enumerate() {
            self.block(&format!("/blocks/{at}"), block);
        }
        if self.markdown > 12_000 {
            self.remark("must be less than 12001 characters in all markdown blocks", "/blocks");
        }
        if self.tables > 1 {
            self.remark("only_one_table_allowed", "/blocks");
        }
    }

    fn block(&mut self, path: &str, block: &Value) {
        self.optional_string(&format!("{path}/block_id"), &block["block_id"], 255);
        if let Some(id) = block["block_id"].as_str()
            && !self.block_ids.insert(id.to_owned())
        {
            self.remark("block_id already exists", &format!("{path}/block_id"));
        }
        match (block["type"].as_str(), self.surface) {
            (Some("divider"), _) => drop(self.object(path, block, &["type"], &["block_id"])),
            (Some("header"), _) => {
                if self.object(path, block, &["type", "text"], &["block_id"]) {
                    self.plain(&format!("{path}/text"), &block["text"], 150);
                }
            }
            (Some("section"), _) => self.section(path, block),
            (Some("context"), _) => self.context(path, block),
            (Some("actions"), _) => {
                if self.object(path, block, &["type", "elements"], &["block_id"]) {
                    let elements = self.list(&format!("{path}/elements"), &block["elements"], 25);
                    for (at, element) in elements.iter().enumerate() {
                        self.element(&format!("{path}/elements/{at}"), element);
                    }
                }
            }
            (Some("input"), _) => self.input(path, block),
            (Some("rich_text"), _) => self.rich_text(path, block),
            (Some("image"), _) => {
                let optional = ["block_id", "title", "image_url", "slack_file"];
                self.object(path, block, &["type", "alt_text"], &optional);
            }
            (Some("markdown"), Surface::Message) => {
                self.object(path, block, &["type", "text"], &["block_id"]);
                self.markdown += block["text"].as_str().map_or(0, |text| text.encode_utf16().count());
            }
            (Some("table"), Surface::Message) => self.table(path, block),
            (kind, _) => {
                let kind = kind.unwrap_or("none");
                self.remark(&format!("unsupported type: {kind}"), &format!("{path}/type"));
            }
        }
    }

    fn section(&mut self, path: &str, block: &Value) {
        let optional = ["block_id", "text", "fields", "accessory", "expand"];
        if !self.object(path, block, &["type"], &optional) {
            return;
        }
        if block["text"].is_null() && block["fields"].is_null() {
            self.remark("missing required field: text", path);
        }
        if !block["text"].is_null() {
            self.text(&format!("{path}/text"), &block["text"], 3_000);
        }
        if !block["fields"].is_null() {
            for (at, field) in self.list(&format!("{path}/fields"), &block["fields"], 10).iter().enumerate() {
                self.text(&format!("{path}/fields/{at}"), field, 2_000);
            }
        }
        if !block["accessory"].is_null() {
            self.element(&format!("{path}/accessory"), &block["accessory"]);
        }
    }

    fn context(&mut self, path: &str, block: &Value) {
        if !self.object(path, block, &["type", "elements"], &["block_id"]) {
            return;
        }
        for (at, element) in self.list(&format!("{path}/elements"), &block["elements"], 10).iter().enumerate()
        {
            let path = format!("{path}/elements/{at}");
            if element["type"] == "image" {
                self.object(&path, element, &["type", "alt_text"], &["image_url", "slack_file"]);
            } else {
                self.text(&path, element, 3_000);
            }
        }
    }

    fn input(&mut self, path: &str, block: &Value) {
        let optional = ["block_id", "hint", "optional", "dispatch_action"];
        if self.object(path, block, &["type", "label", "element"], &optional) {
            self.plain(&format!("{path}/label"), &block["label"], 2_000);
            self.optional_plain(&format!("{path}/hint"), &block["hint"], 2_000);
            self.optional_flag(&format!("{path}/optional"), &block["optional"]);
            if block["element"]["type"] == "button" {
                self.remark("unsupported type: button", &format!("{path}/element/type"));
            }
            self.element(&format!("{path}/element"), &block["element"]);
        }
    }

    fn table(&mut self, path: &str, block: &Value) {
        self.tables += 1;
        if !self.object(path, block, &["type", "rows"], &["block_id", "column_settings"]) {
            return;
        }
        let mut units = 0;
        for (at, row) in self.list(&format!("{path}/rows"), &block["rows"], 100).iter().enumerate() {
            for cell in self.list(&format!("{path}/rows/{at}"), row, 20) {
                let raw = cell["text"].as_str().unwrap_or_default();
                units += stored_units(raw);
                let rich = cell["elements"].to_string();
                units += if cell["elements"].is_null() { 0 } else { rich.encode_utf16().count() };
            }
        }
        if units > 10_000 {
            self.remark("must be less than 10001 characters in all cells", path);
        }
    }
}

#[cfg(test)]
mod tests;
