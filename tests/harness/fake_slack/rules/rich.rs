//! Rich text.

use serde_json::Value;

use super::Judge;

impl Judge {
    pub(super) fn rich_text(&mut self, path: &str, block: &Value) {
        if !self.object(path, block, &["type", "elements"], &["block_id"]) {
            return;
        }
        for (at, element) in
            self.list(&format!("{path}/elements"), &block["elements"], 1_000).iter().enumerate()
        {
            self.rich_element(&format!("{path}/elements/{at}"), element);
        }
    }

    fn rich_element(&mut self, path: &str, element: &Value) {
        let (optional, takes): (&[&str], &[&str]) = match element["type"].as_str() {
            Some("rich_text_section") => (
                &[],
                &["text", "link", "user", "channel", "usergroup", "emoji", "broadcast", "date", "color"],
            ),
            Some("rich_text_preformatted") => (&["border", "language"], &["text", "link"]),
            Some("rich_text_quote") => (&["border"], &["text", "link", "user", "emoji", "date"]),
            Some("rich_text_list") => (&["style", "indent", "offset", "border"], &["rich_text_section"]),
            kind => {
                let kind = kind.unwrap_or("none");
                return self.remark(&format!("unsupported type: {kind}"), &format!("{path}/type"));
            }
        };
        if !self.object(path, element, &["type", "elements"], optional) {
            return;
        }
        for (at, inner) in element["elements"].as_array().into_iter().flatten().enumerate() {
            let path = format!("{path}/elements/{at}");
            match inner["type"].as_str() {
                Some(kind) if !takes.contains(&kind) => {
                    self.remark(&format!("unsupported type: {kind}"), &format!("{path}/type"));
                }
                Some("rich_text_section") => self.rich_element(&path, inner),
                Some(kind) => self.rich_inline(&path, kind, inner),
                None => self.remark("missing required field: type", &path),
            }
        }
    }

    fn rich_inline(&mut self, path: &str, kind: &str, inner: &Value) {
        let (required, optional): (&[&str], &[&str]) = match kind {
            "text" => (&["type", "text"], &["style"]),
            "link" => (&["type", "url"], &["text", "style", "unsafe"]),
            "user" => (&["type", "user_id"], &["style"]),
            "channel" => (&["type", "channel_id"], &["style"]),
            "usergroup" => (&["type", "usergroup_id"], &["style"]),
            "emoji" => (&["type", "name"], &["unicode", "skin_tone"]),
            "broadcast" => (&["type", "range"], &[]),
            "date" => (&["type", "timestamp", "format"], &["url", "fallback", "style"]),
            _ => (&["type", "value"], &[]),
        };
        self.object(path, inner, required, optional);
        if kind == "text" && inner["text"].as_str().is_none_or(str::is_empty) {
            self.remark("must be more than 0 characters", &format!("{path}/text"));
        }
        if !inner["style"].is_null() {
            self.object(
                &format!("{path}/style"),
                &inner["style"],
                &[],
                &["bold", "italic", "strike", "code", "underline"],
            );
        }
    }
}
