//! Elements that people use: buttons, fields, choices.

use serde_json::Value;

use super::Judge;

impl Judge {
    pub(super) fn element(&mut self, path: &str, element: &Value) {
        self.optional_string(&format!("{path}/action_id"), &element["action_id"], 255);
        if let Some(id) = element["action_id"].as_str()
            && !self.action_ids.insert(id.to_owned())
        {
            self.remark("action_id already exists", &format!("{path}/action_id"));
        }
        match element["type"].as_str() {
            Some("button") => self.button(path, element),
            Some("plain_text_input") => self.text_input(path, element),
            Some("static_select" | "radio_buttons" | "checkboxes" | "overflow") => self.choice(path, element),
            kind => {
                let kind = kind.unwrap_or("none");
                self.remark(&format!("unsupported type: {kind}"), &format!("{path}/type"));
            }
        }
    }

    fn button(&mut self, path: &str, button: &Value) {
        let optional =
            ["action_id", "value", "url", "style", "confirm", "accessibility_label", "visible_to_user_ids"];
        if !self.object(path, button, &["type", "text"], &optional) {
            return;
        }
        self.plain(&format!("{path}/text"), &button["text"], 75);
        self.optional_string(&format!("{path}/value"), &button["value"], 2_000);
        self.optional_string(&format!("{path}/url"), &button["url"], 3_000);
        self.optional_string(&format!("{path}/accessibility_label"), &button["accessibility_label"], 75);
        self.style(&format!("{path}/style"), &button["style"]);
        self.confirm(&format!("{path}/confirm"), &button["confirm"]);
    }

    fn style(&mut self, path: &str, style: &Value) {
        if !style.is_null() && style != "primary" && style != "danger" {
            self.remark("must be one of: primary, danger", path);
        }
    }

    fn confirm(&mut self, path: &str, confirm: &Value) {
        if confirm.is_null() || !self.object(path, confirm, &["title", "text", "confirm", "deny"], &["style"])
        {
            return;
        }
        self.plain(&format!("{path}/title"), &confirm["title"], 100);
        self.text(&format!("{path}/text"), &confirm["text"], 300);
        self.plain(&format!("{path}/confirm"), &confirm["confirm"], 30);
        self.plain(&format!("{path}/deny"), &confirm["deny"], 30);
        self.style(&format!("{path}/style"), &confirm["style"]);
    }

    fn text_input(&mut self, path: &str, input: &Value) {
        let optional = [
            "action_id",
            "multiline",
            "min_length",
            "max_length",
            "placeholder",
            "initial_value",
            "focus_on_load",
            "dispatch_action_config",
        ];
        if !self.object(path, input, &["type"], &optional) {
            return;
        }
        self.optional_plain(&format!("{path}/placeholder"), &input["placeholder"], 150);
        for (name, least) in [("min_length", 0), ("max_length", 1)] {
            let value = &input[name];
            if !value.is_null() && !value.as_u64().is_some_and(|length| (least..=3_000).contains(&length)) {
                self.remark(&format!("must be between {least} and 3000"), &format!("{path}/{name}"));
            }
        }
        let max = input["max_length"].as_u64().and_then(|max| usize::try_from(max).ok()).unwrap_or(3_000);
        self.optional_string(&format!("{path}/initial_value"), &input["initial_value"], max);
    }

    fn choice(&mut self, path: &str, choice: &Value) {
        let optional =
            ["action_id", "placeholder", "initial_option", "initial_options", "confirm", "focus_on_load"];
        if !self.object(path, choice, &["type", "options"], &optional) {
            return;
        }
        self.optional_plain(&format!("{path}/placeholder"), &choice["placeholder"], 150);
        self.confirm(&format!("{path}/confirm"), &choice["confirm"]);
        let max = match choice["type"].as_str() {
            Some("static_select") => 100,
            Some("overflow") => 5,
            _ => 10,
        };
        // Slack's pages have said two to five, and its own SDKs hold a menu to that.
        if choice["type"] == "overflow" && choice["options"].as_array().is_some_and(|list| list.len() < 2) {
            self.remark("no fewer than 2 items allowed", &format!("{path}/options"));
        }
        for (at, option) in self.list(&format!("{path}/options"), &choice["options"], max).iter().enumerate()
        {
            let path = format!("{path}/options/{at}");
            if self.object(&path, option, &["text", "value"], &["description", "url"]) {
                // Only radio buttons and checkboxes take markup in what they say.
                match choice["type"].as_str() {
                    Some("overflow" | "static_select") => {
                        self.plain(&format!("{path}/text"), &option["text"], 75);
                    }
                    _ => self.text(&format!("{path}/text"), &option["text"], 75),
                }
                self.optional_string(&format!("{path}/value"), &option["value"], 150);
            }
        }
    }
}
