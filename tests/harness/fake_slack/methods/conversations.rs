//! Reading channels.

use serde_json::{Value, json};

use super::super::state::{Channel, Message, State};
use super::{Answer, Refusal, need_scope, text};

pub(super) fn history(state: &mut State, arguments: &Value) -> Answer {
    let channel = readable_channel(state, arguments)?;
    let mut messages: Vec<&Message> = channel
        .messages
        .iter()
        .filter(|message| !message.deleted)
        .filter(|message| message.thread_ts.as_ref().is_none_or(|parent| *parent == message.ts))
        .filter(|message| is_within(message, arguments))
        .collect();
    messages.reverse();
    page(&messages, arguments)
}

pub(super) fn replies(state: &mut State, arguments: &Value) -> Answer {
    let channel = readable_channel(state, arguments)?;
    let ts = text(arguments, "ts").ok_or_else(|| Refusal::code("thread_not_found"))?;
    let is_there = channel.messages.iter().any(|message| message.ts == ts && !message.deleted);
    if !is_there {
        return Err(Refusal::code("thread_not_found"));
    }
    let messages: Vec<&Message> = channel
        .messages
        .iter()
        .filter(|message| !message.deleted)
        .filter(|message| message.ts == ts || message.thread_ts.as_deref() == Some(ts))
        .filter(|message| message.ts == ts || is_within(message, arguments))
        .collect();
    page(&messages, arguments)
}

pub(super) fn info(state: &mut State, arguments: &Value) -> Answer {
    let channel = text(arguments, "channel").and_then(|id| state.channels.get(id));
    let is_private = channel.is_some_and(|channel| channel.is_private);
    need_scope(state, if is_private { &["groups:read"] } else { &["channels:read"] })?;
    let channel = channel.filter(|channel| channel.has_bot || !channel.is_private);
    let channel = channel.ok_or_else(|| Refusal::code("channel_not_found"))?;
    Ok(json!({ "channel": { "id": channel.id, "name": channel.name, "is_private": channel.is_private,
        "is_archived": channel.is_archived, "is_member": channel.has_bot } }))
}

fn readable_channel<'s>(state: &'s State, arguments: &Value) -> Result<&'s Channel, Refusal> {
    let channel = text(arguments, "channel").and_then(|id| state.channels.get(id));
    let channel = channel.ok_or_else(|| Refusal::code("channel_not_found"))?;
    need_scope(state, if channel.is_private { &["groups:history"] } else { &["channels:history"] })?;
    match (channel.has_bot, channel.is_private) {
        (true, _) => Ok(channel),
        (false, true) => Err(Refusal::code("channel_not_found")),
        (false, false) => Err(Refusal::code("not_in_channel")),
    }
}

/// Timestamps compare as numbers of seconds and microseconds.
fn is_within(message: &Message, arguments: &Value) -> bool {
    let at = parse_ts(&message.ts);
    let is_inclusive = matches!(&arguments["inclusive"], Value::Bool(true))
        || text(arguments, "inclusive").is_some_and(|inclusive| inclusive == "true" || inclusive == "1");
    let after_oldest = text(arguments, "oldest").is_none_or(|oldest| {
        let oldest = parse_ts(oldest);
        at > oldest || (is_inclusive && at == oldest)
    });
    let before_latest = text(arguments, "latest").is_none_or(|latest| {
        let latest = parse_ts(latest);
        at < latest || (is_inclusive && at == latest)
    });
    after_oldest && before_latest
}

fn parse_ts(ts: &str) -> (i64, u32) {
    let (secs, micros) = ts.split_once('.').unwrap_or((ts, "0"));
    (secs.parse().unwrap_or(0), micros.parse().unwrap_or(0))
}

fn page(messages: &[&Message], arguments: &Value) -> Answer {
    let limit: usize = text(arguments, "limit").map_or(Ok(100), str::parse).unwrap_or(0);
    if !(1..=999).contains(&limit) {
        return Err(Refusal::code("invalid_limit"));
    }
    let start = match text(arguments, "cursor") {
        None => 0,
        Some(cursor) => {
            let start = cursor.strip_prefix("next:").and_then(|start| start.parse::<usize>().ok());
            start.ok_or_else(|| Refusal::code("invalid_cursor"))?
        }
    };
    let with_metadata = text(arguments, "include_all_metadata") == Some("true");
    let shown: Vec<Value> =
        messages.iter().skip(start).take(limit).map(|message| message.as_json(with_metadata)).collect();
    let has_more = start + shown.len() < messages.len();
    let next_cursor = if has_more { format!("next:{}", start + limit) } else { String::new() };
    Ok(
        json!({ "messages": shown, "has_more": has_more, "response_metadata": { "next_cursor": next_cursor } }),
    )
}

/// The direct message with one person, made if need be.
pub(super) fn open(state: &mut State, arguments: &Value) -> Answer {
    need_scope(state, &["im:write"])?;
    let user = text(arguments, "users").ok_or_else(|| Refusal::code("users_list_not_supplied"))?.to_owned();
    if user.contains(',') || !state.people.contains_key(&user) {
        return Err(Refusal::code("user_not_found"));
    }
    let id = super::chat::writable_channel(state, &json!({ "channel": user }))?;
    Ok(json!({ "channel": { "id": id } }))
}
