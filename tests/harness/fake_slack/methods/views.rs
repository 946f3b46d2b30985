//! Dialogs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::homes::HomeTab;
use super::super::rules;
use super::super::state::{APP_ID, BOT_ID, News, State, TEAM_ID, View};
use super::{Answer, Refusal, text};

/// Life of a trigger.
const TRIGGER_MS: i64 = 3_000;

pub(super) fn open(state: &mut State, arguments: &Value) -> Answer {
    let view = checked(&arguments["view"])?;
    let trigger_id = text(arguments, "trigger_id").ok_or_else(|| Refusal::code("invalid_trigger_id"))?;
    let now_ms = state.now_ms();
    let trigger = state.triggers.get_mut(trigger_id).ok_or_else(|| Refusal::code("invalid_trigger_id"))?;
    if trigger.is_used {
        return Err(Refusal::code("exchanged_trigger_id"));
    }
    if now_ms - trigger.issued_ms > TRIGGER_MS {
        return Err(Refusal::code("expired_trigger_id"));
    }
    trigger.is_used = true;
    let user = trigger.user.clone();
    let id = state.add_view(&user, view, Vec::new());
    Ok(json!({ "view": state.view_json(&id) }))
}

pub(super) fn update(state: &mut State, arguments: &Value) -> Answer {
    let view = checked(&arguments["view"])?.clone();
    let id = text(arguments, "view_id").ok_or_else(|| Refusal::code("not_found"))?;
    let found = state.views.iter().find(|view| view.id == id && view.is_open);
    let found = found.ok_or_else(|| Refusal::code("not_found"))?;
    if text(arguments, "hash").is_some_and(|hash| hash != found.hash) {
        return Err(Refusal::code("hash_conflict"));
    }
    state.replace_view(id, &view);
    Ok(json!({ "view": state.view_json(id) }))
}

/// Somebody's home: the last that was published stands. One that names the version before it is taken only if that is the
/// one that stands.
pub(super) fn publish(state: &mut State, arguments: &Value) -> Answer {
    let view = &arguments["view"];
    let remarks = rules::home(view);
    if !remarks.is_empty() {
        return Err(Refusal::remarks("invalid_arguments", &remarks));
    }
    let user = text(arguments, "user_id").ok_or_else(|| Refusal::code("invalid_arguments"))?.to_owned();
    if !state.people.contains_key(&user) {
        return Err(Refusal::code("user_not_found"));
    }
    let stands = state.homes.get(&user).map(|home| home.hash.as_str());
    if text(arguments, "hash").is_some_and(|hash| Some(hash) != stands) {
        return Err(Refusal::code("hash_conflict"));
    }
    let (id, hash) = (format!("V{}HOME", &user[1..]), state.next_hash());
    let mut content = view.clone();
    content["blocks"] = state.with_ids(&view["blocks"]).into();
    let home = HomeTab { id, hash, view: content };
    let shown = home.as_json();
    state.homes.insert(user, home);
    Ok(json!({ "view": shown }))
}

/// Views are refused with another code than messages.
fn checked(view: &Value) -> Result<&Value, Refusal> {
    let remarks = rules::view(view);
    if remarks.is_empty() { Ok(view) } else { Err(Refusal::remarks("invalid_arguments", &remarks)) }
}

impl State {
    /// Opens a dialog on top of `below`. Returns its id.
    pub(crate) fn add_view(&mut self, user: &str, view: &Value, below: Vec<String>) -> String {
        let id = format!("V{:0>9}", self.next_serial());
        let mut stack = below;
        stack.push(id.clone());
        let hash = self.next_hash();
        let mut content = view.clone();
        content["blocks"] = self.with_ids(&view["blocks"]).into();
        self.views.push(View {
            id: id.clone(),
            user: user.to_owned(),
            hash,
            view: content,
            is_open: true,
            errors: BTreeMap::new(),
            stack,
        });
        self.unread.push(News::Dialog { user: user.to_owned(), id: id.clone() });
        id
    }

    pub(crate) fn replace_view(&mut self, id: &str, view: &Value) {
        let hash = self.next_hash();
        let blocks = self.with_ids(&view["blocks"]);
        let Some(found) = self.views.iter_mut().find(|view| view.id == id) else { return };
        found.view = view.clone();
        found.view["blocks"] = blocks.into();
        found.hash = hash;
        found.errors.clear();
        let news = News::Dialog { user: found.user.clone(), id: id.to_owned() };
        // Who has not looked yet sees it once, as it is by then.
        if !self.unread.contains(&news) {
            self.unread.push(news);
        }
    }

    fn next_hash(&mut self) -> String {
        format!("{}.h{}", self.now_ms().div_euclid(1_000), self.next_serial())
    }

    /// The view object as the API gives it.
    pub(crate) fn view_json(&self, id: &str) -> Value {
        let Some(view) = self.views.iter().find(|view| view.id == id) else { return Value::Null };
        let mut shown = view.view.clone();
        let previous = view.stack.iter().rev().nth(1);
        let known = json!({ "id": view.id, "team_id": TEAM_ID, "hash": view.hash, "app_id": APP_ID,
            "app_installed_team_id": TEAM_ID, "bot_id": BOT_ID, "root_view_id": view.stack.first(),
            "previous_view_id": previous, "state": { "values": {} } });
        for (key, value) in known.as_object().into_iter().flatten() {
            shown[key] = value.clone();
        }
        for (key, empty) in [("private_metadata", ""), ("callback_id", ""), ("external_id", "")] {
            if shown[key].is_null() {
                shown[key] = empty.into();
            }
        }
        shown
    }
}
