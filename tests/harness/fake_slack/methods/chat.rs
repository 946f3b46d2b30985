//! Messages: posting, editing, whispering, and answers to a `response_url`.

use serde_json::{Value, json};

use super::super::rules;
use super::super::state::{BOT_USER_ID, Edit, Message, News, State};
use super::{Answer, Refusal, need_scope, text};

/// Text beyond this is cut by `chat.postMessage`.
const POST_TEXT_UNITS_MAX: usize = 40_000;
/// Text beyond this is refused by `chat.update`.
const UPDATE_TEXT_UNITS_MAX: usize = 4_000;
/// Uses of a `response_url`.
const RESPONSES_MAX: u32 = 5;
/// Life of a `response_url`.
const RESPONSE_URL_MS: i64 = 30 * 60 * 1_000;

pub(super) fn post_message(state: &mut State, arguments: &Value) -> Answer {
    need_scope(state, &["chat:write"])?;
    let channel = writable_channel(state, arguments)?;
    let content = Content::of(state, arguments)?;
    let metadata = metadata(arguments)?;
    let parent = parent(state, &channel, &arguments["thread_ts"])?;
    let (kept, is_cut) = cut_text(&content.text);
    let mut message = state.new_message(&channel, BOT_USER_ID, &kept);
    message.blocks = content.blocks;
    message.metadata = metadata;
    message.thread_ts = parent;
    let mut answer = json!({ "channel": channel, "ts": message.ts, "message": message.as_json(true) });
    if is_cut {
        answer["warning"] = "message_truncated".into();
    }
    let (to, ts) = (channel.clone(), message.ts.clone());
    let is_direct = to.starts_with('D');
    state.unread.push(if message.is_outcome() && !is_direct {
        News::Outcome { channel: to, ts }
    } else {
        News::Posted { channel: to, ts }
    });
    if let Some(channel) = state.channels.get_mut(&channel) {
        channel.messages.push(message);
    }
    Ok(answer)
}

pub(super) fn update(state: &mut State, arguments: &Value) -> Answer {
    need_scope(state, &["chat:write"])?;
    // Here a name is not taken for a channel, and a user id not for a direct message.
    let channel = text(arguments, "channel").and_then(|id| state.channels.get(id));
    let channel = channel.ok_or_else(|| Refusal::code("channel_not_found"))?;
    if channel.is_archived {
        return Err(Refusal::code("is_archived"));
    }
    let channel = channel.id.clone();
    let ts = text(arguments, "ts").ok_or_else(|| Refusal::code("message_not_found"))?;
    let (now_ms, window_ms) = (state.now_ms(), state.edit_window_ms);
    // Whispers are not among the messages: they cannot be edited.
    let message = state.message_mut(&channel, ts).filter(|message| !message.deleted);
    let message = message.ok_or_else(|| Refusal::code("message_not_found"))?;
    if message.user != BOT_USER_ID {
        return Err(Refusal::code("cant_update_message"));
    }
    if window_ms.is_some_and(|window_ms| now_ms - message.posted_ms > window_ms) {
        return Err(Refusal::code("edit_window_closed"));
    }
    let content = Content::of(state, arguments)?;
    if units(&content.text) > UPDATE_TEXT_UNITS_MAX {
        return Err(Refusal::code("msg_too_long"));
    }
    let metadata = metadata(arguments)?;
    let message = state.message_mut(&channel, ts).ok_or_else(|| Refusal::code("message_not_found"))?;
    message.edit(now_ms, content);
    if !arguments["metadata"].is_null() {
        message.metadata = metadata;
    }
    let answer =
        json!({ "channel": channel, "ts": ts, "text": message.text, "message": message.as_json(true) });
    state.unread.push(News::Edited { channel, ts: ts.to_owned() });
    Ok(answer)
}

pub(super) fn post_ephemeral(state: &mut State, arguments: &Value) -> Answer {
    need_scope(state, &["chat:write"])?;
    let channel = writable_channel(state, arguments)?;
    let user = text(arguments, "user").ok_or_else(|| Refusal::code("user_not_in_channel"))?;
    let is_absent = state.channels.get(&channel).is_some_and(|channel| channel.absent.contains(user));
    if is_absent || !state.people.contains_key(user) {
        return Err(Refusal::code("user_not_in_channel"));
    }
    let content = Content::of(state, arguments)?;
    let parent = parent(state, &channel, &arguments["thread_ts"])?;
    let ts = whisper(state, &channel, user, content, parent);
    Ok(json!({ "message_ts": ts }))
}

fn whisper(state: &mut State, channel: &str, user: &str, content: Content, parent: Option<String>) -> String {
    let mut message = state.new_message(channel, BOT_USER_ID, &content.text);
    message.blocks = content.blocks;
    message.thread_ts = parent;
    message.ephemeral_to = Some(user.to_owned());
    let ts = message.ts.clone();
    state.unread.push(News::Whispered { user: user.to_owned(), ts: ts.clone() });
    state.ephemerals.push(message);
    ts
}

/// The answer to a slash command in the body of its 200.
pub(crate) fn whispered(state: &mut State, channel: &str, user: &str, answer: &Value) -> Result<(), Refusal> {
    let content = Content::of(state, answer)?;
    whisper(state, channel, user, content, None);
    Ok(())
}

/// A post to a `response_url`.
pub(crate) fn respond(state: &mut State, id: &str, arguments: &Value) -> Answer {
    let now_ms = state.now_ms();
    let response = state.responses.get_mut(id).ok_or_else(|| Refusal::not_found("expired_url"))?;
    if now_ms - response.issued_ms > RESPONSE_URL_MS {
        return Err(Refusal::not_found("expired_url"));
    }
    if response.uses >= RESPONSES_MAX {
        return Err(Refusal::not_found("used_url"));
    }
    response.uses += 1;
    let (user, channel, is_ephemeral) =
        (response.user.clone(), response.channel.clone(), response.is_ephemeral);
    let ts = response.ts.clone();
    let deletes = arguments["delete_original"] == true;
    let replaces = arguments["replace_original"] == true;
    let original = match ts.as_deref() {
        Some(ts) if is_ephemeral => {
            state.ephemerals.iter().any(|message| message.ts == ts && !message.deleted)
        }
        Some(ts) => state.message_mut(&channel, ts).is_some_and(|message| !message.deleted),
        None => false,
    };
    if (deletes || replaces) && !original {
        return Err(Refusal::not_found("message_not_found"));
    }
    let content = if deletes { None } else { Some(Content::of(state, arguments)?) };
    match (ts, content) {
        (Some(ts), content) if deletes || replaces => {
            let message = if is_ephemeral {
                state.ephemerals.iter_mut().find(|message| message.ts == ts)
            } else {
                state.message_mut(&channel, &ts)
            };
            if let Some(message) = message {
                match content {
                    Some(content) => message.edit(now_ms, content),
                    None => message.deleted = true,
                }
            }
            let news = if is_ephemeral { News::Whispered { user, ts } } else { News::Edited { channel, ts } };
            state.unread.push(news);
        }
        (_, Some(content)) if arguments["response_type"] == "in_channel" => {
            let mut message = state.new_message(&channel, BOT_USER_ID, &content.text);
            message.blocks = content.blocks;
            state.unread.push(News::Posted { channel: channel.clone(), ts: message.ts.clone() });
            if let Some(channel) = state.channels.get_mut(&channel) {
                channel.messages.push(message);
            }
        }
        (_, Some(content)) => drop(whisper(state, &channel, &user, content, None)),
        (_, None) => {}
    }
    Ok(json!({}))
}

/// Whether blocks would be taken in a message.
pub(super) fn validate(arguments: &Value) -> Answer {
    let remarks = rules::message(&arguments["blocks"]);
    if !remarks.is_empty() {
        return Err(Refusal::remarks("invalid_blocks", &remarks));
    }
    if rules::is_too_long(&arguments["blocks"]) {
        return Err(Refusal::code("msg_blocks_too_long"));
    }
    Ok(json!({}))
}

/// The text and blocks of a call, after all checks.
struct Content {
    text: String,
    /// Text without blocks drops the old ones.
    blocks: Vec<Value>,
}

impl Content {
    fn of(state: &mut State, arguments: &Value) -> Result<Self, Refusal> {
        let given = match &arguments["blocks"] {
            Value::Null => None,
            Value::Array(blocks) => Some(blocks),
            _ => return Err(Refusal::code("invalid_blocks_format")),
        };
        let has_content = given.is_some_and(|blocks| !blocks.is_empty());
        let text = text(arguments, "text");
        if text.is_none() && !has_content {
            return Err(Refusal::code("no_text"));
        }
        let remarks = rules::message(&arguments["blocks"]);
        if !remarks.is_empty() {
            return Err(Refusal::remarks("invalid_blocks", &remarks));
        }
        if rules::is_too_long(&arguments["blocks"]) {
            return Err(Refusal::code("msg_blocks_too_long"));
        }
        let blocks = state.with_ids(&arguments["blocks"]);
        Ok(Self { text: text.unwrap_or_default().to_owned(), blocks })
    }
}

impl Message {
    fn edit(&mut self, edited_ms: i64, content: Content) {
        let before = Edit { edited_ms, text: self.text.clone(), blocks: self.blocks.clone() };
        self.edits.push(before);
        self.blocks = content.blocks;
        self.text = content.text;
    }
}

/// The channel that a post lands in, whether that may be done or not: direct messages for somebody's id.
pub(super) fn lands_in(state: &State, wanted: &str) -> String {
    match state.people.contains_key(wanted) {
        true => direct_with(wanted),
        false => state.channel_id(wanted).unwrap_or_else(|| wanted.to_owned()),
    }
}

/// The id of the direct messages with somebody.
fn direct_with(user: &str) -> String {
    format!("D{}", &user[1..])
}

/// The channel to post to: an id, a name, or a user's id for the direct message with them.
pub(super) fn writable_channel(state: &mut State, arguments: &Value) -> Result<String, Refusal> {
    let wanted = text(arguments, "channel").ok_or_else(|| Refusal::code("channel_not_found"))?;
    let wanted = wanted.to_owned();
    if let Some(person) = state.people.get(&wanted) {
        let (name, id) = (person.name.clone(), direct_with(&wanted));
        if !state.channels.contains_key(&id) {
            state.insert_channel(&id, &format!("@{name}"), true);
        }
        return Ok(id);
    }
    let id = state.channel_id(&wanted).ok_or_else(|| Refusal::code("channel_not_found"))?;
    let channel = state.channels.get(&id).ok_or_else(|| Refusal::code("channel_not_found"))?;
    if channel.is_archived {
        return Err(Refusal::code("is_archived"));
    }
    let may_post = channel.has_bot || (!channel.is_private && state.scopes.contains("chat:write.public"));
    match may_post {
        true => Ok(id),
        // The bot cannot even see a private channel that it is not in.
        false if channel.is_private => Err(Refusal::code("channel_not_found")),
        false => Err(Refusal::code("not_in_channel")),
    }
}

/// The parent to reply to. A parent that is gone does not refuse the call: the message goes to the channel, and only
/// the answer tells.
fn parent(state: &mut State, channel: &str, thread_ts: &Value) -> Result<Option<String>, Refusal> {
    let ts = match thread_ts {
        Value::Null => return Ok(None),
        Value::String(ts) => ts,
        _ => return Err(Refusal::remarks("invalid_arguments", &["must be a string: thread_ts".to_owned()])),
    };
    match state.message_mut(channel, ts) {
        None => Ok(None),
        Some(parent) if parent.deleted => Ok(None),
        Some(reply) if reply.thread_ts.as_ref().is_some_and(|parent| parent != ts) => {
            Err(Refusal::code("cannot_reply_to_message"))
        }
        Some(parent) => {
            // A parent names itself, once it has a reply.
            parent.thread_ts = Some(ts.clone());
            Ok(Some(ts.clone()))
        }
    }
}

fn metadata(arguments: &Value) -> Result<Option<Value>, Refusal> {
    let metadata = &arguments["metadata"];
    match metadata {
        Value::Null => Ok(None),
        Value::Object(members) if members.is_empty() => Ok(None),
        Value::Object(_) => {
            let is_named = metadata["event_type"].as_str().is_some_and(|name| !name.is_empty());
            if is_named && metadata["event_payload"].is_object() {
                return Ok(Some(metadata.clone()));
            }
            Err(Refusal::code("invalid_metadata_format"))
        }
        _ => Err(Refusal::code("metadata_must_be_sent_as_json")),
    }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn cut_text(text: &str) -> (String, bool) {
    if units(text) <= POST_TEXT_UNITS_MAX {
        return (text.to_owned(), false);
    }
    let kept: Vec<u16> = text.encode_utf16().take(POST_TEXT_UNITS_MAX).collect();
    (String::from_utf16_lossy(&kept), true)
}
