//! Messages as a person reads them: plain text, the buttons, and what would be active in them.

use serde_json::Value;

use super::state::Message;

/// A button as it stands in a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Button {
    /// Its id.
    pub action_id: String,
    /// The block it stands in.
    pub block_id: String,
    /// What it carries.
    pub value: String,
    /// What it says.
    pub text: String,
    /// `primary`, `danger` or none.
    pub style: Option<String>,
    /// What is asked before it counts.
    pub confirm: Option<String>,
    /// Where it leads, which no button of Placet's does.
    pub url: Option<String>,
}

/// The message as a person reads it; the fallback text where there are no blocks.
pub fn text_of(message: &Message) -> String {
    if message.blocks.is_empty() { read_mrkdwn(&message.text) } else { text_of_blocks(&message.blocks) }
}

/// Blocks as a person reads them, a line or more each.
pub(super) fn text_of_blocks(blocks: &[Value]) -> String {
    let lines: Vec<String> = blocks.iter().map(read_block).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// The buttons of a message, in order.
pub fn buttons(message: &Message) -> Vec<Button> {
    let mut found = Vec::new();
    for block in &message.blocks {
        let inside = list(&block["elements"]).iter().chain(std::iter::once(&block["accessory"]));
        for element in inside.filter(|element| element["type"] == "button") {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            found.push(Button {
                action_id: text(&element["action_id"]),
                block_id: text(&block["block_id"]),
                value: text(&element["value"]),
                text: read_text(&element["text"]),
                style: element["style"].as_str().map(str::to_owned),
                confirm: element["confirm"].is_object().then(|| read_text(&element["confirm"]["text"])),
                url: element["url"].as_str().map(str::to_owned),
            });
        }
    }
    found
}

/// Everything in a message that Slack would make a mention, a link or markup, dates aside: nothing of this may come
/// from an agent.
pub fn active_markup(message: &Message) -> Vec<String> {
    let mut found = active_in_mrkdwn(&message.text);
    for block in &message.blocks {
        active_in(block, &mut found);
    }
    found
}

fn active_in(value: &Value, found: &mut Vec<String>) {
    match value["type"].as_str() {
        Some("mrkdwn" | "markdown") => {
            found.extend(active_in_mrkdwn(value["text"].as_str().unwrap_or_default()));
        }
        Some("link" | "user" | "channel" | "usergroup" | "broadcast") => found.push(value.to_string()),
        Some("button") if value["url"].is_string() => found.push(value["url"].to_string()),
        _ => {}
    }
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| active_in(element, found)),
        Value::Object(members) => members.values().for_each(|member| active_in(member, found)),
        _ => {}
    }
}

fn active_in_mrkdwn(text: &str) -> Vec<String> {
    let marks = text.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(inner, _)| inner);
    let active = marks.filter(|inner| {
        let is_date = inner.starts_with("!date^");
        let is_link = inner.contains("://") || inner.starts_with("mailto:");
        !is_date && (inner.starts_with(['!', '@', '#']) || is_link)
    });
    active.map(|inner| format!("<{inner}>")).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn read_block(block: &Value) -> String {
    match block["type"].as_str().unwrap_or_default() {
        "divider" => "———".to_owned(),
        "header" => read_text(&block["text"]),
        "section" => {
            let fields = list(&block["fields"]).iter().map(read_text);
            let text = Some(read_text(&block["text"])).filter(|text| !text.is_empty());
            let accessory = Some(read_element(&block["accessory"])).filter(|text| !text.is_empty());
            Vec::from_iter(text.into_iter().chain(fields).chain(accessory)).join("\n")
        }
        "context" => Vec::from_iter(list(&block["elements"]).iter().map(read_text)).join(" · "),
        "actions" => Vec::from_iter(list(&block["elements"]).iter().map(read_element)).join(" "),
        "input" => format!("{}: {}", read_text(&block["label"]), read_element(&block["element"])),
        "rich_text" => Vec::from_iter(list(&block["elements"]).iter().map(read_rich)).join("\n"),
        "markdown" => block["text"].as_str().unwrap_or_default().to_owned(),
        "table" => {
            let rows = list(&block["rows"]).iter();
            let cells = |row: &Value| Vec::from_iter(list(row).iter().map(read_cell)).join(" | ");
            Vec::from_iter(rows.map(cells)).join("\n")
        }
        other => format!("({other})"),
    }
}

fn read_cell(cell: &Value) -> String {
    cell["text"].as_str().map_or_else(|| read_rich(cell), str::to_owned)
}

fn read_element(element: &Value) -> String {
    match element["type"].as_str() {
        Some("button") => format!("[ {} ]", read_text(&element["text"])),
        Some("plain_text_input") => "[____]".to_owned(),
        Some(_) => {
            let options = list(&element["options"]).iter().map(|option| read_text(&option["text"]));
            format!("( {} )", Vec::from_iter(options).join(" | "))
        }
        None => String::new(),
    }
}

fn read_text(object: &Value) -> String {
    let text = object["text"].as_str().unwrap_or_default();
    if object["type"] == "mrkdwn" { read_mrkdwn(text) } else { text.to_owned() }
}

fn read_rich(element: &Value) -> String {
    let inner = || list(&element["elements"]).iter().map(read_rich);
    match element["type"].as_str().unwrap_or_default() {
        "text" => element["text"].as_str().unwrap_or_default().to_owned(),
        "link" => element["text"].as_str().or(element["url"].as_str()).unwrap_or_default().to_owned(),
        "user" => format!("@{}", element["user_id"].as_str().unwrap_or_default()),
        "channel" => format!("#{}", element["channel_id"].as_str().unwrap_or_default()),
        "usergroup" => format!("@{}", element["usergroup_id"].as_str().unwrap_or_default()),
        "broadcast" => format!("@{}", element["range"].as_str().unwrap_or_default()),
        "emoji" => format!(":{}:", element["name"].as_str().unwrap_or_default()),
        "date" => element["fallback"].as_str().unwrap_or_default().to_owned(),
        "rich_text_list" => Vec::from_iter(inner().map(|item| format!("• {item}"))).join("\n"),
        "rich_text_quote" => {
            let text = String::from_iter(inner());
            Vec::from_iter(text.lines().map(|line| format!("> {line}"))).join("\n")
        }
        _ => String::from_iter(inner()),
    }
}

/// mrkdwn with its mentions, links and dates as they show, and entities undone.
fn read_mrkdwn(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        shown.push_str(before);
        let Some((inner, after)) = after.split_once('>') else {
            shown.push('<');
            rest = after;
            continue;
        };
        let (target, label) = inner.split_once('|').unwrap_or((inner, ""));
        match (label, target.strip_prefix('!')) {
            ("", Some(special)) => shown.push_str(&format!("@{special}")),
            ("", None) => shown.push_str(target),
            (label, _) => shown.push_str(label),
        }
        rest = after;
    }
    shown.push_str(rest);
    shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blocks_read_as_a_person_sees_them() {
        let plain = |text: &str| json!({ "type": "plain_text", "text": text });
        let blocks = [
            json!({ "type": "header", "text": plain("Delete 1 file <now>") }),
            json!({ "type": "section",
                "text": { "type": "mrkdwn", "text": "by <@U1>, until <!date^1^{time}|14:32> &amp; &lt;b&gt; <!here>" } }),
            json!({ "type": "section", "fields": [plain("Path\na.txt"), plain("Size\n1 KB")] }),
            json!({ "type": "rich_text", "elements": [
                { "type": "rich_text_section", "elements": [{ "type": "text", "text": "path  " },
                    { "type": "date", "timestamp": 1, "format": "{time}", "fallback": "14:02" }] },
                { "type": "rich_text_preformatted", "elements": [{ "type": "text", "text": "one\ntwo" }] },
                { "type": "rich_text_quote", "elements": [{ "type": "text", "text": "said\nso" }] },
            ] }),
            json!({ "type": "divider" }),
            json!({ "type": "context", "elements": [plain("a"), plain("b")] }),
            json!({ "type": "actions", "elements": [{ "type": "button", "text": plain("Approve") },
                { "type": "button", "text": plain("Deny…") }] }),
        ];
        assert_eq!(
            text_of_blocks(&blocks),
            "Delete 1 file <now>\nby @U1, until 14:32 & <b> @here\nPath\na.txt\nSize\n1 KB\npath  14:02\none\ntwo\n\
             > said\n> so\n———\na · b\n[ Approve ] [ Deny… ]"
        );
    }

    #[test]
    fn active_markup_is_found_wherever_it_stands() {
        let in_mrkdwn =
            active_in_mrkdwn("<!channel> <@U1> <#C1> <!subteam^S1> <http://x.example|ok> <!date^1^{time}|x>");
        assert_eq!(in_mrkdwn, ["<!channel>", "<@U1>", "<#C1>", "<!subteam^S1>", "<http://x.example|ok>"]);
        let mut found = Vec::new();
        let block = json!({ "type": "rich_text", "elements": [{ "type": "rich_text_section", "elements": [
            { "type": "text", "text": "<!channel>" }, { "type": "broadcast", "range": "here" }] }] });
        active_in(&block, &mut found);
        assert_eq!(found.len(), 1);
    }
}
