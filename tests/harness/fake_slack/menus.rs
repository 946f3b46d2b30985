//! Menus behind three dots: what can be chosen in them, and what Slack sends when somebody does.

use serde_json::{Value, json};

use super::FakeSlack;
use super::reading::Button;
use super::state::{Message, View};

/// A choice of a menu, as it stands in a message.
#[derive(Debug, Clone, PartialEq)]
pub struct MenuChoice {
    /// The menu's id.
    pub action_id: String,
    /// The block it stands in.
    pub block_id: String,
    /// What it says.
    pub text: String,
    /// What it carries.
    pub value: String,
}

/// The choices of a message's menus, in order.
pub fn menu_choices(message: &Message) -> Vec<MenuChoice> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for block in &message.blocks {
        let elements = block["elements"].as_array().map_or(&[][..], Vec::as_slice);
        for menu in elements.iter().filter(|element| element["type"] == "overflow") {
            for option in menu["options"].as_array().into_iter().flatten() {
                found.push(MenuChoice {
                    action_id: text(&menu["action_id"]),
                    block_id: text(&block["block_id"]),
                    text: text(&option["text"]["text"]),
                    value: text(&option["value"]),
                });
            }
        }
    }
    found
}

/// The `action_id` of the button of a dialog that says this.
pub fn button_of_view(view: &View, words: &str) -> Option<String> {
    let blocks = view.view["blocks"].as_array()?;
    let elements = blocks.iter().flat_map(|block| block["elements"].as_array().into_iter().flatten());
    let mut buttons = elements.filter(|element| element["type"] == "button");
    let found =
        buttons.find(|button| button["text"]["text"].as_str().is_some_and(|text| text.starts_with(words)))?;
    found["action_id"].as_str().map(str::to_owned)
}

impl FakeSlack {
    /// The form body of a choice in a menu of a message, with a fresh trigger.
    pub fn choice_payload(
        &self,
        user: &str,
        message: &Message,
        choice: &MenuChoice,
    ) -> anyhow::Result<String> {
        let MenuChoice { action_id, block_id, text, value } = choice.clone();
        let option = json!({ "text": { "type": "plain_text", "text": text }, "value": value });
        let as_button = Button {
            action_id,
            block_id,
            value: String::new(),
            text: String::new(),
            style: None,
            confirm: None,
            url: None,
        };
        // As a click, but for the element: a menu carries its choice, and neither a text nor a value.
        let body = self.click_payload(user, message, &as_button);
        let mut payload: Value = serde_json::from_str(&payload_of(&body)?)?;
        let action = payload["actions"][0].as_object_mut();
        if let Some(action) = action {
            action.remove("text");
            action.remove("value");
            action.insert("type".to_owned(), "overflow".into());
            action.insert("selected_option".to_owned(), option);
        }
        Ok(super::clicks::form(&[("payload", &payload.to_string())]))
    }
}

/// The one field of a form.
fn payload_of(body: &str) -> anyhow::Result<String> {
    let mut fields = url::form_urlencoded::parse(body.as_bytes());
    let (_, payload) = fields.next().ok_or_else(|| anyhow::anyhow!("a form with nothing in it"))?;
    Ok(payload.into_owned())
}
