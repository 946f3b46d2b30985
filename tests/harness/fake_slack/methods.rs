//! The methods of the Web API, on the state.

use serde_json::{Value, json};

use super::state::{APP_ID, BOT_ID, BOT_USER_ID, State, TEAM_ID};

mod chat;
mod conversations;
mod files;
mod usergroups;
mod views;

pub(super) use chat::{respond, whispered};
pub(super) use files::upload;

/// Why a method refuses.
#[derive(Debug)]
pub(super) enum Refusal {
    Code { code: String, details: Value, status: u16 },
    RateLimited { retry_after: u32 },
}

impl Refusal {
    pub(super) fn code(code: &str) -> Self {
        Self::with(code, json!({}))
    }

    fn with(code: &str, details: Value) -> Self {
        Self::Code { code: code.to_owned(), details, status: 200 }
    }

    fn not_found(code: &str) -> Self {
        Self::Code { code: code.to_owned(), details: json!({}), status: 404 }
    }

    /// Remarks on blocks or a view, in both places where Slack puts them.
    fn remarks(code: &str, remarks: &[String]) -> Self {
        let messages: Vec<String> = remarks.iter().map(|remark| format!("[ERROR] {remark}")).collect();
        Self::with(code, json!({ "errors": remarks, "response_metadata": { "messages": messages } }))
    }
}

type Answer = Result<Value, Refusal>;

pub(super) fn call(state: &mut State, method: &str, arguments: &Value) -> Answer {
    limit_rate(state, method, arguments)?;
    if !arguments.is_object() {
        return Err(Refusal::code("invalid_json"));
    }
    match method {
        "auth.test" => auth_test(state),
        "chat.postMessage" => chat::post_message(state, arguments),
        "chat.update" => chat::update(state, arguments),
        "chat.postEphemeral" => chat::post_ephemeral(state, arguments),
        "blocks.validate" => chat::validate(arguments),
        "views.open" => views::open(state, arguments),
        "views.update" => views::update(state, arguments),
        "views.publish" => views::publish(state, arguments),
        "users.info" => users_info(state, arguments),
        "usergroups.users.list" => usergroups::users_list(state, arguments),
        "conversations.history" => conversations::history(state, arguments),
        "conversations.replies" => conversations::replies(state, arguments),
        "conversations.open" => conversations::open(state, arguments),
        "files.getUploadURLExternal" => files::place(state, arguments),
        "files.completeUploadExternal" => files::complete(state, arguments),
        "conversations.info" => conversations::info(state, arguments),
        _ => Err(Refusal::code("unknown_method")),
    }
}

fn auth_test(state: &State) -> Answer {
    Ok(json!({ "url": "https://fake.slack.example/", "team": "Fake", "user": "placet", "team_id": TEAM_ID,
        "user_id": BOT_USER_ID, "bot_id": BOT_ID, "app_id": APP_ID,
        "is_enterprise_install": state.is_org_wide }))
}

fn users_info(state: &State, arguments: &Value) -> Answer {
    need_scope(state, &["users:read"])?;
    let id = text(arguments, "user").ok_or_else(|| Refusal::code("user_not_found"))?;
    let person = state.people.get(id).filter(|person| person.kind != super::Kind::Unknown);
    let person = person.ok_or_else(|| Refusal::code("user_not_found"))?;
    let mut user = person.as_json(id, state.is_org_wide);
    if text(arguments, "include_locale") != Some("true")
        && let Some(user) = user.as_object_mut()
    {
        user.remove("locale");
    }
    Ok(json!({ "user": user }))
}

/// An argument that is a string and not empty.
fn text<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments[name].as_str().filter(|text| !text.is_empty())
}

/// One of these scopes.
fn need_scope(state: &State, scopes: &[&str]) -> Result<(), Refusal> {
    if scopes.iter().any(|scope| state.scopes.contains(*scope)) {
        return Ok(());
    }
    let provided = Vec::from_iter(state.scopes.iter().cloned()).join(",");
    Err(Refusal::with("missing_scope", json!({ "needed": scopes.join(","), "provided": provided })))
}

/// Calls per window of milliseconds: of posts by the channel that they land in, of all others by the method.
fn limit_rate(state: &mut State, method: &str, arguments: &Value) -> Result<(), Refusal> {
    let (key, max, window_ms) = match method {
        "chat.postMessage" => {
            let wanted = text(arguments, "channel").unwrap_or_default();
            (format!("{method} {}", chat::lands_in(state, wanted)), 1, 1_000)
        }
        "chat.update" => (method.to_owned(), 50, 60_000),
        "conversations.history" | "conversations.replies" => (method.to_owned(), 50, 60_000),
        "usergroups.users.list" => (method.to_owned(), 20, 60_000),
        _ => (method.to_owned(), 100, 60_000),
    };
    if !state.limits_rates {
        return Ok(());
    }
    let now_ms = state.now_ms();
    let called = state.called_ms.entry(key).or_default();
    while called.front().is_some_and(|at| now_ms - at >= window_ms) {
        called.pop_front();
    }
    if called.len() < max {
        called.push_back(now_ms);
        return Ok(());
    }
    let wait_ms = called.front().map_or(0, |at| at + window_ms - now_ms);
    Err(Refusal::RateLimited { retry_after: u32::try_from(wait_ms.div_euclid(1_000) + 1).unwrap_or(1) })
}
